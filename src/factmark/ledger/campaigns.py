"""Campaigns in a ledger: who is asked what, under which keys, and where. Answers: `ratings`.

Task keys are HMAC-SHA256 under 32 random bytes that stay here, so nobody else can tell from a key
whose unit it stands for. Links: `people/links`.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
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
    Queued,
    ServerProject,
    Shown,
)
from factmark.errors import InputError
from factmark.ledger.kept.adding import add_units
from factmark.ledger.ledger import (
    UNIT,
    Ledger,
    cells_of_record,
    insert,
    json_cell,
    json_text_of,
    open_to_read,
    record_of,
    records,
)
from factmark.ledger.opening import keep_private
from factmark.ledger.people.queue import fill_queue
from factmark.model import Item, Unit, content_hash
from factmark.text.shell import quote, quote_path

Pair = tuple[Item, Unit]
_SHOWN_JUDGE = "shown_judge"  # set by earlier versions
# What was answered stays on the list of who answered it, also where it was dealt to others since.
_LISTED = """FROM assignments a
    JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator
    WHERE a.campaign = :campaign AND a.annotator = ifnull(:code, a.annotator) AND (
        a.released = '' OR :all
        OR (p.withdrawn = '' AND EXISTS (SELECT 1 FROM ratings r WHERE r.key = a.key))
    )"""


def create_campaign(
    ledger: Ledger,
    campaign: Campaign,
    *,
    items: Iterable[Item],
    units: Iterable[Unit],
    shown: Mapping[str, Shown],
    assignments: Sequence[Assignment],
    queue: Iterable[Queued] = (),
) -> Campaign:
    """Writes a new campaign in one transaction and returns it with the id and secret drawn for it.

    Args:
        items, units: those that the ledger may not have yet.
        shown: unit -> what annotators see.
        queue: what waits for whoever comes next, in its order.

    Raises:
        InputError: the ledger has a campaign of that name.
    """
    campaign = replace(campaign, id=uuid4().hex, created=timestamp())
    secret = secrets.token_bytes(32)
    with ledger.writing() as db:
        check_name_is_new(ledger, campaign.name)
        if not ledger.rows("SELECT 1 FROM campaigns").fetchone():  # later the owner has decided
            keep_private(ledger.path)
        decided = cells_of_record(campaign) | {"secret": secret, "hashed": True}
        del decided["annotators"]
        query = "SELECT ifnull(max(number), 0) + 1 FROM campaigns"
        (decided["number"],) = ledger.rows(query).fetchone()
        insert(db, "campaigns", [decided])
        _add_tasks(db, campaign, secret, items, units, shown, assignments)
        fill_queue(db, campaign, queue)
    return campaign


def extend_campaign(
    ledger: Ledger,
    campaign: Campaign,
    *,
    items: Iterable[Item],
    units: Iterable[Unit],
    shown: Mapping[str, Shown],
    assignments: Sequence[Assignment],
) -> None:
    """Adds people, units and tasks to a campaign in one transaction; what it has stays as it is.

    Args:
        campaign: with all its annotators, the new ones too.
        assignments: new ones; one of a unit that is on that annotator's list already is left out.
    """
    secret = secret_of(ledger, campaign)
    with ledger.writing() as db:
        _add_tasks(db, campaign, secret, items, units, shown, assignments)


def _add_tasks(
    db: sqlite3.Connection,
    campaign: Campaign,
    secret: bytes,
    items: Iterable[Item],
    units: Iterable[Unit],
    shown: Mapping[str, Shown],
    assignments: Sequence[Assignment],
) -> None:
    """Adds what a campaign asks whom, but for what is there."""
    insert(db, "items", map(cells_of_record, items), known="IGNORE")
    add_units(db, units)
    here: dict[str, object] = {"campaign": campaign.id}
    people = (here | {"links": 1} | cells_of_record(person) for person in campaign.annotators)
    insert(db, "annotators", people, known="IGNORE")
    for unit, what in shown.items():
        data = {_CLAUSE if name == "clause" else name: part for name, part in asdict(what).items()}
        text = data.pop("evidence")
        evidence = content_hash(text)
        insert(db, "evidence", [{"id": evidence, "text": text}], known="IGNORE")
        cells = here | {"unit": unit, "evidence": evidence, "data": json_text_of(data)}
        insert(db, "shown", [cells], known="IGNORE")
    keys = (task_key(secret, task.annotator, task.unit) for task in assignments)
    tasks = zip(keys, assignments, strict=True)
    rows = (here | {"key": key} | cells_of_record(task) for key, task in tasks)
    insert(db, "assignments", rows, known="IGNORE")


def check_name_is_new(ledger: Ledger, name: str) -> None:
    """Raises InputError if the ledger has a campaign of that name."""
    if ledger.rows("SELECT 1 FROM campaigns WHERE name = ?", name).fetchone():
        raise InputError(
            f"{ledger.path}: has a campaign {name!r}. Name this one otherwise (--name), or another "
            "ledger (--ledger)."
        )


def campaigns_of(ledger: Ledger) -> list[Campaign]:
    """Returns all campaigns, the oldest first."""
    people: dict[str, list[Annotator]] = {}
    for campaign, *person in ledger.rows(
        "SELECT campaign, code, name, email, withdrawn, decides, screened FROM annotators "
        "ORDER BY length(code), code"
    ):
        people.setdefault(campaign, []).append(record_of(Annotator, person))
    rows = ledger.rows(
        "SELECT id, name, form, NULL, guidelines, settings, created, closed FROM campaigns "
        "ORDER BY number"
    )
    return [
        replace(campaign, annotators=tuple(people.get(campaign.id, ())))
        for campaign in records(Campaign, rows)
    ]


def campaign_named(ledger: Ledger, name: str | None = None) -> Campaign:
    """Returns the campaign of that name; without a name the only one.

    Raises:
        InputError: there is none such, or several where none is named.
    """
    campaigns = campaigns_of(ledger)
    names = ", ".join(repr(campaign.name) for campaign in campaigns)
    if not campaigns:
        raise InputError(f"{ledger.path}: has no campaign; `factmark annotate create` makes one.")
    meant = []
    for campaign in campaigns:
        if name in (None, campaign.name):
            meant.append(campaign)
    if not meant:
        raise InputError(f"--campaign {name}: {ledger.path} has {names}.")
    if len(meant) > 1:
        raise InputError(f"{ledger.path}: has the campaigns {names}; take one by --campaign.")
    return meant[0]


def campaign_argument(ledger: Ledger, campaign: str, alone: int = 1) -> str:
    """Returns how a command names a campaign: the ledger's path, with `--campaign` where it holds
    more campaigns than these `alone`."""
    path = quote_path(ledger.path)
    if len(campaigns_of(ledger)) == alone:
        return path
    return f"{path} --campaign {quote(campaign)}"


def holds_campaign_alone(path: Path) -> bool:
    """Whether a file is a ledger with a campaign and without any run of scored answers."""
    with open_to_read(path) as ledger:
        if ledger is None:
            return False
        return ledger.newest_import() is None and bool(campaigns_of(ledger))


def close_campaign(ledger: Ledger, campaign: Campaign, *, closed: bool = True) -> Campaign:
    """Closes a campaign, or opens it again; returns it. A closed one takes no more answers on its
    page.

    Raises:
        InputError: a judge's verdicts were shown to people since, who must not answer any more.
    """
    if not closed and (judge := campaign.settings.get(_SHOWN_JUDGE)):
        raise InputError(
            f"The campaign {campaign.name!r} stays closed: the verdicts of {judge} were pushed to "
            "Label Studio, where everybody can read them. Make a new campaign for more answers."
        )
    at = ""
    if closed:
        at = timestamp()
    with ledger.writing() as db:
        db.execute("UPDATE campaigns SET closed = ? WHERE id = ?", (at, campaign.id))
    return replace(campaign, closed=at)


def change_settings(ledger: Ledger, campaign: Campaign, settings: Mapping[str, object]) -> Campaign:
    """Changes some settings of a campaign; returns it."""
    changed = replace(campaign, settings={**campaign.settings, **settings})
    with ledger.writing() as db:
        cell = json_text_of(changed.settings)
        db.execute("UPDATE campaigns SET settings = ? WHERE id = ?", (cell, campaign.id))
    return changed


def check_is_open(ledger: Ledger, campaign: Campaign) -> None:
    """Raises InputError where a campaign is closed: nobody is asked anything in it."""
    if not campaign.closed:
        return
    again = (
        f"`factmark annotate close {campaign_argument(ledger, campaign.name)} --reopen` opens it"
    )
    if campaign.imported:
        raise InputError(
            f"The campaign {campaign.name!r} holds ratings from files, and asks nobody. "
            f"`factmark annotate import` adds ratings; {again}, to ask about its texts."
        )
    raise InputError(
        f"The campaign {campaign.name!r} was closed at {campaign.closed}; nobody is asked any "
        f"more. {again} again, where that is wanted."
    )


def secret_of(ledger: Ledger, campaign: Campaign) -> bytes:
    """Returns the campaign's secret, from which keys of tasks and tokens of requests are made."""
    query = "SELECT secret FROM campaigns WHERE id = ?"
    return bytes(ledger.rows(query, campaign.id).fetchone()[0])


