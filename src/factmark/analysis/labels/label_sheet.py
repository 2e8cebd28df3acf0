"""Sheets on which people label units, written for them; what comes back is read by
`label_import`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from factmark.files.flat_files import csv_writer
from factmark.files.text_files import write_text
from factmark.graph_answers.campaign import answer_evidence
from factmark.model import Item, Unit, UserRow
from factmark.people.core.forms import GRAPHRAG, KINDS

SHEET = (
    *("unit", "id", "claim", "passage_id", "passage", "labels", "annotator", "label", "comment"),
)


def write_sheet(
    path: Path,
    units: Sequence[Unit],
    items: Mapping[str, Item],
    rows: Mapping[str, Sequence[UserRow]] | None = None,
) -> None:
    """Writes a sheet for annotators: the units in their order, without anything that a judge said.

    The claim of a GraphRAG answer is the answer, its passage the question with the reference.

    Args:
        items: by their ids, of such answers.
        rows: unit -> the rows of the user's files that it stands for; their ids go on the sheet.
    """
    out = StringIO()
    write = csv_writer(out)
    write(SHEET)
    for unit in units:
        is_answer = unit.kind == GRAPHRAG.kind
        passage: object
        if is_answer:
            passage = answer_evidence(items[unit.item])
        else:
            passage = unit.data.get("passage")
        allowed = " / ".join(KINDS.get(unit.kind, ()))
        ids = dict.fromkeys(row.id for row in (rows or {}).get(unit.id, ()))
        name = "; ".join(ids) or str(unit.data.get("id") or "")
        passage_id = str(unit.data.get("passage_id") or "")
        cells = [unit.id, name, unit.text, passage_id, str(passage or ""), allowed, "", "", ""]
        write(cells)
    write_text(path, out.getvalue())
