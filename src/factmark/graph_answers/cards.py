"""The cards of a GraphRAG report: each question with the answers to it, all texts cut."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from markupsafe import escape

from factmark.graph_answers.core.records import LETTERS, NONE, GraphAnswer, RetrievedTriple
from factmark.graph_answers.core.scores import KIND
from factmark.report.charts import NO_VERDICT
from factmark.text.shown_text import visible

OPEN = 15
FACTS = 50
"""Facts of a context that are shown at once, and at all; those that carry the answer come first."""

LISTED = 20
"""Passages of an answer that are shown, those that carry the answer first; and references."""

LONGEST = 4_000
LINE = 300
NAME = 100
"""Characters that are shown: of a reply, a passage, a question; of a fact, a reference or another
line; of a name in a triple."""

ROOM = 12_000_000
"""Bytes that the cards take, about: from there on further questions are not shown."""

STRATA = ("topic", "difficulty", "level", "hops")
"""Strata that cards are filtered by: any other name could be that of something else."""

_PLACES = {True: "in context", False: "not in context", None: "context not known"}
_KINDS = {"correct": "good", "abstained": "mid", "wrong": "bad"}
_SHADES = {True: "held", False: "without", None: "untold"}
TONES = {
    f"{verdict}, {_PLACES[held]}": f"{tone}-{shade}"
    for verdict, tone in _KINDS.items()
    for held, shade in _SHADES.items()
} | {NO_VERDICT: "none"}
"""What becomes of an answer, from the best on, and the tone that it is drawn in."""
HELD = {True: "holds the answer", False: "lacks it", None: "not known"}
_YES_NO = {True: "yes", False: "no", None: "not known"}

Card = dict[str, Any]
"""A question, or an answer to it, as `graphrag-card.html` shows it; all texts are cut."""


def outcome_of(answer: GraphAnswer) -> str:
    """Returns what became of an answer: one of `TONES`."""
    if answer.label is None:
        return NO_VERDICT
    verdict = "wrong"
    if answer.value:
        verdict = "correct"
    elif answer.abstained:
        verdict = "abstained"
    return f"{verdict}, {_PLACES[answer.held]}"


def question_cards(
    answers: Sequence[GraphAnswer], most: int, room: int = ROOM
) -> tuple[list[Card], int]:
    """Returns cards of the first questions with all answers to them, and how many questions there
    are.

    Args:
        most: answers in all; at least one question is shown.
        room: bytes in all, about; the same.
    """
    groups: dict[str, list[GraphAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.question.id, []).append(answer)
    cards: list[Card] = []
    for group in groups.values():
        card = _question_card(group)
        most -= len(group)
        room -= card_size(card)
        if min(most, room) < 0 and cards:
            break
        cards.append(card)
    return cards, len(groups)


def _question_card(answers: Sequence[GraphAnswer]) -> Card:
    """Returns the card of a question with these answers to it."""
    question = answers[0].question
    strata = {}
    for name, value in question.strata.items():
        strata[shorten(name, LINE)] = shorten(value, LINE)
    right_options = []
    for letter, text in zip(LETTERS, question.options, strict=False):
        right_options.append((letter, shorten(text, LINE), letter == question.right))
    known = []
    for name in STRATA:
        if name in strata:
            known.append((name, strata[name]))
    return {
        "id": question.id,
        "kind": question.kind,
        "text": shorten(question.text),
        "references": [shorten(text, LINE) for text in question.references[:LISTED]],
        "more": len(question.references[LISTED:]),
        "linked": _marks_of_entities(answers),
        "options": right_options,
        "strata": list(strata.items()),
        "filters": [(KIND, question.kind), *known],
        "answers": _answer_cards(answers),
    }


def _marks_of_entities(answers: Sequence[GraphAnswer]) -> list[tuple[int, int, str, str]]:
    """Returns the stretches of the question that name entities, each once; an option's are not in
    the question."""
    text = answers[0].question.text
    end = min(len(text), LONGEST)
    marks: dict[tuple[int, int, str, str], None] = {}
    for answer in answers:
        for entity in answer.given.linked:
            last = min(entity.end, end)
            if entity.how != "option" and 0 <= entity.start < last and entity.end <= len(text):
                what = f"{shorten(entity.name, NAME)} ({entity.how})"
                marks[entity.start, last, "linked", what] = None
    return list(marks)


def _answer_cards(answers: Sequence[GraphAnswer]) -> list[Card]:
    """Returns the parts of a question's card, samples of a system that has several by number."""
    several = {answer.system for answer in answers if answer.sample}
    before: dict[str, GraphAnswer] = {}
    cards = []
    for answer in answers:
        earlier = before.get(answer.system)
        same = earlier is not None and earlier.given == answer.given
        before[answer.system] = answer
        sample = 0
        if answer.system in several:
            sample = answer.sample + 1
        context = {}
        if not same:
            context = _context_card(answer)
        cards.append(
            {**_NO_CONTEXT, **_answer_card(answer), **context} | {"sample": sample, "same": same}
        )
    return cards


