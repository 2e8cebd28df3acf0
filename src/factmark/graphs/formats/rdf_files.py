"""RDF and OBO files as streams of quads, and terms as people read them."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import MappingProxyType
from typing import IO

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat

from factmark.errors import InputError
from factmark.files.native import native_reader
from factmark.files.problems import Problems
from factmark.files.rows import unknown_ending
from factmark.files.text_files import encoding_of_mark
from factmark.graphs.core.iri_names import RDFS, SKOS
from factmark.graphs.formats.file_kinds import JSON_LD, OBO_GRAPH, kind_of_file
from factmark.graphs.formats.obo_files import obo_quads
from factmark.graphs.formats.obo_graphs import obo_graph_quads

RDF_FORMATS: Mapping[str, RdfFormat | None] = MappingProxyType(
    {
        ".ttl": RdfFormat.TURTLE,
        ".n3": RdfFormat.N3,
        ".nt": RdfFormat.N_TRIPLES,
        ".nq": RdfFormat.N_QUADS,
        ".trig": RdfFormat.TRIG,
        ".rdf": RdfFormat.RDF_XML,
        ".owl": RdfFormat.RDF_XML,
        ".xml": RdfFormat.RDF_XML,
        ".jsonld": RdfFormat.JSON_LD,
        ".obo": None,
    }
)
_BY_LINE = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_CHUNK_LINES = 20_000
_ENTITY = re.compile(rb"<!ENTITY[\s%]*+(\S++)\s++([^<]*+)")
_REFERENCE = re.compile(rb"&([^\s&;]++);")
_LONGEST_ENTITY = 1_000  # bytes; entities shorten IRIs
_TAG = re.compile(rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[?!][^>]*|</|/>|<", re.DOTALL)
_BRACKET = re.compile(
    rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+([\[\]{}]|\Z)', re.DOTALL
)  # each matches what is cut off to its end, once
_TERM = re.compile(rb"<<\(|\)>>")
_RELATIVE = re.compile(rb'("(?:[^"\\]|\\.)*")|<([^<>":\s]+)>')  # an IRI, not within a literal
_DEPTHS: Mapping[bytes, int] = {
    **dict.fromkeys((b"<", b"[", b"{", b"<<("), 1),
    **dict.fromkeys((b"</", b"/>", b"]", b"}", b")>>"), -1),
}
_BASE = "file:///"
_LETTERS: Mapping[type, str] = {NamedNode: "I", BlankNode: "B", Literal: "L"}


def is_rdf(path: Path) -> bool:
    """Whether a file is RDF, OBO or an OBO graph: by its name, a `.json` by its beginning."""
    return path.suffix.casefold() in RDF_FORMATS or kind_of_file(path) in (OBO_GRAPH, JSON_LD)


def is_obo(path: Path) -> bool:
    """Whether a file, which is one that `read_quads` reads, is OBO or an OBO graph."""
    return _format_of(path) is None


def _format_of(path: Path) -> RdfFormat | None:
    """Returns the syntax of a file; None of OBO and an OBO graph."""
    if kind_of_file(path) == JSON_LD:
        return RdfFormat.JSON_LD
    return RDF_FORMATS.get(path.suffix.casefold())


def ontology_files(path: Path) -> list[Path]:
    """Returns the files of an ontology: the one that is named, or all RDF and OBO files of a
    folder.

    Raises:
        InputError: there are none.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and is_rdf(file))
        if not files:
            raise InputError(f"{path}: holds no RRF, RDF or OBO file.")
        return files
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")
    if not is_rdf(path):
        raise unknown_ending(path, RDF_FORMATS, ", and is no OBO graph")
    return [path]


def read_quads(path: Path, problems: Problems) -> Iterator[Quad]:
    """Yields the quads of an RDF or OBO file or an OBO graph, one by one.

    A bad line of N-Triples, N-Quads or OBO is counted and the rest is read; the other formats
    cannot be read on after an error. Relative IRIs stand on `file:` and the file's name.

    Raises:
        InputError: for a file that cannot be read, with the line; an OBO file without a term.
    """
    suffix = path.suffix.casefold()
    kind = _format_of(path)
    if kind is None:
        quads = (obo_quads if suffix in RDF_FORMATS else obo_graph_quads)(path, problems)
        yield from dict.fromkeys(quads)  # the genus of a definition is often an `is_a` as well
        return
    try:
        with native_reader(path, "RDF"), path.open("rb") as file:
            _check_file(path, kind)
            _skip_mark(path, file)
            if kind in _BY_LINE:
                yield from _read_blocks(file, kind, problems)
            else:
                yield from pyoxigraph.parse(file, format=kind, base_iri=f"{_BASE}{path.name}")
    except SyntaxError as error:
        line = ""
        if error.lineno is not None:
            line = f", line {error.lineno}"
        raise InputError(f"{path}{line}: {error.msg}{_advice(kind, error.msg)}") from error


