"""Marks in an answer as verdicts: the facts that a person found, and what they cover of G."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.answers.records import AnswerScore, Fact
from factmark.answers.scores import combined_score
from factmark.campaigns.records import Marking, Response
from factmark.model import Item, Judge, Unit, Verdict


def score_marks(answer: str, ground_truth: Sequence[str], marking: Marking) -> AnswerScore:
    """C, H and S by a person's marks (protocol 1).

    C is the share of G that the person ticked. F is one fact per ticked element (M4: a fact left
    over that states a covered element again is dropped) and each span marked as not grounded.
    """
    covered = [element for element in ground_truth if element in marking.covered]
    spare = iter(sorted(covered))
    facts = [
        Fact(text=answer[start:end], start=start, end=end, match=next(spare, ""), rule="person")
        for start, end in sorted(marking.grounded)
    ]
    facts += [
        Fact(text=answer[start:end], start=start, end=end) for start, end in marking.ungrounded
    ]
    wrong = len(marking.ungrounded)
    if ground_truth:
        completeness = len(covered) / len(ground_truth)
        found = len(covered) + wrong
    else:
        completeness = float(marking.absence)
        found = len(marking.grounded) + wrong
    hallucination = wrong / found if found else 0.0
    return AnswerScore(
        facts=tuple(sorted(facts, key=lambda fact: (fact.start, fact.end))),
        missing=tuple(element for element in ground_truth if element not in marking.covered),
        verdict=marking.verdict,
        absence=marking.absence,
        completeness=completeness,
        hallucination_rate=hallucination,
        combined_score=combined_score(completeness, hallucination),
    )


def marked_rows(
    item: Item, answer: str, response: Response, judge: Judge, earlier: Sequence[Unit]
) -> Iterator[tuple[Unit, Verdict]]:
    """The verdicts that a person's marks stand for; facts no longer marked are taken back."""
    raise NotImplementedError  # on its way in this change
