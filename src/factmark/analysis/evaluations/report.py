"""The report of an analysed table, declared: what was read as what, and the figure to quote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from factmark.analysis.evaluations.breakdown_report import (
    breakdown_charts,
    breakdown_in_words,
    breakdown_tables,
)
from factmark.analysis.evaluations.results import Analysis, SecondJudge
from factmark.analysis.options import AnalyseOptions
from factmark.evaluated.drawing import GroupRate
from factmark.evaluated.estimates import Evaluation
from factmark.files.flat_files import to_json_value
from factmark.model import Estimate, Measure
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.file_columns import FileColumn, attributes
from factmark.report.layouts import DataTable
from factmark.report.page import Figure, Page
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence
from factmark.text.shell import quote, quote_path
from factmark.text.shown_text import count, one_line
from factmark.version import __version__

_SOME_LABELS = 100
_MANY_ALIKE = 20  # labels of which each is the judge's

_LIMITS = (
    "The corrected figure holds where people were given units drawn at random, at random within "
    "each verdict or slice, or with the probabilities that the table has.",
    "It says what these people would have said of all units, not what is true.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisLine:
    """A line of the first table.

    Attributes:
        part: of the table: the mean, the judge, the labels.
        name: what it is.
        estimate: its figure, where it is one with an interval.
        text: what people are shown.
        units: that it rests on.
    """

    part: str
    name: str
    estimate: Estimate | None = None
    text: str = ""
    units: int | None = None

    @property
    def shown(self) -> str:
        """The figure with three decimals, or the text."""
        if self.estimate is not None:
            return str(self.estimate)
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionRow:
    """How many labelled units of a verdict people said what of.

    Attributes:
        verdict: of the judge.
        units, labelled: of the verdict.
        mean: of what people said of them; None where they labelled none.
    """

    verdict: str
    units: int
    labelled: int
    mean: float | None


ROW_COLUMNS: tuple[FileColumn[ConfusionRow], ...] = (
    *attributes("verdict"),
    *attributes("units", "labelled", type="BIGINT"),
    FileColumn(name="people", type="DOUBLE", value=attrgetter("mean")),
)


def analysis_report(analysis: Analysis, options: AnalyseOptions) -> Result:
    """Returns an analysed table in all its forms; its details are the analysis."""
    evaluation, given = analysis.evaluation, analysis.given
    averages = {
        name: estimate
        for name, estimate in (
            ("corrected", evaluation.corrected),
            ("judge alone", evaluation.judge_alone),
            ("people alone", evaluation.people_alone),
        )
        if estimate is not None
    }
    return Result(
        measure=Measure(
            key="judged", symbol="mean", name="what people would say", scale=analysis.how.scale
        ),
        subject=options.table.name,
        judge=given.judge,
        averages=averages,
        tables=_tables(analysis),
        rows=_confusion(evaluation),
        columns=ROW_COLUMNS,
        page=lambda: _page(analysis),
        sentence=FirstSentence(sentence=_sentence(analysis), cautions=tuple(_cautions(analysis))),
        next_step=_next(analysis, options),
        problems=given.notes,
        signature={
            "factmark": __version__,
            "mapping": given.mapping.id,
            "level": analysis.how.level,
            "target": analysis.how.target,
        },
        figures={
            "mapping": given.mapping.as_record(),
            "labels": evaluation.labels,
            "labels_are_worth": evaluation.worth,
            "labels_wanted": evaluation.wanted,
            "half_width": analysis.how.half_width,
            "agreement": to_json_value(evaluation.agreement),
            "breakdown": to_json_value(analysis.breakdown),
            "second": to_json_value(analysis.second),
            "at_any_time": to_json_value(analysis.at_any_time),
            "labelled_unlike": to_json_value([*evaluation.by_verdict, *evaluation.by_slice]),
        },
        mapping=given.mapping.as_toml(),
        details=analysis,
    )


def _tables(analysis: Analysis) -> dict[str, DataTable]:
    """Returns the tables, the slices first where somebody asked for them."""
    broken_down = breakdown_tables(analysis.breakdown)
    tables = {"judge": _first_table(analysis)}
    if "slices" in broken_down:
        tables = {"slices": broken_down["slices"], **tables}
    return {**tables, **broken_down, "verdicts": _verdict_table(analysis.evaluation)}


def _sentence(analysis: Analysis) -> str:
    """Returns the figure to quote in a sentence, or what is missing for one."""
    evaluation = analysis.evaluation
    name = one_line(evaluation.judge)
    alone = ""
    if evaluation.judge_alone is not None:
        alone = f"; {name} alone says {evaluation.judge_alone.value:.3f}"
    units = count(evaluation.units, "unit", "units")
    if evaluation.corrected is None:
        return f"{name} has not been checked by people: no label of {units}{alone}."
    labels = count(evaluation.labels, "label", "labels")
    return (
        f"People would say {evaluation.corrected} of {units}, by {labels} of theirs and {name}"
        f"{alone}."
    )


def _cautions(analysis: Analysis) -> Iterator[str]:
    """Yields what was read as what, and what makes the figure worth less than it looks."""
    given, evaluation = analysis.given, analysis.evaluation
    read = "; ".join(filter(None, [given.file.tool, given.mapping.in_words(), given.labels]))
    yield f"Read: {one_line(read)}."
    missing = int((given.evaluated.judges[given.judge].codes < 0).sum())
    if missing:
        units = count(evaluation.units, "unit", "units")
        yield f"The judge says nothing of {missing:,} of {units}; alone it is the others' mean."
    yield from breakdown_in_words(analysis.breakdown)
    if evaluation.by_verdict:
        yield (
            f"People labelled {_rates(evaluation.by_verdict)}: their labels alone are no estimate, "
            "and each verdict counts as many units as it has."
        )
    if evaluation.by_slice:
        yield (f"People labelled {_rates(evaluation.by_slice)}: labels are weighted by slice.")
    alike = evaluation.agreement
    if alike is not None and alike.exact.value == 1 and evaluation.labels >= _MANY_ALIKE:
        yield (
            f"People say the same as the judge of all {evaluation.labels:,} units that they "
            "labelled, as in a copy of its verdicts."
        )
    if alike is not None and alike.alpha.high is not None and alike.alpha.high < 0:
        yield (
            "The judge and people say the contrary of each other more often than chance would: is "
            "one of the two reversed?"
        )
    correction = evaluation.correction
    if correction is not None:
        empty = [cell.label or "no verdict" for cell in correction.cells if not cell.labelled]
        if empty and evaluation.labels:
            yield f"People labelled no unit of {', '.join(map(one_line, empty))}. Label some."


def _rates(rates: Iterable[GroupRate]) -> str:
    """Returns in words of which group people labelled more or fewer."""
    first = max(rates, key=lambda rate: (-rate.p, rate.units))
    share = first.labelled / first.units
    return f"{share:.1%} of {one_line(first.name)!r} and {first.rate_of_others:.1%} of the others"


def _first_table(analysis: Analysis) -> DataTable:
    """Returns judge alone, people alone, corrected, and how far the judge can be trusted."""
    columns: tuple[Column[AnalysisLine], ...] = (
        attribute_column("part", ""),
        Column(name="of", value=attrgetter("part"), label=True),
        Column(name="what", key="what", value=attrgetter("name"), label=True),
        Column(name="value", value=attrgetter("shown"), show=str),
        Column(key="value", value=attrgetter("estimate"), estimate=True),
        attribute_column("units"),
        attribute_column("text", ""),
    )
    return table_of(
        f"{one_line(analysis.evaluation.judge)} and people",
        columns,
        list(_lines(analysis)),
        group=attrgetter("part"),
        overall=lambda line: line.name.startswith("corrected"),
    )


def _lines(analysis: Analysis) -> Iterator[AnalysisLine]:
    """Yields the lines of the first table."""
    evaluation = analysis.evaluation
    units, labels = evaluation.units, evaluation.labels

    def line(part: str, name: str, value: Estimate | str | None, n: int | None) -> AnalysisLine:
        if isinstance(value, str):
            return AnalysisLine(part=part, name=name, text=value, units=n)
        return AnalysisLine(part=part, name=name, estimate=value, text="–", units=n)

    yield line("mean", "judge alone", evaluation.judge_alone, units)
    if labels:
        alone = evaluation.people_alone or "– (not drawn alike)"
        yield line("mean", "people alone", alone, labels)
        yield line("mean", "corrected (quote this)", evaluation.corrected, units)
    if analysis.at_any_time is not None:
        yield line("mean", "corrected, at any time", analysis.at_any_time, units)
    correction = evaluation.correction
    if correction is not None and correction.sensitivity is not None:
        yield line("judge", "finds what is true", correction.sensitivity, None)
    if correction is not None and correction.specificity is not None:
        yield line("judge", "finds what is false", correction.specificity, None)
    if evaluation.distances is not None:
        error, distance = evaluation.distances
        errs = f"by {distance:.3f}, {error:+.3f} on average"
        yield line("judge", "errs", errs, labels)
    if evaluation.correlation is not None:
        yield line("judge", "correlates with people", f"{evaluation.correlation:.3f}", labels)
    if evaluation.agreement is not None:
        yield line("judge", "agrees with people", evaluation.agreement.exact, labels)
        yield line("judge", "Krippendorff's alpha", evaluation.agreement.alpha, labels)
    if evaluation.worth is not None:
        worth = f"{evaluation.worth:,.0f} without the judge"
        yield line("labels", "are worth", worth, labels)
    second = analysis.second
    if second is not None:
        yield line("mean", f"corrected, with {second.name} too", second.corrected, units)
        yield line("labels", f"with {second.name} too", _worth_of_second(second), labels)
    yield line("labels", f"for ± {analysis.how.half_width:g}", _wanted(evaluation), None)


def _worth_of_second(second: SecondJudge) -> str:
    """Returns in words what labels are worth with a second judge, and how many it saves."""
    saves = f"saves {second.saved:.0%}"
    if second.saved < 0.01:
        saves = "saves none"
    return f"{second.worth_of_both:,.0f} without a judge: {saves}"


def _wanted(evaluation: Evaluation) -> str:
    """Returns in words how many labels the half-width takes."""
    if evaluation.wanted is None:
        return "no number is enough with so few units"
    if evaluation.wanted <= evaluation.labels:
        return f"{evaluation.wanted:,}: enough are there"
    return f"{evaluation.wanted:,}"


def _confusion(evaluation: Evaluation) -> list[ConfusionRow]:
    """Returns a row for each verdict of a judge of words."""
    if evaluation.correction is None:
        return []
    rows = []
    for cell in evaluation.correction.cells:
        mean = cell.mean if cell.labelled else None
        rows.append(
            ConfusionRow(
                verdict=cell.label or "no verdict",
                units=cell.total,
                labelled=cell.labelled,
                mean=mean,
            )
        )
    return rows


def _verdict_table(evaluation: Evaluation) -> DataTable:
    """Returns what people said of the units of each verdict."""
    columns: tuple[Column[ConfusionRow], ...] = (
        attribute_column("verdict", label=True),
        attribute_column("units"),
        attribute_column("labelled"),
        Column(name="people", key="people", value=attrgetter("mean")),
    )
    title = f"What people said of each verdict of {one_line(evaluation.judge)}"
    return table_of(title, columns, _confusion(evaluation))


def _next(analysis: Analysis, options: AnalyseOptions) -> str:
    """Returns what to do next: draw labels where more are wanted."""
    evaluation = analysis.evaluation
    if options.sheet is not None:
        return ""
    more = (evaluation.wanted or 0) - evaluation.labels
    if evaluation.wanted is not None and more <= 0:
        return ""
    if evaluation.labels >= evaluation.units:
        return ""
    number = min(more if more > 0 else _SOME_LABELS, evaluation.units - evaluation.labels)
    command = analyse_again(options, options.labels_file)
    sheet = _next_sheet(options.labels_file)
    return f"Draw units for people: {command} --sheet {quote_path(sheet)} --labels {number}"


def analyse_again(options: AnalyseOptions, labels: Path | None) -> str:
    """Returns the command that analyses the same table as the same, with a file of labels."""
    words = ["factmark analyse", quote_path(options.table)]
    if labels is not None:
        words.append(quote_path(labels))
    named = {"--judge": [options.judge], "--column": options.column or [], "--rows": [options.rows]}
    named |= {"--mapping": [str(options.mapping or "")], "--scale": [options.scale]}
    for option, values in named.items():
        for value in filter(None, values):
            words += [option, quote(value)]
    return " ".join(words)


def _next_sheet(labels: Path | None) -> str:
    """Returns a name for the next sheet, which is no name of a file of labels: `next.csv`, after
    it `next-2.csv`, and so on."""
    if labels is None:
        return "next.csv"
    number = re.fullmatch(r"next(?:-(\d+))?", labels.stem)
    if number is None:
        return "next.csv"
    return f"next-{int(number[1] or 1) + 1}.csv"


def _page(analysis: Analysis) -> Page:
    """Returns what the page shows beside the tables."""
    evaluation = analysis.evaluation
    figures = []
    if evaluation.corrected is not None:
        figures.append(Figure(name="Corrected", value=evaluation.corrected, main=True))
    if evaluation.judge_alone is not None:
        figures.append(Figure(name="Judge alone", value=evaluation.judge_alone))
    if evaluation.people_alone is not None:
        figures.append(Figure(name="People alone", value=evaluation.people_alone))
    return Page(
        title="A judge, corrected by people",
        lead=(one_line(analysis.given.mapping.in_words()),),
        figures=figures,
        charts=list(breakdown_charts(analysis.breakdown)),
        limits=_LIMITS,
    )
