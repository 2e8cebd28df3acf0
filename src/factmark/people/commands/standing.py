"""`factmark annotate status`, `results`: how far a campaign is, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.showing import finish, show_deed
from factmark.people.options import ResultsOptions
from factmark.text.shown_text import count

if TYPE_CHECKING:
    from factmark.people.status import CampaignStatus


def status(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    stall: Annotated[
        float, typer.Option(min=0.0, help="Hours without an answer from which on one stalls.")
    ] = 24.0,
    json: options.Json = False,
) -> None:
    """Tell how far a campaign is: done, left, time per document, who stalls."""
    from factmark.ledger.campaigns import campaign_named
    from factmark.ledger.ledger import open_existing
    from factmark.people.status import campaign_status
    from factmark.people.tables.work_tables import practice_table, progress_table
    from factmark.report.envelope import CommandOutcome

    with open_existing(ledger, read_only=True) as opened:
        status = campaign_status(opened, campaign_named(opened, campaign), stall=stall)
    table = progress_table(status, stall=stall)
    tables = [table]
    if status.practice:
        names = {line.code: line.name for line in status.lines}
        tables.append(practice_table(status.practice, lambda code: names.get(code, code)))
    outcome = CommandOutcome(
        command="annotate status",
        subject=status.campaign.name,
        rows=tuple(table.rows()),
        details=status.details(),
    )
    show_deed(outcome, json=json, tables=tables, lines=_status_lines(status))


def _status_lines(status: CampaignStatus) -> Iterator[str]:
    """Yields what stands beside the tables of a campaign's state."""
    from factmark.report.layouts import estimate_cell

    if status.waiting:
        where = "are on nobody's list"
        if status.campaign.queues:
            where = "wait in the queue"
        yield f"{count(status.waiting, 'row', 'rows')} {where}"
    if status.agreement:
        alpha = estimate_cell(status.agreement.alpha).text
        yield f"Agreement so far, alpha: {alpha} ({status.agreement.n_units} units of two)"
    for person in status.screened:
        yield f"{person.code} {person.name}: screened out, {person.screened}"
    if status.refused:
        singular = "answer came in that does not count"
        yield count(status.refused, singular, "answers came in that do not count")


def results(protocol_of: ProtocolOf, given: ResultsOptions) -> None:
    """Tell what a campaign came to, also while people are still at it; or several, as one.

    Each system with its interval, first ratings beside those that count, systems compared in pairs,
    annotators, their agreement, and how well a judge agrees with them. What is not rated yet is
    counted as missing; without any rating there are no values.
    """
    from factmark.people.annotated_answers import ANNOTATED, write_annotated_answers
    from factmark.people.report import ratings_report
    from factmark.people.study import results_of_ledgers
    from factmark.report.files import check_result_files

    inputs = [("the ledger", ledger) for ledger in given.ledgers]
    check_result_files(given.out, inputs, [ANNOTATED])
    parts = results_of_ledgers(given, protocol_of)
    finish(ratings_report(*parts), given)
    if given.out is not None:
        for part in parts:
            write_annotated_answers(part, given.out, protocol_of, names=given.names)
