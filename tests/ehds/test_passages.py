"""What a store is made into: the replica's catalogue and patients, and stores of other shapes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.grounding import held
from factmark.ehds.describe import PASSAGE, texts_of_fields, with_meaning
from factmark.ehds.passages import open_index, store_passages
from factmark.ehds.reader import StoreReader
from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.write import memory_store
from factmark.passages.embedders import Search
from factmark.passages.index import IndexedChunk
from factmark.stores.open_store import open_store
from factmark.stores.server import serve
from servers.stores import MemoryStore

PREFIXES = """
@prefix ehds: <https://ehds-prototype.example.org/> .
@prefix fhir: <http://hl7.org/fhir/> .
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix odrl: <http://www.w3.org/ns/odrl/2/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix x: <http://example.org/x/> .
"""


@pytest.fixture(scope="module")
def portal() -> pyoxigraph.Store:
    return memory_store(scale=0.0005)


async def passages(store: pyoxigraph.Store) -> list[IndexedChunk]:
    return [one async for one in store_passages(MemoryStore(store, name="test"), [])]


def loaded(trig: str) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load((PREFIXES + trig).encode(), format=pyoxigraph.RdfFormat.TRIG)
    return store


async def test_the_catalogue_in_words_and_local_names(portal: pyoxigraph.Store) -> None:
    found = await passages(portal)
    texts = {one.chunk.id: one.chunk.text for one in found}
    ptsd = texts["dataset:ptsd"]
    for said in (
        "Dataset: Synthetic PTSD Cohort",
        "Health category: 47505003 (SNOMED CT)",
        "Number of patients: 10",
        "Data standard: FHIR R4",
        "Licence: https://creativecommons.org/licenses/by/4.0/",
        "Temporal coverage: 2010-01-01 to 2025-12-31",
        "Policy: policy-p3-ethics-approval",
        "re-identify",
        "use, where purpose is CommercialPurpose (commercial purpose)",
        "distribute, where ethicsApproval (ethics approval) is not granted",
        "Obligations: attribute; inform",
    ):
        assert said in ptsd
    assert "P2Y (2 years)" in texts["dataset:osteoarthritis"]
    overview = "\n".join(text for id, text in texts.items() if id.startswith("overview"))
    # The published figures: 30 datasets, 911 memberships, 573 patients.
    assert all(held(["30", "911", "573", *(cohort.title for cohort in COHORTS)], [overview]))


async def test_patients_one_by_one_and_no_summary_of_a_cohort(portal: pyoxigraph.Store) -> None:
    seen: list[tuple[str, int, int]] = []
    store = MemoryStore(portal, name="test")
    made = store_passages(store, [], progress=lambda *told: seen.append(told))
    found = [passage async for passage in made]
    assert len({passage.chunk.id for passage in found}) == len(found)
    assert seen[-1] == ("reading the store", 941, 941)
    kinds = {passage.chunk.id.partition(":")[0].partition("#")[0] for passage in found}
    assert kinds == {"overview", "dataset", "patient"}
    assert all(passage.catalogue != passage.chunk.id.startswith("patient:") for passage in found)
    first = [passage.chunk for passage in found if "#" not in passage.chunk.id]
    patients = [chunk for chunk in first if chunk.id.startswith("patient:")]
    assert len(patients) == sum(cohort.patients for cohort in COHORTS) == 911
    ptsd = [patient.text for patient in patients if patient.id.startswith("patient:ptsd/")]
    assert sum("Gender: female" in text for text in ptsd) == 1  # as published
    assert sum("policy-patient-no-ai-training" in patient.text for patient in patients) == 168
    assert patients[0].title == f"Patient {patients[0].id.partition('/')[2]} in " + (
        "Synthetic Alzheimer's Disease Cohort"
    )


async def test_medications_both_ways_and_counts() -> None:
    store = loaded("""
        ehds:g {
          ehds:p1 a fhir:Patient ; fhir:gender "female" .
          ehds:m1 a fhir:MedicationRequest ; fhir:subject ehds:p1 ;
            fhir:medicationCode [ fhir:display "Aspirin" ] .
          ehds:m2 a fhir:MedicationRequest ; fhir:subject ehds:p1 ;
            fhir:medication [ a fhir:Medication ; fhir:code [ fhir:display "Aspirin" ] ] .
          ehds:c1 a fhir:Condition ; fhir:subject ehds:p1 ; fhir:code [ fhir:display "Gout" ] .
          ehds:e1 a fhir:Encounter ; fhir:subject ehds:p1 .
          ehds:e2 a fhir:Encounter ; fhir:subject ehds:p1 .
        }""")
    text = (await passages(store))[-1].chunk.text
    assert "Medications: Aspirin (2)." in text
    assert "Conditions: Gout (1)." in text
    assert "Number of encounters: 2." in text
    assert "Kinds of observations: none recorded." in text


async def test_patients_in_the_default_graph() -> None:
    found = await passages(loaded('ehds:p1 a fhir:Patient ; ehds:race "White" .'))
    assert [one.chunk.id for one in found] == ["overview", "patient:patients/p1"]
    assert "Race: White" in found[-1].chunk.text


async def test_a_catalogue_of_other_datasets() -> None:
    store = loaded("""
        x:a a dcat:Dataset ; dct:title "Rivers" ; dct:publisher x:office ; x:gaugeCount 12 ;
          odrl:hasPolicy x:open .
        x:office rdfs:label "Water Office" .
        x:open odrl:permission [ odrl:action odrl:read ] .
        x:b a dcat:Dataset .
        """)
    found = {one.chunk.id: one.chunk for one in await passages(store)}
    assert list(found) == ["overview", "dataset:a", "dataset:b"]
    assert "Publisher: Water Office (http://example.org/x/office)" in found["dataset:a"].text
    assert "Gauge count: 12" in found["dataset:a"].text
    assert "Permitted: read" in found["dataset:a"].text
    assert found["dataset:b"].title == "b"
    assert "Patients" not in found["overview"].text


async def test_a_store_of_any_shape_bounded_and_told() -> None:
    lines = "".join(
        f'x:s{n:03} rdfs:label "Thing {n}" ; x:madeOf x:s{n + 1:03} .' for n in range(250)
    )
    notes: list[str] = []
    made = store_passages(MemoryStore(loaded(lines)), notes, max_subjects=210)
    found = [one async for one in made]
    assert len(found) == 210
    assert found[0].chunk.title == "Thing 0"
    assert "Made of: Thing 1." in found[0].chunk.text
    assert notes == [
        "the store holds neither datasets nor patients; the first 210 of its subjects are indexed"
    ]
    assert not any(one.catalogue for one in found)


async def test_hostile_values_stay_values() -> None:
    store = loaded(
        'x:a a dcat:Dataset ; dct:title "line\\none \\u202E\\u0000 title" ; dct:description "'
        + "word " * 3_000
        + '" ; dct:identifier "a\\" } ; DROP ALL" .\n'
        + "<http://example.org/y/a> a dcat:Dataset .\n"
        + "<http://example.org/y/%0Aoverview> a dcat:Dataset ."
    )
    found = await passages(store)
    assert len({one.chunk.id for one in found}) == len(found)
    for one in found:
        assert "\n" not in one.chunk.title
        assert "\n" not in one.chunk.id
        assert "\u202e" not in one.chunk.title + one.chunk.text
        assert len(one.chunk.title) + 1 + len(one.chunk.text) <= PASSAGE
    assert len([one for one in found if one.chunk.id.startswith("dataset:a")]) > 2


async def test_more_rows_than_are_read_are_asked_for_in_halves() -> None:
    store = loaded("".join(f"x:s{n} x:p {', '.join(map(str, range(30)))} ." for n in range(8)))
    reader = StoreReader(MemoryStore(store), timeout=10, notes=[], most=70)
    query = "SELECT ?thing ?o WHERE { VALUES ?thing { %s } ?thing ?p ?o }"
    iris = [f"http://example.org/x/s{n}" for n in range(8)]
    assert len([row async for row in reader.about(iris, query)]) == 240
    assert reader.notes == []
    few = StoreReader(MemoryStore(store), timeout=10, notes=[], most=20)
    assert len([row async for row in few.about(iris[:2], query)]) == 40
    assert few.notes == [f"of {iri} only 20 values were read" for iri in iris[:2]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://e.org/NotifyDataController", "NotifyDataController (notify data controller)"),
        ("IRBApproval", "IRBApproval (IRB approval)"),
        ("http://e.org/re-identify", "re-identify"),
        ("P6M", "P6M (6 months)"),
        ("P", "P"),
    ],
)
def test_names_with_their_words(text: str, told: str) -> None:
    assert with_meaning(text) == told


lines = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cs"]), max_size=900
)


@settings(max_examples=40)
@given(
    title=st.text("ab", max_size=200),
    fields=st.lists(st.tuples(st.text("ab", max_size=40), st.lists(lines, max_size=6)), max_size=6),
    limit=st.integers(400, 1500),
)
def test_pieces_are_bounded_and_lose_no_word(
    title: str, fields: list[tuple[str, list[str]]], limit: int
) -> None:
    made = list(texts_of_fields(title, fields, limit=limit))
    assert all(len(title) + 1 + len(text) <= limit for text in made)
    # A word may be broken at a border; letter for letter, nothing is lost and the order is kept.
    told = iter("".join(made))
    assert all(
        letter in told
        for _, values in fields
        for letter in "".join("".join(value.split()) for value in values)
    )


async def test_an_endpoint_holds_the_same_passages(tmp_path: Path) -> None:
    """Over a socket: read again each time, indexed once."""
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    held = MemoryStore(
        loaded("""
        x:a a dcat:Dataset ; dct:title "Rivers" . x:b a dcat:Dataset ; dct:title "Lakes" .
        ehds:g { ehds:p1 a fhir:Patient ; fhir:gender "female" . ehds:p2 a fhir:Patient . }""")
    )
    server = asyncio.create_task(serve(held, port=0, ready=started.set_result))
    async with open_store(url=await started) as endpoint:
        near = await open_index(held, tmp_path / "near", Search())
        far = await open_index(endpoint, tmp_path / "far", Search())
        before = sorted((tmp_path / "far").glob("g-*"))
        await open_index(endpoint, tmp_path / "far", Search())
    server.cancel()
    assert await far.catalogue() == await near.catalogue()
    assert await far.search("female patient", 20) == await near.search("female patient", 20) != ()
    assert "endpoint:http://127.0.0.1" in far.identity
    assert sorted((tmp_path / "far").glob("g-*")) == before
