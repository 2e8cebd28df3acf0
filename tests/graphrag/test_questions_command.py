"""`factmark graph questions`: what a set covers, before a model is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.cli.main import app
from factmark.errors import InputError


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    app(["graph", "questions", *arguments], standalone_mode=False)
    said = capsys.readouterr()
    return said.out, said.err


def test_the_bundled_set(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(told(capsys, "--json")[0])
    total = rows[-1]
    assert total["questions"] == sum(row["questions"] for row in rows[:-1])
    assert total["text"] >= 60
    assert total["choice"] >= 40
    assert total["unanswerable"] >= 10
    assert total["foreign_triples"] == 0
    assert len(rows) > 5  # topics
    assert "drugs" in told(capsys)[0]


def test_bad_rows_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.jsonl"
    rows = [
        {"question": "Who?", "answer": "me", "level": "easy"},
        {"question": "Which?", "options": ["a", "b"], "answer": "Z", "level": "hard"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out, err = told(capsys, str(path), "--by", "difficulty")
    assert "easy" in out
    assert "line 2" in err


@pytest.mark.parametrize("by", ["level", "difficulty", "topic", "species"])
def test_a_stratum_that_no_question_has_is_an_error(tmp_path: Path, by: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Who?", "answer": "me", "strata": {"kind": "a"}}\n')
    with pytest.raises(InputError, match=f"--by {by}: .*They have kind"):
        app(["graph", "questions", str(path), "--by", by], standalone_mode=False)


def test_level_is_the_difficulty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Who?", "answer": "me", "level": "easy"}\n')
    assert "easy" in told(capsys, str(path), "--by", "level")[0]
