"""The people of a campaign, and the judges beside them, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from factmark.model import Estimate
from factmark.people.ratings.annotators import AnnotatorScore, PeopleAgreement, Quartiles
from factmark.people.ratings.judges import JudgeScore
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement
from factmark.stats.corrections import Correction
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import Cell, DataTable, interval_note
from factmark.tables.shown_text import NO_VALUE, count, number, one_line

COEFFICIENTS = {
    "alpha": "alpha", "AC2": "ac2", "AC1": "ac1", "exact": "exact", "within 1": "within_one",
}  # fmt: skip
"""Head of a column -> field of an `Agreement`."""

Pair = tuple[tuple[str, str], Agreement | None]


def annotators_table(results: CampaignResults) -> DataTable:
    """Progress, leniency, time, recalibrations and comments of every annotator."""
    columns: list[Column[AnnotatorScore]] = [
        Column(
            name="annotator", key="annotator", value=lambda row: results.called(row.code),
            label=True,
        ),
        Column(name="rated", value=lambda row: f"{row.n_answered}/{row.n_asked}"),
        Column(key="n_asked", value=lambda row: row.n_asked),
        Column(key="n_answered", value=lambda row: row.n_answered),
        Column(key="n_documents", value=lambda row: row.n_documents),
        Column(name="mean", key="mean", value=lambda row: row.mean),
        Column(name="leniency", value=lambda row: change_cell(row.leniency)),
        Column(key="leniency", value=lambda row: row.leniency, estimate=True),
        Column(name="shared", key="n_shared", value=lambda row: row.n_shared),
        Column(name="minutes", value=lambda row: _minutes(row.minutes)),
        Column(key="minutes_low", value=lambda row: row.minutes.low),
        Column(key="minutes", value=lambda row: row.minutes.median),
        Column(key="minutes_high", value=lambda row: row.minutes.high),
        Column(key="n_timed", value=lambda row: row.minutes.n),
        Column(name="changed", value=_changed),
        Column(key="n_recalibrated", value=lambda row: row.n_recalibrated),
        Column(name="by", value=_change),
        Column(key="mean_change", value=lambda row: row.mean_change),
        Column(key="n_raised", value=lambda row: row.n_raised),
        Column(key="n_lowered", value=lambda row: row.n_lowered),
        Column(key="n_first_unknown", value=lambda row: row.n_first_unknown),
        Column(name="comments", key="n_comments", value=lambda row: row.n_comments),
    ]  # fmt: skip
    return table_of(
        "Annotators", columns, results.annotators, notes=tuple(_annotator_notes(results))
    )


def agreement_table(agreement: PeopleAgreement) -> DataTable:
    """All annotators together: alpha, AC2, AC1, exact and within-one agreement."""
    columns: list[Column[Agreement]] = [
        Column(name="of", key="of", value=lambda row: "all annotators", label=True),
        *(
            _coefficient(name, lambda row: row, key=name)
            for name, field in COEFFICIENTS.items()
            if getattr(agreement.all, field) is not None
        ),
        Column(
            name="n",
            value=lambda row: Cell(value=str(row.n_units), interval=f"({row.exact.n_items})"),
        ),
        Column(key="n_units", value=lambda row: row.n_units),
    ]
    units = count(agreement.all.n_units, "unit", "units")
    return table_of(
        f"Agreement of annotators ({agreement.scale}, {agreement.what})",
        columns,
        [agreement.all],
        notes=(
            f"Over the {units} that two or more rated; {agreement.all.n_left_out} more were asked "
            "of two and lack a rating. Alpha: Krippendorff's. AC1, AC2: Gwet's. Read alpha beside "
            "AC2 or AC1: where one label prevails, alpha falls however often people agree.",
            "n: units (clusters).",
        ),
    )


def matrix_table(
    agreement: PeopleAgreement, called: Callable[[str], str] = lambda code: code
) -> DataTable:
    """Alpha and exact agreement of every two annotators, on the units that both rated."""
    codes = sorted({code for pair in agreement.pairs for code in pair}, key=lambda c: (len(c), c))

    def beside(other: str) -> Column[Pair]:
        def cell(row: Pair) -> Cell:
            code = row[0][0]
            both = agreement.pairs.get((code, other)) or agreement.pairs.get((other, code))
            return _pair_cell(both)

        return Column(name=one_line(called(other)), value=cell)

    columns: list[Column[Pair]] = [
        Column(name="annotator", value=lambda row: called(row[0][0]), label=True),
        *map(beside, codes),
        Column(key="a", value=lambda row: called(row[0][0])),
        Column(key="b", value=lambda row: called(row[0][1])),
        *(_coefficient(name, lambda row: row[1], key=name, shown=False) for name in COEFFICIENTS),
        Column(key="n_units", value=lambda row: row[1].n_units if row[1] else None),
    ]
    return table_of(
        "Every two annotators: alpha, exact agreement, units that both rated",
        columns,
        [((code, ""), None) for code in codes],
        notes=(f"{NO_VALUE}: alpha has no value where both gave one label alone.",),
        records=agreement.pairs.items(),
    )


JudgeRow = tuple[JudgeScore, str, Correction | None]
"""A judge over all units, or over those of one system: `all`, or the system's name."""


