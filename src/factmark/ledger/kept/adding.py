"""Adding units and verdicts by the block: tuples in the tables' order, sorted by their keys.

What a ledger has is looked up once a block. Inside, rows refer to each other by number; the ids of
contents come in here, and go out by the views `units`, `verdicts` and `user_rows`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from factmark.files.text_files import without_surrogates
from factmark.ledger.packing import packed
from factmark.model import Item, Unit, Verdict, content_hash
from factmark.redaction import any_secrets, redacted

_OFTEN = 3  # times that a reason stands in a block, so that it is kept once
_encode = json.JSONEncoder(ensure_ascii=True, sort_keys=True).encode
_encode_short = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode
_Content = tuple[str, str | None, float | None, str]


def add_items(db: sqlite3.Connection, items: Iterable[Item]) -> None:
    """Adds items unless their ids are known."""
    clean = cleaner()
    rows: dict[str, tuple[str, ...]] = {}
    for item in items:
        if item.id not in rows:
            texts = clean(item.cluster), clean(_encode(item.strata)), clean(_encode(item.data))
            rows[item.id] = (without_surrogates(item.id), *texts)
    db.executemany("INSERT OR IGNORE INTO items VALUES (?, ?, ?, ?)", sorted(rows.values()))


def add_units(db: sqlite3.Connection, units: Iterable[Unit]) -> None:
    """Adds units of known items unless their ids are known. Each passage is kept once, whatever
    the number of its units, and so are the names of the fields that they share; the view
    `whole_units` has all of it together.
    """
    first: dict[str, Unit] = {}
    for unit in units:
        first.setdefault(without_surrogates(unit.id), unit)
    known = numbers_of_units(db, first)
    new = sorted((name, unit) for name, unit in first.items() if name not in known)
    if not new:
        return
    passages = _numbers_of_passages(db, [unit for _, unit in new])
    clean = cleaner()
    rows = []
    fields = [_fields(unit, passages) for _, unit in new]
    names = [clean(_encode(list(data))) for data, _ in fields]
    layouts = _numbers_of_layouts(db, names)
    for (name, unit), (data, passage), layout in zip(new, fields, names, strict=True):
        number = layouts.get(layout)
        if number is None:
            cell = _encode(data)
        else:
            cell = _encode_short(list(data.values()))
        about = without_surrogates(unit.item), clean(unit.kind), clean(unit.text)
        rows.append((name, *about, clean(cell), number, passage))
    db.executemany(
        "INSERT INTO kept_units (id, item, kind, text, data, layout, passage) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def add_verdicts(db: sqlite3.Connection, verdicts: Sequence[Verdict], now: str) -> None:
    """Adds verdicts on known units, in their order; each as `Ledger.add_verdict` says."""
    if not verdicts:
        return
    units = numbers_of_units(db, [verdict.unit for verdict in verdicts])
    judges = _numbers(db, "judge_keys", "id", [verdict.judge for verdict in verdicts])
    time = _numbers(db, "times", "time", [now])[now]
    newest = _newest(db, list(units.values()))
    clean = cleaner()
    new: list[tuple[int | None, int, _Content, str | None]] = []
    for verdict in verdicts:
        unit = units.get(verdict.unit)
        judge = judges[verdict.judge]
        if verdict.label is None:
            label = verdict.label
        else:
            label = clean(verdict.label)
        content = (verdict.status, label, verdict.value, clean(verdict.reason))
        before = newest.get((unit, judge))
        # A call that failed today takes nothing back of what the judge said yesterday.
        fails = before is not None and before[0] != "failed" and verdict.status == "failed"
        if before != content and not fails:
            newest[unit, judge] = content
            new.append((unit, judge, content, verdict.call))
    often = Counter(content[3] for _, _, content, _ in new)
    shared = []
    for reason, times in often.items():
        if times >= _OFTEN:
            shared.append(reason)
    reasons = _numbers(db, "reasons", "text", shared)
    db.executemany(
        "INSERT INTO kept_verdicts (unit, judge, status, label, value, reason, time, call) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (unit, judge, *content[:3], reasons.get(content[3], content[3]), time, call)
            for unit, judge, content, call in new
        ],
    )


def numbers_of_units(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, int]:
    """Returns id -> number of the units that the ledger has."""
    return _known(db, "kept_units", "id", ids)


def _newest(db: sqlite3.Connection, units: Sequence[int]) -> dict[tuple[int | None, int], _Content]:
    """Returns unit and judge -> what that judge said last of it, of the units with a verdict."""
    rows = db.execute(
        "SELECT v.unit, v.judge, v.status, v.label, v.value, ifnull(r.text, v.reason) "
        "FROM json_each(?) u CROSS JOIN kept_verdicts v ON v.unit = u.value "
        "LEFT JOIN reasons r ON typeof(v.reason) = 'integer' AND r.number = v.reason "
        "ORDER BY v.number",
        (json.dumps(units),),
    )
    return {(unit, judge): tuple(content) for unit, judge, *content in rows}


def _fields(unit: Unit, passages: Mapping[str, int]) -> tuple[dict[str, object], int | None]:
    """Returns the data of a unit by its sorted names, without a passage that stands elsewhere, and
    the number of that."""
    data = {}
    for name in sorted(unit.data):
        data[name] = unit.data[name]
    passage = data.get("passage")
    number = None
    if isinstance(passage, str):
        number = passages.get(passage)
    if number is not None:
        del data["passage"]
    return data, number


def _numbers_of_passages(db: sqlite3.Connection, units: Iterable[Unit]) -> dict[str, int]:
    """Returns passage -> its number, after all that are new were added. Of a passage that no cell
    can hold there is none: it stays in the JSON, which can."""
    passages: dict[str, str] = {}
    for unit in units:
        text = unit.data.get("passage")
        if isinstance(text, str) and text not in passages and text == without_surrogates(text):
            passages[text] = content_hash(text)
    known = _known(db, "passages", "id", passages.values())
    new = [(key, packed(text)) for text, key in passages.items() if key not in known]
    if new:
        db.executemany("INSERT INTO passages (id, text) VALUES (?, ?)", new)
        known |= _known(db, "passages", "id", [key for key, _ in new])
    return {text: known[key] for text, key in passages.items()}


def _numbers_of_layouts(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """Returns the names of fields, as JSON -> their number, for those that several units share:
    now, or with units of before."""
    times = Counter(names)
    known = _known(db, "layouts", "names", times)
    shared = []
    for layout, count in times.items():
        if count > 1 and layout not in known:
            shared.append(layout)
    return known | _numbers(db, "layouts", "names", shared)


def _numbers(
    db: sqlite3.Connection, table: str, column: str, texts: Iterable[str]
) -> dict[str, int]:
    """Returns text -> its number in a table of texts that stand once, after the new ones were
    added."""
    unique = list(dict.fromkeys(texts))
    known = _known(db, table, column, unique)
    new = []
    for text in unique:
        if text not in known:
            new.append(text)
    if new:
        rows = [(text,) for text in new]
        db.executemany(f"INSERT INTO {table} ({column}) VALUES (?)", rows)  # noqa: S608
        known |= _known(db, table, column, new)
    return known


def _known(db: sqlite3.Connection, table: str, column: str, texts: Iterable[str]) -> dict[str, int]:
    """Returns text -> its number, of those texts that a table has in a column."""
    query = (
        f"SELECT t.{column}, t.number FROM json_each(?) i "  # noqa: S608 - constants of this file
        f"CROSS JOIN {table} t ON t.{column} = i.value"
    )
    return dict(db.execute(query, (json.dumps(list(texts)),)))


def cleaner() -> Callable[[str], str]:
    """Returns what a text goes through before it is a cell: secrets are struck out, and lone
    surrogates, which no cell can hold, become U+FFFD."""
    if not any_secrets():
        return without_surrogates
    return lambda text: redacted(without_surrogates(text))
