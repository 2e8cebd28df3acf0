"""Links a question to the entities of an index: by name, else by initials, misspelt, or in part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from factmark.graph_answers.core.question_words import (
    LONGEST_NAME,
    SURE,
    WEIGHTS,
    Match,
    QuestionWord,
    is_acronym,
    longest_first,
    name_keys,
    says_something,
    words_of,
)
from factmark.graph_answers.index.graph import StoredGraph
from factmark.graph_answers.index.writing import INITIALS
from factmark.passages.lexical import terms_of
from factmark.text.word_classes import word_class

_MOST_NODES = 32  # of one name; those with most triples
_PARTS = 12  # names that share words with a question, looked at
_WHOLE_ENOUGH = 0.6  # of a name's words, by weight, that the question has to hold
_FEW = 3  # names with a word, for it to stand for each of them
_BETWEEN = 2  # words that may stand between those of a name in another order
_SHORTEST = 5  # letters of a word that may be misspelt


@lru_cache(maxsize=65_536)
def _terms(word: str) -> tuple[str, ...]:
    """A word as the index of names has it."""
    return tuple(terms_of(word))


def _match(first: int, last: int, nodes: tuple[int, ...], how: str, share: float = 1.0) -> Match:
    """Returns a match that weighs as its way of naming does, or a share of it."""
    return Match(first=first, last=last, nodes=nodes, how=how, weight=WEIGHTS[how] * share)


def _span(match: Match) -> range:
    """Returns the places of a match's words."""
    return range(match.first, match.last)


