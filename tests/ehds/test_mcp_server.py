"""The EHDS tools, called through the official client in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import pytest_asyncio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factmark.ehds import mcp_tools
from factmark.ehds.catalogue import Dataset, dataset_named, search_datasets
from factmark.ehds.mcp_server import build_server
from factmark.ehds.replica.facts import COHORTS, Cohort
from factmark.ehds.replica.writing import EHDS, iri_of
from factmark.ehds.write import memory_store
from factmark.errors import InputError
from factmark.runs.mcp.client import builtin_tools
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.folder import FolderStore
from factmark.stores.server import create_app
from factmark.stores.terms import Term
from later import later
from servers.scripted import running
from servers.stores import RUNAWAY, MemoryStore

mcp = later("mcp")
mcp_types = later("mcp_types")


NAMES = {
    "ehds_list_datasets",
    "ehds_describe_dataset",
    "ehds_check_policy",
    "ehds_search_datasets",
    "ehds_get_patients",
    "ehds_get_condition_stats",
    "ehds_query_clinical",
}
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(replica: Path) -> AsyncIterator[FolderStore]:
    async with FolderStore(replica, workers=2) as opened:
        yield opened


class Caller:
    """A client for each request: the SDK's must be entered and left in one task."""

    def __init__(self, store: FolderStore) -> None:
        self._server = build_server(store)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> mcp_types.CallToolResult:
        async with mcp.Client(self._server) as client:
            return await client.call_tool(name, arguments)


@pytest.fixture(scope="module")
def client(store: FolderStore) -> Caller:
    return Caller(store)


