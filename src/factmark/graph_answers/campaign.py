"""GraphRAG answers that people judge, each beside its question and reference answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from factmark.campaign_model import Shown, UnitsAsked
from factmark.cli.unit_files import UnitFiles
from factmark.errors import InputError
from factmark.files.rows import name_cell, strict_rows, text_cell
from factmark.graph_answers.core.units import answer_unit
from factmark.model import Item, Unit
from factmark.text.blinding import blind


def answer_evidence(item: Item) -> str:
    """Returns what people judge an answer by: the question and its reference answer, blinded."""
    question, reference = (
        blind(str(item.data[name]), paragraphs=True).text for name in ("question", "reference")
    )
    return f"Question: {question}\n\nReference answer: {reference}"


def units_asked(
    files: UnitFiles, kind: str, known: Sequence[tuple[Item, Unit]] | None = None
) -> UnitsAsked:
    """Returns the answers that people are asked about, those of a file or those that a ledger has.

    Raises:
        InputError: as `read_exchanges`.
    """
    if known is None:
        assert files.source is not None  # noqa: S101  # without one the ledger has the units
        known = tuple(read_exchanges(files.source, files.system_column or "system", files.encoding))
    return UnitsAsked(
        rows=tuple(
            (item, unit, Shown(evidence=answer_evidence(item), text=unit.text))
            for item, unit in known
        )
    )


def read_exchanges(
    path: Path, system: str = "system", encoding: str = "utf-8"
) -> Iterator[tuple[Item, Unit]]:
    """Yields the GraphRAG answers of a file, which has `question`, `reference`, `answer`, `system`
    and, if wanted, `id`.

    Raises:
        InputError: a row without one of them, or that stands twice; with the line.
    """
    seen: dict[tuple[str, ...], str] = {}
    for where, row in strict_rows(path, encoding):
        item, unit = answer_unit(
            question=text_cell(where, row, "question"),
            reference=text_cell(where, row, "reference"),
            answer=text_cell(where, row, "answer"),
            system=name_cell(where, row, system),
            id=name_cell(where, row, "id") if row.get("id") not in (None, "") else "",
        )
        key = (item.id, str(unit.data["system"]), str(unit.data["id"]))
        if key in seen:
            raise InputError(
                f"{where}: {key[1]!r} answers this question in {seen[key]} already. Give "
                "several answers of one system an id each."
            )
        seen[key] = where
        yield item, unit
    if not seen:
        raise InputError(f"{path}: holds no answers.")
