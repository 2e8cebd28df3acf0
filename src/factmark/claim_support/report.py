"""The report on judged claims, declared: first sentence, tables, columns, figures, cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from factmark.claim_support.core.beside_people import JudgeBesidePeople
from factmark.claim_support.results import ClaimResults, JudgedClaim
from factmark.graphs.results import SHOWN
from factmark.graphs.score_tables import (
    OVERALL,
    ScoreLine,
    count_figures,
    score_chart,
    score_columns,
    stopped_words,
    verdicts_of,
)
from factmark.label_values import SUPPORT_LABELS
from factmark.model import Estimate, Measure
from factmark.report.charts import NO_VERDICT, BarChart
from factmark.report.columns import Column, table_of
from factmark.report.correction_tables import CORRECTED, by_people, correction_table
from factmark.report.file_columns import FileColumn, attributes, with_given_columns
from factmark.report.layouts import DataTable
from factmark.report.page import Figure, Filters, Page, spent_figures
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, aside, brackets, figure, lacking
from factmark.text.shown_text import count, named

CLAIMS = Measure(
    key="claims",
    symbol="claims",
    name="share of claims that their evidence supports",
)
_CLUSTERS = 20  # clusters that the table shows

ROW_COLUMNS: tuple[FileColumn[JudgedClaim], ...] = (
    *attributes("id", "place", "cluster", "system", of="row"),
    FileColumn(name="claim", value=attrgetter("row.text")),
    *attributes("passage_id", of="row"),
    FileColumn(name="evidence", value=attrgetter("row.passage"), long=True),
    *attributes("status", "label", "reason", of="verdict"),
    *attributes("people", type="DOUBLE"),
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
_LIMITS = (
    "The interval tells how much the score would vary with other clusters (responses, documents). "
    "It does not tell how often the judge is wrong; the correction by labels of people does.",
    "A claim can be true and not supported: the evidence is all that counts, unless the judge was "
    "told to accept general truth or the claim has none.",
    "Where evidence was looked for in a corpus, a claim whose passage was not among the best "
    "counts as not supported.",
)


def claims_report(results: ClaimResults) -> Result:
    """Returns the result of judged claims in all its forms."""
    own = results.own
    averages = {"claims": results.score.estimate}
    if own.corrected is not None:
        averages[CORRECTED] = own.corrected
    if own.balanced_accuracy is not None:
        averages["balanced accuracy"] = own.balanced_accuracy
    return Result(
        measure=CLAIMS,
        subject=results.table,
        judge=results.judge,
        averages=averages,
        tables=dict(_tables(results)),
        rows=results.rows,
        columns=row_columns(results.rows),
        page=lambda: _page(results),
        sentence=first_sentence(results),
        next_step=_next_step(results),
        spent={"judging": results.spent.as_json()},
        problems=results.problems,
        signature=results.signature,
        figures=_figures(results),
        mapping=results.mapping,
        details=results,
    )


def row_columns(claims: Sequence[JudgedClaim]) -> tuple[FileColumn[JudgedClaim], ...]:
    """Returns the columns of the rows: ours, then the table's own."""
    return with_given_columns(ROW_COLUMNS, claims, attrgetter("row.data"))


def first_sentence(results: ClaimResults) -> FirstSentence:
    """Returns the score in a sentence, as people would have given it if they labelled claims."""
    score = results.score
    judge = named(results.judge)
    correction = results.own.correction
    best = score.estimate
    how = f"judged by {judge}"
    missing = score.n_missing
    if correction is not None:
        missing = 0  # the sentence says them with what the labels make of them
        best = correction.corrected
        how = by_people(correction, judge)
    if best.value is None:
        sentence = f"There is no share of supported claims by {judge}: {score.reasons['score']}"
    else:
        their = "their"
        if best.n_units == 1:
            their = "its"
        or_true = ""
        if results.by_basis:
            or_true = " or by general truth"
        sentence = (
            f"{figure(best)} of {count(best.n_units, 'claim is', 'claims are')} supported by "
            f"{their} evidence{or_true}, {how}{aside(brackets(best))}"
            f"{lacking(missing, score.n_units, 'without a verdict')}"
            f"{lacking(results.left, score.n_units + results.left, 'not judged yet')}"
        )
    sentence += _responses_in_words(results)
    balanced = results.own.balanced_accuracy
    if balanced is not None and balanced.value is not None:
        sentence += f". Beside people's labels its balanced accuracy is {figure(balanced)}"
    return FirstSentence(sentence=f"{sentence}.", cautions=results.cautions)


