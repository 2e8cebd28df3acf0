"""`factmark annotate create` and `close`: a campaign from files, and its end."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_table, say

if TYPE_CHECKING:
    from factmark.answers.core.records import Question
    from factmark.people.core.assign import Load
    from factmark.people.create import CampaignDraft

LEDGER = Path("campaign.db")


class FormName(StrEnum):
    """What people are asked."""

    COARSE = "coarse"
    FINE = "fine"
    SUPPORT = "support"
    VALIDITY = "validity"
    GRAPHRAG = "graphrag"
    FACTS = "facts"


def create(
    source: Annotated[
        Path | None,
        typer.Argument(
            help="Summaries (.jsonl, .csv, .tsv, .parquet), triples, or answers; for `support`, "
            "`validity` and `graphrag` none, where the ledger has the units."
        ),
    ] = None,
    annotators: Annotated[
        str,
        typer.Option(help="A file with the columns name and email, or names between commas."),
    ] = "",
    ledger: Annotated[Path, typer.Option(help="Where the campaign is kept.")] = LEDGER,
    form: Annotated[
        FormName,
        typer.Option(
            help="Summaries rated 0-5; each clause yes or no; claims by a passage; triples by an "
            "ontology; answers by a reference; facts marked in answers."
        ),
    ] = FormName.COARSE,
    name: Annotated[str, typer.Option(help="Of the campaign; the file's where not given.")] = "",
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Documents in a batch, 10; of units that stand alone 30."),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of documents that several people rate; 0.2 where there are several.",
        ),
    ] = None,
    raters: Annotated[int, typer.Option(min=2, help="How many rate such a document.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn and shuffled.")] = 0,
    clauses: Annotated[
        float, typer.Option(help="For `fine`: the share of each summary's clauses to ask about.")
    ] = 1.0,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Ask about so many documents (or units), drawn at random."),
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(help="Systems to take, between commas; else all columns with sentences."),
    ] = None,
    source_column: Annotated[
        str, typer.Option("--source", help="The column with the source.")
    ] = "article",
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column with the document's id.")
    ] = None,
    system_column: Annotated[
        str | None, typer.Option(help="The column with the system, in a file with a row a summary.")
    ] = None,
    summary_column: Annotated[
        str | None, typer.Option(help="The column with the summary, in such a file.")
    ] = None,
    passages: Annotated[
        Path | None, typer.Option(help="Passages of triples, with id and text.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Units to ask about, as `factmark plan --sheet` wrote it.")
    ] = None,
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="A folder with UMLS's RRF files, or an RDF or OBO file; the bundled one."
        ),
    ] = None,
    benchmark: options.Benchmark = "ehds",
    store: options.Store = None,
    endpoint: options.Endpoint = None,
    timeout: options.Timeout = 60.0,
    guidelines: Annotated[
        Path | None, typer.Option(help="Your own guidelines, as Markdown, in place of ours.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of the source's file.")] = "utf-8",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be made, and write nothing.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a campaign: who is asked what, in which order, with texts that do not tell their author.

    Nothing is written where anything in the files is wrong.
    """
    from factmark.errors import InputError
    from factmark.people.core.assign import loads
    from factmark.people.core.forms import form_named
    from factmark.people.create import CampaignOptions, draft_campaign, keep_campaign
    from factmark.people.reading import SummaryColumns, read_people

    if not annotators:
        raise InputError("Name who is asked with --annotators: a file, or names between commas.")
    told: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    known = benchmark
    if form == FormName.FACTS and source is not None:
        questions, told, known = _questions(benchmark, store, endpoint, timeout)
    chosen = CampaignOptions(
        form=form_named(form.value),
        people=read_people(annotators),
        ledger=ledger,
        source=source,
        name=name,
        seed=seed,
        overlap=overlap,
        raters=raters,
        batch=batch,
        clauses=clauses,
        sample=sample,
        columns=SummaryColumns(
            source=source_column,
            id=id_column,
            systems=tuple(one.strip() for one in systems.split(",")) if systems else (),
            system=system_column,
            summary=summary_column,
        ),
        passages=passages,
        sheet=sheet,
        ontology=ontology,
        benchmark=known,
        questions=questions,
        guidelines=guidelines,
        encoding=encoding,
    )
    draft = draft_campaign(chosen)
    asked = loads(chosen.form, draft.campaign.annotators, draft.assignments)
    if not dry_run:
        keep_campaign(draft, ledger)
    if json:
        print_json(_as_json(draft, asked, ledger, kept=not dry_run))
    else:
        _tell(draft, asked)
    for note in (*told, *draft.notes):
        say(f"note: {note}")
    if dry_run:
        say("nothing was written (--dry-run)")
    else:
        say(
            f"made the campaign {draft.campaign.name!r} in {ledger}. Next: `factmark annotate push "
            f"{ledger}` to a Label Studio server, or `factmark annotate serve {ledger}`"
        )


def close(
    ledger: options.CampaignLedger,
    campaign: options.Campaign = None,
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again.")] = False,
) -> None:
    """Close a campaign: its page takes no more answers. Or open it again."""
    from factmark.ledger.campaigns import campaign_named, close_campaign
    from factmark.ledger.ledger import open_existing

    with open_existing(ledger) as opened:
        found = campaign_named(opened, campaign)
        if bool(found.closed) != reopen:
            since = f" since {found.closed}" if found.closed else ""
            say(f"the campaign {found.name!r} is {'closed' if found.closed else 'open'}{since}")
            return
        close_campaign(opened, found, closed=not reopen)
    say(f"{'opened' if reopen else 'closed'} the campaign {found.name!r}")


def _questions(
    benchmark: str, store: Path | None, endpoint: str | None, timeout: float
) -> tuple[tuple[Question, ...], tuple[str, ...], str]:
    """The questions with their ground truth, what was told of them, and the benchmark's name."""
    from factmark.answers.derive import ground_truths
    from factmark.answers.options import Reach

    reach = Reach(benchmark=benchmark, store=store, endpoint=endpoint, timeout=timeout)
    truth = asyncio.run(ground_truths(reach))
    return truth.questions, truth.problems, truth.benchmark


def _tell(draft: CampaignDraft, asked: tuple[Load, ...]) -> None:
    from factmark.people.core.forms import form_named
    from factmark.people.report.progress_tables import blinding_table, lengths_table, loads_table
    from factmark.tables.shown_text import count

    campaign, settings = draft.campaign, draft.campaign.settings
    people = len(campaign.annotators)
    kind = form_named(campaign.form).kind
    title = (
        f"{campaign.name}: {settings['asked']} of {settings['units']} units of the kind {kind}, "
        f"{count(people, 'annotator', 'annotators')}"
    )
    print_table(loads_table(asked, title=title))
    blinding = draft.material.blinding
    if blinding:
        print_table(blinding_table(blinding))
    if draft.material.texts:
        print_table(lengths_table(settings["lengths"], settings["tells"]))  # type: ignore[arg-type]  # as `owners_settings` made them


def _as_json(
    draft: CampaignDraft, asked: tuple[Load, ...], ledger: Path, *, kept: bool
) -> dict[str, object]:
    campaign = draft.campaign
    return {
        "campaign": campaign.name,
        "form": campaign.form,
        "ledger": str(ledger),
        "written": kept,
        "annotators": [
            {
                "code": one.annotator.code, "name": one.annotator.name,
                "documents": one.documents, "rows": one.rows, "shared": one.shared,
                "batches": one.batches, "hours": one.minutes / 60,
            }
            for one in asked
        ],
        "settings": dict(campaign.settings),
        "notes": list(draft.notes),
    }  # fmt: skip
