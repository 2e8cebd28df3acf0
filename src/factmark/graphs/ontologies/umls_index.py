"""The SQLite index over a user's UMLS files: how it is built and when it is built anew.

The files are in the Rich Release Format: one row a line, fields between bars, a bar at the end.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import replacing
from factmark.text.names import name_key

# How many fields each file has.
FIELDS = {"MRCONSO": 18, "MRSTY": 6, "MRREL": 16, "SRDEF": 10, "SRSTRE1": 3}
_PLACES = ("", "META", "NET")
_TOLD_EVERY = 200_000

Progress = Callable[[str, int, int], None]
FORMAT = 1
_NEEDED = ("MRCONSO", "MRSTY")
_EDGE = 1024 * 1024
_BATCH = 50_000
_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE name (hash INTEGER NOT NULL, cui INTEGER NOT NULL, preferred INTEGER NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE type (cui INTEGER NOT NULL, tui TEXT NOT NULL, PRIMARY KEY (cui, tui)) WITHOUT ROWID;
CREATE TABLE related (head INTEGER NOT NULL, tail INTEGER NOT NULL, relation TEXT NOT NULL,
    PRIMARY KEY (head, tail, relation)) WITHOUT ROWID;
CREATE TABLE definition (ui TEXT PRIMARY KEY, kind TEXT, name TEXT, text TEXT, inverse TEXT)
    WITHOUT ROWID;
CREATE TABLE allowed (relation TEXT, head TEXT, tail TEXT, PRIMARY KEY (relation, head, tail))
    WITHOUT ROWID;
"""


def ensure_index(
    source: Path,
    folder: Path,
    *,
    languages: Sequence[str] = ("ENG",),
    suppressed: bool = False,
    relations: bool = True,
    progress: Progress = lambda name, done, size: None,
) -> Path:
    """The index of the files in `source`, built in `folder` unless one that fits stands there.

    It is built beside its place and moved there when it is whole. One that was made from other
    files (by size, time and the bytes at both ends), other options or another format is replaced.

    Raises:
        InputError: if files are missing or damaged; the message has the file and the line.
        FactmarkError: if the index cannot be written.
    """
    files = {name: find_file(source, name) for name in FIELDS}
    for name in _NEEDED:
        if files[name] is None:
            raise InputError(f"{source}: no {name}.RRF here. Give the folder with the UMLS files.")
    options = f"{FORMAT} {sorted(languages)} {suppressed} {relations}"
    mark = _fingerprint([path for path in files.values() if path is not None], options)
    target = folder / "umls.sqlite"
    if _mark_of(target) == mark:
        return target
    with replacing(target) as temporary:
        temporary.unlink(missing_ok=True)
        database = sqlite3.connect(temporary, isolation_level=None)
        try:
            database.executescript(
                f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN"
            )
            _Builder(database, set(languages), suppressed, progress).build(files, relations)
            database.execute("INSERT INTO about VALUES ('fingerprint', ?)", (mark,))
            database.execute("COMMIT")
        finally:
            database.close()
    return target


def _fingerprint(paths: Sequence[Path], options: str) -> str:
    digest = hashlib.sha256(options.encode())
    for path in paths:
        try:
            facts = path.stat()
            with path.open("rb") as file:
                start = file.read(_EDGE)
                file.seek(max(0, facts.st_size - _EDGE))
                digest.update(start + file.read(_EDGE))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
        digest.update(f"{path.name} {facts.st_size} {facts.st_mtime_ns}".encode())
    return digest.hexdigest()


def _mark_of(path: Path) -> str | None:
    """The fingerprint inside an index; None where there is none or it is no index."""
    if not path.is_file():
        return None
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        row = database.execute("SELECT value FROM about WHERE key = 'fingerprint'").fetchone()
    except sqlite3.DatabaseError:
        return None
    finally:
        database.close()
    return None if row is None else str(row[0])


