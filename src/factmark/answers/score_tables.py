"""The tables of scores, declared: of systems, by category, corrected by people, and how far the
judge can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from factmark.answers.core.averages import METRICS, OVERALL, overall_rows
from factmark.answers.core.instrument import (
    FEWEST_MARKS,
    OwnError,
    bias_over_writers,
    own_errors,
    unseen,
)
from factmark.answers.core.rows import RULES, RULES_VERSION
from factmark.answers.core.system_gaps import (
    SystemGap,
    error_by_rule,
    system_gaps,
    system_name,
)
from factmark.answers.results import (
    AssertedSummary,
    CorrectedSummary,
    MarkedMeasure,
    Results,
    RowSummary,
    Summary,
)
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.text.shown_text import NO_VALUE, interval, number, one_line, some_long

_SHOWN = 6  # pairs of systems


def score_tables(results: Results) -> dict[str, DataTable]:
    """Returns the tables of scores, the one to go by first: as people's marks correct them, where
    there are marks; else as the judge has them."""
    tables = {}
    if results.corrections:
        tables["corrected"] = corrected_table(results)
    mostly_choices = _mostly_choices(results)
    if mostly_choices:
        tables["asserted"] = asserted_table(results)
    tables["scores"] = score_table(results)
    tables["categories"] = category_table(results)
    if results.asserted and not mostly_choices:
        tables["asserted"] = asserted_table(results)
    if results.by_rows:
        tables["by_rows"] = rows_table(results)
    if results.agreement:
        tables["agreement"] = agreement_table(results)
    return tables


def _mostly_choices(results: Results) -> bool:
    """Whether most questions ask to choose: then what is asserted is the figure to go by."""
    asked = max((row.n_questions for row in results.summaries), default=0)
    return any(2 * row.n_questions > asked for row in results.asserted)


def asserted_table(results: Results) -> DataTable:
    """Returns what each system gives as its answer, where questions name candidates or ask for a
    yes or no: a candidate that is only mentioned counts nowhere."""
    columns: tuple[Column[AssertedSummary], ...] = (
        *system_columns(results.asserted),
        *(
            Column(
                name=f"{metric.symbol} asserted",
                key=key,
                value=attrgetter(key),
                better=metric.better,
                bounds=True,
                estimate=True,
                meaning=f"{metric.symbol} of what an answer chooses (published: of all that it "
                f"mentions); {metric.better} is better.",
            )
            for key, metric in METRICS.items()
        ),
        attribute_column("n_questions", "questions", show=str),
    )
    title = f"{results.benchmark}: what is asserted as the answer"
    return table_of(title, columns, results.asserted)


def score_table(results: Results) -> DataTable:
    """Returns C, H and S over all categories, a line per system, and what bears on them."""
    rows = overall_rows(in_order(results.summaries))
    of_rules = list(instrument_notes(results))
    notes = [*of_rules[:1], *filter(None, map(_missing_note, rows)), *of_rules[1:]]
    notes.append("H counts what is not in the ground truth, true or not.")
    several = len({row.model for row in rows}) > 1
    return table_of(
        _title(results),
        tuple(_score_columns(results)),
        rows,
        group=attrgetter("model") if several else None,
        notes=notes,
    )


def category_table(results: Results) -> DataTable:
    """Returns C, H and S over all categories and in each, a line per system."""
    category = attribute_column("category", label=True)
    rows = in_order(results.summaries)
    notes = []
    if any(metric.estimate(row).value is None for row in rows for metric in METRICS.values()):
        notes.append(f"{NO_VALUE}: no value, because nothing was observed.")
    return table_of(
        f"{_title(results)}, by category",
        (category, *_score_columns(results)),
        rows,
        group=attrgetter("category"),
        overall=lambda row: row.category == OVERALL,
        notes=notes,
    )


def _title(results: Results) -> str:
    """Returns what a table of scores is of."""
    title = f"{results.benchmark}: completeness, hallucination, combined score"
    models = list(dict.fromkeys(row.model for row in results.summaries))
    if len(models) == 1 and models[0]:
        title += f" of {models[0]}"
    if results.corrections:
        title += f", by {one_line(str(results.signature['judge']))}, uncorrected"
    return title


def system_columns(rows: Iterable[Any]) -> Iterator[Column[Any]]:
    """Yields the columns of model and condition; machines get both, people the model where there
    are several, and the condition where any has a name."""
    known = list(rows)
    several = len({row.model for row in known}) > 1
    yield attribute_column("model", label=True, shown=several)
    yield attribute_column("condition", label=True, shown=any(row.condition for row in known))


def _score_columns(results: Results) -> Iterator[Column[Summary]]:
    """Yields the columns of a table of scores after the category."""
    yield from system_columns(results.summaries)
    for key, metric in METRICS.items():
        end = ","
        if key == "combined_score":
            end = "."
        yield Column(
            name=metric.symbol,
            key=key,
            value=metric.estimate,
            better=metric.better,
            bounds=True,
            estimate=True,
            meaning=f"{metric.symbol} {metric.name} ({metric.better} is better){end}",
        )
    yield attribute_column("n_questions", "")
    yield attribute_column("n_answers", "answers", show=str)
    yield attribute_column("n_missing", "missing", show=str)


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """Returns the averages by category (`overall` first), model and condition, each as first
    seen."""
    places = {}
    for name in ("category", "model", "condition"):
        places[name] = list(dict.fromkeys(getattr(summary, name) for summary in summaries))

    def key(summary: Summary) -> tuple[bool, *tuple[int, ...]]:
        seen = (known.index(getattr(summary, name)) for name, known in places.items())
        return (summary.category != OVERALL, *seen)

    return sorted(summaries, key=key)


def _missing_note(summary: Summary) -> str:
    """Returns how far the missing answers of a system could move S; empty where none is missing."""
    score = summary.combined_score
    if not summary.n_missing:
        return ""
    questions = f"{summary.n_missing} of {summary.n_questions} questions"
    note = f"{system_name(summary)}: {questions} without an answer"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."


def corrected_table(results: Results) -> DataTable:
    """Returns a line per system as people would have scored it, and under it one as the judge
    did."""
    judge = str(results.signature.get("judge", "judge"))
    corrected = {(row.model, row.condition): row for row in results.corrections}
    rows: list[Summary | CorrectedSummary] = []
    for row in overall_rows(results.summaries):
        better = corrected.get((row.model, row.condition))
        if better is not None:
            rows.append(better)
        rows.append(row)

    def who(row: Summary | CorrectedSummary) -> str:
        if isinstance(row, Summary):
            return f"{judge}, uncorrected"
        return "corrected by people"

    by = Column[Summary | CorrectedSummary](
        name="by",
        key="by",
        value=who,
        label=True,
        meaning="Corrected: what people would have scored all answers, from those that they "
        "marked, by a line in the judge's score. It holds where the marked answers were "
        "drawn at random. Marked: answers whose facts people marked.",
    )
    scores = (
        Column[Summary | CorrectedSummary](
            name=metric.symbol, key=key, value=metric.estimate, better=metric.better, estimate=True
        )
        for key, metric in METRICS.items()
    )
    marked = Column[Summary | CorrectedSummary](
        name="marked",
        key="marked",
        value=lambda row: getattr(row, "annotated", None),
        optional=True,
    )
    answers = Column[Summary | CorrectedSummary](
        name="answers",
        key="n_answers",
        show=str,
        value=lambda row: row.n_answers if isinstance(row, Summary) else row.answers,
    )
    return table_of(
        f"{results.benchmark}: completeness, hallucination, combined score, corrected by people",
        (*system_columns(rows), by, *scores, marked, answers),
        rows,
        group=lambda row: (row.model, row.condition),
        overall=lambda row: isinstance(row, CorrectedSummary),
    )


def rows_table(results: Results) -> DataTable:
    """Returns the share of the rows of G that each system says together, where G has several
    columns."""
    columns: tuple[Column[RowSummary], ...] = (
        *system_columns(results.by_rows),
        attribute_column(
            "row_completeness",
            "rows",
            better="higher",
            bounds=True,
            estimate=True,
            meaning="The share of the rows of G whose cells an answer says together: the name of "
            "one row with what belongs to another is none (higher is better).",
        ),
        attribute_column("n_questions", "questions", show=str),
    )
    return table_of(f"{results.benchmark}: row by row", columns, results.by_rows)


# How far the judge can be trusted


def instrument_notes(results: Results) -> Iterator[str]:
    """Yields sentences on the error of the rules, and on systems that differ by no more than it."""
    if results.signature.get("judge") != RULES:
        return
    own = own_errors(results)
    if own:
        yield _own_error_note(results, own)
    else:
        yield _error_note(error_by_rule(results))
    gaps = list(system_gaps(results))
    close = []
    for gap in gaps:
        if gap.small:
            close.append(gap)
    if close:
        yield f"Differ by less than the rules are off: {_pairs_in_words(close)}."


def _error_note(error: Mapping[str, float]) -> str:
    """Returns what an answer is off by in a domain that is new to the rules, and an average of
    writers that are."""
    measured = unseen()["domain"]
    off = ", ".join(f"{m.symbol} {number(error[key])}" for key, m in METRICS.items())
    version = measured["rules"]
    by = ""
    if version != RULES_VERSION:
        by = f", by version {version} of the rules"
    ranges = bias_over_writers()
    averages = ", ".join(
        f"{m.symbol} by {signed(ranges[key].low)} to {signed(ranges[key].high)}"
        for key, m in METRICS.items()
    )
    writers = len(unseen()["writer"]["writers"])
    return (
        "Facts found by rule: on a single answer to these questions the rules are off by "
        f"{off} on average, up or down, where its domain is new to them (measured on "
        f"{measured['answers']:,} marked answers{by}). Averages of {writers} writers that they had "
        f"not learnt from were off {averages}, for eight of ten. Have {FEWEST_MARKS} of your "
        "answers marked for figures of your own (`factmark plan --answers`)."
    )


def _own_error_note(results: Results, own: Mapping[str, OwnError]) -> str:
    """Returns what the rules are off by on the answers that people marked."""
    marked = len({row.answer.id for row in results.answers} & results.people.keys())
    biases = ", ".join(
        f"{m.symbol} by {signed(own[key].bias.value or 0.0)} {interval(own[key].bias)}"
        for key, m in METRICS.items()
    )
    errors = ", ".join(f"{m.symbol} {number(own[key].error)}" for key, m in METRICS.items())
    return (
        f"Facts found by rule: on the {marked} of these answers that people marked, the average is "
        f"off {biases}, and a single answer, up or down, by {errors}."
    )


def _pairs_in_words(gaps: Sequence[SystemGap]) -> str:
    """Returns pairs with the scores by which they differ so."""
    pairs: dict[str, list[str]] = {}
    for gap in gaps:
        pairs.setdefault(gap.pair, []).append(gap.metric.symbol)
    return some_long([f"{pair} in {', '.join(scores)}" for pair, scores in pairs.items()], _SHOWN)


def signed(value: float) -> str:
    """Returns the value with its sign and two decimals; without a sign where it rounds to zero.

    >>> signed(0.034), signed(-0.2), signed(-0.001)
    ('+0.03', '-0.20', '0.00')
    """
    if value >= 0.005:
        return f"+{number(value)}"
    return number(value)


def agreement_table(results: Results) -> DataTable:
    """Returns the judge's errors of C, H and S, and precision and recall of its facts, against
    people."""
    judge = one_line(str(results.signature.get("judge", "judge")))
    scored = {row.answer.id for row in results.answers} & results.people.keys()
    columns: tuple[Column[MarkedMeasure], ...] = (
        Column(name="measure", key="measure", value=attrgetter("name"), label=True),
        attribute_column(
            "value",
            estimate=True,
            meaning="Errors: of C, H and S per answer, averaged over questions (lower is better). "
            "Facts: the share of those found that people marked too, and the other way round; "
            "equal in their words without articles and inflection.",
        ),
        Column(name="by judge", key="judge", value=attrgetter("extractor"), optional=True),
        attribute_column("people", "by people", optional=True),
    )
    notes = []
    lost = len(results.people) - len(scored)
    if lost:
        notes.append(f"{lost} more that they marked have no score by the judge.")
    title = f"How far {judge} agrees with people, on {len(scored)} answers that they marked"
    return table_of(title, columns, results.agreement, notes=notes)
