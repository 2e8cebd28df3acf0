"""The options of the commands that judge a graph, for the command line and for Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from factmark.cli import options
from factmark.cli.judging_options import JudgingOptions

if TYPE_CHECKING:
    from factmark.ask.judges.recipe import Recipe
    from factmark.graphs.profile.options import ProfileOptions
    from factmark.graphs.reading import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions(JudgingOptions):
    """The options of the commands that judge a graph: what, by whom, and where to."""

    measure: ClassVar[Literal["factscore", "validity"]]

    triples: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Triples, one file or several that make one graph: .csv, .tsv, .json, .jsonl, "
            ".parquet, .arrow, RDF, OBO, SSSOM, BioC or PubTator. The bundled example where none."
        ),
    ] = None
    passages: Path | None = None
    nodes: options.Nodes = None
    mapping: options.Mapping = None
    target: options.Target = "units"
    sample: Annotated[
        Literal["random", "relation", "twcs"],
        typer.Option(
            help="How --limit draws: at random, by relation in proportion, or heads by size and of "
            "each at most five triples (TWCS), where --limit counts draws of a head."
        ),
    ] = "random"
    wordings: Annotated[
        Path | None,
        typer.Option(
            help="TOML with wordings of relations beside the built-in ones, a line each: "
            'regulates = "{head} regulates {tail}".'
        ),
    ] = None
    ontology: options.Ontology = None
    ontology_index: options.OntologyIndex = None

    @property
    def columns(self) -> dict[str, str]:
        """Field -> column, as --mapping has them, and --column above it."""
        from factmark.graphs.triples.columns.graph_columns import named_by

        return named_by(self.mapping, options.named_columns(self.column or ()))

    def judge_recipe(self) -> Recipe:
        """Returns the recipe of the judge; raises InputError as `recipe_of`."""
        from factmark.ask.judges.recipe import RecipeFile

        named = {"ontology": self.ontology, "wordings": self.wordings}
        files = {}
        for name, path in named.items():
            if path and path.exists():
                files[name] = RecipeFile.at(path)
        index = self.ontology_index and str(self.ontology_index.absolute())
        return self.recipe(self.measure, files=files, parameters={"ontology_index": index})

    def as_profile(self) -> ProfileOptions:
        """Returns the options that profile the same graph."""
        from factmark.graphs.profile.options import ProfileOptions

        return ProfileOptions(
            triples=self.triples,
            passages=self.passages,
            ontology=self.ontology,
            ontology_index=self.ontology_index,
            column=self.column,
            mapping=self.mapping,
            nodes=self.nodes,
            encoding=self.encoding,
            level=self.level,
        )

    def source(self) -> Source:
        """Returns what is judged; the bundled example if no triples are named."""
        from factmark.graphs.core.claims import WORDINGS
        from factmark.graphs.ontologies.bundled import example_graph, read_wordings
        from factmark.graphs.reading import Source
        from factmark.graphs.triples.triples import graph_paths

        triples = graph_paths(self.triples or ())
        passages = self.passages
        if not triples:
            triples = (example_graph() / "triples.csv",)
            passages = None
            if self.measure == "factscore":
                passages = example_graph() / "passages.jsonl"
        return Source(
            measure=self.measure,
            triples=triples,
            passages=passages,
            columns=self.columns,
            nodes=options.paths_of(self.nodes),
            wordings=WORDINGS if self.wordings is None else read_wordings(self.wordings),
            limit=self.limit,
            design=self.sample,
            seed=self.seed,
            encoding=self.encoding,
            part=self.part,
            batch=self.batch if self.asks_model else 1,
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
