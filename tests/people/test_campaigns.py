"""Campaigns in a ledger: read back as made, found by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import ADA, campaign_in, people, summaries, unit_of
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
from factmark.ledger.people.codes import codes_of_people
from factmark.model import Item


def make(ledger: Ledger, name: str = "one") -> Campaign:
    return campaign_in(ledger, summaries(2), name=name)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SPAN = st.tuples(st.integers(0, 9), st.integers(0, 9))


@settings(max_examples=25)
@given(
    shown=st.builds(
        Shown,
        evidence=TEXT,
        text=TEXT,
        clause=st.none() | SPAN,
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
                id="",
                name="n",
                form="fine",
                annotators=(replace(ADA, name=name),),
                guidelines=guidelines,
                settings={name: [guidelines]},
            ),
            items=[Item(id="d", cluster="d")],
            units=[unit],
            shown={unit.id: shown},
            assignments=[
                Assignment(annotator="A1", batch=1, position=0, unit=unit.id, document="d")
            ],
        )
        assert campaigns_of(ledger) == [made]
        (task,) = tasks_of(ledger, made)
        assert task.key == task_key(secret_of(ledger, made), "A1", unit.id)
        assert [task.shown for task in tasks_of(ledger, made)] == [shown]


def test_campaigns_stand_in_the_order_in_which_they_were_made(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that goes back gives nobody another code, and no later campaign an earlier place."""
    make(ledger, name="first")
    codes = codes_of_people(ledger)
    monkeypatch.setattr("factmark.ledger.campaigns.timestamp", lambda: "1999-01-01T00:00:00+00:00")
    campaign_in(ledger, summaries(1), annotators=people("Dora", "Ada"), name="second")
    assert [campaign.name for campaign in campaigns_of(ledger)] == ["first", "second"]
    assert codes_of_people(ledger).items() >= codes.items()


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
