"""Rows with what stands elsewhere: the names of nodes that a row numbers itself, and one relation
for all edges in the user's words.

A document with its entities and relations names these by places in its own list of entities, or by
ids that begin anew in each: `{"entities": ["Ada", "London"], "relations": [{"h": 0, "t": 1}]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.columns.named_columns import EndColumns, NamedColumns, pairs_of
from factmark.intake.columns import TableSample, folded, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import AS_IT_STANDS, Placed
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names

SAID = "="
"""With what a relation begins that no column holds: `--column relation==knows`."""


def completed(table: TableFile, columns: Mapping[str, str]) -> TableFile:
    """Returns a table whose rows have the names that they give themselves, and the relation that
    the user says."""
    relation = columns.get("relation", "")
    if relation.startswith(SAID):
        table = _changed(table, lambda row: {**row, relation: relation.removeprefix(SAID).strip()})
    if not any(end in columns for end in ("head", "tail")):
        names = _row_names(table.sample)
        if names is not None:
            table = _changed(table, names.complete)
    return table


def _changed(table: TableFile, change: Callable[[Row], Row]) -> TableFile:
    """Returns a table each of whose rows is changed."""
    return replace(table, stream=partial(_changed_rows, table, change), shape=AS_IT_STANDS)


def _changed_rows(
    table: TableFile, change: Callable[[Row], Row], problems: Problems
) -> Iterator[Placed]:
    """Yields the rows of a table, changed."""
    return ((where, change(row)) for where, row in table.rows(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowNames:
    """Where a row has its edges and the nodes that they number.

    Attributes:
        around: the path of the object that has both lists; empty for the row.
        edges, nodes: what the lists are called.
        head, tail: the fields of an edge.
        id: the field of a node that edges name; empty where they name its place.
    """

    around: str
    edges: str
    nodes: str
    head: str
    tail: str
    id: str = ""

    def complete(self, row: Row) -> Row:
        """Returns a row whose edges have names; an end without a name stays."""
        whole = self._object_in(row)
        if self.nodes not in whole:
            return row
        names = self._names(whole)
        edges = []
        for edge in _items(whole.get(self.edges)):
            ends = {end: names.get(str(edge.get(end))) for end in (self.head, self.tail)}
            edges.append({**edge, **{end: name for end, name in ends.items() if name}})
        changed = {**whole, self.edges: edges}
        del changed[self.nodes]  # else each triple would carry all of them
        if not self.around:
            return changed
        return {**row, self.around: changed}

    def name_all(self, rows: Sequence[Row]) -> bool:
        """Whether each end of the edges of some rows gets a name, and there are ends."""
        n_ends = 0
        for row in rows:
            whole = self._object_in(row)
            names = self._names(whole)
            for edge in _items(whole.get(self.edges)):
                ends = [edge.get(self.head), edge.get(self.tail)]
                if not all(names.get(str(end)) for end in ends):
                    return False
                n_ends += 2
        return n_ends > 0

    def _object_in(self, row: Row) -> Mapping[str, Any]:
        """Returns the object of a row with both lists; an empty one where there is none."""
        whole = cell_at(row, self.around) if self.around else row
        return whole if isinstance(whole, Mapping) else {}

    def _names(self, whole: Mapping[str, Any]) -> dict[str, str]:
        """Returns what edges call a node -> its name."""
        nodes = whole.get(self.nodes)
        names = {}
        for place, node in enumerate(nodes if isinstance(nodes, list | tuple) else ()):
            key = str(node.get(self.id)) if self.id and isinstance(node, Mapping) else str(place)
            names[key] = _name_of(node, self.id)
        return names


def _row_names(sample: TableSample) -> _RowNames | None:
    """Returns where the rows of a sample have their edges and the nodes that these number; None
    where ends are names, or a row does not have them."""
    for pair in pairs_of(NamedColumns(sample), TableMapping(task="graph")):
        if not pair.within or not _are_numbered(pair, sample):
            continue
        around, _, edges = pair.within.rpartition(".")
        if "." in around:
            continue
        rows = [row for _, row in sample.rows]
        for names in _candidates(rows, around, edges, pair):
            if names.name_all(rows):
                return names
    return None


def _are_numbered(pair: EndColumns, sample: TableSample) -> bool:
    """Whether the edges of a pair are a list in each row and their ends numbers or ids."""
    lists = [cell_at(row, pair.within) for _, row in sample.rows]
    texts = pair.values(sample)
    is_list = all(isinstance(cell, list | tuple) or is_empty(cell) for cell in lists)
    return is_list and bool(texts) and all(map(is_opaque, texts))


def _candidates(
    rows: Sequence[Row], around: str, edges: str, pair: EndColumns
) -> Iterator[_RowNames]:
    """Yields the lists of the first row that may have the nodes: by an id, then by their places."""
    head, tail = (end.removeprefix(f"{pair.within}.") for end in (pair.head, pair.tail))
    first = next((row for row in rows if cell_at(row, pair.within)), {})
    whole = cell_at(first, around) if around else first
    for name, nodes in whole.items() if isinstance(whole, Mapping) else ():
        if name == edges or not isinstance(nodes, list | tuple) or not nodes:
            continue
        here = _RowNames(around=around, edges=edges, nodes=name, head=head, tail=tail)
        for field, value in nodes[0].items() if isinstance(nodes[0], Mapping) else ():
            if isinstance(value, str | int):
                yield replace(here, id=field)
        yield here


def _items(cell: object) -> Iterator[Mapping[str, Any]]:
    """Yields the objects of a list."""
    if isinstance(cell, list | tuple):
        yield from (item for item in cell if isinstance(item, Mapping))


def _name_of(node: object, besides: str) -> str:
    """Returns the name of a node: a text, a field that is called so, or that of its first mention;
    empty where it has none.

    Args:
        besides: a field that is its id.
    """
    if isinstance(node, str):
        return node
    if isinstance(node, Mapping):
        by_name = {folded(str(field)): value for field, value in node.items() if field != besides}
        names = (by_name.get(name) for name in role_names("nodes")["name"])
        return next((name for name in names if isinstance(name, str) and name.strip()), "")
    if isinstance(node, list | tuple):
        return next(filter(None, (_name_of(mention, besides) for mention in node)), "")
    return ""
