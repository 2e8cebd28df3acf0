"""How far annotators agree on the words that decided their ratings, in sources and in what they
rated. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from factmark.people.ratings.entries import RatedTask, group_rows
from factmark.people.ratings.span_agreement import MarkedText, SpanAgreement, span_agreement
from factmark.stats.comparison import Options

_WORD = re.compile(r"\w+")


def marked_words_agreement(
    entries: Sequence[RatedTask], options: Options
) -> dict[str, SpanAgreement]:
    """Returns `source` and `text` -> how far annotators agree on the words that they marked there;
    nothing of a side on which nobody marked what another rated too.

    Who never marked anything is no rater of marks. Of a clause the words of its source count alone,
    for what is marked in a text may lie outside it.
    """
    rated = [entry for entry in entries if entry.final]
    marking = {entry.assignment.annotator for entry in rated if _spans(entry)}
    units = group_rows(
        (entry for entry in rated if entry.assignment.annotator in marking),
        lambda entry: entry.assignment.unit,
    )
    sides = {}
    for side in ("source", "text"):
        texts = []
        for several in units.values():
            if len(several) > 1 and not (side == "text" and several[0].unit.part):
                texts.append(_marked_text(several, side))
        agreement = span_agreement(
            texts, level=options.level, resamples=options.resamples, seed=options.seed
        )
        if agreement.n_pairs:
            sides[side] = agreement
    return sides


def _spans(entry: RatedTask) -> tuple[tuple[str, int, int], ...]:
    """Returns the stretches that decided an answer."""
    assert entry.final is not None  # noqa: S101  # of those that are rated
    return entry.final.response.evidence


def _marked_text(entries: Sequence[RatedTask], side: str) -> MarkedText:
    """Returns one side of a unit with the words that each annotator marked in it."""
    unit = entries[0].unit
    text = unit.evidence if side == "source" else unit.text
    starts_and_ends = [word.span() for word in _WORD.finditer(text)]
    marks: Mapping[str, set[int]] = {entry.assignment.annotator: set() for entry in entries}
    for entry in entries:
        spans = [(start, end) for where, start, end in _spans(entry) if where == side]
        marks[entry.assignment.annotator].update(_words_in(starts_and_ends, spans))
    return MarkedText(cluster=unit.cluster, words=len(starts_and_ends), marks=marks)


def _words_in(words: Iterable[tuple[int, int]], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the places of the words that share a character with a stretch."""
    places = []
    for place, (first, last) in enumerate(words):
        if any(start < last and first < end for start, end in spans):
            places.append(place)
    return places
