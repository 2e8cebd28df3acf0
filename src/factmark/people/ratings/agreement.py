"""How far annotators agree, and judges by rule or model with them; people's score of all that a
judge judged. With their tables. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from factmark.people.core.forms import Form
from factmark.people.ratings.entries import RatedTask, in_groups
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.comparison import Options
from factmark.stats.corrections import Correction, correction
from factmark.tables.columns import Column, table_of
from factmark.tables.judge_notes import one_label_note, own_work_note
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import count, number, one_line

COEFFICIENTS = {
    "alpha": "alpha",
    "AC2": "ac2",
    "AC1": "ac1",
    "exact": "exact",
    "within 1": "within_one",
}
"""Head of a column -> field of an `Agreement`."""
KAPPAS = {"kappa": "fleiss", "ICC(2,1)": "icc", "ICC(2,k)": "icc_mean"}


def people_agreement(
    form: Form, entries: Sequence[RatedTask], options: Options
) -> Agreement | None:
    """How far annotators agree on units that several were asked about; None where no unit has the
    labels of two. On marks see `factmark agree`."""
    rows: list[dict[str, str]] = []
    clusters: list[str] = []
    for group in in_groups(entries, lambda entry: entry.assignment.unit).values():
        if len(group) > 1:
            rows.append(
                {
                    task.assignment.annotator: task.final.response.label
                    for task in group
                    if task.final and task.final.response.label
                }
            )
            clusters.append(group[0].unit.cluster)
    if not any(len(row) > 1 for row in rows):
        return None
    return agreement(_ratings(form, rows, clusters), form, options)


def _ratings(form: Form, rows: Sequence[Mapping[str, str]], clusters: Sequence[str]) -> Ratings:
    """Labels of a form with what they are worth, which an interval scale goes by."""
    values = tuple(form.values[label] for label in form.ranked)
    return Ratings(labels=form.ranked, rows=rows, clusters=clusters, values=values)


def agreement(ratings: Ratings, form: Form, options: Options) -> Agreement:
    """All coefficients of the ratings."""
    return measure_agreement(
        ratings,
        scale=form.scale,
        level=options.level,
        resamples=options.resamples,
        seed=options.seed,
    )


def agreement_table(form: Form, agreement: Agreement) -> DataTable:
    """All annotators together: alpha, AC2, AC1, exact and within-one agreement."""
    return _table(
        form,
        agreement,
        COEFFICIENTS,
        f"Agreement of annotators ({form.scale})",
        f"Over the {count(agreement.n_units, 'unit', 'units')} that two or more rated; "
        f"{agreement.n_left_out} more were asked of two and lack a rating. Alpha: "
        "Krippendorff's. AC1, AC2: Gwet's. Read alpha beside AC2 or AC1: where one label "
        "prevails, alpha falls however often people agree.",
    )


def kappa_table(form: Form, agreement: Agreement) -> DataTable:
    """All annotators together, by Fleiss' kappa and where labels are numbers by ICC."""
    numbers = (
        " ICC: intraclass correlation (two-way random, absolute agreement), of one rating and of "
        "the mean of as many as a unit has."
    )
    return _table(
        form,
        agreement,
        KAPPAS,
        "Agreement of annotators, by kappa and intraclass correlation"
        if agreement.icc
        else "Agreement of annotators, by kappa",
        "Kappa: Fleiss', which takes labels for categories." + numbers * bool(agreement.icc),
    )


def _table(
    form: Form, agreement: Agreement, coefficients: Mapping[str, str], title: str, note: str
) -> DataTable:
    columns: list[Column[Agreement]] = [
        Column(name="of", key="of", value=lambda row: "all annotators", label=True),
        *(
            _coefficient(name, lambda row: row, key=field if field.startswith("icc") else name)
            for name, field in coefficients.items()
            if getattr(agreement, field) is not None
        ),
        Column(name=f"{form.noun} units", key="n_units", value=lambda row: row.n_units),
        Column(name=form.clusters, value=lambda row: row.exact.n_items),
    ]
    return table_of(title, columns, [agreement], notes=(note,))


def _coefficient(
    name: str, of: Callable[[Any], Agreement | None], *, key: str, shown: bool = True
) -> Column[Any]:
    """The column of a coefficient of what `of` gives; without a value where that is nothing."""
    return Column(
        name=name if shown else "",
        key=key,
        value=lambda row: getattr(of(row), (COEFFICIENTS | KAPPAS)[name], None),
        estimate=True,
    )


