"""Verdicts that come later: people's labels from a sheet, and models' replies read anew.

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
from factmark.graphrag.core.rubrics import HOLDS, VERIFY
from factmark.graphs.core.rubrics import RUBRICS
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import judges_kept, kept_replies, labels_of, units_by_id
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.forms import GRAPHRAG, KINDS
from factmark.replies.rubric import Rubric

SHEET = ("unit", "claim", "passage", "labels", "annotator", "label", "comment")
_READ = ("unit", "annotator", "label", "comment")
_BY_ID = {rubric.id: rubric for rubric in (*RUBRICS.values(), VERIFY, HOLDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
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
    """A sheet for annotators: the units in their order, without anything that a judge said.

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


def import_labels(path: Path, ledger: Ledger, encoding: str = "utf-8") -> Imported:
    """Adds the labels of a file to a ledger: all of them, or none where one is wrong.

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
        verdict = _verdict(cells, unit, values[unit.kind])
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
    return Imported(
        labels=len(given),
        annotators=tuple(sorted(verdicts)),
        empty=len(rows) - len(given) - len(strange),
        unknown=(strange[0]["where"] if strange else "", len(strange)),
        new=ledger.counts()["verdicts"] - before,
    )


def _cells(where: str, row: Row) -> dict[str, str]:
    """What a row of labels says, with its place."""
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


def _verdict(cells: Mapping[str, str], unit: Unit, values: Mapping[str, float]) -> Verdict:
    label = next((value for value in values if _folded(value) == _folded(cells["label"])), None)
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


def _folded(label: str) -> str:
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsed:
    """What reading anew came to.

    Attributes:
        read: verdicts whose reply was read again.
        changed: those that are another one now.
        left_alone: verdicts that cannot be read again: votes of several samples, replies to several
            claims of which some were not found, rubrics of another version.
    """

    read: int
    changed: int
    left_alone: int


def reparse(path: Path) -> Reparsed:
    """Reads every reply again that a verdict of a model rests on; makes no call.

    A verdict that comes out otherwise is added, and counts from then on; the earlier one remains.

    Raises:
        LedgerError: there is no such ledger, or it cannot be written.
    """
    read = changed = left_alone = 0
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with open_existing(path) as ledger, ledger.writing():
        for judge in judges_kept(ledger, "model"):
            rubric = _BY_ID.get(str(judge.parameters.get("rubric")))
            samples = judge.parameters.get("samples") or 1
            for reply in kept_replies(ledger, judge.id):
                old, labels = reply.verdicts, list[str | None]()
                if rubric and samples == 1:
                    labels = rubric.parse(reply.text, reply.claims, reply.passage, cut=reply.cut)
                if not labels or (len(old) > 1 and None in labels):
                    left_alone += len(old)
                    continue
                for verdict, label in zip(old, labels, strict=True):
                    read += 1
                    if label != verdict.label and rubric is not None:
                        changed += 1
                        ledger.add_verdict(_again(verdict, label, rubric), now)
    return Reparsed(read=read, changed=changed, left_alone=left_alone)


def _again(old: Verdict, label: str | None, rubric: Rubric) -> Verdict:
    return Verdict(
        unit=old.unit,
        judge=old.judge,
        status="unparsed" if label is None else "ok",
        label=label,
        value=None if label is None else rubric.values[label],
        reason="no label in the reply" if label is None else old.reason,
        call=old.call,
    )
