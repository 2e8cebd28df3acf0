"""Questions answered with two graphs and two controls, and one that is hostile in every field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmark.ask.spend import Spend
from factmark.graphrag.core.outcomes import (
    CORRECT,
    INCORRECT,
    NONE,
    TEXT,
    Context,
    Fact,
    Given,
    Linked,
    Outcome,
)
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.results import UNITS, GraphRagResults, summarise
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
    if place % 7 == 0:
        return GraphQuestion(
            id=f"q{place:02}", text=f"Is {head} linked to {tail}?", kind="yes-no",
            references=("yes",), strata=strata,
        )  # fmt: skip
    if place % 3 == 0:
        return GraphQuestion(
            id=f"q{place:02}", text=text, kind="choice", references=(tail,),
            options=("the left ventricle", tail, "asthma", "none of these"), strata=strata,
        )  # fmt: skip
    return GraphQuestion(
        id=f"q{place:02}", text=text, kind="text", references=(tail, f"the {tail}"), strata=strata
    )


def context(place: int, *, facts: int = 10, shift: int = 0) -> Context:
    """Facts about the head of the question."""
    head, relation, tail = PAIRS[place % len(PAIRS)]
    triples = [Triple(head=head, relation=relation, tail=tail)]
    triples += [
        Triple(head=head, relation="associated_with", tail=f"finding {place + shift}.{k}")
        for k in range(1, facts)
    ]
    asked = question(place).text
    at = asked.find(head)
    return Context(
        facts=tuple(
            Fact(number=k, triple=one, text=claim(one), score=1 / (1 + k), hops=k % 3)
            for k, one in enumerate(triples[:facts])
        ),
        linked=(Linked(start=at, end=at + len(head), name=head, how="name"),),
        reached=57 + place,
    )


def answer(place: int, system: str, sample: int = 0) -> Outcome:
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
    given = Given(
        context=None if system in (TEXT, NONE) else context(place, facts=facts, shift=len(system)),
        passages=((f"p{place}", PASSAGE * (1 + 6 * (place == 2))),) if system == TEXT else (),
        held=held,
        carriers=(0,) if held else (),
        in_graph=None if system in (TEXT, NONE) or held is None else turn < best + 4,
    )
    said = right if correct else "I don't know" if silent else "asthma"
    reply = f"<think>the context speaks of it</think>\nThe answer is {said}."
    return Outcome(
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


def sample_outcomes(
    questions: int = 40, systems: Sequence[str] = SYSTEMS, samples: int = 1
) -> list[Outcome]:
    """Every answer."""
    return [
        answer(place, system, sample)
        for system in systems
        for place in range(questions)
        for sample in range(samples)
    ]


def sample_graphrag(
    questions: int = 40, systems: Sequence[str] = SYSTEMS, samples: int = 1, people: bool = False
) -> GraphRagResults:
    """The results over these answers."""
    outcomes = sample_outcomes(questions, systems, samples)
    labelled = [one for one in outcomes if one.label is not None][::5] if people else []
    return summarise(
        outcomes,
        systems=systems,
        model="openai:answerer",
        judge="openai:judge",
        options=replace(UNITS, resamples=500),
        rubric="answer/1",
        people={one.unit: one.value or 0.0 for one in labelled},
        annotators=("ann", "bob") if people else (),
    ).of_run(
        answering=Spend(calls=160, input_tokens=60_123, output_tokens=4_100, cost=0.31, seconds=70),
        judging=Spend(calls=150, input_tokens=30_000, output_tokens=900, cost=None, seconds=44.2),
        settings={"top_k": 10, "hops": 2},
        problems=("line 7: no reference",),
        signature={"questions": "abc", "rubric": {"name": "answer", "version": 1}},
    )


def hostile_graphrag(text: str) -> GraphRagResults:
    """Two questions and two systems with the text in every field that can hold text."""
    triple = Triple(head=text, relation=text, tail=text)
    found = Context(
        facts=(Fact(number=0, triple=triple, text=text, score=0.5, hops=1),),
        linked=(Linked(start=0, end=len(text), name=text, how="alias"),),
        reached=1,
    )
    outcomes = [
        Outcome(
            question=GraphQuestion(
                id=f"{text}{place}", text=text, kind="choice", references=(text,),
                options=(text, "other"), strata={"topic": text, text: text, "hops": str(place)},
            ),
            system=system,
            given=Given(
                context=None if system == TEXT else found,
                passages=((text, text),) if system == TEXT else (),
                held=True, carriers=(0,), in_graph=None if system == TEXT else True,
            ),
            reply=text, said=text, label=CORRECT if place else INCORRECT, reason=text, unit=text,
        )
        for system in (text, TEXT)
        for place in range(2)
    ]  # fmt: skip
    return summarise(
        outcomes,
        systems=(text, TEXT),
        model=text,
        judge=text,
        options=QUICK,
        people={text: 1.0},
        annotators=(text,),
    ).of_run(
        answering=Spend(stopped=text),
        settings={text: text},
        problems=(text,),
        signature={text: text, "nested": {"value": [text]}},
    )
