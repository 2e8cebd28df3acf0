"""What a campaign asks about: units, and what annotators see of each: nothing of whose it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from factmark.campaign_model import Shown, UnitsAsked
from factmark.errors import InputError
from factmark.model import Item, Unit, content_hash
from factmark.people.core.assign import draw_share
from factmark.people.core.clauses import clauses
from factmark.people.core.form_reader import read_form
from factmark.people.core.linking import IndexedSource, Linker, index_source, likely_by_words
from factmark.people.core.summary_blinding import blind_source, blind_summary
from factmark.people.core.tells import Texts, find_tells
from factmark.stats.sampling import simple_random
from factmark.text.blinding import Blinded, blind, changed
from factmark.text.sentences import Span, sentences

BLINDED = ("summary", "graphrag")
"""Kinds of units whose texts were blinded: of others each stands for itself, as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A source with the summaries of it, as a file has them."""

    id: str
    source: str
    summaries: Mapping[str, str]  # system -> text
    where: str = ""  # the file and its place in it
    sections: tuple[str, ...] = ()  # their names, where the file tells them
    places: Mapping[str, str] = field(default_factory=dict)  # system -> its row, as `line 12`


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a campaign asks about.

    Attributes:
        units: all of them, also those that nobody is asked about: a judge may go through the rest.
        documents: document (the cluster) -> the units that are asked about.
        parts: unit -> what it is a part of, where units of a part stay in order.
        settings: how it was drawn, and how much there was.
        places: unit -> its owner's id, and its row in the file.
    """

    items: tuple[Item, ...]
    units: tuple[Unit, ...]
    documents: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, Shown]  # unit -> what annotators see, of those that are asked about
    parts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what the owner should know, a sentence each
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def owners_settings(self) -> dict[str, object]:
        """What the campaign keeps of its material: how it was drawn, what was changed in texts so
        that they do not tell their author, and what still tells it."""
        texts = self._texts_by_system()
        return {
            **self.settings,
            "blinding": self._changes_by_system(texts),
            "tells": _what_tells(texts) if len(texts) > 1 else [],
        }

    def _texts_by_system(self) -> dict[str, list[str | None]]:
        """System -> its texts as shown, in the order of the items; empty where none is blinded."""
        texts: dict[str, dict[str, str]] = {}
        for unit in self.units:
            if unit.kind in BLINDED:
                texts.setdefault(str(unit.data["system"]), {})[unit.item] = unit.text
        return {
            system: [by_item.get(item.id) for item in self.items]
            for system, by_item in texts.items()
        }

    def _changes_by_system(self, systems: Iterable[str]) -> dict[str, list[dict[str, object]]]:
        """System, or `source` -> what was changed in its texts, by rule."""
        originals: dict[str, list[tuple[str, str]]] = {}
        if any(unit.kind == "summary" for unit in self.units):
            originals["source"] = [
                (_original_text(item, "source"), "source") for item in self.items
            ]
        originals |= {system: [] for system in systems}
        for unit in self.units:
            if unit.kind in BLINDED:
                text = str(unit.data.get("original", unit.text))
                originals[str(unit.data["system"])].append((text, unit.kind))
        changes = {}
        for name, texts in originals.items():
            changes[name] = [
                asdict(change)
                for change in changed(
                    [_BLINDING.get(kind, _blind_answer)(text) for text, kind in texts]
                )
            ]
        return changes


def _blind_answer(text: str) -> Blinded:
    """Returns a text of another kind as annotators see it."""
    return blind(text, paragraphs=True)


_BLINDING: Mapping[str, Callable[[str], Blinded]] = {
    "summary": blind_summary,
    "source": blind_source,
}


def _what_tells(texts: Texts) -> list[str]:
    """Returns a sentence for each thing in the form of texts that still tells their system, how
    often all of it together does first."""
    whole = read_form(texts)
    every = [tell.sentence() for tell in find_tells(texts)]
    if whole:
        return [whole.sentence(), *every]
    return every


