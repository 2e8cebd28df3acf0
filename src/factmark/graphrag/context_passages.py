"""The texts that retrieved triples were extracted from, which an index of a graph does not keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from factmark.files.problems import Problems
from factmark.graphrag.core.contexts import Fact
from factmark.graphrag.core.outcomes import Outcome
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages

_Row = tuple[str, str, str, str, str]


def with_passages(
    outcomes: Iterable[Outcome],
    graphs: Mapping[str, Path],
    *,
    passages: Path | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Iterator[Outcome]:
    """Outcomes whose triples have their passages, where the files have them.

    The files are read again, each once; what is odd in them was told when they were indexed. The
    texts of triples that were retrieved are held in memory.

    Args:
        graphs: name of a system -> file or folder with its triples.
        passages: the file with the texts that triples name by id.
        columns, encoding: as for `read_triples`.

    Raises:
        InputError: a file cannot be read any more.
    """
    known = list(outcomes)
    texts: dict[tuple[str, _Row], str] = {}
    wanted: dict[str, set[_Row]] = {}
    for one in known:
        for fact in one.given.context.facts if one.given.context else ():
            if fact.triple.passage is None:
                wanted.setdefault(one.system, set()).add(_row(fact.triple))
    with ExitStack() as stack:
        store = None
        if passages is not None and wanted:
            read = read_passages(passages, Problems(), encoding=encoding)
            store = stack.enter_context(read)
        for name in wanted.keys() & graphs.keys():
            triples = read_triples(
                graphs[name], Problems(), passages=store, columns=columns, encoding=encoding
            )
            for triple in triples:
                row = _row(triple)
                if triple.passage and row in wanted[name]:
                    texts.setdefault((name, row), triple.passage)
    for one in known:
        yield _with_texts(one, texts)


def _with_texts(outcome: Outcome, texts: Mapping[tuple[str, _Row], str]) -> Outcome:
    given, context = outcome.given, outcome.given.context
    if context is None:
        return outcome

    def told(fact: Fact) -> Fact:
        text = texts.get((outcome.system, _row(fact.triple)))
        return fact if text is None else replace(fact, triple=replace(fact.triple, passage=text))

    facts = tuple(map(told, context.facts))
    return replace(outcome, given=replace(given, context=replace(context, facts=facts)))


def _row(triple: Triple) -> _Row:
    return triple.where, triple.passage_id, triple.head, triple.relation, triple.tail
