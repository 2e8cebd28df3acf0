"""Does a relation join such things? The rule judge of validity, by semantic types alone. Pure."""

from __future__ import annotations

from factmark.graphs.core.claims import RuleVerdict, Triple
from factmark.graphs.core.ontology import Concept, Ontology, read_name, read_tail
from factmark.label_values import MAYBE, NO, YES


def judge_types(triple: Triple, ontology: Ontology) -> RuleVerdict:
    """Returns YES if the relation may join the types of head and tail, NO if it may not, no label
    if that is unknown.

    A name that stands for several things is allowed if one of its readings is; MAYBE where some are
    not and of the others the ontology does not say. It sees types, not meaning: `insulin prevents
    diabetes` is YES for it, and a cause turned round between two diseases as well. How often it
    agrees with hand labels: docs/graphs.md.
    """
    heads, by_head = read_name(ontology, triple.head, triple.head_id)
    tails, by_tail = read_tail(ontology, triple)
    ends = ((triple.head, heads, by_head), (triple.tail, tails, by_tail))
    unknown = [name for name, concepts, _ in ends if not concepts]
    if unknown:
        return RuleVerdict(label=None, reason=f"not in the ontology: {' and '.join(unknown)}")
    answers = [(ontology.allows(triple.relation, h, t), h, t) for h in heads for t in tails]
    allowed = next((answer for answer in answers if answer[0]), None)
    if allowed is None and any(answer is None for answer, _, _ in answers):
        known = any(answer is not None for answer, _, _ in answers)
        reason = f"the ontology does not say what the relation may join: {triple.relation}"
        return RuleVerdict(label=MAYBE if known else None, reason=reason)
    _, h, t = allowed or answers[0]
    notes = ", ".join(f"{name!r} read by {part}" for name, _, part in ends if part)
    joins = "does not join"
    if allowed:
        joins = "may join"
    types = f"{_name_with_types(ontology, h)} and {_name_with_types(ontology, t)}"
    reason = f"{triple.relation} {joins} {types}{notes and '; '}{notes}"
    return RuleVerdict(label=YES if allowed else NO, reason=reason)


def head_type(ontology: Ontology, name: str, node: str = "") -> str:
    """Returns the name of a head's first type, by which results are broken down; empty if unknown.

    Args:
        node: its own name in the source, see `Triple.head_id`.
    """
    concepts, _ = read_name(ontology, name, node)
    if concepts and concepts[0].types:
        return ontology.type_name(min(concepts[0].types))
    return ""


def _name_with_types(ontology: Ontology, concept: Concept) -> str:
    """Returns a concept's name with at most three of its types in brackets."""
    names = sorted({ontology.type_name(code) for code in concept.types})
    return f"{concept.name} ({', '.join(names[:3])})"
