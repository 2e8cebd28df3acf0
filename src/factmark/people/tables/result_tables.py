"""What a campaign came to, as the tables below the first: labels, pairs, annotators, comments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from factmark.people.ratings.adjudication import Adjudication
from factmark.people.ratings.annotators import AnnotatorScore
from factmark.people.ratings.entries import RatedTask
from factmark.people.ratings.screened_out import FigureWithAll, ScreenedOut
from factmark.people.ratings.systems import LabelShare, SystemScore, system_name
from factmark.people.results import CampaignResults
from factmark.people.tables.agreement_tables import judges_table, marked_words_table
from factmark.people.tables.work_tables import practice_table
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.comparisons import compare_tables
from factmark.report.corrected_comparisons import difference_cell
from factmark.report.layouts import Cell, DataTable, interval_note
from factmark.stats.contest import Contest, Outcome
from factmark.text.shown_text import count, interval

_MOST_SHARES = 21  # labels of which shares are a table
_FEW = 3  # labels that have room for their intervals


def more_tables(results: CampaignResults) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables below the scores with their names, in the order in which they are read;
    before anybody has answered there are the annotators alone."""
    annotators = annotators_table(results)
    if not any(annotator.n_answered for annotator in results.annotators):
        yield "annotators", annotators
        yield from _screened_tables(results)
        return
    if results.marked_words:
        yield "marked-words", marked_words_table(results.marked_words)
    if results.adjudication and results.adjudication.scores:
        yield "adjudication", adjudication_table(results.adjudication)
    if any(entry.first for entry in results.entries):
        yield "first-final", first_final_table(results)
    if results.shares and len(results.form.labels) <= _MOST_SHARES:
        yield "labels", labels_table(results)
    boards = board_tables(results)  # no leader board where no document has all systems
    yield from zip(("leader-board", "pairs")[-len(boards) :], boards, strict=False)
    yield "annotators", annotators
    if results.judges:
        yield "judges", judges_table(results.form, results.judges)
    yield from _screened_tables(results)
    if results.practice:
        yield "practice", practice_table(results.practice, results.called)
    if results.comments:
        yield "comments", comments_table(results)
    if results.refused:
        yield "refused", refused_table(results)


def _screened_tables(results: CampaignResults) -> Iterator[tuple[str, DataTable]]:
    """Yields the table of who was screened out, where anybody was."""
    if results.screened:
        yield "screened", screened_table(results, results.screened)


def screened_table(results: CampaignResults, screened: ScreenedOut) -> DataTable:
    """Returns the figures as they count, and as they were with who was screened out."""
    columns: tuple[Column[FigureWithAll], ...] = (
        Column(name="figure", key="figure", value=attrgetter("name"), label=True),
        attribute_column("counted", estimate=True),
        attribute_column("with_all", "with them", estimate=True),
    )
    reasons = []
    for code, reason in screened.reasons.items():
        reasons.append(f"{results.called(code)}: {reason}.")
    return table_of(
        f"Screened out: {len(screened.reasons)} of {screened.n_people} people, "
        f"{count(screened.n_ratings, 'rating', 'ratings')}",
        columns,
        screened.figures,
        notes=("Counted: without them, as everywhere else.", *reasons),
    )


def first_final_table(results: CampaignResults) -> DataTable:
    """Returns the first ratings beside those that count, and how far apart annotators are."""
    several = len(results.form.measures) > 1
    columns: tuple[Column[SystemScore], ...] = (
        Column(name="measure" if several else "", value=attrgetter("measure.symbol"), label=True),
        Column(key="measure", value=attrgetter("measure.key")),
        _system_column(),
        attribute_column("first", estimate=True),
        attribute_column("final", estimate=True),
        _change_column("final − first"),
        attribute_column("deviation", "SD", estimate=True),
    )
    return table_of(
        "First ratings beside those that count",
        columns,
        results.scores,
        group=attrgetter("measure.key") if several else None,
        notes=(
            "What counts is the newest rating; first ratings enter nothing but this table. First: "
            "where the first rating is known. Final − first: where both are.",
            "SD: the mean over things of the standard deviation (n − 1) of what annotators gave "
            "one of them.",
        ),
    )


def adjudication_table(decided: Adjudication) -> DataTable:
    """Returns each system before and after somebody decided where ratings differ."""
    columns: tuple[Column[SystemScore], ...] = (
        _system_column(),
        Column(name="before", key="before", value=attrgetter("first"), estimate=True),
        Column(name="after", key="after", value=attrgetter("final"), estimate=True),
        _change_column("after − before"),
    )
    return table_of(
        "Before and after adjudication",
        columns,
        decided.scores,
        notes=(
            f"{count(decided.decided, 'unit is', 'units are')} decided; of {decided.disputed} with "
            f"ratings {decided.apart:g} or more apart {decided.left} are not. After: what was "
            "decided, in place of all ratings of it. Every other table, agreement too, is by the "
            "ratings as they were given.",
        ),
    )


