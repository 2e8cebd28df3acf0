"""Which column of a table holds the judge's verdicts, and which people's labels: proposed, tested.

A column that says something of units holds words of the vocabulary or numbers, on the whole column.
Which of several is the judge's nothing but a name tells; where no name does, the user does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from factmark.evaluated.coding import coded
from factmark.evaluated.columns import ValueColumn, value_column
from factmark.evaluated.words import worth_of_word
from factmark.intake.column_reader import plain_cell
from factmark.intake.columns import TableColumn, TableSample, folded
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Propose, Reading
from factmark.intake.tools import named_columns, role_names

_TEXTS = ("claim", "response", "question", "passage", "reference")
_FEW = 50  # slices
_MACHINES = ("model", "judge", "llm", "auto", "ai", "machine")
_SHOWN = 4  # columns that may be the judge's


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
        is_checked = bool(people) or has_labels or any(map(_is_of_people, values))
        judges = _judges(base, named, values, taken, is_checked=is_checked)
        if has_labels and people and not judges and "people" not in base.columns:
            judges, people = people, ()  # the only labels in it are the judge's
        pairs = {} if has_labels or "people" in base.columns else values
        yield from _readings(base, judges, people, beside, pairs)

    return propose


def _readings(
    base: TableMapping,
    judges: Sequence[str],
    people: Sequence[str],
    beside: Mapping[str, tuple[str, ...]],
    values: Mapping[str, ValueColumn],
) -> Iterator[Reading]:
    """Yields a reading for each of some judges, beside the people's column of the same thing where
    none is called people's; one without where there is none."""
    if not judges:
        yield Reading(mapping=base, says="no judge", options="--judge NAME")
    for judge in judges:
        columns = {**beside, **base.columns, "judge": (judge,)}
        of_people = people or [path for path in values if is_beside(judge, path)]
        if of_people:
            columns["people"] = tuple(of_people)
        yield Reading(
            mapping=base.with_columns(columns),
            says=f"the judge is {judge!r}",
            options=f"--judge {quote(judge)}",
            is_sure=len(judges) == 1,
        )


def said_columns(sample: TableSample, tool: str) -> dict[str, ValueColumn]:
    """Returns the columns of a sample that say something of units: words or numbers."""
    columns = {}
    for path, column in sample.columns.items():
        if column.kind in ("empty", "object", "text"):
            continue
        valued = value_column(coded(path, [plain_cell(cell) for cell in column.cells]), tool)
        if valued is not None and valued.values:
            columns[path] = valued
    return columns


def _beside(
    base: TableMapping,
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
) -> dict[str, tuple[str, ...]]:
    """Returns the roles beside judge and people that a table has by their names: a cluster must be
    shared, a slice must be one of few, an id must be the unit's own."""
    roles: dict[str, tuple[str, ...]] = {}
    for role, columns in named.items():
        if role in base.columns or role in ("judge", "score", "people"):
            continue
        for column in columns:
            if role in _TEXTS and column.path in values:
                continue
            if _fits(role, column):
                roles[role] = (column.path,)
                break
    return roles


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
    """Returns the columns with people's labels: those that are called so and say something."""
    if "people" in base.columns:
        return base.columns["people"]
    called = [column.path for column in named["people"] if column.path in values]
    return called or numbered_people(values)


def numbered_people(columns: Iterable[str]) -> list[str]:
    """Returns the columns that are people's by a number, as `human_1` and `human_2`; none where
    they are of several kinds."""
    names = {*role_names("analyse")["people"], *role_names("labels")["annotator"]}
    numbered = [path for path in columns if _stem(path) in names and _stem(path) != folded(path)]
    if len({_stem(path) for path in numbered}) > 1:
        return []
    return numbered


def is_beside(judge: str, path: str) -> bool:
    """Whether a column is people's of the same thing as a judge's, by its name.

    >>> is_beside("factuality_model_score", "factuality_human_score")
    True
    >>> is_beside("gpt4_style", "human_style"), is_beside("gpt4_style", "human_tone")
    (True, False)
    """
    models = {*role_names("analyse", "words")["model"], *_MACHINES}
    of_judge = {word for word in _words(judge) if word.rstrip("0123456789") not in models}
    return _is_of_people(path) and of_judge == _words(path) - _people_words()


