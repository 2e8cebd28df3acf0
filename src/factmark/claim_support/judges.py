"""The judges of claims: those of a graph's triples, with the same rubric, asked about claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from factmark.ask.judges.recipe import Recipe
from factmark.ask.judges.unit_judge import UnitJudge, foreign_judge, rule_judge
from factmark.claim_support.core.claim_rows import ClaimRow, claim_id
from factmark.claim_support.core.rules import RULES_VERSION, judge_claim
from factmark.cli.judge_recipes import Openers
from factmark.graphs.core.claims import RuleVerdict, triple_of, without_evidence
from factmark.graphs.judges import RULES_VERSION as TRIPLE_RULES
from factmark.graphs.judges import graph_openers
from factmark.graphs.ontologies.bundled import BUNDLED, bundled_ontology
from factmark.label_values import SUPPORT_VALUES
from factmark.model import Judge, Unit

SHOWN = ("id", "passage_id")
"""What a judge of the user's own is given of a claim, beside its text and evidence."""


def claim_openers(recipe: Recipe) -> Openers:
    """Returns how the judges of claims are opened: a model, or one of the user's own, is asked what
    it is asked about triples, so that verdicts on both are by the same judge."""
    of_triples = graph_openers(recipe, (bundled_ontology(), BUNDLED), fields=SHOWN)
    return replace(
        of_triples,
        rules=claim_rule_judge,
        foreign=lambda name, cells: foreign_judge(name, cells, SUPPORT_VALUES),
    )


def claim_foreign_judge(
    name: str, rows: Iterable[ClaimRow], *, are_people: bool = False
) -> UnitJudge:
    """Returns another program as a judge: its verdicts stand in the table's column `verdict:NAME`
    (see `foreign_judge`).

    Args:
        are_people: whether they are the people whose labels the table has, so that whoever reads
            the ledger knows them.
    """
    labels = claim_labels(name, rows, are_people=are_people)
    return foreign_judge(name, labels, SUPPORT_VALUES, "person" if are_people else "foreign")


def claim_labels(
    name: str, rows: Iterable[ClaimRow], *, are_people: bool = False
) -> dict[str, list[str]]:
    """Returns claim -> what another program, or people, said of it in each row about it."""
    labels: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if are_people:
            label = row.label
        else:
            label = row.foreign.get(name)
        if label:
            labels[claim_id(row)].append(label)
    return labels


def claim_rule_judge() -> UnitJudge:
    """Returns the rules as a judge: they know few claims, and leave the others undecided."""
    names = bundled_ontology()
    version = f"{RULES_VERSION}, triples {TRIPLE_RULES}"
    judge = Judge.create("rule", "lexical evidence of claims", version=version, ontology=BUNDLED)

    def decide(unit: Unit) -> RuleVerdict:
        why = without_evidence(unit)
        if why:
            return RuleVerdict(label=None, reason=why)
        triple = None
        if "relation" in unit.data:
            triple = triple_of(unit)
        return judge_claim(triple, unit.text, str(unit.data.get("passage") or ""), names)

    return rule_judge(judge, decide, SUPPORT_VALUES)
