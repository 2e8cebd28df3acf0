"""Summaries: how correct is one by its source, and does the source support each of its clauses?"""

from __future__ import annotations

from factmark.replies.rubric import Rubric

_ERROR = (
    "A factual error is a statement that contradicts the source, or that the source neither states "
    "nor strongly implies and that does not follow from it. What is true but stands not in "
    "the source is an error too. Style, length and what is left out do not count."
)

COARSE_SUMMARY = Rubric(
    name="summary-correctness",
    version=1,
    values={str(rating): float(rating) for rating in range(6)},
    evidence_name="SOURCE",
    claim_name="SUMMARY",
    criterion=(
        "Rate how correct the summary is, from 0 to 5, by the source alone; what you know besides "
        f"does not count. {_ERROR}\n"
        "0: most or all of it is wrong, or has nothing to do with the source.\n"
        "1: much more wrong than right.\n"
        "2: more wrong than right.\n"
        "3: more right than wrong.\n"
        "4: right but for little.\n"
        "5: most or all of it is right."
    ),
)

FINE_SUMMARY = Rubric(
    name="clause-support",
    version=1,
    values={"YES": 1.0, "NO": 0.0},
    evidence_name="SOURCE",
    claim_name="CLAUSE",
    criterion=(
        "Decide whether the source supports the clause that is marked off in its summary. Judge "
        "the marked clause only; the rest of the summary tells what it speaks of. Go by the source "
        f"alone; what you know besides does not count. {_ERROR}\n"
        "YES: the source states it or strongly implies it, or it follows from the source.\n"
        "NO: the source contradicts it or does not tell it."
    ),
)


def clause_claim(summary: str, start: int, end: int) -> str:
    """A clause with the summary that it stands in, as `FINE_SUMMARY` judges it."""
    return f"Clause: {summary[start:end]}\nIts summary: {summary}"
