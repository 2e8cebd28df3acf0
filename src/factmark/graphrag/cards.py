"""The cards of a report on graphs used for answering: a question with all answers to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import escape

from factmark.graphrag.core.outcomes import NONE, Fact, Outcome
from factmark.graphrag.core.questions import LETTERS, GraphQuestion
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import came, holds
from factmark.tables.highlights import Stretch
from factmark.tables.shown_text import visible

OPEN, FACTS = 15, 50
"""Facts of a context that are shown at once, and at all; those that carry the answer come first."""

LISTED = 20
"""Passages of an answer that are shown, those that carry the answer first; and references."""

LONGEST, LINE, NAME = 4_000, 300, 100
"""Characters that are shown: of a reply, a passage, a question; of a fact, a reference or another
line; of a name in a triple."""

ROOM = 12_000_000
"""Bytes that the cards take, about: from there on further questions are not shown."""

STRATA = ("topic", "difficulty", "level", "hops")
"""Strata that cards are filtered by: any other name could be that of something else."""

_PER_ANSWER, _PER_TEXT = 1_000, 120  # bytes of markup, about
NO_VERDICT = "no verdict"
_PLACES = {True: "in context", False: "not in context", None: "untold"}
_KINDS = {"correct": "good", "abstained": "mid", "wrong": "bad"}
_SHADES = {True: "held", False: "without", None: "untold"}
TONES = {
    **{
        f"{verdict}, {_PLACES[held]}": f"{tone}-{shade}"
        for verdict, tone in _KINDS.items()
        for held, shade in _SHADES.items()
    },
    NO_VERDICT: "none",
}
"""What becomes of an answer, from the best on, and the tone that it is drawn in."""
HELD = {True: "holds the answer", False: "lacks it", None: "untold"}
YES_NO = {True: "yes", False: "no", None: "untold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactShown:
    """A fact of a context; `triple` where it carries the answer."""

    text: str
    place: int
    hops: int
    score: str
    triple: tuple[str, str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageShown:
    """A passage, cut where it is long."""

    id: str
    text: str
    carries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShown:
    """One answer of a system.

    Attributes:
        outcome: what it is made from.
        sample: which of several answers, from 1; 0 where there is one.
        verdict: its label, or `no verdict`.
        tone: of the verdict.
        reply: cut where it is long; empty where none came.
        said: what was read from it, where that is not the whole reply.
        context, held, in_graph: what the context is to the answer, whether it holds it, whether
            the graph does; in words, empty where it does not apply.
        first, rest: facts that are shown at once, and those that are folded.
        more: facts that are not shown.
        passages, more_passages: of the control; how many are not shown.
        reason: of the verdict, cut where it is long.
        same: whether the context is that of the sample before.
        empty: whether there was something to be retrieved from and nothing was.
        linked: the entities that the question names: name and how it was found.
    """

    outcome: Outcome
    sample: int
    verdict: str
    tone: str
    reply: str
    said: str
    context: str
    held: str
    in_graph: str
    first: tuple[FactShown, ...]
    rest: tuple[FactShown, ...]
    more: int
    passages: tuple[PassageShown, ...]
    more_passages: int
    reason: str
    same: bool
    empty: bool
    linked: tuple[tuple[str, str], ...]

    @property
    def folded_carriers(self) -> int:
        """Facts that carry the answer among those that are folded."""
        return sum(one.triple is not None for one in self.rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionShown:
    """A question with the answers to it.

    Attributes:
        text: cut where it is long.
        references, more: those that are shown, each cut; how many are not.
        linked: stretches of it that name an entity of any graph.
        options: letter, text, whether it is right.
        strata: name, value of all its strata, for people.
        filters: attribute, value of those that cards are filtered by.
    """

    question: GraphQuestion
    text: str
    references: tuple[str, ...]
    more: int
    linked: tuple[Stretch, ...]
    options: tuple[tuple[str, str, bool], ...]
    strata: tuple[tuple[str, str], ...]
    filters: tuple[tuple[str, str], ...]
    answers: tuple[AnswerShown, ...]


def questions_shown(
    results: GraphRagResults, most: int, room: int = ROOM
) -> tuple[tuple[QuestionShown, ...], int]:
    """The first questions with all answers to them, and how many questions there are.

    Args:
        most: answers in all; at least one question is shown.
        room: bytes in all, about; the same.
    """
    groups: dict[str, list[Outcome]] = {}
    for one in results.outcomes:
        groups.setdefault(one.question.id, []).append(one)
    shown: list[QuestionShown] = []
    for outcomes in groups.values():
        most -= len(outcomes)
        card = _question(outcomes)
        room -= card_size(card)
        if min(most, room) < 0 and shown:
            break
        shown.append(card)
    return tuple(shown), len(groups)


def _question(outcomes: Sequence[Outcome]) -> QuestionShown:
    question = outcomes[0].question
    strata = {cut(name, LINE): cut(value, LINE) for name, value in question.strata.items()}
    known = {name: strata[name] for name in STRATA if name in strata}
    return QuestionShown(
        question=question,
        text=cut(question.text),
        references=tuple(cut(text, LINE) for text in question.references[:LISTED]),
        more=len(question.references[LISTED:]),
        linked=tuple(_linked(question, outcomes)),
        options=tuple(
            (letter, cut(text, LINE), letter == question.right)
            for letter, text in zip(LETTERS, question.options, strict=False)
        ),
        strata=tuple(strata.items()),
        filters=(("kind", question.kind), *known.items()),
        answers=tuple(_answers(outcomes)),
    )


def _linked(question: GraphQuestion, outcomes: Iterable[Outcome]) -> Iterable[Stretch]:
    """Each entity once that stands in the question itself, not in its options."""
    found = dict.fromkeys(
        one
        for outcome in outcomes
        if outcome.given.context is not None
        for one in outcome.given.context.linked
        if one.how != "option"
    )
    end = min(len(question.text), LONGEST)
    return (
        (one.start, min(one.end, end), "linked", f"{cut(one.name, NAME)} ({one.how})")
        for one in found
        if 0 <= one.start < min(one.end, end) and one.end <= len(question.text)
    )


def _answers(outcomes: Sequence[Outcome]) -> Iterable[AnswerShown]:
    before: dict[str, Outcome] = {}
    several = {one.system for one in outcomes if one.sample}
    for one in outcomes:
        earlier = before.get(one.system)
        same = earlier is not None and earlier.given == one.given
        before[one.system] = one
        yield _answer(one, one.sample + 1 if one.system in several else 0, same)


def _answer(outcome: Outcome, sample: int, same: bool) -> AnswerShown:
    given = outcome.given
    facts = () if given.context is None or same else given.context.facts
    carriers = frozenset(given.carriers)
    shown = [_fact(facts[at], at, at in carriers) for at in _first(len(facts), carriers, FACTS)]
    passages = () if same else given.passages
    linked = () if given.context is None or same else given.context.linked
    whole = outcome.said.strip() == outcome.reply.strip()
    return AnswerShown(
        outcome=outcome,
        sample=sample,
        verdict=outcome.label or NO_VERDICT,
        tone=TONES[became(outcome)].partition("-")[0],
        reply=cut(outcome.reply),
        said="" if whole else cut(outcome.said),
        context="" if outcome.system == NONE else HELD[holds(outcome)],
        held="" if outcome.system == NONE else YES_NO[holds(outcome)],
        in_graph="" if given.context is None else YES_NO[given.in_graph],
        first=tuple(shown[:OPEN]),
        rest=tuple(shown[OPEN:]),
        more=len(facts) - len(shown),
        passages=tuple(
            PassageShown(
                id=cut(passages[at][0], NAME), text=cut(passages[at][1]), carries=at in carriers
            )
            for at in _first(len(passages), carriers, LISTED)
        ),
        more_passages=max(0, len(passages) - LISTED),
        reason=cut(outcome.reason),
        same=same,
        empty=_nothing_found(outcome) and not same,
        linked=tuple(dict.fromkeys((cut(one.name, NAME), one.how) for one in linked))[:FACTS],
    )


def _first(total: int, carriers: Collection[int], most: int) -> list[int]:
    """So many places of `total`, in order: those that carry the answer, then the first others."""
    ranked = sorted(range(total), key=lambda place: place not in carriers)
    return sorted(ranked[:most])


def _nothing_found(outcome: Outcome) -> bool:
    """Whether something was looked for and nothing was found."""
    given = outcome.given
    looked = outcome.system != NONE and (given.context is not None or came(outcome))
    return looked and not given.passages and not (given.context and given.context.facts)


def _fact(fact: Fact, place: int, carries: bool) -> FactShown:
    triple = fact.triple
    return FactShown(
        text=cut(fact.text, LINE),
        place=place + 1,
        hops=fact.hops,
        score=f"{fact.score:.2g}",
        triple=(cut(triple.head, NAME), cut(triple.relation, NAME), cut(triple.tail, NAME))
        if carries
        else None,
    )


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, or as much of its beginning as is shown, and how much more there is."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} characters more)"


def card_size(card: QuestionShown) -> int:
    """The bytes that a card takes in the page, about."""
    texts = [card.question.id, card.text, *card.references, *(text for _, text, _ in card.options)]
    texts += [text for pair in (*card.strata, *card.filters) for text in pair]
    texts += [entity for *_, entity in card.linked]
    for answer in card.answers:
        texts += [answer.reply, answer.said, answer.reason]
        texts += [name for name, _ in answer.linked]
        for fact in (*answer.first, *answer.rest):
            texts += [fact.text, *(fact.triple or ())]
        for passage in answer.passages:
            texts += [passage.id, passage.text]
    markup = _PER_ANSWER * len(card.answers) + _PER_TEXT * len(texts)
    return markup + sum(len(escape(visible(text)).encode()) for text in texts)


def became(outcome: Outcome) -> str:
    """What became of an answer: one of `TONES`."""
    if outcome.label is None:
        return NO_VERDICT
    said = "correct" if outcome.value else "abstained" if outcome.abstained else "wrong"
    return f"{said}, {_PLACES[holds(outcome)]}"
