"""No command writes over a file that it reads, or that factmark did not write."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from factmark.cli.main import app
from factmark.errors import InputError
from factmark.files.overwriting import check_files

QUESTION = '{"id": "q", "category": "c", "question": "How many?", "ground_truth": ["3"]}\n'
ANSWER = (
    '[{"query_id": "q", "answer": "3", "model": "a"},'
    ' {"query_id": "q", "answer": "4", "model": "b"}]'
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "b.jsonl").write_text(QUESTION)
    (tmp_path / "given.json").write_text(ANSWER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def refused(*arguments: str) -> str:
    done = call(*arguments)
    assert isinstance(done.exception, InputError), done.output
    return str(done.exception)


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("results.json", ANSWER, ("score", "results.json", "-b", "b.jsonl")),
        ("rows.csv", "query_id,answer\nq,3\n", ("score", "rows.csv", "-b", "b.jsonl")),
        ("rows.csv", "head,relation,tail\na,isa,b\n", ("graph", "validity", "rows.csv")),
    ],
)
def test_what_is_read_is_not_written_over(
    folder: Path, name: str, content: str, command: tuple[str, ...]
) -> None:
    (folder / name).write_text(content)
    before = {path.name for path in folder.iterdir()}
    assert "would be written over the " in refused(*command, "--out", ".")
    assert (folder / name).read_text() == content
    assert {path.name for path in folder.iterdir()} == before, "before any work"


@pytest.mark.parametrize(
    "command",
    [
        ("analyse", "rows.csv", "--judge", "judge", "--replace", "--sheet"),
        ("annotate", "import", "rows.csv", "--column", "label=human", "--write-mapping"),
    ],
)
def test_a_sheet_or_mapping_is_not_written_over_what_is_read(
    folder: Path, command: tuple[str, ...]
) -> None:
    """`--write-mapping` took the place of the ratings, `--sheet --replace` that of the table."""
    rows = [f"d{n},{n % 2},{n % 3 % 2},s\n" for n in range(30)]
    content = "document_id,judge,human,system\n" + "".join(rows) + "d30,1,,s\n"
    (folder / "rows.csv").write_text(content)
    (folder / "link.csv").symlink_to("rows.csv")
    for name in ("rows.csv", "link.csv"):
        assert "would be written over" in refused(*command, name)
        assert (folder / "rows.csv").read_text() == content


def test_a_file_is_no_folder_for_results(folder: Path) -> None:
    command = ("score", "given.json", "-b", "b.jsonl", "--out", "b.jsonl")
    assert refused(*command) == "--out b.jsonl: is a file. Name a folder."


def test_a_file_of_others_is_kept_and_own_ones_are_replaced(folder: Path) -> None:
    command = ("score", "given.json", "-b", "b.jsonl", "--out", "o")
    assert call(*command).exit_code == 0
    assert call(*command).exit_code == 0, "its own files are written anew"
    (folder / "p").mkdir()
    (folder / "p" / "report.html").write_text("mine")
    told = refused(*command[:-1], "p")
    assert "report.html: is there, and factmark did not write it" in told
    assert [path.name for path in (folder / "p").iterdir()] == ["report.html"]


def test_tables_of_others_are_kept_by_report_compare_and_export(folder: Path) -> None:
    assert call("score", "given.json", "-b", "b.jsonl", "--out", "o").exit_code == 0
    for name in ("tables.md", "verdicts.csv", "truth.jsonl"):
        (folder / name).write_text("mine")
    assert "tables.md" in refused("report", "o/ledger.db", "--out", ".")
    assert "tables.md" in refused("compare", "o", "--out", ".")
    assert "verdicts.csv" in refused("ledger", "export", "o/ledger.db", "verdicts.csv")
    assert "--benchmark" in refused("groundtruth", "build", "b.jsonl", "-b", "b.jsonl")
    assert all((folder / name).read_text() == "mine" for name in ("tables.md", "verdicts.csv"))
    assert call("ledger", "export", "o/ledger.db", "new.csv").exit_code == 0
    assert call("ledger", "export", "o/ledger.db", "new.csv").exit_code == 0


def test_the_ledger_and_files_of_others_are_kept_by_export_plan_and_rag(folder: Path) -> None:
    assert call("score", "given.json", "-b", "b.jsonl", "--out", "o").exit_code == 0
    (folder / "answers.json").write_text("mine")
    assert "answers.json" in refused("export", "o/ledger.db", "--to", "harness", "--out", ".")
    before = (folder / "o/ledger.db").read_bytes()
    sheet = ("--sheet", "o/ledger.db", "--replace", "--half-width", "0.1")
    assert "over --ledger" in refused("plan", "--ledger", "o/ledger.db", *sheet)
    assert (folder / "o/ledger.db").read_bytes() == before
    (folder / "site").mkdir()
    (folder / "site" / "manifest.json").write_text("mine")
    done = call("rag", "build", "site")
    assert "holds other things than an index ('manifest.json')" in str(done.exception)
    assert (folder / "site" / "manifest.json").read_text() == "mine"


def test_another_name_of_an_input_is_the_input(tmp_path: Path) -> None:
    given = tmp_path / "given.csv"
    given.write_text("x")
    (tmp_path / "out.csv").symlink_to(given)
    with pytest.raises(InputError, match="would be written over the answers"):
        check_files(tmp_path, ["out.csv"], [("the answers", given)])
