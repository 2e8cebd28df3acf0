"""What a catalogue and its patients say, as passages of text of bounded length.

Values come from whatever store was asked: each is put on one line, cut, and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from factmark.ehds.catalogue import POLICY, TITLE, Dataset, heading, id_part
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


def shown_value(text: str) -> str:
    """Returns a value on one line, cut where it is longer than any honest one."""
    return heading(text, LONGEST_VALUE)


def name_in_words(name: str) -> str:
    """Returns a local name as words.

    >>> name_in_words("CommercialPurpose"), name_in_words("re-identify")
    ('commercial purpose', 're-identify')
    """
    parts = _CAMEL.sub(" ", name.replace("_", " ")).split()
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def property_label(iri: str) -> str:
    """Returns a property's name as the label of a field."""
    if iri == TYPE:
        return "Type"
    return name_in_words(id_part(iri)).capitalize()


def with_meaning(text: str) -> str:
    """Returns an IRI's local name or a literal, with its words or its unit behind it where they
    differ.

    >>> with_meaning("https://w3id.org/dpv#CommercialPurpose"), with_meaning("P2Y")
    ('CommercialPurpose (commercial purpose)', 'P2Y (2 years)')
    """
    if "://" in text:
        name = id_part(text)
    else:
        name = shown_value(text)
    meaning = _period_in_words(name) or name_in_words(name)
    if meaning.lower() == name.lower():
        return name
    return f"{name} ({meaning})"


def _period_in_words(text: str) -> str:
    """Returns a duration in words; empty for what is none."""
    duration = _DURATION.fullmatch(text)
    if duration:
        numbers = duration.groups()
    else:
        numbers = ()
    pairs = ((number, unit) for number, unit in zip(numbers, _UNITS, strict=False) if number)
    return " ".join(f"{number} {unit}{'' if number == '1' else 's'}" for number, unit in pairs)


def dataset_fields(dataset: Dataset) -> Iterator[Field]:
    """Yields all that a catalogue says of a dataset, field by field, what people ask for first."""

    def values_in_words(iri: str) -> list[str]:
        return sorted({_term_in_words(term, dataset.names) for term in dataset.properties[iri]})

    yield "Dataset", [dataset.title]
    for iri, label in _DATASET.items():
        if iri in dataset.properties:
            yield label, values_in_words(iri)
    if dataset.periods:
        periods = [f"{first or '…'} to {last or '…'}" for first, last in dataset.periods]
        yield "Temporal coverage", periods
    for policy in dataset.policies:
        yield "Policy", [with_meaning(policy.name)]
        for kind, label in _RULES.items():
            rules = sorted({_rule_in_words(rule) for rule in policy.of(kind)})
            if rules:
                yield label, rules
    for iri in sorted(dataset.properties.keys() - _DATASET.keys() - {TITLE, TYPE, POLICY}):
        yield property_label(iri), values_in_words(iri)


def _term_in_words(term: Term, names: Mapping[str, str]) -> str:
    """Returns a term as people read it: a code with its system, an IRI with its name, a literal as
    it is.
    """
    if term.kind != "iri":
        return shown_value(term.value)
    for prefix, system in _SYSTEMS.items():
        if term.value.startswith(NAMESPACES[prefix]):
            return f"{id_part(term.value)} ({system})"
    name = names.get(term.value)
    if name:
        return f"{shown_value(name)} ({shown_value(term.value)})"
    return shown_value(term.value)


def _rule_in_words(rule: PolicyRule) -> str:
    """Returns the action of a rule, and the conditions under which the rule applies."""
    conditions = " and ".join(sorted(map(_condition_in_words, rule.constraints)))
    return with_meaning(rule.action) + (f", where {conditions}" if conditions else "")


def _condition_in_words(constraint: Constraint) -> str:
    """Returns a condition as its left side, operator and right side in words."""
    operator = _OPERATORS.get(constraint.operator, shown_value(constraint.operator))
    right = " or ".join(sorted(map(with_meaning, constraint.right)))
    return f"{with_meaning(constraint.left)} {operator} {right}"


def names_with_counts(counts: Mapping[str, int]) -> list[str]:
    """Returns names with how often they occur, the most frequent first.

    >>> names_with_counts({"Gout": 1, "Asthma": 2})
    ['Asthma (2)', 'Gout (1)']
    """
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"{shown_value(name)} ({count})" for name, count in order]


def texts_of_fields(title: str, fields: Iterable[Field], *, limit: int = PASSAGE) -> Iterator[str]:
    """Yields the fields as texts that are, each with the title, no longer than the limit.

    A field is broken between its values, a value between sentences, a sentence between words, a
    word anywhere; what goes on in the next text starts with its label again.

    Args:
        limit: at least 400.
    """
    room = max(200, limit - len(title) - 1)
    lines = (line for label, values in fields for line in _field_lines(label, values, room))
    return _join_in_lines(lines, "\n", room)


def _field_lines(label: str, values: Sequence[str], room: int) -> Iterator[str]:
    """Yields the lines that state a field: one, or several of at most `room` characters each."""
    label = f"{heading(label)[:100]}: "
    parts = (part for text in values for part in _split_value(text, room - len(label) - 1))
    for line in _join_in_lines(parts, "; ", room - len(label) - 1):
        yield f"{label}{line}" + ("" if line.endswith((".", "!", "?")) else ".")


def _split_value(text: str, room: int) -> Iterator[str]:
    """Yields a value in parts of at most `room` characters: whole sentences, else words, else
    pieces.
    """
    if len(text) <= room:
        sentences = [text]
    else:
        sentences = _SENTENCE.split(text)
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
        if held:
            held = f"{held}{between}{part}"
        else:
            held = part
    if held:
        yield held
