"""`factmark annotate add`, `reassign`, `adjudicate`, `withdraw`, `forget`: people who join, who
decide and who leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.showing import show_deed
from factmark.people.commands.create import ledger_argument
from factmark.report.envelope import CommandOutcome
from factmark.text.shell import quote_path

if TYPE_CHECKING:
    from factmark.campaign_model import Annotator
    from factmark.people.changes.leaving import Departure

People = Annotated[list[str], typer.Argument(help="Their names, or codes as A2.")]


def add(
    ledger: options.CampaignLedger,
    annotators: Annotated[
        str, typer.Option(help="A file with the columns name and email, or names between commas.")
    ],
    campaign: options.Campaign = None,
    json: options.Json = False,
) -> None:
    """Add people to a campaign that is under way. Codes are never used twice."""
    from factmark.people.changes.dealing import add_annotators
    from factmark.text.shown_text import one_line

    known, new = add_annotators(ledger, campaign, annotators)
    where = ledger_argument(ledger, known.name)
    next_step = "Next: "
    if not known.queues:
        next_step += (
            f"`factmark annotate reassign {where}` deals them a share of what is not begun, "
        )
    next_step += f"`factmark annotate links {where}` has their links"
    show_deed(
        CommandOutcome(command="annotate add", subject=known.name, rows=_codes_and_names(new)),
        json=json,
        lines=[f"{person.code} {one_line(person.name)} is added." for person in new],
        next_step=next_step,
    )


def reassign(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    leaving: Annotated[
        list[str] | None,
        typer.Option("--from", help="Who does no more: what they have not done goes to others."),
    ] = None,
    to: Annotated[
        list[str] | None, typer.Option(help="Who may get more; everybody, where not given.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show who would have how much, and write nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Deal again what is not done, so that everybody has about as much left.

    What is begun stays where it is, but for people who withdrew or leave (`--from`). A document
    keeps as many raters as it had.
    """
    from factmark.people.changes import dealing
    from factmark.people.tables.work_tables import redeal_table
    from factmark.text.shown_text import count

    dealt = dealing.reassign(ledger, campaign, leaving=leaving or (), to=to or (), dry_run=dry_run)
    table = redeal_table(dealt)
    unfilled = sorted(set(dealt.deal.unfilled))
    problems = []
    if unfilled:
        many = count(len(unfilled), dealt.nouns[:-1], dealt.nouns)
        problems.append(
            f"too few raters for {many}: nobody is left who has not read them; `factmark "
            "annotate add` adds people"
        )
    next_step = ""
    if dry_run:
        next_step = "nothing was written (--dry-run)"
    elif dealt.deal.moved:
        next_step = (
            "Pages show it when they are opened anew; on Label Studio `factmark annotate push` does"
        )
    outcome = CommandOutcome(
        command="annotate reassign",
        subject=dealt.campaign.name,
        rows=tuple(table.rows()),
        details={"written": not dry_run, "moved": dealt.deal.moved, "unfilled": unfilled},
        problems=tuple(problems),
    )
    show_deed(outcome, json=json, tables=[table], next_step=next_step)


