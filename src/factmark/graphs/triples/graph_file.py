"""The file of a graph as a table of edges, with which column holds what, and tables of nodes.

An edge may be a row, stand in a list beside the list of nodes, or among rows that are nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.arrow_files import ARROW
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, is_written_frame, row_of
from factmark.files.separated import DELIMITERS
from factmark.files.text_files import JSON, json_value, read_text
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.cells import NEEDED
from factmark.graphs.triples.columns.completed_rows import SAID, completed
from factmark.graphs.triples.columns.graph_columns import graph_mapping
from factmark.graphs.triples.columns.named_columns import column_name
from factmark.intake.columns import TableColumn
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Shape, lists_of_rows, read_cell
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import all_names
from factmark.text.shell import quote

_WITHOUT_HEAD = (".txt", ".sif")
_HEADLESS = "column "  # how columns without a name are called


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFile:
    """A file with triples that was opened.

    Attributes:
        table: its edges.
        mapping: which column holds what; None where the file has no rows.
        nodes: the other tables of the file.
    """

    table: TableFile
    mapping: TableMapping | None
    nodes: tuple[TableFile, ...] = ()


def open_graph_file(path: Path, columns: Mapping[str, str], encoding: str) -> GraphFile:
    """Returns the file of a graph, opened.

    Args:
        columns: role -> column, as the user names them: by name, by path, or in a table of cells
            without a head by number.

    Raises:
        InputError: it cannot be read, or has no columns for triples; with the options that would
            read it.
    """
    lists = _lists_in(path, encoding)
    if lists:
        return _among_lists(path, lists, columns)
    if path.suffix.casefold() == ".json":
        table = TableFile(path=path, encoding=encoding)
    else:
        table = open_table(path, encoding)
        shape = Shape(written=(*table.shape.written, *_written_objects(table)))
        table = replace(table, form=None, shape=shape, ends_early=True)
    suffix = path.suffix.casefold()
    if suffix in _WITHOUT_HEAD and len(table.cells(Problems())[0]) < len(NEEDED):
        n_cells = len(table.cells(Problems())[0])
        raise InputError(
            f"{path}: its first line has {n_cells} cells, and a triple has three. A table that "
            f"names its columns in line 1 ends in {' or '.join(DELIMITERS)}."
        )
    if suffix in CELLS:
        table, columns = _numbered(table, columns)
    table = completed(table, columns)
    if not table.sample.rows:
        return GraphFile(table=table, mapping=None)
    loose = suffix in (*OBJECTS, ARROW)
    return GraphFile(table=table, mapping=graph_mapping(table, columns, loose=loose))


def _written_objects(table: TableFile) -> list[str]:
    """Returns the columns of a table whose cells are objects written as text."""
    columns = []
    for name in table.sample.heads:
        cells = table.sample.columns[name].filled
        if cells and all(map(_is_written_object, cells)):
            columns.append(name)
    return columns


def _is_written_object(cell: object) -> bool:
    """Whether a cell is a text that writes an object out."""
    return isinstance(cell, str) and isinstance(read_cell(cell), Mapping)


def _numbered(table: TableFile, columns: Mapping[str, str]) -> tuple[TableFile, Mapping[str, str]]:
    """Returns a table of cells without a head where the user names its columns by their numbers, or
    where its ending is that of tables which have none."""
    parts = [columns[role] for role in NEEDED if role in columns]
    heads, _ = table.cells(Problems())
    by_number = bool(parts) and all(part.isdecimal() and part not in heads for part in parts)
    if by_number or _begins_with_row(table, heads):
        table = replace(table, has_head=False)
    if not table.has_head:
        named = {}
        for role, column in columns.items():
            named[role] = f"{_HEADLESS}{column}" if column.isdecimal() else column
        return table, named
    return table, columns


def _begins_with_row(table: TableFile, first: Sequence[str]) -> bool:
    """Whether the first line of a table is a triple: no cell of it is a name that columns have, and
    one is an id, or the table is of a kind that has no head."""
    heads = [name for name in first if name]
    if not table.has_head or any(column_name(name) in all_names() for name in heads):
        return False
    columns = table.sample.columns
    if table.path.suffix.casefold() in _WITHOUT_HEAD:
        return not any(name in columns and _has_numbers_below(columns[name]) for name in heads)
    for name in filter(_is_id, heads):
        texts = columns[name].texts if name in columns else ()
        if not texts or sum(map(_is_id, texts)) * 2 > len(texts):
            return True
    return False


def _has_numbers_below(column: TableColumn) -> bool:
    """Whether a column's first cell is a word, and all below are numbers: the word is its name."""
    return column.kind == "number" and not column.path[:1].isdigit()


def _is_id(name: str) -> bool:
    """Whether a cell may be an id and no column's name."""
    return name[:1] == "/" or is_opaque(name) or (name[:1], name[-1:]) == ("<", ">")


def _lists_in(path: Path, encoding: str) -> dict[str, list[Any]]:
    """Returns name -> rows of the lists in a JSON object, and of the objects by id; the rows of a
    file with an object a line; nothing of any other file."""
    if path.suffix.casefold() != ".json" or not path.is_file():
        return {}
    text = read_text(path, encoding)
    try:
        value = json_value(path, text)
    except InputError:
        rows = _lines_of(text)
        if rows is None:
            raise
        return {"line": rows}
    if not isinstance(value, Mapping) or not value or is_written_frame(value):
        return {}
    lists = {name: _at(value, name) for name in lists_of_rows(value) if name}
    lists |= _objects_of_rows(value)
    n_whole = sum(isinstance(part, list) and row_of(part) is None for part in value.values())
    is_rows_by_name = len(lists) == len(value) == n_whole
    return {} if is_rows_by_name and all(_are_triples(rows) for rows in lists.values()) else lists


