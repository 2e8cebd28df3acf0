"""From several readings of a table to one: each is tested on the rows; what stays open is refused.

A slice proposes readings, the likeliest first, and brings checks. A reading that the rows
contradict goes. Where two are left that the rows cannot tell apart, the error names both, with the
option for each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from factmark.errors import InputError
from factmark.files.nested import cell_at
from factmark.intake.columns import TableSample
from factmark.intake.mapping import TableMapping, read_mapping
from factmark.intake.tools import ToolForm, role_names
from factmark.text.shell import quote
from factmark.text.shown_text import first_names

Check = Callable[[TableMapping, TableSample], str]
"""Returns why the rows contradict a mapping, as a sentence; an empty text where they do not."""

Propose = Callable[[TableSample, TableMapping], "Iterable[Reading]"]
"""Returns the ways to read a sample that keep to a mapping as far as it goes, which the user named
or a tool's form says; the likeliest first."""

COLUMN = "--column"
NONE = "none"
"""What `--column ROLE=none` says: that no column holds it."""

_TRIED = 100  # rows on which advice is tried
_SHOWN = 20  # ways to read a table


class SampledTable(Protocol):
    """A table, of a file or several, that was opened."""

    @property
    def path(self) -> Path:
        """The file, or the first of several, for messages."""

    @property
    def form(self) -> ToolForm | None:
        """The form of the tool that wrote it; None where no form fits."""

    @property
    def sample(self) -> TableSample:
        """Its first rows, with their columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A way to read a table.

    Attributes:
        mapping: what it takes for what.
        says: it in words, such as "'reference' is the evidence".
        options: what the user types to choose it, such as `--column passage=reference`.
        is_sure: whether it needs no choice: the user named it, a tool's signature says it, or the
            rows bear it out where they could have contradicted it.
    """

    mapping: TableMapping
    says: str
    options: str
    is_sure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What the user says of a file's columns.

    Attributes:
        columns: role -> column, as `--column ROLE=COLUMN` names them; or several of them.
        mapping: a file that `--mapping` names.
        loose: whether rows may have fields that the first ones have not, so that a column that is
            in none of them may come.
        free: beginnings of roles that every task takes, such as `verdict:`.
        settings: name -> value of what no column says.
        special: names that stand for no column, such as `ROW`.
        option: by which the user names a column, for messages.
    """

    columns: Mapping[str, str | tuple[str, ...]]
    mapping: Path | None = None
    loose: bool = False
    free: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    special: tuple[str, ...] = ()
    option: str = COLUMN


def settled_mapping(
    table: SampledTable,
    task: str,
    named: Named,
    propose: Propose,
    checks: Sequence[Check],
    *,
    must_be_sure: bool = False,
) -> TableMapping:
    """Returns which column of a file holds what: by the user, by the form of a tool, or by the only
    proposed reading that the rows do not contradict.

    Args:
        must_be_sure: whether the only reading that is left is asked for where it is not sure.

    Raises:
        InputError: a role or column that there is none of; the rows contradict every reading; or
            two are left, with the option for each.
    """
    readings = _readings(table, task, named, propose, checks)
    return choose(readings, table.sample, checks, must_be_sure=must_be_sure)


def ways_to_read(
    table: SampledTable, task: str, named: Named, propose: Propose, checks: Sequence[Check]
) -> list[str]:
    """Returns the options for the readings that the rows of a table do not contradict; an empty one
    where it needs none."""
    sample = table.sample
    try:
        readings = _readings(table, task, named, propose, checks)
    except InputError:
        return []
    left = []
    for reading in readings:
        if not why_refuted(reading.mapping, sample, checks):
            left.append(reading)
    if len(left) == 1 or any(reading.is_sure for reading in left):
        return [""]
    return [reading.options for reading in left]


def _readings(
    table: SampledTable, task: str, named: Named, propose: Propose, checks: Sequence[Check]
) -> list[Reading]:
    """Returns the ways to read a table, by the form of its tool where that leaves one, or where
    nothing else does.

    Raises:
        InputError: a role or column that there is none of; or it holds no rows.
    """
    sample = table.sample
    given = _given(table, task, named)
    if not sample.rows:
        raise InputError(f"{table.path}: holds no rows{sample.lost}.")
    readings = list(propose(sample, given))
    if table.form is not None:
        of_tool = list(propose(sample, _mapping_of_tool(table.form, sample, given)))
        if _has_one_left(of_tool, sample, checks) or not _has_one_left(readings, sample, checks):
            return of_tool
    return readings


def _has_one_left(
    readings: Sequence[Reading], sample: TableSample, checks: Sequence[Check]
) -> bool:
    """Whether the rows leave any of some readings."""
    return any(not why_refuted(reading.mapping, sample, checks) for reading in readings)


def _mapping_of_tool(form: ToolForm, sample: TableSample, given: TableMapping) -> TableMapping:
    """Returns what the form of a tool says of the roles of a task, and the user above it."""
    held = form.columns_in(sample)
    columns = {role: held[role] for role in role_names(given.task) if role in held}
    settings = {**form.settings, **given.settings}
    return replace(given, tool=form.tool, columns={**columns, **given.columns}, settings=settings)


def _given(table: SampledTable, task: str, named: Named) -> TableMapping:
    """Returns the mapping as far as the user names it.

    Raises:
        InputError: a role that the task does not take, or a column that the file has not.
    """
    given = TableMapping(task=task)
    if named.mapping is not None:
        given = read_mapping(named.mapping, task)
    given = given.with_columns(
        {role: _columns_named(column, table.sample) for role, column in named.columns.items()}
    )
    given = replace(given, settings={**given.settings, **named.settings})
    roles = role_names(task)
    for role, columns in given.columns.items():
        if role not in roles and not role.startswith(named.free or (" ",)):
            known = ", ".join((*roles, *named.free))
            raise InputError(f"{named.option} {role}: no such field. There are {known}.")
        for column in columns:
            is_known = named.loose or column in named.special or has_column(table.sample, column)
            if not is_known:
                raise InputError(
                    f"{table.path}, line 1: no column {column!r} for the {role}. Found: "
                    f"{first_names(table.sample.columns)}."
                )
    return given


def _columns_named(column: str | tuple[str, ...], sample: TableSample) -> tuple[str, ...]:
    """Returns the columns that an option names: one or several, or with `none` that there is
    none."""
    if isinstance(column, tuple):
        return column
    if column == NONE and column not in sample.columns:
        return ()
    return (column,)


def has_column(sample: TableSample, column: str) -> bool:
    """Whether a sample has a column, or a path that leads into one of its cells."""
    if column in sample.columns:
        return True
    return any(cell_at(row, column) is not None for _, row in sample.rows)


def choose(
    readings: Sequence[Reading],
    sample: TableSample,
    checks: Sequence[Check],
    *,
    must_be_sure: bool = False,
) -> TableMapping:
    """Returns the mapping of the only reading that the rows leave, or of the first sure one; see
    `settled_mapping`.

    Raises:
        InputError: the rows contradict every reading, and why; or two are left, with the option
            for each.
    """
    refuted: list[tuple[Reading, str]] = []
    left: list[Reading] = []
    for reading in readings:
        why = why_refuted(reading.mapping, sample, checks)
        if why:
            refuted.append((reading, why))
        elif all(reading.mapping != other.mapping for other in left):
            left.append(reading)
    sure = [reading for reading in left if reading.is_sure]
    if sure or (len(left) == 1 and not must_be_sure):
        return (sure or left)[0].mapping
    if not left:
        whys = " ".join(dict.fromkeys(why for _, why in refuted))
        raise InputError(f"{sample.source}: {whys or 'holds nothing that can be read.'}")
    ways = "; ".join(f"{reading.says}: {reading.options}" for reading in left[:_SHOWN])
    if len(left) == 1:
        raise InputError(f"{sample.source}: neither names nor rows tell how it reads. If {ways}.")
    if len(left) > _SHOWN:
        ways += f"; and {len(left) - _SHOWN} more such"
    raise InputError(f"{sample.source}: can be read in {len(left)} ways. Say which. {ways}.")


def why_refuted(mapping: TableMapping, sample: TableSample, checks: Sequence[Check]) -> str:
    """Returns why the rows contradict a mapping, by the first check that they fail; empty where
    they do not."""
    return next(filter(None, (check(mapping, sample) for check in checks)), "")


def column_advice(
    lacking: Mapping[str, Sequence[Check]],
    mapping: TableMapping,
    sample: TableSample,
    *,
    texts: Collection[str] = (),
    option: str = COLUMN,
) -> str:
    """Returns the options that name a column for every role that is lacking, so that one correction
    is enough: for each the first column that a trial read of 100 rows accepts beside the others;
    `--column ROLE=NAME` where it accepts none.

    Args:
        lacking: role -> what its column must pass.
        texts: of them the roles whose column has the longest texts, which is tried first.
    """
    first_rows = replace(sample, rows=sample.rows[:_TRIED], is_whole=False)
    options = []
    for role, checks in lacking.items():
        taken = {name for names in mapping.columns.values() for name in names}
        free = [column for path, column in first_rows.columns.items() if path not in taken]
        if role in texts:
            free.sort(key=attrgetter("words"), reverse=True)
        trials = [mapping.with_columns({role: (c.path,)}) for c in free if c.kind != "empty"]
        fits = (tried for tried in trials if not why_refuted(tried, first_rows, checks))
        chosen = next(fits, None)
        if chosen is None:
            options.append(f"{option} {role}=NAME")
        else:
            mapping = chosen
            options.append(f"{option} {role}={quote(chosen.column(role))}")
    return " ".join(options)
