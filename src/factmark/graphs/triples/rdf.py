"""Triples from RDF: labels make them readable; graphs and reification say where they come from.

The source of a triple is, in this order: what its reifiers say (`rdf:Statement`, or RDF 1.2's
`rdf:reifies` with its shorthand, which RDF-star became), else its named graph. A source is an id of
a passage, or, where it is a text that is no id, the passage itself. Statements that describe
labels, sources, passages or the schema are no claims and are left aside.

The file is parsed once into a private SQLite database that spills to disk, so that labels may
stand anywhere in it and memory stays flat.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad
from pyoxigraph import Triple as RdfTriple

from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.graphs.core.claims import WORDINGS, Triple, relation_key
from factmark.graphs.rdf_terms import (
    OWL,
    RDF,
    RDFS,
    SKOS,
    encoded,
    label_rank,
    local_name,
    read_quads,
)
from factmark.passages.passage_file import Passages

_OWN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        f"{RDF}type": "isa",
        f"{RDFS}subClassOf": "isa",
        f"{SKOS}broader": "isa",
        f"{SKOS}narrower": "inverse_isa",
        f"{OWL}sameAs": "same_as",
        f"{OWL}equivalentClass": "same_as",
        f"{SKOS}exactMatch": "same_as",
        f"{SKOS}closeMatch": "possibly_equivalent_to",
        f"{SKOS}related": "associated_with",
    }
)
_ABOUT_DATA = (
    RDF, RDFS, OWL, SKOS, "http://www.w3.org/ns/prov#", "http://purl.org/dc/",
    "http://www.w3.org/ns/shacl#", "http://rdfs.org/ns/void#",
)  # fmt: skip
_SOURCE = re.compile(
    r"(?:source|src|passage|passageid|wasderivedfrom|hadprimarysource|derivedfrom|extractedfrom"
    r"|evidence|pmid|document|wasquotedfrom)$",
    re.IGNORECASE,
)
_TEXT = re.compile(r"(?:value|text|isstring|abstract|content|passagetext)$", re.IGNORECASE)
_CONFIDENCE = re.compile(r"(?:confidence|certainty|probability|score)$", re.IGNORECASE)
_BATCH = 20_000
_TABLES = """
CREATE TABLE edge (s TEXT, p TEXT, o TEXT, g TEXT);
CREATE TABLE label (node TEXT PRIMARY KEY, rank INTEGER, text TEXT) WITHOUT ROWID;
CREATE TABLE reified (node TEXT PRIMARY KEY, s TEXT, p TEXT, o TEXT) WITHOUT ROWID;
CREATE TABLE said (node TEXT, predicate TEXT, object TEXT);
"""


def read_rdf(
    path: Path, problems: Problems, *, passages: Passages | None = None
) -> Iterator[Triple]:
    """The claims of an RDF file, one per triple and source.

    Raises:
        InputError: for a file that cannot be read or parsed; the message has the line.
    """
    check_file(path)
    database = sqlite3.connect("")
    try:
        _load(database, path, problems)
        yield from _Claims(database, problems, passages).all()
    finally:
        database.close()


def _load(database: sqlite3.Connection, path: Path, problems: Problems) -> None:
    database.executescript(f"PRAGMA journal_mode = OFF; {_TABLES}")
    edges: list[tuple[str, str, str, str]] = []
    for quad in read_quads(path, problems):
        edge = _sort(database, quad)
        if edge is not None:
            edges.append(edge)
            if len(edges) >= _BATCH:
                database.executemany("INSERT INTO edge VALUES (?, ?, ?, ?)", edges)
                edges.clear()
    database.executemany("INSERT INTO edge VALUES (?, ?, ?, ?)", edges)
    database.executescript(
        "CREATE INDEX said_node ON said (node); CREATE INDEX reified_triple ON reified (s, p, o)"
    )


def _sort(database: sqlite3.Connection, quad: Quad) -> tuple[str, str, str, str] | None:
    """Files a quad under labels, reification or what is said of a node; claims come back."""
    subject, predicate = encoded(quad.subject), quad.predicate.value
    value = quad.object
    if isinstance(value, RdfTriple):
        if predicate == f"{RDF}reifies":
            parts = (encoded(value.subject), encoded(value.predicate), encoded(value.object))
            database.execute(
                "INSERT OR REPLACE INTO reified VALUES (?, ?, ?, ?)", (subject, *parts)
            )
        return None
    if isinstance(value, Literal) and (rank := label_rank(predicate, value.language)) is not None:
        database.execute(
            "INSERT INTO label VALUES (?1, ?2, ?3) ON CONFLICT (node) DO UPDATE SET rank = ?2, "
            "text = ?3 WHERE ?2 < rank",
            (subject, rank, value.value),
        )
        return None
    if predicate in (f"{RDF}subject", f"{RDF}predicate", f"{RDF}object"):
        column = {"subject": "s", "predicate": "p", "object": "o"}[predicate[len(RDF) :]]
        database.execute(
            f"INSERT INTO reified (node, {column}) VALUES (?1, ?2) ON CONFLICT (node) "  # noqa: S608  # one of three names
            f"DO UPDATE SET {column} = ?2",
            (subject, encoded(value)),
        )
        return None
    if any(pattern.search(predicate) for pattern in (_SOURCE, _TEXT, _CONFIDENCE)):
        row = (subject, predicate, encoded(value))
        database.execute("INSERT INTO said VALUES (?, ?, ?)", row)
    if not _may_be_claim(predicate, value):
        return None
    graph = "" if isinstance(quad.graph_name, DefaultGraph) else encoded(quad.graph_name)
    return subject, f"I{predicate}", encoded(value), graph


def _may_be_claim(predicate: str, value: object) -> bool:
    if predicate in _OWN_NAMES:
        of_schema = isinstance(value, NamedNode) and value.value.startswith((RDF, RDFS, OWL, SKOS))
        return not of_schema
    return not predicate.startswith(_ABOUT_DATA)


class _Claims:
    """Puts together what the database holds."""

    def __init__(
        self, database: sqlite3.Connection, problems: Problems, passages: Passages | None
    ) -> None:
        self._database = database
        self._problems = problems
        self._passages = passages
        self._count = 0

    def all(self) -> Iterator[Triple]:
        """Asserted triples, then those that are only or also reified."""
        edges = self._database.execute(
            "SELECT s, p, o, g FROM edge WHERE "
            "NOT EXISTS (SELECT 1 FROM reified r WHERE r.node = edge.s) "
            "AND NOT EXISTS (SELECT 1 FROM reified r WHERE (r.s, r.p, r.o) = "
            "(edge.s, edge.p, edge.o) AND edge.g = '')"
        )
        sources = self._sources()
        for subject, predicate, value, graph in edges:
            if subject not in sources and not (graph and subject == graph):
                yield from self._claim(subject, predicate, value, graph, None)
        reified = self._database.execute("SELECT node, s, p, o FROM reified")
        for node, subject, predicate, value in reified:
            yield from self._of_reifier(node, subject, predicate, value)

    def _sources(self) -> _Member:
        """The nodes that stand for passages: what sources name. They make no claims."""
        self._database.execute(
            "CREATE TABLE source AS SELECT DISTINCT object FROM said JOIN reified "
            "ON said.node = reified.node WHERE object NOT LIKE 'L%'"
        )
        self._database.execute("CREATE INDEX source_object ON source (object)")
        return _Member(self._database)

    def _of_reifier(self, node: str, subject: str, predicate: str, value: str) -> Iterator[Triple]:
        if not (subject and predicate and value):
            self._problems.rows += 1
            self._problems.drop("reification without all three parts", node[1:])
            return
        said = self._database.execute(
            "SELECT predicate, object FROM said WHERE node = ?", (node,)
        ).fetchall()
        confidence = next((_number(o) for p, o in said if _CONFIDENCE.search(p)), None)
        sources = [o for p, o in said if _SOURCE.search(p)] or [""]
        for source in sources:
            yield from self._claim(subject, predicate, value, source, confidence)

    def _claim(
        self, subject: str, predicate: str, value: str, source: str, confidence: float | None
    ) -> Iterator[Triple]:
        self._count += 1
        self._problems.rows += 1
        where = f"statement {self._count}"
        head, tail = self._name(subject), self._name(value)
        if not head or not tail:
            self._problems.drop("a node without a name", where, "a blank node without a label")
            return
        passage, passage_id = self._passage(source)
        if source and passage is None and self._passages is not None:
            self._problems.note("unknown passage", where, f"no passage {passage_id!r}")
        yield Triple(
            head=head,
            relation=self._relation(predicate[1:]),
            tail=tail,
            passage=passage,
            passage_id=passage_id,
            confidence=confidence,
            where=where,
            head_id=subject[1:],
            tail_id="" if value.startswith("L") else value[1:],
        )

    def _name(self, node: str) -> str:
        if node.startswith("L"):
            return node[1:].strip()
        if label := self._label(node):
            return label
        return local_name(node[1:]) if node.startswith("I") else ""

    def _label(self, node: str) -> str:
        row = self._database.execute("SELECT text FROM label WHERE node = ?", (node,)).fetchone()
        return "" if row is None else str(row[0]).strip()

    def _relation(self, iri: str) -> str:
        if iri in _OWN_NAMES:
            return _OWN_NAMES[iri]
        key = relation_key(iri)
        return key if key in WORDINGS else (self._label(f"I{iri}") or key)

    def _passage(self, source: str) -> tuple[str | None, str]:
        """The text and the id of a source."""
        if not source:
            return None, ""
        name = source[1:]
        for known in (name, local_name(name), re.split(r"[/#:]", name)[-1]):
            if self._passages is not None and (text := self._passages.get(known)) is not None:
                return text, known
        said = self._database.execute(
            "SELECT predicate, object FROM said WHERE node = ?", (source,)
        ).fetchall()
        for predicate, text in said:
            if _TEXT.search(predicate) and text.startswith("L"):
                return text[1:], name
        if source.startswith("L") and " " in name.strip():
            return name, ""
        return None, name


class _Member:
    """Whether a node is a source, asked of the database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __contains__(self, node: str) -> bool:
        found = self._database.execute("SELECT 1 FROM source WHERE object = ?", (node,))
        return found.fetchone() is not None


def _number(encoded_value: str) -> float | None:
    try:
        return float(encoded_value[1:])
    except ValueError:
        return None
