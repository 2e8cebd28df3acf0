"""The triples of a study as units: all of a file, or a random sample, which is drawn in a first
reading and kept in a second."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from factmark.files.problems import Problems
from factmark.files.shards import WHOLE, Shard
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
from factmark.graphs.core.opaque_names import UnreadableEnds
from factmark.graphs.core.scores import MeasureKey
from factmark.graphs.core.shared_calls import sharing
from factmark.graphs.triple_columns import TripleColumns
from factmark.graphs.triples.triples import read_graph
from factmark.model import Item, Unit
from factmark.passages.passage_file import Passages, PassageSearch, read_passages
from factmark.stats.sampling import Drawn, keys_of, simple_random, stratified, two_stage
from factmark.text.words import says_nothing

Design = Literal["random", "relation", "twcs"]
KINDS: Mapping[MeasureKey, str] = {"factscore": "pair", "validity": "triple"}  # of their units
_SEARCHED = 1_000_000  # passages that were found by search and are remembered

Row = tuple[Triple, str, bool]
"""A row of the file, the id of its unit, and whether its pair of triple and passage is new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where triples come from and how they are read.

    Attributes:
        triples: the files of the graph, one or several.
        passages: the file with the passages' texts, where triples name them by id; it is searched
            for those that name none.
        limit: how many are drawn at random, None for all: units, or with `twcs` draws of a head.
            A larger one with the same seed keeps those of a smaller one.
        design: simple random; stratified by relation, in proportion to its units; or two-stage
            weighted cluster sampling, heads by size and of each at most five units.
        nodes: tables with the names of nodes, where the triples have their ids.
        part: what of it is judged here; a sample is drawn before it is divided.
        batch: units that share a call, each beside its passage.
    """

    measure: MeasureKey
    triples: Sequence[Path]
    passages: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    wordings: Mapping[str, str] = field(default_factory=lambda: WORDINGS)
    limit: int | None = None
    design: Design = "random"
    seed: int = 0
    encoding: str = "utf-8"
    nodes: Sequence[Path] = ()
    part: Shard = WHOLE
    batch: int = 1


class GraphUnits:
    """A source that has been read, for a sample twice; what is judged of it is held in memory.

    Attributes:
        drawn: the sample in the order of the drawing, None where all are judged; what
            `mean_by_design` needs.
        n_to_draw: the units that it was drawn from; of a whole file those that are judged.
        repeated: the units that several rows are about.
        have_more: whether rows have columns that were not read.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems()
        self.drawn: Drawn | None = None
        self.n_to_draw = 0
        self.repeated: set[str] = set()
        self.have_more = False
        # Columns, and numbers in arrays: of a million rows each byte is a megabyte.
        self._triples = TripleColumns()
        self._units: list[str] = []
        self._are_new = bytearray()
        self._firsts = array("q")  # the places of the first row of each unit
        self._sharing: dict[str, str] = {}  # passage -> the passage whose call it shares
        self._starts: list[tuple[int, Path]] = []  # the places of the first row of each file
        with _open_passages(source, self.problems) as passages:
            drawn: set[str] | None = None
            if source.limit is not None:
                self.drawn = self._draw(passages, source.limit)
                drawn = set(keys_of(self.drawn))
            if source.batch > 1 and source.measure == "factscore":
                self._sharing = self._find_sharing(passages, drawn)
            self._read(passages, drawn)
        self.n_to_draw = self.n_to_draw or self.size

    @property
    def n_rows(self) -> int:
        """The rows of the file."""
        return len(self._triples)

    @property
    def size(self) -> int:
        """The units to judge."""
        return len(self._firsts)

    def unreadable(self) -> str:
        """Returns what to say where half of the units or more have ends that only a database can
        read; empty where they have not."""
        ends = UnreadableEnds()
        for place in self._firsts:
            triple = self._triples[place]
            ends.add(triple.head, triple.relation, triple.tail)
        sentence = ends.sentence("units")
        if not sentence:
            return ""
        return f"{sentence} --nodes FILE names a table with ids and names."

    def unit(self, triple: Triple, name: str) -> Unit:
        """Returns the unit of a triple in this measure, whose id is `name`."""
        if self.source.measure == "factscore":
            make = pair_unit
        else:
            make = triple_unit
        return make(triple, self.source.wordings, name)

    def jobs(self) -> Iterator[tuple[Item, Unit]]:
        """Yields each unit once, with the head entity that it belongs to.

        Those of one passage come one after another, so that they can share a call and rules read
        it once; the passages in the order of the file.
        """
        places: Sequence[int] = self._firsts
        if self.source.measure == "factscore":
            order = self._triples.passages
            if any(after < before for before, after in pairwise(order)):
                places = sorted(places, key=order.__getitem__)
        for place in places:
            triple = self._triples[place]
            unit = self._units[place]
            head = folded(triple.head)
            yield Item(id=head, cluster=head, data={"head": triple.head}), self.unit(triple, unit)

    def call_of(self, unit: Unit) -> str:
        """Returns what names the calls that a unit shares with its neighbours: the first of their
        passages."""
        passage = str(unit.data.get("passage") or "")
        return self._sharing.get(passage, passage)

    def unit_ids(self) -> list[str]:
        """Returns the ids of the units that `jobs` yields."""
        return [self._units[place] for place in self._firsts]

    def rows(self) -> Iterator[Row]:
        """Yields each row of the file with the id of its unit, and whether its pair of triple and
        passage is new; later rows of a pair are in no score. For validity several pairs share a
        unit."""
        for triple, unit, is_new in zip(self._triples, self._units, self._are_new, strict=True):
            yield triple, unit, bool(is_new)

    def files(self) -> Iterator[tuple[Path, Iterator[Row]]]:
        """Yields each file that has rows, with them."""
        rows = self.rows()
        ends = (*(start for start, _ in self._starts), self.n_rows)
        for (start, path), end in zip(self._starts, ends[1:], strict=True):
            yield path, islice(rows, end - start)

    def _find_sharing(self, passages: _Texts, drawn: set[str] | None) -> dict[str, str]:
        """Returns which passages share calls, see `sharing`; reads the file for it."""
        pairs = set[str]()
        units_of: dict[str, int] = {}
        for _, triple in _triples_with_passages(self.source, passages, Problems()):
            pair = pair_id(triple)
            if (drawn is None or pair in drawn) and _add(pairs, pair):
                passage = triple.passage or ""
                units_of[passage] = units_of.get(passage, 0) + 1
        without = units_of.pop("", 0)
        shared = sharing(units_of, self.source.batch)
        if without:
            shared[""] = ""
        return shared

    def _read(self, passages: _Texts, drawn: set[str] | None) -> None:
        """Keeps each row of the file, or of a sample those of its units; reports the rows that
        repeat an earlier one."""
        by_pair = self.source.measure == "factscore"
        problems = self.problems
        what = "triple"
        if by_pair:
            what = "triple and passage"
        pairs = set[str]()
        units = set[str]()
        file = Path()
        for path, triple in _triples_with_passages(self.source, passages, problems):
            passage = triple.passage if by_pair else None
            if passage is not None and not self._is_here(self._sharing.get(passage, passage)):
                continue
            pair = unit = pair_id(triple)
            is_first = is_new = _add(pairs, pair)
            if not by_pair:
                unit = triple_id(triple)
                is_first = _add(units, unit)
            if not is_first:
                kind = f"{what} of an earlier row, judged and counted once"
                problems.note(kind, triple.where, triple.id or "the same again")
                self.repeated.add(unit)
            if drawn is not None and unit not in drawn:
                continue
            if passage is None and not self._is_here(unit):
                continue
            self.have_more = self.have_more or bool(triple.given)
            if path is not file and (not self._starts or self._starts[-1][1] != path):
                self._starts.append((self.n_rows, path))
            file = path
            if is_first:
                self._firsts.append(self.n_rows)
            self._triples.append(triple)
            self._units.append(unit)
            self._are_new.append(is_new)
        if by_pair:  # `_triples_with_passages` says so of each row
            problems.odd.pop("unknown passage", None)

    def _is_here(self, group: str) -> bool:
        """Whether what belongs to a group is judged in this part: rows of a passage, or of the one
        whose call it shares, where the passage is what is asked about; else rows of a unit."""
        return self.source.part == WHOLE or self.source.part.holds(group)

    def _draw(self, passages: _Texts, limit: int) -> Drawn:
        """Draws units by the design; reads the file for it, and holds their ids."""
        source = self.source
        part_of = dict[str, str]()
        if source.measure == "factscore":
            unit_id = pair_id
        else:
            unit_id = triple_id
        for _, triple in _triples_with_passages(source, passages, Problems()):
            by_relation = source.design == "relation"
            if by_relation:
                part = relation_key(triple.relation)
            else:
                part = triple.key[0]
            part_of.setdefault(unit_id(triple), part)
        self.n_to_draw = len(part_of)
        if source.design == "random":
            return simple_random(part_of, limit, seed=source.seed)
        draw = stratified if source.design == "relation" else two_stage
        return draw(part_of.items, limit, seed=source.seed)


