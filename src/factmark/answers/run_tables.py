"""What is told of runs: tables of grounding, effort, repeats and paired differences; and the
columns of runs.csv and differences.csv, declared once for CSV, Parquet and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from factmark.answers.core.averages import METRICS, OVERALL, SCORES
from factmark.answers.instrument_tables import system_name
from factmark.answers.results import PairedDifference, Results, RunSummary
from factmark.model import Estimate
from factmark.report.columns import Column, Shown, table_of
from factmark.report.comparisons import probability
from factmark.report.file_columns import FileColumn, SqlType, estimate_columns, file_rows
from factmark.report.layouts import Cell, DataTable, interval_note
from factmark.text.shown_text import NO_VALUE, named, number


def run_tables(results: Results) -> tuple[DataTable, ...]:
    """The tables on runs that have anything to say: grounding, effort, repeats, differences."""
    runs = [run for run in results.runs if run.category == OVERALL]
    tables = []
    if runs:
        tables += [
            _run_table(results, "grounding", runs, _GROUNDING),
            _run_table(results, "effort", runs, _EFFORT, _effort_notes(runs)),
        ]
    repeated = [run for run in runs if run.variation]
    if repeated:
        sizes = [size for run in repeated for size in (run.variation or {})["answers"]]
        several = " to ".join(map(str, dict.fromkeys((min(sizes), max(sizes)))))
        note = f"Over questions with {several} scored answers."
        tables.append(_run_table(results, "repeats", repeated, _REPEATS, lead=note))
    if results.differences:
        tables.append(differences_table(results))
    return tuple(tables)


def _measure(
    name: str,
    path: str,
    meaning: str = "",
    *,
    better: Literal["higher", "lower", ""] = "",
    show: Callable[[float], str] | None = None,
) -> Column[RunSummary]:
    """A column of a field of runs, or of a value in one of its parts, where any run has it."""
    part, _, key = path.partition(".")

    def value(run: RunSummary) -> Shown:
        known = getattr(run, part)
        shown: Shown = known[key] if key and known is not None else known
        return shown

    return Column(name=name, value=value, better=better, show=show, meaning=meaning, optional=True)


def _total(name: str, key: str, form: str) -> Column[RunSummary]:
    """A column of a total of tokens or cost, marked where it is estimated."""

    def value(run: RunSummary) -> Shown:
        if run.usage is None or run.usage[key] is None:
            return None
        return Cell(value=("~" if run.usage["estimated"] else "") + form.format(run.usage[key]))

    return Column(name=name, value=value, optional=True)


_GROUNDING = (
    _measure(
        "tool accuracy",
        "tools.accuracy",
        "Tool accuracy: share of questions where an expected tool was called.",
        better="higher",
    ),
    _measure(
        "retrieved",
        "retrieval.held",
        "Retrieved: share of the elements of G that stood in the chunks or tool results; a count "
        "may stand there by chance.",
        better="higher",
    ),
    _measure(
        "retrieved, not said",
        "retrieval.unsaid",
        "Retrieved, not said, and said, not retrieved: shares of the same elements.",
        better="lower",
    ),
    _measure("said, not retrieved", "retrieval.unheld", better="lower"),
    _measure(
        "C if all retrieved",
        "retrieval.completeness",
        "C if all retrieved: over the questions whose G was retrieved whole.",
        better="higher",
    ),
    _measure("abstained", "abstained", "Abstained: nothing was stated that could be checked."),
)
_REPEATS = (
    _measure(
        "C differs by",
        "variation.completeness",
        "Differs by: mean absolute difference between two answers to a question.",
        better="lower",
    ),
    _measure("H differs by", "variation.hallucination_rate", better="lower"),
    _measure("S differs by", "variation.combined_score", better="lower"),
    _measure(
        "same S",
        "variation.same",
        "Same S: share of questions whose answers all have the same.",
        better="higher",
    ),
    _measure("worst S", "variation.worst"),
    _measure(
        "best S",
        "variation.best",
        "Worst and best S: if each question counted with its worst, its best answer.",
    ),
)
_EFFORT: tuple[Column[RunSummary], ...] = (
    _measure("calls", "tools.calls", "Calls: per question."),
    _measure("failed calls", "tools.failed", "Failed calls: share of a question's calls."),
    Column(
        name="out of rounds",
        value=lambda run: run.endings["out_of_rounds"] if run.tools and run.endings else None,
        optional=True,
        meaning="Out of rounds: share of questions where tools were called until the model was "
        "told to answer without.",
    ),
    _measure(
        "seconds",
        "latency.median",
        "Seconds: median and 95th percentile (nearest rank) over answers.",
        show="{:.1f}".format,
    ),
    _measure("p95", "latency.p95", show="{:.1f}".format),
    _total("tokens in", "input_tokens", "{:,}"),
    _total("tokens out", "output_tokens", "{:,}"),
    _total("cost", "cost", "${:.4f}"),
    Column[RunSummary](name="answers", value=lambda run: run.n_answers, show=str),
)


def _run_table(
    results: Results,
    title: str,
    runs: Sequence[RunSummary],
    columns: Sequence[Column[RunSummary]],
    notes: Iterable[str] = (),
    lead: str = "",
) -> DataTable:
    """One table of runs: a line per model and condition, with notes on what is missing."""
    several = len({run.model for run in results.runs}) > 1
    labels: tuple[Column[RunSummary], ...] = (
        Column(name="model" * several, value=lambda run: run.model, label=True),
        Column(name="condition", value=lambda run: run.condition, label=True, meaning=lead),
    )
    return table_of(
        f"{results.benchmark}: {title}",
        (*labels, *columns),
        runs,
        group=(lambda run: run.model) if len({run.model for run in runs}) > 1 else None,
        notes=(*notes, *_missing_notes(runs, columns)),
    )


def _effort_notes(runs: Sequence[RunSummary]) -> Iterator[str]:
    """Sentences on estimated tokens, unknown prices, and answers without seconds or tokens."""
    used = [run.usage for run in runs if run.usage is not None]
    if any(usage["estimated"] for usage in used):
        yield "~: a server did not count all tokens; they are estimated from the text."
    if any(usage["cost"] is None for usage in used):
        yield f"Cost {NO_VALUE}: the price of some answers is not known."
    for run in runs:
        without = [
            f"{part['n_missing']} without {name}"
            for name, part in (("seconds", run.latency), ("tokens", run.usage))
            if part is not None and part["n_missing"]
        ]
        if without:
            answers = f"of {run.n_answers} answers {', '.join(without)}"
            yield f"{system_name(run)}: {answers}; not in these."


def _missing_notes(
    runs: Sequence[RunSummary], columns: Sequence[Column[RunSummary]]
) -> Iterator[str]:
    """A sentence on the questions that have no answer, and so are in no value, if any."""
    lacking = [
        f"{system_name(run)}, {column.name}: {value.n_missing} of {run.n_questions}"
        for run in runs
        for column in columns
        if isinstance(value := column.value(run), Estimate) and value.n_missing
    ]
    if lacking:
        yield f"Questions without an answer to tell, and in no value: {'; '.join(lacking)}."


def differences_table(results: Results) -> DataTable:
    """Paired differences between conditions of a model and between models under a condition."""
    pairs: dict[tuple[str, ...], _OfPair] = {}
    for row in results.differences:
        pair = (row.between, row.of, row.comparison.a, row.comparison.b)
        pairs.setdefault(pair, {})[row.score] = row
    several = len({of for between, of, *_ in pairs if between == "conditions"}) > 1
    within = several or any(between == "models" for between, *_ in pairs)

    def first(scores: _OfPair) -> PairedDifference:
        return next(iter(scores.values()))

    columns: list[Column[_OfPair]] = [
        Column(name="within" * within, value=lambda scores: first(scores).of, label=True),
        Column(
            name="pair",
            value=lambda scores: " − ".join(
                map(named, (first(scores).comparison.a, first(scores).comparison.b))
            ),
            label=True,
            meaning=_differences_meaning(results.differences),
        ),
    ]
    for key, metric in METRICS.items():
        columns += [
            Column(name=metric.symbol, value=partial(_gap_cell, key)),
            Column(name=f"{metric.symbol} p", value=partial(_p_cell, key)),
        ]
    columns.append(Column(name="n", value=lambda row: first(row).comparison.n_both, show=str))
    return table_of(
        f"{results.benchmark}: paired differences, on the questions that both have",
        columns,
        pairs.values(),
        group=(lambda scores: (first(scores).between, first(scores).of)) if within else None,
        notes=interval_note(row.comparison.difference for row in results.differences),
    )


_OfPair = dict[str, PairedDifference]
"""Score -> the difference of a pair by it"""


def _gap_cell(key: str, scores: _OfPair) -> Cell:
    """The difference of a pair by one score, with its interval."""
    gap = scores[key].comparison.difference
    bounds = "" if gap.low is None else f"[{number(gap.low)},{number(gap.high)}]"
    return Cell(value=number(gap.value), interval=bounds)


def _p_cell(key: str, scores: _OfPair) -> Cell:
    """The p-value of a pair by one score."""
    return Cell(value=probability(scores[key].comparison.p))


def _differences_meaning(rows: Sequence[PairedDifference]) -> str:
    """The note on how to read differences, and over how many pairs Holm's correction is."""
    counts = {
        kind: sum(row.between == kind and row.score == SCORES[0].key for row in rows)
        for kind in ("conditions", "models")
    }
    several = " and ".join(f"{n} pairs of {kind}" for kind, n in counts.items() if n > 1)
    holm = f", corrected by Holm over the {several}, for each score" if several else ""
    return (
        "Above 0, A has more: better for C and S, worse for H. p: permutation test, questions "
        f"change sign as a whole{holm}. n: questions that both have an answer to."
    )


