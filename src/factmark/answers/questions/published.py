"""Ground truths as others publish them: any table of questions with their answers or queries.

A list of answers says one of two things: that all of them are right, or that any of them says what
is right. A file's form says which, or the name of the column; where neither does, the user does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from factmark.answers.questions.thing_records import FIELD, parts_of, thing_of_iri
from factmark.errors import InputError
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.files.text_files import json_value, read_text
from factmark.intake.columns import TableSample, folded, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Named, Reading, settled_mapping
from factmark.intake.shapes import read_cell, value_at
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import ToolForm, named_columns, role_names
from factmark.text.shell import quote
from factmark.text.shown_text import count, first_names

_TASK = "groundtruths"
_QUESTIONS = "questions"  # whose tools' forms these files have
_ALL, _ANY = "ground_truth", "any_of"
_EACH = "*"  # of the setting `any`: any of a list, whatever the row
_LONG = 8  # words
_MANY = 0.05  # of the elements
_OPAQUE = re.compile(r"[A-Z]\d+")
_OPTION = "--benchmark-column"
Records = Iterator[tuple[str, Mapping[str, object]]]


def published_records(path: Path, columns: Mapping[str, str], notes: list[str]) -> Records:
    """Yields the questions of a table, each with its place and under factmark's names of fields.

    Args:
        columns: field -> column, where the user names it.
        notes: gets what is read as what, and how many questions are left out.

    Raises:
        InputError: it is no table, no column holds questions, or answers or queries; or a list of
            answers can be read in two ways.
    """
    problems = Problems()
    sets = _result_sets(path)
    if sets:
        notes.append(
            f"{path.name}: results of queries by their questions' ids, which stand for them"
        )
        yield from sets
        return
    table = _opened(path)
    if table.form is not None and not columns:
        notes.append(f"{path.name}: read as a file of {table.form.tool}")
        fields = ((where, _of_form(row, table.form)) for where, row in table.rows(problems))
    else:
        mapping = _mapping(table, columns)
        notes.append(f"{path.name}: {mapping.in_words()}")
        fields = ((where, _of_columns(row, mapping)) for where, row in table.rows(problems))
    left_out = 0
    elements: list[str] = []
    for number, (where, record) in enumerate(fields, start=1):
        truth = record.get(_ALL)
        if record.get("question") and (truth or record.get("sparql")):
            elements += truth if isinstance(truth, list) else []
            yield where, {"query_id": str(number), **record}
        else:
            left_out += 1
    notes += [f"{path.name}: {sentence}" for sentence in _doubts(elements)]
    notes += [f"{path.name}: {sentence}" for sentence in problems.sentences()]
    if left_out:
        without = count(left_out, "row", "rows")
        notes.append(f"{path.name}: {without} without a question, or an answer or query: left out")


def _result_sets(path: Path) -> list[tuple[str, Mapping[str, object]]]:
    """Returns the questions of a file that holds the results of their queries by id, each as its
    values and how often it has them, as text2sparql publishes them; none of another file."""
    value = None
    if path.suffix.casefold() == ".json":
        value = json_value(path, read_text(path))
    if not isinstance(value, Mapping):
        return []
    sets = {name: part for name, part in value.items() if isinstance(part, Mapping)}
    beside = [part for name, part in value.items() if name not in sets]
    counts = [n for part in sets.values() for n in part.values()]
    are_counts = bool(counts) and all(type(n) is int for n in counts)
    if not are_counts or not all(isinstance(part, list) for part in beside):
        return []
    records: list[tuple[str, Mapping[str, object]]] = []
    for name, part in sets.items():
        truth = _truth(list(part), None, is_any=False) or {_ALL: [], "empty": True}
        records.append((f"{name!r}", {"query_id": name, "question": name, **truth}))
    return records


def _doubts(elements: Sequence[str]) -> Iterator[str]:
    """Yields why an answer may hardly say what a file holds for right."""
    ids = [element for element in elements if _OPAQUE.fullmatch(element)]
    if len(ids) > _MANY * len(elements):
        number = f"{len(ids):,} of {len(elements):,} elements are"
        yield (
            f"{number} ids, as {ids[0]}, which only answers with such ids say; --endpoint or "
            "--store derives the names by the queries"
        )
    sentences = sum(len(element.split()) > _LONG for element in elements)
    if 2 * sentences > len(elements):
        yield (
            "most elements are whole sentences, which rules hardly find in an answer; take a model "
            "(--judge), or a file with short answers"
        )


def _opened(path: Path) -> TableFile:
    """Returns a table, opened; a JSON file with several lists of rows is all of them."""
    try:
        return open_table(path, task=_QUESTIONS)
    except InputError as error:
        if "--rows" not in str(error):
            raise
        return TableFile(path=path)


def _of_form(row: Row, form: ToolForm) -> dict[str, object]:
    """Returns a row of a tool's file under our names."""
    held = form.values_of(row)
    answers = held.get("answer")
    if "separator" in form.settings and isinstance(answers, str):
        answers = answers.split(form.settings["separator"])
    where, _, value = form.settings.get("any", "").partition("=")
    is_any = where == _EACH or (bool(where) and cell_at(row, where) == value)
    parts = {"question": held.get("question"), "category": held.get("topic")}
    parts |= {"query_id": held.get("id"), "sparql": held.get("sparql")}
    record = {name: part for name, part in parts.items() if not is_empty(part)}
    return record | _truth(answers, held.get("aliases"), is_any=is_any)


