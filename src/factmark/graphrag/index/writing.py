"""Writes a segment of a graph's index: triples, the names of their ends, and where they meet.

    triples.npy             head, relation, tail of each triple; shape (m, 3), int32
    edges.npy               triples of each node, by relation; shape (<= 2m,), int32
    nodes.npy, starts.npy   the nodes that have some, ascending, and where theirs begin
    names.bin, names.at     the names of the nodes that this segment was first to see
    keys.*                  what a question may call them: a trie, and the nodes of each key
    ids.*                   what makes two rows the same node: a trie, and its node
    tokens.*                the words of each name, as numbers in `vocabulary.trie`
    said.*                  the words of statements, of triples that have one
    extras.*                what else a row says: its id, its passage, its confidence
    words/                  BM25 over the names

Nodes are numbered through all segments of an index, triples from 0 in each.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Set
from itertools import islice
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from factmark.files.text_files import without_surrogates
from factmark.graphs.core.claims import Triple, relation_key
from factmark.graphs.core.linking import (
    HOW,
    LONGEST_STATEMENT,
    initials,
    name_keys,
    other_names,
    piece_key,
    pieces,
)
from factmark.graphs.core.ontology import Ontology
from factmark.passages.lexical import LexicalWriter

INITIALS = "\x01"
"""Stands before the initials of a name, which only an acronym is looked up among."""
_ALIKE = frozenset({"same_as", "possibly_equivalent_to", "owl_same_as", "alt_label", "alias_of"})
_BATCH = 10_000
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class Earlier(Protocol):
    """The segments that an index has already, as one graph."""

    nodes: int

    def node(self, identity: str) -> int | None:
        """The node of an identity."""
        ...

    def name(self, node: int) -> str:
        """A node's name."""
        ...

    def tails(self, head: int) -> Set[tuple[str, int, int]]:
        """Relation, tail and `statement_number` of the triples of a head."""
        ...


def identity(name: str, given: str) -> str:
    """What makes two ends the same node: the id in its source, or else its name as compared."""
    return f"#{given}" if given else " ".join(name.split()).casefold()


def statement_number(statement: str) -> int:
    """What tells the statements of edges between the same ends apart; 0 for none."""
    return crc32(_bytes(statement)) >> 1 if statement else 0


