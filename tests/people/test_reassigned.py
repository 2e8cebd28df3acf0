"""People who join, and lists dealt again: as users run `add` and `reassign`; as arithmetic."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import rated, results_of
from factmark.cli.annotate import protocol_of
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.people.changes.adjudicating import adjudicate
from factmark.people.changes.dealing import add_annotators, reassign
from factmark.people.changes.leaving import forget_people, leave_campaign
from factmark.people.core.assign import assign
from factmark.people.core.redeal import redeal, shares_of
from factmark.people.reading import rated_part
from factmark.people.verdicts import take_ratings
from shell import Done, run

SEQUENCES = int(os.environ.get("FACTMARK_SEQUENCES", "12"))


def annotate(command: str, *arguments: object, status: int = 0) -> Done:
    done = run("annotate", command, *arguments, COLUMNS="160")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Twelve documents of two systems, dealt to Ada, Ben and Cleo, three of them twice."""
    rows = [
        {"id": f"d{n}", "article": f"Source {n}.", "s": f"It is {n}.", "t": f"It was {n}."}
        for n in range(12)
    ]
    source = tmp_path / "s.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = ("--annotators", "Ada,Ben,Cleo", "--overlap", "0.25", "--ledger", tmp_path / "c.db")
    annotate("create", source, *made)
    return tmp_path / "c.db"


def lists(path: Path) -> dict[str, dict[str, list[int]]]:
    """Code -> document -> the batches of its rows, in the order of the list."""
    out: dict[str, dict[str, list[int]]] = {}
    with Ledger(path, read_only=True) as ledger:
        for task in tasks_of(ledger, campaign_named(ledger)):
            about = task.assignment
            out.setdefault(about.annotator, {}).setdefault(about.document, []).append(about.batch)
    return out


def rate(path: Path, code: str, documents: int, *, rows: int = 2) -> None:
    """Rates so many rows of the first documents on somebody's list."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        tasks = tasks_of(ledger, known, code)
        names = list(dict.fromkeys(task.assignment.document for task in tasks))[:documents]
        for name in names:
            some = [task for task in tasks if task.assignment.document == name][:rows]
            take_ratings(ledger, known, [rated(task.key, "3", 1) for task in some], protocol_of)


def raters(path: Path) -> Counter[str]:
    return Counter(document for some in lists(path).values() for document in some)


def test_who_joins_gets_a_share_and_documents_keep_their_raters(study: Path) -> None:
    before, wanted = lists(study), raters(study)
    assert [len(before[code]) for code in ("A1", "A2", "A3")] == [5, 5, 5]
    rate(study, "A1", 2)
    rate(study, "A2", 1, rows=1)
    done = annotate("add", study, "--annotators", "Dora")
    assert "A4 Dora is added." in done.stdout
    shown = annotate("reassign", study, "--dry-run")
    assert "nothing was written" in shown.stderr
    assert lists(study) == before
    told = json.loads(annotate("reassign", study, "--json").stdout)
    after = lists(study)
    assert raters(study) == wanted
    left = {row["code"]: row["after"] for row in told["rows"]}
    assert max(left.values()) - min(left.values()) <= 1
    assert sum(left.values()) == 13  # of 15, two are done
    assert len(after["A4"]) == left["A4"] == told["details"]["moved"] == 3
    for code, begun in (("A1", 2), ("A2", 1)):  # what is begun stays, in its place
        assert list(after[code])[:begun] == list(before[code])[:begun]
    assert json.loads(annotate("reassign", study, "--json").stdout)["details"]["moved"] == 0
    status = annotate("status", study).stdout
    assert "Dora" in status


def test_nobody_joins_a_closed_campaign_until_it_is_opened_again(study: Path) -> None:
    annotate("close", study)
    for command in (("add", study, "--annotators", "Dora"), ("reassign", study)):
        told = annotate(*command, status=2).stderr
        assert "was closed at" in told
        assert "--reopen" in told
    assert "Dora" not in annotate("status", study).stdout
    annotate("close", study, "--reopen")
    assert "A4 Dora is added." in annotate("add", study, "--annotators", "Dora").stdout


def test_what_somebody_has_not_done_goes_to_others(study: Path) -> None:
    wanted = raters(study)
    rate(study, "A1", 1)
    rate(study, "A1", 2, rows=1)  # the second document is half done
    annotate("reassign", study, "--from", "Ada")
    after = lists(study)
    assert [len(rows) for rows in after["A1"].values()] == [2, 1]
    half = list(after["A1"])[1]
    assert sum(len(some.get(half, ())) for some in after.values()) == 2 * wanted[half]
    assert raters(study) - wanted == Counter({half: 1})  # its other row has another rater


def test_what_was_asked_of_who_withdrew_is_asked_of_others_once(study: Path) -> None:
    wanted = raters(study)
    rate(study, "A1", 3)
    annotate("withdraw", study, "Ada")
    annotate("reassign", study)
    assert raters(study) == wanted
    assert "A1" not in lists(study)
    told = results_of(annotate("results", study, "--resamples", "100", "--json").stdout)
    assert sum(score["n_asked"] for score in told["scores"]) == 30
    assert json.loads(annotate("reassign", study, "--json").stdout)["details"]["moved"] == 0


def test_who_is_forgotten_is_dealt_nothing_and_their_list_goes_to_others(study: Path) -> None:
    wanted = raters(study)
    rate(study, "A1", 2)
    annotate("forget", study, "Ada")
    annotate("reassign", study)
    after = lists(study)
    assert (raters(study), len(after["A1"])) == (wanted, 2)  # what she rated, and nothing more
    annotate("add", study, "--annotators", "Dora")
    annotate("reassign", study)
    assert (raters(study), len(lists(study)["A1"])) == (wanted, 2)
    assert "2" in annotate("status", study).stdout


def test_people_come_and_go_in_any_order(study: Path) -> None:
    """Nothing is dealt to who may answer no more, and counts are those of an own reckoning."""
    for seed in range(SEQUENCES):
        path = study.with_name(f"{seed}.db")
        shutil.copy(study, path)
        dice = Random(seed)
        gone: dict[str, str] = {}  # name or pseudonym -> left or forgotten
        for _ in range(8):
            come_and_go(path, dice, gone)
            check_lists_and_counts(path, gone)


def come_and_go(path: Path, dice: Random, gone: dict[str, str]) -> None:
    """Does one thing that an owner or a person may do; a refusal leaves all as it was."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        names = [p.name for p in known.annotators if p.name not in gone and not p.decides]
        codes = [p.code for p in known.active]
    name = dice.choice(names) if names else ""
    with suppress(InputError):
        match dice.choice(("add", "rate", "rate", "reassign", "leave", "forget", "adjudicate")):
            case "add":
                add_annotators(path, None, f"P{dice.randrange(10**6)}")
            case "rate" if codes:
                with Ledger(path) as ledger:
                    tasks = tasks_of(ledger, known, dice.choice(codes))[: dice.randrange(4)]
                    labels = [dice.choice("05") for _ in tasks]
                    ratings = [rated(t.key, n, 1) for t, n in zip(tasks, labels, strict=True)]
                    take_ratings(ledger, known, ratings, protocol_of)
            case "reassign":
                reassign(path, None)
                with Ledger(path) as ledger:
                    check_nothing_is_dealt_to_who_is_gone(ledger, gone)
            case "leave" if name:
                leave_campaign(path, None, [name])
                gone[name] = "left"
            case "forget" if name:
                gone[forget_people(path, [name])[name]] = "forgotten"
            case "adjudicate":
                adjudicate(path, None, together=dice.random() < 0.5)


