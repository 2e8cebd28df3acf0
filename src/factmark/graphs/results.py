"""What the ledger holds of a graph, as its scores: pairs with their verdicts in, results out."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from statistics import fmean

from factmark import __version__
from factmark.ask.budget import Spend
from factmark.graphs.core.claims import EvidenceMark, Triple
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.scores import (
    LEAST_DECIDED,
    GraphScores,
    Measure,
    TripleVerdict,
    graph_scores,
)
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.judges import RULES_VERSION
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.reading import KINDS, GraphUnits
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import strata_of
from factmark.model import Estimate, Judge, Status, Unit, Verdict, content_hash
from factmark.replies.rubric import label_values
from factmark.stats.cells import tabulate, verdicts_in_strata
from factmark.stats.corrections import Correction, correction
from factmark.stats.estimators import mean_by_design
from factmark.tables.judge_notes import one_label_note
from factmark.tables.shown_text import number

SHOWN = 2_000  # rows that a report shows; the ledger has all
_BLOCK = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRow:
    """One judged pair or triple.

    Attributes:
        id: the user's name of the row, or its place in the file.
        claim: the triple in plain language.
        passage: None for validity.
        label: None where the status is not `ok`.
        marks: where head, tail and cue stand in the passage; may be empty, may overlap.
        truth: the label that is known to be right, in the bundled example; else None.
    """

    id: str
    head: str
    relation: str
    tail: str
    claim: str
    passage: str | None
    status: Status
    label: str | None
    reason: str
    marks: tuple[EvidenceMark, ...] = ()
    truth: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResults:
    """The measure of one graph by one judge.

    Attributes:
        scores: over pairs and unique triples, per relation and head type, with intervals.
        rows: the first judged units, in the order of the file: what is shown one by one.
        left: units that stay to be judged, for want of budget; they are in no score.
        agreement: share of rows whose label is the known one, where the truth is known.
        correction: the score as people would have given it, where people labelled some units; over
            pairs, or for validity over unique triples.
        annotators: the people.
        whole: the score of the whole graph by the estimator of the sample's design, where a sample
            was judged.
        problems: what was wrong with the input, one sentence each.
        signature: how the numbers were made.
    """

    measure: Measure
    graph: str
    judge: str
    scores: GraphScores
    rows: tuple[GraphRow, ...]
    left: int = 0
    agreement: float | None = None
    correction: Correction | None = None
    annotators: tuple[str, ...] = ()
    whole: Estimate | None = None
    spent: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the score worth less than it looks: that the judge gave all one label."""
        main = self.scores.main
        units = main.n_labelled + main.n_missing
        note = one_label_note(self.judge, main.by_label, units)
        return (note,) if note else ()


@dataclass(slots=True, kw_only=True)
class JudgedPairs:
    """What the ledger holds of a graph.

    Attributes:
        pairs: every pair of the file that has a verdict.
        units: unit -> its first pair.
        shown: the first units, as the report shows them.
        undecided: why the rules decided nothing, of each such unit.
        agrees: whether a label is the known one, of each pair whose truth is known.
        strata: unit -> why it is suspect, where `factmark graph profile` has kept that: people may
            have labelled more of some.
    """

    pairs: list[TripleVerdict] = field(default_factory=list)
    units: dict[str, TripleVerdict] = field(default_factory=dict)
    shown: list[GraphRow] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    agrees: list[bool] = field(default_factory=list)
    strata: Mapping[str, str] = field(default_factory=dict)


def judged_pairs(
    graph: GraphUnits, judge: Judge, ledger: Ledger, ontology: Ontology, *, with_marks: bool
) -> JudgedPairs:
    """The pairs with their verdicts; where head, tail and cue stand only `with_marks`."""
    from factmark.graphs.core.evidence import evidence_marks  # slow to import

    source = graph.source
    judged = JudgedPairs(strata=strata_of(ledger, KINDS[source.measure]))
    truth = _known_truth(source.triples, source.measure)
    types = lru_cache(maxsize=100_000)(partial(head_type, ontology))
    for triple, unit, verdict in _verdicts(graph, ledger, judge.id):
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


def _verdicts(
    graph: GraphUnits, ledger: Ledger, judge: str
) -> Iterator[tuple[Triple, Unit, Verdict]]:
    """The pairs that the judge has judged."""
    pairs = graph.pairs()
    while block := list(islice(pairs, _BLOCK)):
        verdicts = ledger.newest(judge, [unit.id for _, unit in block])
        for triple, unit in block:
            if (verdict := verdicts.get(unit.id)) is not None:
                yield triple, unit, verdict


def _known_truth(triples: Path, measure: Measure) -> Mapping[str, str]:
    """The author's labels of the bundled example; nothing for any other graph."""
    example = example_graph() / "triples.csv"
    if triples.resolve() != example.resolve():
        return {}
    column = "support" if measure == "factscore" else "validity"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}


def graph_results(
    graph: GraphUnits,
    judge: Judge,
    judged: JudgedPairs,
    people: tuple[Mapping[str, float], tuple[str, ...]],
    *,
    level: float,
    spent: Spend,
    problems: Iterable[str],
) -> GraphResults:
    """The scores of what is judged; units without a verdict are left out and counted.

    Args:
        people: unit -> the value that people gave it, and who they are.
    """
    source = graph.source
    scores = graph_scores(
        source.measure,
        judged.pairs,
        level=level,
        rubric=_rubric_of(judge),
        least=LEAST_DECIDED if judge.kind == "rule" else 0.0,
    )
    main = scores.main.estimate
    labels, annotators = people
    results = GraphResults(
        measure=source.measure,
        graph=source.triples.stem,
        judge=judge.name,
        scores=scores,
        rows=tuple(judged.shown),
        left=graph.size - len(judged.units),
        agreement=fmean(judged.agrees) if judged.agrees else None,
        correction=_correction(graph, judged, labels, main),
        annotators=annotators,
        whole=_whole(graph, judged.units, main),
        spent=spent,
        signature=_signature(graph, judge, judged.pairs, level),
    )
    return replace(results, problems=tuple(_notes(graph, judged, results, problems)))