def _advice(kind: RdfFormat, message: str) -> str:
    """Returns what to do about a file that does not parse, where its error does not tell."""
    if kind is RdfFormat.RDF_XML and "UTF-8" not in message:
        return (
            ". It is read as RDF/XML: name Turtle .ttl, and save OWL in another syntax (OWL/XML, "
            "functional, Manchester) as one of these."
        )
    if "LoadDocumentCallback" in message:
        return ": its context lies on the web, and nothing is fetched. Write it into the file."
    return ""


def _skip_mark(path: Path, file: IO[bytes]) -> None:
    """Passes over a byte order mark; raises InputError for that of another encoding."""
    start = file.read(4)
    other = encoding_of_mark(start)
    if other:
        raise InputError(f"{path}: is {other}. Save it as UTF-8.")
    file.seek(3 if start.startswith(codecs.BOM_UTF8) else 0)


def _check_file(path: Path, kind: RdfFormat) -> None:
    """Raises InputError for what a parser would fill the memory with, or not return from: entities
    that are made of each other, and what is nested too deeply."""
    with path.open("rb") as file:
        if not file.read(1):
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            if kind is RdfFormat.RDF_XML:
                _check_entities(path, data)
                _check_depth(path, data, _TAG, 1_000)
            elif kind is RdfFormat.JSON_LD:
                _check_depth(path, data, _BRACKET, 200)
            elif data.find(b"<<(") >= 0:
                _check_depth(path, data, _TERM, 100)


def _check_entities(path: Path, data: mmap) -> None:
    """Raises InputError where an entity that a file declares stands for a long text."""
    lengths: defaultdict[bytes, int] = defaultdict(int)
    for match in _ENTITY.finditer(data):
        name, value = match.groups()
        inner = sum(lengths[reference] for reference in _REFERENCE.findall(value))
        lengths[name] = max(lengths[name], len(value) + inner)
        if lengths[name] > _LONGEST_ENTITY:
            shown = name.decode(errors="replace")[:40]
            raise InputError(
                f"{path}: the entity {shown!r} stands for more than "
                f"{_LONGEST_ENTITY:,} characters. Write them out."
            )


def _check_depth(path: Path, data: mmap, signs: re.Pattern[bytes], most: int) -> None:
    """Raises InputError where more than so many elements, brackets or triples are open at once."""
    depth = 0
    for sign in signs.finditer(data):
        depth += _DEPTHS.get(sign[sign.lastindex or 0], 0)
        if depth > most:
            line = data[: sign.end()].count(b"\n") + 1
            raise InputError(f"{path}, line {line}: more than {most:,} parts within each other.")


def _read_blocks(file: Iterator[bytes], kind: RdfFormat, problems: Problems) -> Iterator[Quad]:
    """Yields the quads of a format of one statement a line, block by block; bad lines are counted
    and left out."""
    done = 0
    while lines := list(islice(file, _CHUNK_LINES)):
        try:
            quads = list(_parsed(b"".join(lines), kind))
        except (SyntaxError, ValueError):
            quads = list(_read_lines(lines, done, kind, problems))
        yield from quads
        done += len(lines)


def _parsed(data: bytes, kind: RdfFormat) -> Iterator[Quad]:
    """Yields the quads of lines; those of RDF-star, `<< a b c >> d e .`, are Turtle now."""
    is_star = kind is RdfFormat.N_TRIPLES and b"<<" in data
    return iter(pyoxigraph.parse(data, format=RdfFormat.TURTLE if is_star else kind))


def _read_lines(
    lines: list[bytes], done: int, kind: RdfFormat, problems: Problems
) -> Iterator[Quad]:
    """Yields the quads of a block with a bad line, line by line; bad ones are counted and left
    out."""
    for number, line in enumerate(lines, start=done + 1):
        try:
            yield from _parsed(_RELATIVE.sub(_absolute, line), kind)
        except (SyntaxError, ValueError) as error:
            problems.rows += 1
            problems.drop("no RDF statement", f"line {number}", str(error))


def _absolute(term: re.Match[bytes]) -> bytes:
    """Returns a relative IRI on the base of all files; a literal as it is."""
    literal, iri = term.groups()
    if literal is not None:
        return literal
    return b"<" + _BASE.encode() + iri + b">"


def encode_term(term: object) -> str:
    """Returns a term as a string that keeps its kind: `I` IRI, `B` blank node, `L` literal, then
    its value; empty for other terms."""
    letter = _LETTERS.get(type(term))
    return f"{letter}{term.value}" if letter else ""  # type: ignore[attr-defined]  # all have one


def label_rank(predicate: str, language: str | None) -> int | None:
    """Returns how good a label this predicate gives, 0 the best; None if it gives none."""
    rank = {f"{SKOS}prefLabel": 0, f"{RDFS}label": 3, "http://schema.org/name": 6}.get(predicate)
    if rank is None:
        return None
    if language is None:
        return rank + 1
    if language.casefold().split("-")[0] == "en":
        return rank
    return rank + 10
