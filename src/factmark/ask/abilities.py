"""What a server turned out not to take, remembered for the run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

# What a complaint says where the fault is a field's.
_SCHEMA = ("schema", "response_format", "response format", "output_config", "structured", "grammar")
_WORDS = {"seed": "seed", "temperature": "temperature", "top_p": "top_p", "choice": "tool_choice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What is sent of the things that some servers refuse.

    Attributes:
        schema: structured output by JSON schema.
        seed: the field `seed`.
        new_limit: whether the limit is called `max_completion_tokens`.
        temperature, top_p: the fields of these names.
        choice: that no tool may be called any more.
    """

    schema: bool = True
    seed: bool = True
    new_limit: bool = False
    temperature: bool = True
    top_p: bool = True
    choice: bool = True

    def without(self, complaint: str, sent: Collection[str]) -> Self | None:
        """What to send after a refusal (400 or 422); None when there is nothing to leave out.

        Args:
            complaint: what the server said.
            sent: which of `schema`, `seed`, `temperature`, `top_p`, `choice` were in the request.
        """
        told = complaint.lower()
        if "max_completion_tokens" in told and not self.new_limit:
            return replace(self, new_limit=True)
        for name, word in _WORDS.items():
            if name in sent and getattr(self, name) and word in told:
                return replace(self, **{name: False})
        if "schema" in sent and self.schema:
            return replace(self, schema=False)
        return None

    def also(self, other: Self) -> Self:
        """What either leaves out."""
        return replace(
            self,
            schema=self.schema and other.schema,
            seed=self.seed and other.seed,
            new_limit=self.new_limit or other.new_limit,
            temperature=self.temperature and other.temperature,
            top_p=self.top_p and other.top_p,
            choice=self.choice and other.choice,
        )

    def told(self) -> tuple[str, ...]:
        """What is no longer sent, in words for the user."""
        return tuple(note for name, note in _NOTES.items() if not getattr(self, name))


_NOTES = {
    "schema": "the server takes no JSON schema: replies are read as free text",
    "seed": "the server takes no seed: it is not sent",
    "temperature": (
        "the server takes no such temperature: it is not sent, and the server's own holds"
    ),
    "top_p": "the server takes no such top_p: it is not sent",
    "choice": "the server takes no tool_choice: a model is not kept from calling tools at the end",
}
_SURE = 3  # requests that a server took without a schema only, and never one with it


class Knowledge:
    """What a server turned out to take, over a run. What it took once it takes for good."""

    def __init__(self) -> None:
        self.able = Abilities()
        self._taken: set[str] = set()
        self._vague = 0

    def learn(self, able: Abilities, sent: Collection[str], refusals: Collection[str]) -> None:
        """Takes in what came of a request that was answered.

        A refusal that names nothing may have been of that one request. Only several make sure.

        Args:
            able: what was sent in the end.
            sent: as for `Abilities.without`.
            refusals: what the server said before.
        """
        self._taken |= {name for name in sent if getattr(able, name)}
        vague = self.able.schema and not able.schema
        vague = vague and not any(word in text.lower() for text in refusals for word in _SCHEMA)
        self._vague += vague
        if not vague or self._vague >= _SURE:
            self.able = self.able.also(able)
        self.able = replace(self.able, **dict.fromkeys(self._taken, True))
