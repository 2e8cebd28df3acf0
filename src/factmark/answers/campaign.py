"""Answers that people are asked to mark: the units of a campaign, and what the marks come to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from factmark.answers.core.evaluate import sort_out
from factmark.answers.core.matching import match_facts
from factmark.answers.core.records import AnswerScore, Fact, GivenAnswer, Question
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    rows_of_elements,
    withdrawn_verdicts,
)
from factmark.answers.core.scores import score_of_tallies
from factmark.answers.core.writings import writings
from factmark.answers.options import Reach
from factmark.answers.questions.ground_truths import ground_truths
from factmark.answers.reading import AnswerFile, read_answers
from factmark.campaign_model import Marking, Shown, Span, UnitsAsked
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.model import Item, Judge, Unit, Verdict, content_hash
from factmark.text.words import normalise


def units_asked(
    files: UnitFiles,
    kind: str,
    known: object = None,
    *,
    read: Callable[..., AnswerFile] = read_answers,
) -> UnitsAsked:
    """The units of a campaign, whose annotators mark facts in the answers of a file.

    Raises:
        InputError: a file that cannot be read, or none of its answers has a ground truth.
    """
    assert files.source is not None and known is None  # noqa: S101, PT018  # no ledger has answers to mark
    reach = Reach(
        benchmark=files.benchmark,
        store=files.store,
        endpoint=files.endpoint,
        query_timeout=files.query_timeout,
        labels=files.labels,
    )
    truth = asyncio.run(ground_truths(reach))
    given = read(files.source, encoding=files.encoding, model="", condition="")
    asked = answers_asked(files.source, given, truth.benchmark, truth.questions)
    return replace(asked, notes=(*truth.problems, *asked.notes))


def answers_asked(
    path: Path, given: AnswerFile, benchmark: str, questions: Sequence[Question]
) -> UnitsAsked:
    """The units of a campaign from a file of answers, whose texts people see unchanged.

    Items and ids are those of `core.rows`, so that people's marks meet a judge's verdicts.
    """
    by_id = {question.query_id: question for question in questions}
    sorted_out, notes = sort_out((a for a in given.answers if a.lost is None), by_id)
    answers = []
    for answer in sorted_out:
        if answer.lost is None:
            answers.append(answer)
    if not answers:
        raise InputError(f"{path}: none of its answers has a ground truth: {'; '.join(notes)}.")
    items = {}
    for id in {a.query_id for a in answers}:
        items[id] = question_item(benchmark, by_id[id])
    return UnitsAsked(
        rows=tuple(
            _marking_unit(by_id[answer.query_id], items[answer.query_id], answer)
            for answer in answers
        ),
        items=tuple(items.values()),
        notes=(*given.problems, *notes),
    )


def _marking_unit(question: Question, asked: Item, answer: GivenAnswer) -> tuple[Item, Unit, Shown]:
    """The item, the unit and what people are shown to mark the facts of an answer."""
    item = answer_item(asked, answer)
    elements = question.ground_truth or ()
    others = writings(question)
    listed = "\n".join(f"- {_with_other_writings(e, others.get(e, ()))}" for e in elements)
    listed = listed or "(nothing: the list is empty)"
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


def _with_other_writings(element: str, others: Sequence[str]) -> str:
    """An element as people see it, with the other writings that count as the same."""
    if others:
        return f"{element} (or: {'; '.join(others)})"
    return element


def score_marks(answer: str, ground_truth: Sequence[str], marking: Marking) -> AnswerScore:
    """C, H and S by a person's marks (protocol 1).

    What the person ticked decides what is covered: C is its share of G, and each ticked element is
    one member of F, marked or not. Beside these, F holds the spans marked as not grounded, the same
    words once (E6; whether a longer and a shorter name are one thing is left to the person, where
    the rules go by the words). A grounded span that no ticked element is left for says one again
    (M4) or, where G is empty, that there is nothing; it is no fact. Where G is empty, C is 1 if
    absence is reported.
    """
    elements = tuple(dict.fromkeys(ground_truth))
    covered = tuple(element for element in elements if element in marking.covered)
    facts = _facts(answer, covered, marking)
    return score_of_tallies(
        facts=facts,
        missing=tuple(element for element in elements if element not in marking.covered),
        verdict=marking.verdict,
        absence=marking.absence,
        elements=len(elements),
        members=len(covered) + sum(fact.match is None for fact in facts),
    )


def marked_rows(
    item: Item,
    answer: str,
    ground_truth: Sequence[str],
    marking: Marking,
    judge: Judge,
    earlier: Iterable[tuple[Unit, Verdict]],
) -> Iterator[tuple[Unit, Verdict]]:
    """The verdicts that a person's marks stand for, on the units that the rules judge too.

    Args:
        item: the answer's.
        ground_truth: as it was shown.
        earlier: the answer's units with the person's newest verdicts; facts that are no longer
            marked are taken back (`refused`).
    """
    score = score_marks(answer, ground_truth, marking)
    ticks = {element: element in marking.covered for element in ground_truth}
    judged = set()
    for unit, verdict in rows_of_elements(item, score, ticks, judge):
        judged.add(unit.id)
        yield unit, verdict
    yield from withdrawn_verdicts(judge, earlier, judged)


def _facts(answer: str, covered: Sequence[str], marking: Marking) -> tuple[Fact, ...]:
    """The spans that are members of F, in the order of the text."""
    wrong: dict[tuple[str, ...], Fact] = {}
    for fact in _facts_at_spans(answer, marking.ungrounded):
        wrong.setdefault(normalise(fact.text), fact)
    facts = [*_facts_of_ticks(_facts_at_spans(answer, marking.grounded), covered), *wrong.values()]
    return tuple(sorted(facts, key=lambda fact: (fact.start, fact.end)))


def _facts_at_spans(answer: str, spans: Iterable[Span]) -> list[Fact]:
    """The marked spans as facts, without white space around them, so that equal facts are equal."""
    facts = []
    for start, end in sorted(spans):
        text = answer[start:end].strip()
        if text:
            at = answer.index(text, start)
            facts.append(Fact(text=text, start=at, end=at + len(text)))
    return facts


def _facts_of_ticks(spans: Sequence[Fact], covered: Sequence[str]) -> Iterator[Fact]:
    """A fact for each ticked element: the span that matches it (M1-M5), else the next one.

    A person may tick what the rules do not see (a synonym); such spans take the elements that are
    left, before those that only say a covered element again.
    """
    matched = {fact.start: fact.match for fact in match_facts(spans, covered)}
    left = iter([element for element in covered if element not in matched.values()])
    silent = [fact for fact in spans if matched.get(fact.start, "") is None]
    again = [fact for fact in spans if fact.start not in matched]
    for fact in spans:
        if matched.get(fact.start) is not None:
            yield replace(fact, match=matched[fact.start], rule="person")
    for fact, element in zip([*silent, *again], left, strict=False):
        yield replace(fact, match=element, rule="person")
