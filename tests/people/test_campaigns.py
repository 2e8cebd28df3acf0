"""Campaigns in a ledger: read back as made, found by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import ADA, BEN, campaign_in, summaries, unit_of
from factmark.campaign_model import Assignment, Campaign, Shown
from factmark.errors import InputError
from factmark.ledger.campaigns import (
    campaign_named,
    campaigns_of,
    create_campaign,
    secret_of,
    task_key,
    tasks_of,
)
from factmark.ledger.ledger import Ledger
from factmark.model import Item


def make(ledger: Ledger, name: str = "one") -> Campaign:
    return campaign_in(ledger, summaries(2), name=name)


def test_what_is_made_is_read_back(tmp_path: Path) -> None:
    with Ledger(tmp_path / "c.db") as ledger:
        made = make(ledger)
    with Ledger(tmp_path / "c.db", read_only=True) as ledger:
        assert campaigns_of(ledger) == [made]
        assert made.annotators == (ADA, BEN)
        tasks = tasks_of(ledger, made)
        assert [task.assignment.annotator for task in tasks] == ["A1"] * 6 + ["A2"] * 6
        mine = tasks_of(ledger, made, "A2")
        assert mine == tasks[6:]
        assert [task.assignment.position for task in mine] == list(range(6))
        secret = secret_of(ledger, made)
        for task in tasks:
            told = task.assignment
            assert task.key == task_key(secret, told.annotator, told.unit)
            assert task.shown.evidence.startswith(f"Source {told.document[1:]}.")
        assert len({task.key for task in tasks}) == 12


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SPAN = st.tuples(st.integers(0, 9), st.integers(0, 9))


@settings(max_examples=25)
@given(
    shown=st.builds(
        Shown,
        evidence=TEXT,
        text=TEXT,
        marked=st.none() | SPAN,
        likely=st.lists(SPAN, max_size=3).map(tuple),
        elements=st.lists(TEXT, max_size=3).map(tuple),
    ),
    name=TEXT,
    guidelines=TEXT,
)
def test_any_text_comes_back(shown: Shown, name: str, guidelines: str) -> None:
    unit = unit_of("d", 1)
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "c.db") as ledger:
        made = create_campaign(
            ledger,
            Campaign(
                id="", name="n", form="fine", annotators=(replace(ADA, name=name),),
                guidelines=guidelines, settings={name: [guidelines]},
            ),
            items=[Item(id="d", cluster="d")],
            units=[unit],
            shown={unit.id: shown},
            assignments=[
                Assignment(annotator="A1", batch=1, position=0, unit=unit.id, document="d")
            ],
        )  # fmt: skip
        assert campaigns_of(ledger) == [made]
        assert [task.shown for task in tasks_of(ledger, made)] == [shown]


def test_campaigns_by_name(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="annotate create"):
        campaign_named(ledger)
    made = make(ledger)
    assert campaign_named(ledger) == campaign_named(ledger, "one") == made
    make(ledger, name="two")
    with pytest.raises(InputError, match="'one', 'two'"):
        campaign_named(ledger)
    with pytest.raises(InputError, match="--campaign three"):
        campaign_named(ledger, "three")
