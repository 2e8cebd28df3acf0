"""Nodes and edges of GraphML and GEXF, as a stream.

No document type and no entity is taken from a file, so that none can fetch or multiply; what is
open at a time is bounded, so that memory does not grow with the file.

Source: http://graphml.graphdrawing.org/specification.html, https://gexf.net/schema.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from factmark.errors import InputError
from factmark.files.flat_files import MAX_CELL
from factmark.files.text_files import unreadable

XML_GRAPHS = (".graphml", ".gexf")
"""The endings of such files."""
_BLOCK = 1 << 16
_DEEPEST = 100
_MOST_KEYS = 10_000
_KINDS = ("node", "edge")
_ROOTS = {"graphml": "edgedefault", "gexf": "defaultedgetype"}
"""What a file begins with -> where its graph says whether edges are directed."""


@dataclass(slots=True, kw_only=True)
class GraphElement:
    """An element: a node, an edge, or what stands around and in them.

    Attributes:
        attributes: of its element: `id`, or `source` and `target`.
        directed: whether edges in it are.
        data: name of the attribute in lower case -> text.
    """

    kind: str
    attributes: Mapping[str, str]
    line: int
    directed: bool
    data: dict[str, str]


def read_xml_graph(path: Path) -> Iterator[GraphElement]:
    """Yields the nodes and edges of a file, in its order.

    Raises:
        InputError: neither GraphML nor GEXF, broken XML, with a document type, or a text beyond
            16 MiB; with the line.
    """
    reader = _XmlParser(path)
    fed = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                fed += len(block)
                reader.parser.Parse(block, False)
                yield from reader.take_finished()
                if fed - reader.parser.CurrentByteIndex > MAX_CELL:
                    raise reader.error_here("a tag is longer than 16 MiB")
            reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, str(error))
        raise InputError(f"{path}, line {error.lineno}: no XML: {why}.") from error
    except (LookupError, ValueError) as error:
        raise reader.error_here(f"cannot be read: {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error
    yield from reader.take_finished()


class _XmlParser:
    """Parses a file block by block, and keeps the elements that are open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._root = ""
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}
        self._open: list[GraphElement] = []
        self._out: list[GraphElement] = []
        self._texts: list[str] = []
        self._size = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def error_here(self, why: str) -> InputError:
        """Returns the error with this place of the file, to be raised."""
        return InputError(f"{self._path}, line {self.parser.CurrentLineNumber}: {why}.")

    def take_finished(self) -> list[GraphElement]:
        """Returns the nodes and edges that were finished since the last call."""
        out = self._out
        self._out = []
        return out

    def _refuse(self, *_: object) -> None:
        """Raises for a document type or an entity."""
        raise self.error_here("a document type or entity is not read; remove it from the file")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        """Opens an element."""
        name = element.rpartition(" ")[2]
        if not self._open:
            if name not in _ROOTS:
                raise self.error_here(f"is no GraphML or GEXF; it starts with <{name[:40]}>")
            self._root = name
        if len(self._open) == _DEEPEST:
            raise self.error_here(f"elements stand more than {_DEEPEST} deep in each other")
        if name == "hyperedge":
            raise self.error_here("has a hyperedge; only edges of two ends can be read")
        if name in ("key", "attribute"):
            self._declare(attributes)
        directed = True
        if self._open:
            directed = self._open[-1].directed
        if name == "graph":
            directed = attributes.get(_ROOTS[self._root]) != "undirected"
        elif (own := attributes.get("directed")) is not None:
            directed = own.casefold() == "true"
        elif self._root == "gexf" and attributes.get("type") in ("directed", "undirected"):
            directed = attributes["type"] == "directed"
        data = dict(self._defaults.get(name, {}))
        if self._root == "gexf" and name in _KINDS and attributes.get("label"):
            data["label"] = attributes["label"].strip()
        line = self.parser.CurrentLineNumber
        self._open.append(
            GraphElement(kind=name, attributes=attributes, line=line, directed=directed, data=data)
        )
        self._texts = []
        self._size = 0

    def _declare(self, attributes: Mapping[str, str]) -> None:
        """Keeps what an attribute of nodes or edges is called."""
        key = attributes.get("id", "")
        name = attributes.get("attr.name") or attributes.get("title") or key
        self._keys[self._key(key)] = name.strip().casefold()
        if len(self._keys) > _MOST_KEYS:
            raise self.error_here(f"declares more than {_MOST_KEYS} attributes")

    def _key(self, key: str, kind: str = "") -> str:
        """Returns an attribute's id, in GEXF with the kind that it is of: ids come again there."""
        if self._root != "gexf":
            return key
        return f"{kind or self._open[-1].attributes.get('class', '')} {key}"

    def _characters(self, text: str) -> None:
        """Adds to the text of the open element, if that is data."""
        if self._open[-1].kind in ("data", "default"):
            self._size += len(text)
            if self._size > MAX_CELL:
                raise self.error_here("a text is longer than 16 MiB")
            self._texts.append(text)

    def _end(self, _: str) -> None:
        """Closes an element; nodes and edges are finished then."""
        part = self._open.pop()
        text = "".join(self._texts).strip()
        self._texts = []
        if part.kind in _KINDS:
            self._out.append(part)
        elif part.kind == "attvalue" and len(self._open) > 1 and self._open[-2].kind in _KINDS:
            owner = self._open[-2]
            key = part.attributes.get("for") or part.attributes.get("id", "")
            name = self._keys.get(self._key(key, owner.kind), key)
            owner.data[name] = part.attributes.get("value", "").strip()
        elif part.kind == "data" and self._open and self._open[-1].kind in _KINDS:
            key = part.attributes.get("key", "")
            self._open[-1].data[self._keys.get(key, key)] = text
        elif part.kind == "default" and self._open:
            self._keep_default(self._open[-1], text)

    def _keep_default(self, declared: GraphElement, text: str) -> None:
        """Keeps the value of an attribute where a node or edge has none."""
        key = declared.attributes.get("id", "")
        of_kind = ""
        if declared.kind == "attribute":
            of_kind = self._open[-2].attributes.get("class", "")
        elif declared.kind != "key":
            return
        name = self._keys.get(f"{of_kind} {key}" if of_kind else key)
        meant = of_kind or declared.attributes.get("for", "all")
        for kind in _KINDS:
            if name is not None and meant in (kind, "all"):
                self._defaults[kind][name] = text
