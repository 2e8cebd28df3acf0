"""Slices corrected by one line: by hand, at once, and pooled in part where labels are few."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.slices import corrected_slices


def test_the_value_by_hand() -> None:
    """A judge that always says the same tells nothing, and of two slices none is pooled: each value
    is the mean of its labels. Slice a has 30 labels of 0.2 and 30 of 0.6, slice b 20 of 1."""
    labels = [0.2, 0.6] * 30 + [1.0] * 20
    slices = ["a"] * 60 + ["b"] * 20 + ["a"] * 60 + ["b"] * 20
    people = dict(enumerate(labels))
    a, b = corrected_slices([0.5] * 160, people, slices)
    assert (a.name, a.estimate.value, a.own) == ("a", pytest.approx(0.4), 1.0)
    assert (b.name, b.estimate.value, b.own) == ("b", pytest.approx(1.0), 1.0)
    assert (a.estimate.n_units, a.estimate.n_labels) == (120, 60)


def test_one_slice_is_the_corrected_mean() -> None:
    """With one slice there is nothing to hold at once and nobody to borrow from; the interval is
    that of `corrected_by_line`, which counts the line's own error too."""
    generator = np.random.default_rng(2)
    people = np.clip(generator.normal(0.6, 0.2, 900), 0, 1)
    judge = np.clip(people + generator.normal(0.1, 0.1, 900), 0, 1).tolist()
    labels = dict(enumerate(people[:200].tolist()))
    (only,) = corrected_slices(judge, labels, ["all"] * 900)
    whole = corrected_by_line([judge], labels)
    assert only.estimate.value == pytest.approx(whole.value, abs=0.001)
    assert only.estimate.low == pytest.approx(whole.low, abs=0.003)
    assert only.estimate.high == pytest.approx(whole.high, abs=0.003)


def test_a_slice_with_few_labels_leans_on_the_others() -> None:
    """Five labels of a slice, all wrong by 0.4, are not believed whole; forty are."""
    generator = np.random.default_rng(4)
    judge = generator.random(600)
    slices = np.repeat(["a", "b", "c"], 200)
    labels = {}
    for start, n in ((0, 60), (200, 60), (400, 5)):
        for place in range(start, start + n):
            labels[place] = float(judge[place])
    for place in range(400, 405):
        labels[place] = min(1.0, float(judge[place]) + 0.4)
    of_c = {each.name: each for each in corrected_slices(judge.tolist(), labels, slices)}["c"]
    assert 0.3 < of_c.own < 1
    lift = np.mean([labels[place] - judge[place] for place in range(400, 405)])
    assert of_c.estimate.value is not None
    assert of_c.estimate.value < judge[400:].mean() + lift


def test_a_slice_with_one_label_has_no_value() -> None:
    labels = dict.fromkeys(range(30), 0.5) | {30: 1.0}
    first, second = corrected_slices([0.3, 0.6] * 20, labels, ["a"] * 30 + ["b"] * 10)
    assert first.estimate.value == pytest.approx(0.5)
    assert (second.estimate.value, second.estimate.n_labels) == (None, 1)


def test_all_intervals_hold_at_once() -> None:
    """Six slices, one small and unlike the others, with a judge that is lenient there: in at least
    94 of 100 studies every interval holds its slice's truth (docs/coverage.md has 12 cells)."""
    truths = np.array([0.8, 0.8, 0.8, 0.8, 0.8, 0.3])
    sizes = np.array([5, 5, 5, 5, 5, 1]) / 26
    held = 0
    for seed in range(150):
        generator = np.random.default_rng([seed, 3])
        slices = generator.choice(6, 1_000, p=sizes)
        people = (generator.random(1_000) < truths[slices]).astype(float)
        judge = np.where(generator.random(1_000) < 0.8, people, 1 - people)
        judge = np.where((slices == 5) & (generator.random(1_000) < 0.5), 1.0, judge)
        labels = dict(enumerate(people[:120].tolist()))
        outside = 0
        for each in corrected_slices(judge.tolist(), labels, slices.tolist()):
            low, high = each.estimate.low, each.estimate.high
            if low is not None and high is not None:
                outside += not low <= truths[int(each.name)] <= high
        held += not outside
    assert held >= 0.93 * 150
