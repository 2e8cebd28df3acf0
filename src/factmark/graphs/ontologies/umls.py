"""UMLS as an ontology: a user's own RRF files, read once into an SQLite index, looked up by name.

UMLS needs a licence, so none of it comes with this package. Its files are in the Rich Release
Format: one row a line, fields between bars, a bar at the end.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from factmark.errors import InputError
from factmark.files.overwriting import check_files
from factmark.files.text_files import replace_at_end, unreadable
from factmark.graphs.core.claims import relation_key
from factmark.graphs.core.ontology import Concept, Relation, Signature
from factmark.graphs.ontologies.bundled import bundled_ontology
from factmark.text.names import name_key

Progress = Callable[[str, int, int], None]
"""Told a file, the bytes done and the bytes in all, now and then."""
_FORMAT = "2 ['ENG'] False True"  # names in English, no suppressible rows; another: built anew
_CUI = re.compile(r"(?:\S*[:/])?C(\d{7})", re.ASCII)
_IN_OTHER_WORDS = re.compile(r"(?:MSH|SCT|MDR|MEDLINEPLUS_)(?!USX?$)[A-Z]{3}")
"""Names of sources that are translations, such as MSHFRE; MRDEF names no language."""
_MOST_SYNONYMS = 200
_TOLD_EVERY = 200_000
_EDGE = 1024 * 1024
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE name (hash INTEGER NOT NULL, cui INTEGER NOT NULL, preferred INTEGER NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE type (cui INTEGER NOT NULL, tui TEXT NOT NULL, PRIMARY KEY (cui, tui)) WITHOUT ROWID;
CREATE TABLE related (head INTEGER NOT NULL, tail INTEGER NOT NULL, relation TEXT NOT NULL,
    PRIMARY KEY (head, tail, relation)) WITHOUT ROWID;
CREATE TABLE meaning (cui INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE definition (ui TEXT PRIMARY KEY, kind TEXT, name TEXT, text TEXT, inverse TEXT)
    WITHOUT ROWID;
CREATE TABLE allowed (relation TEXT, head TEXT, tail TEXT, PRIMARY KEY (relation, head, tail))
    WITHOUT ROWID;
BEGIN;
"""


