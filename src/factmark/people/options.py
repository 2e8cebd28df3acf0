"""The options of `factmark annotate ...`, a record a command."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.cli.unit_files import UnitFiles
from factmark.people.crowd.options import CrowdOptions

if TYPE_CHECKING:
    from factmark.ask.judges.recipe import Recipe

LEDGER = Path("campaign.db")


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions:
    """The options of `factmark annotate create`."""

    files: UnitFiles = field(default_factory=UnitFiles)
    annotators: Annotated[
        str, typer.Option(help="A file with the columns name and email, or names between commas.")
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
    title: Annotated[
        str,
        typer.Option(
            help="What annotators see it called; the form's title and a mark where not given, so "
            "that nobody takes one campaign for another."
        ),
    ] = ""
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Documents in a batch, 10; of units that stand alone 30."),
    ] = None
    deal: Annotated[
        Literal["lists", "queue"],
        typer.Option(
            help="A list for each annotator, or one queue, from which whoever is done draws the "
            "next document on the page of `serve`."
        ),
    ] = "lists"
    overlap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of documents that several people rate; 0.2 where there are several.",
        ),
    ] = None
    raters: Annotated[int, typer.Option(min=2, help="How many rate such a document.")] = 2
    adjudicate: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            help="Where two ratings differ by so many points, or more, somebody is to decide: "
            "results tell how many wait for `factmark annotate adjudicate`.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn and shuffled.")] = 0
    clauses: Annotated[
        float, typer.Option(help="For `fine`: the share of each summary's clauses to ask about.")
    ] = 1.0
    linker: Annotated[
        str,
        typer.Option(
            help="What finds the likely sentences of the source (`fine` marks them, the page of "
            "`coarse` goes to them): words, model2vec:FOLDER, nli:FOLDER, or module:function."
        ),
    ] = "words"
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
    training: Annotated[
        Path | None,
        typer.Option(
            help="Units to practise on first (source, summary, label, why): the right answer is "
            "shown after each; in no result."
        ),
    ] = None
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Units with a known answer (source, summary, label), among everybody's; in no "
            "result, `status` says who got them right."
        ),
    ] = None
    check: Annotated[
        Path | None,
        typer.Option(
            help="Questions on the guidelines (question, options, label, why), before the start."
        ),
    ] = None
    guidelines: Annotated[
        Path | None, typer.Option(help="Your own guidelines, as Markdown, in place of ours.")
    ] = None
    platform: CrowdOptions = field(default_factory=CrowdOptions)
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be made, and write nothing.")
    ] = False
    json: options.Json = False
    show_all: options.ShowAll = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The options of `factmark annotate import`."""

    files: Annotated[
        list[Path],
        typer.Argument(
            help="Tables of ratings (.csv, .tsv, .jsonl, .json, .parquet, .xlsx), exports of tools "
            "such as Label Studio, Argilla, Prolific or Google Forms, or a benchmark's file as "
            "published; of a file a rater all of them, or their folder."
        ),
    ]
    ledger: Annotated[Path, typer.Option(help="Where they are kept, new or existing.")] = LEDGER
    name: Annotated[
        str, typer.Option(help="Of the campaign; the first file's where not given.")
    ] = ""
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="ROLE=COLUMN, again for each: document, topic, system, annotator, label "
            "(several, see --siblings), dimension, summary, source, sentence, place, comment, "
            "seconds, time; ratings, for lists of them; FILE is the file's name, and none says "
            "that no column holds it. By names and rows, where not given."
        ),
    ] = None
    siblings: Annotated[
        str,
        typer.Option(
            help="What the names of ratings side by side tell: annotator, dimension, system, or "
            "their parts in order, as document/system of the questions of a form."
        ),
    ] = ""
    rows: options.RowsPath = ""
    mapping: options.Mapping = None
    write_mapping: Annotated[
        Path | None, typer.Option(help="Write how the files are read to a file for --mapping.")
    ] = None
    labels: Annotated[
        str,
        typer.Option(
            help="The scale: 0-5; or labels in words from the least, poor,fair,good; or with their "
            "values, no=0,yes=1. The labels that were given, where not given."
        ),
    ] = ""
    scale: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(
            help="How far apart labels are, for agreement. Not given: ordinal for steps such as 1 "
            "to 5, interval for other numbers, nominal for yes and no."
        ),
    ] = None
    form: Annotated[
        Literal["coarse", "fine"] | None,
        typer.Option(help="Where they were given by LongEval's guidelines, 0 to 5 or by clause."),
    ] = None
    encoding: Annotated[str, typer.Option(help="Of the files.")] = "utf-8"
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what was found, and write nothing.")
    ] = False
    json: options.Json = False
    show_all: options.ShowAll = False


