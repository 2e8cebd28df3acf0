"""Files that libraries in other languages read: whatever is damaged, one error names the file."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.native import native_reader
from factmark.files.problems import Problems
from factmark.files.rows import header_of, read_rows
from later import later

duckdb = later("duckdb")
pa = later("pyarrow")


def parquet(path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 'A is B.' AS claim, 'x' AS colname) TO '{path}' (FORMAT parquet)")


def arrow(path: Path) -> None:
    table = pa.table({"claim": ["A is B."], "colname": ["x"]})
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[Path], None]] = {".parquet": parquet, ".arrow": arrow}


@pytest.mark.parametrize("end", WRITERS)
@pytest.mark.parametrize("text", [b"colname", b"A is B."])
def test_what_is_not_utf_8_is_told_with_the_file(tmp_path: Path, end: str, text: bytes) -> None:
    """The name of a column, or a cell."""
    path = tmp_path / f"t{end}"
    WRITERS[end](path)
    path.write_bytes(path.read_bytes().replace(text, b"\xff\xfe" + text[2:]))
    with pytest.raises(InputError, match=f"t{end}: cannot be read as"):
        list(read_rows(path, Problems()))


@pytest.mark.parametrize("end", WRITERS)
def test_a_damaged_file_is_told_wherever_the_damage_is(tmp_path: Path, end: str) -> None:
    """Bytes changed, taken out and cut off: no error but ours, whoever notices it first."""
    path, draw = tmp_path / f"t{end}", random.Random(5)
    WRITERS[end](path)
    whole = path.read_bytes()
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(4, len(damaged) - 4)
            damaged[at : at + draw.choice((1, 1, 4))] = draw.randbytes(draw.choice((1, 1, 0, 6)))
        path.write_bytes(bytes(damaged[: draw.choice((None, None, at))]))
        with suppress(InputError):
            list(read_rows(path, Problems()))
        with suppress(InputError):
            header_of(path)


def test_a_panic_of_a_library_is_an_error_of_the_file() -> None:
    """It is no Exception: only its name tells it from an interrupt."""
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(InputError, match=r"t\.nt: cannot be read as RDF: index out of"):
        with native_reader(Path("t.nt"), "RDF"):
            raise panic("index out of bounds\nat line 3")
    with pytest.raises(KeyboardInterrupt), native_reader(Path("t.nt"), "RDF"):
        raise KeyboardInterrupt