class Linker:
    """Finds entities in questions.

    Args:
        weight: of a word of names, from 0 to 1, the rarer the more.
    """

    def __init__(self, graph: StoredGraph, weight: Callable[[str], float]) -> None:
        self._graph = graph
        self._weight = weight

    def matches(self, text: str) -> tuple[tuple[QuestionWord, ...], list[Match]]:
        """The words of a text and what they name, the longest names first, none overlapping."""
        words = words_of(text)
        matches = list(self._named(words))
        matches += self._by_initials(text, words, matches)
        matches += self._misspelt(words, matches)
        return words, longest_first(matches, words)

    def parts(
        self, text: str, words: Sequence[QuestionWord], matches: Sequence[Match]
    ) -> Iterator[Match]:
        """Names of which the text holds most words, one at least that names nothing else and is no
        word of every question; those of which it holds all close together, in whatever order, are
        as sure as an alias, if they break up no longer name.

        `first` and `last` of the others are of the first word that they share.
        """
        covered = {}
        for match in matches:
            for n in range(match.first, match.last):
                covered[n] = match
        asked: dict[str, int] = {}
        for place, word in enumerate(words):
            if not word.is_function:
                for term in _terms(word.text):
                    asked.setdefault(term, place)
        if not any(n not in covered and self._may_name(words[n]) for n in asked.values()):
            return
        for _, node in self._graph.words.search(text, _PARTS):
            keys = name_keys(self._graph.name(node))
            terms = {term: self._weight(key) for key in keys for term in _terms(key) or (key,)}
            if len(terms) < len(keys):
                continue  # one word twice, as in `Movie Movie`, is not named by the word
            shared = [asked[term] for term in terms if term in asked]
            left = {place for place in shared if place not in covered}
            if not left or any(t.isdigit() for t in terms if t not in asked):
                continue  # of another number is another thing: type 2 is not type 1
            total = math.fsum(terms.values())
            held = math.fsum(weight for term, weight in terms.items() if term in asked)
            first = min(shared)
            last = max(shared) + 1
            whole = all(set(_span(covered[n])) <= set(shared) for n in {*shared} - left)
            if whole and len(shared) == len(terms) > 1 and last - first <= len(terms) + _BETWEEN:
                yield _match(first, last, (node,), "alias")
            elif not any(self.is_content(words[place]) for place in left):
                continue
            elif held >= _WHOLE_ENOUGH * total or self._telling(left, words):
                yield _match(first, first + 1, (node,), "part", held / total)

    def _may_name(self, word: QuestionWord) -> bool:
        """Whether some name has a word that asks for no relation."""
        return self._graph.knows(word.key) and not self._asks(word)

    def is_content(self, word: QuestionWord) -> bool:
        """Whether a word is one that the language does not have for everything: no verb, no general
        noun, and nothing that asks for a relation of the graph."""
        return word_class(word.text) == "content" and not self._asks(word)

    def _asks(self, word: QuestionWord) -> bool:
        """Whether a word asks for a relation of the graph."""
        return self._graph.relation_names.speaks(word.key)

    def _telling(self, places: Iterable[int], words: Sequence[QuestionWord]) -> bool:
        """Whether a word stands in very few names: `Etna`, `Curie`."""
        return any(
            0 < self._graph.frequency(words[place].key) <= _FEW and self.is_content(words[place])
            for place in places
        )

    def _named(self, words: Sequence[QuestionWord], how: str | None = None) -> Iterator[Match]:
        """Every stretch of words that is a name."""
        keys = [word.key for word in words]
        for first in range(len(words)):
            text = " ".join(keys[first : first + LONGEST_NAME]) + " "
            for length, nodes, way in self._prefixes(text):
                last = first + length
                if says_something(words, first, last):
                    yield _match(first, last, nodes, how or way)

    def _prefixes(self, text: str) -> Iterator[tuple[int, tuple[int, ...], str]]:
        """The names that a text begins with: how many words, which nodes, how they are named so.

        Nodes that bear a name themselves go before those that it is a synonym of.
        """
        for key, nodes in self._graph.prefixes(text):
            best = max((how for _, how in nodes), key=WEIGHTS.__getitem__)
            best_known = dict.fromkeys(node for node, how in nodes if how in (best, *SURE))
            yield key.count(" "), self._most_connected(best_known), best

    def _by_initials(
        self, text: str, words: Sequence[QuestionWord], matches: Sequence[Match]
    ) -> Iterator[Match]:
        """Acronyms that are no name: `T2DM` where the graph has type 2 diabetes mellitus."""
        named: set[int] = set()
        for match in matches:
            named.update(range(match.first, match.last))
        first = 0
        while first < len(words):
            last = first + 1
            while last < len(words) and words[last].start == words[last - 1].end:
                last += 1
            written = text[words[first].start : words[last - 1].end]
            if is_acronym(written) and not named.issuperset(range(first, last)):
                key = f"{INITIALS}{written.casefold()} "
                for length, nodes, _ in self._prefixes(key):
                    if length == 1 and len(nodes) < _MOST_NODES:
                        yield _match(first, last, nodes, "initials")
            first = last

    def _misspelt(self, words: Sequence[QuestionWord], matches: Sequence[Match]) -> Iterator[Match]:
        """Names that appear once words that neither a name nor the language has are read as the
        nearest ones: `heard` is no misspelt heart."""
        named = {place for match in matches for place in range(match.first, match.last)}
        mended = list(words)
        changed = set()
        for place, word in enumerate(words):
            long = len(word.key) >= _SHORTEST and place not in named and not word.is_function
            unknown = long and not self._graph.knows(word.key) and self.is_content(word)
            if unknown and (near := self._nearest(word.key)) is not None:
                mended[place] = replace(word, key=near)
                changed.add(place)
        if changed:
            for match in self._named(mended, "fuzzy"):
                if changed & set(range(match.first, match.last)):
                    yield match

    def _nearest(self, key: str) -> str | None:
        """The commonest word of names that begins alike and is a letter more, less or another, or
        has two of them exchanged. What is further off is mostly another thing."""
        alike = sorted(word for word in self._graph.like(key) if word[0] == key[0])
        return max(alike, key=self._graph.frequency, default=None)

    def _most_connected(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Returns nodes; of very many those in the most triples."""
        listed = list(nodes)
        if len(listed) > _MOST_NODES:
            listed = sorted(listed, key=lambda node: -self._graph.degree(node))[:_MOST_NODES]
        return tuple(listed)
