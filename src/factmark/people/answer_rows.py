"""The rows of ratings: one for each answer and each change of one, and one without a label for what
is not rated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from factmark.campaign_model import Rating
from factmark.files.flat_files import json_text, to_json_value
from factmark.people.ratings.entries import RatedTask, Scoring, answer_value, finer_rating
from factmark.people.results import CampaignResults
from factmark.report.file_columns import FileColumn, attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer to a task with the results that it is in; None of a task without any."""

    results: CampaignResults
    entry: RatedTask
    answer: Rating | None
    is_decision: bool  # by somebody who decides where ratings differ

    @property
    def row(self) -> tuple[str, str, str]:
        """File, place and id of the row that it was read from, else of the row that it is about."""
        if self.answer is not None and any(self.answer.response.row):
            return self.answer.response.row
        return self.entry.unit.row

    @property
    def value(self) -> float | None:
        """What the label is worth."""
        label = None
        if self.answer:
            label = self.answer.response.label
        return self.results.form.values.get(label or "")

    @property
    def finer(self) -> float | None:
        """The finer rating that the comment states."""
        if self.answer is None:
            return None
        response = self.answer.response
        return finer_rating(self.results.form, response.label, response.comment)

    @property
    def marks(self) -> str | None:
        """What was marked, as JSON."""
        if self.answer is None or self.answer.response.marking is None:
            return None
        return json_text(to_json_value(self.answer.response.marking))

    @property
    def evidence(self) -> str | None:
        """The stretches that decided it, as JSON: where, start and end of each."""
        if self.answer is None or not self.answer.response.evidence:
            return None
        return json_text(to_json_value(self.answer.response.evidence))


def ratings_of(parts: Sequence[CampaignResults]) -> tuple[AnswerRow, ...]:
    """Returns all ratings in the order of the lists, and behind them what was decided."""
    ratings = []
    for part in parts:
        for entry, decides in _entries(part):
            for answer in entry.revisions or (None,):
                rating = AnswerRow(results=part, entry=entry, answer=answer, is_decision=decides)
                ratings.append(rating)
    return tuple(ratings)


def _entries(part: CampaignResults) -> Iterator[tuple[RatedTask, bool]]:
    """Yields the tasks of a campaign, and whether somebody decides by them."""
    for entry in part.entries:
        yield entry, False
    for entry in part.decisions:
        yield entry, True


def _of_answer(key: str) -> Callable[[AnswerRow], Any]:
    """Returns what gives a value of the answer; None where there is none."""
    value = attrgetter(key)
    return lambda rating: None if rating.answer is None else value(rating.answer)


def _is(key: str) -> Callable[[AnswerRow], bool | None]:
    """Returns what says whether an answer is the `first` or the `final` one of its task."""

    def value(rating: AnswerRow) -> bool | None:
        if rating.answer is None:
            return None
        return rating.answer is getattr(rating.entry, key)

    return value


ROW_COLUMNS: tuple[FileColumn[AnswerRow], ...] = (
    FileColumn(name="annotator", value=lambda r: r.results.called(r.entry.assignment.annotator)),
    *attributes("batch", "position", of="entry.assignment", type="BIGINT"),
    *attributes("document", of="entry.assignment"),
    *attributes("system", of="entry.unit"),
    *attributes("unit", of="entry.assignment"),
    FileColumn(name="label", value=_of_answer("response.label")),
    *attributes("value", "finer", type="DOUBLE"),
    FileColumn(name="first", type="BOOLEAN", value=_is("first")),
    FileColumn(name="decision", type="BOOLEAN", value=attrgetter("is_decision")),
    FileColumn(name="final", type="BOOLEAN", value=_is("final")),
    FileColumn(name="seconds", type="DOUBLE", value=_of_answer("seconds")),
    FileColumn(name="at", value=_of_answer("at")),
    FileColumn(name="source", value=_of_answer("source")),
    FileColumn(name="comment", value=_of_answer("response.comment")),
    *attributes("marks", "evidence"),
    FileColumn(name="input_file", value=lambda rating: rating.row[0]),
    FileColumn(name="input_row", value=lambda rating: rating.row[1]),
    FileColumn(name="input_id", value=lambda rating: rating.row[2]),
)
_DIMENSION: FileColumn[AnswerRow] = FileColumn(
    name="dimension", value=attrgetter("results.dimension")
)


def row_columns(parts: Sequence[CampaignResults]) -> tuple[FileColumn[AnswerRow], ...]:
    """Returns the columns of the rows: of several dimensions with the dimension, of marks with the
    scores."""
    columns = list(ROW_COLUMNS)
    if len(parts) > 1:
        columns.insert(0, _DIMENSION)
    for part in parts:
        if not part.form.values:
            columns += map(_score_column, part.scorings)
    return tuple(columns)


def _score_column(scoring: Scoring) -> FileColumn[AnswerRow]:
    """Returns the column of a score of marks."""

    def value(rating: AnswerRow) -> float | None:
        return answer_value(scoring, rating.answer, rating.entry.unit)

    return FileColumn(name=scoring.measure.key, type="DOUBLE", value=value)
