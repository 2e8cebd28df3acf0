"""The options of the commands that judge a graph, for the command line and for Python."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.files.own_columns import FOREIGN, is_foreign

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient
    from factmark.ask.judges.own_judge import OwnJudge
    from factmark.graphs.reading import Source

LEDGER = Path("factmark.db")  # where a model's verdicts go when no place is named


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """The options of the commands that judge a graph: what, by whom, and where to."""

    measure: ClassVar[Literal["factscore", "validity"]]

    triples: Annotated[
        Path | None,
        typer.Argument(
            help="Triples: .csv, .tsv, .json, .jsonl, .parquet, .arrow, RDF, OBO, SSSOM, BioC or "
            "PubTator. The bundled example where none."
        ),
    ] = None
    passages: Path | None = None
    mode: str = ""
    judge: Annotated[
        str,
        typer.Option(
            help=f"Who judges: {options.JUDGES}; or verdict:NAME, another program's verdicts, in a "
            "column of that name or brought in by `factmark ledger import`."
        ),
    ] = "rules"
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
    ] = False
    limit: Annotated[int | None, typer.Option(min=1, help="Judge a random sample of so many.")] = (
        None
    )
    sample: Annotated[
        Literal["random", "relation", "twcs"],
        typer.Option(
            help="How --limit draws: at random, by relation in proportion, or heads by size and of "
            "each at most five triples (TWCS), where --limit counts draws of a head."
        ),
    ] = "random"
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the model.")] = 0
    column: options.Columns = None
    wordings: Annotated[
        Path | None, typer.Option(help="TOML with wordings of relations, over the built-in ones.")
    ] = None
    ontology: options.Ontology = None
    ontology_index: options.OntologyIndex = None
    encoding: Annotated[str, typer.Option(help="Of the triples and passages.")] = "utf-8"
    ledger: options.Ledger = None
    out: options.Out = None
    level: options.Level = 0.95
    json: options.Json = False

    @property
    def by_rules(self) -> bool:
        """Whether a built-in judge by rule judges."""
        from factmark.graphs.judges import RULE_JUDGES

        return self.judge in RULE_JUDGES

    @property
    def foreign(self) -> str:
        """The other program whose verdicts are taken; empty where somebody is to judge."""
        return self.judge[len(FOREIGN) :].strip() if is_foreign(self.judge) else ""

    @property
    def own_judge(self) -> OwnJudge | None:
        """The judge in this process, a function or weights of the user's; None where the rules or a
        model do, or the verdicts are there.

        Raises:
            InputError: as `load_function` and `read_nli_folder`.
        """
        if self.foreign:
            return None
        from factmark.ask.judges.own_judge import own_judge

        return own_judge("--judge", self.judge)

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None if none is kept, as where the rules judge unless a place is
        named."""
        unnamed = None if self.by_rules or self.foreign else LEDGER
        return self.ledger or (self.out / "ledger.db" if self.out else unnamed)

    def client(self) -> ChatClient:
        """Returns a client of the model that judges; it opens no connection yet."""
        asking = replace(self.asking, seed=self.seed)
        return asking.client(asking.spec(self.judge))

    def source(self) -> Source:
        """Returns what is judged; the bundled example if no triples are named."""
        from factmark.graphs.core.claims import WORDINGS
        from factmark.graphs.ontologies.bundled import example_graph, read_wordings
        from factmark.graphs.reading import Source

        triples, passages = self.triples, self.passages
        if triples is None:
            triples = example_graph() / "triples.csv"
            passages = example_graph() / "passages.jsonl" if self.measure == "factscore" else None
        return Source(
            measure=self.measure,
            triples=triples,
            passages=passages,
            columns=options.named_columns(self.column or ()),
            wordings=WORDINGS if self.wordings is None else read_wordings(self.wordings),
            limit=self.limit,
            design=self.sample,
            seed=self.seed,
            encoding=self.encoding,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FactscoreOptions(GraphOptions):
    """The options of `factmark graph factscore`."""

    measure = "factscore"

    passages: Annotated[
        Path | None, typer.Option(help="Passages with id and text: .jsonl, .csv, .tsv, .parquet.")
    ] = None
    mode: Annotated[
        Literal["context", "general", "aligned"],
        typer.Option(help="The passage alone; with general truth; with the paper's alignment."),
    ] = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityOptions(GraphOptions):
    """The options of `factmark graph validity`."""

    measure = "validity"

    mode: Annotated[
        Literal["ontology", "plain"],
        typer.Option(help="Whether a model is shown definition and types."),
    ] = "ontology"
