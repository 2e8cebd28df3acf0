"""The options of `factmark claims judge`, for the command line and for Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import options
from factmark.cli.judging_options import LEDGER, JudgingOptions

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient

SENTENCES = "sentences"  # what --split names that is no model


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsOptions(JudgingOptions):
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
        str, typer.Option(help="How the corpus is searched; of an index folder, as it was built.")
    ] = "lexical"
    embedder_base_url: options.EmbedderBaseUrl = None
    embedder_key_env: options.EmbedderKeyEnv = None
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

    mapping: options.Mapping = None
    rows: options.RowsPath = ""

    @property
    def split_by_model(self) -> bool:
        """Whether a model cuts responses into claims."""
        return self.split not in ("", SENTENCES)

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None if none is kept, as where no model is asked unless a place is
        named."""
        return super(ClaimsOptions, self).kept_in or (LEDGER if self.split_by_model else None)

    def with_one_budget(self) -> ClaimsOptions:
        """Returns the options with a budget over splitting and judging together."""
        from factmark.ask.budget import Budget

        asking = self.asking
        budget = asking.budget or Budget(max_calls=asking.max_calls, max_cost=asking.max_cost)
        return replace(self, asking=replace(asking, budget=budget))

    def split_client(self) -> ChatClient:
        """Returns a client of the model that cuts responses into claims."""
        url = self.split_base_url or self.asking.base_url
        asking = replace(self.asking, seed=self.seed, base_url=url)
        return asking.client(asking.spec(self.split))
