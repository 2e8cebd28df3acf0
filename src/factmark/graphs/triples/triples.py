"""Triples from files, as a stream: tables (CSV, TSV, JSON Lines, Parquet), RDF, GraphML, and what
GraphRAG and LightRAG write."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.own_columns import columns_beside
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, TABLES, check_file, header_of, read_rows
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edges import check_number, check_texts, find_passage
from factmark.graphs.triples.graphrag import find_graph, is_graphrag, read_graphrag
from factmark.passages.passage_file import Passages

USUAL: Mapping[str, tuple[str, ...]] = {
    "head": ("head_name", "head", "subject", "source", "h", "s", "entity1", "head_entity"),
    "relation": (
        "relation_name",
        "relation",
        "predicate",
        "rel",
        "property",
        "r",
        "p",
        "relation_type",
        "relationship",
    ),
    "tail": ("tail_name", "tail", "object", "target", "t", "o", "entity2", "tail_entity"),
    "triple": ("triple", "triplet", "triples", "triplets"),
    "passage": ("passage", "text", "context", "sentence", "evidence", "abstract", "sequence"),
    "passage_id": ("passage_id", "pmid", "doc_id", "document_id", "context_id", "sequence_id"),
    "confidence": ("confidence", "score", "probability", "similarity", "similarity_score"),
    "id": ("id", "triple_id", "fact_id", "claim_id", "edge_id", "row_id"),
    "head_id": ("head_id", "subject_id", "head_cui"),
    "tail_id": ("tail_id", "object_id", "tail_cui"),
}
NEEDED = ("head", "relation", "tail")
_TEXTS = (*NEEDED, "passage")
_LOOKALIKES = {
    "head": ("sub", "head", "src", "from", "start", "arg1", "lhs", "source"),
    "relation": ("rel", "pred", "verb", "prop", "edge", "link"),
    "tail": ("obj", "tail", "tgt", "dst", "end", "arg2", "rhs", "target", "to"),
}
GRAPHML = ".graphml"
_NOTHING = "NULL"  # what databases write for an empty cell, and the GraphMERT scripts take for one
_LONGEST_CELL = 20_000
_ARROWS = re.compile(r"\s*-+\s*\[\s*:?(?P<relation>[^\]]+?)\s*\]\s*-+>\s*")
_SIGNS = ("|", "\t", "->", "→", ";", ",")
_PAIRS = {"(": ")", "[": "]", "<": ">", "{": "}"}


def read_triples(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Iterator[Triple]:
    """Yields the triples of a file, one by one; memory does not grow with the file.

    Args:
        path: `.csv`, `.tsv`, `.jsonl`, `.ndjson`, `.parquet`, `.graphml`, or one of `RDF_FORMATS`;
            or the folder that GraphRAG or LightRAG wrote. Columns `source`, `target` and
            `description` without a relation are GraphRAG's relationships.
        problems: where bad rows are counted, with their line. None is dropped silently.
        passages: the texts that `passage_id` names.
        columns: field of `Triple` -> column of the file, where the usual names do not do.

    Raises:
        InputError: for a file that cannot be read at all, or without the needed columns.
    """
    columns = columns or {}
    if unknown := set(columns) - set(USUAL):
        raise InputError(f"no field {min(unknown)!r} to map; there are {', '.join(USUAL)}.")
    if path.is_dir():
        path = find_graph(path)
    suffix = path.suffix.casefold()
    if suffix == GRAPHML:
        from factmark.graphs.triples.graphml import read_graph

        return read_graph(path, problems, passages=passages, columns=columns)
    if suffix not in TABLES:
        from factmark.graphs.rdf_files import RDF_FORMATS
        from factmark.graphs.triples.rdf import read_rdf

        if suffix not in RDF_FORMATS:
            known = ", ".join((*TABLES, GRAPHML, *RDF_FORMATS))
            raise InputError(f"{path}: ends in none of {known}.")
        return read_rdf(path, problems, passages=passages)
    check_file(path)
    header = header_of(path, encoding)
    names = {name.casefold() for name in header}
    if not columns and is_graphrag(names) and not names & {*USUAL["relation"], *USUAL["triple"]}:
        return read_graphrag(path, problems, passages=passages, encoding=encoding)
    fields = _columns(path, header, columns)
    rows = _read_table(path, problems, fields, [passages] if passages is not None else [], encoding)
    return _or_say_what_it_holds(rows, path, header, fields)


def _or_say_what_it_holds(
    triples: Iterator[Triple], path: Path, header: Sequence[str], columns: Mapping[str, str]
) -> Iterator[Triple]:
    """Yields the triples; raises InputError at the end where there was none and objects have other
    fields than the needed ones."""
    n_triples = 0
    for triple in triples:
        n_triples += 1
        yield triple
    missing = [field for field in NEEDED if columns.get(field) not in header]
    if missing and header and not n_triples and columns.get("triple") not in header:
        raise _no_column_error(path, header, missing, columns.get(missing[0], missing[0]))


def _columns(path: Path, header: Sequence[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns field -> column, from the first row; JSON Lines may add optional fields later on."""
    loose = path.suffix.casefold() in OBJECTS
    by_name = {name.casefold(): name for name in header}
    columns: dict[str, str] = {}
    for field, usual in USUAL.items():
        names = (wanted[field],) if field in wanted else usual
        column = next((by_name[n.casefold()] for n in names if n.casefold() in by_name), None)
        if column is not None:
            columns[field] = column
        elif field in wanted and not loose:
            raise _no_column_error(path, header, [field], wanted[field])
    missing = [] if "triple" in columns else [field for field in NEEDED if field not in columns]
    if missing and not loose:
        raise _no_column_error(path, header, missing, missing[0])
    for field, usual in USUAL.items() if loose else ():
        columns.setdefault(field, wanted.get(field) or (field if field in usual else usual[0]))
    for side in ("head", "tail"):
        # Where a column of names stands beside one that is called just `head`, that has the ids.
        if columns.get(side, "").casefold() == f"{side}_name" and side in by_name:
            columns.setdefault(f"{side}_id", by_name[side])
    return columns


