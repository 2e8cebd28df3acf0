"""How good the extractor is, against answers that people annotated (`make gold`).

    python benchmarks/gold.py [FILE ...] [--worst N]

Each file is JSON Lines in the form of docs/answers.md, "Annotated answers". Prints the mean
absolute error of C, H and S against the mean of the annotators, the F1 of the facts (macro mean
over answers and annotators; facts are equal when their normalised words without articles are),
and the worst answers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean

from factmark.answers import score_answer
from factmark.answers.words import normalise

HERE = Path(__file__).resolve().parent
DEFAULTS = [
    HERE.parent / "tests" / "data" / "answers_annotated.jsonl",
    HERE.parent.parent / "shared" / "gold" / "answers_dev.jsonl",
]
ARTICLES = {"the", "a", "an"}


def key(text: str) -> tuple[str, ...]:
    return tuple(word for word in normalise(text) if word not in ARTICLES)


def f1(ours: list[str], theirs: list[str]) -> float:
    left, right = [key(text) for text in ours], [key(text) for text in theirs]
    if not left and not right:
        return 1.0
    hits = 0
    for words in left:
        if words in right:
            right.remove(words)
            hits += 1
    return 2 * hits / (len(left) + len(theirs))


def evaluate(path: Path, worst: int) -> None:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        score = score_answer(row["question"], row["ground_truth"], row["answer"])
        people = [row[name] for name in ("annotator_1", "annotator_2") if name in row]
        ours = (score.completeness, score.hallucination_rate, score.combined_score)
        theirs = [mean(person[metric] for person in people) for metric in "CHS"]
        errors = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
        facts = [fact.text for fact in score.facts]
        agreement = mean(f1(facts, [f["text"] for f in person["facts"]]) for person in people)
        verdicts = mean(score.verdict == person["verdict"] for person in people)
        absences = mean(score.absence == person["absence"] for person in people)
        rows.append((errors, agreement, row, score, people, verdicts, absences))
    c, h, s = (mean(row[0][index] for row in rows) for index in range(3))
    print(f"{path.name}: {len(rows)} answers")
    print(
        f"  mean absolute error  C {c:.3f}  H {h:.3f}  S {s:.3f}   fact F1 {mean(r[1] for r in rows):.3f}"
    )
    print(
        f"  verdict agreement {mean(r[5] for r in rows):.3f}  absence agreement {mean(r[6] for r in rows):.3f}"
    )
    for errors, agreement, row, score, people, _, _ in sorted(
        rows, key=lambda row: -(sum(row[0]) + 1 - row[1])
    )[:worst]:
        print(
            f"\n{row['id']} {row['query_id']} dC {errors[0]:.2f} dH {errors[1]:.2f} dS {errors[2]:.2f} F1 {agreement:.2f}"
        )
        print(f"  Q {row['question']}\n  A {row['answer'][:700]}")
        theirs = {key(f["text"]) for person in people for f in person["facts"]}
        mine = {key(f.text) for f in score.facts}
        print(
            "  only ours:  ",
            [f.text + ("✓" if f.match else "") for f in score.facts if key(f.text) not in theirs],
        )
        for person in people:
            print(
                "  only theirs:",
                [
                    f["text"] + ("✓" if f["match"] else "")
                    for f in person["facts"]
                    if key(f["text"]) not in mine
                ],
                person["verdict"],
                person["absence"],
            )
        print("  ours:", score.verdict, score.absence)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--worst", type=int, default=5)
    options = parser.parse_args()
    for path in options.files or [path for path in DEFAULTS if path.exists()]:
        evaluate(path, options.worst)


if __name__ == "__main__":
    main()
