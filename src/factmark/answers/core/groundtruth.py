"""From the rows of a SPARQL result to a ground truth G, and the drift between two of them.

An IRI becomes its local name, a literal its lexical form; duplicates, unbound cells and blank
nodes drop (a blank node names nothing that an answer could say).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factmark.stores.terms import Rows, Term, local_name


def ground_truth(rows: Rows) -> tuple[str, ...]:
    """G: the distinct values of all cells, row by row, in the order of the result."""
    if rows.boolean is not None:
        return ("true" if rows.boolean else "false",)
    values = (_element(term) for row in rows.rows for term in row if term is not None)
    return tuple(dict.fromkeys(value for value in values if value))


def _element(term: Term) -> str:
    if term.kind == "iri":
        return local_name(term.value)
    return term.value.strip() if term.kind == "literal" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What differs between a recorded ground truth and one derived now, as sets."""

    appeared: tuple[str, ...]
    vanished: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether both hold the same elements."""
        return not self.appeared and not self.vanished


def drift(recorded: Iterable[str], derived: Iterable[str]) -> Drift:
    """Compares two ground truths as sets; the order of each side is kept."""
    old, new = dict.fromkeys(recorded), dict.fromkeys(derived)
    return Drift(
        appeared=tuple(value for value in new if value not in old),
        vanished=tuple(value for value in old if value not in new),
    )
