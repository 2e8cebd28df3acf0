"""A graph judged from end to end: triples in, verdicts in the ledger, scores out."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark import __version__
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.runner import Progress, run
from factmark.ask.spend import Spend
from factmark.ask.tasks import Task
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.evidence import Span, judge_support
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.results import GraphResults, GraphRow, Mark, Role
from factmark.graphs.core.rubrics import RUBRICS
from factmark.graphs.core.scores import LEAST_DECIDED, TripleVerdict, fact_scores, validities
from factmark.graphs.core.semantic_types import head_type
from factmark.graphs.judges import RULES_VERSION, RuleJudge, model_task
from factmark.graphs.ontologies.bundled import example_graph
from factmark.graphs.reading import Graph, Measure
from factmark.ledger.labels import people_values
from factmark.ledger.ledger import Ledger
from factmark.model import Estimate, Judge, Unit, Verdict, content_hash
from factmark.replies.triple_labels import values_of
from factmark.stats import Correction, correction, mean_by_design
from factmark.tables.shown_text import number

_KINDS = {"factscore": "pair", "validity": "triple"}  # measure -> kind of its units
SHOWN = 2_000  # rows that a report shows; the ledger has all
_BLOCK = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsking:
    """How a model is asked about a graph.

    Attributes:
        mode: which rubric, see `RUBRICS`.
        again: whether units that the judge has judged are read anew from the kept replies.
    """

    client: ChatClient
    mode: str
    batch: int
    samples: int
    concurrency: int
    again: bool = False

    @property
    def spec(self) -> ModelSpec:
        """The model with its parameters."""
        return self.client.spec

    @property
    def price(self) -> Price | None:
        """What its calls are counted at."""
        return self.client.account.price

    def task(self, ontology: Ontology, identity: str) -> Task:
        """What is asked about units."""
        return model_task(
            self.spec,
            RUBRICS[self.mode],
            ontology,
            identity,
            batch=self.batch,
            samples=self.samples,
        )


async def judge_by_model(
    graph: Graph,
    asking: ModelAsking,
    task: Task,
    ledger: Path,
    progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Asks the model about every unit that it has not judged yet (`factmark.ask.runner.run`)."""
    async with asking.client as client:
        return await run(
            graph.grouped_jobs() if asking.batch > 1 else graph.jobs(),
            task,
            client,
            ledger,
            batch=asking.batch,
            samples=asking.samples,
            ahead=2 * asking.concurrency,
            again=asking.again,
            progress=progress,
        )


