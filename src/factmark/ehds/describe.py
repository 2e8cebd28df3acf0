"""What a catalogue and its patients say, as passages of text of bounded length.

Values come from whatever store was asked: each is put on one line, cut, and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from factmark.ehds.catalogue import POLICY, TITLE, Dataset, Policy, heading, key
from factmark.ehds.replica.facts import KINDS, Constraint, Kind, PolicyRule
from factmark.ehds.replica.writing import NAMESPACES, iri_of
from factmark.stores.terms import Term
from factmark.tables.shown_text import one_line

PASSAGE = 1_200
"""Characters of a passage, its title included."""
LONGEST_VALUE = 4_000

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")
_UNITS = ("year", "month", "week", "day")
_OPERATORS = {
    "eq": "is", "isA": "is", "isAnyOf": "is any of", "isNoneOf": "is none of", "neq": "is not",
    "lt": "is less than", "lteq": "is at most", "gt": "is more than", "gteq": "is at least",
}  # fmt: skip
_RULES: dict[Kind, str] = dict(zip(KINDS, ("Permitted", "Prohibited", "Obligations"), strict=True))
_SYSTEMS = {"snomed": "SNOMED CT", "loinc": "LOINC", "rxnorm": "RxNorm"}


TYPE = iri_of("rdf:type")
# In the order of a passage; further properties follow under their own names.
_DATASET = {
    iri_of(curie): label
    for curie, label in {
        "dct:description": "Description",
        "dct:identifier": "Identifier",
        "hdcat:healthCategory": "Health category",
        "hdcat:populationSize": "Number of patients",
        "hdcat:dataStandard": "Data standard",
        "dcat:keyword": "Keywords",
        "dct:license": "Licence",
    }.items()
}
PERSONAL = {
    iri_of(curie): label
    for curie, label in {
        "fhir:gender": "Gender",
        "fhir:birthDate": "Date of birth",
        "ehds:birthYear": "Year of birth",
        "ehds:race": "Race",
        "ehds:ethnicity": "Ethnicity",
        "odrl:hasPolicy": "Consent policies",
    }.items()
}
"""What is told of a patient: properties and their labels, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A label and its values, which may be told in several passages."""

    label: str
    values: tuple[str, ...]


def value(text: str) -> str:
    """A value on one line, cut where it is longer than any honest one."""
    line = one_line(text[: 2 * LONGEST_VALUE])
    return line if len(line) <= LONGEST_VALUE else line[: LONGEST_VALUE - 1] + "…"


def words(name: str) -> str:
    """A local name as words.

    >>> words("CommercialPurpose"), words("re-identify")
    ('commercial purpose', 're-identify')
    """
    parts = _CAMEL.sub(" ", name.replace("_", " ")).split()
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def named(text: str) -> str:
    """An IRI's local name or a literal, with its words or its unit behind it where they differ.

    >>> named("https://w3id.org/dpv#CommercialPurpose"), named("P2Y")
    ('CommercialPurpose (commercial purpose)', 'P2Y (2 years)')
    """
    name = key(text) if "://" in text else value(text)
    meaning = _period(name) or words(name)
    return name if meaning.lower() == name.lower() else f"{name} ({meaning})"


def _period(text: str) -> str:
    duration = _DURATION.fullmatch(text)
    if not duration or not any(duration.groups()):
        return ""
    pairs = (
        (number, unit) for number, unit in zip(duration.groups(), _UNITS, strict=True) if number
    )
    return " ".join(f"{number} {unit}{'' if number == '1' else 's'}" for number, unit in pairs)


def dataset_fields(dataset: Dataset) -> list[Field]:
    """All that a catalogue says of a dataset, what people ask for first."""
    given = dataset.properties
    others = sorted(given.keys() - _DATASET.keys() - {TITLE, TYPE, POLICY})
    periods = tuple(f"{first or '…'} to {last or '…'}" for first, last in dataset.periods)
    return [
        Field(label="Dataset", values=(dataset.title,)),
        *(_property(dataset, iri, label) for iri, label in _DATASET.items() if iri in given),
        *([Field(label="Temporal coverage", values=periods)] if periods else []),
        *_policy_fields(dataset.policies),
        *(_property(dataset, iri, words(key(iri)).capitalize()) for iri in others),
    ]


def _property(dataset: Dataset, iri: str, label: str) -> Field:
    values = {_told(term, dataset.names) for term in dataset.properties[iri]}
    return Field(label=label, values=tuple(sorted(values)))


def _told(term: Term, names: Mapping[str, str]) -> str:
    if term.kind != "iri":
        return value(term.value)
    for prefix, system in _SYSTEMS.items():
        if term.value.startswith(NAMESPACES[prefix]):
            return f"{key(term.value)} ({system})"
    name = names.get(term.value)
    return f"{value(name)} ({value(term.value)})" if name else value(term.value)


def _policy_fields(policies: Sequence[Policy]) -> Iterator[Field]:
    for policy in policies:
        yield Field(label="Policy", values=(named(policy.name),))
        for kind, label in _RULES.items():
            rules = sorted({_rule(rule) for rule in policy.of(kind)})
            if rules:
                yield Field(label=label, values=tuple(rules))


def _rule(rule: PolicyRule) -> str:
    conditions = " and ".join(sorted(map(_condition, rule.constraints)))
    return named(rule.action) + (f", where {conditions}" if conditions else "")


def _condition(constraint: Constraint) -> str:
    operator = _OPERATORS.get(constraint.operator, value(constraint.operator))
    right = " or ".join(sorted(map(named, constraint.right)))
    return f"{named(constraint.left)} {operator} {right}"


def overview_fields(
    titles: Sequence[str], *, memberships: int | None, patients: int | None
) -> list[Field]:
    """What is said of the whole: its datasets, and how many patients they hold.

    Args:
        memberships: patients in sum over the datasets; None where nothing tells.
        patients: distinct ones.
    """
    fields = [Field(label="Number of datasets", values=(str(len(titles)),))]
    if memberships is not None:
        fields.append(Field(label="Patients in sum over all datasets", values=(str(memberships),)))
    if patients is not None:
        fields.append(Field(label="Distinct patients in all datasets", values=(str(patients),)))
    return [*fields, Field(label="Titles of the datasets", values=tuple(titles))]


def counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Names with how often they occur, the most frequent first.

    >>> counted({"Gout": 1, "Asthma": 2})
    ('Asthma (2)', 'Gout (1)')
    """
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(f"{value(name)} ({count})" for name, count in order)


