"""Columns whose name says that they tell a dimension or a topic, and whether the rows bear it out.

Pure.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.tools import role_names
from factmark.people.imports.roles.rating_cells import MOST_WORDS


def without_chance(
    sample: TableSample, mapping: TableMapping, given: Collection[str]
) -> TableMapping:
    """Returns a mapping without a dimension or topic that tells nothing of a unit, and with a
    dimension where a topic is the question that everything is rated by."""
    topic = sample.columns.get(mapping.column("topic"))
    dimension = sample.columns.get(mapping.column("dimension"))
    strata = role_names("ratings", "words")["strata"]
    if dimension is not None and "dimension" not in given:
        may_be_stratum = dimension.name in strata
        if may_be_stratum and not _crosses(sample, mapping, dimension):
            mapping = without_role(mapping, "dimension")
    if topic is not None and "topic" not in given and _crosses(sample, mapping, topic):
        mapping = without_role(mapping, "topic")
        if "dimension" not in mapping.columns:
            mapping = mapping.with_columns({"dimension": (topic.path,)})
    return mapping


def _crosses(sample: TableSample, mapping: TableMapping, column: TableColumn) -> bool:
    """Whether of most things that were rated a column has most of its few values."""
    if not 1 < column.n_distinct <= MOST_WORDS:
        return False
    keys = [sample.columns.get(mapping.column(role)) for role in ("document", "system")]
    known = [key.cells for key in keys if key is not None]
    values: dict[tuple[str, ...], set[str]] = {}
    for place, cell in enumerate(column.cells):
        key = tuple(str(cells[place]) for cells in known)
        values.setdefault(key, set()).add(str(cell))
    several = [of_key for of_key in values.values() if len(of_key) > column.n_distinct / 2]
    return (2 * len(several) > len(values) and len(values) > 1) or len(values) == 1


def without_role(mapping: TableMapping, role: str) -> TableMapping:
    """Returns a mapping without the columns of a role."""
    columns = {other: paths for other, paths in mapping.columns.items() if other != role}
    return replace(mapping, columns=columns)
