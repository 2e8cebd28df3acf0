"""Writes the index of a graph: triples, the names of their ends, and where they meet.

triples.npy             head, relation, tail of each triple; shape (m, 3), int32
edges.npy, starts.npy   triples of each node, by relation, and where those of each begin
names.*                 the names of the nodes, in UTF-8
tokens.*                the words of each name, by their numbers
said.*                  the words of statements, of triples that have one
extras.*                what else a row says: its id, its passage, its confidence; JSON
keys.trie               what a question may call the nodes -> each node, and how it is named so
vocabulary.trie         word of a name -> its number, and how often names have it
words/                  BM25 over the names
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from factmark.files.text_files import without_surrogates
from factmark.graph_answers.core.question_words import (
    HOW,
    LONGEST_STATEMENT,
    initials,
    name_keys,
    other_names,
    piece_key,
    pieces,
)
from factmark.graph_answers.core.retrieval import Ints
from factmark.graphs.core.claims import Triple, relation_key
from factmark.graphs.core.ontology import Ontology
from factmark.passages.lexical import LexicalWriter

INITIALS = "\x01"
"""Stands before the initials of a name, which only an acronym is looked up among."""
KEYS = ">IB"
VOCABULARY = ">II"
"""The formats of what the tries hold, in `struct`'s letters."""
_ALIKE = frozenset({"same_as", "possibly_equivalent_to", "owl_same_as", "alt_label", "alias_of"})
EXTRAS = ("id", "passage_id", "where", "confidence", "head_id", "tail_id", "statement")
"""What a triple says beside its ends and relation."""
_BATCH = 10_000


class _Stretches:
    """Stretches of numbers, one after another, and where each begins; see `graph.Stretches`."""

    def __init__(self, kind: str) -> None:
        self.values, self._starts = array(kind), array("q", [0])

    def add(self, values: bytes | Iterable[int]) -> None:
        """Adds a stretch at the end."""
        if isinstance(values, bytes):
            self.values.frombytes(values)
        else:
            self.values.extend(values)
        self._starts.append(len(self.values))

    def save(self, folder: Path, name: str) -> None:
        """Writes the values, and where each stretch begins."""
        _save(folder, name, np.frombuffer(self.values, dtype=self.values.typecode))
        _save(folder, f"{name}.at", np.frombuffer(self._starts, dtype=np.int64))


