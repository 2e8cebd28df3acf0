"""A GraphRAG run made ready: questions read and drawn, graphs and passages looked up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphrag.contexts import (
    System,
    from_graph,
    from_nothing,
    from_passages,
    passages_source,
)
from factmark.graphrag.core.contexts import Limits
from factmark.graphrag.core.outcomes import NONE, TEXT
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.index.building import GraphSource, open_graph_index
from factmark.graphrag.questions_file import read_graph_questions
from factmark.graphs.core.claims import WORDINGS
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.triples.triples import read_triples
from factmark.passages.embedders import Search
from factmark.passages.passage_file import Passages, read_passages
from factmark.passages.retrieval import Progress, open_index_of, silent
from factmark.stats.sampling import simple_random

CONTROLS = (NONE, TEXT)
_SAFE = re.compile(r"[^\W_][\w .+-]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be looked up.

    Attributes:
        graphs: name -> file or folder with its triples.
        questions: the file with the questions.
        first_option: see `read_graph_questions`.
        controls: of `none` and `text`, those that are wanted.
        spared: of these, those that are left out without an error where they cannot be.
        passages: a file with passages, those that triples name by id and all others.
        limits: how much of a graph is retrieved.
        passages_each: passages for a question.
        limit: questions that are drawn at random; all where None.
        seed: of the drawing.
        columns: field of a triple -> column of the file.
        aliases: a file with other names of entities.
        ontology: whose synonyms count as names; None for none.
        ontology_identity: what tells it from others.
        index: the folder where indexes are kept.
        kept_in: a ledger for what is looked up by an embedder that costs something; else None.
    """

    graphs: Mapping[str, Path]
    questions: Path
    index: Path
    first_option: int | None = None
    controls: tuple[str, ...] = ()
    spared: frozenset[str] = frozenset()
    passages: Path | None = None
    limits: Limits = field(default_factory=Limits)
    passages_each: int = 10
    limit: int | None = None
    seed: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    wordings: Mapping[str, str] = field(default_factory=lambda: WORDINGS)
    aliases: Path | None = None
    ontology: Ontology | None = None
    ontology_identity: str = ""
    encoding: str = "utf-8"
    kept_in: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a run needs beside its models.

    Attributes:
        systems: the graphs in their order, then the controls.
        problems: what was odd in the files, one sentence each.
    """

    questions: tuple[GraphQuestion, ...]
    systems: tuple[System, ...]
    problems: tuple[str, ...]


def graph_names(given: Iterable[str]) -> dict[str, Path]:
    """The graphs that `NAME=FILE` name.

    Raises:
        InputError: for another form, a name that cannot be used, a name or a file named twice.
    """
    found: dict[str, Path] = {}
    files: dict[Path, str] = {}
    for text in given:
        name, sign, file = text.partition("=")
        name = name.strip()
        if not sign or not name or not file.strip():
            raise InputError(f"--graph {text}: write NAME=FILE, for example new=triples.csv.")
        if not _SAFE.fullmatch(name):
            raise InputError(
                f"--graph {name}: a name has up to 60 letters, digits, blanks and . _ + -, and "
                "begins with a letter or a digit."
            )
        if name.casefold() in CONTROLS:
            raise InputError(f"--graph {name}: is the name of a control. Choose another.")
        if name.casefold() in {one.casefold() for one in found}:
            raise InputError(f"--graph {name}: is named twice. Give each graph a name of its own.")
        path = Path(file.strip())
        before = files.setdefault(path.resolve(), name)
        if before != name:
            raise InputError(f"--graph {text}: is the same file as {before}. Name it once.")
        found[name] = path
    return found


def name_of(path: Path) -> str:
    """The name of a graph by its file; `graph` where that does not do."""
    safe = _SAFE.fullmatch(path.stem) and path.stem.casefold() not in CONTROLS
    return path.stem if safe else "graph"


def graph_folder(index: Path, name: str) -> Path:
    """Where the index of a graph of that name is, in the folder of indexes."""
    return index / f"graph-{name}"


async def prepare(
    wanted: Wanted,
    search: Search,
    *,
    progress: Progress = silent,
) -> Prepared:
    """Reads the questions and looks each of them up in every graph, and in the passages.

    Args:
        search: how graphs and passages are searched; not closed here.
        progress: told what is done, how far it is, and of how much.

    Raises:
        InputError: there are no questions or no triples, or `text` is wanted where there are no
            passages.
        EndpointError: a question cannot be embedded.
    """
    odd = Problems()
    known = read_graph_questions(
        wanted.questions, odd, first_option=wanted.first_option, encoding=wanted.encoding
    )
    questions = _drawn(known, wanted)
    notes = list(odd.sentences())
    with ExitStack() as stack:
        sources = _Sources(wanted, stack)
        systems = []
        for name in wanted.graphs:
            systems.append(await _graph(name, questions, sources, search, progress))
        if NONE in wanted.controls:
            systems.append(from_nothing(questions))
        if TEXT in wanted.controls:
            text = await _text(questions, sources, search, progress)
            if text is not None:
                systems.append(text)
            elif TEXT in wanted.spared:
                notes.append("There are no passages, so there is no control `text`.")
            else:
                raise InputError(
                    "--control text: there are no passages. Name them with --passages, or give "
                    "triples with a column `passage`."
                )
        notes += sources.sentences()
    return Prepared(
        questions=questions, systems=tuple(systems), problems=tuple(dict.fromkeys(notes))
    )


def _drawn(questions: tuple[GraphQuestion, ...], wanted: Wanted) -> tuple[GraphQuestion, ...]:
    """The questions that are asked, in their order."""
    if not questions:
        raise InputError(f"{wanted.questions}: holds no questions.")
    if wanted.limit is None or wanted.limit >= len(questions):
        return questions
    drawn = set(simple_random([one.id for one in questions], wanted.limit, seed=wanted.seed).keys)
    return tuple(one for one in questions if one.id in drawn)


class _Sources:
    """The files with triples and passages; what is odd in them is told once.

    Attributes:
        told: name of a graph, or `passages` -> what was odd.

    Args:
        stack: closes the passages.
    """

    def __init__(self, wanted: Wanted, stack: ExitStack) -> None:
        self.wanted = wanted
        self.told: dict[str, list[str]] = {}
        self._odd: dict[str, Problems] = {}
        self._passages: Passages | None = None
        if wanted.passages is not None:
            read = read_passages(
                wanted.passages, self._problems("passages"), encoding=wanted.encoding
            )
            self._passages = stack.enter_context(read)

    def passages(self) -> Iterator[tuple[str, str]]:
        """Id and text of all passages, those of the triples behind those of the file."""
        if self._passages is not None:
            yield from self._passages
        for name in self.wanted.graphs:
            triples = read_triples(
                self.wanted.graphs[name],
                self._problems(name),
                passages=self._passages,
                columns=self.wanted.columns,
                encoding=self.wanted.encoding,
            )
            for triple in triples:
                if triple.passage:
                    yield triple.passage_id, triple.passage

    def sentences(self) -> list[str]:
        """What was odd in each file, and in each index."""
        for name, odd in self._odd.items():
            told = self.told.setdefault(name, [])
            told += [sentence for sentence in odd.sentences() if sentence not in told]
        return [f"{name}: {sentence}" for name, told in self.told.items() for sentence in told]

    def _problems(self, name: str) -> Problems:
        self._odd[name] = Problems()
        return self._odd[name]


async def _graph(
    name: str,
    questions: tuple[GraphQuestion, ...],
    sources: _Sources,
    search: Search,
    progress: Progress,
) -> System:
    wanted = sources.wanted
    source = GraphSource(
        path=wanted.graphs[name],
        columns=wanted.columns,
        encoding=wanted.encoding,
        aliases=wanted.aliases,
        ontology=wanted.ontology,
        ontology_identity=wanted.ontology_identity,
    )
    index = await open_graph_index(
        source,
        graph_folder(wanted.index, name),
        embedder=search.embedder,
        limits=wanted.limits,
        wordings=wanted.wordings,
        progress=progress,
    )
    sources.told[name] = list(index.notes)
    step = _counted(progress, f"looking up in {name}", len(questions))
    return await from_graph(
        name, index, questions, wordings=wanted.wordings, kept_in=wanted.kept_in, step=step
    )


async def _text(
    questions: tuple[GraphQuestion, ...], sources: _Sources, search: Search, progress: Progress
) -> System | None:
    """The control `text`; None where there are no passages."""
    wanted = sources.wanted
    source = passages_source(" and ".join(wanted.graphs), sources.passages)
    opened = await open_index_of(source, wanted.index / TEXT, search, progress=progress)
    async with opened as index:
        if not len(index):
            return None
        step = _counted(progress, "looking up passages", len(questions))
        return await from_passages(
            index, questions, wanted.passages_each, kept_in=wanted.kept_in, step=step
        )


def _counted(progress: Progress, what: str, total: int) -> Callable[[], None]:
    """A step that tells how many were made."""
    numbers = count(1)
    return lambda: progress(what, next(numbers), total)
