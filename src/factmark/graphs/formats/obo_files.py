"""OBO flat files as a stream of quads.

Of OBO (flat files, 1.0 to 1.4) `is_a` is `rdfs:subClassOf`, a `relationship` a statement of that
relation, and so are the parts of a definition (`intersection_of`): all that are of the term are of
its genus and have its differences. Names and exact synonyms are labels; obsolete terms are left
out. `DOID:4` is <http://purl.obolibrary.org/obo/DOID_4>, as in the OWL form of the same file. Not
read: other synonyms, cross-references, unions. Source: the OBO flat file format guide, 1.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from pyoxigraph import BlankNode, Literal, NamedNode, Quad

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
_NODES_OF_RELATIONS = {**_NODES, "is_a": NamedNode(f"{RDFS}subPropertyOf")}
_CHAINS = ("holds_over_chain", "equivalent_to_chain", "transitive_over")
_TEXTS = {
    "synonym": NamedNode(f"{SKOS}altLabel"),
    "exact_synonym": NamedNode(f"{SKOS}altLabel"),
    "def": NamedNode(f"{SKOS}definition"),
}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')
_COMMENT = re.compile(r"\s[!{]|^[!{]")
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
                yield from _quads_of_relation(subject, clauses)
            if kind == "Typedef":
                nodes = _NODES_OF_RELATIONS
            else:
                nodes = _NODES
            yield from _quads_of_stanza(subject, clauses, nodes, relations, problems)
    if not terms:
        raise InputError(f"{path}: holds no [Term] with an id; it is no OBO file.")


def _stanzas(text: str, problems: Problems) -> Iterator[tuple[str, int, _Clauses]]:
    """Yields kind (`Term`, `Typedef`, `Instance`), line and clauses of each stanza after the
    header."""
    kind = ""
    start = 1
    clauses: _Clauses = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        opened = _STANZA.fullmatch(line)
        if opened:
            if kind:
                yield kind, start, clauses
            kind = opened[1]
            start = number
            clauses = []
        elif kind and line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if colon:
                clauses.append((number, tag, value.strip()))
            else:
                problems.drop("no OBO line", f"line {number}", f"{line[:60]!r} has no tag")
    if kind:
        yield kind, start, clauses


def _quads_of_stanza(
    subject: NamedNode,
    clauses: _Clauses,
    nodes: Mapping[str, NamedNode],
    relations: set[str],
    problems: Problems,
) -> Iterator[Quad]:
    """Yields the statements of a stanza; `relations` collects those that were met.

    Args:
        nodes: tag -> property, of those that name a node.
    """
    for line, tag, value in clauses:
        if tag == "name":
            yield Quad(subject, NamedNode(f"{RDFS}label"), Literal(_without_escapes(value)))
        elif tag in _TEXTS:
            quoted = _QUOTED.match(value)
            if quoted is None:
                problems.drop("no OBO line", f"line {line}", f"{tag} holds no text in quotes")
            elif tag != "synonym" or quoted[2] == "EXACT":
                yield Quad(subject, _TEXTS[tag], Literal(_without_escapes(quoted[1])))
        elif tag in nodes or tag in ("relationship", "intersection_of"):
            names = _names_in(value)
            if tag in nodes or (tag == "intersection_of" and len(names) == 1):
                names = [tag if tag in nodes else "is_a", *names]
            if len(names) < 2:
                problems.drop("no OBO line", f"line {line}", f"{tag} names no term")
                continue
            relation, target = names[:2]
            if relation not in nodes and relation not in relations:
                relations.add(relation)
                yield Quad(node_of_id(relation), _TYPE, NamedNode(f"{OWL}ObjectProperty"))
            yield Quad(subject, nodes.get(relation) or node_of_id(relation), node_of_id(target))


def _quads_of_relation(subject: NamedNode, clauses: _Clauses) -> Iterator[Quad]:
    """Yields what is said of relations alone: that it is one, symmetry, chains."""
    yield Quad(subject, _TYPE, NamedNode(f"{OWL}ObjectProperty"))
    for _, tag, value in clauses:
        if tag == "is_symmetric" and value.startswith("true"):
            yield Quad(subject, _TYPE, NamedNode(f"{OWL}SymmetricProperty"))
        elif tag in _CHAINS and (links := list(map(node_of_id, _names_in(value)))):
            if tag == "transitive_over":
                links = [subject, *links]
            yield from chain_quads(subject, links)


def _names_in(value: str) -> list[str]:
    """Returns the ids in a value, without a comment or modifiers behind them."""
    return _COMMENT.split(value)[0].split()


def chain_quads(subject: NamedNode, links: Sequence[NamedNode]) -> Iterator[Quad]:
    """Yields that a relation follows where others lead on from each other."""
    cells = [BlankNode() for _ in links]
    yield Quad(subject, NamedNode(f"{OWL}propertyChainAxiom"), cells[0])
    for place, (cell, link) in enumerate(zip(cells, links, strict=True), start=1):
        rest: BlankNode | NamedNode
        if place < len(cells):
            rest = cells[place]
        else:
            rest = NamedNode(f"{RDF}nil")
        yield Quad(cell, NamedNode(f"{RDF}first"), link)
        yield Quad(cell, NamedNode(f"{RDF}rest"), rest)


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
