"""How far people agree, and judges by rule or model with them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from factmark.model import Estimate
from factmark.people.core.forms import Form
from factmark.people.ratings.agreement import COEFFICIENTS, KAPPAS, JudgeScore
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.people.results import CampaignResults
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.stats.agreement import Agreement
from factmark.stats.corrections import Correction
from factmark.text.shown_text import number, one_line


def agreement_table(rated: Sequence[CampaignResults]) -> DataTable:
    """Returns how far all annotators agree, a line per dimension, by those coefficients that
    apply."""
    agreements = []
    for results in rated:
        if results.agreement:
            agreements.append(results.agreement)
    columns: tuple[Column[CampaignResults], ...] = (
        Column(
            name="of",
            key="of",
            value=lambda results: results.dimension if len(rated) > 1 else "all annotators",
            label=True,
        ),
        *(
            Column(name=name, key=field, value=attrgetter(f"agreement.{field}"), estimate=True)
            for name, field in (COEFFICIENTS | KAPPAS).items()
            if any(getattr(agreement, field) for agreement in agreements)
        ),
        attribute_column("agreement.n_units", "units"),
        attribute_column("agreement.exact.n_items", "clusters"),
    )
    scales = dict.fromkeys(results.form.scale for results in rated)
    return table_of(
        f"Agreement of annotators ({', '.join(scales)})",
        columns,
        rated,
        notes=list(_agreement_notes(agreements)),
    )


def _agreement_notes(agreements: Sequence[Agreement]) -> Iterator[str]:
    """Yields how to read the coefficients, and what they are not over."""
    note = "Over the units that two or more rated"
    left_out = sum(agreement.n_left_out for agreement in agreements)
    if left_out:
        note += f"; {left_out} more were asked of two and lack a rating"
    yield (
        f"{note}. Alpha: Krippendorff's. AC1, AC2: Gwet's. Read alpha beside AC2 or AC1: where "
        "one label prevails, alpha falls however often people agree."
    )
    whose = "Fleiss'"
    if any(agreement.cohen for agreement in agreements):
        whose = "Cohen's"
    yield f"Kappa: {whose}, which takes labels for categories."
    if any(agreement.icc for agreement in agreements):
        yield (
            "ICC: intraclass correlation (two-way random, absolute agreement), of one rating and "
            "of the mean of as many as a unit has."
        )


_Side = tuple[str, SpanAgreement]


def marked_words_table(sides: Mapping[str, SpanAgreement]) -> DataTable:
    """Returns how far annotators agree on the words that decided their ratings, a line for the
    source and one for what was rated."""

    def column(name: str, key: str, *, estimate: bool = False) -> Column[_Side]:
        of = attrgetter(key)
        return Column(name=name, key=key, value=lambda side: of(side[1]), estimate=estimate)

    columns: tuple[Column[_Side], ...] = (
        Column(name="marked in", key="side", value=lambda side: side[0], label=True),
        column("F1", "f1", estimate=True),
        column("F1, both marked", "f1_both", estimate=True),
        column("alpha", "alpha", estimate=True),
        column("texts", "n_texts"),
        column("pairs", "n_pairs"),
        column("both marked", "n_both"),
    )
    return table_of(
        "Agreement on the words that decided ratings",
        columns,
        sides.items(),
        notes=(
            "F1: of the words of one by those of the other, over all pairs of people of whom one "
            "marked something; nothing marked agrees with no word. Both marked: over those pairs "
            "in which both did. Alpha: Krippendorff's (nominal), of every word as marked or not. "
            "Of people who marked anything at all. Intervals: over documents.",
        ),
    )


JudgeLine = tuple[JudgeScore, str, Correction | None]
"""A judge over all units, or over those of one system: `all`, or the system's name."""


def judges_table(form: Form, judges: Sequence[JudgeScore], *, cautions: bool = True) -> DataTable:
    """Returns judges beside people: agreement, and people's score of all that a judge judged.

    Args:
        cautions: whether the judges' cautions are among the notes; not where they stand elsewhere.
    """
    lines: list[JudgeLine] = []
    for judge in judges:
        lines.append((judge, "all", judge.overall))
        lines += [(judge, system, correction) for system, correction in judge.systems.items()]
    notes = [caution for judge in judges for caution in judge.cautions if cautions]
    return table_of(
        "Judges beside people",
        _JUDGE_COLUMNS,
        lines,
        group=lambda line: line[0].id,
        notes=(*notes, *_judge_notes(form, judges)),
    )


def _agreement_column(name: str, *, shown: bool = True) -> Column[JudgeLine]:
    """Returns the column of a coefficient, which is over all units."""
    field = COEFFICIENTS[name]

    def value(line: JudgeLine) -> Estimate | None:
        agreement = line[0].agreement
        if agreement is None or line[1] != "all":
            return None
        estimate: Estimate | None = getattr(agreement, field)
        return estimate

    return Column(name=name, key=field, value=value, estimate=True, shown=shown)


def _corrected_column(name: str, key: str) -> Column[JudgeLine]:
    """Returns the column of a part of a correction."""
    return Column(
        name=name,
        key=key,
        value=lambda line: getattr(line[2], key) if line[2] else None,
        estimate=True,
    )


_JUDGE_COLUMNS: tuple[Column[JudgeLine], ...] = (
    Column(name="judge", key="judge", value=lambda line: line[0].name, label=True),
    Column(name="over", key="over", value=lambda line: line[1], label=True),
    _agreement_column("alpha"),
    _agreement_column("AC2", shown=False),
    _agreement_column("exact"),
    _corrected_column("corrected", "corrected"),
    _corrected_column("judge alone", "judge_only"),
    Column(
        name="judged",
        key="n_judged",
        value=lambda line: line[2].corrected.n_units if line[2] else line[0].n_judged,
    ),
    Column(name="labelled", key="n_labelled", value=lambda line: line[2].labels if line[2] else 0),
    Column(key="signature", value=lambda line: line[2].corrected.signature if line[2] else ""),
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
