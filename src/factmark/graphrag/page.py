"""The report on graphs that are used for answering questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from factmark.graphrag.cards import (
    HELD,
    NO_VERDICT,
    STRATA,
    TONES,
    QuestionShown,
    became,
    questions_shown,
)
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import KIND
from factmark.graphrag.tables import accuracy_table, answer_tables
from factmark.graphs.report import spent_words
from factmark.tables.charts import Bar, stacked
from factmark.tables.page import Filters, render_page
from factmark.tables.shown_text import count, one_line

ANSWERS = 2_000
"""Answers that are shown one by one, in cards of a question each."""


def render_graphrag_html(
    results: GraphRagResults, *, title: str = "Is the graph useful?", answers: int = ANSWERS
) -> str:
    """The report as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters.

    Args:
        answers: how many are shown at most, with all systems of a question together; the page
            says how many questions are not. Scores and chart are over all.
    """
    shown, total = questions_shown(results, answers)
    graphs = results.named("graph")
    answering = spent_words(results.answering, "Answered before")
    return render_page(
        "graphrag.html",
        styles=("report.css", "graph.css", "graphrag.css"),
        signature=results.signature,
        title=title,
        subject=", ".join(graphs) or "no graph",
        problems=results.problems,
        results=results,
        kinds={system.name: system.kind for system in results.systems},
        settings=list(_told(results.settings)),
        cards=shown,
        shown=len(shown),
        total=total,
        spent=[
            ("Answering", answering, results.answering.stopped),
            ("Judging", spent_words(results.judging), results.judging.stopped),
        ],
        chart=answer_chart(results) if results.outcomes else None,
        tables=[*answer_tables(results), accuracy_table()],
        filters=_filters(results, shown),
        asked=count(total, "question", "questions"),
    )


def _told(settings: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Settings by their names as people read them; those that are not set are left out."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _told(value)
        elif value is not None:
            yield name.replace("_", " "), str(value)


def _filters(results: GraphRagResults, shown: Sequence[QuestionShown]) -> Filters:
    answers = [one for card in shown for one in card.answers]
    verdicts = {one.verdict for one in answers}
    contexts = {one.context for one in answers}
    choices = {
        "system": [system.name for system in results.systems],
        "verdict": [*sorted(verdicts - {NO_VERDICT}), *sorted(verdicts & {NO_VERDICT})],
        "context": [name for name in HELD.values() if name in contexts],
        **{name: _values(shown, name) for name in (KIND, *STRATA)},
    }
    return Filters(
        one="question",
        many="questions",
        text="h3, .meta, .answer, .facts-given, .reason",
        hint="in question, context, reply or reason",
        choices={name: values for name, values in choices.items() if values},
        flags=(("abstained", "“I don't know”"),)
        if any(one.outcome.abstained for one in answers)
        else (),
    )


def _values(shown: Iterable[QuestionShown], name: str) -> list[str]:
    return sorted({value for card in shown for key, value in card.filters if key == name})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChart:
    """A bar per system, and what occurs in any of them with its tone."""

    kinds: tuple[tuple[str, str], ...]
    bars: tuple[Bar, ...]


def answer_chart(results: GraphRagResults) -> AnswerChart:
    """The chart over all answers, also those that the report does not show as cards."""
    counts: dict[str, Counter[str]] = {system.name: Counter() for system in results.systems}
    for one in results.outcomes:
        counts[one.system][became(one)] += 1
    seen = sum(counts.values(), Counter())
    return AnswerChart(
        kinds=tuple((kind, tone) for kind, tone in TONES.items() if seen[kind]),
        bars=tuple(
            stacked(one_line(name), some, TONES, TONES.__getitem__) for name, some in counts.items()
        ),
    )
