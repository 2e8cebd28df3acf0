"""Every published figure holds on generated stores, whatever the scale and the seed."""

from __future__ import annotations

import pytest
from pyoxigraph import Store

from factmark.ehds.replica.facts import COHORTS, OBSERVATIONS, POLICIES, TOP_MEDICATIONS
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import memory_store

PREFIXES = """
PREFIX dcat: <http://www.w3.org/ns/dcat#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX dpv: <https://w3id.org/dpv#>
PREFIX ehds: <https://ehds-prototype.example.org/>
PREFIX fhir: <http://hl7.org/fhir/>
PREFIX graph: <https://ehds-prototype.example.org/graph/>
PREFIX hdcat: <https://healthdcat-ap.github.io/healthdcat-ap/release/5/>
PREFIX odrl: <http://www.w3.org/ns/odrl/2/>
PREFIX snomed: <http://snomed.info/id/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
VIA_CODE = "fhir:medicationCode/fhir:display"
VIA_MEDICATION = "fhir:medication/fhir:code/fhir:display"
EITHER_WAY = f"({VIA_CODE})|({VIA_MEDICATION})"


@pytest.fixture(scope="module", params=[(0.001, 0), (0.005, 5)], ids=["small", "larger"])
def scale_and_seed(request: pytest.FixtureRequest) -> tuple[float, int]:
    return request.param


@pytest.fixture(scope="module")
def store(scale_and_seed: tuple[float, int]) -> Store:
    scale, seed = scale_and_seed
    return memory_store(scale=scale, seed=seed)


def rows(store: Store, query: str) -> list[tuple[str, ...]]:
    solutions = store.query(PREFIXES + query)
    return [tuple(solution[v].value for v in solutions.variables) for solution in solutions]


def number(store: Store, query: str) -> int:
    ((value,),) = rows(store, query)
    return int(value)


def per_graph(store: Store, pattern: str) -> dict[str, int]:
    query = f"SELECT ?g (COUNT(DISTINCT ?s) AS ?n) WHERE {{ GRAPH ?g {{ {pattern} }} }} GROUP BY ?g"
    return {graph.rpartition("/")[2]: int(n) for graph, n in rows(store, query)}


def test_catalogue_holds_exactly_944_triples(store: Store) -> None:
    assert number(store, "SELECT (COUNT(*) AS ?n) { GRAPH graph:catalogue { ?s ?p ?o } }") == 944


def test_there_are_30_graphs_and_the_catalogue(store: Store) -> None:
    names = {graph.value.rpartition("/")[2] for graph in store.named_graphs()}
    assert names == {"catalogue", *(cohort.id for cohort in COHORTS)}


def test_dementia_graph_exists_and_is_empty(store: Store) -> None:
    assert number(store, "SELECT (COUNT(*) AS ?n) { GRAPH graph:dementia { ?s ?p ?o } }") == 0


def test_datasets_are_described_as_published(store: Store) -> None:
    described = rows(
        store,
        """SELECT ?d ?title ?size ?code ?policy ?start ?end ?standard ?licence {
          GRAPH graph:catalogue { ?d a dcat:Dataset ; dct:title ?title ;
            hdcat:populationSize ?size ; hdcat:healthCategory ?code ; odrl:hasPolicy ?policy ;
            hdcat:dataStandard ?standard ; dct:license ?licence ; dct:temporal ?t .
            ?t dcat:startDate ?start ; dcat:endDate ?end } }""",
    )
    policies = {policy.id: policy for policy in POLICIES}
    base = "https://ehds-prototype.example.org/"
    assert set(described) == {
        (
            f"{base}dataset-{c.id}",
            c.title,
            str(c.patients),
            f"http://snomed.info/id/{c.snomed}",
            f"{base}{policies[c.policy].name}",
            policies[c.policy].start,
            policies[c.policy].end,
            "FHIR R4",
            "https://creativecommons.org/licenses/by/4.0/",
        )
        for c in COHORTS
    }
    assert len(described) == 30


def test_only_datasets_have_titles_descriptions_and_licences(store: Store) -> None:
    for name in ("title", "description", "license"):
        query = f"SELECT (COUNT(*) AS ?n) {{ GRAPH ?g {{ ?s dct:{name} ?o }} }}"
        assert number(store, query) == 30


def test_published_totals_of_the_table() -> None:
    assert sum(cohort.patients for cohort in COHORTS) == 911
    assert sum(cohort.conditions for cohort in COHORTS) == 60_893
    assert sum(cohort.encounters for cohort in COHORTS) == 94_181


def test_patients_per_cohort_and_distinct(store: Store) -> None:
    expected = {cohort.id: cohort.patients for cohort in COHORTS if cohort.patients}
    assert per_graph(store, "?s a fhir:Patient") == expected
    distinct = "SELECT (COUNT(DISTINCT ?p) AS ?n) { GRAPH ?g { ?p a fhir:Patient } }"
    assert number(store, distinct) == 573


@pytest.mark.parametrize("counted", ["DISTINCT ?p", "?p"])
def test_consent_flags(store: Store, counted: str) -> None:
    flag = "?p odrl:hasPolicy ehds:policy-patient-no-ai-training"
    query = f"SELECT (COUNT({counted}) AS ?n) {{ GRAPH ?g {{ ?p a fhir:Patient . {flag} }} }}"
    assert number(store, query) == 168
    assert number(store, query.replace("GRAPH ?g", "GRAPH graph:breast-cancer")) == 2


def test_exactly_eight_policies_however_they_are_counted(store: Store) -> None:
    for pattern in ("?d odrl:hasPolicy ?p", "?p a odrl:Policy", "?p a odrl:Set", "?p odrl:uid ?u"):
        query = f"SELECT (COUNT(DISTINCT ?p) AS ?n) {{ GRAPH graph:catalogue {{ {pattern} }} }}"
        assert number(store, query) == 8


@pytest.mark.parametrize(
    ("cohort", "predicate", "expected"),
    [
        ("ptsd", "fhir:gender", {"female": 1, "male": 9}),
        ("obesity", "fhir:gender", {"female": 25, "male": 15}),
        ("chronic-pain", "ehds:race", {"White": 10}),
        ("breast-cancer", "fhir:gender", {"female": 10}),
        ("prostate-cancer", "fhir:gender", {"male": 10}),
    ],
)
def test_genders_and_races(
    store: Store, cohort: str, predicate: str, expected: dict[str, int]
) -> None:
    query = f"""SELECT ?v (COUNT(DISTINCT ?p) AS ?n) {{
      GRAPH graph:{cohort} {{ ?p a fhir:Patient ; {predicate} ?v }} }} GROUP BY ?v"""
    assert {value: int(n) for value, n in rows(store, query)} == expected


def test_earliest_birth_year_in_alzheimers(store: Store) -> None:
    query = "SELECT (MIN(?y) AS ?n) { GRAPH graph:alzheimers { ?p ehds:birthYear ?y } }"
    assert number(store, query) == 1916


def test_birth_date_falls_in_the_birth_year(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?p fhir:birthDate ?d ; ehds:birthYear ?y }
      FILTER(SUBSTR(STR(?d), 1, 4) = STR(?y)) }"""
    assert number(store, query) == 911


