"""A sheet of units for people to label next, with the source's ids and their probabilities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from factmark.analysis.evaluations.results import Analysis
from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.files.flat_files import csv_writer
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.text_files import without_surrogates, write_text
from factmark.stats.cells import tabulate
from factmark.stats.planning import allot, pilot_strata
from factmark.stats.sampling import simple_random

_SHOWN = ("question", "passage", "reference", "response", "claim")
_FIRST = 100  # units on a sheet where nothing says how many


def sheet_of(analysis: Analysis, options: AnalyseOptions, path: Path) -> int:
    """Writes a sheet of units that nobody labelled; returns how many.

    They are drawn at random within each verdict, more of those that say more (Neyman's allocation);
    of numbers, at random. `probability` is the share of its verdict's units that a drawn unit
    stands for, the ones that were labelled before included. The order is random.

    Raises:
        InputError: the sheet is there already, or nothing is left to label.
    """
    if path.exists() and not options.replace:
        raise InputError(f"{path}: is there already. Name another, or say --replace.")
    table = analysis.given.evaluated
    labelled = ~np.isnan(table.people_means)
    column = table.judges[analysis.given.judge]
    verdicts = column.texts
    if column.kind != "word" and len(column.values) > 2:
        verdicts = ["all"] * len(table)
    by_verdict: defaultdict[str | None, list[int]] = defaultdict(list)
    for place in np.flatnonzero(~labelled).tolist():
        by_verdict[verdicts[place]].append(place)
    if not by_verdict:
        raise InputError(f"{options.table}: people labelled every unit; nothing is left to draw.")
    wanted = _wanted(analysis, options, verdicts, labelled)
    drawn: dict[int, float] = {}
    for verdict, places in by_verdict.items():
        total = sum(name == verdict for name in verdicts)
        done = total - len(places)
        most = max(0, wanted.get(_name(verdict), 0) - done)
        sample = simple_random([str(place) for place in places], most, seed=options.seed)
        for key in sample.keys:
            drawn[int(key)] = (done + len(sample.keys)) / total
    if not drawn:
        raise InputError(
            f"{options.table}: a half-width of {options.half_width:g} takes no further label. Draw "
            "some all the same: --labels 50."
        )
    order = simple_random([str(place) for place in drawn], len(drawn), seed=options.seed + 1)
    _write(analysis, path, [int(key) for key in order.keys], drawn)
    return len(drawn)


def _wanted(
    analysis: Analysis,
    options: AnalyseOptions,
    verdicts: Sequence[str | None],
    labelled: Any,
) -> dict[str, int]:
    """Returns verdict -> labels that are wanted in all, those that are there included."""
    table = analysis.given.evaluated
    done = int(labelled.sum())
    more = options.labels
    if more is None:
        more = max(0, (analysis.evaluation.wanted or done + _FIRST) - done)
    means = table.people_means
    scale = analysis.how.scale
    values = {}
    for place in np.flatnonzero(labelled).tolist():
        values[place] = scale.share(float(means[place]))
    cells = tabulate(verdicts, values)
    return allot(pilot_strata(cells), done + more, len(table))


def _name(verdict: str | None) -> str:
    """Returns a verdict's name among the strata of a plan."""
    return "no verdict" if verdict is None else verdict


def _write(
    analysis: Analysis, path: Path, places: Sequence[int], probability: Mapping[int, float]
) -> None:
    """Writes the sheet: id, what people read, label, and the probability of being drawn."""
    mapping, table = analysis.given.mapping, analysis.given.evaluated
    shown = [column for role in _SHOWN for column in mapping.columns.get(role, ())[:1]]
    wanted = set(places)
    rows: dict[int, Mapping[str, Any]] = {}
    for place, (_, row) in enumerate(analysis.given.file.rows(Problems())):
        if place in wanted:
            rows[place] = row
    out = StringIO()
    write = csv_writer(out)
    write(["id", *shown, "label", "annotator", "comment", "probability"])
    for place in places:
        texts = [_text(cell_at(rows[place], column)) for column in shown]
        write([table.ids[place], *texts, "", "", "", probability[place]])
    write_text(path, without_surrogates(out.getvalue()))


def _text(cell: Any) -> str:
    """Returns a cell as people read it; parts of a list on lines of their own."""
    if isinstance(cell, list | tuple):
        return "\n".join(map(_text, cell))
    return "" if cell is None else str(cell)