def links_of(ledger: Ledger, campaign: Campaign) -> dict[str, int]:
    """Returns an annotator's code -> how many times the link was made."""
    query = "SELECT code, links FROM annotators WHERE campaign = ?"
    return dict(ledger.rows(query, campaign.id))


def task_key(secret: bytes, annotator: str, unit: str) -> str:
    """The key of a unit on an annotator's list, which does not tell the unit: 32 hex digits."""
    return keyed_hash(secret, "task", annotator, unit)[:32]


def task_keys(ledger: Ledger, campaign: Campaign) -> dict[tuple[str, str], str]:
    """Returns annotator's code and unit -> the key of that task, of all that was ever on a list."""
    query = "SELECT annotator, unit, key FROM assignments WHERE campaign = ?"
    return {(code, unit): key for code, unit, key in ledger.rows(query, campaign.id)}


def keyed_hash(secret: bytes, *parts: str) -> str:
    """Returns the HMAC-SHA256 of the parts under a campaign's secret: 64 hex digits."""
    # A separator that names do not hold: else ("ab", "c") and ("a", "bc") would share a key.
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(secret, text, hashlib.sha256).hexdigest()


def tasks_of(
    ledger: Ledger,
    campaign: Campaign,
    annotator: str | None = None,
    *,
    released: bool = False,
    shown: Mapping[str, Shown] | None = None,
) -> list[CampaignTask]:
    """Returns the tasks of an annotator, or of all annotators, each list in its order.

    Args:
        released: whether those too that were dealt to others before they were answered.
        shown: what `shown_by_unit` gives, where that was read already.
    """
    if shown is None:
        shown = shown_by_unit(ledger, campaign)
    rows = ledger.connection.execute(
        "SELECT a.key, a.annotator, a.batch, a.position, a.unit, a.document "
        f"{_LISTED} ORDER BY length(a.annotator), a.annotator, a.position",
        {"campaign": campaign.id, "code": annotator, "all": released},
    )
    tasks = []
    for key, *cells in rows:
        task = record_of(Assignment, cells)
        tasks.append(CampaignTask(key=key, assignment=task, shown=shown[task.unit]))
    return tasks


