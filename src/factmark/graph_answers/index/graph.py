"""Reads what `GraphWriter` wrote, and what the ranking of one question reads of it.

Arrays stay on disk until they are touched.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from factmark.graph_answers.core.question_words import HOW, name_keys
from factmark.graph_answers.core.relation_words import RelationNames
from factmark.graph_answers.core.retrieval import Floats, Ints, Longs, Masks, distinct
from factmark.graph_answers.index.writing import KEYS, VOCABULARY
from factmark.graphs.core.claims import Triple
from factmark.passages.lexical import Hit, LexicalIndex, sort_hits
from factmark.passages.vectors import VectorIndex

EVERY = 1 << 30
"""More triples than any node has."""
VECTORS = "vectors.faiss"
Vector = npt.NDArray[np.float32]
_LIKED = 64  # relations of a hub that are looked for
_SHARE = 50  # triples of each of these, at least
_NEAR = 40  # names with a word like a misspelt one that are read
_ALIKE = 0.75  # of difflib: what two words have in common, at least


class Stretches:
    """Stretches of numbers, one after another, and where each begins."""

    def __init__(self, folder: Path, name: str) -> None:
        self._values, self._starts = _load(folder, name), _load(folder, f"{name}.at")

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def is_empty(self) -> bool:
        """Whether all stretches are without values."""
        return not len(self._values)

    @property
    def sizes(self) -> Longs:
        """How many values each stretch has."""
        sizes: Longs = np.diff(self._starts)
        return sizes

    def at_least(self, least: int) -> Longs:
        """How many values of each stretch are so great."""
        before = np.concatenate([[0], np.cumsum(self._values >= least)])
        counts: Longs = np.diff(before[self._starts])
        return counts

    def counts(self, size: int) -> Longs:
        """How often each of the numbers below `size` is a value."""
        return np.bincount(self._values, minlength=size)

    def of(self, number: int) -> npt.NDArray[Any]:
        """Returns the values of one stretch."""
        return self._values[self._starts[number] : self._starts[number + 1]]

    def several(self, numbers: Ints | Longs) -> tuple[Ints, Longs]:
        """Returns the values of some stretches one after another, and for each value the place of
        its stretch."""
        starts = self._starts[numbers]
        places, within = _places(self._starts[numbers + 1] - starts)
        return self._values[starts[places] + within], places

    def spread(self, numbers: Longs, most: int) -> tuple[Ints, Longs]:
        """As `several`; of a longer stretch so many values, spread evenly."""
        starts = self._starts[numbers]
        full = self._starts[numbers + 1] - starts
        places, within = _places(np.minimum(full, most))
        long = full[places] > most
        step = np.where(long, full[places] * within // most, within)
        return self._values[starts[places] + step], places


class StoredGraph:
    """Triples with the names of their nodes, both by their numbers.

    Raises:
        OSError, ValueError, RuntimeError: the files in the folder are no index.
    """

    def __init__(self, folder: Path) -> None:
        import marisa_trie

        self.folder = folder
        rows, edges, starts = (_load(folder, name) for name in ("triples", "edges", "starts"))
        self._rows: Ints = rows
        self._edges: Ints = edges
        self._starts: Longs = starts
        self._names, self._extras = Stretches(folder, "names"), Stretches(folder, "extras")
        self.tokens, self.said = Stretches(folder, "tokens"), Stretches(folder, "said")
        self._keys = marisa_trie.RecordTrie(KEYS).mmap(str(folder / "keys.trie"))
        vocabulary = str(folder / "vocabulary.trie")
        self._vocabulary = marisa_trie.RecordTrie(VOCABULARY).mmap(vocabulary)
        relations = json.loads((folder / "relations.json").read_text("utf-8"))
        self.relations: list[str] = [str(name) for name in relations]
        self.words = LexicalIndex(folder / "words")
        self.vectors = VectorIndex(folder / VECTORS) if (folder / VECTORS).exists() else None
        self.triples, self.nodes = len(self._rows), len(self._names)
        self.frequency = lru_cache(maxsize=65_536)(self._frequency)
        """How often names have a word."""

    @cached_property
    def relation_names(self) -> RelationNames:
        """The relations by the words that ask for them."""
        return RelationNames(self.relations)

    def name(self, node: int) -> str:
        """A node's name."""
        return self._names.of(node).tobytes().decode()

    def degree(self, node: int) -> int:
        """How many triples touch a node."""
        return int(self._starts[node + 1] - self._starts[node])

    def degrees(self, nodes: Ints) -> int:
        """How many triples touch some nodes, together."""
        return int((self._starts[nodes + 1] - self._starts[nodes]).sum())

    def prefixes(self, text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
        """The keys that a text (keys of words, each with a space behind) begins with, each with its
        nodes and how they are named so, the surest first."""
        for key in self._keys.prefixes(text):
            ways = sorted(self._keys[key], key=lambda way: (way[1], way[0]))
            yield key, [(node, HOW[how]) for node, how in ways]

    def knows(self, key: str) -> bool:
        """Whether a name or a statement has a word."""
        return key in self._vocabulary

    def _frequency(self, key: str) -> int:
        """Returns how many names have a word."""
        return next((count for _, count in self._vocabulary.get(key, ())), 0)

    def like(self, key: str) -> set[str]:
        """Words of names that are about a letter from one."""
        names = map(self.name, self.words.near(key, 1, _NEAR))
        words = {word for name in names for word in name_keys(name)}
        letters = Counter(key).items()

        def may_be_alike(word: str) -> bool:
            # The letters that both have are the most that difflib, which is slow, can match.
            least = _ALIKE * (len(key) + len(word)) / 2
            if min(len(key), len(word)) < least:
                return False
            return sum([min(count, word.count(letter)) for letter, count in letters]) >= least

        return set(get_close_matches(key, filter(may_be_alike, words), n=3, cutoff=_ALIKE))

    def rows(self, numbers: Longs) -> Ints:
        """Head, relation and tail of triples."""
        rows: Ints = self._rows[numbers]
        return rows

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs:
        """The triples that touch a node, by relation.

        Of more than `most`, each liked relation has a share, the most wanted first, and the rest
        are spread evenly; see `factmark.graph_answers.core.retrieval.Neighbourhood`.
        """
        edges = self._edges[self._starts[node] : self._starts[node + 1]]
        if len(edges) <= most:
            return edges.astype(np.int64)
        parts: list[Ints] = []
        left = most
        liked = liked[:_LIKED]
        for place, relation in enumerate(liked):
            share = max(_SHARE, left // (len(liked) - place + 1))
            low = bisect_left(edges, relation, key=self._relation_of)
            high = bisect_left(edges, relation + 1, low, key=self._relation_of)
            parts.append(edges[low : min(high, low + share, low + left)])
            left -= len(parts[-1])
        spread = np.linspace(0, len(edges) - 1, max(left, 1), dtype=np.int64)
        return distinct(np.concatenate([*parts, edges[spread]]).astype(np.int64))

    def _relation_of(self, triple: int) -> int:
        """Returns the relation of a triple."""
        return int(self._rows[triple, 1])

    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]:
        """The triples of several nodes, and the place of the node of each; at most so many a
        node, spread evenly."""
        starts = self._starts[nodes]
        ends = self._starts[nodes + 1]
        sizes = np.minimum(ends - starts, most)
        places, within = _places(sizes)
        full = (ends - starts)[places]
        step = np.where(full > most, full * within // most, within)
        return self._edges[starts[places] + step].astype(np.int64), places

    def triple(self, number: int) -> Triple:
        """A triple as it was read, without its passage's text."""
        head, relation, tail = self._rows[number].tolist()
        extras = json.loads(self._extras.of(number).tobytes().decode() or "{}")
        return Triple(
            head=self.name(head), relation=self.relations[relation], tail=self.name(tail), **extras
        )

    def word_bits(self, bits: Mapping[str, int]) -> Masks:
        """The bit of each word of names."""
        masks = np.zeros(len(self._vocabulary), dtype=np.uint64)
        for key, bit in bits.items():
            for word, _ in self._vocabulary.get(key, ()):
                masks[word] = bit
        return masks

    def nearest(self, vector: Vector, among: Sequence[int], most: int) -> list[Hit]:
        """The triples whose vectors are nearest: of some, and of all."""
        if self.vectors is None:
            return []
        hits = (*self.vectors.among(vector, among, most), *self.vectors.search(vector, most))
        scores = {number: score for score, number in hits}
        return sort_hits([(score, number) for number, score in scores.items()])


class AskedGraph:
    """A graph as the ranking of one question reads it.

    Args:
        bits: key of a word of the question -> its bit.
    """

    def __init__(self, graph: StoredGraph, bits: Mapping[str, int]) -> None:
        self._graph, self._bits = graph, graph.word_bits(bits)
        self._asked = bits
        self.edges = graph.edges
        self.around = graph.around
        self.rows = graph.rows

    def words_of_relations(self, relations: Ints) -> Masks:
        """The bits of the question's words that name each of some relations, or hint at it."""
        return self._graph.relation_names.masks(relations.tolist(), self._asked)

    def words_of_triples(self, numbers: Longs) -> Masks:
        """The bits of the question's words in the statements of triples."""
        if self._graph.said.is_empty:
            return np.zeros(len(numbers), dtype=np.uint64)
        words, places = self._graph.said.several(numbers)
        return self._masks(self._bits[words], places, len(numbers))

    def shared(self, nodes: Ints) -> tuple[Masks, Floats]:
        """The bits of the question's words in names, and their share of each name."""
        words, places = self._graph.tokens.several(nodes)
        bits = self._bits[words]
        totals = np.bincount(places, minlength=len(nodes))
        held = np.bincount(places, weights=bits > 0, minlength=len(nodes))
        return self._masks(bits, places, len(nodes)), held / np.maximum(totals, 1)

    def _masks(self, bits: Masks, places: Longs, count: int) -> Masks:
        """Returns the bits at each of `count` places, put together."""
        masks = np.zeros(count, dtype=np.uint64)
        held = np.flatnonzero(bits)
        np.bitwise_or.at(masks, places[held], bits[held])
        return masks


def _load(folder: Path, name: str) -> npt.NDArray[Any]:
    """Opens an array of the index; it is read as it is used."""
    values: npt.NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    return np.asarray(values)


def _places(sizes: Longs) -> tuple[Longs, Longs]:
    """Of stretches of these sizes one after another: the place of the stretch of each value, and
    its own place in it."""
    places = np.repeat(np.arange(len(sizes)), sizes)
    return places, np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
