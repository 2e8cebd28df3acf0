"""Does a relation join such things? The rule judge of validity, by semantic types alone. Pure."""

from __future__ import annotations

from factmark.graphs.core.claims import RuleVerdict, Triple
from factmark.graphs.core.ontology import Concept, Ontology, Reading, read_name
from factmark.replies.rubric import MAYBE, NO, YES


def judge_types(triple: Triple, ontology: Ontology) -> RuleVerdict:
    """The type judge: types known and allowed YES, known and not allowed NO, not known no label.

    A name that stands for several things is allowed if one of its readings is; MAYBE where some are
    not and of the others the ontology does not say. It sees types, not meaning: `insulin prevents
    diabetes` is YES for it, and a cause turned round between two diseases as well. How often it
    agrees with hand labels: docs/graphs.md.
    """
    head = _reading(ontology, triple.head, triple.head_id)
    tail = _reading(ontology, triple.tail, triple.tail_id)
    named = ((triple.head, head), (triple.tail, tail))
    if unknown := [name for name, reading in named if not reading.concepts]:
        return RuleVerdict(label=None, reason=f"not in the ontology: {' and '.join(unknown)}")
    answers = [
        (ontology.allows(triple.relation, h, t), h, t) for h in head.concepts for t in tail.concepts
    ]
    allowed = next((answer for answer in answers if answer[0]), None)
    if allowed is None and any(answer is None for answer, _, _ in answers):
        known = any(answer is not None for answer, _, _ in answers)
        reason = f"the ontology does not say what the relation may join: {triple.relation}"
        return RuleVerdict(label=MAYBE if known else None, reason=reason)
    _, h, t = allowed or answers[0]
    notes = ", ".join(
        f"{name!r} read by {'its ending' if reading.how == 'ending' else repr(reading.by)}"
        for name, reading in named
        if reading.how in ("part", "ending")
    )
    joins = "may join" if allowed else "does not join"
    ends = f"{_types(ontology, h)} and {_types(ontology, t)}"
    reason = f"{triple.relation} {joins} {ends}{notes and '; '}{notes}"
    return RuleVerdict(label=YES if allowed else NO, reason=reason)


def head_type(ontology: Ontology, name: str, node: str = "") -> str:
    """A head's first type as people read it, for breaking results down; `""` if unknown.

    Args:
        node: its own name in the source, see `Triple.head_id`.
    """
    concepts = _reading(ontology, name, node).concepts
    return ontology.type_name(min(concepts[0].types)) if concepts and concepts[0].types else ""


def _reading(ontology: Ontology, name: str, node: str) -> Reading:
    if node and (concepts := tuple(ontology.concepts(node))):
        return Reading(concepts=concepts, how="name")
    return read_name(ontology, name)


def _types(ontology: Ontology, concept: Concept) -> str:
    names = sorted(ontology.type_name(code) for code in concept.types)
    return f"{concept.name} ({', '.join(names[:3])})"
