"""What a question set asks of a graph is counted by group, kind and hops."""

from __future__ import annotations

from typing import Any

from factmark.graphrag.core.coverage import coverage
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphs.core.claims import Triple

GRAPH = [
    Triple(head="metformin", relation="treats", tail="diabetes"),
    Triple(head="Metformin", relation="Treats", tail="diabetes "),  # the same
    Triple(head="metformin", relation="isa", tail="biguanide"),
    Triple(head="retina", relation="part_of", tail="eye"),
]


def question(id: str, **fields: Any) -> GraphQuestion:
    return GraphQuestion(**{"id": id, "text": "?", "kind": "text", "references": ("x",), **fields})


QUESTIONS = [
    question(
        "1", strata={"topic": "drugs", "hops": "1"}, answerable=True,
        triples=(("METFORMIN", "treats", "diabetes"),),
    ),
    question(
        "2", kind="yes-no", references=("yes",), strata={"topic": "drugs", "hops": "2"},
        answerable=True,
        triples=(("metformin", "treats", "diabetes"), ("metformin", "isa", "biguanide")),
    ),
    question("3", strata={"topic": "drugs"}, answerable=False),
    question(
        "4", kind="choice", options=("x", "y"), strata={"topic": "anatomy", "hops": "1"},
        triples=(("retina", "part_of", "head"),),
    ),
    question("5"),
]  # fmt: skip


def test_counts_by_topic() -> None:
    found = coverage(QUESTIONS, GRAPH)
    anatomy, drugs, none = found.groups
    assert [group.name for group in found.groups] == ["anatomy", "drugs", ""]
    assert drugs.questions == 3
    assert drugs.kinds == {"text": 2, "choice": 0, "yes-no": 1}
    assert drugs.hops == {"1": 1, "2": 1, "": 1}
    assert (drugs.answerable, drugs.unanswerable, drugs.unknown) == (2, 1, 0)
    assert (drugs.with_triples, drugs.triples, drugs.relations, drugs.foreign) == (2, 2, 2, 0)
    assert (anatomy.with_triples, anatomy.triples, anatomy.foreign) == (1, 0, 1)
    assert (none.questions, none.unknown, none.with_triples) == (1, 1, 0)
    assert found.total.questions == 5
    assert (found.total.triples, found.total.relations, found.total.foreign) == (2, 2, 1)
    assert (found.graph_triples, found.graph_relations) == (3, 3)


def test_another_stratum_and_no_graph() -> None:
    found = coverage(QUESTIONS, by="hops")
    assert [(group.name, group.questions) for group in found.groups] == [
        ("1", 2), ("2", 1), ("", 2),
    ]  # fmt: skip
    assert (found.graph_triples, found.total.triples, found.total.foreign) == (0, 0, 3)


def test_no_questions() -> None:
    found = coverage([], GRAPH)
    assert (found.groups, found.total.questions) == ((), 0)
