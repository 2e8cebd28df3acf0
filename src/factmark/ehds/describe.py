"""What a catalogue and its patients say, as passages of text of bounded length.

Values come from whatever store was asked: each is put on one line, cut, and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from factmark.ehds.catalogue import POLICY, TITLE, Dataset, heading, key
from factmark.ehds.replica.facts import KINDS, Constraint, PolicyRule
from factmark.ehds.replica.writing import NAMESPACES, iri_of
from factmark.stores.terms import Term

PASSAGE = 1_200
"""Characters of a passage, its title included."""
LONGEST_VALUE = 4_000

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")
_UNITS = ("year", "month", "week", "day")
_OPERATORS = {
    "eq": "is",
    "isA": "is",
    "isAnyOf": "is any of",
    "isNoneOf": "is none of",
    "neq": "is not",
    "lt": "is less than",
    "lteq": "is at most",
    "gt": "is more than",
    "gteq": "is at least",
}
_RULES = dict(zip(KINDS, ("Permitted", "Prohibited", "Obligations"), strict=True))
_SYSTEMS = {"snomed": "SNOMED CT", "loinc": "LOINC", "rxnorm": "RxNorm"}

TYPE = iri_of("rdf:type")
# In the order of a passage; further properties follow under their own names.
_DATASET = {
    iri_of("dct:description"): "Description",
    iri_of("dct:identifier"): "Identifier",
    iri_of("hdcat:healthCategory"): "Health category",
    iri_of("hdcat:populationSize"): "Number of patients",
    iri_of("hdcat:dataStandard"): "Data standard",
    iri_of("dcat:keyword"): "Keywords",
    iri_of("dct:license"): "Licence",
}

Field = tuple[str, Sequence[str]]
"""A label and its values, which may be told in several passages."""


def value(text: str) -> str:
    """A value on one line, cut where it is longer than any honest one."""
    return heading(text, LONGEST_VALUE)


def words(name: str) -> str:
    """A local name as words.

    >>> words("CommercialPurpose"), words("re-identify")
    ('commercial purpose', 're-identify')
    """
    parts = _CAMEL.sub(" ", name.replace("_", " ")).split()
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def property_label(iri: str) -> str:
    """A property's name as the label of a field."""
    return "Type" if iri == TYPE else words(key(iri)).capitalize()


def named(text: str) -> str:
    """An IRI's local name or a literal, with its words or its unit behind it where they differ.

    >>> named("https://w3id.org/dpv#CommercialPurpose"), named("P2Y")
    ('CommercialPurpose (commercial purpose)', 'P2Y (2 years)')
    """
    name = key(text) if "://" in text else value(text)
    meaning = _period(name) or words(name)
    return name if meaning.lower() == name.lower() else f"{name} ({meaning})"


def _period(text: str) -> str:
    """A duration in words; empty for what is none."""
    duration = _DURATION.fullmatch(text)
    numbers = duration.groups() if duration else ()
    pairs = ((number, unit) for number, unit in zip(numbers, _UNITS, strict=False) if number)
    return " ".join(f"{number} {unit}{'' if number == '1' else 's'}" for number, unit in pairs)


def dataset_fields(dataset: Dataset) -> Iterator[Field]:
    """All that a catalogue says of a dataset, what people ask for first."""

    def told(iri: str) -> list[str]:
        return sorted({_told(term, dataset.names) for term in dataset.properties[iri]})

    yield "Dataset", [dataset.title]
    for iri, label in _DATASET.items():
        if iri in dataset.properties:
            yield label, told(iri)
    if dataset.periods:
        periods = [f"{first or '…'} to {last or '…'}" for first, last in dataset.periods]
        yield "Temporal coverage", periods
    for policy in dataset.policies:
        yield "Policy", [named(policy.name)]
        for kind, label in _RULES.items():
            if rules := sorted({_rule(rule) for rule in policy.of(kind)}):
                yield label, rules
    for iri in sorted(dataset.properties.keys() - _DATASET.keys() - {TITLE, TYPE, POLICY}):
        yield property_label(iri), told(iri)


def _told(term: Term, names: Mapping[str, str]) -> str:
    if term.kind != "iri":
        return value(term.value)
    for prefix, system in _SYSTEMS.items():
        if term.value.startswith(NAMESPACES[prefix]):
            return f"{key(term.value)} ({system})"
    name = names.get(term.value)
    return f"{value(name)} ({value(term.value)})" if name else value(term.value)


def _rule(rule: PolicyRule) -> str:
    conditions = " and ".join(sorted(map(_condition, rule.constraints)))
    return named(rule.action) + (f", where {conditions}" if conditions else "")


def _condition(constraint: Constraint) -> str:
    operator = _OPERATORS.get(constraint.operator, value(constraint.operator))
    right = " or ".join(sorted(map(named, constraint.right)))
    return f"{named(constraint.left)} {operator} {right}"


def counted(counts: Mapping[str, int]) -> list[str]:
    """Names with how often they occur, the most frequent first.

    >>> counted({"Gout": 1, "Asthma": 2})
    ['Asthma (2)', 'Gout (1)']
    """
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"{value(name)} ({count})" for name, count in order]


def pieces(title: str, fields: Iterable[Field], *, limit: int = PASSAGE) -> Iterator[str]:
    """The fields as texts that are, each with the title, no longer than the limit.

    A field is broken between its values, a value between sentences, a sentence between words, a
    word anywhere; what goes on in the next text starts with its label again.

    Args:
        limit: at least 400.
    """
    room = max(200, limit - len(title) - 1)
    lines = (line for label, values in fields for line in _lines(label, values, room))
    return _join_in_lines(lines, "\n", room)


def _lines(label: str, values: Sequence[str], room: int) -> Iterator[str]:
    """A field on one line, or on several that each fit."""
    label = f"{heading(label)[:100]}: "
    parts = (part for text in values for part in _parts(text, room - len(label) - 1))
    for line in _join_in_lines(parts, "; ", room - len(label) - 1):
        yield f"{label}{line}" + ("" if line.endswith((".", "!", "?")) else ".")


def _parts(text: str, room: int) -> Iterator[str]:
    """A value in parts that fit."""
    sentences = [text] if len(text) <= room else _SENTENCE.split(text)
    bits = (
        bit
        for sentence in sentences
        for word in ([sentence] if len(sentence) <= room else sentence.split())
        for bit in (word[at : at + room] for at in range(0, len(word), room))
    )
    return _join_in_lines(bits, " ", room)


def _join_in_lines(parts: Iterable[str], between: str, room: int) -> Iterator[str]:
    """Yields the parts joined into lines, each of as many parts as fit into `room` characters."""
    held = ""
    for part in parts:
        if held and len(held) + len(between) + len(part) > room:
            yield held
            held = ""
        held = f"{held}{between}{part}" if held else part
    if held:
        yield held
