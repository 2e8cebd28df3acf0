"""The MCP server over a store: seven tools with typed arguments and results.

Imported only where the extra `mcp` is installed; see `factmark.ehds.mcp_server.server`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, Protocol, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from factmark import __version__
from factmark.ehds.mcp_server import answers as shapes
from factmark.ehds.mcp_server.shaping import FREE_ROWS
from factmark.ehds.mcp_server.tools import FREE_SECONDS, Tools
from factmark.errors import FactmarkError, InputError, QueryError, QueryTimeoutError
from factmark.stores.guard import MAX_LENGTH
from factmark.stores.store import Store
from factmark.tables.shown_text import visible

NAME = "ehds-connector"
_log = logging.getLogger("factmark.mcp")

_INSTRUCTIONS = """\
Read-only access to a health data space: a DCAT catalogue of synthetic patient cohorts, the ODRL
policies that govern them, and the FHIR records of each cohort.
Start with ehds_list_datasets or ehds_search_datasets. Other tools take a dataset by its id
("diabetes"), its IRI or its title. ehds_check_policy without a dataset compares all policies.
ehds_get_patients and ehds_get_condition_stats without a dataset count over all cohorts; a patient
who is in several cohorts counts once. ehds_query_clinical runs SPARQL that sees one cohort's graph.
"""

DatasetName = Annotated[
    str,
    Field(
        description="The dataset: its id, IRI or title, such as `diabetes` or `Type 2 Diabetes`.",
        min_length=1,
        max_length=500,
    ),
]
AnyDataset = Annotated[
    str | None,
    Field(
        description="The dataset: its id, IRI or title. Leave it out for all datasets together.",
        max_length=500,
    ),
]
Offset = Annotated[int, Field(description="How many to skip.", ge=0, le=10_000_000)]
Limit = Annotated[int, Field(description="How many to return at most.", ge=1, le=200)]
Gender = Annotated[
    str | None, Field(description="Only this gender: female or male.", max_length=40)
]
Flag = Annotated[
    str | None,
    Field(
        description="Only patients with this policy of their own, e.g. `no-ai-training`.",
        max_length=200,
    ),
]
Year = Annotated[int | None, Field(ge=0, le=9999)]
Kind = Literal["conditions", "medications", "observations"]
_Tool = TypeVar("_Tool", bound=Callable[..., Any])


class _Offer(Protocol):
    """Registers a function as a tool; its docstring says what it does, unless `about` does."""

    def __call__(self, title: str, about: str | None = None) -> Callable[[_Tool], _Tool]: ...


def build_server(store: Store) -> MCPServer[None]:
    """The server with its tools; the store is not closed by it."""
    root = logging.getLogger()
    guard = logging.NullHandler()
    root.addHandler(guard)  # else the SDK would set up this process's logging
    try:
        server: MCPServer[None] = MCPServer(
            NAME,
            title="EHDS data space",
            instructions=_INSTRUCTIONS,
            version=__version__,
            log_level="WARNING",
        )
    finally:
        root.removeHandler(guard)

    def offer(title: str, about: str | None = None) -> Callable[[_Tool], _Tool]:
        def register(function: _Tool) -> _Tool:
            told = about or " ".join((function.__doc__ or "").split())
            made = server.tool(description=told, annotations=_reads(title))(function)
            _forbid_others(server, function.__name__)
            return made

        return register

    tools = Tools(store)
    _offer_catalogue(offer, tools)
    _offer_policies(offer, tools)
    _offer_records(offer, tools)
    _offer_queries(offer, tools)
    return server


def _offer_catalogue(offer: _Offer, tools: Tools) -> None:
    @offer("List datasets")
    async def ehds_list_datasets(
        offset: Offset = 0, limit: Limit = 100
    ) -> Annotated[CallToolResult, shapes.DatasetList]:
        """Lists the datasets of the data space with title, condition, number of patients, temporal
        coverage, data standard, policy and licence. Gives the total as well."""
        return await _told(tools.list_datasets(offset, limit))

    @offer("Describe a dataset")
    async def ehds_describe_dataset(
        dataset: DatasetName,
    ) -> Annotated[CallToolResult, shapes.DatasetDescription]:
        """Describes one dataset in full: description, codes, temporal coverage, licence, policy
        rules, and how many patients, conditions, observations and so on its records hold."""
        return await _told(tools.describe_dataset(dataset))

    @offer("Search datasets")
    async def ehds_search_datasets(
        query: Annotated[
            str,
            Field(
                description="Words such as `cardiovascular`, `mental health` or `kidney`.",
                min_length=1,
                max_length=500,
            ),
        ],
        limit: Limit = 10,
    ) -> Annotated[CallToolResult, shapes.SearchResult]:
        """Searches titles, keywords and descriptions of the datasets, best first. Words are
        compared as they are, without synonyms: try another word when nothing is found."""
        return await _told(tools.search_datasets(query, limit))


def _offer_policies(offer: _Offer, tools: Tools) -> None:
    @offer("Check the policy")
    async def ehds_check_policy(
        dataset: AnyDataset = None,
        action: Annotated[
            str | None,
            Field(
                description="What you would do: use, reproduce, distribute, derive, re-identify...",
                max_length=500,
            ),
        ] = None,
        purpose: Annotated[
            str | None,
            Field(
                description="What for, such as `commercial`, `academic research` or `insurance`.",
                max_length=500,
            ),
        ] = None,
    ) -> Annotated[CallToolResult, shapes.PolicyCheck]:
        """Tells what the ODRL policy of a dataset permits, prohibits and obliges to; without a
        dataset, all policies with the datasets under each. With an action or a purpose also a
        verdict (allowed, prohibited, unknown) and the rules that it rests on."""
        return await _told(tools.check_policy(dataset, action, purpose))


def _offer_records(offer: _Offer, tools: Tools) -> None:
    @offer("Get patients")
    async def ehds_get_patients(
        dataset: AnyDataset = None,
        gender: Gender = None,
        birth_year_from: Annotated[Year, Field(description="Born in this year or later.")] = None,
        birth_year_to: Annotated[Year, Field(description="Born in this year or before.")] = None,
        consent_flag: Flag = None,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, shapes.PatientPage]:
        """Counts the patients of a dataset, or of all, by gender, race, ethnicity and consent flag,
        gives their earliest and latest year of birth, and lists a page of them."""
        return await _told(
            tools.get_patients(
                dataset,
                gender=gender,
                born_from=birth_year_from,
                born_to=birth_year_to,
                consent=consent_flag,
                offset=offset,
                limit=limit,
            )
        )

    @offer("Get condition statistics")
    async def ehds_get_condition_stats(
        dataset: AnyDataset = None,
        kinds: Annotated[list[Kind], Field(description="What to count.", min_length=1)] = [  # noqa: B006  # the SDK copies defaults
            "conditions",
            "medications",
            "observations",
        ],
        top: Limit = 10,
        containing: Annotated[
            str | None,
            Field(description="Only entries whose text holds this.", max_length=200),
        ] = None,
    ) -> Annotated[CallToolResult, shapes.ConditionStats]:
        """The most frequent conditions, medications and observations among the patients of a
        dataset, with distinct patients and records of each, most patients first."""
        return await _told(tools.condition_stats(dataset, kinds, top, containing))


def _offer_queries(offer: _Offer, tools: Tools) -> None:
    about = (
        "Runs a SPARQL query that sees the graph of one dataset and no other. Updates, FROM and "
        f"SERVICE are refused; a SELECT or an ASK has at most {FREE_SECONDS:g} s and "
        f"{FREE_ROWS:,} rows (`truncated` says when there are more). Prefixes are declared: "
        "fhir, ehds, odrl, dcat, dct, hdcat, dpv, rdf, rdfs, xsd, snomed, loinc, rxnorm, graph, "
        "patient. Records: fhir:Patient (fhir:gender, fhir:birthDate, ehds:birthYear, ehds:race, "
        "ehds:ethnicity, odrl:hasPolicy); fhir:Condition, fhir:Observation, "
        "fhir:MedicationRequest and fhir:Encounter (fhir:subject is the patient); fhir:code (or "
        "fhir:medicationCode, or fhir:medication/fhir:code) leads to a coding with fhir:code and "
        "fhir:display. "
        "With the dataset `catalogue` the query sees the DCAT catalogue and the policies."
    )

    @offer("Query clinical records", about)
    async def ehds_query_clinical(
        dataset: DatasetName,
        query: Annotated[
            str,
            Field(
                description="For example SELECT (COUNT(?p) AS ?n) { ?p a fhir:Patient }",
                min_length=1,
                max_length=MAX_LENGTH,
            ),
        ],
    ) -> Annotated[CallToolResult, shapes.QueryResult]:
        return await _told(tools.query_clinical(dataset, query))


def _forbid_others(server: MCPServer[None], name: str) -> None:
    """Makes unknown arguments an error: else a misspelt filter would count everybody."""
    tool = server._tool_manager.get_tool(name)  # the SDK has no other way to say it
    if tool is None:
        raise AssertionError("it was registered a moment ago")
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)


def _reads(title: str) -> ToolAnnotations:
    return ToolAnnotations(
        title=title,
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )


async def _told(work: Awaitable[BaseModel]) -> CallToolResult:
    """An answer as text and as structured content; an error as one that the model can read.

    What only the owner of the store should read (paths of this machine) goes to the log.
    """
    try:
        answer = await work
    except QueryTimeoutError as error:
        raise ToolError("the query ran past its time limit; make it narrower") from error
    except (InputError, QueryError) as error:
        raise ToolError(str(error)) from error
    except UnicodeEncodeError as error:
        raise ToolError("the arguments hold half a character (a lone surrogate)") from error
    except FactmarkError as error:
        _log.error("%s", visible(str(error)))
        raise ToolError("the store could not answer; the log of this server says why") from error
    return CallToolResult(
        content=[TextContent(type="text", text=shapes.text_of(answer))],
        structured_content=answer.model_dump(mode="json"),
    )
