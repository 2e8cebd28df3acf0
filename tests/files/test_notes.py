"""Which files of a folder are factmark's: noted once, added to, and compared through links."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.overwriting import NOTES, check_files, check_outputs


def test_another_command_adds_its_names_to_those_before(tmp_path: Path) -> None:
    check_files(tmp_path, ["a.csv"], [])
    check_files(tmp_path, ["b.csv", "a.csv"], [])
    assert (tmp_path / NOTES).read_text() == "a.csv\nb.csv\n"
    (tmp_path / "b.csv").write_text("ours")
    check_files(tmp_path, ["b.csv"], [])


def test_nothing_is_written_where_all_is_noted(tmp_path: Path) -> None:
    """Else two commands that write the same names would take turns at the notes."""
    check_files(tmp_path, ["a.csv", "b.csv"], [])
    before = (tmp_path / NOTES).stat()
    check_files(tmp_path, ["a.csv"], [])
    after = (tmp_path / NOTES).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_no_names_are_noted_in_a_new_folder_too(tmp_path: Path) -> None:
    check_files(tmp_path / "new", [], [])
    assert (tmp_path / "new" / NOTES).read_text() == ""


def test_a_link_to_what_is_not_there_yet_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "data.csv")
    with pytest.raises(InputError, match="would be written over the answers"):
        check_outputs([("--out", tmp_path / "link.csv")], [("the answers", tmp_path / "data.csv")])
    check_outputs([("--out", tmp_path / "link.csv")], [("the answers", tmp_path / "other.csv")])
    with pytest.raises(InputError, match="would be written over --a"):
        check_outputs([("--a", tmp_path / "x"), ("--b", tmp_path / "." / "x")], [])
