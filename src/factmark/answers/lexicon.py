"""Word classes for the extractor, as sets of lower-case words.

They say what a word usually is in an answer about data: closed classes (function words), verbs
and adverbs that assert nothing checkable by themselves (E2), words too general to be a fact (E7),
actions that a usage policy can name (E1; from the ODRL 2.2 common vocabulary and everyday
synonyms), units, and verbs of finding, saying and advising (E4). Open classes can never be
complete: a word that is in no set is taken for content.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, between white space, as a set."""
    return frozenset(text.split())


DETERMINERS = word_set(
    """
    a all an another any both certain each either enough every few fewer half her his its least
    less many more most much my neither no one's other others our own same several single sole
    some such that the their these this those various what which whose your
    """
)

PRONOUNS = word_set(
    """
    anybody anyone anything everybody everyone everything he her here hers him his i it its
    itself me mine my myself nobody none nothing our ours she somebody someone something their
    theirs them themselves there they us we whatever who whoever whom you your yours yourself
    """
)

PREPOSITIONS = word_set(
    """
    about above across after against along alongside amid amidst among amongst around as at atop
    before behind below beside besides between beyond by concerning despite down due during
    except excluding following for from given in including inside into like minus near
    notwithstanding of off on onto out outside over owing per plus pursuant regarding since than
    through throughout till to toward towards under unlike until up upon versus via vs with
    within without
    """
)

CONJUNCTIONS = word_set(
    """
    al also although and and/or because but e.g eg else et etc furthermore hence how however i.e
    ie if instead meanwhile moreover nor once or otherwise so than that then therefore though
    thus too unless when whenever where whereas wherever whether while why yet
    """
)

AUXILIARIES = word_set(
    """
    aint am are aren't arent be been being can can't cannot cant could couldn't couldnt did
    didn't didnt do does doesn't doesnt doing don't done dont had hadn't has hasn't have haven't
    having he's here's i'd i'll i'm i've im is isn't isnt it'd it'll it's ive let's may might
    must mustn't needn't ought shall shan't she's should shouldn't that'd that's there's they'd
    they'll they're they've was wasn't we'd we'll we're we've were weren't what's who's will
    won't wont would wouldn't wouldnt you'd you'll you're you've youre
    """
)

NEGATIONS = word_set(
    """
    n't neither never no nobody none nor not nothing nowhere without
    """
)

ADVERBS = word_set(
    """
    about accordingly actually additionally afterwards again ago ahead alike almost alone
    already also alternatively altogether always anyhow anyway anywhere apart approx
    approximately around aside at-least away back basically beforehand best better broadly
    certainly circa clearly commonly completely consequently conversely counted currently de
    de-facto definitely directly downwards elsewhere entirely especially essentially even
    eventually ever everywhere exactly explicitly extremely facto fairly far finally first
    firstly formerly forth forward free freely frequently fully further generally hello hence
    hereby herein hi highly however implicitly in-principle indeed indirectly initially instead
    just largely last lastly later least least-most less likely likewise long mainly maybe
    meanwhile merely more most mostly much n't namely nearly never next no nope normally not
    notably now nowadays often ok okay once only onwards originally otherwise overall partially
    particularly partly per-se perhaps please possibly precisely presently pretty previously
    primarily probably quite rarely rather really recently respectively roughly second secondly
    seldom sic similarly simply so-called somehow sometimes somewhat somewhere soon sorry
    specifically still strictly subsequently sure surely thanks then thereafter therefore
    therefrom therein thereof third thirdly thus today together too total totally twice
    typically ultimately unlikely up-to upwards usually very via vs well widely worse worst yeah
    yep yes yet
    """
)

# Words in -ly that are no adverbs.
LY_NOUNS = word_set(
    """
    ally anomaly apply assembly belly bully comply costly daily deadly early elderly family fly
    friendly homily imply italy jelly july melancholy monopoly monthly multiply orderly polly
    quarterly rally rely reply supply tally weekly yearly
    """
)

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

# What is too general to be a fact by itself (E7 and its like). Singular forms.
GENERIC_NOUNS = word_set(
    """
    absence access action activity adjustment adult advance advantage advice age ages aim aims
    alternative amount analogue answer api applicant approach approval-form area aspect
    association assumption attempt attempts attribute attributes availability average background
    basis batch batches beginning benefit bit block blocks body both bottom box breakdown bucket
    buckets bullet call candidate case catalog catalogue category cause caution caveat cell
    cells certainty chance change characteristic characteristics check checks choice chunk
    circumstance claim clarification class clause clue code codes cohort collection column
    combination combinations comment comparison component components concept concern conclusion
    condition conditions confidence connection consequence constraint constraints content
    contents context copies copy count counts couple coverage creator criteria criterion cut-off
    cutoff data data-set database databases dataset dataset's dataspace date datum day db
    deadline deal decrease default definition demand depth description design detail detailing
    difference disadvantage disclaimer disease disorder distinction distribution document
    documentation doubt dozen dozens duration duties duty edition effect effort element elements
    end endpoint entities entity entries entry estimate event everyone everyone-else evidence
    example exception exceptions excerpt existence expectation experience explanation extent eye
    fact fact-of family feature features field figure figure-of figures file files filter
    finding focus folder following footnote form format former fraction function general
    generation glance goal goals graph group guarantee guess guidance guide guideline guidelines
    half hand headcount heading help hint histories history hmm holder holding holdings hour
    hours human hundreds id idea identifier identifiers ids impact importance impression
    incidence increase index indicator individual individuals info information input instance
    institution interest interface interpretation inventory iri issue item job key keys kind
    kind-of kinds knowledge label labelling lack latter layer leader leaderboard
    legal-background length letter level licence license likelihood limit limitation limits line
    lines link list listing listings look lookup lot lots magnitude majority mark material
    matter max maximum mean meaning measure measures median member members men-and-women mention
    metadata method metric mid-range middle min mind minimum minority model moment month months
    name namespace natural-choice nature need needs node nodes note notice-period number
    objective objectives obligation obligations one ones opinion option options order
    organisation organization other others outcome output overlap overview owner page pair pairs
    paragraph parameter part participant parties party passage patient pattern people percent
    percentage period permission permissions person picture piece place platform plenty point
    pointer points policy population portal portion position possibility practice practices
    predicate predicates presence prevalence probability problem procedure process prohibition
    prohibitions project properties property property-path proportion provider provision
    provisions publisher purpose purposes quantity query question range rank ranking rate rates
    rating ratio reach reader reality reason recommendation record reference relation
    relationship release relevance reliance remainder remark replies reply repository request
    requirement requirements research-project researcher researchers resource resources response
    responses rest restriction restrictions result results right rights risk-level role row rule
    rule-of-thumb rules run runner-up runs scale scenario scope score search section sections
    sense sentence sequence series server set setting share side sign similarity site situation
    size slot snippet something sort sorts source space span split spot spread standard
    standards start state statement status step stipulation store structure study stuff
    sub-group subgroup subgroups subject subjects subset subsets suggestion sum system table tag
    tags tally task tasks team term terminology terms test tests text theme thing things
    thousands threshold thumb tie time times tip title today tool top topic total trace trend
    triple triples type types uri url usage use user users value value-add variable variables
    variety version view vocabulary volume way week weeks width window winner word wording work
    year years
    """
)

