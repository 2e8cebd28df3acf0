"""What a campaign came to: from what people and judges gave its units to the results.

A campaign begins in `create`; people answer on the desk or on Label Studio, days later. A judge
goes through the same units (`judge_units`). People see none of its verdicts.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from factmark.ask.judges.recipe import Recipe
from factmark.ask.runner import JudgingLine, JudgingProgress, no_judging_line, run
from factmark.campaign_model import Campaign, ProtocolOf, Rating
from factmark.cli.asking import JudgedPart
from factmark.cli.judge_recipes import open_judge
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.files.shards import Shard
from factmark.ledger.campaigns import campaign_named, campaigns_of, tasks_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.ratings import refused_of, revisions_of
from factmark.model import Judge, content_hash
from factmark.people.core.forms import Form
from factmark.people.core.scales import form_of
from factmark.people.imports.other_labels import with_other_labels
from factmark.people.judges import Docket, campaign_openers, docket_of
from factmark.people.options import JudgeOptions, ResultsOptions
from factmark.people.practice.scores import PracticeScore, practice_scores_of
from factmark.people.ratings.adjudication import Adjudication, adjudication
from factmark.people.ratings.agreement import (
    JudgeLabels,
    JudgeScore,
    judge_scores,
    people_agreement,
)
from factmark.people.ratings.annotators import annotator_scores
from factmark.people.ratings.entries import (
    BROUGHT_IN,
    RatedTask,
    Scoring,
    group_rows,
    rated_tasks,
    rated_unit,
)
from factmark.people.ratings.joined_campaigns import joined_judges, one_part
from factmark.people.ratings.judge_ratings import JudgeRatings, judge_ratings
from factmark.people.ratings.marked_words import marked_words_agreement
from factmark.people.ratings.screened_out import screened_out
from factmark.people.ratings.systems import label_shares, leader_boards, system_scores
from factmark.people.reading import (
    count_doubted,
    judge_labels,
    rated_part,
    rated_units,
    screened_tasks,
)
from factmark.people.report import ratings_report
from factmark.people.results import CampaignResults
from factmark.report.result import Result
from factmark.stats.comparison import Options
from factmark.text.shown_text import count
from factmark.version import __version__


async def judge_units(
    docket: Docket,
    recipe: Recipe,
    options: JudgeOptions,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgingProgress:
    """Has a model or one of the user's own judge what it has not judged yet; its verdicts go to the
    ledger.

    Args:
        progress: is told where the judging stands.

    Returns:
        Who judged, what came of it, and what it cost.

    Raises:
        EndpointError: no call to the model can work; what came in is kept.
    """
    budget = options.asking.budget
    openers = campaign_openers(recipe, docket.bench)
    judge = open_judge(recipe, openers, option="--model", budget=budget)
    return await run(docket.jobs, judge, options.ledger, again=options.reparse, progress=progress)


def judge_campaign(
    protocol_of: ProtocolOf,
    options: JudgeOptions,
    docket: Docket,
    *,
    judging: JudgingLine = no_judging_line,
) -> JudgingProgress:
    """Has the units of a docket judged, with `--engine` by workers; returns what `judge_units`
    does."""
    recipe = options.recipe()
    with ExitStack() as stack:
        progress = stack.enter_context(judging(len(docket.jobs)))
        if options.engine:
            from factmark.engine.parts import begin_parts

            openers = campaign_openers(recipe, docket.bench)
            judge = open_judge(recipe, openers, option="--model").identity
            judge_part = partial(judge_campaign_part, protocol_of)
            parts = begin_parts(options, judge_part, recipe, judge, options.ledger)
            asking = replace(options.asking, budget=stack.enter_context(parts)(progress))
            options = replace(options, asking=asking)
        return asyncio.run(judge_units(docket, recipe, options, progress))


def judge_campaign_part(
    protocol_of: ProtocolOf,
    options: JudgeOptions,
    *,
    judging: JudgingLine = no_judging_line,
    judge_id: str = "",
) -> JudgedPart:
    """Judges the part of a campaign's units that `--shard` names, in a copy of its ledger.

    Args:
        judge_id: who is to judge, where another process says so.
    """
    part = Shard.parse(options.shard, engine=options.engine)
    docket = docket_of(options.ledger, options.campaign, protocol_of).part(part)
    recipe = replace(options.recipe(), judge=judge_id)
    with judging(len(docket.jobs)) as progress:
        done = asyncio.run(judge_units(docket, recipe, options, progress))
    return JudgedPart.of_progress(part, options.ledger, done)


def judged_ratings(
    docket: Docket, ledger: Path, judge: Judge, protocol_of: ProtocolOf
) -> JudgeRatings:
    """Returns what a judge has given the units so far, and how far people agree with it."""
    campaign = docket.campaign
    form = form_of(docket.campaign)
    units = []
    for item, unit in docket.jobs:
        units.append(rated_unit(item, unit, docket.bench.shown[unit.id]))
    with open_existing(ledger, read_only=True) as opened:
        verdicts = opened.newest(judge.id, [unit.id for unit in units])
        labels = {unit: verdict.label for unit, verdict in verdicts.items()}
        beside = None
        if any(labels.values()):
            tasks = tasks_of(opened, campaign)
            shown = {task.assignment.unit: task.shown for task in tasks}
            rated = rated_units(opened, campaign, shown, protocol_of)
            deciding = set()
            for person in campaign.annotators:
                if person.decides:
                    deciding.add(person.code)
            raters_tasks = []
            for task in tasks:
                if task.assignment.annotator not in deciding:
                    raters_tasks.append(task)
            entries = rated_tasks(raters_tasks, revisions_of(opened, campaign), rated)
            given = judge_labels(ledger, opened, campaign, [judge.id])
            (beside,) = judge_scores(form, given, entries, Options())
    return judge_ratings(form, judge.name, units, labels, beside)


def ratings_function(protocol_of: ProtocolOf) -> Callable[..., Result]:
    """Returns `factmark.ratings`, which knows the protocols of units by `protocol_of`."""

    @python_function(ResultsOptions, without={"ledgers"})
    def ratings(
        ledger: str | Path | Sequence[str | Path],
        campaign: str | Sequence[str] | None = None,
        *,
        progress: bool = False,  # as of all functions; there is nothing to wait for
        **options: Any,
    ) -> Result:
        """What people gave the units of a campaign, or of several as one: `factmark annotate
        results`.

        Args:
            ledger: of the campaign; several are read as one study.
            campaign: its name, or several names; where not given the only one, or all dimensions
                of an import.
            options: those of the command.

        Returns:
            An average per measure and system ("COARSE of SYSTEM"); a row per rating, and one
            without a label for what is not rated.

        Raises:
            FactmarkError: what cannot be read, and options that there are none of.
        """
        if isinstance(ledger, str | Path):
            ledgers = [ledger]
        else:
            ledgers = list(ledger)
        names: Sequence[str] | None
        if isinstance(campaign, str):
            names = [campaign]
        else:
            names = campaign
        given = {"ledgers": [Path(path) for path in ledgers], "campaign": names, **options}
        return ratings_report(*results_of_ledgers(options_of(ResultsOptions, given), protocol_of))

    return ratings


def results_of_ledgers(
    given: ResultsOptions, protocol_of: ProtocolOf
) -> tuple[CampaignResults, ...]:
    """Returns the results of a campaign in a ledger, or of several, in one ledger or in several, as
    of one; of imported ratings one for each dimension. With all judges of the same kind of units.

    Raises:
        InputError: a ledger has no such campaign or no such judge, or they ask different things.
    """
    wanted = list(given.campaign or ())
    with ExitStack() as stack:
        ledgers = {}
        for path in given.ledgers:
            ledgers[path] = stack.enter_context(open_existing(path, read_only=True))
        chosen = []
        for ledger in ledgers.values():
            for c in _chosen(ledger, wanted):
                chosen.append((ledger, c))
        _check_names(wanted, list(ledgers.values()))
        return tuple(
            _joined_results(campaigns, given, protocol_of) for campaigns in _by_dimension(chosen)
        )


def _joined_results(
    chosen: Sequence[tuple[Ledger, Campaign]], given: ResultsOptions, protocol_of: ProtocolOf
) -> CampaignResults:
    """Returns the results of campaigns as of one."""
    part = one_part([rated_part(ledger, c, protocol_of) for ledger, c in chosen])
    everybody, entries = with_other_labels(part.campaign, part.entries, part.units, part.labels)
    of_ledger = dict(chosen)  # judges are those of the kind of units
    judges = []
    for ledger, c in of_ledger.items():
        judges.append(judge_labels(ledger.path, ledger, c, given.judge or ()))
    results = rate_campaign(
        everybody,
        entries,
        decisions=part.decisions,
        judges=joined_judges(judges),
        refused=Counter(r.reason for ledger, c in chosen for r in refused_of(ledger, c)),
        n_doubted=count_doubted(chosen),
        names=given.names,
        options=Options(
            level=given.level,
            target=given.target,
            resamples=given.resamples,
            seed=given.seed,
        ),
    )
    practice: tuple[PracticeScore, ...] = ()
    screened = None
    if len(chosen) == 1:
        practice = tuple(practice_scores_of(*chosen[0]))
        theirs = screened_tasks(*chosen[0], part.units)
        screened = screened_out(results.scorings[0], chosen[0][1], entries, theirs)
    return replace(
        results,
        practice=practice,
        screened=screened,
        marked_words=marked_words_agreement(entries, results.scorings[0].options),
        sources=tuple((str(ledger.path), c.name) for ledger, c in chosen),
        codes={person.name: person.code for person in everybody.annotators},
    )


def _chosen(ledger: Ledger, wanted: Sequence[str]) -> list[Campaign]:
    """Returns the campaigns of a ledger that are wanted, a name of an import standing for all its
    dimensions; where none is named the only one, or the dimensions of the only import."""
    known = campaigns_of(ledger)
    imports = {_import_of(campaign) for campaign in known}
    if wanted:
        here = []
        for c in known:
            if c.name in wanted or _import_of(c) in wanted:
                here.append(c)
        return here or [campaign_named(ledger, wanted[0])]
    if len(imports) == 1 and "" not in imports:
        return known
    return [campaign_named(ledger)]


def _import_of(campaign: Campaign) -> str:
    """Returns the name under which a campaign was imported as one of several dimensions; empty of
    others."""
    study, colon, _ = campaign.name.rpartition(": ")
    if colon and campaign.imported:
        return study
    return ""


def _check_names(wanted: Sequence[str], ledgers: Sequence[Ledger]) -> None:
    """Raises InputError, which says which campaigns there are, where one that is wanted is in no
    ledger."""
    known = set()
    for ledger in ledgers:
        for c in campaigns_of(ledger):
            known.add(c.name)
    imports = set()
    for ledger in ledgers:
        for c in campaigns_of(ledger):
            imports.add(_import_of(c))
    for name in wanted:
        if name not in known | imports:
            campaign_named(ledgers[0], name)


def _by_dimension(
    chosen: Sequence[tuple[Ledger, Campaign]],
) -> list[list[tuple[Ledger, Campaign]]]:
    """Returns campaigns that are read as one: imported ones by what they rate, and all where
    people were asked."""
    if not all(campaign.imported for _, campaign in chosen):
        return [list(chosen)]
    return list(group_rows(chosen, lambda pair: form_of(pair[1]).name).values())


_SETTINGS = ("blinding", "tells")


def rate_campaign(
    campaign: Campaign,
    entries: Sequence[RatedTask],
    *,
    decisions: Sequence[RatedTask] = (),
    judges: Sequence[JudgeLabels] = (),
    refused: Mapping[str, int] | None = None,
    n_doubted: int = 0,
    names: bool = False,
    options: Options | None = None,
) -> CampaignResults:
    """Returns the results of a campaign from its ratings, also where nobody has answered yet.

    Args:
        decisions: what somebody decided, or is to decide, where ratings differ.
        refused: reason -> how often what came in was refused.
        n_doubted: how many ratings were followed by what a judge doubts, see `count_doubted`.
        names: whether annotators are called by their names, not their codes.
    """
    options = options or Options()
    form = form_of(campaign)
    scorings = tuple(Scoring(form=form, measure=m, options=options) for m in form.measures)
    scores = judge_scores(form, judges, entries, options)
    asked: Any = campaign.settings.get("adjudicate")
    decided = adjudication(scorings[0], entries, decisions, asked)
    return CampaignResults(
        campaign=campaign.name,
        form=form,
        scores=tuple(score for scoring in scorings for score in system_scores(scoring, entries)),
        boards=leader_boards(scorings, entries),
        shares=label_shares(form, entries, options),
        annotators=annotator_scores(
            scorings[0], entries, [person.code for person in campaign.counted if not person.decides]
        ),
        agreement=people_agreement(form, entries, options),
        judges=scores,
        entries=tuple(entries),
        scorings=scorings,
        names={
            annotator.code: campaign.called(annotator) if names else annotator.code
            for annotator in campaign.annotators
        },
        refused=dict(sorted((refused or {}).items())),
        settings={name: campaign.settings[name] for name in _SETTINGS if name in campaign.settings},
        adjudication=decided,
        problems=(
            *_withdrawals(campaign, entries),
            *_undecided(form, decided),
            *_list_problems(form, entries, scores, judges),
            *_doubt_problems(n_doubted),
        ),
        signature=_signature(campaign, [*entries, *decisions], options),
    )


def _doubt_problems(n_doubted: int) -> Iterator[str]:
    """Yields what a reader must know where people were shown a judge's doubts."""
    if n_doubted:
        yield (
            f"After {n_doubted} first ratings an earlier version of factmark showed people what a "
            "judge doubts; what counts may follow it, and agreement with that judge be too good. "
            "First ratings are free of it."
        )


