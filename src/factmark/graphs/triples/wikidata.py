"""Wikidata's JSON as a table of edges and one of nodes: a dump, one entity a line; what its API
returns; or a single entity.

Statements that are deprecated, or say that there is no value or an unknown one, make no edge.
Source: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.files.separated import text_lines_with_ends
from factmark.files.text_files import JSON, json_value, marked_encoding, read_text
from factmark.graphs.triples.columns.named_columns import TASK
from factmark.graphs.triples.graph_file import GraphFile
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Placed
from factmark.intake.table_file import TableFile

_SIGNS = ('"claims"', '"mainsnak"', '"labels"')
_LOOKED_AT = 2**20  # bytes in which they stand
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}
_PARTS = ("head", "relation", "tail")
_ENTITY = "wikibase-entityid"
_TEXTS = {"monolingualtext": "text", "time": "time", "quantity": "amount"}


def is_wikidata(path: Path) -> bool:
    """Whether a file holds entities of Wikidata, by its beginning."""
    if path.suffix.casefold() not in (".json", ".jsonl", ".ndjson") or not path.is_file():
        return False
    with path.open("rb") as file:
        data = file.read(_LOOKED_AT)
    beginning = data.decode(marked_encoding(data[:4], "utf-8"), errors="replace")
    return all(sign in beginning for sign in _SIGNS)


def open_wikidata(path: Path, encoding: str) -> GraphFile:
    """Returns the statements of entities as a table of edges, with the labels as one of nodes.

    Raises:
        InputError: the file cannot be read.
    """
    check_file(path)
    edges = TableFile(path=path, stream=partial(_edge_rows, path, encoding))
    nodes = TableFile(path=path, stream=partial(_node_rows, path, encoding))
    mapping = None
    if edges.sample.rows:
        mapping = TableMapping(task=TASK, columns={part: (part,) for part in _PARTS})
    return GraphFile(table=edges, mapping=mapping, nodes=(nodes,))


def _edge_rows(path: Path, encoding: str, problems: Problems) -> Iterator[Placed]:
    """Yields the statements of the entities of a file as rows."""
    for where, entity in _entities(path, encoding):
        for statement in _statements(entity):
            problems.rows += 1
            snak = statement.get("mainsnak")
            if not isinstance(snak, Mapping):
                snak = {}
            tail = _value(snak.get("datavalue"))
            if statement.get("rank") == "deprecated":
                problems.drop("a deprecated statement, which makes no claim", where)
            elif snak.get("snaktype") != "value" or not tail:
                problems.drop("a statement without a value", where)
            else:
                row = (str(entity.get("id", "")), str(snak.get("property", "")), tail)
                yield where, dict(zip(_PARTS, row, strict=True))


def _node_rows(path: Path, encoding: str, problems: Problems) -> Iterator[Placed]:
    """Yields the entities of a file with their names: the English one, else the first."""
    for where, entity in _entities(path, encoding):
        problems.rows += 1
        labels = entity.get("labels")
        names = labels if isinstance(labels, Mapping) else {}
        label = names.get("en") or next(iter(names.values()), None)
        if isinstance(label, Mapping):
            yield where, {"id": entity.get("id"), "name": label.get("value")}


def _entities(path: Path, encoding: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the entities of a file, each with its place; of a dump line by line.

    Raises:
        InputError: the file cannot be read, or is no JSON.
    """
    by_line = _lines(path, encoding)
    first = next(by_line, None)
    if first is not None:
        yield from chain([first], by_line)
        return
    value = json_value(path, read_text(path, encoding))
    if isinstance(value, Mapping) and isinstance(value.get("entities"), Mapping):
        value = list(value["entities"].values())
    elif isinstance(value, Mapping):
        value = [value]
    for place, entity in enumerate(value if isinstance(value, list) else [], start=1):
        if isinstance(entity, Mapping):
            yield f"entity {place}", entity


def _lines(path: Path, encoding: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the entities of a file with one a line, within brackets or not; nothing where the
    first line is none.

    Raises:
        InputError: a later line is none.
    """
    n_good = 0
    for number, line in enumerate(text_lines_with_ends(path, encoding), start=1):
        text = line.strip().rstrip(",")
        if text in ("", "[", "]"):
            continue
        try:
            entity = JSON.decode(text)
        except (ValueError, RecursionError):
            entity = None
        if not isinstance(entity, Mapping) or "entities" in entity:
            if n_good:
                raise InputError(f"{path}, line {number}: is no entity of Wikidata.")
            return
        n_good += 1
        yield f"line {number}", entity


def _statements(entity: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the statements of an entity."""
    claims = entity.get("claims")
    for group in claims.values() if isinstance(claims, Mapping) else ():
        if isinstance(group, list):
            yield from (statement for statement in group if isinstance(statement, Mapping))


def _value(data: object) -> str:
    """Returns what a statement says as a text: an id, or a literal; empty for what is none."""
    if not isinstance(data, Mapping):
        return ""
    value = data.get("value")
    if not isinstance(value, Mapping):
        return str(value or "").strip()
    if data.get("type") == _ENTITY:
        letter = _LETTERS.get(str(value.get("entity-type")), "")
        return str(value.get("id") or f"{letter}{value.get('numeric-id', '')}")
    if "latitude" in value:
        return f"{value['latitude']}, {value.get('longitude')}"
    text = str(value.get(_TEXTS.get(str(data.get("type")), ""), "")).removeprefix("+")
    if data.get("type") == "time":
        return text.partition("T")[0].replace("-00", "")
    return text
