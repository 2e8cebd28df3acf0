"""The seven tools of the EHDS connector, answered from a store.

Their names, arguments and docstrings are what a client is told of them.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from pydantic import Field

from factmark.ehds import mcp_queries
from factmark.ehds.catalogue import (
    Dataset,
    dataset_named,
    read_datasets,
    search_datasets,
    value_name,
)
from factmark.ehds.mcp_answers import (
    ConditionStats,
    DatasetDescription,
    DatasetList,
    DatasetSummary,
    FoundDataset,
    Patient,
    PatientPage,
    PolicyAnswer,
    PolicyCheck,
    PolicyRules,
    QueryResult,
    SearchResult,
    Stats,
    StatsEntry,
    counts_by,
)
from factmark.ehds.reader import PREFIXES, StoreReader, cell_number, without_prefixes
from factmark.ehds.replica.writing import CATALOGUE_GRAPH
from factmark.errors import InputError, QueryError
from factmark.stores.guard import MAX_LENGTH, check_length, check_query
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Term, local_name

SECONDS = 20.0  # for one query of a tool
FREE_SECONDS = 5.0
FREE_ROWS = 1_000
MOST_GROUPS = 20_000  # distinct displays of one kind
_MOST_FREE = 4  # free queries at once
_TURN_SECONDS = 10.0  # that a free query waits for others
_MOST_NAMED = 20  # values that an error lists
_FRESH = 300.0  # seconds for which a catalogue that was read is used
_YEAR = re.compile(r"\d{4}")

_NAMED = "The dataset: its id, IRI or title, such as `diabetes` or `Type 2 Diabetes`."
_ANY = "The dataset: its id, IRI or title. Leave it out for all datasets together."
_FLAG = "Only patients with this policy of their own, e.g. `no-ai-training`."
DatasetName = Annotated[str, Field(description=_NAMED, min_length=1, max_length=500)]
AnyDataset = Annotated[str | None, Field(description=_ANY, max_length=500)]
Offset = Annotated[int, Field(description="How many to skip.", ge=0, le=10_000_000)]
Limit = Annotated[int, Field(description="How many to return at most.", ge=1, le=200)]
Gender = Annotated[
    str | None, Field(description="Only this gender: female or male.", max_length=40)
]
Flag = Annotated[str | None, Field(description=_FLAG, max_length=200)]
Year = Annotated[int | None, Field(ge=0, le=9999)]
Kind = Literal["conditions", "medications", "observations"]


class EhdsTools:
    """What the tools do. One catalogue is read and kept for five minutes.

    Of the store's workers one is left to the fixed tools, as far as there are several: slow free
    queries hold up only each other.

    Args:
        store: who answers; it is not closed here.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reader = StoreReader(store, timeout=SECONDS, notes=[])
        self._datasets: list[Dataset] = []
        self._until = 0.0
        self._lock = asyncio.Lock()
        self._heeds_graphs: bool | None = None
        workers = getattr(store, "workers", None) or _MOST_FREE + 1
        self._free = asyncio.Semaphore(max(1, min(_MOST_FREE, workers - 1)))

    async def ehds_list_datasets(self, offset: Offset = 0, limit: Limit = 100) -> DatasetList:
        """Lists the datasets of the data space with title, condition, number of patients, temporal
        coverage, data standard, policy and licence. Gives the total as well."""
        datasets = await self._catalogue()
        end = offset + limit
        next_offset = None
        if end < len(datasets):
            next_offset = end
        return DatasetList(
            total=len(datasets),
            next_offset=next_offset,
            datasets=[DatasetSummary.of(dataset) for dataset in datasets[offset:end]],
        )

    async def ehds_describe_dataset(self, dataset: DatasetName) -> DatasetDescription:
        """Describes one dataset in full: description, codes, temporal coverage, licence, policy
        rules, and how many patients, conditions, observations and so on its records hold."""
        named = dataset_named(await self._catalogue(), dataset)
        return DatasetDescription.of(
            named,
            description=named.first("dct:description"),
            graph=named.graph,
            records=await self._records(named.graph) if named.graph else {},
            policies=[PolicyRules.of(policy) for policy in named.policies],
        )

    async def ehds_search_datasets(
        self,
        query: Annotated[
            str,
            Field(
                description="Words such as `cardiovascular`, `mental health` or `kidney`.",
                min_length=1,
                max_length=500,
            ),
        ],
        limit: Limit = 10,
    ) -> SearchResult:
        """Searches titles, keywords and descriptions of the datasets, best first. Words are
        compared as they are, without synonyms: try another word when nothing is found."""
        hits = search_datasets(await self._catalogue(), query)
        return SearchResult(
            total=len(hits),
            datasets=[
                FoundDataset.of(
                    dataset, description=dataset.first("dct:description"), matched=list(words)
                )
                for dataset, words in hits[:limit]
            ],
        )

    async def ehds_check_policy(
        self,
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
    ) -> PolicyCheck:
        """Tells what the ODRL policy of a dataset permits, prohibits and obliges to; without a
        dataset, all policies with the datasets under each. With an action or a purpose also a
        verdict (allowed, prohibited, unknown) and the rules that it rests on."""
        action = (action or "").strip() or None
        purpose = (purpose or "").strip() or None
        datasets = await self._catalogue()
        if dataset is not None and dataset.strip():
            datasets = [dataset_named(datasets, dataset)]
        policies = {}
        for named in datasets:
            for policy in named.policies:
                policies[policy.iri] = policy
        return PolicyCheck(
            total_policies=len(policies),
            action=action,
            purpose=purpose,
            policies=[
                PolicyAnswer.about(policies[iri], datasets, action, purpose)
                for iri in sorted(policies)
            ],
        )

    async def ehds_get_patients(
        self,
        dataset: AnyDataset = None,
        gender: Gender = None,
        birth_year_from: Annotated[Year, Field(description="Born in this year or later.")] = None,
        birth_year_to: Annotated[Year, Field(description="Born in this year or before.")] = None,
        consent_flag: Flag = None,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> PatientPage:
        """Counts the patients of a dataset, or of all, by gender, race, ethnicity and consent flag,
        gives their earliest and latest year of birth, and lists a page of them."""
        graph = await self._graph(dataset)
        pattern = mcp_queries.patient_pattern(
            graph,
            genders=await self._held("fhir:gender", graph, "gender", gender),
            born_from=birth_year_from,
            born_to=birth_year_to,
            flags=await self._held("odrl:hasPolicy", graph, "consent flag", consent_flag),
        )
        totals = await self._reader.rows(mcp_queries.patient_totals(pattern, graph))
        patients, *years = totals.rows[0]
        groups = await self._reader.rows(mcp_queries.patient_groups(pattern, graph))
        total = cell_number(patients)
        return PatientPage(
            total=total,
            birth_years=[int(y.value) for y in years if y and _YEAR.fullmatch(y.value)],
            by_gender=counts_by(groups, "gender"),
            by_race=counts_by(groups, "race"),
            by_ethnicity=counts_by(groups, "ethnicity"),
            by_consent_flag=counts_by(groups, "hasPolicy"),
            offset=offset,
            next_offset=offset + limit if offset + limit < total else None,
            patients=await self._page(pattern, graph, offset, limit) if offset < total else [],
        )

    async def ehds_get_condition_stats(
        self,
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
    ) -> ConditionStats:
        """The most frequent conditions, medications and observations among the patients of a
        dataset, with distinct patients and records of each, most patients first."""
        graph = await self._graph(dataset)
        stats = []
        for kind in dict.fromkeys(kinds):
            query = mcp_queries.display_counts(kind, graph, containing)
            rows = (await self._reader.rows(query, most=MOST_GROUPS)).rows
            entries = [StatsEntry.of(row) for row in rows[:top]]
            stats.append(Stats(kind=kind, distinct=len(rows), entries=entries))
        totals = mcp_queries.patient_totals(mcp_queries.patient_pattern(graph), graph)
        return ConditionStats(
            dataset=dataset, patients=await self._reader.number(totals), stats=stats
        )

    async def ehds_query_clinical(
        self,
        dataset: DatasetName,
        query: Annotated[
            str,
            Field(
                description="For example SELECT (COUNT(?p) AS ?n) { ?p a fhir:Patient }",
                min_length=1,
                max_length=MAX_LENGTH,
            ),
        ],
    ) -> QueryResult:
        """Runs a SPARQL query that sees the graph of one dataset and no other. Updates, FROM and
        SERVICE are refused; a SELECT or an ASK has at most 5 s and 1,000 rows (`truncated` says
        when there are more). Prefixes are declared: fhir, ehds, odrl, dcat, dct, hdcat, dpv, rdf,
        rdfs, xsd, snomed, loinc, rxnorm, graph, patient. Records: fhir:Patient (fhir:gender,
        fhir:birthDate, ehds:birthYear, ehds:race, ehds:ethnicity, odrl:hasPolicy); fhir:Condition,
        fhir:Observation, fhir:MedicationRequest and fhir:Encounter (fhir:subject is the patient);
        fhir:code (or fhir:medicationCode, or fhir:medication/fhir:code) leads to a coding with
        fhir:code and fhir:display. With the dataset `catalogue` the query sees the DCAT catalogue
        and the policies."""
        check_length(query)
        graphs = Graphs.only(await self._free_graph(dataset))
        await self._check_graphs_are_heeded()
        try:
            async with self._turn():
                if await asyncio.to_thread(check_query, query):
                    raise QueryError("FROM is refused here: the argument `dataset` says the graph")
                rows = await self._store.query(
                    f"{PREFIXES} {query}", timeout=FREE_SECONDS, max_rows=FREE_ROWS, graphs=graphs
                )
        except QueryError as error:
            raise without_prefixes(error) from error
        return QueryResult.of(dataset, rows)

    async def _catalogue(self) -> list[Dataset]:
        """The datasets, by title; raises a FactmarkError, and an InputError for none."""
        async with self._lock:
            if time.monotonic() > self._until:
                datasets = [dataset async for dataset in read_datasets(self._reader)]
                datasets.sort(key=lambda dataset: (dataset.title.casefold(), dataset.iri))
                self._datasets, self._until = datasets, time.monotonic() + _FRESH
        if not self._datasets:
            raise InputError(
                "this store describes no dcat:Dataset, so there is nothing to list; "
                "ehds_query_clinical still answers when `dataset` is the IRI of a named graph"
            )
        return self._datasets

    async def _graph(self, name: str | None) -> str | None:
        """The graph of the dataset that is named; None for all."""
        if name is None or not name.strip():
            return None
        dataset = dataset_named(await self._catalogue(), name)
        if not dataset.graph:
            raise InputError(
                f"the catalogue does not tell which graph holds the records of {dataset.id}; "
                "ehds_query_clinical takes the IRI of a named graph as `dataset`"
            )
        return dataset.graph

    async def _free_graph(self, name: str) -> str:
        """The same for a free query, where any named graph can be named by its IRI."""
        if name.strip().casefold() == "catalogue":
            return CATALOGUE_GRAPH
        is_iri = "://" in name or name.startswith("urn:")
        if is_iri and (await self._reader.rows(mcp_queries.graph_exists(name))).boolean:
            return name
        return await self._graph(name) or dataset_named(await self._catalogue(), name).graph

    async def _check_graphs_are_heeded(self) -> None:
        """Tries once whether the store keeps a query to its graphs: some endpoints do not.

        Raises:
            QueryError: it does not, so that no free query runs.
        """
        if self._heeds_graphs is None:
            nowhere = Graphs.only("urn:factmark:no-such-graph")
            asked = []
            for query in ("ASK { ?s ?p ?o }", "ASK { GRAPH ?g { ?s ?p ?o } }"):
                asked.append(await self._store.query(query, timeout=SECONDS, graphs=nowhere))
            self._heeds_graphs = not any(rows.boolean for rows in asked)
        if not self._heeds_graphs:
            raise QueryError(
                "this endpoint does not heed default-graph-uri and named-graph-uri, so a query "
                "cannot be kept to one dataset's graph; use the other tools"
            )

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A free query's turn; raises InputError where it does not come soon."""
        try:
            async with asyncio.timeout(_TURN_SECONDS):
                await self._free.acquire()
        except TimeoutError as error:
            raise InputError("busy with other queries; try again") from error
        try:
            yield
        finally:
            self._free.release()

    async def _held(
        self, predicate: str, graph: str | None, what: str, asked: str | None
    ) -> list[Term] | None:
        """The values that patients have and a text means; None for no filter.

        Raises:
            InputError: patients have such values, but not this one; lists those they have.
        """
        if asked is None or not asked.strip():
            return None
        held: list[Term] = []
        for where in (graph, None):
            if not held:
                rows = await self._reader.rows(mcp_queries.patient_values(predicate, where))
                held = []
                for row in rows.rows:
                    for cell in row:
                        if cell:
                            held.append(cell)
        meant = []
        for term in held:
            if _names_term(asked, term):
                meant.append(term)
        if not meant:
            names = ", ".join(sorted({_flag_name(term) for term in held})[:_MOST_NAMED]) or "none"
            raise InputError(f"no patient has the {what} {asked[:80]!r}; there are: {names}")
        return meant

    async def _records(self, graph: str) -> dict[str, int]:
        """Returns how many resources of each kind a graph has."""
        kinds = ("Patient", "Condition", "Encounter", "Observation", "MedicationRequest")
        rows = await self._reader.rows(mcp_queries.record_counts(graph))
        counts = {}
        for kind, number in rows.rows:
            if kind:
                counts[local_name(kind.value)] = cell_number(number)
        return dict.fromkeys(kinds, 0) | counts

    async def _page(
        self, pattern: str, graph: str | None, offset: int, limit: int
    ) -> list[Patient]:
        """Returns some of the patients that a pattern matches, each with what a graph
        says of them."""
        rows = await self._reader.rows(mcp_queries.patient_page(pattern, offset, limit))
        patients = []
        for row in rows.rows:
            for cell in row:
                if cell and cell.kind == "iri":
                    patients.append(cell.value)
        details = await self._reader.rows(mcp_queries.patient_details(patients, graph))
        facts: dict[str, dict[str, list[str]]] = {iri: {} for iri in patients}
        for patient, predicate, value in details.rows:
            if patient and predicate and value:
                values = facts[patient.value].setdefault(local_name(predicate.value), [])
                values.append(value_name(value))
        return [Patient.of(iri, values) for iri, values in facts.items()]


def _flag_name(term: Term) -> str:
    """Returns a consent flag as people say it: `no-ai-training` for `.../policy-no-ai-training`."""
    return value_name(term).removeprefix("policy-").removeprefix("patient-")


def _names_term(asked: str, term: Term) -> bool:
    """Returns whether a text means the value: its IRI, its local name or the end of it, in any
    spelling.
    """
    text = asked.strip()
    spelt = _letters_and_digits(local_name(text) if "://" in text else text.rpartition(":")[2])
    return text == term.value or spelt in {
        _letters_and_digits(_flag_name(term)),
        _letters_and_digits(value_name(term)),
    } - {""}


def _letters_and_digits(name: str) -> str:
    """Returns the letters and digits of a name, in lower case: all that tells names apart here."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())
