"""ValidityScore: is a relation used as its ontology allows?"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.replies.rubric import Rubric

_VALUES = {"YES": 1.0, "MAYBE": 0.5, "NO": 0.0}
_LABELS = (
    "YES: the relation fits these two things, in this direction.\n"
    "MAYBE: it may fit, but not certainly: it is close to the right relation, or what is given "
    "leaves it open.\n"
    "NO: it does not fit: wrong kinds of things, wrong direction, or no sense."
)

VALIDITY_ONTOLOGY = Rubric(
    name="validity-ontology",
    version=1,
    values=_VALUES,
    claim_name="TRIPLE",
    criterion=(
        "Decide whether the triple uses its relation as the ontology means it. With it stand the "
        "relation's definition, the semantic types of head and tail, and the types that the "
        f"relation expects, as far as they are known.\n{_LABELS}"
    ),
)

VALIDITY_PLAIN = Rubric(
    name="validity-plain",
    version=1,
    values=_VALUES,
    claim_name="TRIPLE",
    criterion=(
        "Decide whether the triple uses its relation in a way that makes sense for the kinds of "
        f"things that its head and tail are, by the usual meaning of the relation.\n{_LABELS}"
    ),
)


def ontology_claim(
    triple: str,
    *,
    definition: str = "",
    head_types: Sequence[str] = (),
    tail_types: Sequence[str] = (),
    expected_head: Sequence[str] = (),
    expected_tail: Sequence[str] = (),
) -> str:
    """A triple with its ontology entry, as `VALIDITY_ONTOLOGY` judges it; empty is unknown."""
    lines = [
        ("Triple", triple),
        ("Definition of the relation", definition),
        ("Semantic types of the head", ", ".join(head_types)),
        ("Semantic types of the tail", ", ".join(tail_types)),
        ("Types that the relation expects of its head", ", ".join(expected_head)),
        ("Types that the relation expects of its tail", ", ".join(expected_tail)),
    ]
    return "\n".join(f"{name}: {value or 'unknown'}" for name, value in lines)
