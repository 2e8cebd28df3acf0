"""What protocol 1 works on: questions, answers with their traces, facts, scores of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from factmark.model import Chunk, ToolStatus

Status = Literal["unparsed", "refused", "failed", "left"]
STATUSES: tuple[Status, ...] = get_args(Status)
Ending = Literal["answered", "rounds", "length", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What an element of G is (M6).

    Attributes:
        names: what it is called; an answer may say any of them, or a part (M2).
        ids: prefixed names, addresses and codes that identify it; an answer says one as a whole.
        properties: what else is known of it, as a count; no name of it.
    """

    names: tuple[str, ...]
    ids: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a benchmark.

    Attributes:
        query_id: for example `D1`; unique within its benchmark.
        text: the question as a model is asked it.
        sparql: the query that derives the ground truth; None where the file gives none.
        ground_truth: the elements of G without duplicates; None while it is not derived.
        expected_tools: a sensible answer calls at least one of them; None where none are named.
        empty: whether the benchmark says that the query may find nothing.
        aliases: element of G -> other names of it.
        rows: the rows of G where it has several columns, all of the same width; else none.
        units: element of G -> the unit of the number that it is; `*` for all that are numbers.
        things: element of G -> its names, identifiers and properties, where they were recorded;
            of others its text says them (`things_of`).
    """

    query_id: str
    category: str
    text: str
    sparql: str | None = None
    ground_truth: tuple[str, ...] | None = None
    expected_tools: tuple[str, ...] | None = None
    empty: bool = False
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    units: Mapping[str, str] = field(default_factory=dict, hash=False)
    rows: tuple[tuple[str, ...], ...] = ()
    things: Mapping[str, Thing] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call of a tool by a model, and what the model was shown.

    Attributes:
        round: which reply of the model asked for it, from 1.
        name, arguments: as the model wrote them.
        result: what the model was shown, which is the beginning of a long result.
        status: `ok`; `error`: the tool says so; `unknown`: there is no such tool; `invalid`: the
            arguments are no JSON object; `timeout`; `lost`: the server went away.
        size: characters of the whole result.
    """

    round: int
    name: str
    arguments: str
    result: str
    status: ToolStatus = "ok"
    seconds: float = 0.0
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What happened between a question and its answer.

    Attributes:
        sample: which of several answers to the same question this is, from 0.
        rounds: replies of the model, the last one included.
        ended: `answered`; `rounds`: the model called tools until it was told to answer without;
            `length`: the answer was cut off at its limit; `refused`.
        tools: calls in their order; None where the condition offers none.
        offered: the names of the tools that were offered.
        chunks: what was retrieved; None where the condition retrieves nothing.
        input_tokens, output_tokens, cost: of all calls; the cost is None if a price is not known.
        estimated: whether the server did not count all tokens.
        calls: the keys of the calls in the ledger.
    """

    sample: int = 0
    rounds: int = 1
    ended: Ending = "answered"
    tools: tuple[ToolUse, ...] | None = None
    offered: tuple[str, ...] = ()
    chunks: tuple[Chunk, ...] | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    cost: float | None = None
    calls: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...] | None:
        """What the model was given to answer from; None where it was given nothing."""
        if self.tools is None and self.chunks is None:
            return None
        chunks = tuple(f"{chunk.title}\n{chunk.text}" for chunk in self.chunks or ())
        return chunks + tuple(use.result for use in self.tools or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class NoScore:
    """Why an answer has no score; `left`: a budget had no room for it. The reason is for people."""

    status: Status
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """One answer of a model to one question.

    Attributes:
        id: unique within its file; empty where the file gives none, until it is scored.
        latency_seconds, tools_called, chunks_retrieved: where the file tells them; names of tools
            in the order of their calls, ids of chunks, best first.
        trace: how it came about, where factmark ran the model.
        lost: why there is no answer; it is missing then, and no empty answer.
    """

    id: str
    query_id: str
    text: str
    model: str = ""
    condition: str = ""
    latency_seconds: float | None = None
    tools_called: tuple[str, ...] | None = None
    chunks_retrieved: tuple[str, ...] | None = None
    trace: Trace | None = None
    lost: NoScore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One member of F(r): `answer[start:end]`.

    Attributes:
        match: the element of G that it covers, or None: then it is a hallucination.
        rule: the rule that decided the match, for example `M2`; empty when there is none.
    """

    text: str
    start: int
    end: int
    match: str | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScore:
    """The score of one answer.

    Attributes:
        facts: F(r) in the order of the text.
        missing: the elements of G that no fact covers.
        verdict: `yes`, `no` or None (E5).
        absence: whether the answer reports that there is nothing (decides C when G is empty).
    """

    facts: tuple[Fact, ...]
    missing: tuple[str, ...]
    verdict: str | None
    absence: bool
    completeness: float
    hallucination_rate: float
    combined_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """An answer with its question and its score."""

    question: Question
    answer: GivenAnswer
    score: AnswerScore


@dataclass(frozen=True, slots=True, kw_only=True)
class UnscoredAnswer:
    """An answer without a score; it counts as missing, never as an empty answer."""

    question: Question
    answer: GivenAnswer
    why: NoScore


Row = ScoredAnswer | UnscoredAnswer


def score_of(row: Row) -> AnswerScore | None:
    """The score of an answer that has one."""
    if isinstance(row, ScoredAnswer):
        return row.score
    return None
