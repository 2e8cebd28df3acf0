"""How good the path of facts by a model is, on answers that people or models marked.

    python benchmarks/facts_by_model.py [FILE ...]  # a stand-in that gives the marks
    python benchmarks/facts_by_model.py FILE --judge llamacpp:WEIGHTS.gguf --sample 40

The stand-in speaks the OpenAI protocol over a socket and lists the first annotator's facts: what is
left of the error is that of the path (quotes, E3 to E7, elements of G, matching, verdict, absence).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import factmark as fm
from factmark.answers.core.records import ScoredAnswer
from gold import DEFAULTS, fact_f1
from stand_in import answering

Marked = dict[str, Any]


def marks_of(rows: list[Marked]) -> Callable[[str], str]:
    """Returns what lists the marks of the answer in a prompt."""
    marks = {row["answer"]: row["annotator_1"]["facts"] for row in rows}

    def reply(prompt: str) -> str:
        answer = max((text for text in marks if text and text in prompt), key=len, default="")
        facts = [fact.get("quote") or fact["text"] for fact in marks.get(answer, ())]
        return json.dumps({"facts": facts})

    return reply


def measure(rows: list[Marked], **judge: Any) -> str:
    """Scores marked answers by a judge; returns its errors and the F1 of its facts."""
    asked = [
        {"query_id": str(n), "question": row["question"], "ground_truth": row["ground_truth"]}
        | ({} if row["ground_truth"] else {"empty": True})
        for n, row in enumerate(rows)
    ]
    answers = [{"query_id": str(n), "answer": row["answer"]} for n, row in enumerate(rows)]
    scored = fm.score(answers, benchmark=asked, resamples=100, **judge).rows
    errors: dict[str, list[float]] = {"C": [], "H": [], "S": [], "F1": []}
    for given in scored:
        if not isinstance(given, ScoredAnswer):
            continue
        marks = rows[int(given.answer.query_id)]["annotator_1"]
        score = given.score
        values = (score.completeness, score.hallucination_rate, score.combined_score)
        for name, value in zip("CHS", values, strict=True):
            errors[name].append(abs(value - marks[name]))
        ours = [fact.text for fact in score.facts]
        errors["F1"].append(fact_f1(ours, [fact["text"] for fact in marks["facts"]]))
    figures = "  ".join(f"{name} {mean(column):.3f}" for name, column in errors.items())
    return f"{len(errors['C'])} of {len(rows)} answers scored: {figures}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--judge", default="")
    parser.add_argument("--sample", type=int, default=0, help="so many answers of a file only")
    options = parser.parse_args()
    for path in options.files or [path for path in DEFAULTS if path.exists()]:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if options.sample:
            rows = Random(7).sample(rows, min(options.sample, len(rows)))
        if options.judge:
            print(path.name, measure(rows, judge=options.judge), flush=True)
            continue
        with answering(marks_of(rows)) as address:
            figures = measure(rows, judge="openai:marks", base_url=address)
            print(path.name, figures, flush=True)


if __name__ == "__main__":
    main()
