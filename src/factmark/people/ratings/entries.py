"""What annotators gave, task by task, and what that is worth by each measure. Pure.

Everything that results are made of is an `AnnotatorValue`: one annotator's value of one thing,
final and first, with the least and the most that it can be once nothing is missing. The thing is
the unit itself; of clauses it is their summary, as LongEval scores it.

A finer rating that an annotator wrote into a comment, as "3.5", is only ever a column of its own.
It is read conservatively: a rating that is not read is only a gap in that column, and a dose that
is read as a rating is an error in it. So the number must be the comment's only one with a decimal
part, at most 1 from the label, and stand where a rating stands: at the beginning, over 5, or after
"I'd say".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

from factmark.campaign_model import Assignment, CampaignTask, Marking, Rating, Shown
from factmark.model import Item, Measure, Unit, UserRow
from factmark.people.core.forms import COARSE, Form

if TYPE_CHECKING:  # with numpy, which telling progress does without
    from factmark.stats.comparison import Options

BROUGHT_IN = ("import", "ledger")
"""Sources of answers that nobody was asked for here: files of ratings, labels in the ledger."""

Row = TypeVar("Row")
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A measure of a form, and how its intervals are made."""

    form: Form
    measure: Measure
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedUnit:
    """A unit that people were asked about, as results see it.

    Attributes:
        score_marks: what marks in it come to; for an answer to mark.
        row: file, place there and id, as its owner knows it; empty where that is not known.
    """

    id: str
    cluster: str  # what is resampled: the document, the question, the head entity
    system: str = ""
    part: str = ""  # the summary that a clause belongs to; empty for other units
    text: str = ""  # what annotators saw; for a clause the clause itself
    evidence: str = ""  # what it was judged against
    order: int = 0  # where it stands in its part
    score_marks: Callable[[Marking], Any] | None = None
    row: tuple[str, str, str] = ("", "", "")

    @property
    def thing(self) -> str:
        """The id of what gets one value: the unit, or the part that it belongs to."""
        return self.part or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTask:
    """A task with all that was answered to it, the newest last."""

    assignment: Assignment
    unit: RatedUnit
    revisions: Sequence[Rating] = ()

    @property
    def final(self) -> Rating | None:
        """The newest answer, which counts."""
        if self.revisions:
            return self.revisions[-1]
        return None

    @property
    def first(self) -> Rating | None:
        """The first answer; None also where it is not known."""
        if self.revisions and self.revisions[0].first:
            return self.revisions[0]
        return None

    @property
    def recalibrated(self) -> bool:
        """Whether the label or the marks changed after the first that is known."""
        if not self.revisions:
            return False
        first = self.revisions[0].response
        last = self.revisions[-1].response
        return (first.label, first.marking) != (last.label, last.marking)

    @property
    def seconds(self) -> float | None:
        """The seconds spent on it: the most that clients told, as each tells the time so far."""
        return max((r.seconds for r in self.revisions if r.seconds is not None), default=None)

    @property
    def comment(self) -> str:
        """The comment of the newest answer."""
        if self.revisions:
            return self.revisions[-1].response.comment.strip()
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorValue:
    """What an annotator gave a thing, as a share of the scale.

    Attributes:
        least, most: `value` if all that is missing were 0, or 1.
        n_asked, n_answered: tasks.
    """

    annotator: str
    system: str
    cluster: str
    thing: str
    value: float | None  # by what counts; None where nothing was answered
    first: float | None  # by what came first; None where that is not known of all its units
    least: float
    most: float
    n_asked: int
    n_answered: int


def group_rows(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Returns each key with the rows that have it; keys and rows in the order in which
    they came."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def rated_unit(
    item: Item,
    unit: Unit,
    shown: Shown,
    score_marks: Callable[..., Any] | None = None,
    rows: Sequence[UserRow] = (),
) -> RatedUnit:
    """Returns a unit as results see it.

    Args:
        score_marks: gives the scores that marks in the text come to; only of answers that people
            mark.
        rows: of the owner's files; the first stands for the unit.
    """
    start, end = shown.clause or (0, len(shown.text))
    data = unit.data
    part = ""
    if shown.clause:
        part = str(data.get("summary") or "")
    if rows:
        row = (rows[0].source, rows[0].place, rows[0].id)
    else:
        row = (
            "",
            str(data.get("where") or ""),
            str(data.get("id") or item.data.get("id") or ""),
        )
    return RatedUnit(
        id=unit.id,
        cluster=item.cluster,
        system=str(data.get("system") or ""),
        part=part,
        text=shown.text[start:end],
        evidence=shown.evidence,
        order=start,
        score_marks=score_marks and partial(score_marks, unit.text, shown.elements),
        row=row,
    )


