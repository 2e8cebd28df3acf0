"""How far judges agree, as tables and JSON: the comparisons of a kind, and what each of two said.

Alpha and AC1 stand side by side, since either alone misleads where one label prevails; where they
are far apart a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from factmark import __version__
from factmark.analysis.agree import OVERALL, Compared, PanelAgreement
from factmark.files.flat_files import to_json_value
from factmark.files.text_files import without_surrogates
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable, extremes_text
from factmark.tables.opening import Opening, aside, best_first, brackets, figures, lacking, some
from factmark.tables.shown_text import count, named, number

if TYPE_CHECKING:
    from factmark.analysis.commands import AgreeOptions

FAR_APART = 0.2
_PREVAILS = 2 / 3
_MOST_LABELS = 12  # up to which who said what fits a table
_MOST_CONFUSIONS = 10
_LACKING = (
    "No label: units asked of both and without two labels; alone: asked of one; in no number. "
)
_LONGEST = 40  # characters of a label in a head
_COEFFICIENTS = (
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
_COUNTS = ("n_units", "n_unlabelled", "n_alone", "n_again", "n_moved")


def agree_tables(agreements: Iterable[PanelAgreement]) -> tuple[DataTable, ...]:
    """Of each kind of unit: the coefficients, those that weigh how far apart labels are, and what
    the two sides of a pair said. Broken down by strata, each comparison is a table of its own.
    """
    return tuple(
        table
        for agreement in agreements
        for table in (*_coefficients(agreement), *_confusions(agreement))
    )


def agree_opening(agreements: Iterable[PanelAgreement]) -> Opening:
    """How often the same label is given, of each kind of unit: by judges and people where people
    labelled, else by each two judges."""
    sentence = "; ".join(filter(None, map(_in_words, agreements))) or "nothing can be compared"
    return Opening(sentence=f"{sentence[:1].upper()}{sentence[1:]}.")


def _in_words(panel: PanelAgreement) -> str:
    whole = [compared for compared in panel.compared if compared.stratum == OVERALL]
    shown = [row for row in whole if row.versus.what in ("people", "against people")] or whole
    if all(row.agreement.exact.value is None for row in shown):
        return ""
    units = f"{panel.kind} units"
    if len(shown) == 1:
        units = f"{count(shown[0].n_units, 'unit', 'units')} of the kind {panel.kind}"
    rows = {f"by {title_of(row)}": row for row in shown}
    exact = best_first((name, row.agreement.exact) for name, row in rows.items())
    alphas = [rows[name].agreement.alpha for name, _ in exact]
    known = any(alpha.value is not None for alpha in alphas)
    chance = some([number(alpha.value) for alpha in alphas])
    sentence = f"of {units}, the same label is given to {figures(exact)}" + aside(
        brackets(*(estimate for _, estimate in exact)),
        f"alpha, which takes off what chance would give: {chance}" * known,
    )
    if len(shown) > 1:
        return sentence
    without = shown[0].n_unlabelled
    return sentence + lacking(without, shown[0].n_units + without, "units without both labels")


def agree_records(agreements: Iterable[PanelAgreement]) -> list[dict[str, Any]]:
    """Every comparison for machines."""
    return [
        row for panel in agreements for row in table_of("", _columns(panel), panel.compared).rows()
    ]


def agree_json(
    options: AgreeOptions, agreements: Iterable[PanelAgreement], problems: Sequence[str]
) -> dict[str, Any]:
    """All of it as JSON values: each coefficient with its signature, each table of labels."""
    return {
        "ledger": without_surrogates(options.ledger.name),
        "kinds": [
            {
                "kind": panel.kind,
                "scale": panel.scale.metric,
                "why": panel.scale.why,
                "comparisons": [_compared_json(compared) for compared in panel.compared],
                "notes": list(panel.notes),
            }
            for panel in agreements
        ],
        "problems": list(problems),
        "signature": {
            "factmark": __version__,
            "scale": options.scale,
            "level": options.level,
            "resamples": options.resamples,
            "seed": options.seed,
        },
    }


def title_of(compared: Compared) -> str:
    """Who is compared, in one line of safe text: `rules × Ann`, `people (3)`."""
    return " × ".join(named(name) for name in compared.versus.names if name)


def reading(compared: Compared) -> str:
    """What to make of alpha and AC1 where they are far apart; empty where they are not."""
    agreement = compared.agreement
    alpha, ac1, exact = agreement.alpha.value, agreement.ac1.value, agreement.exact.value
    if ac1 is None or exact is None or compared.versus.what == "revised":
        return ""
    title = title_of(compared)
    prevailing, share = max(agreement.shares.items(), key=lambda part: part[1])
    label = _short(str(prevailing))
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
        ac2 = f" Read AC2, {number(agreement.ac2.value)}, beside alpha." if agreement.ac2 else ""
        return f"{gap}: alpha counts how far apart two labels are, AC1 only that they differ.{ac2}"
    return f"{gap}: they reckon chance differently. Report both, with what each said."


def _compared_json(compared: Compared) -> dict[str, Any]:
    versus, agreement = compared.versus, compared.agreement
    return {
        "comparison": versus.what,
        **dict(zip("ab", versus.names, strict=True)),
        **{
            side: [{"id": rater.id, "kind": rater.kind, "name": rater.name} for rater in raters]
            for side, raters in (("ones", versus.ones), ("others", versus.others))
        },
        "stratum": compared.stratum,
        **{name: getattr(compared, name) for name in _COUNTS},
        "labels": list(compared.scale.labels),
        "values": list(compared.scale.values),
        **{name: to_json_value(getattr(agreement, name)) for name in _COEFFICIENTS},
        "confusion": to_json_value(agreement.confusion),
        "shares": dict(agreement.shares),
        "reading": reading(compared),
    }


def _columns(panel: PanelAgreement, *, graded: bool = False) -> list[Column[Compared]]:
    """The columns of a panel's comparisons; people see the coefficients that weigh how far apart
    labels are, or the others."""
    by = any(compared.stratum != OVERALL for compared in panel.compared)
    lacks = _lacks(panel) and not graded
    shown = (
        {
            "within_one": "within 1",
            "ac2": "AC2",
            "cohen_quadratic": "kappa²",
            "tau_b": "tau-b",
            "icc": "ICC(2,1)",
            "icc_mean": "ICC(2,k)",
        }
        if graded
        else {"alpha": "alpha", "ac1": "AC1", "exact": "exact"}
    )

    def coefficient(key: str) -> list[Column[Compared]]:
        kappa = Column[Compared](
            name="kappa", value=lambda row: row.agreement.cohen or row.agreement.fleiss
        )
        column = Column[Compared](
            name=shown.get(key, ""),
            key=key,
            value=lambda row: getattr(row.agreement, key),
            estimate=True,
        )
        return [column, kappa] if key == "cohen" and not graded else [column]

    return [
        Column(key="kind", value=lambda row: panel.kind),
        Column(key="comparison", value=lambda row: row.versus.what),
        Column(key="a", value=lambda row: row.versus.names[0]),
        Column(key="b", value=lambda row: row.versus.names[1]),
        Column(name="" if by else "judges", value=title_of, label=True),
        Column(name="over" if by else "", key="stratum", value=lambda row: row.stratum, label=True),
        Column(key="scale", value=lambda row: row.scale.metric),
        Column(key="n_units", value=lambda row: row.n_units),
        Column(key="n_clusters", value=lambda row: row.agreement.exact.n_items),
        Column(name="units", value=lambda row: row.n_units),
        Column(
            name="no label" if lacks else "",
            key="n_unlabelled",
            value=lambda row: row.n_unlabelled,
        ),
        Column(name="alone" if lacks else "", key="n_alone", value=lambda row: row.n_alone),
        *(column for key in _COEFFICIENTS for column in coefficient(key)),
        Column(key="method", value=lambda row: row.agreement.alpha.method),
    ]


def _coefficients(panel: PanelAgreement) -> Iterator[DataTable]:
    kind = f"{panel.kind} units"
    parts = [panel.compared]
    by = any(compared.stratum != OVERALL for compared in panel.compared)
    if by:
        sides = [row.versus for row in panel.compared if row.stratum == OVERALL]
        parts = [tuple(row for row in panel.compared if row.versus == versus) for versus in sides]
    for part in parts:
        about = f"{kind}, {title_of(part[0])}" if by else kind
        titles = [f"Agreement on {about} ({panel.scale.metric}: {panel.scale.why})"]
        if panel.scale.metric != "nominal":
            titles.append(f"The same on {about}, by how far apart the labels are")
        for title in titles:
            yield table_of(
                title,
                _columns(panel, graded=title is not titles[0]),
                part,
                overall=lambda row: by and row.stratum == OVERALL,
                notes=tuple(_notes(panel)) if part is parts[-1] and title is titles[-1] else (),
            )


def _notes(panel: PanelAgreement) -> Iterator[str]:
    whole = [compared for compared in panel.compared if compared.stratum == OVERALL]
    yield from filter(None, map(reading, whole))
    for compared in whole:
        if compared.versus.what == "revisions":
            moved = count(compared.n_moved, "label", "labels")
            share = compared.n_moved / compared.n_units if compared.n_units else 0.0
            yield (
                f"{title_of(compared)}: {compared.n_again} of "
                f"{compared.n_units + compared.n_unlabelled} units were judged again and {moved} "
                f"moved ({share:.1%}). A verdict that was only confirmed is not kept a second time."
            )
    yield _legend(panel, {compared.versus.what for compared in whole})
    lacking = [
        f"{title_of(compared)} {extremes_text(compared.agreement.exact, ' to ')}"
        for compared in whole
        if compared.n_unlabelled and extremes_text(compared.agreement.exact)
    ]
    if lacking:
        yield f"Exact agreement, whatever the missing labels would have been: {'; '.join(lacking)}."
    if panel.kind == "fact" and any(compared.n_alone for compared in whole):
        yield (
            "Facts are what each judge marked itself: those that one alone marked are "
            "disagreements too, and no number here counts them."
        )
    if len(_confusable(panel)) > _MOST_CONFUSIONS:
        yield "What each of two said is in the JSON; name the two with --judge to see it here."
    yield from panel.notes


def _lacks(panel: PanelAgreement) -> bool:
    """Whether any comparison has units that are in no number."""
    return any(compared.n_unlabelled or compared.n_alone for compared in panel.compared)


def _legend(panel: PanelAgreement, whats: set[str]) -> str:
    among = ", of people among each other Fleiss'" if "people" in whats else ""
    text = (
        "Units: with labels of both. "
        f"{_LACKING * _lacks(panel)}Alpha: Krippendorff's. AC1: Gwet's. Kappa: Cohen's{among}."
    )
    if panel.scale.metric != "nominal":
        weights = "ordinal" if panel.scale.metric == "ordinal" else "quadratic"
        text += (
            f" AC2: by {weights} weights. Kappa²: Cohen's by quadratic weights. ICC: intraclass "
            "correlation (two-way random, absolute agreement), of one rating and of the mean of k."
        )
    if "against people" in whats:
        text += " Against people: every label of the judge beside each person's, none among people."
    return text


def _confusable(panel: PanelAgreement) -> list[Compared]:
    """The comparisons of two whose labels fit a table."""
    return [
        compared
        for compared in panel.compared
        if compared.stratum == OVERALL
        and compared.versus.what not in ("people", "revised")
        and len(compared.agreement.raters) == 2
        and len(compared.scale.labels) <= _MOST_LABELS
    ]


def _confusions(panel: PanelAgreement) -> Iterator[DataTable]:
    shown = _confusable(panel)
    return map(_confusion, shown if len(shown) <= _MOST_CONFUSIONS else ())


def _confusion(compared: Compared) -> DataTable:
    """What each of two said: a row per label of the first, and their sums."""
    a, b = map(named, compared.versus.names)
    labels = [_short(label) for label in compared.scale.labels]
    rows = [*zip(labels, compared.agreement.confusion, strict=True)]
    sums = ("all", tuple(map(sum, zip(*compared.agreement.confusion, strict=True))))

    def cell(place: int) -> Column[tuple[str, tuple[float, ...]]]:
        name = labels[place]
        return Column(name=name, key=name, value=lambda row: row[1][place], show="{:.0f}".format)

    unit = "pairs of labels" if compared.versus.what == "against people" else "units"
    return table_of(
        f"What each said, in {unit}: rows {a}, columns {b}",
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


def _short(label: str) -> str:
    text = named(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
