"""The catalogue graph: 30 datasets described with HealthDCAT-AP, eight ODRL policies; 944 triples.

Only datasets carry `dct:title`, `dct:description` and `dct:license`, so that a query need not name
their class. There is no `hdcat:namedGraph`, as in the published catalogue, and the patients' own
policy is not described here: the catalogue defines exactly eight.
"""

from __future__ import annotations

from collections.abc import Iterator

from factmark.ehds.replica.descriptions import DESCRIPTIONS, KEYWORDS
from factmark.ehds.replica.facts import COHORTS, DATA_STANDARD, LICENCE, POLICIES, Cohort, Policy
from factmark.ehds.replica.rules import RULES, Constraint, Rule
from factmark.ehds.replica.syntax import text_literal
from factmark.ehds.replica.writing import Writer

_POLICY_OF = {policy.id: policy for policy in POLICIES}
_LINKS = {
    "permission": "odrl:Permission",
    "prohibition": "odrl:Prohibition",
    "obligation": "odrl:Duty",
}
_PUBLISHER = "ehds:replica"
_LANGUAGE = "<http://publications.europa.eu/resource/authority/language/ENG>"
_HEALTH = "<http://publications.europa.eu/resource/authority/data-theme/HEAL>"
_NON_PUBLIC = "<http://publications.europa.eu/resource/authority/access-right/NON_PUBLIC>"


def catalogue(writer: Writer) -> Iterator[str]:
    """The catalogue's triples, a piece of text per thing described.

    The last dataset comes first: pyoxigraph's memory store iterates from the newest quad to the
    oldest, so a query without an order sees the datasets in the published table's order.
    """
    yield _catalogue_record(writer)
    for cohort in reversed(COHORTS):
        yield _dataset(cohort, writer)
    for policy in POLICIES:
        yield _policy(policy, writer)


def _catalogue_record(writer: Writer) -> str:
    datasets = [("dcat:dataset", writer.iri(f"ehds:dataset-{cohort.id}")) for cohort in COHORTS]
    return writer.triples(
        writer.iri("ehds:catalogue"),
        ("rdf:type", writer.iri("dcat:Catalog")),
        ("rdfs:label", text_literal("Synthetic health data space")),
        ("dct:language", _LANGUAGE),
        ("dct:publisher", writer.iri(_PUBLISHER)),
        *datasets,
    ) + writer.triples(
        writer.iri(_PUBLISHER),
        ("rdf:type", writer.iri("foaf:Agent")),
        ("foaf:name", text_literal("factmark: a replica generated from published figures")),
    )


def _dataset(cohort: Cohort, writer: Writer) -> str:
    policy, period = _POLICY_OF[cohort.policy], f"_:t{COHORTS.index(cohort)}"
    keywords = [("dcat:keyword", text_literal(word)) for word in KEYWORDS[cohort.id]]
    return writer.triples(
        writer.iri(f"ehds:dataset-{cohort.id}"),
        ("rdf:type", writer.iri("dcat:Dataset")),
        ("dct:title", text_literal(cohort.title)),
        ("dct:description", text_literal(DESCRIPTIONS[cohort.id])),
        ("dct:identifier", text_literal(cohort.id)),
        ("dct:publisher", writer.iri(_PUBLISHER)),
        ("dct:language", _LANGUAGE),
        ("dct:accessRights", _NON_PUBLIC),
        ("dct:license", f"<{LICENCE}>"),
        ("dct:temporal", period),
        ("dcat:theme", _HEALTH),
        ("hdcat:populationSize", writer.syntax.typed(cohort.patients, "integer")),
        ("hdcat:healthCategory", writer.iri(f"snomed:{cohort.snomed}")),
        ("hdcat:dataStandard", text_literal(DATA_STANDARD)),
        ("odrl:hasPolicy", writer.iri(f"ehds:{policy.name}")),
        *keywords,
    ) + writer.triples(
        period,
        ("rdf:type", writer.iri("dct:PeriodOfTime")),
        ("dcat:startDate", writer.syntax.typed(policy.start, "date")),
        ("dcat:endDate", writer.syntax.typed(policy.end, "date")),
    )


def _policy(policy: Policy, writer: Writer) -> str:
    iri = writer.iri(f"ehds:{policy.name}")
    text = writer.triples(
        iri,
        ("rdf:type", writer.iri("odrl:Policy")),
        ("rdf:type", writer.iri("odrl:Set")),
        ("odrl:uid", iri),
    )
    for number, rule in enumerate(RULES[policy.id]):
        node = f"_:{policy.id.lower()}r{number}"
        text += writer.triples(iri, (f"odrl:{rule.kind}", node))
        text += _rule(rule, node, writer)
    return text


def _rule(rule: Rule, node: str, writer: Writer) -> str:
    text = writer.triples(
        node,
        ("rdf:type", writer.iri(_LINKS[rule.kind])),
        ("odrl:action", writer.iri(rule.action)),
    )
    for number, constraint in enumerate(rule.constraints):
        inner = f"{node}c{number}"
        text += writer.triples(node, ("odrl:constraint", inner))
        text += _constraint(constraint, inner, writer)
    return text


def _constraint(constraint: Constraint, node: str, writer: Writer) -> str:
    operands = [("odrl:rightOperand", _operand(right, writer)) for right in constraint.right]
    return writer.triples(
        node,
        ("rdf:type", writer.iri("odrl:Constraint")),
        ("odrl:leftOperand", writer.iri(constraint.left)),
        ("odrl:operator", writer.iri(constraint.operator)),
        *operands,
    )


def _operand(right: str, writer: Writer) -> str:
    """A CURIE, or an ISO 8601 duration."""
    return writer.iri(right) if ":" in right else writer.syntax.typed(right, "duration")
