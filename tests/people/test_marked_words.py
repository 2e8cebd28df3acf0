"""Words that decided ratings, from the ledger to results: how far people agree on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaigns import campaign_in, people, rated, results_of
from tests.shell import run

import factmark as fm
from factmark.campaign_model import EvidenceSpan, Rating, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
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


def test_agree_tells_the_same(ledger: Path, tmp_path: Path) -> None:
    """On the screen, in the page, in JSON and in Python, with the intervals of the results."""
    theirs = fm.ratings(ledger, resamples=200).details.marked_words
    done = run(
        *("agree", ledger, "--resamples", "200", "--all", "--out", tmp_path / "out"), COLUMNS="160"
    )
    assert done.returncode == 0, done.stderr
    for text in (done.stdout, (tmp_path / "out" / "report.html").read_text("utf-8")):
        assert "Agreement on the words that decided ratings" in text
    told = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    (kind,) = told["details"]["kinds"]
    assert kind["marked_words"]["source"]["f1"]["value"] == 0.5
    assert kind["marked_words"]["text"]["n_both"] == 1
    (panel,) = fm.agree(ledger, resamples=200).details
    assert panel.marked_words == theirs


def test_agree_compares_who_is_named(ledger: Path) -> None:
    """Cleo marks nothing, and one person alone is compared with all others' labels only."""
    both = fm.agree(ledger, judge=["Ada", "Ben"], resamples=200)
    assert "marked-words" in both.tables
    assert "marked-words" not in fm.agree(ledger, judge=["Ada", "Cleo"], resamples=200).tables
    assert "marked-words" not in fm.agree(ledger, judge=["Ada"], resamples=200).tables
    with Ledger(ledger) as opened:
        known = campaign_named(opened)
        task = tasks_of(opened, known, "A1")[0]
        take_ratings(opened, known, [rated(task.key, "3", 9)], protocol_of)
    assert "marked-words" not in fm.agree(ledger, first_final=["Ada"], resamples=200).tables


def test_two_campaigns_of_one_study_are_one(ledger: Path) -> None:
    """The same people mark the same words in three further documents: nothing changes but n."""
    before = fm.agree(ledger, resamples=200).details[0].marked_words
    with Ledger(ledger) as opened:
        documents = [(f"e{n}", [Shown(evidence=SOURCE, text=f"{TEXT} {n}")]) for n in range(3)]
        made = campaign_in(
            opened, documents, annotators=people("Cleo", "Ben", "Ada"), name="another"
        )
        names = {person.code: person.name for person in made.annotators}
        codes = {"Ada": "A1", "Ben": "A2", "Cleo": "A3"}
        revisions = []
        for task in tasks_of(opened, made):
            about = task.assignment
            who = codes[names[about.annotator]]
            revisions.append(marked(task.key, int(about.document[1:]), who))
        take_ratings(opened, made, revisions, protocol_of)
    after = fm.agree(ledger, resamples=200).details[0].marked_words
    for side in ("source", "text"):
        assert after[side].f1.value == before[side].f1.value
        assert after[side].n_pairs == 2 * before[side].n_pairs
