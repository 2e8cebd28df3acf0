"""Figures published for GraphMERT (TMLR 2026), as a reference; nothing is measured here.

They stand in `data/published.toml`, in percent as printed, with what is doubtful about each.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any, Literal

from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import Cell, DataTable

Figures = dict[str, Any]
_GRAPH = (
    "name",
    "pairs",
    "yes",
    "maybe",
    "no",
    "distinct",
    "unique",
    "factscore",
    "factscore_general",
    "doubtful",
)


@cache
def _file() -> Figures:
    return tomllib.loads((files("factmark.data") / "published.toml").read_text(encoding="utf-8"))


def published(part: Literal["graphs", "graphrag"]) -> list[Figures]:
    """The rows of a table, with their doubts in words; None where nothing was printed."""
    blank = dict.fromkeys(_GRAPH) if part == "graphs" else {}
    doubts = _file()["doubts"]
    return [
        blank | row | {"doubtful": [doubts[name] for name in row["doubtful"]]}
        for row in _file()[part]
    ]


def missing_share(row: Figures) -> float:
    """The percentage of pairs of a graph with no validity label at all."""
    labelled: float = row["yes"] + row["maybe"] + row["no"]
    return round(100 - labelled, 1)


def published_table() -> DataTable:
    """What was published of graphs."""
    return _table(
        "Published figures for comparison, in % (GraphMERT, TMLR 2026); not measured here",
        published("graphs"),
        Column(name="graph", key="graph", value=itemgetter("name"), label=True),
        _column("pairs"),
        Column(name="distinct pairs", key="distinct", value=itemgetter("distinct")),
        Column(name="unique triples", key="unique", value=itemgetter("unique")),
        _column("factscore", "FActScore*"),
        _column("factscore_general", "with general truth"),
        *(_column(key, f"{key} %") for key in ("yes", "maybe", "no")),
        Column(name="no label", key="no_label", value=missing_share, show=str),
        Column(key="doubts", value=lambda row: "; ".join(row["doubtful"])),
        notes=(
            _file()["counts"],
            *(f"Not published: {text}." for text in _file()["not_published"]),
        ),
    )


def accuracy_table() -> DataTable:
    """What was published of answers that rest on a graph."""
    return _table(
        "Published accuracy for comparison, in % (GraphMERT, TMLR 2026, ICD-Bench); not measured "
        "here",
        published("graphrag"),
        Column(name="system", value=itemgetter("name"), label=True),
        Column(name="accuracy", value=itemgetter("accuracy"), show=str),
        Column(name="questions", value=itemgetter("questions")),
    )


def _column(key: str, name: str = "") -> Column[Figures]:
    show = str if name else None  # percentages as printed, counts with their commas
    return Column(name=name or key, key=key, value=itemgetter(key), show=show)


def _table(
    title: str, rows: list[Figures], *columns: Column[Figures], notes: tuple[str, ...] = ()
) -> DataTable:
    """A table in which every doubt is a numbered note."""
    doubts = list(dict.fromkeys(doubt for row in rows for doubt in row["doubtful"]))

    def numbers(row: Figures) -> Cell:
        return Cell(value=", ".join(str(doubts.index(doubt) + 1) for doubt in row["doubtful"]))

    numbered = (f"Doubt {at}: {doubt}." for at, doubt in enumerate(doubts, 1))
    doubtful = Column[Figures](name="doubts", value=numbers)
    return table_of(title, (*columns, doubtful), rows, notes=(*numbered, *notes))
