"""How far judges agree: a table of the comparisons of a kind, and per pair one of what each said.

Alpha and AC1 stand side by side, since either alone misleads where one label prevails; where they
are far apart a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from factmark.analysis.panels import OVERALL, Compared, PanelAgreement, Versus
from factmark.model import Estimate
from factmark.stats.agreement import Agreement
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    Value,
    estimate_cell,
    extremes,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, count, number, one_line

FAR_APART = 0.2
_PREVAILS = 2 / 3
_MOST_LABELS = 12  # up to which who said what fits a table
_MOST_CONFUSIONS = 10
_FOUND_BY_JUDGES = ("fact",)
_LONGEST = 40  # characters of a label in a head
_COEFFICIENTS = (
    "alpha", "ac1", "cohen", "fleiss", "exact", "within_one", "ac2", "cohen_linear",
    "cohen_quadratic", "tau_b",
)  # fmt: skip
_RECORDS = (
    "kind", "comparison", "a", "b", "stratum", "scale", "n_units", "n_clusters", "n_unlabelled",
    "n_alone", *(name for key in _COEFFICIENTS for name in part_names(key)), "method",
)  # fmt: skip
_Get = Callable[[Agreement], Estimate | None]
_NOMINAL: Mapping[str, _Get] = {
    "alpha": lambda a: a.alpha,
    "AC1": lambda a: a.ac1,
    "kappa": lambda a: a.cohen or a.fleiss,
    "exact": lambda a: a.exact,
}
_GRADED: Mapping[str, _Get] = {
    "within 1": lambda a: a.within_one,
    "AC2": lambda a: a.ac2,
    "kappa²": lambda a: a.cohen_quadratic,
    "tau-b": lambda a: a.tau_b,
}


def agree_tables(found: Iterable[PanelAgreement]) -> tuple[DataTable, ...]:
    """Of each kind of unit: the coefficients, those that weigh how far apart labels are, and what
    the two sides of a pair said. Broken down by strata, each comparison is a table of its own.
    """
    return tuple(table for one in found for table in (*_coefficients(one), *_confusions(one)))


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
    if ac1 is None or exact is None or made.versus.what == "revised":
        return ""
    label, share = max(made.agreement.shares.items(), key=lambda part: part[1])
    name = _short(str(label))
    if alpha is None:
        return (
            f"{title_of(made)}: all labels are {name}, so alpha and kappa have no value, and "
            "nothing tells whether the judges would agree on another label. Choose units where it "
            "may differ."
        )
    if abs(alpha - ac1) < FAR_APART:
        return ""
    gap = f"{title_of(made)}: alpha is {number(alpha)} and AC1 {number(ac1)}"
    if share >= _PREVAILS and alpha < ac1:
        return (
            f"{gap}, since {share:.0%} of the labels are {name}: for alpha, chance alone would "
            f"agree on most. They agree on {exact:.0%} of the pairs of labels; see what each "
            f"said where one did not say {name}, and report both."
        )
    if made.scale.metric != "nominal":
        ac2 = made.agreement.ac2
        beside = f" Read AC2, {number(ac2.value)}, beside alpha." if ac2 else ""
        return (
            f"{gap}: alpha counts how far apart two labels are, AC1 only that they differ.{beside}"
        )
    return f"{gap}: they reckon chance differently. Report both, with what each said."


def _coefficients(found: PanelAgreement) -> Iterator[DataTable]:
    kind = f"{one_line(found.kind)} units"
    by = any(made.stratum != OVERALL for made in found.compared)
    groups = [[one for one in found.compared if one.versus == versus] for versus in _all(found)]
    parts_of = groups if by else [list(found.compared)]
    graded = found.metric != "nominal"
    for at, part in enumerate(parts_of, 1):
        about = f"{kind}, {title_of(part[0])}" if by else kind
        last = tuple(_notes(found)) if at == len(parts_of) else ()
        titles = [f"Agreement on {about} ({found.metric}: {found.why})"]
        sets = [(_NOMINAL, () if graded else last)]
        if graded:
            titles.append(f"The same on {about}, by how far apart the labels are")
            sets.append((_GRADED, last))
        for title, (columns, notes) in zip(titles, sets, strict=True):
            yield _table(found, part, title, columns, notes, by=by)


def _all(found: PanelAgreement) -> list[Versus]:
    return [made.versus for made in found.compared if made.stratum == OVERALL]


def _table(
    found: PanelAgreement,
    part: Sequence[Compared],
    title: str,
    columns: Mapping[str, _Get],
    notes: tuple[str, ...],
    *,
    by: bool,
) -> DataTable:
    lacks = any(made.n_unlabelled or made.n_alone for made in part)
    counts = ("n", "missing") if lacks else ("n",)
    return DataTable(
        title=title,
        label_names=("over" if by else "judges",),
        columns=tuple(Head(name=name) for name in (*counts, *columns)),
        lines=tuple(
            Line(
                labels=((one_line(made.stratum) or NO_VALUE) if by else title_of(made),),
                cells=(*_counts(made)[: len(counts)], *_cells(made, columns.values())),
                starts_group=True,
                overall=by and made.stratum == OVERALL,
            )
            for made in part
        ),
        notes=notes,
        record_names=_RECORDS,
        records=tuple(_record(found, made) for made in part),
    )


def _counts(made: Compared) -> tuple[Cell, ...]:
    return (
        Cell(value=str(made.n_units), interval=f"({made.agreement.exact.n_items})"),
        Cell(value=f"{made.n_unlabelled}/{made.n_alone}"),
    )


def _cells(made: Compared, columns: Iterable[_Get]) -> Iterator[Cell]:
    for get in columns:
        yield _cell(get(made.agreement))


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
        for get in (*_NOMINAL.values(), *_GRADED.values())
        if (estimate := get(made.agreement)) is not None
    )
    if found.kind in _FOUND_BY_JUDGES and any(made.n_alone for made in whole):
        yield (
            f"Units of the kind {found.kind} are what each judge marked itself: those that one "
            "alone marked are disagreements too, and no number here counts them."
        )
    if len(whole) > _MOST_CONFUSIONS:
        yield "What each of two said is in the JSON; name the two with --judge to see it here."
    yield from found.notes


def _legend(found: PanelAgreement, whole: Sequence[Compared]) -> str:
    kinds = {made.versus.what for made in whole}
    text = (
        "n: units with labels of both (clusters). Missing: asked of both and without two labels/"
        "asked of one alone; in no number. Alpha: Krippendorff's. AC1: Gwet's. Kappa: Cohen's"
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
            share = made.n_moved / made.n_units if made.n_units else 0.0
            judged = made.n_units + made.n_unlabelled
            moved = count(made.n_moved, "label", "labels")
            yield (
                f"{title_of(made)}: {made.n_again} of {judged} units were judged again and {moved} "
                f"moved ({share:.1%}). A verdict that was only confirmed is not kept a second "
                "time, so what was judged again mostly changed."
            )


def _confusions(found: PanelAgreement) -> Iterator[DataTable]:
    shown = [
        made
        for made in found.compared
        if made.stratum == OVERALL
        and made.versus.what not in ("people", "revised")
        and len(made.agreement.raters) == 2
        and len(made.scale.labels) <= _MOST_LABELS
    ]
    for made in shown if len(shown) <= _MOST_CONFUSIONS else ():
        yield _confusion(made, [_short(label) for label in made.scale.labels])


def _short(label: str) -> str:
    text = one_line(label) or NO_VALUE
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _confusion(made: Compared, labels: Sequence[str]) -> DataTable:
    rows = made.agreement.confusion
    one, other = (one_line(name) or NO_VALUE for name in made.versus.names)
    unit = "pairs of labels" if made.versus.what == "against people" else "units"
    sums = [sum(column) for column in zip(*rows, strict=True)]
    body = [(label, (*row, sum(row))) for label, row in zip(labels, rows, strict=True)]
    return DataTable(
        title=f"What each said, in {unit}: rows {one}, columns {other}",
        label_names=("rows", "label"),
        columns=tuple(Head(name=name) for name in (*labels, "all")),
        lines=tuple(
            Line(
                labels=(one if at < len(body) else "", label),
                cells=tuple(Cell(value=f"{cell:.0f}") for cell in row),
                starts_group=at in (0, len(body)),
                overall=at == len(body),
            )
            for at, (label, row) in enumerate([*body, ("all", (*sums, sum(sums)))])
        ),
        notes=(),
        record_names=("label", *labels, "all"),
        records=tuple((label, *row) for label, row in body),
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
