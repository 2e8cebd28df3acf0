"""The tables and the chart of a judged graph, and the columns of its judged rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from factmark.graphs.core.scores import LEAST_DECIDED
from factmark.graphs.results import GraphResults, GraphRow
from factmark.graphs.score_tables import BARS, OVERALL, ScoreLine, score_chart, score_columns
from factmark.model import Estimate
from factmark.report.charts import NO_VERDICT, BarChart
from factmark.report.columns import Column, table_of
from factmark.report.correction_tables import by_people, correction_table
from factmark.report.file_columns import FileColumn, with_given_columns
from factmark.report.layouts import DataTable
from factmark.report.opening import Opening, aside, brackets, figure, lacking
from factmark.report.shown_text import NO_VALUE, count, named, some

UNITS = {"factscore": ("pair", "pairs"), "validity": ("triple", "triples")}
MEASURES = {"factscore": "FActScore*", "validity": "ValidityScore"}
PAIRS, UNIQUE = "pairs", "unique triples"
_KEYS = {"f1": "F1", "strict_score": "strict score"}
_MEANT = {
    "factscore": "is supported by its passage",
    "validity": "uses its relation as the ontology allows, a maybe counted half",
}
"""Measure -> what the score is the share of triples that does."""


_ROW_COLUMNS = (
    *("id", "place", "head", "relation", "tail", "claim", "passage_id", "passage"),
    *("status", "label", "reason", "truth", "repeats", "unit"),
)
"""The columns of the files of rows; the file's own follow."""


def row_columns(results: GraphResults) -> tuple[FileColumn[GraphRow], ...]:
    """Returns the columns of the files of rows: ours, then those of the input that were not read,
    see `with_given_columns`."""
    columns = [FileColumn[GraphRow](name=name, value=attrgetter(name)) for name in _ROW_COLUMNS]
    return with_given_columns(columns, results.rows, attrgetter("given"))


def graph_opening(results: GraphResults) -> Opening:
    """Returns the report's first sentence: the score, as people would have given it if they
    labelled units, and cautions."""
    scores, corrected, judge = results.scores, results.correction, named(results.judge)
    measure, units = MEASURES[results.measure], scores.main.n_units
    best, of_what = scores.main.estimate, ""
    how = f"judged by {judge}"
    if corrected is not None:
        best, how = corrected.corrected, by_people(corrected, judge)
    elif results.whole is not None:
        best, of_what = results.whole, " of the whole graph"
        how += f", of whose triples {units:,} were drawn"
    if best.value is None:
        sentence = f"There is no {measure} by {judge}: {scores.main.reasons['score']}"
    else:
        triples = "its triples" if of_what else _triples_scored(results, best)
        sentence = (
            f"{measure}{of_what} is {figure(best)}: that share of {triples} "
            f"{_meant(results)}, {how}{aside(brackets(best))}"
            f"{lacking(results.left, units + results.left, 'not judged yet')}"
        )
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def _triples_scored(results: GraphResults, best: Estimate) -> str:
    """Returns how many triples a score is over, and of how many where some have no verdict."""
    main = results.scores.main
    if results.correction is not None or not main.n_missing:
        return count(best.n_units, "triple", "triples")
    return f"the {main.n_labelled:,} of {count(main.n_units, 'triple', 'triples')} with a verdict"


def _meant(results: GraphResults) -> str:
    """Returns what the score is the share of triples that does, and whether none has a passage."""
    if results.measure == "factscore" and not results.with_passages:
        return "is supported (none comes with a passage)"
    if results.by_basis:
        return "is supported by its passage or by general truth"
    return _MEANT[results.measure]


def graph_tables(results: GraphResults) -> list[DataTable]:
    """Returns the tables of a report: the corrected score where people labelled, and scores."""
    corrected, measure = results.correction, MEASURES[results.measure]
    tables = [] if corrected is None else [correction_table(measure, corrected, results.annotators)]
    return [*tables, graph_table(results)]