def _add(names: set[str], name: str) -> bool:
    """Adds a name; returns whether it was not there."""
    before = len(names)
    names.add(name)
    return len(names) > before


class _Texts(NamedTuple):
    """The passages that triples name, and what finds the nearest one for those that name none."""

    passages: Passages | None
    nearest: Callable[[str], str | None]


@contextmanager
def _open_passages(source: Source, problems: Problems) -> Iterator[_Texts]:
    """Reads the passages of a source, if it has any."""
    if source.passages is None:
        yield _Texts(None, lambda words: None)
        return
    with (
        read_passages(source.passages, problems, encoding=source.encoding) as passages,
        PassageSearch(passages) as search,
    ):
        # The second reading of a sample asks for the same again.
        yield _Texts(passages, lru_cache(maxsize=_SEARCHED)(search.nearest))


def _triples_with_passages(
    source: Source, texts: _Texts, problems: Problems
) -> Iterator[tuple[Path, Triple]]:
    """Yields the triples of a source, each with its file; for FActScore* each with the text of the
    passage that it names, or of the one found for it if it names none."""
    passages = texts.passages
    triples = read_graph(
        source.triples,
        problems,
        passages=passages,
        columns=source.columns,
        encoding=source.encoding,
        nodes=source.nodes,
    )
    for path, triple in triples:
        if source.measure == "validity":
            yield path, triple
            continue
        if triple.passage is not None and says_nothing(triple.passage):
            triple = replace(triple, passage=None)
        if triple.passage is not None:
            yield path, triple
        elif triple.passage_id:
            problems.note("no passage of that id", triple.where, f"{triple.passage_id!r}")
            yield path, triple
        elif passages is not None and (name := texts.nearest(f"{triple.head} {triple.tail}")):
            problems.note("passage found by search", triple.where, f"passage {name!r}")
            yield path, replace(triple, passage_id=name, passage=passages.get(name))
        else:
            kind = "no passage (--mode general asks a model what is generally true)"
            problems.note(kind, triple.where, repr(triple.head[:60]))
            yield path, triple
