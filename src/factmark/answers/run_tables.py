"""What is told of runs as tables: grounding, effort, repeats, paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from factmark.answers.core.averages import METRICS, OVERALL
from factmark.answers.core.paired import SCORES
from factmark.answers.core.records import (
    PairedDifference,
    Results,
    RunSummary,
)
from factmark.answers.tables import system_name
from factmark.model import Estimate
from factmark.tables.columns import Column, Shown, table_of
from factmark.tables.comparisons import probability
from factmark.tables.layouts import Cell, DataTable, interval_note
from factmark.tables.shown_text import NO_VALUE, named, number


def run_tables(results: Results) -> tuple[DataTable, ...]:
    """What is told of runs: grounding, effort, repeats, differences; those that say anything."""
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


def _of(path: str) -> Callable[[RunSummary], Shown]:
    """Reads a field of a run, or a value of one of its parts, where the run has that part."""
    part, _, name = path.partition(".")

    def value(run: RunSummary) -> Shown:
        known = getattr(run, part)
        shown: Shown = known[name] if name and known is not None else known
        return shown

    return value


_GROUNDING: tuple[Column[RunSummary], ...] = (
    Column(
        name="tool accuracy",
        value=_of("tools.accuracy"),
        better="higher",
        optional=True,
        meaning="Tool accuracy: share of questions where an expected tool was called.",
    ),
    Column(
        name="retrieved",
        value=_of("retrieval.held"),
        better="higher",
        optional=True,
        meaning="Retrieved: share of the elements of G that stood in the chunks or tool results; a "
        "count may stand there by chance.",
    ),
    Column(
        name="retrieved, not said",
        value=_of("retrieval.unsaid"),
        better="lower",
        optional=True,
        meaning="Retrieved, not said, and said, not retrieved: shares of the same elements.",
    ),
    Column(
        name="said, not retrieved", value=_of("retrieval.unheld"), better="lower", optional=True
    ),
    Column(
        name="C if all retrieved",
        value=_of("retrieval.completeness"),
        better="higher",
        optional=True,
        meaning="C if all retrieved: over the questions whose G was retrieved whole.",
    ),
    Column(
        name="abstained",
        value=_of("abstained"),
        optional=True,
        meaning="Abstained: nothing was stated that could be checked.",
    ),
)
_REPEATS: tuple[Column[RunSummary], ...] = (
    *(
        Column(
            name=f"{metric.symbol} differs by",
            value=_of(f"variation.{key}"),
            better="lower",
            meaning="Differs by: mean absolute difference between two answers to a question."
            * (metric.symbol == "C"),
        )
        for key, metric in METRICS.items()
    ),
    Column(
        name="same S",
        value=_of("variation.same"),
        better="higher",
        meaning="Same S: share of questions whose answers all have the same.",
    ),
    Column(name="worst S", value=_of("variation.worst")),
    Column(
        name="best S",
        value=_of("variation.best"),
        meaning="Worst and best S: if each question counted with its worst, its best answer.",
    ),
)


def _of_rounds(path: str) -> Callable[[RunSummary], Shown]:
    """What is told of rounds of calls: nothing where no tools were offered."""
    return lambda run: None if run.tools is None else _of(path)(run)


def _of_usage(name: str, form: str) -> Callable[[RunSummary], Shown]:
    """A total, marked where it is estimated."""

    def value(run: RunSummary) -> Shown:
        if run.usage is None or run.usage[name] is None:
            return None
        return Cell(value=("~" if run.usage["estimated"] else "") + form.format(run.usage[name]))

    return value


def _seconds(value: float) -> str:
    return f"{value:.1f}"


_EFFORT: tuple[Column[RunSummary], ...] = (
    Column(
        name="calls",
        value=_of_rounds("tools.calls"),
        optional=True,
        meaning="Calls: per question.",
    ),
    Column(
        name="failed calls",
        value=_of_rounds("tools.failed"),
        optional=True,
        meaning="Failed calls: share of a question's calls.",
    ),
    Column(
        name="out of rounds",
        value=_of_rounds("endings.out_of_rounds"),
        optional=True,
        meaning="Out of rounds: share of questions where tools were called until the model was "
        "told to answer without.",
    ),
    Column(
        name="seconds",
        value=_of("latency.median"),
        show=_seconds,
        optional=True,
        meaning="Seconds: median and 95th percentile (nearest rank) over answers.",
    ),
    Column(name="p95", value=_of("latency.p95"), show=_seconds, optional=True),
    Column(name="tokens in", value=_of_usage("input_tokens", "{:,}"), optional=True),
    Column(name="tokens out", value=_of_usage("output_tokens", "{:,}"), optional=True),
    Column(name="cost", value=_of_usage("cost", "${:.4f}"), optional=True),
    Column(name="answers", value=lambda run: run.n_answers, show=str),
)


def _run_table(
    results: Results,
    title: str,
    runs: Sequence[RunSummary],
    columns: Sequence[Column[RunSummary]],
    notes: Iterable[str] = (),
    lead: str = "",
) -> DataTable:
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
        notes=(*notes, *_missing(runs, columns)),
    )


def _effort_notes(runs: Sequence[RunSummary]) -> Iterator[str]:
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


def _missing(runs: Sequence[RunSummary], columns: Sequence[Column[RunSummary]]) -> Iterator[str]:
    """How many questions have no value, since an answer is missing; they are in none of these."""
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
    pairs: dict[tuple[str, ...], dict[str, PairedDifference]] = {}
    for row in results.differences:
        pair = (row.between, row.of, row.comparison.a, row.comparison.b)
        pairs.setdefault(pair, {})[row.score] = row
    several = len({of for between, of, *_ in pairs if between == "conditions"}) > 1
    within = several or any(between == "models" for between, *_ in pairs)
    rows = [list(scores.values()) for scores in pairs.values()]
    columns: list[Column[list[PairedDifference]]] = [
        Column(name="within" * within, value=lambda pair: pair[0].of, label=True),
        Column(
            name="pair",
            value=lambda pair: f"{named(pair[0].comparison.a)} − {named(pair[0].comparison.b)}",
            label=True,
            meaning=_differences_meaning(results.differences),
        ),
    ]
    for key, metric in METRICS.items():
        columns += [
            Column(name=metric.symbol, value=partial(_gap, key)),
            Column(name=f"{metric.symbol} p", value=partial(_p, key)),
        ]
    columns.append(Column(name="n", value=lambda pair: pair[0].comparison.n_both, show=str))
    return table_of(
        f"{results.benchmark}: paired differences, on the questions that both have",
        columns,
        rows,
        group=(lambda pair: (pair[0].between, pair[0].of)) if within else None,
        notes=interval_note(row.comparison.difference for row in results.differences),
    )


def _by(key: str, pair: Sequence[PairedDifference]) -> PairedDifference:
    return next(row for row in pair if row.score == key)


def _gap(key: str, pair: Sequence[PairedDifference]) -> Cell:
    gap = _by(key, pair).comparison.difference
    bounds = "" if gap.low is None else f"[{number(gap.low)},{number(gap.high)}]"
    return Cell(value=number(gap.value), interval=bounds)


def _p(key: str, pair: Sequence[PairedDifference]) -> Cell:
    return Cell(value=probability(_by(key, pair).comparison.p))


def _differences_meaning(rows: Sequence[PairedDifference]) -> str:
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
