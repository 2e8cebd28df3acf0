"""Whether a model was given the whole prompt, by the tokens that its server counted.

Servers drop tools that their chat template has no place for, and what is longer than their context,
and answer all the same. What such a model says is no answer to the question.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from factmark.ask.chat import Failure, Reply, Request, Tool, estimate_prompt
from factmark.text.patterns import late_pattern

_TOKEN = late_pattern(  # a run of letters, of digits, or three signs of a script without spaces
    r"\d+|[\u2e80-\ud7ff]{1,3}|[^\W\d_][^\s\d!-/:-@\[-`{-~\u2e80-\ud7ff]*"
)
_SHARE = 0.7  # of the least tokens; nine tokenisers took 1.06 times as many or more in any language
_WORTH = 100  # the least tokens of a prompt that is checked
_CONTEXT_STEP = 1024  # contexts have a multiple of it; Ollama may halve them and add 2
_SMALLEST_CONTEXT = 512
_NO_TOOLS = (
    "its chat template seems to leave tools out. Take a model that is made for tools, or a server "
    "with a template for them (llama.cpp: --jinja)"
)
_FULL = (
    "its context seems to be too small. Give the server a larger one (Ollama: "
    "OLLAMA_CONTEXT_LENGTH, or PARAMETER num_ctx in a Modelfile; llama.cpp: -c)"
)


def least_tokens(request: Request) -> int:
    """Returns how many tokens a request has at least, by any tokeniser and chat template."""
    texts = [message.content for message in request.messages]
    for message in request.messages:
        for call in message.tool_calls:
            texts.append(call.arguments)
    for tool in request.tools:
        texts.extend(_texts_of(tool))
    return sum(map(_count_tokens, texts))


@lru_cache(maxsize=64)  # a run's instructions and descriptions of tools are in each request
def _count_tokens(text: str) -> int:
    """Returns how many tokens a text has at least."""
    return len(_TOKEN.findall(text))


def _texts_of(tool: Tool) -> Iterator[str]:
    """Yields what every way to show a tool has: its name, its description and its parameters."""
    properties = tool.schema.get("properties")
    yield from (tool.name, tool.description)
    yield from map(str, properties if isinstance(properties, Mapping) else ())


class PromptCheck:
    """Holds what a server counted against what it was sent, over a run.

    A count that is too low, or just as high as a context may be, is made sure of: the request is
    sent once more with new words at its head. A server that counts only what it had not cached
    counts all of it then, and a full context no more than before.

    Args:
        ask: sends a request, whatever the ledger has.
    """

    def __init__(self, ask: Callable[[Request], Awaitable[Reply | Failure | None]]) -> None:
        self._ask = ask
        self._asking = asyncio.Lock()
        self._calls_tools = False
        self._cuts: dict[int, bool] = {}  # by the size of a context, 0 for any
        self._reason = ""

    async def checked(self, request: Request, reply: Reply) -> Reply | Failure:
        """The reply, or a failure if the model did not see all of the request."""
        self._calls_tools = self._calls_tools or bool(reply.tool_calls)
        if reply.usage is None or reply.usage.estimated:
            return reply
        counted = reply.usage.input
        messages = least_tokens(replace(request, tools=()))
        takes_tools = self._calls_tools or request.closing
        if takes_tools or not request.tools:
            least = messages
        else:
            least = least_tokens(request)
        may_be_full = counted >= _CONTEXT_STEP and counted % _CONTEXT_STEP in (0, 2)
        # Fewer than a context has, and not for want of tools, is not a count of the prompt at all.
        means_it = counted >= _SMALLEST_CONTEXT or counted >= _SHARE * messages
        if least < _WORTH or not (may_be_full or (counted < _SHARE * least and means_it)):
            return reply
        size = 0
        if may_be_full:
            size = counted
        async with self._asking:
            if size not in self._cuts and (again := await self._counted_anew(request)):
                grows = again > counted
                if grows:
                    self._cuts[size] = again < _SHARE * least
                else:
                    self._cuts[size] = counted >= _SMALLEST_CONTEXT
        if not self._cuts.get(size):
            return reply
        self._reason = self._reason or _failure_reason(request, counted)
        return Failure(reason=self._reason, latency=reply.latency, usage=reply.usage)

    async def _counted_anew(self, request: Request) -> int | None:
        """The tokens of a request after words that no cache can know; None if they are not told."""
        first, *others = request.messages
        words = f"{' '.join(secrets.token_hex(2) for _ in range(8))}\n\n"
        anew = replace(request, messages=(replace(first, content=words + first.content), *others))
        reply = await self._ask(anew)
        usage = None
        if isinstance(reply, Reply):
            usage = reply.usage
        if usage is None or usage.estimated:
            return None
        return usage.input


def _failure_reason(request: Request, counted: int) -> str:
    """Returns why a reply counts as failed: how many tokens the server saw of how many, and what to
    do.
    """
    has_room = counted >= _SHARE * least_tokens(replace(request, tools=()))
    return (
        f"the model was not shown the whole prompt (its server counted {counted:,} tokens where "
        f"there are about {estimate_prompt(request):,}): "
        f"{_NO_TOOLS if request.tools and has_room else _FULL}"
    )
