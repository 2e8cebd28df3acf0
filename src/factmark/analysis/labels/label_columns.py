"""Which column of a file of labels holds the unit, who labelled it, and what they said."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from factmark.analysis.options import LabelImportOptions
from factmark.evaluated.coding import coded
from factmark.evaluated.columns import value_column
from factmark.files.own_columns import FOREIGN, is_foreign
from factmark.intake.column_reader import plain_cell
from factmark.intake.columns import TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Check, Named, Reading, column_advice, settled_mapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import named_columns, role_names
from factmark.text.shown_text import first_names


def label_mapping(table: TableFile, options: LabelImportOptions) -> TableMapping:
    """Returns which column of a file of labels holds what.

    Raises:
        InputError: it names no units, has neither labels nor other programs' verdicts, or nobody
            who gave them; says what it holds and which column would do.
    """
    named = Named(columns=options.columns, mapping=options.mapping, free=(FOREIGN,))
    checks = (_check_units, _check_labels, partial(_check_annotator, options))
    return settled_mapping(table, "labels", named, _readings, checks)


def _readings(sample: TableSample, base: TableMapping) -> Iterator[Reading]:
    """Yields the reading by the names of the columns."""
    columns = {}
    for role, filled in named_columns("labels", sample).items():
        # A sheet that nobody has filled in holds no label, and is read all the same.
        likely = filled or sample.named(role_names("labels")[role])
        if likely:
            columns[role] = (likely[0].path,)
    for name in sample.columns:
        if is_foreign(name):
            columns[name] = (name,)
    yield Reading(mapping=base.with_columns({**columns, **base.columns}), says="", options="")


def _held(sample: TableSample) -> str:
    """Returns what a file holds, in words."""
    held = first_names(sample.columns)
    return f"It holds: {held}. A file of labels has unit (or id), annotator, label"


def _check_units(mapping: TableMapping, sample: TableSample) -> str:
    """A check: units are named."""
    if mapping.column("unit") or mapping.column("id"):
        return ""
    advice = column_advice("id", mapping, sample, _ARE_IDS)
    return f"no column 'unit' or 'id'. {_held(sample)}; say which column it is: {advice}."


def _check_labels(mapping: TableMapping, sample: TableSample) -> str:
    """A check: something is said of the units."""
    if mapping.column("label") or any(map(is_foreign, mapping.columns)):
        return ""
    advice = column_advice("label", mapping, sample, _ARE_LABELS)
    return (
        f"no column 'label' or '{FOREIGN}JUDGE'. {_held(sample)}; say which column it is: "
        f"{advice}, or --column {FOREIGN}JUDGE=NAME for a program's."
    )


def _check_annotator(
    options: LabelImportOptions, mapping: TableMapping, sample: TableSample
) -> str:
    """A check: somebody gave the labels."""
    is_named = mapping.column("annotator") or options.annotator or options.judge
    if is_named or not mapping.column("label"):
        return ""
    return (
        f"no column 'annotator'. {_held(sample)}; say which column it is: --column annotator=NAME; "
        "or name who gave all: --annotator NAME, --judge NAME."
    )


def _are_ids(mapping: TableMapping, sample: TableSample) -> str:
    """A trial: ids differ and are no texts."""
    column = sample.columns[mapping.column("id")]
    if column.kind in ("name", "number") and column.is_unique:
        return ""
    return "no ids"


def _are_labels(mapping: TableMapping, sample: TableSample) -> str:
    """A trial: labels are words or numbers that say something."""
    column = sample.columns[mapping.column("label")]
    if value_column(coded(column.path, [plain_cell(cell) for cell in column.cells])) is not None:
        return ""
    return "no labels"


_ARE_IDS: tuple[Check, ...] = (_are_ids,)
_ARE_LABELS: tuple[Check, ...] = (_are_labels,)
