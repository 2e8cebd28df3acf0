"""Campaigns in a ledger: who is asked what, every answer as a revision, and what was refused.

An answer that is taken in becomes a verdict of the annotator in the same transaction. Revisions are
only ever added; one that is sent again is known by its id, and kept once.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from factmark.errors import InputError
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, content_hash
from factmark.people.core.keys import task_key
from factmark.people.core.records import Annotator, Assignment, Campaign, Shown, Task

_SHOWN_JUDGE = "shown_judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Where an annotator's tasks are on a Label Studio server.

    Attributes:
        user: who was found to be the annotator there, as the server names users; empty while
            nobody is known.
    """

    annotator: str
    url: str
    project: int
    user: str = ""


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
    made = replace(campaign, id=uuid4().hex, created=timestamp())
    secret = secrets.token_bytes(32)
    with ledger.writing() as db:
        if db.execute("SELECT 1 FROM campaigns WHERE name = ?", (made.name,)).fetchone():
            raise InputError(
                f"{ledger.path}: has a campaign {made.name!r}. Name this one otherwise (--name), "
                "or another ledger (--ledger)."
            )
        for item in items:
            ledger.add_new_item(item)
        for unit in units:
            ledger.add_unit(unit)
        db.execute(
            "INSERT INTO campaigns VALUES (?, ?, ?, ?, ?, ?, ?, '')",
            (
                made.id, made.name, made.form, made.guidelines, _dump(made.settings), secret,
                made.created,
            ),
        )  # fmt: skip
        db.executemany(
            "INSERT INTO annotators VALUES (?, ?, ?, ?, 1)",
            ((made.id, one.code, one.name, one.email) for one in made.annotators),
        )
        for unit_id, what in shown.items():
            evidence = content_hash(what.evidence)
            db.execute("INSERT OR IGNORE INTO evidence VALUES (?, ?)", (evidence, what.evidence))
            data = {name: value for name, value in asdict(what).items() if name != "evidence"}
            db.execute(
                "INSERT INTO shown VALUES (?, ?, ?, ?)", (made.id, unit_id, evidence, _dump(data))
            )
        db.executemany(
            "INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    task_key(secret, one.annotator, one.unit), made.id, one.annotator,
                    one.position, one.batch, one.unit, one.document,
                )
                for one in assignments
            ),
        )  # fmt: skip
    return made


def campaigns_of(ledger: Ledger) -> list[Campaign]:
    """All campaigns, the oldest first."""
    db = ledger.connection
    out = []
    for row in db.execute(
        "SELECT id, name, form, guidelines, settings, created, closed FROM campaigns "
        "ORDER BY created, name"
    ).fetchall():
        name, *rest = row
        people = db.execute(
            "SELECT code, name, email FROM annotators WHERE campaign = ? "
            "ORDER BY length(code), code",
            (name,),
        )
        out.append(
            Campaign(
                id=name, name=rest[0], form=rest[1], guidelines=rest[2],
                settings=json_cell(rest[3]), created=rest[4], closed=rest[5],
                annotators=tuple(Annotator(code=c, name=n, email=e) for c, n, e in people),
            )
        )  # fmt: skip
    return out


def campaign_named(ledger: Ledger, name: str | None = None) -> Campaign:
    """The campaign of that name, or the only one.

    Raises:
        InputError: there is none such, or several where none is named.
    """
    found = campaigns_of(ledger)
    names = ", ".join(repr(one.name) for one in found)
    if not found:
        raise InputError(f"{ledger.path}: has no campaign; `factmark annotate create` makes one.")
    if name is None:
        if len(found) > 1:
            raise InputError(f"{ledger.path}: has the campaigns {names}; take one by --campaign.")
        return found[0]
    for one in found:
        if one.name == name:
            return one
    raise InputError(f"--campaign {name}: {ledger.path} has {names}.")


