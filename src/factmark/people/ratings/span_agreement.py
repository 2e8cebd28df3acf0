"""How far raters agree on the words that they mark in texts, with intervals over documents. Pure.

Two figures, read side by side. **F1** is the mean over pairs of raters of the F measure of one
rater's words by the other's, words pooled: 2 a / (2 a + b + c), a words that both marked, b and c
that one did. It needs no count of the words that nobody marked, which has no natural bound
(Hripcsak and Rothschild 2005, "Agreement, the F-measure, and reliability in information
retrieval"). **Alpha** is Krippendorff's, nominal, of each word as marked or not: chance counts, as
it does for labels (`coefficients.alpha`). Where few of many words are marked the two come close to
each other.

A rater who marked nothing in a text that others marked disagrees with them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factmark.model import SHARE, Estimate, Scale, content_hash
from factmark.stats import coefficients
from factmark.stats.agreement import sums_by_cluster
from factmark.stats.intervals import (
    RESAMPLES,
    Combine,
    Floats,
    Interval,
    bootstrap_interval,
    combine_all,
    no_estimate,
)

_ALPHA = coefficients.alpha("nominal", (0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text that several raters read.

    Attributes:
        cluster: what is resampled: the document.
        words: how many it has.
        marks: rater -> the places of the words that they marked, from 0; none where they marked
            nothing.
    """

    cluster: str
    words: int
    marks: Mapping[str, Collection[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanAgreement:
    """How far raters agree on marked words.

    Attributes:
        f1: over all pairs of raters of a text.
        f1_both: over those pairs in which both marked something: whether they mean the same place
            once they mark any.
        alpha: of each word as marked or not.
        n_texts: texts that two or more read, and at least one marked.
        n_pairs: pairs of raters of these texts of whom one marked something.
        n_both: pairs of whom both did.
    """

    f1: Estimate
    f1_both: Estimate
    alpha: Estimate
    n_texts: int
    n_pairs: int
    n_both: int


def span_agreement(
    texts: Sequence[MarkedText],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SpanAgreement:
    """Returns how far raters agree on the words that they marked; estimates have no value where
    nobody marked anything that another read."""
    read = [text for text in texts if len(text.marks) > 1]
    rows = np.array(list(map(_tally, read))).reshape(-1, _WIDTH)
    tallies = sums_by_cluster(rows, [text.cluster for text in read])
    marked = sum(any(map(bool, text.marks.values())) for text in read)

    def estimate(combine: Combine, scale: Scale) -> Estimate:
        value = combine_all(tallies, combine)
        if not math.isfinite(value):
            return no_estimate(level, "none (no word is marked that another read)")
        drawn = bootstrap_interval(
            tallies,
            combine,
            level=level,
            resamples=resamples,
            seed=seed,
            bounds=(scale.low, scale.high),
        ) or Interval(low=scale.low, high=scale.high, method=_UNKNOWN)
        return Estimate(
            value=round(value, 12),
            low=drawn.low,
            high=drawn.high,
            level=level,
            method=drawn.method,
            n_items=len(tallies),
            n_units=marked,
            seed=seed,
            data=content_hash(tallies.astype("<f8").tobytes().hex()),
            scale=scale,
        )

    totals = tallies.sum(axis=0)
    return SpanAgreement(
        f1=estimate(lambda sums: _share(sums[:, 0], sums[:, 1]), SHARE),
        f1_both=estimate(lambda sums: _share(sums[:, 2], sums[:, 3]), SHARE),
        alpha=estimate(lambda sums: _ALPHA.combine(sums[:, _CELLS]), Scale(*_ALPHA.bounds)),
        n_texts=marked,
        n_pairs=int(totals[4]),
        n_both=int(totals[5]),
    )


_UNKNOWN = "none (resampling cannot tell: all that is possible)"
_CELLS = slice(6, 10)
_WIDTH = 10


def _tally(text: MarkedText) -> list[float]:
    """Returns what a text adds to the sums.

    That is: twice the words in common and all marked words, of all pairs and of those in which both
    marked any; how many pairs marked any, and both; the coincidences of unmarked and marked.
    """
    marks = [set(places) for places in text.marks.values()]
    common = marked = common_both = marked_both = either = both = 0
    for left, right in combinations(marks, 2):
        common += 2 * len(left & right)
        marked += len(left) + len(right)
        if left and right:
            common_both += 2 * len(left & right)
            marked_both += len(left) + len(right)
            both += 1
        if left or right:
            either += 1
    raters = len(marks)
    sizes = Counter(word for words in marks for word in words)
    cells = np.zeros((2, 2))
    for times in sizes.values():
        cells += _coincidences(times, raters)
    cells += (text.words - len(sizes)) * _coincidences(0, raters)
    return [common, marked, common_both, marked_both, either, both, *cells.ravel()]


def _coincidences(times: int, raters: int) -> Floats:
    """Returns Krippendorff's coincidences of a word that so many of the raters marked."""
    rest = raters - times
    apart = times * rest
    cells = np.array([[rest * (rest - 1), apart], [apart, times * (times - 1)]])
    return cells / (raters - 1)


def _share(part: Floats, whole: Floats) -> Floats:
    """Returns a part of a whole; NaN where the whole is nothing."""
    share: Floats = np.full(len(whole), math.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share
