"""Every published figure holds on generated stores, whatever the scale and the seed."""

from __future__ import annotations

import pytest
from pyoxigraph import Store

from factmark.ehds.reader import PREFIXES
from factmark.ehds.replica.facts import COHORTS, OBSERVATIONS, POLICIES, TOP_MEDICATIONS
from factmark.ehds.replica.plan import plan
from factmark.ehds.replica.writing import EHDS
from factmark.ehds.write import memory_store

VIA_CODE = "fhir:medicationCode/fhir:display"
VIA_MEDICATION = "fhir:medication/fhir:code/fhir:display"
COUNT = "SELECT (COUNT(*) AS ?n)"


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


def test_graphs(store: Store) -> None:
    names = {graph.value.rpartition("/")[2] for graph in store.named_graphs()}
    assert names == {"catalogue", *(cohort.id for cohort in COHORTS)}
    assert number(store, f"{COUNT} {{ GRAPH graph:catalogue {{ ?s ?p ?o }} }}") == 944
    assert number(store, f"{COUNT} {{ GRAPH graph:dementia {{ ?s ?p ?o }} }}") == 0


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
    assert set(described) == {
        (
            f"{EHDS}dataset-{c.id}",
            c.title,
            str(c.patients),
            f"http://snomed.info/id/{c.snomed}",
            f"{EHDS}{policies[c.policy].name}",
            policies[c.policy].start,
            policies[c.policy].end,
            "FHIR R4",
            "https://creativecommons.org/licenses/by/4.0/",
        )
        for c in COHORTS
    }
    assert len(described) == 30
    for name in ("title", "description", "license"):  # so that queries need not say what has them
        assert number(store, f"{COUNT} {{ GRAPH ?g {{ ?s dct:{name} ?o }} }}") == 30


def test_patients_per_cohort_and_distinct(store: Store) -> None:
    expected = {cohort.id: cohort.patients for cohort in COHORTS if cohort.patients}
    assert per_graph(store, "?s a fhir:Patient") == expected
    for predicate in ("fhir:gender", "fhir:birthDate", "ehds:birthYear", "ehds:race"):
        pairs = f"SELECT DISTINCT ?p ?v {{ GRAPH ?g {{ ?p a fhir:Patient ; {predicate} ?v }} }}"
        assert len(rows(store, pairs)) == 573, "the same in every graph"
    years = """{ GRAPH ?g { ?p fhir:birthDate ?d ; ehds:birthYear ?y }
      FILTER(SUBSTR(STR(?d), 1, 4) = STR(?y)) }"""
    assert number(store, f"{COUNT} {years}") == 911
    earliest = "SELECT (MIN(?y) AS ?n) { GRAPH graph:alzheimers { ?p ehds:birthYear ?y } }"
    assert number(store, earliest) == 1916


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


def test_genders_and_races(store: Store) -> None:
    for cohort, predicate, expected in (
        ("ptsd", "fhir:gender", {"female": 1, "male": 9}),
        ("obesity", "fhir:gender", {"female": 25, "male": 15}),
        ("chronic-pain", "ehds:race", {"White": 10}),
        ("breast-cancer", "fhir:gender", {"female": 10}),
        ("prostate-cancer", "fhir:gender", {"male": 10}),
    ):
        query = f"""SELECT ?v (COUNT(DISTINCT ?p) AS ?n) {{
          GRAPH graph:{cohort} {{ ?p a fhir:Patient ; {predicate} ?v }} }} GROUP BY ?v"""
        assert {value: int(n) for value, n in rows(store, query)} == expected


@pytest.mark.parametrize("path", [VIA_CODE, VIA_MEDICATION, f"({VIA_CODE})|({VIA_MEDICATION})"])
def test_top_medications(store: Store, path: str) -> None:
    for cohort, published in TOP_MEDICATIONS.items():
        query = f"""SELECT ?m (COUNT(DISTINCT ?p) AS ?n) {{ GRAPH graph:{cohort} {{
          ?r a fhir:MedicationRequest ; fhir:subject ?p ; {path} ?m }} }} GROUP BY ?m"""
        counts = {name: int(n) for name, n in rows(store, query)}
        assert {name: counts[name] for name in published} == published
        others = [n for name, n in counts.items() if name not in published]
        assert max(others) < min(published.values())


