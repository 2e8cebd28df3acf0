"""The options of `factmark claims judge`, for the command line and for Python."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import options
from factmark.cli.asking import Asking

if TYPE_CHECKING:
    from factmark.ask.budget import Budget
    from factmark.ask.client import ChatClient
    from factmark.ask.judges.own_judge import OwnJudge

LEDGER = Path("factmark.db")  # where a model's verdicts go when no place is named
SENTENCES = "sentences"  # what --split names that is no model


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsOptions:
    """The options of `factmark claims judge`: which claims, by what evidence, by whom."""

    claims: Annotated[
        Path,
        typer.Argument(
            help="Claims or responses: .csv, .tsv, .jsonl, .json, .parquet or .arrow; a folder of "
            "results of `score`; a ledger with a campaign of summaries."
        ),
    ]
    passages: Annotated[
        Path | None, typer.Option(help="Passages with id and text, where claims name them by id.")
    ] = None
    corpus: Annotated[
        Path | None,
        typer.Option(
            help="Where evidence is looked for, for claims that bring none: an index folder, or a "
            "file of passages."
        ),
    ] = None
    k: Annotated[int, typer.Option(min=1, help="Passages of the corpus for each claim.")] = 5
    embedder: Annotated[
        str, typer.Option(help="How the corpus's index folder is searched: as it was built.")
    ] = "lexical"
    split: Annotated[
        str,
        typer.Option(
            help="Cuts responses into claims: a model, asked as FActScore does; `sentences` takes "
            "each sentence as it is."
        ),
    ] = ""
    split_base_url: Annotated[
        str | None, typer.Option(help="The splitting model's server; else as --base-url.")
    ] = None
    mode: Annotated[
        Literal["context", "general"],
        typer.Option(help="By the evidence alone; with what is generally true."),
    ] = "context"
    judge: Annotated[str, typer.Option(help=f"Who judges: {options.JUDGES}.")] = "rules"
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
    ] = False
    limit: Annotated[
        int | None, typer.Option(min=1, help="Judge a random sample of so many rows.")
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the models.")] = 0
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="FIELD=NAME: which column holds a field; NAME may be a path into nested rows: "
            "claim=facts.text. May be repeated."
        ),
    ] = None
    encoding: Annotated[str, typer.Option(help="Of the claims and passages.")] = "utf-8"
    ledger: options.Ledger = None
    out: options.Out = None
    level: options.Level = 0.95
    json: options.Json = False

    @property
    def by_rules(self) -> bool:
        """Whether the built-in rules judge."""
        return self.judge == "rules"

    @property
    def split_by_model(self) -> bool:
        """Whether a model cuts responses into claims."""
        return self.split not in ("", SENTENCES)

    @property
    def own_judge(self) -> OwnJudge | None:
        """The judge in this process, a function or weights of the user's; None for others.

        Raises:
            InputError: as `load_function` and `read_nli_folder`.
        """
        from factmark.ask.judges.own_judge import own_judge

        return own_judge("--judge", self.judge)

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None if none is kept, as for rules unless a place is named."""
        unnamed = None if self.by_rules and not self.split_by_model else LEDGER
        return self.ledger or (self.out / "ledger.db" if self.out else unnamed)

    @property
    def columns(self) -> dict[str, str]:
        """Field -> column, as --column names them."""
        return options.named_columns(self.column or ())

    def budget(self) -> Budget:
        """Returns what all models may take together."""
        from factmark.ask.budget import Budget

        asking = self.asking
        return asking.budget or Budget(max_calls=asking.max_calls, max_cost=asking.max_cost)

    def client(self, budget: Budget) -> ChatClient:
        """Returns a client of the model that judges; it opens no connection yet."""
        asking = replace(self.asking, seed=self.seed, budget=budget)
        return asking.client(asking.spec(self.judge))

    def split_client(self, budget: Budget) -> ChatClient:
        """Returns a client of the model that cuts responses into claims."""
        url = self.split_base_url or self.asking.base_url
        asking = replace(self.asking, seed=self.seed, budget=budget, base_url=url)
        return asking.client(asking.spec(self.split))
