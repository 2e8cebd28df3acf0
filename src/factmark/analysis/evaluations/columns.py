"""Which column of a table holds the judge's verdicts, and which people's labels: proposed, tested.

A column that says something of units holds words of the vocabulary or numbers, on the whole column.
Which of several is the judge's nothing but a name tells; where no name does, the user does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.analysis.evaluations.judge_columns import (
    judge_columns,
    judge_option,
    may_be_verdicts,
    one_of_alike,
    without_others,
)
from factmark.analysis.evaluations.people_columns import columns_of_people, is_of_people
from factmark.errors import InputError
from factmark.evaluated.coding import coded
from factmark.evaluated.columns import ValueColumn, is_verdict, value_column
from factmark.evaluated.words import cell_text
from factmark.files.nested import cell_at
from factmark.intake.column_reader import plain_cell
from factmark.intake.columns import TableColumn, TableSample, folded
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import NONE, Propose, Reading
from factmark.intake.tools import is_beside, named_columns, role_names
from factmark.text.shell import quote

_TEXTS = ("claim", "response", "question", "passage", "reference")
_FEW = 50  # slices
_SHOWN = 8  # columns that may be the judge's
_LOOKED_AT = 50  # rows


def proposals(*, has_labels: bool) -> Propose:
    """Returns what proposes how a table is read.

    Args:
        has_labels: whether people's labels come in a file of their own.
    """

    def propose(sample: TableSample, base: TableMapping) -> Iterator[Reading]:
        """Yields a reading for each column that may be the judge's, with the others beside it."""
        named = named_columns("analyse", sample)
        values = said_columns(sample, base.tool)
        beside = _beside(base, named, values)
        people = _people(base, named, values)
        taken = [*people, *(path for paths in beside.values() for path in paths)]
        is_checked = bool(people) or has_labels or any(map(is_of_people, values))
        taken += [path for paths in base.columns.values() for path in paths]
        taken += _row_numbers(sample)
        judges: Sequence[str] = base.columns.get("judge", ())
        judges = [path for path in judges if path in values] or judges
        judges = judges or judge_columns(named, values, taken, is_checked=is_checked)
        if has_labels and people and not judges and "people" not in base.columns:
            judges, people = people, ()  # the only labels in it are the judge's
        if not judges:
            yield Reading(mapping=base, says="no judge", options="")
        judges, alike = one_of_alike(judges, values, sample)
        of_people = [path for path in values if is_of_people(path) and path not in taken]
        likely = [path for path in of_people if not (has_labels or is_beside(path))]
        held = _Held(base=base, named=named, values=values, people=people, likely=likely)
        for judge in judges:
            yield from _readings_of(held, judge, alike.get(judge, ""), is_only=len(judges) == 1)

    return propose


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What a sample holds.

    Attributes:
        base: what the user named, or a tool's form.
        named: role -> the columns of its names.
        values: the columns that say something of units.
        people: those that are called people's.
        likely: those with a word for people in their names.
    """

    base: TableMapping
    named: Mapping[str, Sequence[TableColumn]]
    values: Mapping[str, ValueColumn]
    people: Sequence[str]
    likely: Sequence[str]

    def people_beside(self, judge: str) -> Sequence[Sequence[str]]:
        """Returns the columns that may be people's beside a judge's, each list a way: those that
        are called so, but for the judge's own verdict once more; else those with a word for people
        in their names."""
        if "people" in self.base.columns:
            return [self.people]
        here = [path for path in self.people if not _is_writing(path, judge)]
        return [here] if here else columns_of_people(judge, self.values, self.likely)


def _readings_of(held: _Held, judge: str, alike: str, *, is_only: bool) -> Iterator[Reading]:
    """Yields the readings with a judge's column, one for each way to read people's.

    Args:
        alike: the columns that say the same, in words.
        is_only: whether no other column may be the judge's.
    """
    base = held.base
    columns = {**_beside(base, held.named, held.values, judge), **base.columns, "judge": (judge,)}
    mapping = _noted(base.with_columns(columns), alike)
    ways = held.people_beside(judge)
    for people in ways:
        if people or held.people or len(ways) > 1:
            mapping = mapping.with_columns({"people": tuple(people)})
        options = judge_option(judge, held.values, people)
        if len(ways) > 1:
            options += f" --column people={quote((*people, NONE)[0])}"
        yield Reading(
            mapping=mapping,
            says=f"the judge is {judge!r}",
            options=options,
            is_sure=is_only and len(ways) == 1,
        )


def _noted(mapping: TableMapping, alike: str) -> TableMapping:
    """Returns a mapping that says which other columns say what the judge's does."""
    if not alike:
        return mapping
    return replace(mapping, settings={**mapping.settings, "said by": alike})


