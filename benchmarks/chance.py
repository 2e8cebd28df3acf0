"""How often a number stands in a text by chance: where `held` takes a count for retrieved.

For each count in the ground truth of the bundled benchmark, on the replica at the demo's scale: the
share of all numbers with as many digits that stand in what a model might be given. Those texts are
made here: all that the catalogue says of a dataset, and all that is said of a patient.

    python benchmarks/chance.py
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence

from factmark.answers.core.grounding import held
from factmark.answers.questions.benchmarks import load
from factmark.answers.questions.ground_truths import derived, ground_truth_store
from factmark.stores.store import Store

DRAWS = 200  # texts of each kind that are put together
DATASETS = """SELECT ?one ?p ?o WHERE { GRAPH <https://ehds-prototype.example.org/graph/catalogue> {
    ?one a <http://www.w3.org/ns/dcat#Dataset> ; ?p ?value .
    OPTIONAL { ?value ?q ?inner FILTER(ISBLANK(?value) || ISIRI(?value)) }
    BIND(COALESCE(?inner, ?value) AS ?o) } } ORDER BY ?one ?p ?o"""
PATIENTS = """SELECT ?one ?p ?o WHERE { GRAPH ?g {
    ?one a <http://hl7.org/fhir/Patient> ; ?p ?value .
    OPTIONAL { ?value ?q ?inner FILTER(ISBLANK(?value) || ISIRI(?value)) }
    BIND(COALESCE(?inner, ?value) AS ?o) } } ORDER BY ?one ?p ?o LIMIT 60000"""


async def texts(store: Store, query: str) -> list[str]:
    """One text for each thing: its properties and values, a line each."""
    rows = await store.query(query, timeout=60, max_rows=100_000)
    found: dict[str, list[str]] = {}
    for one, what, value in rows.rows:
        line = f"{str(what).rpartition('/')[2]}: {value}"
        found.setdefault(str(one), []).append(line)
    return ["\n".join(lines) for lines in found.values()]


def share(digits: int, given: Sequence[Sequence[str]]) -> float:
    """The share of numbers with so many digits that stand in a text, averaged over texts."""
    numbers = [str(n) for n in range(0 if digits == 1 else 10 ** (digits - 1), 10**digits)]
    return sum(sum(held(numbers, some)) for some in given) / len(given) / len(numbers)


async def measure() -> dict[str, object]:
    """The shares for each length of a count and each kind of text."""
    benchmark = load("ehds")
    async with ground_truth_store(benchmark) as store:
        truth = await derived(benchmark, store)
        datasets, patients = await texts(store, DATASETS), await texts(store, PATIENTS)
    counts = [e for row in truth.questions for e in row.ground_truth or () if e.isdigit()]
    draw = random.Random(0)
    kinds = {
        "5 datasets": [draw.sample(datasets, 5) for _ in range(DRAWS)],
        "the whole catalogue": [datasets],
        "5 patients": [draw.sample(patients, 5) for _ in range(DRAWS)],
    }
    return {
        "counts in G, by digits": {
            digits: sum(len(count) == digits for count in counts) for digits in (1, 2, 3, 4)
        },
        "datasets": len(datasets),
        "patients": len(patients),
        "characters": {
            name: round(sum(len(t) for some in given for t in some) / len(given))
            for name, given in kinds.items()
        },
        "share that stands there by chance": {
            name: {digits: round(share(digits, given), 4) for digits in (1, 2, 3, 4)}
            for name, given in kinds.items()
        },
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure()), indent=1))
