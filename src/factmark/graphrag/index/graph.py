"""Several segments read as one graph, and what the ranking of one question reads of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from factmark.graphrag.core.relation_words import RelationNames
from factmark.graphrag.core.retrieval import Floats, Ints, Longs, Masks
from factmark.graphrag.index.segment import Segment
from factmark.graphrag.index.writing import statement_number
from factmark.graphs.core.claims import Triple
from factmark.passages.ranking import Hit

EVERY = 1 << 30
"""More triples than any node has."""
Vector = npt.NDArray[np.float32]


class Graph:
    """The triples and names of several segments under common numbers."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = list(segments)
        self._offsets: list[int] = []
        self.triples = 0
        known = self._numbers = dict[str, int]()
        self._common: list[Ints] = []
        self._local: list[dict[int, int]] = []
        for segment in self.segments:
            self._offsets.append(self.triples)
            self.triples += len(segment.rows)
            common = [known.setdefault(name, len(known)) for name in segment.relations]
            self._common.append(np.array(common, dtype=np.int32))
            self._local.append({one: place for place, one in enumerate(common)})
        self.relations = list(known)
        self.frequency = lru_cache(maxsize=65_536)(self._frequency)
        """How often names have a word."""
        self.nodes = sum(segment.count for segment in self.segments)

    @cached_property
    def relation_names(self) -> RelationNames:
        """The relations by the words that ask for them."""
        return RelationNames(self.relations)

    def node(self, identity: str) -> int | None:
        """The node of an identity."""
        for segment in self.segments:
            if (found := segment.node(identity)) is not None:
                return found
        return None

    def name(self, node: int) -> str:
        """A node's name."""
        for segment in self.segments:
            if (found := segment.name(node)) is not None:
                return found
        raise IndexError(f"there is no node {node}")

    def degree(self, node: int) -> int:
        """How many triples touch a node."""
        one = np.array([node], dtype=np.int32)
        return sum(int(segment.degrees(one)[0]) for segment in self.segments)

    def _frequency(self, key: str) -> int:
        """How often names have a word."""
        found = [segment.word(key) for segment in self.segments]
        return sum(count for _, count in filter(None, found))

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs:
        """The triples that touch a node, see `factmark.graphrag.core.retrieval.Neighbourhood`."""
        parts = [np.zeros(0, dtype=np.int64)]
        for segment, local, offset in zip(self.segments, self._local, self._offsets, strict=True):
            fitting = [local[relation] for relation in liked if relation in local]
            parts.append(segment.edges(node, most, fitting).astype(np.int64) + offset)
        return np.concatenate(parts)

    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]:
        """The triples of several nodes, and the place of the node of each."""
        found = [segment.around(nodes, most) for segment in self.segments]
        numbers = [
            some.astype(np.int64) + at for (some, _), at in zip(found, self._offsets, strict=True)
        ]
        return np.concatenate(numbers), np.concatenate([places for _, places in found])

    def by_segment(self, numbers: Longs) -> Iterator[tuple[Longs, Segment, Longs]]:
        """For each segment the places of its triples, and their numbers in it."""
        of = np.searchsorted(self._offsets, numbers, side="right") - 1
        for number, segment in enumerate(self.segments):
            here = np.flatnonzero(of == number)
            yield here, segment, numbers[here] - self._offsets[number]

    def rows(self, numbers: Longs) -> Ints:
        """Head, relation and tail of triples, relations by their common numbers."""
        made = np.empty((len(numbers), 3), dtype=np.int32)
        for (here, segment, local), common in zip(
            self.by_segment(numbers), self._common, strict=True
        ):
            some = segment.rows[local]
            some[:, 1] = common[some[:, 1]]
            made[here] = some
        return made

    def tails(self, head: int) -> set[tuple[str, int, int]]:
        """Relation, tail and `statement_number` of the triples of a head."""
        numbers = self.edges(head, EVERY, ())
        said = any(segment.has_statements for segment in self.segments)
        return {
            (self.relations[r], t, statement_number(self.triple(n).statement) if said else 0)
            for n, (h, r, t) in zip(numbers.tolist(), self.rows(numbers).tolist(), strict=True)
            if h == head
        }

    def triple(self, number: int) -> Triple:
        """A triple by its number."""
        of = int(np.searchsorted(self._offsets, number, side="right")) - 1
        segment, local = self.segments[of], number - self._offsets[of]
        head, _, tail = segment.rows[local].tolist()
        return segment.triple(local, self.name(head), self.name(tail))

    def near(self, vector: Vector, among: Sequence[int], most: int) -> list[Hit]:
        """The triples whose vectors are nearest: of some, and of all."""
        found: dict[int, float] = {}
        for segment, offset in zip(self.segments, self._offsets, strict=True):
            if segment.vectors is not None:
                local = [n - offset for n in among if 0 <= n - offset < len(segment.rows)]
                hits = segment.vectors.among(vector, local, most)
                for score, number in (*hits, *segment.vectors.search(vector, most)):
                    found[number + offset] = score
        ordered = sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))
        return [(score, number) for number, score in ordered]


class Asked:
    """One question on its way through a graph; what the ranking reads of both."""

    def __init__(self, graph: Graph, bits: Mapping[str, int]) -> None:
        self._graph, self._words = graph, bits
        self.edges, self.around, self.rows = graph.edges, graph.around, graph.rows
        self._masks: list[Masks] = []
        for segment in graph.segments:
            masks = np.zeros(segment.vocabulary_size, dtype=np.uint64)
            for key, bit in bits.items():
                if (word := segment.word(key)) is not None:
                    masks[word[0]] = bit
            self._masks.append(masks)

    def said(self, numbers: Longs) -> Masks:
        """The bits of the question's words in the statements of triples."""
        masks = np.zeros(len(numbers), dtype=np.uint64)
        parts = self._graph.by_segment(numbers)
        for (here, segment, local), of_words in zip(parts, self._masks, strict=True):
            words, places = segment.said(local)
            if len(words):
                found = of_words[words]
                np.bitwise_or.at(masks, here[places[found > 0]], found[found > 0])
        return masks

    def shared(self, nodes: Ints) -> tuple[Masks, Floats]:
        """The bits of the question's words in names, and their share of each name."""
        masks = np.zeros(len(nodes), dtype=np.uint64)
        share = np.zeros(len(nodes))
        for segment, of_words in zip(self._graph.segments, self._masks, strict=True):
            here = np.flatnonzero(
                (nodes >= segment.first) & (nodes < segment.first + segment.count)
            )
            tokens, places = segment.tokens(nodes[here])
            found = of_words[tokens]
            np.bitwise_or.at(masks, here[places[found > 0]], found[found > 0])
            totals = np.bincount(places, minlength=len(here))
            held = np.bincount(places, weights=found > 0, minlength=len(here))
            share[here] = held / np.maximum(totals, 1)
        return masks, share
