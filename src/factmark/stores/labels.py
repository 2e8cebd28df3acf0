"""The labels of IRIs: what people call a thing whose IRI is a number, as Wikidata's are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from factmark.stores.store import Store
from factmark.stores.terms import Rows, Term

ENGLISH = "en"
NO_LABELS = "none"
LABELS = (
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2000/01/rdf-schema#label",
)
OTHER_LABELS = (
    *LABELS,
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
    "https://schema.org/alternateName",
    "http://schema.org/alternateName",
)
_MOST_LABELS = 50  # other labels of an IRI
_BATCH = 200  # IRIs in one query: short enough for every endpoint
_IRI = re.compile(
    r"[^\x00-\x20<>\"{}|^`\\]{1,250}"
)  # what may stand in a query, and is not endless


def iris_of(rows: Rows) -> tuple[str, ...]:
    """Returns the distinct IRIs in a result, in its order."""
    terms = (term for row in rows.rows for term in row if term is not None)
    return tuple(dict.fromkeys(term.value for term in terms if term.kind == "iri"))


async def labels_of(
    iris: Iterable[str], store: Store, language: str = ENGLISH, *, timeout: float = 60.0
) -> dict[str, str]:
    """Returns IRI -> its skos:prefLabel, else its rdfs:label; IRIs without one are left out.

    A label in the language comes before one in a dialect of it, and that before one that names no
    language; labels in other languages do not count. Of several the first in the alphabet is taken.

    Raises:
        FactmarkError: the store cannot be asked.
    """
    usable = [iri for iri in iris if _IRI.fullmatch(iri)]
    labels: dict[str, tuple[int, int, str]] = {}
    for start in range(0, len(usable), _BATCH):
        query = _query(usable[start : start + _BATCH], LABELS)
        rows = await store.query(query, timeout=timeout)
        for iri, candidate in _candidates(rows, language):
            labels[iri] = min(candidate, labels.get(iri, candidate))
    return {iri: text for iri, (_, _, text) in labels.items()}


async def other_labels_of(
    iris: Iterable[str], store: Store, language: str = ENGLISH, *, timeout: float = 60.0
) -> dict[str, tuple[str, ...]]:
    """Returns IRI -> what else it is called: its labels, alternative labels and exact synonyms in
    a language or in none, in the order of the alphabet; IRIs without any are left out.

    Raises:
        FactmarkError: the store cannot be asked.
    """
    usable = [iri for iri in iris if _IRI.fullmatch(iri)]
    names: dict[str, set[str]] = {}
    for start in range(0, len(usable), _BATCH):
        query = _query(usable[start : start + _BATCH], OTHER_LABELS)
        for iri, _, label in (await store.query(query, timeout=timeout)).rows:
            if iri is None or label is None or label.kind != "literal":
                continue
            text = " ".join(label.value.split())
            if text and _rank(label, language) is not None:
                names.setdefault(iri.value, set()).add(text)
    return {iri: tuple(sorted(texts)[:_MOST_LABELS]) for iri, texts in names.items()}


def _query(iris: Iterable[str], names: Iterable[str]) -> str:
    """Returns the query for what some properties say of some IRIs."""
    values, properties = (" ".join(f"<{iri}>" for iri in each) for each in (iris, names))
    return (
        f"SELECT ?iri ?property ?label WHERE {{ VALUES ?iri {{ {values} }} "
        f"VALUES ?property {{ {properties} }} ?iri ?property ?label }}"
    )


def _candidates(rows: Rows, language: str) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Yields the IRI of each label that counts, with what labels are ordered by: the text itself
    last.
    """
    for iri, name, label in rows.rows:
        if iri is None or name is None or label is None or label.kind != "literal":
            continue
        rank = _rank(label, language)
        text = " ".join(label.value.split())
        if rank is not None and text:
            yield iri.value, (rank, LABELS.index(name.value), text)


def _rank(label: Term, language: str) -> int | None:
    """Returns how well the language of a label fits, 0 for best; None for another language."""
    wanted = language.lower()
    tag = (label.language or "").lower()
    ranks: Mapping[str, int] = {wanted: 0, "": 2}
    if tag.startswith(f"{wanted}-"):
        return 1
    return ranks.get(tag)
