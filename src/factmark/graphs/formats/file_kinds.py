"""What a graph's or an ontology's file is where its name does not say it: by its beginning."""

from __future__ import annotations

import re
from pathlib import Path

PUBTATOR = (".pubtator", ".txt")
PUBTATOR_TEXT = re.compile(r"([^|\t]+)\|([a-z])\|(.*)")
"""A line with a text of a document: its id, the kind of text, the text."""
_BEGINNING = 65_536  # bytes
_BIOC = {".json": (b'"passages"', b'"infons"'), ".xml": (b"<collection", b"<document")}
_GRAPHS = re.compile(rb'"graphs"\s*:\s*\[')


def is_obo_graph(path: Path) -> bool:
    """Whether a `.json` file is an OBO graph."""
    return path.suffix.casefold() == ".json" and bool(_GRAPHS.search(_beginning_of(path)))


def is_bioc(path: Path) -> bool:
    """Whether a `.json` or `.xml` file is BioC's."""
    marks = _BIOC.get(path.suffix.casefold(), ())
    beginning = _beginning_of(path) if marks else b""
    return bool(marks) and all(mark in beginning for mark in marks)


def is_pubtator(path: Path) -> bool:
    """Whether a text file begins as PubTator's do."""
    if path.suffix.casefold() not in PUBTATOR:
        return False
    first = _beginning_of(path).decode("utf-8", "replace").lstrip("\ufeff\r\n ").split("\n")[0]
    return bool(PUBTATOR_TEXT.match(first))


def _beginning_of(path: Path) -> bytes:
    """Returns the first bytes of a file; none of one that is not there."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(_BEGINNING)
