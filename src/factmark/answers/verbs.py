"""Verbs, as sets of lower-case forms; see `lexicon` for the other word classes."""

from __future__ import annotations

from factmark.answers.lexicon import word_set

# Verbs that assert nothing checkable by themselves. Base forms; the forms are derived below.
_VERBS = word_set(
    """
    abide accelerate accept accommodate accompany accomplish accord account accrue accumulate
    achieve acquire act activate adapt add address adhere adjust administer admit adopt advise
    affect afflict afford aggregate agree aim align allege allocate allow alter amend amount
    analyse analyze announce answer anticipate apologise apologize appear append apply appoint
    appraise appreciate approach approve approximate argue arise arrange arrive ascertain ask
    aspire assemble assert assess assign assist associate assume assure attach attain attempt
    attend augment authorise authorize automate avert avoid await bar base bear become befit beg
    begin behave believe belong benefit bind blame borrow bound break bring broaden build bundle
    buy bypass calculate call cancel cap capture care carry catalog catalogue catch categorise
    categorize cause cease certify characterise characterize check choose circulate cite clarify
    classify clear close cluster co-occur coexist coincide collaborate collate collect combine
    come commence commend commit communicate compare compel compensate compile complete
    complicate comply compose comprehend compress comprise compute concede conceive concentrate
    concern conclude condemn condone conduct confer confine confirm conform connect conserve
    consider consist constitute constrain construct construe consult contact contain contemplate
    continue contradict contribute control convene converge convert convey convince cooccur
    cooperate coordinate cope correlate correspond corroborate cost count cover create culminate
    curate curb curtail date deal debate decide declare dedicate deduce deduct deem deepen defer
    define degrade delve demand demonstrate denote deny depart depend depict deploy deprive
    derail derive descend describe deserve design designate desire detail detect deteriorate
    determine detract develop deviate devise devote diagnose dictate differ differentiate
    diminish disable disallow disappear discard discern disclose discontinue discourage discover
    discuss disfavour dismiss disperse display dispose disrupt distinguish distort diversify
    divert divide do document dominate draft draw drive drop duplicate dwarf earn ease educate
    elaborate elapse elect elevate elicit eliminate embark embed embrace emerge emit emphasise
    emphasize employ empower emulate enable enact encompass encounter encourage end endorse
    endure enforce engage enhance enjoy enlist enrich enrol enroll ensue ensure entail enter
    entitle entrust enumerate envisage equal equate equip eradicate erode escalate escape
    establish estimate evaluate evoke evolve exaggerate examine exceed excel exclude execute
    exemplify exercise exhibit exist expand expect expedite experience expire explain exploit
    explore expose express extend extract extrapolate fabricate face facilitate fade fail fall
    falsify falter favor favour feature feed feel fetch figure fill filter find finish fit fix
    flag flee float flourish flow focus follow forbid force forget forgo form formalise
    formalize formulate forward foster frame fulfil fulfill function furnish further gain gather
    generalise generalize generate get give glean go govern greet grow guarantee guess guide
    halve hamper handle hang happen harbor harbour harden harm harmonise harmonize hasten have
    head heal hear heighten help hesitate hide highlight hinge hint hire hold hope host identify
    ignore illuminate illustrate imagine imitate impact impair impart impede implement implicate
    imply impose improve include incorporate increase incur indicate induce infect infer inflict
    influence inform infringe inherit inhibit initiate inject inquire insert insist inspect
    inspire install instigate instruct insure integrate intend intensify interact interest
    interfere interpret interrupt intersect intervene introduce invent invest investigate invite
    invoke involve isolate issue jeopardise jeopardize join judge justify keep kill know label
    lack lag land lapse last launch lead lean learn leave lend lengthen lessen let leverage lie
    lift like limit link list listen live locate log look loosen lose love lower magnify
    maintain make manage mandate manifest manipulate manufacture map mark match materialise
    materialize matter mean measure mediate meet melt mention merge mind minimise minimize
    mirror miss mitigate model modernise modernize monitor motivate move multiply name navigate
    need negate negotiate nominate normalise normalize note notice number obey oblige observe
    obtain occupy occur offend offer offset omit open operate oppose opt optimise optimize order
    organise organize originate outline outnumber overcome overestimate overlap overlook
    override oversee overstate owe own participate pass paste pay peak penalise penalize
    penetrate perceive perform permit persist pertain pick place plan play point pool portray
    pose possess post postpone precede precipitate preclude predict predispose predominate
    prefer prepare prescribe present preserve preside presume prevail prevent proceed process
    proclaim procure produce prohibit project prolong promise promote prompt pronounce propagate
    propose prosecute protect prove provide publicise pull punish purchase pursue push put
    qualify quantify query question quit quote radiate raise range rank rate ratify reach react
    read realise realize reason reassess rebuild receive reclaim recognise recognize recommend
    reconcile reconsider reconstruct record recover recruit recur redefine redirect reduce refer
    reflect refrain refuse refute regain regard register regulate reinforce reiterate reject
    relate relax release relieve relocate rely remain remark remember remind remove render renew
    reopen reorganise reorganize repay repeat replace replicate reply report represent request
    require reschedule research resemble reserve reside resist resolve resonate respect respond
    rest restart restate restore restrain restrict restructure resubmit result resume retire
    retrieve return reveal revert review revise revisit revive revoke reward rewrite rise risk
    rotate round rule run safeguard satisfy save say scan schedule scope score scrutinise
    scrutinize search see seek seem seize select send sense separate serve set settle shape
    sharpen shift shorten show shrink sign signal signify simplify simulate single sit situate
    skew slice slow soften solicit solidify solve sort sound source span spark speak specialise
    specialize specify speed spell spend split spoil spread stabilise stabilize stand
    standardise standardize start state stay stem step stick stimulate stop straddle streamline
    strengthen stress stretch strive structure study subject submit subscribe subside
    substantiate subtract succeed suffer suffice suggest suit sum summarise summarize supersede
    supervise supply support suppose suppress surface surpass surround survey survive suspend
    sustain swap switch tabulate tackle tag tailor take talk tally target teach tell tempt tend
    term terminate test testify thank think threaten thrive tie tighten tolerate top topple
    total touch track trade trail train transact transform translate traverse treat trigger trim
    trivialise trivialize trust try turn underestimate undergo underlie underline undermine
    understand undertake unify unite unlock update upgrade uphold urge utilise utilize validate
    vanish vary verify view violate visit visualise visualize wait waive want warn warrant watch
    weaken wear weigh welcome wipe wish withdraw withhold withstand wonder word work worry
    worsen wrap write yield zero
    """
)

