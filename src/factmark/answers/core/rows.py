"""Scored answers as rows of the ledger, and back: one verdict per fact and per element of G.

An answer is an item, its question is the item's cluster. Its units are of four kinds: `fact`
(labels grounded, ungrounded), `element` of G (covered, missing), `polarity` (yes, no, none; E5) and
`absence` (reported, not_reported). C and H are tallies of the first two.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from factmark.answers.core.records import Answer, AnswerScore, Fact, Question, ScoredAnswer
from factmark.answers.core.scores import combined_score, is_boolean
from factmark.answers.core.stored import read_trace, trace_data
from factmark.model import Item, Judge, Unit, Verdict, content_hash

# Part of the judge's identity: raise it when a rule changes what it says.
RULES_VERSION = "2"


def rule_judge() -> Judge:
    """The rules E1-E9 and M1-M5 of this version."""
    return Judge.create("rule", "factmark rules", version=RULES_VERSION)


def question_item(benchmark: str, question: Question) -> Item:
    """A question with its ground truth as an item; it is its own cluster."""
    data: dict[str, object] = {
        "query_id": question.query_id,
        "category": question.category,
        "text": question.text,
        "sparql": question.sparql,
        "ground_truth": question.ground_truth,
    }
    name = f"question:{content_hash(benchmark, data)}"
    if question.expected_tools is not None:  # not in the id: what is asked stays the same
        data["expected_tools"] = question.expected_tools
    return Item(id=name, cluster=name, strata={"category": question.category}, data=data)


def answer_item(question: Item, answer: Answer) -> Item:
    """An answer as an item; its cluster is its question.

    How it came about is in the data and not in the id. Its long texts are left out of the data:
    `texts_of` gives them, to be kept beside the items.
    """
    data: dict[str, object] = {
        "id": answer.id,
        "query_id": answer.query_id,
        "text": answer.text,
        "model": answer.model,
        "condition": answer.condition,
        "latency_seconds": answer.latency_seconds,
        "tools_called": answer.tools_called,
    }
    name = f"answer:{content_hash(question.id, data)}"
    if answer.chunks_retrieved is not None:
        data["chunks_retrieved"] = answer.chunks_retrieved
    if answer.trace is not None:
        data["trace"] = trace_data(answer.trace)[0]
    return Item(
        id=name,
        cluster=question.id,
        strata={
            "category": question.strata["category"],
            "model": answer.model,
            "condition": answer.condition,
        },
        data=data,
    )


def texts_of(answers: Iterable[Answer]) -> dict[str, str]:
    """The long texts of how answers came about, each once, by the ids that their items name."""
    found: dict[str, str] = {}
    for answer in answers:
        if answer.trace is not None:
            found |= trace_data(answer.trace)[1]
    return found


def units_and_verdicts(
    item: Item, question: Question, score: AnswerScore, judge: Judge
) -> Iterator[tuple[Unit, Verdict]]:
    """What a judge said of an answer: its facts, then the elements of G, then the answer's own."""
    elements = {element: element not in score.missing for element in question.ground_truth or ()}
    yield from said_rows(item, score, elements, judge)


def said_rows(
    item: Item, score: AnswerScore, elements: Mapping[str, bool], judge: Judge
) -> Iterator[tuple[Unit, Verdict]]:
    """As `units_and_verdicts`, where it is told which elements the answer covers."""
    for fact in score.facts:
        grounded = fact.match is not None
        unit = _unit(item, "fact", fact.text, start=fact.start, end=fact.end)
        reason = f"{fact.rule}: {fact.match}" if grounded else ""
        yield (
            unit,
            _verdict(unit, judge, "grounded" if grounded else "ungrounded", grounded, reason),
        )
    for element, found in elements.items():
        unit = _unit(item, "element", element)
        yield unit, _verdict(unit, judge, "covered" if found else "missing", found)
    unit = _unit(item, "polarity", "")
    yield unit, _verdict(unit, judge, score.verdict or "none", None)
    unit = _unit(item, "absence", "")
    label = "reported" if score.absence else "not_reported"
    yield unit, _verdict(unit, judge, label, score.absence)


