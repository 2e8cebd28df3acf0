"""The words by which a passage states a relation. Data for `evidence.py`.

No bare preposition is among them: `the heel of the shoe`, `wine of grapes` and `a herd of cattle`
would state a cause, a part and a site alike (of such sentences outside medicine under half did).
A relation that is another one turned round has no cues of its own: `TURNED` names the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from types import MappingProxyType

from factmark.graphs.core.claims import IS_A, WORDINGS, relation_key
from factmark.graphs.core.statements import IS_A_WORDS, own_words
from factmark.text.words import stem

_WORD = re.compile(r"[^\W_]+")
_WORD_END = r"(?!\w)"
_ACTIVE = r"(?!\w|\s+by\b)"  # what is `triggered by` rain does not trigger it
_KINDS = frozenset({"isa", "has_disposition"})

FUNCTION_WORDS = frozenset(
    "a an the of in on at to for from by with without within into onto over under about above "
    "below between among through during before after since until as than and or but nor so "
    "yet if then else not no yes is are was were be been being am do does did done doing have "
    "has had having can could may might must shall should will would what which who whom "
    "whose when where why how that this these those there here it its itself they them their "
    "theirs he him his she her hers we us our ours you your yours i me my mine one ones any "
    "some each every all both either neither many much more most less least few several such "
    "same other another only also just too very please tell name give list describe explain "
    "following used use using called known mean kind type sort example s t".split()
)
"""Words that name nothing by themselves, and words of asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Patterns for one relation, see `pattern`; empty for none.

    Attributes:
        forward: between head and tail, where the head stands first.
        backward: between tail and head, where the tail stands first.
        symmetric: `forward` holds either way.
        whole_names: beside `forward` a name must be no part of a longer one.
        plain, plain_backward: all that stands between them in a plain statement (`statements.py`).
    """

    forward: str = ""
    backward: str = ""
    symmetric: bool = False
    whole_names: bool = False
    plain: str = ""
    plain_backward: str = ""

    def pattern(self, *, forward: bool) -> re.Pattern[str] | None:
        """Returns the pattern of the words that state the relation between head and tail
        (`forward`), or between tail and head; None where none are known."""
        words = self.forward if forward or self.symmetric else self.backward
        return _compile_pattern(words) if words else None


@lru_cache(maxsize=1_024)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Returns a compiled pattern that does not mind capitals."""
    return re.compile(pattern, re.IGNORECASE)


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """Returns the words of a text in lower case, without function words.

    >>> content_words("is the capital of")
    ['capital']
    """
    return [word for word in words_of(text) if word not in FUNCTION_WORDS]


def cues_of(relation: str, wordings: Mapping[str, str] = WORDINGS) -> Cues | None:
    """Returns the words that state a relation, built in or from the user's wording; None if there
    are none."""
    key = relation_key(relation)
    wording = wordings.get(key)
    if wording is not None and wording != WORDINGS.get(key):
        return cues_of_wording(wording)
    cues = CUES.get("isa" if key in IS_A else TURNED.get(key, key))
    if cues is None and wording is not None:
        return cues_of_wording(wording)
    if cues is None:
        return _cues_of_name(key)
    if key not in TURNED:
        return cues
    return Cues(
        forward=cues.backward,
        backward=cues.forward,
        symmetric=cues.symmetric,
        plain=cues.plain_backward,
        plain_backward=cues.plain,
    )


@lru_cache(maxsize=1_024)
def _cues_of_name(key: str) -> Cues | None:
    """Returns the words of a relation's own name as what states it; None where it has none."""
    words = words_of(key.replace("_", " "))
    if not content_words(" ".join(words)):
        return None
    plain, backward = own_words(words)
    return Cues(plain=plain, plain_backward=backward)


