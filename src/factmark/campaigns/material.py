"""What a campaign asks about: units with what annotators see of each, made from what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.answers.records import Answer, Question
from factmark.answers.rows import answer_item, question_item
from factmark.campaigns.assign import drawn_share
from factmark.campaigns.records import Shown
from factmark.errors import InputError
from factmark.graphs.claims import triple_of
from factmark.graphs.entries import entry
from factmark.graphs.ontology import Ontology
from factmark.model import Item, Unit, content_hash
from factmark.stats.sampling import simple_random
from factmark.summaries import (
    Blinded,
    Span,
    blind,
    changed,
    clauses,
    index_source,
    likely_sentences,
)
from factmark.summaries import lengths as lengths_of
from factmark.summaries import tells as tells_of

Texts = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source with the summaries of it, as a file has them.

    Attributes:
        summaries: system -> text.
        where: the file and its place in it.
    """

    id: str
    source: str
    summaries: Mapping[str, str]
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question with its reference answer, and a system's answer to it."""

    question: str
    reference: str
    answer: str
    system: str
    id: str = ""


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


def of_summaries(documents: Sequence[Document]) -> Material:
    """Whole summaries, blinded, each beside its blinded source.

    Raises:
        InputError: a summary of which blinding leaves nothing.
    """
    sources = {one.id: blind(one.source, paragraphs=True) for one in documents}
    items = []
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    asked: dict[str, tuple[str, ...]] = {}
    written: dict[str, list[Blinded | None]] = {
        system: [] for one in documents for system in one.summaries
    }
    for one in documents:
        source = sources[one.id]
        items.append(Item(id=one.id, cluster=one.id, data=_with_original(source, one.source)))
        mine: list[Unit] = []
        for system, texts in written.items():
            given = one.summaries.get(system)
            made = None if given is None else blind(given)
            texts.append(made)
            if given is not None and made is not None:
                mine.append(_summary(one, system, given, made))
        units += mine
        asked[one.id] = tuple(unit.id for unit in mine)
        shown |= {unit.id: Shown(evidence=source.text, text=unit.text) for unit in mine}
    return Material(
        items=tuple(items),
        units=tuple(units),
        documents=asked,
        shown=shown,
        texts={
            system: [None if text is None else text.text for text in texts]
            for system, texts in written.items()
        },
        blinding={
            "source": _changes(list(sources.values())),
            **{
                system: _changes([text for text in texts if text is not None])
                for system, texts in written.items()
            },
        },
        settings={"systems": list(written), "documents": len(documents)},
        notes=_unlike(documents, written),
    )


def of_clauses(documents: Sequence[Document], *, share: float, seed: int) -> Material:
    """Clauses of summaries, a share of each summary's, with the likely sentences of the source.

    All clauses become units; only those drawn are asked about, in the order of the text.
    """
    whole = of_summaries(documents)
    sources = {item.id: index_source(str(item.data["source"])) for item in whole.items}
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    asked: dict[str, tuple[str, ...]] = {}
    parts: dict[str, str] = {}
    for document, summaries in _by_item(whole.units).items():
        source = sources[document]
        drawn: list[str] = []
        for summary in summaries:
            made = _clauses(summary)
            chosen = set(drawn_share((unit.id for unit, _ in made), share, seed=seed))
            for unit, span in made:
                units.append(unit)
                if unit.id in chosen:
                    likely = likely_sentences(unit.text, source)
                    shown[unit.id] = Shown(
                        evidence=source.text,
                        text=summary.text,
                        marked=(span.start, span.end),
                        likely=tuple((one.start, one.end) for one in likely),
                    )
                    drawn.append(unit.id)
                    parts[unit.id] = summary.id
        asked[document] = tuple(drawn)
    told = {"share": share, "asked": len(shown), "of": len(units)}
    return replace(
        whole,
        units=(*whole.units, *units),
        documents=asked,
        shown=shown,
        parts=parts,
        settings={**whole.settings, "clauses": told},
    )


