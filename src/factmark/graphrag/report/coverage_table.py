"""The table of what a question set asks of a graph."""

from __future__ import annotations

from factmark.graphrag.core.coverage import KINDS, Coverage, Covered
from factmark.tables.layouts import Cell, DataTable, Head, Line, Value
from factmark.tables.shown_text import NO_VALUE, count, one_line

_KINDS = {"text": "free text", "choice": "multiple choice", "yes-no": "yes/no"}
_STATES = ("answerable", "unanswerable", "unknown")


def coverage_table(coverage: Coverage, *, title: str = "What the questions cover") -> DataTable:
    """One line for each group, and one for all; a column for each number of hops that occurs."""
    hops = tuple(coverage.total.hops)
    groups = (*coverage.groups, coverage.total)
    names = (
        "questions", *(_KINDS[kind] for kind in KINDS), *map(_hop_head, hops),
        "in the graph", "not in it", "not said", "name triples", "triples", "relations",
    )  # fmt: skip
    return DataTable(
        title=one_line(title),
        label_names=(one_line(coverage.by) or NO_VALUE,),
        columns=tuple(Head(name=name) for name in names),
        lines=tuple(
            Line(
                labels=(_label(group, coverage),),
                cells=tuple(Cell(value=f"{value:,}") for value in _values(group, hops)),
                starts_group=True,
                overall=group is coverage.total,
            )
            for group in groups
        ),
        notes=tuple(_notes(coverage)),
        record_names=(
            coverage.by, "questions", *KINDS, *(f"hops_{hop or 'none'}" for hop in hops), *_STATES,
            "with_triples", "triples", "relations", "foreign_triples",
        ),
        records=tuple(_record(group, hops) for group in groups),
    )  # fmt: skip


def _hop_head(hop: str) -> str:
    return f"{one_line(hop)} {'hop' if hop == '1' else 'hops'}" if hop else "hops not said"


def _label(group: Covered, coverage: Coverage) -> str:
    if group is coverage.total:
        return "all"
    return one_line(group.name) or f"no {one_line(coverage.by)}"


def _values(group: Covered, hops: tuple[str, ...]) -> tuple[int, ...]:
    return (
        group.questions, *(group.kinds[kind] for kind in KINDS),
        *(group.hops.get(hop, 0) for hop in hops),
        *(getattr(group, state) for state in _STATES),
        group.with_triples, group.triples, group.relations,
    )  # fmt: skip


def _record(group: Covered, hops: tuple[str, ...]) -> tuple[Value, ...]:
    return (group.name, *_values(group, hops), group.foreign)


def _notes(coverage: Coverage) -> list[str]:
    total = coverage.total
    if not coverage.graph_triples:
        return ["No graph was given: triples and relations are not counted."]
    notes = [
        "Triples, relations: distinct ones that the questions name, of "
        f"{count(coverage.graph_triples, 'triple', 'triples')} and "
        f"{count(coverage.graph_relations, 'relation', 'relations')} of the graph."
    ]
    if total.foreign:
        notes.append(
            f"{count(total.foreign, 'named triple is', 'named triples are')} not in the graph."
        )
    return notes