def _of_columns(row: Row, mapping: TableMapping) -> dict[str, object]:
    """Returns a row under our names, by the columns that hold them."""
    held = {role: value_at(row, mapping.column(role)) for role in mapping.columns}
    held |= {role: row[path] for role in held if (path := mapping.column(role)) in row}
    names = {"question": "question", "category": "category", "sparql": "sparql"}
    names["question_id"] = "query_id"
    record = {names[role]: held[role] for role in names if not is_empty(held.get(role))}
    is_any = not is_empty(held.get(_ANY))
    return record | _truth(held.get(_ANY if is_any else _ALL), held.get("aliases"), is_any=is_any)


def _truth(given: object, more: object, *, is_any: bool) -> dict[str, object]:
    """Returns the ground truth with other names and identifiers of its elements.

    Args:
        more: other names of an only element.
        is_any: whether each of several says the one element that is right.
    """
    elements = [names for names in map(list, _elements(given)) if names]
    if is_any and elements:
        elements = [[name for names in elements for name in names]]
    if len(elements) == 1:
        elements[0] += [name for names in _elements(more) for name in names]
    if not elements:
        return {}
    things = {}
    aliases: dict[str, list[str]] = {}
    for names in elements:
        element, thing = thing_of_iri(names[0])
        if thing is not None:
            things[element] = parts_of(thing)
        others = dict.fromkeys(thing_of_iri(name)[0] for name in names[1:])
        names[0] = element
        if others.keys() - {element}:
            aliases[element] = [name for name in others if name != element]
    record: dict[str, object] = {_ALL: [names[0] for names in elements]}
    if things:
        record[FIELD] = things
    if aliases:
        record["aliases"] = aliases
    return record


def _elements(given: object) -> Iterator[list[str]]:
    """Yields the names of each element of a value: of a list each item, whose own list has several
    names of it; of an object what it calls its value and aliases."""
    value = read_cell(given)
    if isinstance(value, str) and "|" in value:
        value = value.split("|")
    for item in value if isinstance(value, list | tuple) else [value]:
        names = list(_names(item))
        if names:
            yield names


def _names(item: object) -> Iterator[str]:
    """Yields the names of an element."""
    if isinstance(item, Mapping):
        for key in ("value", "text", "answer", "answer_name", "name", "aliases"):
            yield from _names(item.get(key))
    elif isinstance(item, list | tuple):
        for part in item:
            yield from _names(part)
    elif isinstance(item, bool):
        yield str(item).lower()
    elif not is_empty(item) and str(item).strip():
        yield str(item).strip()