def _rubric_of(judge: Judge) -> str:
    """What the judge went by, in one word: a rubric, a version of the rules or of a function."""
    name, source = judge.parameters.get("rubric_name"), judge.parameters.get("source")
    version = RULES_VERSION if source is None else str(source)[:12]
    return str(name or f"{judge.name}/{version}")


def _is_by_size(graph: GraphUnits) -> bool:
    """Whether heads were drawn by size, so that units do not weigh the same."""
    return graph.drawn is not None and graph.source.design == "twcs"


def _correction(
    graph: GraphUnits,
    judged: JudgedPairs,
    people: Mapping[str, float],
    main: Estimate,
) -> Correction | None:
    """The score as people would have given it, beside the judge's own, `main`; None where they
    labelled nothing that was judged, and of a sample of heads by size."""
    labels = {place: people[unit] for place, unit in enumerate(judged.units) if unit in people}
    if not labels or _is_by_size(graph):
        return None
    rows, worth = list(judged.units.values()), label_values(graph.source.measure)
    verdicts = [row.label for row in rows]
    cells = verdicts_in_strata(verdicts, [judged.strata.get(unit) for unit in judged.units], labels)
    corrected = correction(
        cells,
        labels,
        level=main.level,
        clusters=[row.cluster for row in rows],
        judge_values={
            cell: worth[verdict] if verdict else 0.0
            for cell, verdict in zip(cells, verdicts, strict=True)
            if cell is not None
        },
        population=graph.drawn is None and len(rows) == graph.size,
        by_verdict=True,  # a file of labels does not say how its units were drawn
    )
    estimate = replace(corrected.corrected, rubric=main.rubric)
    by_verdict = tabulate(verdicts, labels)
    return replace(corrected, corrected=estimate, judge_only=main, cells=by_verdict)


def _whole(
    graph: GraphUnits, judged: Mapping[str, TripleVerdict], main: Estimate
) -> Estimate | None:
    """The mean of the graph by the sample's design; None where it is the score that is shown."""
    if graph.drawn is None or main.value is None:
        return None
    worth = label_values(graph.source.measure)
    values = {unit: worth[row.label] if row.label else None for unit, row in judged.items()}
    whole = mean_by_design(graph.drawn, values, level=main.level)
    same = number(whole.value) == number(main.value)
    return None if same else replace(whole, rubric=main.rubric)


def _signature(
    graph: GraphUnits, judge: Judge, judged: Iterable[TripleVerdict], level: float
) -> dict[str, object]:
    source = graph.source
    signature = {
        "factmark": __version__,
        "measure": source.measure,
        "judge": judge.name,
        "judge_id": judge.id,
        **judge.parameters,
        "limit": source.limit,
        "sampling_seed": source.seed,
        "level": level,
        "triples": content_hash([row.triple for row in judged]),
    }
    return dict(sorted(signature.items()))


def _notes(
    graph: GraphUnits, judged: JudgedPairs, results: GraphResults, problems: Iterable[str]
) -> Iterator[str]:
    """What is to be known of the results, in sentences."""
    units = len(judged.units)
    yield from results.cautions
    if judged.undecided:
        own = "source" in results.signature  # of a function of the user's own
        yield from _undecided(graph.source.measure, judged.undecided, units, own=own)
    yield from problems
    if units > len(judged.shown):
        yield f"The report shows the first {len(judged.shown)} of {units} units."
    if results.annotators and _is_by_size(graph):
        yield "A TWCS sample is not corrected by people's labels; draw it at random instead."
    if results.left:
        yield f"{results.left} of {graph.size} units are not judged yet and in no score."


def _undecided(
    measure: Measure, reasons: Collection[str], units: int, *, own: bool
) -> Iterator[str]:
    """What rules, or a function of the user's `own`, left undecided, why, and what to do."""
    counts: Counter[str] = Counter()
    names: dict[str, dict[str, None]] = {}
    for reason in reasons:
        kind, _, about = (reason or "without a reason").partition(": ")
        counts[kind] += 1
        names.setdefault(kind, {})[about] = None
    why = "; ".join(f"{n:,} {kind}{_some(names[kind])}" for kind, n in counts.most_common())
    decided = units - len(reasons)
    judges = "The function" if own else "The rules"
    yield f"{judges} decided {decided:,} of {units:,} units. Left undecided: {why}."
    if decided < LEAST_DECIDED * units and not own:
        option = "--wordings" if measure == "factscore" else "--ontology"
        yield (
            f"A score by rule needs {LEAST_DECIDED:.0%} of the units decided. Judge with a model "
            f"(--judge openai:MODEL, see docs/judges.md); {option} FILE gives the rules more to "
            "go by."
        )


def _some(names: Collection[str]) -> str:
    """The first names in brackets; empty for none.

    >>> _some(["a", "b", "c", "d"])
    ' (a, b, c and 1 more)'
    """
    named = [name for name in names if name]
    more = len(named) - 3
    rest = f" and {more:,} more" if more > 0 else ""
    return f" ({', '.join(named[:3])}{rest})" if named else ""
