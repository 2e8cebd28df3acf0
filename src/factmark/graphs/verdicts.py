"""The verdicts that the ledger holds of a graph, pair by pair, as they are scored and shown."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from factmark.ask.runner import Known
from factmark.files.own_columns import FOREIGN, foreign_columns
from factmark.graphs.core.claims import EvidenceMark, Triple, basis_of, claim
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.scores import MeasureKey, VerdictColumns
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.published import is_medical
from factmark.graphs.reading import KINDS, GraphUnits, Source
from factmark.graphs.results import SHOWN, GraphRow, JudgedPairs, RowsOnDemand
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import file_name
from factmark.ledger.verdicts import strata_of
from factmark.model import Status, UserRow

_OPEN: tuple[Literal["open"], None, str] = ("open", None, "")


def judged_pairs(
    graph: GraphUnits,
    verdicts: Known,
    ledger: Ledger,
    ontology: Ontology,
    *,
    with_marks: bool,
    with_types: bool,
) -> JudgedPairs:
    """Returns all pairs that have a verdict, and all rows of the file.

    Args:
        with_marks: whether to look for where head, tail and cue stand, in the units that the report
            shows.
        with_types: whether to look for the heads' types in the ontology, where the user named it.
            Of the bundled one they tell nothing in another field; there they are looked for where
            the relations are of medicine.
    """
    source = graph.source
    truth = _known_truth(source.triples, source.measure)
    types = lru_cache(maxsize=100_000)(partial(head_type, ontology))
    with_marks = with_marks and source.measure == "factscore"
    keys: list[tuple[str, str, str]] = []
    names: list[str] = []
    bases: list[str] = []
    head_types: list[str] = []
    agrees: list[bool] = []
    marks: dict[str, tuple[EvidenceMark, ...]] = {}
    for triple, unit in _judged(graph, verdicts):  # one pass: each triple is made anew
        keys.append(triple.key)
        names.append(unit)
        bases.append(basis_of(triple.passage))
        if with_types:
            head_types.append(types(triple.head, triple.head_id))
        if with_marks and len(marks) < SHOWN and unit not in marks:
            marks[unit] = _marks(triple, ontology, source)
        if truth:
            agrees += _agreement(truth.get(triple.id), verdicts[unit])
    given = [verdicts[unit] for unit in names]
    units: Sequence[str] = names
    places: Sequence[int] = range(len(names))
    if graph.repeated:
        units, places = _first_of_each(names)
    if not with_types and is_medical(relation for _, relation, _ in keys):
        head_types = [types(triple.head, triple.head_id) for triple, _ in _judged(graph, verdicts)]
    return JudgedPairs(
        pairs=_verdict_columns(keys, given, head_types or [""] * len(names)),
        bases=bases,
        units=units,
        places=places,
        rows=RowsOnDemand(
            graph.n_rows,
            lambda: _graph_rows(graph, verdicts, truth, marks),
            have_more=graph.have_more,
        ),
        undecided=[given[at][2] for at in places if given[at][0] == "undecided"],
        agrees=agrees,
        strata=strata_of(ledger, KINDS[source.measure]),
    )


def _verdict_columns(
    triples: list[tuple[str, str, str]],
    verdicts: Sequence[tuple[Status, str | None, str]],
    head_types: list[str],
) -> VerdictColumns:
    """Returns the verdicts of pairs in columns, as they are scored."""
    return VerdictColumns(
        triples=triples,
        clusters=[head for head, _, _ in triples],
        relations=[relation for _, relation, _ in triples],
        statuses=[
            "unparsed" if status == "ok" and label is None else status
            for status, label, _ in verdicts
        ],
        labels=[label if status == "ok" else None for status, label, _ in verdicts],
        head_types=head_types,
    )


def _judged(graph: GraphUnits, verdicts: Known) -> Iterator[tuple[Triple, str]]:
    """Yields each pair of triple and passage that has a verdict, and its unit."""
    for triple, unit, is_new in graph.rows():
        if is_new and unit in verdicts:
            yield triple, unit


def _agreement(true: str | None, verdict: tuple[Status, str | None, str]) -> list[bool]:
    """Returns whether the label of a verdict is the true one; nothing where either is not known."""
    _, label, _ = verdict
    if true and label:
        return [true == label]
    return []


def _first_of_each(units: Sequence[str]) -> tuple[Sequence[str], Sequence[int]]:
    """Returns the different units in their order, and the place where each stands first."""
    places: dict[str, int] = {}
    for place, unit in enumerate(units):
        places.setdefault(unit, place)
    return list(places), list(places.values())


def with_empty_cells(graph: GraphUnits, verdicts: Known, name: str) -> Known:
    """Returns the verdicts of the judge whose column `verdict:NAME` stands in the file: units that
    it says nothing of are undecided, for nobody will judge them. Where the file has no such column
    the ledger's verdicts are all that is known, and stay as they are."""
    if not any(name in foreign_columns(triple.given, {}) for triple, _, _ in graph.rows()):
        return verdicts
    why = f"no verdict in the column {FOREIGN}{name}"
    cells: dict[str, tuple[Status, str | None, str]] = {}
    for unit in graph.unit_ids():
        cells[unit] = verdicts.get(unit, ("undecided", None, why))
    return cells


def _graph_rows(
    graph: GraphUnits,
    verdicts: Known,
    truth: Mapping[str, str],
    marks: Mapping[str, tuple[EvidenceMark, ...]],
) -> Iterator[GraphRow]:
    """Yields all rows of the file with what they were judged; `marks` are of the first row of a
    unit."""
    with_passages = graph.source.measure == "factscore"
    wordings = graph.source.wordings
    first_rows: dict[str, str] = {}
    for triple, unit, _ in graph.rows():
        status, label, reason = verdicts.get(unit, _OPEN)
        name = triple.id or triple.where
        first = ""
        if unit in graph.repeated:
            first = first_rows.get(unit, "")
            first_rows.setdefault(unit, name)
        passage = None
        if with_passages:
            passage = triple.passage
        yield GraphRow(
            id=name,
            head=triple.head,
            relation=triple.relation,
            tail=triple.tail,
            claim=claim(triple, wordings),
            passage=passage,
            status=status,
            label=label,
            reason=reason,
            marks=() if first else marks.get(unit, ()),
            truth=truth.get(triple.id),
            place=triple.where,
            passage_id=triple.passage_id,
            unit=unit,
            repeats=first,
            given=triple.given,
        )


def _marks(triple: Triple, ontology: Ontology, source: Source) -> tuple[EvidenceMark, ...]:
    """Returns where head, tail and cue stand in a passage; nothing where there is none."""
    from factmark.graphs.core.evidence import evidence_marks  # slow to import

    passage = triple.passage
    if passage:
        return evidence_marks(triple, passage, ontology, source.wordings)
    return ()


def user_rows(graph: GraphUnits) -> list[UserRow]:
    """Returns the rows as the ledger keeps them beside their units."""
    kept = []
    for path, rows in graph.files():
        name = file_name(path)
        for t, unit, _ in rows:
            kept.append(UserRow(name, t.where, t.id or t.where, unit, t.passage_id, t.given))
    return kept


def _known_truth(triples: Sequence[Path], measure: MeasureKey) -> Mapping[str, str]:
    """Returns the author's labels of the bundled example by id; empty for any other graph."""
    example = example_graph() / "triples.csv"
    if [path.resolve() for path in triples] != [example.resolve()]:
        return {}
    column = "validity"
    if measure == "factscore":
        column = "support"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}
