"""How far judges agree: a table of the comparisons of a kind, and per pair one of what each said.

Alpha and AC1 stand side by side, since either alone misleads where one label prevails; where they
are far apart a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from factmark.model import Estimate
from factmark.panels import OVERALL, Compared, PanelAgreement
from factmark.report.layouts import (
    Cell,
    Column,
    Line,
    Value,
    estimate_cell,
    extremes,
    interval_note,
    part_names,
    parts,
)
from factmark.report.text import NO_VALUE, count, number, one_line
from factmark.stats.agreement import Agreement

FAR_APART = 0.2
_PREVAILS = 2 / 3
_MOST_LABELS = 12  # up to which who said what fits a table
_COEFFICIENTS = (
    "alpha", "ac1", "cohen", "fleiss", "exact", "within_one", "ac2", "cohen_linear",
    "cohen_quadratic", "tau_b",
)  # fmt: skip
_RECORDS = (
    "kind", "comparison", "a", "b", "stratum", "scale", "n_units", "n_clusters", "n_unlabelled",
    "n_alone", *(name for key in _COEFFICIENTS for name in part_names(key)), "method",
)  # fmt: skip
_Get = Callable[[Agreement], Estimate | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeTable:
    """A table about judges, ready to be laid out; see `Tabular`."""

    title: str
    label_names: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    record_names: tuple[str, ...]
    records: tuple[tuple[Value, ...], ...]


def agree_tables(found: Iterable[PanelAgreement]) -> tuple[AgreeTable, ...]:
    """Of each kind of unit: the coefficients, then what the two sides of a pair said."""
    return tuple(table for one in found for table in (_table(one), *_confusions(one)))


def agree_records(
    found: Iterable[PanelAgreement],
) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
    """Names and values of every comparison, for machines."""
    return _RECORDS, tuple(_record(one, made) for one in found for made in one.compared)


def title_of(made: Compared) -> str:
    """Who is compared, in one line of safe text: `rules × Ann`, `people (3)`."""
    return " × ".join(one_line(name) or NO_VALUE for name in made.versus.names if name)


def reading(made: Compared) -> str:
    """What to make of alpha and AC1 where they are far apart; empty where they are not."""
    alpha, ac1 = made.agreement.alpha.value, made.agreement.ac1.value
    exact = made.agreement.exact.value
    if ac1 is None or exact is None:
        return ""
    label, share = max(made.agreement.shares.items(), key=lambda part: part[1])
    name = one_line(str(label)) or NO_VALUE
    if alpha is None:
        return (
            f"{title_of(made)}: all labels are {name}, so alpha and kappa have no value, and nothing "
            "tells whether the judges would agree on another one. Label units where it may differ."
        )
    if abs(alpha - ac1) < FAR_APART:
        return ""
    gap = f"{title_of(made)}: alpha is {number(alpha)} and AC1 {number(ac1)}"
    if share >= _PREVAILS:
        return (
            f"{gap}, since {share:.0%} of the labels are {name}: for alpha chance alone would agree "
            f"on most. They agree on {exact:.0%} of all units; see below what each said where it was "
            f"not {name}, and report both."
        )
    if made.scale.metric != "nominal":
        return f"{gap}: alpha counts how far apart two labels are, AC1 only that they differ."
    return f"{gap}: they reckon chance differently. Report both, with what each said."


def _table(found: PanelAgreement) -> AgreeTable:
    by = any(made.stratum != OVERALL for made in found.compared)
    estimates = _columns(found)
    return AgreeTable(
        title=f"Agreement on {one_line(found.kind)} units ({found.metric}: {found.why})",
        label_names=("judges", "over") if by else ("judges",),
        columns=(
            *(Column(name=name) for name in ("n", "clusters", "missing")),
            *(Column(name=name) for name, _ in estimates),
        ),
        lines=tuple(_line(made, estimates, by) for made in found.compared),
        notes=tuple(_notes(found)),
        record_names=_RECORDS,
        records=tuple(_record(found, made) for made in found.compared),
    )


def _columns(found: PanelAgreement) -> list[tuple[str, _Get]]:
    columns: list[tuple[str, _Get]] = [
        ("alpha", lambda a: a.alpha),
        ("AC1", lambda a: a.ac1),
        ("kappa", lambda a: a.cohen or a.fleiss),
        ("exact", lambda a: a.exact),
    ]
    if found.metric != "nominal":
        columns += [
            ("within 1", lambda a: a.within_one),
            ("AC2", lambda a: a.ac2),
            ("kappa²", lambda a: a.cohen_quadratic),
            ("tau-b", lambda a: a.tau_b),
        ]
    return columns


def _line(made: Compared, estimates: Sequence[tuple[str, _Get]], by: bool) -> Line:
    overall = made.stratum == OVERALL
    cells = [_cell(get(made.agreement)) for _, get in estimates]
    labels = (title_of(made), one_line(made.stratum) or NO_VALUE)
    return Line(
        labels=labels if by else labels[:1],
        cells=(
            Cell(value=str(made.n_units)),
            Cell(value=str(made.agreement.exact.n_items)),
            Cell(value=f"{made.n_unlabelled}/{made.n_alone}"),
            *cells,
        ),
        starts_group=overall,
        overall=by and overall,
    )


def _cell(estimate: Estimate | None) -> Cell:
    return Cell(value=NO_VALUE) if estimate is None else estimate_cell(estimate)


def _notes(found: PanelAgreement) -> Iterator[str]:
    whole = [made for made in found.compared if made.stratum == OVERALL]
    yield from filter(None, map(reading, whole))
    yield from _moves(whole)
    yield _legend(found, whole)
    lacking = [
        f"{title_of(made)} {extremes(made.agreement.exact, ' to ')}"
        for made in whole
        if made.n_unlabelled and extremes(made.agreement.exact)
    ]
    if lacking:
        yield f"Exact agreement, whatever the missing labels would have been: {'; '.join(lacking)}."
    yield from interval_note(
        estimate
        for made in found.compared
        for _, get in _columns(found)
        if (estimate := get(made.agreement)) is not None
    )
    yield from found.notes


def _legend(found: PanelAgreement, whole: Sequence[Compared]) -> str:
    kinds = {made.versus.what for made in whole}
    text = (
        "n: units with labels of both. Missing: asked of both without two labels/asked of one "
        "alone, in no number. Alpha: Krippendorff's. AC1: Gwet's. Kappa: Cohen's"
    )
    text += ", of people among each other Fleiss'." if "people" in kinds else "."
    if found.metric != "nominal":
        weights = "ordinal" if found.metric == "ordinal" else "quadratic"
        text += f" AC2: by {weights} weights. Kappa²: Cohen's by quadratic weights."
    if "against people" in kinds:
        text += " Against people: every label of the judge beside each person's, none among people."
    return text


def _moves(whole: Iterable[Compared]) -> Iterator[str]:
    for made in whole:
        if made.versus.what == "revisions":
            share = made.n_moved / made.n_judged if made.n_judged else 0.0
            yield (
                f"{title_of(made)}: over units that were judged more than once. A verdict that was "
                "only confirmed is not kept a second time, so these are mostly changes: "
                f"{made.n_moved} labels moved, {share:.1%} of all {made.n_judged} that it gave."
            )


def _confusions(found: PanelAgreement) -> Iterator[AgreeTable]:
    for made in found.compared:
        labels = made.scale.labels
        two = len(made.agreement.raters) == 2 and made.versus.what != "people"
        if made.stratum == OVERALL and two and len(labels) <= _MOST_LABELS:
            yield _confusion(made, [one_line(label) or NO_VALUE for label in labels])


def _confusion(made: Compared, labels: Sequence[str]) -> AgreeTable:
    rows = made.agreement.confusion
    one, other = (one_line(name) or NO_VALUE for name in made.versus.names)
    unit = "pairs of labels" if made.versus.what == "against people" else "units"
    sums = [sum(column) for column in zip(*rows, strict=True)]
    body = [(label, (*row, sum(row)), False) for label, row in zip(labels, rows, strict=True)]
    return AgreeTable(
        title=f"What each said, in {unit}: rows {one}, columns {other}",
        label_names=("label",),
        columns=tuple(Column(name=name) for name in (*labels, "all")),
        lines=tuple(
            Line(
                labels=(label,),
                cells=tuple(Cell(value=f"{cell:.0f}") for cell in row),
                starts_group=True,
                overall=overall,
            )
            for label, row, overall in [*body, ("all", (*sums, sum(sums)), True)]
        ),
        notes=(),
        record_names=("label", *labels, "all"),
        records=tuple((label, *row) for label, row, _ in body),
    )


def _record(found: PanelAgreement, made: Compared) -> tuple[Value, ...]:
    a, b = (one_line(name) for name in made.versus.names)
    estimates = [getattr(made.agreement, key) for key in _COEFFICIENTS]
    return (
        one_line(found.kind), made.versus.what, a, b, one_line(made.stratum), made.scale.metric,
        made.n_units, made.agreement.exact.n_items, made.n_unlabelled, made.n_alone,
        *(value for one in estimates for value in (parts(one) if one else (None,) * 5)),
        made.agreement.alpha.method,
    )  # fmt: skip
