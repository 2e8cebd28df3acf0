"""The tables and the chart of judged claims, and the columns of their file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from factmark.claims.core.beside_people import JudgeBesidePeople
from factmark.claims.results import ClaimResults, JudgedClaim
from factmark.files.flat_files import json_text
from factmark.files.own_columns import free_name
from factmark.graphs.core.scores import WITHOUT_LABEL, GraphScore
from factmark.label_values import SUPPORT_LABELS
from factmark.model import Estimate
from factmark.tables.charts import NO_VERDICT, BarChart, stacked_bar, tone
from factmark.tables.columns import Column, table_of
from factmark.tables.file_columns import FileColumn
from factmark.tables.layouts import DataTable, extremes_text
from factmark.tables.opening import Opening, aside, brackets, figure, lacking
from factmark.tables.shown_text import count, named

OVERALL = "overall"
BARS = 40  # clusters that the chart shows
LINES = 20  # clusters that the terminal and the page show

ROW_COLUMNS: tuple[FileColumn[JudgedClaim], ...] = (
    FileColumn(name="id", value=lambda claim: claim.row.id),
    FileColumn(name="cluster", value=lambda claim: claim.row.cluster),
    FileColumn(name="claim", value=lambda claim: claim.row.text),
    FileColumn(name="evidence", value=lambda claim: claim.row.passage),
    FileColumn(name="passage_id", value=lambda claim: claim.row.passage_id or None),
    FileColumn(name="label", value=lambda claim: claim.label),
    FileColumn(name="status", value=lambda claim: claim.status),
    FileColumn(name="reason", value=lambda claim: claim.reason),
    FileColumn(name="people", type="DOUBLE", value=lambda claim: claim.people),
    FileColumn(name="place", value=lambda claim: claim.row.place),
)
"""What the file of claims has of each; the table's own columns stand before these."""


class ScoreOf(NamedTuple):
    """A score, and of what: `overall`, or a cluster."""

    part: str
    name: str
    score: GraphScore


def claims_opening(results: ClaimResults) -> Opening:
    """Returns the report's first sentence: the score, as people would have given it if they
    labelled claims, with what is missing, and cautions."""
    score, judge = results.score, named(results.judge)
    corrected, best = results.own.correction, score.estimate
    how = f"judged by {judge}"
    if corrected is not None:
        best = corrected.corrected
        labels = count(corrected.labels, "label", "labels")
        how = f"as people would say, by {labels} of theirs and the verdicts of {judge}"
    total = score.n_labelled + score.n_missing
    if best.value is None:
        sentence = f"There is no share of supported claims by {judge}: {score.reasons['score']}"
    else:
        sentence = (
            f"{figure(best)} of {count(best.n_units, 'claim', 'claims')} are supported by their "
            f"evidence, {how}{aside(brackets(best))}"
            f"{lacking(score.n_missing, total, 'without a verdict')}"
            f"{lacking(results.left, total + results.left, 'not judged yet')}"
        )
    balanced = results.own.balanced
    if balanced is not None and balanced.value is not None:
        sentence += f". Beside people's labels its balanced accuracy is {figure(balanced)}"
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def score_table(results: ClaimResults, most: int | None = None) -> DataTable:
    """Returns the scores of all claims and of each cluster.

    Args:
        most: clusters that people are shown; machines get all.
    """
    lines = [ScoreOf(OVERALL, "all claims", results.score)]
    lines += [ScoreOf("cluster", named(n), score) for n, score in results.by_cluster.items()]
    shown = lines if most is None else lines[: most + 1]
    notes = []
    if len(shown) < len(lines):
        notes.append(f"{len(lines) - len(shown):,} more clusters are in the files.")
    if (mean := results.per_cluster) is not None:
        notes.append(f"Mean of the clusters' scores: {figure(mean)} ({mean.method}).")
    return table_of(
        f"Claims of {named(results.table)}, judged by {named(results.judge)}",
        tuple(_score_columns(results)),
        shown,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=notes,
        records=lines,
    )


def _score_columns(results: ClaimResults) -> Iterator[Column[ScoreOf]]:
    """Yields the columns of the scores."""
    yield Column(name="over", key="part", value=lambda line: line.part, label=True)
    yield Column(name="of", key="name", value=lambda line: line.name, label=True)
    yield Column(
        name="score",
        key="score",
        value=lambda line: line.score.estimate,
        estimate=True,
        meaning="Score: supported / n.",
    )
    yield Column(
        name="n",
        key="n",
        value=lambda line: line.score.n_labelled,
        meaning="n: claims that have a verdict.",
    )
    for label in SUPPORT_LABELS:
        yield _count_column(label, label.lower().replace("_", " "))
    for kind in WITHOUT_LABEL:
        yield _count_column(kind, kind if results.score.missing[kind] else "")
    if not results.score.n_missing:
        yield Column(name="missing", value=lambda line: line.score.n_missing)
    else:
        yield Column(
            name="range",
            meaning="Range: where the score lies, whatever the missing would have said.",
            value=lambda line: extremes_text(line.score.estimate) or None,
        )


