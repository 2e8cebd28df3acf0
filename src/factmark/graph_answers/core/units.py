"""Answers and contexts as the units that rules, models and people judge alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from factmark.graph_answers.core.records import GraphAnswer, GraphQuestion
from factmark.graph_answers.core.rubrics import holds_claim
from factmark.model import Item, Unit, content_hash
from factmark.text.blinding import blind

NO_REFERENCE = "(none: the right answer is that it is not known)"
_OR = "; or: "


def answer_unit(
    *, question: str, reference: str, answer: str, system: str, id: str = ""
) -> tuple[Item, Unit]:
    """Returns the question with its reference as an item, and the answer, blinded, as a unit.

    Whoever judges it, a model, a rule or people, judges the same unit: its id follows from
    question, reference, system, id and answer.
    """
    data = {"question": question, "reference": reference}
    name = f"question:{content_hash('graphrag', data)}"
    text = blind(answer, paragraphs=True).text
    unit = Unit(
        id=content_hash("graphrag", name, system, id, answer),
        item=name,
        kind="graphrag",
        text=text,
        data={"system": system, "id": id} | ({} if text == answer else {"original": answer}),
    )
    return Item(id=name, cluster=name, data=data), unit


def unit_of_answer(answer: GraphAnswer) -> tuple[Item, Unit]:
    """Returns the question as an item and the answer as a unit of the kind `graphrag`.

    It is the unit that a campaign makes of the same answer, so that people's verdicts land beside
    the judge's.
    """
    question = answer.question
    item, unit = answer_unit(
        question=question.asked.replace("\n", "\n\n"),
        reference=_OR.join(question.references) or NO_REFERENCE,
        answer=answer.said or answer.reply.strip() or "(nothing)",
        system=answer.system,
        id=str(answer.sample),
    )
    return replace(item, strata={**question.strata}), unit


def units_of_contexts(
    answers: Iterable[GraphAnswer],
) -> tuple[dict[tuple[str, str], str], list[tuple[Item, Unit]], dict[str, GraphQuestion]]:
    """Returns the contexts of free-text questions as units for a judge, each once.

    Returns:
        (System, id of the question) -> id of its unit; the units; item -> question.
    """
    units: dict[str, tuple[Item, Unit]] = {}
    names: dict[tuple[str, str], str] = {}
    questions: dict[str, GraphQuestion] = {}
    for answer in answers:
        question = answer.question
        texts = answer.given.texts
        key = (answer.system, question.id)
        if key in names or question.kind != "text" or not question.references or not texts:
            continue
        data = {"question": question.asked, "references": list(question.references)}
        name = f"retrieval:{content_hash('retrieval', data)}"
        unit = Unit(
            id=content_hash("retrieval", name, list(texts)),
            item=name,
            kind="retrieval",
            text=holds_claim(texts),
        )
        questions.setdefault(name, question)
        units.setdefault(unit.id, (Item(id=name, cluster=name, data=data), unit))
        names[key] = unit.id
    return names, list(units.values()), questions
