"""Where the names of a graph's nodes are: in its own file, in tables that the user names, or in
those beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.separated import text_lines_with_ends
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.columns.named_columns import ENDS, places_of
from factmark.graphs.triples.graph_file import GraphFile
from factmark.graphs.triples.nodes.label_rows import key_of, labels_in, names_nodes
from factmark.graphs.triples.nodes.node_names import (
    NodeNames,
    add_nodes,
    add_table,
    ends_of,
    has_node_rows,
    node_rows_of,
)
from factmark.intake.heads import CELLS
from factmark.intake.shapes import Placed
from factmark.intake.table_file import TableFile, open_table
from factmark.text.shell import quote_path

_MOST_BESIDE = 12  # tables beside a graph that are looked into
_LARGEST_BESIDE = 512 * 2**20
_LARGEST_JSON = 16 * 2**20
_ALL_BUT = 0.9  # of the ends that a table beside a graph must have
_ID_NAME = re.compile(r"(?:.*_)?(?:id|index|key|code|curie)")


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
    relations = _opaque_relations(graph)
    if nodes:
        _read_named(graph, nodes, wanted | relations, names)
        return True
    for table in graph.nodes:
        add_table(table, wanted, names, problems)
    if has_node_rows(graph):
        add_nodes(node_rows_of(graph), wanted, names, problems)
    if graph.mapping is not None and names_nodes(graph):
        for node, name in labels_in(graph):
            names.add(node, name)
    if not len(names) and (_are_ids(graph, ends) or _are_joined(ends)):
        _read_beside(graph, wanted, names, problems)
    if relations and not any(map(names.get, relations)):
        _read_beside(graph, relations, names, problems)
    names.note_broken(problems)
    return len(names) > 0


def _opaque_relations(graph: GraphFile) -> set[str]:
    """Returns the relations of the first edges that only a database can read."""
    if graph.mapping is None:
        return set()
    column = graph.table.sample.columns.get(graph.mapping.column("relation"))
    if column is None:
        return set()
    return {text for text in column.texts if is_opaque(text) and not text.isdecimal()}


def _are_ids(graph: GraphFile, ends: Sequence[str]) -> bool:
    """Whether the ends of a graph are ids: most are opaque, or their columns are called so."""
    if sum(map(is_opaque, ends)) * 2 >= len(ends):
        return True
    columns = graph.mapping.columns if graph.mapping else {}
    paths = [path for end in ENDS for path in columns.get(end, ())]
    sample = graph.table.sample
    called = [next(iter(places_of(path, sample))).name for path in paths]
    return bool(called) and all(_ID_NAME.fullmatch(name) for name in called)


def _are_joined(ends: Sequence[str]) -> bool:
    """Whether most ends of a graph are words joined to one, as ids of a database may be:
    `person_ada_lovelace`."""
    joined = [end for end in ends if "_" in end and not re.search(r"\s", end)]
    return 2 * len(joined) > len(ends)


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
    ids = list(filter(is_opaque, wanted))
    are_numbers = sum(map(str.isdecimal, ids)) * 2 > len(ids)
    if shares < _ALL_BUT and (are_numbers or not _are_ids(graph, list(wanted))):
        return  # numbers and words, which other tables have as well
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
            end for _, row in graph.table.rows(Problems()) for end in ends_of(row, graph.mapping)
        }
    share = len(_named_in(tables, wanted, names)) / len(wanted)
    for path, table in tables.items():
        if share < 1 - _ALL_BUT or not _names_any(table, wanted):
            example = min(wanted)
            raise InputError(
                f"--nodes {path}: names {share:.0%} of the heads and tails of {graph.table.path}, "
                f"as {example[:40]!r}. Name a table with a column of their ids and one of names."
            )


def _names_any(table: TableFile, wanted: set[str]) -> bool:
    """Whether a table of nodes names any of the wanted ids."""
    with NodeNames() as names:
        return bool(add_table(table, wanted, names))


def _named_in(tables: Mapping[str, TableFile], wanted: set[str], names: NodeNames) -> set[str]:
    """Puts the names of tables of nodes into `names`; returns which of the wanted ids they name.

    Raises:
        InputError: two of them name a node otherwise.
    """
    named = set[str]()
    for table in tables.values():
        names.clashes.clear()  # within a table the first name counts
        read = add_table(table, wanted, names)
        clash = next((node for node, times in names.clashes.items() if times and node in named), "")
        if clash:
            ways = "; or ".join(f"--nodes {quote_path(file)}" for file in tables)
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
            share = len(add_table(table, wanted, names)) / len(wanted)
            sides = _sides(graph) if 0 < share <= 1 - _ALL_BUT else ()
            return share, any(_names_all(names, side) for side in sides), table
    except InputError:
        return 0.0, False, TableFile(path=file)


def _sides(graph: GraphFile) -> list[set[str]]:
    """Returns the heads of the first edges of a graph and their tails; nothing where a column has
    both."""
    columns = graph.table.sample.columns
    paths = [graph.mapping.column(end) for end in ENDS] if graph.mapping else []
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
    suffix = file.suffix.casefold()
    if suffix in CELLS and not wanted.isdisjoint(table.cells(Problems())[0]):
        table = replace(table, has_head=False)
    if suffix == ".txt" and not table.has_head:
        return replace(table, stream=partial(_rows_of_any_length, table))
    return table


def _rows_of_any_length(table: TableFile, problems: Problems) -> Iterator[Placed]:
    """Yields the rows of a text file whose lines have more cells where a node has more names; those
    behind the cells of the first line are left out."""
    first, _ = table.cells(Problems())
    for number, line in enumerate(text_lines_with_ends(table.path, table.encoding), start=1):
        problems.rows += 1
        cells = (cell.strip() for cell in line.split("\t"))
        yield f"line {number}", dict(zip(first, cells, strict=False))


def may_be_nodes(file: Path) -> bool:
    """Whether a file beside a graph may be a table of its nodes."""
    suffix = file.suffix.casefold()
    if not file.is_file():
        return False
    if suffix == ".json":  # which is held in memory
        return file.stat().st_size <= _LARGEST_JSON
    known = suffix in (*CELLS, ".jsonl", ".ndjson", ".parquet")
    return known and file.stat().st_size <= _LARGEST_BESIDE