_JUDGE = "the judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLabels:
    """What a judge said of all units of a kind that it judged, beside what people said of some.

    Attributes:
        units, labels, clusters, systems: of each unit; a label is None where it gave none.
        people: place in `units` -> the mean of the values that people gave it, as the form's are.
    """

    id: str
    kind: str
    name: str
    units: Sequence[str]
    labels: Sequence[str | None]
    clusters: Sequence[str]
    systems: Sequence[str]
    people: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScore:
    """A judge by rule or model beside people.

    Attributes:
        agreement: every label of the judge beside each person's of this campaign; None where its
            labels are not those of the form, or nobody rated what it judged.
        overall: what people would have said of all units that it judged; in [0, 1]; None where
            people labelled none of them.
    """

    id: str
    kind: str
    name: str
    agreement: Agreement | None
    overall: Correction | None
    systems: Mapping[str, Correction]  # the same of each system, where there are several
    n_judged: int  # units with a label of the judge
    cautions: tuple[str, ...] = ()  # what makes what it says worth less than it looks


def judge_scores(
    form: Form, judges: Iterable[JudgeLabels], entries: Sequence[RatedTask], options: Options
) -> tuple[JudgeScore, ...]:
    """Every judge that said something; none where people mark a text instead of labelling."""
    if not form.values:
        return ()
    return tuple(_score(form, judge, entries, options) for judge in judges if any(judge.labels))


def _score(
    form: Form, judge: JudgeLabels, entries: Sequence[RatedTask], options: Options
) -> JudgeScore:
    labels = judge.labels
    is_known = set(labels) <= {*form.labels, None}
    ratings = _beside(form, judge, entries) if is_known else None
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, system in enumerate(judge.systems):
        places[system].append(place)
    corrected = {
        system: _corrected(form, judge, some, options)
        for system, some in sorted(places.items())
        if is_known and len(places) > 1
    }
    return JudgeScore(
        id=judge.id,
        kind=judge.kind,
        name=judge.name,
        agreement=agreement(ratings, form, options) if ratings else None,
        overall=_corrected(form, judge, range(len(labels)), options) if is_known else None,
        systems={name: estimate for name, estimate in corrected.items() if estimate},
        n_judged=sum(label is not None for label in labels),
        cautions=tuple(judge_cautions(form, judge)),
    )


def judge_cautions(form: Form, judge: JudgeLabels) -> Iterator[str]:
    """Whether it gave all units one label, and whether it is a model that judges its own work."""
    counts = Counter(label for label in judge.labels if label is not None)
    yield from filter(None, [one_label_note(judge.name, counts, len(judge.labels))])
    if judge.kind == "model":
        systems = {system: system for system in judge.systems if system}
        yield from filter(None, [own_work_note(judge.name, systems, form.things)])


def _beside(form: Form, judge: JudgeLabels, entries: Iterable[RatedTask]) -> Ratings | None:
    """Every label of the judge beside each person's; None where there is no such pair."""
    labels = dict(zip(judge.units, judge.labels, strict=True))
    rows: defaultdict[str, dict[str, str]] = defaultdict(dict)
    clusters: dict[str, str] = {}
    for entry in entries:
        unit, label = entry.assignment.unit, entry.final and entry.final.response.label
        if label and (judged := labels.get(unit)):
            rows[unit] |= {_JUDGE: judged, f"person {entry.assignment.annotator}": label}
            clusters[unit] = entry.unit.cluster
    if not rows:
        return None
    ratings = _ratings(form, list(rows.values()), list(clusters.values()))
    return ratings.crossed({_JUDGE}, set(ratings.raters) - {_JUDGE})


def _corrected(
    form: Form, judge: JudgeLabels, places: Sequence[int], options: Options
) -> Correction | None:
    """The mean that people would have given, in [0, 1]; None without a label of theirs.

    Units need not have been drawn among all at random: within each verdict is enough, so each
    counts as many units as it stands for.
    """
    top = form.top
    people = {new: judge.people[old] / top for new, old in enumerate(places) if old in judge.people}
    if not people:
        return None
    corrected = correction(
        [judge.labels[place] for place in places],
        people,
        level=options.level,
        clusters=[judge.clusters[place] for place in places],
        judge_values={label: value / top for label, value in form.values.items()},
        by_verdict=True,
    )
    rubric = form.rubric
    return replace(
        corrected,
        corrected=replace(corrected.corrected, rubric=rubric),
        judge_only=replace(corrected.judge_only, rubric=rubric),
    )


JudgeRow = tuple[JudgeScore, str, Correction | None]
"""A judge over all units, or over those of one system: `all`, or the system's name."""


def judges_table(form: Form, judges: Sequence[JudgeScore], *, cautions: bool = True) -> DataTable:
    """Judges beside people: agreement, and people's score of all that a judge judged.

    `cautions` are among the notes where they stand nowhere else.
    """
    top = form.measures[0].top
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
            _coefficient(name, of_all, key=COEFFICIENTS[name], shown=name != "AC2")
            for name in ("alpha", "AC2", "exact")
        ),
        Column(
            name="corrected",
            key="corrected",
            estimate=True,
            value=lambda row: scaled(row[2].corrected, top) if row[2] else None,
        ),
        Column(
            name="judge alone",
            key="judge_only",
            estimate=True,
            value=lambda row: scaled(row[2].judge_only, top) if row[2] else None,
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