def task_counts(ledger: Ledger, campaign: Campaign) -> dict[str, tuple[int, int]]:
    """Returns an annotator's code -> number of tasks, and how many of them have an answer."""
    rows = ledger.connection.execute(
        "SELECT a.annotator, count(*), "  # noqa: S608
        f"sum(EXISTS (SELECT 1 FROM ratings r WHERE r.key = a.key)) {_LISTED} GROUP BY a.annotator",
        {"campaign": campaign.id, "code": None, "all": False},
    )
    return {code: (tasks, done) for code, tasks, done in rows}


def shown_by_unit(ledger: Ledger, campaign: Campaign) -> dict[str, Shown]:
    """Returns unit -> what annotators see of it."""
    texts = dict(
        ledger.rows(
            "SELECT id, text FROM evidence "
            "WHERE id IN (SELECT evidence FROM shown WHERE campaign = ?)",
            campaign.id,
        )
    )
    rows = ledger.rows("SELECT unit, evidence, data FROM shown WHERE campaign = ?", campaign.id)
    return {unit: _shown(texts[evidence], data) for unit, evidence, data in rows}


def elements_of(ledger: Ledger, campaign: Campaign, unit: Unit) -> Shown:
    """Returns what annotators see of one unit, without the evidence."""
    query = "SELECT data FROM shown WHERE campaign = ? AND unit = ?"
    row = ledger.rows(query, campaign.id, unit.id).fetchone()
    return _shown("", row[0])


