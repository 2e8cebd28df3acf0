"""Tables of claims or responses as rows: files of any form, answers that were scored, summaries of
a campaign. What people and other programs' judges said of them is read as the field writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from factmark.claim_support.columns import TRIPLE, claim_mapping, text_role
from factmark.claim_support.core.claim_rows import ClaimRow
from factmark.claim_support.options import ClaimsOptions
from factmark.errors import InputError
from factmark.evaluated.words import field_label, known_labels
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.nested import cell_at, unfold_noting_empty
from factmark.files.own_columns import FOREIGN, columns_beside, foreign_columns, is_foreign
from factmark.files.problems import Problems
from factmark.files.rows import OBJECTS, TABLES, Row, unknown_ending
from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.core.iri_names import readable_name, readable_relation, without_quotes
from factmark.graphs.triples.edges import check_texts
from factmark.intake.inspect_logs import LOG
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import open_table
from factmark.intake.tools import role_names
from factmark.label_values import SUPPORT_LABELS
from factmark.ledger.campaigns import pairs_of_kind
from factmark.ledger.ledger import open_existing
from factmark.ledger.rows import file_name
from factmark.model import Verdict
from factmark.passages.passage_file import Passages, read_passages
from factmark.replies.no_answer import why_no_answer
from factmark.stats.sampling import simple_random
from factmark.text.words import says_nothing

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
        mapping: which column holds what.
    """

    name: str
    source: str
    rows: tuple[ClaimRow, ...]
    are_responses: bool
    judges: tuple[str, ...]
    size: int
    mapping: TableMapping


def read_claims(given: ClaimsOptions, problems: Problems) -> ClaimTable:
    """Returns the rows of a table, with the passages that they name; rows that cannot be used are
    counted in `problems`.

    Raises:
        InputError: there is no such table, it has neither claims nor responses that `--split` cuts,
            which column holds what cannot be told, or a label is none of the field's.
    """
    source = _source_of(given, problems)
    kept: list[ClaimRow] = []
    times: Counter[str] = Counter()  # the names of rows are cut, and may be alike then
    texts = given.passages
    opened: AbstractContextManager[Passages | None] = nullcontext()
    if texts:
        opened = read_passages(texts, problems, encoding=given.encoding)
    with opened as passages:
        reader = _RowReader(given, source, passages, problems)
        for where, row in source.rows:
            times[where] += 1
            if times[where] != 1:
                where = f"{where} ({times[where]})"
            kept += reader.claim_rows(where, row)
    chosen = kept
    if given.limit is not None and given.limit < len(kept):
        drawn = set(simple_random([r.place for r in kept], given.limit, seed=given.seed).keys)
        chosen = [row for row in kept if row.place in drawn]
    return ClaimTable(
        name=source.path.name,
        source=file_name(source.path),
        rows=tuple(chosen),
        are_responses=reader.text_field == "response",
        judges=tuple(dict.fromkeys(name for row in kept for name in row.foreign)),
        size=len(kept),
        mapping=source.mapping,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where rows come from.

    Attributes:
        path: the file.
        rows: each with its place.
        mapping: which column holds what.
        names: the columns of the table.
        is_text: whether claims are texts, not lists of three.
    """

    path: Path
    rows: Iterator[tuple[str, Row]]
    mapping: TableMapping
    names: tuple[str, ...] = ()
    is_text: bool = True


def _source_of(given: ClaimsOptions, problems: Problems) -> _Source:
    """Returns the rows that are read: of a table, the answers of a folder of results, the summaries
    in a ledger."""
    path = given.claims
    if path.suffix.casefold() in (".db", ".sqlite"):
        roles = ("id", "cluster", "system", "response", "passage")
        mapping = TableMapping(task="claims", columns={role: (role,) for role in roles})
        return _Source(path=path, rows=_summaries(path), mapping=mapping)
    if path.is_dir() and not is_arrow_folder(path):
        path /= _ANSWERS
        if not path.is_file():
            raise InputError(f"{given.claims}: holds no scored answers ({_ANSWERS}). Name a file.")
    if path.suffix.casefold() not in (*TABLES, LOG) and not is_arrow_folder(path):
        raise unknown_ending(path, TABLES, ", and is no folder of results and no ledger (.db)")
    table = open_table(path, given.encoding, rows=given.rows)
    mapping = claim_mapping(table, given)
    sample = table.sample
    claims = sample.columns.get(mapping.column("claim"))
    return _Source(
        path=path,
        rows=table.rows(problems),
        mapping=mapping,
        names=tuple(name for name in sample.columns if name in sample.heads),
        is_text=claims is not None and claims.kind not in ("list", "object"),
    )


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
    """Reads rows of one table, whose mapping says which columns hold what."""

    def __init__(
        self,
        given: ClaimsOptions,
        source: _Source,
        passages: Passages | None,
        problems: Problems,
    ) -> None:
        self._path = source.path
        self._passages = passages
        self._problems = problems
        self._is_loose = source.path.suffix.casefold() in OBJECTS
        columns = source.mapping.columns
        foreign = {role: paths[0] for role, paths in columns.items() if is_foreign(role)}
        self._judges = foreign_columns(source.names, foreign)
        self._columns = {role: paths[0] for role, paths in columns.items() if paths}
        self._without = {role for role, paths in columns.items() if not paths}
        self.text_field = text_role(columns, is_split=bool(given.split))
        # What the results name by itself does not pass through a second time.
        ours = {self._columns.get("passage", "")}
        if source.is_text:
            ours.add(source.mapping.column("claim"))
        self._read = ours - {""}

    def claim_rows(self, where: str, row: Row) -> Iterator[ClaimRow]:
        """Yields the claims or responses of a row: one, or one for each item of the list that its
        columns go through. Rows without any are counted as dropped."""
        parts = unfold_noting_empty(
            where,
            row,
            [*self._columns.values(), *self._judges.values()],
            self._problems,
            "an empty list, which gives no claim",
            each=[self._columns[name] for name in TRIPLE if self.text_field == "head"],
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
        if column is None and self._is_loose and name not in self._without:
            column = next((usual for usual in role_names("claims")[name] if usual in row), None)
        if column is None:
            return None
        return cell_at(row, column)

    def _text_of(self, cell: Any) -> tuple[str, tuple[str, ...]]:
        """Returns the text that is judged; for a claim that is a triple also its three parts."""
        given = cell(self.text_field)
        if self.text_field == "head":
            given = [cell(name) for name in TRIPLE]
        if isinstance(given, list | tuple) and len(given) == len(TRIPLE):
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
