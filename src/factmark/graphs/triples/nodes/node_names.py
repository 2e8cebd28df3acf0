"""The names of nodes that a graph names by ids: from its tables of nodes, beside it or in it, from
rows that are nodes, and from rows that give labels. One step for all forms.

Which column of a table of nodes has the ids is seen by the graph: its ends stand there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Self

from factmark.errors import InputError
from factmark.files.nested import cell_at, unfold
from factmark.files.problems import Problems
from factmark.files.rows import Row, broken_bytes_reason, has_broken_bytes
from factmark.graphs.core.iri_names import readable_name
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.cells import parts_of
from factmark.graphs.triples.columns.graph_columns import graph_mapping
from factmark.graphs.triples.columns.named_columns import ENDS, places_of
from factmark.graphs.triples.graph_file import GraphFile
from factmark.graphs.triples.nodes.label_rows import JOINT, key_of, labels_in, names_nodes
from factmark.intake.columns import TableSample, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import AS_IT_STANDS, Placed
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.passages.passage_file import Passages
from factmark.text.shown_text import some

_ALL_BUT = 0.9  # of the cells of a column of ids, or of names without a head, that are different
_HELD = 65_536
_TRIED = 6  # columns that may be a part of an id
_OF_TYPES = ("label", "node_label", "data_label")  # as Neo4j calls a type; names where no other is
_FEW = 4  # rows that do not tell types from names


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
    return [end for _, row in graph.table.sample.rows for end in ends_of(row, graph.mapping)]


def ends_of(row: Row, mapping: TableMapping) -> Iterator[str]:
    """Yields the ends of the edges of a row."""
    path = mapping.column("triple")
    if path and not mapping.column("head"):
        for _, part in unfold("", row, [path], parts=[path]):
            triple = parts_of(cell_at(part, path))
            if triple is not None:
                yield from (triple[0], triple[2])
        return
    paths = [mapping.column(end) for end in ENDS if mapping.column(end)]
    for _, part in unfold("", row, paths):
        yield from filter(None, (key_of(cell_at(part, path)) for path in paths))


def has_node_rows(graph: GraphFile) -> bool:
    """Whether rows of the edges' table are nodes: neither head nor tail is there."""
    mapping = graph.mapping
    if mapping is None or not mapping.column("head"):
        return False
    return any(is_node_row(row, mapping) for _, row in graph.table.sample.rows)


def node_rows_of(graph: GraphFile) -> TableFile:
    """Returns the rows of a table of edges that are nodes, as a table."""

    def node_rows(problems: Problems) -> Iterator[Placed]:
        for where, row in graph.table.rows(problems):
            if graph.mapping is not None and is_node_row(row, graph.mapping):
                yield where, row

    return replace(graph.table, stream=node_rows, shape=AS_IT_STANDS, value=None)


def is_node_row(row: Row, mapping: TableMapping) -> bool:
    """Whether a row is a node: it has neither head nor tail, and something else."""
    ends = (cell_at(row, mapping.column(end)) for end in ENDS)
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


def add_table(
    table: TableFile, wanted: set[str], names: NodeNames, problems: Problems | None = None
) -> set[str]:
    """Puts the names of a table of nodes into `names`; returns which of the wanted ids it names;
    none where it has no names. Of several columns of names the problems get a remark."""
    if not table.sample.rows:
        return set()
    edges = _as_edges(table)
    if edges is not None and names_nodes(edges):
        return _add_names(labels_in(edges), wanted, names)
    if edges is None or not table.has_head or has_node_rows(edges):
        return add_nodes(table, wanted, names, problems)
    return set()


def add_nodes(
    table: TableFile, wanted: set[str], names: NodeNames, problems: Problems | None
) -> set[str]:
    """Does as `add_table` for a table whose rows are nodes."""
    columns, share = _node_columns(table, wanted)
    if columns is None or not share:
        return set()
    if problems is not None and len(columns.names) > 1:
        first, *others = columns.names
        problems.remarks.append(
            f"Nodes have their names from {first!r}; where that is empty from {some(others)}."
        )
    rows = enumerate(table.rows(Problems()))
    return _add_names((columns.of(place, row) for place, (_, row) in rows), wanted, names)


def _add_names(pairs: Iterable[tuple[str, str]], wanted: set[str], names: NodeNames) -> set[str]:
    """Puts pairs of id and name into `names`; returns which of the wanted ids have one."""
    named = set()
    for node, name in pairs:
        names.add(node, name)
        if name and node in wanted:
            named.add(node)
    names.get.cache_clear()  # of those that were looked up before
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
    if not (names or table.has_head) and len(tied) == 1:
        names = _beside_ids(sample, tied[0])
    if not names:
        return None, 0.0
    return _NodeColumns(ids=tied[0], names=tuple(names)), most / len(wanted)


def _beside_ids(sample: TableSample, ids: tuple[str, ...]) -> list[str]:
    """Returns the column with names in a table without a head: the one behind the ids, or the other
    of two; none where nodes share them, as they share types."""
    columns = list(sample.columns.values())
    places = [place for place, column in enumerate(columns, start=1) if column.path in ids]
    beside = columns[places[-1] :] or columns[:1]
    is_name = beside[0].kind in ("name", "text") and not any(map(is_opaque, beside[0].texts))
    if is_name and beside[0].n_distinct >= _ALL_BUT * len(beside[0].filled):
        return [beside[0].path]
    return []


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
                paths.append((path, name in _OF_TYPES or column.kind == "text"))
    sure = [path for path, is_weak in paths if not is_weak]
    return list(dict.fromkeys(sure or [path for path, _ in paths]))
