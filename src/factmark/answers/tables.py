"""The tables of a study of answers: C, H and S, corrected by people; and what is told of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Literal

from factmark.answers.core.averages import METRICS, OVERALL, SCORES, Metric
from factmark.answers.core.records import (
    CorrectedSummary,
    MarkedMeasure,
    PairedDifference,
    Results,
    RowSummary,
    RunSummary,
    Summary,
)
from factmark.answers.instrument_tables import instrument_notes, styles_table, system_name
from factmark.model import Estimate
from factmark.tables.columns import Column, Shown, table_of
from factmark.tables.comparisons import probability
from factmark.tables.layouts import Cell, DataTable, interval_note
from factmark.tables.shown_text import NO_VALUE, named, number, one_line


def score_table(results: Results) -> DataTable:
    """All averages; columns that would say the same in every line are left out."""
    rows = in_order(results.summaries)
    models = list(dict.fromkeys(row.model for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    labels = {"category": True, "model": len(models) > 1}
    labels["condition"] = len(conditions) > 1 or any(conditions)
    columns: tuple[Column[Summary], ...] = (
        *(
            Column[Summary](name=name * shown, key=name, value=attrgetter(name), label=True)
            for name, shown in labels.items()
        ),
        *(
            Column[Summary](
                name=metric.symbol,
                key=key,
                value=metric.estimate,
                better=metric.better,
                bounds=True,
                estimate=True,
                meaning=f"{metric.symbol} {metric.name} ({metric.better} is better)"
                + ("." if key == "combined_score" else ","),
            )
            for key, metric in METRICS.items()
        ),
        *(_corrected_column(results, metric) for metric in METRICS.values() if results.corrections),
        Column(key="n_questions", value=lambda row: row.n_questions),
        Column(name="answers", key="n_answers", value=lambda row: row.n_answers, show=str),
        Column(name="missing", key="n_missing", value=lambda row: row.n_missing, show=str),
    )
    notes = [note for row in rows if (note := _missing_note(row))]
    if any(metric.estimate(row).value is None for row in rows for metric in METRICS.values()):
        notes.insert(0, f"{NO_VALUE}: no value, because nothing was observed.")
    notes += instrument_notes(results)
    title = f"{results.benchmark}: completeness, hallucination, combined score"
    if len(models) == 1 and models[0]:
        title += f" of {models[0]}"
    if results.corrections:
        title += f", by {one_line(str(results.signature['judge']))}, uncorrected"
    return table_of(
        title,
        columns,
        rows,
        group=lambda row: row.category,
        overall=lambda row: row.category == OVERALL,
        notes=notes,
    )


def _corrected_column(results: Results, metric: Metric) -> Column[Summary]:
    """For machines: what people's marks make of an overall average."""
    known = {(row.model, row.condition): row for row in results.corrections}

    def value(row: Summary) -> Estimate | None:
        corrected = known.get((row.model, row.condition))
        return None if corrected is None or row.category != OVERALL else metric.estimate(corrected)

    return Column(key=f"{metric.key}_corrected", value=value, estimate=True)


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """By category (`overall` first), then model, then condition, each as first seen."""
    places = {
        name: list(dict.fromkeys(getattr(summary, name) for summary in summaries))
        for name in ("category", "model", "condition")
    }

    def key(summary: Summary) -> tuple[bool, *tuple[int, ...]]:
        seen = (known.index(getattr(summary, name)) for name, known in places.items())
        return (summary.category != OVERALL, *seen)

    return sorted(summaries, key=key)


def _missing_note(summary: Summary) -> str:
    """For an overall line with missing answers: how far they could move S; else empty."""
    score = summary.combined_score
    if summary.category != OVERALL or not summary.n_missing:
        return ""
    questions = f"{summary.n_missing} of {summary.n_questions} questions"
    note = f"{system_name(summary)}: {questions} without an answer"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."


