"""Words that decided ratings, from the ledger to results: how far people agree on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaigns import campaign_in, people, rated, results_of
from tests.shell import run

import factmark as fm
from factmark.campaign_model import EvidenceSpan, Rating, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.verdicts import take_ratings

SOURCE = "Forty adults took part and none of them came back."
TEXT = "Forty children took part."


def span(where: str, words: str) -> EvidenceSpan:
    start = {"source": SOURCE, "text": TEXT}[where].index(words)
    return where, start, start + len(words)


MARKS = {  # of d0 to d2
    "A1": [(span("source", "Forty adults"), span("text", "children")), (), ()],
    "A2": [(span("source", "adults took"), span("text", "children")), (), ()],
    "A3": [(), (), ()],  # never marks anything, and so is no rater of marks
}


def marked(key: str, document: int, who: str) -> Rating:
    revision = rated(key, "2", 1)
    response = replace(revision.response, evidence=MARKS[who][document])
    return replace(revision, response=response)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "c.db"
    documents = [(f"d{n}", [Shown(evidence=SOURCE, text=TEXT)]) for n in range(3)]
    with Ledger(path) as opened:
        made = campaign_in(opened, documents, annotators=people("Ada", "Ben", "Cleo"))
        revisions = []
        for task in tasks_of(opened, made):
            about = task.assignment
            revisions.append(marked(task.key, int(about.document[1:]), about.annotator))
        take_ratings(opened, made, revisions, protocol_of)
    return path


def test_agreement_is_in_the_results(ledger: Path, tmp_path: Path) -> None:
    """In the source each marked two words, one of them the same; in the text both the same one."""
    done = run(
        *("annotate", "results", ledger, "--resamples", "200", "--all"),
        *("--out", tmp_path / "out"),
        COLUMNS="160",
    )
    assert done.returncode == 0, done.stderr
    assert "Agreement on the words that decided ratings" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Agreement on the words that decided ratings" in page
    told = results_of((tmp_path / "out" / "results.json").read_text("utf-8"))["marked_words"]
    assert told["source"]["f1"]["value"] == 0.5
    assert told["text"]["f1"]["value"] == 1
    assert told["source"]["n_pairs"] == told["text"]["n_both"] == 1


def test_agreement_is_in_the_api(ledger: Path) -> None:
    sides = fm.ratings(ledger, resamples=200).details.marked_words
    # 30 words twice in the three sources: 60 values, 4 marked; 2 words on which the two differ.
    assert sides["source"].alpha.value == pytest.approx(1 - 59 * 2 / (56 * 4))


def test_nothing_is_told_where_nobody_marks(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = fm.ratings(ledger, resamples=200)
    assert "marked-words" in result.tables
    with Ledger(ledger) as opened, opened.writing() as db:
        db.execute("UPDATE ratings SET response = json_set(response, '$.evidence', json('[]'))")
    assert "marked-words" not in fm.ratings(ledger, resamples=200).tables
