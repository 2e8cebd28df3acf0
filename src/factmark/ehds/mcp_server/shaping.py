"""What the tools' answers are made of: rows and nouns in, typed answers out. Asks nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from factmark.ehds.mcp_server import answers as shapes
from factmark.ehds.mcp_server import queries
from factmark.ehds.mcp_server.catalogue import Catalogue, Dataset, Policy, shown_code
from factmark.ehds.mcp_server.policies import decide
from factmark.errors import QueryError
from factmark.stores.terms import Rows, Term, local_name

FREE_ROWS = 1_000
FREE_CHARS = 1_000_000  # of all cells of a free query's result
_YEAR = re.compile(r"\d{4}")
_FIRST_LINE = re.compile(r"\bat 1:(\d+)")


def summary_of(dataset: Dataset) -> dict[str, Any]:
    """What every tool tells of a dataset."""
    return {
        "id": dataset.id,
        "title": dataset.title,
        "iri": dataset.iri,
        "patients": dataset.patients,
        "health_category": [shown_code(code) for code in dataset.categories],
        "keywords": list(dataset.keywords),
        "start": dataset.start,
        "end": dataset.end,
        "standard": list(dataset.standards),
        "policy": [local_name(policy) for policy in dataset.policies],
        "licence": list(dataset.licences),
    }


def rules_of(policy: Policy) -> dict[str, Any]:
    """The rules of a policy in words."""
    return {
        "policy": policy.name,
        "iri": policy.iri,
        "permitted": [rule.text for rule in policy.of("permission")],
        "prohibited": [rule.text for rule in policy.of("prohibition")],
        "obligations": [rule.text for rule in policy.of("obligation")],
    }


def policies_of(catalogue: Catalogue, dataset: Dataset) -> tuple[Policy, ...]:
    """The policies of a dataset."""
    return tuple(policy for policy in catalogue.policies if policy.iri in dataset.policies)


def policy_answer(
    policy: Policy, datasets: Sequence[Dataset], action: str | None, purpose: str | None
) -> shapes.PolicyAnswer:
    """A policy with the datasets that it governs, and what it says of a use that was asked."""
    answer = shapes.PolicyAnswer(
        **rules_of(policy), datasets=[one.title for one in datasets if policy.iri in one.policies]
    )
    if action is not None or purpose is not None:
        decision = decide(policy, action=action, purpose=purpose)
        answer.verdict, answer.reason = decision.verdict, decision.reason
        answer.deciding_rules = list(decision.rules)
    return answer


def patient_of(iri: str, facts: dict[str, list[str]]) -> shapes.Patient:
    """A patient from their properties."""

    def said(name: str) -> str:
        return ", ".join(facts.get(name, ()))

    return shapes.Patient(
        iri=iri,
        gender=said("gender"),
        birth_date=said("birthDate"),
        race=said("race"),
        ethnicity=said("ethnicity"),
        consent_flags=facts.get("hasPolicy", []),
    )


def entry_of(row: Sequence[Term | None]) -> shapes.Entry:
    """A row of the counts of one display."""
    display, code, patients, records = row
    return shapes.Entry(
        display=display.value if display else "",
        code=code.value if code else "",
        patients=number_of(patients),
        records=number_of(records),
    )


def group_of(rows: Rows, name: str) -> dict[str, int]:
    """How many there are of each value of one column."""
    return {
        local_name(value.value) if value.kind == "iri" else value.value: number_of(count)
        for predicate, value, count in rows.rows
        if predicate and value and local_name(predicate.value) == name
    }


def number_of(cell: Term | None) -> int:
    """A count in a cell; 0 where there is none."""
    return int(cell.value) if cell else 0


def years_of(cells: Sequence[Term | None]) -> list[str]:
    """Years in cells, as text."""
    return [cell.value for cell in cells if cell and _YEAR.fullmatch(cell.value)]


def moved(error: QueryError) -> QueryError:
    """The error with its column in the first line counted without the prefixes put before it."""

    def column(found: re.Match[str]) -> str:
        return f"at 1:{max(1, int(found[1]) - len(queries.PREFIXES) - 1)}"

    return QueryError(_FIRST_LINE.sub(column, str(error)))


def free_result(name: str, rows: Rows) -> shapes.QueryResult:
    """The rows, as many as stay within the limit of characters."""
    kept: list[list[str | None]] = []
    size = 0
    for row in rows.rows:
        cells = [None if cell is None else cell.value for cell in row]
        size += sum(len(cell) for cell in cells if cell)
        if size > FREE_CHARS:
            break
        kept.append(cells)
    return shapes.QueryResult(
        dataset=name,
        columns=list(rows.variables),
        row_count=len(kept),
        truncated=rows.truncated or len(kept) < len(rows.rows),
        boolean=rows.boolean,
        rows=kept,
    )
