"""What another retriever found for each question, as a system to measure beside graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import Row, read_rows
from factmark.graph_answers.core.holding import held_by
from factmark.graph_answers.core.records import Given, GraphQuestion
from factmark.graph_answers.systems import GraphRagSystem
from factmark.intake.tools import role_names
from factmark.model import content_hash

_TASK = "contexts"


def read_contexts(
    name: str, path: Path, questions: Sequence[GraphQuestion], encoding: str = "utf-8"
) -> tuple[GraphRagSystem, list[str]]:
    """Returns what a file says was retrieved, as a system that answers from it, and what was odd.

    A row is one text, best first (`question_id` or `question`, `passage` or `claim`, `passage_id`),
    as `--contexts FILE` writes them, or a question with a list of texts or objects (`contexts`).

    Raises:
        InputError: it cannot be read, or has no context of any of the questions.
    """
    problems = Problems()
    keys = {}
    for question in questions:
        for key in (question.text, question.id):
            keys[key] = question.id
    passages: dict[str, list[tuple[str, str]]] = {question.id: [] for question in questions}
    named = set()
    for where, row in read_rows(path, problems, encoding):
        asked = []
        for field in role_names(_TASK)["question"]:
            if str(row.get(field)) in keys:
                asked.append(keys[str(row[field])])
        if not asked:
            problems.drop("of no question that is asked", where, "")
            continue
        named.add(asked[0])
        passages[asked[0]] += _texts(row)
    if not named:
        raise InputError(
            f"{path}: has no context of any of the {len(questions)} questions. A row needs "
            "`question_id` or `question`, and `passage` with `passage_id`, or a list `contexts`."
        )
    notes = list(problems.sentences())
    if len(named) < len(questions):
        notes.append(
            f"{len(questions) - len(named)} of {len(questions)} questions have no context."
        )
    system = GraphRagSystem(
        name=name,
        kind="text",
        questions={question.id: question for question in questions},
        given={question.id: _given(question, passages[question.id]) for question in questions},
        source=f"contexts {content_hash(sorted(passages.items()))[:12]}",
    )
    return system, [f"{name}: {note}" for note in notes]


def _given(question: GraphQuestion, passages: Sequence[tuple[str, str]]) -> Given:
    """Returns passages as what a question is answered from."""
    held, carriers = held_by(question, [text for _, text in passages], None)
    return Given(passages=tuple(passages), held=held, held_by="words", carriers=carriers)


def _texts(row: Row) -> Iterator[tuple[str, str]]:
    """Yields id and text of what a row says was retrieved; a row without any yields nothing."""
    for field in role_names(_TASK)["contexts"]:
        value = row.get(field)
        if isinstance(value, (list, tuple)):
            for each in value:
                if isinstance(each, str):
                    yield "", each
                elif isinstance(each, Mapping):
                    yield from _text(each)
            return
    yield from _text(row)


def _text(row: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields id and text of an object that has a text, or an id alone."""
    text, name = (
        next((str(row[field]) for field in role_names(_TASK)[role] if row.get(field)), "")
        for role in ("passage", "passage_id")
    )
    if text or (name and "passage_id" in row):
        yield name, text
