"""Facts that people marked, in place of the rules; and answers that a campaign asks them to mark.

A file of marked answers is JSON Lines; a row has `query_id`, `answer` and, under each annotator's
name, an object with `facts` (each with a `quote` of the answer; `text` where the quote is missing;
`start` and `end` in characters where the file tells them), `verdict` and `absence`. Matching with G
stays the rules' (M1-M5).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import Scorer, sort_out
from factmark.answers.core.marks import marked_rows, score_marks
from factmark.answers.core.records import Answer, AnswerScore, Fact, Question
from factmark.answers.core.rows import answer_item, question_item
from factmark.answers.core.scores import score_facts
from factmark.answers.derive import Reach, ground_truths
from factmark.answers.reading import json_lines, read_answers
from factmark.campaign_model import Shown, UnitsAsked
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.files.text_files import read_text, without_surrogates
from factmark.model import Item, Unit, content_hash

__all__ = ["answers_asked", "marked_rows", "read_annotations", "score_marks", "units_asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What one person marked in one answer."""

    facts: tuple[Fact, ...]
    verdict: str | None
    absence: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """What one person marked, by question and the answer's text.

    Attributes:
        name: whose marks they are; several names where each answer has the marks of one of them.
    """

    path: Path
    name: str
    marked: Mapping[tuple[str, str], Annotation]

    def score(self, question: Question, answer: Answer) -> AnswerScore | None:
        """The answer's score by these marks; None where it was not annotated."""
        found = self.marked.get((answer.query_id, answer.text))
        if found is None:
            return None
        return score_facts(
            found.facts,
            question.ground_truth or (),
            verdict=found.verdict,
            absence=found.absence,
        )


def read_annotations(
    path: Path, annotator: str | None = None, encoding: str = "utf-8"
) -> tuple[str, Scorer]:
    """The annotator's name, and a scorer that gives what that annotator marked.

    Raises:
        InputError: as `open_annotations`; and later, by the scorer, for an answer that the file
            does not have.
    """
    found = open_annotations(path, annotator, encoding)

    def scorer(question: Question, answer: Answer) -> AnswerScore:
        score = found.score(question, answer)
        if score is None:
            raise InputError(
                f"{path}: holds no annotations of answer {answer.id} to {answer.query_id}. "
                "Annotate it, or leave it out of the answers."
            )
        return score

    return found.name, scorer


def open_annotations(
    path: Path, annotator: str | None = None, encoding: str = "utf-8"
) -> Annotations:
    """What an annotator marked.

    Args:
        annotator: the field that holds the annotations. None: that of the first row, and in rows
            that it has not marked the first one found. Rows that only others marked are left out
            where one is named.

    Raises:
        InputError: for a broken file, an unknown annotator, a quote that is not in its answer.
    """
    marked: dict[tuple[str, str], Annotation] = {}
    names: dict[str, None] = {}
    for where, row in json_lines(path, read_text(path, encoding)):
        if not isinstance(row, Mapping) or not {"query_id", "answer"} <= row.keys():
            raise InputError(f"{path}, {where}: an annotated answer has query_id and answer.")
        whose = [key for key, value in row.items() if _is_annotation(value)]
        name = annotator or next((name for name in names if name in whose), "".join(whose[:1]))
        if annotator and whose and annotator not in row:
            continue
        if not isinstance(row.get(name), Mapping):
            raise InputError(
                f"{path}, {where}: no annotations under {name or 'any name'!r}; name the field "
                "with --annotator."
            )
        names[name] = None
        answer = "" if row["answer"] is None else str(row["answer"])
        key = (without_surrogates(str(row["query_id"])).strip(), without_surrogates(answer))
        marked[key] = _annotation(f"{path}, {where}", key[1], row[name])

    if annotator and not names:
        raise InputError(f"{path}: no annotations under {annotator!r}; see --annotator.")
    return Annotations(path=path, name=without_surrogates(", ".join(names)), marked=marked)


def _is_annotation(value: object) -> bool:
    return isinstance(value, Mapping) and "facts" in value


def _annotation(where: str, answer: str, given: Mapping[str, Any]) -> Annotation:
    facts = given.get("facts")
    if not isinstance(facts, Sequence) or isinstance(facts, str):
        raise InputError(f"{where}: 'facts' is not a list.")
    verdict = given.get("verdict")
    if verdict not in (None, "yes", "no"):
        raise InputError(f"{where}: verdict is yes, no or null, not {verdict!r}.")
    found: list[Fact] = []
    for fact in facts:
        found.append(_fact(where, answer, fact, found))
    return Annotation(
        facts=tuple(found),
        verdict=verdict,
        absence=bool(given.get("absence", False)),
    )


def _fact(where: str, answer: str, given: object, earlier: Sequence[Fact]) -> Fact:
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a fact is an object with a quote.")
    quote = given.get("quote", given.get("text"))
    if isinstance(quote, str):
        quote = without_surrogates(quote)
    if not isinstance(quote, str) or not quote or quote not in answer:
        raise InputError(f"{where}: the quote {quote!r} is not in the answer.")
    if given.get("start") is None and given.get("end") is None:
        start = _place(answer, quote, earlier)
    else:
        start = _told_place(where, answer, quote, given)
    return Fact(text=quote, start=start, end=start + len(quote))


def _told_place(where: str, answer: str, quote: str, given: Mapping[str, Any]) -> int:
    """The start that the file tells, which must be that of the quote."""
    start = given.get("start")
    if not isinstance(start, int) or isinstance(start, bool) or start < 0:
        raise InputError(f"{where}: the start of {quote!r} is no count of characters: {start!r}.")
    end = given.get("end")
    told = start + len(quote) if end is None else end
    if told != start + len(quote) or not answer.startswith(quote, start):
        raise InputError(f"{where}: {quote!r} does not stand from {start} to {told!r}.")
    return start


def _place(answer: str, quote: str, earlier: Sequence[Fact]) -> int:
    """Where a quote most likely stands: as whole words, where no earlier fact does, first."""
    whole = re.compile(
        (r"(?<!\w)(?<!\d[.,])" if quote[0].isalnum() else "")
        + re.escape(quote)
        + (r"(?!\w)(?![.,]\d)" if quote[-1].isalnum() else "")
    )

    def worse(start: int) -> tuple[bool, bool]:
        used = any(fact.start < start + len(quote) and start < fact.end for fact in earlier)
        return whole.match(answer, start) is None, used

    places = re.finditer(f"(?={re.escape(quote)})", answer)
    return min((match.start() for match in places), key=worse)


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
