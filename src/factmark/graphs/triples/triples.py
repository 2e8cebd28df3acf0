"""Triples from files, as a stream: tables, RDF, GraphML and GEXF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from factmark.errors import InputError
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.own_columns import is_foreign
from factmark.files.problems import Problems
from factmark.files.rows import TABLES, check_file, unknown_ending
from factmark.graphs.core.claims import Triple
from factmark.graphs.formats.file_kinds import (
    BIOC,
    JSON_LD,
    OBO_GRAPH,
    PUBTATOR,
    PUBTATOR_FILE,
    kind_of_file,
)
from factmark.graphs.formats.xml_graphs import XML_GRAPHS
from factmark.graphs.triples.columns.named_columns import TASK
from factmark.graphs.triples.graphrag import find_graph
from factmark.graphs.triples.table import read_table
from factmark.intake.heads import CELLS
from factmark.intake.tools import role_names
from factmark.passages.passage_file import Passages
from factmark.text.shown_text import some


def read_graph(
    paths: Sequence[Path],
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    nodes: Sequence[Path] = (),
) -> Iterator[tuple[Path, Triple]]:
    """Yields the triples of the files of one graph, each with its file.

    Of several files a place begins with the name of its file (`b.nt: line 5`), in the triples and
    in the problems, and a file without a triple is one. Arguments and errors as of `read_triples`.
    """
    are_named = len({path.name for path in paths}) == len(paths)
    for path in paths:
        name = ""
        if len(paths) > 1:
            name = f"{path.name if are_named else path}: "
        is_empty = True
        for triple in read_triples(
            path,
            replace(problems, file=name),  # what is counted is shared
            passages=passages,
            columns=columns,
            encoding=encoding,
            nodes=nodes,
        ):
            is_empty = False
            yield path, replace(triple, where=f"{name}{triple.where}") if name else triple
        if is_empty and name:
            problems.drop("file without a triple", name.removesuffix(": "), "gives no row")


def graph_paths(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Returns the files that paths name, each once; `*` in one that is no file stands for any
    letters, as where no shell has looked at it.

    Raises:
        InputError: no file has such a name.
    """
    out = dict[Path, None]()
    for path in paths:
        files = [path]
        if "*" in path.name and not path.exists():
            files = sorted(path.parent.glob(path.name))
        if not files:
            raise InputError(f"{path}: no file has such a name.")
        out.update(dict.fromkeys(files))
    return tuple(out)


def graph_name(paths: Sequence[Path]) -> str:
    """Returns what a graph is called in a report: by its files, of many by the first."""
    return some([path.stem for path in paths], 3)


def read_triples(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    nodes: Sequence[Path] = (),
) -> Iterator[Triple]:
    """Yields the triples of a file, one by one; memory does not grow with the file, except for
    `.json`.

    Args:
        path: one of `TABLES`, `XML_GRAPHS` or `RDF_FORMATS`, an OBO graph (`.json`), BioC
            (`.xml`, `.json`) or PubTator (`.pubtator`, `.txt`); a folder that GraphRAG, LightRAG
            or `save_to_disk` wrote. Where a description stands in place of a relation, it is the
            statement of the edge.
        problems: where bad rows are counted, with their line. None is dropped silently.
        passages: the texts that `passage_id` names.
        columns: field of `Triple` -> column of the file, or path into nested rows, where the usual
            names do not do.
        nodes: tables with ids and names of the nodes, where a table has only their ids; without one
            those in the file and beside it are looked into.

    Raises:
        InputError: for a file that cannot be read at all, or without the needed columns.
    """
    columns = columns or {}
    unknown = set()
    for field in columns:
        if field not in role_names(TASK) and not is_foreign(field):
            unknown.add(field)
    if unknown:
        fields = ", ".join(role_names(TASK))
        raise InputError(f"no field {min(unknown)!r} to map; there are {fields}, verdict:NAME.")
    if is_arrow_folder(path):
        return read_table(path, problems, passages=passages, columns=columns)
    if path.is_dir():
        path = find_graph(path)
    suffix = path.suffix.casefold()
    kind = kind_of_file(path)
    if kind in (BIOC, PUBTATOR_FILE):
        from factmark.graphs.triples.bioc import read_bioc

        return read_bioc(path, problems, passages=passages, encoding=encoding)
    if suffix not in (*TABLES, *CELLS, *XML_GRAPHS) or kind in (OBO_GRAPH, JSON_LD):
        from factmark.graphs.formats.rdf_files import RDF_FORMATS, is_rdf
        from factmark.graphs.triples.rdf import read_rdf

        if not is_rdf(path):
            known = (*TABLES, *CELLS[-2:], *XML_GRAPHS, *RDF_FORMATS, PUBTATOR[0])
            raise unknown_ending(path, known)
        return read_rdf(path, problems, passages=passages, nodes=nodes)
    check_file(path)
    return read_table(
        path, problems, passages=passages, columns=columns, encoding=encoding, nodes=nodes
    )
