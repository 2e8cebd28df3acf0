"""The options of `factmark graph graphrag`: what they mean together, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.cli import options
from factmark.cli.asking import Asking

if TYPE_CHECKING:
    from factmark.graphrag.core.contexts import Limits
    from factmark.graphrag.judging import Judging
    from factmark.graphrag.setup import Wanted
    from factmark.graphs.core.ontology import Ontology
    from factmark.runs.running import Subject

RULES = "rules"
EXAMPLE = "diabetes"
"""The name of the bundled graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The command's options, see `cli.graphrag`.

    Attributes:
        asked, judged: how the model and the judge are asked; they share a purse.
        bounded: whether that has a bound.
        brief: whether the table by stratum is left to the files.
    """

    triples: Path | None = None
    graphs: tuple[str, ...] = ()
    questions: Path | None = None
    first_option: int | None = None
    model: str = RULES
    judge: str = RULES
    asked: Asking = field(default_factory=Asking)
    judged: Asking = field(default_factory=Asking)
    bounded: bool = False
    control: str | None = None
    passages: Path | None = None
    top_k: int | None = None
    hops: int | None = None
    paper: bool = False
    embedder: str = "lexical"
    embedder_base_url: str | None = None
    embedder_key_env: str | None = None
    aliases: Path | None = None
    ontology: Path | None = None
    ontology_index: Path | None = None
    index: Path | None = None
    repeats: int = 1
    retrieval: bool = False
    limit: int | None = None
    seed: int = 0
    batch: int = 1
    samples: int = 1
    columns: tuple[str, ...] = ()
    wordings: Path | None = None
    encoding: str = "utf-8"
    contexts: Path | None = None
    ledger: Path | None = None
    out: Path | None = None
    level: float = 0.95
    json: bool = False
    dry_run: bool = False
    brief: bool = False

    @property
    def by_rules(self) -> bool:
        """Whether no model has a part in it."""
        return self.model == self.judge == RULES


def check(orders: Orders) -> None:
    """Tells options that do not go together, before anything is read.

    Raises:
        InputError: for the first of them.
    """
    from factmark.errors import InputError

    if orders.graphs and orders.triples is not None:
        raise InputError("Give one file with triples, or each graph as --graph NAME=FILE.")
    if orders.questions is None and (orders.graphs or orders.triples is not None):
        raise InputError("Name the file with the questions: --questions FILE.")
    if orders.model == RULES and (orders.asked.base_url or orders.asked.key_env):
        raise InputError(
            "--base-url and --key-env are for a model that answers: name one, --model."
        )
    if orders.judge == RULES and (orders.judged.base_url or orders.judged.key_env):
        raise InputError("--judge-base-url and --judge-key-env are for a model: name one, --judge.")
    if orders.model == RULES and orders.repeats > 1:
        raise InputError("--repeats: rules say the same each time. Name a --model.")
    if orders.judge == RULES and orders.retrieval:
        raise InputError("--retrieval-by judge: needs a model that judges. Name one with --judge.")
    if orders.by_rules and orders.dry_run:
        raise InputError("--dry-run forecasts calls; rules make none.")
    if orders.by_rules and (orders.bounded or orders.asked.prices):
        raise InputError("--max-calls, --max-cost and --prices are for models; rules cost nothing.")
    if orders.out is not None and orders.out.exists() and not orders.out.is_dir():
        raise InputError(f"--out {orders.out}: is a file. Name a folder.")
    _check_contexts(orders.contexts)
    _check_places(orders)


def with_judge_placed(orders: Orders) -> Orders:
    """The judge at the model's server, where that is named and the judge's is not.

    Only where both are of one provider: another's protocol may not be spoken there.
    """
    asked, judged = orders.asked, orders.judged
    if asked.base_url is None or judged.base_url is not None:
        return orders
    if orders.model.partition(":")[0] != orders.judge.partition(":")[0]:
        return orders
    key_env = judged.key_env or asked.key_env
    return replace(orders, judged=replace(judged, base_url=asked.base_url, key_env=key_env))


def _check_places(orders: Orders) -> None:
    """What is written takes the place of nothing that is read."""
    from factmark.files.overwriting import check_outputs
    from factmark.graphrag.results import result_paths
    from factmark.graphrag.setup import graph_names
    from factmark.graphs.triples.graphrag import graph_files

    graphs = [(f"--graph {name}", path) for name, path in graph_names(orders.graphs).items()]
    if orders.triples is not None:
        graphs = [("the triples", orders.triples)]
    named = {
        "--questions": orders.questions,
        "--passages": orders.passages,
        "--aliases": orders.aliases,
        "--ontology": orders.ontology,
        "--wordings": orders.wordings,
        "--prices": orders.asked.prices,
    }
    inputs = [file for option, path in graphs for file in graph_files(option, path)]
    inputs += [(option, path) for option, path in named.items() if path is not None]
    outputs = [("--ledger", orders.ledger)] if orders.ledger is not None else []
    if orders.out is not None:
        outputs += [("a result of --out", path) for path in result_paths(orders.out).values()]
        outputs += [("the ledger", orders.out / "ledger.db")] if orders.ledger is None else []
    outputs += [("--contexts", orders.contexts)] if orders.contexts is not None else []
    check_outputs(outputs, inputs)


def check_written(orders: Orders) -> None:
    """What is written takes the place of nothing that factmark did not write."""
    from factmark.files.overwriting import check_files
    from factmark.graphrag.results import result_paths

    if orders.out is not None:
        check_files(orders.out, [path.name for path in result_paths(orders.out).values()], ())
    if orders.contexts is not None:
        check_files(orders.contexts.parent, [orders.contexts.name], ())


def _check_contexts(path: Path | None) -> None:
    from factmark.errors import InputError
    from factmark.graphrag.contexts_file import SUFFIXES

    if path is not None and path.suffix.casefold() not in SUFFIXES:
        raise InputError(f"--contexts {path}: ends in none of {', '.join(SUFFIXES)}.")


def subject_of(orders: Orders) -> Subject | None:
    """The model that answers; None for the rules."""
    if orders.model == RULES:
        return None
    from factmark.runs.running import Subject

    client = orders.asked.client(orders.asked.spec(orders.model))
    return Subject(
        name=client.spec.name,
        client=client,
        repeats=orders.repeats,
        ahead=2 * orders.asked.concurrency,
    )


def judging_of(orders: Orders) -> Judging | None:
    """The model that judges; None for the rules."""
    if orders.judge == RULES:
        return None
    from factmark.graphrag.judging import Judging

    return Judging(
        client=orders.judged.client(orders.judged.spec(orders.judge)),
        batch=orders.batch,
        samples=orders.samples,
        concurrency=orders.judged.concurrency,
        retrieval=orders.retrieval,
    )


def wanted_of(
    orders: Orders, ontology: tuple[Ontology, str], index: Path, kept_in: Path | None
) -> Wanted:
    """What is to be looked up.

    Args:
        ontology: with what tells it from others.

    Raises:
        InputError: for names of graphs, controls or columns that cannot be used.
    """
    from factmark.graphrag.setup import Wanted, graph_names, name_of
    from factmark.graphs.core.claims import WORDINGS
    from factmark.graphs.ontologies.bundled import (
        example_graph,
        example_questions,
        read_wordings,
    )

    passages = orders.passages
    if orders.graphs:
        graphs = graph_names(orders.graphs)
    elif orders.triples is not None:
        graphs = {name_of(orders.triples): orders.triples}
    else:
        graphs = {EXAMPLE: example_graph() / "triples.csv"}
        passages = passages or example_graph() / "passages.jsonl"
    controls, spared = _controls(orders)
    limits = _limits(orders)
    return Wanted(
        graphs=graphs,
        questions=orders.questions or example_questions(),
        first_option=orders.first_option,
        index=index,
        controls=controls,
        spared=spared,
        passages=passages,
        limits=limits,
        passages_each=orders.top_k or 10,
        limit=orders.limit,
        seed=orders.seed,
        columns=options.named_columns(orders.columns),
        wordings=WORDINGS if orders.wordings is None else read_wordings(orders.wordings),
        aliases=orders.aliases,
        ontology=ontology[0],
        ontology_identity=ontology[1],
        encoding=orders.encoding,
        kept_in=kept_in,
    )


def _controls(orders: Orders) -> tuple[tuple[str, ...], frozenset[str]]:
    """The controls, and those of them that may be left out.

    Raises:
        InputError: for a name that is none.
    """
    from factmark.errors import InputError
    from factmark.graphrag.core.outcomes import NONE, TEXT
    from factmark.graphrag.setup import CONTROLS

    if orders.control is None:
        wanted = (TEXT,) if orders.model == RULES else CONTROLS
        return wanted, frozenset({TEXT})
    named = [name.strip() for name in orders.control.split(",") if name.strip()]
    if named == ["off"]:
        return (), frozenset()
    strange = [name for name in named if name not in CONTROLS]
    if strange or not named:
        raise InputError(
            f"--control {orders.control}: there is no such control. Write `none`, `text`, "
            "`none,text` or `off`."
        )
    if NONE in named and orders.model == RULES:
        raise InputError("--control none: rules know nothing without a graph. Name a --model.")
    return tuple(name for name in CONTROLS if name in named), frozenset()


def _limits(orders: Orders) -> Limits:
    from factmark.graphrag.core.contexts import PAPER, Limits

    limits = PAPER if orders.paper else Limits()
    limits = replace(limits, top_k=orders.top_k) if orders.top_k is not None else limits
    return replace(limits, hops=orders.hops) if orders.hops is not None else limits