def pieces(title: str, fields: Sequence[Field], *, limit: int = PASSAGE) -> list[str]:
    """The fields as texts that are, each with the title, no longer than the limit.

    A field is broken between its values, a value between sentences, a sentence between words, a
    word anywhere; what goes on in the next text starts with its label again.

    Args:
        limit: at least 400.
    """
    room = max(200, limit - len(title) - 1)
    texts: list[str] = []
    lines: list[str] = []
    for field in fields:
        for line in _lines(field, room):
            if lines and sum(map(len, lines)) + len(lines) + len(line) > room:
                texts.append("\n".join(lines))
                lines = []
            lines.append(line)
    return [*texts, "\n".join(lines)] if lines else texts


def _lines(field: Field, room: int) -> Iterator[str]:
    """A field on one line, or on several that each fit."""
    label = f"{heading(field.label)[:100]}: "
    parts = [part for text in field.values for part in _parts(text, room - len(label) - 1)]
    line = ""
    for part in parts:
        if line and len(label) + len(line) + 2 + len(part) + 1 > room:
            yield f"{label}{line}."
            line = ""
        line = f"{line}; {part}" if line else part
    if line:
        yield f"{label}{line}" + ("" if line.endswith((".", "!", "?")) else ".")


def _parts(text: str, room: int) -> Iterator[str]:
    """A value in parts that fit."""
    if len(text) <= room:
        yield text
        return
    held = ""
    for sentence in _SENTENCE.split(text):
        for bit in [sentence] if len(sentence) <= room else _bits(sentence, room):
            if held and len(held) + 1 + len(bit) > room:
                yield held
                held = ""
            held = f"{held} {bit}" if held else bit
    if held:
        yield held


def _bits(sentence: str, room: int) -> Iterator[str]:
    for word in sentence.split():
        yield from (word[at : at + room] for at in range(0, len(word), room))
