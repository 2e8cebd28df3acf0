"""The options of the commands on answers, one record each, for the command line and for Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from factmark.cli import options
from factmark.cli.asking import Asking

Format = Annotated[
    Literal["table", "markdown", "latex", "csv"],
    typer.Option("--format", help="How the table is printed."),
]

People = Annotated[
    Path | None,
    typer.Option(
        help="Facts that people marked in some answers, as annotated answers or on the sheet of "
        "`factmark plan --answers`; corrects the scores by them."
    ),
]
Annotator = Annotated[str | None, typer.Option(help="Whose marks: the name in that file.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A benchmark and the data that its ground truth is derived from."""

    benchmark: options.Benchmark = "ehds"
    benchmark_column: options.BenchmarkColumns = None
    store: options.Store = None
    endpoint: options.Endpoint = None
    user_env: options.UserEnv = None
    password_env: options.PasswordEnv = None
    query_timeout: options.QueryTimeout = 60.0
    labels: options.Labels = "en"

    @property
    def benchmark_columns(self) -> dict[str, str]:
        """Field -> column of the benchmark, where the user names it."""
        return options.named_columns(self.benchmark_column or (), "--benchmark-column")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAsking(Asking):
    """How a model is asked that finds facts: its replies may be long."""

    max_tokens: options.MaxTokens = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """The options of `factmark score`."""

    answers: Annotated[
        Path,
        typer.Argument(
            help="Answers: .jsonl, .csv, .tsv, the original harness's .json, a log of inspect_ai, "
            "samples of lm-evaluation-harness, or a folder of these."
        ),
    ]
    reach: Reach = field(default_factory=Reach)
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for report.html, results.json, rows and tables."),
    ] = None
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger; OUT/ledger.db where --out is given.")
    ] = None
    judge: Annotated[
        str,
        typer.Option(
            help=f"Who finds the facts: rules, {options.MODELS}, or your own module:function."
        ),
    ] = "rules"
    annotations: Annotated[
        Path | None, typer.Option(help="Facts that people marked, in place of the rules.")
    ] = None
    people: People = None
    annotator: Annotator = None
    model: Annotated[str, typer.Option(help="For answers that name no model.")] = ""
    condition: Annotated[str, typer.Option(help="For answers that name no condition.")] = ""
    encoding: Annotated[str, typer.Option(help="Of the answers' file.")] = "utf-8"
    column: Annotated[
        list[str] | None,
        typer.Option(help="FIELD=NAME: which column holds a field, as query_id=question_id."),
    ] = None
    form: Format = "table"
    json: options.Json = False
    show_all: options.ShowAll = False
    level: options.Level = 0.95
    target: options.Target = "process"
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    shard: options.ShardName = ""
    engine: options.EngineName = ""
    asking: FactsAsking = field(default_factory=FactsAsking)
    dry_run: options.DryRun = False

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None for no ledger."""
        if self.ledger is None and self.out:
            return self.out / "ledger.db"
        return self.ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The options of `factmark report`."""

    ledger: Annotated[
        Path,
        typer.Argument(help="A ledger that `factmark score` wrote, or `factmark annotate create`."),
    ]
    out: Annotated[
        Path | None, typer.Option(help="A folder for the report and the results' files.")
    ] = None
    people: People = None
    annotator: Annotator = None
    form: Format = "table"
    json: options.Json = False
    show_all: options.ShowAll = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """The options of `factmark groundtruth build`."""

    out: Annotated[Path, typer.Argument(help="The file to write, JSON Lines.")]
    reach: Reach = field(default_factory=Reach)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """The options of `factmark groundtruth check`."""

    reach: Reach = field(default_factory=Reach)
    json: options.Json = False
