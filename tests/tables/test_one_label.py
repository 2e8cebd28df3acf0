"""A judge that gives everything one label is told of beside the figure."""

from __future__ import annotations

import pytest

from factmark.stats import correction
from factmark.tables.correction_tables import correction_table


@pytest.mark.parametrize(
    ("verdicts", "is_told"),
    [
        (["YES"] * 70, True),
        (["YES"] * 69 + [None], True),
        (["YES"] * 69 + ["NO"], False),
        (["YES"] * 9 + [None] * 61, False),
    ],
)
def test_a_judge_that_says_one_thing_is_told(verdicts: list[str | None], is_told: bool) -> None:
    corrected = correction(verdicts, {place: place % 2 == 0 for place in range(70)})
    notes = " ".join(correction_table("FActScore*", corrected).notes)
    labelled = sum(verdict == "YES" for verdict in verdicts)
    assert (f"The judge said YES of all {labelled} units" in notes) == is_told
