"""`factmark annotate import`: ratings that exist already, into a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factmark.cli.console import say
from factmark.cli.showing import show_outcome, show_tables
from factmark.people.options import ImportOptions
from factmark.text.shell import quote, quote_path

if TYPE_CHECKING:
    from pathlib import Path

    from factmark.intake.mapping import TableMapping
    from factmark.people.imports.campaigns import ImportedCampaign
    from factmark.people.imports.keeping import ImportTarget


def import_ratings(options: ImportOptions) -> None:
    """Bring in ratings that people gave elsewhere, so that `results`, `agree`, `compare` and `plan`
    read them.

    Each dimension becomes a closed campaign of one ledger. The import says what it took for
    what; where a file does not tell all, it says which option would read it. The same file a
    second time changes nothing. Nothing is written where anything in the files is wrong.
    """
    from factmark.files.overwriting import check_outputs
    from factmark.people.imports.keeping import ImportTarget, draft_imports, keep_imports
    from factmark.people.imports.rating_files import GivenColumns, read_ratings

    notes: list[str] = []
    given = GivenColumns(
        columns=options.column or (),
        siblings=options.siblings,
        mapping=options.mapping,
        rows=options.rows,
    )
    read = read_ratings(options.files, given, options.encoding, notes.append)
    target = ImportTarget(
        ledger=options.ledger,
        name=" ".join((options.name or options.files[0].stem).split()),
        form=options.form or "",
        labels=options.labels,
        metric=options.scale or "",
    )
    campaigns = draft_imports(read.rows, target, notes.append)
    if options.write_mapping is not None:
        check_outputs(
            [("--write-mapping", options.write_mapping)],
            [("the ratings", path) for path in options.files],
        )
        _write_mapping(options.write_mapping, read.mappings)
    new = None
    if not options.dry_run:
        new = keep_imports(campaigns, target, options.files, read.mappings)
    _show(campaigns, target, notes, new, options)


def _write_mapping(path: Path, mappings: Sequence[TableMapping]) -> None:
    """Writes how the files were read.

    Raises:
        InputError: they are several tables, of which each has a mapping.
    """
    from factmark.errors import InputError
    from factmark.files.text_files import write_text

    if len(mappings) > 1:
        raise InputError("--write-mapping: the files are several tables; import them one by one.")
    write_text(path, mappings[0].as_toml())


def _show(
    campaigns: Sequence[ImportedCampaign],
    target: ImportTarget,
    notes: Sequence[str],
    new: int | None,
    options: ImportOptions,
) -> None:
    """Prints the campaigns that were or would be imported, and what was taken for what."""
    from factmark.people.imports.import_table import import_table
    from factmark.report.envelope import CommandOutcome
    from factmark.report.sentence import FirstSentence

    names = [target.campaign_name(campaign.dimension) for campaign in campaigns]
    table = import_table(campaigns, names)
    if options.json:
        outcome = CommandOutcome(
            command="annotate import",
            subject=target.name,
            rows=tuple(table.rows()),
            details={
                "ledger": str(target.ledger),
                "written": new is not None,
                "new": new or 0,
            },
            problems=tuple(notes),
        )
        show_outcome(outcome)
        return
    next_step = ""
    if new is not None:
        next_step = _next_step(campaigns, target)
    sentence = FirstSentence(sentence=_import_in_words(campaigns, target, new))
    more = "All lines, with their notes: --all."
    show_tables(sentence, [table], next_step=next_step, show_all=options.show_all, more=more)
    for note in notes:
        say(f"note: {note}")


def _import_in_words(
    campaigns: Sequence[ImportedCampaign], target: ImportTarget, new: int | None
) -> str:
    """Returns in a sentence how many ratings were read, and how many of them are new."""
    from factmark.text.shown_text import count

    ratings = count(sum(len(campaign.ratings) for campaign in campaigns), "rating", "ratings")
    people = count(len({name for c in campaigns for name in c.people}), "person", "people")
    by = f"by {people} in {count(len(campaigns), 'dimension', 'dimensions')}"
    if new is None:
        return f"{ratings} {by}; nothing was written (--dry-run)."
    return f"{new:,} of {ratings} {by} are new in {target.ledger}."


def _next_step(campaigns: Sequence[ImportedCampaign], target: ImportTarget) -> str:
    """Returns the commands that read what was imported."""
    from factmark.people.commands.create import ledger_argument

    where = ledger_argument(target.ledger, target.name, alone=len(campaigns))
    ledger = quote_path(target.ledger)
    kind = quote(campaigns[0].form.kind)
    compare = ledger
    if len(campaigns) > 1:
        compare += f" --metric {kind}"
    return (
        f"Next: `factmark annotate results {where}`, `factmark agree {ledger} --kind "
        f"{kind}`, `factmark compare {compare}`"
    )
