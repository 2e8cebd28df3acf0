"""Figures published for GraphMERT (TMLR 2026), as a reference; nothing is measured here.

They stand in `data/published.toml`, in percent as printed, with what is doubtful about each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any, Literal

from factmark.graphs.core.claims import relation_key
from factmark.report.columns import Column, table_of
from factmark.report.layouts import Cell, DataTable

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
def _read_file() -> Figures:
    """Returns the content of `data/published.toml`."""
    return tomllib.loads((files("factmark.data") / "published.toml").read_text(encoding="utf-8"))


def published_figures(part: Literal["graphs", "graphrag"]) -> list[Figures]:
    """Returns the rows of a published table, each with its doubts in words; None where nothing was
    printed."""
    blank = {}
    if part == "graphs":
        blank = dict.fromkeys(_GRAPH)
    doubts = _read_file()["doubts"]
    figures = []
    for row in _read_file()[part]:
        figures.append(blank | row | {"doubtful": [doubts[name] for name in row["doubtful"]]})
    return figures


def is_medical(relations: Iterable[str]) -> bool:
    """Whether triples are of the kind that the figures are about, so that these tell something
    beside their scores: a tenth of them have one of the paper's relations that only medicine has.

    Args:
        relations: of each triple.
    """
    known = _read_file()["medical_relations"]
    named = [relation_key(relation) in known for relation in relations]
    return any(named) and 10 * sum(named) >= len(named)


def missing_share(row: Figures) -> float:
    """Returns the percentage of pairs of a graph that have no validity label at all."""
    labelled: float = row["yes"] + row["maybe"] + row["no"]
    return round(100 - labelled, 1)


def published_table() -> DataTable:
    """Returns the table of figures published for graphs."""
    return _table_with_doubts(
        "Published figures for comparison, in % (GraphMERT, TMLR 2026); not measured here",
        published_figures("graphs"),
        Column(name="graph", key="graph", value=itemgetter("name"), label=True),
        _figure_column("pairs"),
        Column(name="distinct pairs", key="distinct", value=itemgetter("distinct")),
        Column(name="unique triples", key="unique", value=itemgetter("unique")),
        _figure_column("factscore", "FActScore*"),
        _figure_column("factscore_general", "with general truth"),
        *(_figure_column(key, f"{key} %") for key in ("yes", "maybe", "no")),
        Column(name="no label", key="no_label", value=missing_share, show=str),
        Column(key="doubts", value=lambda row: "; ".join(row["doubtful"])),
        notes=(
            _read_file()["counts"],
            *(f"Not published: {text}." for text in _read_file()["not_published"]),
        ),
    )


def accuracy_table() -> DataTable:
    """Returns the table of accuracies published for answers that rest on a graph."""
    return _table_with_doubts(
        "Published accuracy for comparison, in % (GraphMERT, TMLR 2026, ICD-Bench); not measured "
        "here",
        published_figures("graphrag"),
        Column(name="system", value=itemgetter("name"), label=True),
        Column(name="accuracy", value=itemgetter("accuracy"), show=str),
        Column(name="questions", value=itemgetter("questions")),
    )


def _figure_column(key: str, name: str = "") -> Column[Figures]:
    """Returns a column of published figures: percentages as printed, counts with their commas."""
    show = None
    if name:
        show = str
    return Column(name=name or key, key=key, value=itemgetter(key), show=show)


def _table_with_doubts(
    title: str, rows: list[Figures], *columns: Column[Figures], notes: tuple[str, ...] = ()
) -> DataTable:
    """Returns a table in which every doubt is a numbered note."""
    doubts = list(dict.fromkeys(doubt for row in rows for doubt in row["doubtful"]))

    def numbers(row: Figures) -> Cell:
        return Cell(value=", ".join(str(doubts.index(doubt) + 1) for doubt in row["doubtful"]))

    numbered = (f"Doubt {at}: {doubt}." for at, doubt in enumerate(doubts, 1))
    doubtful = Column[Figures](name="doubts", value=numbers)
    return table_of(title, (*columns, doubtful), rows, notes=(*numbered, *notes))
