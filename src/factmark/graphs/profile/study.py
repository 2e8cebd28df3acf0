"""A graph profiled from end to end: files in, suspects, labels of people, results out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.profile.core.counts import graph_counts
from factmark.graphs.profile.core.label_shares import KindErrors
from factmark.graphs.profile.core.suspects import find_suspects
from factmark.graphs.profile.reading import (
    coverage_of,
    known_relations,
    read_graph_files,
    read_types,
)
from factmark.graphs.profile.results import FILES, GraphProfile
from factmark.graphs.triples.graphrag import graph_files
from factmark.graphs.triples.triples import graph_name
from factmark.version import __version__

if TYPE_CHECKING:
    from factmark.graphs.profile.options import ProfileOptions


def profile_graph(
    given: ProfileOptions, *, progress: Callable[[str, int, int], None] = lambda *_: None
) -> GraphProfile:
    """Reads a graph and tells what it is like; with a ledger, keeps its suspects there.

    Args:
        progress: told a large file of an ontology, the bytes read and the bytes in all.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        LedgerError: the ledger cannot be read or written.
    """
    problems, files = Problems(), given.files()
    if given.out is not None:
        inputs = [pair for path in files.triples for pair in graph_files("the triples", path)]
        others = {
            "--passages": files.passages,
            "--types": files.types,
            "--ontology": given.ontology,
        }
        inputs += [(name, path) for name, path in others.items() if path is not None]
        check_files(given.out, FILES, inputs)
    opened = open_ontology(given.ontology, problems, index=given.ontology_index, progress=progress)
    with opened as (ontology, identity):
        read = read_graph_files(files, problems)
        edges, asked = read.edges, given.ontology is not None
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
