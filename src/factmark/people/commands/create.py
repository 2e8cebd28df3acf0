"""`factmark annotate create` and `close`: a campaign from files, and its end."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import print_json, print_line, print_table, say
from factmark.people.options import CampaignOptions

if TYPE_CHECKING:
    from factmark.people.core.assign import Load
    from factmark.people.create import CampaignDraft


def create(protocol_of: ProtocolOf, options: CampaignOptions) -> None:
    """Make a campaign: who is asked what, in which order, with texts that do not tell their author.

    Nothing is written where anything in the files is wrong.
    """
    from factmark.people.core.assign import annotator_loads
    from factmark.people.core.forms import form_named
    from factmark.people.create import draft_campaign, keep_campaign

    draft = draft_campaign(options, protocol_of)
    asked = annotator_loads(form_named(options.form), draft.campaign.annotators, draft.assignments)
    before = _readers(options.ledger)
    if not options.dry_run:
        keep_campaign(draft, options.ledger)
    after = _readers(options.ledger)
    if options.json:
        print_json(_draft_json(draft, asked, options))
    else:
        _print_draft(draft, asked)
    for note in draft.notes:
        say(f"note: {note}")
    if options.dry_run:
        say("nothing was written (--dry-run)")
    else:
        if before and not after:
            say(f"note: {options.ledger} now holds people's names; only this account may read it")
        elif after:
            say(f"note: other accounts may read {options.ledger}, which holds people's names")
        where = ledger_argument(options.ledger, draft.campaign.name)
        serve = f"`factmark annotate serve {where}`"
        push = f"`factmark annotate push {where}` to a Label Studio server"
        ways = serve if draft.queue else f"{push}, or {serve}"
        say(f"made the campaign {draft.campaign.name!r} in {options.ledger}. Next: {ways}")


def _readers(path: Path) -> bool:
    """Whether other accounts may read a file that is there."""
    return os.name == "posix" and path.is_file() and bool(path.stat().st_mode & 0o044)


def ledger_argument(path: Path, campaign: str) -> str:
    """Returns how a command names the ledger: its path, with `--campaign` where it
    holds several."""
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
    """Prints who is asked how much, and what was changed so that texts do not tell their author."""
    from factmark.people.core.forms import form_named
    from factmark.people.progress_tables import blinding_table, loads_table, tells_notes
    from factmark.text.shown_text import count

    campaign = draft.campaign
    settings: dict[str, Any] = dict(campaign.settings)
    kind = form_named(campaign.form).kind
    title = (
        f"{campaign.name}: {settings['asked']} of {settings['units']} units of the kind {kind}, "
        f"{count(len(campaign.annotators), 'annotator', 'annotators')}"
    )
    if draft.queue:
        drawn = {row.document for row in draft.queue}
        again = {row.document for row in draft.queue if row.raters > 1}
        print_line(
            f"{title}; a queue of {count(len(drawn), 'document', 'documents')}, {len(again)} of "
            "them for several"
        )
    else:
        print_table(loads_table(asked, title=title))
    if settings["blinding"]:
        notes = tells_notes(settings["tells"], settings["documents"])
        print_table(blinding_table(settings["blinding"], notes))


def _draft_json(
    draft: CampaignDraft, asked: tuple[Load, ...], options: CampaignOptions
) -> dict[str, object]:
    """Returns a draft as `create --json` prints it."""
    from factmark.people.progress_tables import loads_table

    return {
        "campaign": draft.campaign.name,
        "form": draft.campaign.form,
        "ledger": str(options.ledger),
        "written": not options.dry_run,
        "annotators": loads_table(asked, title="").rows(),
        "queue": [row.document for row in draft.queue],
        "settings": dict(draft.campaign.settings),
        "notes": list(draft.notes),
    }
