"""Verbs, as sets of lower-case forms; see `lexicon` for the other word classes."""

from __future__ import annotations

from factmark.text.lexicon import word_set

# Verbs that assert nothing checkable by themselves. Base forms; the forms are derived below.
_VERBS = word_set(
    """
    accept accommodate accomplish accord account achieve acquire act activate adapt add address
    adjust admit adopt advise affect afford aggregate agree aim allege allow alter amount
    analyze announce answer anticipate apologize appear apply appoint appreciate approach
    approve argue arrange arrive ask assess assign assist associate assume assure attach attempt
    attend authorize automate avoid bar base bear become beg begin behave believe belong benefit
    bind blame borrow bound break bring build buy calculate call cancel cap capture care carry
    catalogue catch categorise cause cease characterize check choose cite classify clear close
    co-occur collect combine come commit communicate compare complete complicate comply compose
    comprise compute concentrate concern conclude conduct confirm connect consider consist
    constrain construct consult contact contain continue contribute control convert convince
    cope correspond cost count cover create date deal debate decide declare dedicate deem define
    demand demonstrate deny depend deploy derive describe deserve design designate desire detail
    detect determine develop devote diagnose differ disable disappear discover discuss dismiss
    display distinguish divide do document dominate draft draw drive drop duplicate earn ease
    educate elaborate elect elevate eliminate embrace emerge employ enable encompass encounter
    encourage end engage enhance enjoy ensure enter entitle equal escape establish estimate
    evaluate evolve examine exceed exclude execute exercise exhibit exist expand expect
    experience expire explain explore expose express extend extract face fail fall favor favour
    feature feed feel figure fill filter find finish fit fix flag float flow focus follow forbid
    force forget form forward foster frame function further gain gather generalise generate get
    give go govern grow guarantee guess guide handle hang happen harbor harbour harm harmonise
    have head heal hear help hide highlight hint hire hold hope host identify ignore illustrate
    imagine impact implement impose improve include incorporate increase indicate induce infect
    influence inform insert insist inspect inspire install insure integrate intend interact
    interest interpret introduce invent invest investigate invite involve isolate issue join
    judge justify keep kill know label lack land lapse last launch lead lean learn leave lend
    let lie lift like limit link list listen live locate log look lose love lower maintain make
    manage mandate manufacture map mark match matter mean measure meet mention mind mirror miss
    model monitor motivate move name need nominate note notice number oblige observe obtain
    occur offer open operate oppose order organise organize overcome overlap owe own participate
    pass paste pay peak perceive perform permit pick place plan play point pool pose possess
    post predict prefer prepare prescribe present preserve prevent proceed process produce
    prohibit project promise promote pronounce propose protect prove provide pull punish
    purchase pursue push put qualify query question quit quote raise range rank rate reach react
    read realise realize reason receive recognise recognize recommend record recover recruit
    reduce refer reflect refuse regard register reject relate relax release rely remain remark
    remember remind remove renew repeat replace reply report represent request require research
    reserve resist resolve respect respond rest restore restrict result resume retire retrieve
    return reveal review revise revoke reward rise risk round rule run save say scan schedule
    scope score search see seek seem seize select send sense separate serve set settle shape
    shift show sign signal simulate single sit situate skew slice slow solve sort sound source
    span speak specialize speed spell spend split spread stand start state stay stem step stick
    stop strengthen stress stretch structure study subject submit subscribe succeed suffer
    suffice suggest suit sum supply support suppose surface surround survey survive suspend
    sustain switch tackle tag take talk target teach tell tend term test thank think threaten
    tie tolerate top total touch track trade trail train transform translate treat trigger trust
    try turn understand unite update upgrade urge vary verify view visit wait waive want warn
    warrant watch wear weigh welcome wipe wish withdraw wonder word work worry wrap write yield
    zero
    """
)

IRREGULAR_FORMS = word_set(
    """
    became become been began begun born bound broke broken brought built came chose chosen cut
    dealt did done drawn drew driven drove fallen fed fell felt fit forbidden forgot fought
    found gave given gone got gotten grew grown had heard held hidden kept knew known laid lay
    led left let lost made meant met paid put ran read rose said sat saw seen sent set shed
    shown sold sought spent split spoke spoken spread stood struck stuck taken taught thought
    told took understood went withdrawn won wore worn written wrote
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
    access account act address advertising aging aim amount answer approach attempt base
    beginning benefit bound break breathing building call capture care catalogue cause change
    check claim close coding command concern conditions conduct consent contact contract control
    cost count cover cut date deal debate demand design desire detail display document draft
    draw drinking drive drop end ending estimate exercise experience export face feature feed
    feeding figure files fill filter find finding fit fix flag flow focus force form frame
    function funding gain guarantee guess guide handle harm head hearing help hint hold hope
    host housing imaging impact import increase influence interest issue join judge label lack
    land lead learning leave limit link list living log look love mandate map mark marketing
    match matches matter mean meaning measure mention mind mining mirror model modelling monitor
    monitoring move name need note notice number nursing offer open order overlap own permit
    place plan planning play point pool post present pricing process processing produce project
    promise purchase purchasing query question quote raise range rank ranking rate rating reach
    reading reason record recording refuse regard register release reply report reporting
    request research reserve respect rest restricted result return review reward rise risk round
    rule run samples scan schedule scope score scoring screening search sense set setting shape
    shift show sign signal single slice smoking sort sound source span split spread stand start
    state stem step stop stress structure studies study subject sum supply support surface
    survey switch tag target term test testing tie top total touch track trade training
    transport treat trials trigger trust turn types understanding underwriting update uses
    values view visit wait watch wish withdrawn word work worry yield
    """
)

# Of these, the ones that are mostly verbs after a noun that they agree with.
MORE_OFTEN_VERBS = word_set(
    """
    address aim call cause claim command concern cost cover deal demand desire display draw
    drive drop end face find flag focus form frame gain guarantee handle harm help hint hold
    host influence lack lead leave limit list mandate match matter mean measure mention mirror
    move name need note offer overlap permit post promise raise range reach refuse reply reserve
    respect rest run shift show sound span spread stand start state stem stop stress supply
    support surface switch target tie top touch track treat trigger turn update wait wish work
    yield
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
