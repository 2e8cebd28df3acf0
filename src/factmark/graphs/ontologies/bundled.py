"""The bundled ontology and example graph, and users' own wordings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import read_text
from factmark.graphs.core.claims import WORDINGS, relation_key, wording_problem
from factmark.graphs.core.ontology import Concept, Lexicon, Relation, complete_inverses, signature
from factmark.text.names import name_key

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=1)
def bundled_ontology() -> Lexicon:
    """The small ontology that comes with the package: 31 relations, common diabetes concepts."""
    types = _table("types.toml")
    return Lexicon(
        entries=_entries(_table("lexicon.toml")["concepts"]),
        relations=complete_inverses(
            {name: _relation(name, row) for name, row in _table("relations.toml").items()}
        ),
        groups={code: group for code, (_, group) in types["types"].items()},
        type_names={code: name for code, (name, _) in types["types"].items()},
        endings=types["endings"],
    )


def _table(name: str) -> dict[str, Any]:
    text = (files("factmark.data") / "ontology" / name).read_text(encoding="utf-8")
    return tomllib.loads(text)


def _relation(name: str, row: Mapping[str, Any]) -> Relation:
    symmetric = bool(row.get("symmetric", False))
    return Relation(
        name=name,
        definition=row["definition"],
        inverse=name if symmetric else row.get("inverse"),
        symmetric=symmetric,
        same_group=bool(row.get("same_group", False)),
        allowed=tuple(signature(text) for text in row.get("allowed", ())),
        network=row.get("network"),
    )


def _entries(sections: list[dict[str, Any]]) -> tuple[Concept, ...]:
    """Concepts in order; a name that opens lines of two sections is one concept of both types."""
    found: dict[str, tuple[str, set[str], list[str]]] = {}
    for section in sections:
        for line in section["names"].splitlines():
            names = [part.strip() for part in line.split(";") if part.strip()]
            if not names:
                continue
            entry = found.setdefault(name_key(names[0]), (names[0], set(), []))
            entry[1].update(section["types"])
            entry[2].extend(name for name in names[1:] if name not in entry[2])
    return tuple(
        Concept(
            id=_NOT_SLUG.sub("_", name.casefold()).strip("_"),
            name=name,
            types=frozenset(types),
            synonyms=tuple(synonyms),
        )
        for name, types, synonyms in found.values()
    )


def example_graph() -> Path:
    """The folder of the bundled diabetes graph: `triples.csv`, `passages.jsonl`, `README.md`."""
    return Path(str(files("factmark.data") / "diabetes"))


def example_questions() -> Path:
    """The bundled questions on the bundled graph; `read_graph_questions` reads them."""
    return example_graph() / "questions.jsonl"


def read_wordings(path: Path, encoding: str = "utf-8") -> dict[str, str]:
    """The built-in wordings with a user's own over them.

    The file is TOML: `relation = "{head} does something to {tail}"`, at the top or under
    `[wordings]`.

    Raises:
        InputError: for a file that is no TOML, or a wording that cannot be used.
    """
    try:
        table = tomllib.loads(read_text(path, encoding))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: is no TOML: {error}.") from error
    own = table.get("wordings", table)
    if not isinstance(own, dict):
        raise InputError(f"{path}: [wordings] is no table.")
    out = dict(WORDINGS)
    for relation, wording in own.items():
        if not isinstance(wording, str):
            raise InputError(f"{path}: the wording of {relation!r} is no text.")
        if problem := wording_problem(wording):
            raise InputError(f"{path}: the wording of {relation!r} {problem}.")
        out[relation_key(relation)] = wording
    return out
