"""What a server turned out not to take, remembered for the run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What is sent of the things that some servers refuse.

    Attributes:
        schema: structured output by JSON schema.
        seed: the field `seed`.
        new_limit: whether the limit is called `max_completion_tokens`.
    """

    schema: bool = True
    seed: bool = True
    new_limit: bool = False

    def without(self, complaint: str, *, schema_sent: bool, seed_sent: bool) -> Self | None:
        """What to send after a refusal (400 or 422); None when there is nothing to leave out.

        Args:
            complaint: what the server said.
        """
        told = complaint.lower()
        if "max_completion_tokens" in told and not self.new_limit:
            return replace(self, new_limit=True)
        if seed_sent and "seed" in told:
            return replace(self, seed=False)
        if schema_sent and self.schema:
            return replace(self, schema=False)
        return None

    def also(self, other: Self) -> Self:
        """What both leave out."""
        return replace(
            self,
            schema=self.schema and other.schema,
            seed=self.seed and other.seed,
            new_limit=self.new_limit or other.new_limit,
        )

    def told(self, before: Abilities) -> tuple[str, ...]:
        """What is no longer sent that was sent before, in words for the user."""
        notes = {
            "the server takes no JSON schema: replies are read as free text": before.schema
            and not self.schema,
            "the server takes no seed: it is not sent": before.seed and not self.seed,
        }
        return tuple(note for note, news in notes.items() if news)
