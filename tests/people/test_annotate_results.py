"""`factmark annotate results`, called as the command line does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from campaigns import coarse_ledger
from factmark.cli.main import app

SAID = {
    ("A1", "d1", "a"): [("3", ""), ("4", "3.5")],
    ("A1", "d1", "b"): [("2", "")],
    ("A2", "d1", "a"): [("4", "")],
}


def call(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(
        app, ["annotate", "results", *map(str, arguments), "--resamples", "200"]
    )
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def test_tables_on_the_terminal(tmp_path: Path) -> None:
    code, out, _ = call(coarse_ledger(tmp_path / "c.db", SAID))
    assert code == 0
    for text in ("Mean rating per system", "First ratings", "Leader board", "Annotators",
                 "Agreement of annotators", "1 comment, 1 of them with a finer"):  # fmt: skip
        assert text in out
    assert "Person 1" not in out


def test_json_and_files(tmp_path: Path) -> None:
    path = coarse_ledger(tmp_path / "c.db", SAID)
    code, out, err = call(path, "--json", "--names", "--out", tmp_path / "out")
    assert code == 0
    assert {one["system"]: one["final"]["value"] for one in json.loads(out)["scores"]} == {
        "a": 4.0, "b": 2.0,
    }  # fmt: skip
    assert "report.html" in err
    assert "Person 1" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_nothing_rated_yet_is_a_table_of_what_is_missing(tmp_path: Path) -> None:
    code, out, err = call(coarse_ledger(tmp_path / "c.db", dict.fromkeys(SAID, ())))
    assert code == 0
    assert "–" in out
    assert "0.00 to 5.00" in out
    assert "note: Nothing is rated yet" in err
