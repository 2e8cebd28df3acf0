"""What judges are asked for FActScore* (`SUPPORT_...`) and for ValidityScore (`VALIDITY_...`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import shorten
from types import MappingProxyType

from factmark.graphs.core.claims import Triple, claim, folded, relation_key
from factmark.graphs.core.ontology import Concept, Ontology, Signature, read_name, read_tail
from factmark.label_values import MAYBE, SUPPORT_VALUES, VALIDITY_VALUES
from factmark.replies.rubric import Rubric
from factmark.text.shown_text import some_long

_MEANINGS = (
    "YES: the relation fits these two things, in this direction.\n"
    "MAYBE: it may fit, but not certainly: it is close to the right relation, or what is given "
    "leaves it open.\n"
    "NO: it does not fit: wrong kinds of things, wrong direction, or no sense."
)

_MOST_MEANINGS = 3
_MOST_PAIRS = 12
_LONGEST = 600  # characters of a definition
_SPELLINGS: Mapping[str, str] = MappingProxyType({"weak": MAYBE})

SUPPORT_CONTEXT = Rubric(
    name="support-context",
    version=1,
    values=SUPPORT_VALUES,
    criterion=(
        "Decide whether the passage supports the claim. Go by the passage alone; what you know "
        "besides does not count.\n"
        "SUPPORTED: the passage clearly states the claim or implies it.\n"
        "CONTRADICTED: the passage states or implies that the claim is false.\n"
        "NOT_SUPPORTED: neither; the passage is silent, or only mentions the things without the "
        "relation that the claim makes between them."
    ),
)

SUPPORT_GENERAL = Rubric(
    name="support-general",
    version=1,
    values=SUPPORT_VALUES,
    criterion=(
        "Decide whether the claim holds, by the passage and what is generally accepted as true.\n"
        "SUPPORTED: the passage clearly states or implies the claim, or the claim is generally "
        "accepted as true and nothing in the passage speaks against it.\n"
        "CONTRADICTED: the passage states or implies that the claim is false.\n"
        "NOT_SUPPORTED: neither; the passage is silent and the claim is not generally accepted."
    ),
)

SUPPORT_ALIGNED = Rubric(
    name="support-aligned",
    version=1,
    values={"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0},
    answers={"YES": "SUPPORTED", "NO": "NOT_SUPPORTED"},
    criterion=(
        "Decide whether the claim passes two tests. First, the passage clearly states or implies "
        "it. Second, it makes logical sense: its relation fits the kinds of things that it joins, "
        "in this direction.\n"
        "YES: it passes both.\n"
        "NO: it fails at least one."
    ),
)

VALIDITY_ONTOLOGY = Rubric(
    name="validity-ontology",
    version=2,
    values=VALIDITY_VALUES,
    spellings=_SPELLINGS,
    claim_name="TRIPLE",
    criterion=(
        "Decide whether the triple uses its relation as the ontology means it. With it stand the "
        "relation's definition, the semantic types of head and tail, and the types that the "
        f"relation expects, as far as they are known.\n{_MEANINGS}"
    ),
)

VALIDITY_PLAIN = Rubric(
    name="validity-plain",
    version=1,
    values=VALIDITY_VALUES,
    spellings=_SPELLINGS,
    claim_name="TRIPLE",
    criterion=(
        "Decide whether the triple uses its relation in a way that makes sense for the kinds of "
        f"things that its head and tail are, by the usual meaning of the relation.\n{_MEANINGS}"
    ),
)

RUBRICS: Mapping[str, Rubric] = MappingProxyType(
    {
        "context": SUPPORT_CONTEXT,
        "general": SUPPORT_GENERAL,
        "aligned": SUPPORT_ALIGNED,
        "ontology": VALIDITY_ONTOLOGY,
        "plain": VALIDITY_PLAIN,
    }
)
"""The modes of a judge that is a model."""


def ontology_entry(triple: Triple, ontology: Ontology) -> str:
    """Returns a triple with what the ontology knows of it, the evidence of `VALIDITY_ONTOLOGY`.

    The claim, the relation's definition, the types of head and tail, and the types it expects, in
    pairs where not each head goes with each tail; the labels and definitions of what head and tail
    stand for, where they say more.
    """
    relation = ontology.relation(triple.relation)
    head, _ = read_name(ontology, triple.head, triple.head_id)
    tail, _ = read_tail(ontology, triple)
    if relation:
        signatures = relation.allowed
    else:
        signatures = ()
    expected_heads = (code for signature in signatures for code in signature.heads)
    expected_tails = (code for signature in signatures for code in signature.tails)
    lines = {
        "Triple": triple_words(triple, claim(triple)),
        "Definition of the relation": relation.definition if relation else "",
        "Semantic types of the head": _types_of(ontology, head),
        "Semantic types of the tail": _types_of(ontology, tail),
        "Types that the relation expects of its head": _type_names(ontology, expected_heads),
        "Types that the relation expects of its tail": _type_names(ontology, expected_tails),
    }
    more = {
        "Pairs of types that it may join": _pairs(ontology, signatures, (*head, *tail)),
        "Name of the relation": relation.label if relation else "",
        "The head in the ontology": _meanings(triple.head, triple.head_id, head),
        "The tail in the ontology": _meanings(triple.tail, triple.tail_id, tail),
    }
    if relation_key(more["Name of the relation"]) == relation_key(triple.relation):
        del more["Name of the relation"]
    lines |= {name: value for name, value in more.items() if value}
    # A name with a line's end in it adds no line of its own.
    texts: dict[str, str] = {}
    for name, value in lines.items():
        texts[name] = " ".join(value.split())
    return "\n".join(f"{name}: {text or 'unknown'}" for name, text in texts.items())


def triple_words(triple: Triple, text: str) -> str:
    """Returns `(head, relation, tail): claim`."""
    return f"({triple.head}, {triple.relation}, {triple.tail}): {text}"


def _types_of(ontology: Ontology, concepts: Sequence[Concept]) -> str:
    """Returns the names of the semantic types that concepts have, with commas between."""
    return _type_names(ontology, (code for concept in concepts for code in concept.types))


def _meanings(name: str, node: str, concepts: Sequence[Concept]) -> str:
    """Returns the labels and definitions of at most three concepts that a name may stand for; a
    label alone only where the source names the node by an id, or gives nothing else."""
    is_id = bool(node) or ":" in name
    texts = []
    for concept in concepts[:_MOST_MEANINGS]:
        if concept.definition:
            definition = shorten(concept.definition, _LONGEST, placeholder=" …")
            texts.append(f"{concept.name} ({definition})")
        elif is_id and folded(concept.name) != folded(name):
            texts.append(concept.name)
    return "; ".join(texts)


def _pairs(ontology: Ontology, signatures: Sequence[Signature], near: Sequence[Concept]) -> str:
    """Returns which types of heads go with which of tails, where there are several such pairs: at
    most twelve, those that share a type with concepts `near` first."""
    if len(signatures) < 2:
        return ""
    types = {code for concept in near for code in concept.types}

    def is_far(signature: Signature) -> bool:
        return not types & (signature.heads | signature.tails)

    pairs = []
    for signature in sorted(signatures, key=is_far):
        heads = _type_names(ontology, signature.heads) or "anything"
        tails = _type_names(ontology, signature.tails) or "anything"
        pairs.append(f"{heads} -> {tails}")
    return some_long(pairs, _MOST_PAIRS)


def _type_names(ontology: Ontology, codes: Iterable[str]) -> str:
    """Returns the names of types, each once and sorted, with commas between."""
    return ", ".join(sorted({ontology.type_name(code) for code in codes}))