@lru_cache(maxsize=1_024)
def cues_of_wording(wording: str) -> Cues | None:
    """Returns the words that a wording has between head and tail, whatever their endings; None if
    it has none.

    Where no content word stands there, those before and after: `the capital of {head} is {tail}`
    is also what `{head} and its capital {tail}` says. None where the wording has no word at all.
    """
    parts = list(Formatter().parse(wording))
    sides = [(name or "").removeprefix("a_") for _, name, _, _ in parts]
    first = next((at for at, side in enumerate(sides) if side), 0)
    second = next((at for at, side in enumerate(sides) if side not in ("", sides[first])), first)
    between = " ".join(text for text, *_ in parts[first + 1 : second + 1])
    words = content_words(between)
    outside = [] if words else content_words(" ".join(text for text, *_ in parts))
    if outside:
        return Cues(forward=_pattern_of_words(outside), symmetric=True)
    if not (words or words_of(between)):
        return None
    pattern = _pattern_of_words(words) if words else _pattern_of_words(words_of(between), most=0)
    if sides[first] == "head":
        return Cues(forward=pattern + _ACTIVE)
    return Cues(backward=pattern)


def _pattern_of_words(words: list[str], most: int = 2) -> str:
    """Returns a pattern of words one after another, with any ending and at most `most` other words
    between two."""
    stems = [stem(word) if word.startswith(stem(word)) else word for word in words]
    parts = [re.escape(part) + (r"\w*" if len(part) > 2 else r"\b") for part in stems]
    others = rf"\W+(?:\w+\W+){{0,{most}}}?"
    return r"\b" + others.join(parts)


TURNED: Mapping[str, str] = MappingProxyType(
    {
        "inverse_isa": "isa",
        "due_to": "cause_of",
        "is_interpreted_by": "interprets",
        "focus_of": "has_focus",
        "associated_morphology_of": "has_associated_morphology",
        "has_causative_agent": "causative_agent_of",
        "finding_site_of": "has_finding_site",
        "part_of": "has_part",
        "method_of": "has_method",
        "is_modification_of": "has_modification",
    }
)

