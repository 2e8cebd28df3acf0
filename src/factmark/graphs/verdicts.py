"""The verdicts that the ledger holds of a graph, pair by pair, as they are scored and shown."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.scores import Measure, TripleVerdict
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.reading import GraphUnits
from factmark.graphs.results import GraphRow, JudgedPairs
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, Unit, Verdict

SHOWN = 2_000  # rows that a report shows; the ledger has all
_BLOCK = 2_000


def judged_pairs(
    graph: GraphUnits, judge: Judge, ledger: Ledger, ontology: Ontology, *, with_marks: bool
) -> JudgedPairs:
    """Returns all pairs that have a verdict, and the first units as the report shows them; where
    head, tail and cue stand is looked for only `with_marks`."""
    from factmark.graphs.core.evidence import evidence_marks  # slow to import

    source, judged = graph.source, JudgedPairs()
    truth = _known_truth(source.triples, source.measure)
    types = lru_cache(maxsize=100_000)(partial(head_type, ontology))
    for triple, unit, verdict in _judged_in_blocks(graph, ledger, judge.id):
        kind = types(triple.head, triple.head_id)
        pair = TripleVerdict.of(triple, verdict.label, status=verdict.status, head_type=kind)
        judged.pairs.append(pair)
        true = truth.get(triple.id)
        if true is not None and verdict.label is not None:
            judged.agrees.append(true == verdict.label)
        if unit.id in judged.units:
            continue
        judged.units[unit.id] = pair
        if verdict.status == "undecided":
            judged.undecided.append(verdict.reason)
        if len(judged.shown) < SHOWN:
            text = triple.passage if with_marks and unit.kind == "pair" else None
            marks = evidence_marks(triple, text, ontology, source.wordings) if text else ()
            judged.shown.append(
                GraphRow(
                    id=triple.id or triple.where,
                    head=triple.head,
                    relation=triple.relation,
                    tail=triple.tail,
                    claim=unit.text,
                    status=verdict.status,
                    label=verdict.label,
                    passage=triple.passage if unit.kind == "pair" else None,
                    reason=verdict.reason,
                    marks=marks,
                    truth=true,
                )
            )
    return judged


def _judged_in_blocks(
    graph: GraphUnits, ledger: Ledger, judge: str
) -> Iterator[tuple[Triple, Unit, Verdict]]:
    """Yields the pairs that the judge has judged, with their verdicts, read block by block."""
    pairs = graph.pairs()
    while block := list(islice(pairs, _BLOCK)):
        verdicts = ledger.newest(judge, [unit.id for _, unit in block])
        for triple, unit in block:
            if (verdict := verdicts.get(unit.id)) is not None:
                yield triple, unit, verdict


def _known_truth(triples: Path, measure: Measure) -> Mapping[str, str]:
    """Returns the author's labels of the bundled example by id; empty for any other graph."""
    example = example_graph() / "triples.csv"
    if triples.resolve() != example.resolve():
        return {}
    column = "support" if measure == "factscore" else "validity"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}
