"""The tables and the chart of a judged graph, and the columns of its judged rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from factmark.files.flat_files import json_text
from factmark.files.own_columns import free_name
from factmark.graphs.core.scores import WITHOUT_LABEL, GraphScore
from factmark.graphs.results import GraphResults, GraphRow
from factmark.label_values import SUPPORT_LABELS, VALIDITY_LABELS
from factmark.tables.charts import NO_VERDICT, BarChart, stacked_bar, tone
from factmark.tables.columns import Column, table_of
from factmark.tables.file_columns import FileColumn, SqlType
from factmark.tables.layouts import DataTable, extremes_text
from factmark.tables.opening import Opening, aside, brackets, figure, lacking
from factmark.tables.shown_text import NO_VALUE, count, named

BARS = 40  # relations that the chart shows

UNITS = {"factscore": ("pair", "pairs"), "validity": ("triple", "triples")}
MEASURES = {"factscore": "FActScore*", "validity": "ValidityScore"}
OVERALL, PAIRS, UNIQUE = "overall", "pairs", "unique triples"
_KEYS = {"f1": "F1", "strict_score": "strict score"}
_RANGE = "Range: where the score lies, whatever the missing would have said."


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
    """Returns the columns of the files of rows: ours, then those of the input that were not read; a
    name of ours has `_given` after it there."""
    columns = [FileColumn[GraphRow](name=name, value=attrgetter(name)) for name in _ROW_COLUMNS]
    given = dict.fromkeys(name for row in results.rows for name in row.given)
    taken = {*_ROW_COLUMNS}
    for name in given:
        own = free_name(name, taken)
        taken.add(own)
        columns.append(FileColumn(name=own, value=_given(name), type=_sql_type(name, results.rows)))
    return tuple(columns)


def _given(name: str) -> Callable[[GraphRow], object]:
    """Returns what gives a row's value in a column of the input; an object as a list has it."""

    def value(row: GraphRow) -> object:
        cell = row.given.get(name)
        return json_text(cell) if isinstance(cell, Mapping) else cell

    return value


def _sql_type(name: str, rows: Iterable[GraphRow]) -> SqlType:
    """Returns the type of a column of the input in Parquet, by the values in it."""
    kinds = {type(cell) for row in rows if (cell := row.given.get(name)) is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"


class ScoreLine(NamedTuple):
    """A score, over what: a part (`overall`, `relation`) and its name."""

    part: str
    name: str
    score: GraphScore


def graph_opening(results: GraphResults) -> Opening:
    """Returns the report's first sentence: the score, as people would have given it if they
    labelled units, and cautions."""
    scores, corrected, judge = results.scores, results.correction, named(results.judge)
    measure, units = MEASURES[results.measure], count_judged(results)
    best, of_what = scores.pairs.estimate, ""
    how, by_whom = f"judged by {judge}", f" by {judge}"
    if corrected is not None:
        best = corrected.corrected
        labels = count(corrected.labels, "label", "labels")
        how = f"as people would say, by {labels} of theirs and the verdicts of {judge}"
    elif results.whole is not None:
        best, of_what = results.whole, " of the whole graph"
        how += f", of whose triples {units:,} were drawn"
    if best.value is None:
        sentence = f"There is no {measure}{by_whom}: {scores.pairs.reasons['score']}"
    else:
        triples = "its triples" if of_what else count(best.n_units, "triple", "triples")
        lack = "without a verdict" + by_whom * (corrected is not None)
        sentence = (
            f"{measure}{of_what} is {figure(best)}: that share of {triples} "
            f"{_meant(results)}, {how}{aside(brackets(best))}"
            f"{lacking(scores.main.n_missing, units, lack)}"
            f"{lacking(results.left, units + results.left, 'not judged yet')}"
        )
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def _meant(results: GraphResults) -> str:
    """Returns what the score is the share of triples that does, and whether none has a passage."""
    if results.measure == "factscore" and not results.with_passages:
        return "is supported (none comes with a passage)"
    return _MEANT[results.measure]


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
    most = sorted(results.scores.by_relation.items(), key=lambda pair: -_size(pair[1]))
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
        notes=tuple(_notes(shown, results.left)),
        records=lines,
    )


def _size(score: GraphScore) -> int:
    """Returns how many units a score goes over, those without a verdict too."""
    return score.n_labelled + score.n_missing


