"""The ledger's schema, as migrations that are only ever added to.

Each runs once, in order, in one transaction; `PRAGMA user_version` counts how many have run.
"""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x66616374  # "fact"; SQLite keeps it in the file's header
_FIRST_TABLES = frozenset({"items", "units", "judges", "verdicts"})

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
    (
        """CREATE TABLE campaigns (
            id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, form TEXT NOT NULL,
            guidelines TEXT NOT NULL, settings TEXT NOT NULL, secret BLOB NOT NULL,
            created TEXT NOT NULL, closed TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE annotators (
            campaign TEXT NOT NULL REFERENCES campaigns(id), code TEXT NOT NULL,
            name TEXT NOT NULL, email TEXT NOT NULL, links INTEGER NOT NULL,
            PRIMARY KEY (campaign, code)
        ) WITHOUT ROWID""",
        "CREATE TABLE evidence (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE shown (
            campaign TEXT NOT NULL REFERENCES campaigns(id),
            unit TEXT NOT NULL REFERENCES units(id),
            evidence TEXT NOT NULL REFERENCES evidence(id), data TEXT NOT NULL,
            PRIMARY KEY (campaign, unit)
        ) WITHOUT ROWID""",
        """CREATE TABLE assignments (
            key TEXT PRIMARY KEY, campaign TEXT NOT NULL REFERENCES campaigns(id),
            annotator TEXT NOT NULL, position INTEGER NOT NULL, batch INTEGER NOT NULL,
            unit TEXT NOT NULL REFERENCES units(id), document TEXT NOT NULL,
            UNIQUE (campaign, annotator, position), UNIQUE (campaign, annotator, unit)
        ) WITHOUT ROWID""",
        """CREATE TABLE ratings (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            key TEXT NOT NULL REFERENCES assignments(key), response TEXT NOT NULL, value REAL,
            seconds REAL, at TEXT NOT NULL, source TEXT NOT NULL, first INTEGER NOT NULL,
            received TEXT NOT NULL
        )""",
        "CREATE INDEX ratings_by_key ON ratings(key, at, number)",
        """CREATE TABLE refused (
            id TEXT PRIMARY KEY, campaign TEXT NOT NULL REFERENCES campaigns(id),
            key TEXT NOT NULL, place TEXT NOT NULL, reason TEXT NOT NULL, raw TEXT NOT NULL,
            received TEXT NOT NULL
        ) WITHOUT ROWID""",
        """CREATE TABLE projects (
            campaign TEXT NOT NULL REFERENCES campaigns(id), annotator TEXT NOT NULL,
            url TEXT NOT NULL, project INTEGER NOT NULL, user TEXT NOT NULL,
            PRIMARY KEY (campaign, annotator, url)
        ) WITHOUT ROWID""",
    ),
    (
        "ALTER TABLE calls ADD COLUMN tools TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE tool_results (
            key TEXT PRIMARY KEY, server TEXT NOT NULL, name TEXT NOT NULL,
            arguments TEXT NOT NULL, status TEXT NOT NULL, text TEXT NOT NULL,
            size INTEGER NOT NULL, seconds REAL NOT NULL, time TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        """CREATE VIEW newest_verdicts AS SELECT * FROM verdicts v WHERE number = (
            SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge
        )""",
    ),
    ("ALTER TABLE calls ADD COLUMN thinking_tokens INTEGER NOT NULL DEFAULT 0",),
    (
        """CREATE TABLE batches (
            id TEXT PRIMARY KEY, url TEXT NOT NULL, before TEXT NOT NULL, calls TEXT NOT NULL,
            remote TEXT NOT NULL, time TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        """CREATE TABLE user_rows (
            source TEXT NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL, id TEXT NOT NULL,
            unit TEXT NOT NULL REFERENCES units(id), passage_id TEXT NOT NULL, data TEXT NOT NULL,
            PRIMARY KEY (source, kind, place, unit)
        ) WITHOUT ROWID""",
        "CREATE INDEX user_rows_by_id ON user_rows(id)",
        "CREATE INDEX user_rows_by_unit ON user_rows(unit)",
        """CREATE TABLE user_files (
            source TEXT NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL,
            PRIMARY KEY (source, kind)
        ) WITHOUT ROWID""",
    ),
    (
        # A passage stands once, where earlier ledgers repeat it in every unit; those stay as they
        # are. Who reads `whole_units` sees each with its passage. The table has a rowid, so that
        # two compressed passages share a page.
        "CREATE TABLE passages (id TEXT PRIMARY KEY, text BLOB NOT NULL)",
        "ALTER TABLE units ADD COLUMN passage TEXT REFERENCES passages(id)",
        """CREATE VIEW whole_units AS SELECT id, item, kind, text,
            CASE WHEN passage IS NULL THEN data ELSE ifnull(
                (SELECT with_passage(u.data, p.text) FROM passages p WHERE p.id = u.passage),
                'the passage ' || passage || ' is missing or damaged'
            ) END AS data FROM units u""",
    ),
    (
        """CREATE TABLE doubts (
            key TEXT PRIMARY KEY REFERENCES assignments(key),
            judge TEXT NOT NULL REFERENCES judges(id), label TEXT NOT NULL, reason TEXT NOT NULL,
            shown INTEGER NOT NULL, at TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # Who withdrew, who decides between others, what is on a list no more, what waits for
        # whoever comes next.
        "ALTER TABLE annotators ADD COLUMN withdrawn TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE annotators ADD COLUMN decides TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE assignments ADD COLUMN released TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE withdrawn_verdicts (
            number INTEGER PRIMARY KEY, campaign TEXT NOT NULL REFERENCES campaigns(id),
            unit TEXT NOT NULL, judge TEXT NOT NULL REFERENCES judges(id), status TEXT NOT NULL,
            label TEXT, value REAL, reason TEXT NOT NULL, time TEXT NOT NULL, call TEXT
        )""",
        """CREATE TABLE queue (
            campaign TEXT NOT NULL REFERENCES campaigns(id), place INTEGER NOT NULL,
            unit TEXT NOT NULL, document TEXT NOT NULL, raters INTEGER NOT NULL,
            PRIMARY KEY (campaign, place), UNIQUE (campaign, unit)
        ) WITHOUT ROWID""",
    ),
    (
        # Where a run's process id means anything.
        "ALTER TABLE runs ADD COLUMN place TEXT NOT NULL DEFAULT ''",
        # Order is that of arrival: clocks go back. What arrived before has its times alone.
        # `seen` is the last verdict that was there when a rating came.
        "ALTER TABLE campaigns ADD COLUMN number INTEGER NOT NULL DEFAULT 0",
        """UPDATE campaigns SET number = 1 + (SELECT count(*) FROM campaigns o
            WHERE (o.created, o.name) < (campaigns.created, campaigns.name))""",
        "ALTER TABLE ratings ADD COLUMN seen INTEGER NOT NULL DEFAULT 0",
        """UPDATE ratings SET seen = ifnull((SELECT max(v.number) FROM verdicts v
            JOIN assignments a ON a.unit = v.unit
            WHERE a.key = ratings.key AND v.time < ratings.received), 0)""",
        "DROP INDEX ratings_by_key",
        "CREATE INDEX ratings_by_key ON ratings(key, number)",
        # The SHA-256 of a link's token; empty while none is given out. Tokens stand in a file of
        # their owner's, beside the ledger.
        "ALTER TABLE annotators ADD COLUMN link TEXT NOT NULL DEFAULT ''",
        # Whether that is so; in earlier ledgers links are made from the secret.
        "ALTER TABLE campaigns ADD COLUMN hashed INTEGER NOT NULL DEFAULT 0",
    ),
    (
        """CREATE TABLE servers (
            url TEXT NOT NULL, model TEXT NOT NULL, left_out TEXT NOT NULL,
            PRIMARY KEY (url, model)
        ) WITHOUT ROWID""",
    ),
)


