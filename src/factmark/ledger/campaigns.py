"""Campaigns in a ledger: who is asked what, under which keys, and where. Answers: `ratings`.

Task keys and links are HMAC-SHA256 under 32 random bytes that stay here, so nobody else can tell
from a key whose unit it stands for, or make a link.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from factmark.campaign_model import (
    Annotator,
    Assignment,
    Campaign,
    CampaignTask,
    ServerProject,
    Shown,
)
from factmark.errors import InputError
from factmark.ledger.ledger import Ledger, dump, item_of, json_cell, records, unit_of
from factmark.model import Item, Unit, content_hash

Pair = tuple[Item, Unit]
_SHOWN_JUDGE = "shown_judge"  # set by earlier versions


def create_campaign(
    ledger: Ledger,
    campaign: Campaign,
    *,
    items: Iterable[Item],
    units: Iterable[Unit],
    shown: Mapping[str, Shown],
    assignments: Sequence[Assignment],
) -> Campaign:
    """Writes a new campaign in one transaction; its id and its secret are drawn here.

    Args:
        items, units: those that the ledger may not have yet.
        shown: unit -> what annotators see.

    Raises:
        InputError: the ledger has a campaign of that name.
    """
    campaign = replace(campaign, id=uuid4().hex, created=timestamp())
    secret = secrets.token_bytes(32)
    with ledger.writing() as db:
        reject_known_name(ledger, campaign.name)
        for item in items:
            ledger.add_new_item(item)
        for unit in units:
            ledger.add_unit(unit)
        db.execute(
            "INSERT INTO campaigns VALUES (?, ?, ?, ?, ?, ?, ?, '')",
            (
                campaign.id, campaign.name, campaign.form, campaign.guidelines,
                dump(campaign.settings), secret, campaign.created,
            ),
        )  # fmt: skip
        db.executemany(
            "INSERT INTO annotators VALUES (?, ?, ?, ?, 1)",
            (
                (campaign.id, person.code, person.name, person.email)
                for person in campaign.annotators
            ),
        )
        for unit_id, what in shown.items():
            data = asdict(what)
            text = data.pop("evidence")
            evidence = content_hash(text)
            db.execute("INSERT OR IGNORE INTO evidence VALUES (?, ?)", (evidence, text))
            row = (campaign.id, unit_id, evidence, dump(data))
            db.execute("INSERT INTO shown VALUES (?, ?, ?, ?)", row)
        db.executemany(
            "INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    task_key(secret, task.annotator, task.unit), campaign.id, task.annotator,
                    task.position, task.batch, task.unit, task.document,
                )
                for task in assignments
            ),
        )  # fmt: skip
    return campaign


def reject_known_name(ledger: Ledger, name: str) -> None:
    """Raises InputError where the ledger has a campaign of that name."""
    if ledger.rows("SELECT 1 FROM campaigns WHERE name = ?", name).fetchone():
        raise InputError(
            f"{ledger.path}: has a campaign {name!r}. Name this one otherwise (--name), or another "
            "ledger (--ledger)."
        )


def campaigns_of(ledger: Ledger) -> list[Campaign]:
    """All campaigns, the oldest first."""
    people: dict[str, list[Annotator]] = {}
    for campaign, code, name, email in ledger.rows(
        "SELECT campaign, code, name, email FROM annotators ORDER BY length(code), code"
    ):
        people.setdefault(campaign, []).append(Annotator(code=code, name=name, email=email))
    rows = ledger.rows(
        "SELECT id, name, form, guidelines, settings, created, closed FROM campaigns "
        "ORDER BY created, name"
    )
    return [
        Campaign(
            id=key, name=name, form=form, guidelines=guidelines, settings=json_cell(settings),
            created=created, closed=closed, annotators=tuple(people.get(key, ())),
        )
        for key, name, form, guidelines, settings, created, closed in rows
    ]  # fmt: skip


def campaign_named(ledger: Ledger, name: str | None = None) -> Campaign:
    """The campaign of that name, or the only one.

    Raises:
        InputError: there is none such, or several where none is named.
    """
    campaigns = campaigns_of(ledger)
    names = ", ".join(repr(campaign.name) for campaign in campaigns)
    if not campaigns:
        raise InputError(f"{ledger.path}: has no campaign; `factmark annotate create` makes one.")
    meant = [campaign for campaign in campaigns if name in (None, campaign.name)]
    if not meant:
        raise InputError(f"--campaign {name}: {ledger.path} has {names}.")
    if len(meant) > 1:
        raise InputError(f"{ledger.path}: has the campaigns {names}; take one by --campaign.")
    return meant[0]


def holds_campaign_alone(path: Path) -> bool:
    """Whether a file is a ledger that holds a campaign, and no run of scored answers."""
    if not path.is_file():
        return False
    with Ledger(path, read_only=True) as ledger:
        return ledger.newest_import() is None and bool(campaigns_of(ledger))


def close_campaign(ledger: Ledger, campaign: Campaign, *, closed: bool = True) -> Campaign:
    """Closes a campaign, or opens it again; a closed one takes no more answers on its page.

    Raises:
        InputError: a judge's verdicts were shown to people since, who must not answer any more.
    """
    if not closed and (judge := campaign.settings.get(_SHOWN_JUDGE)):
        raise InputError(
            f"The campaign {campaign.name!r} stays closed: the verdicts of {judge} were pushed to "
            "Label Studio, where everybody can read them. Make a new campaign for more answers."
        )
    at = timestamp() if closed else ""
    with ledger.writing() as db:
        db.execute("UPDATE campaigns SET closed = ? WHERE id = ?", (at, campaign.id))
    return replace(campaign, closed=at)


def secret_of(ledger: Ledger, campaign: Campaign) -> bytes:
    """The campaign's secret, from which its keys and links are made."""
    query = "SELECT secret FROM campaigns WHERE id = ?"
    return bytes(ledger.rows(query, campaign.id).fetchone()[0])


