"""Triples from tables: a triple a row, or in the lists and objects that a row holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS
from factmark.files.separated import row_of_cells
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.iri_names import name_reader
from factmark.graphs.formats.xml_graphs import XML_GRAPHS
from factmark.graphs.triples.cells import NEEDED
from factmark.graphs.triples.columns.named_columns import TASK
from factmark.graphs.triples.graph_file import GraphFile, open_graph_file
from factmark.graphs.triples.graphrag import texts_and_ids
from factmark.graphs.triples.nodes.label_rows import JOINT
from factmark.graphs.triples.nodes.node_names import NodeNames, first_ends
from factmark.graphs.triples.nodes.node_tables import read_names
from factmark.graphs.triples.numbered_files import is_numbered, open_numbered
from factmark.graphs.triples.table_rows import OF_EDGES, EndNaming, TripleReader, unfolded
from factmark.graphs.triples.wikidata import is_wikidata, open_wikidata
from factmark.graphs.triples.xml_graph import open_xml_graph
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.passages.passage_file import Passages


def read_table(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    nodes: Sequence[Path] = (),
) -> Iterator[Triple]:
    """Yields the triples of a table, one by one, with their other columns.

    Args: as `read_triples`.

    Raises:
        InputError: for a file that cannot be read at all, or without the needed columns.
    """
    columns = columns or {}
    if path.suffix.casefold() in XML_GRAPHS:
        graph = open_xml_graph(path, columns)
    elif is_wikidata(path):
        graph = open_wikidata(path, encoding)
    elif is_numbered(path, encoding):
        graph = open_numbered(path, encoding)
    else:
        graph = open_graph_file(path, columns, encoding)
    if graph.mapping is None:
        return _no_triples(graph, problems)
    mapping = graph.mapping
    if mapping.column("head") and any(mapping.column(part) != part for part in NEEDED):
        problems.mapping.append(mapping.as_toml())
        problems.remarks.append(f"Read as: {mapping.in_words()} (mapping {mapping.id[:8]}).")
    stores = []
    if passages is not None:
        stores.append(passages)
    return _read_graph(graph, mapping, problems, stores, nodes)


def _no_triples(graph: GraphFile, problems: Problems) -> Iterator[Triple]:
    """Yields nothing, and counts the rows of a file that has none which can be used."""
    for _ in graph.table.rows(problems):
        pass
    yield from ()


def _read_graph(
    graph: GraphFile,
    mapping: TableMapping,
    problems: Problems,
    stores: Sequence[Passages],
    nodes: Sequence[Path],
) -> Iterator[Triple]:
    """Yields the triples of a table; rows that cannot be used are reported."""
    columns = _columns(graph, mapping)
    with ExitStack() as stack:
        names = stack.enter_context(NodeNames())
        ends = first_ends(graph)
        naming = EndNaming(names=names, read=name_reader(ends), is_described="statement" in columns)
        if "passage_id" in columns:
            beside = texts_and_ids(graph.table.path, problems)
            for store in filter(None, beside):
                stack.enter_context(store)
            naming = replace(naming, ids=beside.ids)
            stores = [*stores, *([beside.texts] if beside.texts is not None else [])]
        if read_names(graph, ends, names, nodes, problems):
            joins = any(JOINT in end for end in ends)
            naming = replace(naming, has_names=True, joins_ids=joins)
        reader = TripleReader(columns, problems, stores, naming)
        table = graph.table
        is_of_cells = table.path.suffix.casefold() in CELLS and table.stream is None
        if is_of_cells and not _is_written(graph, mapping):
            yield from _of_cells(table, reader, problems)
        else:
            yield from _of_rows(table, reader, problems)


def _columns(graph: GraphFile, mapping: TableMapping) -> dict[str, str]:
    """Returns role -> column; of objects, which have the fields that they like, also the roles that
    none of the first rows has."""
    columns = {}
    for role, names in mapping.columns.items():
        if names:
            columns[role] = names[0]
    if graph.table.path.suffix.casefold() in OBJECTS and not mapping.column("statement"):
        for role, names in role_names(TASK).items():
            column = role if role in names else names[0]
            is_free = role not in mapping.columns and column not in graph.table.sample.heads
            if is_free and role not in OF_EDGES:
                columns[role] = column
    return columns


def _is_written(graph: GraphFile, mapping: TableMapping) -> bool:
    """Whether a column that is read holds lists or objects written as text."""
    read = {name for names in mapping.columns.values() for name in names}
    return any(path.split(".")[0] in graph.table.shape.written for path in read)


def _of_cells(table: TableFile, reader: TripleReader, problems: Problems) -> Iterator[Triple]:
    """Yields the triples of a table of cells."""
    header, rows = table.cells(problems)
    for name in reader.names_of_several(header):
        problems.note("several columns of one name", "header", f"of {name!r} the first is read")
    plain = reader.plain_cells(header)
    for where, cells in rows:
        triple = plain(where, cells)
        if triple is not None:
            yield triple
        else:
            yield from reader.triples(where, row_of_cells(header, cells))


def _of_rows(table: TableFile, reader: TripleReader, problems: Problems) -> Iterator[Triple]:
    """Yields the triples of a table of rows, each unfolded where it holds several."""
    plain = reader.plain_rows()
    for where, row in table.rows(problems):
        triple = plain(where, row)
        if triple is not None:
            yield triple
            continue
        for place, part in unfolded(where, row, reader, problems):
            yield from reader.triples(place, part)