# The columns of files


class RunLine(NamedTuple):
    """A row of runs.csv: a measure by its name, for example `tools.accuracy`."""

    run: RunSummary
    name: str
    value: Estimate | float


def _estimate_of_line(line: RunLine) -> Estimate | None:
    """The estimate of a line; None where its value is a count or total."""
    return line.value if isinstance(line.value, Estimate) else None


RUN_COLUMNS: tuple[FileColumn[RunLine], ...] = (
    FileColumn(name="model", value=lambda line: line.run.model),
    FileColumn(name="condition", value=lambda line: line.run.condition),
    FileColumn(name="category", value=lambda line: line.run.category),
    FileColumn(name="measure", value=lambda line: line.name),
    FileColumn(
        name="value",
        type="DOUBLE",
        value=lambda line: line.value.value if isinstance(line.value, Estimate) else line.value,
        meaning="Counts and totals have it alone.",
    ),
    *estimate_columns(
        _estimate_of_line,
        *("low", "high", "level", "method", "n_items", "n_units", "n_missing", "worst", "best"),
        "signature",
    ),
)


def run_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per model, condition, category and measure; what is not known has none."""
    lines = (RunLine(run, name, value) for run in results.runs for name, value in _measures(run))
    return file_rows(RUN_COLUMNS, lines)


def _measures(run: RunSummary) -> Iterator[tuple[str, Estimate | float]]:
    """The measures of a run, each with its name (`tools.accuracy`); unknown ones are left out."""
    yield "abstained", run.abstained
    for part in ("tools", "retrieval", "endings", "latency", "usage", "variation"):
        yield from _numbers_in(part, getattr(run, part))
    yield "n_questions", run.n_questions
    yield "n_answers", run.n_answers


def _numbers_in(name: str, value: Any) -> Iterator[tuple[str, Estimate | float]]:
    """The numbers in a part of a run, their names with dots between."""
    if isinstance(value, Estimate):
        yield name, value
    elif isinstance(value, bool | int | float):
        yield name, float(value)
    elif isinstance(value, tuple):
        yield from _numbers_in(name, dict(zip(("least", "most"), value, strict=True)))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers_in(f"{name}.{key}", inner)


def _of_pair(name: str, kind: SqlType) -> FileColumn[PairedDifference]:
    """A column of a field of the comparison."""
    return FileColumn(name=name, type=kind, value=lambda row: getattr(row.comparison, name))


def _gap_columns(*names: str) -> tuple[FileColumn[PairedDifference], ...]:
    """The named columns of the difference's estimate."""
    return estimate_columns(lambda row: row.comparison.difference, *names)


