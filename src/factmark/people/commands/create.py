"""`factmark annotate create` and `close`: a campaign from files, and its end."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import print_json, print_table, say
from factmark.cli.unit_files import UnitFiles

if TYPE_CHECKING:
    from factmark.people.core.assign import Load
    from factmark.people.create import CampaignDraft

LEDGER = Path("campaign.db")


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions:
    """What the owner asks for."""

    files: UnitFiles = field(default_factory=UnitFiles)
    annotators: Annotated[
        str,
        typer.Option(help="A file with the columns name and email, or names between commas."),
    ] = ""
    ledger: Annotated[Path, typer.Option(help="Where the campaign is kept.")] = LEDGER
    form: Annotated[
        Literal["coarse", "fine", "support", "validity", "graphrag", "facts"],
        typer.Option(
            help="Summaries rated 0-5; each clause yes or no; claims by a passage; triples by an "
            "ontology; answers by a reference; facts marked in answers."
        ),
    ] = "coarse"
    name: Annotated[str, typer.Option(help="Of the campaign; the file's where not given.")] = ""
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Documents in a batch, 10; of units that stand alone 30."),
    ] = None
    overlap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of documents that several people rate; 0.2 where there are several.",
        ),
    ] = None
    raters: Annotated[int, typer.Option(min=2, help="How many rate such a document.")] = 2
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn and shuffled.")] = 0
    clauses: Annotated[
        float, typer.Option(help="For `fine`: the share of each summary's clauses to ask about.")
    ] = 1.0
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Ask about so many documents (or units), drawn at random."),
    ] = None
    systems: Annotated[
        str | None,
        typer.Option(help="Systems to take, between commas; else all columns with sentences."),
    ] = None
    source_column: Annotated[str, typer.Option("--source", help="The column with the source.")] = (
        "article"
    )
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column with the document's id.")
    ] = None
    summary_column: Annotated[
        str | None,
        typer.Option(help="The column with the summary, in a file with a row a summary."),
    ] = None
    sections_column: Annotated[
        str | None,
        typer.Option(
            "--sections",
            help="The column with the names of the source's sections; `section_names`.",
        ),
    ] = None
    sheet: Annotated[
        Path | None, typer.Option(help="Units to ask about, as `factmark plan --sheet` wrote it.")
    ] = None
    guidelines: Annotated[
        Path | None, typer.Option(help="Your own guidelines, as Markdown, in place of ours.")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be made, and write nothing.")
    ] = False
    json: options.Json = False


def create(protocol_of: ProtocolOf, options: CampaignOptions) -> None:
    """Make a campaign: who is asked what, in which order, with texts that do not tell their author.

    Nothing is written where anything in the files is wrong.
    """
    from factmark.people.core.assign import loads
    from factmark.people.core.forms import form_named
    from factmark.people.create import draft_campaign, keep_campaign

    draft = draft_campaign(options, protocol_of)
    asked = loads(form_named(options.form), draft.campaign.annotators, draft.assignments)
    if not options.dry_run:
        keep_campaign(draft, options.ledger)
    if options.json:
        print_json(_as_json(draft, asked, options))
    else:
        _print_draft(draft, asked)
    for note in draft.notes:
        say(f"note: {note}")
    if options.dry_run:
        say("nothing was written (--dry-run)")
    else:
        where = _named(options.ledger, draft.campaign.name)
        say(
            f"made the campaign {draft.campaign.name!r} in {options.ledger}. Next: `factmark "
            f"annotate push {where}` to a Label Studio server, or `factmark annotate serve {where}`"
        )


def _named(path: Path, campaign: str) -> str:
    """The ledger as commands take it, with the campaign where it has others too."""
    from factmark.ledger.campaigns import campaigns_of
    from factmark.ledger.ledger import Ledger

    with Ledger(path) as ledger:
        alone = len(campaigns_of(ledger)) == 1
    return f"{path}" if alone else f"{path} --campaign {shlex.quote(campaign)}"


def close(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again.")] = False,
) -> None:
    """Close a campaign: its page takes no more answers. Or open it again."""
    from factmark.ledger.campaigns import campaign_named, close_campaign
    from factmark.ledger.ledger import open_existing

    with open_existing(ledger) as opened:
        known = campaign_named(opened, campaign)
        if bool(known.closed) != reopen:
            since = f" since {known.closed}" if known.closed else ""
            say(f"the campaign {known.name!r} is {'closed' if known.closed else 'open'}{since}")
            return
        close_campaign(opened, known, closed=not reopen)
    say(f"{'opened' if reopen else 'closed'} the campaign {known.name!r}")


def _print_draft(draft: CampaignDraft, asked: tuple[Load, ...]) -> None:
    from factmark.people.core.assign import loads_table
    from factmark.people.core.forms import form_named
    from factmark.people.core.tells import blinding_table, tells_notes
    from factmark.tables.shown_text import count

    campaign = draft.campaign
    settings: dict[str, Any] = dict(campaign.settings)
    kind = form_named(campaign.form).kind
    title = (
        f"{campaign.name}: {settings['asked']} of {settings['units']} units of the kind {kind}, "
        f"{count(len(campaign.annotators), 'annotator', 'annotators')}"
    )
    print_table(loads_table(asked, title=title))
    if settings["blinding"]:
        notes = tells_notes(settings["tells"], settings["documents"])
        print_table(blinding_table(settings["blinding"], notes))


def _as_json(
    draft: CampaignDraft, asked: tuple[Load, ...], options: CampaignOptions
) -> dict[str, object]:
    from factmark.people.core.assign import loads_table

    return {
        "campaign": draft.campaign.name,
        "form": draft.campaign.form,
        "ledger": str(options.ledger),
        "written": not options.dry_run,
        "annotators": loads_table(asked, title="").rows(),
        "settings": dict(draft.campaign.settings),
        "notes": list(draft.notes),
    }