def _mapping(table: TableFile, columns: Mapping[str, str]) -> TableMapping:
    """Returns which column of a table holds what."""
    named = Named(columns=columns, option=_OPTION)
    return settled_mapping(table, _TASK, named, _readings, (_check_needed, _check_truth))


def _readings(sample: TableSample, base: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a table: of lists under a name that does not say, both."""
    columns = dict(base.columns)
    held = named_columns(_TASK, sample)
    for role, likely in held.items():
        taken = {path for paths in columns.values() for path in paths}
        free = [column.path for column in likely if column.path not in taken]
        if role not in columns and free:
            columns[role] = (free[0],)
    if _ANY in columns and _ALL in columns and _ANY not in base.columns:
        del columns[_ALL if _ALL not in base.columns else _ANY]
    path = next(iter(columns.get(_ALL, ())), "")
    is_named = _ALL in base.columns or path == _ALL or not _holds_lists(sample, path)
    yield Reading(
        mapping=base.with_columns(columns),
        says=f"all that {path!r} lists is right",
        options=f"{_OPTION} {_ALL}={quote(path)}",
        is_sure=is_named,
    )
    if not is_named:
        del columns[_ALL]
        yield Reading(
            mapping=base.with_columns({**columns, _ANY: (path,)}),
            says=f"any that {path!r} lists says what is right",
            options=f"{_OPTION} {_ANY}={quote(path)}",
        )


def _holds_lists(sample: TableSample, path: str) -> bool:
    """Whether a cell of a column lists several elements."""
    column = sample.columns.get(path)
    return column is not None and any(len(_elements_of(cell)) > 1 for cell in column.filled)


def _check_needed(mapping: TableMapping, sample: TableSample) -> str:
    """A check: there are questions, with answers or queries."""
    lacking = []
    if not mapping.column("question"):
        lacking.append("question")
    if not any(map(mapping.column, (_ALL, _ANY, "sparql"))):
        lacking.append(_ALL)
    if not lacking:
        return ""
    ways = " ".join(f"{_OPTION} {role}=NAME" for role in lacking)
    return (
        f"no column {' and no column '.join(map(repr, lacking))}. Found: "
        f"{first_names(sorted(sample.heads))}. Say which it is: {ways}. A ground truth may be "
        f"{_ALL} (all that a list has is right), {_ANY} (any of it is) or sparql."
    )


def _check_truth(mapping: TableMapping, sample: TableSample) -> str:
    """A check: the cells of a ground truth hold texts, or objects that name theirs."""
    role = _ANY if mapping.column(_ANY) else _ALL
    path = mapping.column(role)
    column = sample.columns.get(path)
    if column is None or not column.filled or any(map(_elements_of, column.filled)):
        return ""
    parts = [name for name in sample.columns if name.startswith(f"{path}.")]
    ways = (
        "; ".join(f"{_OPTION} {role}={quote(part)}" for part in parts) or f"{_OPTION} {role}=NAME"
    )
    return f"{path!r} holds objects. Say which part of them is the ground truth: {ways}."


def _elements_of(cell: object) -> list[list[str]]:
    """Returns the elements of a cell, see `_elements`."""
    return list(_elements(cell))


def is_of_others(fields: Sequence[str], own: Collection[str]) -> bool:
    """Whether the fields of a file are none of factmark's own benchmarks: they hold no ground truth
    by its name and no query, but one by another name, or neither id nor question.

    Args:
        own: the names that ids and questions have in factmark's own.
    """
    known = {*role_names(_TASK)[_ALL], *role_names(_TASK)[_ANY]}
    if not fields or {_ALL, "sparql", "ground_truth_sparql"} & set(fields):
        return False
    return bool(known & set(map(folded, fields))) or not set(own) & set(fields)
