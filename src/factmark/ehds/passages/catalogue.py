"""Reading a catalogue: datasets with all their properties, periods and policies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Literal, cast

from factmark.ehds.passages.describe import POLICY, Dataset
from factmark.ehds.passages.reading import Reader, anywhere
from factmark.ehds.replica.rules import Constraint, Rule
from factmark.stores.terms import Term, local_name

_PAGE = 200
_DATASETS = anywhere("?thing a dcat:Dataset")
_PROPERTIES = (
    "SELECT DISTINCT ?thing ?property ?value WHERE { VALUES ?thing { %s } "
    + anywhere("?thing ?property ?value")
    + " FILTER(!isBlank(?value)) }"
)
_PERIODS = (
    "SELECT DISTINCT ?thing ?start ?end WHERE { VALUES ?thing { %s } "
    + anywhere(
        "?thing dct:temporal ?period OPTIONAL { ?period dcat:startDate ?start } "
        "OPTIONAL { ?period dcat:endDate ?end }"
    )
    + " }"
)
_RULES = (
    "SELECT DISTINCT ?thing ?kind ?rule ?action ?constraint ?left ?operator ?right "
    "WHERE { VALUES ?thing { %s } VALUES ?kind { odrl:permission odrl:prohibition odrl:obligation }"
    + anywhere(
        "?thing ?kind ?rule . ?rule odrl:action ?action OPTIONAL { ?rule odrl:constraint "
        "?constraint OPTIONAL { ?constraint odrl:leftOperand ?left } "
        "OPTIONAL { ?constraint odrl:operator ?operator } "
        "OPTIONAL { ?constraint odrl:rightOperand ?right } }"
    )
    + " }"
)

Kind = Literal["permission", "prohibition", "obligation"]


async def has_datasets(reader: Reader) -> bool:
    """Whether there is any dataset with an IRI."""
    query = f"SELECT ?thing WHERE {{ {_DATASETS} FILTER(isIRI(?thing)) }} LIMIT 1"
    return bool((await reader.rows(query)).rows)


async def datasets(reader: Reader) -> AsyncIterator[Dataset]:
    """The datasets, in the order of their IRIs."""
    rules: dict[str, tuple[Rule, ...]] = {}
    async for page in reader.pages(_DATASETS, _PAGE):
        properties: dict[str, dict[str, list[Term]]] = {one: {} for one in page}
        async for thing, name, term in reader.about(page, _PROPERTIES):
            if thing is not None and name is not None and term is not None:
                properties[thing.value].setdefault(name.value, []).append(term)
        periods: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        async for thing, start, end in reader.about(page, _PERIODS):
            if thing is not None and (start or end):
                periods[thing.value].add((_text(start), _text(end)))
        named = [term.value for one in properties.values() for term in _iris(one)]
        names = await reader.names(named)
        policies = {term.value for one in properties.values() for term in one.get(POLICY, ())}
        rules |= await _rules(reader, sorted(policies - rules.keys()))
        for one, told in properties.items():
            yield Dataset(
                iri=one,
                properties=told,
                names=names,
                periods=sorted(periods[one]),
                policies={term.value: rules.get(term.value, ()) for term in told.get(POLICY, ())},
            )


def _iris(properties: dict[str, list[Term]]) -> list[Term]:
    return [term for terms in properties.values() for term in terms if term.kind == "iri"]


def _text(term: Term | None) -> str:
    return "" if term is None else term.value


async def _rules(reader: Reader, policies: Sequence[str]) -> dict[str, tuple[Rule, ...]]:
    """The rules of some policies; nodes without a name are told apart within one result."""
    actions: dict[tuple[str, str, str, str], dict[tuple[str, str, str], set[str]]] = {}
    async for row in reader.about(policies, _RULES):
        policy, kind, rule, action, constraint, left, operator, right = map(_text, row)
        conditions = actions.setdefault((policy, kind, rule, action), {})
        if left and right:
            conditions.setdefault((constraint, left, operator), set()).add(right)
    found: dict[str, list[Rule]] = {policy: [] for policy in policies}
    for (policy, kind, _, action), conditions in actions.items():
        constraints = tuple(
            Constraint(left=left, operator=operator, right=tuple(sorted(right)))
            for (_, left, operator), right in conditions.items()
        )
        known = cast(Kind, local_name(kind))  # the query asks for these three
        found[policy].append(Rule(kind=known, action=action, constraints=constraints))
    return {policy: tuple(rules) for policy, rules in found.items()}
