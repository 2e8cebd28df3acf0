"""`factmark graph lookup`: what a model would be given, shown to a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.cli.main import app
from factmark.errors import InputError


def lookup(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    app(["graph", "lookup", *arguments], standalone_mode=False)
    told = capsys.readouterr()
    return told.out, told.err


def test_the_bundled_graph(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = lookup(capsys, "Which class of drug is metformin?")
    assert "metformin: metformin (name)" in err
    assert "Metformin is a biguanide  (metformin | isa | biguanide)" in out


def test_json_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "g.csv"
    graph.write_text(
        "head,relation,tail,id\nRhine,flows_through,Basel,t1\nRhine,flows_through,Ulm,t2\n",
        encoding="utf-8",
    )
    given = ("Through which city does the Rhine flow?", str(graph), "--top-k", "1", "--json")
    out, _ = lookup(capsys, *given, "--option", "Ulm", "--option", "Bonn")
    found = json.loads(out)
    assert [fact["id"] for fact in found["facts"]] == ["t2"]  # the option is named there
    assert {one["name"]: one["how"] for one in found["linked"]} == {
        "Rhine": "name",
        "Ulm": "option",
    }
    assert found["reached"] == 2


def test_a_terminal_is_not_steered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "g.csv"
    graph.write_text("head,relation,tail\nRhine,is,\x1b[31mred\u202e\n", encoding="utf-8")
    out, err = lookup(capsys, "What is the Rhine?", str(graph))
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def test_nothing_named_and_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = lookup(capsys, "Who are you?")
    assert not out
    assert "no entity that the question names" in err
    with pytest.raises(InputError, match="no such file"):
        lookup(capsys, "Who?", "none.csv")


def test_a_question_that_was_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("triples.csv").write_text("head,relation,tail\na,b,c\n")
    with pytest.raises(InputError, match=r"triples\.csv: is a file\. Name the question first"):
        lookup(capsys, "triples.csv")
    for nothing in ("", " "):
        with pytest.raises(InputError, match="question is empty"):
            lookup(capsys, nothing, "triples.csv")
    long = "What " * 2_000  # no path can be so long
    assert "no entity" in lookup(capsys, f"{long}?", "triples.csv")[1]
    lookup(capsys, long)


def test_the_index_is_the_one_that_graphrag_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("head,relation,tail\nRhine,flows_through,Basel\n")
    Path("q.csv").write_text("question,answer\nThrough which city does the Rhine flow?,Basel\n")
    app(
        ["graph", "graphrag", "a.csv", "--questions", "q.csv", "--out", "out"],
        standalone_mode=False,
    )
    capsys.readouterr()

    def files() -> dict[Path, int]:
        found = Path("out/index").rglob("*")
        return {path: path.stat().st_mtime_ns for path in found if path.suffix not in ("", ".lock")}

    before = files()
    assert before
    out, _ = lookup(capsys, "Where does the Rhine flow?", "a.csv", "--index", "out/index")
    assert "Rhine | flows_through | Basel" in out
    assert files() == before
