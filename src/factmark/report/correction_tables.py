"""The table of a score that people's labels correct, for any protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.model import Estimate
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable
from factmark.report.sentence import figure
from factmark.stats.corrections import Correction
from factmark.text.shown_text import count, interval, number, one_line

CORRECTED = "corrected by people"
JUDGE = "judge alone"
PEOPLE = "people alone"
_WORTHLESS = 1.1  # times as many labels as there are: below, the judge saves next to nothing


def by_people(correction: Correction, judge: str) -> str:
    """How a corrected figure was made, as a part of a sentence.

    Args:
        judge: as the sentence names it.
    """
    alone = correction.judge_only
    if correction.labels == correction.corrected.n_units:
        calls = ""
        if alone.value is not None:
            calls = f", of which {judge} calls {figure(alone)} so"
        return f"as people say, who labelled all{calls}"
    missing = sum(cell.total for cell in correction.cells if cell.label is None)
    open_ones = ""
    if missing:
        open_ones = f", which left {missing:,} of them open"
    return (
        f"estimated from people's labels of {correction.labels:,} of them and the verdicts of "
        f"{judge}{open_ones}"
    )


def correction_table(
    score: str, correction: Correction, annotators: Sequence[str] = ()
) -> DataTable:
    """The table of a corrected score: the estimate for all units, the judge alone, people alone."""
    rows: list[tuple[str, Estimate | None, int]] = [
        (CORRECTED, correction.corrected, correction.labels),
        (JUDGE, correction.judge_only, 0),
        (PEOPLE, correction.human_only, correction.labels),
    ]
    units = correction.corrected.n_units
    missing = sum(cell.total for cell in correction.cells if cell.label is None)
    columns: tuple[Column[tuple[str, Estimate | None, int]], ...] = (
        Column(name="by", key="by", value=lambda row: row[0], label=True),
        Column(name="score", key="score", value=lambda row: row[1], estimate=True),
        Column(name="labels", key="labels", value=lambda row: row[2]),
        Column(name="units", key="units", value=lambda row: units),
        Column(name="no verdict", value=lambda row: missing),
        Column(key="signature", value=lambda row: row[1] and row[1].signature),
    )
    return table_of(
        f"{score}, corrected by {count(correction.labels, 'label', 'labels')} of people",
        columns,
        [row for row in rows if row[1] is not None],
        overall=lambda row: row[0] == CORRECTED,
        notes=tuple(_notes(correction, annotators)),
    )


def _notes(correction: Correction, annotators: Sequence[str]) -> Iterator[str]:
    """Yields who labelled, how the correction works, and what the labels of each verdict say."""
    if annotators:
        yield f"Labels by {', '.join(map(one_line, annotators))}."
    yield (
        "Corrected: what people would have said of all units, from their labels within each "
        "verdict of the judge. It holds where the labelled units were drawn at random, or at "
        "random within each verdict. No verdict: units that the judge left open; of these the "
        "labels alone tell."
    )
    empty = []
    for cell in correction.cells:
        if not cell.labelled:
            empty.append(cell)
    if empty:
        share = sum(cell.total for cell in empty) / correction.corrected.n_units
        names = ", ".join(one_line(cell.label or "no verdict") for cell in empty)
        yield (
            f"People labelled no unit of {names}, {share:.0%} of all: these may be anything, and "
            "the judge's sensitivity and specificity are not known. Label some."
        )
    quality = []
    for name, estimate in (
        ("sensitivity", correction.sensitivity),
        ("specificity", correction.specificity),
    ):
        if estimate is not None:
            quality.append(f"{name} {number(estimate.value)} {interval(estimate)}")
    if correction.correlation is not None:
        quality.append(f"correlation with people {number(correction.correlation)}")
    if quality:
        yield f"The judge: {', '.join(quality)}."
    if all(cell.label is None for cell in correction.cells):
        yield "The judge decided no unit, so it has no sensitivity and specificity."
    if not empty:
        yield _worth_of_labels(correction)


def _worth_of_labels(correction: Correction) -> str:
    """Returns in words how many labels the judge saves, or that it saves none."""
    if correction.labels == correction.corrected.n_units:
        return "People labelled every unit, so the judge adds nothing here."
    labels = count(correction.labels, "label", "labels")
    effective = f"{correction.effective_labels:.0f}"
    if correction.effective_labels < _WORTHLESS * correction.labels:
        return (
            f"{labels} with this judge tell about as much as {effective} at random without it: the "
            "judge helps little or not at all."
        )
    return f"{labels} with this judge tell as much as {effective} at random without it."
