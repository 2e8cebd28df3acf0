"""What campaigns other than of summaries ask about: units of a ledger, triples, answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from factmark.answers.core.evaluate import sort_out
from factmark.answers.core.records import Question
from factmark.answers.reading import read_answers
from factmark.errors import InputError
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.reading import GraphUnits, Source
from factmark.ledger.campaigns import Pair, pairs_of_kind
from factmark.ledger.ledger import Ledger
from factmark.people.core.material import Exchange, Material, of_answers, of_pairs, of_triples
from factmark.people.reading import name_of, rows_of, text_of

Opener = Callable[[], AbstractContextManager[tuple[Ontology, str]]]


def read_exchanges(
    path: Path, *, system: str = "system", encoding: str = "utf-8"
) -> tuple[Exchange, ...]:
    """GraphRAG answers: `question`, `reference`, `answer`, `system`, and if wanted `id`.

    Raises:
        InputError: a row without one of them, or that stands twice; with the line.
    """
    out: list[Exchange] = []
    seen: dict[tuple[str, ...], str] = {}
    for where, row in rows_of(path, encoding):
        made = Exchange(
            question=text_of(where, row, "question"),
            reference=text_of(where, row, "reference"),
            answer=text_of(where, row, "answer"),
            system=name_of(where, row, system),
            id=name_of(where, row, "id") if row.get("id") not in (None, "") else "",
        )
        key = (made.question, made.reference, made.system, made.id)
        if key in seen:
            raise InputError(
                f"{where}: {made.system!r} answers this question in {seen[key]} already. Give "
                "several answers of one system an id each."
            )
        seen[key] = where
        out.append(made)
    if not out:
        raise InputError(f"{path}: holds no answers.")
    return tuple(out)


def answers_material(
    path: Path, benchmark: str, questions: Sequence[Question], encoding: str = "utf-8"
) -> tuple[Material, tuple[str, ...]]:
    """Answers with the ground truth of their questions; and what is to be told of them.

    Raises:
        InputError: a file that cannot be read, or none of its answers has a ground truth.
    """
    by_id = {question.query_id: question for question in questions}
    given = read_answers(path, encoding=encoding)
    kept, told = sort_out((one for one in given.answers if one.lost is None), by_id)
    if not kept:
        raise InputError(f"{path}: none of its answers has a ground truth: {'; '.join(told)}.")
    made = of_answers(benchmark, ((by_id[one.query_id], one) for one in kept))
    return made, (*given.problems, *told)


def read_pairs(source: Source) -> tuple[list[Pair], tuple[str, ...]]:
    """The pairs (or triples) of a file as units with their items; and what is to be told."""
    with GraphUnits(source) as graph:
        return list(graph.jobs()), graph.problems.sentences()


def ledger_pairs(ledger: Path, kind: str, sheet: Path | None) -> list[Pair]:
    """The units of a kind that a ledger holds, or those of a sheet, with their items.

    Raises:
        InputError: there are none, or the sheet names one that the ledger does not have.
    """
    if not ledger.is_file():
        raise InputError(
            f"{ledger}: there is no such ledger. Name one that `factmark graph` wrote, or a file "
            "with triples."
        )
    with Ledger(ledger, read_only=True) as opened:
        found = {unit.id: (item, unit) for item, unit in pairs_of_kind(opened, kind)}
    if not found:
        raise InputError(f"{ledger}: holds no units of the kind {kind!r}.")
    if sheet is None:
        return list(found.values())
    out: dict[str, Pair] = {}
    for where, row in rows_of(sheet):
        name = name_of(where, row, "unit")
        if name not in found:
            raise InputError(f"{where}: {ledger} has no unit {name!r} of the kind {kind!r}.")
        out[name] = found[name]
    if not out:
        raise InputError(f"{sheet}: names no units.")
    return list(out.values())


def graph_material(kind: str, pairs: Sequence[Pair], ontology: Opener) -> Material:
    """Claims beside their passages, or triples beside their ontology entries.

    Args:
        ontology: opens it; only for triples.

    Raises:
        InputError: no claim has a passage.
    """
    if kind == "triple":
        with ontology() as (opened, _):
            return of_triples(pairs, opened)
    made = of_pairs(pairs)
    if not made.units:
        raise InputError("None of the claims has a passage to judge it by; name --passages.")
    return made
