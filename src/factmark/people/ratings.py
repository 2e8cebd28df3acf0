"""What annotators answered, in a ledger: taken in once, never overwritten; and what was refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.campaigns import timestamp
from factmark.people.core.forms import form_named
from factmark.people.core.records import Campaign, Marking, Rating, Refused, Response, Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of revisions that came in.

    Attributes:
        new: ids of those that the ledger did not have.
        known: ids of those that it had, which changes nothing.
        foreign: ids of those whose key is none of the campaign's, or whose id is another task's.
    """

    new: tuple[str, ...]
    known: tuple[str, ...]
    foreign: tuple[str, ...]


def take_ratings(ledger: Ledger, campaign: Campaign, revisions: Sequence[Revision]) -> Taken:
    """Takes revisions in, in one transaction; each becomes a verdict unless a later one is known.

    What counts is the newest by `at`, so a change that was made offline and arrives late is kept as
    a revision and does not undo what was said after it. None is a first one after another.
    """
    form = form_named(campaign.form)
    names = {one.code: one.name for one in campaign.annotators}
    new: list[str] = []
    known: list[str] = []
    foreign: list[str] = []
    received = timestamp()
    with ledger.writing() as db:
        for one in sorted(revisions, key=lambda one: one.at):  # equal times stay as sent
            task = db.execute(
                "SELECT annotator, unit FROM assignments WHERE key = ? AND campaign = ?",
                (one.key, campaign.id),
            ).fetchone()
            if task is None:
                foreign.append(one.id)
                continue
            taken = db.execute("SELECT key FROM ratings WHERE id = ?", (one.id,)).fetchone()
            if taken is not None:
                (known if taken[0] == one.key else foreign).append(one.id)
                continue
            before, later = db.execute(
                "SELECT ifnull(min(at) <= :at, 0), ifnull(max(at) > :at, 0) FROM ratings "
                "WHERE key = :key",
                {"key": one.key, "at": one.at},
            ).fetchone()
            value = None if one.response.label is None else form.values[one.response.label]
            db.execute(
                "INSERT INTO ratings (id, key, response, value, seconds, at, source, first, "
                "received) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    one.id, one.key, _dump(one.response), value, one.seconds, one.at, one.source,
                    one.first and not before, received,
                ),
            )  # fmt: skip
            new.append(one.id)
            if not later:
                judge = Judge.create("person", names[task[0]])
                ledger.add_judge(judge)
                for unit, verdict in _rows(ledger, campaign, task[1], one.response, value, judge):
                    ledger.add_unit(unit)
                    ledger.add_verdict(verdict, received)
    return Taken(new=tuple(new), known=tuple(known), foreign=tuple(foreign))


def _rows(
    ledger: Ledger,
    campaign: Campaign,
    unit: str,
    response: Response,
    value: float | None,
    judge: Judge,
) -> Iterator[tuple[Unit, Verdict]]:
    """The verdicts that an answer stands for: one by its label, several by its marks."""
    row = ledger.connection.execute(
        "SELECT u.item, u.kind, u.text, u.data, i.cluster, i.strata, i.data, "
        "json_extract(s.data, '$.elements') FROM units u JOIN items i ON i.id = u.item "
        "JOIN shown s ON s.unit = u.id AND s.campaign = ? WHERE u.id = ?",
        (campaign.id, unit),
    ).fetchone()
    item, kind, text, data, cluster, strata, about, elements = row
    known = Unit(id=unit, item=item, kind=kind, text=text, data=json_cell(data))
    if response.marking is None:
        yield (
            known,
            Verdict(
                unit=unit, judge=judge.id, label=response.label, value=value,
                reason=response.comment,
            ),
        )  # fmt: skip
        return
    # Here, since it needs all that compares texts, and most campaigns ask for labels.
    from factmark.people.core.marks import marked_rows

    of = Item(id=item, cluster=cluster, strata=json_cell(strata), data=json_cell(about))
    yield from marked_rows(
        of, text, json_cell(elements), response.marking, judge, ledger.verdicts(item, judge.id)
    )


def ratings_of(ledger: Ledger, campaign: Campaign) -> list[Rating]:
    """Every revision of a campaign, those of one task in the order in which they were made."""
    rows = ledger.connection.execute(
        f"SELECT {_RATING} FROM ratings r "  # noqa: S608 - columns, written below
        "JOIN assignments a ON a.key = r.key JOIN units u ON u.id = a.unit WHERE a.campaign = ? "
        "ORDER BY length(a.annotator), a.annotator, a.position, r.at, r.number",
        (campaign.id,),
    )
    return [_rating(row) for row in rows]


def newest_of(ledger: Ledger, campaign: Campaign, annotator: str) -> dict[str, Rating]:
    """Key of a task -> its newest answer by one annotator."""
    rows = ledger.connection.execute(
        f"SELECT a.key, {_RATING} FROM assignments a "  # noqa: S608 - columns, written below
        "JOIN ratings r ON r.number = (SELECT number FROM ratings WHERE key = a.key "
        "ORDER BY at DESC, number DESC LIMIT 1) JOIN units u ON u.id = a.unit "
        "WHERE a.campaign = ? AND a.annotator = ? ORDER BY a.position",
        (campaign.id, annotator),
    )
    return {key: _rating(row) for key, *row in rows}


_RATING = (
    "a.annotator, a.unit, a.document, json_extract(u.data, '$.system'), r.response, r.value, "
    "r.seconds, r.at, r.number, r.first, r.source"
)


def _rating(row: Sequence[Any]) -> Rating:
    """A rating by the columns of `_RATING`."""
    annotator, unit, document, system, response, value, seconds, at, number, first, source = row
    return Rating(
        annotator=annotator, unit=unit, document=document, system=str(system or ""),
        response=read_response(json_cell(response)), value=value, seconds=seconds, at=at,
        number=number, first=bool(first), source=source,
    )  # fmt: skip


def refuse(ledger: Ledger, campaign: Campaign, refused: Iterable[Refused]) -> int:
    """Keeps what does not count; returns how many of it are new."""
    received = timestamp()
    with ledger.writing() as db:
        before = db.total_changes
        db.executemany(
            "INSERT OR IGNORE INTO refused VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (one.id, campaign.id, one.key, one.where, one.reason, one.raw, received)
                for one in refused
            ),
        )
        return db.total_changes - before


def refused_of(ledger: Ledger, campaign: Campaign) -> list[Refused]:
    """All that came in and does not count, the oldest first."""
    rows = ledger.connection.execute(
        "SELECT id, key, place, reason, raw FROM refused WHERE campaign = ? ORDER BY received, id",
        (campaign.id,),
    )
    return [
        Refused(id=name, key=key, where=place, reason=reason, raw=raw)
        for name, key, place, reason, raw in rows
    ]


def read_response(data: dict[str, object]) -> Response:
    """A response as `take_ratings` wrote it."""
    marking = data["marking"]
    read = None
    if isinstance(marking, dict):
        read = Marking(
            grounded=tuple((start, end) for start, end in marking["grounded"]),
            ungrounded=tuple((start, end) for start, end in marking["ungrounded"]),
            covered=tuple(marking["covered"]),
            verdict=marking["verdict"],
            absence=marking["absence"],
        )
    label = data["label"]
    return Response(
        label=None if label is None else str(label), marking=read, comment=str(data["comment"])
    )


def _dump(response: Response) -> str:
    return json.dumps(asdict(response), ensure_ascii=True, sort_keys=True)
