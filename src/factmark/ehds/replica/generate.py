"""The whole replica as a stream of text, graph by graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from factmark.ehds.replica.catalogue import catalogue
from factmark.ehds.replica.clinical import CohortWriter
from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.namespaces import CATALOGUE_GRAPH, graph_iri
from factmark.ehds.replica.patients import assign_patients
from factmark.ehds.replica.plan import Plan
from factmark.ehds.replica.syntax import FULL, PREFIXED, Syntax
from factmark.ehds.replica.writing import Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The triples of one thing: a patient, an observation with its nodes, a policy, ...

    Attributes:
        graph: the IRI of the graph that it belongs to.
        text: its triples, in the syntax asked for.
    """

    graph: str
    text: str


def blocks(plan: Plan, syntax: Syntax = FULL, *, quads: bool = True) -> Iterator[Block]:
    """All blocks, the catalogue first and then a graph after the other.

    Args:
        plan: the scale and the seed.
        syntax: how terms are spelt.
        quads: whether each triple names its graph.

    The empty dementia cohort has no block: no syntax for triples can hold an empty graph.
    """
    for text in catalogue(_writer(CATALOGUE_GRAPH, syntax, quads)):
        yield Block(graph=CATALOGUE_GRAPH, text=text)
    members = assign_patients(plan.seed)
    for cohort in COHORTS:
        if not cohort.patients:
            continue
        graph = graph_iri(cohort.id)
        clinical = CohortWriter(
            cohort,
            members[cohort.id],
            plan.counts[cohort.id],
            seed=plan.seed,
            writer=_writer(graph, syntax, quads),
        )
        for text in clinical.resources():
            yield Block(graph=graph, text=text)


def nquads(plan: Plan) -> Iterator[str]:
    """The replica as N-Quads, a piece of text per block."""
    return (block.text for block in blocks(plan))


def trig(plan: Plan) -> Iterator[str]:
    """The replica as TriG with prefixes, a piece of text per block."""
    yield PREFIXED.header()
    current = ""
    for block in blocks(plan, PREFIXED, quads=False):
        if block.graph != current:
            yield ("}\n" if current else "") + f"<{block.graph}> {{\n"
            current = block.graph
        yield block.text
    yield "}\n"
    for cohort in COHORTS:
        if not cohort.patients:
            yield f"<{graph_iri(cohort.id)}> {{}}\n"


def _writer(graph: str, syntax: Syntax, quads: bool) -> Writer:
    return Writer(syntax=syntax, end=f" <{graph}> .\n" if quads else " .\n")
