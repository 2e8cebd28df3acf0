"""What a worker lacks to do what the command does: said before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.engine.work import VERSIONS, lacking


@pytest.mark.parametrize(
    ("versions", "size", "program", "words"),
    [
        (VERSIONS, 3, "", ""),
        ("factmark 0.0.1 and Python 3.9", 3, "", "Install the same everywhere"),
        (VERSIONS, 4, "", "another size"),
        (VERSIONS, 3, "no-such-program-of-factmark", "--base-url"),
    ],
)
def test_a_worker_says_what_it_lacks(
    tmp_path: Path, versions: str, size: int, program: str, words: str
) -> None:
    (tmp_path / "t.csv").write_bytes(b"abc")
    lack = lacking(versions, {str(tmp_path / "t.csv"): size}, program)
    assert words in lack
    assert bool(lack) == bool(words)


def test_a_worker_that_does_not_see_a_file_names_it(tmp_path: Path) -> None:
    assert str(tmp_path / "gone.csv") in lacking(VERSIONS, {str(tmp_path / "gone.csv"): 1}, "")
