"""Verbs, as sets of lower-case forms; see `lexicon` for the other word classes."""

from __future__ import annotations

from factmark.text.lexicon import word_set

# Base forms of verbs that assert nothing checkable by themselves.
_VERBS = word_set(
    """
    accept accommodate accomplish accord achieve acquire activate adapt add adjust admit adopt
    advise affect afford aggregate agree allege allow alter analyze announce anticipate apologize
    appear apply appoint appreciate approve argue arrange arrive ask assess assign assist associate
    assume assure attach attend authorize automate avoid bar bear become beg begin behave believe
    belong bind blame borrow bring build buy calculate cancel cap carry catch categorise cease
    characterize choose cite classify clear co-occur collect combine come commit communicate compare
    complete complicate comply compose comprise compute concentrate conclude confirm connect
    consider consist constrain construct consult contain continue contribute convert convince cope
    correspond create decide declare dedicate deem define demonstrate deny depend deploy derive
    describe deserve designate detect determine develop devote diagnose differ disable disappear
    discover discuss dismiss distinguish divide do dominate duplicate earn ease educate elaborate
    elect elevate eliminate embrace emerge employ enable encompass encounter encourage engage
    enhance enjoy ensure enter entitle equal escape establish evaluate evolve examine exceed exclude
    execute exhibit exist expand expect expire explain explore expose express extend extract fail
    fall favor favour feel finish float follow forbid forget forward foster further gather
    generalise generate get give go govern grow hang happen harbor harbour harmonise have heal hear
    hide highlight hire identify ignore illustrate imagine implement impose improve include
    incorporate indicate induce infect inform insert insist inspect inspire install insure integrate
    intend interact interpret introduce invent invest investigate invite involve isolate justify
    keep kill know lapse last launch lean learn lend let lie lift like listen live locate lose lower
    maintain make manage manufacture meet miss motivate nominate oblige observe obtain occur operate
    oppose organise organize overcome owe participate pass paste pay peak perceive perform pick pose
    possess predict prefer prepare prescribe preserve prevent proceed prohibit promote pronounce
    propose protect prove provide pull punish pursue push put qualify quit react read realise
    realize receive recognise recognize recommend recover recruit reduce refer reflect reject relate
    relax rely remain remark remember remind remove renew repeat replace represent require resist
    resolve respond restore restrict resume retire retrieve reveal revise revoke save say see seek
    seem seize select send separate serve settle simulate sit situate skew slow solve speak
    specialize speed spell spend stay stick strengthen stretch submit subscribe succeed suffer
    suffice suggest suit suppose surround survive suspend sustain tackle take talk teach tell tend
    thank think threaten tolerate trail train transform translate try understand unite upgrade urge
    vary verify waive want warn warrant wear weigh welcome wipe withdraw wonder wrap write zero
    """
)

# Verb forms that are as often nouns; the context decides (`phrases._is_verb`). First those that are
# mostly verbs after a noun that they agree with, then base forms, then others.
MORE_OFTEN_VERBS = word_set(
    """
    address aim call cause claim command concern cost cover deal demand desire display draw drive
    drop end face find flag focus form frame gain guarantee handle harm help hint hold host
    influence lack lead leave limit list mandate match matter mean measure mention mirror move name
    need note offer overlap permit post promise raise range reach refuse reply reserve respect rest
    run shift show sound span spread stand start state stem stop stress supply support surface
    switch target tie top touch track treat trigger turn update wait wish work yield
    """
)
_ALSO_NOUNS = word_set(
    """
    account act amount answer approach attempt base benefit bound break capture care catalogue check
    close conduct contact control count date debate design detail document draft estimate exercise
    experience feature feed figure fill filter fit fix flow force function guess guide head hope
    impact increase interest issue join judge label land link log look love map mark mind model
    monitor notice number open order own place plan play point pool present process produce project
    purchase query question quote rank rate reason record regard register release report request
    research result return review reward rise risk round rule scan schedule scope score search sense
    set shape sign signal single slice sort source split step structure study subject sum survey tag
    term test total trade trust view visit watch word worry
    """
)
VERB_OR_NOUN = (
    MORE_OFTEN_VERBS
    | _ALSO_NOUNS
    | word_set(
        """
    access advertising aging beginning breathing building change coding conditions consent contract
    cut drinking ending export feeding files finding funding hearing housing imaging import learning
    living marketing matches meaning mining modelling monitoring nursing planning pricing processing
    purchasing ranking rating reading recording reporting restricted samples scoring screening
    setting smoking studies testing training transport trials types understanding underwriting uses
    values withdrawn
    """
    )
)

IRREGULAR_FORMS = word_set(
    """
    became become been began begun born bound broke broken brought built came chose chosen cut dealt
    did done drawn drew driven drove fallen fed fell felt fit forbidden forgot fought found gave
    given gone got gotten grew grown had heard held hidden kept knew known laid lay led left let
    lost made meant met paid put ran read rose said sat saw seen sent set shed shown sold sought
    spent split spoke spoken spread stood struck stuck taken taught thought told took understood
    went withdrawn won wore worn written wrote
    """
)


def _forms(verb: str) -> set[str]:
    """The regular forms of a verb, with and without doubling; wrong ones harm nothing."""
    forms = {verb, verb + "s"}
    if verb.endswith("e"):
        return forms | {verb + "d", verb[:-1] + "ing"}
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return forms | {verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"}
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        forms.add(verb + "es")
    forms |= {verb + "ed", verb + "ing"}
    if verb[-1] not in "aeiouwxy":
        forms |= {verb + verb[-1] + "ed", verb + verb[-1] + "ing"}
    return forms


_BASES = _VERBS | _ALSO_NOUNS | (MORE_OFTEN_VERBS - {"claim", "command"})
VERBS = frozenset(form for verb in _BASES for form in _forms(verb)) | IRREGULAR_FORMS

# Actions that a usage policy can permit, prohibit or oblige (ODRL 2.2 common vocabulary, DPV
# processing, and words for the same in everyday English). Base forms.
# So frequent as ordinary verbs that they count as one only when G names them:
WEAK_ACTIONS = word_set(
    """
    adapt aggregate annotate attribute cite combine derive digitize disclose display execute export
    extract index inform install keep lease lend license link loan merge move notify obtain pay
    perform play print process profile read retain return review secure store stream train transform
    translate use
    """
)
# Their -ed form states a property of data in any question:
PROPERTY_ACTIONS = word_set(
    """
    anonymise anonymize archive de-identify deidentify digitize encrypt pseudonymise pseudonymize
    watermark
    """
)
ACTIONS = (
    WEAK_ACTIONS
    | PROPERTY_ACTIONS
    | word_set(
        """
    acknowledge commercialise commercialize copy credit decrypt delete destroy disseminate
    distribute download erase modify monetise monetize publish purge re-identify re-use redistribute
    reidentify relicense remix reproduce resell reuse reverse-engineer sell share sublicense
    synchronize transfer transmit uninstall upload
    """
    )
)
ACTION_FORMS = {form: verb for verb in ACTIONS for form in _forms(verb)} | {
    "sold": "sell",
    "kept": "keep",
    "lent": "lend",
    "paid": "pay",
}
