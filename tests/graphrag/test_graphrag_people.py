"""People correct the answers of a GraphRAG run: plan, sheet, import, corrected score."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from factmark.cli.main import app
from factmark.errors import LedgerError

QUESTIONS = [
    {"question": "What treats type 2 diabetes?", "answer": "metformin"},
    {"question": "What kind of thing is insulin?", "answer": "a peptide hormone of the pancreas"},
    {"question": "What lowers potassium?", "answer": "furosemide"},
    {"question": "Which one treats type 2 diabetes?", "options": ["aspirin", "metformin"],
     "answer": "B"},
]  # fmt: skip
GRAPH = (
    "head,relation,tail\nmetformin,treats,type 2 diabetes\ninsulin,isa,hormone\n"
    "aspirin,treats,fever\n"
)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    app([*arguments], standalone_mode=False)
    told = capsys.readouterr()
    return told.out, told.err


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    (tmp_path / "a.csv").write_text(GRAPH)
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS))
    monkeypatch.chdir(tmp_path)
    run(capsys)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    given = ("a.csv", "--questions", "q.jsonl", "--control", "off", "--ledger", "l.db", "--json")
    found: dict[str, object] = json.loads(call(capsys, "graph", "graphrag", *given)[0])
    return found


def test_from_a_sheet_to_a_corrected_score(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ("plan", "--labels", "4", "--ledger", "l.db", "--sheet", "s.csv")
    _, told = call(capsys, *plan)
    assert "--form graphrag" in told
    with (folder / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    # the choice is judged by rule, and is one of those that a score is over
    assert len(rows) == 4
    assert all(row["labels"] == "CORRECT / INCORRECT" for row in rows)
    by_question = {row["passage"].splitlines()[0]: row for row in rows}
    kind = by_question["Question: What kind of thing is insulin?"]
    assert kind["passage"].endswith("Reference answer: a peptide hormone of the pancreas")
    assert "hormone" in kind["claim"]
    for row in rows:
        row["annotator"], row["label"] = "Ada", "correct"
    with (folder / "s.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert "4 labels by 1 person" in call(capsys, "ledger", "import", "l.db", "s.csv")[0]
    found = run(capsys)
    assert found["annotators"] == ["Ada"]
    assert found["corrections"]["a"]["corrected"]["value"] == pytest.approx(1.0)  # type: ignore[index]
    assert "nothing to label" in call(capsys, *plan, "--replace")[1]


def test_the_sheet_makes_a_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "plan", "--labels", "2", "--ledger", "l.db", "--sheet", "s.csv")
    made = ("annotate", "create", "--form", "graphrag", "--ledger", "l.db", "--sheet", "s.csv")
    told = json.loads(call(capsys, *made, "--annotators", "Ada", "--json")[0])
    assert told["settings"]["units"] == 2


def test_a_report_of_its_ledger_is_made_by_the_same_command(folder: Path) -> None:
    with pytest.raises(LedgerError, match=r"was written by `factmark graph graphrag`\. Give the"):
        app(["report", "l.db"], standalone_mode=False)
