"""A small study about an invented health data space, as the report gets it.

Answers are written with their facts in brackets: `[12>12]` covers the element `12` of G, `[2019]`
is a hallucination.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmark.answers.core.averages import summarise
from factmark.answers.core.records import (
    AnswerScore,
    Fact,
    GivenAnswer,
    Question,
    ScoredAnswer,
)
from factmark.answers.core.scores import score_of_tallies
from factmark.answers.results import Results
from factmark.stats.comparison import Options
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
    """What these facts come to, of an answer with this text."""
    matched = {fact.match for fact in facts}
    first = text.lower().split(maxsplit=1)[0].strip(".,") if text.strip() else ""
    return score_of_tallies(
        facts=tuple(facts),
        missing=tuple(element for element in truth if element not in matched),
        verdict=first if first in ("yes", "no") else None,
        absence=bool(re.search(r"\b(no|none|empty|not)\b", text.lower())),
        elements=len(truth),
        members=len(facts),
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
    return Results(
        benchmark="North Sea health data space",
        answers=tuple(scored),
        summaries=summarise(scored, QUESTIONS, Options(resamples=200)),
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