_NO_CONTEXT: Card = {
    "first": [],
    "rest": [],
    "folded_carriers": 0,
    "more": 0,
    "passages": [],
    "more_passages": 0,
    "empty": False,
    "linked": [],
}
"""The context of an answer that has the same as the sample before."""


def _answer_card(answer: GraphAnswer) -> Card:
    """Returns an answer's part of the card, without its context."""
    given = answer.given
    alone = answer.system == NONE
    reading = ""
    if answer.said.strip() != answer.reply.strip():
        reading = shorten(answer.said)
    return {
        "system": answer.system,
        "status": answer.status,
        "abstained": answer.abstained,
        "verdict": answer.label or NO_VERDICT,
        "tone": TONES[outcome_of(answer)].partition("-")[0],
        "reply": shorten(answer.reply),
        "said": reading,
        "context": "" if alone else HELD[answer.held],
        "held": "" if alone else _YES_NO[answer.held],
        "named": "" if given.context is None else _YES_NO[given.named],
        "reason": shorten(answer.reason),
    }


def _context_card(answer: GraphAnswer) -> Card:
    """Returns what an answer was given: facts and passages, first of all those that carry the
    answer."""
    given = answer.given
    facts: tuple[RetrievedTriple, ...] = ()
    if given.context:
        facts = given.context.facts
    passages = given.passages
    carriers = frozenset(given.carriers)
    shown = []
    for at in _first_places(len(facts), carriers, FACTS):
        shown.append(_fact_card(facts[at], at, at in carriers))
    carrying = frozenset(at - len(facts) for at in carriers)  # of the passages
    looked = answer.system != NONE and (given.context is not None or answer.came)
    entities = dict.fromkeys((shorten(entity.name, NAME), entity.how) for entity in given.linked)
    return {
        "first": shown[:OPEN],
        "rest": shown[OPEN:],
        "folded_carriers": sum(fact["triple"] is not None for fact in shown[OPEN:]),
        "more": len(facts) - len(shown),
        "passages": [
            (shorten(passages[at][0], NAME), shorten(passages[at][1]), at in carrying)
            for at in _first_places(len(passages), carrying, LISTED)
        ],
        "more_passages": max(0, len(passages) - LISTED),
        "empty": looked and not passages and not facts,
        "linked": list(entities)[:FACTS],
    }


def _first_places(total: int, carriers: Collection[int], most: int) -> list[int]:
    """Returns `most` of the places 0 to `total`, sorted: those that carry the answer, then the
    first others."""
    ranked = sorted(range(total), key=lambda place: place not in carriers)
    return sorted(ranked[:most])


def _fact_card(fact: RetrievedTriple, place: int, carries: bool) -> Card:
    """Returns a fact of a context for a card, with its triple if it carries the answer."""
    triple = fact.triple
    parts = (triple.head, triple.relation, triple.tail)
    return {
        "text": shorten(fact.text, LINE),
        "place": place + 1,
        "hops": fact.hops,
        "score": f"{fact.score:.2g}",
        "triple": [shorten(part, NAME) for part in parts] if carries else None,
    }


def shorten(text: str, longest: int = LONGEST) -> str:
    """Returns the text, or its first `longest` characters and how many more there are."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} characters more)"


def card_size(card: Card) -> int:
    """Returns about how many bytes a card takes in the page."""
    return len(escape(visible(json.dumps(card, ensure_ascii=False))).encode())
