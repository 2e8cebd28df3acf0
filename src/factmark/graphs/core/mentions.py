"""Where a passage names an entity: up to inflection, spelling, abbreviations and synonyms. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress
from typing import NamedTuple

from factmark.graphs.core.ontology import Ontology
from factmark.text.names import american
from factmark.text.sentences import Span, sentences
from factmark.text.words import stem

_WORD = re.compile(r"[^\W_]+")
_WORDS_AND_SIGNS = re.compile(rf"({_WORD.pattern})")
_IN_BRACKETS = re.compile(r"\(([A-Za-z][\w./-]{1,11})s?(?=[),;])")
_ABBREVIATION = re.compile(r"^(?=.*[A-Z].*[A-Z\d])[\w./-]+$")
_DROPPED = frozenset({"a", "an", "the", "s"})
Form = tuple[str, ...]
"""A way to write a name: the keys of its words."""


class NameMention(NamedTuple):
    """A place where an entity is named, in characters, and the number of its sentence."""

    start: int
    end: int
    sentence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPassage:
    """A passage in sentences and words; `abbreviations` as it introduces them itself.

    `ends`: where each sentence ends; `words`: the key of each; `spans`: where each stands in
    characters; `places`: word -> the places in `words` that have it.
    """

    text: str
    sentences: tuple[Span, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    abbreviations: tuple[tuple[Form, Form], ...]
    places: Mapping[str, Sequence[int]]

    def sentence_at(self, position: int) -> int:
        """Returns the number of the sentence that has the character at a position."""
        number = bisect_right(self.ends, position)
        return min(number, len(self.ends) - 1)


@lru_cache(maxsize=65_536)
def token_key(word: str) -> str:
    """Returns the form under which words are compared: stem, lower case, American spelling."""
    return american(stem(word.casefold()))


@lru_cache(maxsize=65_536)
def _kept_key(word: str) -> str:
    """Returns the `token_key` of a word as it stands in a text; empty for an article."""
    if word.casefold() in _DROPPED:
        return ""
    return token_key(word)


@lru_cache(maxsize=65_536)
def keys(name: str) -> Form:
    """Returns the keys (`token_key`) of the words of a name, without articles."""
    return tuple(filter(None, map(_kept_key, _WORD.findall(name))))


@lru_cache(maxsize=256)  # of rows that stand together, or are brought together by the judge
def read_passage(text: str) -> SplitPassage:
    """Returns a passage in sentences and words; kept, since several triples mostly share one."""
    pieces = _WORDS_AND_SIGNS.split(text)  # signs, word, signs, word, ..., signs
    ends = list(accumulate(map(len, pieces)))
    keys_of_all = list(map(_kept_key, pieces[1::2]))
    words = tuple(filter(None, keys_of_all))
    spans = tuple(compress(zip(ends[::2], ends[1::2], strict=False), keys_of_all))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    whole = sentences(text)
    return SplitPassage(
        text=text,
        sentences=whole,
        ends=tuple(end for _, end in whole),
        words=words,
        spans=spans,
        abbreviations=tuple(_abbreviations(text)),
        places=dict(places),
    )


def _abbreviations(text: str) -> Iterator[tuple[Form, Form]]:
    """Yields each abbreviation that a text introduces as `long form (LF)`: long form, then
    short."""
    for match in _IN_BRACKETS.finditer(text):
        if _ABBREVIATION.match(match[1]):
            before = text[max(0, match.start() - 120) : match.start()]
            long = _long_form(match[1], before)
            if long:
                yield long, keys(match[1])


@lru_cache(maxsize=1_024)
def _long_form(short: str, text: str) -> Form:
    """Returns the last words of a text that an abbreviation stands for; empty if none fit."""
    before = _WORD.findall(text)
    letters = []
    for c in short.casefold():
        if c.isalnum():
            letters.append(c)
    for length in range(1, min(len(before), len(letters) + 3) + 1):
        words = before[-length:]
        if words[0][0].casefold() == letters[0] and _are_initials_of(letters, words):
            return keys(" ".join(words))
    return ()


def _are_initials_of(letters: Sequence[str], words: Sequence[str]) -> bool:
    """Whether letters occur in that order in words and begin nearly all of the longer ones."""
    text = " ".join(words).casefold()
    position = 0
    for letter in letters:
        position = text.find(letter, position) + 1
        if not position:
            return False
    significant = []
    for w in words:
        if len(w) > 3:
            significant.append(w)
    initials = sum(w[0].casefold() in letters for w in significant)
    return initials >= len(significant) - 1


def name_forms(name: str, passage: SplitPassage, ontology: Ontology | None) -> list[Form]:
    """Returns the ways in which this passage may write a name: its own words first, then the
    ontology's synonyms and the passage's own abbreviations."""
    known = _known_forms(name, ontology)
    if not passage.abbreviations:
        return list(known)
    forms = dict.fromkeys(known)
    for long, short in passage.abbreviations:
        if short and short in forms:  # articles are no words: "AN" alone names nothing
            forms.setdefault(long)
        elif long and long in forms:
            forms.setdefault(short)
    return list(forms)


@lru_cache(maxsize=8_192)
def _known_forms(name: str, ontology: Ontology | None) -> tuple[Form, ...]:
    """Returns the ways to write a name that any passage may use."""
    forms = dict.fromkeys([keys(name)])
    if ontology is not None:
        for concept in ontology.concepts(name):
            for other in (concept.name, *concept.synonyms):
                form = keys(other)
                if form and len("".join(form)) > 1:
                    forms.setdefault(form)
    return tuple(forms)


def find_mentions(passage: SplitPassage, forms: Sequence[Form]) -> list[NameMention]:
    """Returns all places where a passage has one of the forms, in its order; of overlapping ones
    the longest."""
    return list(_mentions(passage.text, tuple(forms)))


@lru_cache(maxsize=4_096)
def _mentions(text: str, forms: tuple[Form, ...]) -> tuple[NameMention, ...]:
    """Returns what `find_mentions` does; kept, since triples of a passage mostly share a name."""
    passage = read_passage(text)
    places: list[tuple[int, int]] = []
    taken: set[int] = set()
    for form in sorted(filter(None, forms), key=len, reverse=True):
        size = len(form)
        for start in passage.places.get(form[0], ()):
            end = start + size
            if size > 1 and passage.words[start:end] != form:
                continue
            span = range(start, end)
            if taken.isdisjoint(span):
                taken.update(span)
                places.append((start, end))
    return tuple(sorted(_mention_at(passage, *place) for place in places))


def _mention_at(passage: SplitPassage, start: int, end: int) -> NameMention:
    """Returns the mention that the words from `start` to `end` make."""
    first = passage.spans[start][0]
    last = passage.spans[end - 1][1]
    return NameMention(first, last, passage.sentence_at(first))
