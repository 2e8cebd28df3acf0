"""What a campaign asks about: units with what annotators see of each; claims, triples, answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.core.rows import answer_item, question_item
from factmark.campaign_model import Shown
from factmark.graphs.core.claims import triple_of
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.rubrics import entry
from factmark.model import Item, Unit, content_hash
from factmark.people.core.blinding import Blinded, blind, changed
from factmark.people.core.tells import lengths as lengths_of
from factmark.people.core.tells import tells as tells_of
from factmark.stats.sampling import simple_random

Texts = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a campaign asks about.

    Attributes:
        units: all of them, also those that nobody is asked about: a judge may go through the rest.
        documents: document (the cluster) -> the units that are asked about.
        shown: unit -> what annotators see, of those that are asked about.
        parts: unit -> what it is a part of, where units of a part stay in order.
        texts: system -> its texts as shown, the documents in one order, for what betrays it; empty
            where units have no system.
        blinding: system, or `source` -> what was changed in the texts.
        settings: how it was drawn, and how much there was.
        notes: what the owner should know, a sentence each.
    """

    items: tuple[Item, ...]
    units: tuple[Unit, ...]
    documents: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, Shown]
    parts: Mapping[str, str] = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    blinding: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def owners_settings(self) -> dict[str, object]:
        """What the campaign keeps of this: how it was drawn, what changed, what still betrays."""
        found = tells_of(self.texts) if len(self.texts) > 1 else ()
        return {
            **self.settings,
            "blinding": dict(self.blinding),
            "tells": [tell.sentence() for tell in found],
            "lengths": [
                {
                    "system": one.system, "texts": one.texts, "median": one.median,
                    "shortest": one.shortest, "longest": one.longest, "unended": one.unended,
                }
                for one in lengths_of(self.texts)
            ],
        }  # fmt: skip


def sampled(material: Material, most: int, *, seed: int, whole: bool) -> Material:
    """The material with so many documents (or units, where they stand alone) asked about.

    The draw is simple random and nested in `most`. Units that are not asked about remain, for a
    judge whose verdicts the answers are to correct.
    """
    if whole:
        drawn = simple_random(material.documents, most, seed=seed)
        documents = {
            name: units for name, units in material.documents.items() if name in set(drawn.keys)
        }
    else:
        every = [unit for units in material.documents.values() for unit in units]
        drawn = simple_random(every, most, seed=seed)
        kept = set(drawn.keys)
        documents = {
            name: tuple(unit for unit in units if unit in kept)
            for name, units in material.documents.items()
        }
        documents = {name: units for name, units in documents.items() if units}
    left = {unit for units in documents.values() for unit in units}
    told = {
        "how": "simple random without replacement, nested by seed",
        "drawn": len(drawn.keys),
        "of": drawn.size,
        "what": "documents" if whole else "units",
    }
    return replace(
        material,
        documents=documents,
        shown={unit: what for unit, what in material.shown.items() if unit in left},
        settings={**material.settings, "sample": told},
    )


def alone(rows: Iterable[tuple[Item, Unit, Shown]]) -> Material:
    """Units that are asked about one by one, under the cluster of their item."""
    items: dict[str, Item] = {}
    units: dict[str, Unit] = {}
    shown: dict[str, Shown] = {}
    asked: dict[str, dict[str, None]] = {}
    for item, unit, what in rows:
        items.setdefault(item.id, item)
        units.setdefault(unit.id, unit)
        shown.setdefault(unit.id, what)
        asked.setdefault(item.cluster, {})[unit.id] = None
    return Material(
        items=tuple(items.values()),
        units=tuple(units.values()),
        documents={name: tuple(ids) for name, ids in asked.items()},
        shown=shown,
        settings={"documents": len(asked)},
    )


def original_of(made: Blinded, given: str) -> dict[str, object]:
    return {} if made.text == given else {"original": given}


def changes_of(texts: Sequence[Blinded]) -> list[Mapping[str, object]]:
    return [
        {"rule": one.rule, "count": one.count, "examples": [list(pair) for pair in one.examples]}
        for one in changed(texts)
    ]


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


def of_answers(benchmark: str, rows: Iterable[tuple[Question, GivenAnswer]]) -> Material:
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
