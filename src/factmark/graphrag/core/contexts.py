"""What a graph was found to say about a question. Pure."""

from __future__ import annotations

from dataclasses import dataclass

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
