"""How far people agree, and judges by rule or model with them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from factmark.people.core.forms import Form
from factmark.people.ratings.agreement import COEFFICIENTS, KAPPAS, JudgeScore
from factmark.people.ratings.first_reader import FirstReaderEffect, HalfRatings
from factmark.people.ratings.judge_ratings import JudgeRatings
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.report.columns import Column, table_of
from factmark.report.layouts import Cell, DataTable, interval_note
from factmark.stats.agreement import Agreement
from factmark.stats.corrections import Correction
from factmark.text.shown_text import count, named, number, one_line


def agreement_table(form: Form, agreement: Agreement) -> DataTable:
    """Returns the table of how far all annotators agree: alpha, AC2, AC1, exact and within-one
    agreement."""
    return _annotators_table(
        form,
        agreement,
        COEFFICIENTS,
        f"Agreement of annotators ({form.scale})",
        f"Over the {count(agreement.n_units, 'unit', 'units')} that two or more rated"
        + f"; {agreement.n_left_out} more were asked of two and lack a rating"
        * bool(agreement.n_left_out)
        + ". Alpha: Krippendorff's. AC1, AC2: Gwet's. Read alpha beside AC2 or AC1: where one "
        "label prevails, alpha falls however often people agree.",
    )


def kappa_table(form: Form, agreement: Agreement) -> DataTable:
    """Returns the table of how far all annotators agree by kappa, Cohen's of two and Fleiss' of
    more, and where labels are numbers by intraclass correlation."""
    whose = "Cohen's" if agreement.cohen else "Fleiss'"
    numbers = (
        " ICC: intraclass correlation (two-way random, absolute agreement), of one rating and of "
        "the mean of as many as a unit has."
    )
    return _annotators_table(
        form,
        agreement,
        KAPPAS,
        "Agreement of annotators, by kappa and intraclass correlation"
        if agreement.icc
        else "Agreement of annotators, by kappa",
        f"Kappa: {whose}, which takes labels for categories." + numbers * bool(agreement.icc),
    )


def _annotators_table(
    form: Form, agreement: Agreement, coefficients: Mapping[str, str], title: str, note: str
) -> DataTable:
    """Returns a table of one row, all annotators together, by those coefficients that apply."""
    columns: list[Column[Agreement]] = [
        Column(name="of", key="of", value=lambda row: "all annotators", label=True),
        *(
            _coefficient_column(
                name, lambda row: row, key=field if field.startswith("icc") else name
            )
            for name, field in coefficients.items()
            if getattr(agreement, field) is not None
        ),
        Column(name=f"{form.noun} units", key="n_units", value=lambda row: row.n_units),
        Column(name=form.clusters, value=lambda row: row.exact.n_items),
    ]
    return table_of(title, columns, [agreement], notes=(note,))


def _coefficient_column(
    name: str, of: Callable[[Any], Agreement | None], *, key: str, shown: bool = True
) -> Column[Any]:
    """Returns the column of a coefficient, of the agreement that `of` gives for a row; empty where
    it gives None."""
    return Column(
        name=name if shown else "",
        key=key,
        value=lambda row: getattr(of(row), (COEFFICIENTS | KAPPAS)[name], None),
        estimate=True,
    )


JudgeRow = tuple[JudgeScore, str, Correction | None]
"""A judge over all units, or over those of one system: `all`, or the system's name."""


def judges_table(form: Form, judges: Sequence[JudgeScore], *, cautions: bool = True) -> DataTable:
    """Returns the table of judges beside people: agreement, and people's score of all that a judge
    judged.

    Args:
        cautions: whether the judges' cautions are among the notes; not where they stand elsewhere.
    """
    rows: list[JudgeRow] = [
        (judge, over, correction)
        for judge in judges
        for over, correction in {"all": judge.overall, **judge.systems}.items()
    ]

    def of_all(row: JudgeRow) -> Agreement | None:
        return row[0].agreement if row[1] == "all" else None

    columns: list[Column[JudgeRow]] = [
        Column(name="judge", value=lambda row: row[0].name, label=True),
        Column(key="judge", value=lambda row: row[0].name),
        Column(name="over", key="over", value=lambda row: row[1], label=True),
        *(
            _coefficient_column(name, of_all, key=COEFFICIENTS[name], shown=name != "AC2")
            for name in ("alpha", "AC2", "exact")
        ),
        Column(
            name="corrected",
            key="corrected",
            estimate=True,
            value=lambda row: row[2].corrected if row[2] else None,
        ),
        Column(
            name="judge alone",
            key="judge_only",
            estimate=True,
            value=lambda row: row[2].judge_only if row[2] else None,
        ),
        Column(
            name="judged",
            key="n_judged",
            value=lambda row: row[2].corrected.n_units if row[2] else row[0].n_judged,
        ),
        Column(name="labelled", key="n_labelled", value=lambda row: row[2].labels if row[2] else 0),
        Column(key="signature", value=lambda row: row[2].corrected.signature if row[2] else ""),
    ]
    return table_of(
        "Judges beside people",
        columns,
        rows,
        group=lambda row: row[0].id,
        notes=(
            *(caution for judge in judges for caution in judge.cautions if cautions),
            *_judge_notes(form, judges),
        ),
    )