async def good(client: mcp.Client | Caller, name: str, **arguments: object) -> dict[str, Any]:
    """The structured content, which the client has held against the tool's own schema."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    shown = json.loads(result.content[0].text)
    assert shown.items() <= result.structured_content.items() or "[" in result.content[0].text
    return result.structured_content


async def bad(client: mcp.Client | Caller, name: str, **arguments: object) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    text: str = result.content[0].text
    assert "/" not in text.replace(EHDS, "").partition("https://errors.")[0], (
        "no path of this machine"
    )
    return text


async def free(client: mcp.Client | Caller, query: str, dataset: str = "ptsd") -> dict[str, Any]:
    return await good(client, "ehds_query_clinical", dataset=dataset, query=query)


async def test_what_is_offered(store: FolderStore) -> None:
    async with mcp.Client(build_server(store)) as client:
        tools = (await client.list_tools()).tools
        assert "ehds_list_datasets" in (client.instructions or "")
        assert client.server_info is not None
        assert client.server_info.name == "ehds-connector"
    assert {tool.name for tool in tools} == NAMES
    for tool in tools:
        assert tool.description
        assert tool.output_schema
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert tool.input_schema["additionalProperties"] is False
        for name, argument in tool.input_schema["properties"].items():
            assert argument.get("description"), (tool.name, name)


async def test_names_that_mean_no_dataset(client: Caller) -> None:
    assert "Near names: diabetes" in await bad(client, "ehds_describe_dataset", dataset="diabtes")
    assert "breast-cancer" in await bad(client, "ehds_describe_dataset", dataset="cancer")
    for name in ("", "   ", "synthetic cohort", "🦄", "> } INSERT {"):
        await bad(client, "ehds_describe_dataset", dataset=name)


async def test_pages(client: Caller) -> None:
    for tool, entries, total, asked in (
        ("ehds_list_datasets", "datasets", 30, {"limit": 7}),
        (
            "ehds_get_patients",
            "patients",
            25,
            {"dataset": "obesity", "gender": "Female", "limit": 9},
        ),
    ):
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await good(client, tool, offset=offset, **asked)
            assert page["total"] == total
            seen += [entry["iri"] for entry in page[entries]]
            offset = page["next_offset"]
        assert len(seen) == len(set(seen)) == total


@pytest.mark.parametrize(
    ("asked", "total"),
    [
        ({}, 573),
        ({"dataset": "", "gender": "", "consent_flag": " "}, 573),
        ({"dataset": "obesity", "gender": " female "}, 25),
        ({"consent_flag": "no ai training"}, 168),
        ({"consent_flag": "ehds:policy-patient-no-ai-training"}, 168),
        ({"dataset": "dementia"}, 0),
    ],
)
async def test_patients_that_fit(client: Caller, asked: dict[str, str], total: int) -> None:
    page = await good(client, "ehds_get_patients", **asked)
    assert (page["total"], sum(page["by_gender"].values())) == (total, total)


async def test_patients_by_their_years_of_birth(client: Caller) -> None:
    old = await good(client, "ehds_get_patients", dataset="obesity", birth_year_to=1950)
    young = await good(client, "ehds_get_patients", dataset="obesity", birth_year_from=1951)
    assert old["total"] + young["total"] == 40
    assert old["birth_years"][1] <= 1950 < young["birth_years"][0]
    assert all(patient["birth_date"] <= "1950-12-31" for patient in old["patients"])


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ({"gender": "women"}, "female, male"),
        ({"gender": "F", "dataset": "obesity"}, "female, male"),
        ({"consent_flag": "prototype"}, "no-ai-training"),
        ({"sex": "female"}, "sex"),
    ],
)
async def test_a_filter_that_means_nothing_is_told(
    client: Caller, asked: dict[str, str], hint: str
) -> None:
    result = await client.call_tool("ehds_get_patients", asked)
    assert result.is_error
    assert hint in result.content[0].text


async def test_counts_of_a_dataset_add_up(client: Caller) -> None:
    stats = await good(client, "ehds_get_condition_stats", dataset="hypertension", top=200)
    assert [kind["kind"] for kind in stats["stats"]] == [
        "conditions",
        "medications",
        "observations",
    ]
    for kind in stats["stats"]:
        assert kind["distinct"] == len(kind["entries"])
        counts = [entry["patients"] for entry in kind["entries"]]
        assert counts == sorted(counts, reverse=True)
        assert max(counts) <= stats["patients"] == 40
    asked = {"dataset": "hypertension", "containing": "LISINOPRIL", "kinds": ["medications"]}
    some = await good(client, "ehds_get_condition_stats", **asked)
    names = [entry["display"] for entry in some["stats"][0]["entries"]]
    assert names == ["lisinopril 10 MG Oral Tablet"]


@pytest.mark.parametrize(
    ("dataset", "asked", "verdict"),
    [
        ("diabetes", {"purpose": "commercial"}, "prohibited"),
        ("diabetes", {"action": "reproduce", "purpose": "research"}, "allowed"),
        ("diabetes", {"action": "sell"}, "prohibited"),
        ("diabetes", {"action": "derive", "purpose": "research"}, "unknown"),
        ("stroke", {"action": "share", "purpose": "clinical care"}, "allowed"),
        ("asthma", {"action": "derive", "purpose": "non-commercial research"}, "allowed"),
        ("chronic-pain", {"purpose": "insurance risk models"}, "prohibited"),
        ("diabetes", {"purpose": "research without commercial interest"}, "unknown"),
        ("diabetes", {"action": "identify risk factors"}, "unknown"),
        ("diabetes", {"action": "identify the patients"}, "prohibited"),
        ("copd", {"action": "distribute", "purpose": "not at all commercial"}, "unknown"),
        ("stroke", {"action": "do not re-identify"}, "unknown"),
    ],
)
async def test_verdicts(client: Caller, dataset: str, asked: dict[str, str], verdict: str) -> None:
    found = await good(client, "ehds_check_policy", dataset=dataset, **asked)
    (policy,) = found["policies"]
    assert policy["verdict"] == verdict, policy
    assert policy["reason"]
    if verdict != "unknown":
        rules = policy["prohibited" if verdict == "prohibited" else "permitted"]
        assert set(policy["deciding_rules"]) <= set(rules)


async def test_slow_free_queries_hold_up_no_other_tool(
    store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_tools, "FREE_SECONDS", 1.5)
    monkeypatch.setattr(mcp_tools, "_TURN_SECONDS", 2.0)
    async with builtin_tools(store) as tools:
        query = RUNAWAY.replace("urn:", "")
        slow = [
            asyncio.create_task(
                tools.call("ehds_query_clinical", {"dataset": "ptsd", "query": f"{query}#{number}"})
            )
            for number in range(5)
        ]
        await asyncio.wait(slow, timeout=0.2)
        fixed = await asyncio.wait_for(tools.call("ehds_get_patients", {"dataset": "ptsd"}), 20)
        assert fixed.status == "ok"
        assert not all(task.done() for task in slow)
        told = [one.text for one in await asyncio.gather(*slow)]
        assert any("busy" in text for text in told)
        assert any("ran past its time limit" in text for text in told)


GRAPHS = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"
OTHER = f"<{EHDS}graph/obesity>"


async def test_a_free_query_sees_one_graph(client: Caller) -> None:
    assert (await free(client, GRAPHS))["rows"] == [[f"{EHDS}graph/ptsd"]]
    count = "SELECT (COUNT(DISTINCT ?p) AS ?n) { ?p a fhir:Patient }"
    assert (await free(client, count))["rows"] == [["10"]]
    for query in (
        f"SELECT ?p {{ GRAPH {OTHER} {{ ?p a fhir:Patient }} }}",
        f"SELECT ?p {{ VALUES ?g {{ {OTHER} }} GRAPH ?g {{ ?p a fhir:Patient }} }}",
        "SELECT ?d { GRAPH graph:catalogue { ?d a dcat:Dataset } }",
        "SELECT ?d { ?d a dcat:Dataset }",
    ):
        assert (await free(client, query))["rows"] == []
    named = await free(client, "SELECT ?t { ?d dct:title ?t }", dataset="catalogue")
    assert named["row_count"] == 30


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (f"SELECT * FROM {OTHER} {{ ?s ?p ?o }}", "FROM is refused"),
        (f"SELECT * FROM NAMED {OTHER} {{ GRAPH ?g {{ ?s ?p ?o }} }}", "FROM is refused"),
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE is refused"),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "not CONSTRUCT"),
        ("SELECT * {} ; DROP ALL", "only one query"),
        ("SELECT ?x { ?x nope }", "error at 1:"),
    ],
)
async def test_free_queries_that_are_refused(client: Caller, query: str, told: str) -> None:
    result = await client.call_tool("ehds_query_clinical", {"dataset": "ptsd", "query": query})
    assert result.is_error
    text = result.content[0].text
    assert told in text
    if "error at" in told:  # in the query as it was given, without the prefixes
        assert 12 <= int(text.partition("at 1:")[2].partition(":")[0]) <= 22


async def test_long_results_are_cut_off_and_say_so(client: Caller) -> None:
    pairs = "SELECT * { ?a a fhir:Observation . ?b a fhir:Observation }"
    found = await free(client, pairs, dataset="stroke")
    assert (found["row_count"], found["truncated"]) == (1_000, True)
    ask = await free(client, "ASK { ?p a fhir:Patient }")
    assert (ask["boolean"], ask["truncated"]) == (True, False)
    wide = " ".join(f"?a{i}" for i in range(1, 300))
    bound = " ".join(f"BIND(?long AS ?a{i})" for i in range(1, 300))
    long = "BIND(CONCAT({0}, {0}, {0}) AS ?long)".format('"' + "x" * 3_000 + '"')
    big = await free(client, f"SELECT {wide} {{ ?s a fhir:Patient . {long} {bound} }}")
    assert big["truncated"]
    assert big["row_count"] == 0  # one row alone is 2.7 million characters


@settings(max_examples=6)
@example(text='") } } ; DROP ALL #', number=0)
@example(text="} UNION { ?s ?p ?o", number=0)
@example(text="\ud800", number=0)
@given(text=st.text(max_size=60), number=st.integers())
async def test_no_argument_breaks_anything(store: FolderStore, text: str, number: int) -> None:
    """Hostile values end as an answer or as a readable error, never as a crash or a change."""
    async with builtin_tools(store) as tools:
        for name, arguments in (
            ("ehds_describe_dataset", {"dataset": text}),
            ("ehds_search_datasets", {"query": text}),
            ("ehds_check_policy", {"dataset": "ptsd", "action": text, "purpose": text}),
            ("ehds_get_patients", {"dataset": "ptsd", "gender": text, "consent_flag": text}),
            ("ehds_get_patients", {"dataset": "ptsd", "offset": number, "limit": number}),
            ("ehds_get_condition_stats", {"dataset": "ptsd", "containing": text}),
            ("ehds_query_clinical", {"dataset": "ptsd", "query": text}),
            ("ehds_query_clinical", {"dataset": text, "query": "ASK {}"}),
        ):
            result = await tools.call(name, arguments)
            assert result.status in ("ok", "error")
            assert not result.text.endswith(f"Error executing tool {name}"), (arguments, "a crash")


async def test_over_an_endpoint(store: FolderStore) -> None:
    """The same over HTTP, where free queries are kept to a graph by the protocol's parameters."""
    async with running(create_app(store)) as base:
        async with HttpEndpoint(f"{base}/sparql") as endpoint:
            async with mcp.Client(build_server(endpoint)) as client:
                assert (await good(client, "ehds_list_datasets"))["total"] == 30
                assert (await free(client, GRAPHS))["rows"] == [[f"{EHDS}graph/ptsd"]]
                assert (await good(client, "ehds_get_patients"))["total"] == 573


