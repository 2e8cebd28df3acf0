"""The table of a campaign's progress."""

from __future__ import annotations

from collections.abc import Mapping

from factmark.campaign_model import Campaign
from factmark.people.core.progress import Progress, overall
from factmark.tables.layouts import Cell, Column, DataTable, Line
from factmark.tables.shown_text import NO_VALUE, one_line

_COLUMNS = ("done", "left", "minutes a document", "comments", "changed", "last seen", "idle hours")


def progress_table(
    campaign: Campaign, progress: Mapping[str, Progress], *, stall: float
) -> DataTable:
    """One line per annotator, and one for all.

    Args:
        stall: hours without an answer from which on somebody stalls.
    """
    lines = [
        Line(
            labels=(f"{one.code} {one_line(one.name)}",),
            cells=_cells(progress[one.code]),
            starts_group=True,
            overall=False,
        )
        for one in campaign.annotators
    ]
    lines.append(
        Line(
            labels=("all",),
            cells=_cells(overall(progress.values())),
            starts_group=True,
            overall=True,
        )
    )
    notes = [
        "Minutes: the median over documents that are done. Changed: units with another label than "
        "first."
    ]
    if any(one.stalls for one in progress.values()):
        notes.append(f"! no answer for more than {stall:g} hours, with work left.")
    return DataTable(
        title=f"{one_line(campaign.name)}{' (closed)' if campaign.closed else ''}",
        label_names=("annotator",),
        columns=tuple(Column(name=name) for name in _COLUMNS),
        lines=tuple(lines),
        notes=tuple(notes),
        record_names=(
            "code", "name", "tasks", "done", "left", "documents", "minutes", "comments", "changed",
            "seen", "idle", "stalls",
        ),
        records=tuple(
            (
                one.code, one.name, how.tasks, how.done, how.left, how.documents, how.minutes,
                how.comments, how.changed, how.seen, how.idle, int(how.stalls),
            )
            for one in campaign.annotators
            for how in [progress[one.code]]
        ),
    )  # fmt: skip


def _cells(one: Progress) -> tuple[Cell, ...]:
    texts = (
        f"{one.done:,}",
        f"{one.left:,}",
        NO_VALUE if one.minutes is None else f"{one.minutes:.1f}",
        f"{one.comments:,}",
        f"{one.changed:,}",
        one.seen[:16].replace("T", " ") or NO_VALUE,
        "" if one.idle is None else f"{one.idle:.1f}{' !' if one.stalls else ''}",
    )
    return tuple(Cell(value=text) for text in texts)