def _count_column(key: str, name: str) -> Column[ScoreOf]:
    """Returns a column of how many claims have a label, or none for a reason."""
    return Column(
        key=key.lower(),
        name=name,
        value=lambda line: {**line.score.by_label, **line.score.missing}[key],
    )


def judges_table(results: ClaimResults) -> DataTable | None:
    """Returns the judge and the foreign ones beside people's labels; None where there is nothing to
    compare."""
    judges = results.judges
    if len(judges) == 1 and judges[0].balanced is None:
        return None

    def corrected(judge: JudgeBesidePeople) -> Estimate | None:
        return judge.correction.corrected if judge.correction else None

    columns: tuple[Column[JudgeBesidePeople], ...] = (
        Column(name="judge", key="judge", value=lambda judge: named(judge.name), label=True),
        Column(name="score", key="score", value=lambda judge: judge.score, estimate=True),
        Column(
            name="corrected",
            key="corrected",
            value=corrected,
            estimate=True,
            meaning="Corrected: the score as people would have given it, by their labels.",
            optional=True,
        ),
        Column(
            name="balanced accuracy",
            key="balanced_accuracy",
            value=lambda judge: judge.balanced,
            estimate=True,
            better="higher",
            meaning="Balanced accuracy: the mean of the judge's shares right of what people call "
            "supported and of what they do not; 0.50 by chance.",
            optional=True,
        ),
        Column(
            name="over 3 labels",
            key="over_labels",
            value=lambda judge: judge.over_labels,
            estimate=True,
            meaning="Over 3 labels: the same over supported, contradicted, not supported; 0.33 by "
            "chance.",
            optional=True,
        ),
        Column(
            name="labels",
            key="labels",
            value=lambda judge: judge.correction.labels if judge.correction else 0,
            meaning="Labels: claims that people labelled.",
        ),
        Column(
            name="missing",
            key="missing",
            value=lambda judge: judge.score.n_missing,
            meaning="Missing: claims without a verdict.",
        ),
    )
    return table_of(
        f"Judges of {named(results.table)}",
        columns,
        judges,
        overall=lambda judge: not judge.foreign,
    )


def confusion_table(results: ClaimResults) -> DataTable | None:
    """Returns what the judge gave the claims that people labelled, if they labelled any."""
    counts = results.own.counts
    if not counts:
        return None

    def column(label: str) -> Column[str]:
        name = label.lower().replace("_", " ") or NO_VERDICT
        return Column(name=name, key=name.replace(" ", "_"), value=lambda row: counts[row][label])

    people: Column[str] = Column(
        name="people", key="people", value=lambda row: row.lower().replace("_", " "), label=True
    )
    columns = (people, *map(column, (*SUPPORT_LABELS, "")))
    return table_of(f"What {named(results.judge)} gave, by what people gave", columns, list(counts))


def claims_chart(results: ClaimResults) -> BarChart:
    """Returns the chart of verdicts by cluster, the largest first, over all claims."""
    tones = {verdict: tone(verdict) for verdict in verdicts_of(results)}
    counts = {name: _verdict_counts(score) for name, score in results.by_cluster.items()}
    ordered = sorted(counts.items(), key=lambda part: (-part[1].total(), part[0]))
    more = len(ordered) - BARS
    return BarChart(
        caption="Verdicts by cluster, as shares of its claims; at the right, how many",
        label="Verdicts",
        tones=tones,
        total=stacked_bar("all claims", _verdict_counts(results.score), tones),
        bars=tuple(stacked_bar(name, part, tones) for name, part in ordered[:BARS]),
        note=f"{count(more, 'smaller cluster is', 'smaller clusters are')} in the files alone."
        if more > 0
        else "",
    )


def verdicts_of(results: ClaimResults) -> tuple[str, ...]:
    """Returns the labels in order, then `no verdict` if any claim has none."""
    return (*SUPPORT_LABELS, *[NO_VERDICT] * bool(results.score.n_missing))


def _verdict_counts(score: GraphScore) -> Counter[str]:
    """Returns how many claims have each label, and how many none."""
    return Counter({**score.by_label, NO_VERDICT: score.n_missing})


def claim_file(claims: Sequence[JudgedClaim]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Returns the claims as rows of a file, the table's own columns before the results', and each
    column's type in SQL.

    A column of the table that is called as one of the results' and differs from it gets `_given`
    behind its name.
    """
    results = [{column.name: column.value(claim) for column in ROW_COLUMNS} for claim in claims]
    types = {column.name: column.type for column in ROW_COLUMNS}
    own = dict.fromkeys(name for claim in claims for name in claim.row.data)
    names: dict[str, str] = {}
    for name in own:
        if name in types and all(
            str(claim.row.data.get(name)) == str(row[name])
            for claim, row in zip(claims, results, strict=True)
        ):
            continue
        names[name] = free_name(name, {*types, *names.values()})
    rows = [
        {names[name]: _flat(claim.row.data.get(name)) for name in names} | row
        for claim, row in zip(claims, results, strict=True)
    ]
    return rows, {**dict.fromkeys(names.values(), "VARCHAR"), **types}


def _flat(value: object) -> object:
    """Returns a JSON value as a cell: lists and objects as JSON text, other values as text."""
    if value is None or isinstance(value, str):
        return value
    return json_text(value)
