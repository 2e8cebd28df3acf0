"""Which dataset a name means: every dataset of the replica under each of its names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.ehds.mcp_server.catalogue import Dataset
from factmark.ehds.mcp_server.naming import dataset_named, search
from factmark.ehds.replica.descriptions import DESCRIPTIONS, KEYWORDS
from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.namespaces import EHDS
from factmark.errors import InputError

DATASETS = tuple(
    Dataset(
        iri=f"{EHDS}dataset-{cohort.id}",
        id=cohort.id,
        title=cohort.title,
        description=DESCRIPTIONS[cohort.id],
        keywords=KEYWORDS[cohort.id],
    )
    for cohort in COHORTS
)


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda one: one.id)
def test_each_name_means_its_dataset(dataset: Dataset) -> None:
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
