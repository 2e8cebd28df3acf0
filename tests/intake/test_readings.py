"""From several readings of a table to one: tested on the rows, named by the user, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.intake.columns import TableSample
from factmark.intake.mapping import TableMapping, read_mapping
from factmark.intake.readings import Named, Reading, column_advice, settled_mapping
from factmark.intake.table_file import open_table


def _passages(sample: TableSample, base: TableMapping) -> Iterator[Reading]:
    """Yields a reading for each column that may be the passage."""
    if "passage" in base.columns:
        yield Reading(mapping=base, says="named", options="")
        return
    for path in sample.columns:
        yield Reading(
            mapping=base.with_columns({"passage": (path,)}),
            says=f"{path!r} is the passage",
            options=f"--column passage={path}",
        )


def _is_long(mapping: TableMapping, sample: TableSample) -> str:
    """A check: a passage has more than two words."""
    column = sample.columns[mapping.column("passage")]
    return "" if column.words > 2 else f"{column.path!r} is no passage."


def _mapping(path: Path, **named: str) -> TableMapping:
    """Returns how a file is read."""
    table = open_table(path)
    return settled_mapping(table, "claims", Named(columns=named), _passages, [_is_long])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with two columns that may be the passage, and one that cannot."""
    path = tmp_path / "t.csv"
    path.write_text("n,x,y\na,the mill is old,the mill opened late\n", "utf-8")
    return path


def test_a_reading_that_the_rows_refute_goes(tmp_path: Path) -> None:
    """One reading is left, and is taken."""
    path = tmp_path / "t.csv"
    path.write_text("n,x\na,the mill is old\n", "utf-8")
    assert _mapping(path).column("passage") == "x"


def test_two_readings_that_are_left_are_refused_with_options_that_work(table: Path) -> None:
    """Each option of the error, typed as it stands, settles it."""
    with pytest.raises(InputError, match=r"2 ways.*--column passage=x.*--column passage=y"):
        _mapping(table)
    assert _mapping(table, passage="y").column("passage") == "y"


def test_what_the_user_names_is_tested_too(table: Path) -> None:
    """A named column that the rows refute is an error that says why."""
    with pytest.raises(InputError, match=r"'n' is no passage"):
        _mapping(table, passage="n")


@pytest.mark.parametrize(
    ("named", "why"),
    [({"pasage": "x"}, "no such field"), ({"passage": "z"}, "no column 'z' for the passage")],
)
def test_a_role_or_column_that_there_is_none_of_is_an_error(
    table: Path, named: dict[str, str], why: str
) -> None:
    """The error names what there is."""
    with pytest.raises(InputError, match=why):
        _mapping(table, **named)


def test_a_mapping_that_was_saved_is_read_again(table: Path, tmp_path: Path) -> None:
    """What is saved beside the results names the same columns, with the same signature."""
    mapping = _mapping(table, passage="y")
    saved = tmp_path / "mapping.toml"
    saved.write_text(mapping.as_toml(), "utf-8")
    again = settled_mapping(
        open_table(table), "claims", Named(columns={}, mapping=saved), _passages, [_is_long]
    )
    assert again.id == mapping.id == read_mapping(saved, "claims").id


def test_advice_is_a_column_that_a_trial_read_accepts(table: Path) -> None:
    """The first column that no check refutes is proposed; none where all are refuted."""
    sample = open_table(table).sample
    nothing = TableMapping(task="claims")
    advised = column_advice({"passage": [_is_long]}, nothing, sample)
    assert advised == "--column passage=x"
    refuted = column_advice({"passage": [lambda mapping, rows: "no"]}, nothing, sample)
    assert refuted == "--column passage=NAME"


def test_advice_names_every_role_that_is_lacking_at_once(table: Path) -> None:
    """No column is proposed twice, and of texts the longest comes first."""
    sample = open_table(table).sample
    roles = {"passage": [_is_long], "claim": (), "label": ()}
    advised = column_advice(roles, TableMapping(task="claims"), sample)
    assert advised == "--column passage=x --column claim=n --column label=y"
    longest = column_advice({"claim": ()}, TableMapping(task="claims"), sample, texts=("claim",))
    assert longest in ("--column claim=x", "--column claim=y")
