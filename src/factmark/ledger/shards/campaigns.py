"""Campaigns of one ledger in another: people, tasks and ratings as they are."""

# ruff: noqa: S608 - the statements are made of constants of this file

from __future__ import annotations

import sqlite3
from pathlib import Path

from factmark.ledger.shards.conflicts import check_lists
from factmark.ledger.shards.histories import History, join_histories

_RATING = "id, response, value, seconds, at, source, first, received, seen"
_CELLS = ", ".join(
    f"CASE WHEN r.id IS NULL THEN p.{name} ELSE r.{name} END" for name in _RATING.split(", ")
)
# Who or what is gone in one of them is gone.
_ADDED = (
    """INSERT INTO main.campaigns SELECT * FROM part.campaigns WHERE true ON CONFLICT (id)
        DO UPDATE SET closed = max(closed, excluded.closed)""",
    """INSERT INTO main.annotators SELECT * FROM part.annotators WHERE true ON CONFLICT DO UPDATE
        SET withdrawn = max(withdrawn, excluded.withdrawn),
            decides = max(decides, excluded.decides),
            screened = max(screened, excluded.screened),
            link = CASE WHEN excluded.links > links THEN excluded.link ELSE link END,
            links = max(links, excluded.links)""",
    "INSERT OR IGNORE INTO main.shown SELECT * FROM part.shown",
    # A conflict of places leaves a task out; `check_lists` notices.
    "INSERT OR IGNORE INTO main.assignments SELECT * FROM part.assignments",
    """UPDATE main.assignments SET released = max(assignments.released, p.released)
        FROM part.assignments p WHERE p.key = assignments.key AND p.released <> ''""",
    "INSERT OR IGNORE INTO main.refused SELECT * FROM part.refused",
    "INSERT OR IGNORE INTO main.projects SELECT * FROM part.projects",
    "INSERT OR IGNORE INTO main.doors SELECT * FROM part.doors",
    """INSERT INTO main.arrivals (campaign, annotator, study, session, consent, at)
        SELECT campaign, annotator, study, session, consent, at FROM part.arrivals
        EXCEPT SELECT campaign, annotator, study, session, consent, at FROM main.arrivals""",
    "INSERT OR IGNORE INTO main.doubts SELECT * FROM part.doubts",
    f"""INSERT INTO main.ratings (key, {_RATING})
        SELECT key, {_RATING.removesuffix("seen")} (SELECT verdict FROM before) + seen
        FROM part.ratings p WHERE NOT EXISTS (SELECT 1 FROM main.ratings r WHERE r.key = p.key)
        ORDER BY number""",
    """INSERT INTO main.withdrawn_verdicts SELECT (SELECT verdict FROM before) + number, campaign,
        unit, judge, status, label, value, reason, time, call FROM part.withdrawn_verdicts p
        WHERE NOT EXISTS (SELECT 1 FROM main.withdrawn_verdicts w WHERE w.campaign = p.campaign
            AND w.unit = p.unit AND w.judge = p.judge)""",
    # Numbers of verdicts that were taken back are not given again.
    """UPDATE main.sqlite_sequence SET seq = max(seq,
        ifnull((SELECT max(number) FROM main.withdrawn_verdicts), 0))
        WHERE name = 'kept_verdicts'""",
    """UPDATE main.campaigns SET number = 1 + (SELECT count(*) FROM main.campaigns o
        WHERE (o.created, o.name) < (campaigns.created, campaigns.name))""",
)
_QUEUE = (
    """DELETE FROM main.queue WHERE campaign IN (SELECT campaign FROM known)
        AND (campaign, unit) NOT IN (SELECT campaign, unit FROM part.queue)
        AND campaign IN (SELECT id FROM part.campaigns)""",
    """INSERT INTO main.queue SELECT * FROM part.queue
        WHERE campaign NOT IN (SELECT campaign FROM known)""",
)
_RATED = History(
    shared="SELECT DISTINCT key FROM part.ratings WHERE key IN (SELECT key FROM main.ratings)",
    of_whole=f"SELECT {_RATING} FROM main.ratings WHERE key = ? ORDER BY number",
    # Of a rating that both have, what the merged one holds.
    of_part=f"""SELECT {_CELLS} FROM part.ratings p LEFT JOIN main.ratings r ON r.id = p.id
        WHERE p.key = ? ORDER BY p.number""",
    delete="DELETE FROM main.ratings WHERE key = ?",
    insert=f"INSERT INTO main.ratings (key, {_RATING}) VALUES (?{', ?' * _RATING.count(',')}, ?)",
    time=_RATING.split(", ").index("received"),
)


def add_campaigns(db: sqlite3.Connection, whole: Path, part: Path) -> None:
    """Adds the campaigns of the attached ledger with people, tasks and ratings.

    Raises:
        LedgerError: the two give one place of a list to two tasks, or one code to two people.
    """
    (count,) = db.execute("SELECT count(*) FROM part.campaigns").fetchone()
    if not count:
        return
    db.execute("CREATE TEMP TABLE known AS SELECT id AS campaign FROM main.campaigns")
    join_histories(db, _RATED)
    for statement in (*_ADDED, *_QUEUE):
        db.execute(statement)
    check_lists(db, whole, part)
