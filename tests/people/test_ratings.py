"""Ratings: each kept once, none overwritten; what arrived last counts, whatever time it names."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import campaign_in, rated, summaries
from factmark.campaign_model import Campaign, Marking, PersonResponse, Refused
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import keep_refused, read_response, refused_of, revisions_of
from factmark.ledger.verdicts import people_values
from factmark.model import Judge, Verdict
from factmark.people.verdicts import take_ratings

ADA = Judge.create("person", "Ada")


def make(ledger: Ledger, name: str = "one", documents: int = 2) -> Campaign:
    return campaign_in(ledger, summaries(documents), name=name)


def labels(ledger: Ledger, campaign: Campaign) -> dict[str, str]:
    """Key of a task -> the labels that it got, the newest last."""
    return {
        key: "".join(revision.response.label or "" for revision in several)
        for key, several in revisions_of(ledger, campaign).items()
    }


def verdicts(ledger: Ledger, unit: str, judge: Judge = ADA) -> list[Verdict]:
    """All of them, the oldest first."""
    rows = ledger.connection.execute(
        "SELECT label, value, reason FROM verdicts WHERE unit = ? AND judge = ? ORDER BY number",
        (unit, judge.id),
    )
    return [Verdict(unit=unit, judge=judge.id, label=a, value=b, reason=c) for a, b, c in rows]


def test_a_rating_becomes_a_verdict_and_a_change_another(ledger: Ledger) -> None:
    made = make(ledger)
    task = tasks_of(ledger, made, "A1")[0]
    first, last = rated(task.key, "3", 1), rated(task.key, "4", 9, comment="3.5")
    taken = take_ratings(ledger, made, [first, first], protocol_of)
    assert (taken.new, taken.known) == ((first.id,), (first.id,))
    assert take_ratings(ledger, made, [last], protocol_of).new == (last.id,)
    assert revisions_of(ledger, made) == {task.key: [first, replace(last, first=False)]}
    assert revisions_of(ledger, made, "A2") == {}
    said = verdicts(ledger, task.assignment.unit)
    assert [(one.label, one.value, one.reason) for one in said] == [
        ("3", 3.0, ""),
        ("4", 4.0, "3.5"),
    ]
    assert people_values(ledger, "summary") == ({task.assignment.unit: 4.0}, ("Ada",))
    correction = rated(task.key, "1", 5)  # the clock has gone back
    take_ratings(ledger, made, [correction], protocol_of)
    assert labels(ledger, made)[task.key] == "341"
    assert [one.label for one in verdicts(ledger, task.assignment.unit)] == ["3", "4", "1"]
    assert people_values(ledger, "summary") == ({task.assignment.unit: 1.0}, ("Ada",))


@settings(max_examples=10)
@given(
    given_=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from("012345"), st.integers(0, 59)),
        max_size=12,
        unique_by=lambda one: (one[0], one[2]),
    ),
    random=st.randoms(use_true_random=False),
)
def test_what_arrived_last_counts_whatever_its_time_and_repeats(given_, random) -> None:
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "c.db") as ledger:
        made = make(ledger)
        keys = [task.key for task in tasks_of(ledger, made, "A1")]
        sent = [rated(keys[place], label, second) for place, label, second in given_]
        arriving = sent + [one for one in sent if random.random() < 0.3]
        random.shuffle(arriving)
        sent = list(dict.fromkeys(arriving))
        while arriving:
            some, arriving = arriving[:3], arriving[3:]
            take_ratings(ledger, made, some, protocol_of)
        newest = {}
        for one in sent:
            newest[one.key] = one.response.label
        kept = labels(ledger, made)
        assert len("".join(kept.values())) == len(sent)
        assert {key: several[-1] for key, several in kept.items()} == newest
        units = {task.key: task.assignment.unit for task in tasks_of(ledger, made, "A1")}
        told = {units[key]: float(label or "") for key, label in newest.items()}
        assert people_values(ledger, "summary")[0] == told


def test_only_what_nothing_came_before_is_first(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        campaign = make(ledger)
        key = tasks_of(ledger, campaign)[0].key
        take_ratings(
            ledger, campaign, [rated(key, "3", 20), rated(key, "2", 10)], protocol_of
        )  # as sent
        take_ratings(ledger, campaign, [rated(key, "4", 30), rated(key, "1", 5)], protocol_of)
        found = [(r.response.label, r.first) for r in revisions_of(ledger, campaign)[key]]
    assert found == [("3", True), ("2", False), ("4", False), ("1", False)]


def test_a_key_of_another_campaign_is_foreign(ledger: Ledger) -> None:
    made, other = make(ledger), make(ledger, "two")
    key = tasks_of(ledger, other, "A1")[0].key
    taken = take_ratings(ledger, made, [rated(key, "3", 1), rated("0" * 32, "3", 1)], protocol_of)
    assert taken.foreign == (f"{key}-1", f"{'0' * 32}-1")
    assert revisions_of(ledger, made) == revisions_of(ledger, other) == {}
    assert ledger.counts()["verdicts"] == 0


SPANS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
RESPONSES = st.builds(
    PersonResponse,
    label=st.none() | st.text(max_size=5),
    comment=st.text(),
    marking=st.none()
    | st.builds(
        Marking,
        grounded=SPANS,
        ungrounded=SPANS,
        covered=st.lists(st.text(), max_size=3).map(tuple),
        verdict=st.sampled_from(["yes", "no", None]),
        absence=st.booleans(),
    ),
)


@given(RESPONSES)
def test_any_response_is_read_back_from_json(response: PersonResponse) -> None:
    assert read_response(json.loads(json.dumps(asdict(response)))) == response


def test_refused_are_kept_once_beside_the_ratings(ledger: Ledger) -> None:
    one = Refused(id="r1", key="", where="project 1, task 2", reason="no label", raw="{}")
    made = make(ledger)
    assert keep_refused(ledger, made, [one]) == 1
    assert keep_refused(ledger, made, [one]) == 0
    assert refused_of(ledger, made) == [one]
    assert refused_of(ledger, make(ledger, "two")) == []
    assert revisions_of(ledger, made) == {}


TAKE = """
import sys
sys.path.insert(0, sys.argv[2])
from campaigns import rated
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.verdicts import take_ratings
with Ledger(sys.argv[1]) as ledger:
    made = campaign_named(ledger)
    for task in tasks_of(ledger, made):
        # the shared id arrives from both processes, the other one from this one alone
        both = [rated(task.key, "2", 1), rated(task.key, "4", int(sys.argv[3]))]
        take_ratings(ledger, made, both, protocol_of)
"""


def test_two_processes_write_at_once_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with Ledger(path) as ledger:
        make(ledger, documents=10)
    here = str(Path(__file__).parent.parent)
    both = [
        subprocess.Popen([sys.executable, "-c", TAKE, str(path), here, second])
        for second in ("10", "20")
    ]
    assert [one.wait(timeout=120) for one in both] == [0, 0]
    with Ledger(path, read_only=True) as ledger:
        made = campaign_named(ledger)
        assert list(labels(ledger, made).values()) == ["244"] * 60
        assert set(people_values(ledger, "summary")[0].values()) == {4.0}
