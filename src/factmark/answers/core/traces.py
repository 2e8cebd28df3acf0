"""How an answer came about: what was retrieved, which tools were called, what it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factmark.model import Chunk

ToolStatus = Literal["ok", "error", "unknown", "invalid", "timeout", "lost"]
Ending = Literal["answered", "rounds", "length", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One call of a tool by a model, and what the model was shown.

    Attributes:
        round: which reply of the model asked for it, from 1.
        name: as the model wrote it.
        arguments: as the model wrote them, JSON or not.
        result: what the model was shown, which is the beginning of a long result.
        status: `ok`; `error`: the tool says so; `unknown`: there is no such tool; `invalid`: the
            arguments are no JSON object; `timeout`: no result in time; `lost`: the server went
            away.
        seconds: how long it took.
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
        ended: `answered`; `rounds`: the model went on calling tools until it was told to answer
            without; `length`: the answer was cut off at its limit; `refused`.
        tools: calls of tools, in their order; None where the condition offers none.
        offered: the names of the tools that were offered.
        chunks: what was retrieved; None where the condition retrieves nothing.
        input_tokens, output_tokens: of all calls of the model.
        estimated: whether the server did not count (all) tokens.
        cost: of all calls of the model; None if the price is not known.
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
