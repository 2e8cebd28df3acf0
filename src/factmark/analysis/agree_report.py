"""The report of `agree`, declared: first sentence, tables, columns, figures.

Alpha and AC1 stand side by side, since either alone misleads where one label prevails; where they
are far apart a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

from factmark.analysis.options import AgreeOptions
from factmark.analysis.results import OVERALL, PanelAgreement, SideAgreement
from factmark.files.flat_files import to_json_value
from factmark.files.text_files import without_surrogates
from factmark.model import Measure, Scale
from factmark.people.tables.agreement_tables import marked_words_table
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.file_columns import FileColumn, attributes, prefixed_columns
from factmark.report.layouts import DataTable, extremes_text
from factmark.report.page import Figure, Page
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, aside, best_first, brackets, figures, lacking
from factmark.text.shell import quote_path
from factmark.text.shown_text import count, listed, named, number, one_line, some
from factmark.version import __version__

ALPHA = Measure(
    key="alpha", symbol="alpha", name="Krippendorff's alpha", scale=Scale(low=-1.0, high=1.0)
)
FAR_APART = 0.2
_PREVAILS = 2 / 3
_MOST_LABELS = 12  # up to which who gave what fits a table
_MOST_CONFUSIONS = 10
_LONGEST = 40  # characters of a label in a head
COEFFICIENTS = (
    "alpha",
    "ac1",
    "cohen",
    "fleiss",
    "exact",
    "within_one",
    "ac2",
    "cohen_linear",
    "cohen_quadratic",
    "tau_b",
    "icc",
    "icc_mean",
)
_BY_DISTANCE = {
    "within_one": "within 1",
    "ac2": "AC2",
    "cohen_quadratic": "kappa²",
    "tau_b": "tau-b",
    "icc": "ICC(2,1)",
    "icc_mean": "ICC(2,k)",
}
"""Coefficients that weigh how far apart labels are -> their heads."""
_COUNTS = ("n_units", "n_unlabelled", "n_alone", "n_again", "n_moved")
_LIMITS = (
    "Agreement is no correctness: judges who err alike agree.",
    "The interval tells how much a coefficient would vary with other units of the same kind, not "
    "with other judges.",
)


class AgreementRow(NamedTuple):
    """A comparison of two sides, with the panel that it belongs to."""

    panel: PanelAgreement
    compared: SideAgreement

    @property
    def is_overall(self) -> bool:
        """Whether it is over all units, and not over a stratum."""
        return self.compared.stratum == OVERALL


def _coefficient(name: str) -> Any:
    """Returns what gives a coefficient of a row."""
    return attrgetter(f"compared.agreement.{name}")


ROW_COLUMNS: tuple[FileColumn[AgreementRow], ...] = (
    FileColumn(name="kind", value=lambda row: one_line(row.panel.kind)),
    FileColumn(name="comparison", value=attrgetter("compared.versus.what")),
    FileColumn(name="a", value=lambda row: one_line(row.compared.versus.names[0])),
    FileColumn(name="b", value=lambda row: one_line(row.compared.versus.names[1])),
    FileColumn(name="stratum", value=lambda row: one_line(row.compared.stratum)),
    FileColumn(name="scale", value=attrgetter("compared.scale.metric")),
    *attributes("n_units", of="compared", type="BIGINT"),
    FileColumn(name="n_clusters", type="BIGINT", value=_coefficient("exact.n_items")),
    *attributes("n_unlabelled", "n_alone", of="compared", type="BIGINT"),
    *(part for key in COEFFICIENTS for part in prefixed_columns(key, _coefficient(key))),
    FileColumn(name="method", value=_coefficient("alpha.method")),
)


def agree_report(
    agreements: Sequence[PanelAgreement], options: AgreeOptions, problems: Sequence[str] = ()
) -> Result:
    """Returns how far judges agree in all its forms; its details are `agreements`."""
    rows = agreement_rows(agreements)
    whole = [row for row in rows if row.is_overall]
    return Result(
        measure=ALPHA,
        subject=without_surrogates(options.ledger.name),
        averages={
            f"alpha of {title_of(row.compared)}, {row.panel.kind}": replace(
                row.compared.agreement.alpha, scale=ALPHA.scale
            )
            for row in whole
        },
        tables=agree_tables(agreements),
        rows=rows,
        columns=ROW_COLUMNS,
        page=lambda: _page(whole, options),
        sentence=agree_sentence(agreements),
        next_step=_next_step(whole, options),
        problems=problems,
        signature={
            "factmark": __version__,
            **{name: getattr(options, name) for name in ("scale", "level", "resamples", "seed")},
        },
        figures={"kinds": [_panel_json(panel) for panel in agreements]},
        details=agreements,
    )


def agreement_rows(agreements: Sequence[PanelAgreement]) -> tuple[AgreementRow, ...]:
    """Returns every comparison: of each kind over all units, then in every stratum."""
    return tuple(
        AgreementRow(panel, compared) for panel in agreements for compared in panel.compared
    )


def _panel_json(panel: PanelAgreement) -> dict[str, Any]:
    """Returns the comparisons of a kind of units as JSON values, with what each side gave."""
    return {
        "kind": panel.kind,
        "scale": panel.scale.metric,
        "why": panel.scale.why,
        "comparisons": [_sides_json(compared) for compared in panel.compared],
        "marked_words": panel.marked_words,
        "notes": list(panel.notes),
    }


def _sides_json(compared: SideAgreement) -> dict[str, Any]:
    """Returns how far two sides agree as JSON values."""
    versus = compared.versus
    agreement = compared.agreement
    a, b = versus.names
    judges = {}
    for side, raters in (("ones", versus.ones), ("others", versus.others)):
        judges[side] = [
            {"id": rater.id, "kind": rater.kind, "name": rater.name} for rater in raters
        ]
    return {
        "comparison": versus.what,
        "a": a,
        "b": b,
        **judges,
        "stratum": compared.stratum,
        **{name: getattr(compared, name) for name in _COUNTS},
        "labels": list(compared.scale.labels),
        "values": list(compared.scale.values),
        **{name: to_json_value(getattr(agreement, name)) for name in COEFFICIENTS},
        "confusion": to_json_value(agreement.confusion),
        "shares": dict(agreement.shares),
        "reading": gap_note(compared),
    }


def _page(whole: Sequence[AgreementRow], options: AgreeOptions) -> Page:
    """Returns what the page shows beside its tables: the first coefficients."""
    return Page(
        title="Agreement of judges",
        lead=(f"Judges of {options.ledger.name}",),
        figures=[
            Figure(
                name=f"Alpha of {title_of(row.compared)}, {one_line(row.panel.kind)} units",
                value=row.compared.agreement.alpha,
                main=place == 0,
            )
            for place, row in enumerate(whole[:5])
        ],
        limits=_LIMITS,
    )


def _next_step(whole: Sequence[AgreementRow], options: AgreeOptions) -> str:
    """Returns what tells whether judges that agree are right, where no person is among them."""
    for row in whole:
        versus = row.compared.versus
        if any(rater.kind == "person" for rater in (*versus.ones, *versus.others)):
            return ""
    return (
        "Whether they are right, labels by people tell: `factmark plan --ledger "
        f"{quote_path(options.ledger)} --labels 50 --sheet FILE` draws units for them."
    )


def agree_sentence(agreements: Sequence[PanelAgreement]) -> FirstSentence:
    """Returns how often the same label is given, for each kind of unit: by judges and people where
    people labelled, else by each two judges.
    """
    parts = filter(None, map(_panel_in_words, agreements))
    sentence = "; ".join(parts) or "nothing can be compared"
    return FirstSentence(sentence=f"{sentence[:1].upper()}{sentence[1:]}.")


def _panel_in_words(panel: PanelAgreement) -> str:
    """Returns how often the raters of a panel give the same label, as part of a sentence; empty
    without any value.
    """
    whole = [compared for compared in panel.compared if compared.stratum == OVERALL]
    shown = [row for row in whole if row.versus.what in ("people", "against people")] or whole
    if all(row.agreement.exact.value is None for row in shown):
        return ""
    units = f"{panel.kind} units"
    if len(shown) == 1:
        units = f"{count(shown[0].n_units, 'unit', 'units')} of the kind {panel.kind}"
    rows = {f"from {_sides_in_words(row)}": row for row in shown}
    exact = best_first((name, row.agreement.exact) for name, row in rows.items())
    alphas = [rows[name].agreement.alpha for name, _ in exact]
    chance = ""
    if any(alpha.value is not None for alpha in alphas):
        values = some([number(alpha.value) for alpha in alphas])
        chance = f"alpha, which takes off what chance would give: {values}"
    sentence = f"of {units}, this share gets the same label: {figures(exact)}" + aside(
        brackets(*(estimate for _, estimate in exact)), chance
    )
    if len(shown) > 1:
        return sentence
    without = shown[0].n_unlabelled
    return sentence + lacking(without, shown[0].n_units + without, "units without both labels")


def _sides_in_words(compared: SideAgreement) -> str:
    """Returns who is compared, as part of a sentence: `rules and Ann`, `any two of 3 people`."""
    names = compared.versus.names
    people = len(compared.versus.others)
    if compared.versus.what == "people":
        return f"any two of {count(len(compared.versus.ones), 'person', 'people')}"
    if compared.versus.what == "against people":
        person = "a person"
        if people != 1:
            person = f"one of {people} people"
        return f"{named(names[0])} and {person}"
    return " and ".join(named(name) for name in names if name)


def title_of(compared: SideAgreement) -> str:
    """Returns who is compared, in one line of safe text: `rules × Ann`, `people (3)`."""
    return " × ".join(named(name) for name in compared.versus.names if name)


def agree_tables(agreements: Sequence[PanelAgreement]) -> dict[str, DataTable]:
    """Returns the tables by their names, the one for the first screen first.

    `agreement`: each comparison over all units. `by_distance`: the same by coefficients that weigh
    how far apart labels are. `strata`: each comparison in each stratum. `marked-words`: how far
    people agree on the words that decided their ratings. `confusion`, `confusion 2`,
    ...: what each of two gave; none of a kind with too many pairs.
    """
    rows = agreement_rows(agreements)
    whole = [row for row in rows if row.is_overall]
    graded = [row for row in whole if row.panel.scale.metric != "nominal"]
    strata = [row for row in rows if not row.is_overall]
    about = _kinds_in_words(agreements)
    notes = tuple(note for panel in agreements for note in _agreement_notes(panel))
    tables = {"agreement": _table(f"Agreement on {about}", whole, notes=notes)}
    if graded:
        title = f"The same on {about}, by how far apart the labels are"
        tables["by_distance"] = _table(title, graded, by_distance=True, notes=(_DISTANCE_LEGEND,))
    if strata:
        tables["strata"] = _table(f"The same on {about}, by stratum", strata)
    marked = {panel.kind: panel.marked_words for panel in agreements if panel.marked_words}
    if marked:
        tables["marked-words"] = marked_words_table(marked)
    pairs = [pair for panel in agreements for pair in _pairs_shown(panel)]
    for place, compared in enumerate(pairs, 1):
        name = "confusion"
        if place != 1:
            name = f"confusion {place}"
        tables[name] = _confusion_table(compared)
    return tables


def _kinds_in_words(agreements: Sequence[PanelAgreement]) -> str:
    """Returns the kinds of units, each with its scale and why it has that."""
    return listed([f"{p.kind} units ({p.scale.metric}: {p.scale.why})" for p in agreements])


def _table(
    title: str,
    rows: Sequence[AgreementRow],
    *,
    by_distance: bool = False,
    notes: Sequence[str] = (),
) -> DataTable:
    """Returns a table with a line for each of these comparisons."""
    columns = [*_label_columns(rows), *_count_columns(rows, by_distance)]
    if by_distance:
        columns += [_coefficient_column(key, head) for key, head in _BY_DISTANCE.items()]
    else:
        columns += [_coefficient_column("alpha", "alpha"), _coefficient_column("ac1", "AC1")]
        columns += [_coefficient_column("kappa", "kappa"), _coefficient_column("exact", "exact")]
    return table_of(title, columns, rows, group=_grouping(rows), notes=notes)


def _grouping(rows: Sequence[AgreementRow]) -> Callable[[AgreementRow], object] | None:
    """Returns what neighbours share of which the first label is shown once: the kind of units where
    there are several, else who is compared in several strata; None where each stands alone."""
    if len({row.panel.kind for row in rows}) > 1:
        return attrgetter("panel.kind")
    if all(row.is_overall for row in rows):
        return None
    return lambda row: title_of(row.compared)


def _label_columns(rows: Sequence[AgreementRow]) -> Iterator[Column[AgreementRow]]:
    """Yields what names a comparison: its kind where there are several, who, and its stratum."""
    yield Column(
        name="units of",
        key="kind",
        value=lambda row: row.panel.kind,
        label=True,
        shown=len({row.panel.kind for row in rows}) > 1,
    )
    yield Column(name="judges", value=lambda row: title_of(row.compared), label=True)
    yield Column(key="a", value=lambda row: row.compared.versus.names[0])
    yield Column(key="b", value=lambda row: row.compared.versus.names[1])
    yield Column(
        name="over",
        key="stratum",
        value=lambda row: row.compared.stratum,
        label=True,
        shown=any(not row.is_overall for row in rows),
    )


def _count_columns(
    rows: Sequence[AgreementRow], by_distance: bool
) -> Iterator[Column[AgreementRow]]:
    """Yields how many units there are, and how many are in no number where there are any."""
    left_out = not by_distance and any(_has_units_left_out(row.panel) for row in rows)
    yield _count_column("n_units", "units")
    yield _count_column("n_unlabelled", "no label", shown=left_out)
    yield _count_column("n_alone", "alone", shown=left_out)


def _count_column(key: str, head: str, *, shown: bool = True) -> Column[AgreementRow]:
    """Returns the column of a count of a comparison."""
    return attribute_column(f"compared.{key}", head, shown=shown)


def _coefficient_column(key: str, head: str) -> Column[AgreementRow]:
    """Returns the column of a coefficient."""
    return attribute_column(f"compared.agreement.{key}", head, estimate=True)


def gap_note(compared: SideAgreement) -> str:
    """Returns what to make of alpha and AC1 where they are far apart; empty where they are not."""
    agreement = compared.agreement
    alpha = agreement.alpha.value
    ac1 = agreement.ac1.value
    exact = agreement.exact.value
    if ac1 is None or exact is None or compared.versus.what == "revised":
        return ""
    title = title_of(compared)
    prevailing, share = max(agreement.shares.items(), key=lambda part: part[1])
    label = _short_label(str(prevailing))
    if alpha is None:
        return (
            f"{title}: all labels are {label}, so alpha and kappa have no value, and nothing tells "
            "whether the judges would agree on another label."
        )
    if abs(alpha - ac1) < FAR_APART:
        return ""
    gap = f"{title}: alpha is {number(alpha)} and AC1 {number(ac1)}"
    if share >= _PREVAILS and alpha < ac1:
        return (
            f"{gap}, since {share:.0%} of the labels are {label}: for alpha, chance alone would "
            f"agree on most. They agree on {exact:.0%} of the pairs of labels; report both."
        )
    if compared.scale.metric != "nominal":
        ac2 = ""
        if agreement.ac2:
            ac2 = f" Read AC2, {number(agreement.ac2.value)}, beside alpha."
        return f"{gap}: alpha counts how far apart two labels are, AC1 only that they differ.{ac2}"
    return f"{gap}: they reckon chance differently. Report both, with what each gave."


def _agreement_notes(panel: PanelAgreement) -> Iterator[str]:
    """Yields what a reader must know of a panel: what bears on the coefficients, and what is
    missing.
    """
    whole = [compared for compared in panel.compared if compared.stratum == OVERALL]
    yield from filter(None, map(gap_note, whole))
    for compared in whole:
        if compared.versus.what == "revisions":
            yield _revision_note(compared)
    yield _legend(panel, {compared.versus.what for compared in whole})
    ranges = [
        f"{title_of(compared)} {extremes_text(compared.agreement.exact, ' to ')}"
        for compared in whole
        if compared.n_unlabelled and extremes_text(compared.agreement.exact)
    ]
    if ranges:
        yield f"Exact agreement, whatever the missing labels would have been: {'; '.join(ranges)}."
    if panel.kind == "fact" and any(compared.n_alone for compared in whole):
        yield (
            "Facts are what each judge marked itself: those that one alone marked are "
            "disagreements too, and no number here counts them."
        )
    if len(_pairs_with_few_labels(panel)) > _MOST_CONFUSIONS:
        yield "What each of two gave is in the JSON; name the two with --judge to see it here."
    yield from panel.notes


def _revision_note(compared: SideAgreement) -> str:
    """Returns how many units somebody judged again, and how many labels moved."""
    moved = count(compared.n_moved, "label", "labels")
    share = 0.0
    if compared.n_units:
        share = compared.n_moved / compared.n_units
    return (
        f"{title_of(compared)}: {compared.n_again} of "
        f"{compared.n_units + compared.n_unlabelled} units were judged again and {moved} "
        f"moved ({share:.1%}). A verdict that was only confirmed is not kept a second time."
    )


def _has_units_left_out(panel: PanelAgreement) -> bool:
    """Returns whether any comparison has units that are in no number."""
    return any(compared.n_unlabelled or compared.n_alone for compared in panel.compared)


_DISTANCE_LEGEND = (
    "AC2: by ordinal weights on an ordinal scale, by quadratic ones on an interval scale. Kappa²: "
    "Cohen's by quadratic weights. ICC: intraclass correlation (two-way random, absolute "
    "agreement), of one rating and of the mean of k."
)


def _legend(panel: PanelAgreement, whats: set[str]) -> str:
    """Returns what the columns of the table mean."""
    parts = ["Units: with labels of both."]
    if _has_units_left_out(panel):
        parts.append(
            "No label: units asked of both and without two labels; alone: asked of one; in no "
            "number."
        )
    among = ""
    if "people" in whats:
        among = ", of people among each other Fleiss'"
    parts.append(f"Alpha: Krippendorff's. AC1: Gwet's. Kappa: Cohen's{among}.")
    if "against people" in whats:
        parts.append(
            "Against people: every label of the judge beside each person's, none among people."
        )
    return " ".join(parts)


def _pairs_with_few_labels(panel: PanelAgreement) -> list[SideAgreement]:
    """Returns the comparisons of two whose labels fit a table."""
    return [
        compared
        for compared in panel.compared
        if compared.stratum == OVERALL
        and compared.versus.what not in ("people", "revised")
        and len(compared.agreement.raters) == 2
        and len(compared.scale.labels) <= _MOST_LABELS
    ]


def _pairs_shown(panel: PanelAgreement) -> list[SideAgreement]:
    """Returns the pairs of which a table shows what each gave; none where there are too many."""
    pairs = _pairs_with_few_labels(panel)
    if len(pairs) <= _MOST_CONFUSIONS:
        return pairs
    return []


def _confusion_table(compared: SideAgreement) -> DataTable:
    """Returns what each of two gave: a row per label of the first, and their sums."""
    a, b = map(named, compared.versus.names)
    labels = [_short_label(label) for label in compared.scale.labels]
    rows = [*zip(labels, compared.agreement.confusion, strict=True)]
    sums = ("all", tuple(map(sum, zip(*compared.agreement.confusion, strict=True))))

    def cell(place: int) -> Column[tuple[str, tuple[float, ...]]]:
        name = labels[place]
        return Column(name=name, key=name, value=lambda row: row[1][place], show="{:.0f}".format)

    unit = "units"
    if compared.versus.what == "against people":
        unit = "pairs of labels"
    return table_of(
        f"What each gave, in {unit}: rows {a}, columns {b}",
        [
            Column(name="rows", value=lambda row: "" if row is sums else a, label=True, show=str),
            Column(name="label", key="label", value=lambda row: row[0], label=True),
            *map(cell, range(len(labels))),
            Column(name="all", key="all", value=lambda row: sum(row[1]), show="{:.0f}".format),
        ],
        [*rows, sums],
        group=lambda row: row is sums,
        overall=lambda row: row is sums,
        records=rows,
    )


def _short_label(label: str) -> str:
    """Returns a label in one line, cut to what fits a head."""
    text = named(label)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 1]}…"
