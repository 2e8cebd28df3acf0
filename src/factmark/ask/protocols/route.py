"""By which protocol a request goes: the model's own, or the Responses API where it wants that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

from factmark.ask.chat import Request
from factmark.ask.model_spec import ModelSpec
from factmark.ask.protocols import anthropic, openai, openai_responses
from factmark.ask.responses import NO_RESPONSES, OtherProtocolError, RejectedError
from factmark.errors import EndpointError
from factmark.http.retries import TransientError

PROTOCOLS: Mapping[str, ModuleType] = {
    "openai": openai,
    "anthropic": anthropic,
    "responses": openai_responses,
}
"""By the protocol of a `ModelSpec`: what writes its bodies and reads its replies."""


class Route:
    """How the requests of one run go to a model.

    Chat completions are tried first. A model that is not served by them is asked by the Responses
    API from its refusal on; one that refuses tools there only what has tools, whatever the order
    of the requests, so that a run asks the same way each time.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._left: dict[bool, str] = {}  # with tools, or without -> why chat completions were left

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of it."""
        if not self._left:
            return ()
        if False in self._left:
            return ("the model is not served by chat completions: the Responses API is asked",)
        return (
            "the model takes no tools by chat completions: what has tools is asked by the "
            "Responses API",
        )

    def spec_of(self, request: Request) -> ModelSpec:
        """The model as it is asked this; differs from the run's in how it is spoken to only."""
        left = bool(request.tools) in self._left
        if left:
            return self._spec.speaking("responses")
        return self._spec

    def body(self, request: Request, omitted: Collection[str]) -> dict[str, Any]:
        """A request as it is sent."""
        spec = self.spec_of(request)
        body: dict[str, Any] = PROTOCOLS[spec.protocol].body(spec, request, omitted)
        return body

    def leaves_chat(self, error: OtherProtocolError, spec: ModelSpec, request: Request) -> bool:
        """Whether a request that was refused so goes another way from now on.

        Args:
            spec: as it was asked.
        """
        if spec.protocol != "openai" or spec.speaks == "chat":
            return False
        for tools in (True,) if error.tools_only else (True, False):
            self._left.setdefault(tools, str(error))
        return self.spec_of(request).protocol != spec.protocol

    def explained(self, error: EndpointError, spec: ModelSpec, request: Request) -> EndpointError:
        """The error, with why the Responses API was asked where that is what failed."""
        why = self._left.get(bool(request.tools))
        if spec is self._spec or not why or isinstance(error, RejectedError | TransientError):
            return error
        what = str(error).removesuffix(NO_RESPONSES)  # it is there, or there is no other way
        return EndpointError(f"{what} It was asked there because of this: {why}")
