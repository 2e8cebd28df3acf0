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

# What is too general to be a fact by itself (E7 and its like). Singular forms.
GENERIC_NOUNS = word_set(
    """
    absence access action activity adjustment adult advance advantage advice age ages aim aims
    alternative amount analogue answer api applicant approach approval-form archive area aspect
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
    institution interest interface interpretation inventory iri issue item job json key keys kind
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
    rating ratio reach reader reality reason recommendation record reference register
    registry relation relationship release relevance reliance remainder remark replies reply
    repository request
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

# Units that stay with their number because they change what it says (E2).
UNITS_AFTER_NUMBER = word_set(
    """
    $ % billion bpm centimetres centuries century cm day days decade decades degrees dl dollars
    eur euro euros fifths fold g g/dl gb gbp grams halves hectares hour hours hr hrs hundred hz
    iu kb kcal kg kg/m2 kilograms kilometers kilometres km l liters litres m mb meters metres
    millimeters millimetres mcg meq mg mg/dl mg/ml million min mins minute minutes ml mm mmhg
    mmol mmol/l mo mol month months ng/ml pb per-cent percent percentage-points pounds quarter
    quarters second seconds tb tenths third thirds thousand trillion ug units usd week weeks wk
    wks year year-old years years-old yr yrs £ µg €
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

# Where an answer was looked up: a phrase without a name that ends in one of these is no fact.
SOURCES = word_set(
    "api catalog catalogue corpus database endpoint graph graphs metadata portal query server"
)

# General heads that come off the end of a phrase: `asthma cohort` -> `asthma` (E2, E7).
HEADS = word_set(
    """
    adult case catalog catalogue cohort data-set dataset dataspace entry graph group individual
    item kind licence license number participant patient people person policy population record
    row subject subset total
    """
)