def _is_of_people(path: str) -> bool:
    """Whether a word of a column's name says that people gave what it holds."""
    return bool(_words(path) & _people_words())


def _words(path: str) -> set[str]:
    """Returns the words of a column's name."""
    return set(folded(path).split("_"))


def _people_words() -> set[str]:
    """Returns the words that columns of people are called by."""
    return set(role_names("analyse", "words")["people"])


def _stem(path: str) -> str:
    """Returns a column's name without the number at its end: `human` of `human_2`."""
    return folded(path).rstrip("0123456789").rstrip("_")


def _judges(
    base: TableMapping,
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
    beside: Iterable[str],
    *,
    is_checked: bool,
) -> Sequence[str]:
    """Returns the columns that may hold the judge's verdicts: the one that is called so; else all
    of words, and of numbers those that are called a score; else all of numbers."""
    if "judge" in base.columns:
        return base.columns["judge"]
    taken = {column.path for column in named["people"]}
    taken.update(beside, *base.columns.values())
    taken.update(filter(_is_of_people, values))
    others = {path: valued for path, valued in values.items() if path not in taken}
    called = [column.path for column in named["judge"] if column.path not in taken]
    if called:
        return called
    scores = {column.path for column in named["score"]}
    varied = {path: valued for path, valued in others.items() if len(valued.values) > 1}
    likely = [path for path, valued in varied.items() if valued.kind == "word" or path in scores]
    if likely or not is_checked:
        return likely
    return [path for path, valued in varied.items() if _are_verdicts(valued)]


def _are_verdicts(column: ValueColumn) -> bool:
    """Whether numbers may be verdicts: shares, or few ratings, not counts, sizes or seconds."""
    return column.is_in_shares or column.kind == "rating"


def _is_counted(column: TableColumn) -> bool:
    """Whether a column's name says that it numbers things: an id, or a place in a list."""
    return bool({"id", "place"} & set(column.name.split("_")))


def check_judge(mapping: TableMapping, sample: TableSample) -> str:
    """A check: the judge's column says something of units."""
    path = mapping.column("judge")
    if not path:
        taken = {path for paths in mapping.columns.values() for path in paths}
        values = said_columns(sample, mapping.tool)
        likely = []
        for column, valued in values.items():
            is_varied = len(valued.values) > 1 and _are_verdicts(valued)
            is_varied = is_varied and not _is_of_people(column)
            if is_varied and column not in taken and not _is_counted(sample.columns[column]):
                likely.append(f"--judge {quote(column)}")
        ways = " or ".join(likely[:_SHOWN])
        return (
            "no column is the judge's by its name or by what it holds (words such as yes and no, "
            f"pass and fail, or numbers). Name it: {ways or '--judge NAME'}."
        )
    return _why_nothing(sample, path, mapping.tool)


def check_people(mapping: TableMapping, sample: TableSample) -> str:
    """A check: people's columns say something of units, and are not the judge's."""
    people = mapping.columns.get("people", ())
    if len({_stem(path) for path in people}) > 1 and not mapping.tool:
        ways = "; ".join(f"--column people={quote(path)}" for path in people)
        return f"people's labels may stand in {len(people)} columns. Say which: {ways}."
    for path in people:
        if path == mapping.column("judge"):
            return f"{path!r} is named for the judge and for people."
        why = _why_nothing(sample, path, mapping.tool)
        if why:
            return why
    return ""


def _why_nothing(sample: TableSample, path: str, tool: str) -> str:
    """Returns why a column says nothing of units; empty where it does."""
    column = sample.columns.get(path)
    cells = [plain_cell(cell) for cell in column.cells] if column else []
    filled = coded(path, cells)
    if not filled.cells:
        return ""  # it may say something further below
    if value_column(filled, tool) is not None:
        return ""
    strange = [cell for cell in filled.cells if worth_of_word(str(cell)) is None]
    examples = ", ".join(repr(str(cell)[:40]) for cell in (strange or filled.cells)[:3])
    return f"{path!r} holds {examples}, which says nothing of a unit that is known."


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
    as `faithfulness` for `metricsData.Faithfulness.score`; else the name."""
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
    return name