def check_nothing_is_dealt_to_who_is_gone(ledger: Ledger, gone: dict[str, str]) -> None:
    """After lists are dealt again; but for what nobody is left to read."""
    known = campaign_named(ledger)
    answered = revisions_of(ledger, known)
    read: dict[str, set[str]] = {}
    for task in tasks_of(ledger, known, released=True):
        read.setdefault(task.assignment.document, set()).add(task.assignment.annotator)
    raters = {p.code for p in known.raters}
    for person in known.annotators:
        if person.name in gone and not person.decides:
            for task in tasks_of(ledger, known, person.code):
                if task.key not in answered:
                    assert raters <= read[task.assignment.document]


def check_lists_and_counts(path: Path, gone: dict[str, str]) -> None:
    """What status and results count is what the lists and answers say, reckoned here from rows."""
    with Ledger(path, read_only=True) as ledger:
        known = campaign_named(ledger)
        rows = list(
            ledger.rows(
                "SELECT p.code, p.name, a.unit, a.released = '', EXISTS "
                "(SELECT 1 FROM ratings r WHERE r.key = a.key) "
                "FROM assignments a JOIN annotators p "
                "ON p.campaign = a.campaign AND p.code = a.annotator WHERE p.decides = ''"
            )
        )
        entries = rated_part(ledger, known, protocol_of).entries
    done = Counter(code for code, name, _, _, has in rows if has and gone.get(name) != "left")
    open_to = Counter(
        code for code, name, _, on, has in rows if on and not has and name not in gone
    )
    reckoned = Counter(e.assignment.annotator for e in entries if e.revisions)
    left = Counter(e.assignment.annotator for e in entries if not e.revisions)
    nobody = left.pop("", 0)
    assert (reckoned, left) == (done, open_to)
    kept = 0
    for _, name, _, on, has in rows:
        is_open = on and not has
        is_lost = on and gone.get(name) == "left"
        kept += bool((is_open and name in gone) or is_lost)
    assert nobody <= kept


def test_what_is_answered_late_on_an_old_page_counts(study: Path) -> None:
    with Ledger(study) as ledger:
        known = campaign_named(ledger)
        late = tasks_of(ledger, known, "A1")[-1]
    annotate("add", study, "--annotators", "Dora,Eli,Finn")
    annotate("reassign", study, "--from", "A1")
    assert "A1" not in lists(study)
    with Ledger(study) as ledger:
        assert late.key in {task.key for task in tasks_of(ledger, known, released=True)}
        assert take_ratings(ledger, known, [rated(late.key, "2", 9)], protocol_of).new
        assert [task.key for task in tasks_of(ledger, known, "A1")] == [late.key]


