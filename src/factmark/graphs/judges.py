"""The judges of a graph: rules, or a model with a rubric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.graphs.core.claims import WORDINGS, triple_of
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.rubrics import (
    RUBRICS,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
    WITHOUT_PASSAGE,
    entry,
    triple_words,
)
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.reading import Measure
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, Unit, Verdict, content_hash
from factmark.replies.rubric import VALIDITY_VALUES

RULES_VERSION = "2"  # part of the rule judges' identity: raise it when they judge otherwise
_BLOCK = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleJudge:
    """A judge that needs no model: lexical evidence for support, semantic types for validity."""

    judge: Judge
    decide: Callable[[Unit], tuple[str | None, str]]

    @classmethod
    def of(
        cls,
        measure: Measure,
        ontology: Ontology,
        identity: str,
        wordings: Mapping[str, str] = WORDINGS,
    ) -> RuleJudge:
        """The rule judge of a measure with an ontology, and for support with wordings."""
        from factmark.graphs.core.evidence import judge_support

        def support(unit: Unit) -> tuple[str | None, str]:
            triple = triple_of(unit)
            evidence = judge_support(triple, triple.passage or "", ontology, wordings)
            return evidence.label, evidence.reason

        def types(unit: Unit) -> tuple[str | None, str]:
            verdict = judge_types(triple_of(unit), ontology)
            return verdict.label, verdict.reason

        parameters = {"version": RULES_VERSION, "ontology": identity}
        if measure == "validity":
            return cls(judge=Judge.create("rule", "semantic types", **parameters), decide=types)
        if own := {key: text for key, text in wordings.items() if WORDINGS.get(key) != text}:
            parameters["wordings"] = content_hash(own)
        return cls(judge=Judge.create("rule", "lexical evidence", **parameters), decide=support)

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

    def _verdict(self, unit: Unit, label: str | None, reason: str) -> Verdict:
        if label is None:
            return Verdict(unit=unit.id, judge=self.judge.id, status="undecided", reason=reason)
        value = VALIDITY_VALUES.get(label, float(label == "SUPPORTED"))
        return Verdict(unit=unit.id, judge=self.judge.id, label=label, value=value, reason=reason)


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
