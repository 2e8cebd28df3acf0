"""What a campaign came to, as tables: systems, pairs, labels, annotators, comments; and the columns
of ratings.csv. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from factmark.campaign_model import Revision
from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import without_surrogates
from factmark.model import Estimate, Measure
from factmark.people.core.forms import COARSE, FINE
from factmark.people.judge_tables import (
    agreement_table,
    first_reader_table,
    judges_table,
    kappa_table,
)
from factmark.people.progress_tables import practice_table
from factmark.people.ratings.adjudication import Adjudication
from factmark.people.ratings.annotators import AnnotatorScore
from factmark.people.ratings.entries import RatedTask, Scoring, answer_value, finer_rating
from factmark.people.ratings.first_reader import half_name
from factmark.people.ratings.systems import LabelShare, SystemScore, system_name
from factmark.people.results import CampaignResults
from factmark.report.columns import Column, table_of
from factmark.report.comparisons import compare_tables
from factmark.report.layouts import Cell, DataTable, estimate_cell, extremes_text, interval_note
from factmark.stats.contest import Contest, Outcome
from factmark.text.shown_text import count, interval, number

_MOST_SHARES = 21  # labels of which shares are a table
_FEW = 3  # labels that have room for their intervals


def campaign_tables(results: CampaignResults) -> dict[str, DataTable]:
    """Returns name -> table, in the order in which they are read; empty ones are left out."""
    tables: dict[str, DataTable] = {"systems": systems_table(results)}
    annotators = annotators_table(results.annotators, results.called, imported=results.imported)
    if not any(annotator.n_answered for annotator in results.annotators):
        return tables | {"annotators": annotators}
    if results.adjudication and results.adjudication.scores:
        tables["adjudication"] = adjudication_table(results.adjudication)
    if any(entry.first for entry in results.entries):
        tables["first-final"] = first_final_table(results)
    if results.first_reader is not None:
        tables["first-reader"] = first_reader_table(results.first_reader)
    if results.shares and len(results.form.labels) <= _MOST_SHARES:
        tables["labels"] = labels_table(results)
    boards = board_tables(results)  # no leader board where no document has all systems
    tables |= zip(("leader-board", "pairs")[-len(boards) :], boards, strict=False)
    tables["annotators"] = annotators
    if results.agreement is not None:
        tables["agreement"] = agreement_table(results.form, results.agreement)
        tables["kappa"] = kappa_table(results.form, results.agreement)
    if results.judges:
        tables["judges"] = judges_table(results.form, results.judges)
    if results.practice:
        tables["practice"] = practice_table(results.practice, results.called)
    if results.comments:
        tables["comments"] = comments_table(results)
    if results.refused:
        tables["refused"] = refused_table(results)
    return tables


def systems_table(results: CampaignResults) -> DataTable:
    """Returns the main table: each system by every measure, with interval, counts, and what is
    missing."""
    by_measure = {
        measure.key: {row.system: row for row in results.scores if row.measure == measure}
        for measure in results.form.measures
    }
    main = list(by_measure[results.form.measures[0].key].values())

    def score(measure: Measure) -> Column[SystemScore]:
        return Column(
            name=measure.symbol,
            value=lambda row: by_measure[measure.key][row.system].final,
            better=measure.better,
        )

    columns: list[Column[SystemScore]] = [
        _system_column(),
        Column(key="measure", value=lambda row: row.measure.key),
        *map(score, results.form.measures),
        Column(key="final", value=lambda row: row.final, estimate=True),
        Column(
            name="0–100" if results.form == COARSE else "",
            key="longeval",
            value=lambda row: row.longeval,
            better="higher",
            estimate=True,
        ),
        Column(name=results.form.clusters, key="n_documents", value=lambda row: row.final.n_items),
        Column(name=results.form.things, key="n_things", value=lambda row: row.final.n_units),
        Column(key="n_asked", value=lambda row: row.n_asked),
        Column(name="ratings", key="n_answered", value=lambda row: row.n_answered),
        Column(
            name="" if results.imported else "missing",
            value=lambda row: row.n_asked - row.n_answered,
        ),
        Column(key="method", value=lambda row: row.final.method),
        Column(key="signature", value=lambda row: row.final.signature),
    ]
    return table_of(
        f"{results.form.measures[0].name.capitalize()} per system",
        columns,
        main,
        notes=tuple(_system_notes(results, main)),
        records=results.scores,
    )


def first_final_table(results: CampaignResults) -> DataTable:
    """Returns the table of first ratings beside those that count, and of how far apart annotators
    are."""
    several = len(results.form.measures) > 1
    columns: list[Column[SystemScore]] = [
        Column(name="measure" if several else "", value=lambda row: row.measure.symbol, label=True),
        Column(key="measure", value=lambda row: row.measure.key),
        _system_column(),
        Column(name="first", key="first", value=lambda row: row.first, estimate=True),
        Column(name="final", key="final", value=lambda row: row.final, estimate=True),
        Column(name="final − first", value=lambda row: change_cell(row.change)),
        Column(key="change", value=lambda row: row.change, estimate=True),
        Column(name="SD", value=lambda row: row.deviation),
        Column(key="deviation", value=lambda row: row.deviation.value if row.deviation else None),
    ]
    return table_of(
        "First ratings beside those that count",
        columns,
        results.scores,
        group=(lambda row: row.measure.key) if several else None,
        notes=(
            "What counts is the newest rating; first ratings enter nothing but this table. First: "
            "where the first rating is known. Final − first: where both are.",
            "SD: the mean over things of the standard deviation (n − 1) of what annotators gave "
            "one of them.",
            *interval_note(score.change for score in results.scores),
        ),
    )


def adjudication_table(decided: Adjudication) -> DataTable:
    """Returns the table of each system before and after somebody decided where ratings differ."""
    columns: list[Column[SystemScore]] = [
        _system_column(),
        Column(name="before", key="before", value=lambda row: row.first, estimate=True),
        Column(name="after", key="after", value=lambda row: row.final, estimate=True),
        Column(name="after − before", value=lambda row: change_cell(row.change)),
        Column(key="change", value=lambda row: row.change, estimate=True),
    ]
    return table_of(
        "Before and after adjudication",
        columns,
        decided.scores,
        notes=(
            f"{count(decided.decided, 'unit is', 'units are')} decided; of {decided.disputed} with "
            f"ratings {decided.apart:g} or more apart {decided.left} are not. After: what was "
            "decided, in place of all ratings of it. Every other table, agreement too, is by the "
            "ratings as they were given.",
            *interval_note(score.change for score in decided.scores),
        ),
    )


def labels_table(results: CampaignResults) -> DataTable:
    """Returns the table of how often each label was given, per system."""
    labels = results.form.labels
    shares = {(share.system, share.label): share for share in results.shares}
    few = len(labels) <= _FEW

    def label_column(label: str) -> Column[LabelShare]:
        return Column(
            name=label, value=lambda row: _share_cell(shares[row.system, label], bounds=few)
        )

    columns: list[Column[LabelShare]] = [
        _system_column(),
        *map(label_column, labels),
        Column(key="label", value=lambda row: row.label),
        Column(key="count", value=lambda row: row.count),
        Column(key="share", value=lambda row: row.share, estimate=True),
    ]
    return table_of(
        "Labels per system: how many, and their share",
        columns,
        {share.system: share for share in results.shares}.values(),
        notes=interval_note(share.share for share in results.shares) if few else (),
        records=results.shares,
    )


def board_tables(results: CampaignResults) -> tuple[DataTable, ...]:
    """Returns the tables of the leader board and of every pair of systems; none where there is only
    one system."""
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
    return compare_tables(
        Outcome(
            contest=contest,
            score=scores[0],
            rows=(),
            boards=results.boards,
            options=results.scorings[0].options,
        )
    )


def comments_table(results: CampaignResults) -> DataTable:
    """Returns the table of all comments, with the label that counts and the finer rating that they
    state."""
    columns: list[Column[RatedTask]] = [
        Column(
            name="document", key="document", value=lambda row: row.assignment.document, label=True
        ),
        _system_column(lambda row: row.unit.system),
        Column(
            name="annotator",
            key="annotator",
            label=True,
            value=lambda row: results.called(row.assignment.annotator),
        ),
        Column(key="unit", value=lambda row: row.unit.id),
        Column(name="label", key="label", value=lambda row: row.revisions[-1].response.label),
        Column(name="finer", key="finer", value=results.finer),
        Column(name="comment", key="comment", value=lambda row: row.comment, label=True),
    ]
    return table_of(
        count(len(results.comments), "comment", "comments"),
        columns,
        results.comments,
        notes=("Finer: a rating such as 3.5 that the comment states; it is in no other number.",),
    )


Revised = tuple[RatedTask, Revision | None]
"""A task and one answer to it; None where it has none."""


def rating_columns(results: CampaignResults) -> dict[str, tuple[str, Callable[[Revised], Any]]]:
    """Returns the columns of ratings.csv: name -> type in Parquet, and its value; of marks also the
    scores."""
    form = results.form
    deciding = {decision.assignment.annotator for decision in results.decisions}

    def given(value: Callable[[Revision], Any]) -> Callable[[Revised], Any]:
        return lambda row: value(row[1]) if row[1] else None

    def finer(answer: Revision) -> float | None:
        return finer_rating(form, answer.response.label, answer.response.comment)

    def marks(answer: Revision) -> str | None:
        marking = answer.response.marking
        return None if marking is None else json_text(to_json_value(marking))

    def score(scoring: Scoring) -> Callable[[Revised], Any]:
        return lambda row: answer_value(scoring, row[1], row[0].unit)

    def half(answer: Revision) -> str | None:
        doubt = results.doubts.get(answer.key)
        return None if doubt is None else half_name(doubt)

    return {
        "annotator": ("VARCHAR", lambda row: results.called(row[0].assignment.annotator)),
        "batch": ("BIGINT", lambda row: row[0].assignment.batch),
        "position": ("BIGINT", lambda row: row[0].assignment.position),
        "document": ("VARCHAR", lambda row: row[0].assignment.document),
        "system": ("VARCHAR", lambda row: row[0].unit.system),
        "unit": ("VARCHAR", lambda row: row[0].assignment.unit),
        "label": ("VARCHAR", given(lambda answer: answer.response.label)),
        "value": ("DOUBLE", given(lambda answer: form.values.get(answer.response.label or ""))),
        "finer": ("DOUBLE", given(finer)),
        "first": ("BOOLEAN", lambda row: row[1] and row[1] is row[0].first),
        "decision": ("BOOLEAN", lambda row: row[0].assignment.annotator in deciding),
        "final": ("BOOLEAN", lambda row: row[1] and row[1] is row[0].final),
        "seconds": ("DOUBLE", given(lambda answer: answer.seconds)),
        "at": ("VARCHAR", given(lambda answer: answer.at)),
        "source": ("VARCHAR", given(lambda answer: answer.source)),
        "comment": ("VARCHAR", given(lambda answer: answer.response.comment)),
        "marks": ("VARCHAR", given(marks)),
        "input_file": ("VARCHAR", lambda row: _input_row(row)[0]),
        "input_row": ("VARCHAR", lambda row: _input_row(row)[1]),
        "input_id": ("VARCHAR", lambda row: _input_row(row)[2]),
        **({"first_reader": ("VARCHAR", given(half))} if results.doubts else {}),
        **{
            scoring.measure.key: ("DOUBLE", score(scoring))
            for scoring in results.scorings
            if not results.form.values
        },
    }


def rating_rows(results: CampaignResults) -> list[dict[str, Any]]:
    """Returns the rows of ratings.csv: one for each answer and each change of one, and one without
    a label for what was asked and is not answered."""
    columns = rating_columns(results)
    return [
        {name: _storable(value((entry, revision))) for name, (_, value) in columns.items()}
        for entry in (*results.entries, *results.decisions)
        for revision in entry.revisions or (None,)
    ]


def _input_row(row: Revised) -> tuple[str, str, str]:
    """Returns file, place and id of the row that a rating was read from, else of the row that it is
    about."""
    entry, answer = row
    read_from = answer.response.row if answer else ("", "", "")
    return read_from if any(read_from) else entry.unit.row


def _storable(value: Any) -> Any:
    """Returns a value as files can keep it: a text without lone surrogates."""
    return without_surrogates(value) if isinstance(value, str) else value


def refused_table(results: CampaignResults) -> DataTable:
    """Returns the table of how often what came in was refused, by reason."""
    columns: list[Column[tuple[str, int]]] = [
        Column(name="reason", key="reason", value=lambda row: row[0], label=True),
        Column(name="answers", key="answers", value=lambda row: row[1]),
    ]
    return table_of("Refused, and in no number", columns, results.refused.items())


def _system_column(of: Callable[[Any], str] = attrgetter("system")) -> Column[Any]:
    """Returns the column with the system of a row."""
    return Column(name="system", key="system", value=of, label=True, show=system_name)


def _share_cell(label_share: LabelShare, *, bounds: bool) -> Cell:
    """Returns a cell with the count of a label and its share, with bounds where there is room."""
    share = "" if label_share.share.value is None else f"{label_share.share.value:.0%}"
    return Cell(
        value=str(label_share.count),
        interval=f"({share}) {interval(label_share.share) if bounds else ''}" if share else "",
    )


def _system_notes(results: CampaignResults, main: Sequence[SystemScore]) -> Iterator[str]:
    """Yields the notes under the table of systems: how values are made, and what is missing."""
    measure, things = results.form.measures[0], results.form.things
    if results.form == FINE:
        yield (
            "FINE: 100 × yes / (yes + no) of each summary; its mean over annotators, then over "
            "documents."
        )
        pooled = "; ".join(
            f"{system_name(score.system)} {estimate_cell(score.pooled).text}"
            for score in main
            if score.pooled
        )
        yield f"Over all clauses alike, whatever their summary: {pooled}."
    elif results.form.per == "unit":
        yield f"The mean over {things}, each the mean of those who rated it."
    else:
        low, high = measure.scale
        scale = f", from {low:g} to {high:g}" if high != 1 else ""
        yield (
            f"{measure.name.capitalize()}{scale}: the mean over {results.form.clusters}, each "
            f"the mean of its {things}; one that several people rated is the mean of theirs."
        )
    if results.form == COARSE:
        yield "0–100: LongEval's scale, 20 × the rating."
    yield from _missing_notes(main)


def _missing_notes(scores: Iterable[SystemScore]) -> Iterator[str]:
    """Yields the note on missing ratings: between which values each system would be with them."""
    lacking = [
        f"{system_name(score.system)} {extremes_text(score.final, ' to ')}"
        for score in scores
        if score.n_asked > score.n_answered and extremes_text(score.final)
    ]
    if lacking:
        yield (
            "Missing: ratings that were asked for and are not there. Whatever they would be, the "
            f"value over all that was asked lies here: {'; '.join(lacking)}."
        )


def annotators_table(
    annotators: Sequence[AnnotatorScore], called: Callable[[str], str], *, imported: bool = False
) -> DataTable:
    """Returns the table of annotators: progress, leniency, time, recalibrations, comments.

    Args:
        called: gives the name of a code.
        imported: whether nobody was asked anything, so that progress and changes mean nothing;
            times are shown where the files have them.
    """
    timed = not imported or any(annotator.minutes is not None for annotator in annotators)
    tellers = "the files have" if imported else "the annotators' browsers told"
    columns: list[Column[AnnotatorScore]] = [
        Column(name="annotator", key="annotator", value=lambda row: called(row.code), label=True),
        Column(name="" if imported else "asked", key="n_asked", value=lambda row: row.n_asked),
        Column(name="rated", key="n_answered", value=lambda row: row.n_answered),
        Column(key="n_documents", value=lambda row: row.n_documents),
        Column(name="mean", key="mean", value=lambda row: row.mean),
        Column(name="leniency", value=lambda row: change_cell(row.leniency)),
        Column(key="leniency", value=lambda row: row.leniency, estimate=True),
        Column(name="shared", key="n_shared", value=lambda row: row.n_shared),
        Column(
            name="minutes" if timed else "",
            key="minutes",
            value=lambda row: row.minutes,
            show="{:,.1f}".format,
        ),
        Column(
            name="" if imported else "changed",
            key="n_recalibrated",
            value=lambda row: row.n_recalibrated,
        ),
        Column(name="comments", key="n_comments", value=lambda row: row.n_comments),
    ]
    leniencies = [annotator.leniency for annotator in annotators if annotator.leniency]
    return table_of(
        "Annotators",
        columns,
        annotators,
        notes=(
            "Leniency: their values less the mean of the others', on what somebody else rated as "
            "well (shared); above 0 is more lenient."
            + " Minutes: median per document, of those all rated, as "
            f"{tellers} them."
            * timed
            + " Changed: tasks with another label than first." * (not imported),
            *interval_note(leniencies),
        ),
    )


def change_cell(estimate: Estimate | None) -> Cell:
    """Returns a cell with a difference; its bounds are parted by a comma, as a dash would be a
    minus."""
    if estimate is None or estimate.low is None:
        return Cell(value=number(estimate.value if estimate else None))
    bounds = f"[{number(estimate.low)}, {number(estimate.high)}]"
    return Cell(value=number(estimate.value), interval=bounds)
