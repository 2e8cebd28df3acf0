"""The tables and the chart of a judged graph: its scores, and the published ones beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from factmark.graphs.core.published import GRAPHS, NOT_PUBLISHED, PublishedGraph
from factmark.graphs.core.results import GraphResults, GraphRow
from factmark.graphs.core.scores import FactScore, Missing, Validity
from factmark.model import Estimate
from factmark.replies.rubric import (
    CONTRADICTED,
    MAYBE,
    NO,
    NOT_SUPPORTED,
    SUPPORT_LABELS,
    SUPPORTED,
    VALIDITY_LABELS,
    YES,
)
from factmark.tables.bar_chart import NO_VERDICT, Bar, stacked
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    Value,
    estimate_cell,
    extremes,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, count, number, one_line

Score = FactScore | Validity
BARS = 40  # relations that the chart shows

MEASURES = {"factscore": "FActScore*", "validity": "ValidityScore"}
OVERALL, PAIRS, UNIQUE = "overall", "pairs", "unique triples"
_KEYS = {"f1": "F1", "strict_score": "strict score"}
_COUNTS = ("undecided", "unparsed", "refused", "failed")
_MISSING = (
    "Missing: undecided/unparsed/refused/failed. Range: where the score lies, whatever the missing "
    "would have said."
)


def graph_table(results: GraphResults) -> DataTable:
    """The scores over pairs and unique triples, then per relation, then per type of head.

    Types of head are left out where none is known.
    """
    found = list(_scores(results))
    scores = [score for _, _, score in found]
    record_names, columns = _heads(results)
    lines, before = [], ""
    for part, name, score in found:
        lines.append(
            Line(
                labels=(part, name),
                cells=(*_cells(score), *_missing_cells(score)),
                starts_group=part != before,
                overall=part == OVERALL,
            )
        )
        before = part
    return DataTable(
        title=f"{MEASURES[results.measure]} of {one_line(results.graph) or NO_VALUE}, "
        f"judged by {one_line(results.judge) or NO_VALUE}",
        label_names=("over", "of"),
        columns=columns,
        lines=tuple(lines),
        notes=(_legend(results), *interval_note(_estimates(scores)), *_notes(found, results.left)),
        record_names=("part", "name", *record_names, *_COUNTS),
        records=tuple(
            (part, name, *_values(score), *(getattr(score.missing, key) for key in _COUNTS))
            for part, name, score in found
        ),
    )


def without_range(table: DataTable) -> DataTable:
    """The table of a graph of which nothing is missing: without its last column."""
    return replace(
        table,
        columns=table.columns[:-1],
        lines=tuple(replace(line, cells=line.cells[:-1]) for line in table.lines),
    )


def published_table() -> DataTable:
    """What was published for GraphMERT, in percent as printed; every doubt is a numbered note."""
    doubts = list(dict.fromkeys(doubt for graph in GRAPHS for doubt in graph.doubtful))
    return DataTable(
        title="Published figures for comparison, in % (GraphMERT, TMLR 2026); not measured here",
        label_names=("graph",),
        columns=tuple(
            Head(name=name)
            for name in (
                "pairs", "unique", "FActScore*", "with general truth",
                "yes / maybe / no", "no label", "doubts",
            )
        ),
        lines=tuple(
            Line(labels=(graph.name,), cells=_published_cells(graph, doubts), starts_group=True)
            for graph in GRAPHS
        ),
        notes=(
            *(f"Doubt {at}: {doubt}." for at, doubt in enumerate(doubts, 1)),
            *(f"Not published: {text}." for text in NOT_PUBLISHED),
        ),
        record_names=(
            "graph", "pairs", "unique", "factscore", "factscore_general",
            "yes", "maybe", "no", "no_label", "doubts",
        ),
        records=tuple(
            (
                graph.name, graph.pairs, graph.unique, graph.factscore, graph.factscore_general,
                graph.yes, graph.maybe, graph.no, graph.missing_share, "; ".join(graph.doubtful),
            )
            for graph in GRAPHS
        ),
    )  # fmt: skip


def _scores(results: GraphResults) -> Iterator[tuple[str, str, Score]]:
    scores = results.scores
    yield OVERALL, PAIRS, scores.pairs
    yield OVERALL, UNIQUE, scores.unique
    for name, score in scores.by_relation.items():
        yield "relation", one_line(name) or NO_VALUE, score
    if any(scores.by_head_type):
        for name, score in scores.by_head_type.items():
            yield "head type", one_line(name) or "unknown", score


def _heads(results: GraphResults) -> tuple[tuple[str, ...], tuple[Head, ...]]:
    """The columns for machines and for people."""
    if results.measure == "factscore":
        own: tuple[str, ...] = ("score", "recall", "F1", "n")
        keys = ("f1", "supported", "contradicted", "not_supported")
        records = (*part_names("score"), *part_names("recall"), *keys)
    else:
        own = ("score", "strict score", "n")
        records = (*part_names("score"), *part_names("strict_score"), "yes", "maybe", "no")
    names = (*own, "verdicts", "missing", "range")
    return records, tuple(Head(name=name) for name in names)


def _cells(score: Score) -> tuple[Cell, ...]:
    if isinstance(score, FactScore):
        shown = (score.correct_facts, score.contradicted, score.not_supported)
        return (
            estimate_cell(score.estimate),
            estimate_cell(score.recall_estimate),
            Cell(value=number(score.f1)),
            Cell(value=str(score.total_facts)),
            _slashed(shown),
        )
    return (
        estimate_cell(score.estimate),
        estimate_cell(score.strict_estimate),
        Cell(value=str(score.total_relations)),
        _slashed((score.yes_count, score.maybe_count, score.no_count)),
    )


def _missing_cells(score: Score) -> tuple[Cell, Cell]:
    missing: Missing = score.missing
    return (
        _slashed(getattr(missing, key) for key in _COUNTS),
        Cell(value=extremes(score.estimate) or NO_VALUE),
    )


def _slashed(counts: Iterable[object]) -> Cell:
    """Several counts in one cell, with room to break the line where it is long."""
    short = "/".join(map(str, counts := list(counts)))
    return Cell(value=short if len(short) <= 9 else " / ".join(map(str, counts)))


def _values(score: Score) -> tuple[Value, ...]:
    if isinstance(score, FactScore):
        return (
            *parts(score.estimate),
            *parts(score.recall_estimate),
            score.f1,
            score.correct_facts,
            score.contradicted,
            score.not_supported,
        )
    counts = (score.yes_count, score.maybe_count, score.no_count)
    return (*parts(score.estimate), *parts(score.strict_estimate), *counts)


def _estimates(scores: Iterable[Score]) -> Iterator[Estimate]:
    for score in scores:
        yield score.estimate
        yield score.recall_estimate if isinstance(score, FactScore) else score.strict_estimate


def _legend(results: GraphResults) -> str:
    if results.measure == "factscore":
        return (
            "Score: supported / n. Recall: supported / (supported + not supported). F1: their "
            "harmonic mean. n: pairs that have a verdict; relations and head types go over pairs. "
            "Verdicts: supported/contradicted/not supported. " + _MISSING
        )
    return (
        "Score: (yes + maybe / 2) / n. Strict score: yes / n. n: triples that have a verdict; "
        "relations and head types go over unique triples. Verdicts: yes/maybe/no. " + _MISSING
    )


def _notes(found: Iterable[tuple[str, str, Score]], left: int) -> Iterator[str]:
    """Why values are undefined, each reason once, and what is in no score."""
    undefined: dict[tuple[str, str], list[str]] = {}
    for _, name, score in found:
        for key, reason in score.reasons.items():
            if key != "precision":
                undefined.setdefault((_KEYS.get(key, key), reason), []).append(name)
    for (key, reason), names in undefined.items():
        yield f"{NO_VALUE}: no {key} for {', '.join(names)}: {reason}."
    if left:
        are = "is" if left == 1 else "are"
        yield f"{count(left, 'unit', 'units')} {are} not judged yet and in no score."


def _published_cells(graph: PublishedGraph, doubts: list[str]) -> tuple[Cell, ...]:
    def shown(value: float | None) -> Cell:
        return Cell(value=NO_VALUE if value is None else f"{value:,}")

    return (
        shown(graph.pairs),
        shown(graph.unique),
        shown(graph.factscore),
        shown(graph.factscore_general),
        _slashed((graph.yes, graph.maybe, graph.no)),
        shown(graph.missing_share),
        Cell(value=", ".join(str(doubts.index(doubt) + 1) for doubt in graph.doubtful)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphChart:
    """All bars, the most frequent relation first; `rest` counts the relations left out."""

    verdicts: tuple[str, ...]
    overall: Bar
    bars: tuple[Bar, ...]
    rest: int


def verdicts_of(results: GraphResults) -> tuple[str, ...]:
    """The labels of the measure in order, then what stands for none if any row has none."""
    labels = SUPPORT_LABELS if results.measure == "factscore" else VALIDITY_LABELS
    return (*labels, NO_VERDICT) if _over_all(results).missing.total else labels


def verdict(row: GraphRow) -> str:
    """The row's label, or what stands for none."""
    return row.label or NO_VERDICT


