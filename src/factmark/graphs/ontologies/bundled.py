"""The bundled ontology and example graph, and wordings of relations, the users' own over them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import read_text
from factmark.graphs.core.claims import WORDINGS, relation_key, wording_problem
from factmark.graphs.core.ontology import (
    BundledOntology,
    Concept,
    Relation,
    Signature,
    complete_inverses,
)
from factmark.text.names import name_key

BUNDLED = "bundled-2"  # raise the number when the bundled ontology changes
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=1)
def bundled_ontology() -> BundledOntology:
    """Returns the small ontology that comes with the package: 38 relations, common diabetes
    concepts."""
    types = _read_table("types.toml")
    return BundledOntology(
        entries=_read_concepts(_read_table("lexicon.toml")["concepts"]),
        relations=complete_inverses(
            {name: _read_relation(name, row) for name, row in _read_table("relations.toml").items()}
        ),
        groups={code: group for code, (_, group) in types["types"].items()},
        type_names=types["groups"] | {code: name for code, (name, _) in types["types"].items()},
        endings=types["endings"],
    )


def _read_table(name: str) -> dict[str, Any]:
    """Returns one of the TOML files of the bundled ontology."""
    return tomllib.loads((files("factmark.data") / "ontology" / name).read_text(encoding="utf-8"))


def _read_signature(text: str) -> Signature:
    """Returns `DISO T033 -> ANAT` as a signature."""
    heads, _, tails = (frozenset(side.split()) for side in text.partition("->"))
    return Signature(heads=heads, tails=tails)


def _read_relation(name: str, row: Mapping[str, Any]) -> Relation:
    """Returns a row of `relations.toml` as a relation."""
    symmetric = bool(row.get("symmetric", False))
    inverse = name if symmetric else row.get("inverse")
    return Relation(
        name=name,
        definition=row["definition"],
        inverse=inverse,
        symmetric=symmetric,
        same_group=bool(row.get("same_group", False)),
        allowed=tuple(map(_read_signature, row.get("allowed", ()))),
        network=row.get("network"),
    )


def _read_concepts(sections: list[dict[str, Any]]) -> tuple[Concept, ...]:
    """Returns the concepts of `lexicon.toml` in order; a name that opens lines of two sections is
    one concept of both types."""
    concepts: dict[str, Concept] = {}
    for section in sections:
        for line in filter(str.strip, section["names"].splitlines()):
            name, *others = (part.strip() for part in line.split(";") if part.strip())
            slug = _NOT_SLUG.sub("_", name.casefold()).strip("_")
            new = Concept(id=slug, name=name, types=frozenset(), synonyms=())
            known = concepts.get(name_key(name), new)
            concepts[name_key(name)] = replace(
                known,
                types=known.types | frozenset(section["types"]),
                synonyms=tuple(dict.fromkeys((*known.synonyms, *others))),
            )
    return tuple(concepts.values())


def example_graph() -> Path:
    """Returns the folder of the bundled diabetes graph: `triples.csv`, `passages.jsonl`,
    `README.md`."""
    return Path(str(files("factmark.data") / "diabetes"))


def example_questions() -> Path:
    """Returns the file of questions on the bundled graph; `read_graph_questions` reads it."""
    return example_graph() / "questions.jsonl"


def read_wordings(path: Path) -> dict[str, str]:
    """Returns the built-in wordings of relations, replaced and completed by those of a user's file.

    The file is TOML: `relation = "{head} does something to {tail}"`, at the top or under
    `[wordings]`.

    Raises:
        InputError: for a file that is no TOML, or a wording that cannot be used.
    """
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: is no TOML: {error}.") from error
    own = table.get("wordings", table)
    if not isinstance(own, dict):
        raise InputError(f"{path}: [wordings] is no table.")
    for relation, wording in own.items():
        problem: str | None = "is no text"
        if isinstance(wording, str):
            problem = wording_problem(wording)
        if problem:
            raise InputError(f"{path}: the wording of {relation!r} {problem}.")
    return {**WORDINGS, **{relation_key(name): wording for name, wording in own.items()}}
