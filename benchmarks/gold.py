"""How good the extractor is, against answers that people annotated (`make gold`).

    python benchmarks/gold.py [FILE ...] [--worst N]

Each file is JSON Lines as docs/answers.md describes under "Annotated answers". Printed are the mean
absolute error of C, H and S against the mean of the annotators, the F1 of the facts (mean over
answers and annotators; two facts are equal when their normalised words without articles are), and
the worst answers.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from factmark.answers.core.records import AnswerScore
from factmark.answers.core.scores import is_boolean, score_answer
from factmark.text.words import normalise

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = (
    *sorted((ROOT / "tests" / "data").glob("answers_*.jsonl")),
    ROOT / "benchmarks" / "marked" / "held_out.jsonl",
    *sorted((ROOT.parent / "shared" / "gold").glob("answers_*.jsonl")),
)
ANNOTATORS = ("annotator_1", "annotator_2")
ARTICLES = frozenset(("the", "a", "an"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One answer: the rules' score beside the people's."""

    row: dict[str, Any]
    people: list[dict[str, Any]]
    score: AnswerScore
    signed: tuple[float, float, float]  # of C, H, S: above 0 where the rules say more
    f1: float

    @property
    def errors(self) -> tuple[float, float, float]:
        c, h, s = map(abs, self.signed)
        return c, h, s

    @property
    def badness(self) -> float:
        return sum(self.errors) + 1 - self.f1


def key(text: str) -> tuple[str, ...]:
    """What two spellings of one fact have in common."""
    return tuple(word for word in normalise(text) if word not in ARTICLES)


def fact_f1(ours: list[str], theirs: list[str]) -> float:
    """F1 of two lists of facts; 1 when both are empty."""
    left, right = [key(text) for text in ours], [key(text) for text in theirs]
    if not left and not right:
        return 1.0
    hits = 0
    for words in left:
        if words in right:
            right.remove(words)
            hits += 1
    return 2 * hits / (len(ours) + len(theirs))


def compare(row: dict[str, Any]) -> Comparison:
    """Scores one annotated answer by rule."""
    score = score_answer(row["question"], row["ground_truth"], row["answer"])
    people = [row[name] for name in ANNOTATORS if name in row]
    ours = (score.completeness, score.hallucination_rate, score.combined_score)
    c, h, s = (
        value - mean(person[metric] for person in people)
        for value, metric in zip(ours, "CHS", strict=True)
    )
    boolean = is_boolean(row["ground_truth"])  # people mark no facts there (E5)
    facts = [] if boolean else [fact.text for fact in score.facts]
    f1 = mean(fact_f1(facts, [fact["text"] for fact in person["facts"]]) for person in people)
    return Comparison(row=row, people=people, score=score, signed=(c, h, s), f1=f1)


def compare_file(path: Path) -> list[Comparison]:
    """All annotated answers of a file."""
    return [compare(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def summary(rows: list[Comparison]) -> dict[str, float]:
    """Mean absolute errors and mean F1."""
    c, h, s = (mean(row.errors[index] for row in rows) for index in range(3))
    return {"C": c, "H": h, "S": s, "F1": mean(row.f1 for row in rows)}


def show(path: Path, worst: int) -> None:
    """Prints the figures of a file and its worst answers."""
    rows = compare_file(path)
    figures = "  ".join(f"{name} {value:.3f}" for name, value in summary(rows).items())
    print(f"{path.name}: {len(rows)} answers; mean absolute error, fact F1: {figures}")
    for row in sorted(rows, key=lambda row: -row.badness)[:worst]:
        c, h, s = row.errors
        print(f"\n{row.row['id']} {row.row['query_id']}: C {c:.2f} H {h:.2f} S {s:.2f}", end="")
        print(f" F1 {row.f1:.2f}\n  Q {row.row['question']}\n  A {row.row['answer'][:600]}")
        theirs = {key(fact["text"]) for person in row.people for fact in person["facts"]}
        mine = {key(fact.text) for fact in row.score.facts}
        print("  ours only:  ", [f.text for f in row.score.facts if key(f.text) not in theirs])
        for person in row.people:
            only = [f["text"] for f in person["facts"] if key(f["text"]) not in mine]
            print("  theirs only:", only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--worst", type=int, default=5)
    options = parser.parse_args()
    for path in options.files or [path for path in DEFAULTS if path.exists()]:
        show(path, options.worst)


if __name__ == "__main__":
    main()
