"""The options of `factmark graph graphrag | lookup | questions`, and which go together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from factmark.graph_answers.core.records import RetrievalLimits
    from factmark.graph_answers.index.building import GraphSource
    from factmark.graphs.core.ontology import Ontology
    from factmark.passages.embedders import Search

RULES = "rules"
LEDGER = Path("factmark.db")  # where a model's answers go when no place is named
EXAMPLE = "diabetes"
"""The name of the bundled graph."""

_SHORTEST = 4  # tokens of a triple, at least
_NONE, _TEXT = _CONTROLS = ("none", "text")  # of `core.records`, which is slow to import
_SAFE = re.compile(r"[^\W_][\w .+-]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    """How questions are looked up in a graph."""

    top_k: Annotated[
        int | None,
        typer.Option(min=1, help="Triples, and passages, for a question.  [default: 10]"),
    ] = None
    top_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Tokens, about, of triples and passages of a graph for a question, at most; "
            "without --top-k as many triples as they hold.",
        ),
    ] = None
    retrieval: Annotated[
        Literal["auto", "paths", "passages"],
        typer.Option(
            help="How triples are found: along `paths` of relations, by the `passages` that they "
            "are from, where relations are as free as text, or `auto`, as the graph is."
        ),
    ] = "auto"
    hops: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4,
            help="How far from the question's entities; more than 2 only where it asks for as many "
            "relations.  [default: 3]",
        ),
    ] = None
    embedder: Annotated[
        str,
        typer.Option(
            help="How graphs and passages are searched: lexical, openai:MODEL, "
            "sentence-transformers:NAME, model2vec:PATH, module:function, lexical+ANY."
        ),
    ] = "lexical"
    embedder_base_url: options.EmbedderBaseUrl = None
    embedder_key_env: options.EmbedderKeyEnv = None
    aliases: Annotated[
        Path | None, typer.Option(help="Other names of entities: a table with name and alias.")
    ] = None
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="Whose synonyms count: a folder with UMLS's RRF files, or an RDF or OBO file; the "
            "bundled one where none."
        ),
    ] = None
    ontology_index: options.OntologyIndex = None
    index: Annotated[
        Path | None,
        typer.Option(
            help="A folder to keep the indexes in.  [default: OUT/index; without --out none is "
            "kept, unless the embedder is behind a server]"
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="FIELD=NAME: which column holds a field of the triples."),
    ] = None
    encoding: Annotated[str, typer.Option(help="Of the triples, questions, passages.")] = "utf-8"

    @property
    def columns(self) -> dict[str, str]:
        """Field of triples -> column of the file."""
        return options.named_columns(self.column or ())

    def source(
        self, path: Path, ontology: tuple[Ontology | None, str], passages: Path | None = None
    ) -> GraphSource:
        """Returns which triples, names of entities, and texts of passages are to be indexed."""
        from factmark.graph_answers.index.building import GraphSource

        return GraphSource(
            path=path,
            columns=self.columns,
            encoding=self.encoding,
            passages=passages,
            aliases=self.aliases,
            ontology=ontology[0],
            ontology_identity=ontology[1],
        )

    @property
    def search(self) -> Search:
        """What graphs and passages are searched by."""
        from factmark.passages.embedders import open_search

        return open_search(
            self.embedder, base_url=self.embedder_base_url, key_env=self.embedder_key_env
        )

    def limits(self, preset: Literal["paper"] | None = None) -> RetrievalLimits:
        """Returns how much of a graph is retrieved: as the preset says, but for options that were
        given."""
        from factmark.graph_answers.core.records import PAPER, RetrievalLimits

        if preset is None:
            limits = RetrievalLimits()
        else:
            limits = PAPER
        most = limits.top_k
        if self.top_tokens is not None:
            most = max(most, self.top_tokens // _SHORTEST)
        return replace(
            limits,
            top_k=self.top_k or most,
            hops=self.hops or limits.hops,
            tokens=self.top_tokens or limits.tokens,
            by=self.retrieval,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphragOptions:
    """The options of `factmark graph graphrag`."""

    triples: Annotated[
        Path | None,
        typer.Argument(
            help="Triples: .csv, .tsv, .jsonl, .parquet, .graphml, RDF, or a folder of GraphRAG or "
            "LightRAG. The bundled example where none."
        ),
    ] = None
    graph: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE: a graph to compare; repeat it for several."),
    ] = None
    questions: Annotated[
        Path | None,
        typer.Option(help="Questions with their answers: .jsonl, .csv, .tsv, .parquet."),
    ] = None
    first_option: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1,
            help="The number of the first option, where answers are numbers.  "
            "[default: by the file]",
        ),
    ] = None
    model: Annotated[str, typer.Option(help=f"Who answers: `rules`, {options.MODELS}.")] = RULES
    judge: Annotated[
        str,
        typer.Option(help=f"Who judges free text: `rules`, a model as above, {options.OWN}."),
    ] = RULES
    control: Annotated[
        str | None,
        typer.Option(
            help="`none` (no graph), `text` (passages), both with a comma between, or `off`.  "
            "[default: both where they can be]"
        ),
    ] = None
    passages: Annotated[
        Path | None,
        typer.Option(help="Passages with id and text for `text`: .jsonl, .csv, .tsv, .parquet."),
    ] = None
    preset: Annotated[
        Literal["paper"] | None,
        typer.Option(help="`paper`: 30 entities, 10 relations each, at most 12,000 tokens."),
    ] = None
    lookup: LookupOptions = field(default_factory=LookupOptions)
    repeats: Annotated[int, typer.Option(min=1, max=1_000, help="Answers to each question.")] = 1
    retrieval_by: Annotated[
        Literal["rules", "judge"],
        typer.Option(help="Who decides whether what was retrieved holds the answer."),
    ] = "rules"
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask a random sample of so many questions.")
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, help="Of the sample, of the models and of the bootstrap.")
    ] = 0
    judge_base_url: Annotated[
        str | None,
        typer.Option(
            help="The judge's server.  [default: --base-url, where both models are of one provider]"
        ),
    ] = None
    judge_key_env: Annotated[
        str | None,
        typer.Option(
            help="The environment variable that holds its key.  [default: --key-env, where the "
            "judge is at --base-url]"
        ),
    ] = None
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    wordings: Annotated[
        Path | None,
        typer.Option(
            help="TOML with wordings of relations beside the built-in ones, a line each: "
            'regulates = "{head} regulates {tail}".'
        ),
    ] = None
    contexts: Annotated[
        list[str] | None,
        typer.Option(
            help="Write what was retrieved to this file: .csv, .jsonl, .parquet. NAME=FILE: read "
            "what another retriever found, and measure it beside the graphs; repeat it for several."
        ),
    ] = None
    ledger: options.Ledger = None
    out: options.Out = None
    level: options.Level = 0.95
    json: options.Json = False
    show_all: options.ShowAll = False

    @property
    def by_rules(self) -> bool:
        """Whether the built-in rules both answer and judge."""
        return self.model == self.judge == RULES

    @property
    def kept_in(self) -> Path | None:
        """The ledger's path; None where the rules answer and judge, and no place is named."""
        unnamed = None
        if not self.by_rules:
            unnamed = LEDGER
        return self.ledger or (self.out / "ledger.db" if self.out else unnamed)

    @property
    def graph_files(self) -> Mapping[str, Path]:
        """Name of a graph -> file or folder with its triples.

        Raises:
            InputError: for names that cannot be used.
        """
        if self.graph:
            return parse_graphs(self.graph)
        return dict([named_graph_file(self.triples)])

    @property
    def contexts_file(self) -> Path | None:
        """The file that contexts are written to.

        Raises:
            InputError: several are named.
        """
        files = []
        for text in self.contexts or ():
            if "=" not in text:
                files.append(text)
        if len(files) > 1:
            raise InputError("--contexts: name one file to write to; NAME=FILE reads one.")
        if files:
            return Path(files[0])
        return None

    @property
    def imported_contexts(self) -> Mapping[str, Path]:
        """Name -> file with what another retriever found.

        Raises:
            InputError: for names that cannot be used, or that graphs have.
        """
        imported = parse_graphs(
            (text for text in self.contexts or () if "=" in text), option="--contexts"
        )
        for name in imported.keys() & self.graph_files.keys():
            raise InputError(f"--contexts {name}: is the name of a graph. Choose another.")
        return imported

    @property
    def passages_file(self) -> Path | None:
        """The file with passages; the bundled one for the bundled graph, None for no file."""
        from factmark.graphs.ontologies.bundled import example_graph

        own = self.graph or self.triples is not None
        return self.passages or (None if own else example_graph() / "passages.jsonl")

    @property
    def controls(self) -> tuple[str, ...]:
        """The controls to run; if none is named, those that can be.

        Raises:
            InputError: for a name that is none.
        """
        if self.control is None:
            if self.model == RULES:
                return (_TEXT,)
            return _CONTROLS
        named = []
        for name in self.control.split(","):
            if name.strip():
                named.append(name.strip())
        if named == ["off"]:
            return ()
        if not named or not set(named) <= set(_CONTROLS):
            raise InputError(
                f"--control {self.control}: there is no such control. Write `none`, `text`, "
                "`none,text` or `off`."
            )
        if _NONE in named and self.model == RULES:
            raise InputError("--control none: rules know nothing without a graph. Name a --model.")
        return tuple(name for name in _CONTROLS if name in named)

    @property
    def judge_shares_server(self) -> bool:
        """Whether the judge is asked at the model's server, the only one that was named.

        Only where both are of one provider: another's protocol may not be spoken there.
        """
        alike = self.model.partition(":")[0] == self.judge.partition(":")[0]
        return alike and self.asking.base_url is not None and self.judge_base_url is None

    def asking_of_both(self) -> tuple[Asking, Asking]:
        """How the model and the judge are asked; they share a budget."""
        from factmark.ask.budget import Budget

        budget = Budget(max_calls=self.asking.max_calls, max_cost=self.asking.max_cost)
        model = replace(self.asking, seed=self.seed, max_calls=None, max_cost=None, budget=budget)
        url, key = self.judge_base_url, self.judge_key_env
        if self.judge_shares_server:
            url, key = model.base_url, key or model.key_env
        alike = self.model.partition(":")[0] == self.judge.partition(":")[0]
        # the judge's temperature is the protocol's
        if alike:
            protocol = model.protocol
        else:
            protocol = "auto"
        return model, replace(model, base_url=url, key_env=key, protocol=protocol, temperature=0.0)

    def check(self) -> None:
        """Raises if options do not go together; reads no file.

        Raises:
            InputError: for the first of them.
        """
        from factmark.ask.judges.recipe import judged_by

        own = bool(self.graph or self.triples is not None)
        answers = self.model != RULES
        judges = judged_by(self.judge) == "model"
        asks_none = not (answers or judges)
        asks = self.asking
        judge_asks = (self.judge_base_url, self.judge_key_env)
        in_the_way = self.out is not None and self.out.exists() and not self.out.is_dir()
        wrong = {
            "Give one file with triples, or each graph as --graph NAME=FILE.": (
                self.graph and self.triples is not None
            ),
            "Name the file with the questions: --questions FILE.": own and self.questions is None,
            "--base-url and --key-env are for a model that answers: name one, --model.": (
                not answers and (asks.base_url or asks.key_env)
            ),
            "--judge-base-url and --judge-key-env are for a model: name one, --judge.": (
                not judges and any(judge_asks)
            ),
            "--repeats: rules say the same each time. Name a --model.": (
                not answers and self.repeats > 1
            ),
            "--retrieval-by judge: needs a model that judges. Name one with --judge.": (
                not judges and self.retrieval_by == "judge"
            ),
            "--dry-run forecasts calls; rules make none.": asks_none and self.dry_run,
            "--max-calls, --max-cost and --prices are for models; rules cost nothing.": (
                asks_none and asks.given
            ),
            f"--out {self.out}: is a file. Name a folder.": in_the_way,
        }
        for message, is_so in wrong.items():
            if is_so:
                raise InputError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOptions:
    """The options of `factmark graph lookup`."""

    question: Annotated[str, typer.Argument(help="As people ask it.")]
    triples: Annotated[
        Path | None,
        typer.Argument(help="Triples, as for graphrag. The bundled example where none."),
    ] = None
    option: Annotated[
        list[str] | None, typer.Option(help="An option of a multiple-choice question; repeat it.")
    ] = None
    lookup: LookupOptions = field(default_factory=LookupOptions)
    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsOptions:
    """The options of `factmark graph questions`."""

    file: Annotated[
        Path | None, typer.Argument(help="Questions, as for graphrag. The bundled ones where none.")
    ] = None
    by: Annotated[
        str,
        typer.Option(
            help="The stratum that groups them; by topic where none is named. A column `level` is "
            "the difficulty."
        ),
    ] = ""
    first_option: Annotated[
        int | None, typer.Option(min=0, max=1, help="Which number the first option has.")
    ] = None
    encoding: Annotated[str, typer.Option(help="Of the questions.")] = "utf-8"
    json: options.Json = False


