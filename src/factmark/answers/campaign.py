"""Answers that people mark facts in, and what their marks come to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from factmark.answers.core.evaluate import sort_out
from factmark.answers.core.marks import marked_rows, score_marks
from factmark.answers.core.records import Answer, Question
from factmark.answers.core.rows import answer_item, question_item
from factmark.answers.derive import Reach, ground_truths
from factmark.answers.reading import read_answers
from factmark.campaign_model import Shown, UnitsAsked
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.model import Item, Unit, content_hash

__all__ = ["answers_asked", "marked_rows", "score_marks", "units_asked"]


def units_asked(files: UnitFiles, kind: str, known: object = None) -> UnitsAsked:
    """The answers of a file, each with its question and ground truth.

    Raises:
        InputError: a file that cannot be read, or none of its answers has a ground truth.
    """
    assert files.source is not None and known is None  # noqa: S101, PT018  # no ledger has answers to mark
    reach = Reach(
        benchmark=files.benchmark, store=files.store, endpoint=files.endpoint,
        timeout=files.timeout,
    )  # fmt: skip
    truth = asyncio.run(ground_truths(reach))
    asked = answers_asked(files.source, truth.benchmark, truth.questions, files.encoding)
    return UnitsAsked(rows=asked.rows, items=asked.items, notes=(*truth.problems, *asked.notes))


def answers_asked(
    path: Path, benchmark: str, questions: Sequence[Question], encoding: str = "utf-8"
) -> UnitsAsked:
    """Answers as they stand, since marks must be true to them.

    Items and ids are those of `core.rows`, so that people's marks meet a judge's verdicts.
    """
    by_id = {question.query_id: question for question in questions}
    given = read_answers(path, encoding=encoding)
    answers, notes = sort_out((one for one in given.answers if one.lost is None), by_id)
    if not answers:
        raise InputError(f"{path}: none of its answers has a ground truth: {'; '.join(notes)}.")
    items = {id: question_item(benchmark, by_id[id]) for id in {a.query_id for a in answers}}
    return UnitsAsked(
        rows=tuple(
            _asked(by_id[answer.query_id], items[answer.query_id], answer) for answer in answers
        ),
        items=tuple(items.values()),
        notes=(*given.problems, *notes),
    )


def _asked(question: Question, asked: Item, answer: Answer) -> tuple[Item, Unit, Shown]:
    item = answer_item(asked, answer)
    elements = question.ground_truth or ()
    listed = "\n".join(f"- {element}" for element in elements) or "(nothing: the list is empty)"
    unit = Unit(
        id=content_hash("answer", item.id),
        item=item.id,
        kind="answer",
        text=answer.text,
        data={
            "system": " · ".join(part for part in (answer.model, answer.condition) if part),
            "query_id": answer.query_id,
        },
    )
    evidence = f"Question: {question.text}\n\nGround truth:\n{listed}"
    return item, unit, Shown(evidence=evidence, text=answer.text, elements=elements)
