"""A queue in place of lists, and several campaigns of one study as one, as a user sees them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaigns import campaign_in, people, rated, results_of, summaries
from factmark.campaign_model import CampaignTask, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.queue import QueueRow
from factmark.people.changes.queue import documents_waiting, draw, with_gold
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.joined_campaigns import joined_judges
from factmark.people.verdicts import take_ratings
from sample_campaign import judge_table
from shell import Done, run


def annotate(command: str, *arguments: object, status: int = 0) -> Done:
    done = run("annotate", command, *arguments, COLUMNS="160")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def results(*arguments: object) -> dict[str, Any]:
    return results_of(annotate("results", *arguments, "--resamples", "100", "--json").stdout)


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    """Four documents of two systems in a queue, two of the documents for two people."""
    rows = [
        {"id": f"d{n}", "article": f"Source {n}.", "s": f"It is {n}.", "t": f"It was {n}."}
        for n in range(4)
    ]
    source = tmp_path / "s.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = ("--annotators", "Ada,Ben", "--overlap", "0.5", "--ledger", tmp_path / "c.db")
    done = annotate("create", source, *made, "--deal", "queue")
    assert "a queue of 4 documents, 2 of them for several" in " ".join(done.stdout.split())
    assert "annotate push" not in done.stdout + done.stderr
    return tmp_path / "c.db"


def test_copies_of_a_campaign_join_in_the_order_in_which_answers_arrived(tmp_path: Path) -> None:
    """Also where a clock went back between them; each answer counts once."""
    path, copy = tmp_path / "one.db", tmp_path / "two.db"
    with Ledger(path) as ledger:
        made = campaign_in(ledger, summaries(1), annotators=people("Ada"))
        key = tasks_of(ledger, made)[0].key
        take_ratings(ledger, made, [rated(key, "5", 40), rated(key, "1", 10)], protocol_of)
    shutil.copy(path, copy)
    with Ledger(copy) as ledger:
        take_ratings(ledger, made, [rated(key, "2", 20)], protocol_of)
    for files in ((path, copy), (copy, path)):
        (score,) = (one for one in results(*files)["scores"] if one["final"]["n_units"])
        assert score["final"]["value"] == 2.0


def next_document(path: Path, code: str, label: str = "") -> str:
    """Draws for somebody, and rates what was drawn where there is a label; returns its name."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        before = tasks_of(ledger, known, code)
        if not draw(ledger, known, code):
            return ""
        drawn: list[CampaignTask] = tasks_of(ledger, known, code)[len(before) :]
        if label:
            take_ratings(ledger, known, [rated(task.key, label, 1) for task in drawn], protocol_of)
        assert len(drawn) == 2
        return drawn[0].assignment.document


def waits(path: Path, code: str) -> int:
    with Ledger(path) as ledger:
        return documents_waiting(ledger, campaign_named(ledger), code)


def test_whoever_comes_draws_the_next_document(queued: Path) -> None:
    assert [waits(queued, code) for code in ("A1", "A2")] == [4, 4]
    shared = [next_document(queued, "A1", "4"), next_document(queued, "A1", "4")]
    held = next_document(queued, "A1")
    assert next_document(queued, "A1", "4") == ""  # what was drawn before is not done
    assert len({*shared, held}) == 3
    assert next_document(queued, "A2", "2") == shared[0]
    annotate("add", queued, "--annotators", "Dora")  # late, and at once in the queue
    assert next_document(queued, "A3", "3") == shared[1]
    last = next_document(queued, "A3", "3")
    assert last not in {*shared, held}
    assert next_document(queued, "A2", "2") == ""
    found = results(queued)
    assert sum(score["n_asked"] for score in found["scores"]) == 12
    assert sum(score["n_answered"] for score in found["scores"]) == 10
    moved = json.loads(annotate("reassign", queued, "--from", "Ada", "--json").stdout)
    assert moved["details"]["moved"] == 1
    assert "2 rows wait in the queue" in annotate("status", queued).stdout
    assert next_document(queued, "A2", "2") == held
    assert waits(queued, "A3") == 0


def test_what_somebody_drew_who_withdraws_is_drawn_again(queued: Path) -> None:
    first = next_document(queued, "A1", "4")
    assert "in the queue again" in annotate("withdraw", queued, "Ada").stderr
    assert waits(queued, "A2") == 4
    assert next_document(queued, "A2", "2") == first
    asked = {score["system"]: score["n_asked"] for score in results(queued)["scores"]}
    assert asked == {"s": 6, "t": 6}


