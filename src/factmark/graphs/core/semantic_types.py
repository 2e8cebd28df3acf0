"""Does a relation join such things? The rule judge of validity, by semantic types alone. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Concept, Ontology, Reading, read_name
from factmark.replies.rubric import MAYBE, NO, YES


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeVerdict:
    """What the types say of a triple, and why; the label is None where they say nothing."""

    label: str | None
    reason: str
    head: Reading
    tail: Reading


def judge_types(triple: Triple, ontology: Ontology) -> TypeVerdict:
    """The type judge: types known and allowed YES, known and not allowed NO, not known no label.

    A name that stands for several things is allowed if one of its readings is; MAYBE where some are
    not and of the others the ontology does not say. It sees types, not meaning: `insulin prevents
    diabetes` is YES for it, and a cause turned round between two diseases as well. How often it
    agrees with hand labels: docs/graphs.md.
    """
    head = _reading(ontology, triple.head, triple.head_id)
    tail = _reading(ontology, triple.tail, triple.tail_id)
    label, reason = _by_types(triple, ontology, head, tail)
    return TypeVerdict(label=label, reason=reason, head=head, tail=tail)


def _reading(ontology: Ontology, name: str, node: str) -> Reading:
    if node and (found := tuple(ontology.concepts(node))):
        return Reading(concepts=found, how="name")
    return read_name(ontology, name)


def _by_types(
    triple: Triple, ontology: Ontology, head: Reading, tail: Reading
) -> tuple[str | None, str]:
    unknown = [name for name, r in ((triple.head, head), (triple.tail, tail)) if not r.concepts]
    if unknown:
        return None, f"not in the ontology: {' and '.join(unknown)}"
    answers = [
        (ontology.allows(triple.relation, h, t), h, t) for h in head.concepts for t in tail.concepts
    ]
    for answer, h, t in answers:
        if answer:
            return YES, (
                f"{triple.relation} may join {_types(ontology, h)} and {_types(ontology, t)}"
                + _how(triple, head, tail)
            )
    if any(answer is None for answer, _, _ in answers):
        known = any(answer is not None for answer, _, _ in answers)
        reason = f"the ontology does not say what the relation may join: {triple.relation}"
        return (MAYBE if known else None), reason
    _, h, t = answers[0]
    return NO, (
        f"{triple.relation} does not join {_types(ontology, h)} and {_types(ontology, t)}"
        + _how(triple, head, tail)
    )


def _types(ontology: Ontology, concept: Concept) -> str:
    names = sorted(ontology.type_name(code) for code in concept.types)
    return f"{concept.name} ({', '.join(names[:3])})"


def _how(triple: Triple, head: Reading, tail: Reading) -> str:
    notes = [
        f"{name!r} read by {'its ending' if r.how == 'ending' else repr(r.by)}"
        for name, r in ((triple.head, head), (triple.tail, tail))
        if r.how in ("part", "ending")
    ]
    return f"; {', '.join(notes)}" if notes else ""


def head_type(ontology: Ontology, name: str, node: str = "") -> str:
    """A head's first type as people read it, for breaking results down; `""` if unknown.

    Args:
        node: its own name in the source, see `Triple.head_id`.
    """
    reading = _reading(ontology, name, node)
    if not reading.concepts or not reading.concepts[0].types:
        return ""
    return ontology.type_name(min(reading.concepts[0].types))
