"""The tables of a comparison: what stands in them, in every format, with hostile names."""

from __future__ import annotations

import pytest

from factmark.stats.comparison import Options
from factmark.stats.contest import Contest, Outcome, Score, compare_systems
from factmark.tables.comparisons import compare_tables
from factmark.tables.latex import latex_table
from factmark.tables.layouts import csv_table, markdown_table
from hostile import HOSTILE

SCORE = Score(key="score", symbol="F*", name="FActScore*", per="unit")


def outcome(*names: str, missing: int = 0) -> Outcome:
    """Systems on 8 heads of 2 triples; the n-th is right in n + 1 of 4; A lacks so many."""
    systems = {
        name: {
            "score": {
                f"h{head}": {
                    f"h{head}t{unit}": (None,)
                    if at == 0 and 2 * head + unit < missing
                    else (float((2 * head + unit) % 4 <= at),)
                    for unit in range(2)
                }
                for head in range(8)
            }
        }
        for at, name in enumerate(names)
    }
    made = Contest(
        measure="factscore", item="heads", unit="triples", scores=(SCORE,), systems=systems,
        stratum="relation",
        strata={f"h{h}t{u}": f"relation {u}" for h in range(8) for u in range(2)},
        problems=("Something is odd.",),
    )  # fmt: skip
    return compare_systems(made, SCORE, Options(resamples=200, draws=500))


def text(made: Outcome) -> str:
    return "".join(map(markdown_table, compare_tables(made)))


def test_two_systems() -> None:
    (table,) = compare_tables(outcome("first", "second", missing=3))
    shown = markdown_table(table)
    # 13 common triples; in 3 a value is missing in A; the second wins where the first is wrong.
    assert [cell.text for cell in table.lines[0].cells[-6:]] == ["13", "7", "0", "10", "3", "3"]
    assert any("F* 3 in A" in note for note in table.notes)
    for said in (
        "A is first, B is second", "relation 0", "Holm's over the 2 strata",
        "whatever the missing would have said: F\\* -", "of the same head for independent",
        "Something is odd.",
    ):  # fmt: skip
        assert said in shown
    (whole,) = compare_tables(outcome("first", "second"))
    assert all(cell.interval for line in whole.lines for cell in line.cells[:3])
    assert "whatever the missing" not in " ".join(whole.notes)


def test_a_board_and_its_pairs() -> None:
    board, pairs = compare_tables(outcome("first", "second", "third"))
    assert [line.labels for line in board.lines] == [
        ("1", "third"), ("2", "second"), ("3", "first"),
    ]  # fmt: skip
    assert [line.labels for line in pairs.lines] == [
        ("third", "second"), ("third", "first"), ("second", "first"),
    ]  # fmt: skip
    assert any("Holm over 3 pairs" in note for note in board.notes)
    assert board.records[0][0] == 1


def test_nothing_in_common_is_said() -> None:
    (table,) = compare_tables(outcome("first", "second", missing=16))
    assert table.lines[0].cells[0].text == "–"
    assert any("no triples in common" in note for note in table.notes)


@pytest.mark.parametrize("more", [(), ("third",)])
def test_every_format_survives_hostile_names(more: tuple[str, ...]) -> None:
    bad = "".join(HOSTILE.values())
    shown = "".join(
        form(table)
        for table in compare_tables(outcome(bad, f"{bad}2", *more))
        for form in (markdown_table, latex_table, csv_table)
    )
    for unsafe in ("\x1b", "\x00", "\r", "\u202e", "\u2028", "\ud800"):
        assert unsafe not in shown
    shown.encode()
