"""The tables and the chart of judged claims, and the columns of their file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from factmark.claims.core.beside_people import JudgeBesidePeople
from factmark.claims.results import ClaimResults, JudgedClaim
from factmark.graphs.score_tables import OVERALL, ScoreLine, score_chart, score_columns
from factmark.label_values import SUPPORT_LABELS
from factmark.model import Estimate
from factmark.tables.charts import NO_VERDICT, BarChart
from factmark.tables.columns import Column, table_of
from factmark.tables.correction_tables import by_people, correction_table
from factmark.tables.file_columns import FileColumn, with_given_columns
from factmark.tables.layouts import DataTable
from factmark.tables.opening import Opening, aside, brackets, figure, lacking
from factmark.tables.shown_text import count, named

LINES = 20  # clusters that the terminal and the page show

_ROW_COLUMNS: tuple[FileColumn[JudgedClaim], ...] = (
    *(
        FileColumn(name=n, value=attrgetter(f"row.{n}"))
        for n in ("id", "place", "cluster", "system")
    ),
    FileColumn(name="claim", value=attrgetter("row.text")),
    FileColumn(name="passage_id", value=attrgetter("row.passage_id")),
    FileColumn(name="evidence", value=attrgetter("row.passage")),
    *(FileColumn(name=n, value=attrgetter(n)) for n in ("status", "label", "reason")),
    FileColumn(name="people", type="DOUBLE", value=attrgetter("people")),
)


def claims_opening(results: ClaimResults) -> Opening:
    """Returns the report's first sentence: the score, as people would have given it if they
    labelled claims, with what is missing, and cautions."""
    score, judge = results.score, named(results.judge)
    corrected, best = results.own.correction, score.estimate
    how, missing = f"judged by {judge}", score.n_missing
    if corrected is not None:
        missing = 0  # they are told with what the labels make of them
        best, how = corrected.corrected, by_people(corrected, judge)
    if best.value is None:
        sentence = f"There is no share of supported claims by {judge}: {score.reasons['score']}"
    else:
        sentence = (
            f"{figure(best)} of {count(best.n_units, 'claim', 'claims')} are supported by their "
            f"evidence, {how}{aside(brackets(best))}"
            f"{lacking(missing, score.n_units, 'without a verdict')}"
            f"{lacking(results.left, score.n_units + results.left, 'not judged yet')}"
        )
    balanced = results.own.balanced
    if balanced is not None and balanced.value is not None:
        sentence += f". Beside people's labels its balanced accuracy is {figure(balanced)}"
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def score_table(results: ClaimResults, most: int | None = None) -> DataTable:
    """Returns the scores of all claims, of each system and of each cluster.

    Args:
        most: clusters that people are shown; machines get all.
    """
    lines = [ScoreLine(OVERALL, "all claims", results.score)]
    lines += [ScoreLine("system", named(n) or "none", s) for n, s in results.by_system.items()]
    n_always = len(lines)
    lines += [ScoreLine("cluster", named(n), score) for n, score in results.by_cluster.items()]
    shown = lines if most is None else lines[: n_always + most]
    notes = []
    if len(shown) < len(lines):
        notes.append(f"{len(lines) - len(shown):,} more clusters are in the files.")
    if (mean := results.per_cluster) is not None:
        notes.append(f"Mean of the clusters' scores: {figure(mean)} ({mean.method}).")
    return table_of(
        f"Claims of {named(results.table)}, judged by {named(results.judge)}",
        tuple(score_columns(results.score, "claims that have a verdict")),
        shown,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=notes,
        records=lines,
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


def claims_tables(results: ClaimResults) -> list[DataTable]:
    """Returns the tables that people are shown, those that there are."""
    corrected = results.own.correction
    tables = (
        [] if corrected is None else [correction_table("Claims", corrected, results.annotators)]
    )
    others = (score_table(results, LINES), judges_table(results), confusion_table(results))
    return [*tables, *(table for table in others if table is not None)]


def claims_chart(results: ClaimResults) -> BarChart:
    """Returns the chart of verdicts by system where there are several, else by cluster, the largest
    first, over all claims."""
    part = "system" if results.by_system else "cluster"
    whole = not (results.by_system or results.by_cluster)
    return score_chart(
        results.score,
        results.by_system or results.by_cluster,
        caption="Verdicts, as shares of all claims; at the right, how many"
        if whole
        else f"Verdicts by {part}, as shares of its claims; at the right, how many",
        whole="all claims",
        more=(f"smaller {part} is in the files alone", f"smaller {part}s are in the files alone"),
    )


def row_columns(claims: Sequence[JudgedClaim]) -> tuple[FileColumn[JudgedClaim], ...]:
    """Returns the columns of the files of claims: ours, then the table's own, see
    `with_given_columns`."""
    return with_given_columns(_ROW_COLUMNS, claims, attrgetter("row.data"))
