"""The report on what a graph is like, declared: first sentence, rows, figures, charts, page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from factmark.graphs.profile.core.counts import Spread
from factmark.graphs.profile.core.edges import NO_PASSAGE
from factmark.graphs.profile.core.label_shares import ALL, ANY
from factmark.graphs.profile.core.suspects import KINDS, NO_SUSPECT
from factmark.graphs.profile.results import GraphProfile
from factmark.graphs.profile.suspect_tables import (
    BARS,
    finding_table,
    pattern_table,
    relation_table,
    suspect_lines,
    suspect_table,
)
from factmark.model import Estimate, Measure
from factmark.report.charts import (
    Bar,
    BarChart,
    BarSegment,
    DotChart,
    DotPanel,
    dot_of,
    stacked_bar,
)
from factmark.report.file_columns import FileColumn, attributes
from factmark.report.layouts import DataTable
from factmark.report.page import Figure, Filters, Page
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, brackets, figure
from factmark.text.shell import quote_path
from factmark.text.shown_text import count, named

PROFILE = Measure(
    key="profile",
    symbol="errors",
    name="share of triples that people call an error, by what makes them suspect",
    better="lower",
)
CARDS = 40  # suspects of a kind that the page shows
_SUSPECT = {"suspect": "bad", NO_SUSPECT: "good"}
_LIMITS = (
    "A suspect is a triple that the shape of the graph or its names point to; nothing was read for "
    "what it means. Most kinds find few of a graph's errors.",
    "What is known of a relation (one-way, one value) is taken from this graph and from an "
    "ontology; in a small graph it is little.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectRow:
    """A row of the files that is suspect.

    Attributes:
        id: the user's name of the row, or its place in its file.
        stratum: the kind by which it is drawn for people.
        kinds: all that it is suspect for.
    """

    id: str
    head: str
    relation: str
    tail: str
    passage_id: str
    stratum: str
    kinds: tuple[str, ...]


def _kind_column(kind: str) -> FileColumn[SuspectRow]:
    """Returns the column of whether a row is suspect for this."""
    return FileColumn(
        name=kind, type="BOOLEAN", value=lambda row: kind in row.kinds, meaning=KINDS[kind]
    )


ROW_COLUMNS: tuple[FileColumn[SuspectRow], ...] = (
    *attributes("id", "head", "relation", "tail", "passage_id", "stratum"),
    *map(_kind_column, KINDS),
)


class SuspectRows(Collection[SuspectRow]):
    """Every row of the files with a suspect triple, in the order of the files; each is made when
    it is wanted, since a large graph has millions."""

    def __init__(self, profile: GraphProfile) -> None:
        self._profile = profile
        is_suspect = np.any(list(profile.suspects.flags.values()), axis=0)
        self._places = np.flatnonzero(is_suspect[profile.read.edges.triple_of])

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, row: object) -> bool:
        return any(row == suspect for suspect in self)

    def __iter__(self) -> Iterator[SuspectRow]:
        edges = self._profile.read.edges
        suspects = self._profile.suspects
        names, strata = suspects.strata()
        for place in map(int, self._places):
            triple = int(edges.triple_of[place])
            head, relation, tail = edges.text(triple)
            passage = int(edges.passage_of[place])
            yield SuspectRow(
                id=self._profile.read.row_ids[place],
                head=head,
                relation=relation,
                tail=tail,
                passage_id="" if passage == NO_PASSAGE else edges.passages[passage],
                stratum=names[strata[triple]],
                kinds=tuple(suspects.kinds_of(triple)),
            )


def profile_report(profile: GraphProfile) -> Result:
    """Returns the result of a profiled graph in all its forms; people's labels give averages."""
    averages = {}
    for line in profile.errors:
        if line.labelled:
            averages[f"errors of {line.kind}"] = line.errors
    return Result(
        measure=PROFILE,
        subject=profile.graph,
        averages=averages,
        tables=dict(_tables(profile)),
        rows=SuspectRows(profile),
        columns=ROW_COLUMNS,
        page=lambda: _page(profile),
        sentence=first_sentence(profile),
        next_step=_next_step(profile),
        problems=profile.problems,
        signature=profile.signature,
        figures=_figures(profile),
        details=profile,
    )


