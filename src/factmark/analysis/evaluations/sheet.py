"""A sheet of units for people to label next, with the source's ids and their probabilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from factmark.analysis.evaluations.results import Analysis
from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.evaluated.corrected import is_of_words, people_labels
from factmark.evaluated.table import Evaluated
from factmark.files.flat_files import csv_writer
from factmark.files.nested import cell_at
from factmark.files.overwriting import Named, check_outputs
from factmark.files.problems import Problems
from factmark.files.text_files import without_surrogates, write_text
from factmark.intake.messages import chat_text
from factmark.stats.cells import tabulate
from factmark.stats.judge_line.drawn_by_residuals import (
    FEWEST,
    labels_by_stratum,
    strata_of_numbers,
)
from factmark.stats.planning import allot, pilot_strata
from factmark.stats.sampling import simple_random

_SHOWN = ("question", "passage", "reference", "response", "claim")
_FIRST = 100  # units on a sheet where nothing says how many
_EARLIER = "labelled before"


def sheet_of(analysis: Analysis, options: AnalyseOptions, path: Path) -> int:
    """Writes a sheet of units that nobody labelled; returns how many.

    They are drawn at random within each verdict, more of those that say more (Neyman's allocation);
    of numbers within ratings or sixths of the scores, more where people lie off the line, or at
    random where fewer than twenty labels tell that. `probability` is the share of these units that
    has a label or is drawn. The order is random. A sheet ends with the labels of an earlier one,
    so that it takes that one's place; by numbers with all labels, so that the next run weights
    them.

    Raises:
        InputError: the sheet is there already or is a file that is read, or nothing is left to
            label.
    """
    _check_place(path, options)
    table = analysis.given.evaluated
    labelled = ~np.isnan(table.people_means)
    if labelled.all():
        raise InputError(f"{options.table}: people labelled every unit; nothing is left to draw.")
    strata, wanted = _strata(analysis, options, int(labelled.sum()))
    totals = Counter(strata)
    open_places: defaultdict[str, list[int]] = defaultdict(list)
    for place in np.flatnonzero(~labelled).tolist():
        open_places[strata[place]].append(place)
    drawn: dict[int, float] = {}
    probability: dict[str, float] = {}
    for stratum, total in totals.items():
        places = open_places[stratum]
        done = total - len(places)
        most = max(0, wanted.get(stratum, 0) - done)
        sample = simple_random([str(place) for place in places], most, seed=options.seed)
        probability[stratum] = (done + len(sample.keys)) / total
        for key in sample.keys:
            drawn[int(key)] = probability[stratum]
    if not drawn:
        raise InputError(
            f"{options.table}: a half-width of {options.half_width:g} takes no further label. Draw "
            "some all the same: --labels 50."
        )
    order = simple_random([str(place) for place in drawn], len(drawn), seed=options.seed + 1)
    rows = [_SheetRow(place=int(key), probability=drawn[int(key)]) for key in order.keys]
    probabilities = [probability[stratum] for stratum in strata]
    rows += _earlier_labels(table, _written_again(analysis), probabilities)
    _write(analysis, path, rows)
    return len(drawn)


def _written_again(analysis: Analysis) -> set[str]:
    """Returns the people whose labels a sheet carries: not those that stand beside a judge's words
    in the table itself, which the next run reads there."""
    table = analysis.given.evaluated
    again = set(table.people)
    if is_of_words(table.judges[analysis.given.judge]):
        again -= set(analysis.given.mapping.columns.get("people", ()))
    return again


@dataclass(frozen=True, slots=True, kw_only=True)
class _SheetRow:
    """A row of a sheet: a unit to label, or a label that is there, with who gave it."""

    place: int
    probability: float
    label: str = ""
    annotator: str = ""


def _strata(
    analysis: Analysis, options: AnalyseOptions, done: int
) -> tuple[list[str], dict[str, int]]:
    """Returns the stratum of each unit, and how many labels each is to have in all, those that are
    there included: verdicts by Neyman's allocation; of numbers by how far people lie off the line,
    as far as labels tell it."""
    table, how = analysis.given.evaluated, analysis.how
    column = table.judges[analysis.given.judge]
    more = options.labels
    if more is None:
        more = max(0, (analysis.evaluation.wanted or done + _FIRST) - done)
    total = done + more
    people = people_labels(table, how)
    if not is_of_words(column):
        if done < FEWEST:
            return ["all"] * len(table), {"all": total}
        codes = strata_of_numbers(column.numbers)
        wanted = labels_by_stratum(column.numbers, people.values, codes, total, people.drawing)
        return list(map(str, codes.tolist())), {str(code): n for code, n in enumerate(wanted)}
    cells = tabulate(column.texts, people.values)
    return list(map(_name, column.texts)), allot(pilot_strata(cells), total, len(table))


def _earlier_labels(
    table: Evaluated, names: Collection[str], probabilities: Sequence[float]
) -> Iterator[_SheetRow]:
    """Yields the labels that some people gave, with the probabilities that they have now: the units
    of a sheet by numbers are weighted, and so are these."""
    for name, column in table.people.items():
        if name not in names:
            continue
        for place, label in enumerate(column.texts):
            if label is not None:
                probability = probabilities[place]
                yield _SheetRow(place=place, probability=probability, label=label, annotator=name)


def _name(verdict: str | None) -> str:
    """Returns a verdict's name among the strata of a plan."""
    return "no verdict" if verdict is None else verdict


def _check_place(path: Path, options: AnalyseOptions) -> None:
    """Raises InputError where a sheet would take the place of a file that is read, or of one that
    is there and not to be replaced."""
    inputs: list[Named] = [("FILE", options.table)]
    if options.labels_file is not None:
        inputs.append(("LABELS", options.labels_file))
    if options.mapping is not None:
        inputs.append(("--mapping", options.mapping))
    check_outputs([("--sheet", path)], inputs)
    if path.exists() and not options.replace:
        raise InputError(f"{path}: is there already. Name another, or say --replace.")


def _write(analysis: Analysis, path: Path, sheet: Sequence[_SheetRow]) -> None:
    """Writes the sheet: id, what people read, label, and the probability of a label."""
    mapping, table = analysis.given.mapping, analysis.given.evaluated
    shown = [column for role in _SHOWN for column in mapping.columns.get(role, ())[:1]]
    wanted = {row.place for row in sheet}
    rows: dict[int, Mapping[str, Any]] = {}
    for place, (_, row) in enumerate(analysis.given.file.rows(Problems())):
        if place in wanted:
            rows[place] = row
    out = StringIO()
    write = csv_writer(out)
    write(["id", *shown, "label", "annotator", "comment", "probability"])
    for each in sheet:
        texts = [_text(cell_at(rows[each.place], column)) for column in shown]
        comment = ""
        if each.label:
            comment = _EARLIER
        given = [each.label, each.annotator, comment, each.probability]
        write([table.ids[each.place], *texts, *given])
    write_text(path, without_surrogates(out.getvalue()))


def _text(cell: Any) -> str:
    """Returns a cell as people read it: a chat with who says what, other lists a part a line."""
    cell = chat_text(cell)
    if isinstance(cell, list | tuple):
        return "\n".join(map(_text, cell))
    return "" if cell is None else str(cell)
