"""People who withdraw: left out, counted again, deleted, forgotten; as a user runs the commands."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from campaigns import campaign_in, people, rated, results_of, summaries
from factmark.campaign_model import Campaign, Marking
from factmark.cli.annotate import protocol_of
from factmark.errors import LedgerError
from factmark.ledger.campaigns import campaign_named, links_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import annotator_of
from factmark.ledger.people.withdrawals import forget
from factmark.model import Judge
from factmark.people.changes.leaving import come_back, forget_people, leave_campaign
from factmark.people.desk.desk import annotator_links
from factmark.people.verdicts import take_ratings
from marked import fact_campaign, mark, rows_of, units_of
from shell import Done, run

GIVEN = {"A1": "4", "A2": "2"}  # code -> what they rate all three summaries of document d0
COMMENT = "Seven of the forty, says Zebedee"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Two documents, both asked of Zebedee and Ben; the first is rated by both."""
    path = tmp_path / "c.db"
    with Ledger(path) as ledger:
        made = campaign_in(ledger, summaries(2), annotators=people("Zebedee", "Ben"))
        answer(ledger, made, GIVEN)
    return path


def answer(ledger: Ledger, campaign: Campaign, given: dict[str, str], second: int = 1) -> int:
    revisions = [
        rated(task.key, given[task.assignment.annotator], second, comment=COMMENT)
        for task in tasks_of(ledger, campaign)
        if task.assignment.document == "d0" and task.assignment.annotator in given
    ]
    return len(take_ratings(ledger, campaign, revisions, protocol_of).new)


def annotate(command: str, *arguments: object, status: int = 0) -> Done:
    done = run("annotate", command, *arguments, COLUMNS="200")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def results(path: Path) -> dict[str, object]:
    told = results_of(annotate("results", path, "--resamples", "100", "--json").stdout)
    return {
        "mean": told["scores"][0]["final"]["value"],
        "raters": [(one["name"], one["n_answered"], one["n_asked"]) for one in told["annotators"]],
        "asked": told["scores"][0]["n_asked"],
        "problems": " ".join(told["problems"]),
        "alpha": told["agreement"],
    }


def exported(path: Path) -> set[str]:
    out = path.with_suffix(".jsonl")
    assert run("ledger", "export", path, out, "--names").returncode == 0
    return {json.loads(line)["judge"] for line in out.read_text("utf-8").splitlines()}


def test_who_withdraws_is_in_no_number_and_comes_back(study: Path) -> None:
    before = results(study)
    assert (before["mean"], before["asked"]) == (3.0, 4)
    done = annotate("withdraw", study, "Zebedee")
    assert "Zebedee (A1): 3 answers left out, 3 rows were not answered." in done.stdout
    assert "annotate reassign" in done.stderr
    gone = results(study)
    assert (gone["mean"], gone["raters"]) == (2.0, [("A2", 3, 6)])
    assert gone["asked"] == 4  # what was asked of A1 is missing, until it is dealt to others
    assert "Withdrawn: A1." in str(gone["problems"])
    assert gone["alpha"] is None
    assert exported(study) == {"Ben"}
    assert "Zebedee" not in annotate("status", study).stdout
    back = annotate("withdraw", study, "A1", "--back")
    assert "3 answers counted again" in back.stdout
    assert results(study) == before


def test_nothing_is_left_once_all_have_withdrawn(study: Path) -> None:
    """What reads the ledger says so, and names nobody as a judge."""
    annotate("withdraw", study, "Zebedee", "Ben")
    assert "Nothing is rated yet" in annotate("results", study, "--resamples", "100").stdout
    for command, says in (
        (("agree", study), "It has (none)"),
        (("plan", "--ledger", study, "--half-width", "0.1"), "nothing is rated yet"),
    ):
        done = run(*command)
        assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_who_has_withdrawn_can_answer_no_more(study: Path) -> None:
    with Ledger(study) as ledger:
        known = campaign_named(ledger)
        token = annotator_links(ledger, known, "")[0].url.rpartition("/")[2]
        assert annotator_of(ledger, known, token) == known.annotators[0]
    annotate("withdraw", study, "Zebedee")
    with Ledger(study) as ledger:
        known = campaign_named(ledger)
        assert annotator_of(ledger, known, token) is None
        assert links_of(ledger, known) == {"A1": 2, "A2": 1}
        assert answer(ledger, known, {"A1": "0", "A2": "3"}, second=9) == 3  # Ben's alone


def test_who_withdraws_while_answers_come_in_is_not_counted(study: Path) -> None:
    # A pull reads the campaign, then waits for its server for a minute.
    with Ledger(study) as ledger:
        before = campaign_named(ledger)
        annotate("withdraw", study, "Zebedee")
        annotate("forget", study, "Ben")
        assert answer(ledger, before, {"A1": "0", "A2": "3"}, second=9) == 3  # Ben's alone
    assert {name.partition("-")[0] for name in exported(study)} == {"forgotten"}


