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

ADVERBS = word_set(
    """
    n't never not nowhere
    afterwards again ago ahead alike almost alone already altogether always anyway anywhere
    apart aside at-least away back counted de elsewhere ever everywhere far forth forward hello
    hi in-principle indeed just least-most likewise maybe nope now nowadays often ok okay only
    per-se perhaps please pretty quite rather somehow sometimes somewhat somewhere soon still
    thanks today together twice up-to very well yeah yep yes
    """
)

# Words in -ly that are no adverbs.
LY_NOUNS = word_set(
    "apply assembly daily family friendly italy monthly rely reply supply weekly yearly"
)

# What is too general to be a fact by itself (E7 and its like). Singular forms.
GENERIC_NOUNS = word_set(
    """
    absence access action activity addition adjustment adult advance advantage advice age aim
    alternative amount analogue answer applicant approach approval-form archive area aspect
    association assumption attempt attribute availability average background basis beginning benefit
    bit block body both bottom box breakdown bucket bullet call candidate case catalogue category
    cause caution caveat cell certainty chance change characteristic check choice chunk circumstance
    claim class clause clue code cohort collection column combination comment comparison component
    concept concern conclusion condition confidence connection consequence constraint content
    context copy count couple coverage creator criteria cut-off data data-set database dataset date
    day db deadline deal decrease default definition demand depth description design detail
    difference disclaimer disease disorder distinction distribution document documentation doubt
    dozen duration duty edition effect effort element end endpoint entity entry estimate event
    everyone everyone-else evidence example exception excerpt existence expectation experience
    explanation extent eye fact fact-of family feature field figure figure-of file filter finding
    focus following footnote form format former fraction function general generation goal graph
    group guarantee guess guidance guide guideline half hand heading help hint history hmm holder
    holding hour human hundreds id idea identifier impact importance impression increase index
    indicator individual info information input instance institution interest interface
    interpretation inventory issue item job json key kind kind-of knowledge label lack latter layer
    leader legal-background length letter level licence license limit limitation line link list
    listing look lot magnitude majority mark material matter max maximum mean meaning measure median
    member men-and-women mention metadata method metric mid-range middle min mind minimum minority
    model moment month name natural-choice nature need node note notice-period number objective
    obligation one opinion option order organisation organization other outcome output overlap
    overview owner page pair paragraph parameter part participant party passage patient pattern
    people percent percentage period permission person picture piece place platform plenty point
    policy population portal portion position possibility practice presence prevalence probability
    problem procedure process prohibition project property property-path proportion provider
    provision publisher purpose quantity query question range rank ranking rate rating ratio reach
    reader reality reason recommendation record reference register registry relation relationship
    release remainder remark reply request requirement research-project researcher resource response
    rest restriction result right risk-level role row rule run runner-up scale scenario scope score
    search section sense sentence sequence series server set setting share side sign site situation
    size slot snippet something sort source space span split spot spread standard start state
    statement status step store structure study stuff sub-group subject suggestion sum system table
    tag task team term terminology test text theme thing thousands threshold thumb tie time tip
    title today tool top topic total trace trend triple type uri usage use user value value-add
    variable variety version view volume way week width window winner word wording work year
    """
)

GENERIC_ADJECTIVES = word_set(
    """
    able absolute accessible accurate actual additional affected afraid allowed ambiguous apparent
    applicable appropriate associated authoritative available available-only average aware bad based
    basic beneficial best best-represented better big bigger biggest bottom brief broad broader busy
    careful central certain-type challenging chief classic clear close closed-form closest combined
    common common-most commonest commonly-used comparable complete complex comprehensive concerned
    considerable consistent constant continuous core correct corresponding covered critical crucial
    current deep default defined definitive delicate dependent described detailed different
    difficult direct distinct diverse dominant earlier earliest early easier easy eligible entire
    equal even exact excluded existing expected explicit extensive external extra false far-reaching
    fast favourable fifth final fine first fit forbidden formal former fourth free frequent full
    fundamental further future general glad good great greater greatest happy hard helpful high
    higher highest identical important impossible included incomplete independent indirect
    individual initial intended interested interesting internal invisible involved joint key known
    large larger largest last late later latest likely limited listed long long-running longer
    longest longest-running low lower lowest main major mandatory matched matching max maximum mean
    median mentioned mere min minimal minimum minor missing mixed moderate modest multiple named
    narrow native nearest necessary new newer newest next nice non-empty normal notable nuanced
    numbered numerous obvious official old older oldest ongoing optional ordinary overall paramount
    partial particular past permitted poor popular possible potential practical precise present
    present-day prevalent previous primary-key prime principal prior profound prohibited prominent
    proper provided qualified queried quick ready real reasonable recent regular related relative
    relevant reliable remaining remarkable requested required respective responsible resulting
    retrieved returned rich right rigorous rough searched second separate short short-lived shorter
    shortest significant similar simple slight slow small smaller smallest smallest-ever so-called
    solid sorry special specific specified stable standard stated strict striking strong stronger
    strongest subject subsequent substantial suitable sure theoretical thick thin thinner third tied
    top total transparent true trustworthy typical unable unclear underlying unintended unique
    unknown unlikely up-to-date upper useful usual valid valuable vast visible vital weak well-known
    whole wide wide-ranging wider wonderful worse worst worth wrong young younger youngest
    """
)

# Units that stay with their number because they change what it says (E2).
UNITS_AFTER_NUMBER = word_set(
    """
    $ % billion bpm centimetres centuries century cm day days decade decades degrees dl dollars
    eur euro euros fifths fold g g/dl gb gbp grams halves hectares hour hours hr hrs hundred hz
    iu kb kcal kg kg/m2 kilograms kilometers kilometres km l liters litres m mb mcg meq meters
    metres mg mg/dl mg/ml millimeters millimetres million min mins minute minutes ml mm mmhg
    mmol mmol/l mo mol month months ng/ml pb per-cent percent percentage-points pounds quarter
    quarters second seconds tb tenths third thirds thousand trillion ug units usd week weeks wk
    wks year year-old years years-old yr yrs £ µg €
    """
)

# Nouns that only hold what is said (Schmid 2000, "shell nouns"): a phrase that ends in one, after
# nothing but adjectives, is no fact.
SHELLS = word_set(
    """
    advantage approach aspect benefit challenge component concern consideration degree difference
    effort element example factor focus idea impact importance insight issue manner need opportunity
    part perspective problem process role step task thing understanding value way world
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
    adult case catalog catalogue cohort data-set dataset dataspace entry graph group individual item
    kind licence license number participant patient people person policy population row subject
    subset total
    """
)
