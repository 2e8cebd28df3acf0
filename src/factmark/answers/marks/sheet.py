"""A sheet of answers for people to mark in a spreadsheet, and what they marked, read back.

A CSV file, one answer a row: `row`, `query_id`, `question`, `ground_truth` and `answer` are to be
read, `annotator`, `facts`, `verdict`, `absence` and `comment` to be filled in. A row counts where
`annotator` is filled in. `row` names the answer by its content, since spreadsheets rewrite cells
(dates, leading zeros); which model or condition it is of stands nowhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from factmark.answers.core.records import ScoredAnswer
from factmark.errors import InputError
from factmark.files.flat_files import csv_writer, unguard_formula
from factmark.files.rows import strict_rows
from factmark.files.text_files import write_text
from factmark.model import content_hash
from factmark.stats.sampling import simple_random

SHEETS = (".csv", ".tsv")
"""How the name of a sheet may end."""

COLUMNS = (
    *("row", "query_id", "question", "ground_truth", "answer"),
    *("annotator", "facts", "verdict", "absence", "comment"),
)
_NEEDED = ("row", "query_id", "annotator", "facts", "verdict", "absence")
_YES = {"yes": True, "true": True, "x": True, "1": True}
_NO = {"no": False, "false": False, "": False, "0": False}


def row_name(query_id: str, answer: str) -> str:
    """The id of an answer in a sheet: a hash of the question's id and the answer's text."""
    return content_hash("marks", query_id.strip(), answer)[:16]


def draw(
    answers: Iterable[ScoredAnswer], marked: Mapping[str, object], each: int, seed: int
) -> tuple[ScoredAnswer, ...]:
    """So many answers of each model and condition, drawn at random, in random order.

    The conditions share their questions as far as they can: people look up a ground truth once, and
    differences are closer. Answers in the same words to one question come once. A larger number
    with the same seed adds to a smaller one.

    Args:
        marked: ids of the answers that people have marked; they count, and are left out.
    """
    systems: dict[tuple[str, str], dict[str, ScoredAnswer]] = {}
    times: Counter[tuple[str, str, str]] = Counter()  # that a system answered a question
    for row in answers:
        answer = row.answer
        again = times[answer.model, answer.condition, answer.query_id]
        times[answer.model, answer.condition, answer.query_id] += 1
        keyed = systems.setdefault((answer.model, answer.condition), {})
        keyed[f"{answer.query_id}\0{again}"] = row
    drawn = {
        row_name(row.answer.query_id, row.answer.text): row
        for keyed in systems.values()
        for row in map(keyed.__getitem__, simple_random(keyed, each, seed=seed).keys)
        if row.answer.id not in marked
    }
    return tuple(map(drawn.__getitem__, simple_random(drawn, len(drawn), seed=seed).keys))


def write_sheet(path: Path, answers: Sequence[ScoredAnswer]) -> None:
    """Writes the sheet of these answers in their order, without anything that a judge said."""
    out = StringIO()
    write = csv_writer(out)
    write(COLUMNS)
    for row in answers:
        question = row.question
        text = row.answer.text
        truth = "\n".join(question.ground_truth or ()) or "(nothing)"
        name = row_name(question.query_id, text)
        write([name, question.query_id, question.text, truth, text, *[""] * 5])
    write_text(path, out.getvalue())


def read_sheet(path: Path) -> Iterator[tuple[str, str, dict[str, dict[str, Any]]]]:
    """The rows that are filled in: place, name of the answer, and annotator -> marks.

    Marks are as in annotated answers: `facts` with a quote each, `verdict`, `absence`.

    Raises:
        InputError: it is no such sheet, or a row is filled in otherwise than asked.
    """
    rows: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {}
    for where, row in strict_rows(path):
        for name in _NEEDED:
            if name not in row:
                raise InputError(
                    f"{path}: no column {name!r}; `factmark plan --answers` writes such a sheet."
                )
        cells = {name: unguard_formula(str(row.get(name) or "")) for name in COLUMNS}
        annotator = cells["annotator"].strip()
        if not annotator:
            if any(cells[name].strip() for name in ("facts", "verdict", "absence")):
                raise InputError(f"{where}: marks without an annotator; name who made them.")
            continue
        _, marks = rows.setdefault(cells["row"].strip(), (where, {}))
        if annotator in marks:
            raise InputError(f"{where}: {annotator} marks this answer here and above.")
        marks[annotator] = _checked_marks(where, cells)
    if not rows:
        raise InputError(f"{path}: no row is filled in; a row counts where it names an annotator.")
    for name, (where, marks) in rows.items():
        yield where, name, marks


def _checked_marks(where: str, cells: Mapping[str, str]) -> dict[str, Any]:
    """The marks in the cells of a row; raises InputError for a cell that is none of the choices."""
    absence = cells["absence"].strip().casefold()
    if absence not in _YES | _NO:
        raise InputError(f"{where}: absence is yes, or left empty, not {cells['absence']!r:.60}.")
    verdict = cells["verdict"].strip().casefold()
    if verdict not in ("yes", "no", ""):
        raise InputError(f"{where}: verdict is yes, no, or left empty, not {verdict!r:.60}.")
    quotes = (part.strip() for part in re.split(r"[\n|]", cells["facts"]))
    return {
        "facts": [{"quote": quote} for quote in quotes if quote],
        "verdict": verdict or None,
        "absence": (_YES | _NO)[absence],
    }


def as_it_stands(quote: str, answer: str) -> str:
    """The quote in the answer's own letters; unchanged where the answer does not hold it."""
    wanted = r"\s+".join(map(re.escape, quote.split()))
    match = None
    if wanted:
        match = re.search(wanted, answer, re.IGNORECASE)
    if match:
        return match[0]
    return quote