def rated_tasks(
    tasks: Iterable[CampaignTask],
    revisions: Mapping[str, Sequence[Rating]],
    units: Mapping[str, RatedUnit],
) -> tuple[RatedTask, ...]:
    """Returns the tasks in their order, each with its unit and with all answers to it; those of
    other units are left out."""
    return tuple(
        RatedTask(
            assignment=task.assignment,
            unit=units[task.assignment.unit],
            revisions=revisions.get(task.key, ()),
        )
        for task in tasks
        if task.assignment.unit in units
    )


def count_done_documents(entries: Iterable[RatedTask]) -> tuple[int, float | None]:
    """Returns how many documents have an answer to each task of an annotator, and the median
    minutes on one, of those whose times are known."""
    documents = group_rows(entries, lambda e: (e.assignment.annotator, e.assignment.document))
    done = []
    for some in documents.values():
        if all(entry.revisions for entry in some):
            done.append(some)
    seconds = []
    for some in done:
        seconds.append([entry.seconds for entry in some])
    minutes = [sum(filter(None, some)) / 60 for some in seconds if None not in some]
    return len(done), median(minutes) if minutes else None


def annotator_values(scoring: Scoring, entries: Iterable[RatedTask]) -> tuple[AnnotatorValue, ...]:
    """Returns what each annotator gave each thing that they were asked about."""
    tasks = group_rows(entries, lambda entry: (entry.assignment.annotator, entry.unit.thing))
    return tuple(
        _annotator_value(annotator, asked, scoring) for (annotator, _), asked in tasks.items()
    )


def _annotator_value(
    annotator: str, asked: Sequence[RatedTask], scoring: Scoring
) -> AnnotatorValue:
    """Returns what an annotator gave one thing, from their tasks about it."""
    finals = [answer_value(scoring, entry.final, entry.unit) for entry in asked]
    firsts = [answer_value(scoring, entry.first, entry.unit) for entry in asked if entry.final]
    known = [value for value in finals if value is not None]
    began = [value for value in firsts if value is not None]
    n = len(asked)
    total = sum(known)
    unit = asked[0].unit
    first = None
    if began and len(began) == len(firsts):
        first = sum(began) / len(began)
    return AnnotatorValue(
        annotator=annotator,
        system=unit.system,
        cluster=unit.cluster,
        thing=unit.thing,
        value=min(1.0, total / len(known)) if known else None,
        first=first,
        least=total / n,
        most=min(1.0, (total + n - len(known)) / n),
        n_asked=n,
        n_answered=len(known),
    )


def answer_value(scoring: Scoring, revision: Rating | None, unit: RatedUnit) -> float | None:
    """Returns what an answer is worth by a measure, as a share of its scale; None where there is
    no answer."""
    if revision is None:
        return None
    marking = revision.response.marking
    if marking is not None:
        assert unit.score_marks is not None  # noqa: S101  # what is marked is an answer to mark
        return float(getattr(unit.score_marks(marking), scoring.measure.key))
    value = scoring.form.values.get(revision.response.label or "")
    if value is None:
        return None
    return scoring.form.bounds.share(value)


MOST_AWAY = 1.0
_DECIMAL = re.compile(
    r"(?<![\w.,/=<>+−–-])(?P<rating>[0-5][.,]\d{1,2})(?![\d%]|[.,]\d)|\d[.,]\d", re.ASCII
)
_LEAD = (
    r"(?:(?:my|the|rating|score|is|would|be|it['’]?s|it|this|one|an?|say|give|rate|call|about|around"
    r"|maybe|perhaps|probably|rather|roughly|more|like|closer|to)\b[\s:=]*|~\s*)*"
)
_BEFORE = re.compile(rf"(?:^[\s(\[\"'“*]*|\bi(?:['’]?d|\s+would)\s+){_LEAD}$", re.IGNORECASE)
_OVER = re.compile(r"\s*(?:/|out\s+of|of)\s*5(?:[.,]0)?(?![\d.,]*\d)", re.IGNORECASE)
_AFTER = re.compile(
    r"(?:\s*(?:points?|stars?))?[\s)\]\"'”*]*"
    r"(?:$|[.!?:;,\n]|[–—]|-\s|\b(?:but|because|since|as|overall|if)\b)",
    re.IGNORECASE,
)


def finer_rating(form: Form, label: str | None, comment: str) -> float | None:
    """Returns the rating with a decimal part that a comment states, in a form of ratings; else
    None.

    >>> finer_rating(COARSE, "4", "3.5"), finer_rating(COARSE, "3", "3.5 mg")
    (3.5, None)
    """
    text = comment.strip().replace("½", ".5")
    decimals = list(_DECIMAL.finditer(text))
    if form != COARSE or label is None or len(decimals) != 1 or not decimals[0]["rating"]:
        return None
    start, end = decimals[0].span()
    over = _OVER.match(text, end)
    begins = over or _BEFORE.search(text[:start])
    if not begins or not _AFTER.match(text, over.end() if over else end):
        return None
    value = float(decimals[0][0].replace(",", "."))
    if abs(value - float(label)) <= MOST_AWAY and value <= 5:
        return value
    return None
