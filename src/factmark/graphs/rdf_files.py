"""RDF and OBO files as streams of quads, and terms as people read them.

Of OBO (flat files, 1.0 to 1.4) `is_a` is `rdfs:subClassOf`, a `relationship` a statement of that
relation, names and exact synonyms are labels; obsolete terms are left out. `DOID:4` is
<http://purl.obolibrary.org/obo/DOID_4>, as in the OWL form of the same file. Not read: other
synonyms, cross-references, logical definitions. Source: the OBO flat file format guide, 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, unquote

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import read_text

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
        ".obo": None,
    }
)
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OBO = "http://purl.obolibrary.org/obo/"
_BY_LINE = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_CHUNK_LINES = 20_000
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS: Mapping[type, str] = {NamedNode: "I", BlankNode: "B", Literal: "L"}
_TYPE = NamedNode(f"{RDF}type")
_NODES = {
    "is_a": NamedNode(f"{RDFS}subClassOf"),
    "instance_of": _TYPE,
    "domain": NamedNode(f"{RDFS}domain"),
    "range": NamedNode(f"{RDFS}range"),
    "inverse_of": NamedNode(f"{OWL}inverseOf"),
}
_TEXTS = {
    "synonym": NamedNode(f"{SKOS}altLabel"),
    "exact_synonym": NamedNode(f"{SKOS}altLabel"),
    "def": NamedNode(f"{SKOS}definition"),
}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')
_ESCAPED = re.compile(r"\\(.)")
_STANZA = re.compile(r"\[(\w+)\]")


def read_quads(path: Path, problems: Problems) -> Iterator[Quad]:
    """Yields the quads of an RDF or OBO file, one by one.

    A bad line of N-Triples, N-Quads or OBO is counted and the rest is read; the other formats
    cannot be read on after an error. Relative IRIs stand on `file:` and the file's name.

    Raises:
        InputError: for a file that cannot be read, with the line; an OBO file without a term.
    """
    kind = RDF_FORMATS[path.suffix.casefold()]
    if kind is None:
        yield from _obo_quads(path, problems)
        return
    try:
        with path.open("rb") as file:
            if kind in _BY_LINE:
                yield from _read_blocks(file, kind, problems)
            else:
                yield from pyoxigraph.parse(file, format=kind, base_iri=f"file:///{path.name}")
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.msg}") from error
    except (ValueError, OSError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error


def _read_blocks(file: Iterator[bytes], kind: RdfFormat, problems: Problems) -> Iterator[Quad]:
    """Yields the quads of a format of one statement a line, block by block; bad lines are counted
    and left out."""
    done = 0
    while lines := list(islice(file, _CHUNK_LINES)):
        try:
            quads = list(pyoxigraph.parse(b"".join(lines), format=kind))
        except (SyntaxError, ValueError):
            quads = list(_read_lines(lines, done, kind, problems))
        yield from quads
        done += len(lines)


def _read_lines(
    lines: list[bytes], done: int, kind: RdfFormat, problems: Problems
) -> Iterator[Quad]:
    """Yields the quads of a block with a bad line, line by line; bad ones are counted and left
    out."""
    for number, line in enumerate(lines, start=done + 1):
        try:
            yield from pyoxigraph.parse(line, format=kind)
        except (SyntaxError, ValueError) as error:
            problems.rows += 1
            problems.drop("no RDF statement", f"line {number}", str(error))


def encode_term(term: object) -> str:
    """Returns a term as a string that keeps its kind: `I` IRI, `B` blank node, `L` literal, then
    its value; empty for other terms."""
    letter = _LETTERS.get(type(term))
    return f"{letter}{term.value}" if letter else ""  # type: ignore[attr-defined]  # all have one


def local_name(iri: str) -> str:
    """Returns the last part of an IRI with blanks between its words.

    >>> local_name("http://x.org/v#DiabetesMellitus"), local_name("http://x.org/foot_ulcer/")
    ('Diabetes Mellitus', 'foot ulcer')
    """
    name = unquote(re.split(r"[/#:]", iri.rstrip("/#"))[-1])
    return _CAMEL.sub(" ", name.replace("_", " ")).strip() or iri


def label_rank(predicate: str, language: str | None) -> int | None:
    """Returns how good a label this predicate gives, 0 the best; None if it gives none."""
    rank = {f"{SKOS}prefLabel": 0, f"{RDFS}label": 3, "http://schema.org/name": 6}.get(predicate)
    if rank is None:
        return None
    if language is None:
        return rank + 1
    return rank if language.casefold().split("-")[0] == "en" else rank + 10


_Clauses = list[tuple[int, str, str]]
"""Line, tag and value of each line of a stanza."""


def _obo_quads(path: Path, problems: Problems) -> Iterator[Quad]:
    """Yields the statements of an OBO file; lines and stanzas that cannot be read are reported and
    left out."""
    relations: set[str] = set()
    terms = 0
    for kind, line, clauses in _stanzas(read_text(path), problems):
        problems.rows += 1
        tags = {tag: value for _, tag, value in reversed(clauses)}
        if not tags.get("id"):
            problems.drop("a term without an id", f"line {line}")
        elif not tags.get("is_obsolete", "").startswith("true"):
            terms += 1
            subject = _node_of_id(tags["id"])
            if kind == "Typedef":
                yield Quad(subject, _TYPE, NamedNode(f"{OWL}ObjectProperty"))
                clauses = [clause for clause in clauses if clause[1] != "is_a"]
            if kind == "Typedef" and tags.get("is_symmetric", "").startswith("true"):
                yield Quad(subject, _TYPE, NamedNode(f"{OWL}SymmetricProperty"))
            yield from _quads_of_stanza(subject, clauses, relations, problems)
    if not terms:
        raise InputError(f"{path}: holds no [Term] with an id; it is no OBO file.")


def _stanzas(text: str, problems: Problems) -> Iterator[tuple[str, int, _Clauses]]:
    """Yields kind (`Term`, `Typedef`, `Instance`), line and clauses of each stanza after the
    header."""
    kind, start = "", 1
    clauses: _Clauses = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if opened := _STANZA.fullmatch(line):
            if kind:
                yield kind, start, clauses
            kind, start, clauses = opened[1], number, []
        elif kind and line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if colon:
                clauses.append((number, tag, value.strip()))
            else:
                problems.drop("no OBO line", f"line {number}", f"{line[:60]!r} has no tag")
    if kind:
        yield kind, start, clauses


def _quads_of_stanza(
    subject: NamedNode, clauses: _Clauses, relations: set[str], problems: Problems
) -> Iterator[Quad]:
    """Yields the statements of a stanza; `relations` collects those that were met."""
    for line, tag, value in clauses:
        if tag == "name":
            yield Quad(subject, NamedNode(f"{RDFS}label"), Literal(_without_escapes(value)))
        elif tag in _TEXTS:
            quoted = _QUOTED.match(value)
            if quoted is None:
                problems.drop("no OBO line", f"line {line}", f"{tag} holds no text in quotes")
            elif tag != "synonym" or quoted[2] == "EXACT":
                yield Quad(subject, _TEXTS[tag], Literal(_without_escapes(quoted[1])))
        elif tag in _NODES or tag == "relationship":
            relation, _, rest = value.partition(" ") if tag == "relationship" else (tag, "", value)
            if not rest.split("!")[0].strip():
                problems.drop("no OBO line", f"line {line}", f"{tag} names no term")
                continue
            if relation not in _NODES and relation not in relations:
                relations.add(relation)
                yield Quad(_node_of_id(relation), _TYPE, NamedNode(f"{OWL}ObjectProperty"))
            yield Quad(subject, _NODES.get(relation) or _node_of_id(relation), _node_of_id(rest))


def _node_of_id(value: str) -> NamedNode:
    """Returns the IRI of an OBO id, which a comment (`! name`) or `{modifiers}` may follow."""
    name = value.split()[0]
    if "://" in name:
        return NamedNode(quote(name, safe=":/#?&=%+;,@~"))
    return NamedNode(OBO + quote(name.replace(":", "_", 1), safe="_-.~#"))


def _without_escapes(text: str) -> str:
    """Returns a text of OBO without its escapes."""
    return _ESCAPED.sub(lambda m: {"n": "\n", "t": "\t", "W": " "}.get(m[1], m[1]), text).strip()
