"""The verdicts that the ledger holds of a graph, pair by pair, as they are scored and shown."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from factmark.graphs.core.claims import EvidenceMark, Triple, claim
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.scores import Measure, TripleVerdict
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.reading import KINDS, GraphUnits, Source
from factmark.graphs.results import SHOWN, GraphRow, JudgedPairs
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import file_name
from factmark.ledger.verdicts import strata_of
from factmark.model import Judge, UserRow


def judged_pairs(
    graph: GraphUnits, judge: Judge, ledger: Ledger, ontology: Ontology, *, with_marks: bool
) -> JudgedPairs:
    """Returns all pairs that have a verdict, and all rows of the file; where head, tail and cue
    stand is looked for only `with_marks`, in the units that the report shows."""
    source = graph.source
    judged = JudgedPairs(strata=strata_of(ledger, KINDS[source.measure]))
    of_pairs = source.measure == "factscore"
    truth = _known_truth(source.triples, source.measure)
    types = lru_cache(maxsize=100_000)(partial(head_type, ontology))
    first_rows: dict[str, str] = {}
    texts: dict[str | None, str | None] = {}  # so that rows of one passage share its text
    verdicts = ledger.newest(judge.id, graph.unit_ids())
    for triple, unit, is_new in graph.rows():
        verdict = verdicts.get(unit)
        true = truth.get(triple.id)
        row = GraphRow(
            id=triple.id or triple.where,
            head=triple.head,
            relation=triple.relation,
            tail=triple.tail,
            claim=claim(triple, source.wordings),
            status=verdict.status if verdict else "open",
            label=verdict.label if verdict else None,
            passage=texts.setdefault(triple.passage, triple.passage) if of_pairs else None,
            reason=verdict.reason if verdict else "",
            truth=true,
            place=triple.where,
            passage_id=triple.passage_id,
            unit=unit,
            repeats=first_rows.get(unit, ""),
            given=triple.given,
        )
        first_rows.setdefault(unit, row.id)
        if verdict is None:
            judged.rows.append(row)
            continue
        if with_marks and not row.repeats and len(judged.units) < SHOWN:
            row = replace(row, marks=_marks(triple, row.passage, ontology, source))
        judged.rows.append(row)
        if not is_new:
            continue
        kind = types(triple.head, triple.head_id)
        pair = TripleVerdict.of(triple, verdict.label, status=verdict.status, head_type=kind)
        judged.pairs.append(pair)
        if true is not None and verdict.label is not None:
            judged.agrees.append(true == verdict.label)
        if unit in judged.units:
            continue
        judged.units[unit] = pair
        if verdict.status == "undecided":
            judged.undecided.append(verdict.reason)
    return judged


def _marks(
    triple: Triple, passage: str | None, ontology: Ontology, source: Source
) -> tuple[EvidenceMark, ...]:
    """Returns where head, tail and cue stand in a passage; nothing where there is none."""
    from factmark.graphs.core.evidence import evidence_marks  # slow to import

    return evidence_marks(triple, passage, ontology, source.wordings) if passage else ()


def user_rows(source: Source, rows: Iterable[GraphRow]) -> list[UserRow]:
    """Returns the judged rows as the ledger keeps them beside their units."""
    name = file_name(source.triples)
    return [
        UserRow(
            source=name,
            place=row.place,
            id=row.id,
            unit=row.unit,
            passage_id=row.passage_id,
            data=row.given,
        )
        for row in rows
        if row.status != "open"
    ]


def _known_truth(triples: Path, measure: Measure) -> Mapping[str, str]:
    """Returns the author's labels of the bundled example by id; empty for any other graph."""
    example = example_graph() / "triples.csv"
    if triples.resolve() != example.resolve():
        return {}
    column = "support" if measure == "factscore" else "validity"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}
