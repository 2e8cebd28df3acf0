"""What a column says is decided once, on all of it: words, ratings or scores."""

from __future__ import annotations

from typing import Any

import pytest

from factmark.evaluated.coding import coded
from factmark.evaluated.columns import scale_of, value_column


def _values(cells: list[Any], dialect: str = "") -> tuple[str, list[float | None]] | None:
    """Returns a column's kind and each cell's value, None for nothing; None for no such column."""
    column = value_column(coded("c", cells), dialect)
    if column is None:
        return None
    return column.kind, [None if value != value else value for value in column.numbers.tolist()]


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["T", "F", "T"], "word", [1, 0, 1]),
        ([1, "0.0", "-0.0", True, "yes", "No"], "word", [1, 0, 0, 1, 1, 0]),
        (["faithful", "hallucinated", "NOT_PARSABLE", ""], "word", [1, 0, None, None]),
        (["SUPPORTED", "partially supported", "Refutes"], "word", [1, 0.5, 0]),
        (["pass", "FAIL", "error"], "word", [1, 0, None]),
        ([1, 3, 5], "rating", [1, 3, 5]),
        (["0.5", "1.0", "n/a"], "score", [0.5, 1, None]),
        ([0.1, 0.25, None], "score", [0.1, 0.25, None]),
        ([-1, 1, -2.5, "-0.5"], "score", [-1, 1, -2.5, -0.5]),
        ([-2, 0, 2], "rating", [-2, 0, 2]),
        (["1e-05", 3e-7, 0.5], "score", [1e-05, 3e-07, 0.5]),
    ],
)
def test_a_columns_kind_is_that_of_all_its_cells(
    cells: list[Any], kind: str, values: list[float | None]
) -> None:
    """Words have their worth, numbers stay numbers, no verdict is nothing."""
    assert _values(cells) == (kind, values)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["C", "I", "P", "N"], [1, 0, 0.5, None]),  # inspect_ai: N is no answer
        (["Y", "N"], [1, 0]),
        (["E", "N", "C"], [1, 0, 0]),  # inference: C is a contradiction
    ],
)
def test_letters_mean_what_they_mean_together(cells: list[str], values: list[float | None]) -> None:
    """`N` is no beside `Y`, and no answer beside `C` and `I`."""
    assert _values(cells) == ("word", values)


def test_a_letter_alone_that_may_mean_two_things_means_none() -> None:
    """All `C` are correct or contradicted; whose file it is tells."""
    assert _values(["C", "C"]) is None
    assert _values(["C", "C"], "inspect_ai") == ("word", [1, 1])


@pytest.mark.parametrize("cells", [["yes", "purple"], ["Oslo", "Bern"], [1, "many"], []])
def test_a_column_with_a_word_that_is_not_known_says_nothing(cells: list[Any]) -> None:
    """Nothing is guessed from the rest of the column."""
    assert _values(cells) is None


@pytest.mark.parametrize(
    ("cells", "scale"),
    [([0, 1], (0, 1)), ([0.2, 0.9], (0, 1)), ([1, 2, 5], (1, 5)), ([2, 4], None), ([0, 35], None)],
)
def test_a_scale_is_read_off_where_both_ends_were_given(
    cells: list[float], scale: tuple[float, float] | None
) -> None:
    """From 2 to 4 may be of 1 to 5, of 1 to 7 or of another scale: none is taken."""
    column = value_column(coded("c", cells))
    assert column is not None
    assert scale_of([column]) == scale


def test_digits_with_underscores_are_no_number() -> None:
    """`1_000` is a name, for whoever reads it: a judge's column here, a label in `agree`."""
    assert _values([1, 5, "1_000"]) is None
