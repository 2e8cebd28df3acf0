"""What must hold of questions that name the triples which answer them."""

from __future__ import annotations

from factmark.graphrag.core.questions import GraphQuestion
from factmark.text.names import name_key


def names(entity: str, text: str) -> bool:
    """Whether a text names an entity, up to inflection and spelling."""
    return f" {name_key(entity)} " in f" {name_key(text)} "


def holds_answer(question: GraphQuestion) -> bool:
    """Whether an accepted answer is an entity of the question's triples."""
    ends = {name_key(end) for head, _, tail in question.triples for end in (head, tail)}
    return bool(ends & {name_key(answer) for answer in question.references})


def hides_its_middle(question: GraphQuestion) -> bool:
    """Whether its two triples share one entity, which it neither names nor asks for."""
    (head, _, tail), (other_head, _, other_tail) = question.triples
    (middle,) = {head, tail} & {other_head, other_tail}
    asked_for = name_key(middle) in map(name_key, question.references)
    return not asked_for and not names(middle, question.asked)
