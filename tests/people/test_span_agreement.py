"""Agreement on marked words: by hand, as published, as labels of words have it, and simulated."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rated import bounds, value

from factmark.people.ratings.span_agreement import MarkedText, span_agreement
from factmark.stats import Ratings, measure_agreement


def text(cluster: str, words: int, *marks: set[int]) -> MarkedText:
    return MarkedText(
        cluster=cluster, words=words, marks={f"r{n}": some for n, some in enumerate(marks)}
    )


def test_f1_by_hand() -> None:
    """d1: 3 words of 5 and 4 in common. d2: one alone marked 2. d3: nobody marked."""
    texts = [
        text("d1", 20, {1, 2, 3, 4, 5}, {3, 4, 5, 6}),
        text("d2", 10, {0, 1}, set()),
        text("d3", 10, set(), set()),
    ]
    agreement = span_agreement(texts, resamples=50)
    assert value(agreement.f1) == pytest.approx(6 / (9 + 2))
    assert value(agreement.f1_both) == pytest.approx(6 / 9)
    assert (agreement.n_texts, agreement.n_pairs, agreement.n_both) == (2, 2, 1)
    # Coincidences: 80 values, 11 marked; 5 words on which the two differ.
    assert value(agreement.alpha) == pytest.approx(1 - 79 * 5 / (69 * 11))


def test_three_raters_are_three_pairs() -> None:
    """Pairs have 2, 1 and 1 words in common, of 4, 4 and 4 marked."""
    agreement = span_agreement([text("d", 9, {1, 2}, {1, 2}, {2, 3})], resamples=50)
    assert value(agreement.f1) == pytest.approx(2 * (2 + 1 + 1) / 12)
    assert bounds(agreement.f1) == (0, 1)  # one document tells no interval


def test_alpha_as_published() -> None:
    """Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", part A: .095."""
    meg = {1, 8}
    owen = {0, 1, 2, 5}
    agreement = span_agreement([text("d", 10, meg, owen)], resamples=50)
    assert value(agreement.alpha) == pytest.approx(0.095, abs=0.0005)


def test_alpha_is_that_of_each_word_as_a_label() -> None:
    draw = np.random.default_rng(4)
    texts = []
    rows = []
    for document in range(12):
        marks = [set(np.flatnonzero(draw.random(30) < 0.3).tolist()) for _ in range(3)]
        texts.append(text(str(document), 30, *marks))
        for word in range(30):
            rows.append({f"r{n}": int(word in marks[n]) for n in range(3)})
    ratings = Ratings(labels=(0, 1), rows=rows, clusters=[str(n // 30) for n in range(360)])
    theirs = measure_agreement(ratings, resamples=50).alpha
    assert value(span_agreement(texts, resamples=50).alpha) == pytest.approx(value(theirs))


@pytest.mark.parametrize("marks", [(), (set(),), (set(), set())])
def test_nothing_is_told_where_nothing_can_be(marks: tuple[set[int], ...]) -> None:
    agreement = span_agreement([text("d", 5, *marks)])
    assert agreement.f1.value is None
    assert agreement.alpha.value is None
    assert agreement.n_pairs == 0


def test_intervals_hold_the_truth() -> None:
    """40 documents of three texts; the truth is what 3,000 documents come to."""
    draw = np.random.default_rng(2)
    truth = span_agreement(study(draw, 3000), resamples=10)
    names = ("f1", "f1_both", "alpha")
    held = dict.fromkeys(names, 0)
    for seed in range(200):
        agreement = span_agreement(study(draw, 40), resamples=400, seed=seed)
        for name in names:
            low, high = bounds(getattr(agreement, name))
            held[name] += low <= value(getattr(truth, name)) <= high
    assert min(held.values()) >= 180


def study(draw: np.random.Generator, documents: int) -> list[MarkedText]:
    """Texts of 120 words, half of them with a place that each of two raters sees as often as its
    document lets them, with ends that differ; and marks at random."""
    texts = []
    for document in range(documents):
        seen = draw.beta(4, 2)
        for _ in range(3):
            start, length = draw.integers(0, 100), draw.integers(3, 15)
            there = draw.random() < 0.5
            marks = []
            for _ in range(2):
                words = set[int]()
                if there and draw.random() < seen:
                    ends = start + draw.integers(-3, 4), start + length + draw.integers(-3, 4)
                    words |= set(range(max(0, ends[0]), min(120, max(ends[1], ends[0] + 1))))
                if draw.random() < 0.05:
                    other = draw.integers(0, 110)
                    words |= set(range(other, other + draw.integers(2, 9)))
                marks.append({int(word) for word in words})
            texts.append(text(str(document), 120, *marks))
    return texts