def _withdrawals(campaign: Campaign, entries: Iterable[RatedTask]) -> Iterator[str]:
    """Yields a sentence where somebody has withdrawn, and one where something is on nobody's
    list."""
    raters = (person for person in campaign.annotators if not person.decides)
    gone = []
    for person in raters:
        if person.withdrawn and not person.screened:
            gone.append(person.code)
    if gone:
        yield f"Withdrawn: {', '.join(gone)}. Nothing that they answered is in the results."
    screened = [person.code for person in campaign.screened]
    if screened:
        yield (
            f"Screened out by known answers: {', '.join(screened)}. Nothing that they answered is "
            "in the results; the table of who was screened out has the figures with them."
        )
    waiting = sum(not entry.assignment.annotator for entry in entries)
    if waiting:
        how = "`reassign` deals it out"
        if campaign.queues:
            how = "whoever comes next draws it"
        yield f"{count(waiting, 'rating', 'ratings')} on nobody's list, and so missing: {how}."


def _undecided(form: Form, decided: Adjudication | None) -> Iterator[str]:
    """Yields a sentence where ratings are far apart, and nobody has decided."""
    if decided and decided.left:
        yield (
            f"{decided.left} of {decided.disputed} {form.things} whose ratings are "
            f"{decided.apart:g} or more apart are not decided; `factmark annotate adjudicate` has "
            "them decided."
        )


