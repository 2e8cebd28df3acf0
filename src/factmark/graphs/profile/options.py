"""The options of `factmark graph profile`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import options

if TYPE_CHECKING:
    from factmark.graphs.profile.reading import GraphFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    """What is profiled, and where to."""

    triples: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Triples, one file or several that make one graph: .csv, .tsv, .jsonl, .parquet, "
            "or RDF. The bundled example where none."
        ),
    ] = None
    passages: Annotated[
        Path | None, typer.Option(help="Passages with id and text: .jsonl, .csv, .tsv, .parquet.")
    ] = None
    types: Annotated[
        Path | None,
        typer.Option(help="A table of nodes (id or name) and their type, for patterns of types."),
    ] = None
    ontology: options.Ontology = None
    ontology_index: options.OntologyIndex = None
    column: options.Columns = None
    mapping: options.Mapping = None
    nodes: options.Nodes = None
    encoding: Annotated[str, typer.Option(help="Of the files.")] = "utf-8"
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="Keeps each unit with its suspicion there, so that `factmark plan` draws by it; "
            "and reads people's labels from it."
        ),
    ] = None
    measure: Annotated[
        Literal["factscore", "validity"] | None,
        typer.Option(
            help="With --ledger: what people judge, pairs of triple and passage, or triples by an "
            "ontology.  [default: factscore where passages are read]"
        ),
    ] = None
    out: options.Out = None
    level: options.Level = 0.95
    json: options.Json = False
    show_all: options.ShowAll = False

    def files(self) -> GraphFiles:
        """The files: the bundled example where no triples are named."""
        from factmark.graphs.ontologies.bundled import example_graph
        from factmark.graphs.profile.reading import GraphFiles
        from factmark.graphs.triples.columns.graph_columns import named_by
        from factmark.graphs.triples.triples import graph_paths

        triples = graph_paths(self.triples or ())
        passages = self.passages
        if not triples:
            triples = (example_graph() / "triples.csv",)
            passages = passages or example_graph() / "passages.jsonl"
        return GraphFiles(
            triples=triples,
            passages=passages,
            types=self.types,
            columns=named_by(self.mapping, options.named_columns(self.column or ())),
            nodes=options.paths_of(self.nodes),
            encoding=self.encoding,
        )