def of_pairs(pairs: Iterable[tuple[Item, Unit]]) -> Material:
    """Claims, each beside its passage, as they stand; those without a passage are left out."""
    return _alone(
        (item, unit, Shown(evidence=str(unit.data["passage"]), text=unit.text))
        for item, unit in pairs
        if unit.data.get("passage")
    )


def of_triples(triples: Iterable[tuple[Item, Unit]], ontology: Ontology) -> Material:
    """Triples, each beside its ontology entry."""
    return _alone(
        (item, unit, Shown(evidence=entry(triple_of(unit), ontology), text=unit.text))
        for item, unit in triples
    )


def of_exchanges(exchanges: Sequence[Exchange]) -> Material:
    """Answers, blinded, each beside its question and the reference answer."""
    rows = []
    questions = dict.fromkeys((one.question, one.reference) for one in exchanges)
    texts: dict[str, dict[tuple[str, str], str]] = {one.system: {} for one in exchanges}
    written: dict[str, list[Blinded]] = {one.system: [] for one in exchanges}
    for one in exchanges:
        data = {"question": one.question, "reference": one.reference}
        name = f"question:{content_hash('graphrag', data)}"
        made = blind(one.answer, paragraphs=True)
        texts[one.system][one.question, one.reference] = made.text
        written[one.system].append(made)
        about = {"system": one.system, "id": one.id} | _original(made, one.answer)
        unit = Unit(
            id=content_hash("graphrag", name, one.system, one.id, one.answer),
            item=name,
            kind="graphrag",
            text=made.text,
            data=about,
        )
        asked = blind(one.question).text
        reference = blind(one.reference, paragraphs=True).text
        evidence = f"Question: {asked}\n\nReference answer: {reference}"
        rows.append(
            (Item(id=name, cluster=name, data=data), unit, Shown(evidence=evidence, text=made.text))
        )
    return replace(
        _alone(rows),
        texts={system: [said.get(key) for key in questions] for system, said in texts.items()},
        blinding={system: _changes(said) for system, said in written.items()},
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
    found = _alone(made)
    return replace(found, items=(*extra.values(), *found.items))


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


def _alone(rows: Iterable[tuple[Item, Unit, Shown]]) -> Material:
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


def _summary(document: Document, system: str, given: str, made: Blinded) -> Unit:
    if not made.text:
        raise InputError(
            f"{document.where}: of {system!r} nothing but signs is left once it is blinded. Leave "
            "the document or the system out."
        )
    return Unit(
        id=content_hash("summary", document.id, system, made.text),
        item=document.id,
        kind="summary",
        text=made.text,
        data={"system": system} | _original(made, given),
    )


def _clauses(summary: Unit) -> list[tuple[Unit, Span]]:
    return [
        (
            Unit(
                id=content_hash("clause", summary.id, span.start, span.end),
                item=summary.item,
                kind="clause",
                text=span.of(summary.text),
                data={
                    "system": summary.data["system"],
                    "summary": summary.id,
                    "span": [span.start, span.end],
                },
            ),
            span,
        )
        for span in clauses(summary.text)
    ]


def _by_item(units: Iterable[Unit]) -> dict[str, list[Unit]]:
    out: dict[str, list[Unit]] = {}
    for unit in units:
        out.setdefault(unit.item, []).append(unit)
    return out


def _original(made: Blinded, given: str) -> dict[str, object]:
    return {} if made.text == given else {"original": given}


def _with_original(made: Blinded, given: str) -> dict[str, object]:
    return {"source": made.text} | _original(made, given)


def _changes(texts: Sequence[Blinded]) -> list[Mapping[str, object]]:
    return [
        {"rule": one.rule, "count": one.count, "examples": [list(pair) for pair in one.examples]}
        for one in changed(texts)
    ]


def _unlike(documents: Sequence[Document], systems: Iterable[str]) -> tuple[str, ...]:
    """What is to be told where documents have not the same systems."""
    have = Counter(system for one in documents for system in one.summaries)
    return tuple(
        f"{system} has summaries of {have[system]} of {len(documents)} documents"
        for system in systems
        if have[system] < len(documents)
    )
