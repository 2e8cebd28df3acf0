"""Which dataset or value is meant, which datasets a search finds. Forgiving, never guessing."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from factmark.ehds.catalogue import Dataset
from factmark.errors import InputError
from factmark.stores.terms import Term, local_name
from factmark.text.words import normalise

_NEAR = 6
_SHOWN = 80
_GENERIC = frozenset(
    word
    for text in (
        "synthetic cohort dataset data set patient record the a an of for with and or in on about "
        "study research any all which condition related health care ehds database"
    ).split()
    for word in normalise(text)
)


def dataset_named(datasets: Sequence[Dataset], text: str) -> Dataset:
    """The dataset that an id, an IRI, a title or a distinctive part of one means.

    Raises:
        InputError: none is meant, or several could be; lists near names.
    """
    wanted = text.strip()
    exact = [dataset for dataset in datasets if wanted in (dataset.iri, dataset.id, dataset.title)]
    if len(exact) == 1:
        return exact[0]
    words = _words(local_name(wanted) if "://" in wanted else wanted)
    same = [dataset for dataset in datasets if words and words in _keys(dataset)]
    if len(same) == 1:
        return same[0]
    within = [dataset for dataset in datasets if words and set(words) <= set(_words(dataset.title))]
    if len(within) == 1 and not same:
        return within[0]
    raise InputError(_unknown(datasets, wanted, same or within))


def search(datasets: Sequence[Dataset], text: str) -> list[tuple[Dataset, tuple[str, ...]]]:
    """The datasets that hold most of the words, best first, each with the words that it holds.

    A word in a title counts more than one in the keywords, and that more than one in the
    description. Without any distinctive word nothing is found.
    """
    wanted = tuple(dict.fromkeys(_words(text)))
    hits = []
    for dataset in datasets:
        codes = dataset.values("hdcat:healthCategory")
        places = (
            (4, {*_words(dataset.title), *_words(dataset.id)}),
            (2, set(_words(" ".join(dataset.values("dcat:keyword"))))),
            (1, set(_words(" ".join((*dataset.values("dct:description"), *codes))))),
        )
        held = tuple(word for word in wanted if any(word in words for _, words in places))
        score = sum(weight for weight, words in places for word in wanted if word in words)
        if held:
            hits.append((-len(held), -score, dataset.title.casefold(), dataset, held))
    hits.sort(key=lambda row: row[:3])
    return [(dataset, held) for *_, dataset, held in hits]


def _keys(dataset: Dataset) -> tuple[tuple[str, ...], ...]:
    return (_words(dataset.id), _words(dataset.title), _words(local_name(dataset.iri)))


def _words(text: str) -> tuple[str, ...]:
    """The distinctive words of a text, inflection and apostrophes dropped."""
    plain = text.replace("'s", "s").replace("’s", "s").replace("_", " ")
    return tuple(word for word in normalise(plain) if word not in _GENERIC)


def _unknown(datasets: Sequence[Dataset], text: str, several: Sequence[Dataset]) -> str:
    shown = text[:_SHOWN]
    if several:
        names = ", ".join(f"{dataset.id} ({dataset.title})" for dataset in several[:_NEAR])
        return f"{shown!r} may mean several datasets: {names}. Name one by its id."
    by_name = {
        name.casefold(): dataset for dataset in datasets for name in (dataset.id, dataset.title)
    }
    close = difflib.get_close_matches(text[:200].casefold(), list(by_name), n=_NEAR, cutoff=0.5)
    near = list(dict.fromkeys(by_name[name].id for name in close))
    near += [dataset.id for dataset, _ in search(datasets, text[:200]) if dataset.id not in near]
    hint = f" Near names: {', '.join(near[:_NEAR])}." if near else ""
    return f"there is no dataset {shown!r}.{hint} ehds_list_datasets lists all {len(datasets)}."


def value_name(term: Term) -> str:
    """A value as the tools tell it: an IRI by its local name."""
    return local_name(term.value) if term.kind == "iri" else term.value


def flag_name(term: Term) -> str:
    """A value as people say it: `no-ai-training` for an IRI that ends in `policy-...` of that."""
    return value_name(term).removeprefix("policy-").removeprefix("patient-")


def is_meant(asked: str, term: Term) -> bool:
    """Whether a text is the value: its IRI, its local name or the end of it, in any spelling."""
    text = asked.strip()
    if text == term.value:
        return True
    spelt = _plain(local_name(text) if "://" in text else text.rpartition(":")[2])
    return bool(spelt) and spelt in {_plain(flag_name(term)), _plain(value_name(term))}


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())
