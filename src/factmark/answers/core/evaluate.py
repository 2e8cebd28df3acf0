"""From answers and questions to results: what is scored, what is told, how it was made."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from factmark.answers.core.asserted import summarise_asserted
from factmark.answers.core.averages import summarise
from factmark.answers.core.corrected import differences_by_people, summaries_by_people
from factmark.answers.core.instrument import to_review
from factmark.answers.core.marked_agreement import marked_agreement
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    NoScore,
    Question,
    Row,
    ScoredAnswer,
    UnscoredAnswer,
)
from factmark.answers.core.row_scores import summarise_rows
from factmark.answers.core.rows import rule_judge
from factmark.answers.core.run_measures import with_runs
from factmark.answers.core.scores import score_with, targets_of
from factmark.answers.core.writings import stray_names, writings
from factmark.answers.results import Results
from factmark.model import Judge, content_hash
from factmark.replies.no_answer import same_on_many, why_no_answer
from factmark.replies.plain import without_thought
from factmark.stats.comparison import Options
from factmark.text.shown_text import count, some

Scorer = Callable[[Question, GivenAnswer], AnswerScore | NoScore]
"""Gives the score of one answer, or says why there is none."""

_AROUND = " \n\t.!*`\"'"
_SHOWN_TEXT = 100  # characters of an answer that a note shows
_SHOWN = 8  # ids named in one problem before it says how many more there are
_ONLY_THINKING = "it ends before the answer: there is only the model's thinking"
_WHY = {
    "unparsed": "the reply could not be used",
    "refused": "the model refused",
    "failed": "no reply came",
    "left": "not asked",
}


def score_by_rule(question: Question, answer: GivenAnswer) -> AnswerScore:
    """The rules' score of an answer (`score_answer`)."""
    return score_with(None, question.text, targets_of(question), answer.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswers:
    """What a judge gave answers; the rules, where nothing else is given.

    Attributes:
        judge: who it is, in the ledger and in signatures.
        scorer: gives the score of an answer, or says why there is none.
        problems: what is to be told of how the facts were found.
        counts: of what was found, for the signature.
    """

    judge: Judge = field(default_factory=rule_judge)
    scorer: Scorer = score_by_rule
    problems: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def evaluate(
    benchmark: str,
    questions: Sequence[Question],
    answers: Iterable[GivenAnswer],
    *,
    scorer: Scorer = score_by_rule,
    problems: Sequence[str] = (),
    signature: Mapping[str, object] | None = None,
    settings: Options | None = None,
) -> Results:
    """Scores answers and averages the scores.

    What is left out (answers to unknown questions, to questions without a ground truth, copies) is
    told in `problems`, as are empty answers (scored as they are), answers that the scorer has no
    score for (missing), and questions without an answer.

    Args:
        questions: with their ground truth; None where it could not be derived.
        problems: what was told of the input before.
    """
    settings = settings or Options()
    by_id = {question.query_id: question for question in questions}
    usable = [question for question in questions if question.ground_truth is not None]
    kept, left_out = sort_out(answers, by_id)
    scored = []
    unscored = []
    for answer in kept:
        question = by_id[answer.query_id]
        score = answer.lost or scorer(question, answer_as_scored(answer))
        if isinstance(score, NoScore):
            bare = replace(answer, lost=None)  # `why` has it
            unscored.append(UnscoredAnswer(question=question, answer=bare, why=score))
        else:
            scored.append(ScoredAnswer(question=question, answer=answer, score=score))
    scored = _in_order(scored, questions)
    return add_up(
        benchmark,
        questions,
        (*scored, *unscored),
        problems=(
            *(*problems, *left_out, *_empty_notes(scored), *_review_notes(scored)),
            *(
                *_unscored_notes(unscored),
                *_unanswered_notes(kept, usable),
                *_stray_name_notes(usable),
            ),
        ),
        signature={
            **(signature or {}),
            "ground_truth": _digest(usable),
            "answers": content_hash([[a.query_id, a.model, a.condition, a.text] for a in kept]),
            "level": settings.level,
            "target": settings.target,
            "resamples": settings.resamples,
            "seed": settings.seed,
        },
    )


def add_up(
    benchmark: str,
    questions: Sequence[Question],
    rows: Sequence[Row],
    *,
    problems: Sequence[str],
    signature: Mapping[str, Any],
) -> Results:
    """The results that answers with and without a score come to: averages, runs, rows.

    Args:
        questions: all of the benchmark.
        signature: how the scores were made, with the `Options` of the averages.
    """
    settings = _interval_options(signature)
    usable = []
    for question in questions:
        if question.ground_truth is not None:
            usable.append(question)
    results = Results(
        benchmark=benchmark,
        answers=tuple(row for row in rows if isinstance(row, ScoredAnswer)),
        summaries=summarise(rows, usable, settings, rubric=str(signature.get("judge", ""))),
        problems=tuple(problems),
        signature=dict(sorted(signature.items())),
        unscored=tuple(row for row in rows if isinstance(row, UnscoredAnswer)),
        by_rows=summarise_rows(rows, usable, settings),
        asserted=summarise_asserted(rows, usable, settings),
    )
    return with_runs(results, questions, settings)


def _interval_options(signature: Mapping[str, Any]) -> Options:
    """The level, target, resamples and seed that a signature tells, as options of the intervals."""
    target = signature.get("target", "process")  # of earlier versions there was no other
    named = {name: signature[name] for name in ("level", "resamples", "seed")}
    return Options(target=target, **named)


def with_corrections(
    results: Results, people: Mapping[str, Mapping[str, float]], name: str
) -> Results:
    """The results with averages corrected by people's scores of some answers, and the judge's
    error.

    Args:
        people: answer id -> metric -> its value, with a `fact_tally` of those that were scored.
        name: whose marks they are.
    """
    settings = _interval_options(results.signature)
    return replace(
        results,
        agreement=marked_agreement(results.answers, people, settings),
        corrections=summaries_by_people(
            results.answers,
            people,
            level=settings.level,
            target=settings.target,
            rubric=str(results.signature["judge"]),
        ),
        differences=differences_by_people(results.differences, results.answers, people, settings),
        people=people,
        signature={**results.signature, "people": name, "people_scores": content_hash(people)},
    )


def answer_as_scored(answer: GivenAnswer) -> GivenAnswer:
    """Returns the answer as it is scored: a refusal states nothing, whatever words it comes in."""
    refused = answer.trace is not None and answer.trace.ended == "refused"
    if refused:
        return replace(answer, text="")
    return answer


def _in_order(scored: Sequence[ScoredAnswer], questions: Sequence[Question]) -> list[ScoredAnswer]:
    """The answers by question, then by model and condition as they first occur."""
    order = {question.query_id: place for place, question in enumerate(questions)}
    groups = dict.fromkeys((row.answer.model, row.answer.condition) for row in scored)
    places = {group: place for place, group in enumerate(groups)}

    def key(row: ScoredAnswer) -> tuple[int, int]:
        return order[row.answer.query_id], places[row.answer.model, row.answer.condition]

    return sorted(scored, key=key)


def _digest(questions: Sequence[Question]) -> str:
    """The hash of the ground truth as sets, so that the order of a result does not matter."""
    rows = []
    for q in questions:
        rows.append(
            [
                q.query_id,
                sorted(q.ground_truth or ()),
                *(sorted(more.items()) for more in [writings(q)] if more),
            ]
        )
    return hashlib.sha256(repr(sorted(rows)).encode()).hexdigest()[:32]


def sort_out(
    answers: Iterable[GivenAnswer], by_id: Mapping[str, Question]
) -> tuple[list[GivenAnswer], list[str]]:
    """The answers to be scored, and a sentence for each kind of answer that is left out or
    repeated.

    A row that is the same as an earlier one, its id included, is a copy. Rows without an id get
    their place as their id, so that samples of one model need ids to count one by one.

    Args:
        by_id: the questions of the benchmark.
    """
    kept: dict[tuple[str, ...], GivenAnswer] = {}
    names: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    copies: Counter[str] = Counter()
    untrue: Counter[str] = Counter()
    for place, answer in enumerate(answers, 1):
        key = (answer.id, answer.query_id, answer.model, answer.condition, answer.text)
        names[answer.id] += bool(answer.id)
        question = by_id.get(answer.query_id)
        if question is None:
            unknown[answer.query_id] += 1
        elif question.ground_truth is None:
            untrue[answer.query_id] += 1
        elif key in kept:
            copies[answer.query_id] += 1
        else:
            kept[key] = _without_thinking(answer if answer.id else replace(answer, id=str(place)))
    asked = Counter(_question_slots(list(kept.values())))
    repeats: dict[str, None] = {}
    for (query_id, *_), times in asked.items():
        if times > 1:
            repeats[query_id] = None
    twice: dict[str, None] = {}
    for name, times in names.items():
        if times > 1:
            twice[name] = None
    fates = (
        (unknown, "{} to questions that the benchmark does not have: not scored"),
        (untrue, "{} to questions without a ground truth: not scored"),
        (copies, "{} the same as an earlier one of its question, model and condition: left out"),
    )
    problems = []
    for ids, text in fates:
        if ids:
            problems.append(text.format(_answer_count(ids)) + f" ({_some_ids(ids)})")
    own, notes = _without_messages(list(kept.values()), by_id)
    problems += notes
    if repeats:
        have = count(len(repeats), "question has", "questions have")
        problems.append(
            f"{have} several answers by one model under one condition: averaged per question "
            f"({_some_ids(repeats)})"
        )
    if twice:
        problems.append(f"ids given to more than one row: {_some_ids(twice)}")
    return own, problems


def _without_messages(
    answers: Sequence[GivenAnswer], by_id: Mapping[str, Question]
) -> tuple[list[GivenAnswer], list[str]]:
    """The answers, those lost that are a program's message in place of one; and a sentence for each
    text that many questions share, where that cannot be decided.
    """
    lost: dict[int, NoScore] = {}
    systems: dict[tuple[str, str], list[int]] = {}
    for place, answer in enumerate(answers):
        truth = by_id[answer.query_id].ground_truth or ()
        bare = answer.text.strip(_AROUND).casefold()
        is_right = bare in {element.strip(_AROUND).casefold() for element in truth}
        if answer.lost is not None or not bare or is_right:
            continue
        systems.setdefault((answer.model, answer.condition), []).append(place)
        is_run = answer.trace is not None
        why = why_no_answer(answer.text, is_empty=not truth, is_models_own=is_run)
        if why is not None:
            lost[place] = NoScore(status=why[0], reason=why[1])
    notes = []
    for system, places in systems.items():
        given = [answers[place] for place in places]
        shared = same_on_many(
            (a.query_id, a.text, by_id[a.query_id].ground_truth or ()) for a in given
        )
        for text, is_message in shared.items():
            alike = [place for place in places if answers[place].text.strip() == text]
            shown = " ".join(text.split())[:_SHOWN_TEXT]
            if is_message:
                reason = f"the same message in place of {len(alike)} answers: {shown}"
                failed = NoScore(status="failed", reason=reason)
                lost |= {place: failed for place in alike if place not in lost}
                continue
            name = " ".join(filter(None, system)) or "the answers"
            notes.append(
                f"{len(alike)} answers of {name} are the same text, to questions with different "
                f"ground truths: scored as they are. If it is a message of your program, give "
                f"these rows an `error`, and they count as missing: {shown}"
            )
    kept = [replace(a, lost=lost.get(place, a.lost)) for place, a in enumerate(answers)]
    return kept, notes


def _without_thinking(answer: GivenAnswer) -> GivenAnswer:
    """The answer without the model's thinking; lost where there is nothing else in it."""
    text = without_thought(answer.text).strip()
    cut_off = answer.trace is not None and answer.trace.ended == "length"
    if not text and (answer.text.strip() or cut_off):
        return replace(
            answer, lost=answer.lost or NoScore(status="unparsed", reason=_ONLY_THINKING)
        )
    if text == answer.text.strip():
        return answer
    return replace(answer, text=text)


def _question_slots(answers: Sequence[GivenAnswer]) -> Iterator[tuple[str, str, str, int]]:
    """Question, model, condition and sample of each answer: two in one slot are repeats nobody
    asked for.

    Of a run the answers that never came have no trace, and are left out.
    """
    ran = any(answer.trace for answer in answers)
    for answer in answers:
        if answer.trace is not None or not ran:
            sample = 0
            if answer.trace is not None:
                sample = answer.trace.sample
            yield answer.query_id, answer.model, answer.condition, sample


def _answer_count(ids: Counter[str]) -> str:
    """How many answers a count of ids holds, as `1 answer` or `3 answers`."""
    return count(sum(ids.values()), "answer", "answers")


def _some_ids(ids: Iterable[str]) -> str:
    """The first ids without duplicates, in one line, and how many more there are; in quotes where
    it would not be seen where one ends."""
    names = []
    for n in dict.fromkeys(ids):
        names.append(n if re.fullmatch(r"[^\s,;()]+", n) else repr(n))
    return some(names, _SHOWN)


def _empty_notes(scored: Sequence[ScoredAnswer]) -> list[str]:
    """A sentence on the answers that are empty, if any are."""
    ids = Counter(row.answer.query_id for row in scored if not row.answer.text.strip())
    if ids:
        return [
            f"{_answer_count(ids)} empty: scored, without facts ({_some_ids(ids)}). Where no reply "
            "came, give the row an `error`, and it counts as missing"
        ]
    return []


def _review_notes(scored: Sequence[ScoredAnswer]) -> list[str]:
    """A sentence on long answers in which nothing was read at all, which a person should look at,
    if any.
    """
    nothing = (row for row in scored if to_review(row) and not row.score.absence)
    ids = Counter(row.answer.query_id for row in nothing)
    what = "of more than six words in which no fact was found: look whether that is so"
    if ids:
        return [f"{_answer_count(ids)} {what} ({_some_ids(ids)})"]
    return []


def _unscored_notes(rows: Sequence[UnscoredAnswer]) -> Iterator[str]:
    """A sentence per reason why answers have no score: how many, and the commonest cause."""
    for status, text in _WHY.items():
        these = []
        for row in rows:
            if row.why.status == status:
                these.append(row)
        if these:
            ids = Counter(row.answer.query_id for row in these)
            reasons = Counter(row.why.reason for row in these if row.why.reason)
            most = "".join(f"; {reason}" for reason, _ in reasons.most_common(1))
            yield (
                f"{_answer_count(ids)} without a score, counted as missing: "
                f"{text}{most} ({_some_ids(ids)})"
            )


def _stray_name_notes(questions: Sequence[Question]) -> Iterator[str]:
    """A sentence per question whose aliases or units belong to no element of its G."""
    for question in questions:
        names = stray_names(question)
        if names:
            yield (
                f"{question.query_id}: aliases or a unit for {_some_ids(names)}, no element of its "
                "ground truth: without effect"
            )


def _unanswered_notes(
    answers: Sequence[GivenAnswer], questions: Sequence[Question]
) -> Iterator[str]:
    """A sentence for each model and condition that left questions without an answer."""
    given: dict[tuple[str, str], set[str]] = {}
    for answer in answers:
        given.setdefault((answer.model, answer.condition), set()).add(answer.query_id)
    for system, answered in given.items():
        ids = []
        for q in questions:
            if q.query_id not in answered:
                ids.append(q.query_id)
        if ids:
            name = ", ".join(filter(None, system)) or "the answers"
            have = "have"
            if len(ids) == 1:
                have = "has"
            missing = f"{len(ids)} of {len(questions)} questions {have} no answer"
            yield f"{missing} in {name} ({_some_ids(ids)})"