def holds_campaign_alone(path: Path) -> bool:
    """Whether a file is a ledger that holds a campaign, and no run of scored answers."""
    if not path.is_file():
        return False
    with Ledger(path, read_only=True) as ledger:
        return ledger.newest_import() is None and bool(campaigns_of(ledger))


def secret_of(ledger: Ledger, campaign: Campaign) -> bytes:
    """The campaign's secret; see `campaigns.keys`."""
    row = ledger.connection.execute(
        "SELECT secret FROM campaigns WHERE id = ?", (campaign.id,)
    ).fetchone()
    return bytes(row[0])


def links_of(ledger: Ledger, campaign: Campaign) -> dict[str, int]:
    """Code of an annotator -> how many times the link was made."""
    return dict(
        ledger.connection.execute(
            "SELECT code, links FROM annotators WHERE campaign = ?", (campaign.id,)
        )
    )


def renew_links(ledger: Ledger, campaign: Campaign, codes: Iterable[str]) -> None:
    """Makes the links of these annotators anew; the earlier ones open nothing any more."""
    with ledger.writing() as db:
        db.executemany(
            "UPDATE annotators SET links = links + 1 WHERE campaign = ? AND code = ?",
            ((campaign.id, code) for code in codes),
        )


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


def note_shown_judge(ledger: Ledger, campaign: Campaign, judge: str) -> None:
    """Notes that people can see a judge's verdicts from now on."""
    with ledger.writing() as db:
        db.execute(
            "UPDATE campaigns SET settings = json_set(settings, ?, ?) WHERE id = ?",
            (f"$.{_SHOWN_JUDGE}", judge, campaign.id),
        )


def tasks_of(ledger: Ledger, campaign: Campaign, annotator: str | None = None) -> list[Task]:
    """The tasks of an annotator, or of all, each list in its order."""
    db = ledger.connection
    passages = dict(
        db.execute(
            "SELECT id, text FROM evidence WHERE id IN "
            "(SELECT evidence FROM shown WHERE campaign = ?)",
            (campaign.id,),
        )
    )
    seen = {
        unit: _shown(passages[evidence], json_cell(data))
        for unit, evidence, data in db.execute(
            "SELECT unit, evidence, data FROM shown WHERE campaign = ?", (campaign.id,)
        )
    }
    rows = db.execute(
        "SELECT key, annotator, batch, position, unit, document FROM assignments "
        "WHERE campaign = :campaign AND (:code IS NULL OR annotator = :code) "
        "ORDER BY length(annotator), annotator, position",
        {"campaign": campaign.id, "code": annotator},
    )
    return [
        Task(
            key=key,
            assignment=Assignment(
                annotator=code, batch=batch, position=position, unit=unit, document=document
            ),
            shown=seen[unit],
        )
        for key, code, batch, position, unit, document in rows
    ]


def _shown(evidence: str, data: Mapping[str, object]) -> Shown:
    made = Shown(evidence=evidence, **data)  # type: ignore[arg-type]  # as asdict wrote it
    marked = made.marked
    return replace(
        made,
        marked=None if marked is None else (marked[0], marked[1]),
        likely=tuple((start, end) for start, end in made.likely),
        elements=tuple(made.elements),
    )


def projects_of(ledger: Ledger, campaign: Campaign, url: str) -> dict[str, Project]:
    """Code of an annotator -> the project on that server."""
    rows = ledger.connection.execute(
        "SELECT annotator, project, user FROM projects WHERE campaign = ? AND url = ?",
        (campaign.id, url),
    )
    return {
        code: Project(annotator=code, url=url, project=project, user=user)
        for code, project, user in rows
    }


def keep_project(ledger: Ledger, campaign: Campaign, project: Project) -> None:
    """Remembers where an annotator's tasks are, and who the annotator is there."""
    with ledger.writing() as db:
        db.execute(
            "INSERT OR REPLACE INTO projects VALUES (?, ?, ?, ?, ?)",
            (campaign.id, project.annotator, project.url, project.project, project.user),
        )


def timestamp() -> str:
    """Now, in UTC, as ISO 8601 with microseconds, so that times compare as texts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)
