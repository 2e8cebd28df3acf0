"""The tables and charts of a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from factmark.graphs.profile.core.label_shares import ALL, ANY, KindErrors
from factmark.graphs.profile.core.suspects import KINDS, NO_SUSPECT
from factmark.model import Estimate
from factmark.report.charts import Bar, BarChart, BarSegment, Dot, dot_of, stacked_bar
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable
from factmark.report.sentence import FirstSentence, brackets, figure
from factmark.text.shown_text import count, named

if TYPE_CHECKING:
    from factmark.graphs.profile.core.counts import Spread
    from factmark.graphs.profile.core.patterns import Pattern
    from factmark.graphs.profile.core.relations import RelationProfile
    from factmark.graphs.profile.results import GraphProfile

BARS = 30  # relations, patterns and nodes that a chart or table shows
_SUSPECT = {"suspect": "bad", NO_SUSPECT: "good"}
_ERROR = {
    "factscore": "an error is a triple that its passage does not support",
    "validity": "an error is a triple that uses its relation as it may not, a maybe half of one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectLine:
    """A kind of suspect: its triples, and how often people called one an error."""

    kind: str
    meaning: str
    triples: int
    share: float
    labelled: int | None
    errors: Estimate | None


def profile_opening(profile: GraphProfile) -> FirstSentence:
    """How large the graph is and how much of it is suspect; with labels, how often that was so."""
    counts = profile.counts
    sentence = (
        f"{named(profile.graph)} has {count(counts.triples, 'triple', 'triples')} between "
        f"{count(counts.nodes, 'node', 'nodes')} by "
        f"{count(counts.relations, 'relation', 'relations')}; "
        f"{profile.n_suspects:,} of the triples are suspect"
    )
    by_kind = {line.kind: line for line in profile.errors}
    if ANY in by_kind and by_kind[ANY].labelled:
        suspect, rest = by_kind[ANY].errors, by_kind.get(NO_SUSPECT)
        beside = f", of the others {figure(rest.errors)}" if rest and rest.labelled else ""
        sentence += (
            f": by {count(by_kind[ALL].labelled, 'label', 'labels')} of people {figure(suspect)} "
            f"of these are errors{beside} ({brackets(suspect)})"
        )
    elif profile.n_suspects:
        sentence += ", which is no verdict: labels by people tell how often such a triple is wrong"
    return FirstSentence(sentence=f"{sentence}.")


def suspect_lines(profile: GraphProfile) -> list[SuspectLine]:
    """The kinds of suspects, then all suspects, what is none, and the graph."""
    by_kind: dict[str, KindErrors] = {line.kind: line for line in profile.errors}
    total = profile.counts.triples
    sizes = {kind: int(flags.sum()) for kind, flags in profile.suspects.flags.items()}
    sizes |= {ANY: profile.n_suspects, NO_SUSPECT: total - profile.n_suspects, ALL: total}
    return [
        SuspectLine(
            kind=kind,
            meaning=KINDS.get(kind, ""),
            triples=size,
            share=size / total,
            labelled=by_kind[kind].labelled if kind in by_kind else (0 if by_kind else None),
            errors=by_kind[kind].errors if kind in by_kind and by_kind[kind].labelled else None,
        )
        for kind, size in sizes.items()
    ]


def suspect_table(profile: GraphProfile) -> DataTable:
    """What is suspect, how much of it there is, and how often it was an error."""
    lines = suspect_lines(profile)
    columns: tuple[Column[SuspectLine], ...] = (
        Column(name="suspect", key="kind", value=lambda line: line.kind, label=True),
        Column(name="why", key="meaning", value=lambda line: line.meaning, label=True),
        Column(name="triples", key="triples", value=lambda line: line.triples),
        Column(name="share", key="share", value=lambda line: line.share, show="{:.1%}".format),
        Column(
            name="labelled",
            key="labelled",
            value=lambda line: line.labelled,
            meaning="Labelled: triples, of a graph with passages each with each of its passages.",
            optional=True,
        ),
        Column(
            name="errors",
            key="errors",
            value=lambda line: line.errors,
            estimate=True,
            optional=True,
        ),
    )
    return table_of(
        f"What is suspect in {named(profile.graph)}",
        columns,
        [line for line in lines if line.triples or line.kind not in KINDS],
        overall=lambda line: line.kind == ALL,
        notes=tuple(_suspect_notes(profile)),
        records=lines,
    )


def _suspect_notes(profile: GraphProfile) -> Iterator[str]:
    """Yields the notes below the table of suspects: what was not found, and how errors are told."""
    none = [kind for kind, flags in profile.suspects.flags.items() if not flags.any()]
    yield "A triple may be suspect for several reasons. A suspect is no error." + (
        f" Looked for and not there: {', '.join(none)}." if none else ""
    )
    if profile.errors:
        yield (
            f"Errors, by people's labels: {_ERROR[profile.measure]}. Labels were drawn within each "
            "kind, so each counts for the units that it stands for."
        )
    elif profile.ledger is not None:
        yield (
            f"`factmark plan --ledger {profile.ledger} --labels 100 --sheet sheet.csv` draws "
            "triples for people to label, half of them shared out among the kinds. `factmark "
            f"ledger import {profile.ledger} sheet.csv` and the same profile again then tell how "
            "often each kind was an error."
        )
    else:
        yield "With `--ledger study.db` people's labels can tell how often each kind is an error."


def relation_table(profile: GraphProfile) -> DataTable:
    """The relations, the most frequent first: how they are used in this graph."""
    ordered = sorted(profile.suspects.relations, key=lambda row: (-row.triples, row.name))

    def nature(row: RelationProfile) -> str:
        words = [
            "" if row.one_way else "either way",
            "one tail" * row.one_tail,
            "one head" * row.one_head,
        ]
        return ", ".join(filter(None, words))

    columns: tuple[Column[RelationProfile], ...] = (
        Column(name="relation", key="relation", value=lambda row: row.name, label=True),
        Column(name="triples", key="triples", value=lambda row: row.triples),
        Column(name="heads", key="heads", value=lambda row: row.heads),
        Column(name="tails", key="tails", value=lambda row: row.tails),
        Column(
            name="turned round",
            key="reversed_share",
            value=lambda row: row.reversed_share,
            show="{:.0%}".format,
        ),
        Column(name="used as", key="nature", value=nature, show=str),
        Column(name="in the ontology", value=lambda row: "yes" if row.known else "no", key="known"),
    )
    notes = ["Turned round: triples that stand in the graph with head and tail exchanged too."]
    if len(ordered) > BARS:
        notes.append(f"The {BARS} most frequent of {len(ordered):,}; the others in profile.json.")
    return table_of("Relations", columns, ordered[:BARS], notes=notes, records=ordered)


def pattern_table(profile: GraphProfile) -> DataTable | None:
    """The rare patterns, then the most frequent ones; None where no types are known."""
    patterns = profile.suspects.patterns
    if not patterns:
        return None
    rare = [pattern for pattern in patterns if pattern.rare]
    shown = [*rare[:BARS], *[pattern for pattern in patterns if not pattern.rare][:BARS]]
    columns: tuple[Column[Pattern], ...] = (
        Column(name="", key="rare", value=lambda row: "rare" if row.rare else "usual"),
        Column(name="pattern", value=lambda row: "rare" if row.rare else "usual", label=True),
        Column(name="head", key="head", value=lambda row: row.head, label=True),
        Column(name="relation", key="relation", value=lambda row: row.relation, label=True),
        Column(name="tail", key="tail", value=lambda row: row.tail, label=True),
        Column(name="triples", key="triples", value=lambda row: row.triples),
        Column(
            name="expected", key="expected", value=lambda row: row.expected, show="{:,.1f}".format
        ),
    )
    return table_of(
        f"Patterns of types, by {profile.types.source}",
        columns,
        shown,
        group=lambda row: row.rare,
        notes=[
            "Expected: if the relation joined types as all relations together do. Rare: at most a "
            f"tenth of that. There are {profile.suspects.n_patterns:,} patterns."
        ],
        records=patterns,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A node, name, circle or passage to look at, and how many triples or nodes it concerns."""

    what: str
    name: str
    n: int | None = None


