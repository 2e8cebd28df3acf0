"""How answers came about, as a report shows it: chunks, tool calls, what was retrieved of G.

Texts are bounded, and what several answers were given stands once, at the end of the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.answers.core.grounding import held_for
from factmark.answers.core.records import ScoredAnswer, ToolUse, Trace
from factmark.answers.core.run_measures import abstained
from factmark.model import Chunk
from factmark.tables.shown_text import bounded

MOST_SHOWN = 2_000  # characters of a text
MOST_LINKS = 12  # answers that a passage links back to
MOST_NAMES = 12  # tools that a card names
_WORTH_SHARING = 200  # characters; what is shorter is repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The beginning of a text.

    Attributes:
        more: how many characters come after it.
        passage: the number of the passage at the end of the report that holds it; 0 if it stands
            where it was shown.
    """

    text: str
    more: int
    passage: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that several answers were given.

    Attributes:
        number: counts from 1.
        title: of the first chunk, or the name of the first tool, that it came from; bounded.
        answers: how many answers were given it.
        places: the first of them: place in the report, from 1, and id of the question.
    """

    number: int
    title: str
    excerpt: Excerpt
    answers: int
    places: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkShown:
    """A chunk, its title (its id where it has none; bounded) and the text that is shown of it."""

    chunk: Chunk
    title: str
    excerpt: Excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """A tool call with its name (bounded) and the texts that are shown of it."""

    use: ToolUse
    name: str
    arguments: Excerpt
    result: Excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceShown:
    """What a card tells of how its answer came about.

    Attributes:
        chunks, calls: None where the condition has none.
        failed: calls that failed.
        where: what the model was given, in words: `chunks`, `tool results` or both; empty where it
            was given nothing.
        retrieved: element of G -> whether it stood in that.
        unsaid: elements that did, and that the answer does not say.
        abstained: whether the answer states nothing that can be checked.
    """

    trace: Trace
    chunks: tuple[ChunkShown, ...] | None
    calls: tuple[CallShown, ...] | None
    failed: int
    where: str
    retrieved: Mapping[str, bool]
    unsaid: tuple[str, ...]
    abstained: bool


def shown_traces(
    answers: Sequence[ScoredAnswer],
) -> tuple[tuple[TraceShown | None, ...], tuple[Passage, ...]]:
    """What is shown of each answer's trace, and the passages that several answers share."""
    passages = _passages(answers)
    numbers = {passage.excerpt: passage.number for passage in passages}
    return tuple(_shown(row, numbers) for row in answers), passages


def excerpt(text: str, size: int = 0) -> Excerpt:
    """The beginning of a text; `size` is of the whole, where that is longer than what is kept."""
    return Excerpt(text=text[:MOST_SHOWN], more=max(size, len(text)) - len(text[:MOST_SHOWN]))


def _texts(trace: Trace) -> Iterable[tuple[str, Excerpt]]:
    """What a model was given to read, with titles."""
    for chunk in trace.chunks or ():
        yield chunk.title, excerpt(chunk.text)
    for use in trace.tools or ():
        yield use.name, excerpt(use.result, use.size)


def _passages(answers: Sequence[ScoredAnswer]) -> tuple[Passage, ...]:
    places: dict[Excerpt, list[tuple[int, str]]] = {}
    titles: dict[Excerpt, str] = {}
    for place, row in enumerate(answers, 1):
        if row.answer.trace is None:
            continue
        here = {told: title for title, told in _texts(row.answer.trace)}
        for told, title in here.items():
            titles.setdefault(told, title)
            places.setdefault(told, []).append((place, bounded(row.question.query_id)))
    shared = [told for told, n in places.items() if len(n) > 1 and len(told.text) > _WORTH_SHARING]
    return tuple(
        Passage(
            number=number,
            title=bounded(titles[told]),
            excerpt=told,
            answers=len(places[told]),
            places=tuple(places[told][:MOST_LINKS]),
        )
        for number, told in enumerate(shared, 1)
    )


def _shown(row: ScoredAnswer, numbers: Mapping[Excerpt, int]) -> TraceShown | None:
    trace = row.answer.trace
    if trace is None:
        return None

    def numbered(made: Excerpt) -> Excerpt:
        number = numbers.get(made, 0)
        return Excerpt(text="" if number else made.text, more=made.more, passage=number)

    flags = held_for(row.question, trace) or {}
    kinds = (("chunks", trace.chunks), ("tool results", trace.tools))
    return TraceShown(
        trace=trace,
        chunks=None
        if trace.chunks is None
        else tuple(
            ChunkShown(
                chunk=one,
                title=bounded(one.title or one.id),
                excerpt=numbered(excerpt(one.text)),
            )
            for one in trace.chunks
        ),
        calls=None
        if trace.tools is None
        else tuple(
            CallShown(
                use=one,
                name=bounded(one.name),
                arguments=excerpt(one.arguments),
                result=numbered(excerpt(one.result, one.size)),
            )
            for one in trace.tools
        ),
        failed=sum(use.status != "ok" for use in trace.tools or ()),
        where=" and ".join(name for name, some in kinds if some is not None),
        retrieved=flags,
        unsaid=tuple(element for element in row.score.missing if flags.get(element)),
        abstained=bool(abstained(row)),
    )
