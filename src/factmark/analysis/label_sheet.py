"""Sheets on which people label units: written, and read back into the ledger.

A sheet is a CSV file with the columns `unit`, `annotator`, `label`, and if wanted `comment`; other
columns are for the annotator to read. Any file of that form can be imported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from factmark.errors import InputError
from factmark.files.flat_files import csv_writer
from factmark.files.problems import Problems
from factmark.files.rows import Row, has_broken_bytes, read_rows
from factmark.files.text_files import write_text
from factmark.graphrag.campaign import answer_evidence
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import labels_of, units_by_id
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.forms import GRAPHRAG, KINDS

SHEET = ("unit", "claim", "passage", "labels", "annotator", "label", "comment")
_READ = ("unit", "annotator", "label", "comment")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelImport:
    """What an import brought: labels, of them such as say something new, and rows left out.

    Attributes:
        empty: rows without a label.
        unknown: the first labelled unit that the ledger does not have, and how many rows have such.
    """

    labels: int
    annotators: tuple[str, ...]
    empty: int
    unknown: tuple[str, int]
    new: int


def write_sheet(path: Path, units: Sequence[Unit], items: Mapping[str, Item]) -> None:
    """Writes a sheet for annotators: the units in their order, without anything that a judge said.

    The claim of a GraphRAG answer is the answer, its passage the question with the reference.

    Args:
        items: by their ids, of such answers.
    """
    out = StringIO()
    write = csv_writer(out)
    write(SHEET)
    for unit in units:
        is_answer = unit.kind == GRAPHRAG.kind
        passage = answer_evidence(items[unit.item]) if is_answer else unit.data.get("passage")
        allowed = " / ".join(KINDS.get(unit.kind, ()))
        write([unit.id, unit.text, str(passage or ""), allowed, "", "", ""])
    write_text(path, out.getvalue())


def import_labels(path: Path, ledger: Ledger, encoding: str = "utf-8") -> LabelImport:
    """Adds the labels of a file to a ledger: all of them, or none where one is wrong. Returns what
    came of it.

    Rows without a label, and those of units that are not judged yet, are counted and left out. A
    label takes the place of what the same person said before; the same file a second time changes
    nothing.

    Raises:
        InputError: for a missing column, a label that units do not have, with the line; where the
            ledger knows none of the units.
    """
    problems = Problems()
    rows = [_cells(f"{path}, {where}", row) for where, row in read_rows(path, problems, encoding)]
    if sentences := problems.sentences():
        raise InputError(f"{path}: {sentences[0]}")
    given = [cells for cells in rows if cells["label"]]
    units = units_by_id(ledger, {cells["unit"] for cells in given})
    strange = [cells for cells in given if cells["unit"] not in units]
    if given and len(strange) == len(given):
        raise InputError(
            f"{given[0]['where']}: the ledger has no unit {given[0]['unit']!r}, nor any other. "
            "Judge the units first, and take their names from `factmark plan --sheet` or "
            "`factmark ledger export`."
        )
    given = [cells for cells in given if cells["unit"] in units]
    values = {
        kind: KINDS.get(kind) or labels_of(ledger, kind)
        for kind in {unit.kind for unit in units.values()}
    }
    verdicts: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    for cells in given:
        annotator, unit = cells["annotator"], units[cells["unit"]]
        verdict = _person_verdict(cells, unit, values[unit.kind])
        if verdicts[annotator].setdefault(unit.id, verdict).label != verdict.label:
            raise InputError(
                f"{cells['where']}: {annotator} labels unit {unit.id!r} here and above, "
                "differently."
            )
        verdicts[annotator][unit.id] = verdict
    before = ledger.counts()["verdicts"]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with ledger.writing():
        for annotator, given_by in sorted(verdicts.items()):
            judge = Judge.create("person", annotator)
            ledger.add_judge(judge)
            for verdict in given_by.values():
                ledger.add_verdict(verdict, now)
            ledger.add_import(judge, {"labels": path.name}, now)
    return LabelImport(
        labels=len(given),
        annotators=tuple(sorted(verdicts)),
        empty=len(rows) - len(given) - len(strange),
        unknown=(strange[0]["where"] if strange else "", len(strange)),
        new=ledger.counts()["verdicts"] - before,
    )


def _cells(where: str, row: Row) -> dict[str, str]:
    """Returns what a row of labels says, with its place. Raises InputError where the row cannot be
    used.
    """
    for name in _READ[:3]:
        if name not in row:
            raise InputError(
                f"{where}: no column {name!r}; a file of labels has unit, annotator, label."
            )
    cells = {name: str(row.get(name) or "").strip() for name in _READ}
    if has_broken_bytes("".join(cells.values())):
        raise InputError(f"{where}: is not UTF-8. Save it so, or name its --encoding.")
    if cells["label"] and not cells["annotator"]:
        raise InputError(f"{where}: a label without an annotator; name who gave it.")
    return {**cells, "where": where}


def _person_verdict(cells: Mapping[str, str], unit: Unit, values: Mapping[str, float]) -> Verdict:
    """Returns the verdict that a label is. Raises InputError where the unit may not have that
    label.
    """
    label = next(
        (value for value in values if _label_key(value) == _label_key(cells["label"])), None
    )
    if label is None:
        raise InputError(
            f"{cells['where']}: {cells['label']!r} is none of the labels "
            f"{', '.join(values) or '(none)'}."
        )
    return Verdict(
        unit=unit.id,
        judge=Judge.create("person", cells["annotator"]).id,
        label=label,
        value=values[label],
        reason=cells["comment"],
    )


def _label_key(label: str) -> str:
    """Returns a label as labels are compared: in lower case, `_` for blanks and dashes."""
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())
