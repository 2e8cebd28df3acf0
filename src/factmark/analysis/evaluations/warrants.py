"""Who says that a column is the judge's, people's, or tells how units were drawn.

The user, the form of a tool, or a name whose meaning the rows bear out. What has none of these is
asked for: a mean over the numbers of people, or weighted by a classifier's probabilities, is a
figure of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

import numpy as np

from factmark.analysis.evaluations.columns import possible_judges
from factmark.analysis.evaluations.judge_columns import is_called_score
from factmark.analysis.evaluations.people_columns import (
    is_peoples_beside,
    may_be_of_peoples_answers,
)
from factmark.errors import InputError
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.table import Evaluated
from factmark.intake.columns import folded, words_of
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Named
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shell import quote

_SURE = 2.0  # standard errors
_CERTAIN = 4.0
_ALIKE = 0.3  # of the correlation of two who judge the same answers
_DERIVED = 8  # units: people part fewer of them by a judge's score as it happens


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTable:
    """A table whose columns were read to their ends.

    Attributes:
        file: it.
        mapping: which column holds what.
        named: what the user says of its columns.
        table: what judge and people say of its units.
        judge: the judge's name.
    """

    file: TableFile
    mapping: TableMapping
    named: Named
    table: Evaluated
    judge: str

    def is_told(self, role: str) -> bool:
        """Whether the user names the columns of a role, or the form of a tool does."""
        form = self.file.form
        is_of_tool = bool(self.mapping.tool) and form is not None and role in form.columns
        return role in self.named.columns or self.named.mapping is not None or is_of_tool


def check_warrants(read: ReadTable) -> None:
    """Raises InputError where nothing says that a column is what it is read as, with the options
    for what it may be."""
    whys = [*_why_not_people(read), *_why_not_drawn(read), *_why_not_judge(read)]
    if whys:
        raise InputError(f"{read.file.path}: {whys[0]}")


def without_copies(read: ReadTable) -> tuple[Evaluated, TableMapping]:
    """Returns a table, and its mapping, without columns that are called people's and say again what
    the judge says: where people's labels stand in a file of their own, nobody needs to be asked."""
    if read.is_told("people"):
        return read.table, read.mapping
    judged = read.table.judges[read.judge]
    people = dict(read.table.people)
    for name, column in read.table.people.items():
        if _why_copied(column, judged):
            del people[name]
    if len(people) == len(read.table.people):
        return read.table, read.mapping
    mapping = read.mapping.with_columns({"people": tuple(people)})
    return replace(read.table, people=people), mapping


def _why_not_judge(read: ReadTable) -> Iterator[str]:
    """Yields why nothing says that the judge's column is one: neither its name, nor that it goes
    with people's labels."""
    judge, people = read.judge, read.table.people
    if read.is_told("judge") or _is_named_so(judge):
        return
    if any(_goes_with(read.table.judges[judge], labels) for labels in people.values()):
        return
    why = "there are no labels by people to test it by"
    if people:
        why = f"it does not go with {', '.join(map(repr, people))}"
    yield (
        f"no name says that {judge!r} holds a judge's verdicts, and {why}. If it does: --judge "
        f"{quote(judge)}. {_if_people_gave(read.file, judge)}"
    )


def _if_people_gave(file: TableFile, path: str) -> str:
    """Returns what to do if people gave a column: name it and a judge's, if there may be one."""
    judges = possible_judges(file.sample, file.tool, [path])
    if not judges:
        return "If people gave it, no other column holds a judge's verdicts."
    return f"If people gave it: --column people={quote(path)} --judge {quote(judges[0])}."


def _is_named_so(judge: str) -> bool:
    """Whether a column's name is one that judges have, or begins with that of a model."""
    first = words_of(judge.rpartition(".")[2])[0].rstrip("0123456789")
    return is_called_score(judge) or first in role_names("analyse", "words")["model"]


def _goes_with(judged: ValueColumn, people: ValueColumn) -> bool:
    """Whether two columns say the same of units more often than chance would."""
    correlation, n = _correlation(judged, people)
    return correlation * sqrt(n) > _SURE


def _correlation(judged: ValueColumn, people: ValueColumn) -> tuple[float, int]:
    """Returns the correlation of two columns, 0 where one of them says the same of all units, and
    of how many units."""
    is_both = (judged.codes >= 0) & (people.codes >= 0)
    numbers = judged.numbers[is_both]
    others = people.numbers[is_both]
    if len(numbers) < 2 or np.ptp(numbers) == 0 or np.ptp(others) == 0:
        return 0.0, len(numbers)
    return float(np.corrcoef(numbers, others)[0, 1]), len(numbers)


