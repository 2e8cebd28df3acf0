"""Observation templates: nine tenths of all triples come from them, so they are prepared once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.ehds.replica.facts import Code, ObservationType
from factmark.ehds.replica.writing import Writer

_VALUES = 40  # distinct values per type


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The triples of one kind of observation, to be filled by `str.format`.

    Attributes:
        text: with the fields `iri`, `patient`, `encounter`, `time`, `node` (the start of its blank
            nodes' labels), `first` and `second`.
        weight: how often it is used, relative to the others.
        first, second: values to choose from.
    """

    text: str
    weight: float
    first: tuple[str, ...] = ("",)
    second: tuple[str, ...] = ("",)


def observation_templates(types: Sequence[ObservationType], writer: Writer) -> list[Template]:
    """The templates of some observation types; a coded question has one per answer."""
    return [template for kind in types for template in _templates(kind, writer)]


def _templates(kind: ObservationType, writer: Writer) -> Iterator[Template]:
    if kind.answers:
        for answer in kind.answers:
            text = _common(kind, writer, ("fhir:valueCodeableConcept", "{node}v"))
            text += _escaped_coding("{node}v", answer, writer)
            yield Template(text=text, weight=kind.weight / len(kind.answers))
    elif kind.components:
        first, second = kind.components
        text = _common(kind, writer, ("fhir:component", "{node}p"), ("fhir:component", "{node}q"))
        text += _measured("{node}p", "{node}r", "{node}s", "{first}", first, writer)
        text += _measured("{node}q", "{node}t", "{node}u", "{second}", second, writer)
        yield Template(text=text, weight=kind.weight, first=values(first), second=values(second))
    else:
        text = _common(kind, writer, ("fhir:valueQuantity", "{node}v"))
        text += _quantity("{node}v", "{first}", kind, writer)
        yield Template(text=text, weight=kind.weight, first=values(kind))


def _common(kind: ObservationType, writer: Writer, *pairs: tuple[str, str]) -> str:
    """What every observation has, ahead of its own pairs."""
    return (
        writer.resource("Observation", "observation", "{iri}", "{patient}", "{encounter}")
        + writer.triples(
            "{iri}",
            ("fhir:status", '"final"'),
            ("fhir:effectiveDateTime", writer.syntax.typed("{time}", "dateTime")),
            ("fhir:code", "{node}c"),
            *pairs,
        )
        + _escaped_coding("{node}c", kind.code, writer)
    )


def _measured(
    node: str, coding: str, quantity: str, value: str, kind: ObservationType, writer: Writer
) -> str:
    """A component: a node with a code and a value, which is no observation by itself."""
    return (
        writer.triples(node, ("fhir:code", coding), ("fhir:valueQuantity", quantity))
        + _escaped_coding(coding, kind.code, writer)
        + _quantity(quantity, value, kind, writer)
    )


def _quantity(node: str, value: str, kind: ObservationType, writer: Writer) -> str:
    return writer.triples(
        node,
        ("fhir:value", writer.syntax.typed(value, "decimal")),
        ("fhir:unit", _escaped(f'"{kind.unit}"')),
    )


def _escaped_coding(node: str, code: Code, writer: Writer) -> str:
    """A coding whose texts may hold braces; the node's own braces stay a field."""
    return _escaped(writer.coding("\0", code)).replace("\0", node)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def values(kind: ObservationType) -> tuple[str, ...]:
    """Evenly spread values of a type as canonical decimals, one digit after the point at most.

    >>> values(ObservationType(code=Code(system="", code="", display=""), low=1, high=4.9))[::20]
    ('1', '3')
    """
    step = (kind.high - kind.low) / (_VALUES - 1)
    numbers = (round(kind.low + i * step, 1) for i in range(_VALUES))
    return tuple(str(int(n)) if n == int(n) else str(n) for n in numbers)
