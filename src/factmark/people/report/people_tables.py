"""The people of a campaign, and the judges beside them, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from factmark.model import Estimate
from factmark.people.ratings.annotators import AnnotatorScore, JudgeScore, PeopleAgreement, Spread
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement
from factmark.tables.layouts import (
    Cell,
    Column,
    DataTable,
    Line,
    Value,
    estimate_cell,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, count, number, one_line

_Get = Callable[[Agreement], Estimate | None]
COEFFICIENTS: Mapping[str, _Get] = {
    "alpha": lambda a: a.alpha,
    "AC2": lambda a: a.ac2,
    "AC1": lambda a: a.ac1,
    "exact": lambda a: a.exact,
    "within 1": lambda a: a.within_one,
}


def annotators_table(results: CampaignResults) -> DataTable:
    """Progress, leniency, time, recalibrations and comments of every annotator."""
    rows = results.annotators
    return DataTable(
        title="Annotators",
        label_names=("annotator",),
        columns=tuple(
            Column(name=name)
            for name in (
                "rated", "mean", "leniency", "shared", "minutes", "changed", "by", "comments",
            )
        ),
        lines=tuple(
            Line(
                labels=(one_line(results.called(one.code)),),
                cells=_annotator(one),
                starts_group=True,
            )
            for one in rows
        ),
        notes=tuple(_annotator_notes(results)),
        record_names=(
            "annotator", "n_asked", "n_answered", "n_documents", "mean", *part_names("leniency"),
            "n_shared", "minutes_low", "minutes", "minutes_high", "n_timed", "n_recalibrated",
            "mean_change", "n_raised", "n_lowered", "n_first_unknown", "n_comments",
        ),
        records=tuple(_annotator_record(results, one) for one in rows),
    )  # fmt: skip


def agreement_table(found: PeopleAgreement) -> DataTable:
    """All annotators together: alpha, AC2, AC1, exact and within-one agreement."""
    made = found.all
    return _coefficients(
        f"Agreement of annotators ({found.scale}, {found.what})",
        [("all annotators", made)],
        (
            f"Over the {count(made.n_units, 'unit', 'units')} that two or more rated; "
            f"{made.n_left_out} more were asked of two and lack a rating. Alpha: Krippendorff's. "
            "AC1, AC2: Gwet's. Read alpha beside AC2 or AC1: where one label prevails, alpha falls "
            "however often people agree.",
        ),
    )


def matrix_table(
    found: PeopleAgreement, called: Callable[[str], str] = lambda code: code
) -> DataTable:
    """Alpha and exact agreement of every two annotators, on the units that both rated."""
    codes = list(dict.fromkeys(code for pair in found.pairs for code in pair))
    codes.sort(key=lambda code: (len(code), code))
    names, records = _pair_records(found, called)
    return DataTable(
        title="Every two annotators: alpha, exact agreement, units that both rated",
        label_names=("annotator",),
        columns=tuple(Column(name=one_line(called(code))) for code in codes),
        lines=tuple(
            Line(
                labels=(one_line(called(one)),),
                cells=tuple(_pair_cell(found, one, other) for other in codes),
                starts_group=True,
            )
            for one in codes
        ),
        notes=(f"{NO_VALUE}: alpha has no value where both gave one label alone.",),
        record_names=names,
        records=records,
    )


def judges_table(results: CampaignResults) -> DataTable:
    """Judges beside people: agreement, and people's score of all that a judge judged."""
    top = results.measures[0].top
    rows = [row for judge in results.judges for row in _judge_rows(judge, top)]
    return DataTable(
        title="Judges beside people",
        label_names=("judge", "over"),
        columns=tuple(
            Column(name=name)
            for name in ("alpha", "exact", "corrected", "judge alone", "judged", "labelled")
        ),
        lines=tuple(
            Line(labels=(name, over), cells=cells, starts_group=over == "all")
            for name, over, cells, _ in rows
        ),
        notes=tuple(_judge_notes(results)),
        record_names=(
            "judge", "over", *part_names("alpha"), *part_names("ac2"), *part_names("exact"),
            *part_names("corrected"), *part_names("judge_only"), "n_judged", "n_labelled",
            "signature",
        ),
        records=tuple(record for *_, record in rows),
    )  # fmt: skip


def _annotator(one: AnnotatorScore) -> tuple[Cell, ...]:
    leniency = one.leniency
    bounds = ""
    if leniency is not None and leniency.low is not None:
        bounds = f"[{number(leniency.low)}, {number(leniency.high)}]"
    unknown = f"(+{one.n_first_unknown}?)" if one.n_first_unknown else ""
    return (
        Cell(value=f"{one.n_answered}/{one.n_asked}"),
        Cell(value=number(one.mean)),
        Cell(value=NO_VALUE if leniency is None else number(leniency.value), interval=bounds),
        Cell(value=str(one.n_shared)),
        Cell(value=_minutes(one.minutes.median), interval=_quartiles(one.minutes)),
        Cell(value=str(one.n_recalibrated), interval=unknown),
        _change(one),
        Cell(value=str(one.n_comments)),
    )


def _change(one: AnnotatorScore) -> Cell:
    """The mean change with how many went up and down, since these may cancel out."""
    if one.mean_change is None:
        return Cell(value=NO_VALUE)
    return Cell(
        value=f"{one.mean_change:+z.2f}", interval=f"[{one.n_raised} up, {one.n_lowered} down]"
    )


def _minutes(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.1f}"


def _quartiles(found: Spread) -> str:
    if found.n < 2:
        return ""
    return f"[{_minutes(found.low)}–{_minutes(found.high)}]"


