"""Suspects in the ledger: each unit with its stratum, for `factmark plan`; and people's labels.

A stratum stands in the ledger as what a judge of the name `profile` says of a unit. It is no
verdict and has no value; `plan` draws within it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from factmark.graphs.core.claims import Triple, relation_key
from factmark.graphs.core.scores import MeasureKey
from factmark.graphs.profile.core.edges import Edges
from factmark.graphs.profile.core.label_shares import KindErrors, SuspectUnit, errors_by_kind
from factmark.graphs.profile.core.suspects import KINDS, NO_SUSPECT, Suspects
from factmark.graphs.profile.reading import GraphFiles
from factmark.graphs.reading import KINDS as UNIT_KINDS
from factmark.graphs.reading import GraphUnits, Source
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import PROFILE, people_values, verdicts_beside
from factmark.model import Item, Judge, Unit, Verdict

VERSION = "2"  # raise it when other triples become suspects
_BLOCK = 5_000


class TriplePlaces:
    """Finds a triple of a graph by its names."""

    def __init__(self, edges: Edges) -> None:
        self._edges = edges
        self._kinds = {name: place for place, name in enumerate(edges.relations)}
        rows = zip(edges.heads.tolist(), edges.kinds.tolist(), edges.tails.tolist(), strict=True)
        self._places = {key: place for place, key in enumerate(rows)}

    def place(self, triple: Triple) -> int:
        """Its place; KeyError for one that is not of the graph."""
        places = self._edges.places
        head = places[triple.head_id or triple.head]
        tail = places[triple.tail_id or triple.tail]
        return self._places[head, self._kinds[relation_key(triple.relation)], tail]


def keep_strata(
    ledger: Path, files: GraphFiles, measure: MeasureKey, edges: Edges, suspects: Suspects
) -> tuple[SuspectUnit, ...]:
    """Writes each unit with its stratum into a ledger; returns the units with what people, and
    another judge, said of them.

    Raises:
        LedgerError: it cannot be read or written.
    """
    names, strata = suspects.strata()
    places = TriplePlaces(edges)
    judge = Judge.create("rule", PROFILE, version=VERSION)
    kind = UNIT_KINDS[measure]
    units: list[SuspectUnit] = []
    with Ledger(ledger) as opened:
        people, _ = people_values(opened, kind)
        verdicts = verdicts_beside(opened, kind)
        rows = _units(files, measure)
        while block := list(islice(rows, _BLOCK)):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            with opened.writing():
                opened.add_judge(judge)
                for item, triple, unit in block:
                    place = places.place(triple)
                    kinds = suspects.kinds_of(place)
                    stratum = names[strata[place]]
                    opened.add_new_item(item)
                    opened.add_unit(unit)
                    verdict = Verdict(
                        unit=unit.id, judge=judge.id, label=stratum, reason=", ".join(kinds)
                    )
                    opened.add_verdict(verdict, now)
                    units.append(
                        SuspectUnit(
                            stratum=stratum,
                            kinds=tuple(kinds),
                            value=people.get(unit.id),
                            verdict=verdicts.get(unit.id, ""),
                        )
                    )
    return tuple(units)


def errors_of(units: tuple[SuspectUnit, ...], level: float) -> tuple[KindErrors, ...]:
    """How often each kind was an error; empty where people labelled nothing."""
    if not any(unit.value is not None for unit in units):
        return ()
    return errors_by_kind(units, tuple(KINDS), NO_SUSPECT, level=level)


def _units(files: GraphFiles, measure: MeasureKey) -> Iterator[tuple[Item, Triple, Unit]]:
    """Each unit of the files once, with its triple and head."""
    source = Source(
        measure=measure,
        triples=files.triples,
        passages=files.passages,
        columns=files.columns,
        encoding=files.encoding,
    )
    graph = GraphUnits(source)
    seen = set[str]()
    for triple, name, _ in graph.rows():
        if name not in seen:
            seen.add(name)
            unit = graph.unit(triple, name)
            data = {"head": triple.head}
            yield Item(id=unit.item, cluster=unit.item, data=data), triple, unit
