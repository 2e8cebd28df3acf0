"""Tables of claims or responses as rows: files of any form, answers that were scored, summaries of
a campaign. What people and other programs' judges said of them is read as the field writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from factmark.claim_support.core.claim_rows import ClaimRow
from factmark.claim_support.options import ClaimsOptions
from factmark.errors import InputError
from factmark.evaluated.words import field_label, known_labels
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.nested import cell_at, nested_column, paths_of, unfold_noting_empty
from factmark.files.own_columns import FOREIGN, columns_beside, foreign_columns, is_foreign
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, TABLES, Row, read_rows, unknown_ending
from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.core.iri_names import readable_name, readable_relation, without_quotes
from factmark.graphs.triples.edges import check_texts
from factmark.label_values import SUPPORT_LABELS
from factmark.ledger.campaigns import pairs_of_kind
from factmark.ledger.ledger import open_existing
from factmark.ledger.rows import file_name
from factmark.model import Verdict
from factmark.passages.passage_file import Passages, read_passages
from factmark.replies.no_answer import why_no_answer
from factmark.stats.sampling import simple_random
from factmark.text.shown_text import first_names
from factmark.text.words import says_nothing

FIELDS: Mapping[str, tuple[str, ...]] = {
    "claim": ("claim", "statement", "hypothesis", "fact", "triplet", "triple"),
    "response": ("response", "answer", "summary", "output", "generation"),
    "passage": ("passage", "evidence", "doc", "document", "context", "reference", "premise"),
    "passage_id": ("passage_id", "doc_id", "evidence_id", "pmid"),
    "id": ("id", "claim_id", "uid"),
    "cluster": ("cluster", "group", "query_id"),
    "system": ("system", "model"),
    "label": ("label", "human_label", "gold_label", "gold"),
    **{part: (part,) for part in ("head", "relation", "tail")},
}
"""Field -> the columns that it is looked for in, the first that is there."""
_TRIPLE = ("head", "relation", "tail")
_ANSWERS = "rows.csv"  # in a folder of results


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTable:
    """A table that was read.

    Attributes:
        name: of its file, for people.
        source: the same with its folder, for the ledger.
        rows: those to judge, all or a sample, in their order.
        are_responses: whether they are still to be cut into claims.
        judges: foreign judges, by the columns `verdict:NAME`.
        size: how many rows the table has that can be used.
    """

    name: str
    source: str
    rows: tuple[ClaimRow, ...]
    are_responses: bool
    judges: tuple[str, ...]
    size: int


def read_claims(given: ClaimsOptions, problems: Problems) -> ClaimTable:
    """Returns the rows of a table, with the passages that they name; rows that cannot be used are
    counted in `problems`.

    Raises:
        InputError: there is no such table, it has neither claims nor responses that `--split` cuts,
            or a label is none of the field's.
    """
    path, rows = _rows_of(given, problems)
    kept: list[ClaimRow] = []
    reader: _RowReader | None = None
    times: Counter[str] = Counter()  # the names of rows are cut, and may be alike then
    texts = given.passages
    opened: Passages | nullcontext[None]
    if texts:
        opened = read_passages(texts, problems, encoding=given.encoding)
    else:
        opened = nullcontext()
    with opened as passages:
        for where, row in rows:
            times[where] += 1
            if times[where] != 1:
                where = f"{where} ({times[where]})"
            reader = reader or _RowReader(given, path, row, passages, problems)
            kept += reader.claim_rows(where, row)
    chosen = kept
    if given.limit is not None and given.limit < len(kept):
        drawn = set(simple_random([r.place for r in kept], given.limit, seed=given.seed).keys)
        chosen = [row for row in kept if row.place in drawn]
    return ClaimTable(
        name=path.name,
        source=file_name(path),
        rows=tuple(chosen),
        are_responses=reader is not None and reader.text_field == "response",
        judges=tuple(dict.fromkeys(name for row in kept for name in row.foreign)),
        size=len(kept),
    )


def _rows_of(given: ClaimsOptions, problems: Problems) -> tuple[Path, Iterator[tuple[str, Row]]]:
    """Returns the file that is read, and its rows: a table, the answers of a folder of results, the
    summaries in a ledger."""
    path = given.claims
    if path.suffix.casefold() in (".db", ".sqlite"):
        return path, _summaries(path)
    if path.is_dir() and not is_arrow_folder(path):
        path /= _ANSWERS
        if not path.is_file():
            raise InputError(f"{given.claims}: holds no scored answers ({_ANSWERS}). Name a file.")
    if path.suffix.casefold() not in TABLES and not is_arrow_folder(path):
        raise unknown_ending(path, TABLES, ", and is no folder of results and no ledger (.db)")
    return path, read_rows(path, problems, given.encoding)


def _summaries(path: Path) -> Iterator[tuple[str, Row]]:
    """Yields the summaries of the campaigns in a ledger as rows of a table."""
    with open_existing(path, read_only=True) as ledger:
        pairs = pairs_of_kind(ledger, "summary")
    if not pairs:
        raise InputError(f"{path}: holds no summaries. Of answers name the folder of results.")
    for number, (item, unit) in enumerate(pairs, start=1):
        row = {"id": unit.id, "cluster": item.cluster, "system": unit.data.get("system")}
        passage = item.data.get("source")
        yield f"summary {number}", row | {"response": unit.text, "passage": passage}


class _RowReader:
    """Reads rows of one table; which columns hold what is decided by the first row."""

    def __init__(
        self,
        given: ClaimsOptions,
        path: Path,
        first: Row,
        passages: Passages | None,
        problems: Problems,
    ) -> None:
        self._path = path
        self._passages = passages
        self._problems = problems
        self._is_loose = path.suffix.casefold() in OBJECTS
        named = given.columns
        self._judges = foreign_columns(first, named)
        self._check_named(named, first)
        by_name = {}
        for name in first:
            by_name[str(name).casefold().replace(" ", "_")] = str(name)
        usual = ((field, [n for n in names if n in by_name]) for field, names in FIELDS.items())
        columns = named | {field: by_name[names[0]] for field, names in usual if names} | named
        is_sought = not (given.split or "claim" in columns or named.keys() & {*_TRIPLE})
        if is_sought and (within := nested_column(first, FIELDS["claim"])):
            columns["claim"] = within
            columns.setdefault("label", nested_column(first, FIELDS["label"]))
        self._columns = {field: column for field, column in columns.items() if column}
        self.text_field = self._text_field(given, first)
        # What the results name by itself does not pass through a second time.
        is_text = isinstance(cell_at(first, columns.get("claim", "")), str)
        named_ours: tuple[str, str] | tuple[str]
        if is_text:
            named_ours = ("claim", "passage")
        else:
            named_ours = ("passage",)
        self._read = {columns[field] for field in named_ours if field in columns}

    def _check_named(self, named: Mapping[str, str], first: Row) -> None:
        """Raises InputError for an option that names no field, or no column of the table."""
        for field, column in named.items():
            if field not in FIELDS and not is_foreign(field):
                raise InputError(
                    f"--column {field}: no such field. There are {', '.join(FIELDS)} and "
                    "verdict:NAME."
                )
            if not (self._is_loose or column in first or column.split(".")[0] in first):
                raise InputError(
                    f"{self._path}, line 1: no column {column!r} for the {field}. Found: "
                    f"{', '.join(map(str, first))}."
                )

    def _text_field(self, given: ClaimsOptions, first: Row) -> str:
        """Returns whether the rows hold claims, triples or responses."""
        if given.split and "response" in self._columns:
            return "response"
        if "claim" in self._columns:
            return "claim"
        if all(name in self._columns for name in _TRIPLE):
            return "head"
        if "response" in self._columns:
            raise InputError(
                f"{self._path}: holds responses ({self._columns['response']!r}) and no claims. "
                "--split MODEL has a model cut them into claims, --split sentences takes each "
                "sentence."
            )
        held = paths_of(first)
        texts = (n for n, cell in held.items() if isinstance(cell, str) and cell.count(" ") > 1)
        raise InputError(
            f"{self._path}: no column 'claim'. Found: {first_names(held)}. "
            f"Say which column holds the claims by --column claim={next(texts, 'NAME')}."
        )

    def claim_rows(self, where: str, row: Row) -> Iterator[ClaimRow]:
        """Yields the claims or responses of a row: one, or one for each item of the list that its
        columns go through. Rows without any are counted as dropped."""
        parts = unfold_noting_empty(
            where,
            row,
            [*self._columns.values(), *self._judges.values()],
            self._problems,
            "an empty list, which gives no claim",
            each=[self._columns[name] for name in _TRIPLE if self.text_field == "head"],
            parts=[self._columns[self.text_field]],
        )
        rows = (self._claim_row(place, part) for place, part in parts)
        return (claim_row for claim_row in rows if claim_row is not None)

    def _claim_row(self, where: str, row: Row) -> ClaimRow | None:
        """Returns a row as a claim or response; None where it has none, which is counted."""
        cell = partial(self._field, row)
        text, triple = self._text_of(cell)
        if not triple and self.text_field != "response" and says_nothing(text):
            text = ""  # of a response that is a message of its program's
        fields = {self.text_field: text, "passage": _text_of_sentences(cell("passage"))}
        if says_nothing(fields["passage"]):
            fields["passage"] = ""
        fields |= {name: _text(cell(name)) for name in ("passage_id", "id", "cluster", "system")}
        texts = check_texts(fields, where, self._problems, [self.text_field])
        if texts is None:
            return None
        text, passage, passage_id, name, cluster, system = texts.values()
        unjudged = None
        if not passage and passage_id and self._passages is not None:
            passage = self._passages.get(passage_id) or ""
            if says_nothing(passage):
                passage = ""
                self._problems.note("no passage of that id, so no verdict", where, repr(passage_id))
                why = f"no passage of that id: {passage_id}"
                unjudged = Verdict(unit="", judge="", status="undecided", reason=why)
        if self.text_field == "response" and (message := why_no_answer(text)):
            refused = message[0] == "refused"
            self._problems.note("no response but a message, so no verdict", where, message[1])
            unjudged = Verdict(
                unit="",
                judge="",
                status="refused" if refused else "undecided",  # no later run brings another
                reason=message[1],
            )
        if self._is_loose:
            judges = foreign_columns(row, {}) | self._judges
        else:
            judges = self._judges
        foreign = {
            name: self._label(where, cell_at(row, column), f"{FOREIGN}{name}")
            for name, column in judges.items()
        }
        return ClaimRow(
            place=where,
            id=name or where,
            cluster=cluster or passage_id or name or where.partition(", ")[0],
            system=system,
            text=text,
            passage=passage or None,
            passage_id=passage_id,
            label=self._label(where, cell("label"), "label"),
            foreign={name: label for name, label in foreign.items() if label},
            triple=triple,
            unjudged=unjudged,
            data=columns_beside(row, self._read),
        )

    def _field(self, row: Row, name: str) -> Any:
        """Returns what a row has in a field; None where the table has no such field. Objects may
        have fields that the first one has not."""
        column = self._columns.get(name)
        if column is None and self._is_loose:
            column = next((usual for usual in FIELDS[name] if usual in row), None)
        if column is None:
            return None
        return cell_at(row, column)

    def _text_of(self, cell: Any) -> tuple[str, tuple[str, ...]]:
        """Returns the text that is judged; for a claim that is a triple also its three parts."""
        given = cell(self.text_field)
        if self.text_field == "head":
            given = [cell(name) for name in _TRIPLE]
        if isinstance(given, list | tuple) and len(given) == len(_TRIPLE):
            head, relation, tail = (without_quotes(_text(part)) for part in given)
            parts = (readable_name(head)[0], readable_relation(relation), readable_name(tail)[0])
            if all(parts):
                return claim(Triple(head=parts[0], relation=parts[1], tail=parts[2])), parts
        return _text_of_sentences(given), ()

    def _label(self, where: str, given: object, field: str) -> str | None:
        """Returns what a cell says of a claim; None for an empty one, InputError for anything that
        is no label."""
        if given is None or given != given or not str(given).strip():
            return None
        label = field_label(given, SUPPORT_LABELS)
        if label is not None:
            return label
        raise InputError(
            f"{self._path}, {where}: {str(given)[:60]!r} is no label of a claim. "
            + known_labels(SUPPORT_LABELS, field)
        )


def _text(cell: object) -> str:
    """Returns a cell as a text without blanks around it; empty for nothing, such as the NaN that
    frames of numbers have in an empty cell, and for an object."""
    if cell is None or cell != cell or isinstance(cell, Mapping):
        return ""
    return str(cell).strip()


def _text_of_sentences(cell: object) -> str:
    """Returns a cell as one text; the sentences of a list are joined by blanks."""
    if isinstance(cell, list | tuple):
        parts = cell
    else:
        parts = [cell]
    return " ".join(filter(None, map(_text, parts)))
