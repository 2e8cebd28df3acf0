"""People of a crowd come, rate, are screened out, leave, come back, are forgotten and decide, in
any order: what is counted and dealt is what an own reckoning from the ledger's rows gives."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from campaigns import rated
from factmark.cli.annotate import protocol_of
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.arrivals import has_agreed
from factmark.people.changes.adjudicating import adjudicate
from factmark.people.changes.dealing import reassign
from factmark.people.changes.leaving import come_back, forget_people, leave_campaign
from factmark.people.changes.queue import draw
from factmark.people.crowd.joining import arrive
from factmark.people.crowd.options import crowd_of
from factmark.people.crowd.platforms import CrowdVisit
from factmark.people.crowd.screening import screen_out
from factmark.people.reading import rated_part
from factmark.people.status import campaign_status
from factmark.people.verdicts import take_ratings
from people.test_crowd import create

SEQUENCES = int(os.environ.get("FACTMARK_SEQUENCES", "12"))
MOST_SEQUENCES = 20 * SEQUENCES
ALL_THINGS = {"come", "rate", "screened", "left", "forgotten", "active"}
PER_PERSON = 2
RIGHT = {"Blue sky.": 5, "Green sky.": 0}  # gold; 0.6 of two wanted: one may not be wrong

THINGS = (
    *("come", "come", "rate", "rate", "rate", "again"),
    *("leave", "back", "forget", "adjudicate", "reassign"),
)


@dataclass(slots=True)
class Reckoning:
    """What the owner knows of people without the ledger: id of the platform -> their state."""

    states: dict[str, str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)  # id -> code
    pardoned: set[str] = field(default_factory=set)  # screened, and counted after all
    second: int = 0

    def of(self, *states: str) -> list[str]:
        return [id for id, state in self.states.items() if state in states]

    def state_of(self, code: str) -> str:
        return next(self.states[id] for id, known in self.codes.items() if known == code)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    options = ("--per-person", str(PER_PERSON), "--overlap", "0.5", "--adjudicate", "2")
    create(tmp_path, *options, "--gold", str(tmp_path / "gold.csv"), "--screen", "0.6")
    return tmp_path / "c.db"


def test_a_crowd_comes_and_goes_in_any_order(study: Path) -> None:
    happened: Counter[str] = Counter()
    for seed in range(MOST_SEQUENCES):  # who is dealt what is drawn: a few may screen out nobody
        if seed >= SEQUENCES and happened.keys() >= ALL_THINGS:
            break
        path = study.with_name(f"{seed}.db")
        shutil.copy(study, path)
        reckoning = Reckoning()
        dice = Random(seed)
        for _ in range(14):
            happened[one_thing(path, dice, reckoning)] += 1
            check(path, reckoning)
        happened.update(reckoning.states.values())
    assert happened.keys() >= ALL_THINGS


def one_thing(path: Path, dice: Random, people: Reckoning) -> str:
    """Does one thing that somebody of the crowd or the owner may do."""
    what = dice.choice(THINGS)
    here = people.of("active")
    match what:
        case "come":
            come(path, people, f"{len(people.states) + 1:024x}")
        case "again" if people.states:
            come(path, people, dice.choice(list(people.states)))
        case "rate" if here:
            rate(path, dice, people, dice.choice(here))
        case "leave" if here:
            id = dice.choice(here)
            leave_campaign(path, None, [id], delete=dice.random() < 0.3)
            people.states[id] = "left"
        case "back" if away := people.of("left", "screened"):
            id = dice.choice(away)
            come_back(path, None, [id])
            if people.states[id] == "screened":
                people.pardoned.add(id)
            people.states[id] = "active"
        case "forget" if people.of("active", "left"):
            id = dice.choice(people.of("active", "left"))
            forget_people(path, [id])
            if people.states[id] == "active":
                people.states[id] = "forgotten"
            else:
                people.states[id] = "forgotten after leaving"
        case "adjudicate":
            with suppress(InputError):
                adjudicate(path, None, together=dice.random() < 0.5)
        case "reassign":
            with suppress(InputError):
                reassign(path, None)
    return what


def come(path: Path, people: Reckoning, id: str) -> None:
    """Comes by the link and agrees; who is forgotten is somebody new."""
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        crowd = crowd_of(known)
        assert crowd is not None
        visit = CrowdVisit(person=id, study="5" * 24, session="6" * 24)
        if people.states.get(id, "") in ("left", "screened"):
            return  # the page lets nobody in who has left: see test_crowd
        if people.states.get(id, "").startswith("forgotten"):
            return
        person = arrive(ledger, known, crowd, visit)
        if person is None:
            return
        assert people.codes.setdefault(id, person.code) == person.code
        people.states[id] = "active"
        assert has_agreed(ledger, known, person.code, crowd.version)


def rate(path: Path, dice: Random, people: Reckoning, id: str) -> None:
    """Draws and rates some of it, as the page does; gold is sometimes wrong."""
    code = people.codes[id]
    with Ledger(path) as ledger:
        known = campaign_named(ledger)
        draw(ledger, known, code)
        listed = tasks_of(ledger, known, code)
        for task in dice.sample(listed, dice.randrange(len(listed) + 1)):
            label = dice.choice("0145")
            right = RIGHT.get(task.shown.text)
            if right is not None and dice.random() < 0.6:
                label = str(right)
            people.second += 1
            rating = rated(task.key, label, people.second % 60, name=f"{id}-{people.second}")
            with ledger.writing():
                take_ratings(ledger, known, [rating], protocol_of)
                out = screen_out(ledger, known, code)
            wrong = right is not None and abs(int(label) - right) > 1
            assert out == (wrong and id not in people.pardoned)
            if out:
                people.states[id] = "screened"
                break


def check(path: Path, people: Reckoning) -> None:
    """Holds what status and results say of everybody against the rows of the ledger."""
    with Ledger(path, read_only=True) as ledger:
        known = campaign_named(ledger)
        rows = ledger.rows(
            "SELECT a.annotator, a.unit, a.document, a.released = '', u.kind = 'practice', EXISTS "
            "(SELECT 1 FROM ratings r WHERE r.key = a.key) FROM assignments a "
            "JOIN units u ON u.id = a.unit JOIN annotators p "
            "ON p.campaign = a.campaign AND p.code = a.annotator WHERE p.decides = ''"
        ).fetchall()
        wanted = dict(ledger.rows("SELECT unit, raters FROM queue").fetchall())
        entries = rated_part(ledger, known, protocol_of).entries
        status = campaign_status(ledger, known)
    done: Counter[str] = Counter()
    left: Counter[str] = Counter()
    documents: dict[str, set[str]] = {}
    for code, unit, document, listed, practice, answered in rows:
        if practice:
            continue
        state = people.state_of(code)
        counts = state in ("active", "forgotten")
        done[code] += counts and answered
        left[code] += state == "active" and listed and not answered
        if counts and (listed or answered):
            wanted[unit] -= 1
        if listed or answered:
            documents.setdefault(code, set()).add(document)
        if listed and not answered:
            assert state != "forgotten", "what is open of who is forgotten is on nobody's list"
    rated_by = Counter(e.assignment.annotator for e in entries if e.revisions)
    open_to = Counter(e.assignment.annotator for e in entries if not e.revisions)
    waiting = sum(max(0, seats) for seats in wanted.values())
    assert rated_by == +done
    assert open_to.pop("", 0) == waiting == status.waiting
    assert open_to == +left
    for code, progress in status.progress.items():
        if code in people.codes.values():
            assert (progress.done, progress.left) == (done[code], left[code])
    assert all(len(some) <= PER_PERSON for some in documents.values())
    screened = {people.codes[id] for id in people.of("screened")}
    assert {person.code for person in status.screened} == screened
    active = {people.codes[id] for id in people.of("active")}
    assert {person.code for person in known.raters} == active
