"""Questions answered with two graphs and two controls, and one that is hostile in every field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from factmark.ask.budget import Spend
from factmark.graph_answers.core.records import (
    CORRECT,
    INCORRECT,
    NONE,
    TEXT,
    Given,
    GraphAnswer,
    GraphContext,
    GraphQuestion,
    Linked,
    RetrievedTriple,
)
from factmark.graph_answers.results import UNITS, GraphRagResults, GraphragRun, summarise
from factmark.graphs.core.claims import Triple, claim

QUICK = replace(UNITS, resamples=100)
SYSTEMS = ("diabetes", "seed graph", TEXT, NONE)
TOPICS = ("drugs", "complications", "diagnosis", "anatomy")
PAIRS = (
    ("metformin", "treats", "type 2 diabetes"),
    ("diabetic retinopathy", "has_finding_site", "retina"),
    ("polyuria", "associated_finding_of", "hyperglycaemia"),
    ("insulin", "has_causative_agent", "beta cell of the pancreatic islet"),
    ("hypoglycaemia", "due_to", "sulfonylurea"),
)
PASSAGE = (
    "Metformin, a biguanide, remains the usual first-line drug for type 2 diabetes. It lowers "
    "hepatic glucose production and does not cause weight gain."
)


def question(place: int) -> GraphQuestion:
    """Every third with options, every seventh a yes-no question."""
    head, relation, tail = PAIRS[place % len(PAIRS)]
    strata = {
        "topic": TOPICS[place % len(TOPICS)],
        "hops": "1" if place % 4 else "2",
        **({"level": "hard" if place % 5 == 0 else "easy"} if place % 11 else {}),
    }
    text = f"What does {head} have to do with, as far as {relation.replace('_', ' ')} goes?"
    fields: dict[str, Any] = {"kind": "text", "references": (tail, f"the {tail}")}
    if place % 7 == 0:
        text, fields = f"Is {head} linked to {tail}?", {"kind": "yes-no", "references": ("yes",)}
    elif place % 3 == 0:
        options = ("the left ventricle", tail, "asthma", "none of these")
        fields = {"kind": "choice", "references": (tail,), "options": options}
    return GraphQuestion(id=f"q{place:02}", text=text, strata=strata, **fields)


def context(place: int, *, facts: int = 10, shift: int = 0) -> GraphContext:
    """Facts about the head of the question."""
    head, relation, tail = PAIRS[place % len(PAIRS)]
    triples = [Triple(head=head, relation=relation, tail=tail)]
    triples += [
        Triple(head=head, relation="associated_with", tail=f"finding {place + shift}.{k}")
        for k in range(1, facts)
    ]
    at = question(place).text.find(head)
    return GraphContext(
        facts=tuple(
            RetrievedTriple(number=k, triple=each, text=claim(each), score=1 / (1 + k), hops=k % 3)
            for k, each in enumerate(triples[:facts])
        ),
        linked=(Linked(start=at, end=at + len(head), name=head, how="name"),),
        reached=57 + place,
    )


def answer(place: int, system: str, sample: int = 0) -> GraphAnswer:
    """Graphs do better than text, text than nothing; some say that they do not know."""
    asked = question(place)
    turn = (place * 7 + sample + len(system)) % 20
    best = {"diabetes": 13, "seed graph": 9, TEXT: 10, NONE: 6}[system]
    right = asked.right or asked.references[0]
    held = None if asked.kind == "yes-no" or system == NONE else turn < best + 2
    silent = not held and turn in (15, 17, 19)
    correct = turn < best and not silent
    lost = {18: "unparsed", 16: "failed"}.get(turn)
    facts = 24 if place == 3 else 0 if turn == 19 else 10
    control = system in (TEXT, NONE)
    given = Given(
        context=None if control else context(place, facts=facts, shift=len(system)),
        passages=((f"p{place}", PASSAGE * (1 + 6 * (place == 2))),) if system == TEXT else (),
        held=held,
        held_by="words",
        carriers=(0,) if held else (),
        named=None if control or held is None else turn < best + 4,
        reachable=None if control or held is None else turn < best + 4,
    )
    said = right if correct else "I don't know" if silent else "asthma"
    reply = f"<think>the context speaks of it</think>\nThe answer is {said}."
    return GraphAnswer(
        question=asked,
        system=system,
        given=given,
        sample=sample,
        reply="" if lost == "failed" else said if silent else reply,
        said="" if lost == "failed" else said,
        abstained=silent and lost is None,
        status=lost or "ok",  # type: ignore[arg-type]  # one of them, see above
        label=None if lost else CORRECT if correct else INCORRECT,
        reason=f"{lost} twice" if lost else "covers the main point" if correct else "names another",
        unit=f"{system}-{place}-{sample}",
    )


def sample_answers(
    questions: int = 40, systems: Sequence[str] = SYSTEMS, samples: int = 1
) -> list[GraphAnswer]:
    """Every answer."""
    return [
        answer(place, system, sample)
        for system in systems
        for place in range(questions)
        for sample in range(samples)
    ]


def summarised(
    answers: Sequence[GraphAnswer],
    systems: Sequence[str] = ("g",),
    *,
    people: dict[str, float] | None = None,
    **run: Any,
) -> GraphRagResults:
    """The results over some answers, by models `m` and `j`."""
    models = {"model": "m", "judge": "j"} | run
    return summarise(GraphragRun(answers=answers, systems=systems, **models), QUICK, people)


def sample_graphrag(
    questions: int = 40, systems: Sequence[str] = SYSTEMS, samples: int = 1, people: bool = False
) -> GraphRagResults:
    """The results over these answers."""
    answers = sample_answers(questions, systems, samples)
    labelled = [each for each in answers if each.label is not None][::5] if people else []
    run = GraphragRun(
        answers=answers,
        systems=systems,
        model="openai:answerer",
        judge="openai:judge",
        rubric="answer/1",
        answering=Spend(calls=160, input_tokens=60_123, output_tokens=4_100, cost=0.31, seconds=70),
        judging=Spend(calls=150, input_tokens=30_000, output_tokens=900, cost=None, seconds=44.2),
        settings={"top_k": 10, "hops": 2},
        problems=("line 7: no reference",),
        signature={"questions": "abc", "rubric": {"name": "answer", "version": 1}},
    )
    values = {each.unit: each.value or 0.0 for each in labelled}
    people_names = ("ann", "bob") if people else ()
    return summarise(run, replace(UNITS, resamples=500), values, people_names)


def hostile_graphrag(text: str) -> GraphRagResults:
    """Two questions and two systems with the text in every field that can hold text."""
    triple = Triple(head=text, relation=text, tail=text)
    found = GraphContext(
        facts=(RetrievedTriple(number=0, triple=triple, text=text, score=0.5, hops=1),),
        linked=(Linked(start=0, end=len(text), name=text, how="alias"),),
        reached=1,
    )
    answers = [
        GraphAnswer(
            question=GraphQuestion(
                id=f"{text}{place}",
                text=text,
                kind="choice",
                references=(text,),
                options=(text, "other"),
                strata={"topic": text, text: text, "hops": str(place)},
            ),
            system=system,
            given=Given(
                context=None if system == TEXT else found,
                passages=((text, text),) if system == TEXT else (),
                held=True,
                held_by="words",
                carriers=(0,),
                named=None if system == TEXT else True,
            ),
            reply=text,
            said=text,
            label=CORRECT if place else INCORRECT,
            reason=text,
            unit=text,
        )
        for system in (text, TEXT)
        for place in range(2)
    ]
    run = GraphragRun(
        answers=answers,
        systems=(text, TEXT),
        model=text,
        judge=text,
        answering=Spend(stopped=text),
        settings={text: text},
        problems=(text,),
        signature={text: text, "nested": {"value": [text]}},
    )
    return summarise(run, QUICK, {text: 1.0}, (text,))