def _score_lines(results: GraphResults) -> Iterator[ScoreLine]:
    """Yields a line for each score, in the order in which they are shown."""
    scores = results.scores
    yield ScoreLine(OVERALL, PAIRS, scores.pairs)
    yield ScoreLine(OVERALL, UNIQUE, scores.unique)
    for name, score in scores.by_relation.items():
        yield ScoreLine("relation", named(name), score)
    for name, score in scores.by_head_type.items() if any(scores.by_head_type) else ():
        yield ScoreLine("head type", named(name) if name else "unknown", score)


def _columns(results: GraphResults) -> Iterator[Column[ScoreLine]]:
    """Yields the table's columns; which there are depends on the measure and on what is missing."""
    facts = results.measure == "factscore"
    over, other = ("pairs", "pairs") if facts else ("triples", "unique triples")
    yield Column(name="over", key="part", value=lambda line: line.part, label=True)
    yield Column(name="of", key="name", value=lambda line: line.name, label=True)
    yield Column(
        name="score",
        key="score",
        value=lambda line: line.score.estimate,
        estimate=True,
        meaning="Score: supported / n." if facts else "Score: (yes + maybe / 2) / n.",
    )
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
    yield Column(
        name="n",
        value=lambda line: line.score.n_labelled,
        meaning=f"n: {over} that have a verdict; relations and head types go over {other}.",
    )
    labels = SUPPORT_LABELS if facts else VALIDITY_LABELS
    for label in labels:
        yield _count_column(label, label.lower().replace("_", " "))
    kinds = [kind for kind in WITHOUT_LABEL if results.scores.pairs.missing[kind]]
    for kind in WITHOUT_LABEL:
        meaning = f"{', '.join(kinds).capitalize()}: without a verdict." * (kinds[:1] == [kind])
        yield _count_column(kind, kind * (kind in kinds), meaning)
    if not kinds:
        yield Column(name="missing", value=lambda line: line.score.n_missing)
    if results.scores.pairs.n_missing:
        yield Column(
            name="range",
            meaning=_RANGE,
            value=lambda line: extremes_text(line.score.estimate) or None,
        )


def _count_column(key: str, name: str, meaning: str = "") -> Column[ScoreLine]:
    """Returns a column of how many units have a label, or none for a reason; for machines alone if
    it has no name."""
    return Column(
        key=key.lower(),
        name=name,
        meaning=meaning,
        value=lambda line: {**line.score.by_label, **line.score.missing}[key],
    )


def _notes(lines: Sequence[ScoreLine], left: int) -> Iterator[str]:
    """Yields why values are undefined, each reason once, and how many units are in no score."""
    undefined: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        for key, reason in line.score.reasons.items():
            if key != "precision":
                undefined.setdefault((_KEYS.get(key, key), reason), []).append(line.name)
    for (key, reason), names in undefined.items():
        yield f"{NO_VALUE}: no {key} for {', '.join(names)}: {reason}."
    if left:
        are = "is" if left == 1 else "are"
        yield f"{count(left, 'unit', 'units')} {are} not judged yet and in no score."


def graph_chart(results: GraphResults, *, bars: int = BARS) -> BarChart:
    """Returns the chart of verdicts per relation, the most frequent first, over all judged
    units."""
    tones = {verdict: tone(verdict) for verdict in verdicts_of(results)}
    relations = {name: _verdict_counts(score) for name, score in results.scores.by_relation.items()}
    ordered = sorted(relations.items(), key=lambda item: (-item[1].total(), item[0]))
    left_out = count(len(ordered) - bars, "rarer relation is", "rarer relations are")
    units = UNITS[results.measure][1]
    return BarChart(
        caption=f"Verdicts per relation, as shares of its {units}; at the right, how many",
        label="Verdicts",
        tones=tones,
        total=stacked_bar("all relations", _verdict_counts(results.scores.main), tones),
        bars=tuple(stacked_bar(name, counts, tones) for name, counts in ordered[:bars]),
        note=f"{left_out} in the table alone." if len(ordered) > bars else "",
    )


def verdicts_of(results: GraphResults) -> tuple[str, ...]:
    """Returns the measure's labels in order, then `no verdict` if any row has none."""
    score = results.scores.main
    return (*score.by_label, *[NO_VERDICT] * bool(score.n_missing))


def verdict_of(row: GraphRow) -> str:
    """Returns the row's label, or `no verdict`."""
    return row.label or NO_VERDICT


def count_judged(results: GraphResults) -> int:
    """Returns how many units were judged, with a verdict or without: pairs, or for validity
    triples."""
    return results.scores.main.n_labelled + results.scores.main.n_missing


def _verdict_counts(score: GraphScore) -> Counter[str]:
    """Returns how many units have each label, and how many none."""
    return Counter({**score.by_label, NO_VERDICT: score.n_missing})
