"""Scored answers as rows of the ledger, and back: one verdict per fact and per element of G.

An answer is an item, its question is the item's cluster. Its units are of four kinds: `fact`
(labels grounded, ungrounded), `element` of G (covered, missing), `polarity` (yes, no, none; E5) and
`absence` (reported, not_reported). C and H are tallies of the first two.

A long text of a trace stands apart, under the hash of its content, so that it is kept once: in the
item it is `{"evidence": hash}`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from factmark.answers.core.records import (
    AnswerScore,
    Fact,
    GivenAnswer,
    Question,
    ScoredAnswer,
    Thing,
    ToolUse,
    Trace,
)
from factmark.answers.core.scores import score_of_tallies
from factmark.model import Chunk, Item, Judge, Unit, Verdict, content_hash

# Part of the judge's identity: raise it when a rule changes what it says.
RULES_VERSION = "13"
RULES = "factmark rules"
"""The name of the judge that finds facts by rule."""

_NOT_ASKED = (
    "expected_tools",
    "empty",
    "rows",
)  # not in a question's id: what is asked stays the same

LONG = 200  # characters; what is longer stands apart
_APART = "evidence"
_TEXTS = ("text", "result", "arguments")


def rule_judge() -> Judge:
    """The rules E1-E9 and M1-M5 of this version."""
    return Judge.create("rule", RULES, version=RULES_VERSION)


def question_item(benchmark: str, question: Question) -> Item:
    """A question with its ground truth as an item; it is its own cluster."""
    data = asdict(question)
    for field in (
        "aliases",
        "units",
        "things",
    ):  # in the id where they are given: they decide what matches
        if not data[field]:
            del data[field]
    more = {name: data.pop(name) for name in _NOT_ASKED}
    name = f"question:{content_hash(benchmark, data)}"
    data |= {field: value for field, value in more.items() if value not in (None, False, ())}
    return Item(id=name, cluster=name, strata={"category": question.category}, data=data)


def answer_item(question: Item, answer: GivenAnswer) -> Item:
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
        data["trace"] = _trace_data(answer.trace)[0]
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


def texts_of(answers: Iterable[GivenAnswer]) -> dict[str, str]:
    """Id -> text of the long passages and tool results of answers, each once."""
    texts: dict[str, str] = {}
    for answer in answers:
        if answer.trace is not None:
            texts |= _trace_data(answer.trace)[1]
    return texts


def _trace_data(trace: Trace) -> tuple[dict[str, Any], dict[str, str]]:
    """A trace as JSON values, and the texts that stand apart, by their ids."""
    apart: dict[str, str] = {}
    data = asdict(trace)
    for part in (*(data["tools"] or ()), *(data["chunks"] or ())):
        for field in _TEXTS:
            if field in part and _stands_apart(part[field]):
                key = content_hash(part[field])
                apart[key] = part[field]
                part[field] = {_APART: key}
    return data, apart


def _stands_apart(text: str) -> bool:
    """Whether a text is long, and can be kept as it is: half of a surrogate pair cannot."""
    if len(text) <= LONG:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def units_and_verdicts(
    item: Item, question: Question, score: AnswerScore, judge: Judge
) -> Iterator[tuple[Unit, Verdict]]:
    """A unit and a verdict for each fact, each element of G, the polarity and the report of
    absence."""
    elements = {}
    for element in question.ground_truth or ():
        elements[element] = element not in score.missing
    yield from rows_of_elements(item, score, elements, judge)


def rows_of_elements(
    item: Item, score: AnswerScore, elements: Mapping[str, bool], judge: Judge
) -> Iterator[tuple[Unit, Verdict]]:
    """As `units_and_verdicts`, for a score whose covered elements are given."""

    def row(
        kind: str,
        text: str,
        label: str,
        value: bool | None,
        reason: str = "",
        data: Mapping[str, int] | None = None,
    ) -> tuple[Unit, Verdict]:
        name = content_hash(item.id, kind, text, data or {})
        unit = Unit(id=name, item=item.id, kind=kind, text=text, data=data or {})
        number = None
        if value is not None:
            number = float(value)
        return unit, Verdict(unit=name, judge=judge.id, label=label, value=number, reason=reason)

    for fact in score.facts:
        grounded = fact.match is not None
        reason = ""
        if grounded:
            reason = f"{fact.rule}: {fact.match}"
        label = "ungrounded"
        if grounded:
            label = "grounded"
        yield row(
            "fact", fact.text, label, grounded, reason, {"start": fact.start, "end": fact.end}
        )
    for element, covered in elements.items():
        yield row("element", element, "covered" if covered else "missing", covered)
    yield row("polarity", "", score.verdict or "none", None)
    yield row("absence", "", "reported" if score.absence else "not_reported", score.absence)


def withdrawn_verdicts(
    judge: Judge, earlier: Iterable[tuple[Unit, Verdict]], judged: Collection[str]
) -> Iterator[tuple[Unit, Verdict]]:
    """Verdicts that take back what a judge said of an answer before and does not say now.

    Args:
        earlier: units of the answer with the judge's newest verdicts.
        judged: ids of the units that the judge speaks of now.
    """
    for unit, verdict in earlier:
        if unit.kind in ("fact", "element") and verdict.status == "ok" and unit.id not in judged:
            reason = "is no longer marked"
            yield unit, Verdict(unit=unit.id, judge=judge.id, status="refused", reason=reason)


def read_question(item: Item) -> Question:
    """The question that `question_item` wrote."""
    data: Mapping[str, Any] = item.data
    return Question(
        query_id=data["query_id"],
        category=data["category"],
        text=data["text"],
        sparql=data["sparql"],
        ground_truth=_tuple_or_none(data["ground_truth"]),
        expected_tools=_tuple_or_none(data.get("expected_tools")),
        empty=bool(data.get("empty")),
        aliases={element: tuple(names) for element, names in data.get("aliases", {}).items()},
        units=dict(data.get("units", {})),
        rows=tuple(tuple(row) for row in data.get("rows", ())),
        things={element: _read_thing(parts) for element, parts in data.get("things", {}).items()},
    )


def _read_thing(parts: Mapping[str, Sequence[str]]) -> Thing:
    """The thing that `question_item` wrote."""
    return Thing(**{part: tuple(texts) for part, texts in parts.items()})


def _tuple_or_none(value: Sequence[str] | None) -> tuple[str, ...] | None:
    """A list as a tuple; None stays None."""
    if value is None:
        return None
    return tuple(value)


def read_answer(item: Item, text_of: Callable[[str], str] | None = None) -> GivenAnswer:
    """The answer that `answer_item` wrote.

    Args:
        text_of: gives the long texts by their ids; without it the answer comes without its trace.
    """
    data: Mapping[str, Any] = item.data
    trace = data.get("trace")
    return GivenAnswer(
        id=data["id"],
        query_id=data["query_id"],
        text=data["text"],
        model=data["model"],
        condition=data["condition"],
        latency_seconds=data["latency_seconds"],
        tools_called=_tuple_or_none(data["tools_called"]),
        chunks_retrieved=_tuple_or_none(data.get("chunks_retrieved")),
        trace=None if trace is None or text_of is None else _read_trace(trace, text_of),
    )


def _read_trace(data: Mapping[str, Any], text_of: Callable[[str], str]) -> Trace:
    """The trace that `_trace_data` wrote; fields that it does not have are as by default."""

    def whole(part: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: text_of(value[_APART]) if isinstance(value, Mapping) else value
            for name, value in part.items()
        }

    known = {field.name for field in fields(Trace)}
    plain = {name: value for name, value in data.items() if name in known}
    plain |= {name: tuple(plain[name]) for name in ("offered", "calls") if name in plain}
    for name, record in (("tools", ToolUse), ("chunks", Chunk)):
        if plain.get(name) is not None:
            plain[name] = tuple(record(**whole(part)) for part in plain[name])
    return Trace(**plain)


def read_score(
    question: Question, answer: GivenAnswer, rows: Sequence[tuple[Unit, Verdict]]
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
    states = {}
    for unit, verdict in rows:
        if unit.kind == "element":
            states[unit.text] = verdict.label
    truth = question.ground_truth or ()
    missing = tuple(element for element in truth if states.get(element) != "covered")
    wrong = sum(fact.match is None for fact in facts)
    covered = len(truth) - len(missing)
    polarity = labels.get("polarity")
    score = score_of_tallies(
        facts=tuple(facts),
        missing=missing,
        verdict=None if polarity == "none" else polarity,
        absence=labels.get("absence") == "reported",
        elements=len(truth),
        members=covered + wrong,
    )
    return ScoredAnswer(question=question, answer=answer, score=score)


def _read_fact(unit: Unit, verdict: Verdict) -> Fact:
    """The fact that a unit and its verdict were written from."""
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
