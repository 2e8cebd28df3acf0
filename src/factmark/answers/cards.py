"""The cards of a report: each scored answer with its facts, and how it came about.

Texts are bounded, and what several answers were given stands once, at the end of the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from factmark.answers.core.grounding import held_in_trace
from factmark.answers.core.instrument import not_read, style_of, to_review
from factmark.answers.core.records import Fact, ScoredAnswer, ToolUse, Trace
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.run_measures import abstained
from factmark.answers.results import Results
from factmark.model import Chunk
from factmark.report.highlights import highlight

MOST_SHOWN = 2_000  # characters of a text
_WORTH_SHARING = 200  # characters; what is shorter is repeated


def mark_facts(text: str, facts: Sequence[Fact]) -> Markup:
    """Returns the text with each fact marked as `hit` or `miss`; a title says what was decided."""
    return highlight(
        text,
        [(f.start, f.end, "miss" if f.match is None else "hit", explain(f)) for f in facts],
    )


def explain(fact: Fact) -> str:
    """Returns what was decided on a fact: the element that it matches, and by which rule."""
    what = "not in the ground truth"
    if fact.match is not None:
        what = f"matches “{fact.match}”"
    return what + (f", rule {fact.rule}" if fact.rule else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCard:
    """A scored answer with all that its card shows.

    Attributes:
        style: by its surface.
        not_read: what was left out, and why.
        review: why a person should look at it; empty where nothing says so.
        rows: the share of the rows of G that it says together; None where G has none.
        trace: how it came about; None where that is not known.
    """

    row: ScoredAnswer
    style: str
    not_read: tuple[str, ...]
    review: str
    rows: float | None
    trace: TraceCard | None

    @property
    def wrong(self) -> int:
        """How many of its facts are not in the ground truth."""
        return sum(fact.match is None for fact in self.row.score.facts)

    def has(self, flag: str) -> bool:
        """Whether a filter by that flag shows it: `review`, or what a `TraceCard` has."""
        if flag == "review":
            return bool(self.review)
        return bool(getattr(self.trace, flag, None))


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
    """How an answer came about, as its card shows it.

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


def answer_cards(results: Results) -> tuple[list[AnswerCard], tuple[SharedText, ...]]:
    """Returns a card for each scored answer, and the texts that several answers were given."""
    judge = str(results.signature.get("judge", ""))
    shared = _shared_texts(results.answers)
    numbers = {text.excerpt: number for number, text in enumerate(shared, 1)}
    cards = [
        AnswerCard(
            row=row,
            style=style_of(row.answer.text),
            not_read=not_read(row, judge),
            review=to_review(row),
            rows=row_completeness(row.question, row.answer.text),
            trace=_trace_card(row, row.answer.trace, numbers),
        )
        for row in results.answers
    ]
    return cards, shared


def _shared_texts(answers: Sequence[ScoredAnswer]) -> tuple[SharedText, ...]:
    """Returns the long texts that several answers were given, in the order of the first ones."""
    places: dict[Excerpt, list[tuple[int, str]]] = {}
    titles: dict[Excerpt, str] = {}
    for place, row in enumerate(answers, 1):
        for text, title in dict(_texts_given(row.answer.trace)).items():
            titles.setdefault(text, title)
            places.setdefault(text, []).append((place, row.question.query_id))
    return tuple(
        SharedText(title=titles[text], excerpt=text, places=tuple(uses))
        for text, uses in places.items()
        if len(uses) > 1 and len(text.text) > _WORTH_SHARING
    )


def excerpt(text: str, size: int = 0) -> Excerpt:
    """Returns the beginning of a text; `size` is of the whole, where more was cut before."""
    return Excerpt(text=text[:MOST_SHOWN], more=max(size, len(text)) - len(text[:MOST_SHOWN]))


def _texts_given(trace: Trace | None) -> Iterator[tuple[Excerpt, str]]:
    """Yields the passages and tool results that a model was given, each with its title."""
    if trace is None:
        return
    for chunk in trace.chunks or ():
        yield excerpt(chunk.text), chunk.title
    for use in trace.tools or ():
        yield excerpt(use.result, use.size), use.name


def _trace_card(
    row: ScoredAnswer, trace: Trace | None, numbers: Mapping[Excerpt, int]
) -> TraceCard | None:
    """Returns what a card shows of how its answer came about; None without a trace."""
    if trace is None:
        return None

    def shown(text: str, size: int = 0) -> Excerpt:
        beginning = excerpt(text, size)
        number = numbers.get(beginning, 0)
        if number:
            return replace(beginning, text="", passage=number)
        return beginning

    chunks = calls = None
    sources = []
    if trace.chunks is not None:
        sources.append("chunks")
        chunks = tuple((chunk, shown(chunk.text)) for chunk in trace.chunks)
    if trace.tools is not None:
        sources.append("tool results")
        calls = tuple(
            (use, excerpt(use.arguments), shown(use.result, use.size)) for use in trace.tools
        )
    retrieved = held_in_trace(row.question, trace) or {}
    return TraceCard(
        trace=trace,
        chunks=chunks,
        calls=calls,
        failed=sum(use.status != "ok" for use in trace.tools or ()),
        where=" and ".join(sources),
        retrieved=retrieved,
        unsaid=tuple(element for element in row.score.missing if retrieved.get(element)),
        abstained=bool(abstained(row)),
    )
