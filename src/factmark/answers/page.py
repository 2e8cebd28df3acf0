"""The report on answers against the ground truth, and how they came about.

Texts are bounded, and what several answers were given stands once, at the end of the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from markupsafe import Markup

from factmark.answers.core.averages import METRICS, Metric
from factmark.answers.core.grounding import held_in_trace
from factmark.answers.core.instrument import not_read, style_of, to_review
from factmark.answers.core.opening import answers_opening
from factmark.answers.core.records import (
    Fact,
    ScoredAnswer,
    ToolUse,
    Trace,
)
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.run_measures import abstained
from factmark.answers.results import Results, Summary
from factmark.answers.run_tables import run_tables
from factmark.answers.tables import in_order, main_tables, score_table
from factmark.model import Chunk
from factmark.report.charts import Dot, dot_of
from factmark.report.highlights import highlight
from factmark.report.layouts import DataTable
from factmark.report.page import Filters, render_page
from factmark.text.shown_text import NO_VALUE

MISSING_SHOWN = 12
MOST_SHOWN = 2_000  # characters of a text
MOST_LINKS = 12  # answers that a passage links back to
MOST_NAMES = 12  # tools that a card names
_WORTH_SHARING = 200  # characters; what is shorter is repeated

ChartGroups = list[tuple[str, list[tuple[str, list[Dot]]]]]
"""Category -> model -> lines; the model is empty where there is one, or where labels name it."""


def render_html(results: Results, *, title: str = "Answers against the ground truth") -> str:
    """The report of a study as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all answers are shown and
    there are no filters.

    Raises:
        ValueError: a fact lies outside its answer.
    """
    choices = {
        "category": tuple(dict.fromkeys(row.question.category for row in results.answers)),
        "condition": tuple(dict.fromkeys(row.answer.condition for row in results.answers)),
        "model": tuple(dict.fromkeys(row.answer.model for row in results.answers)),
    }
    traces, shared = trace_cards(results.answers)
    notes = tuple(_answer_notes(row, results) for row in results.answers)
    ran = bool(results.runs) or any(traces)
    return render_page(
        "report.html",
        styles=("report.css", *["runs.css"] * ran),
        signature=results.signature,
        title=title,
        subject=results.benchmark,
        opening=answers_opening(results),
        problems=results.problems,
        results=results,
        metrics=tuple(METRICS.values()),
        main_tables=_tables_with_notes(results),
        run_tables=run_tables(results),
        traces=traces,
        notes=notes,
        passages=shared,
        panels=panels(results),
        choices=choices,
        filters=Filters(
            singular="answer",
            many="answers",
            text="h3, .meta, .answer, .missing bdi",
            hint="in question or answer",
            choices=choices,
            orders=(
                ("question", "question"),
                ("low", "S, lowest first"),
                ("high", "S, highest first"),
            ),
            score="S",
            flags=(
                ("hallucinated", "hallucinations"),
                ("missing", "missing elements"),
                *[("review", "no fact, to be looked at")] * any(note.review for note in notes),
                *_filter_flags([card for card in traces if card is not None]),
            ),
        ),
        shown=len(results.answers),
        missing_shown=MISSING_SHOWN,
        most_names=MOST_NAMES,
        most_links=MOST_LINKS,
        explain=explain,
        mark_facts=mark_facts,
    )


def _tables_with_notes(results: Results) -> list[tuple[DataTable, tuple[str, ...]]]:
    """The main tables with their notes; the legend of the scores stands above them already."""
    scores = score_table(results).title
    return [(table, table.notes[table.title == scores :]) for table in main_tables(results)]


def mark_facts(text: str, facts: Sequence[Fact]) -> Markup:
    """The text with each fact marked as `hit` or `miss`, and what was decided on it as a title."""
    return highlight(
        text,
        [(f.start, f.end, "miss" if f.match is None else "hit", explain(f)) for f in facts],
    )


def explain(fact: Fact) -> str:
    """What was decided on a fact, in words: the element that it matches, and by which rule."""
    what = "not in the ground truth" if fact.match is None else f"matches “{fact.match}”"
    return what + (f", rule {fact.rule}" if fact.rule else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerNotes:
    """What a card tells of how its answer was read.

    Attributes:
        style: by its surface.
        not_read: what was left out, and why.
        review: why a person should look at it; empty where nothing says so.
        rows: the share of the rows of G that it says together; None where G has none.
    """

    style: str
    not_read: tuple[str, ...]
    review: str
    rows: float | None


def _answer_notes(row: ScoredAnswer, results: Results) -> AnswerNotes:
    """What a card tells of how its answer was read."""
    return AnswerNotes(
        style=style_of(row.answer.text),
        not_read=not_read(row, str(results.signature.get("judge", ""))),
        review=to_review(row),
        rows=row_completeness(row.question, row.answer.text),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The beginning of a text, and how many characters come after it.

    Attributes:
        passage: which of the shared texts at the end of the report holds it, from 1; 0 if it
            stands where it was shown.
    """

    text: str
    more: int
    passage: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedText:
    """A text that several answers were given.

    Attributes:
        title: of the first chunk, or the name of the first tool, that it came from.
        places: the answers that were given it: place in the report, from 1, and id of the question.
    """

    title: str
    excerpt: Excerpt
    places: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCard:
    """What a card tells of how its answer came about.

    Attributes:
        chunks, calls: with the texts shown of them (of a call: arguments, result); None where the
            condition has none.
        failed: calls that failed.
        where: what the model was given, in words: `chunks`, `tool results` or both; or empty.
        retrieved: element of G -> whether it stood in that.
        unsaid: elements that did, and that the answer does not say.
        abstained: whether the answer states nothing that can be checked.
    """

    trace: Trace
    chunks: tuple[tuple[Chunk, Excerpt], ...] | None
    calls: tuple[tuple[ToolUse, Excerpt, Excerpt], ...] | None
    failed: int
    where: str
    retrieved: Mapping[str, bool]
    unsaid: tuple[str, ...]
    abstained: bool


