"""What became of each question: the answer of a system, its verdict, and what it could rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factmark.graphrag.core.contexts import Context
from factmark.graphrag.core.questions import GraphQuestion
from factmark.model import Status

CORRECT, INCORRECT = "CORRECT", "INCORRECT"
VERIFIED: dict[str, float] = {CORRECT: 1.0, INCORRECT: 0.0}
"""Label of an answer -> its value."""

NONE, TEXT = "none", "text"
"""The controls: the model alone, and passages in the place of triples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a system had to answer a question from.

    Attributes:
        context: the triples; None for a control.
        passages: id and text of each passage, of the control `text`.
        held: whether the reference answer is in it; None where that cannot be told, or where
            nothing was given.
        carriers: places in `context.facts`, or in `passages`, of what holds it.
        in_graph: whether the graph holds it at all; None where that cannot be told, and for
            controls.
    """

    context: Context | None = None
    passages: tuple[tuple[str, str], ...] = ()
    held: bool | None = None
    carriers: tuple[int, ...] = ()
    in_graph: bool | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What is given, as a model reads it, best first."""
        if self.context is not None:
            return tuple(fact.text for fact in self.context.facts)
        return tuple(text for _, text in self.passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One answer.

    Attributes:
        system: the graph's name, or a control.
        sample: which of several answers to the same question, from 0.
        reply: as the model wrote it; empty where none came.
        said: what was read from it: the text without its reasoning, the option's letter, yes, no.
        abstained: whether it says that it does not know.
        refused: whether the model or its provider declined to answer.
        status: of the verdict; `left`: not asked, for want of budget. An answer that never came is
            `failed`.
        label: CORRECT or INCORRECT where the status is `ok`.
        reason: what the judge gave as its reason, or why there is no verdict.
        unit: the id of what was judged, as the ledger has it.
    """

    question: GraphQuestion
    system: str
    given: Given
    sample: int = 0
    reply: str = ""
    said: str = ""
    abstained: bool = False
    refused: bool = False
    status: Status | Literal["left"] = "ok"
    label: str | None = None
    reason: str = ""
    unit: str = ""

    @property
    def value(self) -> float | None:
        """1 for a correct answer, 0 for an incorrect one, None without a verdict."""
        return None if self.label is None else VERIFIED[self.label]
