"""Text that tries to break out of a report, and a study that has it in every field."""

from __future__ import annotations

from dataclasses import replace

from factmark.answers.core.averages import summarise
from factmark.answers.core.records import (
    Fact,
    GivenAnswer,
    Question,
    ScoredAnswer,
)
from factmark.answers.results import Results
from factmark.stats.comparison import Options
from sample_results import score

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(2)>',
    "single quote": "' onmouseover='alert(3)",
    "end of style": "</style></title></textarea><script>alert(4)</script>",
    "comment": "<!-- --> <![CDATA[ ]]>",
    "template": "{{ 7*7 }} {% raw %} ${7*7}",
    "surrogate": "a\ud800b\udfffc",
    "right to left": "\u202egnp.exe\u202c \u2066x\u2069",
    "nul": "a\x00b\x1b[31mred\x07",
    "long word": "W" * 5000,
    "lines": "a\r\nb\rc\n\n\td\u2028e",
    "entities": "&lt;b&gt; &amp;amp; &#0; &#x202e;",
    "javascript": "javascript:alert(5)",
}


def hostile_results(text: str) -> Results:
    """One answer and its averages with the text in every field that can hold text."""
    question = Question(
        query_id=text, category=text, text=text, sparql=text, ground_truth=(text, f"{text}2")
    )
    body = f"{text} and {text}"
    facts = (
        Fact(text=text, start=0, end=len(text), match=text, rule=text),
        Fact(text=text, start=len(text) + 5, end=len(body), match=None, rule=text),
    )
    made = replace(score(facts, question.ground_truth or (), body), verdict=text, absence=False)
    items = tuple(
        ScoredAnswer(
            question=question,
            answer=GivenAnswer(
                id=text,
                query_id=text,
                text=body,
                model=model,
                condition=condition,
                latency_seconds=1.0,
                tools_called=(text, text),
            ),
            score=made,
        )
        for model in (text, "other")
        for condition in (text, "other")
    )
    return Results(
        benchmark=text,
        answers=items,
        summaries=summarise(items, [question], Options(resamples=100)),
        problems=(text,),
        signature={text: text, "nested": {"value": [text]}},
    )
