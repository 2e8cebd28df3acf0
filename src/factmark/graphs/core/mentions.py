"""Where a passage names an entity: up to inflection, spelling, abbreviations and synonyms. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

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
_SUFFIX = re.compile(r"(?:ement|ment|ation|ition|sion|ion|iz|ing)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word of the passage: its key, and where it stands in characters."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place where an entity is named.

    Attributes:
        start, end: in characters.
        sentence: the number of its sentence.
        how: `name`, `synonym`, `abbreviation`, `loose` (all its words close together), `short`
            (its last word, after the whole name was given), `core` (its last word alone, or one
            of the same family).
    """

    start: int
    end: int
    sentence: int
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage in sentences and words; `abbreviations` as it introduces them itself."""

    text: str
    sentences: tuple[tuple[int, int], ...]
    tokens: tuple[Token, ...]
    abbreviations: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    def sentence_at(self, position: int) -> int:
        """The number of the sentence that a character stands in."""
        number = bisect_right(self.sentences, position, key=itemgetter(1))
        return min(number, len(self.sentences) - 1)


@lru_cache(maxsize=65_536)
def token_key(word: str) -> str:
    """The key under which a word is compared."""
    return american(stem(word.casefold()))


def keys(name: str) -> tuple[str, ...]:
    """The keys of the words of a name, without articles."""
    words = [match[0] for match in _WORD.finditer(name)]
    return tuple(token_key(word) for word in words if word.casefold() not in _DROPPED)


@lru_cache(maxsize=1_024)
def read_passage(text: str) -> Passage:
    """Splits a passage; several triples mostly share one."""
    tokens = tuple(
        Token(key=token_key(match[0]), start=match.start(), end=match.end())
        for match in _WORD.finditer(text)
        if match[0].casefold() not in _DROPPED
    )
    return Passage(
        text=text,
        sentences=_sentences(text),
        tokens=tokens,
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


def _abbreviations(text: str) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """`long form (LF)`: the words before the bracket whose initials the letters are."""
    for match in _IN_BRACKETS.finditer(text):
        short = match[1]
        if not _ABBREVIATION.match(short):
            continue
        before = _WORD.findall(text[max(0, match.start() - 120) : match.start()])
        letters = [c for c in short.casefold() if c.isalnum()]
        for length in range(1, min(len(before), len(letters) + 3) + 1):
            words = before[-length:]
            if words[0][0].casefold() == letters[0] and _spelt(letters, words):
                yield keys(" ".join(words)), keys(short)
                break


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


def variants(name: str, passage: Passage, ontology: Ontology | None) -> dict[tuple[str, ...], str]:
    """The ways to write a name in this passage, with how each was found."""
    own = keys(name)
    out: dict[tuple[str, ...], str] = {own: "name"} if own else {}
    if ontology is not None:
        for concept in ontology.concepts(name):
            for other in (concept.name, *concept.synonyms):
                if (form := keys(other)) and len("".join(form)) > 1:
                    out.setdefault(form, "synonym")
    for long, short in passage.abbreviations:
        for form in tuple(out):
            if form == short:
                out.setdefault(long, "abbreviation")
            elif form == long:
                out.setdefault(short, "abbreviation")
    return out


def find_mentions(passage: Passage, forms: dict[tuple[str, ...], str]) -> list[Mention]:
    """All places where one of the forms stands; longer forms first, none inside another."""
    found: list[tuple[int, int, str]] = []
    taken: set[int] = set()
    found_keys = [token.key for token in passage.tokens]
    for form in sorted(forms, key=len, reverse=True):
        for start in _runs(found_keys, form):
            span = range(start, start + len(form))
            if taken.isdisjoint(span):
                taken.update(span)
                found.append((start, start + len(form), forms[form]))
    if not found:
        found = _loose(passage, found_keys, forms) or _core(found_keys, forms)
    elif names := [form for form, how in forms.items() if how == "name" and len(form) > 1]:
        last = names[0][-1]
        found += [
            (i, i + 1, "short")
            for i, key in enumerate(found_keys)
            if key == last and i not in taken and len(key) > 3
        ]
    return sorted((_mention(passage, *place) for place in found), key=lambda m: m.start)


def _runs(tokens: Sequence[str], form: tuple[str, ...]) -> Iterable[int]:
    for start in range(len(tokens) - len(form) + 1):
        if tokens[start] == form[0] and tuple(tokens[start : start + len(form)]) == form:
            yield start


def _loose(
    passage: Passage, tokens: Sequence[str], forms: dict[tuple[str, ...], str]
) -> list[tuple[int, int, str]]:
    """All words of a form close together in one sentence, in any order."""
    for form in forms:
        if len(form) < 2:
            continue
        wanted, width = set(form), len(form) + _LOOSE_GAP
        for start in range(len(tokens)):
            if tokens[start] not in wanted:
                continue
            window = tokens[start : start + width]
            if wanted <= set(window):
                end = start + max(window.index(key) for key in wanted) + 1
                first, last = passage.tokens[start], passage.tokens[end - 1]
                if passage.sentence_at(first.start) == passage.sentence_at(last.start):
                    return [(start, end, "loose")]
    return []


def _core(tokens: Sequence[str], forms: dict[tuple[str, ...], str]) -> list[tuple[int, int, str]]:
    """Where nothing else is found: the last word of the name, or another word of its family.

    A number before it makes it another thing: `type 2 diabetes` is not named by `type 1 diabetes`.
    """
    for form, how in forms.items():
        if how != "name":
            continue
        last = form[-1]
        stump = _SUFFIX.sub("", last)
        if len(form) > 1 and len(last) > 5:
            for i, key in enumerate(tokens):
                if key == last and not (i and tokens[i - 1].isdigit()):
                    return [(i, i + 1, "core")]
        elif len(form) == 1 and len(stump) > 4 and stump != last:
            for i, key in enumerate(tokens):
                if key.startswith(stump):
                    return [(i, i + 1, "core")]
    return []


def _mention(passage: Passage, start: int, end: int, how: str) -> Mention:
    first, last = passage.tokens[start], passage.tokens[end - 1]
    return Mention(
        start=first.start, end=last.end, sentence=passage.sentence_at(first.start), how=how
    )
