"""Labels by people: sheets to fill in, and their import into a ledger.

A sheet is a CSV file with the columns `unit`, `annotator`, `label`, and if wanted `comment`; other
columns are for the annotator to read. Any file of that form can be imported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from factmark.errors import InputError
from factmark.files.csv_cells import csv_writer
from factmark.files.problems import Problems
from factmark.files.rows import Row, is_broken, read_rows
from factmark.files.text_files import write_text
from factmark.graphrag.campaign import answer_evidence
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import labels_of, units_by_id
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.forms import GRAPHRAG, KINDS

SHEET = ("unit", "claim", "passage", "labels", "annotator", "label", "comment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought: labels, of them such as say something new, and empty rows."""

    labels: int
    annotators: tuple[str, ...]
    empty: int
    new: int


def import_labels(path: Path, ledger: Ledger, encoding: str = "utf-8") -> Imported:
    """Adds the labels of a file to a ledger: all of them, or none where one is wrong.

    Rows without a label are counted and left out. A label takes the place of what the same person
    said before; the same file a second time changes nothing.

    Raises:
        InputError: for a missing column, a unit that the ledger does not know, a label that its
            units do not have; with the line.
    """
    problems = Problems()
    rows = list(read_rows(path, problems, encoding))
    if sentences := problems.sentences():
        raise InputError(f"{path}: {sentences[0]}")
    empty = 0
    given: defaultdict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for where, row in rows:
        unit, annotator, label, comment = _cells(path, where, row)
        if not label:
            empty += 1
        elif not annotator:
            raise InputError(f"{path}, {where}: a label without an annotator; name who gave it.")
        else:
            given[annotator].append((where, unit, label, comment))
    units = units_by_id(ledger, {unit for said in given.values() for _, unit, _, _ in said})
    verdicts = {who: _verdicts(path, who, said, units, ledger) for who, said in given.items()}
    before = ledger.counts()["verdicts"]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with ledger.writing():
        for who, said in sorted(verdicts.items()):
            judge = Judge.create("person", who)
            ledger.add_judge(judge)
            for verdict in said:
                ledger.add_verdict(verdict, now)
            ledger.add_import(judge, {"labels": path.name}, now)
    return Imported(
        labels=sum(len(said) for said in given.values()),
        annotators=tuple(sorted(given)),
        empty=empty,
        new=ledger.counts()["verdicts"] - before,
    )


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
        answer = unit.kind == GRAPHRAG.kind
        passage = answer_evidence(items[unit.item]) if answer else unit.data.get("passage")
        allowed = " / ".join(KINDS.get(unit.kind, ()))
        write([unit.id, unit.text, str(passage or ""), allowed, "", "", ""])
    write_text(path, out.getvalue())


def _folded(label: str) -> str:
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())


def _cells(path: Path, where: str, row: Row) -> tuple[str, str, str, str]:
    for name in ("unit", "annotator", "label"):
        if name not in row:
            raise InputError(
                f"{path}, {where}: no column {name!r}; a file of labels has unit, annotator, label."
            )
    unit, annotator, label, comment = (
        str(row.get(name) or "").strip() for name in ("unit", "annotator", "label", "comment")
    )
    if is_broken("".join((unit, annotator, label, comment))):
        raise InputError(f"{path}, {where}: is not UTF-8. Save it so, or name its --encoding.")
    return unit, annotator, label, comment


def _verdicts(
    path: Path,
    annotator: str,
    said: Iterable[tuple[str, str, str, str]],
    units: Mapping[str, Unit],
    ledger: Ledger,
) -> list[Verdict]:
    judge = Judge.create("person", annotator)
    values: dict[str, Mapping[str, float]] = {}
    out = []
    earlier: dict[str, str | None] = {}
    for where, name, label, comment in said:
        unit = units.get(name)
        if unit is None:
            raise InputError(
                f"{path}, {where}: the ledger has no unit {name!r}. Judge the units first, and "
                "take their names from `factmark plan --sheet` or `factmark ledger export`."
            )
        if unit.kind not in values:
            values[unit.kind] = _labels(ledger, unit.kind)
        known = values[unit.kind]
        found = next((one for one in known if _folded(one) == _folded(label)), None)
        if earlier.setdefault(name, found) != found:
            raise InputError(
                f"{path}, {where}: {annotator} labels unit {name!r} here and above, differently."
            )
        if found is None:
            raise InputError(
                f"{path}, {where}: {label!r} is none of the labels {', '.join(known) or '(none)'}."
            )
        verdict = Verdict(
            unit=name, judge=judge.id, label=found, value=known[found], reason=comment
        )
        out.append(verdict)
    return out


def _labels(ledger: Ledger, kind: str) -> Mapping[str, float]:
    """The labels of a kind of unit with their values: the protocol's, else what judges gave."""
    return KINDS[kind] if kind in KINDS else labels_of(ledger, kind)
