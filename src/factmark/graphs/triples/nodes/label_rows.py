"""Rows of a graph that give names to its nodes, as KGTK's: `Q7 label 'rye'@en`."""

from __future__ import annotations

from collections.abc import Iterator

from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.graphs.core.iri_names import readable_name
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.columns.named_columns import TASK
from factmark.graphs.triples.graph_file import GraphFile
from factmark.intake.columns import folded, is_empty
from factmark.intake.tools import role_names

JOINT = "::"


def key_of(cell: object) -> str:
    """Returns an id as a text: `["Gene", 9021]` as `Gene::9021`.

    >>> key_of(["Gene", 9021]), key_of(7.0), key_of(None)
    ('Gene::9021', '7', '')
    """
    if isinstance(cell, list | tuple):
        return JOINT.join(map(key_of, cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if is_empty(cell) else str(cell).strip()


def names_nodes(graph: GraphFile) -> bool:
    """Whether rows of a graph give labels: their relation says so, and their heads are ids."""
    mapping = graph.mapping
    relation = mapping.column("relation") if mapping else ""
    if mapping is None or not relation:
        return False
    heads = []
    for _, row in graph.table.sample.rows:
        if is_label(cell_at(row, relation)):
            heads.append(key_of(cell_at(row, mapping.column("head"))))
    return bool(heads) and sum(map(is_opaque, heads)) * 2 >= len(heads)


def is_label(relation: object) -> bool:
    """Whether a relation gives a name to its head."""
    if not isinstance(relation, str):
        return False
    return folded(relation) in role_names(TASK, "words")["labels"]


def labels_in(graph: GraphFile) -> Iterator[tuple[str, str]]:
    """Yields node and name of the rows that give labels, the English ones first."""
    mapping = graph.mapping
    assert mapping is not None  # noqa: S101  # the caller looked
    aliases = role_names(TASK, "words")["aliases"]
    others = []
    for _, row in graph.table.rows(Problems()):
        relation = cell_at(row, mapping.column("relation"))
        if not is_label(relation) or folded(relation) in aliases:
            continue
        text = key_of(cell_at(row, mapping.column("tail")))
        pair = (key_of(cell_at(row, mapping.column("head"))), readable_name(text)[0])
        if text.endswith("@en"):
            yield pair
        else:
            others.append(pair)
    yield from others
