"""`factmark doctor`: what a model's server can do, before a run is paid for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.cli.console import print_sentence, print_table, say
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options
from factmark.cli.showing import show_outcome

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient
    from factmark.ask.outcomes.server_check import ServerFinding
    from factmark.report.envelope import CommandOutcome
    from factmark.report.layouts import DataTable
    from factmark.report.sentence import FirstSentence

_WORKS = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """The options of `factmark doctor`: which model, and where what is learnt is kept."""

    judge: Annotated[str, typer.Option(help=f"The model: {options.MODELS}.")]
    asking: Asking = field(default_factory=Asking)
    ledger: Annotated[
        Path | None,
        typer.Option(help="Keep what the server does not take here, for later runs."),
    ] = None
    json: options.Json = False


@takes_options
def doctor(given: DoctorOptions) -> None:
    """What does a model's server take, and which options does it need?

    Asks six small questions: a system message, a JSON schema, a sum, a tool, its result, a long
    prompt. Exits with 1 where one of them shows what a run cannot do without.
    """
    client = given.asking.client(given.asking.spec(given.judge))
    findings = asyncio.run(_examined(client))
    limits = client.slots.limits
    if given.ledger is not None:
        _keep(client, given.ledger)
        say(f"what the server does not take is kept in {given.ledger}; runs with it know it")
    flags = [finding.flag for finding in findings if finding.flag]
    if given.json:
        show_outcome(_outcome(client, findings, flags, limits))
    else:
        print_sentence(_first_sentence(client, findings, flags))
        for table in _tables(findings, limits):
            print_table(table)
        for finding in findings:
            if finding.do:
                say(f"{finding.name}: {finding.do}")
        for note in client.notes:
            say(f"note: {note}")
    if any(finding.works is False for finding in findings):
        raise typer.Exit(PROBLEM)


async def _examined(client: ChatClient) -> list[ServerFinding]:
    """Returns what the questions show."""
    from factmark.ask.outcomes.server_check import check_server

    async with client:
        return [finding async for finding in check_server(client)]


def _keep(client: ChatClient, path: Path) -> None:
    """Keeps what the server does not take, in place of what was known of it."""
    from factmark.ledger.calls import keep_left_out
    from factmark.ledger.ledger import Ledger

    with Ledger(path) as ledger, ledger.writing():
        keep_left_out(ledger, client.spec, client.left_out)


def _first_sentence(
    client: ChatClient, findings: list[ServerFinding], flags: list[str]
) -> FirstSentence:
    """Returns what came of it in a sentence, with the options to give."""
    from factmark.report.sentence import FirstSentence

    fine = sum(finding.works is True for finding in findings)
    sentence = f"{client.spec.name} at {client.spec.base_url}: {fine} of {len(findings)} work."
    if flags:
        sentence += f" Give {' '.join(flags)}."
    return FirstSentence(sentence=sentence)


def _tables(findings: list[ServerFinding], limits: Mapping[str, str]) -> Iterator[DataTable]:
    """Yields the table of what was asked, and that of limits where the server tells any."""
    from factmark.report.columns import Column, table_of

    yield table_of(
        "What the server does",
        [
            Column[Any](name="asked", value=lambda finding: finding.name, label=True),
            Column[Any](name="it shows", value=lambda finding: finding.shows, label=True),
            Column[Any](name="works", value=lambda finding: _WORKS[finding.works]),
        ],
        findings,
    )
    if limits:
        yield table_of(
            "Limits that it tells",
            [
                Column[Any](name="header", value=lambda limit: limit[0], label=True),
                Column[Any](name="value", value=lambda limit: limit[1]),
            ],
            sorted(limits.items()),
        )


def _outcome(
    client: ChatClient, findings: list[ServerFinding], flags: list[str], limits: Mapping[str, str]
) -> CommandOutcome:
    """Returns all of it for machines, a row for each question."""
    from factmark.report.envelope import CommandOutcome

    return CommandOutcome(
        command="doctor",
        subject=client.spec.name,
        rows=tuple(asdict(finding) for finding in findings),
        details={
            "base_url": client.spec.base_url,
            "flags": flags,
            "left_out": sorted(client.left_out),
            "limits": dict(limits),
            "spent": client.account.spend.as_json(),
        },
        problems=tuple(client.notes),
    )