BehindProxy = Annotated[
    bool, typer.Option("--behind-proxy", help="A proxy speaks TLS, at the address of --base-url.")
]


Insecure = Annotated[
    bool, typer.Option("--insecure", help="Without TLS on a network where you trust everybody.")
]


Host = Annotated[str, typer.Option(help="The address to listen on.")]


BaseUrl = Annotated[
    str, typer.Option(help="What annotators' links begin with, as https://rate.example.org/one.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of `factmark annotate serve`."""

    ledger: options.CampaignLedger
    campaign: options.Campaign = None
    host: Host = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = (
        8077
    )
    base_url: BaseUrl = ""
    certfile: Annotated[Path | None, typer.Option(help="A certificate (PEM), to speak TLS.")] = None
    keyfile: Annotated[Path | None, typer.Option(help="The certificate's key (PEM).")] = None
    behind_proxy: BehindProxy = False
    insecure: Insecure = False


Url = Annotated[
    str | None,
    typer.Option(help="The Label Studio server; the one that it was pushed to where not given."),
]


TokenEnv = Annotated[
    str, typer.Option(help="The environment variable that holds a token of the server's.")
]


Who = Annotated[
    list[str] | None,
    typer.Option(help="Who an annotator is on the server: 'Ada=ada@example.org'; repeatable."),
]


TOKEN_ENV = "LABEL_STUDIO_API_KEY"  # noqa: S105  # the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class PullOptions:
    """The options of `factmark annotate pull`."""

    ledger: options.CampaignLedger
    url: Url = None
    token_env: TokenEnv = TOKEN_ENV
    campaign: options.Campaign = None
    who: Who = None
    watch: Annotated[
        float | None,
        typer.Option(min=1.0, help="Pull every so many seconds until all is done or Ctrl-C."),
    ] = None
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsOptions:
    """The options of `factmark annotate results`."""

    ledgers: Annotated[
        list[Path],
        typer.Argument(help="The campaign's ledger; several, to read them as one study."),
    ]
    campaign: Annotated[
        list[str] | None,
        typer.Option(
            help="The campaign's name, where the ledger has several; again for each, to read them "
            "as one study. Not given: the only one, or all dimensions of an import."
        ),
    ] = None
    out: options.Out = None
    names: Annotated[
        bool, typer.Option("--names", help="Call annotators by their names, not by codes.")
    ] = False
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A rule or model to set beside people: its name or the beginning of its id; again "
            "for each. All that judged such units, where none is given."
        ),
    ] = None
    level: options.Level = 0.95
    target: options.Target = "process"
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    json: options.Json = False
    show_all: options.ShowAll = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The options of `factmark annotate judge`."""

    ledger: options.CampaignLedger
    model: Annotated[str, typer.Option(help=f"Who judges: {options.MODELS}, {options.OWN}.")]
    campaign: options.Campaign = None
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: options.Reparse = False
    seed: Annotated[int, typer.Option(min=0, help="Of the model.")] = 0
    shard: options.ShardName = ""
    engine: options.EngineName = ""
    out: options.Out = None
    json: options.Json = False
    show_all: options.ShowAll = False

    def recipe(self) -> Recipe:
        """Returns the recipe of the judge.

        Raises:
            InputError: it cannot be loaded, its name cannot be read, or its key is missing.
        """
        from factmark.cli.judge_recipes import recipe_of

        many = {"batch": self.batch, "samples": self.samples}
        asking = replace(self.asking, seed=self.seed)
        return recipe_of("campaign", self.model, asking, option="--model", parameters=many)