def trace_cards(
    answers: Sequence[ScoredAnswer],
) -> tuple[tuple[TraceCard | None, ...], tuple[SharedText, ...]]:
    """The card of each answer's trace, and the texts that several answers share."""
    places: dict[Excerpt, list[tuple[int, str]]] = {}
    titles: dict[Excerpt, str] = {}
    for place, row in enumerate(answers, 1):
        for text, title in dict(_texts_given(row.answer.trace)).items():
            titles.setdefault(text, title)
            places.setdefault(text, []).append((place, row.question.query_id))
    shared = tuple(
        SharedText(title=titles[text], excerpt=text, places=tuple(uses))
        for text, uses in places.items()
        if len(uses) > 1 and len(text.text) > _WORTH_SHARING
    )
    numbers = {text.excerpt: number for number, text in enumerate(shared, 1)}
    return tuple(_trace_card(row, row.answer.trace, numbers) for row in answers), shared


def excerpt(text: str, size: int = 0) -> Excerpt:
    """The beginning of a text; `size` is of the whole, where that is longer than what is kept."""
    return Excerpt(text=text[:MOST_SHOWN], more=max(size, len(text)) - len(text[:MOST_SHOWN]))


def _texts_given(trace: Trace | None) -> Iterable[tuple[Excerpt, str]]:
    """The passages and tool results that a model was given, each with its title."""
    for chunk in (trace and trace.chunks) or ():
        yield excerpt(chunk.text), chunk.title
    for use in (trace and trace.tools) or ():
        yield excerpt(use.result, use.size), use.name


def _trace_card(
    row: ScoredAnswer, trace: Trace | None, numbers: Mapping[Excerpt, int]
) -> TraceCard | None:
    """What a card tells of how its answer came about; None without a trace."""
    if trace is None:
        return None

    def shown(text: str, size: int = 0) -> Excerpt:
        beginning = excerpt(text, size)
        number = numbers.get(beginning, 0)
        return replace(beginning, text="", passage=number) if number else beginning

    chunks, uses = trace.chunks, trace.tools
    retrieved = held_in_trace(row.question, trace) or {}
    kinds = (("chunks", chunks), ("tool results", uses))
    return TraceCard(
        trace=trace,
        chunks=None if chunks is None else tuple((chunk, shown(chunk.text)) for chunk in chunks),
        calls=None
        if uses is None
        else tuple((use, excerpt(use.arguments), shown(use.result, use.size)) for use in uses),
        failed=sum(use.status != "ok" for use in uses or ()),
        where=" and ".join(name for name, some in kinds if some is not None),
        retrieved=retrieved,
        unsaid=tuple(element for element in row.score.missing if retrieved.get(element)),
        abstained=bool(abstained(row)),
    )


def _filter_flags(cards: Sequence[TraceCard]) -> Iterable[tuple[str, str]]:
    """The filters by what some answers have: name, and words for it."""
    names = {
        "unsaid": "elements retrieved, not said",
        "failed": "failed tool calls",
        "abstained": "nothing to check",
    }
    return (
        (name, meaning)
        for name, meaning in names.items()
        if any(getattr(card, name) for card in cards)
    )


def panels(results: Results) -> list[tuple[Metric, ChartGroups]]:
    """The dots of the chart by metric, category and model; none without averages."""
    summaries = in_order(results.summaries)
    if not summaries:
        return []
    by_model = len({summary.condition for summary in summaries}) == 1
    label = attrgetter("model" if by_model else "condition")
    several = not by_model and len({summary.model for summary in summaries}) > 1
    series = {name: at for at, name in enumerate(dict.fromkeys(map(label, summaries)))}

    def part(summary: Summary) -> str:
        return summary.model if several else ""

    def dot(summary: Summary, metric: Metric) -> Dot:
        name = label(summary) or summary.condition or NO_VALUE
        return dot_of(metric.estimate(summary), name, series[label(summary)])

    return [
        (
            metric,
            [
                (category, [(m, [dot(s, metric) for s in some]) for m, some in groupby(rows, part)])
                for category, rows in groupby(summaries, attrgetter("category"))
            ],
        )
        for metric in METRICS.values()
    ]
