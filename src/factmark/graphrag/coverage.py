"""What a question set asks of a graph, topic by topic, and the table of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.graphrag.core.questions import GraphQuestion, QuestionKind
from factmark.graphs.core.claims import Triple
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import count, one_line

Key = tuple[str, str, str]
KINDS: Mapping[QuestionKind, str] = {
    "text": "free text", "choice": "multiple choice", "yes-no": "yes/no"
}  # fmt: skip


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


def coverage_table(
    questions: Sequence[GraphQuestion], graph: Iterable[Triple] = (), *, by: str = "topic"
) -> DataTable:
    """How many questions of each sort a set has, and how much of a graph they touch.

    One line for each group, those without a name last, and one for all; a column for each number
    of hops that occurs.

    Args:
        graph: its triples, read once; without one every named triple is foreign.
        by: the stratum that groups the questions.
    """
    held = {triple.key for triple in graph}
    groups: dict[str, list[GraphQuestion]] = {}
    for question in questions:
        groups.setdefault(question.strata.get(by, ""), []).append(question)
    rows = [covered(name, groups[name], held) for name in sorted(groups, key=lambda n: (not n, n))]
    total = covered("all", questions, held)
    return table_of(
        "What the questions cover",
        _columns(by, total),
        [*rows, total],
        overall=lambda row: row is total,
        notes=tuple(_notes(total, held)),
    )


def covered(name: str, questions: Sequence[GraphQuestion], held: set[Key]) -> Covered:
    """The questions of a group; `held` are the keys of the graph's triples."""
    wanted = {
        Triple(head=head, relation=relation, tail=tail).key
        for question in questions
        for head, relation, tail in question.triples
    }
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
        triples=len(wanted & held),
        relations=len({relation for _, relation, _ in wanted & held}),
        foreign=len(wanted - held),
    )


def _columns(by: str, total: Covered) -> tuple[Column[Covered], ...]:
    def of_kind(kind: str, name: str) -> Column[Covered]:
        return Column(name=name, key=kind, value=lambda row: row.kinds[kind])

    def of_hops(hop: str) -> Column[Covered]:
        name = f"{one_line(hop)} {'hop' if hop == '1' else 'hops'}" if hop else "hops not said"
        return Column(
            name=name, key=f"hops_{hop or 'none'}", value=lambda row: row.hops.get(hop, 0)
        )

    def number(name: str, field: str, key: str = "") -> Column[Covered]:
        return Column(name=name, key=key or field, value=lambda row: getattr(row, field))

    by = one_line(by)
    return (
        Column(name=by, label=True, value=lambda row: row.name or f"no {by}"),
        Column(key=by, value=lambda row: row.name),
        number("questions", "questions"),
        *(of_kind(kind, name) for kind, name in KINDS.items()),
        *map(of_hops, total.hops),
        number("in the graph", "answerable"),
        number("not in it", "unanswerable"),
        number("not said", "unknown"),
        number("name triples", "with_triples"),
        number("triples", "triples"),
        number("relations", "relations"),
        number("", "foreign", "foreign_triples"),
    )


def _notes(total: Covered, held: set[Key]) -> list[str]:
    if not held:
        return ["No graph was given: triples and relations are not counted."]
    relations = len({relation for _, relation, _ in held})
    notes = [
        "Triples, relations: distinct ones that the questions name, of "
        f"{count(len(held), 'triple', 'triples')} and "
        f"{count(relations, 'relation', 'relations')} of the graph."
    ]
    if total.foreign:
        notes.append(
            f"{count(total.foreign, 'named triple is', 'named triples are')} not in the graph."
        )
    return notes
