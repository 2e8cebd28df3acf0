"""The tools hold what the benchmark asks: each ground truth, in what a good agent would call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from factmark.answers.core.grounding import held
from factmark.answers.questions.benchmarks import load
from factmark.answers.questions.ground_truths import ground_truth
from factmark.ask.chat import ToolServer
from factmark.runs.mcp.client import builtin_tools
from factmark.stores.folder import FolderStore

LIST = ("ehds_list_datasets", {})
POLICIES = ("ehds_check_policy", {})

Call = tuple[str, Mapping[str, object]]


def search(words: str) -> Call:
    return "ehds_search_datasets", {"query": words}


def policy(dataset: str, **asked: str) -> Call:
    return "ehds_check_policy", {"dataset": dataset, **asked}


def describe(dataset: str) -> Call:
    return "ehds_describe_dataset", {"dataset": dataset}


def patients(**asked: object) -> Call:
    return "ehds_get_patients", asked


def stats(dataset: str, kind: str, top: int) -> Call:
    return "ehds_get_condition_stats", {"dataset": dataset, "kinds": [kind], "top": top}


def catalogue(query: str) -> Call:
    return "ehds_query_clinical", {"dataset": "catalogue", "query": query}


CALLS: dict[str, Call] = {
    **dict.fromkeys(("D1", "D2", "D6", "D7", "D8", "P10", "X5", "X10"), LIST),
    "D3": search("cardiovascular"),
    "D4": search("mental health"),
    "D5": search("oncology"),
    "D9": search("respiratory"),
    "D10": describe("dementia"),
    **dict.fromkeys(("P3", "P4", "P6", "P7", "P12", "P14", "P19", "P20"), POLICIES),
    "P1": policy("diabetes"),
    "P2": policy("hypertension", purpose="commercial AI training"),
    "P5": ("ehds_check_policy", {"action": "re-identification"}),
    "P8": policy("PTSD", purpose="insurance"),
    "P9": ("ehds_check_policy", {"purpose": "law enforcement"}),
    "P13": policy("breast cancer"),
    "P15": policy("substance use disorder", purpose="insurance"),
    "P17": patients(),
    "C1": stats("diabetes", "medications", 1),
    "C2": patients(dataset="PTSD", gender="female"),
    "C3": describe("hypertension"),
    "C4": stats("stroke", "observations", 100),
    "C5": patients(dataset="obesity", limit=1),
    "C6": patients(dataset="alzheimers", limit=1),
    "C7": patients(dataset="breast cancer", consent_flag="no-ai-training"),
    "C8": stats("hypertension", "medications", 5),
    "C9": patients(dataset="dementia"),
    "C10": patients(dataset="chronic pain", limit=1),
    "X3": patients(limit=1),
    "X4": search("diabetes hypertension"),
    "X6": catalogue(
        "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?d a dcat:Dataset ; "
        "odrl:hasPolicy ehds:policy-p1-research-only }"
    ),
    "X7": catalogue(
        "SELECT ?policy (COUNT(?d) AS ?n) { ?d a dcat:Dataset ; odrl:hasPolicy ?policy } "
        "GROUP BY ?policy ORDER BY DESC(?n)"
    ),
    "X8": catalogue(
        "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?d odrl:hasPolicy/odrl:obligation/"
        "odrl:action ehds:ethicsBoardApproval }"
    ),
    "X9": search("mental health"),
}
ABSENT = {"P11", "P16", "P18", "X1", "X2"}
"""Questions whose ground truth is empty: what they ask for is not in the data."""

QUESTIONS = {question.query_id: question for question in load("ehds").questions}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(replica: Path) -> AsyncIterator[FolderStore]:
    async with FolderStore(replica) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tools(store: FolderStore) -> AsyncIterator[ToolServer]:
    async with builtin_tools(store) as opened:
        yield opened


def test_every_question_is_here() -> None:
    assert {*CALLS, *ABSENT} == set(QUESTIONS)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("query_id", list(CALLS))
async def test_the_tools_hold_the_ground_truth(
    store: FolderStore, tools: ToolServer, query_id: str
) -> None:
    sparql = QUESTIONS[query_id].sparql
    assert sparql is not None
    wanted = ground_truth(await store.query(sparql))
    assert wanted
    result = await tools.call(*CALLS[query_id])
    assert result.status == "ok", result.text
    assert result.size == len(result.text), "cut off: a default limit would lose facts"
    found = held(wanted, [result.text])
    assert dict(zip(wanted, found, strict=True)) == dict.fromkeys(wanted, True)


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_is_there_where_nothing_is_asked_for(
    store: FolderStore, tools: ToolServer
) -> None:
    for query_id in ABSENT:
        assert ground_truth(await store.query(QUESTIONS[query_id].sparql or "")) == ()
    policies = (await tools.call(*POLICIES)).text
    for absent in ("education", "cardiovascular-open", "NotifyDataController", "namedGraph"):
        assert absent not in policies