def links_of(ledger: Ledger, campaign: Campaign) -> dict[str, int]:
    """Code of an annotator -> how many times the link was made."""
    query = "SELECT code, links FROM annotators WHERE campaign = ?"
    return dict(ledger.rows(query, campaign.id))


def renew_links(ledger: Ledger, campaign: Campaign, codes: Iterable[str]) -> None:
    """Makes the links of these annotators anew; the earlier ones open nothing any more."""
    with ledger.writing() as db:
        db.executemany(
            "UPDATE annotators SET links = links + 1 WHERE campaign = ? AND code = ?",
            ((campaign.id, code) for code in codes),
        )


def task_key(secret: bytes, annotator: str, unit: str) -> str:
    """The blind key of a unit on an annotator's list: 32 hex digits."""
    return keyed_hash(secret, "task", annotator, unit)[:32]


def keyed_hash(secret: bytes, *parts: str) -> str:
    """The HMAC-SHA256 of the parts under a campaign's secret: 64 hex digits."""
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(secret, text, hashlib.sha256).hexdigest()


def tasks_of(
    ledger: Ledger, campaign: Campaign, annotator: str | None = None
) -> list[CampaignTask]:
    """The tasks of an annotator, or of all, each list in its order."""
    shown = shown_of(ledger, campaign)
    rows = ledger.connection.execute(
        "SELECT key, annotator, batch, position, unit, document FROM assignments "
        "WHERE campaign = :campaign AND (:code IS NULL OR annotator = :code) "
        "ORDER BY length(annotator), annotator, position",
        {"campaign": campaign.id, "code": annotator},
    )
    return [
        CampaignTask(
            key=key,
            assignment=Assignment(
                annotator=code, batch=batch, position=position, unit=unit, document=document
            ),
            shown=shown[unit],
        )
        for key, code, batch, position, unit, document in rows
    ]


