"""Ontologies: what a name may stand for, and between which things a relation may stand. Pure.

Any source of concepts serves the judges if it has the methods of `Ontology`: the bundled one below,
a UMLS index, an RDF ontology (`factmark.graphs.ontologies`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from factmark.graphs.core.claims import Triple, relation_key
from factmark.text.names import name_key

_OF = re.compile(r"\s+(?:of|in|with|without|from|for|due to|caused by|to)\s+|\s*[,(;]\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One thing that a name may stand for.

    Attributes:
        id: in its ontology (a CUI, an IRI, a slug).
        types: the codes of its semantic types; in an RDF ontology its classes with all above them.
    """

    id: str
    name: str
    types: frozenset[str]
    synonyms: tuple[str, ...] = ()
    definition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Kinds of heads and kinds of tails between which a relation may stand: types or groups."""

    heads: frozenset[str]
    tails: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a relation says.

    Attributes:
        label: what people call it, where that is not the name.
        allowed: any one of these suffices; empty where nothing is known.
        same_group: head and tail have to share a group, besides.
        network: the relation of the UMLS Semantic Network that stands for it; a leading `^` turns
            it round.
    """

    name: str
    label: str = ""
    definition: str = ""
    inverse: str | None = None
    symmetric: bool = False
    same_group: bool = False
    allowed: tuple[Signature, ...] = ()
    network: str | None = None


class Ontology(Protocol):
    """What the judges ask of an ontology."""

    def __hash__(self) -> int:
        """Any number: what it knows of a name is kept by the ontology."""
        ...

    def concepts(self, name: str) -> Sequence[Concept]:
        """Returns all that the name may stand for; empty if it is unknown."""
        ...

    def relation(self, name: str) -> Relation | None:
        """Returns what is known of a relation; None if nothing is."""
        ...

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether the relation may stand between two such things; None when that is unknown."""
        ...

    def value(self, relation: str, text: str, node: str = "") -> Concept | None:
        """Returns a tail as a value (a number, a date, a text), where the relation takes such; None
        where it takes things, or that cannot be told."""
        ...

    def type_name(self, code: str) -> str:
        """Returns a type's name for people."""
        ...

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns types guessed from how an unknown name ends; empty if nothing is guessed."""
        ...


def read_name(ontology: Ontology, name: str, node: str = "") -> tuple[tuple[Concept, ...], str]:
    """Returns what a name may stand for: by all of it, or else by the core of it, or else by its
    ending.

    The core of an English name is its last words before the first preposition: `severe diabetic
    retinopathy of the left eye` is a retinopathy.

    Args:
        node: its own name in the source, see `Triple.head_id`.

    Returns:
        The concepts, none for an unknown name, and by which part of it, where not by all of it.
    """
    for whole in filter(None, (node, name)):
        concepts = tuple(ontology.concepts(whole))
        if concepts:
            return concepts, ""
    core = _OF.split(name.strip(), maxsplit=1)[0].split()
    for start in range(len(core)):
        part = " ".join(core[start:])
        if part != name and len(part) > 2 and (concepts := tuple(ontology.concepts(part))):
            return concepts, repr(part)
    if core and (types := ontology.types_by_ending(core[-1])):
        return (Concept(id="", name=name, types=types),), "its ending"
    return (), ""


def read_tail(ontology: Ontology, triple: Triple) -> tuple[tuple[Concept, ...], str]:
    """Returns what a triple's tail may stand for, as `read_name` does, or the value that it is."""
    concepts, part = read_name(ontology, triple.tail, triple.tail_id)
    value = ontology.value(triple.relation, triple.tail, triple.tail_id)
    if value is None:
        return concepts, part
    return ((value,) if part else (*concepts, value)), ""


@dataclass(frozen=True, kw_only=True, eq=False)  # one is equal to itself alone, and has a hash
class BundledOntology:
    """An ontology held in memory: concepts by name, relations with signatures over type groups.

    Attributes:
        groups: type code -> the code of its group.
        type_names: code of a type or group -> name.
        endings: how a word ends -> type code.
    """

    entries: tuple[Concept, ...]
    relations: Mapping[str, Relation]
    groups: Mapping[str, str]
    type_names: Mapping[str, str]
    endings: Mapping[str, str]

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Concept, ...]]:
        """Key of a name -> the concepts that have it."""
        by_name: dict[str, dict[str, Concept]] = {}
        for concept in self.entries:
            for name in (concept.name, *concept.synonyms):
                by_name.setdefault(name_key(name), {})[concept.id] = concept
        return {key: tuple(concepts.values()) for key, concepts in by_name.items()}

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """Returns all that the name may stand for, whatever its inflection and spelling."""
        return self._by_name.get(name_key(name), ())

    def relation(self, name: str) -> Relation | None:
        """Returns what is known of a relation; None if nothing is."""
        return self.relations.get(relation_key(name))

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether one of the relation's signatures covers types of both."""
        known = self.relation(relation)
        if known is None or not known.allowed:
            return None
        heads = self._groups_of(head)
        tails = self._groups_of(tail)
        if not heads or not tails:
            return None
        if known.same_group and not heads & tails:
            return False
        heads = heads | head.types
        tails = tails | tail.types
        return any(s.heads & heads and s.tails & tails for s in known.allowed)

    def value(self, relation: str, text: str, node: str = "") -> None:
        """Returns nothing: the bundled relations join things."""

    def _groups_of(self, concept: Concept) -> frozenset[str]:
        """Returns the groups of a concept's types."""
        return frozenset(self.groups[code] for code in concept.types if code in self.groups)

    def type_name(self, code: str) -> str:
        """Returns the type's name, or its code if it has none."""
        return self.type_names.get(code, code)

    @cached_property
    def _lengths(self) -> list[int]:
        """Lengths of endings, the longest first."""
        return sorted({len(ending) for ending in self.endings}, reverse=True)

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns the type of the longest ending that the word has, if the word is longer by three
        letters."""
        word = name.casefold().rstrip(".,;")
        stems = dict.fromkeys((word, word.removesuffix("s")))
        for length in self._lengths:
            for stem in stems:
                if len(stem) >= length + 3 and (code := self.endings.get(stem[-length:])):
                    return frozenset({code})
        return frozenset()


def complete_inverses(relations: Mapping[str, Relation]) -> dict[str, Relation]:
    """Returns the relations, where those without signatures have got their inverse's, heads and
    tails swapped."""
    completed = dict(relations)
    for name, relation in relations.items():
        other = relations.get(relation.inverse or "")
        if not relation.allowed and other is not None:
            completed[name] = replace(
                relation,
                same_group=other.same_group,
                allowed=tuple(Signature(heads=s.tails, tails=s.heads) for s in other.allowed),
                network=relation.network or _turn_round(other.network),
            )
    return completed


def _turn_round(network: str | None) -> str | None:
    """Returns the name of a relation of UMLS's Semantic Network with `^` (inverse) added or
    removed."""
    if network is None:
        return None
    if network.startswith("^"):
        return network[1:]
    return f"^{network}"