class Careless(MemoryStore):
    """An endpoint that does not heed the dataset of a request, as some do."""

    async def query(self, sparql: str, **options: Any) -> Any:
        options.pop("graphs", None)
        return await super().query(sparql, **options)


async def test_an_endpoint_that_does_not_heed_graphs_gets_no_free_query() -> None:
    async with mcp.Client(build_server(Careless(memory_store(scale=0.0005)))) as client:
        assert (await good(client, "ehds_list_datasets"))["total"] == 30
        told = await bad(client, "ehds_query_clinical", dataset="ptsd", query="ASK {}")
        assert "does not heed" in told


async def test_other_data() -> None:
    """A store without a catalogue, and one whose catalogue is not ours."""
    plain = ox.Store()
    plain.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.Literal("o"), GRAPH_G))
    async with mcp.Client(build_server(MemoryStore(plain))) as client:
        assert "describes no dcat:Dataset" in await bad(client, "ehds_list_datasets")
        assert "ehds_query_clinical" in await bad(client, "ehds_describe_dataset", dataset="x")
        found = await free(client, "SELECT ?o { ?s ?p ?o }", dataset="urn:g")
        assert found["rows"] == [["o"]]
        await bad(client, "ehds_query_clinical", dataset="urn:nowhere", query="ASK {}")
    plain.load(
        b"@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> . "
        b'<https://example.org/d/rivers> a dcat:Dataset ; dct:title "Rivers of Wales" .',
        format=ox.RdfFormat.TURTLE,
    )
    async with mcp.Client(build_server(MemoryStore(plain))) as client:
        (listed,) = (await good(client, "ehds_list_datasets"))["datasets"]
        assert (listed["id"], listed["title"]) == ("rivers", "Rivers of Wales")
        told = await bad(client, "ehds_get_patients", dataset="Rivers of Wales")
        assert "does not tell which graph" in told