def _is_writing(path: str, judge: str) -> bool:
    """Whether a column is the judge's verdict once more: `score` and `label` of one object, of
    which no word says that people gave it."""
    return _is_with(path, judge) and _is_with(judge, path) and not is_of_people(path)


def _row_numbers(sample: TableSample) -> list[str]:
    """Returns the columns that number the rows."""
    return [path for path, column in sample.columns.items() if column.counts_rows]


def said_columns(sample: TableSample, tool: str) -> dict[str, ValueColumn]:
    """Returns the columns of a sample that say something of units: words or numbers."""
    columns = {}
    for path, column in sample.columns.items():
        if column.kind in ("empty", "object", "text") or not _is_in_rows(path, sample):
            continue
        valued = value_column(coded(path, [plain_cell(cell) for cell in column.cells]), tool)
        if valued is not None and valued.values:
            columns[path] = valued
    return columns


def _is_in_rows(path: str, sample: TableSample) -> bool:
    """Whether rows have a cell at a path: one that goes through a list is not a row's own."""
    return path in sample.heads or any(
        cell_at(row, path) is not None for _, row in sample.rows[:_LOOKED_AT]
    )


def _beside(
    base: TableMapping,
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
    judge: str = "",
) -> dict[str, tuple[str, ...]]:
    """Returns the roles beside judge and people that a table has by their names: a cluster must be
    shared, a slice must be one of few, an id must be the unit's own; of several those that stand
    with the judge in an object."""
    roles: dict[str, tuple[str, ...]] = {}
    for role, columns in named.items():
        if role in base.columns or role in ("judge", "score", "people"):
            continue
        for column in sorted(columns, key=lambda column: not _is_with(column.path, judge)):
            if role in _TEXTS and column.path in values:
                continue
            if _fits(role, column):
                roles[role] = (column.path,)
                break
    return roles


def _is_with(path: str, judge: str) -> bool:
    """Whether a column stands in the same outer object as the judge's."""
    return "." in judge and path.split(".")[0] == judge.split(".")[0]


def _fits(role: str, column: TableColumn) -> bool:
    """Whether a column is like its role."""
    n, filled = column.n_distinct, len(column.filled)
    if role == "cluster":
        return 1 < n < filled
    if role in ("stratum", "system"):
        return 1 < n <= _FEW and n < filled
    if role in ("probability", "weight"):
        return column.kind == "number"
    return True


def _people(
    base: TableMapping,
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
) -> Sequence[str]:
    """Returns the columns with people's labels: those that are called so and say something, if
    only in some of their cells; what the others hold is asked about."""
    if "people" in base.columns:
        return base.columns["people"]
    called = [
        column.path
        for column in named["people"]
        if column.path in values or _says_something(column)
    ]
    who = role_names("analyse", "words")["who"]
    labels = [path for path in called if folded(path) not in who]
    return labels or called or numbered_people(values)


def _says_something(column: TableColumn) -> bool:
    """Whether most of the different cells of a column are verdicts or numbers."""
    if column.kind in ("empty", "object", "text"):
        return False
    texts = {cell_text(plain_cell(cell)) for cell in column.cells}
    return 2 * sum(map(is_verdict, texts)) > len(texts)


def numbered_people(columns: Iterable[str]) -> list[str]:
    """Returns the columns that are people's by a number, as `human_1` and `human_2`; none where
    they are of several kinds."""
    names = {*role_names("analyse")["people"], *role_names("labels")["annotator"]}
    numbered = [path for path in columns if _stem(path) in names and _stem(path) != folded(path)]
    if len({_stem(path) for path in numbered}) > 1:
        return []
    return numbered


def _stem(path: str) -> str:
    """Returns a column's name without the number at its end: `human` of `human_2`."""
    return folded(path).rstrip("0123456789").rstrip("_")


def check_judge(mapping: TableMapping, sample: TableSample) -> str:
    """A check: the judge's column says something of units."""
    path = mapping.column("judge")
    if path:
        return _why_nothing(mapping, sample, "judge", path)
    ways = _ways_to_judge(mapping, sample)
    if not ways:
        return (
            "no column can be a judge's: none but those that tell which a unit is or what it cost "
            "holds words such as yes and no, pass and fail, or numbers that may be verdicts."
            f"{_of_winners(sample)}"
        )
    return (
        "no column is the judge's by its name or by what it holds (words such as yes and no, "
        f"pass and fail, or numbers). Name it: {ways}."
    )


