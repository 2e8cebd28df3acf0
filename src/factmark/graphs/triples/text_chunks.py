"""The texts that GraphRAG and LightRAG keep beside their graph, by the ids that its edges name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from factmark.errors import InputError
from factmark.files.csv_cells import MAX_CELL
from factmark.files.problems import Problems
from factmark.files.text_files import storable, why_too_long
from factmark.passages.passage_file import Passages, read_passages

LIGHTRAG_CHUNKS = "kv_store_text_chunks.json"
TEXT_UNITS = (
    "text_units.parquet",
    "create_final_text_units.parquet",
    "create_base_text_units.parquet",
)
SEPARATOR = "<SEP>"
_BLOCK = 1 << 16
_DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")
_IDS = re.compile(r"[^\s,'\"\[\]]+")


def text_units(folder: Path, problems: Problems) -> Passages | None:
    """The text units of GraphRAG in a folder, or None where there are none."""
    for name in TEXT_UNITS:
        if (folder / name).is_file():
            told = Problems()
            found = read_passages(folder / name, told)
            for kind, examples in told.examples.items():
                problems.odd[kind] += told.dropped[kind]
                problems.examples.setdefault(kind, []).extend(f"{name}, {one}" for one in examples)
            return found
    return None


def lightrag_chunks(folder: Path, problems: Problems) -> Passages | None:
    """The chunks of LightRAG in a folder, or None where there are none.

    Raises:
        InputError: the file is no JSON object of chunks.
    """
    path = folder / LIGHTRAG_CHUNKS
    if not path.is_file():
        return None
    passages = Passages()
    try:
        for name, value in members(path):
            text = value.get("content") if isinstance(value, dict) else value
            if not isinstance(text, str) or not text.strip():
                problems.note("passage without text", f"{LIGHTRAG_CHUNKS}, {name[:80]!r}")
            elif why := why_too_long(text):
                problems.note(
                    "passage too long to be read", f"{LIGHTRAG_CHUNKS}, {name[:80]!r}", why
                )
            else:
                passages.add(storable(name), storable(text))
    except BaseException:
        passages.close()
        raise
    return passages


def members(path: Path) -> Iterator[tuple[str, Any]]:
    """The members of a JSON object, one by one, so that memory holds one of them.

    Raises:
        InputError: it is no such object, ends too early, or a member is longer than 16 MiB.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _members(path, file)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error


def _members(path: Path, file: TextIO) -> Iterator[tuple[str, Any]]:
    buffer = file.read(_BLOCK).lstrip()
    if not buffer.startswith("{"):
        raise InputError(f"{path}: is no JSON object of texts by id.")
    start, ended = 1, False
    while True:
        start = _end(_GAP, buffer, start)
        if buffer.startswith("}", start):
            return
        try:
            name, value, place = _member(buffer, start)
            if place == len(buffer) and not ended:
                raise ValueError("it may go on")
        except (ValueError, RecursionError) as error:
            if ended or len(buffer) - start > MAX_CELL:
                raise InputError(f"{path}: cannot be read as JSON: {error}.") from error
            more = file.read(max(_BLOCK, len(buffer) - start))
            buffer, start, ended = buffer[start:] + more, 0, not more
        else:
            start = place
            yield name, value


def _member(text: str, start: int) -> tuple[str, Any, int]:
    """Name, value and end of the member that starts there; ValueError where it is none, or cut."""
    name, place = _DECODER.raw_decode(text, start)
    found = _COLON.match(text, place)
    if not isinstance(name, str) or found is None:
        raise ValueError("a member is no name with a value")
    value, place = _DECODER.raw_decode(text, found.end())
    return name, value, place


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return start if found is None else found.end()


def ids_of(value: object) -> tuple[str, ...]:
    """The ids in a list, in a text with `<SEP>` or commas, or in a list as a text; none twice."""
    found: Iterable[str]
    if isinstance(value, list | tuple):
        found = (str(one) for one in value if one is not None)
    elif not isinstance(value, str):
        found = ()
    elif value.lstrip().startswith("["):
        found = _IDS.findall(value)
    else:
        found = value.split(SEPARATOR if SEPARATOR in value else ",")
    return tuple(dict.fromkeys(name for one in found if (name := one.strip())))
