"""What weights are asked of a unit: whether a claim follows from a passage; and what that means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from factmark.errors import InputError
from factmark.label_values import CONTRADICTED, NO, NOT_SUPPORTED, SUPPORT_LABELS, SUPPORTED, YES


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A passage, and a claim that may follow from it.

    Attributes:
        unit: the id of the unit that the claim is.
    """

    unit: str
    passage: str
    claim: str


def pairs_of_unit(unit: str, shown: Mapping[str, object]) -> Iterator[Pair]:
    """Yields what is to follow from what, for one unit: an answer from any of its references, each
    read after the question."""
    claim = str(shown["claim"])
    question = shown.get("question")
    references = shown.get("references")
    if isinstance(references, list):
        for reference in references:
            passage = f"{question} {reference}"
            yield Pair(unit=unit, passage=passage, claim=f"{question} {claim}")
    elif (evidence := str(shown["evidence"])).strip():
        yield Pair(unit=unit, passage=evidence, claim=claim)


def labels_meant(option: str, values: Mapping[str, float]) -> Mapping[str, str]:
    """Returns what entailment, contradiction and neither are called by a protocol.

    Raises:
        InputError: the labels are not those of claims that are supported or not.
    """
    labels = set(values)
    if labels <= set(SUPPORT_LABELS):
        names = {SUPPORTED: SUPPORTED, NOT_SUPPORTED: NOT_SUPPORTED}
        return {**names, CONTRADICTED: CONTRADICTED if CONTRADICTED in labels else NOT_SUPPORTED}
    for right, wrong in ((YES, NO), ("CORRECT", "INCORRECT")):
        if labels == {right, wrong}:
            return {SUPPORTED: right, NOT_SUPPORTED: wrong, CONTRADICTED: wrong}
    raise InputError(
        f"{option}: an entailment model says whether a claim follows from a text; it cannot give "
        f"{', '.join(values)}. Name a model that is asked, or module:function of your own."
    )