def findings(profile: GraphProfile) -> list[Finding]:
    """Hubs, near-duplicate names, circles, and passages that gave nothing: the first of each."""
    edges, suspects = profile.read.edges, profile.suspects
    nodes, degrees = edges.nodes, edges.degrees()
    rows = [
        Finding(what="hub", name=nodes[node], n=int(degrees[node])) for node in suspects.hubs[:BARS]
    ]
    rows += [
        Finding(
            what=f"near-duplicate name ({pair.differs})",
            name=f"{nodes[pair.first]} / {nodes[pair.second]}",
            n=int(min(degrees[pair.first], degrees[pair.second])),
        )
        for pair in suspects.pairs[:BARS]
    ]
    rows += [
        Finding(what="circle", name=" > ".join(nodes[node] for node in circle[:6]), n=len(circle))
        for circle in suspects.circles[:BARS]
    ]
    return rows + [
        Finding(what="passage that gave nothing", name=name)
        for name in profile.counts.barren[:BARS]
    ]


def finding_table(profile: GraphProfile) -> DataTable | None:
    """The findings that are no triples; None where there is none."""
    rows = findings(profile)
    if not rows:
        return None
    counts, suspects = profile.counts, profile.suspects
    columns: tuple[Column[Finding], ...] = (
        Column(name="what", key="what", value=lambda row: row.what, label=True),
        Column(name="which", key="name", value=lambda row: row.name, label=True),
        Column(name="n", key="n", value=lambda row: row.n),
    )
    return table_of(
        "Nodes, names and passages to look at",
        columns,
        rows,
        group=lambda row: row.what,
        notes=[
            f"In all {len(suspects.hubs):,} hubs (n: triples; as many as the root of the graph's "
            f"triples, at least 20), {len(suspects.pairs):,} pairs of near-duplicate names (n: "
            f"triples of the rarer), {len(suspects.circles):,} circles (n: nodes), "
            f"{counts.n_barren:,} passages that gave nothing. The first {BARS} of each."
        ],
    )