def test_who_decided_together_come_back_one_by_one(study: Path) -> None:
    annotate("adjudicate", study, "--together")
    annotate("withdraw", study, "Zebedee")
    annotate("withdraw", study, "Ben")
    annotate("withdraw", study, "Zebedee", "--back")
    annotate("withdraw", study, "Ben", "--back")
    assert results(study)["mean"] == 3.0


def test_what_is_deleted_and_forgotten_is_not_in_the_file(study: Path) -> None:
    assert b"Zebedee" in study.read_bytes()
    told = json.loads(annotate("withdraw", study, "Zebedee", "--delete", "--json").stdout)
    assert [person["code"] for person in told["rows"]] == ["A1"]
    assert told["details"]["deleted"] == 3
    assert results(study)["mean"] == 2.0
    annotate("withdraw", study, "Zebedee", "--back")  # there is nothing left to come back
    assert results(study)["raters"] == [("A1", 0, 6), ("A2", 3, 6)]
    annotate("withdraw", study, "Ben", "--delete")  # who wrote "Zebedee" into a comment
    done = annotate("forget", study, "Zebedee")
    assert "Zebedee is forgotten-" in done.stdout
    files = [path for path in study.parent.iterdir() if path.name.startswith(study.name)]
    assert not [path for path in files if b"Zebedee" in path.read_bytes()]


def test_who_is_forgotten_still_counts(study: Path) -> None:
    before = results(study)
    alias = json.loads(annotate("forget", study, "Ben", "--json").stdout)["rows"][0]["alias"]
    after = results(study)
    assert (after["mean"], after["asked"]) == (before["mean"], before["asked"])
    assert after["alpha"]["alpha"]["value"] == before["alpha"]["alpha"]["value"]
    assert after["raters"] == [("A1", 3, 6), ("A2", 3, 3)]  # what is open is nobody's
    assert "3 ratings on nobody's list" in after["problems"]
    assert exported(study) == {alias, "Zebedee"}


def test_what_was_said_in_another_campaign_counts_there(study: Path) -> None:
    with Ledger(study) as ledger:
        other = campaign_in(ledger, summaries(2), annotators=people("Zebedee", "Ben"), name="two")
        answer(ledger, other, {"A1": "5"}, second=5)
    annotate("withdraw", study, "Zebedee", "--campaign", "one")
    told = run("annotate", "results", study, "--campaign", "two", "--resamples", "100", "--json")
    means = [score["final"]["value"] for score in results_of(told.stdout)["scores"]]
    assert means == [3.5, 3.5, 3.5]  # Zebedee's 5, and what Ben said in the other campaign


def verdicts_of(path: Path, table: str = "verdicts") -> list[tuple[str, str]]:
    """Label and comment of all that Zebedee, or who he was, said of one unit."""
    with Ledger(path) as ledger:
        rows = ledger.rows(
            f"SELECT label, reason FROM {table} v JOIN judges j ON j.id = v.judge "
            "WHERE unit = 'd0-0' AND j.name <> 'Ben' ORDER BY number"
        )
        return [tuple(row) for row in rows]


def leave(path: Path, campaign: str, *, delete: bool = False) -> None:
    leave_campaign(path, campaign, ["Zebedee"], delete=delete)


def test_each_campaign_takes_its_own_verdicts_of_a_unit_along(study: Path) -> None:
    with Ledger(study) as ledger:
        other = campaign_in(ledger, summaries(2), annotators=people("Zebedee", "Ben"), name="two")
        answer(ledger, other, {"A1": "5"}, second=5)
        answer(ledger, campaign_named(ledger, "one"), {"A1": "1"}, second=9)
    said = [("4", COMMENT), ("5", COMMENT), ("1", COMMENT)]
    assert verdicts_of(study) == said
    leave(study, "one")
    assert verdicts_of(study) == said[1:2]
    leave(study, "two")
    assert verdicts_of(study) == []
    come_back(study, "two", ["Zebedee"])
    assert verdicts_of(study) == said[1:2]
    come_back(study, "one", ["Zebedee"])
    assert verdicts_of(study) == said
    leave(study, "two")
    leave(study, "one", delete=True)
    assert verdicts_of(study, "withdrawn_verdicts") == said[1:2]
    forget_people(study, ["Zebedee"])
    alias = exported_name(study)
    come_back(study, "two", [alias])
    assert verdicts_of(study) == said[1:2]


def exported_name(path: Path) -> str:
    with Ledger(path) as ledger:
        return campaign_named(ledger, "two").annotators[0].name


