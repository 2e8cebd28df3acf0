"""Tables as programs of all kinds write them: quotes that are letters, and what is no table."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.answers.reading import read_answers
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import read_claims
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.files.separated import table_rows
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages


def rows_of(path: Path, text: str) -> tuple[list[tuple[str, dict[str, str]]], Problems]:
    path.write_text(text, encoding="utf-8", newline="")
    problems = Problems()
    return list(table_rows(path, problems, "utf-8")), problems


def test_a_quote_in_a_table_with_tabs_is_a_letter_where_it_makes_no_row(tmp_path: Path) -> None:
    """Two rows were lost to each such quote, or all that followed one."""
    cells = [
        ('"Zinc" helps', "a"),
        ('5" of rain', "b"),
        ('"Zinc helps', "c"),  # opens a cell that the next line closes
        ('zinc" helps"', "d"),
        ('"for ever', "e"),
        ("the end", '"f'),
    ]
    text = "x\ty\r\n" + "".join(f"{x}\t{y}\r\n" for x, y in cells)
    rows, problems = rows_of(tmp_path / "t.tsv", text)
    assert [tuple(row.values()) for _, row in rows] == cells
    assert [where for where, _ in rows] == [f"line {n}" for n in range(2, 8)]
    assert problems.n_dropped == 0


def test_quotes_around_a_cell_of_a_table_with_tabs_are_no_letters(tmp_path: Path) -> None:
    text = '#c\nx\ty\n"a ""b"""\t"c\td"\n"two\nlines"\t"e"\n\n"open\tf\n"\t"\n"lost\nlast\n'
    rows, problems = rows_of(tmp_path / "t.csv", text)
    assert [tuple(row.values()) for _, row in rows] == [
        *(('a "b"', "c\td"), ("two\nlines", "e"), ('"open', "f"), ('"', '"')),
    ]
    assert [where for where, _ in rows] == ["line 3", "lines 4 to 5", "line 7", "line 8"]
    assert problems.n_dropped == 1
    rows, problems = rows_of(tmp_path / "c.csv", 'x,y\n"Zinc" helps,a\nb,c\n')
    assert ([where for where, _ in rows], problems.n_dropped) == (["line 3"], 1)  # as before


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize(
    ("last", "end"),
    [("d,e,f", 4), ('d,"e",f', 4), ('d,"e, e",f', 4), ('d,"",f', 4), ('a",b,c', 4)],
)
def test_an_open_quote_in_a_table_with_commas_is_an_error_with_its_line(
    tmp_path: Path, sign: str, last: str, end: int
) -> None:
    """All rows to the end, or to the next quote, were told as one that is left out."""
    text = 'x,y,z\na,"b,c\na,b,c\n'.replace(",", sign) + last.replace(",", sign) + "\n"
    with pytest.raises(InputError, match=rf"t.csv, line 2: a quote .* rows to line {end} are"):
        rows_of(tmp_path / "t.csv", text)


@pytest.mark.parametrize("cell", ["1,2,3", "a\nb", "one, two, three\n" * 9, 'a ""b"", c,\n,,\n'])
def test_cells_of_several_lines_are_read_whatever_commas_are_in_them(
    tmp_path: Path, cell: str
) -> None:
    text = "x,y,z\n" + "".join(f'{n},"{cell}","{cell}"\n' for n in range(3))
    rows, problems = rows_of(tmp_path / "t.csv", text)
    plain = cell.replace('""', '"')
    assert [row for _, row in rows] == [{"x": str(n), "y": plain, "z": plain} for n in range(3)]
    assert problems.n_dropped == 0


@given(st.lists(st.tuples(*[st.text('ab"', max_size=4)] * 2), min_size=1, max_size=6))
def test_every_line_of_a_table_with_tabs_is_a_row(tmp_path_factory, cells) -> None:
    text = "x\ty\n" + "".join(f"{x}\t{y}\n" for x, y in cells)
    rows, problems = rows_of(tmp_path_factory.getbasetemp() / "t.tsv", text)
    kept = [number for number, row in enumerate(cells, start=2) if any(row)]
    lines = {int(where.split()[1]) for where, _ in rows}
    assert problems.n_dropped == 0
    assert lines <= {*kept}
    assert {n for n in kept if any(c not in ("", '""') for c in cells[n - 2])} <= lines


def test_quotes_without_an_end_take_time_that_grows_as_the_file_does(tmp_path: Path) -> None:
    started = process_time()
    rows, _ = rows_of(tmp_path / "t.tsv", "x\ty\n" + f'"{"a" * 40}\tb\n' * 20_000)
    assert len(rows) == 20_000
    assert process_time() - started < 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = b"id,text,claim,head,relation,tail\n"
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "gz.csv").write_bytes(gzip.compress(text))
    for name in ("t.ods", "book.csv"):
        with zipfile.ZipFile(tmp_path / name, "w") as book:
            book.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "pq.jsonl").write_bytes(b"PAR1....")
    (tmp_path / "t.text").write_bytes(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t.csv.gz", "is compressed. Unpack it"),
        ("t.ods", "is a workbook. Save it as .xlsx"),
        ("gz.csv", "is a compressed file, and no text"),
        ("book.csv", "is a workbook or a zip file, and no text"),
        ("pq.jsonl", "is a Parquet file, and no text"),
        ("t.text", "ends in none of .csv"),
    ],
)
def test_what_is_no_table_is_told_as_what_it_is(folder: Path, name: str, words: str) -> None:
    path = folder / name
    if words.endswith("no text"):
        with pytest.raises(InputError, match=words):
            check_file(path)
        with pytest.raises(InputError, match=words):
            read_answers(path)
    for read in (
        lambda: list(read_triples(path, Problems())),
        lambda: read_claims(ClaimsOptions(claims=path), Problems()),
        lambda: read_passages(path, Problems()),
    ):
        with pytest.raises(InputError, match=words):
            read()