def test_nobody_is_left_to_read_it_again(study: Path) -> None:
    annotate("reassign", study, "--from", "Ada", "--from", "Ben")
    told = annotate("reassign", study, "--from", "Cleo", status=0)
    assert "documents on other lists" in told.stdout
    for name in ("Ada", "Ben"):
        annotate("withdraw", study, name)
    told = annotate("reassign", study)
    assert "too few raters for " in told.stderr
    annotate("withdraw", study, "Cleo")
    assert "Nobody is left" in annotate("reassign", study, status=2).stderr


def test_whoever_decides_on_a_document_is_not_dealt_it() -> None:
    mine = shares_of(
        assign({"d0": ("x",), "d1": ("y",)}, ["A1"], overlap=0.0, batch=4), (), whole=True
    )
    places, seen = {"A2": 0, "A3": 0}, {"A2": {"d0", "d1"}}
    deal = redeal(
        {"A2": [], "A3": []}, ["A2", "A3"], {"A1": mine}, first=places, batch=4, seen=seen
    )
    assert [task.annotator for task in deal.assigned] == ["A3", "A3"]


def test_of_two_with_nothing_left_who_was_asked_less_is_dealt_more() -> None:
    """Who joins late comes before somebody who has done a whole list."""
    documents = {f"d{n}": (f"u{n}",) for n in range(6)}
    half = assign(documents, ["A1"], overlap=0.0, batch=4)
    done = shares_of(half[:3], {task.unit for task in half[:3]}, whole=True)
    open_ones = shares_of(half[3:5], (), whole=True)
    shares = {"A1": done, "A2": open_ones, "A3": []}
    deal = redeal(shares, list(shares), {}, first=dict.fromkeys(shares, 9), batch=4)
    assert deal.after == {"A1": 0, "A2": 1, "A3": 1}
    gone = shares_of(half[5:], (), whole=True)
    deal = redeal({"A1": done, "A3": []}, ["A1", "A3"], {"A2": gone}, first={}, batch=4)
    assert deal.after == {"A1": 0, "A3": 1}


def test_codes_are_never_used_twice(study: Path) -> None:
    annotate("add", study, "--annotators", "Dora")
    annotate("withdraw", study, "Dora", "--delete")
    annotate("forget", study, "Dora")
    assert "A5 Eli is added." in annotate("add", study, "--annotators", "Eli").stdout
    done = annotate("add", study, "--annotators", "ada", status=2)
    assert "has somebody of the name or address 'ada'" in done.stderr
    assert "no annotator" in annotate("reassign", study, "--to", "Zoe", status=2).stderr
    assert "has left" in annotate("reassign", study, "--to", "A4", status=2).stderr


@settings(max_examples=20, deadline=None)
@given(
    documents=st.integers(1, 30),
    people=st.integers(2, 5),
    joining=st.integers(0, 2),
    begun=st.integers(0, 6),
    overlap=st.sampled_from([0.0, 0.2, 1.0]),
    leaving=st.booleans(),
)
def test_a_new_deal_is_even_and_keeps_the_raters(
    documents: int, people: int, joining: int, begun: int, overlap: float, *, leaving: bool
) -> None:
    """Lists differ by one where enough people can take what moves; nobody reads a document twice,
    none loses a rater, and no batch has less than half of another that is not begun."""
    codes = [f"A{n}" for n in range(1, people + 1)]
    tasks = assign(
        {f"d{n}": (f"{n}x", f"{n}y") for n in range(documents)}, codes, overlap=overlap, batch=4
    )
    shares = {
        code: shares_of(
            mine := [task for task in tasks if task.annotator == code],
            {task.unit for task in mine[: 2 * begun]},
            whole=True,
        )
        for code in codes
    }
    shares |= {f"B{n}": [] for n in range(joining)}
    gone = {"A1": shares.pop("A1")} if leaving else {}
    deal = redeal(shares, list(shares), gone, first=dict.fromkeys(shares, 100), batch=4)
    held = {(task.annotator, task.unit): task for task in tasks if task.annotator not in gone}
    for task in deal.released:
        held.pop((task.annotator, task.unit), None)
    for task in deal.assigned:
        held[task.annotator, task.unit] = task
    open_of_gone = {unit.unit for share in gone.get("A1", ()) for unit in share.open}
    kept = Counter(task.unit for task in held.values())
    wanted = Counter(
        task.unit for task in tasks if task.annotator not in gone or task.unit in open_of_gone
    )
    missing = set(deal.unfilled)
    assert {unit for unit in wanted if kept[unit] != wanted[unit]} == {
        task.unit for task in tasks if task.annotator in gone and task.document in missing
    } & open_of_gone
    for code in shares:
        mine = sorted((t for t in held.values() if t.annotator == code), key=lambda t: t.position)
        assert len({task.position for task in mine}) == len(mine)
        assert [task.batch for task in mine] == sorted(task.batch for task in mine)
        sizes = Counter(task.batch for task in mine).values()
        assert max(sizes, default=0) <= 8
    if overlap == 0.0:
        assert max(deal.after.values()) - min(deal.after.values()) <= 1
