"""Completeness, hallucination rate and combined score of an answer (protocol 1).

C = |F ∩ G| / |G|, H = |F \\ G| / |F| (0 when F is empty), S = 2C(1-H) / (C + 1 - H) (0 when C and
1-H are both 0).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from factmark.answers.core.extraction.absence import (
    Report,
    denials,
    reports_of,
)
from factmark.answers.core.extraction.commitment import implied_verdict, is_absence
from factmark.answers.core.extraction.facts import after_denial, find_facts, tagged
from factmark.answers.core.extraction.own_spans import with_own_spans
from factmark.answers.core.extraction.question_words import what_is_asked
from factmark.answers.core.extraction.verdict import (
    asks_yes_or_no,
    places_after_steps,
    stated_verdict,
)
from factmark.answers.core.matching import Targets, contains, match_facts
from factmark.answers.core.records import AnswerScore, Fact, Question
from factmark.answers.core.writings import writings
from factmark.errors import InputError
from factmark.replies.plain import masked_thought
from factmark.text.words import normalise


def score_answer(
    question: str,
    ground_truth: Sequence[str],
    answer: str,
    *,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> AnswerScore:
    """Scores one answer by rule.

    Args:
        question: as it was asked.
        ground_truth: the elements of G; may be empty, duplicates drop.
        answer: plain text or markdown; what a model thinks in `<think>` is no part of it.
        aliases: element of G -> other writings of it; one matches as the element does.

    Raises:
        InputError: an argument of another type, such as a text in place of a list of elements.

    >>> score_answer("How many cohorts are there?", ["30"], "There are thirty.").combined_score
    1.0
    """
    for name, text in (("question", question), ("answer", answer)):
        if not isinstance(text, str):
            raise InputError(f"{name}: has to be a text, and is {text!r}.")
    _check_texts("ground_truth", ground_truth)
    if not isinstance(aliases, Mapping | None):
        raise InputError(f"aliases: has to be a mapping, and is {aliases!r}.")
    for element, others in (aliases or {}).items():
        _check_texts(f"aliases of {element!r}", others)
    return score_with(None, question, Targets.of(ground_truth, aliases), masked_thought(answer))


def _check_texts(name: str, given: Collection[str]) -> None:
    """Raises InputError for what is no collection of texts; a text by itself is none."""
    is_list = isinstance(given, Collection) and not isinstance(given, str | bytes)
    if not is_list or not all(isinstance(text, str) for text in given):
        raise InputError(f'{name}: has to be a list of texts, as ["30"], and is {given!r}.')


def score_with(
    extract: Callable[[], Sequence[Fact]] | None,
    question: str,
    targets: Targets,
    answer: str,
) -> AnswerScore:
    """The score of an answer, with facts from `extract` in place of the tagger's; what of G is
    said, what is no fact (E3, E5 to E7), verdict and absence are the rules' for whatever found
    them.
    """
    asked = what_is_asked(question)
    statements = tagged(answer, asked)
    plain = [statement.sentence for statement in statements]
    boolean = is_boolean(targets.own)

    def reports() -> list[Report]:
        return reports_of(plain, asked, [read.stated(answer, asked) for read in statements])

    stated = stated_verdict(question, answer, plain, asked=boolean)
    if boolean and stated is None and asks_yes_or_no(question):
        stated = implied_verdict(question, reports()[places_after_steps(answer, plain) :])
    verdict = None
    if stated:
        verdict = stated.value
    if boolean:
        text = stated and answer[stated.start : stated.end]
        alone = []
        if stated and text:
            alone = [Fact(text=text, start=stated.start, end=stated.end)]
        return score_facts(alone, targets, verdict=verdict)
    others: list[Fact] = []
    if extract:
        statements, others = with_own_spans(statements, extract())
    reported = False
    if not targets.elements:  # that there is none is then no claim beside the ground truth
        reported_by = reports()
        reported = is_absence(question, answer, reported_by)
        for place in denials(reported_by):
            statements[place] = after_denial(statements[place])
    facts = find_facts(answer, statements, asked, targets)
    for fact in others:
        if targets.matches(normalise(fact.text)) or not asked.echoed(fact.text):
            facts.append(fact)
    facts.sort(key=lambda fact: fact.start)
    if targets.elements and not facts:
        reported = bool(denials(reports_of(plain, asked, [0] * len(plain))))
    return score_facts(facts, targets, verdict=verdict, absence=reported)


def score_facts(
    facts: Sequence[Fact],
    ground_truth: Sequence[str] | Targets,
    *,
    verdict: str | None = None,
    absence: bool = False,
) -> AnswerScore:
    """The score of facts from a rule, a person or another extractor; matches are decided here.

    Args:
        verdict: what the answer said to a yes/no question (E5). Where G is a yes or no, it is the
            only fact, at the place of the first one given; what explains it is not scored.
        absence: whether it reports that there is nothing; decides C when G is empty.
    """
    if isinstance(ground_truth, Targets):
        targets = ground_truth
    else:
        targets = Targets.of(ground_truth)
    if is_boolean(targets.own):
        facts = _verdict_alone(facts, verdict, targets.elements[0])
    once = {normalise(fact.text): fact for fact in reversed(facts)}  # the first of each (E6)
    kept = without_shorter_names(
        match_facts([f for f in facts if once[normalise(f.text)] is f], targets)
    )
    covered = set()
    for fact in kept:
        if fact.match is not None:
            covered.add(fact.match)
    return score_of_tallies(
        facts=kept,
        missing=tuple(element for element in targets.own if element not in covered),
        verdict=verdict,
        absence=absence,
        elements=len(targets.own),
        members=len(kept),
    )


def score_of_tallies(
    *,
    facts: tuple[Fact, ...],
    missing: tuple[str, ...],
    verdict: str | None,
    absence: bool,
    elements: int,
    members: int,
) -> AnswerScore:
    """The score by tallies: C from covered elements of G, H from facts without a match, S from
    both.

    Args:
        elements: |G|.
        members: |F|; a person may tick more than is marked.
    """
    if elements:
        completeness = (elements - len(missing)) / elements
    else:
        completeness = float(absence)
    wrong = sum(fact.match is None for fact in facts)
    hallucination = 0.0
    if members:
        hallucination = wrong / members
    return AnswerScore(
        facts=facts,
        missing=missing,
        verdict=verdict,
        absence=absence,
        completeness=completeness,
        hallucination_rate=hallucination,
        combined_score=combined_score(completeness, hallucination),
    )


def _verdict_alone(facts: Sequence[Fact], verdict: str | None, element: str) -> list[Fact]:
    """The one fact of a yes-or-no answer, matched if it is right (E5); none without a verdict."""
    if verdict is None:
        return []
    fact = next(iter(facts), Fact(text=verdict, start=0, end=0))
    right = _BOOLEANS[element.casefold()] == verdict
    return [replace(fact, match=element if right else None, rule="E5" if right else "")]


_BOOLEANS = {"true": "yes", "false": "no", "yes": "yes", "no": "no"}


def is_boolean(ground_truth: Sequence[str]) -> bool:
    """Whether a ground truth is that of an ASK query: it is scored by the verdict (E5)."""
    return len(ground_truth) == 1 and ground_truth[0].casefold() in _BOOLEANS


def combined_score(completeness: float, hallucination_rate: float) -> float:
    """S = 2C(1-H) / (C + 1 - H), the harmonic mean of completeness and precision.

    >>> round(combined_score(2 / 3, 3 / 5), 2)
    0.5
    """
    precision = 1.0 - hallucination_rate
    total = completeness + precision
    if total > 0:
        return 2 * completeness * precision / total
    return 0.0


def without_shorter_names(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts without a shorter, unmatched name of what a longer one names (E6).

    Only names: a number inside a longer fact is another thing.
    """
    words = [normalise(fact.text) for fact in facts]
    by_word: dict[str, list[int]] = {}
    for index, sequence in enumerate(words):
        for word in set(sequence):
            by_word.setdefault(word, []).append(index)

    def is_short_name(index: int) -> bool:
        mine = words[index]
        if facts[index].match is not None or all(word[0].isdigit() for word in mine):
            return False
        rarest = min((by_word[word] for word in mine), key=len)
        return any(
            len(words[other]) > len(mine) and contains(words[other], mine) for other in rarest
        )

    return tuple(fact for index, fact in enumerate(facts) if not is_short_name(index))


def targets_of(question: Question) -> Targets:
    """Returns the elements of G with their aliases, other units, names and identifiers."""
    return Targets.of(question.ground_truth or (), writings(question), question.things)
