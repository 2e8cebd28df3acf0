"""What annotators gave, task by task, and what that is worth by each measure. Pure.

Everything that results are made of is an `AnnotatorValue`: one annotator's value of one thing,
final and first, with the least and the most that it can be once nothing is missing. The thing is
the unit itself; of clauses it is their summary, as LongEval scores it.

A finer rating that an annotator wrote into a comment, as "3.5", is only ever a column of its own.
It is read conservatively: a rating that is not read is only a gap in that column, and a dose that
is read as a rating is an error in it. So the number must have a decimal part, lie from 0 to 5 and
at most 1 from the label, and stand where a rating stands: alone, at the beginning before a stop,
over 5, or after words such as "I'd say".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from factmark.campaign_model import Assignment, Marking, Rating
from factmark.people.core.forms import Form, Measure

if TYPE_CHECKING:  # with numpy, which telling progress does without
    from factmark.stats.comparison import Options

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
        score_marks: what marks in it come to; of an answer to mark.
    """

    id: str
    cluster: str  # what is resampled: the document, the question, the head entity
    system: str = ""
    part: str = ""  # the summary that a clause belongs to; empty of other units
    strata: Mapping[str, str] = field(default_factory=dict)  # what results are broken down by
    text: str = ""  # what annotators saw; of a clause the clause itself
    evidence: str = ""  # what it was judged against
    elements: tuple[str, ...] = ()  # of the ground truth, of an answer to mark
    order: int = 0  # where it stands in its part
    score_marks: Callable[[Marking], Any] | None = None

    @property
    def thing(self) -> str:
        """What gets one value."""
        return self.part or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTask:
    """A task with all that was answered to it, the newest last."""

    assignment: Assignment
    unit: RatedUnit
    revisions: tuple[Rating, ...] = ()

    @property
    def final(self) -> Rating | None:
        """What counts."""
        return self.revisions[-1] if self.revisions else None

    @property
    def first(self) -> Rating | None:
        """What came first; None also where that is not known."""
        return self.revisions[0] if self.revisions and self.revisions[0].first else None

    @property
    def recalibrated(self) -> bool:
        """Whether the label or the marks changed after the first that is known."""
        responses = [rating.response for rating in self.revisions]
        return bool(responses) and (responses[0].label, responses[0].marking) != (
            responses[-1].label, responses[-1].marking,
        )  # fmt: skip

    @property
    def seconds(self) -> float | None:
        """What was spent on it. Clients tell the time so far, so it is the most that was told."""
        return max((r.seconds for r in self.revisions if r.seconds is not None), default=None)

    @property
    def comment(self) -> str:
        """That of the newest answer."""
        return self.revisions[-1].response.comment.strip() if self.revisions else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorValue:
    """What an annotator gave a thing, in [0, 1].

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


def in_groups(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """The rows by their key, both in the order in which they came."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def entries_of(
    assignments: Iterable[Assignment], ratings: Iterable[Rating], units: Mapping[str, RatedUnit]
) -> tuple[RatedTask, ...]:
    """The tasks in their order, each with its revisions in theirs."""
    revisions = in_groups(ratings, lambda rating: (rating.annotator, rating.unit))
    return tuple(
        RatedTask(
            assignment=assignment, unit=units[assignment.unit],
            revisions=tuple(revisions.get((assignment.annotator, assignment.unit), ())),
        )
        for assignment in assignments
    )  # fmt: skip


def done_documents(entries: Iterable[RatedTask]) -> dict[str, list[RatedTask]]:
    """The documents all of whose tasks have an answer."""
    documents = in_groups(entries, lambda entry: entry.assignment.document)
    return {
        name: some for name, some in documents.items() if all(entry.revisions for entry in some)
    }


def seconds_on(entries: Sequence[RatedTask]) -> float | None:
    """What was spent on all of them; None where that of one is not known."""
    known = [entry.seconds for entry in entries if entry.seconds is not None]
    return sum(known) if len(known) == len(entries) else None


def annotator_values(scoring: Scoring, entries: Iterable[RatedTask]) -> tuple[AnnotatorValue, ...]:
    """What each annotator gave each thing that was asked."""
    tasks = in_groups(entries, lambda entry: (entry.assignment.annotator, entry.unit.thing))
    return tuple(_value(annotator, asked, scoring) for (annotator, _), asked in tasks.items())


