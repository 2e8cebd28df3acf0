"""The ledger's schema, as migrations that are only ever added to.

Each runs once, in order, in one transaction; `PRAGMA user_version` counts how many have run.
"""

from __future__ import annotations

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE items (
            id TEXT PRIMARY KEY, cluster TEXT NOT NULL, strata TEXT NOT NULL, data TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE units (
            id TEXT PRIMARY KEY, item TEXT NOT NULL REFERENCES items(id), kind TEXT NOT NULL,
            text TEXT NOT NULL, data TEXT NOT NULL
        ) WITHOUT ROWID""",
        "CREATE INDEX units_by_item ON units(item)",
        """CREATE TABLE judges (
            id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, parameters TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE verdicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, unit TEXT NOT NULL REFERENCES units(id),
            judge TEXT NOT NULL REFERENCES judges(id), status TEXT NOT NULL, label TEXT,
            value REAL, reason TEXT NOT NULL, time TEXT NOT NULL
        )""",
        "CREATE INDEX verdicts_by_unit ON verdicts(unit, judge, number)",
        """CREATE TABLE imports (
            number INTEGER PRIMARY KEY AUTOINCREMENT, judge TEXT NOT NULL REFERENCES judges(id),
            data TEXT NOT NULL, time TEXT NOT NULL
        )""",
        """CREATE TABLE import_items (
            import INTEGER NOT NULL REFERENCES imports(number), position INTEGER NOT NULL,
            item TEXT NOT NULL REFERENCES items(id), PRIMARY KEY (import, position)
        ) WITHOUT ROWID""",
    ),
    (
        """CREATE TABLE calls (
            number INTEGER PRIMARY KEY, key TEXT NOT NULL, judge TEXT NOT NULL,
            sample INTEGER NOT NULL, status TEXT NOT NULL, text TEXT NOT NULL,
            thinking TEXT NOT NULL, finish_reason TEXT NOT NULL, model TEXT NOT NULL,
            input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER,
            estimated INTEGER NOT NULL, latency REAL NOT NULL, cost REAL, reason TEXT NOT NULL,
            time TEXT NOT NULL
        )""",
        "CREATE INDEX calls_by_key ON calls(key, number)",
        "ALTER TABLE verdicts ADD COLUMN call TEXT",
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, beat REAL NOT NULL
        ) WITHOUT ROWID""",
        "CREATE TABLE leases (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",
    ),
)


def migrate(connection: sqlite3.Connection) -> None:
    """Brings a ledger to the newest schema; a ledger of a newer program is left alone.

    Raises:
        ValueError: if the ledger was written by a newer version of the program.
    """
    for number, statements in enumerate(MIGRATIONS):
        connection.execute("BEGIN IMMEDIATE")
        try:
            (done,) = connection.execute("PRAGMA user_version").fetchone()
            if done > len(MIGRATIONS):
                raise ValueError(f"schema {done} is newer than {len(MIGRATIONS)}")
            if done <= number:
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