def corrected_table(results: Results) -> DataTable:
    """Each model and condition as people would have scored it, and under it as its judge did."""
    judge = str(results.signature.get("judge", "judge"))
    corrected = {(row.model, row.condition): row for row in results.corrections}
    rows: list[Summary | CorrectedSummary] = []
    for row in results.summaries:
        if row.category == OVERALL:
            better = corrected.get((row.model, row.condition))
            rows += [row] if better is None else [better, row]

    def who(row: Summary | CorrectedSummary) -> str:
        return f"{judge}, uncorrected" if isinstance(row, Summary) else "corrected by people"

    columns: tuple[Column[Summary | CorrectedSummary], ...] = (
        *(
            Column[Summary | CorrectedSummary](name=name, value=attrgetter(name), label=True)
            for name in ("model", "condition")
            if len({getattr(row, name) for row in rows}) > 1
        ),
        Column(
            name="by",
            value=who,
            label=True,
            meaning="Corrected: what people would have scored all answers, from those that they "
            "marked, within cells of the judge's score. It holds where the marked answers were "
            "drawn at random. Marked: answers whose facts people marked.",
        ),
        *(Column(name=m.symbol, value=m.estimate, better=m.better) for m in METRICS.values()),
        Column(name="marked", value=lambda row: getattr(row, "annotated", None), optional=True),
        Column(
            name="answers",
            show=str,
            value=lambda row: row.n_answers if isinstance(row, Summary) else row.answers,
        ),
    )
    return table_of(
        f"{results.benchmark}: completeness, hallucination, combined score, corrected by people",
        columns,
        rows,
        group=lambda row: (row.model, row.condition),
        overall=lambda row: isinstance(row, CorrectedSummary),
    )


def main_tables(results: Results) -> tuple[DataTable, ...]:
    """The scores, and what tells how good they are.

    The first table is the one to go by: the scores as people's marks correct them, where there are
    marks. Then those of the judge by category, what the rules are off by, row by row where G has
    rows, and how far the judge agrees with people.
    """
    tables = [corrected_table(results)] if results.corrections else []
    tables.append(score_table(results))
    if results.styles:
        tables.append(styles_table(results))
    if results.by_rows:
        tables.append(rows_table(results))
    if results.agreement:
        tables.append(agreement_table(results))
    return tuple(tables)


def rows_table(results: Results) -> DataTable:
    """How many rows of several columns are said together, beside C and H of single cells."""
    columns: tuple[Column[RowSummary], ...] = (
        *(
            Column[RowSummary](name=name, key=name, value=attrgetter(name), label=True)
            for name in ("model", "condition")
            if any(map(attrgetter(name), results.by_rows))
        ),
        Column(
            name="rows",
            key="row_completeness",
            value=attrgetter("row_completeness"),
            better="higher",
            bounds=True,
            estimate=True,
            meaning="The share of the rows of G whose cells an answer says together: album A with "
            "the year of B is none (higher is better).",
        ),
        Column(name="questions", key="n_questions", value=attrgetter("n_questions"), show=str),
    )
    return table_of(f"{results.benchmark}: row by row", columns, results.by_rows)


def agreement_table(results: Results) -> DataTable:
    """How far the judge agrees with people who marked facts in the same answers."""
    judge = one_line(str(results.signature.get("judge", "judge")))
    scored = {row.answer.id for row in results.answers} & results.people.keys()
    columns: tuple[Column[MarkedMeasure], ...] = (
        Column(name="measure", key="measure", value=attrgetter("name"), label=True),
        Column(
            name="value",
            key="value",
            value=attrgetter("value"),
            estimate=True,
            meaning="Errors: of C, H and S per answer, averaged over questions (lower is better). "
            "Facts: the share of those found that people marked too, and the other way round; "
            "equal in their words without articles and inflection.",
        ),
        Column(name="by judge", key="judge", value=attrgetter("extractor"), optional=True),
        Column(name="by people", key="people", value=attrgetter("people"), optional=True),
    )
    lost = len(results.people) - len(scored)
    notes = [f"{lost} more that they marked have no score by the judge."] * bool(lost)
    title = f"How far {judge} agrees with people, on {len(scored)} answers that they marked"
    return table_of(title, columns, results.agreement, notes=notes)


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
            Column(name=metric.symbol, value=partial(_gap, key)),
            Column(name=f"{metric.symbol} p", value=partial(_p, key)),
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


def _gap(key: str, scores: _OfPair) -> Cell:
    gap = scores[key].comparison.difference
    bounds = "" if gap.low is None else f"[{number(gap.low)},{number(gap.high)}]"
    return Cell(value=number(gap.value), interval=bounds)


def _p(key: str, scores: _OfPair) -> Cell:
    return Cell(value=probability(scores[key].comparison.p))


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