@pytest.mark.parametrize(
    "predicate",
    ["fhir:gender", "fhir:birthDate", "ehds:birthYear", "ehds:race", "ehds:ethnicity"],
)
def test_patients_are_the_same_in_every_graph(store: Store, predicate: str) -> None:
    pairs = f"SELECT DISTINCT ?p ?v {{ GRAPH ?g {{ ?p a fhir:Patient ; {predicate} ?v }} }}"
    assert len(rows(store, pairs)) == 573


@pytest.mark.parametrize("path", [VIA_CODE, VIA_MEDICATION, EITHER_WAY])
@pytest.mark.parametrize("cohort", list(TOP_MEDICATIONS))
def test_top_medications(store: Store, cohort: str, path: str) -> None:
    query = f"""SELECT ?m (COUNT(DISTINCT ?p) AS ?n) {{ GRAPH graph:{cohort} {{
      ?r a fhir:MedicationRequest ; fhir:subject ?p ; {path} ?m }} }}
      GROUP BY ?m ORDER BY DESC(?n) ?m"""
    counts = {name: int(n) for name, n in rows(store, query)}
    published = TOP_MEDICATIONS[cohort]
    assert {name: counts[name] for name in published} == published
    others = [n for name, n in counts.items() if name not in published]
    assert max(others) < min(published.values())