def _of_winners(sample: TableSample) -> str:
    """Returns how a column that says which text is better becomes a judge's; empty without one."""
    winners = sample.named(role_names("ratings", "words")["pair"])
    if not winners:
        return ""
    return (
        f" {winners[0].path!r} says which is better, and not of which you ask: add a column "
        "`judge` with 1 where it is yours, 0.5 for a tie, else 0."
    )


def _ways_to_judge(mapping: TableMapping, sample: TableSample) -> str:
    """Returns the options for the columns that may hold a judge's verdicts; empty where none is."""
    taken = [path for paths in mapping.columns.values() for path in paths]
    judges = possible_judges(sample, mapping.tool, taken)
    values = said_columns(sample, mapping.tool)
    people = mapping.columns.get("people", ())
    return " or ".join(judge_option(path, values, people) for path in judges[:_SHOWN])


def possible_judges(sample: TableSample, tool: str, taken: Sequence[str]) -> list[str]:
    """Returns the columns that may hold a judge's verdicts, whatever their names say.

    Args:
        taken: those that have another role.
    """
    values = said_columns(sample, tool)
    taken = [*taken, *_row_numbers(sample)]
    others = without_others(named_columns("analyse", sample), values, taken)
    return [path for path, valued in others.items() if may_be_verdicts(valued)]


def check_people(mapping: TableMapping, sample: TableSample) -> str:
    """A check: people's columns say something of units, and are not the judge's."""
    people = mapping.columns.get("people", ())
    if len({_stem(path) for path in people}) > 1 and not mapping.tool:
        ways = "; ".join(f"--column people={quote(path)}" for path in people)
        return f"people's labels may stand in {len(people)} columns. Say which: {ways}."
    for path in people:
        if path == mapping.column("judge"):
            return f"{path!r} is named for the judge and for people."
        why = _why_nothing(mapping, sample, "people", path)
        if why:
            return why
    return ""


def _why_nothing(mapping: TableMapping, sample: TableSample, role: str, path: str) -> str:
    """Returns why a column says nothing of units, and which do; empty where it does."""
    column = sample.columns.get(path)
    cells = [plain_cell(cell) for cell in column.cells] if column else []
    filled = coded(path, cells)
    if not filled.cells:
        return ""  # it may say something further below
    if value_column(filled, mapping.tool) is not None:
        return ""
    strange = [cell for cell in map(str, filled.cells) if not is_verdict(cell)]
    examples = ", ".join(repr(str(cell)[:40]) for cell in (strange or filled.cells)[:3])
    why = f"{path!r} holds {examples}, which says nothing of a unit that is known."
    if role == "people":
        return f"{why} Empty such cells, or go on without the column: --column people=none."
    ways = _ways_to_judge(mapping, sample)
    return f"{why} Columns that may be verdicts: {ways}." if ways else why


def check_ids(mapping: TableMapping, sample: TableSample) -> str:
    """A check: a unit's id stands once, or a cluster says what belongs together."""
    path = mapping.column("id")
    column = sample.columns.get(path)
    if not path or column is None or mapping.columns.get("cluster") or column.is_unique:
        return ""
    return (
        f"{path!r} is repeated. Rows of one id are a cluster: --column cluster={quote(path)}. Each "
        f"row is a unit of its own: --column id=none."
    )


def column_of_name(sample: TableSample, name: str) -> str:
    """Returns the column that a name stands for: of that name, or the only one with it on its path,
    as `faithfulness` for `metricsData.Faithfulness.score`; else the name.

    Raises:
        InputError: it is on the path of several columns that may be a judge's.
    """
    if name in sample.columns:
        return name
    steps = {path: {folded(step) for step in path.split(".")} for path in sample.columns}
    paths = [path for path, parts in steps.items() if folded(name) in parts]
    values = said_columns(sample, "")
    likely = [path for path in paths if path in values] or paths
    scores = [path for path in likely if path.endswith((".score", ".value", ".mean"))]
    for chosen in (likely, scores):
        if len(chosen) == 1:
            return chosen[0]
    ends = [path for path in likely if folded(path.rpartition(".")[2]) == folded(name)]
    if len(ends) > 1:
        ways = " or ".join(judge_option(path, values, ()) for path in ends[:_SHOWN])
        raise InputError(f"{sample.source}: {name!r} stands in {len(ends)} columns: {ways}.")
    return name