IRREGULAR_FORMS = word_set(
    """
    became become been began begun bore born borne bound broke broken brought built came chose
    chosen cut dealt did done drawn drew driven drove fallen fed fell felt fit forbade forbidden
    forgot fought found gave given gone got gotten grew grown had heard held hid hidden kept
    knew known laid lain lay led left lent let lost made meant met overseen paid put ran read
    risen rose said sat saw seen sent set shed shown sold sought spent split spoke spoken spread
    stood struck stuck taken taught thought told took understood undertaken undertook underwent
    upheld went withdrawn withdrew won wore worn written wrote
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
    access account accounts act address advertising ageing aging aim allowed amount answer
    answers approach attempt base beginning benefit benefits billing bound break breathing
    building bundle call capture care catalog catalogue cause causes change check claim claims
    close cluster coding command concern conditions conduct consent contact contract control
    controls cost costs counselling count counts cover covers cut date deal debate demand design
    desire detail display document dosing draft draw drinking drive drop embedding encoding end
    ending ends estimate exercise experience export face feature features feed feeding figure
    files fill filter find finding findings fit fix flag flow focus force form forms frame
    function functions funding gain guarantee guess guide guides handle harm head hearing help
    hint hold hope host hosts housing imaging impact impacts import increase indexes indexing
    influence interest interests issue issues join judge judges label labelling labels lack land
    lead learning leave lending licensing limit limited limits link linking links list lists
    living log look love mandate map maps mark marketing match matches matching matter mean
    meaning measure measures mention mind mining mirror model modeling modelling models monitor
    monitoring move name names need needs note notes notice number numbers nursing offer offers
    open order orders outline overlap own permit permits permitted place plan planning plans
    play point points pool post present pricing process processing produce profiling prohibited
    project projects promise prompt publishing purchase purchasing queries query question
    questions quote raise range ranges rank ranking rate rates rating reach reading reason
    reasons record recording records refuse regard register release reply report reporting
    reports request requests required research reserve respect rest restricted result results
    return review reviews reward rise risk risks round rule rules run samples sampling scan
    schedule scope score scores scoring screening search searches sense sequencing set sets
    setting settings shape sharing shift show sign signal signs single slice smoking sort sound
    source sources span split spread staging stand start starts state states stem step steps
    stop stress structure studies study subject sum sums supply support surface survey surveys
    switch tag tags target targets term terms test testing tests tie top total totals touch
    track trade training transfer transport treat trials trigger trust turn types understanding
    underwriting update updates uses values view views visit visits wait watch wish withdrawn
    word work works worry yield
    """
)

