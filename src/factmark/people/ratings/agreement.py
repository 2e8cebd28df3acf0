"""How far annotators agree, and judges by rule or model with them; people's score of all that a
judge judged. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factmark.evaluated.agreement import LabelScale, RaterSides, agreement_between
from factmark.evaluated.columns import ValueColumn, column_of_labels, column_of_numbers
from factmark.evaluated.corrected import How, correction_of
from factmark.evaluated.table import JUDGE, Evaluated, table_of_rows
from factmark.people.core.forms import Form
from factmark.people.ratings.entries import RatedTask
from factmark.stats.agreement import Agreement
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
    table = table_of_tasks(form, entries)
    everybody = RaterSides(ones=_people_of(table))
    if len(form.labels) < 2 or not everybody.labelled.any():
        return None
    return agreement_between(table, everybody, form_scale(form), options)


def table_of_tasks(form: Form, entries: Iterable[RatedTask]) -> Evaluated:
    """Returns what annotators gave the units that they were asked about, by their codes; without
    who has labelled nothing yet."""
    tasks = list(entries)
    raters = {task.assignment.annotator for task in tasks if _label(task)}
    rows: dict[str, dict[str, str | None]] = {}
    clusters: dict[str, str] = {}
    for task in tasks:
        about = task.assignment
        if about.annotator in raters:
            row = rows.setdefault(about.unit, {})
            row[about.annotator] = _label(task) or row.get(about.annotator)
            clusters.setdefault(about.unit, task.unit.cluster)
    return table_of_rows(rows, form.values, clusters=list(clusters.values()))


def _people_of(table: Evaluated) -> list[ValueColumn]:
    """Returns what people said, in the order of their codes."""
    return [column for _, column in sorted(table.people.items())]


def _label(task: RatedTask) -> str | None:
    """Returns the label that counts; None where there is none yet, or a text was marked."""
    if task.final:
        return task.final.response.label
    return None


def form_scale(form: Form) -> LabelScale:
    """Returns the labels of a form with what they are worth, which an interval scale goes by."""
    values = tuple(form.values[label] for label in form.ranked)
    return LabelScale(metric=form.scale, labels=form.ranked, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLabels:
    """What a judge gave all units of a kind that it judged, beside what people gave some of them.

    Attributes:
        table: the judge's labels as `JUDGE`, the means that people gave as the form's values are,
            and whose output each unit is.
    """

    id: str
    kind: str
    name: str
    table: Evaluated

    @property
    def labels(self) -> Sequence[str | None]:
        """Of each unit; None where it gave none."""
        return self.table.judges[JUDGE].texts


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
    people = table_of_tasks(form, entries)
    return tuple(
        _judge_score(form, judge, people, options) for judge in judges if any(judge.labels)
    )


def _judge_score(form: Form, judge: JudgeLabels, people: Evaluated, options: Options) -> JudgeScore:
    """Returns how one judge compares with people, over all units and for each system."""
    labels = judge.labels
    agreement = overall = None
    systems = {}
    if set(labels) <= {*form.labels, None}:
        agreement = _agreement_with_people(form, judge, people, options)
        table = _in_shares(form, judge)
        overall = _corrected(form, table, options)
        if len(table.by_system) > 1:
            for name, part in table.by_system.items():
                systems[name] = _corrected(form, part, options)
    return JudgeScore(
        id=judge.id,
        kind=judge.kind,
        name=judge.name,
        agreement=agreement,
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
        if judge.table.system is not None:
            systems = {name: name for name in judge.table.system.cells}
        yield from filter(None, [own_work_note(judge.name, systems, form.things)])


def _agreement_with_people(
    form: Form, judge: JudgeLabels, people: Evaluated, options: Options
) -> Agreement | None:
    """Returns how far every label of the judge agrees with each person's, of units that both were
    asked about; None where there is no such pair."""
    labels = dict(zip(judge.table.ids, judge.labels, strict=True))
    given = column_of_labels(JUDGE, [labels.get(unit) for unit in people.ids], form.values)
    asked = np.array([unit in labels for unit in people.ids], dtype=np.bool_)
    sides = RaterSides(ones=[replace(given, asked=asked)], others=_people_of(people))
    if not sides.labelled.any():
        return None
    return agreement_between(people, sides, form_scale(form), options)


def _in_shares(form: Form, judge: JudgeLabels) -> Evaluated:
    """Returns what a judge and people gave units, as shares of the form's bounds."""
    share = form.bounds.share
    worth = {label: share(value) for label, value in form.values.items()}
    people = {place: share(mean) for place, mean in judge.table.people_by_place.items()}
    return replace(
        judge.table,
        judges={JUDGE: column_of_labels(JUDGE, judge.labels, worth, kind="rating")},
        people={"people": column_of_numbers("people", people, len(judge.table))},
    )


def _corrected(form: Form, table: Evaluated, options: Options) -> Correction | None:
    """Returns the mean, on the scale of the form's measure, that people would have given all these
    units; None where they labelled none.

    It is made of the judge's labels and of people's on some units. These need not have been drawn
    among all at random: within each verdict is enough, so each counts as many units as it stands
    for.
    """
    how = How(level=options.level, target=options.target, by_verdict=True)
    corrected = correction_of(table, JUDGE, how)
    if corrected is None:
        return None
    scale = form.measures[0].scale
    rubric = form.rubric
    return replace(
        corrected,
        corrected=replace(on_scale(corrected.corrected, scale), rubric=rubric),
        judge_only=replace(on_scale(corrected.judge_only, scale), rubric=rubric),
    )
