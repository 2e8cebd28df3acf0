"""Claims and triples that people judge, each beside its passage or its ontology entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.campaign_model import Shown, UnitsAsked
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import triple_of
from factmark.graphs.core.rubrics import SUPPORT_CONTEXT, VALIDITY_ONTOLOGY, ontology_entry
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.reading import GraphUnits, Source
from factmark.model import Item, Unit
from factmark.text.shown_text import count

Pairs = Sequence[tuple[Item, Unit]]

RUBRICS = {"pair": SUPPORT_CONTEXT, "triple": VALIDITY_ONTOLOGY}
"""Kind of unit -> what a model is asked where people are."""


def units_asked(files: UnitFiles, kind: str, known: Pairs | None = None) -> UnitsAsked:
    """Returns what people are asked about: the units of a file, or those that a ledger has, each
    with the passage or ontology entry that it is judged by.

    Raises:
        InputError: the file holds none, or no claim has a passage.
    """
    pairs, notes = (known, ()) if known is not None else _read_units(files, kind)
    rows = tuple(_show_triples(pairs, files) if kind == "triple" else _show_claims(pairs))
    if not rows:
        raise InputError("None of the claims has a passage to judge it by; name --passages.")
    if lost := len(pairs) - len(rows):
        notes += (f"{count(lost, 'claim has', 'claims have')} no passage: left out",)
    return UnitsAsked(rows=rows, notes=notes)


def _read_units(files: UnitFiles, kind: str) -> tuple[Pairs, tuple[str, ...]]:
    """Returns the units of a file with their items, and what was odd in it, a sentence each."""
    assert files.source is not None  # noqa: S101  # without one the ledger has the units
    source = Source(
        measure="factscore" if kind == "pair" else "validity",
        triples=(files.source,),
        passages=files.passages,
        encoding=files.encoding,
    )
    graph = GraphUnits(source)
    pairs = list(graph.jobs())
    notes = graph.problems.sentences()
    if not pairs:
        why = ""
        if notes:
            why = f": {notes[0]}"
        raise InputError(f"{files.source}: holds nothing to ask about{why}.")
    return pairs, notes


def _show_claims(pairs: Pairs) -> Iterator[tuple[Item, Unit, Shown]]:
    """Yields claims as people see them, beside their passage; those without a passage are left
    out."""
    for item, unit in pairs:
        passage = unit.data.get("passage")
        if passage:
            yield item, unit, Shown(evidence=str(passage), text=unit.text)


def _show_triples(pairs: Pairs, files: UnitFiles) -> Iterator[tuple[Item, Unit, Shown]]:
    """Yields triples as people see them, beside their ontology entry."""
    with open_ontology(files.ontology, Problems()) as (ontology, _):
        for item, unit in pairs:
            yield (
                item,
                unit,
                Shown(evidence=ontology_entry(triple_of(unit), ontology), text=unit.text),
            )
