"""Whether a column that no name calls a judge's is one: tested by people's labels, or asked."""

from __future__ import annotations

from math import sqrt

import numpy as np

from factmark.analysis.evaluations.columns import possible_judges
from factmark.analysis.evaluations.judge_columns import is_called_score
from factmark.errors import InputError
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.table import Evaluated
from factmark.intake.columns import words_of
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Named
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shell import quote

_SURE = 2.0  # standard errors


def check_guess(
    file: TableFile, mapping: TableMapping, named: Named, table: Evaluated, judge: str
) -> None:
    """Raises InputError where nothing says that the judge's column is one: neither the user, nor
    the form of a tool, nor its name, nor that it goes with people's labels."""
    is_of_tool = file.form is not None and mapping.tool and "judge" in file.form.columns
    if "judge" in named.columns or named.mapping is not None or is_of_tool or _is_named_so(judge):
        return
    judged = table.judges[judge]
    if any(_goes_with(judged, people) for people in table.people.values()):
        return
    why = "there are no labels by people to test it by"
    if table.people:
        why = f"it does not go with {', '.join(map(repr, table.people))}"
    raise InputError(
        f"{file.path}: no name says that {judge!r} holds a judge's verdicts, and {why}. If it "
        f"does: --judge {quote(judge)}. {_if_people_gave(file, judge)}"
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
    is_both = (judged.codes >= 0) & (people.codes >= 0)
    numbers = judged.numbers[is_both]
    others = people.numbers[is_both]
    if len(numbers) < 2 or np.ptp(numbers) == 0 or np.ptp(others) == 0:
        return False
    correlation = float(np.corrcoef(numbers, others)[0, 1])
    return correlation * sqrt(len(numbers)) > _SURE
