"""The table of graphs that are used for answering, by stratum of the questions."""

from __future__ import annotations

from collections.abc import Iterator

from factmark.graphs.graphrag_results import GraphRagResults
from factmark.report.graphrag_records import RECORDS, record
from factmark.report.layouts import Cell, Column, DataTable, Line, estimate_cell, interval_note
from factmark.report.text import named


def strata_table(results: GraphRagResults) -> DataTable | None:
    """A line per value of a stratum and system; None where no stratum has two values."""
    found = [
        (stratum, value, system.name, score)
        for stratum, value in _values(results)
        for system in results.systems
        if (score := results.scores[system.name].strata.get(stratum, {}).get(value)) is not None
    ]
    if not found:
        return None
    heads = [(stratum, value) for stratum, value, _, _ in found]
    return DataTable(
        title="Accuracy by stratum of the questions",
        label_names=("of", "system"),
        columns=tuple(
            Column(name=name) for name in ("score", "retrieval", "generation", "n", "missing")
        ),
        lines=tuple(
            Line(
                labels=(f"{named(stratum)}: {named(value)}", named(name)),
                cells=(
                    estimate_cell(score.estimate, bounds=True),
                    estimate_cell(score.retrieval),
                    estimate_cell(score.generation),
                    Cell(value=str(score.total)),
                    Cell(value=str(score.missing.total)),
                ),
                starts_group=not place or heads[place] != heads[place - 1],
            )
            for place, (stratum, value, name, score) in enumerate(found)
        ),
        notes=(
            "n: answers with a verdict. Many strata make some differ by chance; no test is made.",
            *interval_note(score.estimate for *_, score in found),
        ),
        record_names=("stratum", "value", "system", *RECORDS),
        records=tuple(
            (named(stratum), value and named(value), named(name), *record(score))
            for stratum, value, name, score in found
        ),
    )


def _values(results: GraphRagResults) -> Iterator[tuple[str, str]]:
    """The strata that have several values, with each value of any system."""
    names = dict.fromkeys(name for scores in results.scores.values() for name in scores.strata)
    for name in names:
        values = {v for scores in results.scores.values() for v in scores.strata.get(name, {})}
        if len(values) > 1:
            yield from ((name, value) for value in sorted(values))
