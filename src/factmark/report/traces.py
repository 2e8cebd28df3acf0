"""How answers came about, as a report shows it: chunks, tool calls, what was retrieved of G.

Texts are bounded, and what several answers were given stands once, at the end of the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.answers.effort import abstained
from factmark.answers.records import ScoredAnswer
from factmark.answers.retrieved import found
from factmark.answers.traces import Chunk, ToolUse, Trace

MOST_SHOWN = 2_000  # characters of a text
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
        title: of the first chunk, or the name of the first tool, that it came from.
        answers: how many answers were given it.
    """

    number: int
    title: str
    excerpt: Excerpt
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkShown:
    """A chunk and the text that is shown of it."""

    chunk: Chunk
    excerpt: Excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """A tool call with the texts that are shown of it."""

    use: ToolUse
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
    counts: Counter[Excerpt] = Counter()
    titles: dict[Excerpt, str] = {}
    for row in answers:
        if row.answer.trace is None:
            continue
        here = {told: title for title, told in _texts(row.answer.trace)}
        counts.update(here.keys())
        for told, title in here.items():
            titles.setdefault(told, title)
    shared = [told for told, n in counts.items() if n > 1 and len(told.text) > _WORTH_SHARING]
    return tuple(
        Passage(number=number, title=titles[told], excerpt=told, answers=counts[told])
        for number, told in enumerate(shared, 1)
    )


def _shown(row: ScoredAnswer, numbers: Mapping[Excerpt, int]) -> TraceShown | None:
    trace = row.answer.trace
    if trace is None:
        return None

    def numbered(made: Excerpt) -> Excerpt:
        number = numbers.get(made, 0)
        return Excerpt(text="" if number else made.text, more=made.more, passage=number)

    given = found(row.question, trace)
    flags = {} if given is None else dict(zip(given.elements, given.flags, strict=True))
    kinds = (("chunks", trace.chunks), ("tool results", trace.tools))
    return TraceShown(
        trace=trace,
        chunks=None
        if trace.chunks is None
        else tuple(
            ChunkShown(chunk=one, excerpt=numbered(excerpt(one.text))) for one in trace.chunks
        ),
        calls=None
        if trace.tools is None
        else tuple(
            CallShown(
                use=one,
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