def first_sentence(profile: GraphProfile) -> FirstSentence:
    """Returns how large the graph is and how much of it is suspect; with labels, how often that was
    so."""
    counts = profile.counts
    sentence = (
        f"{named(profile.graph)} has {count(counts.triples, 'triple', 'triples')} between "
        f"{count(counts.nodes, 'node', 'nodes')} by "
        f"{count(counts.relations, 'relation', 'relations')}; "
        f"{profile.n_suspects:,} of the triples are suspect"
    )
    by_kind = {line.kind: line for line in profile.errors}
    if ANY in by_kind and by_kind[ANY].labelled:
        suspect = by_kind[ANY].errors
        rest = by_kind.get(NO_SUSPECT)
        beside = ""
        if rest and rest.labelled:
            beside = f", of the others {figure(rest.errors)}"
        sentence += (
            f": by {count(by_kind[ALL].labelled, 'label', 'labels')} of people {figure(suspect)} "
            f"of these are errors{beside} ({brackets(suspect)})"
        )
    elif profile.n_suspects:
        sentence += ", which is no verdict: labels by people tell how often such a triple is wrong"
    return FirstSentence(sentence=f"{sentence}.")


def _next_step(profile: GraphProfile) -> str:
    """Returns how people's labels come in, where there are none."""
    if profile.errors and any(line.labelled for line in profile.errors):
        return ""
    if profile.ledger is None:
        return "With `--ledger study.db` people's labels can tell how often each kind is an error."
    ledger = quote_path(profile.ledger)
    return (
        f"`factmark plan --ledger {ledger} --labels 100 --sheet sheet.csv` draws triples "
        "for people to label, half of them shared out among the kinds. `factmark ledger import "
        f"{ledger} sheet.csv` and the same profile again then tell how often each kind was "
        "an error."
    )