def _judge_notes(form: Form, judges: Sequence[JudgeScore]) -> Iterator[str]:
    """Yields the notes under the table of judges: how to read it, and how much each judge helps."""
    yield (
        f"Alpha ({form.scale}) and exact agreement: every label of the judge beside "
        "each person's. Corrected: what people would have said of all units that the judge "
        "judged, from their labels within each of its verdicts; it holds where the labelled units "
        "were drawn at random, or at random within each verdict. Judge alone: as if it never erred."
    )
    for judge in judges:
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


def judge_ratings_table(ratings: JudgeRatings) -> DataTable:
    """Returns the table of what a judge gave each system: its mean, its labels, and what is
    missing."""
    form, measure = ratings.form, ratings.form.measures[0]

    def label_column(label: str) -> Column[SystemScore]:
        key = label.lower()
        return Column(name=label, key=key, value=lambda row: ratings.counts[row.system][label])

    columns: list[Column[SystemScore]] = [
        Column(
            name="system", key="system", value=lambda row: row.system, label=True, show=system_name
        ),
        Column(
            name=measure.symbol,
            key=measure.key,
            value=lambda row: row.final,
            better="higher",
            estimate=True,
            bounds=True,
        ),
        *map(label_column, form.ranked),
        Column(
            name="missing",
            key="n_missing",
            value=lambda row: row.n_asked - row.n_answered,
            meaning="Missing: units without a label.",
        ),
    ]
    return table_of(f"What {named(ratings.judge)} gave", columns, ratings.scores)


def rated_by_people(ratings: JudgeRatings) -> Sequence[JudgeScore]:
    """Returns the judge in a list of one, or an empty list where people rated nothing that it
    judged."""
    beside = ratings.beside
    return [beside] if beside and (beside.agreement or beside.overall) else []


def first_reader_table(effect: FirstReaderEffect) -> DataTable:
    """Returns the table of how far a first reader moved ratings: both halves of the units that it
    doubts, and the difference of their changes."""
    change = Cell(value=number(effect.effect.value))
    if effect.effect.low is not None:
        bounds = f"[{number(effect.effect.low)}, {number(effect.effect.high)}]"
        change = replace(change, interval=bounds)
    difference = HalfRatings(
        name="difference",
        n_ratings=effect.shown.n_ratings + effect.held.n_ratings,
        n_units=effect.shown.n_units + effect.held.n_units,
        n_changed=effect.shown.n_changed + effect.held.n_changed,
        first=None,
        final=None,
        change=effect.effect.value,
    )
    columns: tuple[Column[HalfRatings], ...] = (
        Column(name="doubts", key="doubts", value=lambda row: row.name, label=True),
        Column(name="units", key="n_units", value=lambda row: row.n_units),
        Column(name="ratings", key="n_ratings", value=lambda row: row.n_ratings),
        Column(name="changed", key="n_changed", value=lambda row: row.n_changed),
        Column(name="first", key="first", value=lambda row: row.first),
        Column(name="final", key="final", value=lambda row: row.final),
        Column(
            name="final − first",
            value=lambda row: change if row is difference else Cell(value=number(row.change)),
        ),
        Column(key="change", value=lambda row: row.change),
        Column(key="low", value=lambda row: effect.effect.low if row is difference else None),
        Column(key="high", value=lambda row: effect.effect.high if row is difference else None),
        Column(key="method", value=lambda row: effect.effect.method if row is difference else ""),
    )
    return table_of(
        f"The first reader {named(effect.judge)}: how far ratings followed it",
        columns,
        [*effect.halves, difference],
        overall=lambda row: row is difference,
        notes=(
            "Only units that it doubts, and people first rated while it was there. Doubts were "
            "shown after the first rating; those of a random half of units were held back. The "
            "difference of the changes is its effect on what counts.",
            *interval_note([effect.effect]),
        ),
    )
