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
from factmark.intake.readings import COLUMN, Check, Named, Reading, column_advice, settled_mapping
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
    return settled_mapping(table, "labels", named, _readings, (partial(_check_needed, options),))


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


def _check_needed(options: LabelImportOptions, mapping: TableMapping, sample: TableSample) -> str:
    """A check: units are named, something is said of them, and somebody said it."""
    lacking: dict[str, tuple[Check, ...]] = {}
    is_said = mapping.column("label") or any(map(is_foreign, mapping.columns))
    is_by_somebody = mapping.column("annotator") or options.annotator or options.judge
    if not (mapping.column("unit") or mapping.column("id")):
        lacking["id"] = (_are_ids,)
    if not is_said:
        lacking["label"] = (_are_labels,)
    if not is_by_somebody and (mapping.column("label") or not is_said):
        lacking["annotator"] = (_are_names,)
    if not lacking:
        return ""
    more = []
    if "label" in lacking:
        more.append(f"{COLUMN} {FOREIGN}JUDGE=NAME for a program's labels")
    if "annotator" in lacking:
        more.append("--annotator NAME or --judge NAME where one gave all")
    names = {"id": "unit' or 'id", "label": f"label' or '{FOREIGN}JUDGE"}
    without = " and ".join(f"no column '{names.get(role, role)}'" for role in lacking)
    held = first_names(sample.columns)
    advice = "; or ".join([column_advice(lacking, mapping, sample), *more])
    return (
        f"{without}. It holds: {held}. A file of labels has unit (or id), annotator, label; say "
        f"which they are: {advice}."
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


def _are_names(mapping: TableMapping, sample: TableSample) -> str:
    """A trial: who labelled is named, and labelled several."""
    column = sample.columns[mapping.column("annotator")]
    if column.kind == "name" and 1 < column.n_distinct < len(column.filled) / 2:
        return ""
    return "no names"
