"""A profile as files: the report as a page, JSON, and every suspect row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import write_text
from factmark.graphs.profile.core.edges import NO_PASSAGE
from factmark.graphs.profile.core.suspects import KINDS
from factmark.graphs.profile.results import FILES
from factmark.graphs.profile.tables import (
    error_dots,
    finding_table,
    findings,
    pattern_table,
    profile_opening,
    relation_chart,
    relation_table,
    size_figures,
    spread_charts,
    suspect_lines,
    suspect_table,
)

if TYPE_CHECKING:
    from factmark.graphs.profile.results import GraphProfile

CARDS = 40  # suspects of a kind that the page shows
_COLUMNS = ("id", "head", "relation", "tail", "passage_id", "stratum", *KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectRow:
    """A row of the files that is suspect.

    Attributes:
        id: the user's name of the row, or its place in its file.
        beside: triples that make it suspect: the other direction, the other values.
    """

    id: str
    head: str
    relation: str
    tail: str
    passage_id: str
    stratum: str
    kinds: tuple[str, ...]
    beside: tuple[str, ...] = ()


def suspect_rows(profile: GraphProfile) -> Iterator[SuspectRow]:
    """Every row of the files with a suspect triple, in the order of the files."""
    edges, suspects = profile.read.edges, profile.suspects
    names, strata = suspects.strata()
    is_suspect = np.any(list(suspects.flags.values()), axis=0)
    for row in np.flatnonzero(is_suspect[edges.triple_of]).tolist():
        triple = int(edges.triple_of[row])
        head, relation, tail = edges.text(triple)
        passage = int(edges.passage_of[row])
        yield SuspectRow(
            id=profile.read.row_ids[row],
            head=head,
            relation=relation,
            tail=tail,
            passage_id="" if passage == NO_PASSAGE else edges.passages[passage],
            stratum=names[strata[triple]],
            kinds=tuple(suspects.kinds_of(triple)),
        )


def profile_json(profile: GraphProfile) -> dict[str, Any]:
    """A profile as JSON values, without the suspect rows: these are a table of their own."""
    suspects = profile.suspects
    return {
        "graph": profile.graph,
        "counts": to_json_value(profile.counts),
        "suspects": [to_json_value(line) for line in suspect_lines(profile)],
        "relations": [to_json_value(relation) for relation in suspects.relations],
        "patterns": [to_json_value(pattern) for pattern in suspects.patterns],
        "n_patterns": suspects.n_patterns,
        "ontology": to_json_value(profile.coverage),
        "findings": [asdict(finding) for finding in findings(profile)],
        "near_duplicates": len(suspects.pairs),
        "circles": len(suspects.circles),
        "hubs": len(suspects.hubs),
        "measure": profile.measure,
        "problems": list(profile.problems),
        "signature": profile.signature,
    }


def render_profile_html(profile: GraphProfile) -> str:
    """The page of a profile: one HTML document that needs nothing else."""
    from factmark.report.page import Filters, render_page

    cards = _cards(profile)
    return render_page(
        "profile.html",
        styles=("report.css", "graph.css", "profile.css"),
        signature=profile.signature,
        title="A knowledge graph, profiled",
        subject=profile.graph,
        opening=profile_opening(profile),
        problems=profile.problems,
        sizes=size_figures(profile),
        chart=relation_chart(profile),
        spreads=spread_charts(profile),
        dots=error_dots(profile),
        suspect_table=suspect_table(profile),
        pattern_table=pattern_table(profile),
        relation_table=relation_table(profile),
        finding_table=finding_table(profile),
        cards=cards,
        shown=len(cards),
        most=CARDS,
        filters=Filters(
            singular="suspect",
            many="suspects",
            text="h3, .reason",
            hint="in the triple",
            choices={
                "kind": [kind for kind in KINDS if any(card.stratum == kind for card in cards)],
                "relation": sorted({card.relation for card in cards}),
            },
        ),
    )


def _cards(profile: GraphProfile) -> list[SuspectRow]:
    """The first suspects of each stratum."""
    cards: dict[str, list[SuspectRow]] = {kind: [] for kind in KINDS}
    for row in suspect_rows(profile):
        if len(cards[row.stratum]) < CARDS:
            cards[row.stratum].append(row)
        elif all(len(of_kind) >= CARDS for of_kind in cards.values()):
            break
    return [row for of_kind in cards.values() for row in of_kind]


def write_profile(profile: GraphProfile, folder: Path) -> list[Path]:
    """Writes profile.html, profile.json, and all suspect rows as CSV and Parquet."""
    paths = [folder / name for name in FILES]
    page, value, table, parquet = paths
    write_text(page, render_profile_html(profile))
    write_text(value, json_text(profile_json(profile), indent=1) + "\n")
    rows = [
        {
            **{name: getattr(row, name) for name in _COLUMNS if name not in KINDS},
            **{kind: kind in row.kinds for kind in KINDS},
        }
        for row in suspect_rows(profile)
    ]
    write_text(table, csv_text(rows, _COLUMNS))
    kinds = {name: "BOOLEAN" if name in KINDS else "VARCHAR" for name in _COLUMNS}
    write_parquet(parquet, rows, kinds)
    return paths