class Umls:
    """An ontology over a UMLS index. Relations and their wordings are the bundled ones.

    Which types a relation may join is what SRSTRE1 says, where a relation has a counterpart in the
    Semantic Network and the user gave that file; else what the bundled ontology says. What decides
    also describes the relation.
    """

    def __init__(self, index: Path) -> None:
        """Opens an index that `open_umls` built."""
        self._database = sqlite3.connect(
            f"{index.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        self._base = bundled_ontology()
        self._uis = {
            (kind, name): ui
            for ui, kind, name in self._rows("SELECT ui, kind, name FROM definition")
        }
        self._type_names = {ui: name for (kind, name), ui in self._uis.items() if kind == "STY"}
        self._concept = lru_cache(maxsize=100_000)(self._read_concept)
        self._described = lru_cache(maxsize=1_000)(self._describe)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index."""
        self._database.close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a query."""
        return self._database.execute(query, values).fetchall()

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """Returns all concepts of that name, whatever its inflection and spelling, or the one of
        that CUI (`C0011860`, `UMLS:C0011860`, an IRI that ends so)."""
        cui = _CUI.fullmatch(name)
        if cui:
            cuis = [int(cui[1])]
        elif name_key(name):
            query = "SELECT DISTINCT cui FROM name WHERE hash = ? ORDER BY cui"
            cuis = [cui for (cui,) in self._rows(query, name_hash(name))]
        else:
            cuis = []
        return tuple(concept for cui in cuis if (concept := self._concept(cui)) is not None)

    def _read_concept(self, cui: int) -> Concept | None:
        """Returns the concept of a number, its preferred name first; None if it has no name."""
        query = "SELECT text FROM name WHERE cui = ? ORDER BY preferred DESC, rowid LIMIT ?"
        names = []
        for (text,) in self._rows(query, cui, _MOST_SYNONYMS):
            names.append(str(text))
        if not names:
            return None
        types = self._rows("SELECT tui FROM type WHERE cui = ?", cui)
        meaning = self._rows("SELECT text FROM meaning WHERE cui = ?", cui)
        definition = ""
        if meaning:
            definition = str(meaning[0][0])
        return Concept(
            id=f"C{cui:07}",
            name=names[0],
            types=frozenset(str(tui) for (tui,) in types),
            synonyms=tuple(dict.fromkeys(names[1:])),
            definition=definition,
        )

    def relation(self, name: str) -> Relation | None:
        """Returns a bundled relation, or one of the Semantic Network; None if unknown.

        Where SRSTRE1 decides what it may join, its definition and types are the user's own."""
        return self._described(relation_key(name))

    def _describe(self, key: str) -> Relation | None:
        """Returns what is known of a relation of that key."""
        known = self._base.relation(key)
        if known is None and ("RL", key) in self._uis:
            known = Relation(name=key, network=key)
        if known is None or not known.network or known.same_group:
            return known
        network = known.network.removeprefix("^")
        ui = self._uis.get(("RL", network))
        if ui is None:
            return known
        query = "SELECT text, inverse FROM definition WHERE ui = ?"
        ((text, inverse),) = self._rows(query, ui)
        definition = str(text)
        allowed = self._network_signatures(ui)
        if not known.definition:  # of the Semantic Network alone
            return replace(
                known, definition=definition, inverse=str(inverse) or None, allowed=allowed
            )
        if not allowed:  # the bundled ontology decides
            return known
        if network != known.network:
            definition = f"The tail {network} the head. {network}: {definition}"
            allowed = tuple(Signature(heads=s.tails, tails=s.heads) for s in allowed)
        return replace(known, definition=definition, allowed=allowed)

    def _network_signatures(self, relation: str) -> tuple[Signature, ...]:
        """Returns the pairs of SRSTRE1 for a relation: heads that may have the same tails stand
        together."""
        tails_of: dict[str, set[str]] = {}
        for head, tail in self._rows("SELECT head, tail FROM allowed WHERE relation = ?", relation):
            tails_of.setdefault(str(head), set()).add(str(tail))
        heads_of: dict[frozenset[str], set[str]] = {}
        for head, tails in tails_of.items():
            heads_of.setdefault(frozenset(tails), set()).add(head)
        return tuple(
            Signature(heads=frozenset(heads), tails=tails) for tails, heads in heads_of.items()
        )

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether MRREL states the relation between the two concepts or SRSTRE1 between their
        types, else as the bundled signatures say; None if none of these knows."""
        if relation_key(relation) in self.stated_relations(head, tail):
            return True
        known = self.relation(relation)
        if known is not None and known.network and not known.same_group:
            answer = self._network_allows(known.network, head, tail)
            if answer is not None:
                return answer
        return self._base.allows(relation, head, tail)

    def value(self, relation: str, text: str, node: str = "") -> None:
        """Returns nothing: the relations of UMLS join concepts."""

    def stated_relations(self, head: Concept, tail: Concept) -> frozenset[str]:
        """Returns the relations that MRREL states between the two concepts, in that direction."""
        query = "SELECT relation FROM related WHERE head = ? AND tail = ?"
        rows = self._rows(query, int(head.id[1:] or 0), int(tail.id[1:] or 0))
        return frozenset(str(relation) for (relation,) in rows)

    def _network_allows(self, network: str, head: Concept, tail: Concept) -> bool | None:
        """Whether SRSTRE1 has the relation between types of both; None if it has the relation
        nowhere."""
        if network.startswith("^"):
            network, head, tail = network[1:], tail, head
        ui = self._uis.get(("RL", network))
        if ui is None or not head.types or not tail.types:
            return None
        if not self._rows("SELECT 1 FROM allowed WHERE relation = ? LIMIT 1", ui):
            return None
        query = "SELECT 1 FROM allowed WHERE relation = ? AND head = ? AND tail = ?"
        return any(self._rows(query, ui, h, t) for h in head.types for t in tail.types)

    def type_name(self, code: str) -> str:
        """Returns the type's name in SRDEF, or in the bundled list."""
        return self._type_names.get(code) or self._base.type_name(code)

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns the types that the bundled ontology guesses."""
        return self._base.types_by_ending(name)


def open_umls(
    source: Path, folder: Path, *, progress: Progress = lambda name, done, size: None
) -> Umls:
    """Opens the UMLS whose RRF files lie in `source`; its index in `folder` is built first if it is
    missing or of other files.

    It is built beside its place and moved there when it is whole. One that was made from other
    files (by size, time and the bytes at both ends) or in another format is replaced.

    Raises:
        InputError: if files are missing or damaged; the message has the file and the line. Or
            there is a `umls.sqlite` that factmark did not write.
        FactmarkError: if the index cannot be written.
    """
    files = umls_files(source)
    for name in ("MRCONSO", "MRSTY"):
        if name not in files:
            raise InputError(f"{source}: no {name}.RRF here. Give the folder with the UMLS files.")
    mark = _fingerprint(files)
    target = folder / "umls.sqlite"
    kept = _fingerprint_in(target)
    if kept == mark:
        return Umls(target)
    if kept is None:
        check_files(folder, [target.name], files.items())
    with replace_at_end(target) as temporary:
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as database:
            database.executescript(_TABLES)
            for name, path in files.items():
                wanted, insert, rows_of = _FILES[name]
                rows = _read_rrf(path, name, wanted, progress)
                database.executemany(f"INSERT OR IGNORE INTO {insert}", rows_of(path, rows))
            database.execute("CREATE INDEX name_hash ON name (hash)")
            database.execute("CREATE INDEX name_cui ON name (cui)")
            database.execute("INSERT INTO about VALUES ('fingerprint', ?)", (mark,))
            database.execute("COMMIT")
    return Umls(target)


def umls_files(folder: Path) -> dict[str, Path]:
    """Returns name -> path of the files of UMLS that a folder holds."""
    files = {}
    for name in _FILES:
        if (path := _find_file(folder, name)) is not None:
            files[name] = path
    return files


def _find_file(folder: Path, name: str) -> Path | None:
    """Returns the path of a file such as `MRCONSO.RRF` in the folder, or in META or NET below it,
    in any case of letters; None if it is not there."""
    wanted = {name.casefold(), f"{name.casefold()}.rrf"}
    for place in (folder, folder / "META", folder / "NET"):
        if place.is_dir():
            for path in sorted(place.iterdir()):
                if path.name.casefold() in wanted and path.is_file():
                    return path
    return None


def _fingerprint(files: Mapping[str, Path]) -> str:
    """Returns a hash that tells files from others: by name, size, time and the bytes at both
    ends."""
    digest = hashlib.sha256(_FORMAT.encode())
    for path in files.values():
        try:
            facts = path.stat()
            with path.open("rb") as file:
                start = file.read(_EDGE)
                file.seek(max(0, facts.st_size - _EDGE))
                digest.update(start + file.read(_EDGE))
        except OSError as error:
            raise unreadable(path, error) from error
        digest.update(f"{path.name} {facts.st_size} {facts.st_mtime_ns}".encode())
    return digest.hexdigest()


def _fingerprint_in(index: Path) -> str | None:
    """Returns the fingerprint that an index was built with; None if there is no index."""
    if not index.is_file():
        return None
    with closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            row = database.execute("SELECT value FROM about WHERE key = 'fingerprint'").fetchone()
        except sqlite3.DatabaseError:
            return None
    if row is None:
        return None
    return str(row[0])


def name_hash(name: str) -> int:
    """Returns 63 bits of a hash of the name's key; two names of 5 million collide with a chance of
    10^-6."""
    digest = hashlib.blake2b(name_key(name).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _concept_number(path: Path, line: int, cui: str) -> int:
    """Returns a CUI as a number, C0011849 as 11849."""
    if cui[:1] == "C" and cui[1:].isdecimal() and len(cui) == 8:
        return int(cui[1:])
    raise InputError(f"{path}, line {line}: {cui!r} is no concept id (C and seven digits).")


_Rows = Iterable[tuple[int, Sequence[str]]]


def _name_rows(path: Path, rows: _Rows) -> Iterator[tuple[int, int, int, str]]:
    """Yields the rows for table `name`: names in English, of one concept each normalised name
    once."""
    seen: set[int] = set()
    current = -1
    for line, row in rows:
        if row[1] != "ENG" or not row[14].strip() or row[16] not in ("", "N"):
            continue
        cui = _concept_number(path, line, row[0])
        if cui != current:  # the file is sorted by concept
            current = cui
            seen.clear()
        preferred = row[2] == "P" and row[4] == "PF" and row[6] == "Y"
        key = name_hash(row[14])
        if key not in seen or preferred:
            seen.add(key)
            yield key, cui, int(preferred), row[14].strip()


def _relation_rows(path: Path, rows: _Rows) -> Iterator[tuple[int, int, str]]:
    """Yields the rows for table `related`: head, tail, relation. The file reads `second RELA
    first`: the second concept is the head."""
    for line, row in rows:
        if row[7] and row[14] in ("", "N") and row[0] and row[4]:
            first, second = (_concept_number(path, line, row[place]) for place in (0, 4))
            yield second, first, row[7]


def _meaning_rows(path: Path, rows: _Rows) -> Iterator[tuple[int, str]]:
    """Yields the rows for table `meaning`: definitions in English, of which a concept keeps its
    first."""
    for line, row in rows:
        if row[5].strip() and row[6] in ("", "N") and not _IN_OTHER_WORDS.fullmatch(row[4]):
            yield _concept_number(path, line, row[0]), row[5].strip()


_FILES: Mapping[str, tuple[int, str, Callable[[Path, _Rows], Iterable[tuple[Any, ...]]]]] = {
    "MRCONSO": (18, "name VALUES (?, ?, ?, ?)", _name_rows),
    "MRSTY": (
        6,
        "type VALUES (?, ?)",
        lambda path, rows: ((_concept_number(path, line, row[0]), row[1]) for line, row in rows),
    ),
    "MRREL": (16, "related VALUES (?, ?, ?)", _relation_rows),
    "MRDEF": (8, "meaning VALUES (?, ?)", _meaning_rows),
    "SRDEF": (
        10,
        "definition VALUES (?, ?, ?, ?, ?)",
        lambda _, rows: ((row[1], row[0], row[2], row[4], row[9]) for _, row in rows),
    ),
    "SRSTRE1": (
        3,
        "allowed VALUES (?, ?, ?)",
        lambda _, rows: ((relation, head, tail) for _, (head, relation, tail) in rows),
    ),
}
"""Of each file its number of fields, and what of its rows goes into which table."""


def _read_rrf(
    path: Path, name: str, wanted: int, progress: Progress
) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a file with their line numbers. Lines may end in LF or CRLF; the last bar
    may be missing.

    Raises:
        InputError: for a line with too few or too many fields, naming it; for the last line it says
            that the file seems cut off; for bytes that are not UTF-8.
    """
    try:
        size = path.stat().st_size
        done = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                done += len(line)
                yield number, _split_line(f"{path}, line {number}", line, wanted)
                if number % _TOLD_EVERY == 0:
                    progress(name, done, size)
        progress(name, size, size)
    except OSError as error:
        raise unreadable(path, error) from error


def _split_line(where: str, line: bytes, wanted: int) -> list[str]:
    """Returns the fields of a line; raises InputError unless there are `wanted` of them."""
    cut = "; the file is cut off, copy or unpack it again"
    if line.endswith(b"\n"):
        cut = ""
    try:
        text = line.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: is not UTF-8{cut}.") from error
    fields = text.rstrip("\r\n").split("|")
    if len(fields) == wanted + 1 and not fields[-1]:
        fields.pop()
    if len(fields) != wanted:
        count = len(fields) - (not fields[-1])
        raise InputError(f"{where}: {count} fields where there should be {wanted}{cut}.")
    return fields
