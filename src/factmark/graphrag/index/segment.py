"""Opens what `SegmentWriter` wrote; arrays stay on disk until they are touched."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from difflib import get_close_matches
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.linking import HOW, name_keys
from factmark.passages.lexical import LexicalIndex
from factmark.passages.vectors import VectorIndex

if TYPE_CHECKING:
    from factmark.graphrag.index.writing import Ints

Longs = npt.NDArray[np.int64]
VECTORS = "vectors.faiss"
_LIKED = 64  # relations of a hub that are looked for
_SHARE = 50  # triples of each of these, at least
_NEAR = 40  # names with a word like a misspelt one that are read
_ALIKE = 0.75  # of difflib: what two words have in common, at least


class Segment:
    """Triples with the names of their nodes; numbers of nodes are of the whole index.

    Args:
        folder: of the segment.
        first: the number of the first node that it was first to see.

    Raises:
        OSError, ValueError, RuntimeError: the files are no segment.
    """

    def __init__(self, folder: Path, first: int) -> None:
        import marisa_trie

        self._folder, self.first = folder, first
        self.rows: Ints = self._load("triples")
        self._edges: Ints = self._load("edges")
        self._nodes: Ints = self._load("nodes")
        self._starts: Longs = self._load("starts")
        self._names_at: Longs = self._load("names.at")
        self._names = self._bytes("names.bin")
        self._extras_at: Longs = self._load("extras.at")
        self._extras = self._bytes("extras.bin")
        self._tokens: Ints = self._load("tokens")
        self._tokens_at: Longs = self._load("tokens.at")
        self._said: Ints = self._load("said")
        self._said_at: Longs = self._load("said.at")
        self._keys = marisa_trie.Trie().mmap(str(folder / "keys.trie"))
        self._keys_at: Longs = self._load("keys.at")
        self._key_nodes: Ints = self._load("keys.nodes")
        self._key_how = self._load("keys.how")
        self._ids = marisa_trie.Trie().mmap(str(folder / "ids.trie"))
        self._id_nodes: Ints = self._load("ids.nodes")
        self._vocabulary = marisa_trie.Trie().mmap(str(folder / "vocabulary.trie"))
        self._word_numbers: Ints = self._load("vocabulary.numbers")
        self._word_counts: Ints = self._load("vocabulary.counts")
        relations = json.loads((folder / "relations.json").read_text("utf-8"))
        self.relations: list[str] = [str(name) for name in relations]
        self.words = LexicalIndex(folder / "words")
        self.count = len(self._names_at) - 1
        """Nodes that it was first to see."""
        self.vectors = VectorIndex(folder / VECTORS) if (folder / VECTORS).exists() else None

    def node(self, identity: str) -> int | None:
        """The node of an identity, if this segment was first to see it."""
        place = self._ids.get(identity)
        return None if place is None else int(self._id_nodes[place])

    def name(self, node: int) -> str | None:
        """A node's name; None if another segment was first to see it."""
        place = node - self.first
        if not 0 <= place < self.count:
            return None
        return self._names[self._names_at[place] : self._names_at[place + 1]].decode()

    def prefixes(self, text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
        """The keys that a text (keys of words, each with a space behind) begins with, each with its
        nodes and how they are named so."""
        for key in self._keys.prefixes(text):
            place = self._keys[key]
            some = slice(self._keys_at[place], self._keys_at[place + 1])
            how = self._key_how[some].tolist()
            yield (
                key,
                [(n, HOW[h]) for n, h in zip(self._key_nodes[some].tolist(), how, strict=True)],
            )

    def degrees(self, nodes: Ints) -> Longs:
        """How many triples of this segment touch each node."""
        starts, ends = self._spans(nodes)
        made: Longs = ends - starts
        return made

    def edges(self, node: int, most: int, liked: list[int]) -> Ints:
        """The triples that touch a node, by relation.

        Of more than `most`, each liked relation has a share, and the rest are spread evenly.

        Args:
            liked: relations as this segment numbers them, the most wanted first.
        """
        starts, ends = self._spans(np.array([node], dtype=np.int32))
        start, end = int(starts[0]), int(ends[0])
        if end - start <= most:
            return self._edges[start:end]
        parts: list[Ints] = []
        left = most
        for place, relation in enumerate(liked):
            share = max(_SHARE, left // (min(len(liked), _LIKED) - place + 1))
            low = self._bound(start, end, relation)
            high = min(self._bound(low, end, relation + 1), low + min(share, left))
            parts.append(self._edges[low:high])
            left -= high - low
            if place + 1 >= _LIKED or not left:
                break
        spread = np.linspace(start, end - 1, max(left, 1), dtype=np.int64)
        found = np.unique(np.concatenate([*parts, self._edges[spread]]))
        return found.astype(np.int32)

    def around(self, nodes: Ints, most: int) -> tuple[Ints, Longs]:
        """The triples of several nodes, and the place of the node of each; at most so many a
        node, spread evenly."""
        starts, ends = self._spans(nodes)
        sizes = np.minimum(ends - starts, most)
        total = int(sizes.sum())
        places = np.repeat(np.arange(len(nodes)), sizes)
        within = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        full = (ends - starts)[places]
        step = np.where(full > most, full * within // most, within)
        return self._edges[starts[places] + step], places

    def word(self, key: str) -> tuple[int, int] | None:
        """A word of names by its key: its number, and how often names have it."""
        place = self._vocabulary.get(key)
        if place is None:
            return None
        number = int(self._word_numbers[place])
        return number, int(self._word_counts[number])

    def near(self, key: str) -> set[str]:
        """Words of names that are about a letter from one."""
        names = filter(None, map(self.name, self.words.near(key, 1, _NEAR)))
        keys = {found for name in names for found in name_keys(name)}
        return set(get_close_matches(key, keys, n=3, cutoff=_ALIKE))

    @property
    def vocabulary_size(self) -> int:
        """Different words of names."""
        return len(self._word_counts)

    def tokens(self, nodes: Ints) -> tuple[Ints, Longs]:
        """The words of the names of nodes that this segment was first to see, one after another,
        and the place of the node of each."""
        local = nodes - self.first
        return _stretches(self._tokens, self._tokens_at[local], self._tokens_at[local + 1])

    @property
    def has_statements(self) -> bool:
        """Whether any triple says something in words of its own."""
        return len(self._said) > 0

    def said(self, numbers: Longs) -> tuple[Ints, Longs]:
        """The same for the statements of triples; nothing where none has one."""
        if not len(self._said):
            return self._said, np.zeros(0, dtype=np.int64)
        at = self._said_at[numbers]
        return _stretches(self._said, at[:, 0], at[:, 1])

    def triple(self, number: int, head: str, tail: str) -> Triple:
        """A triple as it was read, without its passage's text."""
        relation = self.relations[int(self.rows[number, 1])]
        start, end = self._extras_at[number].tolist()
        if start == end:
            return Triple(head=head, relation=relation, tail=tail)
        given = json.loads(self._extras[start:end])
        name, passage_id, where, confidence, head_id, tail_id, statement = given
        return Triple(
            head=head,
            relation=relation,
            tail=tail,
            passage_id=passage_id,
            confidence=confidence,
            id=name,
            where=where,
            head_id=head_id,
            tail_id=tail_id,
            statement=statement,
        )

    def _spans(self, nodes: Ints) -> tuple[Longs, Longs]:
        if not len(self._nodes):
            return np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
        places = np.minimum(np.searchsorted(self._nodes, nodes), len(self._nodes) - 1)
        here = self._nodes[places] == nodes
        starts = np.where(here, self._starts[places], 0)
        return starts, np.where(here, self._starts[places + 1], starts)

    def _bound(self, low: int, high: int, relation: int) -> int:
        """Where the edges of a node with at least this relation begin."""
        while low < high:
            middle = (low + high) // 2
            if self.rows[self._edges[middle], 1] < relation:
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


def _stretches(values: Ints, starts: Longs, ends: Longs) -> tuple[Ints, Longs]:
    """Stretches of values one after another, and the place of the stretch of each."""
    sizes = ends - starts
    places = np.repeat(np.arange(len(starts)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return values[starts[places] + within], places