def labels_table(results: CampaignResults) -> DataTable:
    """Returns how often each label was given, per system."""
    labels = results.form.labels
    shares = {}
    for share in results.shares:
        shares[(share.system, share.label)] = share
    few = len(labels) <= _FEW

    def label_column(label: str) -> Column[LabelShare]:
        return Column(
            name=label, value=lambda row: _share_cell(shares[row.system, label], bounds=few)
        )

    columns: list[Column[LabelShare]] = [
        _system_column(),
        *map(label_column, labels),
        attribute_column("label", ""),
        attribute_column("count", ""),
        attribute_column("share", "", estimate=True),
    ]
    return table_of(
        "Labels per system: how many, and their share",
        columns,
        {share.system: share for share in results.shares}.values(),
        notes=interval_note(share.share for share in results.shares) if few else (),
        records=results.shares,
    )


def board_tables(results: CampaignResults) -> tuple[DataTable, ...]:
    """Returns the leader board and every pair of systems; none where there is only one system."""
    if not results.boards:
        return ()
    scores = results.form.measures
    contest = Contest(
        measure="answers",
        item=results.form.clusters,
        unit=results.form.things,
        scores=scores,
        systems={},
        stratum="",
        strata={},
    )
    options = results.scorings[0].options
    return compare_tables(
        Outcome(contest=contest, score=scores[0], rows=(), boards=results.boards, options=options)
    )


def annotators_table(results: CampaignResults) -> DataTable:
    """Returns the annotators: progress, leniency, time, recalibrations, comments. Where nobody was
    asked anything, progress and changes mean nothing and are left out."""
    annotators = results.annotators
    asked_here = not results.imported
    timed = asked_here or any(annotator.minutes is not None for annotator in annotators)

    columns: tuple[Column[AnnotatorScore], ...] = (
        Column(
            name="annotator",
            key="annotator",
            value=lambda row: results.called(row.code),
            label=True,
        ),
        attribute_column("n_asked", "asked", shown=asked_here),
        attribute_column("n_answered", "rated"),
        attribute_column("n_documents", ""),
        attribute_column("mean"),
        attribute_column("leniency", show=difference_cell, estimate=True),
        attribute_column("n_shared", "shared"),
        attribute_column("minutes", shown=timed, show="{:,.1f}".format),
        attribute_column("n_recalibrated", "changed", shown=asked_here),
        attribute_column("n_comments", "comments"),
    )
    note = (
        "Leniency: their values less the mean of the others', on what somebody else rated as well "
        "(shared); above 0 is more lenient."
    )
    if timed:
        tellers = "the files have"
        if asked_here:
            tellers = "the annotators' browsers told"
        note += f" Minutes: median per document, of those all rated, as {tellers} them."
    if asked_here:
        note += " Changed: tasks with another label than first."
    return table_of("Annotators", columns, annotators, notes=(note,))


def comments_table(results: CampaignResults) -> DataTable:
    """Returns all comments, with the label that counts and the finer rating that they state."""
    columns: tuple[Column[RatedTask], ...] = (
        attribute_column("assignment.document", label=True),
        _system_column(attrgetter("unit.system")),
        Column(
            name="annotator",
            key="annotator",
            label=True,
            value=lambda row: results.called(row.assignment.annotator),
        ),
        Column(key="unit", value=attrgetter("unit.id")),
        Column(name="label", key="label", value=lambda row: row.revisions[-1].response.label),
        Column(name="finer", key="finer", value=results.finer),
        attribute_column("comment", label=True),
    )
    return table_of(
        count(len(results.comments), "comment", "comments"),
        columns,
        results.comments,
        notes=("Finer: a rating such as 3.5 that the comment states; it is in no other number.",),
    )


def refused_table(results: CampaignResults) -> DataTable:
    """Returns how often what came in was refused, by reason."""
    columns: tuple[Column[tuple[str, int]], ...] = (
        Column(name="reason", key="reason", value=lambda row: row[0], label=True),
        Column(name="answers", key="answers", value=lambda row: row[1]),
    )
    return table_of("Refused, and in no number", columns, results.refused.items())


def _system_column(of: Callable[[Any], str] = attrgetter("system")) -> Column[Any]:
    """Returns the column with the system of a row."""
    return Column(name="system", key="system", value=of, label=True, show=system_name)


def _change_column(name: str) -> Column[SystemScore]:
    """Returns the column of what a score changed by."""
    return attribute_column("change", name, show=difference_cell, estimate=True)


def _share_cell(label_share: LabelShare, *, bounds: bool) -> Cell:
    """Returns a cell with the count of a label and its share, with bounds where there is room."""
    share = label_share.share
    if share.value is None:
        return Cell(value=str(label_share.count))
    shown = f"({share.value:.0%})"
    if bounds:
        shown += f" {interval(share)}"
    return Cell(value=str(label_share.count), interval=shown)