def test_what_was_said_alike_in_two_campaigns_counts_in_the_one_that_is_left(study: Path) -> None:
    with Ledger(study) as ledger:
        other = campaign_in(ledger, summaries(2), annotators=people("Zebedee", "Ben"), name="two")
        answer(ledger, other, {"A1": "4"}, second=5)
        answer(ledger, campaign_named(ledger, "one"), {"A1": "1"}, second=9)
    leave(study, "one")
    assert verdicts_of(study) == [("4", COMMENT)]
    come_back(study, "one", ["Zebedee"])
    assert verdicts_of(study)[-1] == ("1", COMMENT)
    leave(study, "one", delete=True)
    assert verdicts_of(study) == [("4", COMMENT)]


def test_what_counts_in_the_campaign_that_is_left_goes_by_arrival(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes back between what Zebedee says in one campaign and in the other."""

    def at(hour: int) -> None:
        time = f"2030-01-01T{hour}:00:00.000000+00:00"
        monkeypatch.setattr("factmark.ledger.ratings.timestamp", lambda: time)

    with Ledger(study) as ledger:
        other = campaign_in(ledger, summaries(2), annotators=people("Zebedee", "Ben"), name="two")
        at(12)
        answer(ledger, other, {"A1": "2"}, second=5)
        at(13)
        answer(ledger, campaign_named(ledger, "one"), {"A1": "3"}, second=6)
        at(11)
        answer(ledger, other, {"A1": "3"}, second=7)  # as in the first: no further verdict
    leave(study, "one")
    assert verdicts_of(study)[-1] == ("3", COMMENT)
    come_back(study, "one", ["Zebedee"])
    assert verdicts_of(study)[-1] == ("3", COMMENT)
    with Ledger(study) as ledger:
        at(10)
        answer(ledger, campaign_named(ledger, "one"), {"A1": "5"}, second=8)
    leave(study, "one")
    assert verdicts_of(study)[-1] == ("3", COMMENT)  # said in the other, before the 5
    come_back(study, "one", ["Zebedee"])
    assert verdicts_of(study)[-1] == ("5", COMMENT)


def test_marks_made_alike_in_two_campaigns_count_in_the_one_that_is_left(tmp_path: Path) -> None:
    rows = rows_of(("There are 30 datasets, on gout.", ["30"]))
    ((_, _, unit),) = units_of(rows)
    marking = Marking(grounded=((10, 12),), covered=("30",), ungrounded=((26, 30),))

    def marks() -> list[tuple[str, str | None]]:
        with Ledger(path) as ledger:
            judge = Judge.create("person", "Zebedee")
            return sorted((u.kind, v.label) for u, v in ledger.verdicts(unit.item, judge.id))

    path = tmp_path / "m.db"
    with Ledger(path) as ledger:
        for turn, name in enumerate(("one", "two")):
            campaign = fact_campaign(ledger, rows, "Zebedee", name=name)
            mark(ledger, campaign, "A1", unit, marking, turn)
            mark(ledger, campaign, "A1", unit, marking, turn + 5)  # Update pressed once more
        (size,) = ledger.rows("SELECT count(*) FROM verdicts").fetchone()
    given = marks()
    assert [kind for kind, _ in given].count("fact") == 2
    assert size == 2 * len(given)
    for name in ("one", "two"):
        leave(path, name)
        assert marks() == given
        come_back(path, name, ["Zebedee"])
        assert marks() == given
    leave(path, "one", delete=True)
    leave(path, "two")
    assert marks() == []


def test_what_a_reader_still_holds_of_what_was_deleted_is_told(study: Path) -> None:
    with (
        closing(sqlite3.connect(study, isolation_level=None)) as reader,
        Ledger(study) as ledger,
    ):
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM verdicts").fetchone()
        ledger.connection.execute("PRAGMA busy_timeout = 1")
        with pytest.raises(LedgerError, match="is done, but another program is reading") as told:
            forget(ledger, ["Zebedee"])
        alias = campaign_named(ledger).annotators[0].name
        assert f"forget {study} {alias}" in str(told.value)
        reader.execute("ROLLBACK")
        ledger.connection.set_authorizer(
            lambda what, *_: sqlite3.SQLITE_DENY if what == sqlite3.SQLITE_ATTACH else 0
        )  # as VACUUM on a full disk
        with pytest.raises(LedgerError, match="could not be written anew"):
            forget(ledger, [alias])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("withdraw", "Dora"), "no annotator of 'one'"),
        (("withdraw", "Ben", "--back"), "has not withdrawn"),
        (("withdraw", "Ben", "--back", "--delete"), "exclude each other"),
        (("forget", "Dora"), "has nobody of the name 'Dora'"),
    ],
)
def test_what_is_wrong_is_told(study: Path, arguments: tuple[str, ...], told: str) -> None:
    command, *rest = arguments
    assert told in annotate(command, study, *rest, status=2).stderr
