"""The report on graphs that are used for answering: scores, chart, a card for each question."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import escape

from factmark.ask.budget import Spend
from factmark.graph_answers.core.records import LETTERS, NONE, GraphAnswer, RetrievedTriple
from factmark.graph_answers.core.scores import KIND
from factmark.graph_answers.results import GraphRagResults
from factmark.graph_answers.tables import answer_tables, graphrag_opening, published_accuracy
from factmark.graphs.page import spent_words
from factmark.report.charts import BarChart, stacked_bar
from factmark.report.page import Filters, render_page
from factmark.text.shown_text import count, one_line, visible

ANSWERS = 2_000
"""Answers that are shown one by one, in cards of a question each."""

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

NO_VERDICT = "no verdict"
_PLACES = {True: "in context", False: "not in context", None: "context not known"}
_KINDS = {"correct": "good", "abstained": "mid", "wrong": "bad"}
_SHADES = {True: "held", False: "without", None: "untold"}
TONES = {
    f"{verdict}, {_PLACES[held]}": f"{tone}-{shade}"
    for verdict, tone in _KINDS.items()
    for held, shade in _SHADES.items()
} | {NO_VERDICT: "none"}
"""What becomes of an answer, from the best on, and the tone that it is drawn in."""
_HELD = {True: "holds the answer", False: "lacks it", None: "not known"}
_YES_NO = {True: "yes", False: "no", None: "not known"}

Card = dict[str, Any]
"""A question, or an answer to it, as `graphrag-card.html` shows it; all texts are cut."""


def render_graphrag_html(
    results: GraphRagResults, *, title: str = "Is the graph useful?", answers: int = ANSWERS
) -> str:
    """Returns the report as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all cards are shown and
    there are no filters.

    Args:
        answers: how many are shown at most, with all systems of a question together; the page
            says how many questions are not. Scores and chart are over all.
    """
    run = results.run
    cards, total = question_cards(results, answers)
    answering, judging = run.answering or Spend(), run.judged or Spend()
    return render_page(
        "graphrag.html",
        styles=("report.css", "graph.css", "graphrag.css"),
        signature=results.signature,
        title=title,
        subject=", ".join(name for name, kind in results.kinds.items() if kind == "graph")
        or "no graph",
        opening=graphrag_opening(results),
        problems=results.problems,
        results=results,
        kinds=results.kinds,
        settings=list(_shown_settings(run.settings)),
        cards=cards,
        shown=len(cards),
        total=total,
        spent=[
            ("Answering", spent_words(answering, "Answered before"), answering.stopped),
            ("Judging", spent_words(judging), judging.stopped),
        ],
        chart=answer_chart(results) if results.run.answers else None,
        tables=answer_tables(results),
        published=published_accuracy(results),
        filters=_filters(results, cards),
        asked=count(total, "question", "questions"),
    )


def _shown_settings(settings: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields the settings that are set, with their names for people."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _shown_settings(value)
        elif value is not None:
            yield name.replace("_", " "), str(value)


def _filters(results: GraphRagResults, cards: Sequence[Card]) -> Filters:
    """Returns by what the cards of questions can be filtered."""
    answers = [answer for card in cards for answer in card["answers"]]
    verdicts = {answer["verdict"] for answer in answers}
    contexts = {answer["context"] for answer in answers}
    choices = {
        "system": list(results.run.systems),
        "verdict": [*sorted(verdicts - {NO_VERDICT}), *sorted(verdicts & {NO_VERDICT})],
        "context": [name for name in _HELD.values() if name in contexts],
        **{
            name: sorted({value for card in cards for key, value in card["filters"] if key == name})
            for name in (KIND, *STRATA)
        },
    }
    return Filters(
        singular="question",
        many="questions",
        text="h3, .meta, .answer, .facts-given, .reason",
        hint="in question, context, reply or reason",
        choices={name: values for name, values in choices.items() if values},
        flags=(("abstained", "“I don't know”"),) * any(answer["abstained"] for answer in answers),
    )


def answer_chart(results: GraphRagResults) -> BarChart:
    """Returns the chart of what became of all answers, also of those without a card."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in results.run.systems}
    for answer in results.run.answers:
        counts[answer.system][outcome_of(answer)] += 1
    seen = sum(counts.values(), Counter())
    return BarChart(
        caption="What became of the answers of each system; at the right, how many",
        label="What became of answers",
        tones={kind: tone for kind, tone in TONES.items() if seen[kind]},
        bars=tuple(stacked_bar(one_line(name), some, TONES) for name, some in counts.items()),
        note="In context: the reference answer is in what the system was given. Context "
        "not known: that cannot be told, or nothing was given.",
    )


