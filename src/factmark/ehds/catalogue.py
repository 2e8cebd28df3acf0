"""A store's DCAT catalogue: its datasets with all that is said of them, and their ODRL policies.

It is read once for all who need it: the passages of an index (`factmark.ehds.passages`), and the
tools of the MCP server, which find a dataset by what people call it: forgiving, never guessing.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from factmark.ehds.reader import StoreReader, anywhere, values_of
from factmark.ehds.replica.facts import Constraint, Kind, PolicyRule
from factmark.ehds.replica.writing import EHDS, graph_iri, iri_of
from factmark.errors import InputError
from factmark.stores.terms import Term, local_name
from factmark.text.shown_text import one_line
from factmark.text.words import normalise

LONGEST_TITLE = 200
TITLE = iri_of("dct:title")
POLICY = iri_of("odrl:hasPolicy")
_PAGE = 200
_DATASETS = anywhere("?thing a dcat:Dataset")
_PERIODS = (
    "SELECT DISTINCT ?thing ?start ?end WHERE { VALUES ?thing { %s } "
    + anywhere(
        "?thing dct:temporal ?period OPTIONAL { ?period dcat:startDate ?start } "
        "OPTIONAL { ?period dcat:endDate ?end }"
    )
    + " }"
)
_RULES = (
    "SELECT DISTINCT ?thing ?policy ?kind ?rule ?action ?constraint ?left ?operator ?right WHERE "
    "{ VALUES ?thing { %s } VALUES ?kind { odrl:permission odrl:prohibition odrl:obligation } "
    + anywhere(
        "?thing odrl:hasPolicy ?policy . ?policy ?kind ?rule . ?rule odrl:action ?action "
        "OPTIONAL { ?rule odrl:constraint ?constraint . ?constraint odrl:rightOperand ?right "
        "OPTIONAL { ?constraint odrl:leftOperand ?left } "
        "OPTIONAL { ?constraint odrl:operator ?operator } }"
    )
    + " }"
)
_NEAR = 6  # names that an error lists
_GENERIC = frozenset(
    normalise(
        "synthetic cohort dataset data set patient record the a an of for with and or in on about "
        "study research any all which condition related health care ehds database"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy and its rules, in local names, those of a kind in the order of their text.

    Attributes:
        iri: or `_:` and a label that means something within one reading only.
    """

    iri: str
    rules: tuple[PolicyRule, ...] = ()

    @property
    def name(self) -> str:
        """The local name."""
        if self.iri.startswith("_:"):
            return "unnamed"
        return local_name(self.iri)

    def of(self, kind: Kind) -> tuple[PolicyRule, ...]:
        """The rules of one kind."""
        return tuple(rule for rule in self.rules if rule.kind == kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What a catalogue says of a dataset; its properties are empty where it does not say.

    Attributes:
        properties: the IRI of a property -> its values; those that are blank nodes left out.
        names: what the catalogue calls the things that are values, by their IRIs.
        periods: pairs of a first and a last day; empty where there is none.
    """

    iri: str
    properties: Mapping[str, Sequence[Term]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    periods: Sequence[tuple[str, str]] = ()
    policies: Sequence[Policy] = ()

    def values(self, curie: str) -> list[str]:
        """The different values of a property, in their order."""
        return sorted({term.value.strip() for term in self.properties.get(iri_of(curie), ())})

    def first(self, curie: str) -> str:
        """The first of them; empty where there is none."""
        return next(iter(self.values(curie)), "")

    @property
    def id(self) -> str:
        """The local name without `dataset-`, as that of its graph."""
        return id_part(self.iri).removeprefix("dataset-")

    @property
    def title(self) -> str:
        """The title, or else the local name, as a heading."""
        return heading(self.first("dct:title") or id_part(self.iri))

    @property
    def patients(self) -> int | None:
        """How many patients it is said to have; None where nothing or no number is said."""
        size = self.first("hdcat:populationSize")
        if size.isascii() and size.isdigit() and len(size) < 10:
            return int(size)
        return None

    @property
    def graph(self) -> str:
        """The IRI of the graph with its records, as far as is known."""
        ours = ""
        if self.iri.startswith(EHDS):
            ours = graph_iri(self.id)
        return self.first("hdcat:namedGraph") or ours


def heading(text: str, longest: int = LONGEST_TITLE) -> str:
    """Returns a title on one line, cut to a length."""
    line = one_line(text[: 2 * longest])
    if len(line) <= longest:
        return line
    return line[: longest - 1] + "…"


def id_part(iri: str) -> str:
    """Returns the local name of an IRI as part of an id: one line, bounded, never empty."""
    return heading(local_name(iri)) or "unnamed"


async def read_datasets(reader: StoreReader) -> AsyncIterator[Dataset]:
    """Yields the datasets that have an IRI, in the order of their IRIs; raises a FactmarkError."""
    async for page in reader.pages(_DATASETS, _PAGE):
        described = await reader.properties(page)
        periods: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        async for thing, start, end in reader.about(page, _PERIODS):
            if start or end:
                periods[_text_of(thing)].add((_text_of(start), _text_of(end)))
        rules = await _rules_by_policy(reader, page)
        names = await reader.names(
            term.value for term in values_of(described) if term.kind == "iri"
        )
        for iri, properties in described.items():
            named = {term.value for term in properties.get(POLICY, ())} | rules[iri].keys()
            yield Dataset(
                iri=iri,
                properties=properties,
                names=names,
                periods=sorted(periods[iri]),
                policies=[_policy(policy, rules[iri].get(policy, ())) for policy in sorted(named)],
            )


async def _rules_by_policy(
    reader: StoreReader, iris: Sequence[str]
) -> Mapping[str, Mapping[str, Sequence[PolicyRule]]]:
    """Returns the rules of each policy, per dataset; rules without a name are told apart in one
    result.
    """
    conditions: dict[tuple[str, ...], dict[tuple[str, str, str], set[str]]] = {}
    async for row in reader.about(iris, _RULES):
        thing, policy, kind, rule, action, constraint, left, operator, right = row
        if policy and policy.kind == "bnode":
            label = f"_:{policy.value}"
        else:
            label = _text_of(policy)
        place = (_text_of(thing), label, _name_of(kind), _text_of(rule), _name_of(action))
        operands = conditions.setdefault(place, {})
        if right is not None:
            name = (_text_of(constraint), _name_of(left), _name_of(operator))
            operands.setdefault(name, set()).add(_name_of(right))
    rules: dict[str, dict[str, list[PolicyRule]]] = {iri: {} for iri in iris}
    for (iri, named, form, _, act), operands in conditions.items():
        constraints = [
            Constraint(left=subject, operator=relation, right=tuple(sorted(values)))
            for (_, subject, relation), values in operands.items()
        ]
        constraints.sort(key=lambda constraint: constraint.text)
        rules[iri].setdefault(named, []).append(
            PolicyRule(kind=cast(Kind, form), action=act, constraints=tuple(constraints))
        )
    return rules


def _policy(iri: str, rules: Sequence[PolicyRule]) -> Policy:
    """Returns a policy with its rules, by kind and then by their text."""
    return Policy(iri=iri, rules=tuple(sorted(rules, key=lambda rule: (rule.kind, rule.text))))


def _text_of(term: Term | None) -> str:
    """Returns a term's text; empty without a term."""
    if term is None:
        return ""
    return term.value


def _name_of(term: Term | None) -> str:
    """Returns a term as people say it; empty without a term."""
    if term is None:
        return ""
    return value_name(term)


def value_name(term: Term) -> str:
    """Returns a value as people say it: an IRI by its local name, a literal as it is."""
    if term.kind == "iri":
        return local_name(term.value)
    return term.value


def dataset_named(datasets: Sequence[Dataset], text: str) -> Dataset:
    """Returns the dataset that an id, an IRI, a title or a distinctive part of one means.

    Raises:
        InputError: none is meant, or several could be; lists near names.
    """
    wanted = text.strip()
    exact = [dataset for dataset in datasets if wanted in (dataset.iri, dataset.id, dataset.title)]
    if len(exact) == 1:
        return exact[0]
    words = _distinctive_words(local_name(wanted) if "://" in wanted else wanted)
    same = [dataset for dataset in datasets if words and words in _names_in_words(dataset)]
    within = []
    for dataset in datasets:
        if words and set(words) <= set(_distinctive_words(dataset.title)):
            within.append(dataset)
    likely = same or within
    if len(likely) == 1:
        return likely[0]
    if likely:
        names = ", ".join(f"{dataset.id} ({dataset.title})" for dataset in likely[:_NEAR])
        raise InputError(f"{wanted[:80]!r} may mean several datasets: {names}. Name one by its id.")
    near = ", ".join(_similar_ids(datasets, wanted[:200])[:_NEAR])
    raise InputError(
        f"there is no dataset {wanted[:80]!r}.{f' Near names: {near}.' if near else ''} "
        f"ehds_list_datasets lists all {len(datasets)}."
    )


def _similar_ids(datasets: Sequence[Dataset], text: str) -> list[str]:
    """Returns the ids of datasets with a similar name, then of those that hold the words."""
    by_name = {}
    for dataset in datasets:
        for name in (dataset.id, dataset.title):
            by_name[name.casefold()] = dataset
    close = difflib.get_close_matches(text.casefold(), list(by_name), n=_NEAR, cutoff=0.5)
    matches = [by_name[name] for name in close] + [
        dataset for dataset, _ in search_datasets(datasets, text)
    ]
    return list(dict.fromkeys(dataset.id for dataset in matches))


def search_datasets(datasets: Sequence[Dataset], text: str) -> list[tuple[Dataset, list[str]]]:
    """Returns the datasets that hold most of the words, best first, each with the words that it
    holds.

    A word in a title counts more than one in the keywords, and that more than one in the
    description. Without any distinctive word nothing is found.
    """
    wanted = dict.fromkeys(_distinctive_words(text))
    hits = []
    for dataset in datasets:
        codes = dataset.values("hdcat:healthCategory")
        places = (
            (4, {*_distinctive_words(dataset.title), *_distinctive_words(dataset.id)}),
            (2, set(_distinctive_words(" ".join(dataset.values("dcat:keyword"))))),
            (1, set(_distinctive_words(" ".join((*dataset.values("dct:description"), *codes))))),
        )
        held = []
        for word in wanted:
            if any(word in words for _, words in places):
                held.append(word)
        score = sum(weight for weight, words in places for word in wanted if word in words)
        if held:
            hits.append((-len(held), -score, dataset.title.casefold(), dataset, held))
    hits.sort(key=lambda row: row[:3])
    return [(dataset, held) for *_, dataset, held in hits]


def _names_in_words(dataset: Dataset) -> tuple[tuple[str, ...], ...]:
    """Returns the distinctive words of each name that a dataset has: id, title, local name."""
    return (
        _distinctive_words(dataset.id),
        _distinctive_words(dataset.title),
        _distinctive_words(local_name(dataset.iri)),
    )


def _distinctive_words(text: str) -> tuple[str, ...]:
    """Returns the distinctive words of a text, inflection and apostrophes dropped."""
    plain = text.replace("'s", "s").replace("’s", "s").replace("_", " ")
    return tuple(word for word in normalise(plain) if word not in _GENERIC)
