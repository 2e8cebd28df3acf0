"""The options of `factmark run` and `factmark rag`, a record each, for commands and for Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from factmark.answers.options import Format, Reach
from factmark.cli import options

if TYPE_CHECKING:
    from factmark.runs.study_file import Study

EmbedderName = Annotated[
    str,
    typer.Option(
        "--embedder",
        help="lexical (words, offline), openai:MODEL and its kin, sentence-transformers:NAME, "
        "model2vec:PATH, your own module:function, or lexical+ one of these.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of `factmark run`; what is None leaves it to the study file, or its default."""

    study: Annotated[
        str,
        typer.Argument(
            help="`ehds`, a study file (.toml), or a file with questions (.jsonl, .csv)."
        ),
    ]
    model: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{options.MODELS}, or a model's name in the study file. Repeat it for several."
        ),
    ] = None
    condition: Annotated[
        list[str] | None,
        typer.Option(
            help="baseline, rag, mcp, context: with commas between them, or the option repeated."
        ),
    ] = None
    question: Annotated[
        list[str] | None,
        typer.Option(help="Only these questions, by id: with commas, or repeated."),
    ] = None
    repeats: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="Answers to each question under each condition."),
    ] = None
    store: options.Store = None
    endpoint: options.Endpoint = None
    user_env: options.UserEnv = None
    password_env: options.PasswordEnv = None
    query_timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for one query of the ground truth.")
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            help="The language of the labels that stand for IRIs in a derived ground truth; `none` "
            "for their local names.  [default: en]"
        ),
    ] = None
    base_url: options.BaseUrl = None
    key_env: options.KeyEnv = None
    protocol: Annotated[
        Literal["auto", "chat", "responses"] | None,
        typer.Option(
            help="How openai: models and their kin are spoken to: chat completions, the Responses "
            "API, or `auto`: the first unless a model refuses it.  [default: auto]"
        ),
    ] = None
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=2.0, help="Of every model.  [default: the model's own, not sent]"
        ),
    ] = None
    model_seed: Annotated[
        int | None, typer.Option(min=0, help="Sent to every model; counts up with repeats.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="The longest reply.  [default: 4096]")
    ] = None
    concurrency: options.Concurrency = None
    timeout: options.Timeout = None
    rpm: options.Rpm = None
    tpm: options.Tpm = None
    extra: options.Extra = None
    header: options.Header = field(default=None, repr=False)
    k: Annotated[int | None, typer.Option(min=1, help="Passages for `rag`.  [default: 5]")] = None
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Who finds passages: lexical, openai:MODEL, sentence-transformers:NAME, "
            "model2vec:PATH, module:function; its server is base_url under [rag] in a study file.  "
            "[default: lexical]"
        ),
    ] = None
    mcp: Annotated[
        str | None,
        typer.Option(
            help="The tool server of `mcp`: a URL, a command line, or `builtin`: factmark's own "
            "over the same data.  [default: builtin]"
        ),
    ] = None
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of tools for `mcp`.  [default: 5]")
    ] = None
    context_tokens: Annotated[
        int | None, typer.Option(min=1, help="The longest catalogue.  [default: 32000]")
    ] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="Who finds the facts: rules, openai:MODEL, ..., module:function. Repeat it to "
            "compare several by `factmark agree`: the report rests on the first.  [default: rules]"
        ),
    ] = None
    out: Annotated[
        Path | None, typer.Option(help="The folder for all of it.  [default: NAME-run]")
    ] = None
    ledger: Annotated[Path | None, typer.Option(help="The ledger.  [default: OUT/ledger.db]")] = (
        None
    )
    max_calls: options.MaxCalls = None
    max_cost: options.MaxCost = None
    max_failures: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Stop asking a model after so many failed calls in a row, time-outs too.  "
            "[default: 20]",
        ),
    ] = None
    batch_api: options.BatchApi = False
    prices: options.PriceTable = None
    level: Annotated[
        float | None,
        typer.Option(min=0.5, max=0.999, help="Coverage of the intervals.  [default: 0.95]"),
    ] = None
    target: Annotated[
        Literal["units", "process"] | None,
        typer.Option(
            help="What intervals speak for: just these answers, or the models that gave them.  "
            "[default: process]"
        ),
    ] = None
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the bootstrap.")] = None
    form: Format = "table"
    json: options.Json = False
    show_all: options.ShowAll = False
    dry_run: options.DryRun = False
    shard: options.ShardName = ""

    def read_study(self) -> Study:
        """The study file with these options over it, or the study that they make.

        Raises:
            InputError: no study, or one that cannot be read as meant.
        """
        from factmark.cli.asking import extra_fields, name_values
        from factmark.errors import InputError
        from factmark.runs.study_file import load_study

        path = None
        if Path(self.study).suffix == ".toml":
            path = Path(self.study)
        if self.study != "ehds" and not Path(self.study).suffix:
            raise InputError(
                f"{self.study!r} is no study: give `ehds`, a study file (.toml), or a file with "
                "questions."
            )
        if self.batch_api:
            raise InputError(
                "--batch-api is for calls that do not wait for each other, and a run holds "
                "conversations with tools: leave it out. `graph factscore`, `graph validity`, "
                "`graph graphrag`, `annotate judge` and `score --judge` take it."
            )
        given = {
            "benchmark": None if path else self.study,
            "questions": _names_between_commas(self.question),
            "conditions": _names_between_commas(self.condition),
            "judges": self.judge or None,
            **self._options_named("repeats", "concurrency", "out", "ledger"),
            "data": self._options_named("store", "endpoint", "user_env", "password_env", "labels")
            | {"timeout": self.query_timeout},
            "rag": self._options_named("k", "embedder"),
            "mcp": {"server": self.mcp, "rounds": self.rounds},
            "context": {"max_tokens": self.context_tokens},
            "budget": self._options_named("max_calls", "max_cost", "max_failures", "prices"),
            "estimates": self._options_named("level", "target", "seed"),
        }
        parameters = self._options_named(
            "base_url", "key_env", "protocol", "temperature", "max_tokens", "timeout", "rpm", "tpm"
        )
        parameters["seed"] = self.model_seed
        if self.extra:
            parameters["extra"] = extra_fields(self.extra)
        else:
            parameters["extra"] = None
        if self.header:
            parameters["header"] = dict(name_values("--header", self.header))
        else:
            parameters["header"] = None
        return load_study(path, given, models=self.model or (), parameters=parameters)

    def _options_named(self, *names: str) -> dict[str, Any]:
        """Returns some of the options by their names."""
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """The options of `factmark rag check`."""

    reach: Reach = field(default_factory=Reach)
    embedder: EmbedderName = "lexical"
    base_url: options.BaseUrl = None
    key_env: options.KeyEnv = None
    k: Annotated[
        list[int] | None,
        typer.Option("--k", min=1, max=1000, help="Passages given; may be repeated."),
    ] = None
    index: Annotated[
        Path | None, typer.Option(help="The index's folder; a temporary one where not given.")
    ] = None
    out: Annotated[Path | None, typer.Option(help="A folder for the results' files.")] = None
    json: options.Json = False
    show_all: options.ShowAll = False
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0


def _names_between_commas(given: list[str] | None) -> list[str] | None:
    """The names in an option's texts, split at commas; None where the option is not given."""
    if not given:
        return None
    commas = []
    for text in given:
        for name in text.split(","):
            if name.strip():
                commas.append(name.strip())
    return commas
