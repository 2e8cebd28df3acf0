"""The words by which a passage states a relation. Data for `evidence.py`.

Only what says the relation itself is among them, no bare preposition (`the heel of the shoe`, `wine
of grapes`) and nothing that merely goes with it (`reduces` is no treatment, `a group, a team` no
kind). A relation that is another one turned round has no cues of its own: `TURNED` names the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
        further: content words that may stand beside those of the relation.
        beside: other words of its own that may.
        plain, plain_backward: all that stands between them in a plain statement (`statements.py`).
    """

    forward: str = ""
    backward: str = ""
    symmetric: bool = False
    further: int = 0
    beside: frozenset[str] = frozenset()
    plain: str = ""
    plain_backward: str = ""

    def pattern(self, *, forward: bool) -> re.Pattern[str] | None:
        """Returns the pattern of the words that state the relation between head and tail
        (`forward`), or between tail and head; None where none are known."""
        if forward or self.symmetric:
            words = self.forward
        else:
            words = self.backward
        if words:
            return _compile_pattern(words)
        return None


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
    words = []
    for word in words_of(text):
        if word not in FUNCTION_WORDS:
            words.append(word)
    return words


def cues_of(relation: str, wordings: Mapping[str, str] = WORDINGS) -> Cues | None:
    """Returns the words that state a relation, built in or from the user's wording; None if there
    are none."""
    key = relation_key(relation)
    wording = wordings.get(key)
    if wording is not None and wording != WORDINGS.get(key):
        return cues_of_wording(wording)
    base = "isa"
    if key not in IS_A:
        base = TURNED.get(key, key)
    cues = CUES.get(base) or (cues_of_wording(WORDINGS[base]) if base in WORDINGS else None)
    if cues is None:
        return _cues_of_name(key)
    if key not in TURNED:
        return cues
    forward = cues.backward
    plain = cues.plain_backward
    return replace(
        cues, forward=forward, backward=cues.forward, plain=plain, plain_backward=cues.plain
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
    sides = []
    for _, name, _, _ in parts:
        sides.append((name or "").removeprefix("a_"))
    first = next((at for at, side in enumerate(sides) if side), 0)
    second = next((at for at, side in enumerate(sides) if side not in ("", sides[first])), first)
    between = " ".join(text for text, *_ in parts[first + 1 : second + 1])
    words = content_words(between)
    everywhere = " ".join(text for text, *_ in parts)
    own = frozenset(words_of(everywhere))
    outside = []
    if not words:
        outside = content_words(everywhere)
    if outside:
        return Cues(forward=_pattern_of_words(outside), symmetric=True, beside=own)
    if not (words or words_of(between)):
        return None
    if words:
        pattern = _pattern_of_words(words)
    else:
        pattern = _pattern_of_words(words_of(between), most=0)
    if sides[first] == "head":
        return Cues(forward=pattern + _ACTIVE, beside=own)
    return Cues(backward=pattern, beside=own)


def _pattern_of_words(words: list[str], most: int = 2) -> str:
    """Returns a pattern of words one after another, with any ending and at most `most` other words
    between two."""
    parts = []
    for word in words:
        part = stem(word)
        if not word.startswith(part):
            part = word
        ending = r"\b"
        if len(part) > 2:
            ending = r"\w*"
        parts.append(re.escape(part) + ending)
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
isa >> (?:sub)?(?:type|kind|form)s? of|variants? of|classified as
isa << such as
cause_of >> caus(?:e|es|ed)\b|(?<!,\s)causing\b|leads?(?: to)?\b|led to|leading to|
    results? in|resulted in|induc\w+|trigger\w*|provok\w+|gives? rise to|precipitat\w+|
    responsible for
cause_of << caused by|due to|results? (?:from|of)|resulted from|resulting from|secondary to|
    attribut\w+ to|owing to|(?:adverse|side) effects? of|complications? of|triggered by
has_focus >> aim\w* at|against|target\w*|directed (?:at|against)|treat(?:s|ed|ing)?\b|
    (?:treatment|management|prevention) of
has_focus << treated (?:with|by)|managed (?:with|by)
causative_agent_of >> +cause_of|(?:agent|pathogen) of
causative_agent_of << +cause_of
has_finding_site >> affect(?:s|ed|ing)?\b|located (?:in|at)|confined to
has_finding_site << affected (?:by|in)|site of
has_method >> us(?:es|ing|ed)\b|performed (?:by|with)
has_method << used (?:for|in)
possibly_equivalent_to <> may be the same as|may be identical to|possibly equivalent to
same_as <> (?:also|often|commonly|sometimes|formerly|previously) (?:called|known as|termed|named)|
    referred to as|the same as|identical to|synonym\w* (?:of|for|with)|another (?:name|word) for|\(
has_component >> consists? of|compris\w+|composed of|made up of|contain(?:s|ed|ing)?\b
has_component << components? of
has_part >> consists? of|compris\w+|composed of|made up of
has_part << parts? of|components? of
has_modification << (?:analog(?:ue)?|derivative)s? of|modified(?: forms? of)?
associated_with <8> associat\w+|link\w*|correlat\w+|relat\w+|more (?:often|frequent\w*|common\w*)|
    risks?|accompan\w+|common\w*|coexist\w*|predict\w*|found in|frequent\w*|present\w*|markers?|
    times|affects?|occur together|two-way
plays_role >> acts? as|serv\w+ as|used as|functions? as|(?:role|function) of
occurs_before >> precede(?:s|d)?\b|followed by|progress(?:es|ed)? to|develop(?:s|ed)? into|
    turns? into
occurs_before << follow(?:s|ed)?\b|preceded by
occurs_in >> occur(?:s|red|ring)? (?:in|during|at|among|before)
has_symptom >> symptoms?|manifest\w* (?:as|by|with)|present(?:s|ed|ing)? (?:as|with)|
    characteri[sz]ed by|caus(?:e|es|ed)\b
has_symptom << (?:symptom|sign|manifestation|feature)s? of
treats >> treat(?:s|ed|ing)?\b(?!\s+with)|(?:(?:for|in) (?:the )?)?(?:treatment|management) of|
    cur(?:e|es|ed)\b|heal(?:s|ed)?\b|reliev\w+|alleviat\w+|ameliorat\w+|effective against|
    (?:drug|treatment) of choice for
treats << treat\w* (?:with|by)|therapy (?:with|by)|managed (?:with|by)|relieved by|cured by|
    respond(?:s|ed)? to
prevents >> prevent(?:s|ed|ing)?\b|prevention of|prophylaxis (?:of|for|against)|protect\w* against
prevents << prevented (?:by|with)
"""
"""Relation, sign, and alternatives between bars, each from the start of a word on.

`>>` stands before what is said between head and tail, `<<` between tail and head, `<>` either way,
`<8>` with up to eight other content words. `+isa` are all of `isa` under the same sign.
"""


def _read_table(table: str) -> Iterator[tuple[str, Cues]]:
    """Yields each relation of the table with its cues."""
    rows: dict[str, dict[str, str]] = {}
    for relation, sign, text in re.findall(
        r"^(\w+) (>>|<<|<8?>) ((?:.|\n )+)", table, re.MULTILINE
    ):
        parts = []
        for part in text.split("|"):
            parts.append(re.sub(r"\s+", r"\\s+", part.strip()))
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
                forward=sides.get(">>") or sides.get("<>") or sides.get("<8>", ""),
                backward=sides.get("<<", ""),
                symmetric="<>" in sides or "<8>" in sides,
                further=8 if "<8>" in sides else 0,
                plain=IS_A_WORDS if relation in _KINDS else "",
            ),
        )


CUES: Mapping[str, Cues] = MappingProxyType(dict(_read_table(_TABLE)))
