"""A triple with its ontology entry, as a model is shown it for ValidityScore. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.core.ontology import Ontology, read_name
from factmark.graphs.core.validity_rubric import ontology_claim


def entry(triple: Triple, ontology: Ontology) -> str:
    """The claim, the relation's definition, the types of head and tail, the types it expects."""
    relation = ontology.relation(triple.relation)
    signatures = relation.allowed if relation else ()
    return ontology_claim(
        f"({triple.head}, {triple.relation}, {triple.tail}): {claim(triple)}",
        definition=relation.definition if relation else "",
        head_types=_types(ontology, triple.head),
        tail_types=_types(ontology, triple.tail),
        expected_head=_names(ontology, (code for one in signatures for code in one.heads)),
        expected_tail=_names(ontology, (code for one in signatures for code in one.tails)),
    )


def _types(ontology: Ontology, name: str) -> list[str]:
    found = read_name(ontology, name).concepts
    return _names(ontology, (code for concept in found for code in concept.types))


def _names(ontology: Ontology, codes: Iterable[str]) -> list[str]:
    return sorted({ontology.type_name(code) for code in codes})
