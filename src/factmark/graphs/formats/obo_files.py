"""OBO flat files as a stream of quads.

Of OBO (flat files, 1.0 to 1.4) `is_a` is `rdfs:subClassOf`, a `relationship` a statement of that
relation, names and exact synonyms are labels; obsolete terms are left out. `DOID:4` is
<http://purl.obolibrary.org/obo/DOID_4>, as in the OWL form of the same file. Not read: other
synonyms, cross-references, logical definitions. Source: the OBO flat file format guide, 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import read_text
from factmark.graphs.core.iri_names import OBO, OWL, RDF, RDFS, SKOS

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

_Clauses = list[tuple[int, str, str]]
"""Line, tag and value of each line of a stanza."""


def obo_quads(path: Path, problems: Problems) -> Iterator[Quad]:
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
            subject = node_of_id(tags["id"])
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
                yield Quad(node_of_id(relation), _TYPE, NamedNode(f"{OWL}ObjectProperty"))
            yield Quad(subject, _NODES.get(relation) or node_of_id(relation), node_of_id(rest))


def node_of_id(value: str) -> NamedNode:
    """Returns the IRI of an OBO id, which a comment (`! name`) or `{modifiers}` may follow; of one
    that is meant as an IRI and is none, as of any other id."""
    name = value.split()[0]
    if "://" in name:
        try:
            return NamedNode(quote(name, safe=":/#?&=%+;,@~", errors="replace"))
        except ValueError:
            pass
    return NamedNode(OBO + quote(name.replace(":", "_", 1), safe="_-.~#", errors="replace"))


def _without_escapes(text: str) -> str:
    """Returns a text of OBO without its escapes."""
    return _ESCAPED.sub(lambda m: {"n": "\n", "t": "\t", "W": " "}.get(m[1], m[1]), text).strip()
