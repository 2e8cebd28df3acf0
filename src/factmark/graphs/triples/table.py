"""Triples from tables: a triple a row, or in the lists and objects that a row holds."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.arrow_files import ARROW
from factmark.files.nested import cell_at, nested_column, paths_of, unfold_noting_empty
from factmark.files.own_columns import columns_beside, is_foreign, json_safe, likely_column
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, Row, first_row, header_of, read_rows
from factmark.files.separated import DELIMITERS, row_of_cells, table_cells
from factmark.files.text_files import LONGEST, without_surrogates
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.iri_names import readable_name, readable_relation, without_quotes
from factmark.graphs.triples.edges import check_number, check_texts, find_passage
from factmark.graphs.triples.graphrag import is_graphrag, read_graphrag
from factmark.passages.passage_file import Passages
from factmark.text.shown_text import first_names

USUAL: Mapping[str, tuple[str, ...]] = {
    field: tuple(names.split())
    for field, names in {
        "head": "head_name head subject source h s entity1 head_entity subject_label subject_id",
        "relation": "relation_name relation predicate rel property r p relation_type "
        "relationship predicate_label predicate_id",
        "tail": "tail_name tail object target t o entity2 tail_entity tails object_label object_id",
        "triple": "triple triplet triples triplets",
        "passage": "passage text context sentence evidence abstract sequence",
        "passage_id": "passage_id pmid doc_id document_id context_id sequence_id",
        "confidence": "confidence score probability similarity similarity_score",
        "id": "id triple_id fact_id claim_id edge_id row_id",
        "head_id": "head_id subject_id head_cui",
        "tail_id": "tail_id object_id tail_cui",
    }.items()
}
"""Field -> the columns that it is looked for in, the first that is there."""
NEEDED = ("head", "relation", "tail")
_NO_TERM = ("sssom:NoTermFound", "sssom/NoTermFound")
_TEXTS = (*NEEDED, "passage")
_PLAIN = (*_TEXTS, "passage_id", "id", "head_id", "tail_id")
_PLAIN_CELLS = frozenset((str, int, float, bool, type(None)))
_OF_MAPPINGS = ("predicate_modifier", "subject_id", "object_id")  # see `_no_claim`
_LOOKALIKES = {
    "head": ("sub", "head", "src", "from", "start", "arg1", "lhs", "source"),
    "relation": ("rel", "pred", "verb", "prop", "präd", "edge", "link"),
    "tail": ("obj", "tail", "tgt", "dst", "end", "arg2", "rhs", "target", "to"),
}
_NOTHING = "NULL"  # what databases write for an empty cell, and the GraphMERT scripts take for one
_NAME_SIGNS = (":", '"', "<")  # in IRIs and what is read as they are
_LOOKED_AT_TWICE = (*_NAME_SIGNS, "\0", _NOTHING)
_LONGEST_CELL = 20_000
_ARROWS = re.compile(r"\s*-+\s*\[\s*:?(?P<relation>[^\]]+?)\s*\]\s*-+>\s*")
_SIGNS = ("|", "\t", "->", "→", ";", ",")
_PAIRS = {"(": ")", "[": "]", "<": ">", "{": "}"}


def read_table(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Iterator[Triple]:
    """Yields the triples of a table, one by one, with their other columns.

    Args: as `read_triples`.

    Raises:
        InputError: for a file that cannot be read at all, or without the needed columns.
    """
    columns = columns or {}
    if path.suffix.casefold() in (*OBJECTS, ARROW) or path.is_dir():
        first = first_row(path, encoding)
    else:
        first = dict.fromkeys(header_of(path, encoding))
    names = {name.casefold() for name in first}
    if not columns and is_graphrag(names) and not names & {*USUAL["relation"], *USUAL["triple"]}:
        return read_graphrag(path, problems, passages=passages, encoding=encoding)
    if path.suffix.casefold() == ".parquet" and not _has_needed(_columns_of(first, columns)):
        first = {**first, **first_row(path, encoding)}
    fields = _fields(path, first, columns)
    stores = []
    if passages is not None:
        stores = [passages]
    rows = _read_rows(path, problems, fields, stores, encoding)
    return _or_say_what_it_holds(rows, path, first, fields)


def _or_say_what_it_holds(
    triples: Iterator[Triple], path: Path, first: Row, columns: Mapping[str, str]
) -> Iterator[Triple]:
    """Yields the triples; raises InputError at the end where there was none and objects have other
    fields than the needed ones."""
    n_triples = 0
    for triple in triples:
        n_triples += 1
        yield triple
    if not n_triples and first:
        known = {*first, *paths_of(first)}
        missing = []
        for field in NEEDED:
            if columns.get(field) not in known:
                missing.append(field)
        if missing and columns.get("triple") not in known:
            raise _no_column_error(path, first, missing, columns.get(missing[0], missing[0]))


def _fields(path: Path, first: Row, wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns field -> column, from the first row; JSON Lines may add optional fields later on."""
    loose = path.suffix.casefold() in OBJECTS
    columns = _columns_of(first, wanted)
    for field, column in wanted.items():
        if columns.get(field) is None and not loose:
            raise _no_column_error(path, first, [field], column)
    unseen = {"triple", *NEEDED} & wanted.keys() - columns.keys()
    if not _has_needed(columns) and not unseen:
        columns |= _nested_columns(first, wanted)
    missing = []
    if "triple" not in columns:
        missing = [field for field in NEEDED if field not in columns]
    if missing and not loose:
        raise _no_column_error(path, first, missing, missing[0])
    if loose:
        for field, usual in USUAL.items():
            columns.setdefault(field, wanted.get(field) or (field if field in usual else usual[0]))
    by_name = {}
    for name in first:
        by_name[str(name).casefold()] = str(name)
    for side in ("head", "tail"):
        # Where a column of names stands beside one that is called just `head`, that has the ids.
        if columns.get(side, "").casefold() == f"{side}_name" and side in by_name:
            columns.setdefault(f"{side}_id", by_name[side])
    return columns


