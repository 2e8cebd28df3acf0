"""The passages of a graph, written beside its index and searched together with its entities.

passages.*    the ids of the passages, in UTF-8
texts.*       the text of each, where it is known
stated.*      the triples of each
heard.*       the words of each: of its triples, and of its text where that is known
heard.json    the words
links.*       of each entity, then of each passage: the vertices that it is next to
claims/       BM25 over the triples
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from factmark.graph_answers.core.question_words import name_keys
from factmark.graph_answers.core.retrieval import Floats, Ints, Longs, best_places, distinct
from factmark.graph_answers.core.spreading import (
    PassageCandidate,
    choose_passages,
    personalised_pagerank,
)
from factmark.graph_answers.index.graph import StoredGraph, Stretches
from factmark.graph_answers.index.writing import save_stretches
from factmark.passages.lexical import LexicalIndex, LexicalWriter

_FREE = 20  # triples for a relation, at most, where relations are as free as text
_LEAST = 50  # relations of such a graph
_LONGEST = 5_000  # words of a passage that are read
_CLAIMS = 20  # triples with the question's words from which weight starts
_POOL = 60  # passages that are compared
_AROUND = 64  # vertices next to one that are looked at
_VERTICES = 3_000  # around a question, at most; fewer find less (MuSiQue)
_EXPANDED = 1_000  # vertices of a step that are looked around
_NOWHERE = -1
_REACH = 4  # steps between vertices
_BATCH = 10_000


def is_open(graph: StoredGraph) -> bool:
    """Whether a graph's relations are as free as text, as a language model writes them down: a new
    one for every twenty triples or fewer, or statements in their place."""
    relations = len(graph.relations)
    stated = np.count_nonzero(graph.said.sizes) > graph.triples / 2
    return bool(stated) or relations >= max(_LEAST, graph.triples / _FREE)


def write_passages(folder: Path, graph: StoredGraph, text_of: Callable[[str], str | None]) -> None:
    """Writes what `PassageGraph` reads; nothing where no triple names its passage.

    Args:
        text_of: the text of a passage, by its id; None where it is not known.
    """
    passages: dict[str, list[int]] = {}
    writer = LexicalWriter(folder / "claims")
    for low in range(0, graph.triples, _BATCH):
        triples = []
        for n in range(low, min(low + _BATCH, graph.triples)):
            triples.append(graph.triple(n))
        for number, triple in enumerate(triples, low):
            if triple.passage_id:
                passages.setdefault(triple.passage_id, []).append(number)
        writer.add([("", _statement(t.head, t.relation, t.tail, t.statement)) for t in triples])
    writer.finish()
    if not passages:
        return
    words: dict[str, int] = {}
    heard = []
    for name, numbers in passages.items():
        texts = [text_of(name) or ""]
        for number in numbers:
            triple = graph.triple(number)
            texts.append(_statement(triple.head, triple.relation, triple.tail, triple.statement))
        keys = dict.fromkeys(key for text in texts for key in name_keys(text, _LONGEST))
        heard.append([words.setdefault(key, len(words)) for key in keys])
    names = (name.encode("utf-8", "replace") for name in passages)
    save_stretches(folder, "passages", "B", names)
    texts_of = ((text_of(name) or "").encode("utf-8", "replace") for name in passages)
    save_stretches(folder, "texts", "B", texts_of)
    save_stretches(folder, "stated", "i", passages.values())
    save_stretches(folder, "heard", "i", heard)
    save_stretches(folder, "links", "i", _links(graph, list(passages.values())))
    (folder / "heard.json").write_text(json.dumps(list(words)), encoding="utf-8")


def _statement(*parts: str | None) -> str:
    """Returns the parts of a triple as one text."""
    return " ".join(part for part in parts if part)


def _links(graph: StoredGraph, stated: list[list[int]]) -> Iterable[Ints]:
    """Yields the vertices next to each vertex: entities along triples and of the same name, and
    passages beside what they name."""
    rows = graph.rows(np.arange(graph.triples))
    pairs = [rows[:, [0, 2]]]
    for place, numbers in enumerate(stated):
        nodes = distinct(rows[numbers][:, [0, 2]].ravel().astype(np.int64))
        pairs.append(np.column_stack([nodes, np.full(len(nodes), graph.nodes + place)]))
    bearers: dict[bytes, int] = {}
    alike = []
    for node in range(graph.nodes):
        first = bearers.setdefault(graph.tokens.of(node).tobytes(), node)
        if first != node:
            alike.append((first, node))
    if alike:
        pairs.append(np.array(alike))
    edges = np.concatenate(pairs).astype(np.int32)
    ends = np.concatenate([edges, edges[:, ::-1]])
    order = np.argsort(ends[:, 0], kind="stable")
    starts = np.searchsorted(ends[order, 0], np.arange(graph.nodes + len(stated) + 1))
    for low, high in pairwise(starts.tolist()):
        yield ends[order[low:high], 1]


class PassageGraph:
    """Entities and passages, searched by what a question names and says.

    Raises:
        OSError, ValueError: the files in the folder are no index.
    """

    def __init__(self, folder: Path, graph: StoredGraph) -> None:
        self._graph = graph
        self._names, self._stated = Stretches(folder, "passages"), Stretches(folder, "stated")
        self._texts = Stretches(folder, "texts")
        self._heard, self._links = Stretches(folder, "heard"), Stretches(folder, "links")
        words = json.loads((folder / "heard.json").read_text("utf-8"))
        self._words: dict[str, int] = {str(word): number for number, word in enumerate(words)}
        self._counts = self._heard.counts(len(words))
        self._naming = np.maximum(self._links.at_least(graph.nodes), 1)  # passages of an entity
        self._claims = LexicalIndex(folder / "claims")
        self._of_thread = threading.local()

    @staticmethod
    def is_there(folder: Path) -> bool:
        """Whether passages were written beside a graph."""
        return (folder / "heard.json").exists()

    def passage(self, number: int) -> tuple[str, str]:
        """The id of a passage, and its text; empty where that is not known."""
        name = self._names.of(number)
        text = self._texts.of(number)
        return name.tobytes().decode(), text.tobytes().decode()

    def search(
        self, question: str, entities: Mapping[int, float], keys: Iterable[str], most: int
    ) -> list[tuple[int, float]]:
        """The passages that answer a question best together, best first, each with its worth.

        Args:
            entities: of the question, with their weights.
            keys: of the words of the question.
        """
        start: Counter[int] = Counter()
        for node, weight in entities.items():
            start[node] += weight / self._naming[node]
        hits = self._claims.search(question, _CLAIMS)
        for score, number in hits:
            for node in self._graph.rows(np.array([number]))[0, [0, 2]].tolist():
                start[node] += score / hits[0][0] / self._naming[node]
        if not start:
            return []
        weights = {}
        for key in keys:
            if key in self._words:
                weights[key] = math.log1p(len(self._names) / self._counts[self._words[key]])
        near = self._near(start)
        candidates = self._candidates(near, weights)
        return [
            (passage.number, worth) for passage, worth in choose_passages(candidates, weights, most)
        ]

    def triples(self, passage: int) -> Longs:
        """The triples of a passage."""
        return self._stated.of(passage).astype(np.int64)

    def _near(self, start: Mapping[int, float]) -> list[tuple[int, float]]:
        """The passages with the highest PageRank around some vertices, and this."""
        seeds = np.array(sorted(start), dtype=np.int64)
        weights = np.array([start[node] for node in seeds.tolist()])
        places = self._places()
        vertices = self._around(seeds, weights, places)
        weight: Floats = np.zeros(len(vertices))
        weight[places[seeds]] = weights
        ends, tails = self._links.spread(vertices, _AROUND)
        heads: Longs = places[ends].astype(np.int64)
        places[vertices] = _NOWHERE
        inside = heads >= 0
        ranks = personalised_pagerank(tails[inside], heads[inside], weight)
        passages = np.flatnonzero(vertices >= self._graph.nodes)
        best: Longs = passages[np.argsort(-ranks[passages], kind="stable")][:_POOL]
        numbers = (vertices[best] - self._graph.nodes).tolist()
        return list(zip(numbers, ranks[best].tolist(), strict=True))

    def _places(self) -> Ints:
        """Returns a place for each vertex, `_NOWHERE` in all: one array for each thread, since to
        make it takes longer than to look up, and whoever uses it leaves it so."""
        places: Ints | None = getattr(self._of_thread, "places", None)
        if places is None:
            places = np.full(len(self._links), _NOWHERE, dtype=np.int32)
            self._of_thread.places = places
        return places

    def _around(self, seeds: Longs, weights: Floats, places: Ints) -> Longs:
        """Returns the vertices around some, with them, in order, and puts down their places: at
        most `_VERTICES`, those to which most of the weight flows."""
        known, frontier = [seeds], seeds
        places[seeds] = 0
        room = _VERTICES - len(seeds)
        for _ in range(_REACH):
            ends, at = self._links.spread(frontier, _AROUND)
            flow = (weights / np.maximum(np.bincount(at, minlength=len(frontier)), 1))[at]
            is_new = places[ends] < 0
            new: Longs = ends[is_new].astype(np.int64)
            reached = distinct(new)
            places[reached] = np.arange(len(reached))
            weights = np.bincount(places[new], weights=flow[is_new], minlength=len(reached)).astype(
                np.float64
            )
            kept = np.arange(len(reached))
            if len(reached) > room:
                kept = best_places(weights, room)
            places[reached] = _NOWHERE
            reached, weights = reached[kept], weights[kept]
            places[reached] = 0
            known.append(reached)
            room -= len(reached)
            if not room or not len(reached):
                break
            first = best_places(weights, _EXPANDED)
            frontier, weights = known[-1][first], weights[first]
        vertices = np.sort(np.concatenate(known))
        places[vertices] = np.arange(len(vertices))
        return vertices

    def _candidates(
        self, near: Sequence[tuple[int, float]], weights: Mapping[str, float]
    ) -> list[PassageCandidate]:
        """Returns passages with what they share with the question and with others.

        Args:
            near: each with its PageRank.
        """
        numbers = np.array([number for number, _ in near], dtype=np.int64)
        heard, at = self._heard.several(numbers)
        words: list[list[str]] = [[] for _ in near]
        for key in weights:
            for place in at[heard == self._words[key]].tolist():
                words[place].append(key)
        candidates = []
        for (number, rank), shared in zip(near, words, strict=True):
            nodes = self._links.of(self._graph.nodes + number)
            counts = self._naming[nodes].tolist()
            entities = dict(zip(nodes.tolist(), counts, strict=True))
            candidates.append(
                PassageCandidate(
                    number=number, rank=rank, words=frozenset(shared), entities=entities
                )
            )
        return candidates
