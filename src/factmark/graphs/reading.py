"""The triples of a study as units: their file is read once, as a stream, into a database that
SQLite keeps on disk when it grows; then all of them or a random sample are judged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Literal, Self

from factmark.files.problems import Problems
from factmark.graphs.core.claims import (
    WORDINGS,
    Triple,
    folded,
    pair_id,
    pair_unit,
    relation_key,
    triple_id,
    triple_unit,
)
from factmark.graphs.core.scores import Measure
from factmark.graphs.triples.triples import read_triples
from factmark.model import Item, Unit, content_hash
from factmark.passages.passage_file import PassageSearch, read_passages
from factmark.stats.sampling import Drawn, keys_of, simple_random, stratified, two_stage

Design = Literal["random", "relation", "twcs"]
KINDS: Mapping[Measure, str] = {"factscore": "pair", "validity": "triple"}  # of their units
_FIELDS = tuple(part.name for part in fields(Triple) if part.name not in ("passage", "given"))
_VALUES = attrgetter(*_FIELDS)
_COLUMNS = ", ".join(f'"{name}"' for name in _FIELDS)
_TABLES = f"""
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE passage (number INTEGER PRIMARY KEY, hash TEXT UNIQUE, text TEXT);
CREATE TABLE pair (place INTEGER PRIMARY KEY, unit TEXT, is_first INTEGER, is_new INTEGER,
    cluster TEXT, relation_key TEXT, passage INTEGER, given TEXT, {_COLUMNS});
"""
_INSERT = f"INSERT INTO pair VALUES (NULL{', ?' * (7 + len(_FIELDS))})"  # noqa: S608
_BLOCK = 5_000  # rows that are stored together
_TEXTS = 32  # passages that are held beside their table


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where triples come from and how they are read.

    Attributes:
        passages: the file with the passages' texts, where triples name them by id; it is searched
            for those that name none.
        limit: how many are drawn at random, None for all: units, or with `twcs` draws of a head.
            A larger one with the same seed keeps those of a smaller one.
        design: simple random; stratified by relation, in proportion to its units; or two-stage
            weighted cluster sampling, heads by size and of each at most five units.
    """

    measure: Measure
    triples: Path
    passages: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    wordings: Mapping[str, str] = field(default_factory=lambda: WORDINGS)
    limit: int | None = None
    design: Design = "random"
    seed: int = 0
    encoding: str = "utf-8"


