"""The judges of a graph: rules, or a model with a rubric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice

from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.graphs.core.claims import WORDINGS, RuleVerdict, Triple, triple_of
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.rubrics import (
    RUBRICS,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
    WITHOUT_PASSAGE,
    entry,
    triple_words,
)
from factmark.graphs.core.scores import Measure
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.reading import Source
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, Unit, Verdict, content_hash
from factmark.replies.rubric import label_values

RULES_VERSION = "4"  # part of the rule judges' identity: raise it when they judge otherwise
_BLOCK = 2_000


def judge_by_rules(
    source: Source,
    ontology: tuple[Ontology, str],
    jobs: Iterable[Job],
    ledger: Ledger,
    step: Callable[[int], None] | None = None,
) -> tuple[Judge, int]:
    """Judges what is not judged yet without a model: support by words, validity by semantic types.

    Args:
        ontology: with what tells it from others.
        step: called with how many units more are done.

    Returns:
        The judge, and how many units were judged before.
    """
    judge, decide = _rules(source, *ontology)
    before, rest = 0, iter(jobs)
    while block := list(islice(rest, _BLOCK)):
        known = ledger.statuses(judge.id, [unit.id for _, unit in block])
        before += len(known)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with ledger.writing():
            ledger.add_judge(judge)
            for item, unit in block:
                if unit.id not in known:
                    ledger.add_new_item(item)
                    ledger.add_unit(unit)
                    decided = decide(triple_of(unit))
                    ledger.add_verdict(_verdict(unit, judge, decided, source.measure), now)
        if step is not None:
            step(len(block))
    return judge, before


def _rules(
    source: Source, ontology: Ontology, identity: str
) -> tuple[Judge, Callable[[Triple], RuleVerdict]]:
    parameters = {"version": RULES_VERSION, "ontology": identity}
    if source.measure == "validity":
        judge = Judge.create("rule", "semantic types", **parameters)
        return judge, lambda triple: judge_types(triple, ontology)
    from factmark.graphs.core.evidence import judge_support

    wordings = source.wordings
    if own := {key: text for key, text in wordings.items() if WORDINGS.get(key) != text}:
        parameters["wordings"] = content_hash(own)
    judge = Judge.create("rule", "lexical evidence", **parameters)
    return judge, lambda triple: judge_support(triple, triple.passage or "", ontology, wordings)


def _verdict(unit: Unit, judge: Judge, decided: RuleVerdict, measure: Measure) -> Verdict:
    label, reason = decided.label, decided.reason
    if label is None:
        return Verdict(unit=unit.id, judge=judge.id, status="undecided", reason=reason)
    value = label_values(measure)[label]
    return Verdict(unit=unit.id, judge=judge.id, label=label, value=value, reason=reason)


def model_task(
    spec: ModelSpec, mode: str, ontology: tuple[Ontology, str], *, batch: int = 1, samples: int = 1
) -> Task:
    """What a model is asked about units, and how its replies are read.

    Units of one passage share a call where several go into one. Those without a passage are judged
    by what is generally true.

    Args:
        mode: which rubric, see `RUBRICS`.
        ontology: with what tells it from others.
    """
    rubric = RUBRICS[mode]
    alone = WITHOUT_PASSAGE.get(rubric.name, rubric)
    shown: Callable[[Unit], str] = {
        VALIDITY_ONTOLOGY.name: lambda unit: entry(triple_of(unit), ontology[0]),
        VALIDITY_PLAIN.name: lambda unit: triple_words(triple_of(unit), unit.text),
    }.get(rubric.name, lambda unit: unit.text)

    def asked(units: Sequence[Unit]) -> Claims:
        return [shown(unit) for unit in units], str(units[0].data.get("passage") or "")

    parameters = {"ontology": ontology[1]} if rubric is VALIDITY_ONTOLOGY else {}
    if alone is not rubric:
        parameters["without_passage"] = alone.id
    return rubric_task(
        spec,
        rubric,
        asked,
        without_evidence=alone,
        batch=batch,
        samples=samples,
        group=lambda unit: unit.data.get("passage"),
        **parameters,
    )
