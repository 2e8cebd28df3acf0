"""The sentence that a report on answers begins with, and what bears on who found the facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from factmark.answers.core.averages import METRICS, OVERALL
from factmark.answers.results import CorrectedSummary, Results, Summary
from factmark.report.judge_notes import own_work_note
from factmark.report.sentence import (
    FirstSentence,
    aside,
    best_first,
    brackets,
    figure,
    figures,
    lacking,
)
from factmark.text.shown_text import count, one_line

_SCALE = "1 is all of the ground truth and nothing else"


def answers_opening(results: Results) -> FirstSentence:
    """The combined score of each model and condition, the best first; for a single one C and H too.

    As people would have scored, where they marked answers of each.
    """
    overall = [row for row in results.summaries if row.category == OVERALL]
    corrected = {(row.model, row.condition): row for row in results.corrections}
    by_people = bool(overall) and {(r.model, r.condition) for r in overall} <= corrected.keys()
    rows: Sequence[Summary | CorrectedSummary] = (
        [corrected[row.model, row.condition] for row in overall] if by_people else overall
    )
    sentence = _scores_in_words(rows, "as people would score them, " * by_people)
    questions = max((row.n_questions for row in overall), default=0)
    missing = sum(row.n_missing for row in overall)
    asked = sum(row.n_questions for row in overall)
    lack = lacking(missing, asked, "answers missing")
    few = len(overall) == 1 and lack and missing < asked
    of = f"{asked - missing:,} of " if few else ""
    return FirstSentence(
        sentence=(f"On {of}{count(questions, 'question', 'questions')} {sentence}{lack}."),
        cautions=own_answers_cautions(results.signature, (row.model for row in overall)),
    )


def own_answers_cautions(signature: Mapping[str, object], models: Iterable[str]) -> tuple[str, ...]:
    """A caution for a model that finds the facts in its own answers; none where none does.

    Args:
        signature: of the results: who found the facts, and in a run which model each name is.
        models: what the models are called whose answers these are.
    """
    judge: Any = signature.get("judge_model") or ""
    known: Any = signature.get("models") or {}
    called = {name: str(known.get(name, {}).get("model", name)) for name in models}
    note = own_work_note(str(judge), called, "answers")
    return (note,) if note else ()


def _scores_in_words(rows: Sequence[Summary | CorrectedSummary], by: str) -> str:
    """The sentence that tells the scores of all systems, or C and H too where there is one."""
    models = list(dict.fromkeys(row.model for row in rows))
    model = one_line(models[0]) if len(models) == 1 else ""
    scores = best_first(
        (_system_in_words(row, "" if model else row.model), row.combined_score) for row in rows
    )
    if all(estimate.value is None for _, estimate in scores):
        return "there is no score, since no answer could be scored"
    scored = f"{model or 'the answers'} score{'s' * bool(model)} {figures(scores, ' of 1')}"
    if len(scores) > 1:
        return scored + aside(f"{by}S: {_SCALE}", brackets(*(estimate for _, estimate in scores)))
    complete, invented, combined = (metric.estimate(rows[0]) for metric in METRICS.values())
    return (
        f"{scored}: {'its answers' if model else 'they'} say {figure(complete)} of the ground "
        f"truth, and of what they state {figure(invented)} is not in it"
        f"{aside(f'{by}S, C and H', brackets(complete, invented, combined))}"
    )


def _system_in_words(row: Summary | CorrectedSummary, model: str) -> str:
    """The words after a system's figure, `by MODEL under CONDITION`, as far as these are known."""
    names = (("by", model), ("under", row.condition))
    return " ".join(f"{word} {one_line(name)}" for word, name in names if name)
