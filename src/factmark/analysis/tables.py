"""The tables of `agree` and `plan`; those of `compare` are `tables.comparisons`.

Alpha and AC1 stand side by side, since either alone misleads where one label prevails; where they
are far apart a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from factmark.analysis.options import PlanOptions
from factmark.analysis.results import OVERALL, LabelPlan, PanelAgreement, SideAgreement, Standing
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable, estimate_cell, extremes_text
from factmark.report.sentence import FirstSentence, aside, best_first, brackets, figures, lacking
from factmark.stats.planning import Need
from factmark.stats.sequential import LabellingProgress
from factmark.text.shown_text import NO_VALUE, count, named, number, one_line, some

FAR_APART = 0.2
_PREVAILS = 2 / 3
_MOST_LABELS = 12  # up to which who said what fits a table
_MOST_CONFUSIONS = 10
_LACKING = (
    "No label: units asked of both and without two labels; alone: asked of one; in no number. "
)
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


def agree_tables(agreements: Iterable[PanelAgreement]) -> tuple[DataTable, ...]:
    """Returns, for each kind of unit, the coefficients, those that weigh how far apart labels are,
    and what the two sides of a pair said. Broken down by strata, each comparison is a table of its
    own.
    """
    return tuple(
        table
        for agreement in agreements
        for table in (*_coefficient_tables(agreement), *_confusion_tables(agreement))
    )


def agree_opening(agreements: Iterable[PanelAgreement]) -> FirstSentence:
    """Returns how often the same label is given, for each kind of unit: by judges and people where
    people labelled, else by each two judges.
    """
    sentence = (
        "; ".join(filter(None, map(_panel_in_words, agreements))) or "nothing can be compared"
    )
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
    known = any(alpha.value is not None for alpha in alphas)
    chance = some([number(alpha.value) for alpha in alphas])
    sentence = f"of {units}, this share gets the same label: {figures(exact)}" + aside(
        brackets(*(estimate for _, estimate in exact)),
        f"alpha, which takes off what chance would give: {chance}" * known,
    )
    if len(shown) > 1:
        return sentence
    without = shown[0].n_unlabelled
    return sentence + lacking(without, shown[0].n_units + without, "units without both labels")


def _sides_in_words(compared: SideAgreement) -> str:
    """Returns who is compared, as part of a sentence: `rules and Ann`, `any two of 3 people`."""
    names, people = compared.versus.names, len(compared.versus.others)
    if compared.versus.what == "people":
        return f"any two of {count(len(compared.versus.ones), 'person', 'people')}"
    if compared.versus.what == "against people":
        return f"{named(names[0])} and {'a person' if people == 1 else f'one of {people} people'}"
    return " and ".join(named(name) for name in names if name)


def agree_records(agreements: Iterable[PanelAgreement]) -> list[dict[str, Any]]:
    """Returns every comparison for machines, a row each."""
    return [
        row
        for panel in agreements
        for row in table_of("", _agreement_columns(panel), panel.compared).rows()
    ]


def title_of(compared: SideAgreement) -> str:
    """Returns who is compared, in one line of safe text: `rules × Ann`, `people (3)`."""
    return " × ".join(named(name) for name in compared.versus.names if name)


def gap_note(compared: SideAgreement) -> str:
    """Returns what to make of alpha and AC1 where they are far apart; empty where they are not."""
    agreement = compared.agreement
    alpha, ac1, exact = agreement.alpha.value, agreement.ac1.value, agreement.exact.value
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
        ac2 = f" Read AC2, {number(agreement.ac2.value)}, beside alpha." if agreement.ac2 else ""
        return f"{gap}: alpha counts how far apart two labels are, AC1 only that they differ.{ac2}"
    return f"{gap}: they reckon chance differently. Report both, with what each said."


def _agreement_columns(
    panel: PanelAgreement, *, graded: bool = False
) -> list[Column[SideAgreement]]:
    """Returns the columns of a panel's comparisons; people see the coefficients that weigh how far
    apart labels are, or the others.
    """
    by = any(compared.stratum != OVERALL for compared in panel.compared)
    lacks = _has_units_left_out(panel) and not graded
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

    def coefficient(key: str) -> list[Column[SideAgreement]]:
        kappa = Column[SideAgreement](name="kappa", value=lambda row: row.agreement.kappa)
        column = Column[SideAgreement](
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
        *(column for key in COEFFICIENTS for column in coefficient(key)),
        Column(key="method", value=lambda row: row.agreement.alpha.method),
    ]


def _coefficient_tables(panel: PanelAgreement) -> Iterator[DataTable]:
    """Yields the tables of coefficients of a panel, one for each comparison where it is broken
    down.
    """
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
                _agreement_columns(panel, graded=title is not titles[0]),
                part,
                overall=lambda row: by and row.stratum == OVERALL,
                notes=tuple(_agreement_notes(panel))
                if part is parts[-1] and title is titles[-1]
                else (),
            )


def _agreement_notes(panel: PanelAgreement) -> Iterator[str]:
    """Yields what a reader must know of a panel: what bears on the coefficients, and what is
    missing.
    """
    whole = [compared for compared in panel.compared if compared.stratum == OVERALL]
    yield from filter(None, map(gap_note, whole))
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
    if len(_pairs_with_few_labels(panel)) > _MOST_CONFUSIONS:
        yield "What each of two said is in the JSON; name the two with --judge to see it here."
    yield from panel.notes


def _has_units_left_out(panel: PanelAgreement) -> bool:
    """Returns whether any comparison has units that are in no number."""
    return any(compared.n_unlabelled or compared.n_alone for compared in panel.compared)


def _legend(panel: PanelAgreement, whats: set[str]) -> str:
    """Returns what the columns of the tables mean."""
    among = ", of people among each other Fleiss'" if "people" in whats else ""
    text = (
        "Units: with labels of both. "
        f"{_LACKING * _has_units_left_out(panel)}"
        f"Alpha: Krippendorff's. AC1: Gwet's. Kappa: Cohen's{among}."
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


def _confusion_tables(panel: PanelAgreement) -> Iterator[DataTable]:
    """Returns what each of two said, a table for each pair; none where there are too many."""
    shown = _pairs_with_few_labels(panel)
    return map(_confusion_table, shown if len(shown) <= _MOST_CONFUSIONS else ())


def _confusion_table(compared: SideAgreement) -> DataTable:
    """Returns what each of two said: a row per label of the first, and their sums."""
    a, b = map(named, compared.versus.names)
    labels = [_short_label(label) for label in compared.scale.labels]
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


def _short_label(label: str) -> str:
    """Returns a label in one line, cut to what fits a head."""
    text = named(label)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def plan_table(planned: LabelPlan, options: PlanOptions) -> DataTable:
    """Returns one line for each design; the last is the cheapest where the judge is any good."""

    def by_verdict(need: Need) -> str:
        parts = need.allocation.items() if need.labels else ()
        return ", ".join(f"{one_line(name)} {labels:,}" for name, labels in parts)

    needed = planned.needs
    shares = {need.design: by_verdict(need) for need in needed}
    is_short = max(map(len, shares.values()), default=0) <= _LONGEST
    judge_hours = "judge's hours" if any(need.verdict_hours for need in needed) else ""
    cost = "cost" if any(need.money for need in needed) else ""
    columns: list[Column[Need]] = [
        Column(name="design", key="design", value=lambda need: need.design, label=True),
        Column(name="labels", key="labels", value=lambda need: need.labels),
        Column(
            name="of them by verdict" if is_short else "",
            value=lambda need: shares[need.design],
            show=str,
        ),
        Column(name="verdicts", key="verdicts", value=lambda need: need.verdicts),
        Column(key="half_width", value=lambda need: need.half_width),
        Column(
            name="people's hours",
            value=lambda need: None if need.labels is None else need.hours,
            show="{:.1f}".format,
        ),
        Column(key="hours", value=lambda need: need.hours),
        Column(
            name=judge_hours,
            key="verdict_hours",
            value=lambda need: need.verdict_hours,
            show="{:.1f}".format,
        ),
        Column(
            name=cost,
            value=lambda need: None if need.labels is None else need.money,
            show="{:,.2f}".format,
        ),
        Column(key="money", value=lambda need: need.money),
    ]
    notes = [
        "Labels: units that people label. The half-width is what to expect on average: by chance, "
        "about half of all studies get a little more, the others a little less. By verdict: so "
        "many drawn at random from the units of each verdict."
        + "".join(f" These are: {share}." for share in shares.values() if share and not is_short)
    ]
    short = [f"{need.design} ± {need.half_width:.3g}" for need in needed if need.labels is None]
    if short:
        sample = planned.pilot is not None and not options.census
        notes.append(
            f"{NO_VALUE}: there are too few units for that; with a label on each of them: "
            f"{'; '.join(short)}."
            + " Say --census if they are all that there are, and no sample."
            * sample
        )
    title = f"For {number(planned.share)} ± {options.half_width:g} at {options.level * 100:g} %"
    return table_of(title, columns, needed, notes=notes)


def standing_lines(standing: Standing, advice: str = "") -> Iterator[str]:
    """Yields what to do, how wide the interval is now, how many labels more, and whether one may
    stop.

    Args:
        advice: about a judge that does not help; to label by hand then, not by the plan.
    """
    estimate = standing.estimate
    more = (
        "judge more units"
        if standing.more is None
        else (f"the plan wants {count(standing.more, 'label', 'labels')} more")
    )
    if advice:
        yield advice
        more = "see `people only` for a sample by hand"
    if estimate.value is None or estimate.low is None or estimate.high is None:
        yield f"Now: no interval yet; {more}."
    else:
        half = (estimate.high - estimate.low) / 2
        yield f"Now: {estimate_cell(estimate).text}, ± {half:.3f}; {more}."
    if standing.may_stop is None:
        yield "May one stop? That is told of yes/no labels and a half-width from 0.01 to 0.2."
    elif standing.may_stop:
        yield (
            "May one stop? Yes, also who looked on the way; then quote the value ± the half-width "
            "of the plan."
        )
    else:
        more = ", ".join(
            f"{one_line(verdict)} {_more_in_words(progress)}"
            for verdict, progress in standing.verdicts.items()
            if not progress.done
        )
        yield (
            f"May one stop? Not before the number that was planned; who looks on the way: {more}."
        )


def _more_in_words(progress: LabellingProgress) -> str:
    """Returns how many labels of a verdict are still to come, by the stopping rule."""
    if progress.reached is None:
        return f"about {progress.expected_more:,} more"
    return f"all {progress.expected_more:,} that are left (± {progress.reached:.2f} then)"
