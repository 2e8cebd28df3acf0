"""What asking models took: calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

_COUNTS = (
    *("calls", "replies", "cached", "judged_before", "input_tokens", "cached_tokens"),
    *("output_tokens", "thinking_tokens", "seconds"),
)
_KEPT = (
    *("replies", "input_tokens", "output_tokens", "thinking_tokens"),
    *("estimated_usage", "cost"),
)
_TOLD = (
    *("calls", "cached", "judged_before", "input_tokens", "cached_tokens", "output_tokens"),
    *("thinking_tokens", "estimated_usage", "cost", "seconds", "stopped"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What asking a model took; nothing, as it stands.

    Attributes:
        calls: requests sent, those that failed included.
        replies: requests that brought a reply.
        cached: replies read back from the ledger.
        judged_before: units that needed nothing.
        cached_tokens: of the input, those that the server read from its own cache of prompts.
        thinking_tokens: those of the output that came before the answers.
        estimated_usage: whether the server did not count (all) tokens.
        cost: in US dollars; None where a price is not known.
        stopped: why asking stopped before the end; empty if it did not.
        failures: why calls failed, with how often, the most frequent first.
        notes: what else the user should know of how the model was asked.
        kept: what the replies in the ledger took, those of earlier runs too; None where that is
            not told.
    """

    calls: int = 0
    replies: int = 0
    cached: int = 0
    judged_before: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    estimated_usage: bool = False
    cost: float | None = 0.0
    seconds: float = 0.0
    stopped: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kept: Spend | None = None

    def __add__(self, other: Spend) -> Spend:
        """Both together; the cost is known where both are."""
        names = {*self.failures, *other.failures}
        return Spend(
            **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS},
            estimated_usage=self.estimated_usage or other.estimated_usage,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
            stopped=self.stopped or other.stopped,
            failures={n: self.failures.get(n, 0) + other.failures.get(n, 0) for n in sorted(names)},
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            kept=self.kept + other.kept if self.kept and other.kept else self.kept or other.kept,
        )

    def since(self, before: Spend) -> Spend:
        """What was spent after an earlier look at the same account."""
        counts = {name: getattr(self, name) - getattr(before, name) for name in _COUNTS}
        cost = None if self.cost is None else self.cost - (before.cost or 0.0)
        return replace(self, **counts, cost=cost)

    def as_json(self) -> dict[str, object]:
        """As results files have it."""
        kept = self.kept and {name: getattr(self.kept, name) for name in _KEPT}
        return {name: getattr(self, name) for name in _TOLD} | {"kept": kept}