def _annotator_notes(results: CampaignResults) -> Iterator[str]:
    yield (
        "Leniency: their values less the mean of the others', on what somebody else rated as well "
        "(shared); above 0 is more lenient. Minutes: median per document, of those all rated whose "
        "times are known, with quartiles. Changed: tasks with another label than first; by: how "
        "much in the mean, and how many went up and down. Times are as the annotators' browsers "
        "told them."
    )
    if any(one.n_first_unknown for one in results.annotators):
        yield (
            "+n?: tasks that had been changed before they were first seen. What was there before "
            "is not known, so more may have been recalibrated."
        )
    yield from interval_note(one.leniency for one in results.annotators if one.leniency)


def _annotator_record(results: CampaignResults, one: AnnotatorScore) -> tuple[Value, ...]:
    leniency: tuple[Value, ...] = parts(one.leniency) if one.leniency else (None,) * 5
    return (
        one_line(results.called(one.code)), one.n_asked, one.n_answered, one.n_documents, one.mean,
        *leniency, one.n_shared, one.minutes.low, one.minutes.median, one.minutes.high,
        one.minutes.n, one.n_recalibrated, one.mean_change, one.n_raised,
        one.n_lowered, one.n_first_unknown, one.n_comments,
    )  # fmt: skip


def _coefficients(
    title: str, rows: list[tuple[str, Agreement]], notes: tuple[str, ...]
) -> DataTable:
    shown = {name: get for name, get in COEFFICIENTS.items() if any(get(m) for _, m in rows)}
    found = [[get(made) for get in shown.values()] for _, made in rows]
    return DataTable(
        title=title,
        label_names=("of",),
        columns=(*(Column(name=name) for name in shown), Column(name="n")),
        lines=tuple(
            Line(
                labels=(name,),
                cells=(
                    *(_cell(one) for one in estimates),
                    Cell(value=str(made.n_units), interval=f"({made.exact.n_items})"),
                ),
                starts_group=True,
            )
            for (name, made), estimates in zip(rows, found, strict=True)
        ),
        notes=(
            *notes,
            "n: units (clusters).",
            *interval_note(one for some in found for one in some if one is not None),
        ),
        record_names=("of", *(part for name in shown for part in part_names(name)), "n_units"),
        records=tuple(
            (name, *(part for one in estimates for part in _parts(one)), made.n_units)
            for (name, made), estimates in zip(rows, found, strict=True)
        ),
    )


def _cell(estimate: Estimate | None) -> Cell:
    return Cell(value=NO_VALUE) if estimate is None else estimate_cell(estimate)


def _parts(estimate: Estimate | None) -> tuple[Value, ...]:
    return parts(estimate) if estimate else (None,) * 5


def _pair_cell(found: PeopleAgreement, one: str, other: str) -> Cell:
    made = found.pairs.get((one, other)) or found.pairs.get((other, one))
    if made is None:
        return Cell(value="")
    exact = NO_VALUE if made.exact.value is None else f"{made.exact.value:.0%}"
    return Cell(value=number(made.alpha.value), interval=f"{exact}, n {made.n_units}")


def _pair_records(
    found: PeopleAgreement, called: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
    names = ("a", "b", *(part for name in COEFFICIENTS for part in part_names(name)), "n_units")
    return names, tuple(
        (
            one_line(called(a)),
            one_line(called(b)),
            *(part for get in COEFFICIENTS.values() for part in _parts(get(made))),
            made.n_units,
        )
        for (a, b), made in found.pairs.items()
    )


def _judge_rows(
    judge: JudgeScore, top: float
) -> Iterator[tuple[str, str, tuple[Cell, ...], tuple[Value, ...]]]:
    made, name = judge.agreement, one_line(judge.name) or NO_VALUE
    overs = {"all": judge.overall} | {
        one_line(system) or NO_VALUE: one for system, one in judge.systems.items()
    }
    for over, found in overs.items():
        whole = over == "all" and made is not None
        alpha = made.alpha if whole and made else None
        exact = made.exact if whole and made else None
        corrected = scaled(found.corrected, top) if found else None
        alone = scaled(found.judge_only, top) if found else None
        judged = found.corrected.n_units if found else judge.n_judged
        labelled = found.labels if found else 0
        cells = (
            _cell(alpha), _cell(exact), _cell(corrected), _cell(alone), Cell(value=str(judged)),
            Cell(value=str(labelled)),
        )  # fmt: skip
        record = (
            name, over, *_parts(alpha), *_parts(made.ac2 if whole and made else None),
            *_parts(exact), *_parts(corrected), *_parts(alone), judged, labelled,
            corrected.signature if corrected else "",
        )  # fmt: skip
        yield name, over, cells, record


def _judge_notes(results: CampaignResults) -> Iterator[str]:
    scale = results.judges[0].scale
    yield (
        f"Alpha ({scale}) and exact agreement: every label of the judge beside each person's. "
        "Corrected: what people would have said of all units that the judge judged, from their "
        "labels within each of its verdicts; it holds where the labelled units were drawn at "
        "random, or at random within each verdict. Judge alone: as if it never erred."
    )
    for judge in results.judges:
        made = judge.overall
        if made is None:
            continue
        told = []
        if made.correlation is not None:
            told.append(f"correlation with people {number(made.correlation)}")
        if made.labels < made.corrected.n_units:
            told.append(
                f"{made.labels} labels with it tell as much as {made.effective_labels:.0f} without"
            )
        if told:
            yield f"{one_line(judge.name)}: {'; '.join(told)}."
    yield from interval_note(
        one.overall.corrected for one in results.judges if one.overall is not None
    )
