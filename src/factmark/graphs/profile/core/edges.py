"""A graph as numbers: each triple once, as the places of its names in lists. Pure.

A million triples take some 300 MB so; as records they would take several GB.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.model import hash_of_json

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_PASSAGE = -1
_STEM = 5  # letters by which a word of a name is looked for in a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """A graph, each triple once.

    Attributes:
        nodes: names as they are written first; a node is a name up to case and spaces, or an id.
        places: name as it is written, or up to case and spaces, or id -> place in `nodes`.
        relations: their keys.
        passages: ids, in the order of their first triple.
        heads, kinds, tails: of each triple the places in `nodes`, `relations`, `nodes`.
        triple_of: row of the files -> triple.
        passage_of: row -> passage, `NO_PASSAGE` where it names none.
        unnamed: triples of which no passage that was read has both names.
        has_texts: whether texts of passages were read.
    """

    nodes: Sequence[str]
    places: Mapping[str, int]
    relations: Sequence[str]
    passages: Sequence[str]
    heads: Ints
    kinds: Ints
    tails: Ints
    triple_of: Ints
    passage_of: Ints
    unnamed: Flags
    has_texts: bool

    def __len__(self) -> int:
        return len(self.heads)

    def digest(self) -> str:
        """Returns a hash that tells the triples, in their order, from others."""
        names = "\0".join((*self.nodes, *self.relations)).encode("utf-8", "surrogatepass")
        return hash_of_json(names, self.heads.tobytes(), self.kinds.tobytes(), self.tails.tobytes())

    @property
    def n_rows(self) -> int:
        """Rows of the files that hold a triple."""
        return len(self.triple_of)

    def text(self, triple: int) -> tuple[str, str, str]:
        """Head, relation and tail of a triple."""
        head = self.heads[triple]
        kind = self.kinds[triple]
        tail = self.tails[triple]
        return self.nodes[head], self.relations[kind], self.nodes[tail]

    def degrees(self) -> Ints:
        """How many triples each node is in, one that is both ends of it counted twice."""
        n = len(self.nodes)
        return np.bincount(self.heads, minlength=n) + np.bincount(self.tails, minlength=n)


class EdgeCollector:
    """Takes triples one by one, and makes `Edges` of them."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._kinds: dict[str, int] = {}  # by the relation as it is written
        self._names: list[str] = []
        self._relations: dict[str, int] = {}
        self._passages: dict[str, int] = {}
        self._columns = tuple(array("i") for _ in range(4))
        self._named = array("b")  # 1 both names stand in the passage, 0 not, -1 no text

    def add(self, triple: Triple) -> None:
        """Adds a row of a file."""
        heads, kinds, tails, passages = self._columns
        nodes = self._nodes
        head = nodes.get(triple.head_id or triple.head)
        tail = nodes.get(triple.tail_id or triple.tail)
        heads.append(self._new_node(triple.head_id, triple.head) if head is None else head)
        tails.append(self._new_node(triple.tail_id, triple.tail) if tail is None else tail)
        kind = self._kinds.get(triple.relation)
        if kind is None:
            name = relation_key(triple.relation)
            kind = self._relations.setdefault(name, len(self._relations))
            self._kinds[triple.relation] = kind
        kinds.append(kind)
        text = triple.passage
        name = triple.passage_id or (text or "")[:80]
        if name:
            place = self._passages.setdefault(name, len(self._passages))
        else:
            place = NO_PASSAGE
        passages.append(place)
        if text is None:
            self._named.append(-1)
        else:
            self._named.append(stands_in(triple.head, text) and stands_in(triple.tail, text))

    def _new_node(self, node: str, name: str) -> int:
        """The place of a node that is not known as it is written."""
        key = node or folded(name)
        place = self._nodes.get(key)
        if place is None:
            place = self._nodes[key] = len(self._names)
            self._names.append(name)
        self._nodes.setdefault(node or name, place)  # so that it is found at once from now on
        return place

    def edges(self) -> Edges:
        """All that was added, each triple once, in the order in which they came first."""
        rows = []
        for column in self._columns:
            rows.append(np.asarray(column, dtype=np.int64))
        heads, kinds, tails, passages = rows
        n_nodes = max(1, len(self._names))
        n_kinds = max(1, len(self._relations))
        keys = (heads * n_kinds + kinds) * n_nodes + tails
        _, first, triple_of = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        triple_of = place[triple_of]
        first = first[order]
        named = np.asarray(self._named, dtype=np.int64)
        read, holds = (
            np.bincount(triple_of, weights=seen, minlength=len(first)) > 0
            for seen in (named >= 0, named == 1)
        )
        return Edges(
            nodes=self._names,
            places=self._nodes,
            relations=list(self._relations),
            passages=list(self._passages),
            heads=heads[first],
            kinds=kinds[first],
            tails=tails[first],
            triple_of=triple_of,
            passage_of=passages,
            unnamed=read & ~holds,
            has_texts=bool((named >= 0).any()),
        )


def stands_in(name: str, passage: str) -> bool:
    """Whether a passage has a name, or one of several that commas part, or half of its words.

    Words are looked for by their first letters, so that another ending does not matter. It is
    generous: what it calls missing is not there in any usual writing.

    >>> stands_in("diabetic kidneys", "Kidney damage in diabetes"), stands_in("gout", "Insulin")
    (True, False)
    """
    text = _lower(passage)
    wanted = name.casefold()
    if wanted in text:
        return True
    for part in wanted.split(",") if "," in wanted else (wanted,):
        words = [word for word in part.replace("-", " ").split() if len(word) > 2] or part.split()
        hits = sum(word[:_STEM] in text for word in words)
        if words and 2 * hits >= len(words):
            return True
    return False


@lru_cache(maxsize=256)  # triples of one passage mostly stand together
def _lower(passage: str) -> str:
    """Returns a passage without regard to case."""
    return passage.casefold()
