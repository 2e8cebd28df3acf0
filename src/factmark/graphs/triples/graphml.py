"""GraphML as a stream of nodes and edges with their attributes.

No document type and no entity is taken from a file, so that none can fetch or multiply; what is
open at a time is bounded, so that memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from factmark.errors import InputError
from factmark.files.csv_cells import MAX_CELL

_BLOCK = 1 << 16
_DEEPEST = 100
_MOST_KEYS = 10_000
_ROOMS = ("node", "edge")
_LABELS = ("NodeLabel", "EdgeLabel", "Label.Text")
"""Elements of yEd's that hold what it draws on a node or an edge."""


@dataclass(slots=True, kw_only=True)
class Part:
    """A node or an edge.

    Attributes:
        attributes: of its element: `id`, or `source` and `target`.
        data: name of the attribute -> text, in lower case names.
        label: what yEd draws on it, the first where it draws several; else empty.
        directed: of an edge; what its graph says, where it says nothing itself.
        line: where it starts.
    """

    kind: Literal["node", "edge"]
    attributes: Mapping[str, str]
    line: int
    directed: bool = True
    data: dict[str, str] = field(default_factory=dict)
    label: str = ""


def read_graphml(path: Path) -> Iterator[Part]:
    """The nodes and edges of a file, in its order.

    Raises:
        InputError: no GraphML, broken XML, with a document type, or a text beyond 16 MiB; with the
            line.
    """
    reader, fed = _Reader(path), 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                fed += len(block)
                reader.parser.Parse(block, False)
                yield from reader.taken()
                if fed - reader.parser.CurrentByteIndex > MAX_CELL:
                    raise reader.wrong("a tag is longer than 16 MiB")
            reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, str(error))
        raise InputError(f"{path}, line {error.lineno}: no XML: {why}.") from error
    except (LookupError, ValueError) as error:
        raise reader.wrong(f"cannot be read: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    yield from reader.taken()


class _Reader:
    """What is open while the parser goes over a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._names: list[str] = []
        self._parts: list[Part] = []
        self._directed: list[bool] = []
        self._out: list[Part] = []
        self._key: tuple[str, str] | None = None
        self._data: str | None = None
        self._text: list[str] = []
        self._label: list[str] | None = None
        self._size = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def wrong(self, why: str) -> InputError:
        """The error at this place of the file."""
        return InputError(f"{self._path}, line {self.parser.CurrentLineNumber}: {why}.")

    def taken(self) -> list[Part]:
        """What was completed since the last time."""
        out, self._out = self._out, []
        return out

    def _refuse(self, *_: object) -> None:
        raise self.wrong("a document type or entity is not read; remove it from the file")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(" ")[2]
        if not self._names and name != "graphml":
            raise self.wrong(f"is no GraphML; it starts with <{name[:40]}>")
        self._names.append(name)
        if len(self._names) > _DEEPEST:
            raise self.wrong(f"elements stand more than {_DEEPEST} deep in each other")
        if name == "key":
            self._declare(attributes)
        elif name == "graph":
            self._directed.append(attributes.get("edgedefault") != "undirected")
        elif name == "node":
            self._open("node", attributes)
        elif name == "edge":
            self._open("edge", attributes)
        elif name == "hyperedge":
            raise self.wrong("has a hyperedge; only edges of two ends can be read")
        elif name in ("data", "default"):
            self._data, self._text, self._size = attributes.get("key", ""), [], 0
        elif name in _LABELS and self._data is not None:
            self._label = []

    def _declare(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("id", "")
        self._key = (name, attributes.get("for", "all"))
        self._keys[name] = attributes.get("attr.name", name).strip().casefold()
        if len(self._keys) > _MOST_KEYS:
            raise self.wrong(f"declares more than {_MOST_KEYS} attributes")

    def _open(self, kind: Literal["node", "edge"], attributes: dict[str, str]) -> None:
        directed = self._directed[-1] if self._directed else True
        if (own := attributes.get("directed")) is not None:
            directed = own.casefold() == "true"
        line = self.parser.CurrentLineNumber
        data = dict(self._defaults[kind])
        part = Part(kind=kind, attributes=attributes, line=line, directed=directed, data=data)
        self._parts.append(part)

    def _characters(self, text: str) -> None:
        if self._data is None:
            return
        self._size += len(text)
        if self._size > MAX_CELL:
            raise self.wrong("a text is longer than 16 MiB")
        self._text.append(text)
        if self._label is not None:
            self._label.append(text)

    def _end(self, element: str) -> None:
        name = self._names.pop()
        if name in ("data", "default") and self._data is not None:
            self._keep(name, "".join(self._text).strip())
            self._data, self._text, self._label = None, [], None
        elif name in _LABELS and self._label is not None:
            if self._parts:
                self._parts[-1].label = self._parts[-1].label or " ".join(
                    "".join(self._label).split()
                )
            self._label = None
        elif name in _ROOMS and self._parts:
            self._out.append(self._parts.pop())
        elif name == "graph" and self._directed:
            self._directed.pop()
        elif name == "key":
            self._key = None

    def _keep(self, element: str, text: str) -> None:
        if element == "default":
            if self._key is not None:
                key, room = self._key
                for kind in _ROOMS if room == "all" else (room,):
                    if kind in self._defaults:
                        self._defaults[kind][self._keys[key]] = text
        elif self._parts and self._names and self._names[-1] in _ROOMS:
            self._parts[-1].data[self._keys.get(self._data or "", self._data or "")] = text