def _original_text(item: Item, name: str) -> str:
    """Returns an item's text as the file had it."""
    return str(item.data.get("original", item.data[name]))


def sample_material(material: Material, most: int, *, seed: int, whole: bool) -> Material:
    """Returns the material with only `most` documents asked about, drawn at random.

    The draw is nested: with the same seed a larger one holds all of a smaller one. Units that are
    not asked about remain, for a judge whose verdicts the answers are to correct.

    Args:
        whole: whether documents are drawn whole; if not, units are drawn one by one.
    """
    every: list[str] = []
    for units in material.documents.values():
        every.extend(units)
    drawn = simple_random(material.documents if whole else every, most, seed=seed)
    keys = set(drawn.keys)
    documents = {}
    for name, units in material.documents.items():
        if not whole or name in keys:
            documents[name] = units if whole else tuple(unit for unit in units if unit in keys)
    left: set[str] = set()
    for units in documents.values():
        left.update(units)
    sample = {
        "how": "simple random without replacement, nested by seed",
        "drawn": len(drawn.keys),
        "of": drawn.size,
        "what": "documents" if whole else "units",
    }
    return replace(
        material,
        documents={name: units for name, units in documents.items() if units},
        shown={unit: shown for unit, shown in material.shown.items() if unit in left},
        settings={**material.settings, "sample": sample},
    )


def material_of_units(asked: UnitsAsked) -> Material:
    """Returns what a campaign asks where units stand alone, each under the cluster of its item."""
    rows: dict[str, tuple[Item, Unit, Shown]] = {}
    items = {item.id: item for item in asked.items}
    documents: dict[str, dict[str, None]] = {}
    for item, unit, shown in asked.rows:
        rows.setdefault(unit.id, (item, unit, shown))
        items.setdefault(item.id, item)
        documents.setdefault(item.cluster, {})[unit.id] = None
    systems = [str(unit.data["system"]) for _, unit, _ in rows.values() if unit.kind in BLINDED]
    return Material(
        items=tuple(items.values()),
        units=tuple(unit for _, unit, _ in rows.values()),
        documents={name: tuple(units) for name, units in documents.items()},
        shown={unit: shown for unit, (_, _, shown) in rows.items()},
        settings={
            **({"systems": list(dict.fromkeys(systems))} if systems else {}),
            "documents": len(documents),
        },
        notes=asked.notes,
    )


def material_of_summaries(documents: Sequence[Document]) -> Material:
    """Returns what a campaign asks where whole, blinded summaries are rated; InputError where
    blinding leaves nothing of one."""
    systems = list(dict.fromkeys(system for document in documents for system in document.summaries))
    items: list[Item] = []
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    asked: dict[str, tuple[str, ...]] = {}
    places: dict[str, tuple[str, str]] = {}
    for document in documents:
        source = blind_source(document.source, document.sections).text
        sections = tuple(blind(name).text for name in document.sections)
        data = {"source": source} | _original_if_changed(source, document.source)
        items.append(Item(id=document.id, cluster=document.id, data=data))
        summaries = []
        for system in systems:
            if system in document.summaries:
                summaries.append(_summary_unit(document, system))
        units += summaries
        for unit in summaries:
            places[unit.id] = (document.id, document.places.get(str(unit.data["system"]), ""))
        asked[document.id] = tuple(unit.id for unit in summaries)
        shown |= {
            unit.id: Shown(evidence=source, text=unit.text, sections=sections) for unit in summaries
        }
    have = Counter(system for document in documents for system in document.summaries)
    return Material(
        items=tuple(items),
        units=tuple(units),
        documents=asked,
        shown=shown,
        settings={"systems": systems, "documents": len(documents)},
        notes=tuple(
            f"{system} has summaries of {have[system]} of {len(documents)} documents"
            for system in systems
            if have[system] < len(documents)
        ),
        places=places,
    )


