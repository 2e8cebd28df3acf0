"""Reads what `GraphWriter` wrote, and what the ranking of one question reads of it.

Arrays stay on disk until they are touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from factmark.graphrag.core.question_words import HOW, name_keys
from factmark.graphrag.core.relation_words import RelationNames
from factmark.graphrag.core.retrieval import Floats, Ints, Longs, Masks
from factmark.graphs.core.claims import Triple
from factmark.passages.lexical import Hit, LexicalIndex
from factmark.passages.vectors import VectorIndex

EVERY = 1 << 30
"""More triples than any node has."""
VECTORS = "vectors.faiss"
Vector = npt.NDArray[np.float32]
_LIKED = 64  # relations of a hub that are looked for
_SHARE = 50  # triples of each of these, at least
_NEAR = 40  # names with a word like a misspelt one that are read
_ALIKE = 0.75  # of difflib: what two words have in common, at least


class StoredGraph:
    """Triples with the names of their nodes, both by their numbers.

    Raises:
        OSError, ValueError, RuntimeError: the files in the folder are no index.
    """

    def __init__(self, folder: Path) -> None:
        import marisa_trie

        self._folder = folder
        rows, edges, starts = map(self._load, ("triples", "edges", "starts"))
        self._rows: Ints = rows
        self._edges: Ints = edges
        self._starts: Longs = starts
        self._names, self._names_at = self._bytes("names.bin"), self._load("names.at")
        self._extras, self._extras_at = self._bytes("extras.bin"), self._load("extras.at")
        self._tokens, self._tokens_at = self._load("tokens"), self._load("tokens.at")
        self._said, self._said_at = self._load("said"), self._load("said.at")
        self._keys = marisa_trie.Trie().mmap(str(folder / "keys.trie"))
        self._keys_at, self._key_nodes = self._load("keys.at"), self._load("keys.nodes")
        self._key_how = self._load("keys.how")
        self._vocabulary = marisa_trie.Trie().mmap(str(folder / "vocabulary.trie"))
        self._word_numbers = self._load("vocabulary.numbers")
        self._word_counts = self._load("vocabulary.counts")
        relations = json.loads((folder / "relations.json").read_text("utf-8"))
        self.relations: list[str] = [str(name) for name in relations]
        self.words = LexicalIndex(folder / "words")
        self.vectors = VectorIndex(folder / VECTORS) if (folder / VECTORS).exists() else None
        self.triples, self.nodes = len(self._rows), len(self._names_at) - 1
        self.frequency = lru_cache(maxsize=65_536)(self._frequency)
        """How often names have a word."""

    @cached_property
    def relation_names(self) -> RelationNames:
        """The relations by the words that ask for them."""
        return RelationNames(self.relations)

    def name(self, node: int) -> str:
        """A node's name."""
        return self._names[self._names_at[node] : self._names_at[node + 1]].decode()

    def degree(self, node: int) -> int:
        """How many triples touch a node."""
        return int(self._starts[node + 1] - self._starts[node])

    def prefixes(self, text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
        """The keys that a text (keys of words, each with a space behind) begins with, each with its
        nodes and how they are named so."""
        for key in self._keys.prefixes(text):
            place = self._keys[key]
            some = slice(self._keys_at[place], self._keys_at[place + 1])
            nodes, how = self._key_nodes[some].tolist(), self._key_how[some].tolist()
            yield key, [(node, HOW[way]) for node, way in zip(nodes, how, strict=True)]

    def word(self, key: str) -> int | None:
        """The number of a word of names, by its key."""
        place = self._vocabulary.get(key)
        return None if place is None else int(self._word_numbers[place])

    def _frequency(self, key: str) -> int:
        number = self.word(key)
        return 0 if number is None else int(self._word_counts[number])

    def like(self, key: str) -> set[str]:
        """Words of names that are about a letter from one."""
        names = map(self.name, self.words.near(key, 1, _NEAR))
        keys = {word for name in names for word in name_keys(name)}
        return set(get_close_matches(key, keys, n=3, cutoff=_ALIKE))

    def rows(self, numbers: Longs) -> Ints:
        """Head, relation and tail of triples."""
        rows: Ints = self._rows[numbers]
        return rows

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs:
        """The triples that touch a node, by relation.

        Of more than `most`, each liked relation has a share, the most wanted first, and the rest
        are spread evenly; see `factmark.graphrag.core.retrieval.Neighbourhood`.
        """
        start, end = int(self._starts[node]), int(self._starts[node + 1])
        if end - start <= most:
            return self._edges[start:end].astype(np.int64)
        parts: list[Ints] = []
        left, liked = most, liked[:_LIKED]
        for place, relation in enumerate(liked):
            share = max(_SHARE, left // (len(liked) - place + 1))
            low = self._bound(start, end, relation)
            high = min(self._bound(low, end, relation + 1), low + min(share, left))
            parts.append(self._edges[low:high])
            left -= high - low
            if not left:
                break
        spread = np.linspace(start, end - 1, max(left, 1), dtype=np.int64)
        return np.unique(np.concatenate([*parts, self._edges[spread]])).astype(np.int64)

    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]:
        """The triples of several nodes, and the place of the node of each; at most so many a
        node, spread evenly."""
        starts, ends = self._starts[nodes], self._starts[nodes + 1]
        sizes = np.minimum(ends - starts, most)
        places, within = _places(sizes)
        full = (ends - starts)[places]
        step = np.where(full > most, full * within // most, within)
        return self._edges[starts[places] + step].astype(np.int64), places

    def triple(self, number: int) -> Triple:
        """A triple as it was read, without its passage's text."""
        head, relation, tail = self._rows[number].tolist()
        start, end = self._extras_at[number].tolist()
        extras = json.loads(self._extras[start:end]) if start < end else {}
        return Triple(
            head=self.name(head), relation=self.relations[relation], tail=self.name(tail), **extras
        )

    def name_words(self, nodes: Ints) -> tuple[Ints, Longs]:
        """The words of the names of nodes, one after another, and the place of the node of each."""
        return _stretches(self._tokens, self._tokens_at[nodes], self._tokens_at[nodes + 1])

    def statement_words(self, numbers: Longs) -> tuple[Ints, Longs]:
        """The same for the statements of triples; nothing where none has one."""
        if not len(self._said):
            return self._said, np.zeros(0, dtype=np.int64)
        at = self._said_at[numbers]
        return _stretches(self._said, at[:, 0], at[:, 1])

    def word_bits(self, bits: Mapping[str, int]) -> Masks:
        """The bit of each word of names."""
        masks = np.zeros(len(self._word_counts), dtype=np.uint64)
        for key, bit in bits.items():
            if (word := self.word(key)) is not None:
                masks[word] = bit
        return masks

    def nearest(self, vector: Vector, among: Sequence[int], most: int) -> list[Hit]:
        """The triples whose vectors are nearest: of some, and of all."""
        if self.vectors is None:
            return []
        hits = (*self.vectors.among(vector, among, most), *self.vectors.search(vector, most))
        scores = {number: score for score, number in hits}
        ordered = sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))
        return [(score, number) for number, score in ordered]

    def _bound(self, low: int, high: int, relation: int) -> int:
        """Where the edges of a node with at least this relation begin."""
        while low < high:
            middle = (low + high) // 2
            if self._rows[self._edges[middle], 1] < relation:
                low = middle + 1
            else:
                high = middle
        return low

    def _load(self, name: str) -> npt.NDArray[Any]:
        path = self._folder / f"{name}.npy"
        values: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return np.asarray(values)

    def _bytes(self, name: str) -> mmap | bytes:
        with (self._folder / name).open("rb") as file:
            if not os.fstat(file.fileno()).st_size:  # nothing cannot be mapped
                return b""
            return mmap(file.fileno(), 0, access=ACCESS_READ)


