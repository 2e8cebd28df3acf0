"""A small study about an invented health data space, as the report gets it.

Answers are written with their facts in brackets: `[12>12]` covers the element `12` of G, `[2019]`
is a hallucination. Scores follow from that by the formulas of protocol 1; the intervals are plain
normal ones, good enough to draw.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from factmark.answers.core.records import (
    AnswerScore,
    Fact,
    GivenAnswer,
    Question,
    Results,
    ScoredAnswer,
    Summary,
)
from factmark.model import Estimate
from sample_answers import ANSWERS, QUESTIONS

CONDITIONS = ("baseline", "rag", "mcp")
_FACT = re.compile(r"\[([^\[\]>]+)(?:>([^\[\]]+))?\]")


def parse_answer(marked: str) -> tuple[str, tuple[Fact, ...]]:
    """The plain text of an answer and its facts."""
    text, facts, position = "", [], 0
    for found in _FACT.finditer(marked):
        text += marked[position : found.start()]
        spelled, element = found[1], found[2]
        start = len(text)
        text += spelled
        facts.append(
            Fact(
                text=spelled,
                start=start,
                end=len(text),
                match=element,
                rule="M2" if element else "",
            )
        )
        position = found.end()
    return text + marked[position:], tuple(facts)


def score(facts: Sequence[Fact], truth: Sequence[str], text: str) -> AnswerScore:
    """C, H, S by their formulas."""
    matched = {fact.match for fact in facts if fact.match is not None}
    absence = bool(re.search(r"\b(no|none|empty|not)\b", text.lower()))
    c = len(matched) / len(truth) if truth else float(absence)
    h = sum(fact.match is None for fact in facts) / len(facts) if facts else 0.0
    first = text.lower().split(maxsplit=1)[0].strip(".,") if text.strip() else ""
    return AnswerScore(
        facts=tuple(facts),
        missing=tuple(element for element in truth if element not in matched),
        verdict=first if first in ("yes", "no") else None,
        absence=absence,
        completeness=c,
        hallucination_rate=h,
        combined_score=2 * c * (1 - h) / (c + 1 - h) if c + 1 - h else 0.0,
    )


def estimate(values: Sequence[float], missing: int, *, low_is_good: bool = False) -> Estimate:
    """The mean with a normal interval."""
    n = len(values)
    if not n:
        return Estimate(
            value=None, low=None, high=None, level=0.95, method="bootstrap over questions",
            n_items=0, n_units=0, n_missing=missing,
        )  # fmt: skip
    mean = sum(values) / n
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / max(n - 1, 1) / n)
    ends = (sum(values) / (n + missing), (sum(values) + missing) / (n + missing))
    return Estimate(
        value=mean, low=max(mean - 1.96 * spread, 0), high=min(mean + 1.96 * spread, 1),
        level=0.95, method="bootstrap over questions, 2000 resamples", n_items=n, n_units=n,
        n_missing=missing, worst=max(ends) if low_is_good else min(ends),
        best=min(ends) if low_is_good else max(ends),
    )  # fmt: skip


def summarise(
    scored: Iterable[ScoredAnswer], *, model: str, condition: str, category: str, expected: int
) -> Summary:
    """The averages of one model and condition in a category, or `overall`."""
    scores = [
        item.score
        for item in scored
        if (item.answer.model, item.answer.condition) == (model, condition)
        and category in (item.question.category, "overall")
    ]
    missing = expected - len(scores)
    return Summary(
        model=model,
        condition=condition,
        category=category,
        completeness=estimate([s.completeness for s in scores], missing),
        hallucination_rate=estimate(
            [s.hallucination_rate for s in scores], missing, low_is_good=True
        ),
        combined_score=estimate([s.combined_score for s in scores], missing),
        n_questions=expected,
        n_answers=len(scores),
        n_missing=missing,
    )


def sample_results(*, models: Sequence[str] = ("example-model-8b",), copies: int = 1) -> Results:
    """The study; with several models all say the same, with copies every answer comes again."""
    scored = []
    for question in QUESTIONS:
        for model in models:
            for condition, marked in zip(CONDITIONS, ANSWERS[question.query_id], strict=True):
                if marked is None:
                    continue
                scored += [_scored(question, model, condition, marked)] * copies
    sizes: dict[str, int] = {"overall": len(QUESTIONS) * copies}
    for question in QUESTIONS:
        sizes[question.category] = sizes.get(question.category, 0) + copies
    summaries = tuple(
        summarise(scored, model=model, condition=condition, category=category, expected=size)
        for model in models
        for condition in CONDITIONS
        for category, size in [*list(sizes.items())[1:], ("overall", sizes["overall"])]
    )
    return Results(
        benchmark="North Sea health data space",
        answers=tuple(scored),
        summaries=summaries,
        problems=(
            "answers.jsonl, line 17: question D99 is not in the benchmark; not scored.",
            "Question P4 has no answer under rag.",
        ),
        signature={
            "factmark": "0.1.0",
            "protocol": "answers 1",
            "judge": "rules E1-E8, M1-M4",
            "seed": 20240501,
            "bootstrap": {"resamples": 2000, "level": 0.95, "cluster": "question"},
            "answers_sha256": "6b1f0c5a0d6c43f29f5be18c8a3e7d9048f2a4be1f0d3f6c0e2a9b7d5c4e3f21",
        },
    )


def _scored(question: Question, model: str, condition: str, marked: str) -> ScoredAnswer:
    text, facts = parse_answer(marked)
    assert question.ground_truth is not None
    tools = {"mcp": ("list_datasets", "run_sparql")}.get(condition)
    seconds = {"baseline": 1.4, "rag": 2.6, "mcp": 7.9}[condition] + len(text) / 100
    return ScoredAnswer(
        question=question,
        answer=GivenAnswer(
            id=f"{question.query_id}-{condition}-{model}",
            query_id=question.query_id,
            text=text,
            model=model,
            condition=condition,
            latency_seconds=seconds,
            tools_called=tools,
        ),
        score=score(facts, question.ground_truth, text),
    )
