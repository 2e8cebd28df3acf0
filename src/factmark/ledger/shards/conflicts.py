"""Two ledgers that contradict each other: one id with two contents."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from factmark.errors import LedgerError
from factmark.text.shown_text import visible

# What -> its name, and its content in the merged ledger and in the other, where they differ. Names
# of units may differ in capitals alone, and are the same unit.
_CONTENTS = {
    "judge": """SELECT p.name, w.kind || ' ' || w.name || ' ' || w.parameters,
        p.kind || ' ' || p.name || ' ' || p.parameters
        FROM part.judges p JOIN main.judges w ON w.id = p.id
        WHERE (w.kind, w.name, w.parameters) <> (p.kind, p.name, p.parameters)""",
    "unit": """SELECT p.id, w.kind || ': ' || w.text, p.kind || ': ' || p.text
        FROM part.kept_units p CROSS JOIN main.kept_units w ON w.id = p.id
        WHERE w.kind <> p.kind OR (w.text <> p.text AND folded(w.text) <> folded(p.text))""",
    "text": """SELECT p.id, w.text, p.text FROM part.evidence p JOIN main.evidence w
        ON w.id = p.id WHERE w.text <> p.text""",
    "campaign": """SELECT p.name, w.id || ' ' || w.form || ' ' || w.guidelines || w.settings,
        p.id || ' ' || p.form || ' ' || p.guidelines || p.settings
        FROM part.campaigns p JOIN main.campaigns w ON w.id = p.id OR w.name = p.name
        WHERE (w.id, w.name, w.form, w.guidelines, w.settings)
            <> (p.id, p.name, p.form, p.guidelines, p.settings)""",
}
_ROWS = {
    "row": """SELECT s.source || ' ' || r.place, w.id || ' ' || w.passage_id || ' ' || w.data,
        r.id || ' ' || r.passage_id || ' ' || r.data
        FROM part.kept_rows r JOIN part.row_sources s ON s.number = r.source
        JOIN row_sources_map m ON m.part = r.source JOIN kept_units_map u ON u.part = r.unit
        JOIN main.kept_rows w ON w.source = m.whole AND w.place = r.place AND w.unit = u.whole
        WHERE (w.id, w.passage_id, w.data) <> (r.id, r.passage_id, r.data)"""
}
_LISTS = {
    "task": """SELECT p.key, 'a list in which that place is another task''s', p.unit
        FROM part.assignments p LEFT JOIN main.assignments w ON w.key = p.key
        WHERE w.key IS NULL""",
    "person": """SELECT p.code, w.name || ' ' || w.email, p.name || ' ' || p.email
        FROM part.annotators p JOIN main.annotators w ON w.campaign = p.campaign
        AND w.code = p.code WHERE (w.name, w.email) <> (p.name, p.email)""",
    "shown text": """SELECT p.unit, w.evidence || ' ' || w.data, p.evidence || ' ' || p.data
        FROM part.shown p JOIN main.shown w ON w.campaign = p.campaign AND w.unit = p.unit
        WHERE (w.evidence, w.data) <> (p.evidence, p.data)""",
}
_SHOWN = 160  # characters of each content


def check_contents(db: sqlite3.Connection, whole: Path, part: Path) -> None:
    """Checks what two ledgers say under one id, before any of it is merged.

    Raises:
        LedgerError: they contradict each other; it names both.
    """
    db.create_function("folded", 1, _folded, deterministic=True)
    _check(db, _CONTENTS, whole, part)


def check_rows(db: sqlite3.Connection, whole: Path, part: Path) -> None:
    """Checks the rows of users' files, whose units are in both by now; raises as
    `check_contents`."""
    _check(db, _ROWS, whole, part)


def check_lists(db: sqlite3.Connection, whole: Path, part: Path) -> None:
    """Checks people and their tasks, which were added by now; raises as `check_contents`."""
    _check(db, _LISTS, whole, part)


def _check(db: sqlite3.Connection, queries: dict[str, str], whole: Path, part: Path) -> None:
    """Raises LedgerError for the first row that a query gives."""
    for what, query in queries.items():
        row = db.execute(query).fetchone()
        if row is None:
            continue
        name, here, there = (visible(str(cell))[:_SHOWN] for cell in row)
        raise LedgerError(
            f"{whole} and {part} contradict each other on the {what} {name}: {here!r} and "
            f"{there!r}. Nothing of {part} was merged; leave it out, or merge those that go "
            "together into a ledger of their own."
        )


def _folded(text: str) -> str:
    """Returns a text without capitals."""
    return text.casefold()
