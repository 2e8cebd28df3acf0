"""The verdicts that the ledger holds of a graph, pair by pair, as they are scored and shown."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from factmark.graphs.core.claims import EvidenceMark, Triple, claim
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.scores import Measure
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.reading import KINDS, GraphUnits, Source
from factmark.graphs.results import SHOWN, GraphRow, JudgedPairs, RowsOnDemand
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import file_name
from factmark.ledger.verdicts import strata_of
from factmark.model import Status, UserRow

Verdicts = Mapping[str, tuple[str, Status, str | None, str]]
"""Unit -> the unit, with status, label and reason of its verdict."""
_OPEN: tuple[str, Literal["open"], None, str] = ("", "open", None, "")


def judged_pairs(
    graph: GraphUnits, verdicts: Verdicts, ledger: Ledger, ontology: Ontology, *, with_marks: bool
) -> JudgedPairs:
    """Returns all pairs that have a verdict, and all rows of the file; where head, tail and cue
    stand is looked for only `with_marks`, in the units that the report shows."""
    source = graph.source
    truth = _known_truth(source.triples, source.measure)
    marks: dict[str, tuple[EvidenceMark, ...]] = {}
    types = lru_cache(maxsize=100_000)(partial(head_type, ontology))
    judged = JudgedPairs(
        strata=strata_of(ledger, KINDS[source.measure]),
        rows=RowsOnDemand(graph.n_rows, lambda: _graph_rows(graph, verdicts, truth, marks)),
    )
    pairs, units = judged.pairs, judged.units
    for triple, unit, is_new in graph.rows():
        if not is_new or unit not in verdicts:
            continue
        _, status, label, reason = verdicts[unit]
        if unit not in units:
            if with_marks and len(units) < SHOWN and source.measure == "factscore":
                marks[unit] = _marks(triple, ontology, source)
            units[unit] = len(pairs.triples)
            if status == "undecided":
                judged.undecided.append(reason)
        if status == "ok" and label is None:
            status = "unparsed"
        pairs.triples.append(triple.key)
        pairs.statuses.append(status)
        pairs.labels.append(label if status == "ok" else None)
        pairs.head_types.append(types(triple.head, triple.head_id))
        if truth and label is not None and (true := truth.get(triple.id)) is not None:
            judged.agrees.append(true == label)
    pairs.clusters = [head for head, _, _ in pairs.triples]
    pairs.relations = [relation for _, relation, _ in pairs.triples]
    return judged


def _graph_rows(
    graph: GraphUnits,
    verdicts: Verdicts,
    truth: Mapping[str, str],
    marks: Mapping[str, tuple[EvidenceMark, ...]],
) -> list[GraphRow]:
    """Returns all rows of the file with what they were judged; `marks` are of the first row of a
    unit."""
    source, rows = graph.source, list[GraphRow]()
    first_rows: dict[str, str] = {}
    for triple, unit, _ in graph.rows():
        _, status, label, reason = verdicts.get(unit, _OPEN)
        name, first = triple.id or triple.where, first_rows.get(unit, "")
        row = GraphRow(
            id=name,
            head=triple.head,
            relation=triple.relation,
            tail=triple.tail,
            claim=claim(triple, source.wordings),
            status=status,
            label=label,
            passage=triple.passage if source.measure == "factscore" else None,
            reason=reason,
            marks=() if first else marks.get(unit, ()),
            truth=truth.get(triple.id),
            place=triple.where,
            passage_id=triple.passage_id,
            unit=unit,
            repeats=first,
            given=triple.given,
        )
        first_rows.setdefault(unit, name)
        rows.append(row)
    return rows


def _marks(triple: Triple, ontology: Ontology, source: Source) -> tuple[EvidenceMark, ...]:
    """Returns where head, tail and cue stand in a passage; nothing where there is none."""
    from factmark.graphs.core.evidence import evidence_marks  # slow to import

    passage = triple.passage
    return evidence_marks(triple, passage, ontology, source.wordings) if passage else ()


def user_rows(graph: GraphUnits, verdicts: Verdicts) -> list[UserRow]:
    """Returns the judged rows as the ledger keeps them beside their units."""
    name = file_name(graph.source.triples)
    return [
        UserRow(name, t.where, t.id or t.where, unit, t.passage_id, t.given)
        for t, unit, _ in graph.rows()
        if unit in verdicts
    ]


def _known_truth(triples: Path, measure: Measure) -> Mapping[str, str]:
    """Returns the author's labels of the bundled example by id; empty for any other graph."""
    example = example_graph() / "triples.csv"
    if triples.resolve() != example.resolve():
        return {}
    column = "support" if measure == "factscore" else "validity"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}
