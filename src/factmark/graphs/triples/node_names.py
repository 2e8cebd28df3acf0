"""The names of nodes that a graph names by ids: from its tables of nodes, beside it or in it, from
rows that are nodes, and from rows that give labels. One step for all forms.

Which column of a table of nodes has the ids is seen by the graph: its ends stand there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from shlex import quote
from typing import Self

from factmark.errors import InputError
from factmark.files.nested import cell_at, unfold
from factmark.files.problems import Problems
from factmark.files.rows import Row, broken_bytes_reason, has_broken_bytes
from factmark.graphs.core.iri_names import readable_name
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.cells import parts_of
from factmark.graphs.triples.columns.graph_columns import graph_mapping
from factmark.graphs.triples.columns.named_columns import places_of
from factmark.graphs.triples.graph_file import GraphFile
from factmark.graphs.triples.label_rows import JOINT, key_of, labels_in, names_nodes
from factmark.intake.columns import TableSample, is_empty
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import role_names
from factmark.passages.passage_file import Passages
from factmark.text.shown_text import some

_ENDS = ("head", "tail")
_MOST_BESIDE = 12  # tables beside a graph that are looked into
_LARGEST_BESIDE = 512 * 2**20
_ALL_BUT = 0.9  # of the ends that a table beside a graph must have
_HELD = 65_536
_TRIED = 6  # columns that may be a part of an id
_FEW = 4  # rows that do not tell types from names
_ID_NAME = re.compile(r"(?:.*_)?(?:id|index|key|code|curie)")


class NodeNames:
    """Names by ids, on disk where they are many."""

    def __init__(self) -> None:
        self._names = Passages()
        self.get = lru_cache(maxsize=_HELD)(self._names.get)
        self.clashes: Counter[str] = Counter()
        self.broken: dict[str, None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._names.close()

    def add(self, node: str, name: str) -> None:
        """Adds a node's name; of several the first counts. Broken ones are kept apart."""
        if has_broken_bytes(node) or has_broken_bytes(name):
            self.broken.setdefault(name or node)
        elif node and name and not self._names.add(node, name):
            self.clashes[node] += self._names.get(node) != name

    def note_broken(self, problems: Problems) -> None:
        """Notes that names were broken, by the first."""
        if self.broken:
            name = next(iter(self.broken))
            problems.note("name of a node with broken characters", name, broken_bytes_reason(name))

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Node and name of each."""
        return iter(self._names)


def first_ends(graph: GraphFile) -> list[str]:
    """Returns the ends of the first edges of a graph."""
    assert graph.mapping is not None  # noqa: S101  # the caller looked
    return [end for _, row in graph.table.sample.rows for end in _ends_of(row, graph.mapping)]


def _ends_of(row: Row, mapping: TableMapping) -> Iterator[str]:
    """Yields the ends of the edges of a row."""
    path = mapping.column("triple")
    if path and not mapping.column("head"):
        for _, part in unfold("", row, [path], parts=[path]):
            triple = parts_of(cell_at(part, path))
            if triple is not None:
                yield from (triple[0], triple[2])
        return
    paths = [mapping.column(end) for end in _ENDS if mapping.column(end)]
    for _, part in unfold("", row, paths):
        yield from filter(None, (key_of(cell_at(part, path)) for path in paths))


def read_names(
    graph: GraphFile,
    ends: Sequence[str],
    names: NodeNames,
    nodes: Sequence[Path],
    problems: Problems,
) -> bool:
    """Puts the names of a graph's nodes into `names`; returns whether there are any.

    Args:
        ends: its `first_ends`.
        nodes: the tables that the user names; without one those in the file and beside it are
            looked into.

    Raises:
        InputError: the user's tables have no names for the ends, or two name them otherwise.
    """
    wanted = set(ends)
    if not wanted:
        return False
    if nodes:
        _read_named(graph, nodes, wanted, names)
        return True
    for table in graph.nodes:
        _read_table(table, wanted, names, problems)
    if _has_node_rows(graph):
        _read_table(graph.table, wanted, names)
    if graph.mapping is not None and names_nodes(graph):
        for node, name in labels_in(graph):
            names.add(node, name)
    if not len(names) and _are_ids(graph, ends):
        _read_beside(graph, wanted, names, problems)
    names.note_broken(problems)
    return len(names) > 0


def _are_ids(graph: GraphFile, ends: Sequence[str]) -> bool:
    """Whether the ends of a graph are ids: most are opaque, or their columns are called so."""
    if sum(map(is_opaque, ends)) * 2 >= len(ends):
        return True
    columns = graph.mapping.columns if graph.mapping else {}
    paths = [path for end in _ENDS for path in columns.get(end, ())]
    sample = graph.table.sample
    called = [next(iter(places_of(path, sample))).name for path in paths]
    return bool(called) and all(_ID_NAME.fullmatch(name) for name in called)


def _read_beside(graph: GraphFile, wanted: set[str], names: NodeNames, problems: Problems) -> None:
    """Reads the tables beside a graph that together name all but a few of its ends.

    Raises:
        InputError: two of them name a node otherwise.
    """
    path = graph.table.path
    tables: dict[str, TableFile] = {}
    shares = 0.0
    for file in sorted(path.parent.iterdir()):
        if file != path and len(tables) < _MOST_BESIDE and may_be_nodes(file):
            share, names_side, table = _share_named(file, graph, wanted)
            if share > 1 - _ALL_BUT or names_side:
                tables[file.name] = table
                shares += share
    if shares < _ALL_BUT and all(map(str.isdecimal, wanted)):
        return  # numbers, which other tables have as well
    if tables:
        _named_in({str(path.parent / name): table for name, table in tables.items()}, wanted, names)
        problems.remarks.append(f"Nodes have their names from {', '.join(tables)}.")


def _read_named(
    graph: GraphFile, nodes: Sequence[Path], wanted: set[str], names: NodeNames
) -> None:
    """Reads the tables that the user names.

    Raises:
        InputError: one has no names for the ends, or two name them otherwise.
    """
    tables = {}
    for file in nodes:
        tables[str(file)] = _open_nodes(file, graph.table.encoding, wanted)
    if graph.mapping and not all(_names_any(table, wanted) for table in tables.values()):
        wanted = {
            end for _, row in graph.table.rows(Problems()) for end in _ends_of(row, graph.mapping)
        }
    share = len(_named_in(tables, wanted, names)) / len(wanted)
    for file, table in tables.items():
        if share < 1 - _ALL_BUT or not _names_any(table, wanted):
            example = min(wanted)
            raise InputError(
                f"--nodes {file}: names {share:.0%} of the heads and tails of {graph.table.path}, "
                f"as {example[:40]!r}. Name a table with a column of their ids and one of names."
            )


def _names_any(table: TableFile, wanted: set[str]) -> bool:
    """Whether a table of nodes names any of the wanted ids."""
    with NodeNames() as names:
        return bool(_read_table(table, wanted, names))


def _named_in(tables: Mapping[str, TableFile], wanted: set[str], names: NodeNames) -> set[str]:
    """Puts the names of tables of nodes into `names`; returns which of the wanted ids they name.

    Raises:
        InputError: two of them name a node otherwise.
    """
    named = set[str]()
    for table in tables.values():
        names.clashes.clear()  # within a table the first name counts
        read = _read_table(table, wanted, names)
        clash = next((node for node, times in names.clashes.items() if times and node in named), "")
        if clash:
            ways = "; or ".join(f"--nodes {quote(file)}" for file in tables)
            raise InputError(
                f"Two tables name the node {clash[:40]!r} in two ways. Say which it is: {ways}."
            )
        named |= read
    return named


def _share_named(file: Path, graph: GraphFile, wanted: set[str]) -> tuple[float, bool, TableFile]:
    """Returns the share of the wanted ids that a file beside a graph names, whether it names all
    but a few heads or tails, as a table of countries may, and the file as a table; 0 where it is
    none."""
    try:
        table = _open_nodes(file, graph.table.encoding, wanted)
        with NodeNames() as names:
            share = len(_read_table(table, wanted, names)) / len(wanted)
            sides = _sides(graph) if 0 < share <= 1 - _ALL_BUT else ()
            return share, any(_names_all(names, side) for side in sides), table
    except InputError:
        return 0.0, False, TableFile(path=file)


def _sides(graph: GraphFile) -> list[set[str]]:
    """Returns the heads of the first edges of a graph and their tails; nothing where a column has
    both."""
    columns = graph.table.sample.columns
    paths = [graph.mapping.column(end) for end in _ENDS] if graph.mapping else []
    return [set(map(key_of, columns[path].filled)) for path in paths if path in columns]


def _names_all(names: NodeNames, nodes: set[str]) -> bool:
    """Whether there is a name for all but a few of some nodes."""
    named = sum(bool(names.get(node)) for node in nodes)
    return bool(nodes) and named >= _ALL_BUT * len(nodes)


def _open_nodes(file: Path, encoding: str, wanted: set[str]) -> TableFile:
    """Returns a table of nodes, opened; one that begins with an end of the graph has no head.

    Raises:
        InputError: it cannot be read.
    """
    table = open_table(file, encoding)
    if table.has_head and file.suffix.casefold() in CELLS and table.sample.heads & wanted:
        return replace(table, has_head=False)
    return table


def may_be_nodes(file: Path) -> bool:
    """Whether a file beside a graph may be a table of its nodes."""
    known = file.suffix.casefold() in (*CELLS, ".jsonl", ".ndjson", ".parquet")
    return known and file.is_file() and file.stat().st_size <= _LARGEST_BESIDE


def _has_node_rows(graph: GraphFile) -> bool:
    """Whether rows of the edges' table are nodes: neither head nor tail is there."""
    mapping = graph.mapping
    if mapping is None or not mapping.column("head"):
        return False
    return any(is_node_row(row, mapping) for _, row in graph.table.sample.rows)


