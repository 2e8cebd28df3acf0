"""Claims, triples and answers as what a campaign asks about, each row on its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.records import Answer, Question
from factmark.answers.core.rows import answer_item, question_item
from factmark.graphs.core.claims import triple_of
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.rubrics import entry
from factmark.model import Item, Unit, content_hash
from factmark.people.core.material import Material, alone, changes_of, original_of
from factmark.people.core.records import Shown
from factmark.people.summaries.blinding import Blinded, blind


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question with its reference answer, and a system's answer to it."""

    question: str
    reference: str
    answer: str
    system: str
    id: str = ""


def of_pairs(pairs: Iterable[tuple[Item, Unit]]) -> Material:
    """Claims, each beside its passage, as they stand; those without a passage are left out."""
    return alone(
        (item, unit, Shown(evidence=str(unit.data["passage"]), text=unit.text))
        for item, unit in pairs
        if unit.data.get("passage")
    )


def of_triples(triples: Iterable[tuple[Item, Unit]], ontology: Ontology) -> Material:
    """Triples, each beside its ontology entry."""
    return alone(
        (item, unit, Shown(evidence=entry(triple_of(unit), ontology), text=unit.text))
        for item, unit in triples
    )


def exchange_job(one: Exchange) -> tuple[Item, Unit]:
    """An answer as a unit, its text blinded, and its question as an item.

    Whoever judges it, a model, a rule or people, judges the same unit: its id follows from
    question, reference, system, id and answer.
    """
    data = {"question": one.question, "reference": one.reference}
    name = f"question:{content_hash('graphrag', data)}"
    made = blind(one.answer, paragraphs=True)
    unit = Unit(
        id=content_hash("graphrag", name, one.system, one.id, one.answer),
        item=name,
        kind="graphrag",
        text=made.text,
        data={"system": one.system, "id": one.id} | original_of(made, one.answer),
    )
    return Item(id=name, cluster=name, data=data), unit


def exchange_evidence(item: Item) -> str:
    """What people judge an answer by: the question and its reference answer, blinded."""
    asked, reference = (
        blind(str(item.data[name]), paragraphs=True).text for name in ("question", "reference")
    )
    return f"Question: {asked}\n\nReference answer: {reference}"


def exchange_of(item: Item, unit: Unit) -> Exchange:
    """The answer that a unit was made from."""
    return Exchange(
        question=str(item.data["question"]),
        reference=str(item.data["reference"]),
        answer=str(unit.data.get("original", unit.text)),
        system=str(unit.data["system"]),
        id=str(unit.data["id"]),
    )


def of_exchanges(exchanges: Sequence[Exchange]) -> Material:
    """Answers, blinded, each beside its question and the reference answer."""
    rows = []
    questions = dict.fromkeys((one.question, one.reference) for one in exchanges)
    texts: dict[str, dict[tuple[str, str], str]] = {one.system: {} for one in exchanges}
    written: dict[str, list[Blinded]] = {one.system: [] for one in exchanges}
    for one in exchanges:
        item, unit = exchange_job(one)
        made = blind(one.answer, paragraphs=True)
        texts[one.system][one.question, one.reference] = made.text
        written[one.system].append(made)
        rows.append((item, unit, Shown(evidence=exchange_evidence(item), text=made.text)))
    return replace(
        alone(rows),
        texts={system: [said.get(key) for key in questions] for system, said in texts.items()},
        blinding={system: changes_of(said) for system, said in written.items()},
        settings={"systems": list(texts), "documents": len(questions)},
    )


def of_answers(benchmark: str, rows: Iterable[tuple[Question, Answer]]) -> Material:
    """Answers to mark facts in, as they stand: marks must be true to the answer.

    Items and ids are those of `answers.rows`, so that people's marks meet a judge's verdicts.
    """
    made = []
    extra: dict[str, Item] = {}
    for question, answer in rows:
        asked = question_item(benchmark, question)
        item = answer_item(asked, answer)
        extra[asked.id] = asked
        elements = question.ground_truth or ()
        listed = "\n".join(f"- {one}" for one in elements) or "(nothing: the list is empty)"
        system = " · ".join(part for part in (answer.model, answer.condition) if part)
        unit = Unit(
            id=content_hash("answer", item.id),
            item=item.id,
            kind="answer",
            text=answer.text,
            data={"system": system, "query_id": answer.query_id},
        )
        shown = Shown(
            evidence=f"Question: {question.text}\n\nGround truth:\n{listed}",
            text=answer.text,
            elements=elements,
        )
        made.append((item, unit, shown))
    found = alone(made)
    return replace(found, items=(*extra.values(), *found.items))
