"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def concurrency_of(given: str | int) -> int | Literal["auto"]:
    """Returns `auto`, or how many requests are made at a time.

    Raises:
        BadParameter: neither.
    """
    if given == "auto":
        return "auto"
    if str(given).isdecimal() and int(given) > 0:
        return int(given)
    raise typer.BadParameter(f"{given} is neither `auto` nor a number from 1 on.")


Benchmark = Annotated[
    str,
    typer.Option(
        "--benchmark",
        "-b",
        help="`ehds`, or a file: the published benchmark.csv, JSON Lines, or questions with their "
        "answers as others publish them.",
    ),
]
BenchmarkColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark-column",
        help="FIELD=NAME: which column of the benchmark holds a field: question_id, question, "
        "ground_truth (all that a list has is right), any_of (any of it is), aliases, sparql, "
        "category.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(help="A store folder (`factmark dataspace build`) or an RDF file to query."),
]
Endpoint = Annotated[str | None, typer.Option(help="The URL of a SPARQL endpoint to query.")]
UserEnv = Annotated[
    str | None, typer.Option(help="The environment variable that holds the endpoint's user.")
]
PasswordEnv = Annotated[
    str | None, typer.Option(help="The environment variable that holds the endpoint's password.")
]
Labels = Annotated[
    str,
    typer.Option(
        help="The language of the labels that stand for IRIs in a derived ground truth; `none` for "
        "their local names.",
    ),
]
QueryTimeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one query.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
ShowAll = Annotated[bool, typer.Option("--all", help="Show all tables in full, with all notes.")]
ShardName = Annotated[
    str,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Judge the I-th of N parts alone, into a ledger of its own; `factmark ledger merge` "
        "joins the ledgers, and the same command without --shard gives the results.",
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="local:N|ray[://HOST:PORT]",
        help="Have parts judged side by side, by N processes or by a Ray cluster, and merged as "
        "they come.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")]
Resamples = Annotated[int, typer.Option(min=100, max=1_000_000, help="Of the bootstrap.")]
Target = Annotated[
    Literal["units", "process"],
    typer.Option(
        help="What intervals speak for: just these units, or what made them, of which these units "
        "are a sample."
    ),
]
Level = Annotated[float, typer.Option(min=0.5, max=0.999, help="Coverage of the intervals.")]

Ledger = Annotated[
    Path | None, typer.Option(help="The ledger; OUT/ledger.db with --out, else factmark.db.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(help="FIELD=NAME: the column of a field, or kg.triplet.0, a path. Repeatable."),
]
Mapping = Annotated[
    Path | None,
    typer.Option(help="A mapping.toml, as a run leaves it beside its results, edited or not."),
]
Nodes = Annotated[
    list[Path] | None,
    typer.Option(
        help="A table with ids and names of nodes, where the triples have ids; else what stands in "
        "the file or beside it is read. May be given several times."
    ),
]
RowsPath = Annotated[
    str,
    typer.Option(
        help="Where the rows are in a file with several tables: the path in JSON, as run.cases, or "
        "the sheet of a workbook."
    ),
]
Ontology = Annotated[
    Path | None,
    typer.Option(help="RDF or OBO, a file or folder, or UMLS's folder; else the bundled one."),
]
OntologyIndex = Annotated[
    Path | None, typer.Option(help="Where the index of UMLS goes; a folder beside its files.")
]
CampaignLedger = Annotated[Path, typer.Argument(help="The campaign's ledger.")]
Campaign = Annotated[
    str | None, typer.Option(help="The campaign's name, where the ledger has several.")
]
Out = Annotated[Path | None, typer.Option(help="A folder for the report and the results' files.")]
MODELS = (
    "openai:, anthropic:, gemini:, azure:, openrouter:, ollama: or vllm:MODEL, llamacpp:FILE.gguf"
)
OWN = "nli:FOLDER, local, or module:function of your own"
JUDGES = f"`rules`, a model: {MODELS}, {OWN}"
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="The model's server, for example http://localhost:8000/v1; {VARIABLE} in the path "
        "stands for a key in the environment."
    ),
]
KeyEnv = Annotated[
    str | None,
    typer.Option(
        help="The environment variable that holds the server's key.  [default: the "
        "provider's, for its own address only]"
    ),
]
Concurrency = Annotated[
    Any,
    typer.Option(
        parser=concurrency_of,
        metavar="auto|NUMBER",
        help="The most calls in flight at a time, as long as more bring more replies; `auto`: 64.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        help="Seconds for one reply.  [default: several times the slowest so far, at least 300]",
    ),
]
Rpm = Annotated[int | None, typer.Option(min=1, help="The most requests a minute.")]
Tpm = Annotated[int | None, typer.Option(min=1, help="The most tokens a minute, in and out.")]
Extra = Annotated[
    list[str] | None,
    typer.Option(
        help="KEY=VALUE: a further field of each request, as reasoning_effort=high; the value is "
        "JSON, else text; api_key=env:VARIABLE takes a key from the environment. May be repeated."
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=VALUE: a further header of each request; NAME=env:VARIABLE takes the value "
        "from the environment. May be repeated."
    ),
]
EmbedderBaseUrl = Annotated[
    str | None, typer.Option(help="The embedder's server, for openai:MODEL and its kin.")
]
EmbedderKeyEnv = Annotated[
    str | None, typer.Option(help="The environment variable that holds its key.")
]
Batch = Annotated[int, typer.Option(min=1, max=100, help="Claims in one call.")]
Samples = Annotated[int, typer.Option(min=1, help="Votes for each unit; most win.")]
Protocol = Annotated[
    Literal["auto", "chat", "responses"],
    typer.Option(
        help="How an openai: model and its kin are spoken to: by chat completions, by the "
        "Responses API, or `auto`: by the first unless the model refuses it."
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(min=0.0, max=2.0, help="Of the model.  [default: the model's own, not sent]"),
]
MaxTokens = Annotated[int, typer.Option(min=1, help="The longest reply.")]
MaxCalls = Annotated[int | None, typer.Option(min=0, help="Stop after so many calls.")]
MaxCost = Annotated[float | None, typer.Option(min=0.0, help="Stop at so many US dollars.")]
MaxFailures = Annotated[
    int, typer.Option(min=1, help="Stop after so many failed calls in a row, time-outs too.")
]
BatchApi = Annotated[
    bool,
    typer.Option(
        "--batch-api",
        help="By the batch API of OpenAI or Anthropic: half the price, within a day. Ctrl-C leaves "
        "the batch at work; the same command takes it up.",
    ),
]
PriceTable = Annotated[Path | None, typer.Option("--prices", help="TOML with prices of models.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Tell calls, tokens and cost, and make no call.")
]
Reparse = Annotated[
    bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
]


def paths_of(given: Iterable[str | Path] | None) -> tuple[Path, ...]:
    """Returns the files that an option names, none or several."""
    return tuple(map(Path, given or ()))


def named_columns(given: Iterable[str], option: str = "--column") -> dict[str, str]:
    """Returns field -> column, as `--column FIELD=NAME` or another option names them.

    Raises:
        InputError: for another form.
    """
    from factmark.errors import InputError

    named = {}
    for text in given:
        name, equals, column = text.partition("=")
        if not equals or not name or not column:
            raise InputError(f"{option} {text}: write FIELD=NAME, for example head=subject.")
        named[name] = column
    return named