def test_whoever_decides_on_a_document_does_not_draw_it(queued: Path) -> None:
    first = next_document(queued, "A1", "4")
    annotate("add", queued, "--annotators", "Dora,Eve")
    assert next_document(queued, "A2", "1") == first
    assert "D1 Dora decides 2 rows" in annotate("adjudicate", queued).stdout
    annotate("withdraw", queued, "Ben")  # a place is open, and nothing differs any more
    assert [waits(queued, code) for code in ("A3", "A4")] == [3, 4]
    assert next_document(queued, "A3") != first
    again = annotate("adjudicate", queued).stdout
    assert "0 rows with ratings 2 or more apart" in again
    assert "D1 Dora decides 0 rows" in again


def test_gold_is_drawn_among_the_work_of_a_queue() -> None:
    first = QueueRow(unit="ga", document="ga", part="", raters=1, held=frozenset())
    gold = [first, replace(first, unit="gb", document="gb")]
    places: Counter[int] = Counter()
    for person in range(40):
        left, work = list(gold), 8
        seen: list[str] = []
        while left or work:
            rows = [replace(first, unit="w", document="w")] * bool(work)
            key = (1, f"A{person}", str(len(seen)))
            drawn = with_gold(rows, left, work, key, whole=True)
            left = [row for row in left if row not in drawn]
            work -= drawn == rows
            seen.append(drawn[0].document[0])
        assert Counter(seen) == {"g": 2, "w": 8}
        places.update(place for place, name in enumerate(seen) if name == "g")
    assert len(places) == 10
    assert places[0] < 20  # of 40 people
    alone = with_gold(rows, gold, 0, key, whole=False)
    assert {row.unit for row in alone} & {"ga", "gb"}
    # The gold that is left comes with the last rows that are drawn, one to each of them.
    last = [replace(first, unit=name, document=name) for name in ("w1", "w2", "w3")]
    drawn = with_gold(last, [*gold, replace(first, unit="gc", document="gc")], 0, key, whole=False)
    assert {row.unit for row in drawn} == {"w1", "w2", "w3", "ga", "gb", "gc"}


def test_gold_of_a_queue_is_asked_of_whoever_draws(tmp_path: Path) -> None:
    texts = [{"id": f"d{n}", "article": f"S {n}.", "s": f"It is {n}."} for n in range(4)]
    source, gold = tmp_path / "s.jsonl", tmp_path / "gold.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in texts), encoding="utf-8")
    gold.write_text(json.dumps({"source": "G.", "summary": "It is.", "label": "5"}))
    path = tmp_path / "c.db"
    made = ("--annotators", "Ada,Ben", "--overlap", "1", "--ledger", path, "--gold", gold)
    annotate("create", source, *made, "--deal", "queue")
    with Ledger(path) as ledger:
        assert tasks_of(ledger, campaign_named(ledger)) == []
    assert waits(path, "A1") == 5
    annotate("add", path, "--annotators", "Dora")
    assert waits(path, "A3") == 5
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        while draw(ledger, known, "A1"):
            last = tasks_of(ledger, known, "A1")[-1]
            take_ratings(ledger, known, [rated(last.key, "4", 1)], protocol_of)
        assert len(tasks_of(ledger, known, "A1")) == 5
    found = results(path)
    assert found["scores"][0]["n_answered"] == 4


def test_label_studio_knows_no_queue(queued: Path) -> None:
    told = run(
        "annotate", "push", queued, "--url", "http://labels.test", LABEL_STUDIO_API_KEY="f" * 40
    )
    assert told.returncode == 2
    assert "Label Studio knows lists only" in told.stderr


def test_the_rows_of_a_file_are_in_the_ratings_and_what_is_not_rated_is_too(queued: Path) -> None:
    next_document(queued, "A1", "4")
    annotate("results", queued, "--resamples", "100", "--out", queued.parent / "out")
    text = (queued.parent / "out" / "rows.csv").read_text("utf-8")
    head, *lines = text.splitlines()
    rows = [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]
    assert len(rows) == 12
    assert {row["label"] for row in rows} == {"4", ""}
    for row in rows:
        assert row["input_row"] == f"line {int(row['document'][1:]) + 1}"
        assert row["input_id"] == row["document"]
        assert row["input_file"].endswith("/s.jsonl")
    again = annotate("import", queued.parent / "out" / "rows.csv", "--dry-run")
    assert "10 empty labels, left out" in again.stderr


