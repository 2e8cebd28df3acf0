"""Where a grounded model gets its knowledge from: tools, or passages that are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from factmark.ask.chat import Tool, ToolResult
from factmark.model import Chunk


class ToolServer(Protocol):
    """Tools that a model may call."""

    @property
    def identity(self) -> str:
        """What was offered, for signatures and keys: never a credential or a path."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in the server's order."""

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Calls a tool that is offered. Ends in time, with a result or with what went wrong.

        Raises:
            EndpointError: the server is gone and does not come back; no later call can work.
        """


class Retriever(Protocol):
    """Passages, looked up by a question."""

    @property
    def identity(self) -> str:
        """What is searched and how, for signatures: never a credential or a path."""

    async def search(self, question: str, k: int) -> tuple[Chunk, ...]:
        """The k best passages, best first; fewer where there are no more.

        Raises:
            EndpointError: the question cannot be embedded, since its server is gone.
        """

    async def catalogue(self) -> tuple[Chunk, ...]:
        """The passages that describe the whole (datasets, not single patients), in fixed order."""
