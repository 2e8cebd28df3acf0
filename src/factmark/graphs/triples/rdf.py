"""Triples from RDF: labels make them readable; graphs and reification say where they come from.

The source of a triple is what its reifiers say (`rdf:Statement`, or RDF 1.2's `rdf:reifies`, which
RDF-star became), else its named graph: the id of a passage, or, where it is a text that is no id,
the passage itself; so is a text that a reifier gives. Of nanopublications the assertions alone make
claims, and their provenance names the source. Statements about labels, sources, passages, the
schema or the ontology itself, and by annotation properties, are no claims. The file is parsed once
into a private SQLite database that spills to disk, since labels may stand anywhere.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad
from pyoxigraph import Triple as RdfTriple

from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.graphs.core.claims import WORDINGS, Triple, relation_key
from factmark.graphs.core.iri_names import (
    OWL,
    OWN_NAMES,
    RDF,
    RDFS,
    SKOS,
    entity_of_property,
    local_name,
)
from factmark.graphs.formats.rdf_files import encode_term, label_rank, read_quads
from factmark.graphs.triples.nodes.labels_apart import labels_apart
from factmark.passages.passage_file import Passages

_NANOPUB = "http://www.nanopub.org/nschema#"
_ALIGNMENT = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment"
_WIKIBASE = "http://wikiba.se/ontology"
_SCHEMA = (RDF, RDFS, OWL, SKOS, _WIKIBASE, _NANOPUB, "http://www.w3.org/2003/11/swrl")
_OF_FILE = (f"{OWL}AnnotationProperty", f"{OWL}Ontology")
_ABOUT_DATA = (
    RDF,
    RDFS,
    OWL,
    SKOS,
    "http://www.w3.org/ns/prov#",
    "http://purl.org/dc/",
    "http://www.w3.org/ns/shacl#",
    _WIKIBASE,
    "http://schema.org/description",
    "http://schema.org/version",
    "http://schema.org/dateModified",
    "https://w3id.org/biolink/vocab/category",
    "https://w3id.org/biolink/vocab/id",
    "http://rdfs.org/ns/void#",
    "http://www.geneontology.org/formats/oboInOwl#",
    *(f"http://purl.obolibrary.org/obo/IAO_{n}" for n in ("000011", "000023", "000042", "00006")),
    *(f"http://purl.obolibrary.org/obo/IAO_{n}" for n in ("0000412", "0000589", "0100001")),
)  # of OBO ontologies: definitions, editors, notes, synonyms, what replaces a term
_PARTS_OF_CLAIMS = {
    **{f"{RDF}{part}": part[0] for part in ("subject", "predicate", "object")},
    f"{_ALIGNMENT}entity1": "s",
    f"{_ALIGNMENT}relation": "p",
    f"{_ALIGNMENT}entity2": "o",
}
"""What names a part of a reified triple -> the part. A cell of an alignment is one."""
_OF_ALIGNMENTS = {"=": "same_as", "<": "isa", ">": "inverse_isa"}
_SOURCE = re.compile(
    r"(?:source|src|passage|passageid|wasderivedfrom|hadprimarysource|derivedfrom|extractedfrom"
    r"|evidence|pmid|document|wasquotedfrom|publications?|SIO_000772)$",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"(?:value|text|isstring|abstract|content|sentence|quotation|quote|snippet|excerpt)$",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(r"^http://purl\.org/dc/(?:terms|elements/1\.1)/description$")
_CONFIDENCE = re.compile(
    r"(?:confidence|certainty|probability|score|alignment#?measure)$", re.IGNORECASE
)
_KEEP_LABEL = (
    "INSERT INTO label VALUES (?1, ?2, ?3) ON CONFLICT (node) DO UPDATE SET rank = ?2, text = ?3 "
    "WHERE ?2 < rank"
)
_TABLES = """
PRAGMA journal_mode = OFF;
CREATE TABLE label (node TEXT PRIMARY KEY, rank INTEGER, text TEXT) WITHOUT ROWID;
CREATE TABLE edge (s TEXT, p TEXT, o TEXT, g TEXT);
CREATE TABLE reified (node TEXT PRIMARY KEY, s TEXT, p TEXT, o TEXT) WITHOUT ROWID;
CREATE TABLE said (node TEXT, predicate TEXT, object TEXT);
CREATE TABLE assertion (graph TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE of_file (node TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_INDEXES = """
CREATE INDEX said_node ON said (node);
CREATE INDEX reified_triple ON reified (s, p, o);
CREATE TABLE source AS SELECT DISTINCT object FROM said JOIN reified ON said.node = reified.node
    WHERE object NOT LIKE 'L%';
CREATE INDEX source_object ON source (object);
"""
_ASSERTED = """
SELECT s, p, o, g FROM edge
WHERE NOT EXISTS (SELECT 1 FROM reified r WHERE r.node = edge.s)
    AND NOT (g = '' AND EXISTS (SELECT 1 FROM reified r WHERE (r.s, r.p, r.o) = (edge.s, edge.p,
        edge.o)))
    AND NOT EXISTS (SELECT 1 FROM source WHERE object = edge.s) AND g <> s
    AND (NOT EXISTS (SELECT 1 FROM assertion) OR g IN (SELECT graph FROM assertion))
    AND s NOT IN (SELECT node FROM of_file) AND p NOT IN (SELECT node FROM of_file)
"""  # a node that stands for a passage makes no claims, nor does an annotation


def read_rdf(
    path: Path, problems: Problems, *, passages: Passages | None = None, nodes: Sequence[Path] = ()
) -> Iterator[Triple]:
    """Yields the claims of an RDF file, one per triple and source: asserted ones first, then
    reified ones.

    Args:
        nodes: files with labels that the graph has not, see `labels_apart`.

    Raises:
        InputError: for a file that cannot be read or parsed; the message has the line.
    """
    check_file(path)
    with closing(sqlite3.connect("")) as database:
        database.executescript(_TABLES)
        edges = (_edge_or_file(database, quad) for quad in read_quads(path, problems))
        database.executemany("INSERT INTO edge VALUES (?, ?, ?, ?)", filter(None, edges))
        if nodes:
            labels = list(labels_apart(database, path, nodes, problems))
            database.executemany(_KEEP_LABEL, labels)
        database.executescript(_INDEXES)
        claims = _Claims(database, problems, passages)
        for edge in database.execute(_ASSERTED):
            yield from claims.asserted_triples(*edge)
        for reified in database.execute("SELECT node, s, p, o FROM reified"):
            yield from claims.reified_triples(*reified)
        if not claims.count:
            of_what = "labels, sources, the schema and what is said of a graph itself make none"
            problems.drop("a file without a claim", path.name, of_what)


def _edge_or_file(database: sqlite3.Connection, quad: Quad) -> tuple[str, str, str, str] | None:
    """Returns a quad as an edge if it may be a claim; else files it in the database (labels,
    reification, what nodes say) and returns None."""
    subject = encode_term(quad.subject)
    predicate = quad.predicate.value
    value = quad.object
    if isinstance(value, RdfTriple):
        if predicate == f"{RDF}reifies":
            parts = []
            for part in (value.subject, value.predicate, value.object):
                parts.append(encode_term(part))
            insert = "INSERT OR REPLACE INTO reified VALUES (?, ?, ?, ?)"
            database.execute(insert, (subject, *parts))
        return None
    if isinstance(value, Literal) and (rank := label_rank(predicate, value.language)) is not None:
        database.execute(_KEEP_LABEL, (subject, rank, value.value))
        return None
    if predicate in _PARTS_OF_CLAIMS:
        column = _PARTS_OF_CLAIMS[predicate]
        database.execute(
            f"INSERT INTO reified (node, {column}) VALUES (?1, ?2) ON CONFLICT (node) "  # noqa: S608  # s, p or o
            f"DO UPDATE SET {column} = ?2",
            (subject, encode_term(value)),
        )
        return None
    if predicate.startswith(_NANOPUB):
        if predicate == f"{_NANOPUB}hasAssertion":
            database.execute("INSERT OR IGNORE INTO assertion VALUES (?)", (encode_term(value),))
        return None
    if _tells_of_sources(predicate):
        database.execute(
            "INSERT INTO said VALUES (?, ?, ?)", (subject, predicate, encode_term(value))
        )
    of_schema = isinstance(value, NamedNode) and value.value.startswith(_SCHEMA)
    if of_schema and value.value in _OF_FILE and subject[1:] not in OWN_NAMES:
        database.execute("INSERT OR IGNORE INTO of_file VALUES (?)", (subject,))
    if of_schema if predicate in OWN_NAMES else predicate.startswith(_ABOUT_DATA):
        return None
    graph = ""
    if not isinstance(quad.graph_name, DefaultGraph):
        graph = encode_term(quad.graph_name)
    return subject, f"I{predicate}", encode_term(value), graph


@lru_cache(maxsize=65_536)
def _tells_of_sources(predicate: str) -> bool:
    """Whether a property names a source, a text or a confidence."""
    return any(pattern.search(predicate) for pattern in (_SOURCE, _TEXT, _CONFIDENCE, _DESCRIPTION))


class _Claims:
    """Makes triples of what the database holds."""

    def __init__(
        self, database: sqlite3.Connection, problems: Problems, passages: Passages | None
    ) -> None:
        self._database = database
        self._problems = problems
        self._passages = passages
        self.count = 0
        # What no node has is not looked for at each.
        labels, statements, assertions = (
            database.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0]  # noqa: S608
            for table in ("label", "said", "assertion")
        )
        self._has_statements, self._has_assertions = bool(statements), bool(assertions)
        self._label = lru_cache(maxsize=65_536)(self._read_label) if labels else lambda node: ""
        self._relation = lru_cache(maxsize=65_536)(self._read_relation)

    def reified_triples(
        self, node: str, subject: str, predicate: str, value: str
    ) -> Iterator[Triple]:
        """Yields a reified triple, once for each of its sources."""
        if not (subject and predicate and value):
            self._problems.rows += 1
            self._problems.drop("reification without all three parts", node[1:])
            return
        statements = self._statements_about(node)
        numbers = (_number_of_literal(text) for p, text in statements if _CONFIDENCE.search(p))
        confidence = next(numbers, None)
        text = _text_in(statements, _TEXT)
        for source in _sources_in(statements) or [""]:
            yield from self.triples(subject, predicate, value, source, confidence, text)

    def asserted_triples(
        self, subject: str, predicate: str, value: str, graph: str
    ) -> Iterator[Triple]:
        """Yields an asserted triple with its graph as source, or what is said of that graph's
        sources, as nanopublications do in their provenance."""
        statements = []
        if graph:
            statements = self._statements_about(graph)
        text = _text_in(statements, _DESCRIPTION) or _text_in(statements, _TEXT)
        for source in _sources_in(statements) or [self._own_source(graph)]:
            yield from self.triples(subject, predicate, value, source, None, text)

    def _own_source(self, graph: str) -> str:
        """Returns a graph as the source of its triples; none for the assertion of a
        nanopublication, whose name is no passage's, unless there is a passage that it names."""
        if not self._has_assertions:
            return graph
        query = "SELECT 1 FROM assertion WHERE graph = ?"
        if self._database.execute(query, (graph,)).fetchone() is None:
            return graph
        if self._passage(graph)[0] is not None:
            return graph
        return ""

    def triples(
        self,
        subject: str,
        predicate: str,
        value: str,
        source: str,
        confidence: float | None,
        text: str | None,
    ) -> Iterator[Triple]:
        """Yields a triple with names for people; none, and a report, if an end has no name.

        Args:
            text: the passage, where the source has none.
        """
        self.count += 1
        self._problems.rows += 1
        where = f"statement {self.count}"
        head = self._name(subject)
        tail = self._name(value)
        if not head or not tail:
            is_text = (value if head else subject).startswith("L")
            kind = "a node without a name"
            if is_text:
                kind = "an empty text as tail"
            self._problems.drop(kind, where, kind if is_text else "a blank node without a label")
            return
        if source:
            passage, passage_id = self._passage(source)
        else:
            passage, passage_id = (None, "")
        passage = passage or text
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
            head_id=_iri_of(subject),
            tail_id=_iri_of(value),
        )

    def _statements_about(self, node: str) -> list[tuple[str, str]]:
        """Returns predicate and object of what a node says of sources, texts and confidence."""
        if not self._has_statements:
            return []
        query = "SELECT predicate, object FROM said WHERE node = ?"
        return self._database.execute(query, (node,)).fetchall()

    def _name(self, node: str) -> str:
        """Returns a node's label, the last part of its IRI, or a literal's text; empty for a blank
        node without a label."""
        if node.startswith("L"):
            return node[1:].strip()
        return self._label(node) or (local_name(node[1:]) if node.startswith("I") else "")

    def _read_label(self, node: str) -> str:
        """Returns a node's best label; empty if it has none."""
        row = self._database.execute("SELECT text FROM label WHERE node = ?", (node,)).fetchone()
        if row is None:
            return ""
        return str(row[0]).strip()

    def _read_relation(self, iri: str) -> str:
        """Returns a property's name: the usual one, one that has a wording, or its label."""
        known = OWN_NAMES.get(iri) or _OF_ALIGNMENTS.get(iri)
        if known:
            return known
        key = relation_key(iri)
        if key in WORDINGS:
            return key
        entity = entity_of_property(iri)
        return self._label(f"I{iri}") or (self._label(f"I{entity}") if entity else "") or key

    def _passage(self, source: str) -> tuple[str | None, str]:
        """Returns the text of a source (None if unknown) and its id."""
        name = source[1:]
        if self._passages is not None:
            for known in (name, local_name(name), re.split(r"[/#:]", name)[-1]):
                text = self._passages.get(known)
                if text is not None:
                    return text, known
        for predicate, text in self._statements_about(source):
            if _TEXT.search(predicate) and text.startswith("L"):
                return text[1:], name
        if source.startswith("L") and " " in name.strip():
            return name, ""
        return None, name


def _iri_of(node: str) -> str:
    """Returns a node's IRI; empty for a literal and a blank node, whose id means nothing beyond its
    file, and is another one at each reading."""
    if node.startswith("I"):
        return node[1:]
    return ""


def _sources_in(statements: list[tuple[str, str]]) -> list[str]:
    """Returns the sources that statements name."""
    return [value for name, value in statements if _SOURCE.search(name)]


def _text_in(statements: list[tuple[str, str]], predicate: re.Pattern[str]) -> str | None:
    """Returns the first text that statements give by a predicate; None if there is none."""
    texts = (v[1:] for name, v in statements if predicate.search(name) and v.startswith("L"))
    return next(texts, None)


def _number_of_literal(value: str) -> float | None:
    """Returns an encoded literal as a number; None if it is none."""
    try:
        return float(value[1:])
    except ValueError:
        return None
