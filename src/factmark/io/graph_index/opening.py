"""Stand-in until the index on disk is merged: all triples in memory, ranked by shared words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.graphs.claims import Triple, claim, unique_triples
from factmark.graphs.contexts import Context, Fact, Limits
from factmark.graphs.ontology import Ontology
from factmark.graphs.wordings import WORDINGS
from factmark.io.index.embedders import Search
from factmark.model import content_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_WORD = re.compile(r"\w{3,}")


class WordsIndex:
    """Triples in memory."""

    def __init__(self, triples: Iterable[Triple], limits: Limits, wordings: Mapping[str, str]):
        self._triples = list(unique_triples(triples))
        self._texts = [claim(triple, wordings) for triple in self._triples]
        self._limits = limits
        self._by_word: dict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(self._texts):
            for word in _WORD.findall(text.casefold()):
                self._by_word[word].add(number)

    @property
    def identity(self) -> str:
        """What is searched and how."""
        return f"words over {len(self._texts)} triples {content_hash(self._texts)[:12]}"

    async def context(self, question: str, options: Sequence[str] = ()) -> Context:
        """The triples that share most words."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(_WORD.findall(" ".join((question, *options)).casefold())):
            for number in self._by_word.get(word, ()):
                scores[number] += 1 / len(self._by_word[word])
        best = sorted(scores, key=lambda number: (-scores[number], number))[: self._limits.top_k]
        facts = tuple(
            Fact(
                number=number,
                triple=self._triples[number],
                text=self._texts[number],
                score=scores[number],
                hops=0,
            )
            for number in best
        )
        return Context(facts=facts, reached=len(scores))

    def holds(self, names: Sequence[str], question: str, options: Sequence[str] = ()) -> bool:
        """Whether an entity of one of these names is anywhere."""
        known = {name.casefold() for one in self._triples for name in (one.head, one.tail)}
        return any(name.casefold() in known for name in names)


@asynccontextmanager
async def open_graph_index(
    folder: Path,
    triples: Callable[[], Iterable[Triple]],
    search: Search,
    *,
    limits: Limits,
    wordings: Mapping[str, str] = WORDINGS,
    aliases: Iterable[tuple[str, str]] = (),
    ontology: Ontology | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> AsyncIterator[WordsIndex]:
    """The index of a graph."""
    yield WordsIndex(triples(), limits, wordings)
