"""The tables of a comparison: what stands in them, in every format, with hostile names."""

from __future__ import annotations

import pytest
from rich.console import Console

from factmark.stats.comparison import Options
from factmark.stats.contest import Contest, Outcome, Score, hold
from factmark.tables.comparisons import compare_tables, probability
from factmark.tables.latex import latex_table
from factmark.tables.layouts import csv_table, markdown_table, rich_table
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
    return hold(made, SCORE, Options(resamples=200, draws=500))


def text(made: Outcome, width: int = 140) -> str:
    console = Console(width=width, record=True, file=None, force_terminal=False)
    with console.capture() as captured:
        for table in compare_tables(made):
            console.print(rich_table(table))
    return captured.get()


def test_two_systems() -> None:
    shown = text(outcome("first", "second", missing=3))
    assert "A is first, B is second" in shown
    overall = next(line for line in shown.splitlines() if "overall" in line)
    # 13 common triples; in 3 a value is missing in A; the second wins where the first is wrong.
    assert overall.split()[-3:] == ["13", "7", "3/0/0"]
    assert "relation 0" in shown
    assert "Holm's over the 2 strata" in " ".join(shown.split())
    assert "whatever the missing would have said: F* -" in shown
    assert "takes triples of the same head for independent" in shown
    assert "Something is odd." in shown


def test_no_number_without_its_interval() -> None:
    (table,) = compare_tables(outcome("first", "second"))
    for line in table.lines:
        for cell in line.cells[:3]:
            assert cell.interval
    assert "whatever the missing" not in " ".join(table.notes)


def test_a_board_and_its_pairs() -> None:
    board, pairs = compare_tables(outcome("first", "second", "third"))
    assert [line.labels for line in board.lines] == [
        ("1", "third"), ("2", "second"), ("3", "first"),
    ]  # fmt: skip
    assert [line.labels for line in pairs.lines] == [
        ("third", "second"), ("third", "first"), ("second", "first"),
    ]  # fmt: skip
    assert "Holm over 3 pairs" in board.notes[0]
    assert board.records[0][0] == 1
    assert len(board.records[0]) == len(board.record_names)
    assert len(pairs.records[0]) == len(pairs.record_names)


def test_nothing_in_common_is_said() -> None:
    (table,) = compare_tables(outcome("first", "second", missing=16))
    assert table.lines[0].cells[0].text == "–"
    assert "no triples in common" in table.notes[0]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("more", [(), ("third",)])
def test_every_format_survives_hostile_names(name: str, more: tuple[str, ...]) -> None:
    made = outcome(HOSTILE[name], HOSTILE[name] + "2", *more)
    shown = text(made)
    for table in compare_tables(made):
        for form in (markdown_table, latex_table, csv_table):
            shown += form(table)
    for unsafe in ("\x1b", "\x00", "\r", "\u202e", "\u2028", "\ud800"):
        assert unsafe not in shown
    shown.encode()


def test_probability() -> None:
    assert [probability(p) for p in (1.0, 0.0006, 0.0004, None)] == [
        "1.000",
        "0.001",
        "<0.001",
        "–",
    ]