def judged_units(results: GraphResults) -> int:
    """How many units have been judged, with a verdict or without: pairs, for validity triples."""
    return _counts(_over_all(results)).total()


def _over_all(results: GraphResults) -> FactScore | Validity:
    scores = results.scores
    return scores.pairs if isinstance(scores.pairs, FactScore) else scores.unique


def _counts(score: FactScore | Validity) -> Counter[str]:
    """How many units got each verdict, and how many none."""
    if isinstance(score, FactScore):
        counts = (score.correct_facts, score.contradicted, score.not_supported)
        verdicts = dict(zip((SUPPORTED, CONTRADICTED, NOT_SUPPORTED), counts, strict=True))
    else:
        counts = (score.yes_count, score.maybe_count, score.no_count)
        verdicts = dict(zip((YES, MAYBE, NO), counts, strict=True))
    return Counter({**verdicts, NO_VERDICT: score.missing.total})


def graph_chart(results: GraphResults, *, bars: int = BARS) -> GraphChart:
    """The chart over all judged units, also over those that the report does not show as cards."""
    verdicts = verdicts_of(results)
    relations = {name: _counts(score) for name, score in results.scores.by_relation.items()}
    ordered = sorted(relations.items(), key=lambda item: (-item[1].total(), item[0]))
    return GraphChart(
        verdicts=verdicts,
        overall=stacked("all relations", _counts(_over_all(results)), verdicts),
        bars=tuple(stacked(name, counts, verdicts) for name, counts in ordered[:bars]),
        rest=max(0, len(ordered) - bars),
    )