def _list_problems(
    form: Form,
    entries: Sequence[RatedTask],
    scores: Iterable[JudgeScore],
    judges: Iterable[JudgeLabels],
) -> Iterator[str]:
    """Yields what a reader must know, a sentence each: that nothing is rated, first answers are not
    known, a judge cannot be compared."""
    if not any(entry.revisions for entry in entries):
        yield "Nothing is rated yet: there are no values, and all that was asked for is missing."
    late = []
    for entry in entries:
        if entry.revisions and entry.first is None:
            late.append(entry)
    brought = sum(entry.revisions[0].source in BROUGHT_IN for entry in late)
    if entries and brought == len(entries):
        yield (
            f"All {brought} ratings were brought in from files; whether any had been changed "
            "before is not known."
        )
    elif brought:
        yield (
            f"{brought} ratings were brought in from files; whether they had been changed before "
            "is not known, so they are left out where first ratings are told."
        )
    unknown = len(late) - brought
    if unknown:
        yield (
            f"Of {unknown} tasks the first answer is not known: they had been changed before they "
            "were first seen. They are left out where first ratings are told."
        )
    given = {judge.id: {label for label in judge.labels if label} for judge in judges}
    for judge in scores:
        if judge.overall is None and judge.agreement is None:
            strange = sorted(given[judge.id] - set(form.labels))
            why = "people labelled nothing that it judged"
            if strange:
                why = f"it gave other labels than people may ({strange[0][:40]!r})"
            yield f"The judge {judge.name} is not compared: {why}."


def _signature(
    campaign: Campaign, entries: Iterable[RatedTask], options: Options
) -> dict[str, object]:
    """Returns how the results were made: versions, options, and a hash of every answer."""
    revisions = [
        (
            entry.assignment.annotator,
            entry.assignment.unit,
            [_content(revision) for revision in entry.revisions],
        )
        for entry in entries
    ]
    return {
        "campaign": campaign.name,
        "campaign_id": campaign.id,
        "factmark": __version__,
        "level": options.level,
        "ratings": content_hash(revisions),
        "resamples": options.resamples,
        "rubric": f"{campaign.form}@1",
        "seed": options.seed,
        "target": options.target,
    }


def _content(revision: Rating) -> dict[str, Any]:
    """Returns what a signature is made of: an answer without the place that it was read from."""
    content = asdict(replace(revision, key=""))
    del content["response"]["row"], content["annotator"], content["unit"]
    return content
