"""The tables of a profile: kinds of suspects, relations, patterns of types, and what else to look
at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from factmark.graphs.profile.core.label_shares import ALL, ANY, KindErrors
from factmark.graphs.profile.core.patterns import Pattern
from factmark.graphs.profile.core.relations import RelationProfile
from factmark.graphs.profile.core.suspects import KINDS, NO_SUSPECT
from factmark.graphs.profile.results import GraphProfile
from factmark.model import Estimate
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.text.shown_text import named

BARS = 30  # relations, patterns and nodes that a chart or table shows
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


def suspect_lines(profile: GraphProfile) -> list[SuspectLine]:
    """Returns the kinds of suspects, then all suspects, what is none, and the graph."""
    total = profile.counts.triples
    sizes = {}
    for kind, flags in profile.suspects.flags.items():
        sizes[kind] = int(flags.sum())
    sizes |= {ANY: profile.n_suspects, NO_SUSPECT: total - profile.n_suspects, ALL: total}
    by_kind = {line.kind: line for line in profile.errors}
    lines = []
    for kind, size in sizes.items():
        lines.append(_suspect_line(kind, size, total, by_kind))
    return lines


def _suspect_line(kind: str, size: int, total: int, by_kind: dict[str, KindErrors]) -> SuspectLine:
    """Returns a kind's line; without any labels there is no number of them."""
    labelled = None
    if by_kind:
        labelled = 0
    errors = None
    if kind in by_kind:
        labelled = by_kind[kind].labelled
    if labelled:
        errors = by_kind[kind].errors
    return SuspectLine(
        kind=kind,
        meaning=KINDS.get(kind, ""),
        triples=size,
        share=size / total,
        labelled=labelled,
        errors=errors,
    )


def _part_of(line: SuspectLine) -> str:
    """Returns what a line is over: one kind, or the graph by whether a triple is suspect."""
    if line.kind in KINDS:
        return "kind"
    return "overall"


_SUSPECT_COLUMNS: tuple[Column[SuspectLine], ...] = (
    Column(name="over", value=_part_of, label=True),
    attribute_column("kind", "suspect", label=True),
    attribute_column("meaning", ""),
    attribute_column("triples"),
    attribute_column("share", show="{:.1%}".format),
    attribute_column(
        "labelled",
        meaning="Labelled: triples, of a graph with passages each with each of its passages.",
        optional=True,
    ),
    attribute_column("errors", estimate=True, optional=True),
)


def suspect_table(profile: GraphProfile) -> DataTable:
    """Returns what is suspect, how much of it there is, and how often it was an error."""
    lines = suspect_lines(profile)
    return table_of(
        f"What is suspect in {named(profile.graph)}",
        _SUSPECT_COLUMNS,
        [line for line in lines if line.triples or line.kind not in KINDS],
        group=_part_of,
        overall=lambda line: line.kind == ALL,
        notes=tuple(_suspect_notes(profile)),
        records=lines,
    )


def _suspect_notes(profile: GraphProfile) -> Iterator[str]:
    """Yields what kinds of suspects mean, what factmark looked for and did not find, and what an
    error is."""
    flags = profile.suspects.flags
    present = []
    for kind in flags:
        if flags[kind].any():
            present.append(f"{kind}: {KINDS[kind]}")
    if present:
        yield f"{'; '.join(present).capitalize()}."
    note = "A triple may be suspect for several reasons. A suspect is no error."
    absent = []
    for kind in flags:
        if not flags[kind].any():
            absent.append(kind)
    if absent:
        note += f" Looked for and not there: {', '.join(absent)}."
    yield note
    if profile.errors:
        yield (
            f"Errors, by people's labels: {_ERROR[profile.measure]}. Labels were drawn within each "
            "kind, so each counts for the units that it stands for."
        )


def _nature(row: RelationProfile) -> str:
    """Returns how a relation is used in this graph, in words."""
    words = []
    if not row.one_way:
        words.append("either way")
    if row.one_tail:
        words.append("one tail")
    if row.one_head:
        words.append("one head")
    return ", ".join(words)


_RELATION_COLUMNS: tuple[Column[RelationProfile], ...] = (
    Column(name="relation", key="relation", value=attrgetter("name"), label=True),
    attribute_column("triples"),
    attribute_column("heads"),
    attribute_column("tails"),
    attribute_column("reversed_share", "turned round", show="{:.0%}".format),
    Column(name="used as", key="nature", value=_nature, show=str),
    Column(name="in the ontology", key="known", value=lambda row: "yes" if row.known else "no"),
)


def relation_table(profile: GraphProfile) -> DataTable:
    """Returns the relations, the most frequent first: how they are used in this graph."""
    ordered = sorted(profile.suspects.relations, key=lambda row: (-row.triples, row.name))
    notes = ["Turned round: triples that stand in the graph with head and tail exchanged too."]
    if len(ordered) > BARS:
        notes.append(f"The {BARS} most frequent of {len(ordered):,}; the others in results.json.")
    return table_of("Relations", _RELATION_COLUMNS, ordered[:BARS], notes=notes, records=ordered)


_PATTERN_COLUMNS: tuple[Column[Pattern], ...] = (
    Column(
        name="pattern",
        key="rare",
        value=lambda row: "rare" if row.rare else "usual",
        label=True,
    ),
    attribute_column("head", label=True),
    attribute_column("relation", label=True),
    attribute_column("tail", label=True),
    attribute_column("triples"),
    attribute_column("expected", show="{:,.1f}".format),
)


def pattern_table(profile: GraphProfile) -> DataTable:
    """Returns the rare patterns of types, then the most frequent ones."""
    patterns = profile.suspects.patterns
    rare = []
    for pattern in patterns:
        if pattern.rare:
            rare.append(pattern)
    usual = []
    for pattern in patterns:
        if not pattern.rare:
            usual.append(pattern)
    return table_of(
        f"Patterns of types, by {profile.types.source}",
        _PATTERN_COLUMNS,
        [*rare[:BARS], *usual[:BARS]],
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
    """Returns the first hubs, near-duplicate names, circles, and passages that gave nothing."""
    edges = profile.read.edges
    suspects = profile.suspects
    nodes = edges.nodes
    degrees = edges.degrees()
    rows = []
    for node in suspects.hubs[:BARS]:
        rows.append(Finding(what="hub", name=nodes[node], n=int(degrees[node])))
    rows += [
        Finding(
            what=f"near-duplicate name ({pair.differs})",
            name=f"{nodes[pair.first]} / {nodes[pair.second]}",
            n=int(min(degrees[pair.first], degrees[pair.second])),
        )
        for pair in suspects.pairs[:BARS]
    ]
    for circle in suspects.circles[:BARS]:
        rows.append(
            Finding(
                what="circle", name=" > ".join(nodes[node] for node in circle[:6]), n=len(circle)
            )
        )
    return rows + [
        Finding(what="passage that gave nothing", name=name)
        for name in profile.counts.barren[:BARS]
    ]


def finding_table(profile: GraphProfile) -> DataTable | None:
    """Returns the findings that are no triples; None where there is none."""
    rows = findings(profile)
    if not rows:
        return None
    counts = profile.counts
    suspects = profile.suspects
    columns: tuple[Column[Finding], ...] = (
        attribute_column("what", label=True),
        attribute_column("name", "which", label=True),
        attribute_column("n"),
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