def with_hints(material: Material, linker: Linker, *, asked: Collection[str]) -> Material:
    """Returns a material of whole summaries with the sentences of the source that each of their
    sentences likely rests on, of the documents `asked`."""
    shown = dict(material.shown)
    for document in asked:
        source = index_source(shown[material.documents[document][0]].evidence)
        for unit in material.documents[document]:
            text = shown[unit].text
            rows = linker([span.of(text) for span in sentences(text)], source)
            hints = tuple(tuple((start, end) for start, end in row) for row in rows)
            shown[unit] = replace(shown[unit], hints=hints)
    return replace(material, shown=shown)


def material_of_clauses(
    documents: Sequence[Document],
    *,
    share: float,
    seed: int,
    asked: Collection[str] | None = None,
    linker: Linker = likely_by_words,
) -> Material:
    """Returns what a campaign asks where clauses are judged, each with the sentences it may rest
    on.

    All clauses become units, one that a summary repeats only once. Asked about are those drawn.

    Args:
        share: how much of each summary's clauses is drawn.
        asked: the documents whose clauses may be drawn; all where None.
        linker: finds the sentences of each clause of a summary.
    """
    whole = material_of_summaries(documents)
    units: list[Unit] = []
    shown: dict[str, Shown] = {}
    drawn: dict[str, list[str]] = {}
    parts: dict[str, str] = {}
    places = dict(whole.places)
    size = 0
    sources = {}
    for item in whole.items:
        sources[item.id] = str(item.data["source"])
    indexed: dict[str, IndexedSource] = {}
    for summary in whole.units:
        clause_units = _clause_units(summary)
        units += [unit for unit, _ in clause_units]
        places |= {unit.id: whole.places[summary.id] for unit, _ in clause_units}
        document = drawn.setdefault(summary.item, [])
        if asked is not None and summary.item not in asked:
            continue
        size += len(clause_units)
        if summary.item not in indexed:
            indexed = {summary.item: index_source(sources[summary.item])}
        source = indexed[summary.item]
        chosen = set(draw_share((unit.id for unit, _ in clause_units), share, seed=seed))
        links = linker([unit.text for unit, _ in clause_units], source)
        for (unit, span), likely in zip(clause_units, links, strict=True):
            if unit.id in chosen:
                shown[unit.id] = Shown(
                    evidence=source.text,
                    text=summary.text,
                    clause=(span.start, span.end),
                    likely=tuple((sentence.start, sentence.end) for sentence in likely),
                    sections=whole.shown[summary.id].sections,
                )
                document.append(unit.id)
                parts[unit.id] = summary.id
    counts = {"share": share, "asked": len(shown), "of": size}
    return replace(
        whole,
        units=(*whole.units, *units),
        documents={document: tuple(clause_ids) for document, clause_ids in drawn.items()},
        shown=shown,
        parts=parts,
        places=places,
        settings={**whole.settings, "clauses": counts},
    )


def _summary_unit(document: Document, system: str) -> Unit:
    """Returns a blinded summary as a unit; InputError where blinding leaves nothing of it."""
    original = document.summaries[system]
    text = blind_summary(original).text
    if not text:
        raise InputError(
            f"{document.where}: of {system!r} nothing but signs is left once it is blinded. Leave "
            "the document or the system out."
        )
    return Unit(
        id=content_hash("summary", document.id, system, text),
        item=document.id,
        kind="summary",
        text=text,
        data={"system": system} | _original_if_changed(text, original),
    )


def _clause_units(summary: Unit) -> list[tuple[Unit, Span]]:
    """Returns the clauses of a summary as units in order; one that it repeats word for word only
    once."""
    spans: dict[str, Span] = {}
    for span in clauses(summary.text):
        spans.setdefault(" ".join(span.of(summary.text).split()).casefold(), span)
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
        for span in spans.values()
    ]


def _original_if_changed(text: str, original: str) -> dict[str, str]:
    """Returns `{"original": ...}` where blinding changed the text, else an empty dict."""
    if text == original:
        return {}
    return {"original": original}
