"""Word classes for the extractor, as sets of lower-case words.

They say what a word usually is in an answer about data: closed classes (function words), verbs
and adverbs that assert nothing checkable by themselves (E2), words too general to be a fact (E7),
actions that a usage policy can name (E1; from the ODRL 2.2 common vocabulary and everyday
synonyms), units, and verbs of finding, saying and advising (E4). Open classes can never be
complete: a word that is in no set is taken for content.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _words(
    "a an the this that these those each every either neither any some all both another such my "
    "your his her its our their what which whose no other others several many few much more most "
    "less least fewer various certain same own enough half single sole one's"
)

PRONOUNS = _words(
    "i me my mine myself you your yours yourself we us our ours they them their theirs themselves "
    "he him his she her hers it its itself who whom whoever whatever something anything nothing "
    "everything someone anyone everyone somebody anybody nobody everybody none there here"
)

PREPOSITIONS = _words(
    "of in on at by for with without within from to into onto over under above below between among "
    "amongst across through throughout during before after since until till about around against "
    "towards toward upon via per as than like unlike despite except beyond behind beside besides "
    "near off out up down along alongside inside outside regarding concerning including excluding "
    "following due owing given versus vs plus minus atop amid amidst notwithstanding pursuant"
)

CONJUNCTIONS = _words(
    "and or but nor so yet if because although though while whereas when whenever where wherever "
    "unless whether that than then thus hence therefore however moreover furthermore also too "
    "otherwise instead meanwhile else e.g i.e eg ie etc et al and/or how why once"
)

AUXILIARIES = _words(
    "be is are was were been being am do does did doing done have has had having can could may "
    "might must shall should will would ought cannot can't couldn't don't doesn't didn't isn't "
    "aren't wasn't weren't hasn't haven't hadn't won't wouldn't shouldn't mustn't needn't shan't "
    "i'm i've i'd i'll you're you've you'd you'll we're we've we'd we'll they're they've they'd "
    "they'll it's that's there's here's what's who's he's she's it'd it'll that'd let's aint "
    "dont doesnt didnt cant couldnt isnt arent wont wouldnt ive im youre"
)

NEGATIONS = _words("not no never none nothing nobody neither nor without n't nowhere")

ADVERBS = _words(
    "very quite rather somewhat too almost nearly about around roughly approximately circa approx "
    "only just even still already yet soon later often always never sometimes seldom rarely ever "
    "again also perhaps maybe probably possibly likely unlikely certainly surely definitely clearly "
    "generally usually typically commonly frequently normally mostly mainly largely primarily "
    "especially particularly specifically notably namely respectively currently presently now today "
    "nowadays recently formerly previously first firstly second secondly third thirdly last lastly "
    "finally next then well indeed actually basically essentially simply merely exactly precisely "
    "explicitly implicitly directly indirectly fully partly partially entirely completely totally "
    "strictly broadly widely highly extremely fairly pretty really together altogether overall "
    "however therefore thus hence otherwise instead apart aside away back forward ahead far further "
    "once twice long ago anyway anyhow somehow somewhere anywhere everywhere elsewhere forth "
    "alone alike afterwards beforehand meanwhile accordingly conversely additionally alternatively "
    "similarly likewise consequently subsequently eventually ultimately initially originally "
    "roughly upwards downwards onwards thereafter thereof therein therefrom hereby herein so-called "
    "instead maybe please sure okay ok yes no yeah nope yep hi hello thanks sorry well vs via "
    "at-least up-to de facto per-se sic not n't more most less least much least-most better best "
    "worse worst de-facto altogether counted free freely total in-principle"
)

# Words in -ly that are no adverbs.
LY_NOUNS = _words(
    "family anomaly supply reply assembly italy july monopoly homily fly ally bully jelly belly "
    "melancholy elderly early daily weekly monthly yearly quarterly assembly polly rally tally "
    "apply comply imply multiply rely supply costly deadly friendly orderly"
)

# Verbs that assert nothing checkable by themselves. Base forms; the forms are derived below.
_VERBS = _words(
    "abide accept accompany accomplish accord account achieve acquire act activate adapt add "
    "address adhere adjust administer admit adopt advise affect afford aggregate agree aim align "
    "allege allocate allow alter amount announce answer anticipate appear append apply appoint "
    "appreciate approach approve argue arise arrange arrive ascertain ask aspire assemble assert "
    "assess assign assist associate assume assure attach attain attempt attend authorise authorize "
    "avoid await base bear become befit beg begin behave believe belong benefit bind bound break "
    "bring broaden build bundle calculate call capture care carry catalogue catalog categorise "
    "categorize cause cease characterise characterize check choose cite clarify classify clear "
    "close cluster collaborate collate collect combine come commence commit communicate compare "
    "compile complete comply compose comprise compute concentrate concern conclude conduct confer "
    "confine confirm conform connect consider consist constitute constrain construct consult "
    "contact contain continue contribute control converge convert convey cooperate coordinate "
    "cope correlate correspond cost count cover create curate deal debate decide declare deem "
    "defer define demand demonstrate deny depend depict deploy derive describe deserve design "
    "designate desire detail detect determine develop devise differ differentiate disclose "
    "discover discuss display dispose distinguish divide do document draft draw drive drop earn "
    "elaborate elect eliminate embed emerge emphasise emphasize employ empower enable encompass "
    "encounter encourage end endorse enforce engage enhance enjoy ensure entail enter entitle "
    "enumerate equal equate establish estimate evaluate evolve examine exceed excel exclude "
    "execute exemplify exercise exhibit exist expand expect experience explain explore expose "
    "express extend extract face facilitate fail fall feature feed feel fetch figure fill filter "
    "find finish fit fix flag flow focus follow forbid force form formulate forward foster frame "
    "fulfil fulfill function further gain gather generalise generalize generate get give go "
    "govern grow guarantee guess guide handle happen harmonise harmonize harm have head hear help "
    "highlight hinge hint hold hope host identify ignore illustrate imagine impact imply impose "
    "improve include incorporate increase incur indicate infer influence inform inherit initiate "
    "inquire insert insist inspect install instruct integrate intend interact interest interpret "
    "introduce invest investigate invite involve issue join judge justify keep know label lack "
    "land last lead lean learn leave lend let leverage lie like limit link list live locate log "
    "look lose love maintain make manage mandate manifest map mark match matter mean measure meet "
    "mention merge mind minimise minimize mirror miss model monitor motivate move name need "
    "negotiate normalise normalize note notice number obey oblige observe obtain occur offer omit "
    "open operate oppose opt order organise organize originate outline overlap oversee owe own "
    "participate pass pay perform permit persist pertain pick place plan play point pool portray "
    "pose possess post precede preclude predict predominate prefer prepare prescribe present "
    "preserve presume prevail prevent proceed process produce prohibit project promise promote "
    "prompt propose protect prove provide publicise pull purchase pursue push put qualify quantify "
    "query question quote raise range rank rate reach react read realise realize reason receive "
    "recognise recognize recommend record recruit reduce refer reflect refuse regard register "
    "regulate reject relate release rely remain remark remember remind remove render repeat "
    "replace reply report represent request require research reserve reside resolve respect "
    "respond rest restrict result resume retrieve return reveal review reward rise risk round rule "
    "run satisfy save say scan schedule scope score search see seek seem select send sense separate "
    "serve set settle shape shift show sign signal simplify simulate single sit situate slice solve "
    "sort sound source span speak specialise specialize specify spend split spread stand start "
    "state stay stem step stick stop strengthen stress strive structure study subject submit "
    "substantiate succeed suffer suffice suggest suit sum summarise summarize supply support "
    "suppose surface surround survey sustain switch tabulate tackle tag tailor take talk target "
    "tell tend term test thank think threaten tie top total touch track trade train transform "
    "translate treat trigger trust try turn understand undergo underlie undertake unite update "
    "uphold urge utilise utilize validate vary verify view violate visit wait want warn warrant "
    "watch wear weigh welcome wish withdraw wonder word work worry write yield zero affect suffer "
    "afflict harbour harbor conceive enrol enroll recur co-occur cooccur coexist account favour "
    "favor disfavour pertain dominate skew peak expire lapse elapse commence date stretch "
    "outnumber exceed trail comprise tie cap dwarf tally"
)

IRREGULAR_FORMS = _words(
    "became become been began begun bore borne bound broke broken brought built came chose chosen "
    "dealt did done drew drawn drove driven fed fell fallen felt fought found forbade forbidden "
    "forgot got gotten gave given went gone grew grown had heard held hid hidden kept knew known "
    "led left lent lay lain made meant met paid put ran risen rose said sat saw seen sent set shown "
    "spoke spoken spent split spread stood sought stuck struck taken took taught thought told "
    "understood undertook undertaken withdrawn withdrew wore worn wrote written underwent overseen "
    "shed fit cut let read lost won sold upheld bore lay laid"
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


VERB_BASES = _VERBS
VERBS = frozenset(form for verb in _VERBS for form in _forms(verb)) | IRREGULAR_FORMS

# Verb forms that are as often nouns; the context decides (`phrases._is_verb`).
VERB_OR_NOUN = _words(
    "access account act address aim amount answer approach attempt base benefit bound break bundle "
    "call capture care catalogue catalog cause change check claim close cluster command concern "
    "conduct contact control cost count cover cut date deal debate demand design desire detail "
    "display document draft draw drive drop end estimate exercise experience face feature feed "
    "figure fill filter find fit fix flag flow focus force form frame function gain guarantee guess "
    "guide handle harm head help hint hold hope host impact increase influence interest issue join "
    "judge label lack land lead lead leave limit link list log look love map mandate mark match "
    "matter mean measure mention mind mirror model monitor move name need note notice number offer "
    "open order outline overlap own place plan play point pool post present process produce project "
    "promise prompt purchase question query quote raise range rank rate reach reason record refuse "
    "regard register release reply report request research reserve respect rest result return "
    "review reward rise risk round rule run scan schedule scope score search sense set shape shift "
    "show sign signal single slice sort sound source span split spread stand start state stay stem "
    "step stop stress structure study subject sum supply support surface survey switch tag target "
    "term test tie top total touch track trade transfer treat trigger trust turn update view visit "
    "wait watch wish word work worry yield consent contract permit permits export import transport "
    "results records reports requests reviews samples studies surveys tests models measures states "
    "updates visits views works uses claims controls costs limits links lists maps matches names "
    "needs notes numbers offers orders plans points projects queries questions ranges rates reasons "
    "risks rules scores searches sets signs sources starts steps terms totals types values tags "
    "targets trials benefits conditions interests judges labels causes sums ends features files "
    "forms functions guides hosts impacts indexes issues counts covers accounts answers "
    "building finding findings meaning reading setting settings understanding beginning ending "
    "testing training funding reporting monitoring screening processing modelling modeling "
    "planning sampling coding staging imaging counselling dosing sharing ageing aging breathing "
    "hearing smoking sequencing profiling marketing licensing advertising underwriting lending "
    "publishing mining learning scoring pricing billing matching linking recording ranking rating "
    "living feeding nursing housing drinking labelling encoding embedding indexing purchasing "
    "withdrawn permitted prohibited allowed required restricted limited"
)

# What is too general to be a fact by itself (E7 and its like). Singular forms.
GENERIC_NOUNS = _words(
    "dataset data-set data set datum data cohort patient policy space dataspace catalogue catalog "
    "graph record number total entry item row column table list value field result results query "
    "answer question information info detail detailing thing something way area aspect case example "
    "instance kind sort type form category class group subset collection series family range "
    "variety amount quantity count figure percentage percent proportion share fraction majority "
    "minority rest remainder part portion piece half top bottom side end start beginning step "
    "layer level point place position rank order sequence term terms word name title label heading "
    "description statement sentence text document documentation metadata excerpt passage context "
    "snippet chunk source material content contents reference link url uri iri page site portal "
    "platform system resource repository store endpoint tool function call response request "
    "output input search lookup summary overview note remark comment caveat reason cause purpose "
    "purposes use usage role basis matter issue problem concern topic subject theme focus scope "
    "coverage condition conditions disease disorder setting circumstance situation scenario event "
    "fact claim evidence idea sense meaning view opinion guess estimate assumption impression "
    "expectation knowledge experience practice method approach process procedure "
    "action activity effort attempt task job work study project research-project user users "
    "applicant person individual individuals people participant subject subjects member members "
    "men-and-women human population party parties owner holder provider organisation organization "
    "institution body entity entities team group researcher researchers everyone time times period "
    "window moment date day year years month months week weeks hour hours age ages today "
    "requirement requirements rule rules restriction restrictions permission permissions "
    "prohibition prohibitions obligation obligations duty duties constraint constraints right "
    "rights clause provision provisions stipulation limit limits limitation condition approval-form "
    "access availability property properties attribute attributes feature features characteristic "
    "characteristics variable variables element elements component components criterion criteria "
    "parameter measure measures metric indicator standard standards format structure pattern model "
    "version edition release copy copies difference similarity comparison relation relationship "
    "connection association overlap distribution breakdown split ratio average mean median minimum "
    "maximum min max sum tie winner leader runner-up candidate option options alternative choice "
    "possibility chance likelihood probability risk-level confidence certainty guarantee doubt "
    "need demand interest importance relevance size length duration extent scale magnitude width "
    "depth volume lot lots bit deal plenty couple dozen dozens hundreds thousands "
    "effect impact consequence outcome benefit value-add advantage disadvantage sign mention "
    "presence absence lack existence change increase decrease trend advice recommendation "
    "suggestion help guidance guide reader everyone-else hand mind eye look glance rule-of-thumb "
    "status state score rating mark code codes identifier identifiers id ids key keys tag tags "
    "namespace triple triples node nodes predicate predicates property-path resource resources "
    "file files folder database databases db index server interface api prevalence incidence "
    "figure figures rate rates count counts headcount tally ranking leaderboard place spot slot "
    "picture view kind-of general guideline guidelines practice practices reality fact-of practice "
    "sub-group subgroup subgroups bucket buckets box cell cells line lines paragraph section "
    "sections bullet points block blocks pair pairs batch batches run runs test tests check checks "
    "matter hint clue trace pointer default reply replies attempt attempts exception exceptions "
    "one ones other others rest both former latter thing things stuff kind kinds sorts types "
    "conclusion explanation interpretation clarification distinction nature reliance wording "
    "cutoff cut-off threshold holdings holding inventory figure-of combination combinations "
    "listing listings entry entries labelling tasks needs goal goals objective objectives aim aims "
    "response responses dataset's mid-range spread span history histories generation subset subsets"
)

GENERIC_ADJECTIVES = _words(
    "available accessible relevant related applicable appropriate suitable specific particular "
    "certain definite definitive general common usual typical normal ordinary regular standard "
    "main major minor key primary-key principal chief central core basic fundamental essential "
    "important significant notable remarkable interesting useful helpful valuable good better best "
    "bad worse worst great nice fine clear unclear obvious evident apparent explicit implicit exact "
    "precise accurate correct right wrong true false real actual possible impossible potential "
    "likely unlikely probable plausible reasonable sensible rough approximate high higher highest "
    "low lower lowest large larger largest big bigger biggest small smaller smallest great greater "
    "greatest long longer longest short shorter shortest wide wider widest narrow broad broader "
    "thin thinner thick old older oldest new newer newest young younger youngest early earlier "
    "earliest late later latest recent current present past previous former future next last final "
    "first second third fourth fifth initial overall total whole entire full complete partial "
    "half equal different similar same identical comparable distinct separate various diverse "
    "several multiple numerous single individual unique respective following above below "
    "aforementioned additional extra further other another more most less least many few "
    "available-only ready able unable sure certain aware free strict stringent strong stronger "
    "strongest weak weaker simple simpler easy easier hard difficult complex straightforward "
    "direct indirect necessary required mandatory compulsory optional permitted allowed prohibited "
    "forbidden permissible allowable possible expected known unknown given listed mentioned named "
    "described stated specified provided defined included excluded covered associated corresponding "
    "underlying resulting remaining existing missing present-day like such own proper "
    "frequent infrequent rare frequently-prescribed common-most commonest popular prominent "
    "dominant predominant considerable substantial modest moderate slight limited "
    "extensive comprehensive detailed brief concise quick fast slow top bottom upper "
    "happy sorry glad afraid interested responsible careful ambiguous inconclusive incomplete "
    "uncertain hypothetical theoretical practical authoritative official reliable up-to-date "
    "outdated retrieved returned requested queried searched matched matching nearest closest "
    "best-represented based far-reaching worth even close closed-form busy rich poor sole mere "
    "average mean median maximum minimum maximal minimal max min favourable favorable intended "
    "unnumbered numbered so-called certain-type fit qualified eligible affected special wonderful "
    "noteworthy consistent inconsistent independent dependent subject prone liable due "
    "tied joint combined cumulative numeric numerical quantitative qualitative textual "
    "subsequent preceding prior ongoing continuous constant stable formal informal internal "
    "external upfront default native involved concerned relative absolute solid valid invalid "
    "non-empty nonempty visible invisible readable wide-ranging long-running short-lived "
    "lengthy longest-running longest-spanning smallest-ever mixed conditional unconditional"
)

# Actions that a usage policy can permit, prohibit or oblige (ODRL 2.2 common vocabulary, DPV
# processing, and words for the same in everyday English). Base forms.
ACTIONS = _words(
    "use reproduce distribute redistribute derive copy share sell resell sublicense modify adapt "
    "aggregate annotate anonymize anonymise pseudonymize pseudonymise archive attribute credit "
    "acknowledge cite delete destroy erase purge digitize display disseminate download encrypt "
    "decrypt execute export extract index inform install lend lease license loan move notify "
    "obtain pay perform play print process publish read reidentify re-identify de-identify "
    "deidentify remix reuse re-use retain return review secure stream store synchronize transfer "
    "transform translate transmit uninstall watermark commercialise commercialize monetise "
    "monetize profile link train relicense reverse-engineer disclose keep combine merge upload"
)

# Actions so frequent as ordinary verbs that they count as one only when G names them.
WEAK_ACTIONS = _words(
    "use display execute extract index inform install lend move obtain pay perform play print "
    "process read review return secure keep link combine merge transform translate aggregate "
    "annotate derive adapt store train digitize stream license lease loan profile cite export "
    "retain disclose attribute notify"
)
ACTION_FORMS = {form: verb for verb in ACTIONS for form in _forms(verb)} | {
    "sold": "sell",
    "kept": "keep",
    "lent": "lend",
    "paid": "pay",
}

# Units that stay with their number because they change what it says (E2).
UNITS_AFTER_NUMBER = _words(
    "% percent per-cent mg g kg µg mcg ug ml l dl mmol mol meq iu units mm cm m km mmhg bpm kcal hz "
    "year years month months week weeks day days hour hours minute minutes second seconds "
    "yr yrs hr hrs min mins wk wks mo euro euros eur usd dollars pounds gbp € $ £ "
    "million billion trillion thousand hundred kb mb gb tb pb mg/ml mg/dl mmol/l g/dl kg/m2 ng/ml "
    "years-old year-old percentage-points decades decade centuries century fold"
)

# Nouns in which the description of the search, not of the data, stands (E4).
SEARCH_NOUNS = _words(
    "context excerpt excerpts passage passages document documents snippet snippets chunk chunks "
    "source sources text material materials information metadata record query queries search "
    "lookup result results output response tool tools call calls documentation description "
    "descriptions catalogue catalog entry entries knowledge data training page pages question "
    "answer retrieval"
)

# Words of a title or a name that mark a phrase as the name of an organisation or a law.
NAME_HEADS = _words(
    "agency act authority administration association board body bureau centre center college "
    "commission committee community consortium council data department directive directorate "
    "federation forum foundation framework group hospital initiative institute institution "
    "laboratory ministry network office organisation organization parliament programme program "
    "project protection prevention registry regulation school service services society space "
    "standard study survey system trust union university version guideline code convention "
    "excellence research development statistics evaluation"
)

SEMANTIC_TAGS = _words(
    "disorder finding procedure situation substance product qualifier observable organism person "
    "event morphologic regime assessment specimen"
)

# General heads that come off the end of a phrase: `asthma cohort` -> `asthma` (E2, E7).
HEADS = _words(
    "dataset data-set cohort patient policy dataspace catalogue catalog graph record number total "
    "entry row collection group type case individual people person adult subject participant "
    "condition field category class subset kind portal space population item column title holder"
)