class AskedGraph:
    """A graph as the ranking of one question reads it.

    Args:
        bits: key of a word of the question -> its bit.
    """

    def __init__(self, graph: StoredGraph, bits: Mapping[str, int]) -> None:
        self._graph, self._bits = graph, graph.word_bits(bits)
        self.edges, self.around, self.rows = graph.edges, graph.around, graph.rows

    def said(self, numbers: Longs) -> Masks:
        """The bits of the question's words in the statements of triples."""
        words, places = self._graph.statement_words(numbers)
        return self._masks(self._bits[words], places, len(numbers))

    def shared(self, nodes: Ints) -> tuple[Masks, Floats]:
        """The bits of the question's words in names, and their share of each name."""
        words, places = self._graph.name_words(nodes)
        bits = self._bits[words]
        totals = np.bincount(places, minlength=len(nodes))
        held = np.bincount(places, weights=bits > 0, minlength=len(nodes))
        return self._masks(bits, places, len(nodes)), held / np.maximum(totals, 1)

    def _masks(self, bits: Masks, places: Longs, count: int) -> Masks:
        masks = np.zeros(count, dtype=np.uint64)
        np.bitwise_or.at(masks, places[bits > 0], bits[bits > 0])
        return masks


def _places(sizes: Longs) -> tuple[Longs, Longs]:
    """Of stretches of these sizes one after another: the place of the stretch of each value, and
    its own place in it."""
    places = np.repeat(np.arange(len(sizes)), sizes)
    return places, np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _stretches(values: Ints, starts: Longs, ends: Longs) -> tuple[Ints, Longs]:
    """Stretches of values one after another, and the place of the stretch of each."""
    places, within = _places(ends - starts)
    return values[starts[places] + within], places