def judges_table(results: CampaignResults) -> DataTable:
    """Judges beside people: agreement, and people's score of all that a judge judged."""
    top = results.measures[0].top
    rows: list[JudgeRow] = [
        (judge, over, correction)
        for judge in results.judges
        for over, correction in {"all": judge.overall, **judge.systems}.items()
    ]

    def agreement(row: JudgeRow) -> Agreement | None:
        return row[0].agreement if row[1] == "all" else None

    columns: list[Column[JudgeRow]] = [
        Column(name="judge", value=lambda row: row[0].name, label=True),
        Column(key="judge", value=lambda row: row[0].name),
        Column(name="over", key="over", value=lambda row: row[1], label=True),
        *(
            _coefficient(name, agreement, key=COEFFICIENTS[name], shown=name != "AC2")
            for name in ("alpha", "AC2", "exact")
        ),
        Column(
            name="corrected", key="corrected", estimate=True,
            value=lambda row: scaled(row[2].corrected, top) if row[2] else None,
        ),
        Column(
            name="judge alone", key="judge_only", estimate=True,
            value=lambda row: scaled(row[2].judge_only, top) if row[2] else None,
        ),
        Column(
            name="judged", key="n_judged",
            value=lambda row: row[2].corrected.n_units if row[2] else row[0].n_judged,
        ),
        Column(
            name="labelled", key="n_labelled", value=lambda row: row[2].labels if row[2] else 0
        ),
        Column(
            key="signature", value=lambda row: row[2].corrected.signature if row[2] else ""
        ),
    ]  # fmt: skip
    return table_of(
        "Judges beside people",
        columns,
        rows,
        group=lambda row: row[0].id,
        notes=tuple(_judge_notes(results)),
    )


def change_cell(estimate: Estimate | None) -> Cell:
    """A difference, its bounds parted by a comma: a dash would be a minus."""
    if estimate is None or estimate.low is None:
        return Cell(value=number(estimate.value if estimate else None))
    bounds = f"[{number(estimate.low)}, {number(estimate.high)}]"
    return Cell(value=number(estimate.value), interval=bounds)


def _coefficient(
    name: str, of: Callable[[Any], Agreement | None], *, key: str, shown: bool = True
) -> Column[Any]:
    """The column of a coefficient of what `of` gives; without a value where that is nothing."""
    return Column(
        name=name if shown else "",
        key=key,
        value=lambda row: getattr(of(row), COEFFICIENTS[name], None),
        estimate=True,
    )


def _changed(annotator: AnnotatorScore) -> Cell:
    unknown = f"(+{annotator.n_first_unknown}?)" if annotator.n_first_unknown else ""
    return Cell(value=str(annotator.n_recalibrated), interval=unknown)


def _change(annotator: AnnotatorScore) -> Cell:
    """The mean change with how many went up and down, since these may cancel out."""
    if annotator.mean_change is None:
        return Cell(value=NO_VALUE)
    return Cell(
        value=f"{annotator.mean_change:+z.2f}",
        interval=f"[{annotator.n_raised} up, {annotator.n_lowered} down]",
    )


def _minutes(spread: Quartiles) -> Cell:
    low, median, high = (
        NO_VALUE if value is None else f"{value:.1f}"
        for value in (spread.low, spread.median, spread.high)
    )
    return Cell(value=median, interval=f"[{low}–{high}]" if spread.n > 1 else "")


def _pair_cell(agreement: Agreement | None) -> Cell:
    if agreement is None:
        return Cell(value="")
    exact = NO_VALUE if agreement.exact.value is None else f"{agreement.exact.value:.0%}"
    return Cell(value=number(agreement.alpha.value), interval=f"{exact}, n {agreement.n_units}")


def _annotator_notes(results: CampaignResults) -> Iterator[str]:
    yield (
        "Leniency: their values less the mean of the others', on what somebody else rated as well "
        "(shared); above 0 is more lenient. Minutes: median per document, of those all rated whose "
        "times are known, with quartiles. Changed: tasks with another label than first; by: how "
        "much in the mean, and how many went up and down. Times are as the annotators' browsers "
        "told them."
    )
    if any(annotator.n_first_unknown for annotator in results.annotators):
        yield (
            "+n?: tasks that had been changed before they were first seen. What was there before "
            "is not known, so more may have been recalibrated."
        )
    yield from interval_note(
        annotator.leniency for annotator in results.annotators if annotator.leniency
    )


def _judge_notes(results: CampaignResults) -> Iterator[str]:
    yield (
        f"Alpha ({results.judges[0].scale}) and exact agreement: every label of the judge beside "
        "each person's. Corrected: what people would have said of all units that the judge "
        "judged, from their labels within each of its verdicts; it holds where the labelled units "
        "were drawn at random, or at random within each verdict. Judge alone: as if it never erred."
    )
    for judge in results.judges:
        overall = judge.overall
        if overall is None:
            continue
        parts = []
        if overall.correlation is not None:
            parts.append(f"correlation with people {number(overall.correlation)}")
        if overall.labels < overall.corrected.n_units:
            parts.append(
                f"{overall.labels} labels with it tell as much as "
                f"{overall.effective_labels:.0f} without"
            )
        if parts:
            yield f"{one_line(judge.name)}: {'; '.join(parts)}."
