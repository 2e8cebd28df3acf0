"""The tables and the chart of judged claims, and the columns of their file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from factmark.claim_support.core.beside_people import JudgeBesidePeople
from factmark.claim_support.results import ClaimResults, JudgedClaim
from factmark.graphs.score_tables import OVERALL, ScoreLine, score_chart, score_columns
from factmark.label_values import SUPPORT_LABELS
from factmark.report.charts import NO_VERDICT, BarChart
from factmark.report.columns import Column, table_of
from factmark.report.correction_tables import by_people, correction_table
from factmark.report.file_columns import FileColumn, with_given_columns
from factmark.report.layouts import DataTable
from factmark.report.opening import Opening, aside, brackets, figure, lacking
from factmark.report.shown_text import count, named

_CLUSTERS = 20  # clusters that the terminal and the page show

_OF_ROW = {
    **{name: name for name in ("id", "place", "cluster", "system")},
    **{"claim": "text", "passage_id": "passage_id", "evidence": "passage"},
}
_ROW_COLUMNS: tuple[FileColumn[JudgedClaim], ...] = (
    *(FileColumn(name=n, value=attrgetter(f"row.{field}")) for n, field in _OF_ROW.items()),
    *(FileColumn(name=n, value=attrgetter(f"verdict.{n}")) for n in ("status", "label", "reason")),
    FileColumn(name="people", type="DOUBLE", value=attrgetter("people")),
)
_BESIDE_PEOPLE = {
    "score": ("score", ""),
    "corrected": (
        "corrected",
        "Corrected: the score as people would have given it, by their labels.",
    ),
    "balanced_accuracy": (
        "balanced accuracy",
        "Balanced accuracy: the mean of the judge's shares right of what people call supported and "
        "of what they do not; 0.50 by chance.",
    ),
    "over_labels": (
        "over 3 labels",
        "Over 3 labels: the same over supported, contradicted, not supported; 0.33 by chance.",
    ),
}
"""What is estimated of each judge -> its name for people, and what it means."""


def claims_opening(results: ClaimResults) -> Opening:
    """Returns the report's first sentence: the score, as people would have given it if they
    labelled claims, with what is missing, and cautions."""
    score, judge = results.score, named(results.judge)
    or_true = " or by general truth" if results.by_basis else ""
    best, how, missing = score.estimate, f"judged by {judge}", score.n_missing
    if (correction := results.own.correction) is not None:
        missing = 0  # they are told with what the labels make of them
        best, how = correction.corrected, by_people(correction, judge)
    if best.value is None:
        sentence = f"There is no share of supported claims by {judge}: {score.reasons['score']}"
    else:
        sentence = (
            f"{figure(best)} of {count(best.n_units, 'claim is', 'claims are')} supported by "
            f"{'its' if best.n_units == 1 else 'their'} evidence{or_true}, {how}"
            f"{aside(brackets(best))}"
            f"{lacking(missing, score.n_units, 'without a verdict')}"
            f"{lacking(results.left, score.n_units + results.left, 'not judged yet')}"
        )
    ratio = results.respond_ratio()
    if ratio is not None and ratio < 1:
        answered, given = map(sum, zip(*results.answered.values(), strict=True))
        sentence += f". Of {count(given, 'response', 'responses')} {answered:,} "
        sentence += "answers" if answered == 1 else "answer"
    balanced = results.own.balanced_accuracy
    if balanced is not None and balanced.value is not None:
        sentence += f". Beside people's labels its balanced accuracy is {figure(balanced)}"
    return Opening(sentence=f"{sentence}.", cautions=results.cautions)


def score_table(results: ClaimResults) -> DataTable:
    """Returns the scores of all claims, of each system and of each cluster; of these people are
    shown the first, machines get all."""
    lines = [ScoreLine(OVERALL, "all claims", results.score)]
    lines += [ScoreLine("system", named(n) or "none", s) for n, s in results.by_system.items()]
    lines += [ScoreLine("judged", name, score) for name, score in results.by_basis.items()]
    n_shown = len(lines) + _CLUSTERS
    lines += [ScoreLine("cluster", named(n), score) for n, score in results.by_cluster.items()]
    shown = lines[:n_shown]
    notes = []
    if len(shown) < len(lines):
        notes.append(f"{len(lines) - len(shown):,} more clusters are in the files.")
    if (mean := results.per_cluster) is not None:
        notes.append(f"Mean of the clusters' scores: {figure(mean)} ({mean.method}).")
    return table_of(
        f"Claims of {named(results.table)}, judged by {named(results.judge)}",
        tuple(score_columns(results.score, "claims that have a verdict", _respond_ratio(results))),
        shown,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=notes,
        records=lines,
    )


def _respond_ratio(results: ClaimResults) -> Iterator[Column[ScoreLine]]:
    """Yields the column of how many responses answer, of all and of a system's; none where the
    table holds claims."""
    if results.answered:
        ratios = {
            ("system", named(n) or "none"): results.respond_ratio(n) for n in results.answered
        }
        ratios[OVERALL, "all claims"] = results.respond_ratio()
        yield Column(
            name="respond ratio",
            key="respond_ratio",
            value=lambda line: ratios.get((line.part, line.name)),
            meaning="Respond ratio: the share of the responses that answer; the others abstain.",
        )


def judges_table(results: ClaimResults) -> DataTable | None:
    """Returns the judge and the foreign ones beside people's labels; None where there is nothing to
    compare."""
    judges = results.judges
    if len(judges) == 1 and judges[0].balanced_accuracy is None:
        return None
    columns: tuple[Column[JudgeBesidePeople], ...] = (
        Column(name="judge", key="judge", value=lambda judge: named(judge.judge), label=True),
        *(
            Column(
                name=name,
                key=key,
                value=attrgetter(key),
                estimate=True,
                better="higher" if key == "balanced_accuracy" else "",
                meaning=meaning,
                optional=key != "score",
            )
            for key, (name, meaning) in _BESIDE_PEOPLE.items()
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
    title = f"Judges of {named(results.table)}"
    return table_of(title, columns, judges, overall=lambda judge: not judge.foreign)


def confusion_table(results: ClaimResults) -> DataTable | None:
    """Returns what the judge gave the claims that people labelled, if they labelled any."""
    counts = results.own.labels
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
    tables = [score_table(results), judges_table(results), confusion_table(results)]
    if correction := results.own.correction:
        tables.insert(0, correction_table("Claims", correction, results.annotators))
    return [table for table in tables if table is not None]


def claims_chart(results: ClaimResults) -> BarChart:
    """Returns the chart of verdicts by system where there are several, else by cluster, the largest
    first, over all claims."""
    part = "system" if results.by_system else "cluster"
    parts = results.by_system or results.by_cluster
    of_what = f" by {part}, as shares of its claims" if parts else ", as shares of all claims"
    return score_chart(
        results.score,
        parts,
        caption=f"Verdicts{of_what}; at the right, how many",
        whole="all claims",
        more=(f"smaller {part} is in the files alone", f"smaller {part}s are in the files alone"),
    )


def row_columns(claims: Sequence[JudgedClaim]) -> tuple[FileColumn[JudgedClaim], ...]:
    """Returns the columns of the files of claims: ours, then the table's own, see
    `with_given_columns`."""
    return with_given_columns(_ROW_COLUMNS, claims, attrgetter("row.data"))
