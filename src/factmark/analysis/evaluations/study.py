"""A table with a judge's verdicts and people's labels of some: read, estimated, reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from factmark.analysis.evaluations.breakdown import breakdown_of
from factmark.analysis.evaluations.reading import GivenTable, read_given
from factmark.analysis.evaluations.report import analysis_report
from factmark.analysis.evaluations.results import Analysis
from factmark.analysis.evaluations.second_judge import second_judge
from factmark.analysis.evaluations.sheet import sheet_of
from factmark.analysis.options import AnalyseOptions
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.evaluated.beside_people import is_on
from factmark.evaluated.columns import ValueColumn, scale_told, usual_scale
from factmark.evaluated.corrected import How
from factmark.evaluated.estimates import evaluation_of
from factmark.files.frames import Rows, as_file, is_frame
from factmark.intake.table_file import TableFile, open_frame
from factmark.model import Estimate, Scale
from factmark.report.result import Result
from factmark.stats.sequential import FIRST, level_at_any_time

_NO_VERDICT = -1


@python_function(AnalyseOptions, without={"table", "labels_file"})
def analyse(table: Rows, people: Rows | None = None, **options: Any) -> Result:
    """Corrects a judge's verdicts in any table by people's labels of some.

    Args:
        table: a file, a DataFrame, or rows; people's labels may stand in a column of it.
        people: labels that stand apart, joined by id: a file, a DataFrame or rows.
        options: as of `factmark analyse`: `judge` names the column where there are several.

    Returns:
        The result: judge alone, people alone, and corrected, which is the one to quote.

    Raises:
        InputError: the judge or people cannot be told, with the option to give; labels that do not
            join.
    """
    frame = None
    if is_frame(table):
        frame, table = open_frame(table, "table"), "table"
    with as_file(table, "table") as path, as_file(people, "labels") as labels:
        given = options_of(AnalyseOptions, {"table": path, "labels_file": labels, **options})
        analysis = analysis_of(given, frame)
        if given.sheet is not None:
            sheet_of(analysis, given, given.sheet)
        return analysis_report(analysis, given)


def analysis_of(options: AnalyseOptions, frame: TableFile | None = None) -> Analysis:
    """Returns what comes of a table.

    Args:
        frame: a DataFrame, opened, in place of the file that the options name.

    Raises:
        InputError: as `read_given`; people's scale cannot be told, or they left it.
    """
    if options.labels is not None and options.sheet is None:
        raise InputError("--labels says how many units are on a sheet: name it by --sheet FILE.")
    given = read_given(options, frame)
    scale = _scale(given, options)
    if options.half_width >= scale.span / 2:
        raise InputError(
            f"--half-width {options.half_width:g}: of a scale from {scale.low:g} to {scale.high:g} "
            f"it is below {scale.span / 2:g}."
        )
    how = How(
        level=options.level, target=options.target, scale=scale, half_width=options.half_width
    )
    try:
        evaluation = evaluation_of(given.evaluated, given.judge, how)
    except ValueError as error:
        raise InputError(f"{options.table}: {error}.") from None
    at_any_time = None
    if options.anytime and evaluation.labels >= FIRST:
        at_any_time = _at_any_time(given, how, evaluation.labels)
    return Analysis(
        given=given,
        evaluation=evaluation,
        how=how,
        breakdown=breakdown_of(given, how, options),
        second=second_judge(given, how, options.second),
        at_any_time=at_any_time,
    )


def _at_any_time(given: GivenTable, how: How, labels: int) -> Estimate | None:
    """Returns the corrected mean with an interval that holds however often one looks."""
    raised = replace(how, level=level_at_any_time(labels, level=how.level))
    corrected = evaluation_of(given.evaluated, given.judge, raised).corrected
    if corrected is None:
        return None
    return replace(corrected, level=how.level, method=f"{corrected.method}, at any time")


def _scale(given: GivenTable, options: AnalyseOptions) -> Scale:
    """Returns the scale of people's values: the given one, the tool's where all values lie on it,
    or the one that the columns show.

    Raises:
        InputError: neither can be read.
    """
    if options.scale:
        return _given_scale(options.scale)
    people = [column for column in given.evaluated.people.values() if column.values]
    columns = [given.evaluated.judges[given.judge], *people]
    usual = given.mapping.settings.get("scale", "")
    if usual and not all(column.is_in_shares for column in columns):
        of_tool = _given_scale(usual)
        if all(is_on(column, of_tool) for column in columns):
            return of_tool
    scale = scale_told(columns[0], people)
    if scale is None:
        values = [value for column in columns for value in column.values]
        likely = usual_scale(columns)
        raise InputError(
            f"{options.table}: values go from {min(values):g} to {max(values):g}; say what people "
            f"can give, such as --scale {likely.low:g},{likely.high:g}."
        )
    if scale.low == _NO_VERDICT and not _lie_below_nought(columns):
        raise InputError(
            f"{options.table}: -1 is the only value below 0, and may stand for no verdict. If it "
            "does: empty these cells. If it is a value: --scale -1,1."
        )
    return scale


def _lie_below_nought(columns: Sequence[ValueColumn]) -> bool:
    """Whether values lie between -1, which programs write for what they could not judge, and 0."""
    return any(_NO_VERDICT < value < 0 for column in columns for value in column.values)


def _given_scale(text: str) -> Scale:
    """Returns the scale that --scale names; raises InputError for what is none."""
    ends = text.split(",")
    try:
        low, high = map(float, ends)
    except ValueError:
        low = high = 0.0
    if not 0 < high - low < float("inf"):
        raise InputError(f"--scale {text}: write the least and the greatest value, such as 1,5.")
    return Scale(low, high)
