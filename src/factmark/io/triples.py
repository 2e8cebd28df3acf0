"""Triples from files, as a stream: tables (CSV, TSV, JSON Lines, Parquet) and RDF."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.graphs.claims import Triple
from factmark.io.passages import Passages
from factmark.io.problems import Problems
from factmark.io.rows import TABLES, header_of, is_broken, read_rows
from factmark.io.triples_rdf import RDF_FORMATS, read_rdf

USUAL: Mapping[str, tuple[str, ...]] = {
    "head": ("head", "subject", "source", "h", "s", "entity1"),
    "relation": ("relation", "predicate", "rel", "property", "r", "p"),
    "tail": ("tail", "object", "target", "t", "o", "entity2"),
    "passage": ("passage", "text", "context", "sentence", "evidence", "abstract"),
    "passage_id": ("passage_id", "pmid", "doc_id", "document_id", "context_id"),
    "confidence": ("confidence", "score", "probability"),
    "id": ("id", "triple_id"),
    "head_id": ("head_id", "subject_id", "head_cui"),
    "tail_id": ("tail_id", "object_id", "tail_cui"),
}
NEEDED = ("head", "relation", "tail")


def read_triples(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Iterator[Triple]:
    """The triples of a file, one by one; memory does not grow with the file.

    Args:
        path: `.csv`, `.tsv`, `.jsonl`, `.ndjson`, `.parquet`, or RDF: `.ttl`, `.nt`, `.nq`,
            `.trig`, `.rdf`, `.owl`, `.xml`, `.jsonld`.
        problems: where bad rows are counted and told with their line. None is dropped silently.
        passages: the texts that `passage_id` names.
        columns: field of `Triple` -> column of the file, where the usual names do not do.

    Raises:
        InputError: for a file that cannot be read at all, or without the needed columns.
    """
    suffix = path.suffix.casefold()
    if suffix in RDF_FORMATS:
        return read_rdf(path, problems, passages=passages)
    if suffix not in TABLES:
        known = ", ".join((*TABLES, *RDF_FORMATS))
        raise InputError(f"{path}: ends in none of {known}.")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")
    names = _columns(path, columns or {}, encoding)
    return _table(path, problems, names, passages, encoding)


def _columns(path: Path, wanted: Mapping[str, str], encoding: str) -> dict[str, str]:
    """Field -> column, from the first row; JSON Lines may add optional fields later on."""
    if unknown := set(wanted) - set(USUAL):
        raise InputError(f"no field {min(unknown)!r} to map; there are {', '.join(USUAL)}.")
    header = header_of(path, encoding)
    loose = path.suffix.casefold() in (".jsonl", ".ndjson")
    by_name = {name.casefold(): name for name in header}
    out: dict[str, str] = {}
    for field, usual in USUAL.items():
        candidates = (wanted[field],) if field in wanted else usual
        found = [by_name[name.casefold()] for name in candidates if name.casefold() in by_name]
        if found:
            out[field] = found[0]
        elif loose:
            out[field] = candidates[0]
        elif field in wanted or field in NEEDED:
            has = ", ".join(header[:12]) or "nothing"
            raise InputError(
                f"{path}, line 1: no column {candidates[0]!r} for the {field}. Found: {has}. "
                f"Say which it is, for example --column {field}=NAME."
            )
    return out


def _table(
    path: Path,
    problems: Problems,
    names: Mapping[str, str],
    passages: Passages | None,
    encoding: str,
) -> Iterator[Triple]:
    for where, row in read_rows(path, problems, encoding):
        fields = {field: row.get(column) for field, column in names.items()}
        triple = _triple(where, fields, problems, passages)
        if triple is not None:
            yield triple


def _triple(
    where: str, fields: Mapping[str, Any], problems: Problems, passages: Passages | None
) -> Triple | None:
    texts = {}
    for field, value in fields.items():
        if field == "confidence":
            continue
        if isinstance(value, (dict, list, bool)):
            problems.drop(f"{field} is no text", where, f"{field} is a {type(value).__name__}")
            return None
        texts[field] = "" if value is None else str(value).strip()
        if is_broken(texts[field]):
            problems.drop("broken characters", where, f"in {field}: NUL or undecodable bytes")
            return None
    for field in NEEDED:
        if not texts.get(field):
            problems.drop(f"no {field}", where)
            return None
    passage: str | None = texts.pop("passage", "") or None
    passage_id = texts.get("passage_id", "")
    if passage is None and passage_id and passages is not None:
        passage = passages.get(passage_id)
        if passage is None:
            problems.note("unknown passage", where, f"no passage {passage_id!r}")
    confidence = _confidence(where, fields.get("confidence"), problems)
    return Triple(passage=passage, confidence=confidence, where=where, **texts)


def _confidence(where: str, value: object, problems: Problems) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever it is, the error is told
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number):
        return number
    problems.note("confidence is no number", where, f"confidence {value!r} is not read")
    return None
