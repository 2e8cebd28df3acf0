"""The one way to correct a judge: words by verdict, ratings by a line, strata, parts of a table."""

from __future__ import annotations

import random

import numpy as np
import pytest

from factmark.evaluated.columns import column_of_labels, column_of_numbers
from factmark.evaluated.corrected import (
    How,
    corrected_by_judges,
    corrected_mean_of,
    correction_of,
    judged_side,
)
from factmark.evaluated.table import table_of_judge
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing

WORTH = {"yes": 1.0, "no": 0.0}


def test_words_are_corrected_verdict_by_verdict_by_hand() -> None:
    """Of 60 yes people call 8 of 10 true, of 40 no 1 of 5: 0.6 * 0.8 + 0.4 * 0.2."""
    labels = ["yes"] * 60 + ["no"] * 40
    people = {place: float(place < 8) for place in range(10)}
    people |= {place: float(place == 60) for place in range(60, 65)}
    table = table_of_judge(column_of_labels("judge", labels, WORTH), people)
    corrected = correction_of(table, "judge", How())
    assert corrected is not None
    assert corrected.corrected.value == pytest.approx(0.56)
    assert corrected.judge_only.value == pytest.approx(0.6)
    assert corrected.human_only is not None
    assert corrected.human_only.value == pytest.approx(9 / 15)
    assert corrected_mean_of(table, "judge", How()).value == pytest.approx(0.56)
    by_verdict = correction_of(table, "judge", How(by_verdict=True))
    assert by_verdict is not None
    assert by_verdict.human_only is None


def test_strata_are_told_apart_and_the_cells_stay_verdicts() -> None:
    """Of 80 yes, 40 in each stratum, people call all 8 labelled ones of a true and none of the 4
    of b: half of them are true; 12 labels alike would say two thirds."""
    labels = ["yes"] * 80
    strata = ["a"] * 40 + ["b"] * 40
    people = dict.fromkeys(range(8), 1.0) | dict.fromkeys(range(40, 44), 0.0)
    table = table_of_judge(column_of_labels("judge", labels, WORTH), people, strata=strata)
    corrected = correction_of(table, "judge", How(by_stratum=True))
    assert corrected is not None
    assert corrected.corrected.value == pytest.approx(0.5)
    assert [(cell.label, cell.total, cell.labelled) for cell in corrected.cells] == [
        ("yes", 80, 12)
    ]


def test_ratings_go_by_a_line_from_twenty_labels_on() -> None:
    """Labels of a judge's rating count as many units as they stand for."""
    draw = random.Random(2)
    stars = [draw.choice("12345") for _ in range(300)]
    worth = {name: (int(name) - 1) / 4 for name in "12345"}
    truth = [min(1.0, max(0.0, worth[name] + draw.choice((-0.25, 0, 0)))) for name in stars]
    labelled = [place for place, name in enumerate(stars) if name in "12"][:30]
    labelled += [place for place, name in enumerate(stars) if name in "345"][:20]
    people = {place: truth[place] for place in labelled}
    column = column_of_labels("judge", stars, worth, kind="rating")
    table = table_of_judge(column, people)
    corrected = correction_of(table, "judge", How(by_verdict=True))
    weights = []
    for name in stars:
        weights.append(stars.count(name) / sum(stars[place] == name for place in labelled))
    line = corrected_by_line(
        [[worth[name] for name in stars]], people, drawing=Drawing(weights=weights)
    )
    assert corrected is not None
    assert corrected.corrected.value == pytest.approx(line.value)
    assert corrected.corrected.method.startswith("line")
    assert corrected.effective_labels == pytest.approx(line.n_effective)
    few = table_of_judge(column, {place: truth[place] for place in labelled[15:34]})
    by_cells = correction_of(few, "judge", How(by_verdict=True))
    assert by_cells is not None
    assert by_cells.corrected.method.startswith("mover")


def test_a_table_without_labels_has_no_correction() -> None:
    table = table_of_judge(column_of_labels("judge", ["yes", None], WORTH), {})
    assert correction_of(table, "judge", How()) is None
    assert judged_side(table, "judge", How()) is None


def test_parts_of_a_table_are_tables() -> None:
    """Systems in the order of their names, each with its own units, labels, items and numbers."""
    table = table_of_judge(
        column_of_numbers("judge", {0: 0.2, 1: 0.9, 3: 0.4}, 4),
        {1: 0.5, 3: 1.0},
        ids=["u", "v", "w", "x"],
        clusters=["q1", "q1", "q2", "q2"],
        systems=["b", "a", "b", "a"],
    )
    parts = table.by_system
    assert list(parts) == ["a", "b"]
    assert list(parts["a"].ids) == ["v", "x"]
    assert parts["a"].items == ["q1", "q2"]
    assert parts["a"].clusters is None  # no two of its units share one
    assert table.clusters is not None
    assert table.clusters.tolist() == [0, 0, 1, 1]
    side = judged_side(parts["a"], "judge", How())
    assert side is not None
    assert (side.judge, side.people, side.items) == ([0.9, 0.4], [0.5, 1.0], ["q1", "q2"])
    assert parts["b"].judges["judge"].numbers.tolist()[0] == 0.2
    assert np.isnan(parts["b"].judges["judge"].numbers[1])


def test_two_judges_go_into_one_line() -> None:
    """What each of two knows of people's values adds up: with both nothing is left."""
    draw = np.random.default_rng(3)
    first, other = draw.random(200), draw.random(200)
    people = {place: float(first[place] + other[place]) / 2 for place in range(60)}
    table = table_of_judge(column_of_numbers("first", dict(enumerate(first.tolist())), 200), people)
    judges = dict(table.judges)
    judges["other"] = column_of_numbers("other", dict(enumerate(other.tolist())), 200)
    both = corrected_by_judges(
        type(table)(ids=table.ids, judges=judges, people=table.people), ["first", "other"], How()
    )
    assert both.value == pytest.approx(float((first + other).mean()) / 2, abs=0.01)


def test_a_value_off_the_scale_is_refused() -> None:
    table = table_of_judge(column_of_labels("judge", ["yes", "no"], WORTH), {0: 1.5})
    with pytest.raises(ValueError, match=r"people gave 1\.5, which is not from 0 to 1"):
        corrected_mean_of(table, "judge", How())
