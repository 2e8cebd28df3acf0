"""The words by which English asserts a sentence, or does not. Data for `licence.py` and
`taken_back.py`.

A table is phrases between bars; `*` stands for any ending, a blank for white space. Where what
raises a doubt is an open class (labels, words before `that`) the words that clear are listed;
elsewhere the words of doubt are.
"""

from __future__ import annotations

import re


def pattern_of(*tables: str) -> str:
    """Returns the pattern of any phrase of the tables, as whole words.

    >>> re.findall(pattern_of("so-called | it seem*"), "it seems so-called, so called")
    ['it seems', 'so-called']
    """
    by_letter: dict[str, list[str]] = {}
    for phrase in {" ".join(phrase.split()) for table in tables for phrase in table.split("|")}:
        rest = re.escape(phrase[1:]).replace(r"\*", r"[\w'’-]*").replace(r"\ ", r"\s+")
        by_letter.setdefault(phrase[0], []).append(rest)
    groups = [
        f"{letter}(?:{'|'.join(sorted(rests))})" for letter, rests in sorted(by_letter.items())
    ]
    return rf"(?<![\w-])(?:{'|'.join(groups)})(?!\w)"


def compiled(*patterns: str) -> re.Pattern[str]:
    """Returns any of the patterns as one that minds neither capitals nor line breaks."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


NOT = (
    r"(?:\b(?:not|no|none|never|neither|nor|cannot|nobody|without|unable|fail(?:s|ed)?)\b"
    r"|n['’]t\b)"
)
CERTAIN = compiled(
    r"\b(?:there\s+(?:is|can\s+be)\s+)?no\s+(?:\w+\s+)?(?:doubt|question)\b",
    r"\bbeyond\s+(?:\w+\s+)?(?:doubt|dispute)\b|\bnot\s+in\s+(?:doubt|dispute)\b|\bdoubtless\b",
    r"\bwithout\s+(?:an?y?\s+)?(?:\w+\s+)?(?:doubt|question|exception)\b",
    r"\bcannot\s+be\s+(?:denied|doubted|disputed)\b",
    r"\b(?:right|fair|correct|safe|true)\s+to\s+say\b",
    r"\bfalse\s+(?:positive|negative|discovery|alarm)s?\b",
)
"""Says in words of doubt that something is certain, or nothing of it."""

FALSE = """
false | falsely | falsehood* | falsif* | untrue | untruth* | wrong | wrongly | incorrect* |
erroneous* | an error | error is | error that | in error | by mistake | mistake | mistaken* |
misconception* | misbelief* | misunderst* | mislead* | misinform* | disinform* | misreport* |
misinterpret* | misconstru* | misstat* | fallac* | nonsens* | rubbish | bunk | bullshit |
hogwash | absurd* | preposterous* | ridiculous* | unfounded | baseless | groundless |
unsubstantiated | unsupported | unproven | unproved | unverified | unconfirmed | unreliabl* |
implausibl* | impossibl* | improbabl* | inconceivabl* | untenable | unwarranted | unjustified |
debunk* | refut* | rebut* | disprov* | disproof | discredit* | dismissed | invalidat* |
overturned | contradict* | contested | disput* | repudiat* | disavow* | recant* | retract* |
deny | denies | denied | denying | denial | doubt that | doubts that | doubted | doubtful* |
dubious* | questionabl* | questioned | hoax* | fake | faked | fakes | bogus | fabricat* | fraud* |
forged | forgery | liar* | made-up | made up the | prank* | joke* | joking* | kidding |
tongue-in-cheek | satir* | parod* | spoof* | sarcas* | pseudosc* | pseudo-sc* | quack | quackery |
artefactual | artifactual | spurious* | unsound | disbelie* | skeptic* | sceptic* | hardly |
scarcely | barely | nobody | no-one | no one | nothing support* | nothing show* | nothing prove* |
nothing suggest* | nothing indicat* | nowhere | little evidence | scant evidence | weak evidence |
poor evidence | little proof | weak proof | little reason | insufficient evidence |
limited evidence | some evidence | mixed evidence | inconsistent evidence | preliminary evidence |
anecdotal* | conflicting | inconclusive* | far from | exaggerat* | overstat* | citation needed |
clarification needed | not in citation | failed verification | myth | myths | mythic* |
mytholog* | legend | legends | fairy tale* | fairy-tale* | fairytale* | fable* | folklore* |
folk tale* | folktale* | folk medicine | folk belief* | superstiti* | fiction | fictional* |
fictitious* | fictive | imaginar* | make-believe | in-universe | science-fiction | sci-fi |
thought experiment* | counterfactual* | hypothetical* | rumor* | rumour* | gossip* | hearsay |
old wives* | conspirac* | propagand* | horoscope* | april fool* | doctored | inaccura* |
misattribut* | once upon a time
"""
"""They take back their sentence wherever they stand in it, but in a name."""

WORKS = """
novel | novella | film | movie | episode | sitcom | show | game | videogame | play | comic |
comics | cartoon | manga | anime | opera | musical | poem | ballad | song | lyrics | saga |
story | stories | tale | tales | plot | script | screenplay | sequel | prequel | trilogy |
series | sketch | drama | scripture* | bible | epic | advert* | ad | ads | brochure | leaflet |
flyer | pamphlet | commercial | slogan | billboard | tabloid* | blog | blogs | tweet | tweets |
forum* | podcast | chatbot | quiz | exam | riddle | puzzle | lore | scenario | dream | dreams |
opinion* | view | eyes | mind | imagination | words | parlance | telling | account | universe |
fantasy | theory
"""
"""Of which `in the` or `on his` tells whose word it is."""

PEOPLE = """
critic* | opponent* | proponent* | advocate* | supporter* | believer* | adherent* | follower* |
devotee* | enthusiast* | detractor* | quacks | charlatan* | healer* | lobby* | activist* |
advertiser* | marketer* | vendor* | seller* | manufacturer* | gurus | guru | influencer* |
celebrit* | ancients | laymen | laypeople | grandmother* | grandma* | dissenter* | heretic* |
blogger* | columnist* | pundit* | insider* | locals | villagers | alchem* | astrolog* |
homeopath* | homoeopath* | psychic* | many people | some people | most people | witch* | occult* |
skeptics
"""

VIEWS = """
believ* | belief* | think | thinks | thinking | thought | claim | claims | claimed | claiming |
suppos* | assum* | alleg* | purport* | pretend* | pretens* | imagin* | speculat* | hypothe* |
presum* | suspect | suspects | suspicion* | conjectur* | assertion* | assert* | contention* |
contend* | hope | hopes | hoped | hoping | wish* | notion* | idea | ideas | impression* |
opinion* | opine* | view | views | theory | theories | theoris* | theoriz* | proposition* |
propos* | posit | posits | posited | postulat* | maintain | maintains | insist* | argu* |
profess* | proclaim* | preach* | boast* | swear | swears | swore | vow | vows | vowed | guess* |
reckon* | surmis* | predict* | prophes* | foretell* | foretold | forecast* | expect | expects |
expectation* | anticipat* | fear | fears | feared | worry | worries | worried | fancy | fancies |
fancied | wonder* | question* | debat* | controvers* | doubt | doubts | say | says | said |
saying | tell | tells | told | suggest* | indicate | indicates | indicated | indicating | imply |
implies | implied | hint* | insinuat* | intimated | advertis* | promis* | declar* | announc* |
tout* | peddl* | dictum | dogma* | doctrine* | creed* | faith | mantra | anecdote* | fail |
fails | failed | to test | to prove | to show that | to demonstrate that | to establish that |
to confirm that | to determine | to see | to find out | to verify | to check | explore whether |
possibilit* | likelihood | concern that | proposal* | scenario* | story | stories | tale | tales |
null | hunch* | intuition* | premise* | tradition* | lest | imagine | let us | let's | dreamt |
dreamed | fantas* | hallucinat*
"""
"""Of those who say or think it, and of what is yet to be found out: before the names."""

SUGGESTS = "suggest* | indicate | indicates | indicated | indicating | imply | implies | implied"
"""Of those they leave alone what a compound takes for granted: `aspirin-induced asthma`."""

SEEMING = """
reportedly | allegedly | supposedly | purportedly | ostensibly | apparently | seemingly |
presumably | probably | possibly | perhaps | maybe | conceivably | arguably | potentially |
theoretically | hypothetically | putatively | reputedly | professedly | nominally | notionally |
tentatively | plausibly | debatably | controversially | ideally | hopefully | popularly |
traditionally | perchance | speculatively | so-called | in theory | in principle | on paper |
at best | it seems | it appears | uncertain* | unclear* | unknown | unsettled | unresolved |
moot | pending | in jest | in fun | lol | haha | under the assumption | under the hypothesis
"""
"""Beside the names, before and behind."""

MAYBE = """
may | might | could | would | should | must | ought | shall | will | seem* | appear | appears |
appeared | likely | unlikely | whether | either | as if | as though | provided that | suppose |
who knows | yeah | oh | remain* to be | yet to be
"""
"""Before the names."""

BESIDE = """
possible | potential | probable | putative | presumed | presumptive | suspected | suggested |
suggestive | proposed | supposed | alleged | purported | assumed | believed | thought | claimed |
said | rumored | rumoured | predicted | expected | theoretical | conjectured | postulated |
speculated | hypothesised | hypothesized | may | might | could | would | should | ought | must |
seem* | appear | appears | appeared | likely | unlikely | imagined | feared | hoped
"""
"""Beside the words of the relation, or right before the first name."""

CLEAR = """
find | finds | found | show | shows | showed | shown | showing | demonstrat* | confirm |
confirms | confirmed | confirming | prove | proves | proved | proven | proving | establish* |
observ* | discover* | reveal* | see | sees | saw | seen | know | knows | knew | known | learn |
learns | learned | learnt | realis* | realiz* | recognis* | recogniz* | verif* | document* |
detect* | determined | noted | note | notes | noticed | notice | ascertain* | corroborat* |
substantiat* | validat* | attest* | evidence | proof | fact | facts | truth | discovery |
finding | findings | observation* | knowledge | demonstration | confirmation | news | true |
certain | clear | evident | obvious | undeniable | undisputed | uncontested | incontrovertible |
incontestable | indisputable | irrefutable | indubitable | unquestionable | unmistakable |
unarguable | unambiguous | undoubted | manifest | plain | remembered | verified |
well-established | well-known | well-documented | right | correct | remember | recall | aware |
we report | we conclude
"""
"""Before `that`: they vouch for the clause."""

CLEAR_LABEL = """
correct | true | certain | clear | conclusive | confirmed | confirm | showed | shown | show |
shows | found | find | proved | proven | held | established | known | evident | demonstrated |
observed | conclude | concluded
"""
"""In a clause before a colon: they vouch for what follows."""

NEUTRAL = """
result results finding findings conclusion conclusions background method methods material
materials methodology introduction rationale objective objectives aim aims purpose design setting
settings patient patients subjects participants measurement measurements measure measures outcome
outcomes intervention interventions case report reports presentation description summary
discussion interpretation concluding remark remarks implication implications limitation
limitations significance relevance impact importance data source sources selection extraction
synthesis highlights highlight key point points message messages take home abstract overview fact
facts answer truth reality effect effects evidence observation observations etiology aetiology
epidemiology pathogenesis pathophysiology treatment therapy diagnosis symptoms causes prognosis
prevention mechanism mechanisms indication indications definition history geography biology
anatomy chemistry taxonomy biography career life note nota bene figure figures fig figs table
tables box panel section study trial part main major important primary secondary first second
third final last new recent established proven known well common side adverse clinical our in
short brief yes text general lesson lessons practice recommendation recommendations guideline
guidelines bottom line context statistics location verified confirmed original research etymology
characteristics uses use usage overall thus therefore and of the a an for to on these this here
also we it s ii iii iv et al see cf
""".split()
"""A label of nothing but these says where a text is, not what it is worth."""

TRUSTED = """
guideline* | trial | trials | study | studies | meta-analys* | metaanalys* | review | reviews |
data | result* | evidence | textbook* | analysis | analyses | regist* | census | record* |
survey* | measurement* | experiment* | statistics | pharmacopoeia | encyclop* | handbook |
figure* | table* | world health organi*
"""
"""What `according to` may name and still tell as known."""

BRACKETED = """
possible | possibly | probable | putative | presumed | suspected | proposed | alleged | claimed |
suggested | theoretical | sic | withdrawn | not | never | no | unpublished | citation* |
who says | who | verify | needed | editor* | opinion | theory | hypothesis | claim* | quote* |
speculati* | controvers* | ns | pending | really | yeah | unclear | unknown | uncertain
"""
"""In brackets behind."""

SAYS = """
say | says | said | think | thinks | thought | believe | believes | believed | claim | claims |
claimed | allege | alleges | alleged | assert | asserts | asserted | argue | argues | argued |
insist* | maintain | maintains | maintained | suppose* | assume* | pretend* | imagine* | hope |
hopes | hoped | swear | swears | swore | reckon* | guess | guesses | guessed | rumoured |
rumored | suspect | suspects | promise* | announced | declared | boast* | read | reads | told |
tells | wrote | have it | would have it | goes | go | suggest | suggests | suggested |
speculate* | hypothesi* | advertised | it seems | it appears
"""
"""Behind a statement: they leave it to who says it."""

REACTIONS = """
just kidding | as if | yeah | sure | or not | really | does it | do they | says who | who says |
oh | lol | ha | retract* | withdrawn
"""
"""A short sentence with one of these takes back the one before."""

HEADINGS = """
correction | erratum | statement | retraction | exercise | option | example
"""

STATEMENT = """
finding* | result* | conclusion* | paper* | article* | study | studies | report* | hypothesis |
hypotheses | association* | link* | effect* | author* | theory | theories | evidence | data |
work | passage | page | observation* | relation* | experiment* | trial* | publication* |
discovery | correlation* | cure | benefit*
"""
"""After an article: they take up what the sentence before says."""

CLAIM = """
claim* | statement* | assertion* | allegation* | contention* | phrase* | sentence | quote* |
rumour* | rumor* | notion* | idea | belief* | story | myth* | post | posts | tweet* | headline* |
meme* | saying | view | views | argument* | wording | narrative* | accusation* | above |
message* | video | picture | proverb
"""
"""They call it a thing that somebody says: what is then said of it has to vouch for it."""

LOOSE = """
wrong | wrongly | an error | in error | by mistake | mistake | barely | hardly | far from |
conflicting
"""
"""Of those of falsity: in the next sentence they may be said of something else."""

VOUCHES = """
true | correct | right | accurate | confirmed | confirm | confirms | proven | proved |
established | verified | substantiated | corroborated | supported | support | supports |
well documented | well-documented | holds | sound | solid | undisputed | uncontested | fact |
validated
"""

REFUTES = """
reject* | challeng* | question | questions | questioned | overturn* | doubt* | withdraw* |
withdrew | withdrawn | disagree* | abandon* | ruled out | rule out | corrected | struggl* |
cast doubt on | casts doubt on
"""
"""Verbs that take a statement back."""

NOT_SO = """
controvers* | weak | flawed | speculati* | a hypothesis | conjectur* | opinion* | artefact* |
artifact* | coincidence* | by chance | due to chance | outdated | obsolete | superseded |
unclear | uncertain | unknown | unlikely | opposite | reverse | contrary | invention | invented |
a lie | lies | guess* | remain* to be | remains open | await* | needs confirmation |
requires confirmation | need* to be | has yet to | have yet to | yet to be | nonsignificant |
no longer | claimed | claim | claims | say | says | said | believe* | advert* | thought |
only a theory | not so | disappeared | vanished | a mistake | open question
"""
"""What is said of a statement that does not stand."""

VERIFIED = """
confirm* | replicat* | reproduc* | verif* | substantiat* | support* | corroborat* | validat* |
prove* | proven | hold | held | true | so | the case | correct | right | accurate | significant |
established | certain | shown | demonstrated | borne out | bear out | stand | stood | survive* |
proof | a fact | accepted | credible | reliable | convincing | convinced | find | found |
detect* | observe | observed | see | seen | show | repeat* | recover* | evidence | published |
peer-reviewed | last
"""
"""What did not happen to a statement that a `not` takes back."""
