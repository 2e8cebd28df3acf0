"""Verbs, as sets of lower-case forms; see `lexicon` for the other word classes."""

from __future__ import annotations

from factmark.answers.lexicon import word_set

# Verbs that assert nothing checkable by themselves. Base forms; the forms are derived below.
_VERBS = word_set(
    """
    accept accord account achieve acquire act adapt add address adjust admit adopt affect afford
    aggregate agree aim allow amount analyze announce answer appear apply appoint appreciate
    approach approve arrive ask associate assume attach attempt attend automate avoid bar base
    bear become beg begin behave believe belong benefit blame bound break bring build buy call
    cap care carry catalogue catch categorise cause check choose cite classify clear close
    co-occur collect combine come compare complete comply comprise concern conduct confirm
    connect consider consist constrain consult contact contain continue control cope cost count
    cover create date deal debate decide declare dedicate define demand depend derive describe
    deserve design desire detail determine develop diagnose differ discover discuss display
    divide do document draft draw drive drop duplicate earn elect employ encompass encounter end
    engage enhance enjoy ensure enter entitle equal escape establish estimate examine exceed
    exclude exercise exist expand expect experience expire explain expose express extend extract
    face fail fall favor feature feed feel figure fill filter find finish fit fix flag flow
    focus follow forbid force forget form forward frame function further gain generalise
    generate get give go govern grow guess guide handle hang happen harbour harmonise have head
    hear help hide hold hope host identify imagine impact impose improve include increase
    influence inform inspect inspire insure intend interest interpret introduce invite involve
    issue join judge keep kill know label lack land lapse last launch lead learn leave lend let
    lie lift like limit link list listen live locate log look lose love lower maintain make
    manage mandate manufacture map mark match matter mean measure meet mention mind mirror miss
    model monitor move name need note notice number oblige occur offer open operate oppose order
    organize overlap own pass paste pay peak perform permit pick place plan play point pool post
    prefer prepare prescribe present prevent process produce prohibit project promise promote
    propose protect prove provide pull purchase push put qualify query question quit quote raise
    range rank rate reach read realize reason receive recognise recognize recommend record
    recruit reduce refer refuse regard register relate release rely remain remember remove renew
    repeat replace reply report represent request require research reserve respect respond rest
    restrict result retrieve return reveal review revoke rise risk round rule run save say scan
    schedule score search see seek seem select send sense separate serve set shape shift show
    sign signal simulate single sit skew slow sort sound source span speak speed spell spend
    split spread stand start state stay step stick stop stress structure study subject submit
    suffer suffice suggest suit sum supply support suppose surface survey survive switch take
    talk target teach tell tend term test thank think tie tolerate top total touch track trade
    train translate treat trust try turn understand unite update vary verify view visit wait
    waive want warn watch wear weigh welcome wish wonder word work worry write yield zero
    """
)

IRREGULAR_FORMS = word_set(
    """
    became become been began begun born bound broke broken brought built came chose chosen cut
    did done drawn driven fed fell felt fit forbidden forgot found gave given gone got grew
    grown had heard held hidden kept knew known laid lay led left let lost made meant met paid
    put ran read rose said sat saw seen sent set shown sold spent split spoke spread stood stuck
    taken taught thought told took understood went withdrawn won written wrote
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


VERBS = frozenset(form for verb in _VERBS for form in _forms(verb)) | IRREGULAR_FORMS

# Verb forms that are as often nouns; the context decides (`phrases._is_verb`).
VERB_OR_NOUN = word_set(
    """
    access account act address advertising aim amount answer approach attempt base beginning
    benefit bound break building call care catalogue cause change check claim close coding
    command concern conditions conduct consent contact contract control cost count cover cut
    date deal debate demand design desire detail display document draft draw drinking drive drop
    end ending estimate exercise experience export face feature feed figure files fill filter
    find finding fit fix flag flow focus force form frame function funding gain guess guide
    handle head hearing help hold hope host housing imaging impact increase influence interest
    issue join judge label lack land lead learning leave limit link list living log look love
    mandate map mark marketing match matches matter mean meaning measure mention mind mining
    mirror model modelling monitor move name need note notice number offer open order overlap
    own permit place plan planning play point pool post present pricing process processing
    produce project promise purchase query question quote raise range rank ranking rate reach
    reading reason record recording register release reply report reporting request research
    reserve respect rest restricted result return review rise risk round rule run samples scan
    schedule score search sense set setting shape shift show sign signal single smoking sort
    sound source span split spread stand start state step stop stress structure studies study
    subject sum supply support surface survey switch target term test testing tie top total
    touch track trade training transport treat trials trust turn types understanding
    underwriting update uses values view visit wait watch wish withdrawn word work worry yield
    """
)

# Of these, the ones that are mostly verbs after a noun that they agree with.
MORE_OFTEN_VERBS = word_set(
    """
    address aim call cause claim command concern cost cover deal demand desire display draw
    drive drop end face find flag focus form frame gain handle help hold host influence lack
    lead leave limit list mandate match matter mean measure mention mirror move name need note
    offer overlap permit post promise raise range reach reply reserve respect rest run shift
    show sound span spread stand start state stop stress supply support surface switch target
    tie top touch track treat turn update wait wish work yield
    """
)

# Actions that a usage policy can permit, prohibit or oblige (ODRL 2.2 common vocabulary, DPV
# processing, and words for the same in everyday English). Base forms.
ACTIONS = word_set(
    """
    acknowledge adapt aggregate annotate anonymise anonymize archive attribute cite combine
    commercialise commercialize copy credit de-identify decrypt deidentify delete derive destroy
    digitize disclose display disseminate distribute download encrypt erase execute export
    extract index inform install keep lease lend license link loan merge modify monetise
    monetize move notify obtain pay perform play print process profile pseudonymise pseudonymize
    publish purge re-identify re-use read redistribute reidentify relicense remix reproduce
    resell retain return reuse reverse-engineer review secure sell share store stream sublicense
    synchronize train transfer transform translate transmit uninstall upload use watermark
    """
)

# Actions so frequent as ordinary verbs that they count as one only when G names them.
WEAK_ACTIONS = word_set(
    """
    adapt aggregate annotate attribute cite combine derive digitize disclose display execute
    export extract index inform install keep lease lend license link loan merge move notify
    obtain pay perform play print process profile read retain return review secure store stream
    train transform translate use
    """
)
# Actions whose -ed form states a property of data in any question.
PROPERTY_ACTIONS = word_set(
    """
    anonymise anonymize archive de-identify deidentify digitize encrypt pseudonymise
    pseudonymize watermark
    """
)
ACTION_FORMS = {form: verb for verb in ACTIONS for form in _forms(verb)} | {
    "sold": "sell",
    "kept": "keep",
    "lent": "lend",
    "paid": "pay",
}