GRAPH_G = ox.NamedNode("urn:g")


def described(cohort: Cohort) -> Dataset:
    said = {
        "dct:title": (cohort.title,),
        "dct:description": (cohort.description,),
        "dcat:keyword": cohort.keywords,
    }
    properties = {
        iri_of(name): [Term(kind="literal", value=value) for value in values]
        for name, values in said.items()
    }
    return Dataset(iri=f"{EHDS}dataset-{cohort.id}", properties=properties)


DATASETS = tuple(map(described, COHORTS))


async def test_each_name_means_its_dataset() -> None:
    """Also where one is in another: `prediabetes` is not `diabetes`."""
    for dataset in DATASETS:
        short = dataset.title.removeprefix("Synthetic ").removesuffix(" Cohort")
        for name in (
            dataset.id,
            f"dataset-{dataset.id}",
            dataset.id.replace("-", "_").upper(),
            dataset.iri,
            dataset.title,
            short.lower(),
            f"patients with {short}",
        ):
            assert dataset_named(DATASETS, name) == dataset, name


@settings(max_examples=30)
@given(st.text(max_size=40))
async def test_any_text_means_a_dataset_or_is_told(text: str) -> None:
    """Never a guess: what is found shares a distinctive word with what was asked for."""
    try:
        found = dataset_named(DATASETS, text)
    except InputError:
        return
    assert text.strip() in (found.iri, found.id, found.title) or search_datasets([found], text)