def test_share_of_requests_with_an_rxnorm_code(store: Store) -> None:
    total = number(store, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?r a fhir:MedicationRequest } }")
    coded = number(
        store,
        """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?r a fhir:MedicationRequest ;
          fhir:medicationCode/fhir:system <http://www.nlm.nih.gov/research/umls/rxnorm> } }""",
    )
    uncoded = number(
        store,
        """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?r fhir:medication ?m . ?m a fhir:Medication ;
          fhir:code ?c . ?c fhir:display ?d FILTER NOT EXISTS { ?c fhir:code ?code } } }""",
    )
    assert coded + uncoded == total
    assert coded / total == pytest.approx(0.676, abs=0.004)


def test_resources_are_as_planned(store: Store, scale_and_seed: tuple[float, int]) -> None:
    counts = plan(*scale_and_seed).counts
    for kind, attribute in (
        ("Condition", "conditions"),
        ("Encounter", "encounters"),
        ("Observation", "observations"),
        ("MedicationRequest", "requests"),
    ):
        expected = {cohort: getattr(count, attribute) for cohort, count in counts.items()}
        assert per_graph(store, f"?s a fhir:{kind}") == expected


def test_every_patient_has_the_condition_of_the_cohort(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?c a fhir:Condition ; fhir:subject ?p ;
      fhir:code ?coding . ?coding a ?type } GRAPH graph:catalogue {
      ?d dct:identifier ?id ; hdcat:healthCategory ?type } FILTER(STRENDS(STR(?g), ?id)) }"""
    assert number(store, query) >= 911


def test_patients_link_back(store: Store) -> None:
    for link in ("condition", "observation", "medicationRequest", "encounter"):
        query = f"""SELECT (COUNT(*) AS ?n) {{ GRAPH ?g {{ ?p a fhir:Patient ; fhir:{link} ?r
          FILTER NOT EXISTS {{ ?r fhir:subject ?p }} }} }}"""
        assert number(store, query) == 0
        any_link = f"SELECT (COUNT(*) AS ?n) {{ GRAPH ?g {{ ?p fhir:{link} ?r }} }}"
        assert number(store, any_link) > 900


def test_clinical_times_lie_in_the_temporal_coverage(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH graph:catalogue {
      ?d dct:identifier ?id ; dct:temporal ?t . ?t dcat:startDate ?from ; dcat:endDate ?to }
      GRAPH ?g { ?e a fhir:Encounter ; fhir:period/fhir:start ?at } FILTER(STRENDS(STR(?g), ?id))
      FILTER(SUBSTR(STR(?at), 1, 10) < STR(?from) || SUBSTR(STR(?at), 1, 10) > STR(?to)) }"""
    assert number(store, query) == 0


def test_blood_pressure_components_are_no_observations(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?o a fhir:Observation ; fhir:component ?c .
      ?c fhir:code/fhir:display ?name ; fhir:valueQuantity/fhir:value ?v } }"""
    panels = """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?o a fhir:Observation ;
      fhir:code/fhir:display "Blood pressure panel with all children optional" } }"""
    assert number(store, query) == 2 * number(store, panels) > 0
    typed = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?o fhir:component ?c . ?c a ?type } }"
    assert number(store, typed) == 0


def test_full_size_is_planned_exactly() -> None:
    counts = plan(1.0).counts
    assert sum(count.observations for count in counts.values()) == OBSERVATIONS == 1_077_431
    assert sum(count.requests for count in counts.values()) == 158_900
    assert sum(count.coded for count in counts.values()) == pytest.approx(107_416, abs=15)
    for cohort in COHORTS:
        if cohort.patients:
            assert counts[cohort.id].conditions == cohort.conditions
            assert counts[cohort.id].encounters == cohort.encounters
