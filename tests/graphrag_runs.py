"""A small graph, questions to it, and runs of them; and a process that runs and can be killed.

python tests/graphrag_runs.py BASE_URL LEDGER
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factmark.ask.budget import Account, Budget
from factmark.ask.client import ChatClient
from factmark.ask.judges.recipe import Recipe
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.graph_answers.core.records import GraphContext, GraphQuestion, RetrievedTriple
from factmark.graph_answers.results import GraphragRun
from factmark.graph_answers.study import Plan, run_graphrag
from factmark.graph_answers.systems import GraphRagSystem, from_graph, from_nothing
from factmark.graph_answers.verdicts import Judging
from factmark.graphs.core.claims import Triple, claim
from factmark.runs.running import Subject
from judging_setup import QUICK

TRIPLES = (
    ("metformin", "treats", "type 2 diabetes"),
    ("insulin", "isa", "hormone"),
    ("neuropathy", "has_symptom", "numbness"),
)
OTHER_TRIPLES = (("sulfonylurea", "treats", "type 2 diabetes"), ("aspirin", "treats", "fever"))


def text(name: str, asked: str, *references: str, **more: Any) -> GraphQuestion:
    return GraphQuestion(id=name, text=asked, kind="text", references=references, **more)


TREATS = text("treats", "What treats type 2 diabetes?", "metformin", strata={"topic": "drugs"})
INSULIN = text("insulin", "What kind of thing is insulin?", "hormone")
SCURVY = text("scurvy", "Which vitamin prevents scurvy?", "vitamin C", answerable=False)
NOBODY = text("nobody", "Who discovered xyzzy?", answerable=False)
CHOICE = GraphQuestion(
    id="choice",
    text="Which one treats type 2 diabetes?",
    kind="choice",
    options=("aspirin", "metformin", "heparin"),
    references=("metformin",),
)
YES = GraphQuestion(
    id="yes", text="Is there a hormone called insulin?", kind="yes-no", references=("yes",)
)
QUESTIONS = (TREATS, INSULIN, SCURVY, NOBODY, CHOICE, YES)


class Words:
    """A graph in memory: the triples that share a word with the question, in their order."""

    def __init__(self, triples: Sequence[tuple[str, str, str]] = TRIPLES) -> None:
        self._triples = [Triple(head=h, relation=r, tail=t) for h, r, t in triples]
        self.lookups = 0

    @property
    def identity(self) -> str:
        return f"words over {[one.key for one in self._triples]}"

    async def context(self, question: str, options: Sequence[str] = ()) -> GraphContext:
        self.lookups += 1
        await asyncio.sleep(0)
        words = {word for word in question.strip("?").split() if len(word) > 5}
        facts = tuple(
            RetrievedTriple(number=number, triple=one, text=claim(one), score=1.0, hops=1)
            for number, one in enumerate(self._triples)
            if words & set(f"{one.head} {one.tail}".split())
        )
        return GraphContext(facts=facts, reached=len(self._triples))

    def has(self, triples: Sequence[tuple[str, str, str]]) -> bool:
        return {*triples} <= {(one.head, one.relation, one.tail) for one in self._triples}

    def bearers(self, names: Sequence[str]) -> list[int]:
        """Stand-ins for the nodes of these names: those of the first triples that have one."""
        ends = [{one.head, one.tail} for one in self._triples]
        return [number for number, pair in enumerate(ends) if pair & {*names}]

    def reaches(self, names: Sequence[str], question: str) -> bool | None:
        """Any entity is near; a question that begins with "Why" names none."""
        if question.startswith("Why"):
            return None
        return bool(self.bearers(names))


async def systems(
    questions: Sequence[GraphQuestion], *, second: bool = False, control: bool = False
) -> tuple[GraphRagSystem, ...]:
    made = [await from_graph("graph", Words(), questions)]
    if second:
        made.append(await from_graph("other", Words(OTHER_TRIPLES), questions))
    if control:
        made.append(from_nothing(questions))
    return tuple(made)


def client(base_url: str, budget: Budget, name: str, **options: Any) -> ChatClient:
    """A client without waits."""
    spec = ModelSpec.parse(f"openai:{name}", base_url=base_url)
    account = Account(budget)
    return ChatClient(
        spec, account=account, faults=QUICK, rates=Rates(concurrency=options.pop("concurrency", 4))
    )


async def plan(
    base_url: str,
    ledger: Path,
    questions: Sequence[GraphQuestion] = QUESTIONS,
    *,
    judge_url: str | None = None,
    budget: Budget | None = None,
    repeats: int = 1,
    second: bool = False,
    control: bool = False,
    concurrency: int = 4,
    **judging: Any,
) -> Plan:
    """What is to be run; a budget for both."""
    budget = budget or Budget()
    asked = client(base_url, budget, "agent", concurrency=concurrency)
    judge = client(judge_url or base_url, budget, "judge", concurrency=concurrency)
    many = {name: judging.get(name, 1) for name in ("batch", "samples")}
    return Plan(
        questions=tuple(questions),
        systems=await systems(questions, second=second, control=control),
        ledger=ledger,
        subject=Subject(name="agent", client=asked, repeats=repeats),
        judging=Judging(
            recipe=Recipe(judges="graphrag", by="model", name="openai:judge", parameters=many),
            client=judge,
            retrieval=judging.get("retrieval", False),
        ),
    )


async def ran(base_url: str, ledger: Path, *args: Any, **options: Any) -> GraphragRun:
    return await run_graphrag(await plan(base_url, ledger, *args, **options))


def many(number: int) -> list[GraphQuestion]:
    """Questions whose answers differ, so that each needs a call of its own, and a verdict."""
    return [
        text(f"q{n}", f"What number {n} treats type 2 diabetes?", "metformin")
        for n in range(number)
    ]


if __name__ == "__main__":
    asyncio.run(ran(sys.argv[1], Path(sys.argv[2]), many(24), concurrency=4))
