"""How far annotators agree, and judges by rule or model with them; people's score of all that a
judge judged. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.corrected import How, correction_of
from factmark.evaluated.table import Evaluated, table_of_judge
from factmark.people.core.forms import Form
from factmark.people.ratings.entries import RatedTask, group_rows
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.comparison import Options
from factmark.stats.corrections import Correction
from factmark.stats.scales import on_scale
from factmark.text.judge_notes import one_label_note, own_work_note

COEFFICIENTS = {
    "alpha": "alpha",
    "AC2": "ac2",
    "AC1": "ac1",
    "exact": "exact",
    "within 1": "within_one",
}
"""Head of a column -> field of an `Agreement`."""
KAPPAS = {"kappa": "kappa", "ICC(2,1)": "icc", "ICC(2,k)": "icc_mean"}


def people_agreement(
    form: Form, entries: Sequence[RatedTask], options: Options
) -> Agreement | None:
    """Returns how far annotators agree on units that several of them were asked about, as
    `factmark agree` has it; None where no unit has the labels of two, or there is one label only.

    Who has labelled nothing yet is none of them. A unit that lacks a label is missing; what others
    said of it still counts in the shares of labels, as irrCAC has it (`stats.coefficients.gwet`).
    """
    rows: list[dict[str, str]] = []
    clusters: list[str] = []
    raters = set()
    for task in entries:
        if _label(task):
            raters.add(task.assignment.annotator)
    asked = []
    for task in entries:
        if task.assignment.annotator in raters:
            asked.append(task)
    for group in group_rows(asked, lambda entry: entry.assignment.unit).values():
        if len(group) > 1:
            rows.append(
                {task.assignment.annotator: label for task in group if (label := _label(task))}
            )
            clusters.append(group[0].unit.cluster)
    if len(form.labels) < 2 or not any(len(row) > 1 for row in rows):
        return None
    return labels_agreement(_ratings(form, rows, clusters), form, options)


def _label(task: RatedTask) -> str | None:
    """Returns the label that counts; None where there is none yet, or a text was marked."""
    if task.final:
        return task.final.response.label
    return None


def _ratings(form: Form, rows: Sequence[Mapping[str, str]], clusters: Sequence[str]) -> Ratings:
    """Returns labels of a form with what they are worth, which an interval scale goes by."""
    values = tuple(form.values[label] for label in form.ranked)
    return Ratings(labels=form.ranked, rows=rows, clusters=clusters, values=values)


def labels_agreement(ratings: Ratings, form: Form, options: Options) -> Agreement:
    """Returns all coefficients of agreement of ratings by the labels of a form."""
    return measure_agreement(
        ratings,
        scale=form.scale,
        level=options.level,
        resamples=options.resamples,
        seed=options.seed,
    )


_JUDGE = "the judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLabels:
    """What a judge gave all units of a kind that it judged, beside what people gave some of them.

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
    """How a judge by rule or model compares with people.

    Attributes:
        agreement: of every label of the judge with each person's of this campaign; None where its
            labels are not those of the form, or nobody rated what it judged.
        overall: what people would have given all units that it judged, on the scale of the
            form's measure; None where people
            labelled none of them.
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
    """Returns how each judge compares with people; judges without a label are left out, and all
    where people mark a text instead of labelling."""
    if not form.values:
        return ()
    return tuple(
        _judge_score(form, judge, entries, options) for judge in judges if any(judge.labels)
    )


def _judge_score(
    form: Form, judge: JudgeLabels, entries: Sequence[RatedTask], options: Options
) -> JudgeScore:
    """Returns how one judge compares with people, over all units and for each system."""
    labels = judge.labels
    ratings = overall = None
    systems = {}
    if set(labels) <= {*form.labels, None}:
        ratings = _labels_beside_people(form, judge, entries)
        table = _table_of(form, judge)
        overall = _corrected(form, table, options)
        if len(table.by_system) > 1:
            for name, part in table.by_system.items():
                systems[name] = _corrected(form, part, options)
    return JudgeScore(
        id=judge.id,
        kind=judge.kind,
        name=judge.name,
        agreement=labels_agreement(ratings, form, options) if ratings else None,
        overall=overall,
        systems={name: estimate for name, estimate in systems.items() if estimate},
        n_judged=sum(label is not None for label in labels),
        cautions=tuple(judge_cautions(form, judge)),
    )


def judge_cautions(form: Form, judge: JudgeLabels) -> Iterator[str]:
    """Yields what to beware of: that a judge gave all units one label, or is a model that judges
    its own work."""
    counts = Counter(label for label in judge.labels if label is not None)
    yield from filter(None, [one_label_note(judge.name, counts, len(judge.labels))])
    if judge.kind == "model":
        systems = {}
        for system in judge.systems:
            if system:
                systems[system] = system
        yield from filter(None, [own_work_note(judge.name, systems, form.things)])


def _labels_beside_people(
    form: Form, judge: JudgeLabels, entries: Sequence[RatedTask]
) -> Ratings | None:
    """Returns every label of the judge beside each person's, of units that both were asked about;
    None where there is no such pair."""
    labels = dict(zip(judge.units, judge.labels, strict=True))
    rows: defaultdict[str, dict[str, str]] = defaultdict(dict)
    clusters: dict[str, str] = {}
    raters = {entry.assignment.annotator for entry in entries if _label(entry)}
    for entry in entries:
        unit = entry.assignment.unit
        person = entry.assignment.annotator
        if unit in labels and person in raters:
            both = {_JUDGE: labels[unit], f"person {person}": _label(entry)}
            rows[unit] |= {rater: label for rater, label in both.items() if label}
            clusters[unit] = entry.unit.cluster
    if not any(_JUDGE in row and len(row) > 1 for row in rows.values()):
        return None
    ratings = _ratings(form, list(rows.values()), list(clusters.values()))
    return ratings.crossed({_JUDGE}, set(ratings.raters) - {_JUDGE})


def _table_of(form: Form, judge: JudgeLabels) -> Evaluated:
    """Returns what a judge and people gave units, as shares of the form's bounds."""
    share = form.bounds.share
    worth = {label: share(value) for label, value in form.values.items()}
    return table_of_judge(
        column_of_labels(_JUDGE, judge.labels, worth, kind="rating"),
        {place: share(value) for place, value in judge.people.items()},
        ids=judge.units,
        clusters=judge.clusters,
        systems=judge.systems,
    )


def _corrected(form: Form, table: Evaluated, options: Options) -> Correction | None:
    """Returns the mean, on the scale of the form's measure, that people would have given all these
    units; None where they labelled none.

    It is made of the judge's labels and of people's on some units. These need not have been drawn
    among all at random: within each verdict is enough, so each counts as many units as it stands
    for.
    """
    how = How(level=options.level, target=options.target, by_verdict=True)
    corrected = correction_of(table, _JUDGE, how)
    if corrected is None:
        return None
    scale = form.measures[0].scale
    rubric = form.rubric
    return replace(
        corrected,
        corrected=replace(on_scale(corrected.corrected, scale), rubric=rubric),
        judge_only=replace(on_scale(corrected.judge_only, scale), rubric=rubric),
    )
