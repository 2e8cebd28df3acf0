"""Training, gold and a check: where they stand, what is shown, and that no result has them."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import results_of
from factmark.campaign_model import Assignment, Shown
from factmark.cli.annotate import protocol_of
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.model import Judge
from factmark.people.core.forms import COARSE, FACTS, FINE
from factmark.people.create import draft_campaign, keep_campaign
from factmark.people.labelstudio.projects import n_units_of_page
from factmark.people.options import CampaignOptions
from factmark.people.practice.known import BEFORE, PRACTICE, KnownUnit, with_known
from factmark.people.practice.known_files import read_check, read_known
from served_page import Client, Served, revision, served
from shell import run

HOSTILE = "<script>alert(1)</script>"
MODEL = Judge.create("model", "openai:m1")


def table(path: Path, *rows: dict[str, object]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six documents of two systems for two people, with two questions, a training document of two
    summaries and two gold documents."""
    folder = tmp_path_factory.mktemp("practice")
    rows = [{"article": f"Source {n}.", "x": f"It is {n}.", "y": f"No {n}."} for n in range(6)]
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gold = [{"source": f"Gold {n}.", "summary": f"It says {n}.", "label": 5 - n} for n in (0, 1)]
    known = {
        "check": table(
            folder / "check.csv",
            {"question": "May you look up?", "options": "yes|no", "label": "no", "why": HOSTILE},
            {"question": "Style?", "options": "counts|does not", "label": 2, "why": ""},
        ),
        "training": table(
            folder / "training.csv",
            {"source": "Cats sleep.", "summary": "Cats sleep .", "label": 5, "why": HOSTILE},
            {"source": "Cats sleep.", "summary": "Cats bark.", "label": 0, "why": "they do not"},
        ),
        "gold": table(folder / "gold.csv", *gold),
    }
    options = CampaignOptions(
        files=UnitFiles(source=folder / "s.jsonl"),
        annotators="Ada,Ben",
        overlap=1.0,
        ledger=folder / "c.db",
        **known,
    )
    draft = draft_campaign(options, protocol_of)
    assert any("2 of check, 2 of training, 2 of gold" in note for note in draft.notes)
    keep_campaign(draft, folder / "c.db")
    with Ledger(folder / "c.db") as opened, opened.writing():
        opened.add_judge(MODEL)
    return folder / "c.db"


@pytest.fixture(scope="module")
def page(ledger: Path) -> Iterator[Served]:
    with served(ledger) as running:
        yield running


def roles(path: Path, code: str) -> list[str]:
    """What each task on a list is, in order."""
    with Ledger(path, read_only=True) as opened:
        tasks = tasks_of(opened, campaign_named(opened), code)
    return [
        "check"
        if task.shown.options
        else "training"
        if task.assignment.batch == BEFORE
        else "gold"
        if task.shown.evidence.startswith("Gold")
        else "work"
        for task in tasks
    ]


def test_questions_and_training_come_first_and_gold_is_spread(ledger: Path) -> None:
    for code in ("A1", "A2"):
        asked = roles(ledger, code)
        assert asked[:4] == ["check", "check", "training", "training"]
        assert Counter(asked[4:])["gold"] == 2
        assert "work" in asked[5:]
    with Ledger(ledger, read_only=True) as opened:
        text = campaign_named(opened).guidelines
        assert n_units_of_page(opened, campaign_named(opened)) == 4  # push leaves them out
    assert "*Training*" in text


def test_gold_is_spread_over_a_list_and_splits_no_document() -> None:
    work = [
        Assignment(
            annotator="A1", batch=1 + n // 15, position=n, unit=f"u{n}", document=f"d{n // 3}"
        )
        for n in range(30)
    ]
    gold = [
        KnownUnit(
            role="gold",
            document=f"g{n // 3}",
            shown=Shown(evidence=f"{n // 3}", text=f"{n}"),
            right="5",
        )
        for n in range(6)
    ]
    for seed in range(20):
        rows = with_known(work, gold, ["A1"], seed=seed, together=True)
        assert [row.position for row in rows] == list(range(36))
        documents = [row.document for row in rows]
        blocks = [name for at, name in enumerate(documents) if not at or documents[at - 1] != name]
        assert len(blocks) == 12  # ten documents, two of gold; none in two parts
        first, second = sorted(blocks.index(name) for name in ("g0", "g1"))
        assert first <= 5 < second
        assert [row for row in rows if row.document[0] == "d"] == [
            Assignment(
                **{**{f: getattr(w, f) for f in w.__dataclass_fields__}, "position": r.position}
            )
            for w, r in zip(work, [row for row in rows if row.document[0] == "d"], strict=True)
        ]
    assert len(with_known([], gold, ["A1"], seed=1, together=False)) == 6