def _responses_in_words(results: ClaimResults) -> str:
    """Returns how many responses answer, as the end of a sentence, where some abstain."""
    ratio = results.respond_ratio()
    if ratio is None or ratio >= 1:
        return ""
    answered = sum(answering for answering, _ in results.answered.values())
    responses = sum(total for _, total in results.answered.values())
    return (
        f". Of {count(responses, 'response', 'responses')} {count(answered, 'answers', 'answer')}"
    )


def _next_step(results: ClaimResults) -> str:
    """Returns what makes the figure worth more: the rest judged, or labels by people."""
    if results.left:
        return "The same command judges the rest."
    if results.own.correction is None and results.score.estimate.value is not None:
        return (
            "How far the judge can be trusted, labels by people tell: fill a column `label` of the "
            "table for some claims, drawn at random."
        )
    return ""


def _tables(results: ClaimResults) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables with their names, those that there are, the first for the first screen."""
    correction = results.own.correction
    if correction is not None:
        yield "corrected", correction_table("Claims", correction, results.annotators)
    yield "scores", score_table(results)
    if len(results.judges) > 1 or results.own.balanced_accuracy is not None:
        yield "judges", judges_table(results)
    if results.own.labels:
        yield "confusion", confusion_table(results)


def score_table(results: ClaimResults) -> DataTable:
    """Returns the scores of all claims, of each system and of each cluster; people see the first
    clusters, machines get all."""
    lines = [ScoreLine(OVERALL, "all claims", results.score)]
    lines += [ScoreLine("system", named(n) or "none", s) for n, s in results.by_system.items()]
    lines += [ScoreLine("judged", name, score) for name, score in results.by_basis.items()]
    n_shown = len(lines) + _CLUSTERS
    lines += [ScoreLine("cluster", named(n), score) for n, score in results.by_cluster.items()]
    shown = lines[:n_shown]
    notes = []
    if len(shown) < len(lines):
        notes.append(f"{len(lines) - len(shown):,} more clusters are in the files.")
    mean = results.per_cluster
    if mean is not None:
        notes.append(f"Mean of the clusters' scores: {figure(mean)} ({mean.method}).")
    beside = _respond_ratio(results)
    return table_of(
        f"Claims of {named(results.table)}, judged by {named(results.judge)}",
        tuple(score_columns(results.score, "claims that have a verdict", beside)),
        shown,
        group=lambda line: line.part,
        overall=lambda line: line.part == OVERALL,
        notes=notes,
        records=lines,
    )


def _respond_ratio(results: ClaimResults) -> Iterator[Column[ScoreLine]]:
    """Yields the column of how many responses answer; none where the table holds claims."""
    if not results.answered:
        return
    ratios = {}
    for n in results.answered:
        ratios[("system", named(n) or "none")] = results.respond_ratio(n)
    ratios[OVERALL, "all claims"] = results.respond_ratio()
    yield Column(
        name="respond ratio",
        key="respond_ratio",
        value=lambda line: ratios.get((line.part, line.name)),
        meaning="Respond ratio: the share of the responses that answer; the others abstain.",
    )


def judges_table(results: ClaimResults) -> DataTable:
    """Returns the judge and the foreign ones beside people's labels."""
    estimates = (
        Column[JudgeBesidePeople](
            name=name,
            key=key,
            value=attrgetter(key),
            estimate=True,
            better="higher" if key == "balanced_accuracy" else "",
            meaning=meaning,
            optional=key != "score",
        )
        for key, (name, meaning) in _BESIDE_PEOPLE.items()
    )
    columns: tuple[Column[JudgeBesidePeople], ...] = (
        Column(name="judge", key="judge", value=lambda judge: named(judge.judge), label=True),
        *estimates,
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
    return table_of(title, columns, results.judges, overall=lambda judge: not judge.foreign)


def confusion_table(results: ClaimResults) -> DataTable:
    """Returns what the judge gave the claims that people labelled."""
    counts = results.own.labels

    def column(label: str) -> Column[str]:
        name = label.lower().replace("_", " ") or NO_VERDICT
        return Column(name=name, key=name.replace(" ", "_"), value=lambda row: counts[row][label])

    people: Column[str] = Column(
        name="people", key="people", value=lambda row: row.lower().replace("_", " "), label=True
    )
    columns = (people, *map(column, (*SUPPORT_LABELS, "")))
    return table_of(f"What {named(results.judge)} gave, by what people gave", columns, list(counts))


def _figures(results: ClaimResults) -> dict[str, Any]:
    """Returns what results.json holds beside tables and rows."""
    return {
        "score": results.score.as_json(),
        "respond_ratio": results.respond_ratio(),
        "answered": {name: list(counts) for name, counts in results.answered.items()},
        "per_cluster": results.per_cluster,
        "by_system": {name: score.as_json() for name, score in results.by_system.items()},
        "by_basis": {name: score.as_json() for name, score in results.by_basis.items()},
        "by_cluster": {name: score.as_json() for name, score in results.by_cluster.items()},
        "judges": results.judges,
        "annotators": list(results.annotators),
        "left": results.left,
    }


def _page(results: ClaimResults) -> Page:
    """Returns what the page shows: scores, judges beside people, a card for each claim."""
    shown = results.rows[:SHOWN]
    charts = []
    if results.rows:
        charts.append(verdict_chart(results))
    return Page(
        template="claims.html",
        title="Claims, judged",
        lead=(
            f"Claims of {results.table}",
            f"{count(len(results.rows), 'claim', 'claims')} judged by {results.judge}",
        ),
        figures=list(_large_figures(results)),
        stopped=stopped_words(
            results.spent,
            results.left,
            "claim or sentence waits",
            "claims or sentences wait",
        ),
        spent=[spent_figures("Judging", results.spent)],
        charts=charts,
        cards=shown,
        total=len(results.rows),
        filters=_filters(results),
        limits=_LIMITS,
        styles=("graph.css",),
    )


def _large_figures(results: ClaimResults) -> Iterator[Figure]:
    """Yields the numbers at the head of the page, the one to quote first."""
    own = results.own
    score = results.score
    alone = ""
    if own.correction is not None:
        alone = " alone"
        labels = count(own.correction.labels, "label", "labels")
        name = f"Supported, corrected by {labels} of people"
        yield Figure(name=name, value=own.correction.corrected, main=True)
    yield Figure(
        name=f"Supported, by {results.judge}{alone}",
        value=score.estimate,
        note=score.reasons.get("score", ""),
        main=own.correction is None,
    )
    beside: tuple[tuple[str, Estimate | None], ...] = (
        ("Balanced accuracy beside people", own.balanced_accuracy),
        ("Mean of the clusters' scores", results.per_cluster),
    )
    for name, estimate in beside:
        if estimate is not None:
            yield Figure(name=name, value=estimate)
    yield from count_figures(score)


def verdict_chart(results: ClaimResults) -> BarChart:
    """Returns the chart of verdicts by system where there are several, else by cluster, the largest
    first, over all claims."""
    part = "cluster"
    if results.by_system:
        part = "system"
    parts = results.by_system or results.by_cluster
    of_what = ", as shares of all claims"
    if parts:
        of_what = f" by {part}, as shares of its claims"
    return score_chart(
        results.score,
        parts,
        caption=f"Verdicts{of_what}; at the right, how many",
        whole="all claims",
        more=(f"smaller {part} is in the files alone", f"smaller {part}s are in the files alone"),
    )


def _filters(results: ClaimResults) -> Filters:
    """Returns by what the cards of claims can be filtered."""
    verdicts = [claim.verdict for claim in results.rows]
    given = {verdict.label or NO_VERDICT for verdict in verdicts}
    flags: tuple[tuple[str, str], ...] = ()
    if any(claim.people_label for claim in results.rows):
        flags = (("differs", "a verdict other than people's"),)
    return Filters(
        singular="claim",
        many="claims",
        text="h3, .answer, .reason, dd",
        hint="in claim, evidence or reason",
        choices={
            "verdict": [label for label in verdicts_of(results.score) if label in given],
            "status": list(dict.fromkeys(verdict.status for verdict in verdicts)),
        },
        flags=flags,
    )
