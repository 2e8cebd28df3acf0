"""Which columns of a table may hold a judge's verdicts, by what they hold and by their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from factmark.analysis.evaluations.people_columns import is_of_people
from factmark.evaluated.columns import ValueColumn, is_verdict, scale_told, usual_scale
from factmark.evaluated.words import number_of
from factmark.intake.columns import TableColumn, TableSample, words_of
from factmark.intake.tools import is_beside, role_names
from factmark.text.shell import quote

_OTHERS = ("id", "cluster", "stratum", "system", "probability", "weight", "reference", "question")


def judge_columns(
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
    taken: Collection[str],
    *,
    is_checked: bool,
) -> Sequence[str]:
    """Returns the columns that may hold the judge's verdicts: those that are called so and hold
    some; else all of words, those that are called a score, and what stands in one object with
    these; with several of them, or where people's labels will tell, all that may be verdicts.

    Args:
        named: role -> the columns of its names.
        values: the columns that say something of units.
        taken: of them those that have another role.
        is_checked: whether people's labels will tell whether a column of numbers is the judge's.
    """
    others = without_others(named, values, taken)
    called = []
    for column in named["judge"]:
        has_verdicts = column.path in values or _has_any_verdict(column)
        if column.path not in taken and has_verdicts:
            called.append(column.path)
    if called:
        return called
    likely = []
    for path, valued in others.items():
        is_varied_word = valued.kind == "word" and len(valued.values) > 1
        if is_varied_word or is_called_score(path):
            likely.append(path)
    objects = {_object_of(path) for path in likely} - {""}
    likely = [path for path in others if path in likely or _object_of(path) in objects]
    if len(likely) > 1 or (not likely and is_checked):  # what is asked is asked of all
        likely += [path for path, valued in others.items() if may_be_verdicts(valued)]
    return list(dict.fromkeys(likely))


def _has_any_verdict(column: TableColumn) -> bool:
    """Whether any of a column's cells may be a verdict: it then is a judge's, whatever else it
    holds, and not the judges' names."""
    return any(map(is_verdict, set(column.texts)))


def without_others(
    named: Mapping[str, Sequence[TableColumn]],
    values: Mapping[str, ValueColumn],
    taken: Collection[str],
) -> dict[str, ValueColumn]:
    """Returns the columns that say something of units, without those that have another role, are
    called as if they had or as people's are, or tell what a unit cost or which it is."""
    left_out = {column.path for column in named["people"]}
    left_out.update(taken, *({c.path for c in named[role]} for role in _OTHERS))
    others = {}
    for path, valued in values.items():
        if path not in left_out and not is_beside(path) and not is_of_people(path):
            others[path] = valued
    return others


def _object_of(path: str) -> str:
    """Returns the object in which a column stands, by points or strokes in its name; empty for a
    column of the table itself."""
    return path[: max(path.rfind("."), path.rfind("/"), 0)]


def may_be_verdicts(column: ValueColumn) -> bool:
    """Whether values may be verdicts: words, or several shares or few ratings, not sizes, seconds
    or a setting that all rows have."""
    if column.kind == "word" and any(number_of(label) is None for label in column.labels):
        return True
    return len(column.values) > 1 and (column.is_in_shares or column.kind == "rating")


def one_of_alike(
    judges: Sequence[str], values: Mapping[str, ValueColumn], sample: TableSample
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Returns judges' columns without those that say the same of every unit as an earlier one of
    the same thing: a verdict that a tool writes several times, as a score and as a word. And column
    -> the others that say so, in words; empty where the sample is not the whole table."""
    if not sample.is_whole:
        return judges, {}
    groups: list[list[str]] = []
    for path in judges:
        same = [group for group in groups if _say_the_same(values, group[0], path)]
        if same:
            same[0].append(path)
        else:
            groups.append([path])
    alike = {}
    for group in groups:
        chosen = next(filter(is_called_score, group), group[0])
        alike[chosen] = ", ".join(repr(path) for path in group if path != chosen)
    return list(alike), alike


def _say_the_same(values: Mapping[str, ValueColumn], path: str, other: str) -> bool:
    """Whether two columns of the same thing, by their names, give all units the same, and not all
    one thing."""
    things, others = _things(path), _things(other)
    if not (things <= others or others <= things):
        return False
    if path not in values or other not in values or len(values[path].values) < 2:
        return False
    return bool(np.array_equal(values[path].numbers, values[other].numbers, equal_nan=True))


def _things(path: str) -> set[str]:
    """Returns the words of a column's name that say what is judged, and not by whom."""
    words = role_names("analyse", "words")
    return set(words_of(path)) - {*words["said"], *words["model"]}


def is_called_score(path: str) -> bool:
    """Whether words of a column's name are a name that judges' columns have in many tools.

    >>> is_called_score("metrics/faithfulness"), is_called_score("Bias[GEval]_score")
    (True, True)
    """
    words = f"_{'_'.join(words_of(path))}_"
    roles = role_names("analyse")
    return any(f"_{name}_" in words for name in (*roles["judge"], *roles["score"]))


def judge_option(path: str, values: Mapping[str, ValueColumn], people: Sequence[str]) -> str:
    """Returns what the user types to name a judge: with a scale where the columns do not show it,
    the most usual one."""
    option = f"--judge {quote(path)}"
    judged = values.get(path)
    if judged is None:
        return option
    others = [values[name] for name in people if name in values]
    if scale_told(judged, others) is None:
        scale = usual_scale([judged, *others])
        option += f" --scale {scale.low:g},{scale.high:g}"
    return option