def graph_table(
    results: GraphResults, parts: Sequence[str] = (), *, relations: int | None = None
) -> DataTable:
    """Returns the scores over pairs and unique triples, then per relation, then per type of head.

    Types of head are left out where none is known, the range where nothing is missing.

    Args:
        parts: the parts that people are shown; all where none is named. Machines get all.
        relations: at most so many are shown, those with the most units; all where it is None.
    """
    lines = list(_score_lines(results))
    most = sorted(results.scores.by_relation.items(), key=lambda pair: -pair[1].n_units)
    names = {named(name) for name, _ in most[:relations]}
    shown = [
        line
        for line in lines
        if (not parts or line.part in parts) and (line.part != "relation" or line.name in names)
    ]
    return table_of(
        f"{MEASURES[results.measure]} of {named(results.graph)}, judged by {named(results.judge)}",
        tuple(_columns(results)),
        shown,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=tuple(_notes(shown, results)),
        records=lines,
    )


def _score_lines(results: GraphResults) -> Iterator[ScoreLine]:
    """Yields a line for each score, in the order in which they are shown."""
    scores = results.scores
    yield ScoreLine(OVERALL, PAIRS, scores.pairs)
    yield ScoreLine(OVERALL, UNIQUE, scores.unique)
    for name, score in results.by_basis.items():
        yield ScoreLine("judged", name, score)
    for name, score in scores.by_relation.items():
        yield ScoreLine("relation", named(name), score)
    for name, score in scores.by_head_type.items() if any(scores.by_head_type) else ():
        yield ScoreLine("head type", named(name) if name else "unknown", score)


def _columns(results: GraphResults) -> Iterator[Column[ScoreLine]]:
    """Yields the table's columns; which there are depends on the measure and on what is missing."""
    facts = results.measure == "factscore"
    over, other = ("pairs", "pairs") if facts else ("triples", "unique triples")
    beside = _columns_beside_score(facts)
    units = f"{over} that have a verdict; relations and head types go over {other}"
    return score_columns(results.scores.pairs, units, beside)


def _columns_beside_score(facts: bool) -> Iterator[Column[ScoreLine]]:
    """Yields what stands beside the score: recall and F1, or for validity the strict score."""
    if facts:
        yield Column(
            name="recall",
            key="recall",
            value=lambda line: line.score.second,
            estimate=True,
            meaning="Recall: supported / (supported + not supported).",
        )
        yield Column(
            name="F1",
            key="f1",
            value=lambda line: line.score.f1,
            meaning="F1: their harmonic mean.",
        )
    else:
        yield Column(
            name="strict score",
            key="strict_score",
            estimate=True,
            value=lambda line: line.score.second,
            meaning="Strict score: yes / n.",
        )


def _notes(lines: Sequence[ScoreLine], results: GraphResults) -> Iterator[str]:
    """Yields why there are fewer triples than pairs, why values are undefined, each reason once,
    and how many units are in no score."""
    pairs, triples = results.scores.pairs.n_units, results.scores.unique.n_units
    if pairs != triples:
        yield (
            f"{count(pairs, 'pair', 'pairs')} of triple and passage are {triples:,} unique "
            "triples: the same triple stands with several passages."
        )
    if why := {line.score.reasons["score"] for line in lines if "score" in line.score.reasons}:
        few = any("fewer" in reason for reason in why)
        share = f"fewer than {LEAST_DECIDED:.0%} of the units have" if few else "no unit has"
        yield f"{NO_VALUE}: no score where {share} a verdict."
    undefined: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        for key, reason in line.score.reasons.items() if "score" not in line.score.reasons else ():
            undefined.setdefault((_KEYS.get(key, key), reason), []).append(line.name)
    for (key, reason), names in undefined.items():
        yield f"{NO_VALUE}: no {key} for {some(names)}: {reason}."
    left = results.left
    if left:
        are = "is" if left == 1 else "are"
        yield f"{count(left, 'unit', 'units')} {are} not judged yet and in no score."


def graph_chart(results: GraphResults, *, bars: int = BARS) -> BarChart:
    """Returns the chart of verdicts per relation, the most frequent first, over all judged
    units."""
    units = UNITS[results.measure][1]
    return score_chart(
        results.scores.main,
        results.scores.by_relation,
        caption=f"Verdicts per relation, as shares of its {units}; at the right, how many",
        whole="all relations",
        more=("rarer relation is in the table alone", "rarer relations are in the table alone"),
        bars=bars,
    )


def verdict_of(row: GraphRow) -> str:
    """Returns the row's label, or `no verdict`."""
    return row.label or NO_VERDICT
