"""`factmark annotate import`: ratings that exist already, into a ledger."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from factmark.cli.console import print_json, print_table, say
from factmark.people.options import ImportOptions

if TYPE_CHECKING:
    from factmark.people.imports.campaigns import ImportedCampaign
    from factmark.people.imports.keeping import ImportTarget


def import_ratings(options: ImportOptions) -> None:
    """Bring in ratings that people gave elsewhere, so that `results`, `agree`, `compare` and `plan`
    read them.

    Each dimension becomes a closed campaign of one ledger. The import says what it took for
    what; where a file does not tell all, it says which --column would read it. The same file a
    second time changes nothing. Nothing is written where anything in the files is wrong.
    """
    from factmark.people.imports.keeping import ImportTarget, draft_imports, keep_imports
    from factmark.people.imports.rating_files import read_ratings

    notes: list[str] = []
    rows = read_ratings(options.files, options.column or (), options.encoding, notes.append)
    target = ImportTarget(
        ledger=options.ledger,
        name=" ".join((options.name or options.files[0].stem).split()),
        form=options.form or "",
        labels=options.labels,
        metric=options.scale or "",
    )
    campaigns = draft_imports(rows, target, notes.append)
    new = None if options.dry_run else keep_imports(campaigns, target, options.files)
    _show(campaigns, target, notes, new, json=options.json)


def _show(
    campaigns: Sequence[ImportedCampaign],
    target: ImportTarget,
    notes: Sequence[str],
    new: int | None,
    *,
    json: bool,
) -> None:
    """Prints the campaigns that were or would be imported, and what was taken for what."""
    from factmark.people.commands.create import ledger_argument
    from factmark.people.imports.import_table import import_table
    from factmark.text.shown_text import count

    names = [target.campaign_name(campaign.dimension) for campaign in campaigns]
    table = import_table(campaigns, names)
    if json:
        print_json(
            {
                "ledger": str(target.ledger),
                "written": new is not None,
                "new": new or 0,
                "campaigns": table.rows(),
                "notes": list(notes),
            }
        )
    else:
        print_table(table)
    for note in notes:
        say(f"note: {note}")
    if new is None:
        say("nothing was written (--dry-run)")
        return
    total = sum(len(campaign.ratings) for campaign in campaigns)
    results = f"`factmark annotate results {ledger_argument(target.ledger, names[0])}`"
    kind = shlex.quote(campaigns[0].form.kind)
    metric = "" if len(campaigns) == 1 else f" --metric {kind}"
    ledger = target.ledger
    many = count(total, "rating", "ratings")
    say(
        f"{new:,} of {many} are new in {ledger}. Next: {results}, "
        f"`factmark agree {ledger} --kind {kind}`, `factmark compare {ledger}{metric}`"
    )