class GraphUnits:
    """A source that has been read.

    Attributes:
        size: the units to judge.
        drawn: the sample in the order of the drawing, None where all are judged; what
            `mean_by_design` needs.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems()
        self._database = sqlite3.connect("")
        self._database.executescript(_TABLES)
        # Triples of one passage mostly stand together, and share its text.
        self._passage_number = lru_cache(maxsize=_TEXTS)(self._store_passage)
        self._passage = lru_cache(maxsize=_TEXTS)(self._stored_passage)
        self._read()
        self.drawn = None if source.limit is None else self._draw(source.limit)
        (self.size,) = self._database.execute("SELECT count(*) FROM pair WHERE is_first").fetchone()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def unit(self, triple: Triple, name: str) -> Unit:
        """Returns the unit of a triple in this measure, whose id is `name`."""
        make = pair_unit if self.source.measure == "factscore" else triple_unit
        return make(triple, self.source.wordings, name)

    def jobs(self, *, by_passage: bool = False) -> Iterator[tuple[Item, Unit]]:
        """Yields each unit once, with the head entity that it belongs to.

        Args:
            by_passage: those of one passage one after another, so that they can share a call, the
                passages in the order of the file.
        """
        grouped = by_passage and self.source.measure == "factscore"
        order = "passage, place" if grouped else "place"
        for triple, unit, _ in self._stored_triples(f"WHERE is_first ORDER BY {order}"):
            head = folded(triple.head)
            yield Item(id=head, cluster=head, data={"head": triple.head}), self.unit(triple, unit)

    def unit_ids(self) -> list[str]:
        """Returns the ids of the units that `jobs` yields."""
        return [unit for (unit,) in self._database.execute("SELECT unit FROM pair WHERE is_first")]

    def rows(self) -> Iterator[tuple[Triple, str, bool]]:
        """Yields each row of the file with the id of its unit, and whether its pair of triple and
        passage is new; later rows of a pair are in no score. For validity several pairs share a
        unit."""
        return self._stored_triples("ORDER BY place")

    def _read(self) -> None:
        """Stores each row of the file; reports those that repeat an earlier one."""
        by_pair, problems = self.source.measure == "factscore", self.problems
        units: set[bytes] = set()
        pairs: set[bytes] = set()
        rows: list[tuple[object, ...]] = []
        for triple in _triples_with_passages(self.source, problems):
            pair = pair_id(triple)
            unit = pair if by_pair else triple_id(triple)
            is_first, is_new = _is_new(unit, units), _is_new(pair, pairs)
            if not is_first:
                what = "triple and passage" if by_pair else "triple"
                kind = f"{what} of an earlier row, judged and counted once"
                problems.note(kind, triple.where, triple.id or "the same again")
            rows.append(self._row(triple, unit, is_first, is_new))
            if len(rows) >= _BLOCK:
                self._keep(rows)
        self._keep(rows)

    def _row(self, triple: Triple, unit: str, is_first: bool, is_new: bool) -> tuple[object, ...]:
        """Returns a row as it is stored; stores its passage."""
        passage = self._passage_number(triple.passage)
        cluster, kind = triple.head_id or folded(triple.head), relation_key(triple.relation)
        given = json.dumps(triple.given) if triple.given else ""
        return unit, is_first, is_new, cluster, kind, passage, given, *_VALUES(triple)

    def _keep(self, rows: list[tuple[object, ...]]) -> None:
        """Stores rows, which are then gone from the list."""
        self._database.executemany(_INSERT, rows)
        rows.clear()

    def _store_passage(self, text: str | None) -> int:
        """Stores a passage unless it is stored; returns its number, in the order of the file."""
        name = "" if text is None else content_hash(text)
        self._database.execute(
            "INSERT OR IGNORE INTO passage (hash, text) VALUES (?, ?)", (name, text)
        )
        query = "SELECT number FROM passage WHERE hash = ?"
        return int(self._database.execute(query, (name,)).fetchone()[0])

    def _stored_passage(self, number: int) -> str | None:
        """Returns a passage."""
        query = "SELECT text FROM passage WHERE number = ?"
        text: str | None = self._database.execute(query, (number,)).fetchone()[0]
        return text

    def _stored_triples(self, rest: str) -> Iterator[tuple[Triple, str, bool]]:
        """Yields stored triples with their passages, the ids of their units, and whether the pair
        is new; `rest` is the end of the query."""
        rows = self._database.execute(
            f"SELECT unit, is_new, passage, given, {_COLUMNS} FROM pair {rest}"  # noqa: S608
        )
        for unit, is_new, passage, given, *values in rows:
            fields = dict(zip(_FIELDS, values, strict=True))
            if given:
                fields["given"] = json.loads(given)
            yield Triple(passage=self._passage(passage), **fields), unit, bool(is_new)

    def _draw(self, limit: int) -> Drawn:
        """Draws units by the design and deletes all others; returns the sample."""
        design, seed = self.source.design, self.source.seed
        column = "relation_key" if design == "relation" else "cluster"

        def read() -> Iterator[tuple[str, str]]:
            yield from self._database.execute(
                f"SELECT unit, {column} FROM pair WHERE is_first ORDER BY place"  # noqa: S608  # ours
            )

        drawn: Drawn
        if design == "random":
            drawn = simple_random((unit for unit, _ in read()), limit, seed=seed)
        else:
            drawn = (stratified if design == "relation" else two_stage)(read, limit, seed=seed)
        self._database.execute("CREATE TABLE drawn (unit TEXT PRIMARY KEY) WITHOUT ROWID")
        keys = ((unit,) for unit in keys_of(drawn))
        self._database.executemany("INSERT OR IGNORE INTO drawn VALUES (?)", keys)
        self._database.execute("DELETE FROM pair WHERE unit NOT IN (SELECT unit FROM drawn)")
        return drawn


def _is_new(name: str, seen: set[bytes]) -> bool:
    """Whether a hash was not seen before; it is remembered in 16 bytes."""
    before = len(seen)
    seen.add(bytes.fromhex(name))
    return len(seen) > before


def _triples_with_passages(source: Source, problems: Problems) -> Iterator[Triple]:
    """Yields the triples of a source; for FActScore* each with the text of the passage that it
    names, or of the one found for it if it names none."""
    with ExitStack() as stack:
        passages = searched = None
        if source.passages is not None:
            passages = read_passages(source.passages, problems, encoding=source.encoding)
            stack.enter_context(passages)
            searched = stack.enter_context(PassageSearch(passages))
        triples = read_triples(
            source.triples,
            problems,
            passages=passages,
            columns=source.columns,
            encoding=source.encoding,
        )
        for triple in triples:
            if source.measure == "validity" or triple.passage is not None:
                yield triple
            elif triple.passage_id:
                problems.drop("no passage of that id", triple.where, f"{triple.passage_id!r}")
            elif passages and searched and (name := searched.nearest(_search_words(triple))):
                problems.note("passage found by search", triple.where, f"passage {name!r}")
                yield replace(triple, passage_id=name, passage=passages.get(name))
            else:
                problems.note("no passage", triple.where, "a model goes by what is generally true")
                yield triple


def _search_words(triple: Triple) -> str:
    """Returns what a passage is searched for by."""
    return f"{triple.head} {triple.tail}"
