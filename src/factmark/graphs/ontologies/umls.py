"""UMLS as an ontology: a user's own RRF files, read once into an index, looked up by name.

UMLS needs a licence, so none of it comes with this package.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Self

from factmark.errors import InputError
from factmark.graphs.core.claims import relation_key
from factmark.graphs.core.ontology import Concept, Lexicon, Relation
from factmark.graphs.ontologies.bundled import bundled_ontology
from factmark.graphs.ontologies.umls_index import Progress, ensure_index, name_hash
from factmark.text.names import name_key

_MOST_SYNONYMS = 200


class Umls:
    """An ontology over a UMLS index. Relations and their wordings are the bundled ones.

    Which types a relation may join is what SRSTRE1 says, where a relation has a counterpart in the
    Semantic Network and the user gave that file; else what the bundled ontology says.
    """

    def __init__(self, index: Path, base: Lexicon | None = None) -> None:
        """Opens an index that `ensure_index` built.

        Raises:
            InputError: if there is none at that place.
        """
        if not index.is_file():
            raise InputError(f"{index}: there is no such index.")
        self._database = sqlite3.connect(
            f"{index.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        self._base = bundled_ontology() if base is None else base
        self._uis = {
            (kind, name): ui
            for ui, kind, name in self._database.execute("SELECT ui, kind, name FROM definition")
        }
        self._type_names = {ui: name for (kind, name), ui in self._uis.items() if kind == "STY"}
        self._concept = lru_cache(maxsize=100_000)(self._read_concept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index."""
        self._database.close()

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """All concepts of that name up to inflection and spelling, or the one of that CUI."""
        if len(name) == 8 and name[0] == "C" and name[1:].isdecimal():
            found = self._concept(int(name[1:]))
            return () if found is None else (found,)
        key = name_key(name)
        if not key:
            return ()
        rows = self._database.execute(
            "SELECT DISTINCT cui FROM name WHERE hash = ? ORDER BY cui", (name_hash(name),)
        ).fetchall()
        concepts = [self._concept(cui) for (cui,) in rows]
        return tuple(concept for concept in concepts if concept is not None)

    def _read_concept(self, cui: int) -> Concept | None:
        names = self._database.execute(
            "SELECT text FROM name WHERE cui = ? ORDER BY preferred DESC, rowid LIMIT ?",
            (cui, _MOST_SYNONYMS),
        ).fetchall()
        if not names:
            return None
        types = self._database.execute("SELECT tui FROM type WHERE cui = ?", (cui,)).fetchall()
        return Concept(
            id=f"C{cui:07}",
            name=str(names[0][0]),
            types=frozenset(str(tui) for (tui,) in types),
            synonyms=tuple(dict.fromkeys(str(text) for (text,) in names[1:])),
        )

    def relation(self, name: str) -> Relation | None:
        """A bundled relation, or one of the Semantic Network with its definition."""
        key = relation_key(name)
        if (known := self._base.relation(key)) is not None:
            return known
        ui = self._uis.get(("RL", key))
        if ui is None:
            return None
        text, inverse = self._database.execute(
            "SELECT text, inverse FROM definition WHERE ui = ?", (ui,)
        ).fetchone()
        return Relation(name=key, definition=str(text), inverse=str(inverse) or None, network=key)

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """What MRREL states of the two concepts or SRSTRE1 of their types, else the bundled
        signatures; None where neither knows."""
        if relation_key(relation) in self.stated(head, tail):
            return True
        known = self.relation(relation)
        if known is not None and known.network and not known.same_group:
            answer = self._network(known.network, head, tail)
            if answer is not None:
                return answer
        return self._base.allows(relation, head, tail)

    def stated(self, head: Concept, tail: Concept) -> frozenset[str]:
        """The relations that MRREL states between the two concepts, in that direction."""
        rows = self._database.execute(
            "SELECT relation FROM related WHERE head = ? AND tail = ?",
            (int(head.id[1:] or 0), int(tail.id[1:] or 0)),
        ).fetchall()
        return frozenset(str(relation) for (relation,) in rows)

    def _network(self, network: str, head: Concept, tail: Concept) -> bool | None:
        """Whether SRSTRE1 has the relation between types of both; None where it has it nowhere."""
        if network.startswith("^"):
            network, head, tail = network[1:], tail, head
        ui = self._uis.get(("RL", network))
        if ui is None or not head.types or not tail.types:
            return None
        there = self._database.execute("SELECT 1 FROM allowed WHERE relation = ?", (ui,)).fetchone()
        if there is None:
            return None
        return any(
            self._database.execute(
                "SELECT 1 FROM allowed WHERE relation = ? AND head = ? AND tail = ?", (ui, h, t)
            ).fetchone()
            for h in head.types
            for t in tail.types
        )

    def type_name(self, code: str) -> str:
        """The type's name in SRDEF, or in the bundled list."""
        return self._type_names.get(code) or self._base.type_name(code)

    def types_by_ending(self, name: str) -> frozenset[str]:
        """As the bundled ontology guesses."""
        return self._base.types_by_ending(name)


def open_umls(
    source: Path,
    folder: Path,
    *,
    languages: Sequence[str] = ("ENG",),
    suppressed: bool = False,
    relations: bool = True,
    progress: Progress = lambda name, done, size: None,
) -> Umls:
    """The UMLS whose RRF files lie in `source`, with its index in `folder`, built if need be.

    Args:
        languages: codes of MRCONSO's LAT field.
        suppressed: whether suppressible rows count too.
        relations: whether MRREL is read (it is the largest of the files).
        progress: told the file, the bytes done and the bytes in all.

    Raises:
        InputError: as `ensure_index`.
    """
    index = ensure_index(
        source,
        folder,
        languages=languages,
        suppressed=suppressed,
        relations=relations,
        progress=progress,
    )
    return Umls(index)
