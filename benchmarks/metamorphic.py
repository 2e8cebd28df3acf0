"""Which changes that change no fact change a score, over every answer at hand (E11).

    python benchmarks/metamorphic.py [FILE ...] [--sample N] [--show NAME] [--times N]

`tests/answers/metamorphic.py` says what the transformations are and what each lets one expect; no
marks are needed, only question, ground_truth and answer. Printed is the share that holds, for each
transformation and over all.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from answers.metamorphic import TRANSFORMATIONS, Altered, Case, scored, trials
from factmark.answers.core.records import AnswerScore

ROOT = Path(__file__).resolve().parent.parent
FILES = (
    ROOT / "benchmarks" / "marked" / "answers.jsonl",
    *sorted((ROOT / "tests" / "data").glob("answers_*.jsonl")),
    *sorted((ROOT.parent / "shared" / "gold").glob("answers_*.jsonl")),
)


def cases_of(*paths: Path) -> list[Case]:
    """The answers of JSON Lines files."""
    rows: list[dict[str, Any]] = [
        json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()
    ]
    return [
        Case(
            question=row["question"],
            ground_truth=tuple(row["ground_truth"]),
            answer=row["answer"],
        )
        for row in rows
    ]


def show(case: Case, before: AnswerScore, altered: Altered, after: AnswerScore) -> None:
    """Prints a case that does not hold, with the facts that differ."""
    old = {(fact.text, fact.match) for fact in before.facts}
    new = {(fact.text, fact.match) for fact in after.facts}
    print(f"\nQ {case.question}\nG {case.ground_truth[:8]}\nA {altered.answer[:700]}")
    if altered.lost is not None:
        print(f"  wrong: {altered.answer[slice(*altered.place)]} for {altered.lost}")
    print(f"  gone {sorted(old - new, key=str)}\n  new  {sorted(new - old, key=str)}")
    if before.absence != after.absence or before.verdict != after.verdict:
        print("  absence", before.absence, after.absence, "verdict", before.verdict, after.verdict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="so many answers only")
    parser.add_argument("--times", type=int, default=1, help="so many texts of each kind an answer")
    parser.add_argument("--show", default="", help="print what does not hold of this kind, or all")
    options = parser.parse_args()
    cases = cases_of(*(options.files or [path for path in FILES if path.exists()]))
    if options.sample:
        cases = Random(7).sample(cases, min(options.sample, len(cases)))
    tally = {name: [0, 0] for name in TRANSFORMATIONS}
    for case in cases:
        before = scored(case)
        for name, counts in tally.items():
            for altered, after, holds in trials(case, before, name, options.times):
                counts[0] += holds
                counts[1] += 1
                if not holds and options.show in (name, "all"):
                    print(f"\n== {name}", end="")
                    show(case, before, altered, after)
    print(f"{len(cases)} answers")
    for name, (good, count) in tally.items():
        print(f"{name:16}{count:6} {good / max(1, count):.4f}")
    good, count = (sum(counts[i] for counts in tally.values()) for i in (0, 1))
    print(f"{'all':16}{count:6} {good / max(1, count):.4f}")


if __name__ == "__main__":
    main()