def task_counts(ledger: Ledger, campaign: Campaign) -> dict[str, tuple[int, int]]:
    """Code of an annotator -> tasks, and those with an answer."""
    rows = ledger.rows(
        "SELECT annotator, count(*), sum(EXISTS (SELECT 1 FROM ratings r WHERE r.key = a.key)) "
        "FROM assignments a WHERE campaign = ? GROUP BY annotator",
        campaign.id,
    )
    return {code: (tasks, done) for code, tasks, done in rows}


def shown_of(ledger: Ledger, campaign: Campaign) -> dict[str, Shown]:
    """Unit -> what annotators see of it."""
    db, key = ledger.connection, (campaign.id,)
    texts = dict(
        db.execute(
            "SELECT id, text FROM evidence "
            "WHERE id IN (SELECT evidence FROM shown WHERE campaign = ?)",
            key,
        )
    )
    rows = db.execute("SELECT unit, evidence, data FROM shown WHERE campaign = ?", key)
    return {unit: _shown(texts[evidence], json_cell(data)) for unit, evidence, data in rows}


def elements_of(ledger: Ledger, campaign: Campaign, unit: Unit) -> Shown:
    """What is shown of one unit, without the evidence."""
    query = "SELECT data FROM shown WHERE campaign = ? AND unit = ?"
    row = ledger.rows(query, campaign.id, unit.id).fetchone()
    return _shown("", json_cell(row[0]))


def _shown(evidence: str, data: Mapping[str, Any]) -> Shown:
    marked = data["marked"]
    return Shown(
        evidence=evidence,
        text=data["text"],
        marked=None if marked is None else (marked[0], marked[1]),
        likely=tuple((start, end) for start, end in data["likely"]),
        elements=tuple(data["elements"]),
    )


def pairs_of_kind(ledger: Ledger, kind: str) -> list[Pair]:
    """All units of a kind with their items, in the order of their ids."""
    return pairs(ledger, "u.kind = ?", kind)


def pairs_shown(ledger: Ledger, campaign: Campaign) -> list[Pair]:
    """The units that a campaign asks about, with their items."""
    return pairs(ledger, "u.id IN (SELECT unit FROM shown WHERE campaign = ?)", campaign.id)


def pairs(ledger: Ledger, where: str, *values: str) -> list[Pair]:
    """Units with their items; `where` is a constant of this folder."""
    rows = ledger.connection.execute(
        "SELECT i.id, i.cluster, i.strata, i.data, u.id, u.item, u.kind, u.text, u.data "  # noqa: S608
        f"FROM units u JOIN items i ON i.id = u.item WHERE {where} ORDER BY u.id",
        values,
    )
    return [(item_of(*row[:4]), unit_of(*row[4:])) for row in rows]


def units_shown(ledger: Ledger) -> set[str]:
    """The ids of the units that any campaign asks about."""
    return {unit for (unit,) in ledger.rows("SELECT DISTINCT unit FROM shown")}


def projects_of(ledger: Ledger, campaign: Campaign, url: str) -> dict[str, ServerProject]:
    """Code of an annotator -> the project on that server."""
    query = "SELECT annotator, url, project, user FROM projects WHERE campaign = ? AND url = ?"
    projects = records(ServerProject, ledger.rows(query, campaign.id, url))
    return {project.annotator: project for project in projects}


def servers_of(ledger: Ledger, campaign: Campaign) -> list[str]:
    """The URLs of the servers that a campaign was pushed to."""
    query = "SELECT DISTINCT url FROM projects WHERE campaign = ? ORDER BY url"
    return [str(url) for (url,) in ledger.rows(query, campaign.id)]


def keep_project(ledger: Ledger, campaign: Campaign, project: ServerProject) -> None:
    """Remembers where an annotator's tasks are, and who the annotator is there."""
    with ledger.writing() as db:
        db.execute(
            "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?)",
            (campaign.id, project.annotator, project.url, project.project, project.user),
        )


def timestamp() -> str:
    """Now, in UTC, as ISO 8601 with microseconds, so that times compare as texts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