def size_figures(profile: GraphProfile) -> list[tuple[str, str]]:
    """Names and values of the sizes of a graph; what does not apply is left out."""
    counts, coverage = profile.counts, profile.coverage
    known = f"{coverage.relations:,} of {counts.relations:,}"
    out = [
        ("Triples", f"{counts.triples:,}"),
        ("Nodes", f"{counts.nodes:,}"),
        ("Relations", f"{counts.relations:,}"),
        ("Suspect", f"{profile.n_suspects:,}"),
        ("In one triple only", f"{counts.dangling:,} nodes"),
        (
            "Relations in the ontology",
            f"{known}, {coverage.triples / counts.triples:.0%} of triples",
        ),
    ]
    if counts.rows > counts.triples:
        out.append(("Rows that repeat a triple", f"{counts.rows - counts.triples:,}"))
    if coverage.typed:
        share = coverage.typed / counts.nodes
        out.append(("Nodes with a type", f"{coverage.typed:,}, {share:.0%}, by {coverage.source}"))
    if counts.passages:
        out.append(("Passages", f"{counts.passages:,}"))
        if counts.n_barren:
            out.append(("Passages that gave nothing", f"{counts.n_barren:,}"))
        if counts.without_passage:
            out.append(("Rows without a passage", f"{counts.without_passage:,}"))
    return out


def relation_chart(profile: GraphProfile) -> BarChart:
    """How much of each relation is suspect."""
    edges = profile.read.edges
    suspect = np.any(list(profile.suspects.flags.values()), axis=0)
    n = len(edges.relations)
    totals = np.bincount(edges.kinds, minlength=n)
    bad = np.bincount(edges.kinds[suspect], minlength=n)
    order = sorted(range(n), key=lambda at: (-totals[at], edges.relations[at]))

    def counts(at: int) -> Counter[str]:
        return Counter({"suspect": int(bad[at]), NO_SUSPECT: int(totals[at] - bad[at])})

    left_out = count(n - BARS, "rarer relation is", "rarer relations are")
    return BarChart(
        caption="Suspects per relation, as shares of its triples; at the right, how many triples",
        label="Triples",
        tones=_SUSPECT,
        total=stacked_bar("all relations", sum(map(counts, range(n)), Counter()), _SUSPECT),
        bars=tuple(stacked_bar(edges.relations[at], counts(at), _SUSPECT) for at in order[:BARS]),
        note=f"{left_out} not shown." if n > BARS else "",
    )


def spread_charts(profile: GraphProfile) -> list[BarChart]:
    """How triples are spread over nodes, over heads with a relation, over passages."""
    counts = profile.counts
    spreads = [
        ("Triples of a node: how many nodes have so many", "nodes", counts.degrees),
        ("Tails of a head by one relation: how many such heads", "heads", counts.values),
    ]
    if counts.yields is not None:
        caption = "Triples of a passage: how many passages gave so many"
        spreads.append((caption, "passages", counts.yields))
    return [spread_chart(*row) for row in spreads]


def spread_chart(caption: str, things: str, spread: Spread) -> BarChart:
    """A distribution as bars, the longest as wide as there is room."""
    longest = max((n for _, n in spread.bins), default=1)
    return BarChart(
        caption=f"{caption}; mean {spread.mean:.1f}, median {spread.median:g}, "
        f"most {spread.most:,}",
        label=things,
        tones={},
        bars=tuple(
            Bar(
                name=name,
                total=n,
                segments=(
                    BarSegment(
                        verdict=things,
                        tone="good",
                        count=n,
                        start="0%",
                        width=f"{100 * n / longest:.2f}%",
                        middle="",
                    ),
                )
                * bool(n),
            )
            for name, n in spread.bins
        ),
    )


def error_dots(profile: GraphProfile) -> list[Dot]:
    """The share of errors of each kind that people labelled, as dots with their intervals."""
    lines: Sequence[SuspectLine] = suspect_lines(profile)
    return [
        dot_of(line.errors, f"{line.kind} ({count(line.labelled or 0, 'label', 'labels')})", place)
        for place, line in enumerate(lines)
        if line.errors is not None
    ]
