"""How a term is spelt: in full (N-Triples, N-Quads) or with prefixes (Turtle, TriG).

The generator fills the same templates for both, so the two forms hold the same triples.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmark.ehds.replica.namespaces import NAMESPACES


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One way to spell terms.

    Attributes:
        prefixed: whether IRIs are written as `prefix:name`.
    """

    prefixed: bool

    def open(self, prefix: str) -> str:
        """What stands before a local name."""
        return f"{prefix}:" if self.prefixed else f"<{NAMESPACES[prefix]}"

    @property
    def close(self) -> str:
        """What stands after a local name."""
        return "" if self.prefixed else ">"

    def iri(self, curie: str) -> str:
        """An IRI of a known namespace, given as `prefix:name`; the name must need no escapes."""
        prefix, _, name = curie.partition(":")
        return f"{self.open(prefix)}{name}{self.close}"

    def typed(self, value: object, datatype: str) -> str:
        """A literal of an XML Schema datatype, for example `typed(40, "integer")`."""
        return f'"{value}"^^{self.iri(f"xsd:{datatype}")}'

    def header(self) -> str:
        """The prefix declarations, empty for the full form."""
        if not self.prefixed:
            return ""
        return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in NAMESPACES.items())


FULL = Syntax(prefixed=False)
PREFIXED = Syntax(prefixed=True)


def text_literal(text: str) -> str:
    """A plain literal, escaped for all four syntaxes."""
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    )
    return f'"{escaped}"'
