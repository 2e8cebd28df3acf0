"""A store's DCAT catalogue: its datasets with all that is said of them, and their ODRL policies.

It is read once for all who need it: the passages of an index (`factmark.ehds.passages`), and the
tools of the MCP server.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from factmark.ehds.reader import StoreReader, anywhere
from factmark.ehds.replica.facts import Constraint, Kind, PolicyRule
from factmark.ehds.replica.writing import EHDS, graph_iri, iri_of
from factmark.stores.terms import Term, local_name
from factmark.tables.shown_text import one_line

LONGEST_TITLE = 200
TITLE, POLICY = iri_of("dct:title"), iri_of("odrl:hasPolicy")
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
        return "unnamed" if self.iri.startswith("_:") else local_name(self.iri)

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
        policies: by their IRIs.
    """

    iri: str
    properties: Mapping[str, Sequence[Term]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    periods: Sequence[tuple[str, str]] = ()
    policies: Sequence[Policy] = ()

    def values(self, curie: str) -> tuple[str, ...]:
        """The different values of a property, in their order."""
        terms = self.properties.get(iri_of(curie), ())
        return tuple(sorted({term.value.strip() for term in terms}))

    def first(self, curie: str) -> str:
        """The first of them; empty where there is none."""
        return next(iter(self.values(curie)), "")

    @property
    def id(self) -> str:
        """The local name without `dataset-`, as that of its graph."""
        return key(self.iri).removeprefix("dataset-")

    @property
    def title(self) -> str:
        """As people read it."""
        return heading(self.first("dct:title") or key(self.iri))

    @property
    def patients(self) -> int | None:
        """How many patients it is said to have; None where nothing or no number is said."""
        size = self.first("hdcat:populationSize")
        return int(size) if size.isascii() and size.isdigit() and len(size) < 10 else None

    @property
    def graph(self) -> str:
        """The IRI of the graph with its records, as far as is known."""
        ours = graph_iri(self.id) if self.iri.startswith(EHDS) else ""
        return self.first("hdcat:namedGraph") or ours


def heading(text: str) -> str:
    """A title on one line, cut."""
    line = one_line(text[: 2 * LONGEST_TITLE])
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"


def key(iri: str) -> str:
    """The local name of an IRI as part of an id: one line, bounded, never empty."""
    return heading(local_name(iri)) or "unnamed"


async def read_datasets(reader: StoreReader) -> AsyncIterator[Dataset]:
    """The datasets that have an IRI, in the order of their IRIs; raises a FactmarkError."""
    async for page in reader.pages(_DATASETS, _PAGE):
        described = await reader.properties(page)
        periods = await _periods(reader, page)
        rules = await _rules(reader, page)
        values = (
            term
            for properties in described.values()
            for terms in properties.values()
            for term in terms
        )
        names = await reader.names([term.value for term in values if term.kind == "iri"])
        for iri, properties in described.items():
            named = {term.value for term in properties.get(POLICY, ())} | rules[iri].keys()
            yield Dataset(
                iri=iri,
                properties=properties,
                names=names,
                periods=sorted(periods[iri]),
                policies=[
                    Policy(iri=policy, rules=rules[iri].get(policy, ())) for policy in sorted(named)
                ],
            )


async def _periods(reader: StoreReader, iris: Sequence[str]) -> Mapping[str, set[tuple[str, str]]]:
    periods: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    async for thing, start, end in reader.about(iris, _PERIODS):
        if thing is not None and (start or end):
            periods[thing.value].add((_text(start), _text(end)))
    return periods


async def _rules(
    reader: StoreReader, iris: Sequence[str]
) -> Mapping[str, Mapping[str, tuple[PolicyRule, ...]]]:
    """Per dataset the rules of each policy; rules without a name are told apart in one result."""
    conditions: dict[tuple[str, ...], dict[tuple[str, str, str], set[str]]] = {}
    async for row in reader.about(iris, _RULES):
        thing, policy, kind, rule, action, constraint, left, operator, right = row
        place = (_text(thing), _label(policy), _name(kind), _text(rule), _name(action))
        operands = conditions.setdefault(place, {})
        if right is not None:
            name = (_text(constraint), _name(left), _name(operator))
            operands.setdefault(name, set()).add(_name(right))
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
    return {
        iri: {policy: _sorted(rules) for policy, rules in policies.items()}
        for iri, policies in rules.items()
    }


def _sorted(rules: Sequence[PolicyRule]) -> tuple[PolicyRule, ...]:
    return tuple(sorted(rules, key=lambda rule: (rule.kind, rule.text)))


def _text(term: Term | None) -> str:
    return "" if term is None else term.value


def _label(term: Term | None) -> str:
    return f"_:{_text(term)}" if term is not None and term.kind == "bnode" else _text(term)


def _name(term: Term | None) -> str:
    """An IRI's local name, or a literal as it is."""
    return local_name(_text(term)) if term is not None and term.kind == "iri" else _text(term)