def adjudicate(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    apart: Annotated[
        float | None,
        typer.Option(
            "--adjudicate",
            min=1.0,
            help="From how many points apart on; as you told `create`, or two, where not given.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Who decides; of the annotators who have not rated it, where not given."),
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="Those who rated it decide together.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Have somebody decide where two ratings lie far apart, once people have rated.

    A third person, or those who rated together, get a link of their own to a page that shows the
    ratings and comments, not whose they are. Results tell each system before and after.
    """
    from factmark.errors import InputError
    from factmark.people.changes import adjudicating
    from factmark.text.shown_text import count, one_line

    if by and together:
        raise InputError("--by and --together exclude each other.")
    deciders = adjudicating.adjudicate(
        ledger, campaign, apart=apart, by=by or (), together=together
    )
    lines = [
        f"{count(deciders.disputed, 'row', 'rows')} with ratings {deciders.apart:g} or more apart, "
        f"{deciders.new} of them new on a list."
    ]
    lists = []
    for person, size in deciders.lists:
        name = deciders.campaign.called(person)
        lists.append({"code": person.code, "name": name, "tasks": size})
        lines.append(f"{person.code} {one_line(name)} {count(size, 'row', 'rows')}")
    problems = []
    if deciders.nobody:
        problems.append(
            f"{count(deciders.nobody, 'row is', 'rows are')} rated by all who could "
            "decide; say --together, or add somebody by `factmark annotate add`"
        )
    next_step = ""
    if lists:
        where = ledger_argument(ledger, deciders.campaign.name)
        next_step = f"Next: `factmark annotate links {where}` has the links of those who decide"
    outcome = CommandOutcome(
        command="annotate adjudicate",
        subject=deciders.campaign.name,
        rows=tuple(lists),
        details={key: getattr(deciders, key) for key in ("apart", "disputed", "new", "nobody")},
        problems=tuple(problems),
    )
    show_deed(outcome, json=json, lines=lines, next_step=next_step)


def withdraw(
    ledger: options.CampaignLedger,
    people: People,
    campaign: options.Campaign = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete what they answered; it cannot be undone.")
    ] = False,
    back: Annotated[
        bool, typer.Option("--back", help="Count it again, of who had withdrawn.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Leave out what people answered who withdraw from a campaign, or delete it.

    Nothing that reads the ledger counts it any more, and their links are void. What they were asked
    is missing until `factmark annotate reassign` deals it to others.
    """
    from factmark.errors import InputError
    from factmark.people.changes.leaving import come_back, leave_campaign

    if delete and back:
        raise InputError("--delete and --back exclude each other.")
    if back:
        left = come_back(ledger, campaign, people)
    else:
        left = leave_campaign(ledger, campaign, people, delete=delete)
    counts = {key: getattr(left, key) for key in ("answered", "open", "deleted")}
    outcome = CommandOutcome(
        command="annotate withdraw",
        subject=left.campaign,
        rows=_codes_and_names(left.people),
        details={"withdrawn": not back, **counts},
        problems=left.notes,
    )
    lines = _departure_lines(left, back=back)
    next_step = ""
    if not back:
        next_step = _after_departure(left, ledger)
    show_deed(outcome, json=json, lines=lines, next_step=next_step)


def forget(
    ledger: options.CampaignLedger,
    people: Annotated[list[str], typer.Argument(help="Their names.")],
    json: options.Json = False,
) -> None:
    """Take who people are out of a ledger: name, address, link, account on a server.

    A pseudonym takes the place of the name, in all campaigns of the ledger. What they answered
    stays; `factmark annotate withdraw --delete` deletes that.
    """
    from factmark.people.changes.leaving import forget_people

    names = forget_people(ledger, people)
    outcome = CommandOutcome(
        command="annotate forget",
        subject=str(ledger),
        rows=tuple({"alias": alias} for alias in names.values()),
        problems=(
            "copies of the ledger, results that were written with --names, the server and the "
            "browsers that they used are not touched; see docs/people.md, Privacy",
        ),
    )
    lines = [f"{name} is {alias} in {ledger} from now on." for name, alias in names.items()]
    next_step = (
        f"Next: `factmark annotate reassign {quote_path(ledger)}` deals what they left open to "
        "others"
    )
    show_deed(outcome, json=json, lines=lines, next_step=next_step)


def _codes_and_names(people: Iterable[Annotator]) -> tuple[dict[str, str], ...]:
    """Returns a row a person."""
    return tuple({"code": person.code, "name": person.name} for person in people)


def _departure_lines(left: Departure, *, back: bool) -> Iterator[str]:
    """Yields what became of the answers of people who leave, or come back."""
    from factmark.text.shown_text import count, one_line

    named = []
    for person in left.people:
        if person.decides:
            named.append(f"{person.code}, who decides")
        else:
            named.append(f"{one_line(person.name)} ({person.code})")
    who = ", ".join(named)
    answers = count(left.answered, "answer", "answers")
    if back:
        yield f"{who}: {answers} counted again; `factmark annotate links` has their new links."
    else:
        yield f"{who}: {answers} left out, {count(left.open, 'row was', 'rows were')} not answered."
    if left.deleted is not None:
        yield f"Deleted: {count(left.deleted, 'answer', 'answers')}, changes included."


def _after_departure(left: Departure, ledger: Path) -> str:
    """Returns what deals on what people were asked who leave; empty where nothing can."""
    if left.closed or not left.answered + left.open:
        return ""
    if left.queues:
        return "What they were asked waits in the queue again"
    how = "reassign"
    if all(person.decides for person in left.people):
        how = "adjudicate"
    where = ledger_argument(ledger, left.campaign)
    return f"Next: `factmark annotate {how} {where}` deals what they were asked to others"
