"""Whether what a model was given held the ground truth, and what became of it.

Over questions with elements in G, for answers that were given something (chunks, tool results).
R are the elements of G that stand in it, A those that the answer covers:

    held      |R| / |G|             both     |R ∩ A| / |G|
    unsaid    |R \\ A| / |G|         unheld   |A \\ R| / |G|        neither  the rest
    whole     [R = G]               completeness   C, over the answers with R = G
    beyond    |F \\ (G ∪ T)| / |F|   T are the facts that stand in it: what of H nothing bears out

each averaged per question, then over questions. An element stands in a text where its words do, in
a row: a count such as 30 stands in a long text by chance, and a name in other words is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from factmark.answers.core.averages import AnswerGroup
from factmark.answers.core.records import Question, Row, Trace, score_of
from factmark.answers.core.writings import writings
from factmark.model import Estimate
from factmark.text.words import normalise

Held = Mapping[str, bool]
"""Element of G -> whether it stands in what a model was given"""


def held(ground_truth: Sequence[str], texts: Sequence[str]) -> tuple[bool, ...]:
    """For each element of G, whether its words stand in a row in one of the texts (M1).

    >>> held(["CommercialPurpose", "30"], ["Prohibited: commercial purpose"])
    (True, False)
    """
    wanted = [normalise(element) for element in ground_truth]
    sizes = {len(words) for words in wanted if words}
    runs: set[tuple[str, ...]] = set()
    starts = {words[0] for words in wanted if words}
    for text in texts:
        words = normalise(text)
        for at, word in enumerate(words):
            if word in starts:
                runs.update(words[at : at + size] for size in sizes)
    return tuple(bool(words) and words in runs for words in wanted)


def held_in_trace(question: Question, trace: Trace | None) -> Held | None:
    """Element of G -> whether a model was given it; None where it was given nothing to read."""
    shown = None
    if trace is not None:
        shown = trace.shown
    if shown is None:
        return None
    return held_in(question, shown)


def held_in(question: Question, texts: Sequence[str]) -> Held:
    """Element of G -> whether it stands in texts, in its own words, an alias or another unit."""
    others = writings(question)
    names = []
    for e in question.ground_truth or ():
        for name in (e, *others.get(e, ())):
            names.append((e, name))
    stands = held([name for _, name in names], texts)
    known = dict.fromkeys(question.ground_truth or (), False)
    for (element, _), here in zip(names, stands, strict=True):
        known[element] = known[element] or here
    return known


def held_of(rows: Iterable[Row]) -> dict[int, Held | None]:
    """`held_in_trace` of each row, by the row's `id()`; good for as long as the rows live."""
    return {id(row): held_in_trace(row.question, row.answer.trace) for row in rows}


def beyond_of(rows: Iterable[Row]) -> dict[int, float | None]:
    """The share of each row's facts that stand neither in G nor in what the model was given, by the
    row's `id()`; None for a row that was given nothing or has no score."""
    return {id(row): _beyond(row) for row in rows}


def _beyond(row: Row) -> float | None:
    """The share of an answer's facts that nothing bears out; 0 without facts."""
    score = score_of(row)
    shown = None
    if row.answer.trace is not None:
        shown = row.answer.trace.shown
    if score is None or shown is None:
        return None
    texts = [fact.text for fact in score.facts if fact.match is None]
    if not texts:
        return 0.0
    return held(texts, shown).count(False) / len(score.facts)


def retrieval(
    group: AnswerGroup,
    given: Mapping[int, Held | None],
    beyond: Mapping[int, float | None],
) -> dict[str, Estimate] | None:
    """The shares by the names above; None where no answer was given anything to answer from.

    Args:
        given: what `held_of` made of these rows, or of more.
        beyond: what `beyond_of` made of them.
    """
    if all(given[id(row)] is None for row in group.rows):
        return None

    def not_borne_out(row: Row) -> list[float] | None:
        value = beyond[id(row)]
        if value is None:
            return None
        return [value]

    shares = _shares_of_elements(group, given)
    shares["beyond"] = group.share(
        "beyond", not_borne_out, among=lambda q: bool(q.ground_truth), lower_is_better=True
    )
    return shares


def _shares_of_elements(
    group: AnswerGroup, given: Mapping[int, Held | None]
) -> dict[str, Estimate]:
    """The shares of the elements of G, by whether they were given and whether they are said."""

    def share(
        name: str, value: Callable[[Row, Held], list[float] | None], *, lower: bool = False
    ) -> Estimate:
        def values(row: Row) -> list[float] | None:
            known = given[id(row)]
            if known is None:
                return None
            return value(row, known)

        return group.share(
            name, values, among=lambda q: bool(q.ground_truth), lower_is_better=lower
        )

    def cell(name: str, *, retrieved: bool, stated: bool) -> Estimate:
        def value(row: Row, known: Held) -> list[float] | None:
            score = score_of(row)
            if score is None:
                return None
            missing = set(score.missing)
            here = []
            for e, flag in known.items():
                here.append(flag == retrieved and (e not in missing) == stated)
            return [sum(here) / len(known)]

        return share(name, value, lower=name != "both")

    return {
        "held": share("held", lambda _, known: [sum(known.values()) / len(known)]),
        "both": cell("both", retrieved=True, stated=True),
        "unsaid": cell("unsaid", retrieved=True, stated=False),
        "unheld": cell("unheld", retrieved=False, stated=True),
        "neither": cell("neither", retrieved=False, stated=False),
        "whole": share("whole", lambda _, known: [float(all(known.values()))]),
        "completeness": share("C of whole", _completeness),
    }


def _completeness(row: Row, known: Held) -> list[float] | None:
    """Does not apply where not all of G was there, whether or not the answer has a score."""
    if not all(known.values()):
        return []
    score = score_of(row)
    if score is None:
        return None
    return [score.completeness]