def _value(annotator: str, asked: Sequence[RatedTask], scoring: Scoring) -> AnnotatorValue:
    measure, top = scoring.measure, scoring.form.top
    finals = [worth(entry.final, entry.unit, measure, top) for entry in asked]
    firsts = [worth(entry.first, entry.unit, measure, top) for entry in asked if entry.final]
    known = [value for value in finals if value is not None]
    began = [value for value in firsts if value is not None]
    n, total, unit = len(asked), sum(known), asked[0].unit
    return AnnotatorValue(
        annotator=annotator,
        system=unit.system,
        cluster=unit.cluster,
        thing=unit.thing,
        value=min(1.0, total / len(known)) if known else None,
        first=sum(began) / len(began) if began and len(began) == len(firsts) else None,
        least=total / n,
        most=min(1.0, (total + n - len(known)) / n),
        n_asked=n,
        n_answered=len(known),
    )


def worth(
    rating: Rating | None, unit: RatedUnit, measure: Measure, top: float = 1.0
) -> float | None:
    """The value of an answer by a measure, in parts of `top`; None of none."""
    if rating is None:
        return None
    if rating.response.marking is None:
        return None if rating.value is None else rating.value / top
    assert unit.score_marks is not None  # noqa: S101  # what is marked is an answer to mark
    return float(getattr(unit.score_marks(rating.response.marking), measure.reads))


MOST_AWAY = 1.0

_NUMBER = r"(?<![\w.,/=<>+−–-])(?P<whole>[0-5])[.,](?P<part>\d{1,2})"
_OVER = r"(?:\s*(?:/|out\s+of|of)\s*5(?:[.,]0)?)"
_END = r"(?=\s*(?:$|[.!?;)\n]|,(?!\d)|[–—]|-\s|(?:but|because|since|as|overall|if)\b))"
_SOFT = r"(?:about|around|maybe|perhaps|probably|rather|roughly|more\s+like|closer\s+to|a|an|~|≈)"
_OPENING = (
    r"(?:(?:my\s+)?(?:rating|score)\s*(?:is|would\s+be)?\s*[:=]?\s*"
    r"|(?:it['’]s|it\s+is|this\s+is)\s+an?\s+)?"
)
_ALONE = re.compile(
    rf"^[\s(\[\"'“*]*{_OPENING}(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?(?:\s*(?:points?|stars?))?"
    r"[\s)\].!?\"'”*]*$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"^[\s(\[]*{_OPENING}(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?"
    r"(?:\s*[:;)\]\n]|,(?!\d)|\.(?!\d)|\s+[–—-]\s|\s+(?:because|since|but)\b)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SAID = re.compile(
    r"\b(?:i['’]?d|i\s+would)\s+(?:say|(?:give|rate|call)(?:\s+(?:it|this(?:\s+one)?))?)\s+"
    rf"(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?{_END}",
    re.IGNORECASE,
)
_OVER_FIVE = re.compile(rf"{_NUMBER}{_OVER}{_END}", re.IGNORECASE)


def finer_rating(label: str | None, comment: str) -> float | None:
    """The rating with a decimal part that a comment states, or None.

    Args:
        label: the rating that was chosen, `0` to `5`; without one nothing is read.

    >>> finer_rating("4", "3.5"), finer_rating("3", "I'd say 3,5"), finer_rating("3", "3.5 mg")
    (3.5, 3.5, None)
    """
    if label is None or not label.isdecimal():
        return None
    text = comment.strip().replace("½", ".5")
    ratings = {value for value in _stated(text) if 0 <= value <= 5}
    if len(ratings) != 1:
        return None
    value = ratings.pop()
    return value if abs(value - float(label)) <= MOST_AWAY else None


def _stated(text: str) -> Iterator[float]:
    if alone := _ALONE.match(text):
        yield _stated_value(alone)
        return
    first = _FIRST.match(text)
    if first and not re.search(r"\d", first["rest"]):  # else it may be a figure beside another
        yield _stated_value(first)
    for pattern in (_SAID, _OVER_FIVE):
        for match in pattern.finditer(text):
            yield _stated_value(match)


def _stated_value(match: re.Match[str]) -> float:
    return float(f"{match['whole']}.{match['part']}")