# Of these, the ones that are mostly verbs after a noun that they agree with.
MORE_OFTEN_VERBS = word_set(
    """
    accelerate accommodate accrue accumulate address aim amend analyse analyze apologise
    apologize appear apply appraise approximate augment automate avert bar blame borrow buy
    bypass call cancel catch cause certify circulate claim coincide come command commend compel
    compensate complicate comprehend compress concede concern condemn condone conserve construe
    contain contemplate contradict convene convince corroborate cost cover culminate curb
    curtail deal dedicate deduce deduct deepen degrade delve demand denote depart depend deprive
    derail descend desire deteriorate detract deviate devote diagnose dictate diminish disable
    disallow disappear discard discern discontinue discourage dismiss disperse display disrupt
    distort diversify divert draw drive drop duplicate ease educate elevate elicit embark
    embrace emit emulate enact end endure enlist enrich ensue entrust envisage equip eradicate
    erode escalate escape evoke exaggerate exist expedite exploit extrapolate fabricate face
    fade falsify falter find flag flee float flourish focus follow forget forgo form formalise
    formalize frame furnish gain glean go greet guarantee halve hamper handle hang harden harm
    hasten heal heighten help hesitate hide hint hire hold host illuminate imitate impair impart
    impede implement implicate induce infect inflict influence infringe inhibit inject inspire
    instigate insure intensify interfere interrupt intersect intervene invent invoke isolate
    jeopardise jeopardize kill lack lag last launch lead leave lengthen lessen lift limit list
    listen live loosen lower magnify mandate manipulate manufacture match materialise
    materialize matter mean measure mediate melt mention mirror mitigate modernise modernize
    move multiply name navigate need negate nominate note occupy offend offer offset optimise
    optimize outline overcome overestimate overlap overlook override overstate paste penalise
    penalize penetrate perceive permit post postpone precipitate predispose preside proclaim
    procure prolong promise pronounce propagate prosecute punish quit radiate raise range ratify
    reach reassess rebuild reclaim reconcile reconsider reconstruct recover redefine redirect
    refrain refuse refute regain reinforce reiterate relax relieve relocate renew reopen
    reorganise reorganize repay replicate reply reschedule resemble reserve resist resonate
    respect respond rest restart restate restore restrain restructure resubmit retire revert
    revise revisit revive revoke rewrite rotate run safeguard say scrutinise scrutinize seize
    share sharpen shift shorten show shrink signify skew slow soften solicit solidify sound span
    spark speed spell spoil spread stabilise stabilize stand standardise standardize start state
    stem stimulate stop straddle streamline stress subscribe subside subtract supersede
    supervise supply support suppress surface surpass survive suspend swap switch target teach
    tempt tend terminate testify thrive tie tighten tolerate top topple touch track transact
    traverse treat trigger trim trivialise trivialize turn underestimate underline undermine
    unify unlock update upgrade vanish vary visualise visualize wait waive want weaken weigh
    wipe wish withhold withstand work worsen wrap yield
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