def taken_back(
    judge: Judge, earlier: Iterable[tuple[Unit, Verdict]], said: Collection[str]
) -> Iterator[tuple[Unit, Verdict]]:
    """Verdicts that take back what a judge said of an answer before and does not say now.

    Args:
        earlier: units of the answer with the judge's newest verdicts.
        said: ids of the units that the judge speaks of now.
    """
    for unit, verdict in earlier:
        if unit.kind in ("fact", "element") and verdict.status == "ok" and unit.id not in said:
            yield (
                unit,
                Verdict(
                    unit=unit.id, judge=judge.id, status="refused", reason="is no longer marked"
                ),
            )


def _unit(item: Item, kind: str, text: str, **data: int) -> Unit:
    name = content_hash(item.id, kind, text, data)
    return Unit(id=name, item=item.id, kind=kind, text=text, data=data)


def _verdict(unit: Unit, judge: Judge, label: str, value: bool | None, reason: str = "") -> Verdict:
    number = None if value is None else float(value)
    return Verdict(unit=unit.id, judge=judge.id, label=label, value=number, reason=reason)


def read_question(item: Item) -> Question:
    """The question that `question_item` wrote."""
    data: Mapping[str, Any] = item.data
    truth = data["ground_truth"]
    return Question(
        query_id=data["query_id"],
        category=data["category"],
        text=data["text"],
        sparql=data["sparql"],
        ground_truth=None if truth is None else tuple(truth),
        expected_tools=_names(data.get("expected_tools")),
    )


def _names(value: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def read_answer(item: Item, text_of: Callable[[str], str] | None = None) -> Answer:
    """The answer that `answer_item` wrote.

    Args:
        text_of: gives the long texts by their ids; without it the answer comes without its trace.
    """
    data: Mapping[str, Any] = item.data
    trace = data.get("trace")
    return Answer(
        id=data["id"],
        query_id=data["query_id"],
        text=data["text"],
        model=data["model"],
        condition=data["condition"],
        latency_seconds=data["latency_seconds"],
        tools_called=_names(data["tools_called"]),
        chunks_retrieved=_names(data.get("chunks_retrieved")),
        trace=None if trace is None or text_of is None else read_trace(trace, text_of),
    )


def read_score(
    question: Question, answer: Answer, rows: Sequence[tuple[Unit, Verdict]]
) -> ScoredAnswer:
    """The score that the verdicts add up to: C and H are tallies, S follows from them.

    |F| is the covered elements and the ungrounded facts: one fact covers one element (M4), also
    where a person ticked an element without marking where it stands. What was taken back is out.
    """
    rows = [(unit, verdict) for unit, verdict in rows if verdict.status == "ok"]
    facts = sorted(
        (_read_fact(unit, verdict) for unit, verdict in rows if unit.kind == "fact"),
        key=lambda fact: (fact.start, fact.end),
    )
    labels = {unit.kind: verdict.label for unit, verdict in rows}
    states = {unit.text: verdict.label for unit, verdict in rows if unit.kind == "element"}
    truth = question.ground_truth or ()
    missing = tuple(element for element in truth if states.get(element) != "covered")
    absence = labels.get("absence") == "reported"
    completeness = (len(truth) - len(missing)) / len(truth) if truth else float(absence)
    wrong = sum(fact.match is None for fact in facts)
    found = wrong if is_boolean(truth) else len(truth) - len(missing) + wrong
    hallucination = wrong / found if found else 0.0
    polarity = labels.get("polarity")
    score = AnswerScore(
        facts=tuple(facts),
        missing=missing,
        verdict=None if polarity == "none" else polarity,
        absence=absence,
        completeness=completeness,
        hallucination_rate=hallucination,
        combined_score=combined_score(completeness, hallucination),
    )
    return ScoredAnswer(question=question, answer=answer, score=score)


def _read_fact(unit: Unit, verdict: Verdict) -> Fact:
    data: Mapping[str, Any] = unit.data
    rule, _, match = verdict.reason.partition(": ")
    grounded = verdict.label == "grounded"
    return Fact(
        text=unit.text,
        start=data["start"],
        end=data["end"],
        match=match if grounded else None,
        rule=rule if grounded else "",
    )
