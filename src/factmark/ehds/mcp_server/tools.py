"""The seven tools of the EHDS connector, answered from a store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from factmark.ehds.mcp_server import answers as shapes
from factmark.ehds.mcp_server import queries
from factmark.ehds.mcp_server.catalogue import SECONDS, Catalogue, Dataset, read_catalogue
from factmark.ehds.mcp_server.naming import dataset_named, search
from factmark.ehds.mcp_server.shaping import (
    FREE_ROWS,
    entry_of,
    free_result,
    group_of,
    moved,
    number_of,
    patient_of,
    policies_of,
    policy_answer,
    rules_of,
    summary_of,
    years_of,
)
from factmark.ehds.replica.namespaces import NAMESPACES
from factmark.errors import InputError, QueryError
from factmark.stores.guard import check_length, inspect_query
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows, Term, local_name

FREE_SECONDS = 5.0
CATALOGUE = "catalogue"
MOST_GROUPS = 20_000  # distinct displays of one kind
_MOST_FREE = 4  # free queries at once
_TURN_SECONDS = 10.0  # that a free query waits for others
_MOST_NAMED = 20  # values that an error lists
_FRESH = 300.0  # seconds for which a catalogue that was read is used


class Tools:
    """What the tools do. One catalogue is read and kept for five minutes.

    Of the store's workers one is left to the fixed tools, as far as there are several: slow free
    queries hold up only each other.

    Args:
        store: who answers; it is not closed here.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._catalogue: Catalogue | None = None
        self._read = 0.0
        self._lock = asyncio.Lock()
        self._heeds_graphs: bool | None = None
        workers = getattr(store, "workers", None) or _MOST_FREE + 1
        self._free = asyncio.Semaphore(max(1, min(_MOST_FREE, workers - 1)))

    async def catalogue(self) -> Catalogue:
        """The datasets and policies; raises a FactmarkError, and an InputError for none."""
        async with self._lock:
            if self._catalogue is None or time.monotonic() - self._read > _FRESH:
                self._catalogue = await read_catalogue(self._store)
                self._read = time.monotonic()
        if not self._catalogue.datasets:
            raise InputError(
                "this store describes no dcat:Dataset, so there is nothing to list; "
                "ehds_query_clinical still answers when `dataset` is the IRI of a named graph"
            )
        return self._catalogue

    async def list_datasets(self, offset: int, limit: int) -> shapes.DatasetList:
        """A page of datasets."""
        found = (await self.catalogue()).datasets
        end = offset + limit
        return shapes.DatasetList(
            total=len(found),
            next_offset=end if end < len(found) else None,
            datasets=[shapes.DatasetSummary(**summary_of(one)) for one in found[offset:end]],
        )

    async def describe_dataset(self, name: str) -> shapes.DatasetDescription:
        """All about one dataset."""
        catalogue = await self.catalogue()
        dataset = dataset_named(catalogue.datasets, name)
        return shapes.DatasetDescription(
            **summary_of(dataset),
            description=dataset.description,
            graph=dataset.graph,
            records=await self._records(dataset),
            policies=[
                shapes.PolicyRules(**rules_of(policy)) for policy in policies_of(catalogue, dataset)
            ],
        )

    async def search_datasets(self, text: str, limit: int) -> shapes.SearchResult:
        """The datasets that hold the words."""
        found = search((await self.catalogue()).datasets, text)
        return shapes.SearchResult(
            total=len(found),
            datasets=[
                shapes.Found(
                    **summary_of(dataset), description=dataset.description, matched=list(words)
                )
                for dataset, words in found[:limit]
            ],
        )

    async def check_policy(
        self, name: str | None, action: str | None, purpose: str | None
    ) -> shapes.PolicyCheck:
        """The policies of one dataset or of all, and what they say about a use."""
        action, purpose = (action or "").strip() or None, (purpose or "").strip() or None
        catalogue = await self.catalogue()
        if name is None or not name.strip():
            datasets, policies = catalogue.datasets, catalogue.policies
        else:
            datasets = (dataset_named(catalogue.datasets, name),)
            policies = policies_of(catalogue, datasets[0])
        answers = [policy_answer(policy, datasets, action, purpose) for policy in policies]
        return shapes.PolicyCheck(
            total_policies=len(policies), action=action, purpose=purpose, policies=answers
        )

    async def get_patients(
        self,
        name: str | None,
        *,
        gender: str | None = None,
        born_from: int | None = None,
        born_to: int | None = None,
        consent: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> shapes.PatientPage:
        """Counts over the patients that fit, and a page of them."""
        graph = await self._graph(name)
        genders = await self._held("fhir:gender", graph, "gender", gender)
        flags = await self._held("odrl:hasPolicy", graph, "consent flag", consent)
        pattern = queries.patient_pattern(
            graph, genders=genders, born_from=born_from, born_to=born_to, flags=flags
        )
        totals = (await self._ask(queries.patient_totals(pattern, graph))).rows[0]
        groups = await self._ask(queries.patient_groups(pattern, graph))
        total = number_of(totals[0])
        page = await self._page(pattern, graph, offset, limit) if offset < total else []
        return shapes.PatientPage(
            total=total,
            birth_years=[int(year) for year in years_of(totals[1:])],
            by_gender=group_of(groups, "gender"),
            by_race=group_of(groups, "race"),
            by_ethnicity=group_of(groups, "ethnicity"),
            by_consent_flag=group_of(groups, "hasPolicy"),
            offset=offset,
            next_offset=offset + limit if offset + limit < total else None,
            patients=page,
        )

    async def condition_stats(
        self, name: str | None, kinds: Sequence[str], top: int, containing: str | None
    ) -> shapes.ConditionStats:
        """The most frequent conditions, medications and observations."""
        graph = await self._graph(name)
        pattern = queries.patient_pattern(graph)
        totals = (await self._ask(queries.patient_totals(pattern, graph))).rows[0]
        found = []
        for kind in dict.fromkeys(kinds):
            rows = await self._ask(queries.stats(kind, graph, containing), most=MOST_GROUPS)
            entries = [entry_of(row) for row in rows.rows[:top]]
            found.append(shapes.Stats(kind=kind, distinct=len(rows.rows), entries=entries))
        return shapes.ConditionStats(dataset=name, patients=number_of(totals[0]), stats=found)

    async def query_clinical(self, name: str, sparql: str) -> shapes.QueryResult:
        """The rows of a query that sees the graph of one dataset, or of the catalogue."""
        check_length(sparql)
        graph = await self._free_graph(name)
        await self._check_graphs_are_heeded()
        try:
            async with self._turn():
                if (await asyncio.to_thread(inspect_query, sparql)).dataset:
                    raise QueryError("FROM is refused here: the argument `dataset` says the graph")
                rows = await self._store.query(
                    f"{queries.PREFIXES} {sparql}",
                    timeout=FREE_SECONDS,
                    max_rows=FREE_ROWS,
                    graphs=Graphs.only(graph),
                )
        except QueryError as error:
            raise moved(error) from error
        return free_result(name, rows)

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

    async def _ask(self, sparql: str, most: int = 100_000) -> Rows:
        return await self._store.query(sparql, timeout=SECONDS, max_rows=most)

    async def _held(
        self, predicate: str, graph: str | None, what: str, asked: str | None
    ) -> tuple[Term, ...] | None:
        """The values that patients have and a text means; None for no filter.

        Raises:
            InputError: patients have such values, but not this one; lists those they have.
        """
        if asked is None or not asked.strip():
            return None
        rows = await self._ask(queries.patient_values(predicate, graph))
        held = [cell for row in rows.rows for cell in row if cell]
        if not held:
            rows = await self._ask(queries.patient_values(predicate, None))
            held = [cell for row in rows.rows for cell in row if cell]
        found = tuple(term for term in held if _meant(asked, term))
        if not found:
            names = ", ".join(sorted({_flag(term) for term in held})[:_MOST_NAMED]) or "none"
            raise InputError(f"no patient has the {what} {asked[:80]!r}; there are: {names}")
        return found

    async def _graph(self, name: str | None) -> str | None:
        """The graph of the dataset that is named; None for all."""
        if name is None or not name.strip():
            return None
        dataset = dataset_named((await self.catalogue()).datasets, name)
        if not dataset.graph:
            raise InputError(
                f"the catalogue does not tell which graph holds the records of {dataset.id}; "
                "ehds_query_clinical takes the IRI of a named graph as `dataset`"
            )
        return dataset.graph

    async def _free_graph(self, name: str) -> str:
        """The same for a free query, where any named graph can be named by its IRI."""
        if name.strip().casefold() == CATALOGUE:
            return f"{NAMESPACES['graph']}catalogue"
        if "://" in name or name.startswith("urn:"):
            found = await self._ask(queries.graph_exists(name))
            if found.boolean:
                return name
        graph = await self._graph(name)
        if graph is None:
            raise AssertionError("a name was given")
        return graph

    async def _check_graphs_are_heeded(self) -> None:
        """Tries once whether the store keeps a query to its graphs: some endpoints do not.

        Raises:
            QueryError: it does not, so that no free query runs.
        """
        if self._heeds_graphs is None:
            nowhere = Graphs.only("urn:factmark:no-such-graph")
            plain = await self._store.query("ASK { ?s ?p ?o }", timeout=SECONDS, graphs=nowhere)
            named = await self._store.query(
                "ASK { GRAPH ?g { ?s ?p ?o } }", timeout=SECONDS, graphs=nowhere
            )
            self._heeds_graphs = not plain.boolean and not named.boolean
        if not self._heeds_graphs:
            raise QueryError(
                "this endpoint does not heed default-graph-uri and named-graph-uri, so a query "
                "cannot be kept to one dataset's graph; use the other tools"
            )

    async def _records(self, dataset: Dataset) -> dict[str, int]:
        if not dataset.graph:
            return {}
        counts = dict.fromkeys(
            ("Patient", "Condition", "Encounter", "Observation", "MedicationRequest"), 0
        )
        rows = await self._ask(queries.record_counts(dataset.graph))
        counts |= {local_name(one.value): number_of(n) for one, n in rows.rows if one}
        return counts

    async def _page(
        self, pattern: str, graph: str | None, offset: int, limit: int
    ) -> list[shapes.Patient]:
        rows = await self._ask(queries.patient_page(pattern, offset, limit))
        patients = [cell.value for row in rows.rows for cell in row if cell and cell.kind == "iri"]
        details = await self._ask(queries.patient_details(patients, graph))
        said: dict[str, dict[str, list[str]]] = {iri: {} for iri in patients}
        for patient, predicate, value in details.rows:
            if patient and predicate and value:
                facts = said[patient.value].setdefault(local_name(predicate.value), [])
                facts.append(local_name(value.value) if value.kind == "iri" else value.value)
        return [patient_of(iri, facts) for iri, facts in said.items()]


def _flag(term: Term) -> str:
    """A value as people say it: `no-ai-training` for an IRI that ends in `policy-...` of that."""
    name = local_name(term.value) if term.kind == "iri" else term.value
    return name.removeprefix("policy-").removeprefix("patient-")


def _meant(asked: str, term: Term) -> bool:
    """Whether a text is the value: its IRI, its local name or the end of it, in any spelling."""
    text = asked.strip()
    if text == term.value:
        return True
    names = (_flag(term), local_name(term.value) if term.kind == "iri" else term.value)
    spelt = _plain(local_name(text) if "://" in text else text.rpartition(":")[2])
    return bool(spelt) and spelt in {_plain(name) for name in names}


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())
