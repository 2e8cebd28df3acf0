"""GraphML and GEXF as a table of edges and one of nodes, which are read as any other tables.

The ends of an undirected edge stand as in the file. An edge for which neither relation, description
nor keywords are there is related in a way that nobody said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.graphs.formats.xml_graphs import GraphElement, read_xml_graph
from factmark.graphs.triples.columns.graph_columns import graph_mapping
from factmark.graphs.triples.columns.named_columns import TASK, is_there
from factmark.graphs.triples.graph_file import GraphFile
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Placed
from factmark.intake.table_file import TableFile

_ENDS = {"head": "source", "tail": "target"}
_DESCRIBED_BY = {"statement": "description", "keywords": "keywords"}


def open_xml_graph(path: Path, columns: Mapping[str, str]) -> GraphFile:
    """Returns the edges of a GraphML or GEXF file as a table, with that of its nodes.

    Args:
        columns: role -> attribute, as the user names them; `head` and `tail` for the attribute of a
            node that is its name.

    Raises:
        InputError: the file cannot be read, with the line; or has no attribute that is named.
    """
    check_file(path)
    own = {role: name.casefold() for role, name in columns.items()}
    name = own.pop("head", "")
    name = own.pop("tail", "") or name
    nodes = TableFile(path=path, stream=partial(_node_rows, path, name))
    edges = TableFile(path=path, stream=partial(_edge_rows, path, False))
    if not edges.sample.rows:
        return GraphFile(table=edges, mapping=None)
    mapping = _mapping(edges, own)
    tells = bool(mapping.column("relation"))
    edges = replace(edges, stream=partial(_edge_rows, path, tells))
    return GraphFile(table=edges, mapping=mapping, nodes=(nodes,))


def _mapping(edges: TableFile, own: Mapping[str, str]) -> TableMapping:
    """Returns which attribute of edges holds what, a description also where others have
    relations."""
    sample = edges.sample
    given = {**_ENDS, **own}
    try:
        mapping = graph_mapping(edges, given, loose=True)
    except InputError:
        if "relation" in own or not all(is_there(sample, name) for name in own.values()):
            raise
        columns = {role: (name,) for role, name in given.items()}
        columns["statement"] = (_DESCRIBED_BY["statement"],)
        mapping = TableMapping(task=TASK, columns=columns)
    more = {}
    for role, name in _DESCRIBED_BY.items():
        if role not in mapping.columns and (name in sample.heads or not sample.is_whole):
            more[role] = (name,)
    return mapping.with_columns(more)


def _edge_rows(path: Path, tells: bool, problems: Problems) -> Iterator[Placed]:
    """Yields the edges of a file as rows.

    Args:
        tells: whether a direction that edges have not is noted.
    """
    for element in read_xml_graph(path):
        if element.kind != "edge":
            continue
        problems.rows += 1
        where = f"line {element.line}"
        if tells and not element.directed:
            problems.note("undirected graph", where, "head and tail are its source and target")
            tells = False
        row = {end: element.attributes.get(end, "") for end in _ENDS.values()}
        label = element.attributes.get("label", "").strip()
        if label:
            row["label"] = label
        yield where, _with_data(row, element)


def _node_rows(path: Path, name: str, problems: Problems) -> Iterator[Placed]:
    """Yields the nodes of a file as rows; of their attributes only the name where it is given."""
    for element in read_xml_graph(path):
        if element.kind == "node":
            problems.rows += 1
            row: dict[str, str] = {}
            if name:
                element.data = {"name": element.data.get(name, "")}
            yield f"line {element.line}", _with_data(row, element)


def _with_data(row: dict[str, str], element: GraphElement) -> dict[str, str]:
    """Returns a row with the id and the attributes of an element; one that is called as a column of
    the row gets a number."""
    number = element.attributes.get("id", "") or element.data.get("id", "")
    if number:
        row["id"] = number
    for name, text in element.data.items():
        if name != "id":
            row[f"{name} (2)" if name in row and name != "label" else name] = text
    return row