def name_hash(name: str) -> int:
    """63 bits of the name's key: two names of 5 million collide with a chance of 10^-6."""
    digest = hashlib.blake2b(name_key(name).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def concept_number(path: Path, line: int, cui: str) -> int:
    """C0011849 -> 11849.

    Raises:
        InputError: if it is no CUI.
    """
    if cui[:1] == "C" and cui[1:].isdecimal() and len(cui) == 8:
        return int(cui[1:])
    raise InputError(f"{path}, line {line}: {cui!r} is no concept id (C and seven digits).")


class _Builder:
    """Fills an empty index."""

    def __init__(
        self,
        database: sqlite3.Connection,
        languages: set[str],
        suppressed: bool,
        progress: Progress,
    ) -> None:
        self._database = database
        self._languages = languages
        self._suppressed = suppressed
        self._progress = progress

    def build(self, files: dict[str, Path | None], relations: bool) -> None:
        """Reads all files that are there."""
        makers: dict[str, Callable[[Path], Iterator[tuple[Any, ...]]]] = {
            "MRCONSO": self._names,
            "MRSTY": self._types,
            "SRDEF": self._definitions,
            "SRSTRE1": self._allowed,
        }
        if relations:
            makers["MRREL"] = self._related
        statements = {
            "MRCONSO": "INSERT INTO name VALUES (?, ?, ?, ?)",
            "MRSTY": "INSERT OR IGNORE INTO type VALUES (?, ?)",
            "MRREL": "INSERT OR IGNORE INTO related VALUES (?, ?, ?)",
            "SRDEF": "INSERT OR REPLACE INTO definition VALUES (?, ?, ?, ?, ?)",
            "SRSTRE1": "INSERT OR IGNORE INTO allowed VALUES (?, ?, ?)",
        }
        for name, make in makers.items():
            path = files[name]
            if path is not None:
                self._fill(statements[name], make(path))
        self._database.execute("CREATE INDEX name_hash ON name (hash)")
        self._database.execute("CREATE INDEX name_cui ON name (cui)")

    def _fill(self, statement: str, values: Iterator[tuple[Any, ...]]) -> None:
        while batch := list(islice(values, _BATCH)):
            self._database.executemany(statement, batch)

    def _names(self, path: Path) -> Iterator[tuple[int, int, int, str]]:
        """Names in the wanted languages; of one concept each normalised name once."""
        seen: set[int] = set()
        current = -1
        for line, row in rows(path, "MRCONSO", self._progress):
            if row[1] not in self._languages or not row[14].strip():
                continue
            if row[16] not in ("", "N") and not self._suppressed:
                continue
            cui = concept_number(path, line, row[0])
            if cui != current:  # the file is sorted by concept
                current = cui
                seen.clear()
            preferred = row[2] == "P" and row[4] == "PF" and row[6] == "Y"
            key = name_hash(row[14])
            if key not in seen or preferred:
                seen.add(key)
                yield key, cui, int(preferred), row[14].strip()

    def _types(self, path: Path) -> Iterator[tuple[int, str]]:
        for line, row in rows(path, "MRSTY", self._progress):
            yield concept_number(path, line, row[0]), row[1]

    def _related(self, path: Path) -> Iterator[tuple[int, int, str]]:
        """A row reads `second RELA first`: the second concept is the head."""
        for line, row in rows(path, "MRREL", self._progress):
            if row[7] and (row[14] in ("", "N") or self._suppressed) and row[0] and row[4]:
                first = concept_number(path, line, row[0])
                second = concept_number(path, line, row[4])
                yield second, first, row[7]

    def _definitions(self, path: Path) -> Iterator[tuple[str, ...]]:
        for _, row in rows(path, "SRDEF", self._progress):
            yield row[1], row[0], row[2], row[4], row[9]

    def _allowed(self, path: Path) -> Iterator[tuple[str, str, str]]:
        for _, (head, relation, tail) in rows(path, "SRSTRE1", self._progress):
            yield relation, head, tail


def find_file(folder: Path, name: str) -> Path | None:
    """`MRCONSO.RRF` and so on: in the folder, in META or NET below it, in any case of letters."""
    wanted = {name.casefold(), f"{name.casefold()}.rrf"}
    for place in _PLACES:
        here = folder / place if place else folder
        if here.is_dir():
            for path in sorted(here.iterdir()):
                if path.name.casefold() in wanted and path.is_file():
                    return path
    return None


def rows(
    path: Path, name: str, progress: Progress = lambda name, done, size: None
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with their line numbers. LF or CRLF; the last bar may be missing.

    Args:
        progress: told the file, the bytes done and the bytes in all, now and then.

    Raises:
        InputError: for a line with too few or too many fields, naming it; for the last line it says
            that the file seems cut off; for bytes that are not UTF-8.
    """
    wanted = FIELDS[name]
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            done = 0
            for number, line in enumerate(file, start=1):
                done += len(line)
                yield number, _fields(path, number, line, wanted, done >= size)
                if number % _TOLD_EVERY == 0:
                    progress(name, done, size)
        progress(name, size, size)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _fields(path: Path, number: int, line: bytes, wanted: int, last: bool) -> list[str]:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        cut = last and not line.endswith(b"\n")
        why = "ends within a character; the file is cut off" if cut else "is not UTF-8"
        raise InputError(f"{path}, line {number}: {why}.") from error
    fields = text.rstrip("\r\n").split("|")
    if len(fields) == wanted + 1 and not fields[-1]:
        fields.pop()
    if len(fields) != wanted:
        found = len(fields) - (not fields[-1])
        if last and len(fields) < wanted:
            raise InputError(
                f"{path}, line {number}: the last line has {found} of {wanted} fields; the "
                "file is cut off. Copy or unpack it again."
            )
        raise InputError(f"{path}, line {number}: {found} fields where {path.name} has {wanted}.")
    return fields
