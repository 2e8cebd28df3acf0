"""Writes the index of a graph: triples, the names of their ends, and where they meet.

triples.npy             head, relation, tail of each triple; shape (m, 3), int32
edges.npy, starts.npy   triples of each node, by relation, and where those of each begin
names.bin, names.at     the names of the nodes
keys.*                  what a question may call them: a trie, and the nodes of each key
tokens.*                the words of each name, as numbers in `vocabulary.trie`
said.*                  the words of statements, of triples that have one
extras.*                what else a row says: its id, its passage, its confidence
words/                  BM25 over the names
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from factmark.files.text_files import without_surrogates
from factmark.graphrag.core.question_words import (
    HOW,
    LONGEST_STATEMENT,
    initials,
    name_keys,
    other_names,
    piece_key,
    pieces,
)
from factmark.graphs.core.claims import Triple, relation_key
from factmark.graphs.core.ontology import Ontology
from factmark.passages.lexical import LexicalWriter

INITIALS = "\x01"
"""Stands before the initials of a name, which only an acronym is looked up among."""
_ALIKE = frozenset({"same_as", "possibly_equivalent_to", "owl_same_as", "alt_label", "alias_of"})
EXTRAS = ("id", "passage_id", "where", "confidence", "head_id", "tail_id", "statement")
"""What a triple says beside its ends and relation."""
_BATCH = 10_000
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


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
        self._ontology, self._aliases = ontology, aliases or {}
        self._written: dict[str, int] = {}  # as it stands in a row -> its node
        self._nodes: dict[str, int] = {}  # its identity -> its node
        self._relations: dict[str, int] = {}
        self._rows = array("i")
        self._names = (folder / "names.bin").open("wb")
        self._names_at = array("q", [0])
        self._extras = (folder / "extras.bin").open("wb")
        self._extras_at = array("q", [0])
        self._tokens, self._tokens_at = array("i"), array("q", [0])
        self._said, self._said_at = array("i"), array("q", [0])
        self._said_words: dict[str, int] = {}
        self._vocabulary: dict[str, int] = {}
        self._keys: list[str] = []
        self._key_nodes, self._key_how = array("i"), array("b")
        self._words = LexicalWriter(folder / "words")
        self._waiting: list[tuple[str, str]] = []
        self.count = 0

    def add(self, triples: Iterable[Triple]) -> None:
        """Adds triples; one that is there already counts once, with what its first row says."""
        for triple in triples:
            head = self._node(triple.head, triple.head_id)
            tail = self._node(triple.tail, triple.tail_id)
            relation = self._relations.setdefault(triple.relation, len(self._relations))
            statement = 0
            if triple.statement:
                statement = crc32(_bytes(triple.statement)) >> 1  # tells those of equal ends apart
                self._say(triple.statement)
            self._rows.extend((head, relation, tail, statement))
            self._said_at.append(len(self._said))
            self._extras_at.append(self._extras_at[-1] + self._extra(triple))
            self.count += 1

    def finish(self) -> None:
        """Writes everything."""
        self._flush()
        self._words.finish()
        self._names.close()
        self._extras.close()
        rows, kept = _unique(np.frombuffer(self._rows, dtype=np.int32).reshape(-1, 4))
        rows = np.ascontiguousarray(rows[:, :3])
        self._save("triples", rows)
        for name, places in (("extras.at", self._extras_at), ("said.at", self._said_at)):
            at = np.frombuffer(places, dtype=np.int64)
            self._save(name, np.stack([at[kept], at[kept + 1]], axis=1))
        for name, numbers in (("said", self._said), ("tokens", self._tokens)):
            self._save(name, np.frombuffer(numbers, dtype=np.int32))
        for name, places in (("names.at", self._names_at), ("tokens.at", self._tokens_at)):
            self._save(name, np.frombuffer(places, dtype=np.int64))
        self._edges(rows)
        self._aliases_of_graph(rows)
        self._save_keys()
        self._save_vocabulary()
        relations = [without_surrogates(name) for name in self._relations]
        text = json.dumps(relations, ensure_ascii=False)
        (self._folder / "relations.json").write_text(text, encoding="utf-8")

    def close(self) -> None:
        """Closes the files, finished or not; may be called twice."""
        for file in (self._names, self._extras):
            with suppress(OSError):  # of a full disk, which was told before
                file.close()

    def _node(self, name: str, given: str) -> int:
        """The node of a name: the same id in its source, or else the same name as compared."""
        raw = f"{given}\0{name}" if given else name
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
        self._names_at.append(self._names_at[-1] + self._names.write(_bytes(name)))
        keys = name_keys(name)
        self._tokens.extend(map(self._word, keys))
        self._tokens_at.append(len(self._tokens))
        self._waiting.append(("", name))
        if len(self._waiting) >= _BATCH:
            self._flush()
        own = " ".join(keys)
        self._key(own, number, "name")
        if (short := initials(keys)) is not None:
            self._key(INITIALS + short, number, "initials")
        for other in (*other_names(name), *self._aliases.get(own, ())):
            self._key(" ".join(name_keys(other)), number, "alias")
        for concept in self._ontology.concepts(name) if self._ontology else ():
            for other in (concept.name, *concept.synonyms):
                self._key(" ".join(name_keys(other)), number, "synonym")

    def _say(self, statement: str) -> None:
        """Notes the words of a statement."""
        for start, end in islice(pieces(statement), LONGEST_STATEMENT):
            piece = statement[start:end]
            if piece not in self._said_words:
                self._said_words[piece] = self._word(piece_key(piece))
            self._said.append(self._said_words[piece])

    def _word(self, key: str) -> int:
        return self._vocabulary.setdefault(without_surrogates(key), len(self._vocabulary))

    def _key(self, key: str, node: int, how: str) -> None:
        if key:
            self._keys.append(f"{without_surrogates(key)} ")  # ends where a word ends
            self._key_nodes.append(node)
            self._key_how.append(HOW.index(how))

    def _flush(self) -> None:
        self._words.add(self._waiting)
        self._waiting = []

    def _extra(self, triple: Triple) -> int:
        extra = {
            name: value
            for name in EXTRAS
            if (value := getattr(triple, name)) or (name == "confidence" and value is not None)
        }
        return self._extras.write(_bytes(json.dumps(extra))) if extra else 0

    def _edges(self, rows: Ints) -> None:
        """The triples of each node, those of one relation side by side."""
        loops = rows[:, 0] == rows[:, 2]
        numbers = np.arange(len(rows), dtype=np.int32)
        nodes = np.concatenate([rows[:, 0], rows[~loops, 2]])
        relations = np.concatenate([rows[:, 1], rows[~loops, 1]])
        edges = np.concatenate([numbers, numbers[~loops]])
        order = np.lexsort((edges, relations, nodes))
        starts = np.searchsorted(nodes[order], np.arange(len(self._nodes) + 1))
        self._save("edges", edges[order])
        self._save("starts", starts.astype(np.int64))

    def _aliases_of_graph(self, rows: Ints) -> None:
        """Ends of `same_as` and its like are names of each other."""
        alike = [n for name, n in self._relations.items() if relation_key(name) in _ALIKE]
        if not alike:
            return
        names = {
            node: key.rstrip(" ")
            for node, how, key in zip(self._key_nodes, self._key_how, self._keys, strict=True)
            if how == HOW.index("name")
        }
        for head, _, tail in rows[np.isin(rows[:, 1], alike)].tolist():
            for end, other in ((head, tail), (tail, head)):
                if other in names:
                    self._key(names[other], end, "alias")

    def _save_keys(self) -> None:
        import marisa_trie

        trie = marisa_trie.Trie(self._keys)
        trie.save(str(self._folder / "keys.trie"))
        places = np.fromiter((trie[key] for key in self._keys), np.int64, len(self._keys))
        nodes = np.frombuffer(self._key_nodes, dtype=np.int32)
        how = np.frombuffer(self._key_how, dtype=np.int8)
        order = np.lexsort((how, nodes, places))
        places, nodes, how = places[order], nodes[order], how[order]
        first = np.ones(len(places), dtype=bool)  # the best way of each key to each node
        first[1:] = (places[1:] != places[:-1]) | (nodes[1:] != nodes[:-1])
        places, nodes, how = places[first], nodes[first], how[first]
        self._save("keys.at", np.searchsorted(places, np.arange(len(trie) + 1)).astype(np.int64))
        self._save("keys.nodes", nodes)
        self._save("keys.how", how)

    def _save_vocabulary(self) -> None:
        import marisa_trie

        vocabulary = marisa_trie.Trie(list(self._vocabulary))
        vocabulary.save(str(self._folder / "vocabulary.trie"))
        numbers = np.zeros(len(self._vocabulary), dtype=np.int32)
        for word, number in self._vocabulary.items():
            numbers[vocabulary[word]] = number
        self._save("vocabulary.numbers", numbers)
        tokens = np.frombuffer(self._tokens, dtype=np.int32)
        counts = np.bincount(tokens, minlength=len(numbers))
        self._save("vocabulary.counts", counts.astype(np.int32))

    def _save(self, name: str, values: npt.NDArray[Any]) -> None:
        np.save(self._folder / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)


def _unique(rows: Ints) -> tuple[Ints, Longs]:
    """The different rows in their order, and the place of the first of each."""
    if not len(rows):
        return rows.copy(), np.zeros(0, dtype=np.int64)
    order = np.lexsort(rows.T[::-1])  # stable: the first row stays first
    ordered = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    kept = np.sort(order[new])
    return rows[kept], kept


def _bytes(text: str) -> bytes:
    return without_surrogates(text).encode()
