"""OBO ontologies (flat files, 1.0 to 1.4) as the RDF statements that they stand for.

`is_a` is `rdfs:subClassOf`, a `relationship` a statement of that relation, names and exact synonyms
are labels; obsolete terms are left out. `DOID:4` is <http://purl.obolibrary.org/obo/DOID_4>, as in
the OWL form of the same file. Not read: other synonyms, cross-references, logical definitions.
Source: the OBO flat file format guide, 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import read_text

OBO = "http://purl.obolibrary.org/obo/"
_RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_LABEL = NamedNode(f"{_RDFS}label")
_PROPERTY = NamedNode(f"{_OWL}ObjectProperty")
_NODES = {
    "is_a": NamedNode(f"{_RDFS}subClassOf"),
    "instance_of": _RDF_TYPE,
    "domain": NamedNode(f"{_RDFS}domain"),
    "range": NamedNode(f"{_RDFS}range"),
    "inverse_of": NamedNode(f"{_OWL}inverseOf"),
}
_TEXTS = {
    "synonym": NamedNode(f"{_SKOS}altLabel"),
    "exact_synonym": NamedNode(f"{_SKOS}altLabel"),
    "def": NamedNode(f"{_SKOS}definition"),
}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')
_ESCAPED = re.compile(r"\\(.)")
_STANZA = re.compile(r"\[(\w+)\]")


@dataclass(slots=True)
class _Stanza:
    """`[Term]`, `[Typedef]` or `[Instance]` with its lines; the header has no kind."""

    kind: str
    line: int
    clauses: list[tuple[int, str, str]] = field(default_factory=list)

    def first(self, tag: str) -> str:
        return next((value for _, name, value in self.clauses if name == tag), "")


def read_obo(path: Path, problems: Problems) -> Iterator[Quad]:
    """The statements of an OBO file; a line or a stanza that cannot be read is told and left out.

    Raises:
        InputError: it cannot be opened, is in no UTF-8, or has no term.
    """
    relations: set[str] = set()
    terms = 0
    for stanza in _stanzas(read_text(path), problems):
        if not stanza.first("id"):
            problems.drop("a term without an id", f"line {stanza.line}")
        elif not stanza.first("is_obsolete").startswith("true"):
            terms += 1
            yield from _statements(stanza, relations, problems)
    if not terms:
        raise InputError(f"{path}: holds no [Term] with an id; it is no OBO file.")


def _stanzas(text: str, problems: Problems) -> Iterator[_Stanza]:
    stanza = _Stanza("", 1)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if opened := _STANZA.fullmatch(line):
            if stanza.kind:
                yield stanza
            stanza = _Stanza(opened[1], number)
            problems.rows += 1
        elif stanza.kind and line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if colon:
                stanza.clauses.append((number, tag, value.strip()))
            else:
                problems.drop("no OBO line", f"line {number}", f"{line[:60]!r} has no tag")
    if stanza.kind:
        yield stanza


def _statements(stanza: _Stanza, relations: set[str], problems: Problems) -> Iterator[Quad]:
    subject = _node(stanza.first("id"))
    if stanza.kind == "Typedef":
        yield Quad(subject, _RDF_TYPE, _PROPERTY)
        if stanza.first("is_symmetric").startswith("true"):
            yield Quad(subject, _RDF_TYPE, NamedNode(f"{_OWL}SymmetricProperty"))
    for line, tag, value in stanza.clauses:
        if tag == "name":
            yield Quad(subject, _LABEL, Literal(_plain(value)))
        elif tag in _TEXTS:
            quoted = _QUOTED.match(value)
            if quoted is None:
                problems.drop("no OBO line", f"line {line}", f"{tag} holds no text in quotes")
            elif tag != "synonym" or quoted[2] == "EXACT":
                yield Quad(subject, _TEXTS[tag], Literal(_plain(quoted[1])))
        elif tag in _NODES or tag == "relationship":
            relation, _, rest = value.partition(" ") if tag == "relationship" else (tag, "", value)
            if not rest.split("!")[0].strip():
                problems.drop("no OBO line", f"line {line}", f"{tag} names no term")
                continue
            if relation not in _NODES and relation not in relations:
                relations.add(relation)
                yield Quad(_node(relation), _RDF_TYPE, _PROPERTY)
            if tag != "is_a" or stanza.kind != "Typedef":
                yield Quad(subject, _NODES.get(relation) or _node(relation), _node(rest))


def _node(value: str) -> NamedNode:
    """The IRI of an id, which a comment (`! name`) or `{modifiers}` may follow."""
    name = value.split()[0]
    if "://" in name:
        return NamedNode(quote(name, safe=":/#?&=%+;,@~"))
    return NamedNode(OBO + quote(name.replace(":", "_", 1), safe="_-.~#"))


def _plain(text: str) -> str:
    """A text without its escapes."""
    return _ESCAPED.sub(lambda m: {"n": "\n", "t": "\t", "W": " "}.get(m[1], m[1]), text).strip()
