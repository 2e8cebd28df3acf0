"""Inputs of the commands, and the ways in which such files come damaged."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

UNITS = 40
Damage = Callable[[bytes, random.Random], bytes]


def rows_of(kind: str) -> list[dict[str, Any]]:
    """The rows of a file of inputs."""
    ask = {"category": "c", "question": "Which drug is it?"}
    said = {"condition": "rag", "model": "m"}
    return [
        {
            "truth": {"query_id": f"Q{n}", **ask, "ground_truth": [f"Name{n}"]},
            "answers": {"query_id": f"Q{n}", "answer": f"Name{n} and Other{n}.", **said},
            "triples": {
                "head": f"drug {n}",
                "relation": "treats",
                "tail": f"gout {n % 7}",
                "passage_id": f"p{n}",
            },
            "passages": {"id": f"p{n}", "text": f"Drug {n} treats gout {n % 5} in adults."},
        }[kind]
        for n in range(UNITS)
    ]


def write_inputs(folder: Path) -> Path:
    """The inputs of all commands, as JSON Lines and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("truth", "answers", "triples", "passages"):
        rows = rows_of(kind)
        (folder / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        cells = [[str(v[0] if isinstance(v, list) else v) for v in row.values()] for row in rows]
        lines = [",".join(row) for row in ([*rows[0]], *cells)]
        (folder / f"{kind}.csv").write_text("\n".join(lines) + "\n")
    return folder


BROKEN: dict[str, Damage] = {
    "empty": lambda data, dice: b"",
    "a page": lambda data, dice: b"<!doctype html><title>Sign in</title>",
    "UTF-16": lambda data, dice: data.decode().encode("utf-16"),
    "no known names": lambda data, dice: (
        data.replace(b"query_id", b"x")
        .replace(b"head", b"y")
        .replace(b"text", b"z")
        .replace(b"id", b"w")
        .replace(b"answers", b"v")
    ),
}
"""What is told with exit status 1 or 2, whatever the file."""

ODD: dict[str, Damage] = {
    "cut": lambda data, dice: data[: dice.randrange(1, len(data))],
    "other bytes": lambda data, dice: _amid(data, dice, b"\xe9\xff"),
    "NUL": lambda data, dice: _amid(data, dice, b"\0"),
    "a quote": lambda data, dice: _amid(data, dice, b'"'),
    "a long cell": lambda data, dice: _amid(data, dice, b"x" * 20_000_000),
    "a long number": lambda data, dice: _amid(data, dice, b"9" * 5_000),
    "deep": lambda data, dice: _amid(data, dice, b"[" * 100_000),
    "half a character": lambda data, dice: _amid(data, dice, b"\\ud800"),
    "carriage returns": lambda data, dice: data.replace(b"\n", b"\r"),
    "twice": lambda data, dice: data + data,
    "a byte less": lambda data, dice: data[: (at := dice.randrange(len(data)))] + data[at + 1 :],
}


def _amid(data: bytes, dice: random.Random, more: bytes) -> bytes:
    at = dice.randrange(len(data))
    return data[:at] + more + data[at:]


CELLS = {
    "items": ("strata", "data"),
    "units": ("data", "kind", "text"),
    "imports": ("data", "judge"),
    "judges": ("parameters", "kind"),
    "verdicts": ("status", "value", "label", "unit"),
}
VALUES = ("'{'", "'[]'", "'5'", "'{\"a\": []}'", "x'ff00'", "''")
BYTES: dict[str, Damage] = {
    "cut": ODD["cut"],
    "its header alone": lambda data, dice: data[:60],
    "pages of 0xff": lambda data, dice: data[:8_192] + b"\xff" * (len(data) - 8_192),
    "noise": lambda data, dice: (
        data[:4_096]
        + bytes(byte if dice.random() > 0.001 else dice.randrange(256) for byte in data[4_096:])
    ),
    "text": lambda data, dice: b"this is no ledger\n" * 1_000,
}


def damaged(good: Path, bad: Path, dice: random.Random) -> Iterator[str]:
    """Makes one damaged copy of a ledger after the other; tells what is wrong with each."""
    cells = [(table, cell) for table, names in CELLS.items() for cell in names]
    statements = [f"UPDATE {t} SET {cell} = {value}" for t, cell in cells for value in VALUES]
    statements = dice.sample(statements, len(statements) // 2)
    statements += [f"{verb} {table}" for verb in ("DROP TABLE", "DELETE FROM") for table in CELLS]
    for damage in (*statements, *(kind for kind in BYTES for _ in range(4))):
        for old in bad.parent.glob(f"{bad.name}*"):
            old.unlink()
        if damage in BYTES:
            bad.write_bytes(BYTES[damage](good.read_bytes(), dice))
        else:
            shutil.copy(good, bad)
            with closing(sqlite3.connect(bad, isolation_level=None)) as db:
                db.execute(damage)
        yield damage