_TABLE = r"""
isa >> (?<!to\s)remains?|belongs? to|forms? of|types? of|kinds? of|one of|variant of|
    classified as|,\s*an?
isa << such as|including|namely|for example|especially|called|
    (?<!-)(?<!-\s)like|known as|,\s*(?:particularly|notably)
cause_of >> caus(?:e|es|ed)\b|(?<!,\s)causing\b|leads?\b|led\b|leading to|results? in|
    resulted in|
    induc\w+|trigger\w*|provok\w+|gives? rise|precipitat\w+|increas\w+|
    rais\w+|worsen\w*|impair\w*|responsible|is followed by|stiffen\w*|
    toxic to|aggravat\w+|accounts? for
cause_of << caused by|due to|results? (?:from|of)|resulted from|resulting from|secondary to|
    because|aris\w+ from|attribut\w+ to|owing to|adverse effects? of|
    side effects? of|complications? of|explained by|triggered by
interprets >> defin\w+|suggest\w*|reflect\w*|mean(?:s|t)?\b|indicat\w+|is a (?:raised|high|low)|
    quantif\w+|range|measured|names? for
interprets << defin\w+|suggest\w*|show\w*|indicat\w+|mark\w*|diagnos\w+|tests?\b
associated_finding_of >> history of|recorded
associated_finding_of << history of
has_disposition >> inhibit\w*|block\w*|activat\w+|antagoni\w+|acts? as|acts? on
has_focus >> aim\w*|against|target\w*|directed|people with|patients with|
    recovering|teach\w*|address\w*|lower\w*|to (?:detect|treat|prevent)
has_focus << treated (?:with|by)|managed|requir\w+|receiv\w+|led to
has_associated_morphology >> shows?|showed|characteri\w+|marked by|consists? of|reveal\w*|
    presents? as|lesions?|denotes|combines?|comes first|predominate
has_associated_morphology << (?:is|are) seen|seen (?:in|at)|lesions?|characteri\w+|define|
    mark\b
causative_agent_of >> +cause_of|agent|pathogen|the (?:usual|most frequent) (?:isolate|pathogen)|
    invade\w*|infect\w*|isolate\b
causative_agent_of << +cause_of|infection\b|mostly by
has_finding_site >> affect\w*|involv\w*|invad\w*|
    locat\w*|confin\w*|damag\w*|destr\w+|loss of|from loss|appears?
has_finding_site << (?:is|are|was|were) (?:\w+ )?(?:affected|involved|damaged|destroyed|the site)|
    show\w*|site of|is destroyed
has_method >> us(?:es|ing|ed)\b|measur\w+|perform\w+|records?|infus\w+
has_method << us(?:ed|es)? (?:for|in|to)
possibly_equivalent_to <> may be|might be|one entity|the same|interchangeab\w+|equivalent|
    refers? to
same_as <> also|called|known as|the same|synonym\w*|formerly|two names|termed|\(|another name
has_component >> measur\w+|record\w*|quantif\w+|detect\w*|determin\w+|
    components?|consists? of|compris\w+|composed of|made up of
has_component << measured by|is used to|components? of|parts? of
has_part >> consists? of|compris\w+|composed of|made up of|is built
has_part << parts? of|belongs? to|components? of
has_modification >> modif\w+|altered|attached|pegylat\w+
has_modification << modif\w+|analogues? of|analogs? of|derivatives? of|altered
associated_with <> associat\w+|link\w*|correlat\w+|relat\w+|more (?:often|frequent\w*|common\w*)|
    risks?|accompan\w+|common\w*|coexist\w*|predict\w*|found in|frequent\w*|present\w*|markers?|
    times|affects?|occur together|two-way
plays_role >> acts? as|act as|serv\w+ as|used as|role|functions? as
occurs_before >> preced\w+|followed by|progress\w* to|go(?:es)? on to|develop\w*|
    turns? into|conver\w+|appears? (?:months|years)|leads? to
occurs_before << follows?|preceded by|following|reached after
has_clinical_course >> course|resolv\w+
occurs_in >> occur(?:s|red|ring)? (?:in|during|at|among|before)
occurs_in << develop\w*|present\w*|at (?:the )?onset
has_symptom >> present\w*|symptom\w*|complain\w*|characteri\w+|includ\w+|marked|caus\w+|
    typical|manifest\w*|experienc\w+|report\w*|features?|begin\w*
has_symptom << (?:is|are|were) (?:also )?(?:the )?(?:classic|typical|common|frequent|usual|main)|
    complaints?|symptoms?|signs? of|point to|suggest|seen in|warn\w*|define
treats >> treat\w*|improv\w*|reliev\w+|relief|lower\w*|reduc\w+|control\w*|revers\w+|correct\w*|
    heal\w*|effective|restor\w+|first-line|first choice|(?:drug|treatment) of choice|remission|
    cur(?:e|es|ed|ative)\b|slow\w*|help\w*|manage\w*|prescribed|respond\w*|replaces?|
    basis of|standard treatment|sooth\w*|delays?|value\w*
treats << treated (?:with|by)|(?<!during\s)(?<!after\s)treatment|therapy|respon\w+ to|manag\w+|
    requir\w+|reliev\w+|rests on|
    corrected by|improves? (?:with|by|under)|for which|should be started|switched|mainstay
prevents >> prevent\w*|reduc\w+|lower\w*|delay\w*|cut\b|fewer|protect\w*|less|decreas\w+
prevents << prevented (?:by|with)|reduced (?:by|with|under)|lower with
"""
"""Relation, sign, and alternatives between bars, each from the start of a word on.

`>>` stands before what is said between head and tail, `<<` between tail and head, `<>` either way.
`+isa` are all of `isa` under the same sign.
"""


def _read_table(table: str) -> Iterator[tuple[str, Cues]]:
    """Yields each relation of the table with its cues."""
    rows: dict[str, dict[str, str]] = {}
    for relation, sign, text in re.findall(r"^(\w+) (>>|<<|<>) ((?:.|\n )+)", table, re.MULTILINE):
        parts = [re.sub(r"\s+", r"\\s+", part.strip()) for part in text.split("|")]
        if parts[0].startswith("+"):
            parts[0] = rows[parts[0][1:]][sign]
        rows.setdefault(relation, {})[sign] = "|".join(parts)
    for relation, row in rows.items():
        sides = {
            sign: rf"(?:\b|(?<!\w))(?:{text}){_ACTIVE if sign == '>>' else _WORD_END}"
            for sign, text in row.items()
        }
        yield (
            relation,
            Cues(
                forward=sides.get(">>") or sides.get("<>", ""),
                backward=sides.get("<<", ""),
                symmetric="<>" in sides,
                whole_names=relation == "isa",
                plain=IS_A_WORDS if relation in _KINDS else "",
            ),
        )


CUES: Mapping[str, Cues] = MappingProxyType(dict(_read_table(_TABLE)))
