"""What a graph's or an ontology's file is where its name does not say it: by its beginning."""

from __future__ import annotations

import re
from pathlib import Path

PUBTATOR = (".pubtator", ".txt")
PUBTATOR_TEXT = re.compile(r"([^|\t]+)\|([a-z])\|(.*)")
"""A line with a text of a document: its id, the kind of text, the text."""
BIOC = "BioC"
OBO_GRAPH = "OBO graph"
PUBTATOR_FILE = "PubTator"
JSON_LD = "JSON-LD"
_BEGINNING = 65_536  # bytes
_BIOC = {".json": (b'"passages"', b'"infons"'), ".xml": (b"<collection", b"<document")}
_GRAPHS = re.compile(rb'"graphs"\s*:\s*\[')
_NODE = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*\{[^{}\[\]]*"@id"|.*"@graph"\s*:', re.DOTALL)
_ON_THE_WEB = re.compile(rb'"@context"\s*:\s*\[?\s*"https?:')  # which is not fetched


def kind_of_file(path: Path) -> str:
    """Returns what a `.json`, `.xml` or text file is by its beginning: `BIOC`, `OBO_GRAPH`,
    `PUBTATOR_FILE`, `JSON_LD`, or nothing of these."""
    suffix = path.suffix.casefold()
    if suffix not in (*_BIOC, *PUBTATOR) or not path.is_file():
        return ""
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if suffix in PUBTATOR:
        first = beginning.decode("utf-8", "replace").lstrip("\ufeff\r\n ").split("\n")[0]
        if PUBTATOR_TEXT.match(first):
            return PUBTATOR_FILE
        return ""
    if all(mark in beginning for mark in _BIOC[suffix]):
        return BIOC
    if suffix == ".json" and _GRAPHS.search(beginning):
        return OBO_GRAPH
    if suffix == ".json" and _NODE.match(beginning) and not _ON_THE_WEB.search(beginning):
        return JSON_LD
    return ""
