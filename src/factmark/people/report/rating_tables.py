"""What a campaign came to, as tables: systems, pairs, annotators, agreement, judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from factmark.model import Estimate
from factmark.people.core.forms import FINE, form_named
from factmark.people.ratings.entries import Measure
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import LabelShare, SystemScore
from factmark.people.report.people_tables import (
    agreement_table,
    annotators_table,
    judges_table,
    matrix_table,
)
from factmark.stats.contest import Contest, Outcome, Score
from factmark.tables.comparisons import compare_tables
from factmark.tables.layouts import (
    Cell,
    Column,
    DataTable,
    Line,
    Value,
    estimate_cell,
    extremes,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, count, interval, number, one_line

_FEW = 3  # labels that have room for their intervals
THINGS = {
    "coarse": "summaries",
    "fine": "summaries",
    "support": "claims",
    "validity": "triples",
    "graphrag": "answers",
    "facts": "answers",
}
"""Name of a form -> what gets one value, as people call several of them."""

CLUSTERS = {"graphrag": "questions", "facts": "questions", "support": "heads", "validity": "heads"}
"""Name of a form -> what is resampled; of the others documents."""


def campaign_tables(results: CampaignResults) -> dict[str, DataTable]:
    """Name -> table, in the order in which they are read; only those that have anything to say."""
    made: dict[str, DataTable] = {"systems": systems_table(results)}
    if not any(one.n_answered for one in results.annotators):
        return made | {"annotators": annotators_table(results)}
    made["first-final"] = first_final_table(results)
    if results.shares:
        made["labels"] = labels_table(results)
    if results.strata:
        made["strata"] = strata_table(results)
    for name, table in zip(("leader-board", "pairs"), board_tables(results), strict=False):
        made[name] = table
    made["annotators"] = annotators_table(results)
    if results.agreement is not None:
        made["agreement"] = agreement_table(results.agreement)
        if len(results.agreement.pairs) > 1:
            made["matrix"] = matrix_table(results.agreement, results.called)
    if results.judges:
        made["judges"] = judges_table(results)
    if results.comments:
        made["comments"] = comments_table(results)
    if results.refused:
        made["refused"] = refused_table(results)
    return made


def systems_table(results: CampaignResults) -> DataTable:
    """The headline: each system by every measure, with interval, counts, and what is missing."""
    main = _of(results, results.measures[0])
    rest = [_of(results, measure) for measure in results.measures[1:]]
    by_100 = results.form == "coarse"
    things, clusters = THINGS[results.form], CLUSTERS.get(results.form, "documents")
    names = [measure.symbol for measure in results.measures] + ["0–100"] * by_100
    lines = []
    for at, one in enumerate(main):
        cells = [estimate_cell(one.final), *(estimate_cell(other[at].final) for other in rest)]
        if by_100 and one.longeval is not None:
            cells.append(estimate_cell(one.longeval))
        lines.append(
            Line(
                labels=(system_name(one.system),),
                cells=(*cells, *_counts(one)),
                starts_group=True,
            )
        )
    return DataTable(
        title=f"{results.measures[0].name.capitalize()} per system",
        label_names=("system",),
        columns=(
            *(
                Column(name=name, better="lower" if name == "H" else "higher")
                for name in names
            ),
            *(Column(name=name) for name in (clusters, things, "ratings", "missing")),
        ),
        lines=tuple(lines),
        notes=tuple(_system_notes(results, main)),
        record_names=(
            "system", "measure", *part_names("final"), *part_names("longeval"), "n_documents",
            "n_things", "n_asked", "n_answered", "method", "signature",
        ),
        records=tuple(_record(one) for one in results.scores),
    )  # fmt: skip


def first_final_table(results: CampaignResults) -> DataTable:
    """What recalibrating changed, and how far apart annotators are."""
    scores = results.scores
    return DataTable(
        title="First ratings beside those that count",
        label_names=("system",) if len(results.measures) == 1 else ("measure", "system"),
        columns=tuple(Column(name=name) for name in ("first", "final", "final − first", "SD")),
        lines=tuple(
            Line(
                labels=(*_measure(results, one), system_name(one.system)),
                cells=(
                    estimate_cell(one.first),
                    estimate_cell(one.final),
                    change_cell(one.change),
                    Cell(value=NO_VALUE) if one.deviation is None else estimate_cell(one.deviation),
                ),
                starts_group=len(results.measures) == 1
                or at == 0
                or scores[at - 1].measure != one.measure,
            )
            for at, one in enumerate(scores)
        ),
        notes=(
            "What counts is the newest rating; first ratings enter nothing but this table. First: "
            "where the first rating is known. Final − first: where both are.",
            "SD: the mean over things of the standard deviation (n − 1) of what annotators gave "
            "one of them.",
            *interval_note(one.change for one in scores),
        ),
        record_names=(
            "measure", "system", *part_names("first"), *part_names("final"),
            *part_names("change"), "deviation",
        ),
        records=tuple(
            (
                one.measure.key, one_line(one.system), *parts(one.first), *parts(one.final),
                *parts(one.change), one.deviation.value if one.deviation else None,
            )
            for one in scores
        ),
    )  # fmt: skip


def labels_table(results: CampaignResults) -> DataTable:
    """How often each label was given, per system."""
    labels = form_named(results.form).labels
    systems = list(dict.fromkeys(one.system for one in results.shares))
    found = {(one.system, one.label): one for one in results.shares}
    few = len(labels) <= _FEW
    return DataTable(
        title="Labels per system: how many, and their share",
        label_names=("system",),
        columns=tuple(Column(name=label) for label in labels),
        lines=tuple(
            Line(
                labels=(system_name(system),),
                cells=tuple(_share_cell(found[system, label], bounds=few) for label in labels),
                starts_group=True,
            )
            for system in systems
        ),
        notes=tuple(interval_note(one.share for one in results.shares)) if few else (),
        record_names=("system", "label", "count", *part_names("share")),
        records=tuple(
            (one_line(one.system), one.label, one.count, *parts(one.share))
            for one in results.shares
        ),
    )


def strata_table(results: CampaignResults) -> DataTable:
    """The measure to go by in every stratum, over all systems."""
    rows = results.strata
    return DataTable(
        title=f"{results.measures[0].name.capitalize()} per stratum",
        label_names=("by", "stratum"),
        columns=(
            Column(name=results.measures[0].symbol),
            Column(name="ratings"),
            Column(name="missing"),
        ),
        lines=tuple(
            Line(
                labels=(one_line(one.name), one_line(one.value) or NO_VALUE),
                cells=(
                    estimate_cell(one.final),
                    Cell(value=str(one.n_answered)),
                    Cell(value=str(one.n_asked - one.n_answered)),
                ),
                starts_group=at == 0 or rows[at - 1].name != one.name,
            )
            for at, one in enumerate(rows)
        ),
        notes=tuple(interval_note(one.final for one in rows)),
        record_names=("by", "stratum", *part_names("final"), "n_asked", "n_answered"),
        records=tuple(
            (one_line(o.name), one_line(o.value), *parts(o.final), o.n_asked, o.n_answered)
            for o in rows
        ),
    )


def board_tables(results: CampaignResults) -> tuple[DataTable, ...]:
    """The leader board and every pair of systems; nothing of one system."""
    if not results.boards:
        return ()
    scores = tuple(
        Score(
            key=one.key, symbol=one.symbol, name=one.name, per=one.per,
            lower_is_better=one.lower_is_better,
        )
        for one in results.measures
    )  # fmt: skip
    contest = Contest(
        measure="answers", item=CLUSTERS.get(results.form, "documents"),
        unit=THINGS[results.form], scores=scores,
        systems={}, stratum="", strata={},
    )  # fmt: skip
    return compare_tables(
        Outcome(
            contest=contest,
            score=scores[0],
            rows=(),
            boards=results.boards,
            options=results.options,
        )
    )


def comments_table(results: CampaignResults) -> DataTable:
    """Every comment beside what counts, with the finer rating that it states."""
    return DataTable(
        title=f"{count(len(results.comments), 'comment', 'comments')}",
        label_names=("document", "system", "annotator", "comment"),
        columns=(Column(name="label"), Column(name="finer")),
        lines=tuple(
            Line(
                labels=(
                    one_line(one.document),
                    system_name(one.system),
                    one_line(results.called(one.annotator)),
                    one_line(one.comment),
                ),
                cells=(Cell(value=one.label or NO_VALUE), Cell(value=number(one.finer))),
                starts_group=True,
            )
            for one in results.comments
        ),
        notes=("Finer: a rating such as 3.5 that the comment states; it is in no other number.",),
        record_names=("document", "system", "annotator", "unit", "label", "finer", "comment"),
        records=tuple(
            (
                one_line(one.document), one_line(one.system),
                one_line(results.called(one.annotator)), one.unit, one.label, one.finer,
                one_line(one.comment),
            )
            for one in results.comments
        ),
    )  # fmt: skip


def refused_table(results: CampaignResults) -> DataTable:
    """How often what came in was refused, by reason."""
    return DataTable(
        title="Refused, and in no number",
        label_names=("reason",),
        columns=(Column(name="answers"),),
        lines=tuple(
            Line(labels=(one_line(why),), cells=(Cell(value=str(n)),), starts_group=True)
            for why, n in results.refused.items()
        ),
        notes=(),
        record_names=("reason", "answers"),
        records=tuple((one_line(why), n) for why, n in results.refused.items()),
    )


def system_name(system: str) -> str:
    """A system as people read it."""
    return one_line(system) or "all"


def change_cell(estimate: Estimate | None) -> Cell:
    """A difference, its bounds parted by a comma: a dash would be a minus."""
    if estimate is None or estimate.low is None:
        return Cell(value=NO_VALUE if estimate is None else number(estimate.value))
    return Cell(
        value=number(estimate.value),
        interval=f"[{number(estimate.low)}, {number(estimate.high)}]",
    )


def _share_cell(one: LabelShare, *, bounds: bool) -> Cell:
    share = "" if one.share.value is None else f"{one.share.value:.0%}"
    return Cell(value=str(one.count), interval=f"{share} {interval(one.share) if bounds else ''}")


def _of(results: CampaignResults, measure: Measure) -> list[SystemScore]:
    return [one for one in results.scores if one.measure == measure]


def _counts(one: SystemScore) -> tuple[Cell, ...]:
    return tuple(
        Cell(value=str(n))
        for n in (
            one.final.n_items, one.final.n_units, one.n_answered, one.n_asked - one.n_answered,
        )
    )  # fmt: skip


def _measure(results: CampaignResults, one: SystemScore) -> tuple[str, ...]:
    return (one.measure.symbol,) if len(results.measures) > 1 else ()


def _system_notes(results: CampaignResults, main: Sequence[SystemScore]) -> Iterator[str]:
    measure, things = results.measures[0], THINGS[results.form]
    clusters = CLUSTERS.get(results.form, "documents")
    if results.form == FINE.name:
        yield (
            "FINE: 100 × yes / (yes + no) of each summary; its mean over annotators, then over "
            "documents."
        )
        pooled = "; ".join(
            f"{system_name(one.system)} {estimate_cell(one.pooled).text}"
            for one in main
            if one.pooled
        )
        yield f"Over all clauses alike, whatever their summary: {pooled}."
    elif measure.per == "unit":
        yield f"The mean over {things}, each the mean of those who rated it."
    else:
        scale = f", from 0 to {measure.top:g}" if measure.top != 1 else ""
        yield (
            f"{measure.name.capitalize()}{scale}: the mean over {clusters}, each the mean of its "
            f"{things}; one that several people rated is the mean of theirs."
        )
    if results.form == "coarse":
        yield "0–100: LongEval's scale, 20 × the rating."
    yield from _missing(main)
    yield from interval_note(one.final for one in main)


def _missing(scores: Iterable[SystemScore]) -> Iterator[str]:
    lacking = [
        f"{system_name(one.system)} {extremes(one.final, ' to ')}"
        for one in scores
        if one.n_asked > one.n_answered and extremes(one.final)
    ]
    if lacking:
        yield (
            "Missing: ratings that were asked for and are not there. Whatever they would be, the "
            f"value over all that was asked lies here: {'; '.join(lacking)}."
        )


def _record(one: SystemScore) -> tuple[Value, ...]:
    empty = (None,) * 5
    return (
        one_line(one.system), one.measure.key, *parts(one.final),
        *(parts(one.longeval) if one.longeval else empty), one.final.n_items, one.final.n_units,
        one.n_asked, one.n_answered, one.final.method, one.final.signature,
    )  # fmt: skip
