"""A damaged table is refused with its file and line, wherever the damage is; what must not matter
about its bytes does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shell import Done, run

ROWS = [
    {
        "id": f"é{n}",
        "remark": f"schön {n}",
        "judge": ["no", "yes"][n % 3 > 0],
        "human": ["no", "yes"][n % 4 > 0],
    }
    for n in range(40)
]
CSV = "\n".join([",".join(ROWS[0]), *(",".join(row.values()) for row in ROWS), ""])
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
TABLES = {"t.csv": CSV, "t.jsonl": LINES}
AT = {"t.csv": 21, "t.jsonl": 20}  # the line of the row é19


def analysed(folder: Path, name: str, data: bytes, *options: str) -> Done:
    """What `analyse` says of a file."""
    (folder / name).write_bytes(data)
    return run("analyse", name, "--json", *options, cwd=folder)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("text", "byte"), [("é19", b"\xe919"), ("schön 19", b"sch\xf6n 19"), ("schön 19", b"sch\0n")]
)
def test_a_broken_byte_is_told_by_its_line(
    tmp_path: Path, name: str, text: str, byte: bytes
) -> None:
    """In the id, and in a column that nobody reads; NUL, as a crash leaves it, too."""
    data = TABLES[name].encode().replace(text.encode(), byte, 1)
    done = analysed(tmp_path, name, data)
    assert done.returncode == 2
    assert f"{name}, line {AT[name]}: holds " in done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_a_broken_byte_in_people_s_labels_is_told_by_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "j.csv").write_text(CSV.replace("human", "x"), "utf-8")
    data = TABLES[name].encode().replace("é19".encode(), b"\xe919", 1)
    (tmp_path / name).write_bytes(data)
    done = run("analyse", "j.csv", name, "--judge", "judge", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{name}, line {AT[name]}: holds " in done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_a_file_that_is_cut_off_is_told_by_its_line(tmp_path: Path, name: str) -> None:
    """Within a row, and within a letter."""
    data = TABLES[name].encode()
    end = data.index("é19".encode())
    for at in (end + 1, end + 4):
        done = analysed(tmp_path, name, data[:at])
        assert done.returncode == 2
        assert f"{name}, line {AT[name]}: " in done.stderr
        assert "cut off" in done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_neither_encoding_nor_line_ends_change_a_figure(tmp_path: Path, name: str) -> None:
    text = TABLES[name]
    figures = json.loads(analysed(tmp_path, name, text.encode()).stdout)["averages"]
    assert figures
    marked = b"\xef\xbb\xbf" + text.encode()
    forms = {
        "mark": (marked, ()),
        "mark, named": (marked, ("--encoding", "utf_8")),
        "UTF-16": (text.encode("utf-16"), ()),
        "cp1252": (text.encode("cp1252"), ("--encoding", "cp1252")),
        "CRLF": (text.replace("\n", "\r\n").encode(), ()),
        "no last end": (text.rstrip().encode(), ()),
    }
    for form, (data, options) in forms.items():
        done = analysed(tmp_path, name, data, *options)
        assert done.returncode == 0, f"{form}: {done.stderr}"
        assert json.loads(done.stdout)["averages"] == figures, form


def test_rows_of_empty_cells_are_no_units(tmp_path: Path) -> None:
    """As spreadsheets leave them at the end."""
    figures = [
        json.loads(analysed(tmp_path, "t.csv", (CSV + more).encode()).stdout)["averages"]
        for more in ("", ",,,\n" * 3)
    ]
    assert figures[0] == figures[1]


def test_why_no_row_can_be_used_is_said(tmp_path: Path) -> None:
    done = analysed(tmp_path, "t.jsonl", b"these are\nno objects\n")
    assert done.returncode == 2
    assert "t.jsonl: holds no rows (no JSON: 2 left out (line 1" in done.stderr
