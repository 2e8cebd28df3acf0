"""BM25 over titles and texts, on disk, by tantivy, and how the best hits of any index are ordered.

Texts are numbered from 0 in the order of adding.

Words are lower-cased, freed of accents, stemmed as English; runs of letters and digits such as
codes stay whole, and `CommercialPurpose` is found as a word and as two. A question is never parsed:
its words become terms, so that quotes, colons and brackets in it mean nothing.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.files.temporary import temporary_folder
from factmark.files.text_files import without_surrogates
from factmark.stats.rounding import CLOSE_32, tiers

if TYPE_CHECKING:
    import tantivy

Hit = tuple[float, int]
"""How well something fits, and its number."""

FUSION = 60
"""The k of reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009."""
_MOST_EQUALS = 4_096
TITLE_BOOST = 2.0
MOST_WORDS = 256
"""Different words of a question that are looked up; more are no question."""
_LONGEST_QUESTION = 20_000
_LONGEST_WORD = 80
_HEAP = 64 * 2**20
_ANALYSER = "factmark-english"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MIXED = re.compile(r"\b[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*\b")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
# Words of questions and of talk that say nothing of what is asked for.
_ASKED = (
    "which what who whom whose when where why how many much do does did can could may might shall "
    "should would will i me my you your we our us please tell give list show any some have has had"
).split()


def text_to_analyse(text: str) -> str:
    """A text as it is analysed: compatibility forms resolved, mixed-case words also in parts.

    >>> text_to_analyse("for CommercialPurpose")
    'for CommercialPurpose Commercial Purpose'
    """
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", without_surrogates(text)))
    parts = []
    for word in _MIXED.findall(text):
        parts.append(_CAMEL.sub(" ", word))
    return " ".join([text, *parts])


def terms_of(text: str) -> list[str]:
    """Returns the terms of a text, in its order, with repeats."""
    terms: list[str] = _analyser().analyze(text_to_analyse(text))
    return terms


@cache
def _question_terms() -> frozenset[str]:
    """Returns the terms that every question has, such as those of "which"; they find nothing."""
    return frozenset(term for word in _ASKED for term in terms_of(word))


@cache
def _analyser() -> tantivy.TextAnalyzer:
    """Returns what cuts a text into terms, the same for texts and questions."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for step in (
        Filter.remove_long(_LONGEST_WORD),
        Filter.lowercase(),
        Filter.ascii_fold(),
        Filter.stopword("english"),
        Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


@cache
def _schema() -> tantivy.Schema:
    """The fields of an index: title and text, searched but not stored, and the text's number."""
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_unsigned_field("number", stored=False, indexed=False, fast=True)
    for name in ("title", "text"):
        builder.add_text_field(name, tokenizer_name=_ANALYSER, index_option="freq")
    return builder.build()