def test_right_answers_are_shown_after_the_first_answer_and_never_of_gold(
    ledger: Path, page: Served
) -> None:
    with Ledger(ledger, read_only=True) as opened:
        tasks = tasks_of(opened, campaign_named(opened), "A1")
    keys = [task.key for task in tasks]
    asked = roles(ledger, "A1")
    golden = [n for n, role in enumerate(asked) if role == "gold"]
    ada = Client(page, "Ada", "A1")
    told = json.dumps(ada.told)
    assert [check["options"] for check in ada.told["checks"]] == [
        ["yes", "no"],
        ["counts", "does not"],
    ]
    assert "they do not" not in told
    assert HOSTILE not in told
    assert ada.told["documents"][0]["batch"] == BEFORE
    answers = {0: "1", 1: "2", 2: "5", 3: "2", golden[0]: "4", golden[1]: "4"}
    status, reply = ada.save(*(revision(keys[n], label) for n, label in answers.items()))
    assert status == 200
    assert set(reply["notes"]) == {keys[n] for n in range(4)}
    assert reply["notes"][keys[3]] == {"label": "0", "text": "they do not"}
    assert ada.save(revision(keys[0], "3"))[0] == 422  # there are two options
    late = [
        revision(keys[n], label, at="2126-01-01T00:00:00.5Z")
        for n, label in ((3, "0"), (golden[0], "5"))
    ]
    work = next(task.key for task in tasks if task.shown.text.startswith("It is"))
    assert ada.save(*late, revision(work, "3"))[0] == 200
    done = json.loads(run("annotate", "status", ledger, "--json").stdout)
    scores = {row["role"]: row for row in done["details"]["practice"] if row["code"] == "A1"}
    assert (scores["check"]["n_right"], scores["check"]["off"]) == (1, None)
    # The first answers of training: 5 for 5, 2 for 0.
    assert (
        scores["training"]["n_right"],
        scores["training"]["n_near"],
        scores["training"]["off"],
    ) == (1, 1, 1.0)
    assert scores["gold"]["n_answered"] == 2
    assert [row["done"] for row in done["rows"] if row["code"] == "A1"] == [1]
    results = results_of(run("annotate", "results", ledger, "--json", "--resamples", "200").stdout)
    assert [row["n_answered"] for row in results["annotators"] if row["code"] == "A1"] == [1]
    assert len(results["practice"]) == 6
    query = "SELECT count(*) FROM verdicts v JOIN units u ON u.id = v.unit WHERE u.kind = ?"
    with Ledger(ledger, read_only=True) as opened:
        assert opened.rows(query, PRACTICE).fetchone() == (0,)
    shown = run("annotate", "status", ledger).stdout
    assert "Where the right answer is known" in shown


def test_results_tell_where_an_earlier_version_showed_doubts_of_a_judge(
    ledger: Path, tmp_path: Path
) -> None:
    path = tmp_path / "c.db"
    shutil.copy(ledger, path)
    with Ledger(path, read_only=True) as opened:
        tasks = tasks_of(opened, campaign_named(opened), "A2")
    db = sqlite3.connect(path)
    with db:
        for task, shown in zip(tasks[-3:], (1, 1, 0), strict=True):
            row = (task.key, MODEL.id, "2", "not few", shown, "2026-01-01T00:00:00+00:00")
            names = "key, judge, label, reason, shown, at"
            db.execute(f"INSERT INTO doubts ({names}) VALUES (?, ?, ?, ?, ?, ?)", row)
    db.close()
    results = results_of(run("annotate", "results", path, "--json", "--resamples", "200").stdout)
    assert any(problem.startswith("After 2 first ratings") for problem in results["problems"])


@pytest.mark.parametrize(
    ("role", "row", "told"),
    [
        ("gold", {"source": "S.", "summary": "T.", "label": "6"}, "not one of 0, 1"),
        ("training", {"source": "S.", "summary": "T.", "label": "5"}, "has no `why`"),
        ("gold", {"source": "S.", "label": "5"}, "summary"),
        ("check", {"question": "Q?", "options": "yes", "label": "yes"}, "2 to 9"),
        ("check", {"question": "Q?", "options": "yes|no", "label": "maybe"}, "none of the options"),
    ],
)
def test_files_that_do_not_fit(
    tmp_path: Path, role: str, row: dict[str, object], told: str
) -> None:
    path = table(tmp_path / "k.csv", row)
    with pytest.raises(InputError, match=told) as error:
        read_check(path) if role == "check" else read_known(path, role, COARSE)  # type: ignore[arg-type]
    assert "line 2" in str(error.value)


def test_a_question_asked_otherwise_is_another_unit(tmp_path: Path) -> None:
    # One ledger has several campaigns: the options of the one are not scored by the other's key.
    row = {"question": "May you?", "options": "yes|no", "label": "no", "why": ""}
    other = {**row, "options": "no|yes"}
    first, second = read_check(table(tmp_path / "c.csv", row, other))
    assert (first.right, second.right) == ("2", "1")
    assert first.unit.id != second.unit.id


def test_a_question_that_stands_twice_is_told(tmp_path: Path) -> None:
    row = {"question": "May you?", "options": "yes|no", "label": "no", "why": ""}
    with pytest.raises(InputError, match=r"c\.csv.*line 3.*asks the same"):
        read_check(table(tmp_path / "c.csv", row, {**row, "label": "yes"}))


def test_a_clause_is_found_in_its_summary(tmp_path: Path) -> None:
    row = {
        "source": "Cats sleep. Dogs bark.",
        "summary": "Cats sleep , dogs bark .",
        "label": "YES",
    }
    path = table(tmp_path / "k.csv", {**row, "clause": "dogs bark ."})
    (known,) = read_known(path, "gold", FINE)
    assert known.shown.clause is not None
    assert known.shown.text[slice(*known.shown.clause)] == "dogs bark."
    assert known.shown.likely
    with pytest.raises(InputError, match="word for word"):
        read_known(table(tmp_path / "n.csv", {**row, "clause": "cows moo"}), "gold", FINE)
    with pytest.raises(InputError, match="has no labels"):
        read_known(path, "gold", FACTS)
    with pytest.raises(InputError, match="same as a row before"):
        read_known(
            table(tmp_path / "t.csv", {**row, "clause": "dogs"}, {**row, "clause": "dogs"}),
            "gold",
            FINE,
        )
