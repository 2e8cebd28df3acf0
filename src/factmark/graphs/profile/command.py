"""`factmark graph profile`: what a graph is like, and which of its triples look wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import console, options
from factmark.cli.console import print_json, print_opening, print_table, say

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
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="A folder with UMLS's RRF files, or an RDF or OBO file; the bundled one where "
            "none."
        ),
    ] = None
    ontology_index: Annotated[
        Path | None, typer.Option(help="Where the index of UMLS goes; a folder beside its files.")
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(help="FIELD=NAME: which column holds a field; may be repeated."),
    ] = None
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

    def files(self) -> GraphFiles:
        """The files: the bundled example where no triples are named."""
        from factmark.graphs.ontologies.bundled import example_graph
        from factmark.graphs.profile.reading import GraphFiles

        triples, passages = self.triples, self.passages
        if not triples:
            triples = [example_graph() / "triples.csv"]
            passages = passages or example_graph() / "passages.jsonl"
        return GraphFiles(
            triples=tuple(triples),
            passages=passages,
            types=self.types,
            columns=options.named_columns(self.column or ()),
            encoding=self.encoding,
        )


def profile(given: ProfileOptions) -> None:
    """Profile a graph: its size and shape, and which triples look wrong.

    Suspects are triples by their shape and names: both directions of a one-way relation, circles in
    a hierarchy, several values where others have one, rare patterns of types, names that their
    passage does not have, and more. No judge is asked. A suspect is no error: with --ledger people
    label some of each kind (`factmark plan`), and the same command then tells how often each was.
    """
    from factmark.graphs.profile.page import profile_json, write_profile
    from factmark.graphs.profile.study import profile_graph
    from factmark.graphs.profile.tables import profile_opening, suspect_table

    result = profile_graph(given, progress=console.reading_line)
    if given.ledger is not None:
        say(f"each unit's suspicion is kept in {given.ledger}")
    if given.out is not None:
        write_profile(result, given.out)
        say(f"wrote {given.out / 'profile.html'}, profile.json and every suspect beside it")
    if given.json:
        print_json(profile_json(result))
        return
    print_opening(profile_opening(result))
    print_table(suspect_table(result))
    if given.out is None:
        say("relations, patterns of types, hubs and near-duplicate names: --out FOLDER, or --json")
    for problem in result.problems:
        say(f"note: {problem}")
