"""What a system had to answer a question from, and what became of it: answer, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphs.core.claims import Triple
from factmark.model import Status

CORRECT, INCORRECT = "CORRECT", "INCORRECT"
VERIFIED: dict[str, float] = {CORRECT: 1.0, INCORRECT: 0.0}
"""Label of an answer -> its value."""

NONE, TEXT = "none", "text"
"""The controls: the model alone, and passages in the place of triples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """An entity that a question names.

    Attributes:
        start, end: where, in characters of the question; 0 for what an option names.
        name: of the entity, as the graph writes it.
        how: `name`, `alias`, `synonym` (of the ontology), `initials` (an acronym), `fuzzy`
            (misspelt), `part` (most of its words), `option` (by an option of the question).
    """

    start: int
    end: int
    name: str
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A triple that was retrieved.

    Attributes:
        number: of the triple in its index.
        text: the triple in plain language.
        score: how well it fits the question; comparable within one question only.
        hops: 1: it touches an entity that the question names; 2: an entity next to one; 0: found
            by its words alone.
    """

    number: int
    triple: Triple
    text: str
    score: float
    hops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What was retrieved for a question, best first.

    Attributes:
        linked: the entities that it names.
        reached: how many triples were ranked.
    """

    facts: tuple[Fact, ...]
    linked: tuple[Linked, ...] = ()
    reached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is retrieved.

    Attributes:
        top_k: triples in a context.
        entities: of a question, the most that are looked around.
        per_entity: triples around one entity, the most that stand in a context; None for any.
        hops: 1 or 2.
        tokens: of a context, about; None for any.
    """

    top_k: int = 10
    entities: int = 50
    per_entity: int | None = None
    hops: int = 2
    tokens: int | None = None


PAPER = Limits(top_k=300, entities=30, per_entity=10, hops=1, tokens=12_000)
"""The setting of the GraphMERT paper: 30 entities, 10 relations each, at most 12,000 tokens."""


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
