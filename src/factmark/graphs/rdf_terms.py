"""RDF (and OBO) files as streams of quads, and terms as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.ontologies.obo import read_obo

RDF_FORMATS: Mapping[str, RdfFormat | None] = MappingProxyType(
    {
        ".ttl": RdfFormat.TURTLE,
        ".nt": RdfFormat.N_TRIPLES,
        ".nq": RdfFormat.N_QUADS,
        ".trig": RdfFormat.TRIG,
        ".rdf": RdfFormat.RDF_XML,
        ".owl": RdfFormat.RDF_XML,
        ".xml": RdfFormat.RDF_XML,
        ".jsonld": RdfFormat.JSON_LD,
        ".obo": None,  # stands for RDF; see `factmark.graphs.ontologies.obo`
    }
)
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
_BY_LINE = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_CHUNK_LINES = 20_000
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_quads(path: Path, problems: Problems) -> Iterator[pyoxigraph.Quad]:
    """The quads of an RDF file, one by one.

    In N-Triples and N-Quads a bad line is counted and the rest is read; the other formats cannot
    be read on after an error. Relative IRIs stand on `file:` of the path, or rather its name.

    Raises:
        InputError: for a file that cannot be read, with the line.
    """
    kind = RDF_FORMATS[path.suffix.casefold()]
    if kind is None:
        yield from read_obo(path, problems)
        return
    try:
        if kind in _BY_LINE:
            yield from _by_lines(path, kind, problems)
            return
        base = f"file:///{path.name}"
        with path.open("rb") as file:
            yield from pyoxigraph.parse(file, format=kind, base_iri=base)
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.msg}") from error
    except (ValueError, OSError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error


def _by_lines(path: Path, kind: RdfFormat, problems: Problems) -> Iterator[pyoxigraph.Quad]:
    with path.open("rb") as file:
        done = 0
        while lines := list(islice(file, _CHUNK_LINES)):
            try:
                quads = list(pyoxigraph.parse(b"".join(lines), format=kind))
            except (SyntaxError, ValueError):
                quads = list(_line_by_line(lines, done, kind, problems))
            yield from quads
            done += len(lines)


def _line_by_line(
    lines: list[bytes], done: int, kind: RdfFormat, problems: Problems
) -> Iterator[pyoxigraph.Quad]:
    for number, line in enumerate(lines, start=done + 1):
        try:
            yield from pyoxigraph.parse(line, format=kind)
        except (SyntaxError, ValueError) as error:
            problems.rows += 1
            problems.drop("no RDF statement", f"line {number}", str(error))


def encoded(term: object) -> str:
    """A term as a string that keeps its kind: `I` IRI, `B` blank node, `L` literal."""
    if isinstance(term, NamedNode):
        return f"I{term.value}"
    if isinstance(term, BlankNode):
        return f"B{term.value}"
    if isinstance(term, Literal):
        return f"L{term.value}"
    return ""


def local_name(iri: str) -> str:
    """The last part of an IRI as people read it.

    >>> local_name("http://x.org/v#DiabetesMellitus"), local_name("http://x.org/foot_ulcer/")
    ('Diabetes Mellitus', 'foot ulcer')
    """
    name = unquote(re.split(r"[/#:]", iri.rstrip("/#"))[-1])
    return _CAMEL.sub(" ", name.replace("_", " ")).strip() or iri


def label_rank(predicate: str, language: str | None) -> int | None:
    """How good a label is, 0 the best; None for a predicate that gives no label."""
    rank = {f"{SKOS}prefLabel": 0, f"{RDFS}label": 3, "http://schema.org/name": 6}.get(predicate)
    if rank is None:
        return None
    if language is None:
        return rank + 1
    return rank if language.casefold().split("-")[0] == "en" else rank + 10
