"""How many answers of 100 words one core scores in a second, and how time grows with the length.

python benchmarks/scoring.py
"""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

from factmark.answers.core.scores import score_answer

ANSWERS = Path(__file__).resolve().parent.parent / "tests" / "data" / "answers_annotated.jsonl"
WORDS = 100
ROUNDS = 7


def hundred_words() -> list[tuple[str, list[str], str]]:
    """The annotated answers, each repeated with others of its length to about 100 words."""
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    out = []
    for place, row in enumerate(rows):
        text, after = row["answer"], place
        while len(text.split()) < WORDS:
            after = (after + 1) % len(rows)
            text += "\n\n" + rows[after]["answer"]
        out.append((row["question"], row["ground_truth"], text))
    return out


def seconds(rows: list[tuple[str, list[str], str]]) -> float:
    begun = process_time()
    for question, truth, answer in rows:
        score_answer(question, truth, answer)
    return process_time() - begun


def main() -> None:
    rows = hundred_words()
    words = sum(len(answer.split()) for _, _, answer in rows)
    best = min(seconds(rows) for _ in range(ROUNDS))
    rate = words / WORDS / best
    print(f"{len(rows)} answers, {words} words: {rate:,.0f} answers of {WORDS} words a second")
    question, truth, text = rows[0]
    base = seconds([(question, truth, text * (100_000 // len(text) + 1))])
    long = seconds([(question, truth, text * (1_000_000 // len(text) + 1))])
    print(f"one answer of 0.1 MB: {base:.2f} s, of 1 MB: {long:.2f} s, {long / base:.1f} times")


if __name__ == "__main__":
    main()
