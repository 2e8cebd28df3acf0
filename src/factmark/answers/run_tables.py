"""The tables of runs, declared: grounding, effort, repeats and paired differences.

People see a line per model and condition; machines get one per category too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from factmark.answers.core.averages import METRICS, SCORES, Metric, overall_rows
from factmark.answers.core.system_gaps import system_name
from factmark.answers.results import PairedDifference, Results, RunSummary
from factmark.model import Estimate
from factmark.report.columns import Column, Shown, attribute_column, table_of
from factmark.report.comparisons import p_of_pair
from factmark.report.layouts import Cell, DataTable
from factmark.text.shown_text import NO_VALUE, named, number

if TYPE_CHECKING:  # slow to import, and few need it
    from factmark.stats.comparison import Comparison


def run_tables(results: Results) -> dict[str, DataTable]:
    """Returns the tables on runs that have anything to say: grounding, effort, repeats,
    differences."""
    tables = {}
    overall = overall_rows(results.runs)
    if overall:
        notes = tuple(_effort_notes(overall))
        tables["grounding"] = _run_table(results, "grounding", _GROUNDING)
        tables["effort"] = _run_table(results, "effort", _EFFORT, notes)
    sizes = []
    for run in overall:
        if run.variation:
            sizes.extend(run.variation["answers"])
    if sizes:
        answers = " to ".join(map(str, dict.fromkeys((min(sizes), max(sizes)))))
        note = f"Over questions with {answers} scored answers."
        tables["repeats"] = _run_table(results, "repeats", _REPEATS, lead=note)
    if results.differences:
        tables["differences"] = differences_table(results)
    return tables


def _measure(
    name: str,
    path: str,
    meaning: str = "",
    *,
    better: Literal["higher", "lower", ""] = "",
) -> Column[RunSummary]:
    """Returns the column of an estimate of runs, or in one of their parts (`tools.accuracy`), where
    any run has it."""
    part, _, key = path.partition(".")

    def value(run: RunSummary) -> Shown:
        known = getattr(run, part)
        shown: Shown
        if key and known is not None:
            shown = known[key]
        else:
            shown = known
        return shown

    return Column(
        name=name,
        key=path.replace(".", "_"),
        value=value,
        better=better,
        meaning=meaning,
        optional=True,
        estimate=True,
    )


def _seconds(name: str, key: str, meaning: str = "") -> Column[RunSummary]:
    """Returns the column of seconds that answers took."""
    return Column(
        name=name,
        key=f"seconds_{key}",
        value=lambda run: None if run.latency is None else run.latency[key],
        show="{:.1f}".format,
        meaning=meaning,
        optional=True,
    )


def _total(name: str, key: str, form: str) -> tuple[Column[RunSummary], Column[RunSummary]]:
    """Returns the columns of a total of tokens or cost: for people, marked where it is estimated,
    and for machines."""

    def value(run: RunSummary) -> int | float | None:
        total: int | float | None = None
        if run.usage is not None:
            total = run.usage[key]
        return total

    def shown(run: RunSummary) -> Cell | None:
        if run.usage is None or run.usage[key] is None:
            return None
        mark = ""
        if run.usage["estimated"]:
            mark = "~"
        return Cell(value=mark + form.format(run.usage[key]))

    return Column(name=name, value=shown, optional=True), Column(key=key, value=value)


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
    _measure(
        "H not retrieved",
        "retrieval.beyond",
        "H not retrieved: share of the facts that stand neither in the ground truth nor in the "
        "chunks or tool results; the rest of H was retrieved.",
        better="lower",
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
        key="out_of_rounds",
        value=lambda run: run.endings["out_of_rounds"] if run.tools and run.endings else None,
        optional=True,
        estimate=True,
        meaning="Out of rounds: share of questions where the model called tools until it had to "
        "answer without.",
    ),
    _seconds(
        "seconds",
        "median",
        "Seconds: median and 95th percentile (nearest rank) over answers.",
    ),
    _seconds("p95", "p95"),
    *_total("tokens in", "input_tokens", "{:,}"),
    *_total("tokens out", "output_tokens", "{:,}"),
    *_total("cost", "cost", "${:.4f}"),
    Column(name="answers", key="n_answers", value=lambda run: run.n_answers, show=str),
)


def _run_table(
    results: Results,
    title: str,
    columns: Sequence[Column[RunSummary]],
    notes: Iterable[str] = (),
    lead: str = "",
) -> DataTable:
    """Returns one table of runs: for people a line per model and condition, with notes on what is
    missing; for machines a row per category too."""
    runs = overall_rows(results.runs)
    several = len({run.model for run in runs}) > 1
    labels: tuple[Column[RunSummary], ...] = (
        attribute_column("category", ""),
        attribute_column("model", label=True, shown=several),
        attribute_column("condition", label=True, meaning=lead),
    )
    return table_of(
        f"{results.benchmark}: {title}",
        (*labels, *columns),
        runs,
        group=attrgetter("model") if several else None,
        notes=(*notes, *_missing_notes(runs, columns)),
        records=results.runs,
    )


def _effort_notes(runs: Sequence[RunSummary]) -> Iterator[str]:
    """Yields sentences on estimated tokens, unknown prices, and answers without either."""
    used = [run.usage for run in runs if run.usage is not None]
    if any(usage["estimated"] for usage in used):
        yield "~: a server did not count all tokens; they are estimated from the text."
    if any(usage["cost"] is None for usage in used):
        yield f"Cost {NO_VALUE}: the price of some answers is not known."
    for run in runs:
        without = []
        for name, part in (("seconds", run.latency), ("tokens", run.usage)):
            if part is not None and part["n_missing"]:
                without.append(f"{part['n_missing']} without {name}")
        if without:
            answers = f"of {run.n_answers} answers {', '.join(without)}"
            yield f"{system_name(run)}: {answers}; not in these."


def _missing_notes(
    runs: Sequence[RunSummary], columns: Sequence[Column[RunSummary]]
) -> Iterator[str]:
    """Yields a sentence on the questions that have no answer, and so are in no value, if any."""
    lacking = []
    for run in runs:
        for column in columns:
            if isinstance(value := column.value(run), Estimate) and value.n_missing:
                lacking.append(
                    f"{system_name(run)}, {column.name}: {value.n_missing} of {run.n_questions}"
                )
    if lacking:
        yield f"Questions without an answer to tell, and in no value: {'; '.join(lacking)}."


class SystemPair(NamedTuple):
    """Two systems that differ in one thing and share another."""

    between: str
    of: str
    a: str
    b: str


_Comparisons = dict[SystemPair, dict[str, "Comparison"]]
"""Pair -> score -> how the two differ by it"""


def differences_table(results: Results) -> DataTable:
    """Returns paired differences between conditions of a model and between models under a
    condition."""
    pairs: _Comparisons = {}
    for row in results.differences:
        pair = SystemPair(row.between, row.of, row.comparison.a, row.comparison.b)
        pairs.setdefault(pair, {})[row.score] = row.comparison
    of_models = {pair.of for pair in pairs if pair.between == "conditions"}
    several = len(of_models) > 1 or any(pair.between == "models" for pair in pairs)
    columns: list[Column[SystemPair]] = [
        attribute_column("between", ""),
        Column(name="within", key="within", value=attrgetter("of"), label=True, shown=several),
        Column(
            name="pair",
            value=lambda pair: f"{named(pair.a)} − {named(pair.b)}",
            label=True,
            meaning=_meaning(results.differences),
        ),
        attribute_column("a", ""),
        attribute_column("b", ""),
    ]
    for metric in METRICS.values():
        columns += _gap_columns(metric, pairs)
    columns.append(
        Column(name="n", key="n", value=lambda pair: pairs[pair]["combined_score"].n_both, show=str)
    )
    title = f"{results.benchmark}: paired differences, on the questions that both have"
    return table_of(title, columns, pairs, group=attrgetter("between", "of") if several else None)


def _gap_columns(metric: Metric, pairs: _Comparisons) -> Iterator[Column[SystemPair]]:
    """Yields the columns of the difference by a score and of its p-value."""
    yield Column(
        name=metric.symbol,
        key=metric.key,
        value=lambda pair: pairs[pair][metric.key].decisive[0],
        estimate=True,
        show=_gap_cell,
    )
    yield Column(name=f"{metric.symbol} p", value=lambda pair: p_of_pair(pairs[pair][metric.key]))
    yield Column(key=f"{metric.key}_p", value=lambda pair: pairs[pair][metric.key].p)


def _gap_cell(gap: Estimate) -> Cell:
    """Returns a difference with its interval, in which a minus may stand."""
    bounds = ""
    if gap.low is not None:
        bounds = f"[{number(gap.low)},{number(gap.high)}]"
    return Cell(value=number(gap.value), interval=bounds)


def _meaning(rows: Sequence[PairedDifference]) -> str:
    """Returns the note on how to read differences, and over how many pairs Holm's correction is."""
    counts = {}
    for kind in ("conditions", "models"):
        counts[kind] = sum(row.between == kind and row.score == SCORES[0].key for row in rows)
    several = " and ".join(f"{n} pairs of {kind}" for kind, n in counts.items() if n > 1)
    holm = ""
    if several:
        holm = f", corrected by Holm over the {several}, for each score"
    test = "p: permutation test, questions change sign as a whole"
    if any(row.comparison.people for row in rows):
        test = "Corrected by people's marks. p: 1 less the level at which the interval ends at 0"
    return (
        f"Above 0, A has more: better for C and S, worse for H. {test}{holm}. n: questions that "
        "both have an answer to."
    )
