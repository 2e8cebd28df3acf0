"""`factmark annotate push`, `pull`: campaigns on Label Studio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import print_line, say
from factmark.cli.showing import show_deed
from factmark.errors import InputError
from factmark.people.options import TOKEN_ENV, PullOptions, TokenEnv, Url
from factmark.text.shown_text import count, one_line

if TYPE_CHECKING:
    from factmark.people.labelstudio.client import LabelStudio
    from factmark.people.labelstudio.pull import PullResult
    from factmark.people.labelstudio.push import PushResult
    from factmark.report.envelope import CommandOutcome


def push(
    ledger: options.CampaignLedger,
    url: Url = None,
    token_env: TokenEnv = TOKEN_ENV,
    campaign: options.Campaign = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done there, and write nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Bring a campaign to a Label Studio server: a project for each annotator."""
    from factmark.ledger.campaigns import campaign_named
    from factmark.ledger.ledger import open_existing
    from factmark.people.labelstudio import push as pushing
    from factmark.people.labelstudio.projects import server_of

    with open_existing(ledger) as opened:
        known = campaign_named(opened, campaign)
        server = server_of(opened, known, url)

        async def run() -> PushResult:
            async with _open_studio(server, token_env) as client:
                return await pushing.push(opened, known, client, dry_run=dry_run)

        done = asyncio.run(run())
    details = {**asdict(done), "written": not dry_run}
    outcome = _by_annotator("annotate push", known.name, details, _push_notes(done))
    show_deed(outcome, json=json, lines=_push_lines(done))
    if dry_run:
        say("nothing was written (--dry-run)")


def pull(protocol_of: ProtocolOf, options: PullOptions) -> None:
    """Take people's answers from a Label Studio server into the ledger."""
    from factmark.ledger.campaigns import campaign_named
    from factmark.ledger.ledger import open_existing
    from factmark.people.labelstudio import pull as pulling
    from factmark.people.labelstudio.projects import server_of

    people = _emails_of_annotators(options.who or [])
    with open_existing(options.ledger) as opened:
        known = campaign_named(opened, options.campaign)
        server = server_of(opened, known, options.url)

        async def run() -> PullResult:
            async with _open_studio(server, options.token_env) as client:

                async def once() -> PullResult:  # the campaign may have been closed meanwhile
                    campaign = campaign_named(opened, options.campaign)
                    return await pulling.pull(opened, campaign, client, protocol_of, people)

                seconds = options.watch
                if seconds is None:
                    return await once()
                tell = say if options.json else _print_on_one_line
                return await pulling.watch(once, sleep=lambda: asyncio.sleep(seconds), tell=tell)

        try:
            pulled = asyncio.run(run())
        except KeyboardInterrupt:
            if options.watch is None:
                raise
            say("ended; what was pulled stays")
            return
    details = {**asdict(pulled), "new": pulled.new, "done": pulled.done}
    outcome = _by_annotator("annotate pull", known.name, details, _pull_notes(pulled))
    show_deed(outcome, json=options.json, lines=_pull_lines(pulled))
    if not options.json:
        for box in pulled.annotators:
            for refused in box.refused:
                say(one_line(f"does not count: {refused.where}: {refused.reason}"))


def _by_annotator(
    command: str, campaign: str, details: dict[str, Any], notes: Iterable[str]
) -> CommandOutcome:
    """Returns what a server was told or asked, a row an annotator."""
    from factmark.report.envelope import CommandOutcome

    people = details.pop("annotators")
    return CommandOutcome(
        command=command,
        subject=campaign,
        rows=tuple(people),
        details=details,
        problems=tuple(notes),
    )


def _open_studio(url: str, token_env: str) -> LabelStudio:
    """Returns a client of the server; InputError where the environment has no token."""
    from factmark.people.labelstudio.client import LabelStudio

    token = os.environ.get(token_env, "")
    if not token:
        raise InputError(
            f"The environment has no {token_env}: put a token of the Label Studio server there "
            "(on its page: Account & Settings), or name another variable by --token-env."
        )
    return LabelStudio(url, token)


def _emails_of_annotators(given: Sequence[str]) -> dict[str, str]:
    """Returns name or code of an annotator -> e-mail address, from `--who` options."""
    people: dict[str, str] = {}
    for text in given:
        name, equals, email = text.rpartition("=")
        if not equals or not name.strip() or "@" not in email:
            raise InputError(f"--who {text}: write it as 'Ada=ada@example.org'.")
        people[name.strip()] = email.strip()
    return people


def _print_on_one_line(line: str) -> None:
    """Prints a text with its line breaks taken out: it may come from the server."""
    print_line(one_line(line))


def _push_lines(pushed: PushResult) -> Iterator[str]:
    """Yields what was done for each annotator, and where they sign up."""
    for box in pushed.annotators:
        parts = []
        if box.created:
            parts = ["new project"]
        if box.imported:
            parts.append(f"{count(box.imported, 'task', 'tasks')} imported")
        if box.deleted:
            parts.append(f"{count(box.deleted, 'task', 'tasks')} deleted")
        if box.changed:
            parts.append(f"changed: {', '.join(box.changed)}")
        where = box.url or "not there yet"
        yield one_line(f"{box.code} {box.name}: {where} ({'; '.join(parts) or 'all there'})")
    yield one_line(f"Annotators sign up at {pushed.invite}")


def _push_notes(pushed: PushResult) -> Iterator[str]:
    """Yields what is not as it should be on the server."""
    for box in pushed.annotators:
        for problem in box.problems:
            yield f"{box.code}: {problem}"
    if pushed.left_out:
        yield (
            f"{count(pushed.left_out, 'unit', 'units')} of training and the check are not on "
            "Label Studio, which cannot show right answers; `factmark annotate serve` asks them"
        )


def _pull_lines(pulled: PullResult) -> Iterator[str]:
    """Yields what came in for each annotator."""
    for box in pulled.annotators:
        by = ""
        if box.user:
            by = f" (by {box.user})"
        answered = f"{box.answered} of {box.tasks} answered, {box.new} new or changed"
        yield one_line(f"{box.code} {box.name}{by}: {answered}")


def _pull_notes(pulled: PullResult) -> Iterator[str]:
    """Yields what is missing on the server, or gone there."""
    for box in pulled.annotators:
        if box.problem:
            yield f"{box.code}: {box.problem}"
        if box.missing:
            tasks = count(box.missing, "task", "tasks")
            yield f"{box.code}: {tasks} not on the server; push again"
        if box.gone:
            answers = count(len(box.gone), "answer", "answers")
            yield f"{box.code}: {answers} gone on the server, and kept here"
