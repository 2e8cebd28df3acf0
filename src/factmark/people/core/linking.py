"""The sentences of a source that each clause of a summary most likely rests on.

By words alone it is BM25 (Robertson and Zaragoza 2009, section 3.2) over stemmed words, in which a
number counts double and the first letters of a long word count a little, so that `treated` still
meets `treatment`; of two sentences with the same words the longer one is likelier. With vectors of
words each word of a clause takes the sentence's word that is most like it, weighted by how rare it
is, so that `vessel` meets `ship`; the clause's mean vector is compared with the sentence's, and
with that of the sentence and its neighbours, for a summary tells in a clause what its source tells
in several.

A summary mostly goes through its source in order. So a clause is also looked for from the places
of the clauses before and after it: a chain over the sentences, from clause to clause, in which
most steps go a little forward, some back, and a share of all goes anywhere (forward-backward:
Rabiner 1989, section III). What the others say of a clause's place is added to what it says itself.

The weights are those of a logistic regression (which sentence of a story is meant?) learnt from 193
clauses of seven summaries of four stories of SQuALITY's train and dev files, the lengths of steps
from half of them.

Links point annotators to a place and judge nothing: a clause that the source contradicts finds its
sentence just as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from factmark.text import lexicon
from factmark.text.alike import write_alike
from factmark.text.names import american
from factmark.text.sentences import Span, sentences
from factmark.text.words import normalise, stem

Floats = NDArray[np.float64]
Linker = Callable[[Sequence[str], "IndexedSource"], tuple[tuple[Span, ...], ...]]
"""From the clauses of one summary, in order, and its source to the sentences that each of them most
likely rests on, in the source's order."""
WordVectors = Callable[[Sequence[str]], Floats]
"""From words to their vectors, a row a word."""

MOST = 3  # sentences for a clause
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# the usual ones
_K1 = 1.2
_B = 0.75
_NUMBER = 2.0
_FAMILY = 0.4  # of words that only begin alike
_FAMILY_LETTERS = 5
_LONG_WORD = 7
_WORD_WEIGHTS = 0.68, 0.57  # of shared words, and of a sentence's length
_VECTOR_WEIGHTS = 0.47, 0.56, 0.75  # word by word, with the sentence, with it and its neighbours
# sentences; a step so much farther is e times less likely
_FORWARD = 15.0
_BACK = 6.0
_SHARE_BACK = 0.2
_LEAK = 0.2  # of the steps go anywhere
_FARTHEST = 80  # sentences of a step that does not
_DIGITS = 9  # of a score: sums differ in the last ones from machine to machine
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
    mean = 0.0
    if bags:
        mean = sum(bag.total() for bag in bags) / len(bags)
    postings: dict[str, list[tuple[int, float]]] = {}
    for number, bag in enumerate(bags):
        if mean:
            damping = _K1 * (1 - _B + _B * bag.total() / mean)
        else:
            damping = _K1
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


def likely_by_words(clauses: Sequence[str], source: IndexedSource) -> tuple[tuple[Span, ...], ...]:
    """Returns the likely sentences by words alone; fewer where fewer share a content word or a
    number with a clause."""
    return best_sentences(scores_by_words(clauses, source), source)


def scores_by_words(clauses: Sequence[str], source: IndexedSource) -> Floats:
    """Returns how well each sentence fits each clause of a summary, a row a clause; minus infinity
    where they share neither a content word nor a number."""
    (scores, lengths), shares = features_by_words(clauses, source)
    own = _WORD_WEIGHTS[0] * scores + _WORD_WEIGHTS[1] * lengths
    return np.where(shares, own + _place_by_others(own), -np.inf)


def likely_by_vectors(vectors: WordVectors) -> Linker:
    """Returns the linker that also finds other words for the same, by the vectors of words."""

    def linker(clauses: Sequence[str], source: IndexedSource) -> tuple[tuple[Span, ...], ...]:
        features = features_by_vectors(clauses, source, vectors)
        own = np.tensordot(_VECTOR_WEIGHTS, features, axes=1)
        return best_sentences(own + _place_by_others(own), source)

    return linker


def best_sentences(scores: Floats, source: IndexedSource) -> tuple[tuple[Span, ...], ...]:
    """Returns the sentences with the highest scores of each row, in the source's order."""
    return tuple(
        tuple(source.sentences[at] for at in sorted(best)) for best in best_places(scores, MOST)
    )


def best_places(scores: Floats, most: int) -> list[list[int]]:
    """Returns where the highest scores of each row stand, best first; never those of minus
    infinity."""
    order = np.argsort(-np.round(scores, _DIGITS), axis=1, kind="stable")[:, :most]
    places = []
    for best, row in zip(order.tolist(), scores, strict=True):
        places.append([at for at in best if row[at] > -np.inf])
    return places


def features_by_words(
    clauses: Sequence[str], source: IndexedSource
) -> tuple[Floats, NDArray[np.bool_]]:
    """Returns of each clause and sentence their BM25 and the sentence's length, both standardised,
    and whether they share a word or a number."""
    scores = np.zeros((len(clauses), len(source.sentences)))
    shares = np.zeros(scores.shape, dtype=bool)
    for row, clause in enumerate(clauses):
        for term in dict.fromkeys(_content_words(clause)):
            for number, weight in source.postings.get(term, ()):
                scores[row, number] += weight
                shares[row, number] |= not term.endswith("-")
    words = []
    for span in source.sentences:
        words.append(math.log(1 + len(_words(span.of(source.text)))))
    lengths = np.broadcast_to(np.array(words), scores.shape)
    return np.array([_standard(scores), _standard(lengths)]), shares


