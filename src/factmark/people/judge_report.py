"""The report on what a judge gave the units of a campaign, declared. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from factmark.ask.runner import JudgingProgress
from factmark.people.judges import Docket
from factmark.people.ratings.agreement import JudgeScore
from factmark.people.ratings.judge_ratings import JudgeRatings
from factmark.people.ratings.systems import SystemScore, system_name
from factmark.people.report import averages_of, means_in_words
from factmark.people.tables.agreement_tables import judges_table
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence, figure
from factmark.text.shell import quote, quote_path
from factmark.text.shown_text import count, named


def judge_report(
    docket: Docket, ratings: JudgeRatings, progress: JudgingProgress, ledger: Path
) -> Result:
    """Returns what a judge gave, as a result: its mean of each system, and how far people agree."""
    judge = progress.judge
    verdicts = dict(progress.verdicts)
    next_step = ""
    if ratings.n_labelled:
        where = f"{quote_path(ledger)} --campaign {quote(docket.campaign.name)}"
        next_step = f"Next: `factmark annotate results {where}` sets it beside people."
    return Result(
        measure=ratings.form.measures[0],
        subject=docket.campaign.name,
        judge=judge.name,
        averages=averages_of(ratings.scores),
        tables=dict(_tables(docket, ratings, progress)),
        sentence=first_sentence(ratings),
        next_step=next_step,
        spent=progress.spend.as_json(),
        problems=tuple(_problems(docket, progress)),
        figures={
            "judge_id": judge.id,
            "rubric": docket.bench.rubric.name,
            "units": progress.units,
            "asked_of_people": docket.asked,
            "verdicts": verdicts,
            "left": len(docket.jobs) - sum(verdicts.values()),
            "left_out": docket.left_out,
            "beside_people": ratings.beside,
        },
        details=ratings,
    )


def asks_model(progress: JudgingProgress) -> bool:
    """Whether the judge is a model that is asked, and not weights or a function of the user's."""
    judge = progress.judge
    return judge.kind == "model" and "weights" not in judge.parameters


def first_sentence(ratings: JudgeRatings) -> FirstSentence:
    """Returns the judge's mean of each system, the best first, and how often people say the same,
    in one sentence."""
    beside = ratings.beside
    judge = named(ratings.judge)
    if ratings.n_labelled:
        more = _agreement_in_words(beside)
        sentence = means_in_words(judge, ratings.form, ratings.scores, more)
    else:
        asked = sum(score.n_asked for score in ratings.scores)
        sentence = f"{judge} gave none of {count(asked, 'unit', 'units')} a label"
    return FirstSentence(sentence=f"{sentence}.", cautions=beside.cautions if beside else ())


def _agreement_in_words(beside: JudgeScore | None) -> str:
    """Returns the part of the sentence on how often the judge gave people's label."""
    agreement = beside and beside.agreement
    if not agreement or agreement.exact.value is None:
        return "; no label of people stands beside it, so how far that holds is not known"
    exact = (
        f"; where people labelled too, it gave their label {figure(agreement.exact)} of the time"
    )
    if agreement.alpha.value is None:
        return exact
    return f"{exact}, alpha {figure(agreement.alpha)}"


def _problems(docket: Docket, progress: JudgingProgress) -> Iterator[str]:
    """Yields what the judging met: failures, an end before its time, units that were left out."""
    spend = progress.spend
    yield from spend.notes
    if asks_model(progress):
        what = ("call", "calls")
    else:
        what = ("unit", "units")
    for why, n in spend.failures.items():
        yield f"{count(n, *what)} failed: {why}"
    if spend.stopped:
        yield spend.stopped
    if docket.left_out:
        units = count(docket.left_out, "unit", "units")
        yield f"{units} without evidence that nobody is asked about: left out"


def _tables(
    docket: Docket, ratings: JudgeRatings, progress: JudgingProgress
) -> Iterator[tuple[str, DataTable]]:
    """Yields the tables with their names, the one for the first screen first."""
    statuses = sorted(progress.verdicts.items())
    counts = ", ".join(f"{n:,} {status}" for status, n in statuses) or "none judged"
    note = (
        f"{len(docket.jobs):,} units ({ratings.form.noun}) of the campaign "
        f"{docket.campaign.name!r}, {docket.asked:,} of which people are asked about: {counts}; "
        f"{progress.spend.judged_before:,} judged before."
    )
    yield "scores", judge_ratings_table(ratings, note)
    beside = ratings.beside
    if beside and (beside.agreement or beside.overall):
        yield "judges", judges_table(ratings.form, [beside], cautions=False)


def judge_ratings_table(ratings: JudgeRatings, note: str = "") -> DataTable:
    """Returns what a judge gave each system: its mean, its labels, and what is missing."""
    form = ratings.form
    measure = ratings.form.measures[0]

    def label_column(label: str) -> Column[SystemScore]:
        return Column(
            name=label,
            key=label.lower(),
            value=lambda score: ratings.counts[score.system][label],
        )

    columns: tuple[Column[SystemScore], ...] = (
        attribute_column("system", label=True, show=system_name),
        Column(
            name=measure.symbol,
            key=measure.key,
            value=attrgetter("final"),
            better="higher",
            estimate=True,
            bounds=True,
        ),
        *map(label_column, form.ranked),
        Column(
            name="missing",
            key="n_missing",
            value=lambda score: score.n_asked - score.n_answered,
            meaning="Missing: units without a label.",
        ),
    )
    title = f"What {named(ratings.judge)} gave"
    return table_of(title, columns, ratings.scores, notes=[note] if note else ())
