"""From the files of a study to what is asked: questions drawn, graphs and passages looked up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import count
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graph_answers.core.records import NONE, TEXT, GraphQuestion
from factmark.graph_answers.index.building import open_graph_index
from factmark.graph_answers.options import GraphragOptions
from factmark.graph_answers.questions.imported_contexts import read_contexts
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graph_answers.systems import GraphRagSystem, from_graph, from_nothing, from_passages
from factmark.graphs.core.claims import WORDINGS
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.ontologies.bundled import example_questions, read_wordings
from factmark.graphs.triples.triples import read_triples
from factmark.model import Chunk
from factmark.passages.embedders import Search
from factmark.passages.index import (
    IndexedChunk,
    PassageSource,
    Progress,
    no_progress,
    open_index_of,
)
from factmark.passages.passage_file import Passages, read_passages
from factmark.stats.sampling import simple_random


async def prepare(
    given: GraphragOptions,
    index: Path,
    search: Search,
    *,
    ontology: tuple[Ontology | None, str] = (None, ""),
    kept_in: Path | None = None,
    progress: Progress = no_progress,
) -> tuple[Sequence[GraphQuestion], Sequence[GraphRagSystem], Sequence[str]]:
    """Reads the questions and looks each of them up in every graph, and in the passages.

    Args:
        index: the folder where indexes are kept.
        search: how graphs and passages are searched; not closed here.
        ontology: whose synonyms count as names, and its identity, see `open_ontology`.
        kept_in: a ledger for what is looked up by an embedder that costs something.
        progress: called with what is done, how far it is, and of how much.

    Returns:
        The questions that are asked; the graphs in their order, then the controls; what was odd in
        the files, one sentence each.

    Raises:
        InputError: there are no questions or no triples, or `text` is wanted where there are no
            passages.
        EndpointError: a question cannot be embedded.
    """
    problems = Problems()
    questions = _draw_questions(given, problems)
    notes = list(problems.sentences())
    if given.wordings is None:
        wordings = WORDINGS
    else:
        wordings = read_wordings(given.wordings)
    systems = []

    def counted(what: str) -> Callable[[], None]:
        numbers = count(1)
        return lambda: progress(what, next(numbers), len(questions))

    with ExitStack() as stack:
        problems_of = {"passages": Problems()}
        texts = None
        path = given.passages_file
        if path is not None:
            opened_file = read_passages(
                path, problems_of["passages"], encoding=given.lookup.encoding
            )
            texts = stack.enter_context(opened_file)
        for name, file in given.graph_files.items():
            opened = await open_graph_index(
                given.lookup.source(file, ontology, given.passages_file),
                index / f"graph-{name}",
                embedder=search.embedder,
                limits=given.lookup.limits(given.preset),
                wordings=wordings,
                progress=progress,
            )
            notes += [f"{name}: {note}" for note in opened.notes]
            step = counted(f"looking up in {name}")
            systems.append(
                await from_graph(
                    name, opened, questions, wordings=wordings, kept_in=kept_in, step=step
                )
            )
        systems += _read_imported(given, questions, notes)
        if NONE in given.controls:
            systems.append(from_nothing(questions))
        if TEXT in given.controls:
            source = passages_source(
                " and ".join(given.graph_files), lambda: _read_passages(given, texts, problems_of)
            )
            async with await open_index_of(
                source, index / TEXT, search, progress=progress
            ) as passages:
                if len(passages):
                    step = counted("looking up passages")
                    k = given.lookup.top_k or 10
                    systems.append(
                        await from_passages(passages, questions, k, kept_in=kept_in, step=step)
                    )
                elif given.control is None:
                    notes.append("There are no passages, so there is no control `text`.")
                else:
                    raise InputError(
                        "--control text: there are no passages. Name them with --passages, or give "
                        "triples with a column `passage`."
                    )
        notes += [
            f"{name}: {note}" for name, odd in problems_of.items() for note in odd.sentences()
        ]
    return questions, systems, list(dict.fromkeys(notes))


def _read_imported(
    given: GraphragOptions, questions: Sequence[GraphQuestion], notes: list[str]
) -> Iterator[GraphRagSystem]:
    """Yields what other retrievers found, as systems; what was odd is added to the notes."""
    for name, file in given.imported_contexts.items():
        system, odd = read_contexts(name, file, questions, given.lookup.encoding)
        notes += odd
        yield system


def _draw_questions(given: GraphragOptions, problems: Problems) -> Sequence[GraphQuestion]:
    """Returns the questions that are asked, all or a random sample, in their order."""
    questions = read_graph_questions(
        given.questions or example_questions(),
        problems,
        first_option=given.first_option,
        encoding=given.lookup.encoding,
    )
    if given.limit is None or given.limit >= len(questions):
        return questions
    names = [question.id for question in questions]
    drawn = set(simple_random(names, given.limit, seed=given.seed).keys)
    return [question for question in questions if question.id in drawn]


def _read_passages(
    given: GraphragOptions, passages: Passages | None, problems_of: dict[str, Problems]
) -> Iterator[tuple[str, str]]:
    """Yields id and text of the passages of the file, then of those of the triples.

    Args:
        problems_of: what was odd in each graph is added here.
    """
    if passages is not None:
        yield from passages
    for name, path in given.graph_files.items():
        problems_of[name] = Problems()
        for triple in read_triples(
            path,
            problems_of[name],
            passages=passages,
            columns=given.lookup.columns,
            encoding=given.lookup.encoding,
        ):
            if triple.passage:
                yield triple.passage_id, triple.passage


def passages_source(name: str, passages: Callable[[], Iterable[tuple[str, str]]]) -> PassageSource:
    """Returns passages to be indexed, each text once.

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
            if given and given not in names:
                shown = given
            else:
                shown = f"passage {len(texts)}"
            names.add(shown)
            yield IndexedChunk(chunk=Chunk(id=shown, title="", text=text))
            progress("reading passages", len(texts), 0)

    return PassageSource(
        identity=f"passages of {name}", version="graphrag-1", settled=False, passages=read
    )