class LexicalWriter:
    """Makes an index in an empty folder."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(_schema(), path=str(folder))
        index.register_tokenizer(_ANALYSER, _analyser())
        self._writer = index.writer(_HEAP, 1)
        self._count = 0

    def add(self, texts: Iterable[tuple[str, str]]) -> None:
        """Adds pairs of a title and a text."""
        import tantivy

        for title, text in texts:
            document = tantivy.Document()
            document.add_unsigned("number", self._count)
            document.add_text("title", text_to_analyse(title))
            document.add_text("text", text_to_analyse(text))
            self._writer.add_document(document)
            self._count += 1

    def finish(self) -> None:
        """Writes what was added; nothing can be added after it."""
        self._writer.commit()
        self._writer.wait_merging_threads()


@contextmanager
def _folder_with_lock(folder: Path) -> Iterator[Path]:
    """Yields the folder, or one with links to its files where the folder is read-only: tantivy
    opens no index where it cannot create its lock.
    """
    if os.access(folder, os.W_OK):
        yield folder
        return
    with temporary_folder() as links:
        for file in folder.iterdir():
            if file.suffix != ".lock":
                (links / file.name).symlink_to(file.absolute())
        yield links


class LexicalIndex:
    """Opens a folder that `LexicalWriter` made. Safe to use from several threads.

    Raises:
        ValueError, OSError: it is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        with _folder_with_lock(folder) as place:
            import tantivy

            index = tantivy.Index.open(str(place))
            index.register_tokenizer(_ANALYSER, _analyser())
            self._schema = index.schema
            self._searcher = index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(self, question: str, k: int) -> list[Hit]:
        """The k best texts that share a word with the question, best first; equals by number."""
        query = self._query(question)
        if query is None or k < 1 or not len(self):
            return []
        return best_hits(lambda limit: self._run_query(query, limit), k, len(self))

    def near(self, word: str, distance: int, k: int) -> list[int]:
        """Returns the numbers of some texts with a word at most `distance` letters different from
        this one.
        """
        from tantivy import Query

        terms = terms_of(word)
        if len(terms) != 1 or k < 1 or not len(self):
            return []
        query = Query.fuzzy_term_query(self._schema, "text", terms[0], distance=distance)
        return [number for _, number in self._run_query(query, k)]

    def _run_query(self, query: tantivy.Query, limit: int) -> list[Hit]:
        """Returns up to `limit` hits of a query, each a score and a text's number."""
        hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        numbers = self._searcher.fast_field_values("number", addresses)
        return [(float(hit[0]), int(n or 0)) for hit, n in zip(hits, numbers, strict=True)]

    def _query(self, question: str) -> tantivy.Query | None:
        """Returns the question as a query for any of its words; None if it has none."""
        from tantivy import Occur, Query

        terms = list(dict.fromkeys(terms_of(question[:_LONGEST_QUESTION])))
        # A question of such words alone ("which will?") is still searched by them.
        kept = [term for term in terms if term not in _question_terms()] or terms
        wanted = []
        for term in kept[:MOST_WORDS]:
            title, text = (
                Query.term_query(self._schema, field, term, index_option="freq")
                for field in ("title", "text")
            )
            wanted += [(Occur.Should, Query.boost_query(title, TITLE_BOOST)), (Occur.Should, text)]
        if wanted:
            return Query.boolean_query(wanted)
        return None


def best_hits(search: Callable[[int], list[Hit]], k: int, total: int) -> list[Hit]:
    """Returns the k best hits; equally good ones by their numbers.

    An index may order equals as it likes and cut them off anywhere, so more are asked for until the
    last one is worse than the k-th. Past 4,096 equals the order is the index's own.

    Args:
        search: gives up to so many hits, best first.
        total: how many there are.
    """
    limit = min(total, k + 8)
    while True:
        hits = search(limit)
        ordered = sort_hits(hits)
        all_seen = len(hits) < limit or limit >= total
        last = 0.0
        if hits:
            last = ordered[-1][0]
        kth = 0.0
        if len(hits) >= k:
            kth = ordered[k - 1][0]
        if all_seen or last < kth - CLOSE_32 * abs(kth) or limit >= max(_MOST_EQUALS, k):
            return ordered[:k]
        limit = min(total, 4 * limit)


def sort_hits(hits: Sequence[Hit]) -> list[Hit]:
    """The hits best first; those that are equally good but for rounding by their numbers."""
    places = tiers([score for score, _ in hits], CLOSE_32).tolist()
    ranked = sorted(zip(places, hits, strict=True), key=lambda pair: (-pair[0], pair[1][1]))
    return [hit for _, hit in ranked]


def fuse_rankings(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """Returns the k best over several rankings: each gives 1 / (60 + rank) to what it holds.

    >>> fuse_rankings([[(9.0, 1), (8.0, 2)], [(0.5, 2)]], 1)
    [(0.03252247488101534, 2)]
    """
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, (_, number) in enumerate(ranking, start=1):
            scores[number] += 1 / (FUSION + rank)
    return sort_hits([(score, number) for number, score in scores.items()])[:k]