def _objects_of_rows(value: Mapping[str, Any], within: str = "") -> dict[str, list[Any]]:
    """Returns path -> rows of the objects that hold rows by their ids, two deep."""
    lists = {}
    for name, part in value.items():
        if isinstance(part, Mapping) and "." not in str(name):
            rows = _rows_by_name(part)
            if rows:
                lists[f"{within}{name}"] = rows
            elif not within:
                lists |= _objects_of_rows(part, f"{name}.")
    return lists


def _are_triples(rows: list[Any]) -> bool:
    """Whether rows are lists of three texts."""
    return all(isinstance(row, list) for row in rows)


def _lines_of(text: str) -> list[Any] | None:
    """Returns the objects of a text with an object a line; None if it is none."""
    rows = []
    for line in text.splitlines():
        if line.strip():
            try:
                row = JSON.decode(line)
            except (ValueError, RecursionError):
                return None
            if not isinstance(row, dict):
                return None
            rows.append(row)
    return rows


def _at(value: Any, path: str) -> Any:
    """Returns what stands at a path of names."""
    for step in path.split("."):
        value = value[step]
    return value


def _rows_by_name(part: Mapping[str, Any]) -> list[Any]:
    """Returns the rows that an object holds by their ids, or the edges that it holds by their heads
    (`{"Ada": [["knows", "Bob"]]}`); an empty list where it holds neither."""
    if part and all(isinstance(item, Mapping) for item in part.values()):
        return [{"id": name, **item} for name, item in part.items()]
    edges: list[Any] = []
    for head, pairs in part.items():
        if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
            return []
        edges += [[head, relation, tail] for relation, tail in pairs]
    return edges


def _is_pair(item: object) -> bool:
    """Whether an item is a list of two texts."""
    return isinstance(item, list) and len(item) == 2 and all(isinstance(v, str) for v in item)


def _among_lists(
    path: Path, lists: Mapping[str, list[Any]], columns: Mapping[str, str]
) -> GraphFile:
    """Returns the edges among the lists of a JSON file, with its other lists.

    Raises:
        InputError: none of them holds triples, or two hold different ones.
    """
    tables = {}
    for name, rows in lists.items():
        shape = Shape(rows=name.replace(".", "/"))
        table = TableFile(path=path, value={shape.rows: rows}, shape=shape)
        tables[name] = completed(table, columns)
    fitting: dict[str, TableMapping] = {}
    errors = {}
    for name, table in tables.items():
        try:
            fitting[name] = graph_mapping(table, _within(name, columns), loose=False)
        except InputError as error:
            errors[name] = error
    if not fitting:
        raise _of_lists(path, tables, errors)
    names = sorted(fitting, key=lambda name: -len(lists[name]))
    best = names[0]
    if len(names) > 1:
        pairs = {name: _ends_in(tables[name], fitting[name]) for name in names}
        best = max(names, key=lambda name: (len(pairs[name]), bool(fitting[name].column("head"))))
        apart = [name for name in names if not pairs[name] <= pairs[best]]
        if apart:
            ways = "; or ".join(_options(name, fitting[name]) for name in (best, *apart))
            raise InputError(f"{path}: has several lists of edges. Say which: {ways}.")
    nodes = tuple(table for name, table in tables.items() if name not in fitting)
    return GraphFile(table=tables[best], mapping=fitting[best], nodes=nodes)


def _within(name: str, columns: Mapping[str, str]) -> dict[str, str]:
    """Returns the columns that the user names, without the name of their list before them."""
    return {role: column.removeprefix(f"{name}.") for role, column in columns.items()}


def _options(name: str, mapping: TableMapping) -> str:
    """Returns the options that choose a list and read it so."""
    roles = [role for role in (*NEEDED, "triple", "statement") if mapping.column(role)]
    words = []
    for role in roles:
        column = mapping.column(role)
        within = "" if column.startswith(SAID) else f"{name}."
        words.append(f"--column {quote(f'{role}={within}{column}')}")
    return " ".join(words)


def _ends_in(table: TableFile, mapping: TableMapping) -> set[tuple[str, ...]]:
    """Returns the ends of the first edges of a list."""
    paths = [mapping.column(role) for role in ("head", "tail", "triple") if mapping.column(role)]
    cells = [table.sample.columns[path].cells for path in paths]
    ends = set()
    for row in zip(*cells, strict=True):
        if len(row) == 1 and isinstance(row[0], list | tuple) and len(row[0]) > 1:
            row = (row[0][0], row[0][-1])
        ends.add(tuple(map(str, row)))
    return ends


def _of_lists(
    path: Path, tables: Mapping[str, TableFile], errors: Mapping[str, InputError]
) -> InputError:
    """Returns the error of a JSON file in none of whose lists are triples, to be raised."""
    with_way = [name for name, error in errors.items() if "--column" in str(error)]
    with_ends = [name for name in with_way if "for the relation" in str(errors[name])]
    if len(with_ends) == 1:
        with_way = with_ends
    if len(tables) == 1 or len(with_way) == 1:
        return errors[next(iter(with_way or tables))]
    held = ", ".join(
        f"{name} ({len(table.sample.columns)} columns)" for name, table in tables.items()
    )
    return InputError(
        f"{path}: none of its lists holds triples: {held}. {next(iter(errors.values()))}"
    )
