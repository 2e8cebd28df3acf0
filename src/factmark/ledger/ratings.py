"""What annotators answered, in a ledger: taken in once, never overwritten; and what was refused.

Revisions are only ever added; one that is sent again is known by its id, and kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from factmark.campaign_model import (
    Campaign,
    Marking,
    PersonResponse,
    Rating,
    Refused,
    Shown,
    TakenRatings,
)
from factmark.ledger.campaigns import elements_of, lists_as_tuples, pairs, timestamp
from factmark.ledger.ledger import Ledger, cells_of_record, insert, json_cell, json_text_of, records
from factmark.model import Item, Judge, Unit, Verdict

Verdicts = Callable[[Item, Unit, Shown, PersonResponse, Judge], Iterable[tuple[Unit, Verdict]]]


def add_ratings(
    ledger: Ledger,
    campaign: Campaign,
    revisions: Sequence[Rating],
    values: Mapping[str, float],
    verdicts: Verdicts,
) -> TakenRatings:
    """Adds revisions in one transaction, in their order; each becomes a verdict unless it decides
    between others.

    What arrives last counts, whatever time it names: clocks are wrong, and go back. None is a first
    one after another.

    Args:
        values: label -> value; of a question of its own there is none.
        verdicts: what an answer stands for.
    """
    taken: dict[str, list[str]] = {"new": [], "known": [], "foreign": []}
    received = timestamp()
    with ledger.writing() as db:
        names, rating = _people_now(ledger, campaign)
        for revision in revisions:
            task = db.execute(
                "SELECT annotator, unit FROM assignments WHERE key = ? AND campaign = ?",
                (revision.key, campaign.id),
            ).fetchone()
            kept = db.execute("SELECT key FROM ratings WHERE id = ?", (revision.id,)).fetchone()
            foreign = not task or task[0] not in names or kept not in (None, (revision.key,))
            if foreign:
                state = "foreign"
            elif kept:
                state = "known"
            else:
                state = "new"
            taken[state].append(revision.id)
            if state != "new":
                continue
            _add_revision(ledger, revision, values, received)
            if task[0] in rating:  # who decides is no further rater
                judge = Judge.create("person", names[task[0]])
                ledger.add_judge(judge)
                item, unit = pairs(ledger, "u.id = ?", task[1])[0]
                shown = elements_of(ledger, campaign, unit)
                for judged, verdict in verdicts(item, unit, shown, revision.response, judge):
                    ledger.add_unit(judged)
                    if revision.response.marking and _is_of_another(ledger, campaign, verdict):
                        insert(db, "verdicts", [cells_of_record(verdict) | {"time": received}])
                    else:
                        ledger.add_verdict(verdict, received)
    return TakenRatings(**{state: tuple(ids) for state, ids in taken.items()})


def _is_of_another(ledger: Ledger, campaign: Campaign, verdict: Verdict) -> bool:
    """Whether what a judge said last of a unit came in with another campaign's answers, and goes
    with them when somebody withdraws: marks that say the same are a verdict of their own."""
    row = ledger.rows(
        "SELECT 1 FROM newest_verdicts v WHERE v.unit = ? AND v.judge = ? AND NOT EXISTS ("
        "SELECT 1 FROM ratings r JOIN assignments a ON a.key = r.key "
        "WHERE a.campaign = ? AND r.received = v.time)",
        *(verdict.unit, verdict.judge, campaign.id),
    )
    return row.fetchone() is not None


def add_labels(
    ledger: Ledger,
    campaign: Campaign,
    revisions: Sequence[Rating],
    values: Mapping[str, float],
) -> int:
    """Adds many labels, none of which the ledger has (`rating_ids`), in one transaction, as
    `add_ratings` would one by one; returns how many, without those of who has withdrawn.
    Thousands of ratings that exist already come in within a second.
    """
    received = timestamp()
    with ledger.writing() as db:
        names, _ = _people_now(ledger, campaign)
        judges = {}
        for code, name in names.items():
            judges[code] = Judge.create("person", name)
        rows = ledger.rows(
            "SELECT key, annotator, unit FROM assignments WHERE campaign = ?", campaign.id
        )
        tasks = {key: (judges[code], unit) for key, code, unit in rows if code in judges}
        given = {
            (unit, judge): tuple(content)
            for unit, judge, *content in ledger.rows(
                "SELECT v.unit, v.judge, v.status, v.label, v.value, v.reason "
                "FROM newest_verdicts v JOIN shown s ON s.unit = v.unit WHERE s.campaign = ?",
                campaign.id,
            )
        }
        new = []
        for sent in revisions:
            if sent.key in tasks:
                new.append(sent)
        ratings = []
        verdicts = []
        arrived = {"received": received, "seen": _last_verdict(ledger)}
        for revision in new:
            response, (judge, unit) = revision.response, tasks[revision.key]
            value = values[response.label or ""]
            answer = {"response": json_text_of(asdict(response)), "value": value}
            ratings.append(_cells(revision) | answer | arrived)
            content = ("ok", response.label, value, response.comment)
            if given.get((unit, judge.id)) != content:
                given[unit, judge.id] = content
                verdict = Verdict(
                    unit=unit,
                    judge=judge.id,
                    label=response.label,
                    value=value,
                    reason=response.comment,
                )
                verdicts.append(cells_of_record(verdict) | {"time": received})
        for judge in judges.values():
            ledger.add_judge(judge)
        insert(db, "ratings", ratings)
        insert(db, "verdicts", verdicts)
    return len(new)


def rating_ids(ledger: Ledger, campaign: Campaign) -> set[str]:
    """Returns the ids of all that was answered in a campaign, by who has withdrawn too."""
    query = "SELECT r.id FROM ratings r JOIN assignments a ON a.key = r.key WHERE a.campaign = ?"
    return {name for (name,) in ledger.rows(query, campaign.id)}


def _people_now(ledger: Ledger, campaign: Campaign) -> tuple[dict[str, str], set[str]]:
    """Returns code -> name of those who may answer, and the codes of those of them who rate.

    As the ledger has it in this transaction: somebody may have withdrawn, or been forgotten, since
    the campaign was read.
    """
    rows = ledger.rows(
        "SELECT code, name, decides FROM annotators WHERE campaign = ? AND withdrawn = ''",
        campaign.id,
    ).fetchall()
    return {code: name for code, name, _ in rows}, {code for code, _, other in rows if not other}


def _add_revision(
    ledger: Ledger, revision: Rating, values: Mapping[str, float], received: str
) -> None:
    """Adds a revision as the newest of its task."""
    query = "SELECT 1 FROM ratings WHERE key = ?"
    row = _cells(revision) | {
        "response": json_text_of(asdict(revision.response)),
        "value": values.get(revision.response.label or ""),
        "first": revision.first and not ledger.rows(query, revision.key).fetchone(),
        "received": received,
        "seen": _last_verdict(ledger),
    }
    insert(ledger.connection, "ratings", [row])


def _cells(rating: Rating) -> dict[str, object]:
    """Returns a rating as a row of the table; whose it is and of which unit, its task tells."""
    row = cells_of_record(rating)
    del row["annotator"], row["unit"]
    return row


def _last_verdict(ledger: Ledger) -> int:
    """Returns the number of the last verdict that was ever added, also if it was withdrawn since:
    a rating that comes now came after it."""
    row = ledger.rows("SELECT seq FROM sqlite_sequence WHERE name = 'kept_verdicts'").fetchone()
    if row:
        return int(row[0])
    return 0


def revisions_of(
    ledger: Ledger, campaign: Campaign, annotator: str | None = None, *, withdrawn: bool = False
) -> dict[str, list[Rating]]:
    """Returns the key of a task -> its revisions as they arrived; tasks without an answer are left
    out, and those of who has withdrawn unless `withdrawn`. Of one annotator, or of all.
    """
    rows = ledger.connection.execute(
        "SELECT r.id, r.key, r.response, r.seconds, r.at, r.source, r.first FROM ratings r "
        "JOIN assignments a ON a.key = r.key "
        "JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator "
        "WHERE a.campaign = :campaign AND (p.withdrawn = '' OR :gone) "
        "AND (:code IS NULL OR a.annotator = :code) "
        "ORDER BY length(a.annotator), a.annotator, a.position, r.number",
        {"campaign": campaign.id, "code": annotator, "gone": withdrawn},
    )
    revisions: dict[str, list[Rating]] = {}
    for name, key, response, seconds, at, source, first in rows:
        revision = Rating(
            id=name,
            key=key,
            response=read_response(json_cell(response)),
            seconds=seconds,
            at=at,
            source=source,
            first=bool(first),
        )
        revisions.setdefault(key, []).append(revision)
    return revisions


def labels_by_people(ledger: Ledger, campaign: Campaign) -> list[Rating]:
    """Returns what all people said last of the units that a campaign asks about: its annotators and
    others, by name and then in the order of the ledger.
    """
    rows = ledger.rows(
        "SELECT v.unit, j.name, CAST(v.label AS TEXT), v.reason, v.time FROM newest_verdicts v "
        "JOIN judges j ON j.id = v.judge JOIN shown s ON s.unit = v.unit "
        "WHERE s.campaign = ? AND j.kind = 'person' AND v.label IS NOT NULL "
        "ORDER BY j.name, v.number",
        campaign.id,
    )
    return [
        Rating(
            response=PersonResponse(label=label, comment=comment),
            at=at,
            source="ledger",
            first=False,
            annotator=name,
            unit=unit,
        )
        for unit, name, label, comment, at in rows
    ]


def keep_refused(ledger: Ledger, campaign: Campaign, refused: Iterable[Refused]) -> int:
    """Writes down what came in and does not count; returns how many of it are new."""
    received = timestamp()
    with ledger.writing() as db:
        before = db.total_changes
        for refusal in refused:
            row = cells_of_record(refusal)
            row |= {"campaign": campaign.id, "place": row.pop("where"), "received": received}
            insert(db, "refused", [row], known="IGNORE")
        return db.total_changes - before


def refused_of(ledger: Ledger, campaign: Campaign) -> list[Refused]:
    """Returns all that came in and does not count, the oldest first."""
    rows = ledger.rows(
        'SELECT id, key, place AS "where", reason, raw FROM refused WHERE campaign = ? '
        "ORDER BY received, id",
        campaign.id,
    )
    return records(Refused, rows)


def read_response(data: Mapping[str, Any]) -> PersonResponse:
    """Returns a response from the JSON that the ledger keeps of it."""
    marking = data["marking"]
    marks = None
    if marking:
        marks = Marking(**lists_as_tuples(marking))
    row: Any = tuple(data.get("row") or ("", "", ""))  # ledgers of before have none
    evidence: Any = tuple(map(tuple, data.get("evidence") or ()))
    return PersonResponse(
        label=data["label"], marking=marks, comment=data["comment"], row=row, evidence=evidence
    )