def outcome_of(answer: GraphAnswer) -> str:
    """Returns what became of an answer: one of `TONES`."""
    if answer.label is None:
        return NO_VERDICT
    verdict = "correct" if answer.value else "abstained" if answer.abstained else "wrong"
    return f"{verdict}, {_PLACES[answer.held]}"


def question_cards(results: GraphRagResults, most: int, room: int = ROOM) -> tuple[list[Card], int]:
    """Returns cards of the first questions with all answers to them, and how many questions there
    are.

    Args:
        most: answers in all; at least one question is shown.
        room: bytes in all, about; the same.
    """
    groups: dict[str, list[GraphAnswer]] = {}
    for answer in results.run.answers:
        groups.setdefault(answer.question.id, []).append(answer)
    cards: list[Card] = []
    for answers in groups.values():
        card = _question_card(answers)
        most -= len(answers)
        room -= card_size(card)
        if min(most, room) < 0 and cards:
            break
        cards.append(card)
    return cards, len(groups)


def _question_card(answers: Sequence[GraphAnswer]) -> Card:
    """Returns the card of a question with these answers to it."""
    question = answers[0].question
    strata = {shorten(name, LINE): shorten(value, LINE) for name, value in question.strata.items()}
    end = min(len(question.text), LONGEST)
    linked = dict.fromkeys(  # in the question itself, not in its options
        (
            entity.start,
            min(entity.end, end),
            "linked",
            f"{shorten(entity.name, NAME)} ({entity.how})",
        )
        for answer in answers
        for entity in answer.given.linked
        if entity.how != "option"
        and 0 <= entity.start < min(entity.end, end)
        and entity.end <= len(question.text)
    )
    several = {answer.system for answer in answers if answer.sample}
    before: dict[str, GraphAnswer] = {}
    cards = []
    for answer in answers:
        earlier = before.get(answer.system)
        same = earlier is not None and earlier.given == answer.given
        before[answer.system] = answer
        sample = answer.sample + 1 if answer.system in several else 0
        cards.append({"sample": sample, "same": same} | _answer_card(answer, same))
    return {
        "id": question.id,
        "kind": question.kind,
        "text": shorten(question.text),
        "references": [shorten(text, LINE) for text in question.references[:LISTED]],
        "more": len(question.references[LISTED:]),
        "linked": list(linked),
        "options": [
            (letter, shorten(text, LINE), letter == question.right)
            for letter, text in zip(LETTERS, question.options, strict=False)
        ],
        "strata": list(strata.items()),
        "filters": [
            (KIND, question.kind),
            *((name, strata[name]) for name in STRATA if name in strata),
        ],
        "answers": cards,
    }


def _answer_card(answer: GraphAnswer, same: bool) -> Card:
    """Returns an answer's part of the card, without its context if that is the `same` as of the
    sample before."""
    given, alone = answer.given, answer.system == NONE
    retrieved = given.context.facts if given.context else ()
    looked = not alone and (given.context is not None or answer.came)
    facts, passages = ((), ()) if same else (retrieved, given.passages)
    carriers = frozenset(given.carriers)
    shown = [
        _fact_card(facts[at], at, at in carriers)
        for at in _first_places(len(facts), carriers, FACTS)
    ]
    return {
        "system": answer.system,
        "status": answer.status,
        "abstained": answer.abstained,
        "verdict": answer.label or NO_VERDICT,
        "tone": TONES[outcome_of(answer)].partition("-")[0],
        "reply": shorten(answer.reply),
        "said": "" if answer.said.strip() == answer.reply.strip() else shorten(answer.said),
        "context": "" if alone else _HELD[answer.held],
        "held": "" if alone else _YES_NO[answer.held],
        "in_graph": "" if given.context is None else _YES_NO[given.in_graph],
        "first": shown[:OPEN],
        "rest": shown[OPEN:],
        "folded_carriers": sum(fact["triple"] is not None for fact in shown[OPEN:]),
        "more": len(facts) - len(shown),
        "passages": [
            (shorten(passages[at][0], NAME), shorten(passages[at][1]), at in carriers)
            for at in _first_places(len(passages), carriers, LISTED)
        ],
        "more_passages": max(0, len(passages) - LISTED),
        "reason": shorten(answer.reason),
        "empty": looked and not same and not given.passages and not retrieved,
        "linked": list(
            dict.fromkeys((shorten(entity.name, NAME), entity.how) for entity in given.linked)
        )[: 0 if same else FACTS],
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
