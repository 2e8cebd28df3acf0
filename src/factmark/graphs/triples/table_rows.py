"""Rows of a table of edges as triples: names in the place of ids, descriptions in the place of
relations, and the texts that rows name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from factmark.files.nested import cell_at, unfold_noting_empty
from factmark.files.own_columns import columns_beside, is_foreign, json_safe
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.files.text_files import LONGEST, without_surrogates
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.iri_names import readable_name, readable_relation
from factmark.graphs.triples.cells import NEEDED, name_and_id, parts_of, why_no_triple
from factmark.graphs.triples.edges import (
    RELATED,
    SEPARATOR,
    check_number,
    check_texts,
    find_passage,
    ids_of,
    relations_and_statement,
    strip_quotes,
    take_description,
)
from factmark.graphs.triples.nodes.label_rows import is_label, key_of
from factmark.graphs.triples.nodes.node_names import NodeNames
from factmark.intake.columns import is_empty
from factmark.passages.passage_file import Passages

OF_EDGES = ("statement", "keywords")  # what may stand in place of a relation
_NO_TERM = ("sssom:NoTermFound", "sssom/NoTermFound")
_TEXTS = (*NEEDED, "passage")
_PLAIN = (*_TEXTS, "passage_id", "id", "head_id", "tail_id")
_PLAIN_CELLS = frozenset((str, int, float, bool, type(None)))
_OF_MAPPINGS = ("predicate_modifier", "subject_id", "object_id")  # see `_no_claim`
_NOTHING = "NULL"  # what databases write for an empty cell, and the GraphMERT scripts take for one
_NAME_SIGNS = (":", '"', "<", "/c/", "'@")  # in IRIs and what is read as they are
_LOOKED_AT_TWICE = (*_NAME_SIGNS, "\0", _NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndNaming:
    """How ends get their names: by a table of nodes, and by how a known set writes them.

    Attributes:
        joins_ids: whether an id is a list, as `["Gene", 9021]`.
        is_described: whether descriptions may stand in place of relations. Tools that write these
            have left quotes around names.
        ids: of nodes by their names, where a tool keeps them.
    """

    names: NodeNames
    has_names: bool = False
    read: Callable[[str], tuple[str, str]] | None = None
    joins_ids: bool = False
    is_described: bool = False
    ids: Passages | None = None

    @property
    def is_plain(self) -> bool:
        """Whether ends are names as they stand."""
        return not (self.has_names or self.is_described) and self.read is None

    def give(self, texts: dict[str, Any]) -> None:
        """Puts names in the place of ids among the texts of a triple."""
        for end in ("head", "tail"):
            text = texts[end]
            name, node = self.names.get(text) or "", text
            if not name and self.read is not None:
                name, node = self.read(text)
            if not name and self.is_described:
                name = strip_quotes(text)
                node = (self.ids.get(text) or "") if self.ids is not None else ""
                node = node or (text if name != text else "")
            if name:
                texts[end] = name
                texts[f"{end}_id"] = texts.get(f"{end}_id") or node
        texts["relation"] = self.names.get(texts["relation"]) or texts["relation"]


class TripleReader:
    """Reads rows of a table; reports those that make no triple."""

    def __init__(
        self,
        columns: Mapping[str, str],
        problems: Problems,
        stores: Sequence[Passages],
        naming: EndNaming,
    ) -> None:
        self.columns = columns
        self._problems = problems
        self._stores = stores
        self._naming = naming
        self.joins_ids = naming.joins_ids
        # What the results name by itself does not pass through a second time.
        self._read = {column for field, column in columns.items() if field in _TEXTS}
        self._read |= {column for field, column in columns.items() if field == column}
        self._foreign = [field for field in columns if is_foreign(field)]
        self._of_triple = {columns.get(field) for field in (*NEEDED, "triple")}

    def names_of_several(self, header: Sequence[str]) -> list[str]:
        """Returns the columns that are read and whose name another one has, too."""
        again = {name.removesuffix(" (2)") for name in header if name.endswith(" (2)")}
        return sorted(again & set(self.columns.values()))

    def triples(self, where: str, row: Row) -> Iterator[Triple]:
        """Yields the triple of a row, or of a part of one that was unfolded; of an edge that a
        description stands on, one for each relation that it names."""
        triple = self.triple(where, row)
        if triple is None:
            return
        relations: tuple[str, ...] = (triple.relation,)
        statement = ""
        if triple.statement:
            relations, statement = relations_and_statement(
                triple.statement, triple.head, triple.tail
            )
            if relations == (RELATED,) and not statement:
                relations = (triple.relation,)
                self._note_without_words(where, triple.relation)
        sources = self._several_sources(row)
        if sources is None or triple.passage is not None:
            sources = (triple.passage_id,)
        for source in sources or ("",):
            passage = triple.passage
            if source != triple.passage_id:
                passage = find_passage(source, self._stores, where, self._problems)
            from_source = replace(triple, statement=statement, passage_id=source, passage=passage)
            for relation in relations:
                yield replace(from_source, relation=relation)

    def _note_without_words(self, where: str, relation: object) -> None:
        """Notes an edge of which nothing is said."""
        if relation == RELATED:
            self._problems.note("edge without words", where, f"it reads as {RELATED}")

    def _description(self, where: str, fields: dict[str, Any]) -> str:
        """Returns the description of an edge where it stands in place of a relation, see
        `take_description`; notes an edge that has nothing of all that."""
        is_named = bool(fields.get("relation"))
        description = take_description(fields)
        if not (is_named or description) and "relation" in fields:
            self._note_without_words(where, fields["relation"])
        return description

    def _several_sources(self, row: Row) -> tuple[str, ...] | None:
        """Returns the ids of passages where a row may name several; None where it names one."""
        cell = cell_at(row, self.columns.get("passage_id", ""))
        is_list = isinstance(cell, list | tuple) or (isinstance(cell, str) and SEPARATOR in cell)
        return ids_of(cell) if is_list or self._naming.is_described else None

    def triple(self, where: str, row: Row) -> Triple | None:
        """Returns the triple of a row, or of a part of one that was unfolded; None without one."""
        problems = self._problems
        fields = {}
        for field, column in self.columns.items():
            fields[field] = row[column] if column in row else cell_at(row, column)
        description = self._description(where, fields)
        if self._several_sources(row) is not None and "passage_id" in fields:
            fields["passage_id"] = ""
        verdicts = {field: json_safe(fields.pop(field)) for field in self._foreign}
        cell = fields.pop("triple", None)
        if cell is None and row.keys() == {"id", "value"}:  # of an object of lists by id
            cell = row["value"]
        if cell is not None and not all(fields.get(field) for field in NEEDED):
            parts = parts_of(cell)
            if parts is None:
                problems.drop("no triple in the cell", where, why_no_triple(cell))
                return None
            fields |= dict(zip(NEEDED, parts, strict=True))
        why = _no_claim(row) or self._no_edge(fields)
        if why:
            problems.drop(why, where)
            return None
        self._name_objects(fields)
        texts = _texts_of_fields(where, fields, problems, self._stores)
        if texts is None:
            return None
        given = [texts[field] for field in NEEDED]
        if not self._naming.is_plain:
            self._naming.give(texts)
        # IRIs that were read as names pass through as they are.
        if _read_names(texts) or given != [texts[field] for field in NEEDED]:
            read = self._read - self._of_triple
        else:
            read = self._read
        given_beside = columns_beside(row, read) | verdicts
        return Triple(where=where, given=given_beside, statement=description, **texts)

    def _name_objects(self, fields: dict[str, Any]) -> None:
        """Puts texts in the place of parts that are objects, or ids of several parts."""
        for part in NEEDED:
            held = fields.get(part)
            if isinstance(held, Mapping):
                fields[part], node = name_and_id(held, part)
                if part != "relation":
                    fields[f"{part}_id"] = fields.get(f"{part}_id") or node
            elif isinstance(held, list | tuple) and self.joins_ids and part != "relation":
                fields[part] = key_of(held)

    def _no_edge(self, fields: Mapping[str, object]) -> str:
        """Returns why a row among edges is none; empty where it is one, or should be."""
        ends = [fields.get(end) for end in ("head", "tail", "head_id", "tail_id")]
        if self._naming.has_names and all(map(is_empty, ends)):
            return "a node, which makes no triple"
        if self._naming.has_names and is_label(fields.get("relation")):
            return "a name of a node, which makes no triple"
        return ""

    def plain_cells(self, header: Sequence[str]) -> Callable[[str, list[str]], Triple | None]:
        """Returns what makes a triple of cells of ASCII in which nothing has to be looked at twice,
        as in most rows of most tables; it returns None for any other row."""
        places = {name: place for place, name in enumerate(header)}
        columns = self.columns
        special = "triple" in columns or "predicate_modifier" in places or bool(self._foreign)
        special = special or not self._naming.is_plain
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
        columns = self.columns
        is_special = bool(self._foreign) or not self._naming.is_plain
        if is_special or any("." in column for column in columns.values()):
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


def unfolded(
    where: str, row: Row, reader: TripleReader, problems: Problems
) -> Iterator[tuple[str, Row]]:
    """Yields a row, or one for each item of the list that its columns go through; an empty list is
    noted."""
    columns = reader.columns
    each = []
    for field in NEEDED:
        if field in columns and not reader.joins_ids:
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
