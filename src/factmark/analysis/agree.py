"""How far the judges of a ledger agree: from the file to the numbers, and as JSON and tables."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.analysis.agree_tables import agree_records, agree_tables, reading
from factmark.analysis.compare import write_forms
from factmark.analysis.panels import (
    Compared,
    How,
    Panel,
    PanelAgreement,
    Rater,
    compare_panel,
    number_of,
)
from factmark.errors import InputError
from factmark.files.json_values import plain
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.rubrics import (
    SUPPORT_ALIGNED,
    SUPPORT_CONTEXT,
    SUPPORT_GENERAL,
    VALIDITY_ONTOLOGY,
    VALIDITY_PLAIN,
)
from factmark.ledger.judges import JudgeCounts, judges_kept, judges_of, listed, resolve
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import SaidVerdict, said_verdicts, strata_names
from factmark.people.core.forms import COARSE_SUMMARY, FINE_SUMMARY, KINDS
from factmark.stats.agreement import Agreement

_COEFFICIENTS = (
    "alpha", "ac1", "ac2", "exact", "within_one", "fleiss", "cohen", "cohen_linear",
    "cohen_quadratic", "tau_b",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAgreement:
    """How far the judges of a ledger agree, and how that was computed."""

    ledger: str
    panels: tuple[PanelAgreement, ...]
    problems: tuple[str, ...]
    how: How


def agreement_of(
    path: Path,
    how: How,
    *,
    judges: Sequence[str] = (),
    revised: Sequence[str] = (),
    kind: str = "",
    by: str = "",
) -> LedgerAgreement:
    """Compares judges of a ledger; see `read_panels` and `compare_panel`.

    Raises:
        InputError: where no two of them have judged a unit, or one of the arguments does not fit.
    """
    read = read_panels(path, judges=judges, revised=revised, kind=kind, by=by)
    made, problems = [], list(read.problems)
    for panel in read.panels:
        found = compare_panel(panel, how, named=read.named, revised=read.revised)
        if found is not None:
            made.append(found)
    if not made:
        what = (
            "No judge that --first-final names judged a unit more than once"
            if revised
            else "No two judges to compare have judged the same units"
        )
        raise InputError(f"{path}: {what}. It has {judge_list(path)}.")
    compared = {one.kind for one in made}
    if left := [panel.kind for panel in read.panels if panel.kind not in compared]:
        problems.append(f"Nothing to compare on units of the kinds {', '.join(left)}.")
    return LedgerAgreement(
        ledger=without_surrogates(path.name),
        panels=tuple(made),
        problems=tuple(problems),
        how=how,
    )


def agree_json(found: LedgerAgreement) -> dict[str, Any]:
    """All of it as JSON values: each coefficient with its signature, each table of labels."""
    return {
        "ledger": found.ledger,
        "kinds": [
            {
                "kind": panel.kind,
                "scale": panel.metric,
                "why": panel.why,
                "comparisons": [_compared(one) for one in panel.compared],
                "notes": list(panel.notes),
            }
            for panel in found.panels
        ],
        "problems": list(found.problems),
        "signature": {"factmark": __version__, **plain(found.how)},
    }


def write_agreement(found: LedgerAgreement, folder: Path) -> list[Path]:
    """Writes agree.json, .csv (every comparison), .md and .tex (the tables)."""
    names, records = agree_records(found.panels)
    return write_forms(
        folder / "agree", agree_json(found), agree_tables(found.panels), names, records
    )


def _compared(one: Compared) -> dict[str, Any]:
    a, b = one.versus.names
    return {
        "comparison": one.versus.what,
        "a": a,
        "b": b,
        "ones": [_rater(rater) for rater in one.versus.ones],
        "others": [_rater(rater) for rater in one.versus.others],
        "stratum": one.stratum,
        "n_units": one.n_units,
        "n_unlabelled": one.n_unlabelled,
        "n_alone": one.n_alone,
        "n_again": one.n_again,
        "n_moved": one.n_moved,
        "labels": list(one.scale.labels),
        "values": list(one.scale.values),
        **{key: _estimate(one.agreement, key) for key in _COEFFICIENTS},
        "confusion": [list(row) for row in one.agreement.confusion],
        "shares": dict(one.agreement.shares),
        "reading": reading(one),
    }


def _rater(rater: Rater) -> dict[str, str]:
    return {"id": rater.id, "kind": rater.kind, "name": rater.name}


def _estimate(agreement: Agreement, key: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = plain(getattr(agreement, key))
    return found


_RUBRICS: Mapping[str, Mapping[str, float]] = {
    rubric.name: rubric.values
    for rubric in (
        SUPPORT_ALIGNED, SUPPORT_CONTEXT, SUPPORT_GENERAL, VALIDITY_ONTOLOGY, VALIDITY_PLAIN,
        COARSE_SUMMARY, FINE_SUMMARY,
    )
}  # fmt: skip


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

    def add(self, verdict: SaidVerdict) -> None:
        """Adds a verdict, later than all before it."""
        judge, label, value = verdict.judge, verdict.label, verdict.value
        place = self.places.get(verdict.unit)
        if place is None:
            place = self.places[verdict.unit] = len(self.rows)
            self.rows.append({})
            self.clusters.append(verdict.cluster)
            self.strata.append(without_surrogates(verdict.stratum))
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
    rubrics = {judge.id: judge.parameters.get("rubric_name") for judge in judges_kept(ledger)}
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
    if '"' in by or "\\" in by:
        raise InputError(f"--by {by}: no stratum has such a name.")
    kinds: defaultdict[str, _Kind] = defaultdict(_Kind)
    for verdict in said_verdicts(ledger, by):
        if verdict.label is None and verdict.kind == "fact":  # judged by whoever marks it
            kinds[verdict.kind].drop(verdict.unit, verdict.judge)
        else:
            kinds[verdict.kind].add(verdict)
    return dict(kinds)


def _check_strata(path: Path, by: str, kinds: Mapping[str, _Kind]) -> None:
    if by and kinds and not any(any(read.strata) for read in kinds.values()):
        with open_existing(path, read_only=True) as ledger:
            names = strata_names(ledger)
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
