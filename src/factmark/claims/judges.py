"""The judges of claims: those of a graph's triples, with the same rubric, asked about claims."""

from __future__ import annotations

from collections.abc import Iterable

from factmark.ask.judges.own_judge import OwnJudge, open_own_judge
from factmark.ask.judges.unit_judge import OpenJudge, UnitJudge, foreign_judge, rule_judge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Task
from factmark.claims.core.claim_rows import ClaimRow, claim_id
from factmark.claims.core.rules import RULES_VERSION, judge_claim
from factmark.graphs.core.claims import RuleVerdict, triple_of
from factmark.graphs.judges import RULES_VERSION as TRIPLE_RULES
from factmark.graphs.judges import graph_model_task
from factmark.graphs.ontologies.bundled import BUNDLED, bundled_ontology
from factmark.label_values import SUPPORT_VALUES
from factmark.model import Judge, Unit


def claim_model_task(spec: ModelSpec, mode: str, *, batch: int = 1, samples: int = 1) -> Task:
    """Returns what a model is asked about claims: what it is asked about triples, so that verdicts
    on both are by the same judge.

    Args:
        mode: `context` or `general`; a claim without evidence is judged by what is generally true.
    """
    ontology = (bundled_ontology(), BUNDLED)
    return graph_model_task(spec, mode, ontology, batch=batch, samples=samples)


def claim_own_judge(own: OwnJudge) -> OpenJudge:
    """Returns a function or weights of the user's own as a judge: it is given `claim`, `evidence`,
    the row's `id` and the `passage_id`."""

    def shown(unit: Unit) -> dict[str, object]:
        named = {name: unit.data.get(name) for name in ("id", "passage_id")}
        evidence = str(unit.data.get("passage") or "")
        return {"kind": unit.kind, "claim": unit.text, "evidence": evidence, **named}

    return open_own_judge(own, shown, SUPPORT_VALUES)


def claim_foreign_judge(name: str, rows: Iterable[ClaimRow]) -> UnitJudge:
    """Returns another program as a judge: its verdicts stand in the table's column `verdict:NAME`
    (see `foreign_judge`)."""
    given = ((row, row.foreign.get(name)) for row in rows)
    return foreign_judge(name, _by_unit(given), SUPPORT_VALUES)


def claim_people(table: str, rows: Iterable[ClaimRow]) -> UnitJudge:
    """Returns the people whose labels stand in a table as a judge, so that whoever reads the ledger
    knows them."""
    given = _by_unit((row, row.label) for row in rows)
    return foreign_judge(f"people of {table}", given, SUPPORT_VALUES, kind="person")


def _by_unit(given: Iterable[tuple[ClaimRow, str | None]]) -> dict[str, list[str]]:
    """Returns unit -> the labels that rows about it got."""
    labels: dict[str, list[str]] = {}
    for row, label in given:
        if label is not None and row.unsplit is None:
            labels.setdefault(claim_id(row), []).append(label)
    return labels


def claim_rule_judge() -> UnitJudge:
    """Returns the rules as a judge: they know few claims, and leave the others undecided."""
    names = bundled_ontology()
    version = f"{RULES_VERSION}, triples {TRIPLE_RULES}"
    judge = Judge.create("rule", "lexical evidence of claims", version=version, ontology=BUNDLED)

    def decide(unit: Unit) -> RuleVerdict:
        triple = triple_of(unit) if "relation" in unit.data else None
        return judge_claim(triple, unit.text, str(unit.data.get("passage") or ""), names)

    return rule_judge(judge, decide, SUPPORT_VALUES)
