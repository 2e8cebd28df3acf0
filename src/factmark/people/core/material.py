"""What a campaign asks about: units with what annotators see of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.model import Item, Unit
from factmark.people.core.records import Shown
from factmark.people.summaries.blinding import Blinded, changed
from factmark.people.summaries.habits import lengths as lengths_of
from factmark.people.summaries.tells import tells as tells_of
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
