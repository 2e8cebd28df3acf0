"""A table by slices and the judge's errors, declared: two tables and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from factmark.analysis.evaluations.results import Breakdown, SliceRow
from factmark.model import Estimate
from factmark.report.charts import DotChart, DotPanel, dot_of
from factmark.report.columns import Column, table_of
from factmark.report.comparisons import probability
from factmark.report.corrected_comparisons import difference_cell
from factmark.report.layouts import DataTable
from factmark.stats.judge_line.bias import BiasTest
from factmark.stats.scales import share_of_scale
from factmark.text.shown_text import number, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class _Band:
    """A band of a factor, and the judge's error there."""

    factor: str
    name: str
    error: Estimate


def breakdown_tables(breakdown: Breakdown) -> dict[str, DataTable]:
    """Returns the tables of slices and of the judge's errors, as far as there are such."""
    tables = {}
    if breakdown.slices:
        tables["slices"] = _slice_table(breakdown)
    if breakdown.biases:
        tables["bias"] = _bias_table(breakdown.biases)
        tables["errors"] = _error_table(breakdown.biases)
    return tables


def _slice_table(breakdown: Breakdown) -> DataTable:
    """Returns a line for each slice."""
    columns: tuple[Column[SliceRow], ...] = (
        Column(name=breakdown.by, key="slice", value=attrgetter("name"), label=True),
        Column(
            name="corrected",
            key="corrected",
            value=attrgetter("corrected"),
            estimate=True,
            meaning="Corrected: what people would say of all units of the slice. All intervals "
            "hold at once with the level.",
        ),
        Column(name="judge alone", key="judge_alone", value=attrgetter("judge_alone"), show=number),
        Column(name="labels", key="labels", value=attrgetter("corrected.n_labels")),
        Column(name="units", key="units", value=attrgetter("corrected.n_units")),
        Column(
            name="own",
            key="own",
            value=attrgetter("own"),
            show=number,
            meaning="Own: how far the correction goes by the slice's own labels; the rest of it "
            "is that of all labels, since so few tell little.",
        ),
    )
    return table_of(f"By {one_line(breakdown.by)}", columns, breakdown.slices)


def _bias_table(biases: Sequence[BiasTest]) -> DataTable:
    """Returns a line for each column that the judge's error may go by."""
    columns: tuple[Column[BiasTest], ...] = (
        Column(name="the judge's error by", key="factor", value=attrgetter("factor"), label=True),
        Column(
            name="more by",
            value=attrgetter("effect"),
            show=difference_cell,
            meaning="More by: how much more the judge gives, of what people value alike, to the "
            "upper half than to the lower; of words, to what it favours most than to what it "
            "favours least.",
        ),
        Column(key="effect", value=attrgetter("effect"), estimate=True),
        Column(
            name="p",
            value=lambda row: probability(row.p_adjusted),
            meaning=f"p: Holm's over the {len(biases)} columns.",
        ),
        Column(key="p", value=attrgetter("p")),
        Column(key="p_adjusted", value=attrgetter("p_adjusted")),
        Column(name="biased", key="biased", value=lambda row: "yes" if row.is_biased else "no"),
        Column(name="labels", key="labels", value=attrgetter("effect.n_labels")),
    )
    return table_of("What the judge's error goes by", columns, biases)


def _error_table(biases: Sequence[BiasTest]) -> DataTable:
    """Returns a line for each band of each column."""
    columns: tuple[Column[_Band], ...] = (
        Column(name="by", key="factor", value=attrgetter("factor"), label=True),
        Column(name="", key="band", value=attrgetter("name"), label=True),
        Column(
            name="error",
            value=attrgetter("error"),
            show=difference_cell,
            meaning="Error: what the judge gives less what people give, on average.",
        ),
        Column(key="error", value=attrgetter("error"), estimate=True),
        Column(name="labels", key="labels", value=attrgetter("error.n_labels")),
    )
    return table_of("The judge's error", columns, list(_bands(biases)), group=attrgetter("factor"))


def _bands(biases: Sequence[BiasTest]) -> Iterator[_Band]:
    """Yields the bands of all columns."""
    for test in biases:
        for band in test.bands:
            yield _Band(factor=test.factor, name=band.name, error=band.error)


def breakdown_charts(breakdown: Breakdown) -> Iterator[DotChart]:
    """Yields a picture of the slices, and one of the judge's error by each column."""
    if breakdown.slices:
        dots = {}
        low = high = 0.0
        for row in breakdown.slices:
            low, high = row.corrected.scale
            dots[row.name] = (dot_of(share_of_scale(row.corrected), "corrected", 0),)
        panel = DotPanel(groups={"": dots}, ticks=(f"{low:g}", f"{high:g}"))
        yield DotChart(caption=f"Corrected, by {one_line(breakdown.by)}", panels=(panel,))
    panels = []
    for test in breakdown.biases:
        low, high = test.effect.scale
        errors = {}
        for band in test.bands:
            errors[band.name] = (dot_of(share_of_scale(band.error), "error", 0),)
        panels.append(
            DotPanel(name=test.factor, groups={"": errors}, ticks=(f"{low:g}", "0", f"{high:g}"))
        )
    if panels:
        caption = "The judge's error: right of the middle it gives more than people"
        yield DotChart(caption=caption, panels=tuple(panels))


def breakdown_in_words(breakdown: Breakdown) -> Iterator[str]:
    """Yields a sentence on what the judge's error goes by; where it goes by nothing that was asked
    about, that."""
    biases = breakdown.biases
    if biases and not any(test.is_biased for test in biases):
        factors = ", ".join(one_line(test.factor) for test in biases)
        least = probability(min(test.p_adjusted for test in biases))
        yield f"No sign that the judge's error goes by {factors} (least p {least})."
    for test in breakdown.biases:
        if test.is_biased:
            words = "the upper half" if test.kind == "numbers" else "what it favours most"
            effect = difference_cell(test.effect).text
            among = ""
            if test.among is not None:
                among = f", most of all where people say {test.among:g}"
            yield (
                f"The judge's error goes by {one_line(test.factor)}: it gives {words} {effect} "
                f"more, at the same value by people{among} (p {probability(test.p_adjusted)})."
            )
