"""What a campaign came to, as tables: systems, pairs, labels, comments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from factmark.people.core.forms import COARSE, FINE, Form, Measure
from factmark.people.ratings.agreement import agreement_table, judges_table, kappa_table
from factmark.people.ratings.annotators import annotators_table, change_cell
from factmark.people.ratings.entries import RatedTask
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import LabelShare, SystemScore
from factmark.stats.contest import Contest, Outcome, Score
from factmark.tables.columns import Column, table_of
from factmark.tables.comparisons import compare_tables
from factmark.tables.layouts import Cell, DataTable, estimate_cell, extremes_text, interval_note
from factmark.tables.opening import Opening, aside, best_first, brackets, figures, lacking
from factmark.tables.shown_text import count, interval, one_line

_MOST_SHARES = 21  # labels of which shares are a table
_FEW = 3  # labels that have room for their intervals


def campaign_tables(results: CampaignResults) -> dict[str, DataTable]:
    """Name -> table, in the order in which they are read; only those that have anything to say."""
    tables: dict[str, DataTable] = {"systems": systems_table(results)}
    annotators = annotators_table(results.annotators, results.called)
    if not any(annotator.n_answered for annotator in results.annotators):
        return tables | {"annotators": annotators}
    if any(entry.first for entry in results.entries):
        tables["first-final"] = first_final_table(results)
    if results.shares and len(results.form.labels) <= _MOST_SHARES:
        tables["labels"] = labels_table(results)
    tables |= zip(("leader-board", "pairs"), board_tables(results), strict=False)
    tables["annotators"] = annotators
    if results.agreement is not None:
        tables["agreement"] = agreement_table(results.form, results.agreement)
        tables["kappa"] = kappa_table(results.form, results.agreement)
    if results.judges:
        tables["judges"] = judges_table(results.form, results.judges)
    if results.comments:
        tables["comments"] = comments_table(results)
    if results.refused:
        tables["refused"] = refused_table(results)
    return tables


def campaign_opening(results: CampaignResults) -> Opening:
    """What people gave each system by the first measure, the best first."""
    main = [score for score in results.scores if score.measure == results.form.measures[0]]
    if any(score.n_answered for score in main):
        return Opening(sentence=f"{means_in_words('people', results.form, main)}.")
    asked = sum(score.n_asked for score in main)
    return Opening(sentence=f"Nothing is rated yet, of {count(asked, 'rating', 'ratings')}.")


def means_in_words(by: str, form: Form, scores: Sequence[SystemScore], more: str = "") -> str:
    """What somebody gave each system, the best first, as a sentence without its full stop.

    Args:
        by: who did.
        scores: of each system by the form's first measure.
        more: what follows the figures.
    """
    measure, several = form.measures[0], len(scores) > 1
    systems = best_first(
        (f"for {system_name(score.system)}" if several else "", score.final) for score in scores
    )
    asked = sum(score.n_asked for score in scores)
    missing = asked - sum(score.n_answered for score in scores)
    return (
        f"By {by}, the {measure.name} of {form.things} is "
        f"{figures(systems, f' of {measure.top:g}')}{more}"
        f"{aside(brackets(*(estimate for _, estimate in systems)))}"
        f"{lacking(missing, asked, 'ratings missing')}"
    )


def systems_table(results: CampaignResults) -> DataTable:
    """The headline: each system by every measure, with interval, counts, and what is missing."""
    by_measure = {
        measure.key: {row.system: row for row in results.scores if row.measure == measure}
        for measure in results.form.measures
    }
    main = list(by_measure[results.form.measures[0].key].values())

    def score(measure: Measure) -> Column[SystemScore]:
        return Column(
            name=measure.symbol,
            value=lambda row: by_measure[measure.key][row.system].final,
            better="lower" if measure.lower_is_better else "higher",
        )

    columns: list[Column[SystemScore]] = [
        _system(),
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
        Column(name="missing", value=lambda row: row.n_asked - row.n_answered),
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
    """What recalibrating changed, and how far apart annotators are."""
    several = len(results.form.measures) > 1
    columns: list[Column[SystemScore]] = [
        Column(name="measure" if several else "", value=lambda row: row.measure.symbol, label=True),
        Column(key="measure", value=lambda row: row.measure.key),
        _system(),
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


def labels_table(results: CampaignResults) -> DataTable:
    """How often each label was given, per system."""
    labels = results.form.labels
    shares = {(share.system, share.label): share for share in results.shares}
    few = len(labels) <= _FEW

    def label_column(label: str) -> Column[LabelShare]:
        return Column(
            name=label, value=lambda row: _share_cell(shares[row.system, label], bounds=few)
        )

    columns: list[Column[LabelShare]] = [
        _system(),
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
    """The leader board and every pair of systems; nothing of one system."""
    if not results.boards:
        return ()
    scores = tuple(
        Score(
            key=measure.key,
            symbol=measure.symbol,
            name=measure.name,
            per=measure.per,
            lower_is_better=measure.lower_is_better,
        )
        for measure in results.form.measures
    )
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
    """Every comment beside what counts, with the finer rating that it states."""
    columns: list[Column[RatedTask]] = [
        Column(
            name="document", key="document", value=lambda row: row.assignment.document, label=True
        ),
        _system(lambda row: row.unit.system),
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


def refused_table(results: CampaignResults) -> DataTable:
    """How often what came in was refused, by reason."""
    columns: list[Column[tuple[str, int]]] = [
        Column(name="reason", key="reason", value=lambda row: row[0], label=True),
        Column(name="answers", key="answers", value=lambda row: row[1]),
    ]
    return table_of("Refused, and in no number", columns, results.refused.items())


def system_name(system: str) -> str:
    """A system as people read it."""
    return one_line(system) or "all"


def _system(of: Callable[[Any], str] = attrgetter("system")) -> Column[Any]:
    return Column(name="system", key="system", value=of, label=True, show=system_name)


def _share_cell(label_share: LabelShare, *, bounds: bool) -> Cell:
    share = "" if label_share.share.value is None else f"{label_share.share.value:.0%}"
    return Cell(
        value=str(label_share.count),
        interval=f"({share}) {interval(label_share.share) if bounds else ''}" if share else "",
    )


def _system_notes(results: CampaignResults, main: Sequence[SystemScore]) -> Iterator[str]:
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
    elif measure.per == "unit":
        yield f"The mean over {things}, each the mean of those who rated it."
    else:
        least = measure.top * results.form.lowest / results.form.top
        scale = f", from {least:g} to {measure.top:g}" if measure.top != 1 else ""
        yield (
            f"{measure.name.capitalize()}{scale}: the mean over {results.form.clusters}, each "
            f"the mean of its {things}; one that several people rated is the mean of theirs."
        )
    if results.form == COARSE:
        yield "0–100: LongEval's scale, 20 × the rating."
    yield from _missing(main)


def _missing(scores: Iterable[SystemScore]) -> Iterator[str]:
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
