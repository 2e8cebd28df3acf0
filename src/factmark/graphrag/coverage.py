"""What a question set asks of a graph, topic by topic, and the table of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from factmark.graphrag.core.records import GraphQuestion, QuestionKind
from factmark.graphs.core.claims import Triple
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import count, one_line

Key = tuple[str, str, str]
KINDS: Mapping[QuestionKind, str] = {
    "text": "free text", "choice": "multiple choice", "yes-no": "yes/no"
}  # fmt: skip


class _Group(NamedTuple):
    """The questions of a group (its name is empty where they name none), and the keys of triples
    that they name: those that the graph has, and others."""

    name: str
    questions: Sequence[GraphQuestion]
    known: set[Key]
    foreign: set[Key]

    def counted(self, value: object) -> int:
        """How many are known to be answerable (True), not to be (False), neither (None)."""
        return sum(question.answerable is value for question in self.questions)


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
    names = sorted(groups, key=lambda name: (not name, name))
    total = _group("all", questions, held)
    hops = sorted(Counter(map(_hops, questions)), key=lambda hop: (not hop, hop))
    return table_of(
        "What the questions cover",
        _columns(one_line(by), hops),
        [*(_group(name, groups[name], held) for name in names), total],
        overall=lambda row: row is total,
        notes=_notes(total, held),
    )


def _group(name: str, questions: Sequence[GraphQuestion], held: set[Key]) -> _Group:
    wanted = {
        Triple(head=head, relation=relation, tail=tail).key
        for question in questions
        for head, relation, tail in question.triples
    }
    return _Group(name, questions, wanted & held, wanted - held)


def _hops(question: GraphQuestion) -> str:
    return question.strata.get("hops", "")


def _columns(by: str, hops: Sequence[str]) -> tuple[Column[_Group], ...]:
    def of_kind(kind: str, name: str) -> Column[_Group]:
        return Column(
            name=name, key=kind, value=lambda row: sum(q.kind == kind for q in row.questions)
        )

    def of_hops(hop: str) -> Column[_Group]:
        name = f"{one_line(hop)} {'hop' if hop == '1' else 'hops'}" if hop else "hops not said"
        key = f"hops_{hop or 'none'}"
        return Column(
            name=name, key=key, value=lambda row: sum(_hops(q) == hop for q in row.questions)
        )

    return (
        Column(name=by, label=True, value=lambda row: row.name or f"no {by}"),
        Column(key=by, value=lambda row: row.name),
        Column(name="questions", key="questions", value=lambda row: len(row.questions)),
        *(of_kind(kind, name) for kind, name in KINDS.items()),
        *map(of_hops, hops),
        Column(name="in the graph", key="answerable", value=lambda row: row.counted(True)),
        Column(name="not in it", key="unanswerable", value=lambda row: row.counted(False)),
        Column(name="not said", key="unknown", value=lambda row: row.counted(None)),
        Column(
            name="name triples",
            key="with_triples",
            value=lambda row: sum(bool(question.triples) for question in row.questions),
        ),
        Column(name="triples", key="triples", value=lambda row: len(row.known)),
        Column(
            name="relations",
            key="relations",
            value=lambda row: len({relation for _, relation, _ in row.known}),
        ),
        Column(key="foreign_triples", value=lambda row: len(row.foreign)),
    )


def _notes(total: _Group, held: set[Key]) -> list[str]:
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
            f"{count(len(total.foreign), 'named triple is', 'named triples are')} not in the graph."
        )
    return notes
