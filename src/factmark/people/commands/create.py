"""`factmark annotate create` and `close`: a campaign from files, and its end."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import say
from factmark.cli.showing import show_outcome, show_tables
from factmark.people.options import CampaignOptions

if TYPE_CHECKING:
    from factmark.campaign_model import Campaign
    from factmark.people.create import CampaignDraft
    from factmark.report.envelope import CommandOutcome
    from factmark.report.layouts import DataTable


def create(protocol_of: ProtocolOf, options: CampaignOptions) -> None:
    """Make a campaign: who is asked what, in which order, with texts that do not tell their author.

    Nothing is written where anything in the files is wrong.
    """
    from factmark.people.core.assign import annotator_loads
    from factmark.people.core.forms import form_named
    from factmark.people.create import draft_campaign, keep_campaign
    from factmark.people.tables.work_tables import loads_table

    draft = draft_campaign(options, protocol_of)
    asked = annotator_loads(form_named(options.form), draft.campaign.annotators, draft.assignments)
    before = _readers(options.ledger)
    next_step = "Nothing was written (--dry-run)."
    notes = list(draft.notes)
    if not options.dry_run:
        keep_campaign(draft, options.ledger)
        next_step = _next_step(draft, options.ledger)
        after = _readers(options.ledger)
        if before and not after:
            notes.append(
                f"{options.ledger} now holds people's names; only this account may read it"
            )
        elif after:
            notes.append(f"other accounts may read {options.ledger}, which holds people's names")
    loads = loads_table(asked, title="Who is asked how much")
    if options.json:
        show_outcome(_outcome(draft, loads.rows(), options, notes))
        say(next_step)
    else:
        sentence = _draft_in_words(draft, options)
        _show_draft(draft, sentence, loads, next_step, notes, show_all=options.show_all)


def _next_step(draft: CampaignDraft, ledger: Path) -> str:
    """Returns how people come to answer a campaign that was just made."""
    where = ledger_argument(ledger, draft.campaign.name)
    serve = f"`factmark annotate serve {where}`"
    if draft.queue:  # which Label Studio has not
        return f"Next: {serve}"
    return f"Next: {serve}, or `factmark annotate push {where}` to a Label Studio server"


def _readers(path: Path) -> bool:
    """Whether other accounts may read a file that is there."""
    return os.name == "posix" and path.is_file() and bool(path.stat().st_mode & 0o044)


def ledger_argument(path: Path, campaign: str, alone: int = 1) -> str:
    """Returns how a command names the ledger: its path, with `--campaign` where it holds more
    campaigns than these `alone`."""
    from factmark.ledger.campaigns import campaign_argument
    from factmark.ledger.ledger import Ledger

    with Ledger(path) as ledger:
        return campaign_argument(ledger, campaign, alone)


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
            since = ""
            if known.closed:
                since = f" since {known.closed}"
            say(f"the campaign {known.name!r} is {'closed' if known.closed else 'open'}{since}")
            return
        close_campaign(opened, known, closed=not reopen)
    say(f"{'opened' if reopen else 'closed'} the campaign {known.name!r}")


def _show_draft(
    draft: CampaignDraft,
    sentence: str,
    loads: DataTable,
    next_step: str,
    notes: Sequence[str],
    *,
    show_all: bool,
) -> None:
    """Prints who is asked how much, and whether texts tell their author; with `show_all` what was
    changed so that they do not."""
    from factmark.people.tables.work_tables import blinding_table, tells_notes
    from factmark.report.sentence import FirstSentence

    settings: dict[str, Any] = dict(draft.campaign.settings)
    tables = []
    cautions = []
    if not draft.queue:
        tables.append(loads)
    if settings["blinding"]:
        cautions = tells_notes(settings["tells"], settings["documents"])
        tables.append(blinding_table(settings["blinding"]))
    beginning = FirstSentence(sentence=sentence, cautions=tuple(cautions[:3]))
    show_tables(
        beginning,
        tables,
        next_step=next_step,
        problems=[*cautions, *notes],
        show_all=show_all,
        more="What was changed so that texts do not tell their author: --all.",
    )


def _draft_in_words(draft: CampaignDraft, options: CampaignOptions) -> str:
    """Returns in a sentence what was made, and what people are asked."""
    from factmark.people.core.forms import form_named
    from factmark.text.shown_text import count, one_line

    campaign = draft.campaign
    kind = form_named(draft.campaign.form).kind
    settings = campaign.settings
    verb = "Made"
    if options.dry_run:
        verb = "Would make"
    sentence = (
        f"{verb} the campaign {one_line(campaign.name)!r} in {options.ledger}: "
        f"{settings['asked']} of {settings['units']} units of the kind {kind}, "
        f"{_people_in_words(campaign)}"
    )
    if draft.queue:
        drawn = {row.document for row in draft.queue}
        again = set()
        for row in draft.queue:
            if row.raters > 1:
                again.add(row.document)
        documents = count(len(drawn), "document", "documents")
        sentence += f"; a queue of {documents}, {len(again)} of them for several"
    return f"{sentence}."


def _people_in_words(campaign: Campaign) -> str:
    """Returns how many are asked, or where a crowd comes from and by which rule it is screened."""
    from factmark.people.crowd.options import crowd_of
    from factmark.text.shown_text import count

    crowd = crowd_of(campaign)
    if crowd is None:
        return count(len(campaign.annotators), "annotator", "annotators")
    most = campaign.settings["per_person"]
    return f"people from {crowd.site.title}, up to {most} documents or single units each"


def _outcome(
    draft: CampaignDraft,
    annotators: Sequence[Mapping[str, Any]],
    options: CampaignOptions,
    notes: Sequence[str],
) -> CommandOutcome:
    """Returns a draft as `create --json` prints it: a row an annotator."""
    from factmark.report.envelope import CommandOutcome

    return CommandOutcome(
        command="annotate create",
        subject=draft.campaign.name,
        rows=tuple(annotators),
        details={
            "form": draft.campaign.form,
            "ledger": str(options.ledger),
            "written": not options.dry_run,
            "queue": [row.document for row in draft.queue],
            "settings": dict(draft.campaign.settings),
        },
        problems=tuple(notes),
    )