def rate_all(path: Path, given: dict[str, str], name: str | None = None, second: int = 1) -> None:
    """Rates all on the lists of people by their names."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger, name)
        codes = {person.code: person.name for person in known.annotators}
        revisions = [
            rated(task.key, given[codes[task.assignment.annotator]], second)
            for task in tasks_of(ledger, known)
            if codes[task.assignment.annotator] in given
        ]
        take_ratings(ledger, known, revisions, protocol_of)


def test_several_ledgers_are_one_study(tmp_path: Path) -> None:
    """Other people have the same codes there, and another source the same name."""
    for name, who in (("One", "Ada,Ben"), ("Two", "Cleo,Ada")):
        row = {"id": "d0", "article": f"{name}.", "s": f"{name} it is.", "t": f"It was {name}."}
        source = tmp_path / f"{name}.jsonl"
        source.write_text(json.dumps(row), encoding="utf-8")
        made = ("--annotators", who, "--overlap", "1", "--ledger", tmp_path / f"{name}.db")
        annotate("create", source, *made)
    first, other = tmp_path / "One.db", tmp_path / "Two.db"
    rate_all(first, {"Ada": "4", "Ben": "2"})
    rate_all(other, {"Cleo": "1", "Ada": "5"})
    found = results(first, other)
    assert found["campaign"] == "One + Two"
    assert [(one["name"], one["n_answered"]) for one in found["annotators"]] == [
        ("A1", 4),
        ("A2", 2),
        ("A3", 2),
    ]
    assert [score["final"]["value"] for score in found["scores"]] == [3.0, 3.0]
    assert [score["final"]["n_items"] for score in found["scores"]] == [2, 2]  # documents
    names = results(first, other, "--names")
    assert [one["name"] for one in names["annotators"]] == ["Ada", "Ben", "Cleo"]


def test_copies_of_a_ledger_are_one_campaign(tmp_path: Path) -> None:
    first, other = tmp_path / "a.db", tmp_path / "b.db"
    with Ledger(first) as ledger:
        campaign_in(ledger, summaries(2), annotators=people("Ada", "Ben"))
    rate_all(first, {"Ada": "4"})
    shutil.copy(first, other)
    rate_all(other, {"Ada": "3", "Ben": "2"}, second=9)  # Ada went on in the copy
    found = results(first, other)
    assert [(one["n_answered"], one["n_asked"]) for one in found["annotators"]] == [(6, 6), (6, 6)]
    assert found["annotators"][0]["n_recalibrated"] == 6
    assert found["scores"][0]["final"]["value"] == 2.5


def test_campaigns_of_one_ledger_are_one_study(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for name, source in (("pilot", "One."), ("main", "Two.")):
        with Ledger(path) as ledger:
            shown = [Shown(evidence=source, text=f"{source} {letter}.") for letter in "xy"]
            documents = [(f"{name}-d", shown)]
            campaign_in(ledger, documents, annotators=people("Ada"), name=name)
        rate_all(path, {"Ada": "4" if name == "pilot" else "2"}, name)
    found = results(path, "--campaign", "pilot", "--campaign", "main")
    assert found["campaign"] == "pilot + main"
    assert found["scores"][0]["final"]["value"] == 3.0
    assert [one["n_answered"] for one in found["annotators"]] == [4]
    told = annotate("results", path, "--campaign", "pilot", "--campaign", "x", status=2)
    assert "--campaign x" in told.stderr
    other = tmp_path / "b.db"
    with Ledger(other) as ledger:
        campaign_in(ledger, summaries(1), annotators=people("Ada"), form="graphrag", name="graph")
    told = annotate("results", path, other, "--campaign", "main", "--campaign", "graph", status=2)
    assert "results are of one form" in told.stderr


def test_what_a_judge_gave_in_two_ledgers_is_one_table() -> None:
    """A unit of both counts by the first; places, people, systems and clusters stay together."""

    def judge(labels: str, people: dict[int, float], ids: str) -> JudgeLabels:
        table = judge_table(
            list(labels),
            people,
            ids=list(ids),
            clusters=[f"d{unit}" for unit in ids],
            systems=[f"s{unit}" for unit in ids],
        )
        return JudgeLabels(id="j", kind="model", name="judge", table=table)

    (one,) = joined_judges([[judge("54", {1: 3.0}, "ab")], [judge("123", {0: 2.0, 2: 1.0}, "bca")]])
    assert (list(one.table.ids), one.labels) == (["a", "b", "c"], ["5", "4", "2"])
    assert one.table.people_by_place == {1: 3.0}
    assert (one.table.items, one.table.systems) == (["da", "db", "dc"], ["sa", "sb", "sc"])
    (other,) = joined_judges([[judge("54", {1: 3.0}, "ab")], [judge("12", {1: 2.0}, "bc")]])
    assert other.table.people_by_place == {1: 3.0, 2: 2.0}
