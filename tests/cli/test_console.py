"""What commands print cannot drive the terminal, whoever named the models, files and entities."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import factmark
from factmark.cli import console
from factmark.report.layouts import Cell, DataTable, Head, TableLine
from shell import run

HOSTILE = "a\x1b]0;owned\x07\x1b[2Jb\x9b31mc\u202ed"
DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PACKAGE = Path(factmark.__file__).parent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def command(*arguments: str | Path, cwd: Path) -> tuple[int, str]:
    done = run(*arguments, cwd=cwd)
    return done.returncode, done.stdout + done.stderr


def table(text: str) -> DataTable:
    line = TableLine(labels=(text,), cells=(Cell(value=text),))
    return DataTable(
        title=text,
        label_names=(text,),
        columns=(Head(name=text),),
        lines=(line,),
        notes=(text,),
        record_names=(),
        records=(),
    )


@pytest.mark.parametrize("columns", ["200", "20"])
def test_a_table_has_no_escape_in_any_part(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    console.print_table(table(HOSTILE))
    out = capsys.readouterr().out
    assert not DRIVING.search(out)
    assert out.count("[U+") >= 5


def numbers(*columns: tuple[str, str]) -> DataTable:
    """A table of one line: head and cell of each column."""
    cells = tuple(Cell(value=value) for _, value in columns)
    return replace(
        table("x"),
        columns=tuple(Head(name=name) for name, _ in columns),
        lines=(TableLine(labels=("a",), cells=cells),),
        notes=(),
    )


def test_a_narrow_table_drops_what_is_0_before_it_is_split(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    wide = [(name * 8, "1") for name in "abcd"]
    console.print_table(numbers(*wide, ("missings", "0"), ("none", "0")))
    out = capsys.readouterr().out
    assert "continued" not in out
    assert "Not shown, as it is 0 in every line: missings, none." in " ".join(out.split())
    console.print_table(numbers(*wide[:2], ("missings", "0")))
    assert "Not shown" not in capsys.readouterr().out, "there is room"


def test_no_column_stands_alone_in_the_last_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    console.print_table(numbers(*((name * 8, "1") for name in "abcdef")))
    rest = capsys.readouterr().out.partition("continued")[2]
    assert {"e" * 8, "f" * 8} <= set(rest.split())


def test_printed_lines_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.say(HOSTILE)
    console.print_line(HOSTILE)
    captured = capsys.readouterr()
    assert not DRIVING.search(captured.out + captured.err)


def test_json_keeps_its_value_without_an_escape(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_json({HOSTILE: [HOSTILE, "é\n"]})
    out = capsys.readouterr().out
    assert not DRIVING.search(out)
    assert json.loads(out) == {HOSTILE: [HOSTILE, "é\n"]}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_whatever_stdout_can_show(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stdout of ASCII (LC_ALL=POSIX) had `\\xb1` in it, which no reader of JSON takes."""
    out = io.BytesIO()
    stream = io.TextIOWrapper(out, encoding=encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    console.print_json({"±": "é 𝄞"})
    console.print_pieces(['["±', '", 1]'])
    stream.flush()
    first, _, second = out.getvalue().decode().partition("}")
    assert json.loads(first + "}") == {"±": "é 𝄞"}
    assert json.loads(second) == ["±", 1]


def test_progress_shows_a_name_and_is_not_driven_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with console.stage_line() as tell:
        tell(HOSTILE, 1, 2)
    console.reading_line(HOSTILE, 1, 2)
    with console.progress(f"{HOSTILE} [link=x]y", 2) as step:
        step()
    shown = screen.getvalue()
    assert "[link=x]y" in shown, "a name is no markup"
    assert not re.search("\x1b\\]|\x07|\x1b\\[2J|\x9b|\u202e", shown)


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
def test_names_of_models_and_conditions_in_each_form(form: str, tmp_path: Path) -> None:
    question = {"query_id": "Q1", "category": HOSTILE, "question": "Which?", "ground_truth": ["A1"]}
    answer = {"query_id": "Q1", "model": HOSTILE, "condition": HOSTILE, "answer": "A1"}
    stray = answer | {"query_id": HOSTILE}
    (tmp_path / "truth.jsonl").write_text(json.dumps(question) + "\n")
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + "\n" + json.dumps(stray) + "\n")
    given = ["--json"] if form == "json" else ["--format", form]
    status, said = command(
        "score", "answers.jsonl", "--benchmark", "truth.jsonl", *given, cwd=tmp_path
    )
    assert status == 0, said
    assert not DRIVING.search(said)
    assert "owned" in said


def test_the_name_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    for arguments in (("score", f"{HOSTILE}.csv"), ("score", "a.csv", HOSTILE), (HOSTILE,)):
        status, said = command(*arguments, cwd=tmp_path)
        assert status == 2
        assert "owned" in said
        assert not re.search("[\x07\x1b\x9b]", said)


def test_no_command_prints_by_itself() -> None:
    """All that is printed goes through `console`, so a new command cannot forget it."""
    printing = r"(?:print|(?:typer|click)\.s?echo|sys\.std(?:out|err)\.write)"
    sites = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name == "console.py" or not re.search(rf"\b{printing}\s*\(", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and re.fullmatch(printing, ast.unparse(node.func)):
                sites.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert sites == []


def test_in_a_log_progress_is_a_line_each_half_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(console, "monotonic", lambda: now)
    with console.progress("answers", 100) as step:
        step(10)
        now = 40.0
        step(10)
        step(1)
    assert capsys.readouterr().err == "answers: 20 of 100, about 160 s left\n"
    with console.stage_line() as tell:
        tell("reading", 1, 2)
    assert capsys.readouterr().err == ""
