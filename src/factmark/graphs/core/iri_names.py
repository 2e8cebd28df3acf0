"""Names of nodes and relations as people read them, from IRIs, short forms of IRIs, and the names
that NELL and YAGO give. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
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
_COMMON = 0.5  # of the ends that are written like those of a known set
_PARTS = re.compile(r"[/#:]")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IRI = re.compile(r"<([^<>\s]+:[^<>\s]+)>|(https?://[^<>\s]+)")
_YAGO = re.compile(r"<([^<>:]+)>")
_CURIE = re.compile(r"([A-Za-z][\w.]*):([A-Za-z]?\d+)")
_ESCAPED = re.compile(r"\\u([\da-fA-F]{4})|\\U([\da-fA-F]{8})|_[ux]([\da-fA-F]{4})_?", re.ASCII)
_SHORT = re.compile(rf"({'|'.join(_PREFIXES)}):([^\s:/][^\s]*)")
_NELL = re.compile(r"concept:(?:[a-z0-9]+:)?([^\s:]+)")
_LITERAL = re.compile(r'"(.*)"(?:@[A-Za-z-]+|\^\^\S+)', re.DOTALL)
_QUOTED = re.compile(r"'(.*)'@[A-Za-z-]+", re.DOTALL)  # as KGTK writes a text of a language
_CONCEPT = re.compile(r"/c/[a-z]{2,3}/([^/]+)(?:/.*)?")
_OF_CONCEPTS = re.compile(r"/r/(?:[a-z]+/)?([^/]+)")
_PAGE = re.compile(r"https?://[^/]+/(?:resource|wiki|page)/(.+)")
_PROPERTY = re.compile(rf"{re.escape(WIKIDATA)}(?:prop/(?:[a-z]+(?:-normalized)?/)*|entity/)(P\d+)")


@lru_cache(maxsize=65_536)
def local_name(iri: str) -> str:
    """Returns the last part of an IRI with blanks between its words; of a page of an encyclopedia
    its title.

    >>> local_name("http://x.org/v#DiabetesMellitus"), local_name("http://x.org/foot_ulcer/")
    ('Diabetes Mellitus', 'foot ulcer')
    >>> local_name("http://dbpedia.org/resource/AC/DC_(band)")
    'AC/DC (band)'
    """
    page = _PAGE.fullmatch(iri)
    if page:
        return _words_of(page[1]) or iri
    return _CAMEL.sub(" ", _words_of(_PARTS.split(iri.rstrip("/#"))[-1])) or iri


def _words_of(name: str) -> str:
    """Returns a part of an IRI without its escapes, with blanks for `_`.

    >>> _words_of("Rock_u0027n_u0027_roll"), _words_of(r"Jos\\u00e9_Mart%C3%AD")
    ("Rock'n'roll", 'José Martí')
    """
    return _ESCAPED.sub(_letter, unquote(name)).replace("_", " ").strip()


def _letter(escaped: re.Match[str]) -> str:
    """Returns the letter that an escape stands for; one that can be written nowhere as it is."""
    number = int(next(filter(None, escaped.groups())), 16)
    letter = ""
    if number <= sys.maxunicode:
        letter = chr(number)
    if letter.isprintable() and letter:
        return letter
    return escaped[0]


def readable_name(text: str) -> tuple[str, str]:
    """Returns a node's name, and its id where the text is an IRI, `dbr:Billy_Wilder`, NELL's
    `concept:city:anaheim`, or YAGO's `<Albert_Einstein>`; a text that is none of these as it is,
    without an id. So is ConceptNet's `/c/en/hot_dog`. A literal of RDF gives its text.

    >>> readable_name("http://dbpedia.org/resource/Billy_Wilder")
    ('Billy Wilder', 'http://dbpedia.org/resource/Billy_Wilder')
    >>> readable_name("concept:city:new_york"), readable_name("MONDO:0005148")
    (('new york', 'concept:city:new_york'), ('MONDO:0005148', ''))
    """
    literal = _LITERAL.fullmatch(text)
    if literal:
        return _ESCAPED.sub(_letter, literal[1]).replace('\\"', '"').strip(), ""
    iri = _iri_of(text)
    if iri:
        return local_name(iri), iri
    nell = _NELL.fullmatch(text)
    if nell:
        return nell[1].replace("_", " ").strip() or text, text
    yago = _YAGO.fullmatch(text)
    if yago:
        return _words_of(yago[1]) or text, text
    concept = _CONCEPT.fullmatch(text)
    if concept:
        return _words_of(concept[1]) or text, text
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        return quoted[1].replace("\\'", "'").strip(), ""
    return text, ""


def readable_relation(text: str) -> str:
    """Returns a relation's name: of an IRI the relation that it is, or its last part.

    >>> readable_relation("http://dbpedia.org/ontology/deathPlace"), readable_relation("rdf:type")
    ('death_place', 'isa')
    >>> readable_relation("concept:teamplaysincity"), readable_relation("lives in: city")
    ('teamplaysincity', 'lives in: city')
    """
    known = OWN_NAMES.get(iri_of_curie(text))
    if known:
        return known
    iri = _iri_of(text)
    if iri:
        return relation_key(iri)
    bracketed = _YAGO.fullmatch(text)
    if bracketed:
        return relation_key(bracketed[1])
    nell = _NELL.fullmatch(text) or _OF_CONCEPTS.fullmatch(text) or _QUOTED.fullmatch(text)
    if nell:
        return nell[1]
    return text


def entity_of_property(iri: str) -> str:
    """Returns the IRI at which Wikidata keeps the label of a property (`prop/direct/P17` has its
    label at `entity/P17`); empty for any other IRI."""
    known = _PROPERTY.fullmatch(iri)
    if known:
        return f"{WIKIDATA}entity/{known[1]}"
    return ""


def iri_of_curie(text: str) -> str:
    """Returns the IRI that a text is, or is short for; empty for any other text.

    >>> iri_of_curie("MONDO:0005148")
    'http://purl.obolibrary.org/obo/MONDO_0005148'
    """
    curie = _CURIE.fullmatch(text)
    return _iri_of(text) or (f"{OBO}{curie[1]}_{curie[2]}" if curie else "")


def _iri_of(text: str) -> str:
    """Returns the IRI that a text is, in angle brackets, whole, or short; else an empty text."""
    short = _SHORT.fullmatch(text)
    if short is not None:
        return _PREFIXES[short[1]] + short[2]
    iri = _IRI.fullmatch(text)
    if iri:
        return iri[1] or iri[2]
    return ""


def without_quotes(text: str) -> str:
    """Returns a text without blanks, and without quotes around the whole of it.

    >>> without_quotes(' "insulin"'), without_quotes('the song "Ran"'), without_quotes("'I'm'")
    ('insulin', 'the song "Ran"', "I'm")
    """
    text = text.strip()
    quote = text[:1]
    inner = text[1:-1]
    if quote in ("'", '"') and text.endswith(quote) and quote not in _APOSTROPHE.sub("", inner):
        return without_quotes(inner)
    return text


def name_reader(ends: Sequence[str]) -> Callable[[str], tuple[str, str]] | None:
    """Returns what reads the names of a known set, as WordNet's `trade_name.n.01`, where most ends
    are written so: a function from an end to its name and id; else None."""
    n_wordnet = sum(_WORDNET.fullmatch(end) is not None for end in ends)
    if ends and n_wordnet > _COMMON * len(ends):
        return _wordnet_name
    return None


_WORDNET = re.compile(r"(.+)\.[nvasr]\.\d\d")


def _wordnet_name(end: str) -> tuple[str, str]:
    """Returns the word of a sense, and the sense as the id."""
    sense = _WORDNET.fullmatch(end)
    return (sense[1].replace("_", " "), end) if sense else (end, "")
