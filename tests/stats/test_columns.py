"""Arrays and columns of DataFrames give the very estimate that lists give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from factmark.stats import (
    Ratings,
    corrected_mean,
    corrected_share,
    correction,
    holm,
    measure_agreement,
)
from later import later

pd = later("pandas")
pl = later("polars")


VERDICTS = ["yes", "no", "yes", None, "yes", "no", "no", "yes"]
PEOPLE = [True, False, None, False, True, True, None, False]
GRADES = [1.0, 0.0, None, 0.5, 1.0, 0.5, None, 0.0]
CLUSTERS = list("aabbccdd")

Made = Callable[[Sequence[Any]], Any]


def _pandas(values: Sequence[Any]) -> pd.Series[Any]:
    return pd.Series(values, index=range(40, 40 + len(values)))  # an index that is no place


def _polars(values: Sequence[Any]) -> pl.Series:
    return pl.Series(values)


@pytest.fixture(params=[np.array, _pandas, _polars], ids=["numpy", "pandas", "polars"])
def column(request: pytest.FixtureRequest) -> Made:
    return request.param  # type: ignore[no-any-return]  # one of the three above


@pytest.mark.parametrize("method", ["mover", "human-only", "judge-only"])
def test_a_correction_of_columns_is_that_of_lists(column: Made, method: Any) -> None:
    labelled = {place: said for place, said in enumerate(PEOPLE) if said is not None}
    expected = corrected_share(VERDICTS, labelled, clusters=CLUSTERS, method=method)
    for people in (labelled, PEOPLE, column(PEOPLE)):
        assert expected == corrected_share(
            column(VERDICTS), people, clusters=column(CLUSTERS), method=method
        )


def test_grades_with_gaps_are_those_that_are_there(column: Made) -> None:
    graded = {place: value for place, value in enumerate(GRADES) if value is not None}
    grades = column(GRADES)
    assert corrected_mean(column(VERDICTS), grades) == corrected_mean(VERDICTS, graded)
    assert correction(column(VERDICTS), grades) == correction(VERDICTS, graded)


def test_yes_and_no_may_be_true_and_false(column: Made) -> None:
    verdicts = [True, False, True]
    expected = corrected_share(["yes", "no", "yes"], {0: True, 1: True}, method="judge-only")
    assert expected.value == pytest.approx(2 / 3)
    for given in (verdicts, column(verdicts)):
        estimate = corrected_share(given, {0: True, 1: True}, method="judge-only")
        assert estimate.value == expected.value


def test_a_column_of_another_length_is_refused(column: Made) -> None:
    with pytest.raises(ValueError, match="8 verdicts but a column of 3 labels"):
        corrected_share(VERDICTS, column([True, False, True]))


def test_agreement_and_holm_take_columns(column: Made) -> None:
    rows = [{"x": 1, "y": 2}, {"x": 1, "y": 1}, {"x": 2, "y": 2}]
    lists = Ratings(labels=(1, 2), rows=rows, clusters=["a", "b", "c"], values=(0.0, 1.0))
    columns = Ratings(
        labels=column([1, 2]), rows=rows, clusters=column(["a", "b", "c"]), values=column([0.0, 1])
    )
    assert measure_agreement(columns, resamples=100) == measure_agreement(lists, resamples=100)
    assert holm(column([0.01, 0.04, 0.03])) == holm([0.01, 0.04, 0.03])
