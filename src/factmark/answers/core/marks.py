"""Marks in an answer as verdicts: the facts that a person found, and what they cover of G."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from factmark.answers.core.matching import match_facts
from factmark.answers.core.records import AnswerScore, Fact
from factmark.answers.core.rows import said_rows, taken_back
from factmark.answers.core.scores import combined_score
from factmark.campaign_model import Marking, Span
from factmark.model import Item, Judge, Unit, Verdict
from factmark.text.words import normalise


def score_marks(answer: str, ground_truth: Sequence[str], marking: Marking) -> AnswerScore:
    """C, H and S by a person's marks (protocol 1).

    What the person ticked decides what is covered: C is its share of G, and each ticked element is
    one member of F, marked or not. Beside these, F holds the spans marked as not grounded, the same
    words once (E6; whether a longer and a shorter name are one thing is left to the person, where
    the rules go by the words). A grounded span that no ticked element is left for says one again
    (M4) or, where G is empty, that there is nothing; it is no fact. Where G is empty, C is 1 if
    absence is reported.
    """
    elements = tuple(dict.fromkeys(ground_truth))
    covered = tuple(element for element in elements if element in marking.covered)
    facts = _facts(answer, covered, marking)
    wrong = sum(fact.match is None for fact in facts)
    found = len(covered) + wrong
    completeness = len(covered) / len(elements) if elements else float(marking.absence)
    hallucination = wrong / found if found else 0.0
    return AnswerScore(
        facts=facts,
        missing=tuple(element for element in elements if element not in marking.covered),
        verdict=marking.verdict,
        absence=marking.absence,
        completeness=completeness,
        hallucination_rate=hallucination,
        combined_score=combined_score(completeness, hallucination),
    )


def marked_rows(
    item: Item,
    answer: str,
    ground_truth: Sequence[str],
    marking: Marking,
    judge: Judge,
    earlier: Iterable[tuple[Unit, Verdict]],
) -> Iterator[tuple[Unit, Verdict]]:
    """The verdicts that a person's marks stand for, on the units that the rules judge too.

    Args:
        item: the answer's.
        ground_truth: as it was shown.
        earlier: the answer's units with the person's newest verdicts; facts that are no longer
            marked are taken back (`refused`).
    """
    score = score_marks(answer, ground_truth, marking)
    ticks = {element: element in marking.covered for element in ground_truth}
    said = set()
    for unit, verdict in said_rows(item, score, ticks, judge):
        said.add(unit.id)
        yield unit, verdict
    yield from taken_back(judge, earlier, said)


def _facts(answer: str, covered: Sequence[str], marking: Marking) -> tuple[Fact, ...]:
    """The spans that are members of F, in the order of the text."""
    wrong: dict[tuple[str, ...], Fact] = {}
    for fact in _spans(answer, marking.ungrounded):
        wrong.setdefault(normalise(fact.text), fact)
    found = [*_covering(_spans(answer, marking.grounded), covered), *wrong.values()]
    return tuple(sorted(found, key=lambda fact: (fact.start, fact.end)))


def _spans(answer: str, spans: Iterable[Span]) -> list[Fact]:
    """The marked parts without white space around them, so that equal facts are equal units."""
    found = []
    for start, end in sorted(spans):
        text = answer[start:end].strip()
        if text:
            at = answer.index(text, start)
            found.append(Fact(text=text, start=at, end=at + len(text)))
    return found


def _covering(spans: Sequence[Fact], covered: Sequence[str]) -> Iterator[Fact]:
    """The spans that stand for ticked elements, one each: by the rules (M1-M5), then in order.

    A person may tick what the rules do not see (a synonym); such spans take the elements that are
    left, before those that only say a covered element again.
    """
    matched = {fact.start: fact.match for fact in match_facts(spans, covered)}
    left = iter([element for element in covered if element not in matched.values()])
    silent = [fact for fact in spans if matched.get(fact.start, "") is None]
    again = [fact for fact in spans if fact.start not in matched]
    yield from (
        replace(fact, match=matched[fact.start], rule="person")
        for fact in spans
        if matched.get(fact.start) is not None
    )
    for fact, element in zip([*silent, *again], left, strict=False):
        yield replace(fact, match=element, rule="person")