DIFFERENCE_COLUMNS: tuple[FileColumn[PairedDifference], ...] = (
    FileColumn(
        name="between",
        value=lambda row: row.between,
        meaning="What differs: two `conditions` of one model, or two `models` under a condition.",
    ),
    FileColumn(name="of", value=lambda row: row.of, meaning="That model, or that condition."),
    FileColumn(name="score", value=lambda row: row.score),
    _of_pair("a", "VARCHAR"),
    _of_pair("b", "VARCHAR"),
    FileColumn(
        name="difference",
        type="DOUBLE",
        value=lambda row: row.comparison.difference.value,
        meaning="A - B, on the questions that both have.",
    ),
    *_gap_columns("low", "high", "level", "method"),
    FileColumn(name="value_a", type="DOUBLE", value=lambda row: row.comparison.value_a.value),
    FileColumn(name="value_b", type="DOUBLE", value=lambda row: row.comparison.value_b.value),
    *(_of_pair(name, "DOUBLE") for name in ("p_permutation", "p_adjusted")),
    *(
        _of_pair(name, "BIGINT")
        for name in ("wins", "ties", "losses", "n_both", "only_a", "only_b", "neither")
    ),
    *_gap_columns("worst", "best", "signature"),
)


def difference_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per pair and score."""
    return file_rows(DIFFERENCE_COLUMNS, results.differences)
