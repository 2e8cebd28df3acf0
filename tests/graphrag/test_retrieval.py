"""Ranking held against a plain search through all paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graph_answers.core.question_words import words_of
from factmark.graph_answers.core.relation_words import RelationNames
from factmark.graph_answers.core.retrieval import Floats, Ints, Longs, Masks, Sought, bits_of, rank

Row = tuple[int, int, int]


class Small:
    """A graph in a list; `words` are the bits of each node's name, of `lengths` words."""

    def __init__(self, rows: list[Row], words: list[int], lengths: list[int]) -> None:
        self._rows, self._words, self._lengths = rows, words, lengths

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs:
        found = [n for n, (head, _, tail) in enumerate(self._rows) if node in (head, tail)]
        return np.array(found, dtype=np.int64)

    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]:
        found = [
            (number, place)
            for place, node in enumerate(nodes.tolist())
            for number in self.edges(node, most, ()).tolist()
        ]
        made = np.array(found, dtype=np.int64).reshape(-1, 2)
        return made[:, 0], made[:, 1]

    def rows(self, numbers: Longs) -> Ints:
        return np.array(self._rows, dtype=np.int32).reshape(-1, 3)[numbers]

    def words_of_triples(self, numbers: Longs) -> Masks:
        return np.zeros(len(numbers), dtype=np.uint64)

    def shared(self, nodes: Ints) -> tuple[Masks, Floats]:
        bits = [self._words[node] for node in nodes.tolist()]
        shares = [self._words[node].bit_count() / self._lengths[node] for node in nodes.tolist()]
        return np.array(bits, dtype=np.uint64), np.array(shares, dtype=np.float64)

    def best(self, sought: Sought) -> dict[int, float]:
        """The best score of a path that each triple is in, one path after the other."""

        def end(node: int) -> tuple[int, int, float]:
            share = self._words[node].bit_count() / self._lengths[node]
            hinted = self._words[node] | sought.unsure.get(node, 0)
            return sought.entities.get(node, 0), hinted, 0.1 * share

        def worth(sure: int, hinted: int, exact: float) -> float:
            def weigh(bits: int) -> float:
                return float(sum(w for n, w in enumerate(sought.weights) if bits >> n & 1))

            return weigh(sure) + 0.55 * weigh(hinted & ~sure) + exact

        first: list[tuple[float, int, int, int, int, int, float]] = []
        for seed in dict.fromkeys([*sought.entities, *sought.unsure]):
            for number, (head, relation, tail) in enumerate(self._rows):
                if seed in (head, tail):
                    far = tail if head == seed else head
                    (a, b, c), (d, e, f), (g, h) = end(seed), end(far), sought.relations[relation]
                    joins = 0.3 * bool(a and d & ~a)
                    sure, hinted, exact = a | d | g, b | e | h, c + f + joins
                    score = worth(sure, hinted, exact)
                    first.append((score, number, seed, far, sure, hinted, exact))
        out: dict[int, float] = {}
        for score, number, *_ in first:
            out[number] = max(score, out.get(number, score))
        before: dict[object, tuple[float, int, int, int, int, int, float]] = {}
        for one in first:  # of those of a kind to one middle the best leads on, of equals the first
            _, number, seed, middle, *_ = one
            head, relation, _ = self._rows[number]
            kind = (middle, seed, relation, head == seed)
            if middle not in sought.entities and (kind not in before or one[0] > before[kind][0]):
                before[kind] = one
        for _, number, seed, middle, sure, hinted, exact in before.values():
            for other, (head, relation, tail) in enumerate(self._rows):
                far = tail if head == middle else head
                if middle in (head, tail) and far not in (seed, middle):
                    (d, e, f), (g, h) = end(far), sought.relations[relation]
                    score = worth(sure | d | g, hinted | e | h, exact + f - 0.3)
                    if (sure | hinted) == (sure | hinted | d | g | e | h):
                        score *= 0.5  # the second accounts for nothing
                    for each in (number, other):
                        out[each] = max(score, out.get(each, score))
        return out


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Small, Sought]:
    nodes = draw(st.integers(2, 7))
    row = st.tuples(st.integers(0, nodes - 1), st.integers(0, 2), st.integers(0, nodes - 1))
    rows = draw(st.lists(row, min_size=1, max_size=12, unique=True))
    words = draw(st.lists(st.integers(0, 15), min_size=nodes, max_size=nodes))
    weights = np.zeros(64)
    weights[:4] = draw(st.lists(st.sampled_from([0.15, 0.5, 1.0]), min_size=4, max_size=4))
    masks = st.dictionaries(st.integers(0, nodes - 1), st.integers(1, 15), max_size=2)
    entities, unsure = draw(masks), draw(masks)
    relations = draw(
        st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=3, max_size=3)
    )
    sought = Sought(
        weights=weights, entities=entities, unsure=unsure, relations=dict(enumerate(relations))
    )
    return Small(rows, words, [4] * nodes), sought


@given(graphs())
def test_each_triple_has_the_score_of_its_best_path(made: tuple[Small, Sought]) -> None:
    graph, sought = made
    ranked, _ = rank(sought, graph)
    assert {one.number: pytest.approx(one.score) for one in ranked} == graph.best(sought)
    assert not ranked or ranked[0].score == pytest.approx(max(one.score for one in ranked))


def test_words_past_the_most_have_no_bit() -> None:
    bits = bits_of([f"word{n}" for n in range(100)])
    assert len(bits) == 64
    assert len(set(bits.values())) == 64


@pytest.mark.parametrize(
    ("question", "relation", "sure"),
    [
        ("What does it treat?", "treats", True),
        ("Which therapy is given?", "treats", False),
        ("What causes it?", "cause_of", True),
        ("What brings it on?", "due_to", False),
        ("Where is it?", "has_finding_site", False),
        ("Who founded it?", "foundedBy", True),
        ("Who was its founder?", "founded_by", False),
        ("What is it the same as?", "same_as", True),
        ("Which class is it in?", "isa", False),
    ],
)
def test_words_that_speak_of_a_relation(question: str, relation: str, sure: bool) -> None:
    bits = bits_of([word.key for word in words_of(question)])
    found = RelationNames(["isa of no account", relation]).asked(bits)[1]
    assert bool(found[0]) is sure
    assert any(found)


@pytest.mark.parametrize(
    ("question", "relation"),
    [("What does it treat?", "isa"), ("Where is it?", "prevents"), ("What is it?", "has_symptom")],
)
def test_words_that_do_not(question: str, relation: str) -> None:
    bits = bits_of([word.key for word in words_of(question)])
    assert RelationNames([relation]).asked(bits) == {}