def _columns_of(first: Row, wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns field -> column for what the options and the usual names find in the first row; a
    path begins with the name of a column."""
    by_name = {}
    for name in first:
        by_name[str(name).casefold()] = str(name)
    columns: dict[str, str] = {}
    for field, usual in USUAL.items():
        names: tuple[str, ...]
        if field in wanted:
            names = (wanted[field],)
        else:
            names = usual
        column = next((by_name[n.casefold()] for n in names if n.casefold() in by_name), None)
        if column is None and field in wanted and wanted[field].split(".")[0] in first:
            column = wanted[field]
        if column is not None:
            columns[field] = column
    return columns | {field: column for field, column in wanted.items() if is_foreign(field)}


def _nested_columns(first: Row, wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns field -> path for the triple, or its three parts, that stand within objects or lists
    under usual names; empty if they do not."""
    path = nested_column(first, USUAL["triple"])
    if path:
        return {"triple": wanted.get("triple", path)}
    paths = {}
    for field in NEEDED:
        paths[field] = wanted.get(field) or nested_column(first, USUAL[field])
    if all(paths.values()):
        return paths
    return {}


def _has_needed(columns: Mapping[str, str]) -> bool:
    """Whether there are columns for a triple."""
    return "triple" in columns or all(field in columns for field in NEEDED)


def _no_column_error(path: Path, first: Row, fields: Sequence[str], column: str) -> InputError:
    """Returns the error for missing columns, to be raised: what there is, and the options that
    would read it, with the columns that look like the fields."""
    held = paths_of(first)
    names = first_names(held)
    triple = next((name for name, cell in held.items() if parts_of(cell) is not None), "")
    options = " ".join(
        f"--column {field}={likely_column(_LOOKALIKES.get(field, ()), held)}" for field in fields
    )
    if triple and set(fields) & {*NEEDED}:
        options = f"--column triple={triple}"
    usual = next((name for name in held if name.casefold() in USUAL.get(fields[0], ())), "")
    if usual and len(fields) == 1:
        return InputError(
            f"{path}, line 1: no column {column!r} for the {fields[0]}. Found: {names}. Without "
            f"--column {fields[0]}={column} the column {usual!r} is read."
        )
    return InputError(
        f"{path}, line 1: no column {column!r} for the {fields[0]}. Found: {names}. "
        f"Say which it is, for example {options}."
    )


def _read_rows(
    path: Path,
    problems: Problems,
    columns: Mapping[str, str],
    stores: Sequence[Passages],
    encoding: str,
) -> Iterator[Triple]:
    """Yields the triples of a table with their other columns; rows that cannot be used are
    reported."""
    reader = _TripleReader(columns, problems, stores)
    if path.suffix.casefold() in DELIMITERS:
        header, rows = table_cells(path, problems, encoding)
        for name in sorted({name for name in columns.values() if header.count(name) > 1}):
            problems.note("several columns of one name", "header", f"of {name!r} the last is read")
        plain = reader.plain_cells(header)
        for where, cells in rows:
            triple = plain(where, cells) or reader.triple(where, row_of_cells(header, cells))
            if triple is not None:
                yield triple
        return
    plain_row = reader.plain_rows()
    for where, row in read_rows(path, problems, encoding):
        triple = plain_row(where, row)
        if triple is not None:
            yield triple
            continue
        for place, part in _unfolded(where, row, columns, problems):
            triple = reader.triple(place, part)
            if triple is not None:
                yield triple


class _TripleReader:
    """Reads rows of a table; reports those that make no triple."""

    def __init__(
        self, columns: Mapping[str, str], problems: Problems, stores: Sequence[Passages]
    ) -> None:
        self._columns = columns
        self._problems = problems
        self._stores = stores
        # What the results name by itself does not pass through a second time.
        self._read = {column for field, column in columns.items() if field in _TEXTS}
        self._read |= {column for field, column in columns.items() if field == column}
        self._foreign = [field for field in columns if is_foreign(field)]
        self._of_triple = {columns.get(field) for field in (*NEEDED, "triple")}

    def triple(self, where: str, row: Row) -> Triple | None:
        """Returns the triple of a row, or of a part of one that was unfolded; None without one."""
        problems = self._problems
        fields = {}
        for field, column in self._columns.items():
            fields[field] = row[column] if column in row else cell_at(row, column)
        verdicts = {field: json_safe(fields.pop(field)) for field in self._foreign}
        cell = fields.pop("triple", None)
        if cell is None and row.keys() == {"id", "value"}:  # of an object of lists by id
            cell = row["value"]
        if cell is not None and not all(fields.get(field) for field in NEEDED):
            parts = parts_of(cell)
            if parts is None:
                problems.drop("no triple in the cell", where, _why_no_triple(cell))
                return None
            fields |= dict(zip(NEEDED, parts, strict=True))
        why = _no_claim(row)
        if why:
            problems.drop(why, where)
            return None
        texts = _texts_of_fields(where, fields, problems, self._stores)
        if texts is None:
            return None
        # IRIs that were read as names pass through as they are.
        if _read_names(texts):
            read = self._read - self._of_triple
        else:
            read = self._read
        return Triple(where=where, given=columns_beside(row, read) | verdicts, **texts)

    def plain_cells(self, header: Sequence[str]) -> Callable[[str, list[str]], Triple | None]:
        """Returns what makes a triple of cells of ASCII in which nothing has to be looked at twice,
        as in most rows of most tables; it returns None for any other row."""
        places = {name: place for place, name in enumerate(header)}
        columns = self._columns
        special = "triple" in columns or "predicate_modifier" in places or bool(self._foreign)
        if special or not {*NEEDED} <= columns.keys() or not {*columns.values()} <= places.keys():
            return lambda where, cells: None
        # A field without a column has the empty cell that is put behind the others.
        fields = ("confidence", *_PLAIN)
        in_order = []
        for f in fields:
            in_order.append(places[columns[f]] if f in columns else len(header))
        cells_of = itemgetter(*in_order)
        beside = []
        for name, at in places.items():
            if name and name not in self._read:
                beside.append((name, at))

        def plain_triple(where: str, cells: list[str]) -> Triple | None:
            number, *texts = [cell.strip() for cell in cells_of([*cells, ""])]
            if self._is_plain(texts):
                given = {column: without_surrogates(cells[at]) for column, at in beside}
                return self._plain_triple(where, texts, number, given)
            return None

        return plain_triple

    def plain_rows(self) -> Callable[[str, Row], Triple | None]:
        """Returns what `plain_cells` does for rows of JSON and Parquet, whose cells are texts and
        numbers."""
        columns = self._columns
        if self._foreign or any("." in column for column in columns.values()):
            return lambda where, row: None
        named = [columns.get(field, "") for field in _PLAIN]
        triple = columns.get("triple", "")
        confidence = columns.get("confidence", "")
        read = self._read

        def plain_triple(where: str, row: Row) -> Triple | None:
            if not _PLAIN_CELLS.issuperset(map(type, row.values())) or triple in row:
                return None
            cells = [row.get(column) for column in named]
            texts = []
            for cell in cells:
                texts.append(cell.strip() if type(cell) is str else _text_of(cell))
            if not self._is_plain(texts) or any(map(row.__contains__, _OF_MAPPINGS)):
                return None
            given = {}
            if row.keys() - read:
                given = columns_beside(row, read)
            return self._plain_triple(where, texts, row.get(confidence), given)

        return plain_triple

    def _is_plain(self, texts: Sequence[str]) -> bool:
        """Whether texts in the order of `_PLAIN` make a triple and can be taken as they are."""
        whole = "".join(texts)
        is_whole = all(texts[:3]) and whole.isascii() and len(whole) <= LONGEST
        return is_whole and not any(map(whole.__contains__, _LOOKED_AT_TWICE))

    def _plain_triple(
        self, where: str, texts: Sequence[str], number: object, given: Mapping[str, object]
    ) -> Triple:
        """Returns the triple that texts in the order of `_PLAIN` make."""
        head, relation, tail, passage, passage_id, name, head_id, tail_id = texts
        text = passage or None
        if text is None and passage_id:
            text = find_passage(passage_id, self._stores, where, self._problems)
        confidence = None
        if number is not None:
            confidence = check_number(number, where, self._problems)
        return Triple(
            *(head, relation, tail, text, passage_id, confidence, name, where),
            *(head_id, tail_id, "", given),
        )


def _text_of(cell: object) -> str:
    """Returns a whole number as a text, nothing for None, and for any other cell what has to be
    looked at twice."""
    if cell is None:
        return ""
    if type(cell) is int:
        return str(cell)
    return _NOTHING


def _no_claim(row: Row) -> str:
    """Returns why a row of SSSOM makes no claim; empty if it makes one, or is of another kind."""
    if str(row.get("predicate_modifier") or "").casefold() == "not":
        return "a negated mapping, which makes no claim"
    ends = (str(row.get(column) or "") for column in ("subject_id", "object_id"))
    if any(end.endswith(_NO_TERM) for end in ends):
        return "a term without a match, which makes no claim"
    return ""


def _unfolded(
    where: str, row: Row, columns: Mapping[str, str], problems: Problems
) -> Iterator[tuple[str, Row]]:
    """Yields a row, or one for each item of the list that its columns go through; an empty list is
    noted."""
    each = []
    for field in NEEDED:
        if field in columns:
            each.append(columns[field])
    parts = []
    if "triple" in columns:
        parts = [columns["triple"]]
    return unfold_noting_empty(
        where,
        row,
        list(columns.values()),
        problems,
        "an empty list, which gives no triple",
        each=each,
        parts=parts,
    )


def _texts_of_fields(
    where: str, fields: dict[str, Any], problems: Problems, stores: Sequence[Passages]
) -> dict[str, Any] | None:
    """Returns the fields of a triple; reports the row and returns None if it cannot be used."""
    if _NOTHING in fields.values():
        fields = {field: value for field, value in fields.items() if value != _NOTHING}
    for side in ("head", "tail"):
        if fields.get(side) in (None, ""):
            fields[side] = fields.get(f"{side}_id")
    confidence = fields.pop("confidence", None)
    texts: dict[str, Any] | None = check_texts(fields, where, problems, NEEDED)
    if texts is None:
        return None
    texts["confidence"] = confidence
    _find_passage(texts, where, problems, stores)
    return texts


def _find_passage(
    texts: dict[str, Any], where: str, problems: Problems, stores: Sequence[Passages]
) -> None:
    """Puts the text of the passage that a row names, and its confidence as a number, among its
    fields; reports what is none."""
    passage: str | None = texts.get("passage") or None
    if passage is None and (name := texts.get("passage_id")):
        passage = find_passage(name, stores, where, problems)
    texts["passage"] = passage
    texts["confidence"] = check_number(texts.get("confidence"), where, problems)


def _read_names(texts: dict[str, Any]) -> bool:
    """Puts names in the place of IRIs, which become the nodes' ids; returns whether there were
    any."""
    given = [texts[field] for field in NEEDED]
    whole = " ".join(given)
    if not any(sign in whole for sign in _NAME_SIGNS):
        return False
    for side in ("head", "tail"):
        own, iri = readable_name(texts[side])
        texts[side] = own or texts[side]
        texts[f"{side}_id"] = texts.get(f"{side}_id") or iri
    texts["relation"] = readable_relation(texts["relation"])
    return given != [texts[field] for field in NEEDED]


def parts_of(cell: object) -> tuple[str, str, str] | None:
    """Returns head, relation and tail of a cell; None if it does not have three parts for certain.

    Read are lists, objects with usual names, `["a", "r", "b"]`, `('a', 'r', 'b')`, `(a, r, b)`,
    `a | r | b`, `a -> r -> b`, `a -[r]-> b`, and with semicolons or tabs. A sign that also stands
    within a part makes more than three of them, and nothing is guessed.

    >>> parts_of("(insulin, treats, diabetes)")
    ('insulin', 'treats', 'diabetes')
    >>> parts_of("insulin, treats, diabetes, type 1") is None
    True
    """
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return _three_texts(cell)
    if isinstance(cell, Mapping):
        columns = _columns_of(cell, {})
        named = {"relation": next((name for name in ("type", "label") if name in cell), "")}
        return _three_texts([cell.get({**named, **columns}.get(field, "")) for field in NEEDED])
    if not isinstance(cell, str) or len(cell) > _LONGEST_CELL:
        return None
    text = cell.strip()
    if text[:1] in ("(", "[") and (parts := _parse_literal(text)) is not None:
        return _three_texts(parts)
    arrow = _ARROWS.search(text)
    if arrow is not None:
        return _three_texts((text[: arrow.start()], arrow["relation"], text[arrow.end() :]))
    text = _without_brackets(text)
    sign = next((sign for sign in _SIGNS if sign in text), None)
    if sign is None:
        return None
    return _three_texts(text.split(sign))


def _why_no_triple(cell: object) -> str:
    """Returns a cell that has no triple, and of a list what is wrong with it.

    >>> _why_no_triple(["x", "treats", 5])
    "part 3 is no text: ['x', 'treats', 5]"
    """
    if not isinstance(cell, list | tuple):
        return f"{str(cell)[:80]!r}"
    texts = []
    for part in cell:
        texts.append(isinstance(part, str) and bool(part.strip()))
    shown = repr(cell)[:80]
    if len(cell) != len(NEEDED):
        return f"{len(cell)} parts in place of three: {shown}"
    if all(texts):
        return shown
    return f"part {texts.index(False) + 1} is no text: {shown}"


def _parse_literal(text: str) -> Sequence[object] | None:
    """Returns the list that a text is in JSON or in Python; None if it is none. No code is run."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(value, list | tuple):
            return value
        return None
    return None


def _three_texts(parts: Sequence[object]) -> tuple[str, str, str] | None:
    """Returns three parts without blanks and quotes around them; None if there are not three
    texts."""
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        return None
    head, relation, tail = (without_quotes(str(part)) for part in parts)
    if head and relation and tail:
        return (head, relation, tail)
    return None


def _without_brackets(text: str) -> str:
    """Returns a text without the brackets around the whole of it."""
    closing = _PAIRS.get(text[:1])
    if closing is None or not text.endswith(closing):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == text[0]) - (letter == closing)
        if depth == 0:
            if place == len(text) - 1:
                return text[1:-1].strip()
            return text
    return text
