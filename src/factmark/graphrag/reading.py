"""From the files of a study to what is asked: questions drawn, graphs and passages looked up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import count
from pathlib import Path

from factmark.cli import options as shared
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphrag.core.outcomes import NONE, TEXT
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.index.building import GraphSource, open_graph_index
from factmark.graphrag.options import GraphragOptions
from factmark.graphrag.questions.reading import read_graph_questions
from factmark.graphrag.systems import System, from_graph, from_nothing, from_passages
from factmark.graphs.core.claims import WORDINGS
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.ontologies.bundled import read_wordings
from factmark.graphs.triples.triples import read_triples
from factmark.model import Chunk
from factmark.passages.embedders import Search
from factmark.passages.passage_file import Passages, read_passages
from factmark.passages.retrieval import (
    IndexedChunk,
    PassageSource,
    Progress,
    open_index_of,
    silent,
)
from factmark.stats.sampling import simple_random


async def prepare(
    options: GraphragOptions,
    index: Path,
    search: Search,
    *,
    ontology: tuple[Ontology | None, str] = (None, ""),
    kept_in: Path | None = None,
    progress: Progress = silent,
) -> tuple[tuple[GraphQuestion, ...], tuple[System, ...], tuple[str, ...]]:
    """Reads the questions and looks each of them up in every graph, and in the passages.

    Args:
        index: the folder where indexes are kept.
        search: how graphs and passages are searched; not closed here.
        ontology: whose synonyms count as names, and what tells it from others.
        kept_in: a ledger for what is looked up by an embedder that costs something.
        progress: told what is done, how far it is, and of how much.

    Returns:
        The questions that are asked; the graphs in their order, then the controls; what was odd in
        the files, one sentence each.

    Raises:
        InputError: there are no questions or no triples, or `text` is wanted where there are no
            passages.
        EndpointError: a question cannot be embedded.
    """
    odd = Problems()
    questions = _drawn(options, odd)
    notes = list(odd.sentences())
    wordings = WORDINGS if options.wordings is None else read_wordings(options.wordings)
    systems = []
    with ExitStack() as stack:
        texts = _Texts(options, stack)
        for name, path in options.graph_files.items():
            graph = await open_graph_index(
                _source(options, path, ontology),
                graph_folder(index, name),
                embedder=search.embedder,
                limits=options.limits,
                wordings=wordings,
                progress=progress,
            )
            notes += [f"{name}: {note}" for note in graph.notes]
            step = _counted(progress, f"looking up in {name}", len(questions))
            systems.append(
                await from_graph(
                    name, graph, questions, wordings=wordings, kept_in=kept_in, step=step
                )
            )
        if NONE in options.controls:
            systems.append(from_nothing(questions))
        if TEXT in options.controls:
            text = await _text_system(options, index, questions, texts, search, kept_in, progress)
            if text is not None:
                systems.append(text)
            elif options.control is None:
                notes.append("There are no passages, so there is no control `text`.")
            else:
                raise InputError(
                    "--control text: there are no passages. Name them with --passages, or give "
                    "triples with a column `passage`."
                )
        notes += texts.sentences()
    return questions, tuple(systems), tuple(dict.fromkeys(notes))


def _source(
    options: GraphragOptions, path: Path, ontology: tuple[Ontology | None, str]
) -> GraphSource:
    return GraphSource(
        path=path,
        columns=shared.named_columns(options.column or ()),
        encoding=options.encoding,
        aliases=options.aliases,
        ontology=ontology[0],
        ontology_identity=ontology[1],
    )


async def _text_system(
    options: GraphragOptions,
    index: Path,
    questions: Sequence[GraphQuestion],
    texts: _Texts,
    search: Search,
    kept_in: Path | None,
    progress: Progress,
) -> System | None:
    """The control `text`; None where there are no passages."""
    source = passages_source(" and ".join(options.graph_files), texts.read)
    opened = await open_index_of(source, index / TEXT, search, progress=progress)
    async with opened as passages:
        if not len(passages):
            return None
        step = _counted(progress, "looking up passages", len(questions))
        k = options.top_k or 10
        return await from_passages(passages, questions, k, kept_in=kept_in, step=step)


def graph_folder(index: Path, name: str) -> Path:
    """Where the index of a graph of that name is, in the folder of indexes."""
    return index / f"graph-{name}"


def _drawn(options: GraphragOptions, odd: Problems) -> tuple[GraphQuestion, ...]:
    """The questions that are asked, in their order."""
    path, limit = options.questions_file, options.limit
    questions = read_graph_questions(
        path, odd, first_option=options.first_option, encoding=options.encoding
    )
    if limit is None or limit >= len(questions):
        return questions
    drawn = set(simple_random([one.id for one in questions], limit, seed=options.seed).keys)
    return tuple(one for one in questions if one.id in drawn)


def _counted(progress: Progress, what: str, total: int) -> Callable[[], None]:
    """A step that tells how many were made."""
    numbers = count(1)
    return lambda: progress(what, next(numbers), total)


class _Texts:
    """The passages of the file, then those of the triples; `stack` closes the file."""

    def __init__(self, options: GraphragOptions, stack: ExitStack) -> None:
        self._options = options
        self._odd = {"passages": Problems()}
        self._passages: Passages | None = None
        if (path := options.passages_file) is not None:
            opened = read_passages(path, self._odd["passages"], encoding=options.encoding)
            self._passages = stack.enter_context(opened)

    def read(self) -> Iterator[tuple[str, str]]:
        """Id and text of each."""
        options = self._options
        if self._passages is not None:
            yield from self._passages
        for name, path in options.graph_files.items():
            self._odd[name] = Problems()
            for triple in read_triples(
                path,
                self._odd[name],
                passages=self._passages,
                columns=shared.named_columns(options.column or ()),
                encoding=options.encoding,
            ):
                if triple.passage:
                    yield triple.passage_id, triple.passage

    def sentences(self) -> Iterator[str]:
        """What was odd in each file."""
        for name, odd in self._odd.items():
            yield from (f"{name}: {sentence}" for sentence in odd.sentences())


def passages_source(name: str, passages: Callable[[], Iterable[tuple[str, str]]]) -> PassageSource:
    """Passages to be indexed, each text once.

    Args:
        name: whose they are: no path.
        passages: reads id and text of each; ids need not differ.
    """

    async def read(progress: Progress) -> AsyncIterator[IndexedChunk]:
        texts: set[bytes] = set()
        names: set[str] = set()
        for given, text in passages():
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest in texts or not text.strip():
                continue
            texts.add(digest)
            shown = given if given and given not in names else f"passage {len(texts)}"
            names.add(shown)
            yield IndexedChunk(chunk=Chunk(id=shown, title="", text=text))
            progress("reading passages", len(texts), 0)

    return PassageSource(
        identity=f"passages of {name}", version="graphrag-1", settled=False, passages=read
    )