def is_ledger(connection: sqlite3.Connection) -> bool:
    """Whether a database is a ledger, or empty and so may become one.

    Ledgers from before there was an application id are known by their tables.
    """
    connection.execute("BEGIN")  # one view of all of it: another process may be making the ledger
    try:
        application, version = _id_and_version(connection)
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    finally:
        connection.execute("ROLLBACK")
    if application:
        return application == APPLICATION_ID
    return names >= _FIRST_TABLES if version else not names


def is_newest(connection: sqlite3.Connection) -> bool:
    """Whether a ledger has the newest schema and says that it is a ledger."""
    return _id_and_version(connection) == (APPLICATION_ID, len(MIGRATIONS))


def _id_and_version(connection: sqlite3.Connection) -> tuple[int, int]:
    """Returns the application's id and the number of migrations that a database names."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def migrate(connection: sqlite3.Connection) -> None:
    """Brings a ledger to the newest schema; leaves the ledger of a newer program alone.

    Raises:
        ValueError: if the ledger was written by a newer version of the program.
    """
    if is_newest(connection):
        return
    for number, statements in enumerate(MIGRATIONS):
        connection.execute("BEGIN IMMEDIATE")
        try:
            _, done = _id_and_version(connection)
            if done > len(MIGRATIONS):
                raise ValueError(f"schema {done} is newer than {len(MIGRATIONS)}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            if done <= number:
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