class GraphWriter:
    """Gathers triples and writes them into an empty folder.

    Args:
        folder: where it goes; must exist.
        ontology: whose synonyms become names of nodes.
        aliases: other names of nodes, by the key of their name.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ontology: Ontology | None = None,
        aliases: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._folder = folder
        self._ontology = ontology
        self._aliases = aliases or {}
        self._written: dict[str, int] = {}  # as it stands in a row -> its node
        self._nodes: dict[str, int] = {}  # its identity -> its node
        self._relations: dict[str, int] = {}
        self._seen: set[tuple[int, ...]] = set()
        self._rows = array("i")
        self._names, self._extras = _Stretches("B"), _Stretches("B")
        self._tokens, self._said = _Stretches("i"), _Stretches("i")
        self._said_words: dict[str, int] = {}
        self._vocabulary: dict[str, int] = {}
        self._keys: list[str] = []
        self._named: list[tuple[int, int]] = []  # node of each key, and how it is named so
        self._words = LexicalWriter(folder / "words")
        self._waiting: list[tuple[str, str]] = []
        self.count = 0

    def add(self, triples: Iterable[Triple]) -> None:
        """Adds triples; one that is there already counts once, with what its first row says."""
        for triple in triples:
            self.count += 1
            head = self._node(triple.head, triple.head_id)
            tail = self._node(triple.tail, triple.tail_id)
            relation = self._relations.setdefault(triple.relation, len(self._relations))
            statement = 0
            if triple.statement:
                statement = crc32(_bytes(triple.statement))
            row = (head, relation, tail, statement)  # statements tell those of equal ends apart
            if row in self._seen:
                continue
            self._seen.add(row)
            self._rows.extend(row[:3])
            self._said.add(self._statement(triple.statement) if triple.statement else b"")
            extra = {name: getattr(triple, name) for name in EXTRAS}
            kept = {}
            for name, value in extra.items():
                if value not in (None, ""):
                    kept[name] = value
            self._extras.add(_bytes(json.dumps(kept)) if kept else b"")

    def finish(self) -> None:
        """Writes everything."""
        self._flush()
        self._words.finish()
        rows = np.frombuffer(self._rows, dtype=np.int32).reshape(-1, 3)
        _save(self._folder, "triples", rows)
        self._save_edges(rows)
        for name in ("names", "tokens", "said", "extras"):
            getattr(self, f"_{name}").save(self._folder, name)
        self._aliases_of_graph(rows)
        self._save_trie("keys", KEYS, zip(self._keys, self._named, strict=True))
        tokens = np.frombuffer(self._tokens.values, dtype=np.int32)
        counts = np.bincount(tokens, minlength=len(self._vocabulary)).tolist()
        words = ((word, (number, counts[number])) for word, number in self._vocabulary.items())
        self._save_trie("vocabulary", VOCABULARY, words)
        relations = [without_surrogates(name) for name in self._relations]
        text = json.dumps(relations, ensure_ascii=False)
        (self._folder / "relations.json").write_text(text, encoding="utf-8")

    def _node(self, name: str, given: str) -> int:
        """The node of a name: the same id in its source, or else the same name as compared."""
        if given:
            raw = f"{given}\0{name}"
        else:
            raw = name
        number = self._written.get(raw)
        if number is not None:
            return number
        identity = without_surrogates(f"#{given}" if given else " ".join(name.split()).casefold())
        number = self._nodes.get(identity)
        if number is None:
            number = self._nodes[identity] = len(self._nodes)
            self._new(number, name)
        elif given:  # another name of the same thing
            self._key(" ".join(name_keys(name)), number, "alias")
        self._written[raw] = number
        return number

    def _new(self, number: int, name: str) -> None:
        """Adds a node, with all keys by which its name is found."""
        keys = name_keys(name)
        self._names.add(_bytes(name))
        self._tokens.add(map(self._word, keys))
        self._waiting.append(("", name))
        if len(self._waiting) >= _BATCH:
            self._flush()
        own = " ".join(keys)
        for written in dict.fromkeys((own, " ".join(name_keys(name.casefold())))):
            self._key(written, number, "name")  # `McAdams` and `U.S.` are one word in capitals only
        short = initials(keys)
        if short is not None:
            self._key(INITIALS + short, number, "initials")
        for other in (*other_names(name), *self._aliases.get(own, ())):
            self._key(" ".join(name_keys(other)), number, "alias")
        if self._ontology:
            for concept in self._ontology.concepts(name):
                for other in (concept.name, *concept.synonyms):
                    self._key(" ".join(name_keys(other)), number, "synonym")

    def _statement(self, statement: str) -> Iterator[int]:
        """Yields the numbers of a statement's words."""
        for start, end in islice(pieces(statement), LONGEST_STATEMENT):
            piece = statement[start:end]
            if piece not in self._said_words:
                self._said_words[piece] = self._word(piece_key(piece))
            yield self._said_words[piece]

    def _word(self, key: str) -> int:
        """Returns the number of a word, a new one for a new word."""
        return self._vocabulary.setdefault(without_surrogates(key), len(self._vocabulary))

    def _key(self, key: str, node: int, how: str) -> None:
        """Adds a key by which a node is found; an empty key is left out."""
        if key:
            self._keys.append(f"{without_surrogates(key)} ")  # ends where a word ends
            self._named.append((node, HOW.index(how)))

    def _flush(self) -> None:
        """Adds the names that wait to the index of words."""
        self._words.add(self._waiting)
        self._waiting = []

    def _save_edges(self, rows: Ints) -> None:
        """Writes the triples of each node, those of one relation side by side."""
        loops = rows[:, 0] == rows[:, 2]
        numbers = np.arange(len(rows), dtype=np.int32)
        nodes = np.concatenate([rows[:, 0], rows[~loops, 2]])
        relations = np.concatenate([rows[:, 1], rows[~loops, 1]])
        edges = np.concatenate([numbers, numbers[~loops]])
        order = np.lexsort((edges, relations, nodes))
        starts = np.searchsorted(nodes[order], np.arange(len(self._nodes) + 1))
        _save(self._folder, "edges", edges[order])
        _save(self._folder, "starts", starts.astype(np.int64))

    def _aliases_of_graph(self, rows: Ints) -> None:
        """Ends of `same_as` and its like are names of each other."""
        alike = []
        for name, n in self._relations.items():
            if relation_key(name) in _ALIKE:
                alike.append(n)
        if not alike:
            return
        own = HOW.index("name")
        names = {}
        for key, (node, how) in zip(self._keys, self._named, strict=True):
            if how == own:
                names[node] = key.rstrip(" ")
        for head, _, tail in rows[np.isin(rows[:, 1], alike)].tolist():
            for end, other in ((head, tail), (tail, head)):
                if other in names:
                    self._key(names[other], end, "alias")

    def _save_trie(
        self, name: str, layout: str, values: Iterable[tuple[str, tuple[int, int]]]
    ) -> None:
        """Writes keys and their values as a trie."""
        import marisa_trie

        marisa_trie.RecordTrie(layout, values).save(str(self._folder / f"{name}.trie"))


def save_stretches(
    folder: Path, name: str, kind: str, values: Iterable[bytes | Iterable[int]]
) -> None:
    """Writes stretches of numbers, which `graph.Stretches` reads.

    Args:
        kind: of the numbers, a letter of `array`.
    """
    stretches = _Stretches(kind)
    for each in values:
        stretches.add(each)
    stretches.save(folder, name)


def _save(folder: Path, name: str, values: npt.NDArray[Any]) -> None:
    """Writes an array of the index."""
    np.save(folder / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)


def _bytes(text: str) -> bytes:
    """Returns a text in UTF-8, with U+FFFD for lone surrogates."""
    return without_surrogates(text).encode()
