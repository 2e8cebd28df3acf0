"""The tools hold what the benchmark asks: each ground truth, in what a good agent would call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from factmark.answers.core.grounding import held
from factmark.answers.core.groundtruth import ground_truth
from factmark.answers.derive import load
from factmark.ehds.write import DEMO_SCALE, build_store
from factmark.runs.mcp.client import builtin_tools
from factmark.runs.sources import ToolServer
from factmark.stores.folder import FolderStore

LIST = ("ehds_list_datasets", {})
POLICIES = ("ehds_check_policy", {})
PATIENTS = "ehds_get_patients"
STATS = "ehds_get_condition_stats"

Call = tuple[str, Mapping[str, object]]


def search(words: str) -> Call:
    return "ehds_search_datasets", {"query": words}


def policy(dataset: str, **asked: str) -> Call:
    return "ehds_check_policy", {"dataset": dataset, **asked}


def describe(dataset: str) -> Call:
    return "ehds_describe_dataset", {"dataset": dataset}


CALLS: dict[str, tuple[Call, ...]] = {
    "D1": (LIST,),
    "D2": (LIST,),
    "D3": (search("cardiovascular"),),
    "D4": (search("mental health"),),
    "D5": (search("oncology"),),
    "D6": (LIST,),
    "D7": (LIST,),
    "D8": (LIST,),
    "D9": (search("respiratory"),),
    "D10": (describe("dementia"),),
    "P1": (policy("diabetes"),),
    "P2": (policy("hypertension", purpose="commercial AI training"),),
    "P3": (POLICIES,),
    "P4": (POLICIES,),
    "P5": (("ehds_check_policy", {"action": "re-identification"}),),
    "P6": (POLICIES,),
    "P7": (POLICIES,),
    "P8": (policy("PTSD", purpose="insurance"),),
    "P9": (("ehds_check_policy", {"purpose": "law enforcement"}),),
    "P10": (LIST,),
    "P12": (POLICIES,),
    "P13": (policy("breast cancer"),),
    "P14": (POLICIES,),
    "P15": (policy("substance use disorder", purpose="insurance"),),
    "P17": ((PATIENTS, {}),),
    "P19": (POLICIES,),
    "P20": (POLICIES,),
    "C1": ((STATS, {"dataset": "diabetes", "kinds": ["medications"], "top": 1}),),
    "C2": ((PATIENTS, {"dataset": "PTSD", "gender": "female"}),),
    "C3": (describe("hypertension"),),
    "C4": ((STATS, {"dataset": "stroke", "kinds": ["observations"], "top": 100}),),
    "C5": ((PATIENTS, {"dataset": "obesity", "limit": 1}),),
    "C6": ((PATIENTS, {"dataset": "alzheimers", "limit": 1}),),
    "C7": ((PATIENTS, {"dataset": "breast cancer", "consent_flag": "no-ai-training"}),),
    "C8": ((STATS, {"dataset": "hypertension", "kinds": ["medications"], "top": 5}),),
    "C9": ((PATIENTS, {"dataset": "dementia"}),),
    "C10": ((PATIENTS, {"dataset": "chronic pain", "limit": 1}),),
    "X3": ((PATIENTS, {"limit": 1}),),
    "X4": (search("diabetes hypertension"),),
    "X5": (LIST,),
    "X6": (
        (
            "ehds_query_clinical",
            {
                "dataset": "catalogue",
                "query": "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?d a dcat:Dataset ; "
                "odrl:hasPolicy ehds:policy-p1-research-only }",
            },
        ),
    ),
    "X7": (
        (
            "ehds_query_clinical",
            {
                "dataset": "catalogue",
                "query": "SELECT ?policy (COUNT(?d) AS ?n) { ?d a dcat:Dataset ; "
                "odrl:hasPolicy ?policy } GROUP BY ?policy ORDER BY DESC(?n)",
            },
        ),
    ),
    "X8": (
        (
            "ehds_query_clinical",
            {
                "dataset": "catalogue",
                "query": "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?d odrl:hasPolicy/odrl:obligation/"
                "odrl:action ehds:ethicsBoardApproval }",
            },
        ),
    ),
    "X9": (search("mental health"),),
    "X10": (LIST,),
}
ABSENT = {"P11", "P16", "P18", "X1", "X2"}
"""Questions whose ground truth is empty: what they ask for is not in the data."""

QUESTIONS = {question.query_id: question for question in load("ehds").questions}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FolderStore]:
    path = Path(tmp_path_factory.mktemp("replica")) / "store"
    build_store(path, scale=DEMO_SCALE)
    async with FolderStore(path) as opened:
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
    texts = []
    for name, arguments in CALLS[query_id]:
        result = await tools.call(name, arguments)
        assert result.status == "ok", result.text
        assert result.size == len(result.text), "cut off: a default limit would lose facts"
        texts.append(result.text)
    assert dict(zip(wanted, held(wanted, texts), strict=True)) == dict.fromkeys(wanted, True)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("query_id", sorted(ABSENT))
async def test_nothing_is_there_where_nothing_is_asked_for(
    store: FolderStore, tools: ToolServer, query_id: str
) -> None:
    sparql = QUESTIONS[query_id].sparql
    assert sparql is not None
    assert ground_truth(await store.query(sparql)) == ()
    policies = (await tools.call(*POLICIES)).text
    for absent in ("education", "cardiovascular-open", "NotifyDataController", "namedGraph"):
        assert absent not in policies
