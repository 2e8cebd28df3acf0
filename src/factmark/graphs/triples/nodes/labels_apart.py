"""Labels of RDF that stand in another file: RDF itself, or a table with IRIs, or the ends of them,
and names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyoxigraph import Literal

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.iri_names import local_name
from factmark.graphs.formats.rdf_files import encode_term, is_rdf, label_rank, read_quads
from factmark.graphs.triples.graph_file import GraphFile
from factmark.graphs.triples.nodes.node_names import NodeNames
from factmark.graphs.triples.nodes.node_tables import read_names
from factmark.intake.table_file import TableFile

_APART = 20  # behind each label that the graph has itself
_TRIED = 2_000  # nodes by which a table is known
_NODES = """
SELECT s FROM edge WHERE s LIKE 'I%' UNION SELECT o FROM edge WHERE o LIKE 'I%'
UNION SELECT p FROM edge
"""
Label = tuple[str, int, str]
"""A node, how good its label is (0 the best), and the label."""


def labels_apart(
    database: sqlite3.Connection, path: Path, nodes: Sequence[Path], problems: Problems
) -> Iterator[Label]:
    """Yields the labels that files give to the nodes and relations of a graph.

    Args:
        database: with the edges of the graph, their terms as `encode_term` writes them.
        path: of the graph, for messages.

    Raises:
        InputError: a file cannot be read; or tables name none of the nodes.
    """
    tables = [file for file in nodes if not is_rdf(file)]
    for file in nodes:
        if file not in tables:
            yield from _labels_of_rdf(file, problems)
    if tables:
        yield from _labels_in_tables(database, path, tables)


def _labels_of_rdf(file: Path, problems: Problems) -> Iterator[Label]:
    """Yields the labels in a file of RDF."""
    for quad in read_quads(file, problems):
        value = quad.object
        if isinstance(value, Literal):
            rank = label_rank(quad.predicate.value, value.language)
            if rank is not None:
                yield encode_term(quad.subject), _APART + rank, value.value


def _labels_in_tables(
    database: sqlite3.Connection, path: Path, tables: Sequence[Path]
) -> Iterator[Label]:
    """Yields the labels in tables of IRIs, or of the ends of them."""
    iris = [str(node)[1:] for (node,) in database.execute(_NODES)]
    refused: InputError | None = None
    for key in (str, local_name, _local_part):
        with NodeNames() as names:
            try:
                _read(path, tables, [key(iri) for iri in iris[:_TRIED]], names)
            except InputError as error:
                refused = refused or error
                continue
            named = ((iri, names.get(key(iri))) for iri in iris)
            yield from ((f"I{iri}", _APART, name) for iri, name in named if name)
            return
    if refused is not None:
        raise refused


def _read(path: Path, nodes: Sequence[Path], ends: list[str], names: NodeNames) -> None:
    """Reads tables of nodes into `names`.

    Raises:
        InputError: they name none of the ends.
    """
    graph = GraphFile(table=TableFile(path=path), mapping=None)
    read_names(graph, ends, names, nodes, Problems())


def _local_part(iri: str) -> str:
    """Returns what stands behind the last sign of an IRI, as it is: `Q5`, `GO_0008150`."""
    return iri.replace("#", "/").rpartition("/")[2]