def judge_by_rule(
    graph: Graph, judge: RuleJudge, ledger: Path, step: Callable[[int], None]
) -> Spend:
    """Judges every unit by rule."""
    with Ledger(ledger) as opened:
        before = judge.run(graph.jobs(), opened, step)
    return Spend(judged_before=before)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A row of the file with the verdict on its unit."""

    triple: Triple
    unit: Unit
    verdict: Verdict


def results(
    graph: Graph,
    judge: Judge,
    ontology: Ontology,
    ledger: Path,
    *,
    spent: Spend,
    problems: tuple[str, ...] = (),
    level: float = 0.95,
) -> GraphResults:
    """The scores of what the ledger holds; units without a verdict are left out and counted."""
    measure = graph.source.measure
    judged: list[TripleVerdict] = []
    shown: list[GraphRow] = []
    truth = _known_truth(graph.source.triples, measure)
    right = with_truth = 0
    reasons: list[str] = []
    seen: dict[str, TripleVerdict] = {}
    with Ledger(ledger) as opened:
        people, annotators = people_values(opened, _KINDS[measure])
        for found in _verdicts(graph, opened, judge.id):
            verdict = found.verdict
            row = TripleVerdict.of(
                found.triple,
                verdict.label,
                status=verdict.status,
                head_type=head_type(found.triple, ontology),
            )
            judged.append(row)
            if (true := truth.get(found.triple.id)) is not None and verdict.label is not None:
                with_truth += 1
                right += true == verdict.label
            if found.unit.id not in seen and len(shown) < SHOWN:
                shown.append(_row(found, ontology, graph.source.wordings, true))
            if found.unit.id not in seen and verdict.status == "undecided":
                reasons.append(verdict.reason)
            seen.setdefault(found.unit.id, row)
    rubric = str(judge.parameters.get("rubric_name") or f"{judge.name}/{RULES_VERSION}")
    least = LEAST_DECIDED if judge.kind == "rule" else 0.0
    score = fact_scores if measure == "factscore" else validities
    scores = score(judged, level=level, rubric=rubric, least=least)
    main = (scores.pairs if measure == "factscore" else scores.unique).estimate
    told = [*_undecided(measure, reasons, len(seen)), *problems, *graph.problems.sentences()]
    if len(seen) > len(shown):
        told.append(f"The report shows the first {len(shown)} of {len(seen)} units.")
    if people and graph.drawn is not None and graph.source.design == "twcs":
        told.append("A TWCS sample is not corrected by people's labels; draw it at random instead.")
    left = graph.size - len(seen)
    if left:
        told.append(f"{left} of {graph.size} units are not judged yet and in no score.")
    return GraphResults(
        measure=measure,
        graph=graph.source.triples.stem,
        judge=judge.name,
        scores=scores,
        rows=tuple(shown),
        left=left,
        agreement=right / with_truth if with_truth else None,
        correction=_correction(graph, seen, people, main, rubric),
        annotators=annotators,
        whole=_whole(graph, seen, main, rubric),
        spent=spent,
        problems=tuple(told),
        signature=_signature(graph, judge, judged, level),
    )


def _undecided(measure: Measure, reasons: Sequence[str], units: int) -> Iterator[str]:
    """What a rule judge left undecided, why, and what to do about it."""
    if not reasons:
        return
    kinds: dict[str, dict[str, None]] = {}
    for reason in reasons:
        kind, _, about = reason.partition(": ")
        kinds.setdefault(kind, {})[about] = None
    counts = Counter(reason.partition(": ")[0] for reason in reasons)
    why = "; ".join(f"{n:,} {kind}{_some(kinds[kind])}" for kind, n in counts.most_common())
    decided = units - len(reasons)
    yield f"The rules decided {decided:,} of {units:,} units. Left undecided: {why}."
    if decided < LEAST_DECIDED * units:
        more = "--wordings FILE gives" if measure == "factscore" else "--ontology FILE gives"
        yield (
            f"A score by rule needs {LEAST_DECIDED:.0%} of the units decided. Judge with a model "
            f"(--judge openai:MODEL, see docs/judges.md); {more} the rules more to go by."
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


def _correction(
    graph: Graph,
    judged: Mapping[str, TripleVerdict],
    people: Mapping[str, float],
    main: Estimate,
    rubric: str,
) -> Correction | None:
    """The score as people would have given it; None where they labelled nothing that was judged.

    Nor is there one of a sample of heads by size, whose units do not weigh the same.

    Args:
        main: the judge's own score, with the interval that it has in all places.
    """
    names = {unit: place for place, unit in enumerate(judged)}
    labels = {names[unit]: value for unit, value in people.items() if unit in names}
    if not labels or (graph.drawn is not None and graph.source.design == "twcs"):
        return None
    rows = list(judged.values())
    made = correction(
        [row.label for row in rows],
        labels,
        level=main.level,
        clusters=[row.cluster for row in rows],
        judge_values=values_of(graph.source.measure),
        population=graph.drawn is None and len(rows) == graph.size,
        by_verdict=True,  # a file of labels does not say how its units were drawn
    )
    return replace(made, corrected=replace(made.corrected, rubric=rubric), judge_only=main)


def _whole(
    graph: Graph, judged: Mapping[str, TripleVerdict], main: Estimate, rubric: str
) -> Estimate | None:
    """The mean of the graph by the sample's design; None where it is the score that is shown."""
    if graph.drawn is None or main.value is None:
        return None
    worth = values_of(graph.source.measure)
    values = {unit: worth[row.label] if row.label else None for unit, row in judged.items()}
    whole = replace(mean_by_design(graph.drawn, values, level=main.level), rubric=rubric)
    return None if number(whole.value) == number(main.value) else whole


def _signature(
    graph: Graph, judge: Judge, judged: Iterable[TripleVerdict], level: float
) -> dict[str, object]:
    source = graph.source
    made = {
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
    return dict(sorted(made.items()))


def _verdicts(graph: Graph, ledger: Ledger, judge: str) -> Iterator[_Found]:
    """The rows of the file that the judge has judged."""
    block: list[tuple[Triple, Unit]] = []
    for row in graph.rows():
        block.append(row)
        if len(block) >= _BLOCK:
            yield from _look_up(block, ledger, judge)
            block = []
    yield from _look_up(block, ledger, judge)


def _look_up(block: list[tuple[Triple, Unit]], ledger: Ledger, judge: str) -> Iterator[_Found]:
    verdicts = ledger.newest(judge, [unit.id for _, unit in block])
    for triple, unit in block:
        if (verdict := verdicts.get(unit.id)) is not None:
            yield _Found(triple=triple, unit=unit, verdict=verdict)


def _row(
    found: _Found, ontology: Ontology, wordings: Mapping[str, str], truth: str | None
) -> GraphRow:
    triple, verdict = found.triple, found.verdict
    return GraphRow(
        id=triple.id or triple.where,
        head=triple.head,
        relation=triple.relation,
        tail=triple.tail,
        claim=found.unit.text,
        passage=triple.passage if found.unit.kind == "pair" else None,
        status=verdict.status,
        label=verdict.label,
        reason=verdict.reason,
        marks=_marks(triple, ontology, wordings) if found.unit.kind == "pair" else (),
        truth=truth,
    )


def _marks(triple: Triple, ontology: Ontology, wordings: Mapping[str, str]) -> tuple[Mark, ...]:
    """Where the lexical judge sees head, tail and cue, whoever the judge is."""
    found = judge_support(triple, triple.passage or "", ontology, wordings)
    spans: dict[Role, Span | None] = {
        "head": found.head,
        "tail": found.tail,
        "cue": found.cue,
        "negation": found.negation,
    }
    return tuple(
        Mark(role=role, start=span.start, end=span.end) for role, span in spans.items() if span
    )


def _known_truth(triples: Path, measure: Measure) -> Mapping[str, str]:
    """The author's labels of the bundled example; nothing for any other graph."""
    example = example_graph() / "triples.csv"
    if triples.resolve() != example.resolve():
        return {}
    column = "support" if measure == "factscore" else "validity"
    with example.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row[column] for row in csv.DictReader(file)}
