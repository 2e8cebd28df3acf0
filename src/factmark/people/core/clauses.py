"""Cuts a summary into clauses, each to be judged yes or no (FINE, protocol 2).

LongEval (Krishna et al. 2023, section 4) has annotators judge the parts of each sentence between
commas, semicolons and conjunctions that are longer than five words. Here a part must also read as
a statement: commas of lists and what stands in brackets never cut.

By rules without a grammar, so they are wrong
- where a list holds a verb: `fever, cough, and pain that were treated` may lose its last member;
- where the verb is in no list: `x binds y and z phosphorylates w` stays one clause;
- where `while` means during (`while asleep`) or `where` is a place: rarely, since both sides must
  hold enough words.
A clause without its subject (`and was discharged`) is left so: it is read within its summary.

The sentences of the source that a clause most likely rests on are found by words only: BM25
(Robertson and Zaragoza 2009, section 3.2) over stemmed words, in which a number counts double and
the first letters of a long word count a little, so that `treated` still meets `treatment`. They
point annotators to a place and judge nothing: a clause that the source contradicts finds its
sentence just as well, and a paraphrase without a common word finds none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import pairwise
from types import MappingProxyType

from factmark.text import lexicon
from factmark.text.lexicon import AUXILIARIES, VERBS, word_set
from factmark.text.names import american
from factmark.text.sentences import Span, sentences, trimmed
from factmark.text.words import normalise, stem

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[()\[\]{},;:]")
_LEAST = 4  # words of a clause
_LEAST_WITH_VERB = 3

# After a comma these begin a clause of their own.
_AFTER_COMMA = word_set(
    "which who whose whom where wherein whereby while whereas although though but because so yet "
    "since unless if when thus thereby suggesting indicating"
)
# These do without one.
_ANYWHERE = word_set("whereas although because but while though")
_COORDINATING = word_set("and or")
_SUBJECTS = word_set("we it they he she this these there that those")
# Past forms that no rule of the lexicon gives, or that are mostly verbs after `and`.
_PAST = word_set(
    "showed had was were did died became began led rose fell went came gave took made found saw "
    "underwent remained decreased increased received improved developed revealed demonstrated "
    "presented reported reduced resulted caused required confirmed suggested indicated declined "
    "occurred ranged differed correlated survived responded inhibited induced enhanced prevented "
    "promoted abolished attenuated blocked impaired worsened resolved recovered relapsed progressed"
)
_FINITE = AUXILIARIES | _PAST
_RELATIVE = word_set("that which who whose whom where")
_CLOSING = {")": "(", "]": "[", "}": "{"}


def clauses(text: str) -> tuple[Span, ...]:
    """Returns the clauses of a text in order, with their marks, without white space around.

    Everything but white space is in exactly one clause, and no clause reaches over the end of a
    sentence.
    """
    return tuple(
        clause for sentence in sentences(text) for clause in _split_sentence(text, sentence)
    )


@dataclass(slots=True)
class _Piece:
    """A stretch between two places where a clause may begin."""

    start: int
    end: int
    words: int
    verb: bool

    def stands(self) -> bool:
        """Whether it is long enough, or shorter and with a verb."""
        return self.words >= (_LEAST_WITH_VERB if self.verb else _LEAST)


def _split_sentence(text: str, sentence: Span) -> Iterator[Span]:
    """Yields the clauses of a sentence; a piece too short to be one stays with its neighbour."""
    if sentence.end - sentence.start < 4 * _LEAST_WITH_VERB - 1:  # too short for two
        yield sentence
        return
    cuts = [sentence.start, *_clause_starts(text, sentence), sentence.end]
    clause: _Piece | None = None
    for start, end in pairwise(cuts):
        piece = _read_piece(text, start, end)
        if clause is None:
            clause = piece
        elif clause.stands() and piece.stands():
            yield trimmed(text, clause.start, clause.end)
            clause = piece
        else:
            clause.end = piece.end
            clause.words += piece.words
            clause.verb = clause.verb or piece.verb
    if clause is not None:
        yield trimmed(text, clause.start, clause.end)


def _read_piece(text: str, start: int, end: int) -> _Piece:
    """Returns a stretch of the text with its number of words, and whether it has a verb."""
    words = _WORD.findall(text, start, end)
    return _Piece(start, end, len(words), any(_is_verb(word.lower()) for word in words))


def _is_verb(word: str) -> bool:
    """Whether a word in lower case is in the lists of verbs."""
    return word in _FINITE or word in VERBS


def _clause_starts(text: str, sentence: Span) -> Iterator[int]:
    """Yields the places in a sentence where a clause may begin, outside of brackets."""
    tokens = list(_TOKEN.finditer(text, sentence.start, sentence.end))
    words = [token[0].lower() for token in tokens]
    inside = _inside_brackets(words)
    verb_before = False
    for index, word in enumerate(words):
        if inside[index]:
            continue
        if word == ";":
            yield tokens[index].end()
            verb_before = False
            continue
        comma = index > 0 and words[index - 1] == "," and not inside[index - 1]
        if _clause_begins(words, index, comma, verb_before):
            yield tokens[index].start()
        verb_before = verb_before or _is_verb(word)


def _clause_begins(words: list[str], index: int, comma: bool, verb_before: bool) -> bool:
    """Whether a clause may begin at a word.

    `comma`: whether it follows a comma; `verb_before`: whether the sentence has a verb before it.
    """
    word = words[index]
    if word in _COORDINATING:
        return verb_before and _statement_follows(words, index + 1, comma)
    return verb_before and (word in _ANYWHERE or (comma and word in _AFTER_COMMA))


def _statement_follows(words: list[str], index: int, comma: bool) -> bool:
    """Whether a statement (a verb, or a subject with its verb) follows an `and`, and not one more
    noun."""
    following = words[index : index + 12]
    if following[:1] and (following[0] in _FINITE or following[0] in _SUBJECTS):
        return True
    if following[1:2] and following[0].endswith("ly") and following[1] in _FINITE:
        return True
    for word in following:
        if word in _RELATIVE or word in ",;:([":
            return False
        if word in _FINITE:
            return comma
    return False


def _inside_brackets(words: list[str]) -> list[bool]:
    """Returns for each token whether it stands in brackets that are closed again."""
    inside = [False] * len(words)
    open_at: list[int] = []
    end = 0
    closed: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        if word in "([{":
            open_at.append(index)
        elif word in _CLOSING and open_at and words[open_at[-1]] == _CLOSING[word]:
            closed.append((open_at.pop(), index))
    for first, last in sorted(closed):
        for index in range(max(first, end), last + 1):
            inside[index] = True
        end = max(end, last + 1)
    return inside


_K1, _B = 1.2, 0.75  # the usual ones
_NUMBER = 2.0
_FAMILY = 0.4  # of words that only begin alike
_FAMILY_LETTERS = 5
_LONG_WORD = 7
_FUNCTION_WORDS = frozenset(stem(word) for word in lexicon.FUNCTION_WORDS) | frozenset(
    "s t d ll re ve nt dont".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSource:
    """A source with its index, made once for many clauses; see `index_source`.

    Attributes:
        postings: word to the sentences that hold it, as (number, weight).
    """

    text: str  # as given
    sentences: tuple[Span, ...]  # in order
    postings: Mapping[str, Sequence[tuple[int, float]]] = field(repr=False)


def index_source(text: str) -> IndexedSource:
    """Returns a source split into sentences, with an index of their words."""
    spans = sentences(text)
    bags = [Counter(_content_words(span.of(text))) for span in spans]
    mean = sum(bag.total() for bag in bags) / len(bags) if bags else 0.0
    postings: dict[str, list[tuple[int, float]]] = {}
    for number, bag in enumerate(bags):
        damping = _K1 * (1 - _B + _B * bag.total() / mean) if mean else _K1
        for term, times in bag.items():
            saturated = times * (_K1 + 1) / (times + damping)
            postings.setdefault(term, []).append((number, saturated))
    weighted = {
        term: tuple(
            (number, weight * _term_weight(term, len(places), len(bags)))
            for number, weight in places
        )
        for term, places in postings.items()
    }
    return IndexedSource(text=text, sentences=spans, postings=MappingProxyType(weighted))


def likely_sentences(clause: str, source: IndexedSource, most: int = 3) -> tuple[Span, ...]:
    """Returns the `most` sentences most like a clause, in the source's order; fewer where fewer
    share a content word or a number with it."""
    scores: dict[int, float] = {}
    shares: set[int] = set()
    for term in set(_content_words(clause)):
        for number, weight in source.postings.get(term, ()):
            scores[number] = scores.get(number, 0.0) + weight
            if not term.endswith("-"):
                shares.add(number)
    best = nsmallest(most, shares, key=lambda number: (-scores[number], number))
    return tuple(source.sentences[number] for number in sorted(best))


def _content_words(text: str) -> list[str]:
    """Returns the content words of a text in one spelling, then the first letters of the long ones,
    with `-`."""
    words = [american(word) for word in normalise(text) if word not in _FUNCTION_WORDS]
    families = [f"{word[:_FAMILY_LETTERS]}-" for word in words if _is_long(word)]
    return words + families


def _is_long(word: str) -> bool:
    """Whether a word is long enough for its beginning to be indexed as well."""
    return len(word) >= _LONG_WORD and word.isalpha()


def _term_weight(term: str, holding: int, of: int) -> float:
    """Returns the weight of a term that stands in `holding` of `of` sentences.

    It is the inverse document frequency, never below zero; more for numbers, less for words that
    only begin alike.
    """
    rarity = math.log(1 + (of - holding + 0.5) / (holding + 0.5))
    if term.endswith("-"):
        return _FAMILY * rarity
    # `one` and `two` are as often pronouns as numbers.
    return (_NUMBER if term[0].isdigit() and len(term) > 1 else 1.0) * rarity
