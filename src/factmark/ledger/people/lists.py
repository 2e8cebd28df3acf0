"""Lists that change while people are at work: who joins, what goes from a list and what comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from factmark.campaign_model import Annotator, Assignment, Campaign
from factmark.ledger.campaigns import secret_of, task_key, timestamp
from factmark.ledger.ledger import Ledger, cells_of_record, insert


def add_people(
    ledger: Ledger, campaign: Campaign, people: Sequence[Annotator], *, letter: str = "A"
) -> tuple[Annotator, ...]:
    """Adds people to a campaign under codes that nobody ever had in it; returns them with these.

    Inside `writing`.
    """
    codes = ledger.rows(
        "SELECT max(CAST(substr(code, 2) AS INTEGER)) FROM annotators "
        "WHERE campaign = ? AND substr(code, 1, 1) = ?",
        campaign.id,
        letter,
    )
    last = codes.fetchone()[0] or 0
    new = tuple(
        replace(person, code=f"{letter}{number}") for number, person in enumerate(people, last + 1)
    )
    rows = (cells_of_record(person) | {"campaign": campaign.id, "links": 1} for person in new)
    insert(ledger.connection, "annotators", rows)
    return new


def change_lists(
    ledger: Ledger,
    campaign: Campaign,
    released: Iterable[Assignment],
    assigned: Iterable[Assignment],
) -> None:
    """Takes units off lists, and puts units on lists or at another place of them.

    Nothing is deleted: who answers on a page that was opened before is heard, and that counts.
    Inside `writing`.
    """
    db = ledger.connection
    at = timestamp()
    secret = secret_of(ledger, campaign)
    db.executemany(
        "UPDATE assignments SET released = ? WHERE campaign = ? AND annotator = ? AND unit = ?",
        ((at, campaign.id, task.annotator, task.unit) for task in released),
    )
    db.executemany(
        "INSERT INTO assignments (key, campaign, annotator, batch, position, unit, document) "
        "VALUES (:key, :campaign, :annotator, :batch, :position, :unit, :document) "
        # The key that was made when it was first on the list stays.
        "ON CONFLICT (campaign, annotator, unit) DO UPDATE SET batch = excluded.batch, "
        "position = excluded.position, released = ''",
        (
            cells_of_record(task)
            | {"campaign": campaign.id, "key": task_key(secret, task.annotator, task.unit)}
            for task in assigned
        ),
    )


def list_state(ledger: Ledger, campaign: Campaign, annotator: str) -> str:
    """Returns a text that is another one whenever an annotator's list has changed."""
    rows = ledger.rows(
        "SELECT count(*), ifnull(sum(position), 0), ifnull(sum(released <> ''), 0) "
        "FROM assignments WHERE campaign = ? AND annotator = ?",
        campaign.id,
        annotator,
    )
    return " ".join(map(str, rows.fetchone()))


def next_positions(ledger: Ledger, campaign: Campaign) -> dict[str, int]:
    """Returns code -> the first place on that annotator's list that nothing ever had; who was never
    asked anything is left out."""
    query = "SELECT annotator, max(position) + 1 FROM assignments WHERE campaign = ? GROUP BY 1"
    return dict(ledger.rows(query, campaign.id))
