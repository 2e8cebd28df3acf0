"""The judges of a graph: rules, or a model with a rubric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from factmark.graphs.claims import triple_of
from factmark.graphs.entries import entry
from factmark.graphs.evidence import judge_support
from factmark.graphs.ontology import Ontology
from factmark.graphs.validity import judge_types
from factmark.io.chat import ModelSpec
from factmark.io.graph_source import Measure
from factmark.io.ledger import Ledger
from factmark.io.rubric_tasks import Asked, rubric_task
from factmark.judging import Job, Task
from factmark.labels import VALUES
from factmark.model import Judge, Unit, Verdict
from factmark.rubrics import (
    SUPPORT_ALIGNED,
    SUPPORT_CONTEXT,
    SUPPORT_GENERAL,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
    Rubric,
)

RUBRICS: dict[str, Rubric] = {
    "context": SUPPORT_CONTEXT,
    "general": SUPPORT_GENERAL,
    "aligned": SUPPORT_ALIGNED,
    "ontology": VALIDITY_ONTOLOGY,
    "plain": VALIDITY_PLAIN,
}
RULES_VERSION = "1"  # part of the rule judges' identity: raise it when they judge otherwise
_BLOCK = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleJudge:
    """A judge that needs no model: lexical evidence for support, semantic types for validity."""

    judge: Judge
    decide: Callable[[Unit], tuple[str, str]]

    @classmethod
    def of(cls, measure: Measure, ontology: Ontology, identity: str) -> RuleJudge:
        """The rule judge of a measure with an ontology."""

        def support(unit: Unit) -> tuple[str, str]:
            triple = triple_of(unit)
            found = judge_support(triple, triple.passage or "", ontology)
            return found.label, found.reason

        def types(unit: Unit) -> tuple[str, str]:
            found = judge_types(triple_of(unit), ontology)
            return found.label, found.reason

        name = "lexical evidence" if measure == "factscore" else "semantic types"
        judge = Judge.create("rule", name, version=RULES_VERSION, ontology=identity)
        return cls(judge=judge, decide=support if measure == "factscore" else types)

    def run(self, jobs: Iterable[Job], ledger: Ledger, step: Callable[[int], None]) -> int:
        """Judges what is not judged yet; returns how many units were judged before."""
        before, rest = 0, iter(jobs)
        while block := list(islice(rest, _BLOCK)):
            known = ledger.statuses(self.judge.id, [unit.id for _, unit in block])
            before += len(known)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            with ledger.writing():
                ledger.add_judge(self.judge)
                for item, unit in block:
                    if unit.id not in known:
                        label, reason = self.decide(unit)
                        ledger.add_new_item(item)
                        ledger.add_unit(unit)
                        ledger.add_verdict(self._verdict(unit, label, reason), now)
            step(len(block))
        return before

    def _verdict(self, unit: Unit, label: str, reason: str) -> Verdict:
        value = VALUES.get(label, float(label == "SUPPORTED"))
        return Verdict(unit=unit.id, judge=self.judge.id, label=label, value=value, reason=reason)


def model_task(
    spec: ModelSpec, rubric: Rubric, ontology: Ontology, identity: str, *, batch: int, samples: int
) -> Task:
    """What a model is asked about units, and how its replies are read.

    Units of one passage share a call where several go into one.
    """

    def asked(units: Sequence[Unit]) -> Asked:
        if rubric is VALIDITY_ONTOLOGY:
            claims = [entry(triple_of(unit), ontology) for unit in units]
        elif rubric is VALIDITY_PLAIN:
            claims = [_plain(unit) for unit in units]
        else:
            claims = [unit.text for unit in units]
        return claims, str(units[0].data.get("passage") or "")

    parameters = {"ontology": identity} if rubric is VALIDITY_ONTOLOGY else {}
    return rubric_task(
        spec,
        rubric,
        asked,
        batch=batch,
        samples=samples,
        group=lambda unit: unit.data.get("passage"),
        **parameters,
    )


def _plain(unit: Unit) -> str:
    data = unit.data
    return f"({data['head']}, {data['relation']}, {data['tail']}): {unit.text}"