def features_by_vectors(
    clauses: Sequence[str], source: IndexedSource, vectors: WordVectors
) -> Floats:
    """Returns how like each clause is to each sentence, standardised: word by word, by their mean
    vectors, and by that of the sentence and its neighbours."""
    if not clauses or not source.sentences:
        return np.zeros((len(_VECTOR_WEIGHTS), len(clauses), len(source.sentences)))
    bags = []
    for span in source.sentences:
        bags.append(_words(span.of(source.text)) or [""])
    asked = [_words(clause) or [""] for clause in clauses]
    vocabulary = {word: at for at, word in enumerate(dict.fromkeys(chain(*bags, *asked)))}
    table = _unit(np.asarray(vectors(list(vocabulary)), dtype=np.float64))
    rarity = _rarity(vocabulary, bags)
    places = [np.array([vocabulary[word] for word in bag]) for bag in bags]
    wanted = [np.array([vocabulary[word] for word in bag]) for bag in asked]
    flat = np.concatenate(places)
    starts = np.cumsum([0, *map(len, places[:-1])])
    by_word = []
    for bag, at in zip(asked, wanted, strict=True):
        content = at[[word not in lexicon.FUNCTION_WORDS for word in bag]]
        alike = np.maximum(table[content] @ table.T, 0.0) ** 2
        by_word.append(rarity[content] @ np.maximum.reduceat(alike[:, flat], starts, axis=1))
    means = (np.array([rarity[at] @ table[at] for at in rows]) for rows in (wanted, places))
    by_mean = _likeness_of_means(*means)
    return np.array([_standard(scores) for scores in (np.array(by_word), *by_mean)])


def _rarity(vocabulary: Mapping[str, int], bags: Sequence[Sequence[str]]) -> Floats:
    """Returns the inverse document frequency of each word, never below zero."""
    holding = Counter(word for bag in bags for word in set(bag))
    return np.array(
        [
            math.log(1 + (len(bags) - holding[word] + 0.5) / (holding[word] + 0.5))
            for word in vocabulary
        ]
    )


def _likeness_of_means(clauses: Floats, sentences: Floats) -> tuple[Floats, Floats]:
    """Returns the cosines of each clause's mean vector with that of each sentence, and with that of
    the sentence and its two neighbours; both without what all sentences have in common."""
    passages = sentences.copy()
    passages[1:] += sentences[:-1]
    passages[:-1] += sentences[1:]
    common = _unit(sentences).mean(axis=0)
    given, own, around = (_unit(_unit(rows) - common) for rows in (clauses, sentences, passages))
    return given @ own.T, given @ around.T


def _place_by_others(own: Floats) -> Floats:
    """Returns what the places of the other clauses say of each clause's, as a logarithm; 0 on
    average where they say nothing."""
    if not own.size:
        return own
    clauses, places = own.shape
    steps = np.arange(-_FARTHEST, _FARTHEST + 1)
    kernel = np.exp(-np.abs(steps) / np.where(steps < 0, _BACK, _FORWARD))
    for side, share in ((steps < 0, _SHARE_BACK), (steps >= 0, 1 - _SHARE_BACK)):
        kernel[side] *= share / kernel[side].sum()

    def stepped(shares: Floats, kernel: Floats) -> Floats:
        return np.convolve(shares, kernel)[_FARTHEST : _FARTHEST + places]

    reach = stepped(np.ones(places), kernel[::-1])
    likely = np.exp(own - own.max(axis=1, keepdims=True))
    before = np.full((clauses, places), 1 / places)
    after = before.copy()
    for row in range(1, clauses):
        known = before[row - 1] * likely[row - 1]
        before[row] = (1 - _LEAK) * stepped(known / known.sum() / reach, kernel) + _LEAK / places
    for row in range(clauses - 2, -1, -1):
        known = after[row + 1] * likely[row + 1]
        after[row] = (1 - _LEAK) * stepped(known / known.sum(), kernel[::-1]) / reach
        after[row] += _LEAK / places
    together = before * after
    place: Floats = np.log(together / together.mean(axis=1, keepdims=True))
    return place


def _standard(scores: Floats) -> Floats:
    """Returns the scores of each clause with mean 0 and deviation 1; 0 where all are one."""
    if not scores.size:
        return scores
    spread = scores.std(axis=1, keepdims=True)
    standard: Floats = (scores - scores.mean(axis=1, keepdims=True)) / np.where(
        spread > 0, spread, 1.0
    )
    return standard


def _unit(vectors: Floats) -> Floats:
    """Returns the vectors at length 1; those of length 0 stay."""
    length = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    unit: Floats = vectors / np.where(length > 0, length, 1.0)
    return unit


def _words(text: str) -> list[str]:
    """Returns the words of a text in lower case, as they stand."""
    words = []
    for word in _WORD.findall(write_alike(text)):
        words.append(word.lower())
    return words


def _content_words(text: str) -> list[str]:
    """Returns the content words of a text in one spelling, then the first letters of the long ones,
    with `-`."""
    words = []
    for word in normalise(write_alike(text)):
        if word not in _FUNCTION_WORDS:
            words.append(american(word))
    families = []
    for word in words:
        if _is_long(word):
            families.append(f"{word[:_FAMILY_LETTERS]}-")
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