def parse_graphs(given: Iterable[str], option: str = "--graph") -> dict[str, Path]:
    """Returns name -> file of the graphs, or contexts, that `NAME=FILE` name.

    Raises:
        InputError: for another form, a name that cannot be used, a name or a file named twice.
    """
    graphs: dict[str, Path] = {}
    files: dict[Path, str] = {}
    for text in given:
        name, sign, file = (part.strip() for part in text.partition("="))
        if not sign or not name or not file:
            raise InputError(f"{option} {text}: write NAME=FILE, for example new=triples.csv.")
        if not _SAFE.fullmatch(name):
            raise InputError(
                f"{option} {name}: a name has up to 60 letters, digits, blanks and . _ + -, and "
                "begins with a letter or a digit."
            )
        if name.casefold() in _CONTROLS:
            raise InputError(f"{option} {name}: is the name of a control. Choose another.")
        if name.casefold() in map(str.casefold, graphs):
            raise InputError(f"{option} {name}: is named twice. Give each graph a name of its own.")
        before = files.setdefault(Path(file).resolve(), name)
        if before != name:
            raise InputError(f"{option} {text}: is the same file as {before}. Name it once.")
        graphs[name] = Path(file)
    return graphs


def named_graph_file(path: Path | None) -> tuple[str, Path]:
    """Returns a graph's name and file: the name of the file, or `graph` if that cannot be used; the
    bundled example if `path` is None."""
    from factmark.graphs.ontologies.bundled import example_graph

    if path is None:
        return EXAMPLE, example_graph() / "triples.csv"
    safe = _SAFE.fullmatch(path.stem) and path.stem.casefold() not in _CONTROLS
    return path.stem if safe else "graph", path