def is_node_row(row: Row, mapping: TableMapping) -> bool:
    """Whether a row is a node: it has neither head nor tail, and something else."""
    ends = (cell_at(row, mapping.column(end)) for end in _ENDS)
    return all(map(is_empty, ends)) and not all(map(is_empty, row.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class _NodeColumns:
    """The columns of a table of nodes: those that make the id, none where it is the row's place;
    and those of names, of which the first that is filled counts."""

    ids: tuple[str, ...]
    names: tuple[str, ...]

    def of(self, place: int, row: Row) -> tuple[str, str]:
        """Returns id and name of a row."""
        node = JOINT.join(key_of(cell_at(row, path)) for path in self.ids)
        names = filter(None, (key_of(cell_at(row, path)) for path in self.names))
        return node if self.ids else str(place), readable_name(next(names, ""))[0]


def _read_table(
    table: TableFile, wanted: set[str], names: NodeNames, problems: Problems | None = None
) -> set[str]:
    """Puts the names of a table of nodes into `names`; returns which of the wanted ids it names;
    none where it has no names. Of several columns of names the problems get a remark."""
    named = set[str]()
    if not table.sample.rows:
        return named
    pairs: Iterator[tuple[str, str]]
    edges = _as_edges(table)
    if edges is not None and not _has_node_rows(edges):
        if not names_nodes(edges):
            return named
        pairs = labels_in(edges)
    else:
        columns, share = _node_columns(table, wanted)
        if columns is None or not share:
            return named
        if problems is not None and len(columns.names) > 1:
            first, *others = columns.names
            problems.remarks.append(
                f"Nodes have their names from {first!r}; where that is empty from {some(others)}."
            )
        rows = enumerate(table.rows(Problems()))
        pairs = (columns.of(place, row) for place, (_, row) in rows)
    for node, name in pairs:
        names.add(node, name)
        if name and node in wanted:
            named.add(node)
    return named


def _as_edges(table: TableFile) -> GraphFile | None:
    """Returns a table as one of edges, such as KGTK's files of labels; None if it is none."""
    try:
        mapping = graph_mapping(table, {}, loose=False)
    except InputError:
        return None
    return GraphFile(table=table, mapping=mapping)


def _node_columns(table: TableFile, wanted: set[str]) -> tuple[_NodeColumns | None, float]:
    """Returns the columns of a table of nodes, and the share of the wanted ids that it has. The ids
    are the column, or two together, with the most of them."""
    sample = table.sample
    candidates = _id_columns(sample, any(JOINT in node for node in wanted))
    held: dict[tuple[str, ...], set[str]] = {ids: set() for ids in candidates}
    for _, row in table.rows(Problems()):
        for ids, nodes in held.items():
            node = JOINT.join(key_of(cell_at(row, path)) for path in ids)
            if node in wanted:
                nodes.add(node)
    best = max(held, key=lambda ids: len(held[ids]), default=())
    if not best or not held[best]:
        return _by_place(table, wanted)
    most = len(held[best])
    tied = [ids for ids in held if len(held[ids]) == most]
    called = _name_columns(sample)
    if any(len(ids) == 1 and ids[0] == called[0] for ids in tied if called):
        return None, 0.0  # the ends are names already
    names = [path for path in called if (path,) not in tied]
    if not names and len(sample.columns) == 2 and len(tied) == 1 and not table.has_head:
        others = [column for path, column in sample.columns.items() if path not in tied[0]]
        names = [column.path for column in others if column.kind in ("name", "text")]
    if not names:
        return None, 0.0
    return _NodeColumns(ids=tied[0], names=tuple(names)), most / len(wanted)


def _by_place(table: TableFile, wanted: set[str]) -> tuple[_NodeColumns | None, float]:
    """Returns the names of a list of nodes within a file whose edges name them by their places."""
    names = tuple(_name_columns(table.sample))
    n_rows = len(table.sample.rows)
    are_places = all(node.isdecimal() and int(node) < n_rows for node in wanted)
    if table.value is None or not names or not are_places:
        return None, 0.0
    return _NodeColumns(ids=(), names=names), 1.0


def _id_columns(sample: TableSample, joined: bool) -> list[tuple[str, ...]]:
    """Returns the columns of a table of nodes that may have their ids: those of which few cells
    come again; or two together, where ids are joined of two."""
    paths = [p for p, column in sample.columns.items() if column.kind in ("name", "number")]
    candidates: list[tuple[str, ...]] = []
    for path in paths:
        column = sample.columns[path]
        if column.n_distinct >= _ALL_BUT * len(column.filled):
            candidates.append((path,))
    if joined:
        candidates += combinations(paths[:_TRIED], 2)
    return candidates


def _name_columns(sample: TableSample) -> list[str]:
    """Returns the columns of a table of nodes that may have their names, the likeliest first; one
    of few values is one of types."""
    paths = []
    for name in role_names("nodes")["name"]:
        for path, column in sample.columns.items():
            n = len(column.filled)
            is_type = n > _FEW and column.n_distinct * 2 <= n
            is_called_so = any(place.name == name for place in places_of(path, sample))
            if is_called_so and column.kind in ("name", "text") and not is_type:
                paths.append(path)
    return paths
