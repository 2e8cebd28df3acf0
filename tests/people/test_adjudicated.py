"""Where ratings lie far apart somebody decides: as the owner runs it, and as results tell it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from campaigns import campaign_in, people, rated, summaries
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.changes.adjudicating import opinions
from factmark.people.verdicts import take_ratings
from shell import Done, run

GIVEN = {  # name -> unit -> label
    "Ada": {"d0-0": "5", "d0-1": "4", "d0-2": "3", "d1-0": "0"},
    "Ben": {"d0-0": "1", "d0-1": "3", "d0-2": "1", "d1-0": "5"},
    "Cleo": {"d1-0": "4"},
}


def annotate(command: str, *arguments: object, status: int = 0) -> Done:
    done = run("annotate", command, *arguments, COLUMNS="160")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def rate(path: Path, given: dict[str, dict[str, str]], second: int = 1) -> None:
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        names = {person.code: person.name for person in known.annotators}
        revisions = [
            rated(task.key, label, second, comment=f"why {label}")
            for task in tasks_of(ledger, known)
            if (label := given.get(names[task.assignment.annotator], {}).get(task.assignment.unit))
        ]
        assert take_ratings(ledger, known, revisions, protocol_of).new


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Two documents of three summaries: on d0-0, d0-2 and d1-0 ratings are two or more apart."""
    path = tmp_path / "c.db"
    with Ledger(path) as ledger:
        campaign_in(ledger, summaries(2), annotators=people("Ada", "Ben", "Cleo"))
    rate(path, GIVEN)
    return path


def results(path: Path, *more: object) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        annotate("results", path, "--resamples", "100", "--json", *more).stdout
    )
    return told


def deciding(path: Path, *how: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(annotate("adjudicate", path, "--json", *how).stdout)
    return told


def test_a_third_person_decides_and_results_tell_before_and_after(study: Path) -> None:
    before = results(study)
    assert before["adjudication"] is None
    told = deciding(study)
    assert (told["disputed"], told["new"], told["nobody"]) == (3, 2, 1)  # all rated d1-0
    assert told["lists"] == [{"code": "D1", "name": "Cleo decides", "tasks": 2}]
    assert deciding(study)["new"] == 0
    waits = results(study)
    assert "3 of 3 summaries whose ratings are 2 or more apart are not decided" in " ".join(
        waits["problems"]
    )
    rate(study, {"A3 decides": {"d0-0": "2", "d0-2": "1"}}, second=9)
    after = results(study)
    decided = after.pop("adjudication")
    assert (decided["apart"], decided["disputed"], decided["decided"]) == (2, 3, 2)
    values = {
        one["system"]: [one[name]["value"] for name in ("before", "after", "change")]
        for one in decided["systems"]
    }
    # s0: d0 (5 + 1) / 2 = 3, d1 (0 + 5 + 4) / 3 = 3; decided 2 in place of the 3.
    assert values["s0"] == pytest.approx([3.0, 2.5, -0.5])
    assert values["s1"] == pytest.approx([3.5, 3.5, 0.0])
    assert values["s2"] == pytest.approx([2.0, 1.0, -1.0])
    for name in ("scores", "agreement", "annotators"):  # by the ratings, as before
        assert after[name] == before[name]
    shown = annotate("results", study, "--resamples", "100").stdout
    assert "Before and after adjudication" in shown
    done = run("compare", study, "--metric", "rating_decided", "--resamples", "100", "--json")
    pairs = json.loads(done.stdout)["comparisons"]  # on d0, which alone has all three systems
    s1_s0 = {p["score"]: p["value_b"]["value"] for p in pairs if (p["a"], p["b"]) == ("s1", "s0")}
    assert s1_s0 == pytest.approx({"rating": 3.0, "rating_decided": 2.0})
    for how, exact in (((), 0.0), (("--decided",), 0.5)):  # of d0-0 and d0-2, which both rated
        told = json.loads(run("agree", study, "--kind", "summary", "--json", *how).stdout)
        assert "2 units were decided by adjudication" in " ".join(told["problems"])
        ada_ben = told["kinds"][0]["comparisons"][0]
        assert (ada_ben["a"], ada_ben["b"], ada_ben["exact"]["value"]) == ("A1", "A2", exact)
    annotate("results", study, "--resamples", "100", "--out", study.parent / "out")
    with (study.parent / "out" / "ratings.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["decision"] == "True"]
    assert [(row["annotator"], row["unit"], row["label"]) for row in rows] == [
        ("D1", "d0-0", "2"),
        ("D1", "d0-2", "1"),
    ]
    annotate("withdraw", study, "Ada")  # what was decided stays, though nothing differs any more
    decided = results(study)["adjudication"]
    assert (decided["disputed"], decided["decided"], decided["left"]) == (0, 2, 0)
    assert "annotate adjudicate" in annotate("withdraw", study, "D1").stderr
    annotate("withdraw", study, "D1", "--back")
    out = study.parent / "v.jsonl"
    assert run("ledger", "export", study, out).returncode == 0
    assert "decides" not in out.read_text("utf-8")  # no further rater for agree and compare


def test_those_who_rated_decide_together(study: Path) -> None:
    told = deciding(study, "--together")
    assert {row["name"]: row["tasks"] for row in told["lists"]} == {
        "Ada and Ben decide": 2,
        "Ada and Ben and Cleo decide": 1,
    }
    assert told["nobody"] == 0
    assert "Ada and Ben decide" in annotate("links", study).stdout
    assert "Ada and Ben decide" in annotate("status", study).stdout
    annotate("withdraw", study, "Ben")  # takes those with him along
    assert "decide" not in annotate("links", study).stdout
    assert results(study)["scores"][0]["n_asked"] == 6


def test_somebody_who_is_named_decides_and_sees_no_names(study: Path) -> None:
    annotate("add", study, "--annotators", "Dora")
    told = deciding(study, "--by", "Dora", "--adjudicate", "4")
    assert (told["disputed"], told["apart"]) == (2, 4)
    assert told["lists"] == [{"code": "D1", "name": "Dora decides", "tasks": 2}]
    with Ledger(study) as ledger:
        given = opinions(ledger, campaign_named(ledger))
    assert {name for name, _ in given["d1-0"]} == {"Rater 1", "Rater 2", "Rater 3"}
    labels = sorted((answer.label, answer.comment) for _, answer in given["d0-0"])
    assert labels == [("1", "why 1"), ("5", "why 5")]


def test_what_is_wrong_is_told(study: Path) -> None:
    assert "'--adjudicate'" in annotate("adjudicate", study, "--adjudicate", "0", status=2).stderr
    both = annotate("adjudicate", study, "--by", "Ada", "--together", status=2)
    assert "exclude each other" in both.stderr
    assert "no annotator" in annotate("adjudicate", study, "--by", "Zoe", status=2).stderr
    annotate("close", study)
    assert "was closed" in annotate("adjudicate", study, status=2).stderr
