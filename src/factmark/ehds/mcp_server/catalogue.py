"""The datasets and policies that a store's DCAT catalogue describes, read for the MCP tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from factmark.ehds.mcp_server import queries as queries
from factmark.ehds.replica.namespaces import EHDS, NAMESPACES, graph_iri
from factmark.stores.store import Store
from factmark.stores.terms import Rows, Term, local_name

SECONDS = 20.0  # for one query of a tool
_MOST = 100_000  # rows of a catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A constraint of a rule, in local names."""

    left: str
    operator: str
    right: tuple[str, ...]

    @property
    def text(self) -> str:
        """As people read it."""
        return f"{self.left or 'value'} {self.operator or 'eq'} {' or '.join(self.right)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of a policy; `kind` is permission, prohibition or obligation."""

    kind: str
    action: str
    conditions: tuple[Condition, ...] = ()

    @property
    def text(self) -> str:
        """As people read it."""
        when = " and ".join(condition.text for condition in self.conditions)
        return f"{self.action} when {when}" if when else self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy and its rules, those of a kind in the order of their text."""

    iri: str
    rules: tuple[Rule, ...] = ()

    @property
    def name(self) -> str:
        """The local name."""
        return local_name(self.iri)

    def of(self, kind: str) -> tuple[Rule, ...]:
        """The rules of one kind."""
        return tuple(rule for rule in self.rules if rule.kind == kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset as its catalogue describes it; empty where it does not say.

    Attributes:
        id: the local name without `dataset-`.
        categories: IRIs of the conditions that it is about.
        policies: IRIs.
        graph: the IRI of the graph with its records, as far as is known.
    """

    iri: str
    id: str
    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    patients: int | None = None
    categories: tuple[str, ...] = ()
    standards: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    graph: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All datasets, by title, and their policies, by name."""

    datasets: tuple[Dataset, ...]
    policies: tuple[Policy, ...]


async def read_catalogue(store: Store) -> Catalogue:
    """Reads the catalogue of a store; raises a FactmarkError."""
    about = await store.query(queries.datasets(), timeout=SECONDS, max_rows=_MOST)
    periods = await store.query(queries.periods(), timeout=SECONDS, max_rows=_MOST)
    rules = await store.query(queries.rules(), timeout=SECONDS, max_rows=_MOST)
    datasets = _datasets(about, periods)
    named = {iri for dataset in datasets for iri in dataset.policies}
    return Catalogue(datasets=datasets, policies=_policies(rules, named))


def _datasets(about: Rows, periods: Rows) -> tuple[Dataset, ...]:
    said: dict[str, dict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
    for dataset, predicate, value in about.rows:
        if dataset and predicate and value and dataset.kind == "iri":
            said[dataset.value][local_name(predicate.value)].append(value)
    spans = {row[0].value: row[1:] for row in periods.rows if row[0]}
    found = [_dataset(iri, facts, spans.get(iri, ())) for iri, facts in said.items()]
    return tuple(sorted(found, key=lambda one: (one.title.casefold(), one.iri)))


def _dataset(iri: str, facts: dict[str, list[Term]], span: Iterable[Term | None]) -> Dataset:
    def values(name: str) -> tuple[str, ...]:
        return tuple(sorted({term.value.strip() for term in facts.get(name, ())}))

    def first(name: str) -> str:
        return next(iter(values(name)), "")

    start, end = (*(term.value if term else "" for term in span), "", "")[:2]
    size = first("populationSize")
    identifier = local_name(iri).removeprefix("dataset-")
    return Dataset(
        iri=iri,
        id=identifier,
        title=first("title") or identifier,
        description=first("description"),
        keywords=values("keyword"),
        patients=int(size) if size.isdecimal() else None,
        categories=values("healthCategory"),
        standards=values("dataStandard"),
        licences=values("license"),
        policies=values("hasPolicy"),
        start=start,
        end=end,
        graph=first("namedGraph") or (graph_iri(identifier) if iri.startswith(EHDS) else ""),
    )


def _policies(rows: Rows, named: set[str]) -> tuple[Policy, ...]:
    """Policies from the rows of their rules; one that has no rules is there all the same."""
    operands: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
    for cells in rows.rows:
        policy, kind, rule, action, *condition, right = (
            "" if cell is None else cell.value for cell in cells
        )
        conditions = operands.setdefault((policy, local_name(kind), rule, local_name(action)), {})
        if right:
            conditions.setdefault(tuple(condition), []).append(local_name(right))
    rules: dict[str, list[Rule]] = {iri: [] for iri in named}
    for (policy, kind, _, action), conditions in operands.items():
        rules.setdefault(policy, []).append(_rule(kind, action, conditions))
    return tuple(
        Policy(iri=iri, rules=tuple(sorted(rules[iri], key=lambda rule: (rule.kind, rule.text))))
        for iri in sorted(rules)
    )


def _rule(kind: str, action: str, conditions: dict[tuple[str, ...], list[str]]) -> Rule:
    found = [
        Condition(
            left=local_name(left),
            operator=local_name(operator),
            right=tuple(sorted(set(right))),
        )
        for (_, left, operator), right in conditions.items()
    ]
    return Rule(
        kind=kind,
        action=action,
        conditions=tuple(sorted(found, key=lambda condition: condition.text)),
    )


def shown_code(iri: str) -> str:
    """A coded condition as people write it: `SNOMED CT 44054006`."""
    base = NAMESPACES["snomed"]
    return f"SNOMED CT {iri.removeprefix(base)}" if iri.startswith(base) else iri
