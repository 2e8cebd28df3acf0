"""A graph profiled from end to end: files in, suspects, labels of people, results out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.cli.console import reading_line
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.files.frames import Rows, as_file, as_files
from factmark.files.problems import Problems
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.profile.core.counts import graph_counts
from factmark.graphs.profile.core.label_shares import KindErrors
from factmark.graphs.profile.core.suspects import find_suspects
from factmark.graphs.profile.options import ProfileOptions
from factmark.graphs.profile.reading import (
    coverage_of,
    known_relations,
    read_graph_files,
    read_types,
)
from factmark.graphs.profile.report import profile_report
from factmark.graphs.profile.results import GraphProfile
from factmark.graphs.triples.graphrag import graph_files
from factmark.graphs.triples.triples import graph_name
from factmark.report.files import check_result_files
from factmark.report.result import Result
from factmark.version import __version__

Reading = Callable[[str, int, int], None]
"""Called with the name of a large file, the bytes read and the bytes in all."""


def no_reading_line(_name: str, _done: int, _size: int) -> None:
    """Shows nothing while a file is read: a `Reading`."""


@python_function(ProfileOptions)
def profile(
    triples: Rows | Sequence[str | Path] | None = None,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    types: Rows | None = None,
    progress: bool = False,
    **options: Any,
) -> Result:
    """What is a graph like, and which of its triples look wrong? `factmark graph profile`.

    Args:
        triples: with head, relation and tail; several files make one graph; the bundled example if
            None.
        passages: a file, rows or a frame with id and text, or a mapping of ids to texts.
        types: of nodes: a file, rows or a frame with their id or name, and their type.
        progress: whether a line on stderr shows how far a large ontology is read.
        options: those of the command.

    Returns:
        A row per row given that is suspect; with people's labels in the `ledger` an average for
        each kind: "errors of KIND".

    Raises:
        FactmarkError: what cannot be read or written, and options that there are none of.
    """
    reading: Reading
    if progress:
        reading = reading_line
    else:
        reading = no_reading_line
    texts = as_file(passages, "passages")
    of_types = as_file(types, "types")
    with as_files(triples) as paths, texts as given_passages, of_types as given_types:
        files = {"triples": paths, "passages": given_passages, "types": given_types}
        return profile_report(
            profile_graph(options_of(ProfileOptions, {**files, **options}), reading=reading)
        )


def profile_graph(given: ProfileOptions, *, reading: Reading = no_reading_line) -> GraphProfile:
    """Reads a graph and returns what it is like; with a ledger, keeps its suspects there.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        LedgerError: the ledger cannot be read or written.
    """
    problems = Problems()
    files = given.files()
    if given.out is not None:
        inputs = [pair for path in files.triples for pair in graph_files("the triples", path)]
        others = {
            "--passages": files.passages,
            "--types": files.types,
            "--ontology": given.ontology,
        }
        inputs += [(name, path) for name, path in others.items() if path is not None]
        check_result_files(given.out, inputs)
    opened = open_ontology(given.ontology, problems, index=given.ontology_index, progress=reading)
    with opened as (ontology, identity):
        read = read_graph_files(files, problems)
        edges = read.edges
        asked = given.ontology is not None
        known = known_relations(edges, ontology)
        types = read_types(files, edges, ontology, asked=asked, problems=problems)
        coverage = coverage_of(edges, types, known, ontology, identity)
    suspects = find_suspects(edges, types, known)
    measure = given.measure or ("factscore" if edges.has_texts else "validity")
    errors: tuple[KindErrors, ...] = ()
    if given.ledger is not None:
        from factmark.graphs.profile.strata import errors_of, keep_strata

        units = keep_strata(given.ledger, files, measure, edges, suspects)
        errors = errors_of(units, given.level)
    return GraphProfile(
        graph=graph_name(files.triples),
        read=read,
        counts=graph_counts(edges, read.passages),
        suspects=suspects,
        types=types,
        coverage=coverage,
        measure=measure,
        errors=errors,
        ledger=given.ledger,
        problems=problems.sentences(),
        signature={
            "factmark": __version__,
            "level": given.level,
            "measure": measure,
            "ontology": identity,
            "triples": edges.digest(),
            "types": types.source or "none",
        },
    )
