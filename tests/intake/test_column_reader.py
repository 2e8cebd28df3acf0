"""Columns of a large file are read by short cuts, which read what the careful reader reads."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.text_files import bounded_blocks, bounded_lines
from factmark.intake.column_reader import plain_cells, read_columns
from factmark.intake.table_file import open_table

_PATHS = ("id", "judge", "of.a")
_JSON = st.sampled_from(
    [
        '{"id": "u1", "judge": 1.50}',
        '{"judge": "yes", "id": 7, "of": {"a": [2]}}',
        '{"id": null, "of.a": "x"}',
        ' {"id": "blank before"}',
        '{"id": "blank after"} ',
        '["u", "is", "yes"]',
        '{"id": "u2"}, {"id": "u3"}',
        '{"id": "broken"',
        "3",
        "",
    ]
)
_CELLS = st.sampled_from(
    ["a,b,c\r\n", 'a,"b\r\nb",c\n', "a,b\n", "\n", 'a,"b,c\n', "é,\r,c\n", "a,b,"]
)


class _Taken(list[Any]):
    """Takes cells as they come."""

    def add(self, cells: Sequence[Any]) -> None:
        """Takes the next cells."""
        self.extend(cells)


def _read_both_ways(name: str, text: str, paths: Sequence[str]) -> tuple[Any, Any]:
    """Returns the columns of a file by the reader of columns and by its rows, with how many rows
    were counted; what is wrong with it where it cannot be read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, "utf-8", newline="")
        ways: list[Any] = []
        for by_columns in (True, False):
            problems = Problems()
            try:
                table = open_table(path)
                if by_columns:
                    taken = read_columns(table, lambda: {p: _Taken() for p in paths}, problems)
                    cells = {p: list(taken[p]) for p in paths}  # type: ignore[call-overload]
                else:
                    rows = [row for _, row in table.rows(problems)]
                    cells = {p: plain_cells([cell_at(row, p) for row in rows]) for p in paths}
            except InputError as error:
                ways.append(str(error))
                continue
            ways.append((cells, problems.rows))
    return ways[0], ways[1]


@given(st.lists(_JSON, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_objects_a_line_are_read_alike(lines: list[str], end: str) -> None:
    """Objects, blank lines, lists, two objects on a line, broken ones, and any end of lines."""
    by_columns, by_rows = _read_both_ways("t.jsonl", end.join(lines), _PATHS)
    assert by_columns == by_rows


@given(st.lists(_CELLS, max_size=6))
def test_tables_are_read_alike(lines: list[str]) -> None:
    """Rows that are longer or shorter, blank, with open quotes and ends of lines within."""
    by_columns, by_rows = _read_both_ways("t.csv", "x,y,z\n" + "".join(lines), ("x", "z"))
    assert by_columns == by_rows


@given(st.text(alphabet="ab\r\n,é\x0b\u2028", max_size=60), st.integers(1, 9))
def test_blocks_of_lines_are_the_lines(text: str, size: int) -> None:
    """Whatever ends lines, and wherever a block ends."""
    place = Path("t.csv")
    one_by_one = list(bounded_lines(place, StringIO(text, newline="")))
    blocks = bounded_blocks(place, StringIO(text, newline=""), size)
    assert [line for block in blocks for line in block] == one_by_one


def test_a_line_without_an_end_is_refused_on_the_way() -> None:
    endless = StringIO("x" * 33_000_000, newline="")
    with pytest.raises(InputError, match="line 1: is longer than 32,000,000 characters"):
        list(bounded_blocks(Path("t.csv"), endless, 4_000_000))
