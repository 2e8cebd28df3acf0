"""What `factmark agree` compares: the judges of a ledger and what they said, as panels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmark.analysis.panels import Panel, Rater, number_of
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.rubrics import (
    SUPPORT_ALIGNED,
    SUPPORT_CONTEXT,
    SUPPORT_GENERAL,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
)
from factmark.ledger.export import JudgeCounts, judges_of, open_existing
from factmark.ledger.judge_names import listed, resolve
from factmark.ledger.ledger import Ledger
from factmark.people.core.forms import COARSE_SUMMARY, FINE_SUMMARY, KINDS

_RUBRICS: Mapping[str, Mapping[str, float]] = {
    rubric.name: rubric.values
    for rubric in (
        SUPPORT_ALIGNED, SUPPORT_CONTEXT, SUPPORT_GENERAL, VALIDITY_ONTOLOGY, VALIDITY_PLAIN,
        COARSE_SUMMARY, FINE_SUMMARY,
    )
}  # fmt: skip
_UNITS = "SELECT u.id, u.kind, i.cluster, {stratum} FROM units u JOIN items i ON i.id = u.item"
_VERDICTS = "SELECT unit, judge, CAST(label AS TEXT), value FROM verdicts ORDER BY number"
_STRATUM = """coalesce(json_extract(i.strata, :path), json_extract(u.data, :path),
    json_extract(i.data, :path), '')"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """What a ledger holds to compare.

    Attributes:
        panels: one per kind of unit, sorted by kind.
        named, revised: ids of the judges that were asked for.
        problems: what a reader must know of the input, one sentence each.
    """

    panels: tuple[Panel, ...]
    named: tuple[str, ...]
    revised: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Kind:
    """What was said of the units of one kind, while it is read."""

    places: dict[str, int] = field(default_factory=dict)
    rows: list[dict[str, str | None]] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    strata: list[str] = field(default_factory=list)
    firsts: dict[tuple[str, int], str | None] = field(default_factory=dict)
    again: set[tuple[str, int]] = field(default_factory=set)
    values: dict[str, set[float | None]] = field(default_factory=lambda: defaultdict(set))
    used: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(
        self,
        unit: str,
        cluster: str,
        stratum: str,
        judge: str,
        label: str | None,
        value: object,
    ) -> None:
        """Adds a verdict, later than all before it."""
        place = self.places.get(unit)
        if place is None:
            place = self.places[unit] = len(self.rows)
            self.rows.append({})
            self.clusters.append(cluster)
            self.strata.append(without_surrogates(stratum))
        row = self.rows[place]
        if judge in row:
            self.again.add((judge, place))
        else:
            self.firsts[judge, place] = label
        row[judge] = label
        if label is not None:
            number = float(value) if isinstance(value, int | float) else math.nan
            self.values[label].add(number if math.isfinite(number) else None)
            self.used[judge].add(label)

    def drop(self, unit: str, judge: str) -> None:
        """Forgets what a judge said of a unit and took back: as if it had not been asked."""
        place = self.places.get(unit)
        if place is not None:
            self.rows[place].pop(judge, None)
            self.again.discard((judge, place))


def read_panels(
    path: Path,
    *,
    judges: Sequence[str] = (),
    revised: Sequence[str] = (),
    kind: str = "",
    by: str = "",
) -> Panels:
    """Reads what the judges of a ledger said.

    Args:
        judges, revised: names or beginnings of ids.
        kind: of units; all where empty.
        by: what strata are told apart by: a stratum of the items, or a field of the units.

    Raises:
        LedgerError: there is no such ledger, or it cannot be read.
        InputError: for a judge, a kind or a stratum that it does not know, and one that several
            judges are called.
    """
    with open_existing(path, read_only=True) as ledger:
        known = judges_of(ledger)
        named = tuple(dict.fromkeys(resolve(path, name, known) for name in judges))
        moved = tuple(dict.fromkeys(resolve(path, name, known) for name in revised))
        if judges and len(named) < len(judges):
            raise InputError("--judge names one judge twice. Name two, or one to compare with all.")
        raters = _raters(ledger, known)
        kinds = _read(ledger, by)
    if kind and kind not in kinds:
        raise InputError(
            f"--kind {kind}: {path} has verdicts on units of the kinds "
            f"{', '.join(sorted(kinds)) or '(none)'}."
        )
    _check_strata(path, by, kinds)
    chosen = {name: read for name, read in kinds.items() if name == (kind or name)}
    problems = [
        f"{name} units: {label} has more than one value, so labels are not put in order."
        for name, read in sorted(chosen.items())
        for label, values in sorted(read.values.items())
        if len(values - {None}) > 1
    ]
    return Panels(
        panels=tuple(_panel(name, chosen[name], raters, bool(by)) for name in sorted(chosen)),
        named=named,
        revised=moved,
        problems=tuple(problems),
    )


def judge_list(path: Path) -> str:
    """The judges of a ledger, as a message tells them."""
    with open_existing(path, read_only=True) as ledger:
        return listed(judges_of(ledger))


def _raters(ledger: Ledger, judges: Sequence[JudgeCounts]) -> tuple[Rater, ...]:
    """All judges: rules, then models, then people, each by name; equal names with their ids."""
    rubrics: dict[str, Any] = dict(
        ledger.connection.execute(
            "SELECT id, json_extract(parameters, '$.rubric_name') FROM judges"
        )
    )
    order = {"rule": 0, "model": 1, "person": 2}
    names = [without_surrogates(judge.name) for judge in judges]
    found = [
        Rater(
            id=judge.id,
            kind=judge.kind,
            name=f"{name} ({judge.id[:8]})" if names.count(name) > 1 or not name.strip() else name,
            offered=_RUBRICS.get(str(rubrics[judge.id]), {}),
        )
        for judge, name in zip(judges, names, strict=True)
    ]
    return tuple(sorted(found, key=lambda rater: (order.get(rater.kind, 3), rater.name, rater.id)))


def _read(ledger: Ledger, by: str) -> dict[str, _Kind]:
    """Every verdict in the order of the ledger, so that the last one of a judge stays.

    Two scans without a join: units are large, so looking one up for every verdict is slower.
    """
    if '"' in by or "\\" in by:
        raise InputError(f"--by {by}: no stratum has such a name.")
    db = ledger.connection
    query = _UNITS.format(stratum=_STRATUM if by else "''")
    units = {
        unit: (kind, cluster, stratum)
        for unit, kind, cluster, stratum in db.execute(query, {"path": f'$."{by}"'} if by else {})
    }
    kinds: defaultdict[str, _Kind] = defaultdict(_Kind)
    for unit, judge, label, value in db.execute(_VERDICTS):
        if unit in units:
            kind, cluster, stratum = units[unit]
            if label is None and kind == "fact":  # a fact is judged by whoever marks it
                kinds[kind].drop(unit, judge)
                continue
            kinds[kind].add(unit, cluster, str(stratum), judge, label, value)
    return dict(kinds)


def _check_strata(path: Path, by: str, kinds: Mapping[str, _Kind]) -> None:
    if by and kinds and not any(any(read.strata) for read in kinds.values()):
        with open_existing(path, read_only=True) as ledger:
            names = [
                str(name)
                for (name,) in ledger.connection.execute(
                    "SELECT DISTINCT key FROM items, json_each(strata) "
                    "UNION SELECT DISTINCT key FROM (SELECT data FROM units LIMIT 100) u, "
                    "json_each(u.data) ORDER BY 1 LIMIT 30"
                )
            ]
        raise InputError(
            f"--by {by}: neither items nor units have it. They have {', '.join(names) or 'none'}."
        )


def _panel(kind: str, read: _Kind, raters: Sequence[Rater], by: bool) -> Panel:
    """The panel of a kind; labels that are one number, differently written, are one label."""
    texts = _texts(read.values)
    firsts: defaultdict[str, dict[int, str | None]] = defaultdict(dict)
    for judge, place in sorted(read.again):
        firsts[judge][place] = _text(texts, read.firsts[judge, place])
    values: defaultdict[str, set[float | None]] = defaultdict(set)
    for label, told in read.values.items():
        values[texts[label]] |= told
    known = {label: told.copy().pop() if len(told) == 1 else None for label, told in values.items()}
    judged = {judge for row in read.rows for judge in row}
    return Panel(
        kind=without_surrogates(kind),
        raters=tuple(
            Rater(
                id=rater.id, kind=rater.kind, name=rater.name,
                offered=_offered(kind, rater, known),
                used=frozenset(texts[label] for label in read.used[rater.id]),
            )
            for rater in raters
            if rater.id in judged
        ),
        rows=[{judge: _text(texts, said) for judge, said in row.items()} for row in read.rows],
        firsts=firsts,
        clusters=read.clusters,
        strata=read.strata if by else (),
        values=known,
    )  # fmt: skip


def _offered(kind: str, rater: Rater, known: Mapping[str, float | None]) -> Mapping[str, float]:
    """The labels of a judge's rubric; else those of the protocol, if its units use no others."""
    if rater.offered and kind in KINDS:
        return rater.offered
    protocol = KINDS.get(kind, {})
    return protocol if known.keys() <= protocol.keys() else {}


def _texts(labels: Iterable[str]) -> dict[str, str]:
    numbers = {label: number_of(label) for label in labels}
    if None in numbers.values():
        return {label: without_surrogates(label) for label in numbers}
    return {label: f"{value:.12g}" for label, value in numbers.items()}


def _text(texts: Mapping[str, str], label: str | None) -> str | None:
    return None if label is None else texts[label]
