"""The table of contexts: what each system had to answer each question from, for use elsewhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.flat_files import csv_text, write_parquet
from factmark.files.text_files import sound, write_text
from factmark.graphrag.core.contexts import Fact
from factmark.graphrag.core.outcomes import Outcome
from factmark.graphrag.core.scores import holds

COLUMNS = {
    "question_id": "VARCHAR", "question": "VARCHAR", "kind": "VARCHAR", "system": "VARCHAR",
    "rank": "BIGINT", "head": "VARCHAR", "relation": "VARCHAR", "tail": "VARCHAR",
    "claim": "VARCHAR", "score": "DOUBLE", "hops": "BIGINT", "carries": "BOOLEAN",
    "passage_id": "VARCHAR", "passage": "VARCHAR", "triple_id": "VARCHAR", "held": "BOOLEAN",
    "in_graph": "BOOLEAN",
}  # fmt: skip
"""Column -> type, of `.csv` and `.parquet`."""

_OF_FACT = tuple(COLUMNS)[4:15]
SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")


def write_contexts(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Writes the contexts of outcomes; further samples of the same answer have the same context.

    `.csv` and `.parquet` have a row for each question, system and rank, from 1; a question for
    which nothing was found has one row without a rank. `.jsonl` has an object for each question and
    system, with `references`, `options`, `linked` (the entities that it names) and `facts`. Of the
    control `text` the facts are passages, with neither head nor score; the control `none` has
    none. What is unknown is null.

    Raises:
        InputError: the path ends in none of these.
        FactmarkError: it cannot be written; what stood there stays.
    """
    suffix = path.suffix.casefold()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: contexts are written to {', '.join(SUFFIXES)}.")
    once = _once(outcomes)
    if suffix in (".jsonl", ".ndjson"):
        told = (
            json.dumps(sound(_nested(one)), ensure_ascii=False, allow_nan=False) for one in once
        )
        write_text(path, "".join(f"{line}\n" for line in told))
        return
    rows = [row for one in once for row in context_rows(one)]
    if suffix == ".csv":
        write_text(path, csv_text(rows, list(COLUMNS)))
    else:
        write_parquet(path, rows, COLUMNS)


def _once(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The first sample of each question and system."""
    seen: set[tuple[str, str]] = set()
    for outcome in outcomes:
        key = (outcome.question.id, outcome.system)
        if key not in seen:
            seen.add(key)
            yield outcome


def context_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """One flat row for each fact, best first; one without a rank where there is none."""
    question, given = outcome.question, outcome.given
    shared = {
        "question_id": question.id,
        "question": question.text,
        "kind": question.kind,
        "system": outcome.system,
        "held": holds(outcome),
        "in_graph": given.in_graph,
    }
    facts = _facts(outcome) or [dict.fromkeys(_OF_FACT)]
    return [{name: (shared | fact)[name] for name in COLUMNS} for fact in facts]


def _facts(outcome: Outcome) -> list[dict[str, Any]]:
    given = outcome.given
    carriers = frozenset(given.carriers)
    if given.context is not None:
        return [
            _fact(place, fact, place in carriers) for place, fact in enumerate(given.context.facts)
        ]
    empty: dict[str, Any] = dict.fromkeys(_OF_FACT)
    return [
        empty
        | {"rank": place + 1, "carries": place in carriers, "passage_id": name, "passage": text}
        for place, (name, text) in enumerate(given.passages)
    ]


def _fact(place: int, fact: Fact, carries: bool) -> dict[str, Any]:
    triple = fact.triple
    return {
        "rank": place + 1,
        "head": triple.head,
        "relation": triple.relation,
        "tail": triple.tail,
        "claim": fact.text,
        "score": fact.score if math.isfinite(fact.score) else None,
        "hops": fact.hops,
        "carries": carries,
        "passage_id": triple.passage_id or None,
        "passage": triple.passage,
        "triple_id": triple.id or None,
    }


def _nested(outcome: Outcome) -> dict[str, Any]:
    question, given = outcome.question, outcome.given
    linked = () if given.context is None else given.context.linked
    return {
        "question_id": question.id,
        "question": question.text,
        "kind": question.kind,
        "options": list(question.options),
        "references": list(question.references),
        "system": outcome.system,
        "held": holds(outcome),
        "in_graph": given.in_graph,
        "reached": None if given.context is None else given.context.reached,
        "linked": [
            {"start": one.start, "end": one.end, "name": one.name, "how": one.how} for one in linked
        ],
        "facts": _facts(outcome),
    }
