"""What a graph was found to say about a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from factmark.graphs.core.claims import Triple


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


class GraphIndex(Protocol):
    """A graph that is looked up by questions; `factmark.graphrag.index` has one on disk."""

    @property
    def identity(self) -> str:
        """What is searched and how, for signatures: never a credential or a path."""

    async def context(self, question: str, options: Sequence[str] = ()) -> Context:
        """What the graph says about a question.

        Raises:
            EndpointError: the question cannot be embedded, since its server is gone.
        """

    def has(self, triples: Sequence[tuple[str, str, str]]) -> bool:
        """Whether the graph has all of these (head, relation, tail), up to case, inflection and
        direction (`due_to` for `cause_of`)."""

    def reaches(self, names: Sequence[str], question: str) -> bool | None:
        """Whether an entity of one of these names lies within two triples of an entity that the
        question names; whatever is retrieved, and whatever the limits are.

        False where the graph has no entity of these names; None where the question names none that
        the graph has, or where all of the names stand in the question.
        """
