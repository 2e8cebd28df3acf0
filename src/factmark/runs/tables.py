"""The tables of runs that no answer is in: what a run would ask, and how good retrieval is.

Those of answers and of how they came about are `answers.tables` and `answers.run_tables`.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.averages import OVERALL
from factmark.ask.forecast import Forecast, total_forecast
from factmark.report.columns import Column, table_of
from factmark.report.layouts import Cell, DataTable, estimate_cell
from factmark.report.sentence import FirstSentence, aside, brackets, figure
from factmark.runs.retrieval_quality import Quality
from factmark.text.shown_text import count, listed, one_line

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
    Column[Forecast](
        name="cost",
        value=lambda row: Cell(value="unknown" if row.cost is None else f"{row.cost:.4g}"),
    ),
    Column[Forecast](value=lambda row: row.cost, key="cost"),
)


def forecast_table(forecasts: Sequence[Forecast], note: str = WITH_TOOLS) -> DataTable:
    """What a run would ask, a line per model and condition, and the total.

    Args:
        note: how it was reckoned.
    """
    total = total_forecast(forecasts)
    unknown = "The cost is not known where no price is: give --prices."
    return table_of(
        "What the run would ask",
        _FORECAST,
        [*forecasts, total],
        group=lambda row: row.model,
        overall=lambda row: row is total,
        notes=(note, *([unknown] if total.cost is None else [])),
        records=forecasts,
    )


_GIVEN = 5  # passages that `factmark run` gives where nothing else is said
_RETRIEVAL: tuple[Column[Quality], ...] = (
    Column(name="category", value=lambda row: row.category, label=True),
    Column(name="k", value=lambda row: str(row.k), label=True),
    Column(
        name="held whole",
        value=lambda row: row.whole,
        better="higher",
        bounds=True,
        meaning="Held whole: share of questions of which all elements of G stand in the passages.",
    ),
    Column(
        name="elements held",
        value=lambda row: row.elements,
        better="higher",
        bounds=True,
        meaning="Elements held: mean share of a question's elements; where G has more elements "
        "than k, this tells more.",
    ),
    Column(
        name="by chance",
        value=lambda row: Cell(value=estimate_cell(row.by_chance).value),
        meaning="By chance: the same share in the passages of another question.",
    ),
    Column(name="questions", value=lambda row: row.n_questions - row.n_empty - row.n_unknown),
    Column(name="more elements than k", value=lambda row: row.n_larger),
)


def retrieval_opening(rows: Sequence[Quality]) -> FirstSentence:
    """The sentence that says how often the passages found hold a whole ground truth."""
    overall = [row for row in rows if row.category == OVERALL]
    shown = [row for row in overall if row.k in (_GIVEN, overall[-1].k)]
    asked = [row.n_questions - row.n_empty - row.n_unknown for row in shown]
    if not any(asked):
        return FirstSentence(sentence="No question has a ground truth that passages could hold.")
    questions = count(asked[0], "question", "questions")
    parts = (
        f"{figure(row.whole)} by the best {'passage' if row.k == 1 else f'{row.k} passages'}"
        for row in shown
    )
    note = aside(brackets(*(row.whole for row in shown)))
    return FirstSentence(
        sentence=f"Of {questions}, this share has its whole ground truth in what is found: "
        f"{listed([*parts])}{note}."
    )


def retrieval_table(rows: Sequence[Quality], *, searched: str) -> DataTable:
    """How good retrieval is, a line per category and number of passages.

    Args:
        searched: the identity of the index.
    """
    overall = next((row for row in rows if row.category == OVERALL), None)
    notes = []
    if overall and overall.n_empty:
        empty = count(overall.n_empty, "question has", "questions have")
        notes.append(f"{empty} an empty ground truth: nothing can be held, they are left out.")
    if overall and overall.n_unknown:
        unknown = count(overall.n_unknown, "question has", "questions have")
        notes.append(f"{unknown} no known ground truth: missing.")
    return table_of(
        "How often the k best passages hold the ground truth",
        _RETRIEVAL,
        sorted(rows, key=lambda row: row.category != OVERALL),
        group=lambda row: row.category,
        overall=lambda row: row.category == OVERALL,
        notes=(*notes, f"Searched: {one_line(searched)}."),
    )