GENERIC_ADJECTIVES = word_set(
    """
    able above absolute accessible accurate actual additional affected aforementioned afraid
    allowable allowed ambiguous another apparent applicable appropriate approximate associated
    authoritative available available-only average aware bad based basic below best
    best-represented better big bigger biggest bottom brief broad broader busy careful central
    certain certain-type chief clear close closed-form closest combined common common-most
    commonest commonly-used comparable complete complex comprehensive compulsory concerned
    concise conditional considerable consistent constant continuous core correct corresponding
    covered cumulative current default defined definite definitive dependent described detailed
    different difficult direct distinct diverse dominant due earlier earliest early easier easy
    eligible entire equal even evident exact excluded existing expected explicit extensive
    external extra false far-reaching fast favorable favourable few fifth final fine first fit
    following forbidden formal former fourth free frequent frequently-prescribed full
    fundamental further future general given glad good great greater greatest half happy hard
    helpful high higher highest hypothetical identical implicit important impossible included
    incomplete inconclusive inconsistent independent indirect individual informal infrequent
    initial intended interested interesting internal invalid invisible involved joint key known
    large larger largest last late later latest least lengthy less liable like likely limited
    listed long long-running longer longest longest-running longest-spanning low lower lowest
    main major mandatory many matched matching max maximal maximum mean median mentioned mere
    min minimal minimum minor missing mixed moderate modest more most multiple named narrow
    native nearest necessary new newer newest next nice non-empty nonempty normal notable
    noteworthy numbered numeric numerical numerous obvious official old older oldest ongoing
    optional ordinary other outdated overall own partial particular past permissible permitted
    plausible poor popular possible potential practical preceding precise predominant present
    present-day previous primary-key principal prior probable prohibited prominent prone proper
    provided qualified qualitative quantitative queried quick  readable ready real
    reasonable recent regular related relative relevant reliable remaining remarkable requested
    required respective responsible resulting retrieved returned rich right rough same searched
    second sensible separate several short short-lived shorter shortest significant similar
    simple simpler single slight slow small smaller smallest smallest-ever so-called sole solid
    sorry special specific specified stable standard stated straightforward strict stringent
    strong stronger strongest subject subsequent substantial such suitable sure textual
    theoretical thick thin thinner third tied top total true typical unable uncertain unclear
    unconditional underlying unique unknown unlikely unnumbered up-to-date upfront upper useful
    usual valid valuable various visible weak weaker well-known whole wide wide-ranging wider
    widest wonderful worse worst worth wrong young younger youngest
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

# Units that stay with their number because they change what it says (E2).
UNITS_AFTER_NUMBER = word_set(
    """
    $ % billion bpm centuries century cm day days decade decades dl dollars eur euro euros
    fifths fold g g/dl gb gbp halves hour hours hr hrs hundred hz iu kb kcal kg kg/m2 km l m mb
    mcg meq mg mg/dl mg/ml million min mins minute minutes ml mm mmhg mmol mmol/l mo mol month
    months ng/ml pb per-cent percent percentage-points pounds quarter quarters second seconds tb
    tenths third thirds thousand trillion ug units usd week weeks wk wks year year-old years
    years-old yr yrs £ µg €
    """
)

# Words of a title or a name that mark a phrase as the name of an organisation or a law.
NAME_HEADS = word_set(
    """
    act administration agency association authority board body bureau center centre code college
    commission committee community consortium convention council data department development
    directive directorate evaluation excellence federation forum foundation framework group
    guideline hospital initiative institute institution laboratory licence license ministry
    network office organisation organization parliament prevention program programme project
    protection registry regulation research school service services society space standard
    statistics study survey system trust union university version
    """
)

SEMANTIC_TAGS = word_set(
    """
    assessment disorder event finding morphologic observable organism person procedure product
    qualifier regime situation specimen substance
    """
)

# General heads that come off the end of a phrase: `asthma cohort` -> `asthma` (E2, E7).
HEADS = word_set(
    """
    adult case catalog catalogue cohort data-set dataset dataspace entry graph group individual
    item kind licence license number participant patient people person policy population record
    row subject subset total
    """
)
