"""Triples by numbers, with the names beside them: the folders of OpenKE and of sets with times.

`train2id.txt` begins with how many triples there are and has head, tail, relation; others have
head, relation, tail. Which column numbers relations is seen by `relation2id.txt`: its numbers end
before those of entities do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.separated import text_lines_with_ends
from factmark.graphs.triples.columns.named_columns import TASK
from factmark.graphs.triples.graph_file import GraphFile
from factmark.graphs.triples.nodes.node_names import NodeNames
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Placed
from factmark.intake.table_file import TableFile

_ENTITIES, _RELATIONS = "entity2id.txt", "relation2id.txt"
_LOOKED_AT = 2_000  # lines
_OF_OPENKE = (0, 2, 1)  # the places of head, relation and tail
_IN_ORDER = (0, 1, 2)


def is_numbered(path: Path, encoding: str) -> bool:
    """Whether a file has triples by numbers that files beside it name."""
    if path.suffix.casefold() != ".txt" or path.name in (_ENTITIES, _RELATIONS):
        return False
    if not all((path.parent / name).is_file() for name in (_ENTITIES, _RELATIONS)):
        return False
    lines = list(islice(_cells(path, encoding), _LOOKED_AT))
    return bool(lines) and all(all(map(str.isdecimal, cells)) for _, cells in lines)


def open_numbered(path: Path, encoding: str) -> GraphFile:
    """Returns the triples of a file as a table of edges whose ends have the names beside it.

    Raises:
        InputError: neither the second nor the third column has numbers of relations alone.
    """
    relations = dict(_named(path.parent / _RELATIONS, encoding))
    order = _order(path, encoding, relations)
    edges = TableFile(path=path, encoding=encoding)
    edges = replace(edges, stream=partial(_edge_rows, edges, order, relations))
    columns = {part: (part,) for part in ("head", "relation", "tail")}
    return GraphFile(table=edges, mapping=TableMapping(task=TASK, columns=columns))


def _order(path: Path, encoding: str, relations: Mapping[str, str]) -> tuple[int, ...]:
    """Returns the places of head, relation and tail: those of OpenKE where both may be."""
    lines = list(islice(_cells(path, encoding), _LOOKED_AT))
    begins_with_count = len(lines[0][1]) == 1
    rows = [cells for _, cells in lines if len(cells) > 2]
    fitting = []
    for order in (_OF_OPENKE, _IN_ORDER):
        if rows and all(cells[order[1]] in relations for cells in rows):
            fitting.append(order)
    if not fitting:
        raise InputError(
            f"{path}: neither its second nor its third column has the numbers of {_RELATIONS}."
        )
    return fitting[0 if begins_with_count else -1]


def _edge_rows(
    edges: TableFile, order: tuple[int, ...], relations: Mapping[str, str], problems: Problems
) -> Iterator[Placed]:
    """Yields the triples of a file as rows, with the names of their relations."""
    with NodeNames() as names:
        for entity, name in _named(edges.path.parent / _ENTITIES, edges.encoding):
            names.add(entity, name)
        names.note_broken(problems)
        for number, cells in _cells(edges.path, edges.encoding):
            if len(cells) == 1 and number == 1:
                continue  # how many there are
            problems.rows += 1
            if len(cells) < len(order):
                problems.drop("fewer than three numbers", f"line {number}")
                continue
            head, relation, tail = (cells[place] for place in order)
            ends = {"head": names.get(head) or head, "tail": names.get(tail) or tail}
            yield f"line {number}", {**ends, "relation": relations.get(relation, relation)}


def _named(path: Path, encoding: str) -> Iterator[tuple[str, str]]:
    """Yields number and name of each line of a file, in whichever order they stand."""
    for _, cells in _cells(path, encoding):
        numbers = [place for place, cell in enumerate(cells) if cell.isdecimal()]
        if len(cells) > 1 and numbers[:1] == [0] and not cells[1].isdecimal():
            yield cells[0], " ".join(cells[1:])
        elif numbers and numbers[-1] > 0:  # what stands behind the last number, as times, is none
            yield cells[numbers[-1]], " ".join(cells[: numbers[-1]])


def _cells(path: Path, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the lines of a file that are not empty, each with its number, at tabs or blanks."""
    for number, line in enumerate(text_lines_with_ends(path, encoding), start=1):
        text = line.strip()
        if text:
            cells = text.split("\t") if "\t" in text else text.split()
            yield number, [cell.strip() for cell in cells]
