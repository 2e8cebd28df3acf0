"""A campaign's results from a ledger: as the command tells them, and as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest

from campaigns import campaign_in, people, rated, results_of
from factmark.campaign_model import Refused, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.lists import change_lists
from factmark.ledger.ratings import keep_refused
from factmark.model import Judge, Verdict
from factmark.people.report import ratings_report
from factmark.people.verdicts import take_ratings
from sample_campaign import sample_campaign
from shell import Done, run

LABELS = {  # of A1 and A2: unit -> labels with comments, the newest last
    "A1": {
        "d1-0": [("3", ""), ("4", "3.5")],
        "d1-1": [("2", "=HYPERLINK(1)")],
        "d2-0": [("5", "")],
    },
    "A2": {"d1-0": [("4", "")], "d1-1": [("1", "")]},
}
JUDGE = {"d1-0": "5", "d1-1": "1", "d2-0": "5", "d2-1": "1"}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rated") / "c.db"
    two = [Shown(evidence="Source.", text=f"Summary {letter}.") for letter in "xy"]
    model = Judge.create("model", "m1")
    with Ledger(path) as opened:
        made = campaign_in(
            opened, [("d1", two), ("d2", two)], annotators=people("Person 1", "Person 2")
        )
        revisions = [
            rated(task.key, label, at, comment=comment)
            for task in tasks_of(opened, made)
            for at, (label, comment) in enumerate(
                LABELS[task.assignment.annotator].get(task.assignment.unit, ())
            )
        ]
        take_ratings(opened, made, revisions, protocol_of)
        odd = Refused(id="r1", key="", where="task 1", reason="it has no label", raw="{}")
        keep_refused(opened, made, [odd])
        with opened.writing():
            opened.add_judge(model)
            for unit, label in JUDGE.items():
                verdict = Verdict(unit=unit, judge=model.id, label=label, value=float(label))
                opened.add_verdict(verdict, "2026-01-02T00:00:00+00:00")
    return path


def results(ledger: Path, *arguments: str | Path, status: int = 0) -> Done:
    done = run("annotate", "results", ledger, "--resamples", "200", *arguments, COLUMNS="160")
    assert done.returncode == status, done.stderr
    return done


def test_what_people_said_is_read_back(ledger: Path) -> None:
    found = results_of(results(ledger, "--json").stdout)
    # s0: d1 (4 + 4) / 2, d2 5: 4.5. s1: d1 (2 + 1) / 2, d2 missing: 1.5.
    values = {score["system"]: score["final"]["value"] for score in found["scores"]}
    assert values == pytest.approx({"s0": 4.5, "s1": 1.5})
    counts = [(one["n_answered"], one["n_asked"]) for one in found["annotators"]]
    assert counts == [(3, 4), (2, 4)]
    assert found["annotators"][0]["n_recalibrated"] == 1
    assert found["refused"] == {"it has no label": 1}
    (judge,) = found["judges"]
    assert (judge["name"], judge["n_judged"], set(judge["systems"])) == ("m1", 4, {"s0", "s1"})
    assert judge["agreement"]["n_units"] == 5  # pairs of a label of the judge and one of a person
    assert judge["agreement"]["exact"]["value"] == pytest.approx(2 / 5)
    shown = results(ledger, "--all").stdout
    for text in (
        "Mean rating per system",
        "Leader board",
        "Agreement of annotators",
        "2 comments",
    ):
        assert text in shown
    assert "Person 1" not in shown


def test_a_row_per_revision(ledger: Path, tmp_path: Path) -> None:
    results(ledger, "--out", tmp_path)
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("annotator", "unit", "label", "first", "final", "finer")
    assert [tuple(row[name] for name in names) for row in rows[:3]] == [
        ("A1", "d1-0", "3", "True", "False", ""),
        ("A1", "d1-0", "4", "False", "True", "3.5"),
        ("A1", "d1-1", "2", "True", "True", ""),
    ]
    assert len(rows) == 9  # six revisions, and three tasks without any
    assert rows[2]["comment"] == "'=HYPERLINK(1)"  # no formula where a spreadsheet opens it
    parquet = str(tmp_path / "rows.parquet")
    with duckdb.connect() as db:
        table = db.execute("SELECT comment, value, final FROM read_parquet(?)", [parquet])
        assert table.fetchall()[2] == ("=HYPERLINK(1)", 2.0, True)


@pytest.mark.parametrize("names", [False, True])
def test_names_only_where_asked_for(ledger: Path, tmp_path: Path, names: bool) -> None:
    results(ledger, "--out", tmp_path, *["--names"] * names)
    for path in tmp_path.iterdir():
        if path.suffix in (".json", ".html", ".md", ".tex") or path.name == "rows.csv":
            assert ("Person 1" in path.read_text("utf-8")) == names, path.name


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--judge", "Person 1"), "is a person"),
        (("--judge", "m2"), "has no judge 'm2'"),
        (("--campaign", "other"), "--campaign other"),
    ],
)
def test_who_is_not_there_is_told(ledger: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in results(ledger, *arguments, status=2).stderr
    assert len(results_of(results(ledger, "--judge", "m1", "--json").stdout)["judges"]) == 1


def test_hostile_text_is_written(tmp_path: Path) -> None:
    ratings_report(sample_campaign(text="a\ud800\x00|`\\input{x}")).write(tmp_path)
    assert "\\input{" not in (tmp_path / "tables.tex").read_text("utf-8")


# What people, and a model, said of six answers: C and I are CORRECT and INCORRECT; `-` was asked
# for and is not there, a blank was not asked for. Cy is asked all and has answered nothing.
SAID = {"A1": "CCIIIC", "A2": "CI--I ", "A3": "------", "m1": "CC-IIC"}


def test_agree_tells_the_same_numbers_where_ratings_are_missing(tmp_path: Path) -> None:
    path, texts = tmp_path / "c.db", [Shown(evidence="Q", text=f"Answer {n}.") for n in range(6)]
    label = {"C": "CORRECT", "I": "INCORRECT"}
    model = Judge.create("model", "m1")
    with Ledger(path) as opened:
        documents = [(f"d{n}", [text]) for n, text in enumerate(texts)]
        made = campaign_in(opened, documents, form="graphrag", annotators=people("A", "B", "C"))
        tasks = tasks_of(opened, made)
        said = [
            (task, SAID[task.assignment.annotator][int(task.assignment.unit[1])]) for task in tasks
        ]
        ratings = [rated(task.key, label[sign], 0) for task, sign in said if sign in label]
        take_ratings(opened, made, ratings, protocol_of)
        with opened.writing():
            gone = [task.assignment for task, sign in said if sign == " "]
            change_lists(opened, made, gone, ())
            opened.add_judge(model)
            for n, sign in enumerate(SAID["m1"]):
                told = {"label": label[sign], "value": float(sign == "C")} if sign in label else {}
                verdict = Verdict(
                    unit=f"d{n}-0", judge=model.id, status="ok" if told else "unparsed", **told
                )
                opened.add_verdict(verdict, "2026-01-02T00:00:00+00:00")
    found = results_of(results(path, "--json").stdout)
    numbers = found["agreement"]
    # A and B were both asked about five, and both answered three, C C, C I and I I: 2/3 agree.
    # Shares of CORRECT, each of the five alike: (1 + 1/2 + 0 + 0 + 0)/5 = .3. Chance of AC1:
    # 2 (.3)(.7) = .42, of Fleiss' kappa: .3² + .7² = .58; of Cohen's, by the three: 4/9.
    assert numbers["ac1"]["value"] == pytest.approx((2 / 3 - 0.42) / 0.58)
    assert numbers["fleiss"]["value"] == pytest.approx((2 / 3 - 0.58) / 0.42)
    assert numbers["cohen"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))
    agreement = json.loads(run("agree", path, "--json", "--resamples", "200").stdout)
    (panel,) = agreement["details"]["kinds"]
    compared = {(row["comparison"], row["a"]): row for row in panel["comparisons"]}
    (judge,) = found["judges"]
    for sides, ours in (
        (("pair", "A1"), numbers),
        (("against people", "m1"), judge["agreement"]),
    ):
        theirs = compared[sides]
        for name in ("alpha", "ac1", "fleiss", "cohen", "exact"):
            assert ours[name] == theirs[name], (sides, name)
