"""Changes of fields laid over the newest answer: none is lost, whatever order and clocks."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from pathlib import Path
from uuid import uuid4

import pytest

from campaigns import rated as answered
from campaigns import summaries
from factmark.campaign_model import PersonResponse, Rating
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import refused_of
from factmark.people.desk.merging import ElsewhereError, merge_fields
from served_page import Client, make, rated, served


def history(*answers: tuple[str, str, str]) -> list[Rating]:
    """Revisions by name, label and comment."""
    return [
        answered("k", label, second, name=name, comment=comment)
        for second, (name, label, comment) in enumerate(answers)
    ]


ONE_THEN_FOUR = history(("r1", "1", ""), ("r2", "4", ""))


def test_a_field_that_nobody_else_changed_takes_the_change() -> None:
    """The comment comes from where 1 was still shown; 4 was given elsewhere."""
    assert merge_fields({"comment": "3.5"}, "r1", ONE_THEN_FOUR) == {
        "label": "4",
        "comment": "3.5",
        "evidence": [],
    }
    assert merge_fields({"label": "2"}, "r2", ONE_THEN_FOUR) == {
        "label": "2",
        "comment": "",
        "evidence": [],
    }
    assert merge_fields({"label": "3", "comment": "so"}, None, []) == {
        "label": "3",
        "comment": "so",
    }


def test_a_field_that_was_changed_elsewhere_to_something_else_is_a_conflict() -> None:
    for base in ("r1", None, "never seen"):
        with pytest.raises(ElsewhereError) as raised:
            merge_fields({"label": "2"}, base, ONE_THEN_FOUR)
        assert raised.value.fields == ("label",)
    # Both want the same; and what went away and came back is as it was shown.
    assert merge_fields({"label": "4"}, "r1", ONE_THEN_FOUR)["label"] == "4"
    back = history(("r1", "1", ""), ("r2", "4", ""), ("r3", "1", ""))
    assert merge_fields({"label": "2"}, "r1", back)["label"] == "2"


def test_only_what_clashes_is_asked_about() -> None:
    with pytest.raises(ElsewhereError) as raised:
        merge_fields({"label": "2", "comment": "so"}, "r1", ONE_THEN_FOUR)
    assert raised.value.fields == ("label",)
    marked = Rating(
        id="m1",
        key="k",
        response=PersonResponse(label="1"),
        seconds=None,
        at="",
        source="labelstudio",
    )
    assert merge_fields({"comment": "x"}, "m1", [marked]) == {
        "label": "1",
        "comment": "x",
        "evidence": [],
    }


def change(key: str, base: str | None, at: str, **fields: str) -> dict[str, object]:
    return {
        "id": str(uuid4()),
        "key": key,
        "base": base,
        "answer": fields,
        "seconds": 1.0,
        "at": at,
    }


def test_a_change_is_answered_with_the_answers_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    make(path, summaries(1))
    with served(path) as page:
        ada = Client(page, "Ada", "A1")
        key = ada.keys[0]
        first = change(key, None, "2126-01-01T00:00:00Z", label="1")
        follows = change(key, str(first["id"]), "2026-01-01T00:00:00Z", label="4")
        _, reply = ada.save(first, follows)
        assert reply["saved"] == [first["id"], follows["id"]]
        assert reply["answers"][key]["answer"] == {"label": "4", "comment": "", "evidence": []}
        stale = change(key, str(first["id"]), "2126-01-01T00:00:00Z", comment="so")
        clash = change(key, str(first["id"]), "2126-01-01T00:00:00Z", label="2")
        status, reply = ada.save(stale, clash)
        assert (status, reply["saved"], reply["refused"]) == (200, [stale["id"]], [])
        assert reply["elsewhere"] == [
            {"id": clash["id"], "key": key, "fields": {"label": "2"}},
        ]
        assert reply["answers"][key]["answer"] == {
            "label": "4",
            "comment": "so",
            "evidence": [],
        }
        for sent in (first, stale, clash):  # once more: nothing changes
            ada.save(sent)
        for wrong, reason in (
            (change(key, None, "2026-01-01T00:00:00Z"), "it changes nothing"),
            (change(key, None, "2026-01-01T00:00:00Z", label="9"), "the label '9'"),
            (change(key, None, "2026-01-01T00:00:00Z", mark="9"), "unknown field 'mark'"),
            (change(key, None, "2026-01-01T00:00:00Z", evidence=[["source", 0, 9999]]), "no part"),
            (change(key, None, "2026-01-01T00:00:00Z", evidence=[["web", 0, 1]]), "neither in"),
            (change(ada.keys[1], None, "2026-01-01T00:00:00Z", comment="so"), "no label"),
            ({**first, "id": str(uuid4()), "base": 3}, "is no id"),
        ):
            status, reply = ada.save(wrong)
            assert status == 422
            assert reason in reply["refused"][0]["reason"]
    assert [said[2:] for said in rated(path)] == [("1", ""), ("4", ""), ("4", "so")]
    with Ledger(path, read_only=True) as ledger:
        (refused,) = refused_of(ledger, campaign_named(ledger))
    assert json.loads(refused.raw) == {"label": "2"}


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_through_kills_clocks_set_back_and_two_tabs(
    tmp_path: Path, seed: int
) -> None:
    """Two tabs change ratings at random, by what each last saw; the server is killed between and
    all is sent again. Each change is a revision or stands among what was refused, the last that
    was taken counts, and a comment never changes a label."""
    rng = random.Random(seed)
    path = tmp_path / "c.db"
    make(path, summaries(2), people=("Ada",))
    sent: dict[str, dict[str, object]] = {}
    for _ in range(4):
        with served(path, people=1) as page:
            tabs = [Client(page, "Ada", "A1") for _ in range(2)]
            if sent:
                tabs[0].save(*sent.values())  # all again, as after a lost reply
            known = [dict(tab.told["answers"]) for tab in tabs]
            for _ in range(15):
                at = rng.randrange(2)
                key = rng.choice(tabs[at].keys)
                base = known[at].get(key, {}).get("id")
                field = rng.choice(["label", "comment"]) if base else "label"
                value = rng.choice("012345") if field == "label" else f"c{len(sent)}"
                clock = f"20{rng.randrange(10, 99)}-01-01T00:00:00Z"
                made = change(key, base, clock, **{field: value})
                sent[str(made["id"])] = made
                status, reply = tabs[at].save(made)
                assert status == 200
                known[at] |= reply["answers"]
            page.process.kill()
    db = sqlite3.connect(path)
    kept = {name for (name,) in db.execute("SELECT id FROM ratings")}
    asked = {name for (name,) in db.execute("SELECT id FROM refused")}
    assert kept | asked == sent.keys()
    assert not kept & asked
    assert asked  # the two tabs do meet
    rows: dict[str, list[tuple[str, dict[str, str]]]] = defaultdict(list)
    for name, key, response in db.execute("SELECT id, key, response FROM ratings ORDER BY number"):
        rows[key].append((name, json.loads(response)))
    for revisions in rows.values():
        before = {"label": "", "comment": ""}
        for name, response in revisions:
            fields = sent[name]["answer"]
            assert isinstance(fields, dict)
            expected = {**before, **fields}
            before = {field: response[field] for field in before}
            assert before == expected
