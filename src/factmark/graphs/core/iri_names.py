"""Names of nodes and relations as people read them, from IRIs, short forms of IRIs, and the names
that NELL gives. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from factmark.graphs.core.claims import relation_key

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OBO = "http://purl.obolibrary.org/obo/"
WIKIDATA = "http://www.wikidata.org/"

OWN_NAMES: Mapping[str, str] = {
    f"{RDF}type": "isa",
    f"{RDFS}subClassOf": "isa",
    f"{SKOS}broader": "isa",
    f"{SKOS}broadMatch": "isa",
    f"{SKOS}narrower": "inverse_isa",
    f"{SKOS}narrowMatch": "inverse_isa",
    f"{OWL}sameAs": "same_as",
    f"{OWL}equivalentClass": "same_as",
    f"{OWL}equivalentProperty": "same_as",
    f"{SKOS}exactMatch": "same_as",
    f"{SKOS}closeMatch": "possibly_equivalent_to",
    f"{SKOS}related": "associated_with",
    f"{SKOS}relatedMatch": "associated_with",
    f"{OBO}BFO_0000050": "part_of",
    f"{OBO}BFO_0000051": "has_part",
    f"{WIKIDATA}prop/direct/P31": "isa",
    f"{WIKIDATA}prop/direct/P279": "isa",
    f"{WIKIDATA}prop/direct/P361": "part_of",
    f"{WIKIDATA}prop/direct/P527": "has_part",
}
"""Properties of the common vocabularies -> the relations that they are."""

_PREFIXES: Mapping[str, str] = {
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "skos": SKOS,
    "dbr": "http://dbpedia.org/resource/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "http://schema.org/",
    "biolink": "https://w3id.org/biolink/vocab/",
    "yago": "http://yago-knowledge.org/resource/",
}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IRI = re.compile(r"<([^<>\s]+)>|(https?://[^<>\s]+)")
_SHORT = re.compile(rf"({'|'.join(_PREFIXES)}):([^\s:/][^\s]*)")
_NELL = re.compile(r"concept:(?:[a-z0-9]+:)?([^\s:]+)")
_LITERAL = re.compile(r'"(.*)"(?:@[A-Za-z-]+|\^\^\S+)', re.DOTALL)
_PAGE = re.compile(r"https?://[^/]+/(?:resource|wiki|page)/(.+)")
_PROPERTY = re.compile(rf"{re.escape(WIKIDATA)}(?:prop/(?:[a-z]+(?:-normalized)?/)*|entity/)(P\d+)")


def local_name(iri: str) -> str:
    """Returns the last part of an IRI with blanks between its words; of a page of an encyclopedia
    its title.

    >>> local_name("http://x.org/v#DiabetesMellitus"), local_name("http://x.org/foot_ulcer/")
    ('Diabetes Mellitus', 'foot ulcer')
    >>> local_name("http://dbpedia.org/resource/AC/DC_(band)")
    'AC/DC (band)'
    """
    if page := _PAGE.fullmatch(iri):
        return unquote(page[1]).replace("_", " ").strip() or iri
    name = unquote(re.split(r"[/#:]", iri.rstrip("/#"))[-1])
    return _CAMEL.sub(" ", name.replace("_", " ")).strip() or iri


def readable_name(text: str) -> tuple[str, str]:
    """Returns a node's name, and its id where the text is an IRI, `dbr:Billy_Wilder`, or NELL's
    `concept:city:anaheim`; a text that is none of these as it is, without an id. A literal of RDF
    gives its text.

    >>> readable_name("http://dbpedia.org/resource/Billy_Wilder")
    ('Billy Wilder', 'http://dbpedia.org/resource/Billy_Wilder')
    >>> readable_name("concept:city:new_york"), readable_name("MONDO:0005148")
    (('new york', 'concept:city:new_york'), ('MONDO:0005148', ''))
    """
    if literal := _LITERAL.fullmatch(text):
        return literal[1].strip(), ""
    if iri := _iri_of(text):
        return local_name(iri), iri
    if nell := _NELL.fullmatch(text):
        return nell[1].replace("_", " ").strip() or text, text
    return text, ""


def readable_relation(text: str) -> str:
    """Returns a relation's name: of an IRI the relation that it is, or its last part.

    >>> readable_relation("http://dbpedia.org/ontology/deathPlace"), readable_relation("rdf:type")
    ('death_place', 'isa')
    >>> readable_relation("concept:teamplaysincity"), readable_relation("lives in: city")
    ('teamplaysincity', 'lives in: city')
    """
    if iri := _iri_of(text):
        return OWN_NAMES.get(iri) or relation_key(iri)
    nell = _NELL.fullmatch(text)
    return nell[1] if nell else text


def entity_of_property(iri: str) -> str:
    """Returns the IRI at which Wikidata keeps the label of a property (`prop/direct/P17` has its
    label at `entity/P17`); empty for any other IRI."""
    known = _PROPERTY.fullmatch(iri)
    return f"{WIKIDATA}entity/{known[1]}" if known else ""


def _iri_of(text: str) -> str:
    """Returns the IRI that a text is, in angle brackets, whole, or short; else an empty text."""
    if (short := _SHORT.fullmatch(text)) is not None:
        return _PREFIXES[short[1]] + short[2]
    iri = _IRI.fullmatch(text)
    return (iri[1] or iri[2]) if iri and ":" in text else ""
