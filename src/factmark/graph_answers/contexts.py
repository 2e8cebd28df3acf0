"""What was retrieved for each question, as rows: the file of `--contexts`, and `graph lookup`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from factmark.graph_answers.core.records import GraphAnswer, RetrievedTriple
from factmark.report.file_columns import FileColumn, attributes, json_values
from factmark.report.files import write_rows

CONTEXT_ENDS = (".csv", ".jsonl", ".ndjson", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedText:
    """A triple or a passage at its rank, from 1, in what a system was given; without a rank nothing
    was retrieved.

    Attributes:
        carries: whether it holds the answer; None where no answer is known.
        passage_id: of the passage, or of the one that the triple is from.
    """

    rank: int | None = None
    head: str | None = None
    relation: str | None = None
    tail: str | None = None
    claim: str | None = None
    score: float | None = None
    hops: int | None = None
    carries: bool | None = None
    passage_id: str | None = None
    passage: str | None = None
    triple_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A triple or passage that was retrieved, and the answer that it was retrieved for."""

    answer: GraphAnswer
    text: RetrievedText


def _fact_columns(of: str = "") -> tuple[FileColumn[Any], ...]:
    """Returns the columns of what was retrieved, of a row or of its part `of`."""
    return (
        *attributes("rank", of=of, type="BIGINT"),
        *attributes("head", "relation", "tail", "claim", of=of),
        *attributes("score", of=of, type="DOUBLE"),
        *attributes("hops", of=of, type="BIGINT"),
        *attributes("carries", of=of, type="BOOLEAN"),
        *attributes("passage_id", "passage", "triple_id", of=of),
    )


FACT_COLUMNS: tuple[FileColumn[RetrievedText], ...] = _fact_columns()
CONTEXT_COLUMNS: tuple[FileColumn[ContextRow], ...] = (
    FileColumn(name="question_id", value=attrgetter("answer.question.id")),
    FileColumn(name="question", value=attrgetter("answer.question.text")),
    *attributes("kind", of="answer.question"),
    *attributes("system", of="answer"),
    *_fact_columns("text"),
    *attributes("held", of="answer", type="BOOLEAN"),
    FileColumn(name="held_by", value=lambda row: row.answer.held_by or None),
    *attributes("named", "reachable", of="answer.given", type="BOOLEAN"),
)


def retrieved_texts(answer: GraphAnswer) -> list[RetrievedText]:
    """Returns the triples of an answer's context by rank, then its passages."""
    given = answer.given
    facts: tuple[RetrievedTriple, ...] = ()
    if given.context:
        facts = given.context.facts
    triples: list[RetrievedText] = []
    for place, fact in enumerate(facts):
        triples.append(_retrieved_triple(fact, place + 1, carries=place in given.carriers))
    passages = [
        RetrievedText(
            rank=place + 1,
            carries=place in given.carriers,
            passage_id=passage_id,
            passage=text,
        )
        for place, (passage_id, text) in enumerate(given.passages, len(facts))
    ]
    return [*triples, *passages]


def _retrieved_triple(
    fact: RetrievedTriple, rank: int, *, carries: bool | None = None
) -> RetrievedText:
    """Returns a triple of a context; a score without bounds is left out."""
    triple = fact.triple
    score = None
    if math.isfinite(fact.score):
        score = fact.score
    return RetrievedText(
        rank=rank,
        head=triple.head,
        relation=triple.relation,
        tail=triple.tail,
        claim=fact.text,
        score=score,
        hops=fact.hops,
        carries=carries,
        passage_id=triple.passage_id or None,
        triple_id=triple.id or None,
    )


def context_values(texts: Iterable[RetrievedText]) -> list[dict[str, Any]]:
    """Returns what was retrieved as JSON values, without what is empty."""
    rows = (json_values(FACT_COLUMNS, text) for text in texts)
    values = []
    for row in rows:
        values.append({name: value for name, value in row.items() if value is not None})
    return values


def looked_up(facts: Iterable[RetrievedTriple]) -> list[RetrievedText]:
    """Returns the triples that a graph has on a question, of whose answer nothing is known."""
    return [_retrieved_triple(fact, rank) for rank, fact in enumerate(facts, 1)]


def context_rows(answers: Iterable[GraphAnswer]) -> Iterator[ContextRow]:
    """Yields a row for each question, system and rank; further samples of an answer add none.

    A question for which nothing was found has one row without a rank.
    """
    seen = set()
    for answer in answers:
        key = (answer.question.id, answer.system)
        if key not in seen:
            seen.add(key)
            for text in retrieved_texts(answer) or [RetrievedText()]:
                yield ContextRow(answer=answer, text=text)


def write_contexts(path: Path, answers: Iterable[GraphAnswer]) -> None:
    """Writes the contexts of answers as CSV, JSON Lines or Parquet, by the end of the file's name.

    Of the control `text` there are passages, with neither head nor score; the control `none` has
    nothing. What is unknown is null.

    Raises:
        FactmarkError: it cannot be written; what stood there stays.
    """
    write_rows(path, CONTEXT_COLUMNS, context_rows(answers))