def _no_column_error(
    path: Path, header: Sequence[str], fields: Sequence[str], column: str
) -> InputError:
    """Returns the error for missing columns, to be raised: what there is, and the options that
    would read it, with the columns that look like the fields."""
    names = ", ".join(map(str, header[:12])) or "nothing"
    options = " ".join(f"--column {field}={_lookalike(field, header)}" for field in fields)
    return InputError(
        f"{path}, line 1: no column {column!r} for the {fields[0]}. Found: {names}. "
        f"Say which it is, for example {options}."
    )


def _lookalike(field: str, header: Sequence[str]) -> str:
    """Returns the first column whose name begins as such fields do in other files; else `NAME`."""
    beginnings = _LOOKALIKES.get(field, ())
    names = (str(name) for name in header)
    return next((name for name in names if name.casefold().startswith(beginnings)), "NAME")


def _read_table(
    path: Path,
    problems: Problems,
    columns: Mapping[str, str],
    stores: Sequence[Passages],
    encoding: str,
) -> Iterator[Triple]:
    """Yields the triples of a table with their other columns; rows that cannot be used are
    reported."""
    # What the results name by itself does not pass through a second time.
    read = {column for field, column in columns.items() if field in _TEXTS or field == column}
    for where, row in read_rows(path, problems, encoding):
        fields = {field: row.get(column) for field, column in columns.items()}
        cell = fields.pop("triple", None)
        if cell is not None and not all(fields.get(field) for field in NEEDED):
            parts = parts_of(cell)
            if parts is None:
                problems.drop("no triple in the cell", where, f"{str(cell)[:80]!r}")
                continue
            fields |= dict(zip(NEEDED, parts, strict=True))
        triple = _triple_of_fields(where, fields, columns_beside(row, read), problems, stores)
        if triple is not None:
            yield triple


def _triple_of_fields(
    where: str,
    fields: Mapping[str, Any],
    given: Mapping[str, object],
    problems: Problems,
    stores: Sequence[Passages],
) -> Triple | None:
    """Returns a row as a triple, with its other columns; reports it and returns None if it cannot
    be used."""
    if _NOTHING in fields.values():
        fields = {field: value for field, value in fields.items() if value != _NOTHING}
    confidence = fields.get("confidence")
    if confidence is not None:
        fields = {field: value for field, value in fields.items() if field != "confidence"}
    texts: dict[str, Any] | None = check_texts(fields, where, problems, NEEDED)
    if texts is None:
        return None
    passage: str | None = texts.pop("passage", "") or None
    if passage is None and (name := texts.get("passage_id")):
        passage = find_passage(name, stores, where, problems)
    texts["confidence"] = check_number(confidence, where, problems)
    return Triple(passage=passage, where=where, given=given, **texts)


def parts_of(cell: object) -> tuple[str, str, str] | None:
    """Returns head, relation and tail of a cell; None if it does not have three parts for certain.

    Read are lists, `["a", "r", "b"]`, `('a', 'r', 'b')`, `(a, r, b)`, `a | r | b`, `a -> r -> b`,
    `a -[r]-> b`, and with semicolons or tabs. A sign that also stands within a part makes more than
    three of them, and nothing is guessed.

    >>> parts_of("(insulin, treats, diabetes)")
    ('insulin', 'treats', 'diabetes')
    >>> parts_of("insulin, treats, diabetes, type 1") is None
    True
    """
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return _three_texts(cell)
    if not isinstance(cell, str) or len(cell) > _LONGEST_CELL:
        return None
    text = cell.strip()
    if text[:1] in ("(", "[") and (parts := _parse_literal(text)) is not None:
        return _three_texts(parts)
    if (arrow := _ARROWS.search(text)) is not None:
        return _three_texts((text[: arrow.start()], arrow["relation"], text[arrow.end() :]))
    text = _without_brackets(text)
    sign = next((sign for sign in _SIGNS if sign in text), None)
    return None if sign is None else _three_texts(text.split(sign))


def _parse_literal(text: str) -> Sequence[object] | None:
    """Returns the list that a text is in JSON or in Python; None if it is none. No code is run."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return value if isinstance(value, list | tuple) else None
    return None


def _three_texts(parts: Sequence[object]) -> tuple[str, str, str] | None:
    """Returns three parts without blanks and quotes around them; None if there are not three
    texts."""
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        return None
    head, relation, tail = (str(part).strip().strip("\"'").strip() for part in parts)
    return (head, relation, tail) if head and relation and tail else None


def _without_brackets(text: str) -> str:
    """Returns a text without the brackets around the whole of it."""
    closing = _PAIRS.get(text[:1])
    if closing is None or not text.endswith(closing):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == text[0]) - (letter == closing)
        if depth == 0:
            return text[1:-1].strip() if place == len(text) - 1 else text
    return text