_CLAUSE = "marked"  # as ledgers have called it from the first


def _shown(evidence: str, cell: str) -> Shown:
    """Returns what annotators see, from the cell that holds it."""
    fields = lists_as_tuples(json_cell(cell))
    return Shown(evidence=evidence, clause=fields.pop(_CLAUSE, None), **fields)


def lists_as_tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a record's fields as read from JSON, with every list as a tuple."""
    return {name: _tuples(value) for name, value in fields.items()}


def _tuples(value: Any) -> Any:
    """Returns a value with its lists, inner ones too, as tuples."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return value


def pairs_of_kind(ledger: Ledger, kind: str) -> list[Pair]:
    """Returns all units of a kind with their items, in the order of their ids."""
    return pairs(ledger, "u.kind = ?", kind)


def pairs_shown(ledger: Ledger, campaign: Campaign) -> list[Pair]:
    """Returns the units that a campaign asks about, with their items."""
    return pairs(ledger, "u.id IN (SELECT unit FROM shown WHERE campaign = ?)", campaign.id)


def pairs(ledger: Ledger, where: str, *values: str) -> list[Pair]:
    """Returns units with their items; `where` is a condition in SQL, a constant of this folder."""
    rows = ledger.rows(
        f"SELECT i.*, {UNIT} FROM whole_units u JOIN items i ON i.id = u.item "  # noqa: S608
        f"WHERE {where} ORDER BY u.id",
        *values,
    )
    return [(record_of(Item, row[:4]), record_of(Unit, row[4:])) for row in rows]


def units_shown_of_kind(ledger: Ledger, campaign: Campaign, kind: str) -> list[Unit]:
    """Returns the units of a kind that a campaign asks about, in the order of their ids."""
    where = "u.id IN (SELECT unit FROM shown WHERE campaign = ?) AND u.kind = ?"
    return [unit for _, unit in pairs(ledger, where, campaign.id, kind)]


def units_shown(ledger: Ledger) -> set[str]:
    """Returns the ids of the units that any campaign asks about."""
    return {unit for (unit,) in ledger.rows("SELECT DISTINCT unit FROM shown")}


def projects_of(ledger: Ledger, campaign: Campaign, url: str) -> dict[str, ServerProject]:
    """Returns an annotator's code -> the project on that server."""
    query = "SELECT annotator, url, project, user FROM projects WHERE campaign = ? AND url = ?"
    projects = records(ServerProject, ledger.rows(query, campaign.id, url))
    return {project.annotator: project for project in projects}


def servers_of(ledger: Ledger, campaign: Campaign) -> list[str]:
    """Returns the URLs of the servers that a campaign was pushed to."""
    query = "SELECT DISTINCT url FROM projects WHERE campaign = ? ORDER BY url"
    return [str(url) for (url,) in ledger.rows(query, campaign.id)]


def keep_project(ledger: Ledger, campaign: Campaign, project: ServerProject) -> None:
    """Writes where an annotator's tasks are on a server, and who the annotator is there."""
    with ledger.writing() as db:
        insert(
            db, "projects", [cells_of_record(project) | {"campaign": campaign.id}], known="REPLACE"
        )


def timestamp() -> str:
    """Returns the time in UTC, as ISO 8601 with microseconds, so that times compare as texts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