def _tables(profile: GraphProfile) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables with their names, those that there are, the first for the first screen."""
    yield "suspects", suspect_table(profile)
    yield "relations", relation_table(profile)
    if profile.suspects.patterns:
        yield "patterns", pattern_table(profile)
    findings = finding_table(profile)
    if findings is not None:
        yield "findings", findings


def _figures(profile: GraphProfile) -> dict[str, Any]:
    """Returns what results.json holds beside tables and rows."""
    suspects = profile.suspects
    return {
        "counts": profile.counts,
        "relations": suspects.relations,
        "patterns": suspects.patterns,
        "n_patterns": suspects.n_patterns,
        "ontology": profile.coverage,
        "near_duplicates": len(suspects.pairs),
        "circles": len(suspects.circles),
        "hubs": len(suspects.hubs),
        "judged_for": profile.measure,
    }


def _page(profile: GraphProfile) -> Page:
    """Returns what the page shows: sizes, charts, tables and a card for the first suspects of each
    kind."""
    cards = _cards(profile)
    kinds = {card.stratum for card in cards}
    return Page(
        template="profile.html",
        title="A knowledge graph, profiled",
        lead=(profile.graph,),
        figures=list(_large_figures(profile)),
        charts=list(_charts(profile)),
        cards=cards,
        filters=Filters(
            singular="suspect",
            many="suspects",
            text="h3, .reason",
            hint="in the triple",
            choices={
                "kind": [kind for kind in KINDS if kind in kinds],
                "relation": sorted({card.relation for card in cards}),
            },
        ),
        limits=_LIMITS,
        styles=("graph.css", "profile.css"),
        values={"most": CARDS, "spreads": list(_spread_charts(profile))},
    )


def _cards(profile: GraphProfile) -> list[SuspectRow]:
    """Returns the first suspects of each stratum."""
    cards: dict[str, list[SuspectRow]] = {kind: [] for kind in KINDS}
    for row in SuspectRows(profile):
        if len(cards[row.stratum]) < CARDS:
            cards[row.stratum].append(row)
        elif all(len(of_kind) >= CARDS for of_kind in cards.values()):
            break
    return [row for of_kind in cards.values() for row in of_kind]


def _large_figures(profile: GraphProfile) -> Iterator[Figure]:
    """Yields the sizes of a graph, those that apply."""
    counts = profile.counts
    coverage = profile.coverage

    def size(name: str, n: int, note: str = "") -> Figure:
        return Figure(name=name, value=f"{n:,}", note=note)

    yield size("Triples", counts.triples)
    yield size("Nodes", counts.nodes)
    yield size("Relations", counts.relations)
    yield size("Suspect", profile.n_suspects)
    yield size("In one triple only", counts.dangling, "nodes")
    share = f"of {counts.relations:,}, {coverage.triples / counts.triples:.0%} of triples"
    yield size("Relations in the ontology", coverage.relations, share)
    if counts.rows > counts.triples:
        yield size("Rows that repeat a triple", counts.rows - counts.triples)
    if coverage.typed:
        share = f"{coverage.typed / counts.nodes:.0%}, by {coverage.source}"
        yield size("Nodes with a type", coverage.typed, share)
    if counts.passages:
        yield size("Passages", counts.passages)
    if counts.passages and counts.n_barren:
        yield size("Passages that gave nothing", counts.n_barren)
    if counts.passages and counts.without_passage:
        yield size("Rows without a passage", counts.without_passage)


def _charts(profile: GraphProfile) -> Iterator[BarChart | DotChart]:
    """Yields the shares of errors by people's labels, if there are any, then suspects by
    relation."""
    labelled: list[tuple[str, Estimate]] = []
    for line in suspect_lines(profile):
        if line.errors is not None:
            labelled.append(
                (f"{line.kind} ({count(line.labelled or 0, 'label', 'labels')})", line.errors)
            )
    if labelled:
        dots = []
        for place, (name, errors) in enumerate(labelled):
            dots.append(dot_of(errors, name, place))
        yield DotChart(
            caption="How often each kind of suspect was an error, by people's labels, with "
            "intervals",
            panels=(DotPanel(groups={"": {"": dots}}),),
        )
    yield relation_chart(profile)


def relation_chart(profile: GraphProfile) -> BarChart:
    """Returns the chart of how much of each relation is suspect."""
    edges = profile.read.edges
    suspect = np.any(list(profile.suspects.flags.values()), axis=0)
    n = len(edges.relations)
    totals = np.bincount(edges.kinds, minlength=n)
    bad = np.bincount(edges.kinds[suspect], minlength=n)
    order = sorted(range(n), key=lambda at: (-totals[at], edges.relations[at]))

    def counts(at: int) -> Counter[str]:
        return Counter({"suspect": int(bad[at]), NO_SUSPECT: int(totals[at] - bad[at])})

    note = ""
    if n > BARS:
        note = f"{count(n - BARS, 'rarer relation is', 'rarer relations are')} not shown."
    return BarChart(
        caption="Suspects per relation, as shares of its triples; at the right, how many triples",
        label="Triples",
        tones=_SUSPECT,
        total=stacked_bar("all relations", sum(map(counts, range(n)), Counter()), _SUSPECT),
        bars=tuple(stacked_bar(edges.relations[at], counts(at), _SUSPECT) for at in order[:BARS]),
        note=note,
    )


def _spread_charts(profile: GraphProfile) -> Iterator[BarChart]:
    """Yields how triples are spread over nodes, over heads with a relation, over passages."""
    counts = profile.counts
    yield spread_chart("Triples of a node: how many nodes have so many", "nodes", counts.degrees)
    caption = "Tails of a head by one relation: how many such heads"
    yield spread_chart(caption, "heads", counts.values)
    if counts.yields is not None:
        caption = "Triples of a passage: how many passages gave so many"
        yield spread_chart(caption, "passages", counts.yields)


def spread_chart(caption: str, things: str, spread: Spread) -> BarChart:
    """Returns a distribution as bars, the longest as wide as there is room."""
    longest = max((n for _, n in spread.bins), default=1)

    def bar(name: str, n: int) -> Bar:
        width = f"{100 * n / longest:.2f}%"
        segment = BarSegment(
            verdict=things, tone="good", count=n, start="0%", width=width, middle=""
        )
        segments = (segment,) if n else ()
        return Bar(name=name, total=n, segments=segments)

    return BarChart(
        caption=f"{caption}; mean {spread.mean:.1f}, median {spread.median:g}, "
        f"most {spread.most:,}",
        label=things,
        tones={},
        bars=tuple(bar(name, n) for name, n in spread.bins),
    )
