"""The triples of a study as units: read in a stream, each once, all of them or a random sample."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

from factmark.files.problems import Problems
from factmark.graphs.core.claims import (
    WORDINGS,
    Triple,
    folded,
    pair_unit,
    relation_key,
    triple_unit,
    unique_pairs,
)
from factmark.graphs.core.claims import unique_triples as one_of_each
from factmark.graphs.triples.triples import read_triples
from factmark.model import Item, Unit, content_hash
from factmark.passages.passage_file import Passages, Searched, read_passages
from factmark.stats.estimators import Drawn, keys_of
from factmark.stats.sampling import simple_random, stratified, two_stage

Measure = Literal["factscore", "validity"]
Design = Literal["random", "relation", "twcs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where triples come from and how they are read.

    Attributes:
        passages: the file with the passages' texts, where triples name them by id; it is searched
            for those that name none.
        columns: field of `Triple` -> column of the file.
        wordings: relation -> wording of its claim.
        limit: how many are drawn at random, None for all: units, or with `twcs` draws of a head.
            A larger one with the same seed keeps those of a smaller one.
        design: simple random; stratified by relation, in proportion to its units; or two-stage
            weighted cluster sampling, heads by size and of each at most five units.
        seed: of the drawing.
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


class Graph:
    """An open source; `rows` and `jobs` read it anew each time, so that memory stays flat.

    Attributes:
        problems: of the first reading through.
        size: the units to judge.
        drawn: the sample in the order of the drawing, None where all are judged; what
            `mean_by_design` needs.
    """

    def __init__(self, source: Source, *, seen: Callable[[int], None] = lambda rows: None) -> None:
        self.source = source
        self.problems = Problems()
        self._stack = ExitStack()
        self._passages: Passages | None = None
        if source.passages is not None:
            found = read_passages(source.passages, self.problems, encoding=source.encoding)
            self._passages = self._stack.enter_context(found)
            self._searched = self._stack.enter_context(Searched(found))
        self.drawn: Drawn | None = None
        self._drawn: frozenset[str] | None = None
        self.size = self._count(seen)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _count(self, seen: Callable[[int], None]) -> int:
        """Reads all once (twice but for `random`): counts the units, or draws the sample."""
        if self.source.limit is None:
            return sum(1 for _ in self._seen(self.problems, seen))
        self.drawn = self._draw(self.source.limit, seen)
        self._drawn = frozenset(keys_of(self.drawn))
        return len(self._drawn)

    def _draw(self, limit: int, seen: Callable[[int], None]) -> Drawn:
        design, seed = self.source.design, self.source.seed
        first = self._seen(self.problems, seen)
        if design == "random":
            return simple_random((self.unit(triple).id for triple in first), limit, seed=seed)
        readings = iter((first, self._once(Problems())))

        def read() -> Iterator[tuple[str, str]]:
            for triple in next(readings):
                group = relation_key(triple.relation) if design == "relation" else _head(triple)
                yield self.unit(triple).id, group

        draw = stratified if design == "relation" else two_stage
        return draw(read, limit, seed=seed)

    def _seen(self, problems: Problems, seen: Callable[[int], None]) -> Iterator[Triple]:
        for number, triple in enumerate(self._once(problems), 1):
            yield triple
            if number % 1_000 == 0:
                seen(number)

    def unit(self, triple: Triple) -> Unit:
        """The unit of a triple in this measure."""
        make = pair_unit if self.source.measure == "factscore" else triple_unit
        return make(triple, self.source.wordings)

    def jobs(self) -> Iterator[tuple[Item, Unit]]:
        """Each unit once, with the head entity that it belongs to."""
        for triple in self._once(Problems()):
            unit = self.unit(triple)
            if self._drawn is None or unit.id in self._drawn:
                head = folded(triple.head)
                yield Item(id=head, cluster=head, data={"head": triple.head}), unit

    def grouped_jobs(self) -> Iterator[tuple[Item, Unit]]:
        """As `jobs`, those of one passage after another, so that they can share a call.

        They are sorted in a temporary database, which SQLite keeps on disk when it grows.
        """
        with closing(sqlite3.connect("")) as database:
            database.execute("CREATE TABLE jobs (passage TEXT, place INTEGER, job BLOB)")
            database.executemany(
                "INSERT INTO jobs VALUES (?, ?, ?)",
                (
                    (content_hash(unit.data.get("passage")), place, _packed(item, unit))
                    for place, (item, unit) in enumerate(self.jobs())
                ),
            )
            # Passages in the order of their first unit, units in the order of the file.
            rows = database.execute(
                "SELECT job FROM jobs JOIN (SELECT passage AS p, min(place) AS first FROM jobs "
                "GROUP BY passage) ON p = passage ORDER BY first, place"
            )
            for (packed,) in rows:
                yield _unpacked(packed)

    def rows(self) -> Iterator[tuple[Triple, Unit]]:
        """Each pair of the file with its unit; for validity several pairs share one."""
        for triple in unique_pairs(self._read(Problems())):
            unit = self.unit(triple)
            if self._drawn is None or unit.id in self._drawn:
                yield triple, unit

    def _once(self, problems: Problems) -> Iterator[Triple]:
        triples = self._read(problems)
        if self.source.measure == "factscore":
            return unique_pairs(triples, lambda row: problems.drop("duplicate", row.where))
        return one_of_each(
            triples, lambda row: problems.note("triple of an earlier row, judged once", row.where)
        )

    def _read(self, problems: Problems) -> Iterator[Triple]:
        """The triples; for FActScore* those that name a passage with its text, and those that name
        none with the nearest one, if there are any."""
        found = read_triples(
            self.source.triples,
            problems,
            passages=self._passages,
            columns=self.source.columns,
            encoding=self.source.encoding,
        )
        for triple in found:
            if self.source.measure == "validity" or triple.passage is not None:
                yield triple
            elif triple.passage_id:
                problems.drop("no passage of that id", triple.where, f"{triple.passage_id!r}")
            else:
                yield self._with_passage(triple, problems)

    def _with_passage(self, triple: Triple, problems: Problems) -> Triple:
        if self._passages is not None:
            name = self._searched.nearest(f"{triple.head} {triple.tail}")
            if name is not None:
                problems.note("passage found by search", triple.where, f"passage {name!r}")
                return replace(triple, passage_id=name, passage=self._passages.get(name))
        problems.note("no passage", triple.where, "a model goes by what is generally true")
        return triple


def _head(triple: Triple) -> str:
    return triple.head_id or folded(triple.head)


def _packed(item: Item, unit: Unit) -> str:
    return json.dumps([item.id, dict(item.data), unit.id, unit.kind, unit.text, dict(unit.data)])


def _unpacked(packed: str) -> tuple[Item, Unit]:
    head, data, name, kind, text, about = json.loads(packed)
    item = Item(id=head, cluster=head, data=data)
    return item, Unit(id=name, item=head, kind=kind, text=text, data=about)
