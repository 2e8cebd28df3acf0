"""Where a passage names an entity: up to inflection, spelling, abbreviations and synonyms. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from factmark.graphs.core.ontology import Ontology
from factmark.text.names import american
from factmark.text.words import stem

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?](?=[\"')\]]*+\s++[\s\"')\](\[]*+[A-Z0-9\u00c0-\u00de])|\n{2,}")
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|al|Dr|Fig|approx|no|spp|sp|resp|ca)|\b[A-Z])\.$", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\(([A-Za-z][\w./-]{1,11})s?(?=[),;])")
_ABBREVIATION = re.compile(r"^(?=.*[A-Z].*[A-Z\d])[\w./-]+$")
_DROPPED = frozenset({"a", "an", "the", "s"})
_LOOSE_GAP = 3
Form = tuple[str, ...]
"""A way to write a name: the keys of its words."""
_SUFFIX = re.compile(r"(?:ement|ment|ation|ition|sion|ion|iz|ing)$")


class NameMention(NamedTuple):
    """A place where an entity is named, in characters, and the number of its sentence."""

    start: int
    end: int
    sentence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPassage:
    """A passage in sentences and words; `abbreviations` as it introduces them itself.

    `words`: the key of each; `spans`: where each stands in characters.
    """

    text: str
    sentences: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    abbreviations: tuple[tuple[Form, Form], ...]

    def sentence_at(self, position: int) -> int:
        """The number of the sentence that a character stands in."""
        number = bisect_right(self.sentences, position, key=itemgetter(1))
        return min(number, len(self.sentences) - 1)


@lru_cache(maxsize=65_536)
def token_key(word: str) -> str:
    """The key under which a word is compared."""
    return american(stem(word.casefold()))


@lru_cache(maxsize=65_536)
def keys(name: str) -> Form:
    """The keys of the words of a name, without articles."""
    words = [match[0] for match in _WORD.finditer(name)]
    return tuple(token_key(word) for word in words if word.casefold() not in _DROPPED)


@lru_cache(maxsize=1_024)
def read_passage(text: str) -> SplitPassage:
    """Splits a passage; several triples mostly share one."""
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if match[0].casefold() not in _DROPPED:
            words.append(token_key(match[0]))
            spans.append(match.span())
    return SplitPassage(
        text=text,
        sentences=_sentences(text),
        words=tuple(words),
        spans=tuple(spans),
        abbreviations=tuple(_abbreviations(text)),
    )


def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    out, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if match[0] == "." and _NO_END.search(text[max(0, match.start() - 8) : match.end()]):
            continue
        out.append((start, match.end()))
        start = match.end()
    if text[start:].strip() or not out:
        out.append((start, len(text)))
    return tuple(out)


def _abbreviations(text: str) -> Iterator[tuple[Form, Form]]:
    """`long form (LF)`: the words before the bracket whose initials the letters are."""
    for match in _IN_BRACKETS.finditer(text):
        if _ABBREVIATION.match(match[1]):
            before = text[max(0, match.start() - 120) : match.start()]
            if long := _long_form(match[1], before):
                yield long, keys(match[1])


@lru_cache(maxsize=1_024)
def _long_form(short: str, text: str) -> Form:
    """The last words of a text whose initials an abbreviation gives; none where there are none."""
    before = _WORD.findall(text)
    letters = [c for c in short.casefold() if c.isalnum()]
    for length in range(1, min(len(before), len(letters) + 3) + 1):
        words = before[-length:]
        if words[0][0].casefold() == letters[0] and _spelt(letters, words):
            return keys(" ".join(words))
    return ()


def _spelt(letters: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the letters occur in order in the words, the words giving their first."""
    text = " ".join(words).casefold()
    position = 0
    for letter in letters:
        position = text.find(letter, position) + 1
        if not position:
            return False
    significant = [w for w in words if len(w) > 3]
    initials = sum(w[0].casefold() in letters for w in significant)
    return initials >= len(significant) - 1


def variants(name: str, passage: SplitPassage, ontology: Ontology | None) -> list[Form]:
    """The ways to write a name in this passage: its own words, perhaps none, and then others."""
    forms = dict.fromkeys([keys(name)])
    for concept in ontology.concepts(name) if ontology is not None else ():
        for other in (concept.name, *concept.synonyms):
            if (form := keys(other)) and len("".join(form)) > 1:
                forms.setdefault(form)
    for long, short in passage.abbreviations:
        if short and short in forms:  # articles are no words: "AN" alone names nothing
            forms.setdefault(long)
        elif long and long in forms:
            forms.setdefault(short)
    return list(forms)


def find_mentions(passage: SplitPassage, forms: Sequence[Form]) -> list[NameMention]:
    """All places where one of the forms stands; longer forms first, none inside another."""
    words = passage.words
    places: list[tuple[int, int]] = []
    taken: set[int] = set()
    for form in sorted(filter(None, forms), key=len, reverse=True):
        for start in _runs(words, form):
            span = range(start, start + len(form))
            if taken.isdisjoint(span):
                taken.update(span)
                places.append((start, start + len(form)))
    name = forms[0]
    if not places:
        places = _loose(passage, words, forms) or _core(words, name)
    elif len(name) > 1 and len(name[-1]) > 3:  # its last word, once the whole name was given
        places += [(i, i + 1) for i, key in enumerate(words) if key == name[-1] and i not in taken]
    return sorted(_mention(passage, *place) for place in places)


def _runs(words: Form, form: Form) -> Iterator[int]:
    for start in range(len(words) - len(form) + 1):
        if words[start] == form[0] and words[start : start + len(form)] == form:
            yield start


def _loose(
    passage: SplitPassage, words: Sequence[str], forms: Sequence[Form]
) -> list[tuple[int, int]]:
    """All words of a form close together in one sentence, in any order."""
    for form in forms:
        if len(form) < 2:
            continue
        wanted, width = set(form), len(form) + _LOOSE_GAP
        for start, word in enumerate(words):
            if word not in wanted:
                continue
            window = words[start : start + width]
            if wanted <= set(window):
                end = start + max(window.index(key) for key in wanted) + 1
                first, last = passage.spans[start][0], passage.spans[end - 1][0]
                if passage.sentence_at(first) == passage.sentence_at(last):
                    return [(start, end)]
    return []


def _core(words: Sequence[str], name: Form) -> list[tuple[int, int]]:
    """Where nothing else is found: the last word of the name, or another word of its family.

    A number before it makes it another thing: `type 2 diabetes` is not named by `type 1 diabetes`.
    """
    last = name[-1] if name else ""
    stump = _SUFFIX.sub("", last)
    places: Iterable[int] = ()
    if len(name) > 1 and len(last) > 5:
        places = (i for i, word in enumerate(words) if word == last)
        places = (i for i in places if not (i and words[i - 1].isdigit()))
    elif len(name) == 1 and len(stump) > 4 and stump != last:
        places = (i for i, word in enumerate(words) if word.startswith(stump))
    return [(i, i + 1) for i in islice(places, 1)]


def _mention(passage: SplitPassage, start: int, end: int) -> NameMention:
    first, last = passage.spans[start][0], passage.spans[end - 1][1]
    return NameMention(first, last, passage.sentence_at(first))
