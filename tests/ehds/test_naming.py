"""Which dataset a name means: every dataset of the replica under each of its names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factmark.ehds.catalogue import Dataset
from factmark.ehds.mcp_server.naming import dataset_named, search
from factmark.ehds.replica.facts import COHORTS, Cohort
from factmark.ehds.replica.writing import EHDS, iri_of
from factmark.errors import InputError
from factmark.stores.terms import Term


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


def test_each_name_means_its_dataset() -> None:
    for dataset in DATASETS:
        short = dataset.title.removeprefix("Synthetic ").removesuffix(" Cohort")
        for name in (
            dataset.id,
            f"dataset-{dataset.id}",
            dataset.id.replace("-", " "),
            dataset.id.replace("-", "_").upper(),
            dataset.iri,
            dataset.title,
            short,
            short.lower(),
            f"the {short} cohort",
            f"patients with {short}",
        ):
            assert dataset_named(DATASETS, name) == dataset, name


def test_prediabetes_is_not_diabetes() -> None:
    assert dataset_named(DATASETS, "prediabetes").id == "prediabetes"
    assert dataset_named(DATASETS, "diabetes").id == "diabetes"


@given(st.text(max_size=40))
def test_any_text_means_a_dataset_or_is_told(text: str) -> None:
    """Never a guess: what is found shares a distinctive word with what was asked for."""
    try:
        found = dataset_named(DATASETS, text)
    except InputError:
        pass
    else:
        assert text.strip() in (found.iri, found.id, found.title) or search([found], text)


@given(st.lists(st.sampled_from([word for one in DATASETS for word in one.title.split()])))
def test_a_search_is_ordered_by_the_words_that_are_held(words: list[str]) -> None:
    found = search(DATASETS, " ".join(words))
    counts = [len(held) for _, held in found]
    assert counts == sorted(counts, reverse=True)
    assert len({dataset.id for dataset, _ in found}) == len(found)