def _why_not_people(read: ReadTable) -> Iterator[str]:
    """Yields why a column that is called people's may hold something else."""
    if read.is_told("people"):
        return
    judged = read.table.judges[read.judge]
    for name in read.mapping.columns.get("people", ()):
        people = read.table.people.get(name)
        if people is None:
            continue
        why = _why_not_labels(name, people, judged)
        if why:
            yield (
                f"{name!r} {why}. If people gave it: --column people={quote(name)}. If not: "
                "--column people=none."
            )


def _why_not_labels(name: str, people: ValueColumn, judged: ValueColumn) -> str:
    """Returns why a column may hold no labels by people; empty where nothing says so."""
    copied = _why_copied(people, judged)
    if copied:
        return copied
    is_who = folded(name) in role_names("analyse", "words")["who"]
    if is_who and people.kind != "word" and not _goes_with(judged, people):
        return f"does not go with {judged.name!r}, and may number those who labelled"
    if _is_named_by_a_word(judged.name, name) and not _goes_with(judged, people):
        return f"does not go with {judged.name!r}, and is people's by a word of its name alone"
    correlation, _ = _correlation(judged, people)
    if may_be_of_peoples_answers(judged.name, name) and correlation < _ALIKE:
        return (
            f"hardly goes with {judged.name!r} (correlation {correlation:.2f}), and may be of "
            "answers that people wrote"
        )
    return ""


def _why_copied(people: ValueColumn, judged: ValueColumn) -> str:
    """Returns why a column is the judge's verdict once more; empty where it is not."""
    is_full = bool((people.codes >= 0).all()) and len(people.codes) > 1
    if not is_full or len(set(people.values)) < 2:
        return ""
    if np.array_equal(people.numbers, judged.numbers, equal_nan=True):
        return f"says the same as {judged.name!r} of every unit, as a copy does"
    if _is_derived(people, judged):
        return f"follows from {judged.name!r} in every unit, as what a threshold makes of it"
    return ""


def _is_named_by_a_word(judge: str, path: str) -> bool:
    """Whether a column has neither a name that people's have in many tools, nor is called as the
    judge's but for the people."""
    names = {*role_names("analyse")["people"], *role_names("labels")["annotator"]}
    name = folded(path.rpartition(".")[2])
    is_known = name in names or name.rstrip("0123456789").rstrip("_") in names
    return not is_known and not is_peoples_beside(judge, path)


def _is_derived(people: ValueColumn, judged: ValueColumn) -> bool:
    """Whether each value of people's has a stretch of the judge's numbers for itself, of which
    there are more: a judge's own label does, and hardly ever what people say of many units."""
    numbers = judged.numbers
    if np.isnan(numbers).any() or len(numbers) < _DERIVED:
        return False
    if len(np.unique(numbers)) <= len(np.unique(people.numbers)):
        return False
    held = [numbers[people.numbers == value] for value in np.unique(people.numbers)]
    held.sort(key=np.min)
    return all(below.max() < above.min() for below, above in pairwise(held))


def _why_not_drawn(read: ReadTable) -> Iterator[str]:
    """Yields why a column may say something else than how units were drawn for labels: its name
    does not say that it does, and the number of labels does not either."""
    drawn, people = read.table.probability, list(read.table.people.values())
    if drawn is None or not people:
        return
    is_labelled = np.any([column.codes >= 0 for column in people], axis=0)
    given = np.clip(np.nan_to_num(drawn, nan=0.0), 0.0, 1.0)
    spread = sqrt(float(np.sum(given * (1 - given))))
    is_likely = is_labelled.sum() <= given.sum() + _CERTAIN * spread and not is_labelled.all()
    for role in ("probability", "weight"):
        path = read.mapping.column(role)
        if not path or read.is_told(role) or is_likely or _is_named_drawn(path):
            continue
        yield (
            f"{path!r} may say with what {role} people were given a unit, or something else: "
            f"{int(is_labelled.sum()):,} of {len(is_labelled):,} units have labels. If it does: "
            f"--column {role}={quote(path)}. If not: --column {role}=none."
        )


def _is_named_drawn(path: str) -> bool:
    """Whether a column's name says that it tells how units were drawn."""
    return bool(set(words_of(path)) & set(role_names("analyse", "words")["drawn"]))
