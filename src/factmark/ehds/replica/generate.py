"""The whole replica as a stream of text, graph by graph, the catalogue first.

The catalogue has 30 datasets described with HealthDCAT-AP and eight ODRL policies; 944 triples.
Only datasets carry `dct:title`, `dct:description` and `dct:license`, so that a query need not name
their class. There is no `hdcat:namedGraph`, as in the published catalogue, and the patients' own
policy is not described here: the catalogue defines exactly eight.
"""

from __future__ import annotations

from collections.abc import Iterator

from factmark.ehds.replica.clinical import CohortWriter
from factmark.ehds.replica.facts import (
    COHORTS,
    DATA_STANDARD,
    LICENCE,
    POLICIES,
    Cohort,
    PolicyRule,
    UsagePolicy,
)
from factmark.ehds.replica.patients import assign_patients
from factmark.ehds.replica.plan import ReplicaPlan
from factmark.ehds.replica.writing import (
    CATALOGUE_GRAPH,
    Writer,
    graph_iri,
    text_literal,
)

_POLICY_OF = {policy.id: policy for policy in POLICIES}
_LINKS = {
    "permission": "odrl:Permission",
    "prohibition": "odrl:Prohibition",
    "obligation": "odrl:Duty",
}
_PUBLISHER = "ehds:replica"
_AUTHORITY = "http://publications.europa.eu/resource/authority"
_LANGUAGE = f"<{_AUTHORITY}/language/ENG>"


def graphs(plan: ReplicaPlan, *, quads: bool = True) -> Iterator[tuple[str, Iterator[str]]]:
    """Yields the IRI of each graph with its triples, a piece of text per thing: a patient, a
    policy, ...

    The empty dementia cohort is left out: no syntax for triples can hold an empty graph.

    Args:
        quads: whether each triple names its graph.
    """

    def writer(graph: str) -> Writer:
        return Writer(end=f" <{graph}> .\n" if quads else " .\n")

    yield CATALOGUE_GRAPH, _catalogue_texts(writer(CATALOGUE_GRAPH))
    members = assign_patients(plan.seed)
    for cohort in COHORTS:
        if cohort.patients:
            graph = graph_iri(cohort.id)
            clinical = CohortWriter(
                cohort,
                members[cohort.id],
                plan.counts[cohort.id],
                seed=plan.seed,
                writer=writer(graph),
            )
            yield graph, clinical.resources()


def nquads(plan: ReplicaPlan) -> Iterator[str]:
    """Yields the replica as N-Quads, piece by piece."""
    return (text for _, texts in graphs(plan) for text in texts)


def trig(plan: ReplicaPlan) -> Iterator[str]:
    """Yields the replica as TriG, piece by piece."""
    for graph, texts in graphs(plan, quads=False):
        yield f"<{graph}> {{\n"
        yield from texts
        yield "}\n"
    for cohort in COHORTS:
        if not cohort.patients:
            yield f"<{graph_iri(cohort.id)}> {{}}\n"


def _catalogue_texts(writer: Writer) -> Iterator[str]:
    """Yields the catalogue's triples, a piece of text per thing described.

    The last dataset comes first: pyoxigraph's memory store iterates from the newest quad to the
    oldest, so a query without an order sees the datasets in the published table's order.
    """
    yield writer.triples(
        writer.iri("ehds:catalogue"),
        ("rdf:type", writer.iri("dcat:Catalog")),
        ("rdfs:label", text_literal("Synthetic health data space")),
        ("dct:language", _LANGUAGE),
        ("dct:publisher", writer.iri(_PUBLISHER)),
        *(("dcat:dataset", writer.iri(f"ehds:dataset-{cohort.id}")) for cohort in COHORTS),
    ) + writer.triples(
        writer.iri(_PUBLISHER),
        ("rdf:type", writer.iri("foaf:Agent")),
        ("foaf:name", text_literal("factmark: a replica generated from published figures")),
    )
    for cohort in reversed(COHORTS):
        yield _dataset_triples(cohort, writer)
    for policy in POLICIES:
        yield _policy_triples(policy, writer)


def _dataset_triples(cohort: Cohort, writer: Writer) -> str:
    """Returns the triples that describe a dataset."""
    policy = _POLICY_OF[cohort.policy]
    period = f"_:t{COHORTS.index(cohort)}"
    return writer.triples(
        writer.iri(f"ehds:dataset-{cohort.id}"),
        ("rdf:type", writer.iri("dcat:Dataset")),
        ("dct:title", text_literal(cohort.title)),
        ("dct:description", text_literal(cohort.description)),
        ("dct:identifier", text_literal(cohort.id)),
        ("dct:publisher", writer.iri(_PUBLISHER)),
        ("dct:language", _LANGUAGE),
        ("dct:accessRights", f"<{_AUTHORITY}/access-right/NON_PUBLIC>"),
        ("dct:license", f"<{LICENCE}>"),
        ("dct:temporal", period),
        ("dcat:theme", f"<{_AUTHORITY}/data-theme/HEAL>"),
        ("hdcat:populationSize", writer.typed(cohort.patients, "integer")),
        ("hdcat:healthCategory", writer.iri(f"snomed:{cohort.snomed}")),
        ("hdcat:dataStandard", text_literal(DATA_STANDARD)),
        ("odrl:hasPolicy", writer.iri(f"ehds:{policy.name}")),
        *(("dcat:keyword", text_literal(word)) for word in cohort.keywords),
    ) + writer.triples(
        period,
        ("rdf:type", writer.iri("dct:PeriodOfTime")),
        ("dcat:startDate", writer.typed(policy.start, "date")),
        ("dcat:endDate", writer.typed(policy.end, "date")),
    )


def _policy_triples(policy: UsagePolicy, writer: Writer) -> str:
    """Returns the triples of a policy and its rules."""
    iri = writer.iri(f"ehds:{policy.name}")
    text = writer.triples(
        iri,
        ("rdf:type", writer.iri("odrl:Policy")),
        ("rdf:type", writer.iri("odrl:Set")),
        ("odrl:uid", iri),
    )
    for number, rule in enumerate(policy.rules):
        node = f"_:{policy.id.lower()}r{number}"
        text += writer.triples(iri, (f"odrl:{rule.kind}", node)) + _rule_triples(rule, node, writer)
    return text


def _rule_triples(rule: PolicyRule, node: str, writer: Writer) -> str:
    """Returns the triples of a rule and its conditions."""
    text = writer.triples(
        node,
        ("rdf:type", writer.iri(_LINKS[rule.kind])),
        ("odrl:action", writer.iri(rule.action)),
    )
    for number, constraint in enumerate(rule.constraints):
        inner = f"{node}c{number}"
        text += writer.triples(node, ("odrl:constraint", inner)) + writer.triples(
            inner,
            ("rdf:type", writer.iri("odrl:Constraint")),
            ("odrl:leftOperand", writer.iri(constraint.left)),
            ("odrl:operator", writer.iri(constraint.operator)),
            *(("odrl:rightOperand", _operand_term(right, writer)) for right in constraint.right),
        )
    return text


def _operand_term(right: str, writer: Writer) -> str:
    """Returns a right operand as a term: a CURIE, or an ISO 8601 duration."""
    if ":" in right:
        return writer.iri(right)
    return writer.typed(right, "duration")
