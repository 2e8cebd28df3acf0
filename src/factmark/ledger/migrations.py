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
    (
        # A unit's id stands once, where its rows refer to its number: tables called `kept_` hold
        # numbers, and views with the names of before hold the ids of the content. Data of units
        # that have the same names of fields share those (`layouts`); what earlier versions wrote
        # stays whole. Tables whose keys change are made anew, with foreign keys off.
        "DROP VIEW newest_verdicts",
        "DROP VIEW whole_units",
        "CREATE TABLE layouts (number INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE)",
        "CREATE TABLE times (number INTEGER PRIMARY KEY, time TEXT NOT NULL UNIQUE)",
        "CREATE TABLE reasons (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
        """CREATE TABLE judge_keys (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE REFERENCES judges(id)
        )""",
        "INSERT OR IGNORE INTO judge_keys(id) SELECT judge FROM verdicts",
        "INSERT OR IGNORE INTO times(time) SELECT time FROM verdicts ORDER BY number",
        """CREATE TABLE new_passages (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text BLOB NOT NULL
        )""",
        "INSERT INTO new_passages (id, text) SELECT id, text FROM passages ORDER BY rowid",
        "ALTER TABLE units RENAME TO kept_units",  # and with it in what refers to it
        """CREATE TABLE new_units (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
            item TEXT NOT NULL REFERENCES items(id), kind TEXT NOT NULL, text TEXT NOT NULL,
            data TEXT NOT NULL, layout INTEGER REFERENCES layouts(number),
            passage INTEGER REFERENCES passages(number)
        )""",
        # A passage that is missing keeps a number that is none, and so is noticed.
        """INSERT INTO new_units (id, item, kind, text, data, passage)
            SELECT u.id, item, kind, u.text, data,
                CASE WHEN passage IS NOT NULL THEN ifnull(p.number, -1) END
            FROM kept_units u LEFT JOIN new_passages p ON p.id = u.passage ORDER BY u.id""",
        "DROP TABLE passages",
        "ALTER TABLE new_passages RENAME TO passages",
        """CREATE TABLE kept_verdicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            unit INTEGER NOT NULL REFERENCES kept_units(number),
            judge INTEGER NOT NULL REFERENCES judge_keys(number), status TEXT NOT NULL, label TEXT,
            value REAL, reason NOT NULL, time INTEGER NOT NULL REFERENCES times(number), call TEXT
        )""",
        """INSERT INTO kept_verdicts
            SELECT v.number, ifnull(u.number, -v.number), j.number, status, label, value, reason,
                t.number, call
            FROM verdicts v LEFT JOIN new_units u ON u.id = v.unit JOIN judge_keys j
                ON j.id = v.judge JOIN times t ON t.time = v.time ORDER BY v.number""",
        # Numbers of verdicts that were taken back are not given again.
        "DELETE FROM sqlite_sequence WHERE name = 'kept_verdicts'",
        """INSERT INTO sqlite_sequence (name, seq)
            SELECT 'kept_verdicts', seq FROM sqlite_sequence WHERE name = 'verdicts'""",
        """CREATE TABLE row_sources (
            number INTEGER PRIMARY KEY, source TEXT NOT NULL, kind TEXT NOT NULL,
            UNIQUE (source, kind)
        )""",
        "INSERT INTO row_sources (source, kind) SELECT DISTINCT source, kind FROM user_rows",
        # A row without an id of its own is named by its place, and found by that.
        """CREATE TABLE kept_rows (
            source INTEGER NOT NULL REFERENCES row_sources(number), place TEXT NOT NULL,
            unit INTEGER NOT NULL REFERENCES kept_units(number), id TEXT,
            passage_id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (source, place, unit)
        ) WITHOUT ROWID""",
        """INSERT INTO kept_rows
            SELECT s.number, r.place, u.number, nullif(r.id, r.place), r.passage_id, r.data
            FROM user_rows r JOIN row_sources s ON s.source = r.source AND s.kind = r.kind
                JOIN new_units u ON u.id = r.unit ORDER BY s.number, r.place, u.number""",
        "DROP TABLE user_rows",
        "DROP TABLE verdicts",
        "DROP TABLE kept_units",
        "ALTER TABLE new_units RENAME TO kept_units",
        "CREATE INDEX units_by_item ON kept_units(item)",
        "CREATE INDEX verdicts_by_unit ON kept_verdicts(unit, judge, number)",
        "CREATE INDEX user_rows_by_id ON kept_rows(id) WHERE id IS NOT NULL",
        "CREATE INDEX user_rows_by_unit ON kept_rows(unit)",
        """CREATE VIEW units AS
            SELECT u.id, u.item, u.kind, u.text, p.id AS passage, u.number AS unit_number
            FROM kept_units u LEFT JOIN passages p ON p.number = u.passage""",
        """CREATE VIEW whole_units AS
            SELECT u.id, u.item, u.kind, u.text, CASE
                WHEN u.layout IS NULL AND u.passage IS NULL THEN u.data
                ELSE ifnull(
                    whole_data(u.data, l.names, u.passage, p.text),
                    'the passage ' || ifnull(p.id, u.passage) || ' is missing or damaged'
                ) END AS data, u.number AS unit_number
            FROM kept_units u LEFT JOIN layouts l ON l.number = u.layout
                LEFT JOIN passages p ON p.number = u.passage""",
        *(
            f"""CREATE VIEW {name} AS
                SELECT v.number, u.id AS unit, j.id AS judge, v.status, v.label, v.value,
                    CASE typeof(v.reason) WHEN 'integer'
                        THEN (SELECT text FROM reasons WHERE number = v.reason)
                        ELSE v.reason END AS reason,
                    t.time, v.call, v.unit AS unit_number
                FROM kept_verdicts v JOIN kept_units u ON u.number = v.unit
                    JOIN judge_keys j ON j.number = v.judge
                    JOIN times t ON t.number = v.time {condition}"""  # noqa: S608
            for name, condition in (
                ("verdicts", ""),
                (
                    "newest_verdicts",
                    """WHERE v.number = (SELECT max(o.number) FROM kept_verdicts o
                    WHERE o.unit = v.unit AND o.judge = v.judge)""",
                ),
            )
        ),
        """CREATE VIEW user_rows AS
            SELECT s.source, s.kind, r.place, ifnull(r.id, r.place) AS id, u.id AS unit,
                r.passage_id, r.data, r.unit AS unit_number
            FROM kept_rows r JOIN row_sources s ON s.number = r.source
                JOIN kept_units u ON u.number = r.unit""",
        # Without OR IGNORE: the statement that a trigger serves has its own way with conflicts.
        """CREATE TRIGGER verdicts_insert INSTEAD OF INSERT ON verdicts BEGIN
            INSERT INTO judge_keys(id) SELECT NEW.judge
                WHERE NOT EXISTS (SELECT 1 FROM judge_keys WHERE id = NEW.judge);
            INSERT INTO times(time) SELECT NEW.time
                WHERE NOT EXISTS (SELECT 1 FROM times WHERE time = NEW.time);
            INSERT INTO kept_verdicts VALUES (
                NEW.number, (SELECT number FROM kept_units WHERE id = NEW.unit),
                (SELECT number FROM judge_keys WHERE id = NEW.judge), NEW.status, NEW.label,
                NEW.value, NEW.reason, (SELECT number FROM times WHERE time = NEW.time), NEW.call
            );
        END""",
        """CREATE TRIGGER verdicts_update INSTEAD OF UPDATE ON verdicts BEGIN
            INSERT INTO judge_keys(id) SELECT NEW.judge
                WHERE NOT EXISTS (SELECT 1 FROM judge_keys WHERE id = NEW.judge);
            UPDATE kept_verdicts SET
                judge = (SELECT number FROM judge_keys WHERE id = NEW.judge), status = NEW.status,
                label = NEW.label, value = NEW.value, reason = NEW.reason, call = NEW.call
                WHERE number = OLD.number;
        END""",
        """CREATE TRIGGER verdicts_delete INSTEAD OF DELETE ON verdicts BEGIN
            DELETE FROM kept_verdicts WHERE number = OLD.number;
        END""",
        # What each run of a judge cost, so that what several ledgers cost is their sum.
        """CREATE TABLE spends (
            run TEXT PRIMARY KEY, judge TEXT NOT NULL REFERENCES judges(id), calls INTEGER NOT NULL,
            tokens INTEGER NOT NULL, cost REAL, seconds REAL NOT NULL, time TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # Who was screened out, and why; links that are nobody's list (the owner's page, the way in
        # for a crowd); how people of a crowd came: pseudonyms of the study and the session, and
        # which text they agreed to, when.
        "ALTER TABLE annotators ADD COLUMN screened TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE doors (
            campaign TEXT NOT NULL REFERENCES campaigns(id), name TEXT NOT NULL, link TEXT NOT NULL,
            PRIMARY KEY (campaign, name)
        ) WITHOUT ROWID""",
        """CREATE TABLE arrivals (
            number INTEGER PRIMARY KEY, campaign TEXT NOT NULL REFERENCES campaigns(id),
            annotator TEXT NOT NULL, study TEXT NOT NULL, session TEXT NOT NULL,
            consent TEXT NOT NULL, at TEXT NOT NULL
        )""",
    ),
)
KEYED = 13
"""The schema before which ids stand in every table: such a ledger is kept beside the new one."""


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
    if version:
        return names >= _FIRST_TABLES
    return not names


def schema_of(connection: sqlite3.Connection) -> int:
    """Returns how many migrations a database names."""
    return _id_and_version(connection)[1]


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