class SegmentWriter:
    """Gathers triples and writes them into an empty folder.

    Args:
        folder: where it goes; must exist.
        earlier: what the index has already, which is not written again.
        ontology: whose synonyms become names of nodes.
        aliases: other names of nodes, by the key of their name.
    """

    def __init__(
        self,
        folder: Path,
        *,
        earlier: Earlier | None = None,
        ontology: Ontology | None = None,
        aliases: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._folder, self._earlier = folder, earlier
        self._first = earlier.nodes if earlier else 0
        self._ontology, self._aliases = ontology, aliases or {}
        self._written: dict[str, int] = {}  # as it stands in a row -> its node
        self._nodes: dict[str, int] = {}
        self._identities: list[str] = []  # of the new nodes, in order
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
        self._words = LexicalWriter(folder / "words", first=self._first)
        self._waiting: list[tuple[str, str]] = []
        self.count = 0

    def add(self, triples: Iterable[Triple]) -> None:
        """Adds triples; one that is there already counts once, with what its first row says."""
        for triple in triples:
            self._add(triple)

    def _add(self, triple: Triple) -> None:
        head = self._node(triple.head, triple.head_id)
        tail = self._node(triple.tail, triple.tail_id)
        relation = self._relations.setdefault(triple.relation, len(self._relations))
        said = 0
        if triple.statement:
            said = statement_number(triple.statement)
            self._say(triple.statement)
        self._rows.extend((head, relation, tail, said))
        self._said_at.append(len(self._said))
        self._extras_at.append(self._extras_at[-1] + self._extra(triple))
        self.count += 1

    def finish(self) -> tuple[int, int]:
        """Writes everything; how many triples and new nodes there are."""
        self._flush()
        self._words.finish()
        self._names.close()
        self._extras.close()
        rows, kept = _unique(np.frombuffer(self._rows, dtype=np.int32).reshape(-1, 4))
        rows, kept = self._not_yet(rows, kept)
        rows = np.ascontiguousarray(rows[:, :3])
        self._save("triples", rows)
        for name, places in (("extras.at", self._extras_at), ("said.at", self._said_at)):
            at = np.frombuffer(places, dtype=np.int64)
            self._save(name, np.stack([at[kept], at[kept + 1]], axis=1))
        self._save("said", np.frombuffer(self._said, dtype=np.int32))
        self._edges(rows)
        self._aliases_of_graph(rows)
        self._save("names.at", np.frombuffer(self._names_at, dtype=np.int64))
        self._save("tokens", np.frombuffer(self._tokens, dtype=np.int32))
        self._save("tokens.at", np.frombuffer(self._tokens_at, dtype=np.int64))
        self._tries()
        relations = [without_surrogates(name) for name in self._relations]
        text = json.dumps(relations, ensure_ascii=False)
        (self._folder / "relations.json").write_text(text, encoding="utf-8")
        return len(rows), len(self._identities)

    def close(self) -> None:
        """Closes the files, finished or not; may be called twice."""
        self._names.close()
        self._extras.close()

    def _node(self, name: str, given: str) -> int:
        raw = f"{given}\0{name}" if given else name
        number = self._written.get(raw)
        if number is not None:
            return number
        found = without_surrogates(identity(name, given))
        number = self._nodes.get(found)
        if number is None and self._earlier is not None:
            number = self._earlier.node(found)
        if number is None:
            number = self._first + len(self._identities)
            self._identities.append(found)
            self._new(number, name)
        elif given:  # another name of the same thing
            self._key(" ".join(name_keys(name)), number, "alias")
        self._written[raw] = self._nodes[found] = number
        return number

    def _new(self, number: int, name: str) -> None:
        self._names_at.append(self._names_at[-1] + self._names.write(_bytes(name)))
        keys = name_keys(name)
        for key in keys:
            self._tokens.append(self._word(key))
        self._tokens_at.append(len(self._tokens))
        self._waiting.append(("", name))
        if len(self._waiting) >= _BATCH:
            self._flush()
        own = " ".join(keys)
        self._key(own, number, "name")
        if (short := initials(keys)) is not None:
            self._key(INITIALS + short, number, "initials")
        for other in other_names(name):
            self._key(" ".join(name_keys(other)), number, "alias")
        for other in self._aliases.get(own, ()):
            self._key(" ".join(name_keys(other)), number, "alias")
        if self._ontology is not None:
            for concept in self._ontology.concepts(name):
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

    def _not_yet(self, rows: Ints, kept: Longs) -> tuple[Ints, Longs]:
        """The rows that no earlier segment has."""
        if self._earlier is None:
            return rows, kept
        names = list(self._relations)
        tails: dict[int, Set[tuple[str, int, int]]] = {}
        new = []
        for head, relation, tail, said in rows.tolist():
            if max(head, tail) >= self._first:
                new.append(True)
                continue
            if head not in tails:
                tails[head] = self._earlier.tails(head)
            new.append((names[relation], tail, said) not in tails[head])
        return rows[new], kept[new]

    def _flush(self) -> None:
        self._words.add(self._waiting)
        self._waiting = []

    def _extra(self, triple: Triple) -> int:
        if not (
            triple.id
            or triple.passage_id
            or triple.where
            or triple.head_id
            or triple.tail_id
            or triple.statement
            or triple.confidence is not None
        ):
            return 0
        parts = (triple.id, triple.passage_id, triple.where, triple.confidence)
        ids = (triple.head_id, triple.tail_id, triple.statement)
        return self._extras.write(_bytes(json.dumps([*parts, *ids])))

    def _edges(self, rows: Ints) -> None:
        """The triples of each node, those of one relation side by side."""
        loops = rows[:, 0] == rows[:, 2]
        numbers = np.arange(len(rows), dtype=np.int32)
        nodes = np.concatenate([rows[:, 0], rows[~loops, 2]])
        relations = np.concatenate([rows[:, 1], rows[~loops, 1]])
        edges = np.concatenate([numbers, numbers[~loops]])
        order = np.lexsort((edges, relations, nodes))
        found, starts = np.unique(nodes[order], return_index=True)
        self._save("edges", edges[order])
        self._save("nodes", found.astype(np.int32))
        self._save("starts", np.append(starts, len(edges)).astype(np.int64))

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
        older = self._earlier
        for head, _, tail in rows[np.isin(rows[:, 1], alike)].tolist():
            for one, other in ((head, tail), (tail, head)):
                if other not in names and older is not None and other < self._first:
                    names[other] = " ".join(name_keys(older.name(other)))
                if other in names:
                    self._key(names[other], one, "alias")

    def _tries(self) -> None:
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
        ids = marisa_trie.Trie(self._identities)
        ids.save(str(self._folder / "ids.trie"))
        numbers = np.empty(len(ids), dtype=np.int32)
        for place, name in enumerate(self._identities):
            numbers[ids[name]] = self._first + place
        self._save("ids.nodes", numbers)
        vocabulary = marisa_trie.Trie(list(self._vocabulary))
        vocabulary.save(str(self._folder / "vocabulary.trie"))
        told = np.zeros(len(self._vocabulary), dtype=np.int32)
        for word, number in self._vocabulary.items():
            told[vocabulary[word]] = number
        self._save("vocabulary.numbers", told)
        tokens = np.frombuffer(self._tokens, dtype=np.int32)
        self._save("vocabulary.counts", np.bincount(tokens, minlength=len(told)).astype(np.int32))

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
