"""`factmark export` as a user runs it: from a ledger to the forms of others, and scored again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from factmark.cli.score import command as score
from factmark.interop.command import export

TRUTH = [
    {
        "query_id": f"Q{n}",
        "category": "one",
        "question": f"Which is {n}?",
        "ground_truth": [f"Name{n}"],
    }
    for n in range(4)
]
ANSWERS = [
    {
        "query_id": f"Q{n}",
        "condition": condition,
        "model": "org/m",
        "latency_seconds": n,
        "answer": f"Name{n} and Other{n}.",
        "tools_called": ["list"],
        "chunks_retrieved": ["c1"],
    }
    for condition in ("rag", "mcp")
    for n in range(4)
]

app = typer.Typer()
app.command()(export)
app.command()(score)


def scored(folder: Path, answers: Path) -> dict[str, object]:
    given = [str(answers), "--benchmark", str(folder / "truth.jsonl"), "--resamples", "100"]
    told = CliRunner().invoke(app, ["score", *given, "--json", "--ledger", str(folder / "l.db")])
    assert told.exit_code == 0, told.output
    averages = json.loads(told.stdout)["details"]["averages"]
    return {
        f"{one['model']} {one['condition']} {one['category']}": one["combined_score"]["value"]
        for one in averages
    }


@pytest.mark.parametrize("form", ["inspect", "lm-eval", "harness", "ehds"])
def test_an_exported_run_is_scored_the_same(tmp_path: Path, form: str) -> None:
    for name, rows in (("truth.jsonl", TRUTH), ("answers.jsonl", ANSWERS)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = scored(tmp_path, tmp_path / "answers.jsonl")
    assert len(before) == 4
    out = tmp_path / "out"
    told = CliRunner().invoke(
        app, ["export", str(tmp_path / "l.db"), "--to", form, "--out", str(out)]
    )
    assert told.exit_code == 0, told.output
    assert str(out) in told.stderr
    again = out / {"harness": "answers.json", "ehds": "ehds.json"}.get(form, "")
    (tmp_path / "l.db").unlink()
    assert scored(tmp_path, again) == before
