"""What a question set asks of a graph, topic by topic. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.graphrag.core.questions import GraphQuestion, QuestionKind
from factmark.graphs.core.claims import Triple

Key = tuple[str, str, str]
KINDS: tuple[QuestionKind, ...] = ("text", "choice", "yes-no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The questions of one group.

    Attributes:
        name: of the group, as its topic; empty where the questions name none.
        kinds: questions of each kind, of all kinds.
        hops: questions by their stratum `hops`, empty for those without.
        answerable, unanswerable, unknown: whether the graph holds the answer, as the file says.
        with_triples: questions that name the triples that answer them.
        triples, relations: distinct ones that are named and that the graph has.
        foreign: distinct triples that are named and that the graph has not.
    """

    name: str
    questions: int
    kinds: Mapping[str, int]
    hops: Mapping[str, int]
    answerable: int
    unanswerable: int
    unknown: int
    with_triples: int
    triples: int
    relations: int
    foreign: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """A question set over a graph.

    Attributes:
        by: the stratum of the groups.
        groups: by name; the questions that have no such stratum come last.
        total: over all questions.
        graph_triples, graph_relations: distinct ones of the graph.
    """

    by: str
    groups: tuple[Covered, ...]
    total: Covered
    graph_triples: int
    graph_relations: int


def coverage(
    questions: Sequence[GraphQuestion], graph: Iterable[Triple] = (), *, by: str = "topic"
) -> Coverage:
    """How many questions of each sort a set has, and how much of a graph they touch.

    Args:
        graph: its triples, read once; without one every named triple is foreign.
        by: the stratum that groups the questions.
    """
    held = {triple.key for triple in graph}
    groups: dict[str, list[GraphQuestion]] = {}
    for question in questions:
        groups.setdefault(question.strata.get(by, ""), []).append(question)
    ordered = sorted(groups, key=lambda name: (not name, name))
    return Coverage(
        by=by,
        groups=tuple(_covered(name, groups[name], held) for name in ordered),
        total=_covered("all", questions, held),
        graph_triples=len(held),
        graph_relations=len({relation for _, relation, _ in held}),
    )


def _covered(name: str, questions: Sequence[GraphQuestion], held: set[Key]) -> Covered:
    named = {_key(triple) for question in questions for triple in question.triples}
    hops = [question.strata.get("hops", "") for question in questions]
    states = [question.answerable for question in questions]
    return Covered(
        name=name,
        questions=len(questions),
        kinds={kind: sum(question.kind == kind for question in questions) for kind in KINDS},
        hops={hop: hops.count(hop) for hop in sorted(set(hops), key=lambda hop: (not hop, hop))},
        answerable=states.count(True),
        unanswerable=states.count(False),
        unknown=states.count(None),
        with_triples=sum(bool(question.triples) for question in questions),
        triples=len(named & held),
        relations=len({relation for _, relation, _ in named & held}),
        foreign=len(named - held),
    )


def _key(triple: tuple[str, str, str]) -> Key:
    head, relation, tail = triple
    return Triple(head=head, relation=relation, tail=tail).key
