"""Judges by one's own weights, in every command that takes a judge, as users run them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import factmark as fm
from campaigns import campaign_in
from factmark.campaign_model import Shown
from factmark.ledger.ledger import Ledger
from shell import run
from tiny_nli import nli_folder

GRAPH = """id,head,relation,tail,passage
r1,Ada,knows,Ben,a yes b
r2,Ben,knows,Cem,a no b
r3,Cem,knows,Dor,a b c
r4,Dor,knows,Eve,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    nli_folder(tmp_path / "models" / "tiny")
    (tmp_path / "g.csv").write_text(GRAPH)
    return tmp_path


def rows(path: Path) -> dict[str, tuple[str, str]]:
    with path.open(newline="") as file:
        return {row["id"]: (row["status"], row["label"]) for row in csv.DictReader(file)}


def test_of_triples_and_of_claims(folder: Path) -> None:
    """The same texts as triples and as claims get the same labels."""
    judge = ("--judge", "nli:models/tiny", "--json")
    done = run("graph", "factscore", "g.csv", *judge, "--out", "o", cwd=folder)
    assert done.returncode == 0, done.stderr
    expected = {
        "r1": ("ok", "SUPPORTED"),
        "r2": ("ok", "CONTRADICTED"),
        "r3": ("ok", "NOT_SUPPORTED"),
        "r4": ("undecided", ""),
    }
    assert rows(folder / "o" / "rows.csv") == expected
    results = json.loads(done.stdout)
    assert results["judge"] == "nli:tiny"
    assert "The model decided 3 of 4 units. Left undecided: 1 no evidence." in results["problems"]
    assert results["details"]["scores"]["pairs"]["score"] == pytest.approx(1 / 3)
    page = (folder / "o" / "report.html").read_text()
    assert "entailment 0.98" in page
    (folder / "c.csv").write_text(
        GRAPH.replace("head,relation,tail", "claim").replace(",knows,", " knows ")
    )
    claims = run("claims", "judge", "c.csv", *judge, "--out", "c", cwd=folder)
    assert claims.returncode == 0, claims.stderr
    assert rows(folder / "c" / "rows.csv") == expected


def test_in_python(folder: Path) -> None:
    results = fm.factscore(
        folder / "g.csv", judge=f"nli:{folder / 'models' / 'tiny'}", ledger=folder / "l.db"
    )
    assert [row["label"] for row in results.json_rows()] == [
        *("SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED", None)
    ]


def test_of_answers_to_a_graph(folder: Path) -> None:
    """An answer follows from any of its references, each read after the question."""
    (folder / "q.jsonl").write_text(
        json.dumps({"id": "q", "question": "Ada knows whom?", "answer": ["b", "yes"]}) + "\n"
    )
    asked = ("graph", "graphrag", "g.csv", "--questions", "q.jsonl", "--judge", "nli:models/tiny")
    done = run(*asked, "--control", "off", "--out", "o", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["judge"] == "nli:tiny"
    with (folder / "o" / "rows.csv").open(newline="") as file:
        answers = list(csv.DictReader(file))
    assert {(row["label"], row["reason"][:10]) for row in answers} == {("CORRECT", "entailment")}


def test_of_a_campaign(folder: Path) -> None:
    """Claims and clauses can follow from a text; a rating from 0 to 5 cannot be asked for."""
    shown = [Shown(evidence="a yes b", text="c"), Shown(evidence="a no b", text="d")]
    for form in ("support", "coarse"):
        with Ledger(folder / f"{form}.db") as ledger:
            campaign_in(ledger, [("d0", shown)], form=form)
    judge = ("--model", "nli:models/tiny")
    done = run("annotate", "judge", "support.db", *judge, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["judge"], value["details"]["verdicts"]) == ("nli:tiny", {"ok": 2})
    assert "calls" not in done.stderr, "it is asked in this process, and costs nothing"
    refused = run("annotate", "judge", "coarse.db", *judge, cwd=folder)
    assert refused.returncode == 2
    assert "it cannot give 0, 1, 2, 3, 4, 5" in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("graph", "factscore", "g.csv", "--judge", "nli:nowhere"), "there is no such folder"),
        (("claims", "judge", "g.csv", "--judge", "nli:models"), "no config.json and no tokenizer"),
        (("graph", "validity", "g.csv", "--judge", "nli:models/tiny"), "cannot give YES, MAYBE"),
        (
            ("graph", "factscore", "g.csv", "--judge", "nli:models/tiny", "--dry-run"),
            "--judge names none that is asked",
        ),
    ],
)
def test_what_cannot_be_done_is_told(words: tuple[str, ...], message: str, folder: Path) -> None:
    done = run(*words, cwd=folder)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