def test_share_of_requests_with_an_rxnorm_code(store: Store) -> None:
    total = number(store, f"{COUNT} {{ GRAPH ?g {{ ?r a fhir:MedicationRequest }} }}")
    coded = """{ GRAPH ?g { ?r a fhir:MedicationRequest ;
      fhir:medicationCode/fhir:system <http://www.nlm.nih.gov/research/umls/rxnorm> } }"""
    uncoded = """{ GRAPH ?g { ?r fhir:medication ?m . ?m a fhir:Medication ;
      fhir:code ?c . ?c fhir:display ?d FILTER NOT EXISTS { ?c fhir:code ?code } } }"""
    n_coded = number(store, f"{COUNT} {coded}")
    assert n_coded + number(store, f"{COUNT} {uncoded}") == total
    assert n_coded / total == pytest.approx(0.676, abs=0.004)


def test_resources_are_as_planned(store: Store, scale_and_seed: tuple[float, int]) -> None:
    counts = plan(*scale_and_seed).counts
    for kind, attribute, link in (
        ("Condition", "conditions", "condition"),
        ("Encounter", "encounters", "encounter"),
        ("Observation", "observations", "observation"),
        ("MedicationRequest", "requests", "medicationRequest"),
    ):
        expected = {cohort: getattr(count, attribute) for cohort, count in counts.items()}
        assert per_graph(store, f"?s a fhir:{kind}") == expected
        back = f"?p a fhir:Patient ; fhir:{link} ?s . ?s fhir:subject ?p"
        assert per_graph(store, back) == expected


def test_every_patient_has_the_condition_of_the_cohort(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?c a fhir:Condition ; fhir:subject ?p ;
      fhir:code ?coding . ?coding a ?type } GRAPH graph:catalogue {
      ?d dct:identifier ?id ; hdcat:healthCategory ?type } FILTER(STRENDS(STR(?g), ?id)) }"""
    assert number(store, query) >= 911


def test_clinical_times_lie_in_the_temporal_coverage(store: Store) -> None:
    query = """SELECT (COUNT(*) AS ?n) { GRAPH graph:catalogue {
      ?d dct:identifier ?id ; dct:temporal ?t . ?t dcat:startDate ?from ; dcat:endDate ?to }
      GRAPH ?g { ?e a fhir:Encounter ; fhir:period/fhir:start ?at } FILTER(STRENDS(STR(?g), ?id))
      FILTER(SUBSTR(STR(?at), 1, 10) < STR(?from) || SUBSTR(STR(?at), 1, 10) > STR(?to)) }"""
    assert number(store, query) == 0


def test_blood_pressure_components_are_no_observations(store: Store) -> None:
    query = """{ GRAPH ?g { ?o a fhir:Observation ; fhir:component ?c .
      ?c fhir:code/fhir:display ?name ; fhir:valueQuantity/fhir:value ?v } }"""
    panels = """{ GRAPH ?g { ?o a fhir:Observation ;
      fhir:code/fhir:display "Blood pressure panel with all children optional" } }"""
    assert number(store, f"{COUNT} {query}") == 2 * number(store, f"{COUNT} {panels}") > 0
    typed = f"{COUNT} {{ GRAPH ?g {{ ?o fhir:component ?c . ?c a ?type }} }}"
    assert number(store, typed) == 0


def test_full_size_is_planned_exactly() -> None:
    counts = plan(1.0).counts
    assert sum(cohort.patients for cohort in COHORTS) == 911
    assert sum(count.conditions for count in counts.values()) == 60_893
    assert sum(count.encounters for count in counts.values()) == 94_181
    assert sum(count.observations for count in counts.values()) == OBSERVATIONS == 1_077_431
    assert sum(count.requests for count in counts.values()) == 158_900
    assert sum(count.coded for count in counts.values()) == pytest.approx(107_416, abs=15)
