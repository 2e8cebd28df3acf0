"""The reports of runs that no answer is in, declared: what a run would ask, how good retrieval is.

That of answers and of how they came about is `answers.report`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from factmark.answers.core.averages import OVERALL, overall_rows
from factmark.answers.questions.ground_truths import Truth
from factmark.ask.forecast import Forecast, total_forecast
from factmark.model import Measure
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.file_columns import FileColumn, attributes
from factmark.report.layouts import Cell, DataTable
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, aside, brackets, figure
from factmark.runs.retrieval_quality import Quality, QuestionHeld
from factmark.text.shown_text import count, listed, number, one_line
from factmark.version import __version__

WITH_TOOLS = (
    "Tokens are estimated from the lengths of the prompts. Of conversations with tools the "
    "number of calls and what the tools return are assumed. A model that finds the facts "
    "is asked about each answer; those that it knows already cost nothing."
)
JUDGED_BY_RULE = (
    "Tokens are estimated from the lengths of the prompts. The judge's calls are an upper bound, "
    "but for replies that must be asked for again: each answer in free text that is yet to come "
    "counts, and choices and abstentions are judged by rule. What is in the ledger costs nothing."
)


def _cost(row: Forecast) -> Cell:
    """Returns a cost as people are shown it."""
    value = "unknown"
    if row.cost is not None:
        value = f"{row.cost:.4g}"
    return Cell(value=value)


_FORECAST = (
    Column[Forecast](name="model", value=lambda row: row.model, key="model", label=True),
    Column[Forecast](
        name="condition",
        value=lambda row: row.condition,
        key="condition",
        label=True,
        show=one_line,  # that of the total is empty
    ),
    Column[Forecast](name="answers", value=lambda row: row.units, key="answers"),
    Column[Forecast](name="in the ledger", value=lambda row: row.judged_before, key="known"),
    Column[Forecast](name="calls", value=lambda row: row.calls, key="calls"),
    Column[Forecast](name="tokens in", value=lambda row: row.input_tokens, key="input_tokens"),
    Column[Forecast](name="tokens out", value=lambda row: row.output_tokens, key="output_tokens"),
    Column[Forecast](name="cost", value=_cost),
    Column[Forecast](value=lambda row: row.cost, key="cost"),
)


def forecast_table(forecasts: Sequence[Forecast], note: str = WITH_TOOLS) -> DataTable:
    """Returns what a run would ask, a line per model and condition, and the total.

    Args:
        note: how it was reckoned.
    """
    total = total_forecast(forecasts)
    notes = [note]
    if total.cost is None:
        notes.append("The cost is not known where no price is: give --prices.")
    return table_of(
        "What the run would ask",
        _FORECAST,
        [*forecasts, total],
        group=lambda row: row.model,
        overall=lambda row: row is total,
        notes=notes,
        records=forecasts,
    )


_GIVEN = 5  # passages that `factmark run` gives where nothing else is said
HELD = Measure(
    key="retrieval",
    symbol="held whole",
    name="share of questions whose whole ground truth stands in the passages",
)
QUESTION_COLUMNS: tuple[FileColumn[QuestionHeld], ...] = (
    *attributes("query_id", "category"),
    *attributes("k", type="BIGINT"),
    FileColumn(name="held", value=lambda row: list(row.held)),
    FileColumn(name="missing", value=lambda row: list(row.missing)),
)
_SHARES: tuple[Column[Quality], ...] = (
    attribute_column("k", label=True, show=str),
    attribute_column(
        "whole",
        "held whole",
        better="higher",
        bounds=True,
        estimate=True,
        meaning="Held whole: share of questions of which all elements of G stand in the passages.",
    ),
    attribute_column(
        "elements",
        "elements held",
        better="higher",
        bounds=True,
        estimate=True,
        meaning="Elements held: mean share of a question's elements; where G has more elements "
        "than k, this tells more.",
    ),
    attribute_column(
        "by_chance",
        "by chance",
        estimate=True,
        show=lambda share: number(share.value),
        meaning="By chance: the same share in the passages of another question.",
    ),
    Column(
        name="questions",
        key="questions",
        value=lambda row: row.n_questions - row.n_empty - row.n_unknown,
    ),
    attribute_column("n_larger", "more elements than k"),
)
_CATEGORY = attribute_column("category", label=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResults:
    """How good retrieval is.

    Attributes:
        searched: the identity of the index.
        truth: the questions with their ground truths.
        quality: per category and number of passages.
        questions: per question and number of passages.
    """

    searched: str
    truth: Truth
    quality: tuple[Quality, ...]
    questions: tuple[QuestionHeld, ...]


def retrieval_report(results: RetrievalResults) -> Result:
    """Returns the result on retrieval in all its forms; it has no page."""
    quality = results.quality
    overall = overall_rows(quality)
    title = "How often the k best passages hold the ground truth"
    notes = _retrieval_notes(overall, results.searched)
    by_category = sorted(quality, key=lambda row: row.category != OVERALL)
    return Result(
        measure=HELD,
        subject=results.truth.benchmark,
        averages={f"held whole by {_passages(row.k)}": row.whole for row in overall},
        tables={
            "retrieval": table_of(title, _SHARES, overall, notes=notes),
            "categories": table_of(
                f"{title}, by category",
                (_CATEGORY, *_SHARES),
                by_category,
                group=attrgetter("category"),
                overall=lambda row: row.category == OVERALL,
            ),
        },
        rows=results.questions,
        columns=QUESTION_COLUMNS,
        sentence=retrieval_sentence(quality),
        problems=results.truth.problems,
        signature={
            "factmark": __version__,
            "index": results.searched,
            "ground_truth_from": results.truth.source,
        },
        figures={"quality": quality},
        details=results,
    )


def retrieval_sentence(rows: Sequence[Quality]) -> FirstSentence:
    """Returns how often the passages found hold a whole ground truth, in a sentence."""
    overall = overall_rows(rows)
    shown = []
    for row in overall:
        if row.k in (_GIVEN, overall[-1].k):
            shown.append(row)
    asked = [row.n_questions - row.n_empty - row.n_unknown for row in shown]
    if not any(asked):
        return FirstSentence(sentence="No question has a ground truth that passages could hold.")
    questions = count(asked[0], "question", "questions")
    parts = [f"{figure(row.whole)} by the best {_passages(row.k)}" for row in shown]
    note = aside(brackets(*(row.whole for row in shown)))
    return FirstSentence(
        sentence=f"Of {questions}, this share has its whole ground truth in what is found: "
        f"{listed(parts)}{note}."
    )


def _passages(k: int) -> str:
    """Returns so many passages in words, one without its number."""
    if k == 1:
        return "passage"
    return f"{k} passages"


def _retrieval_notes(overall: Sequence[Quality], searched: str) -> list[str]:
    """Returns which questions are left out or missing, and what was searched."""
    notes = []
    if overall and overall[0].n_empty:
        empty = count(overall[0].n_empty, "question has", "questions have")
        notes.append(f"{empty} an empty ground truth: nothing can be held, they are left out.")
    if overall and overall[0].n_unknown:
        unknown = count(overall[0].n_unknown, "question has", "questions have")
        notes.append(f"{unknown} no known ground truth: missing.")
    return [*notes, f"Searched: {one_line(searched)}."]
