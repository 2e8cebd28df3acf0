"""The table of graphs that are used for answering, by stratum of the questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import VALUES, stratum_value
from factmark.graphrag.report.records import RECORDS, record
from factmark.tables.layouts import Cell, DataTable, Head, Line, estimate_cell, interval_note
from factmark.tables.shown_text import named

SHOWN = 20
"""Values of a stratum that have lines, those with the most questions."""

_LABEL = 60  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stratum:
    """A stratum with the values that are shown, and how many it has."""

    name: str
    values: tuple[str, ...]
    total: int


def strata_table(results: GraphRagResults) -> DataTable | None:
    """A line per value of a stratum and system; None where no stratum has two values.

    Of a stratum with more than `SHOWN` values some are left out, and a note says so: where each
    question has a value of its own, all of them.
    """
    strata = list(_strata(results))
    found = [
        (stratum.name, value, system.name, score)
        for stratum in strata
        for value in stratum.values
        for system in results.systems
        if (score := results.scores[system.name].strata.get(stratum.name, {}).get(value))
        is not None
    ]
    if not found:
        return None
    heads = [(stratum, value) for stratum, value, _, _ in found]
    return DataTable(
        title="Accuracy by stratum of the questions",
        label_names=("of", "system"),
        columns=tuple(
            Head(name=name) for name in ("score", "retrieval", "generation", "n", "missing")
        ),
        lines=tuple(
            Line(
                labels=(f"{_label(stratum)}: {_label(value)}", named(name)),
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
            *_left_out(strata),
            *interval_note(score.estimate for *_, score in found),
        ),
        record_names=("stratum", "value", "system", *RECORDS),
        records=tuple(
            (named(stratum), value and named(value), named(name), *record(score))
            for stratum, value, name, score in found
        ),
    )


def _label(text: str) -> str:
    """A name in one line; a long one is cut."""
    whole = named(text)
    return whole if len(whole) <= _LABEL else f"{whole[: _LABEL - 1]}…"


def _strata(results: GraphRagResults) -> Iterator[_Stratum]:
    """The strata that have several values, of any system."""
    once = {one.question.id: one for one in results.outcomes}.values()
    names = dict.fromkeys(name for scores in results.scores.values() for name in scores.strata)
    for name in names:
        counts = Counter(stratum_value(one, name) for one in once)
        shown = sorted(counts, key=lambda value: (-counts[value], value))[:SHOWN]
        if len(counts) > SHOWN and max(counts.values()) == 1:
            shown = []
        if len(counts) > 1:
            yield _Stratum(name=name, values=tuple(sorted(shown)), total=len(counts))


def _left_out(strata: list[_Stratum]) -> Iterator[str]:
    for one in strata:
        if one.total > len(one.values):
            told = f"the {SHOWN} with the most questions are" if one.values else "none is"
            kept = "all" if one.total <= VALUES else f"{VALUES}"
            yield (
                f"{_label(one.name)} has {one.total:,} values: {told} shown here, "
                f"{kept} of them in graphrag.json."
            )
