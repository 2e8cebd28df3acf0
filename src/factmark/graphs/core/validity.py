"""ValidityScore of a knowledge graph, and the rule judge that gives its labels by types. Pure.

    score = (yes + 0.5 * maybe) / total            strict_score = yes / total

Total: the triples that have a label. Validity is a matter of the triple alone; a triple that is
judged in several pairs counts once in `unique` and as often as it is judged in `pairs`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Concept, Ontology, Reading, read_name
from factmark.graphs.core.tallies import Judged, Missing, by_triple, share, split, too_few
from factmark.model import Estimate
from factmark.replies.triple_labels import MAYBE, NO, VALIDITY_LABELS, VALUES, YES


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """ValidityScore and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        valid_relations: = yes_count, as published.
        invalid_relations: = no_count, as published: a maybe is neither.
        estimate, strict_estimate: with intervals from resampling heads, bounds over the missing.
    """

    score: float | None
    strict_score: float | None
    valid_relations: int
    invalid_relations: int
    total_relations: int
    yes_count: int
    maybe_count: int
    no_count: int
    missing: Missing
    estimate: Estimate
    strict_estimate: Estimate
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validities:
    """The same over pairs and over unique triples, and per relation and head type (unique)."""

    pairs: Validity
    unique: Validity
    by_relation: Mapping[str, Validity]
    by_head_type: Mapping[str, Validity]


def validities(
    rows: Iterable[Judged], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> Validities:
    """All of them at once.

    Args:
        least: the share of the units that must have a label for there to be a score.

    Raises:
        ValueError: for a label that is none of `VALIDITY_LABELS`.
    """
    pairs = list(rows)
    unique = unique_validity(pairs)

    def score(some: Sequence[Judged]) -> Validity:
        return validity(some, level=level, rubric=rubric, least=least)

    return Validities(
        pairs=score(pairs),
        unique=score(unique),
        by_relation={name: score(some) for name, some in split(unique, "relation").items()},
        by_head_type={name: score(some) for name, some in split(unique, "head_type").items()},
    )


def validity(
    rows: Sequence[Judged], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> Validity:
    """ValidityScore of these rows; `rubric` names what the judge was asked."""
    counts = Counter(row.label for row in rows if row.status == "ok")
    if unknown := set(counts) - set(VALIDITY_LABELS):
        raise ValueError(f"{sorted(map(str, unknown))} are no labels of validity")
    missing = Missing.among(rows)
    yes, maybe, no = (counts[label] for label in VALIDITY_LABELS)
    total = yes + maybe + no
    graded: defaultdict[str, list[float]] = defaultdict(list)
    strict: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.label is not None and row.status == "ok":
            graded[row.cluster].append(VALUES[row.label])
            strict[row.cluster].append(float(row.label == YES))
    few = too_few(total, missing, least)

    def estimate(values: Mapping[str, Sequence[float]]) -> Estimate:
        return share(values, missing, level=level, rubric=rubric, known=not few)

    return Validity(
        score=None if few else (yes + 0.5 * maybe) / total,
        strict_score=None if few else yes / total,
        valid_relations=yes,
        invalid_relations=no,
        total_relations=total,
        yes_count=yes,
        maybe_count=maybe,
        no_count=no,
        missing=missing,
        estimate=estimate(graded),
        strict_estimate=estimate(strict),
        reasons={"score": few, "strict_score": few} if few else {},
    )


def unique_validity(rows: Iterable[Judged]) -> list[Judged]:
    """One row per triple: its most frequent label, of equally frequent ones the lower; rows
    without a label count only where there is no other."""
    out = []
    for same in by_triple(rows):
        labelled = [row for row in same if row.status == "ok"]
        counts = Counter(row.label for row in labelled)
        order = {label: place for place, label in enumerate(VALIDITY_LABELS)}
        labelled.sort(key=lambda r: (-counts[r.label], -order.get(r.label or "", -1)))
        out.append((labelled or same)[0])
    return out


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


def head_type(triple: Triple, ontology: Ontology) -> str:
    """The head's first type as people read it, for breaking results down; `""` if unknown."""
    reading = _reading(ontology, triple.head, triple.head_id)
    if not reading.concepts or not reading.concepts[0].types:
        return ""
    return ontology.type_name(min(reading.concepts[0].types))
