"""Labels by people and verdicts of other programs, read into the ledger by the user's ids.

A table has a column `unit` or `id`, and `annotator` and `label`, or columns `verdict:NAME`; or JSON
is `{id: label}`. A sheet of `factmark plan --sheet` is such a table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from factmark.analysis.labels.label_columns import label_mapping
from factmark.analysis.options import LabelImportOptions
from factmark.errors import InputError
from factmark.evaluated.words import field_label, spellings_in_words
from factmark.files.own_columns import foreign_columns, is_foreign
from factmark.files.problems import Problems
from factmark.files.rows import Row, check_file, has_broken_bytes, is_written_frame
from factmark.files.text_files import json_value, read_text
from factmark.intake.columns import is_empty
from factmark.intake.shapes import lists_of_rows
from factmark.intake.table_file import open_table
from factmark.intake.tools import role_names
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import first_ids, rows_by_id
from factmark.ledger.verdicts import labels_of, units_by_id
from factmark.model import Judge, JudgeKind, Unit, Verdict
from factmark.people.core.forms import KINDS

_BLOCK = 20_000  # verdicts that are written together


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelImport:
    """What an import brought: labels, of them such as say something new, and rows left out.

    Attributes:
        labels: by people.
        verdicts: by other programs.
        judges: the programs' names.
        empty: rows without a label.
        unread: verdicts of other programs that are none of the labels, and the first of them; kept
            as `unparsed`.
        unknown: the first labelled unit or id that the ledger does not have, and how many.
        ids: what ids look like in the file and in the ledger, where some are unknown.
        unclear: the first id that stands for several units, and how many.
        contrary: the first row that contradicts an earlier one of the same unit by the same judge,
            and how many units have such; neither label is taken.
    """

    labels: int
    annotators: tuple[str, ...]
    empty: int
    unknown: tuple[str, int]
    new: int
    verdicts: int = 0
    judges: tuple[str, ...] = ()
    unread: int = 0
    unread_example: str = ""
    ids: str = ""
    unclear: tuple[str, int] = ("", 0)
    contrary: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLabel:
    """What a file says of a row or unit, and by whom.

    Attributes:
        unit: its id; empty where the row is named by the user's `id`.
        cell: the label as it stands there.
    """

    where: str
    unit: str
    id: str
    judge: Judge
    cell: object
    comment: str = ""


def import_labels(
    path: Path, ledger: Ledger, options: LabelImportOptions | None = None
) -> LabelImport:
    """Adds the labels of a file to a ledger: all of them, or none where one is wrong. Returns what
    came of it.

    Rows without a label, and those of units that are not judged yet, are counted and left out. A
    label takes the place of what the same person said before; the same file a second time changes
    nothing.

    Raises:
        InputError: for a missing column, a label that units do not have, with the line; where the
            ledger knows none of the units.
    """
    options = options or LabelImportOptions(ledger=ledger.path, labels=path)
    everything, reading = _read_labels(path, options)
    given = []
    for label in everything:
        if not is_empty(label.cell):
            given.append(label)
    units, unclear = _units_of(given, ledger, options)
    known = [label for label in given if _name(label) in units]
    heard_of = {*units, *unclear}
    strange = [label for label in given if _name(label) not in heard_of]
    if given and not known:
        raise _nothing_known(given, unclear, _ids_of_both(given, ledger, options))
    verdicts, contrary = _verdicts_of(known, units, ledger)
    before = ledger.counts()["verdicts"]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with ledger.writing():
        for judge, given_by in verdicts:
            ledger.add_judge(judge)
            for start in range(0, len(given_by), _BLOCK):
                ledger.add_verdicts(given_by[start : start + _BLOCK], now)
            ledger.add_import(judge, {"labels": path.name, **reading}, now)
    people = [(judge.name, given) for judge, given in verdicts if judge.kind == "person"]
    others = [(judge.name, given) for judge, given in verdicts if judge.kind != "person"]
    unread = [v.reason for _, given_by in others for v in given_by if v.label is None]
    doubtful = []
    for label in given:
        if _name(label) in unclear:
            doubtful.append(label)
    return LabelImport(
        labels=sum(len(given_by) for _, given_by in people),
        annotators=tuple(name for name, _ in people),
        empty=len(everything) - len(given),
        unknown=_first_of(strange),
        ids=_ids_of_both(strange, ledger, options) if strange else "",
        new=ledger.counts()["verdicts"] - before,
        verdicts=sum(len(given_by) for _, given_by in others),
        judges=tuple(name for name, _ in others),
        unread=len(unread),
        unread_example=unread[0] if unread else "",
        unclear=_first_of(doubtful),
        contrary=_first_of(contrary),
    )


def _first_of(labels: list[GivenLabel]) -> tuple[str, int]:
    """Returns the first place and how many there are."""
    return (labels[0].where if labels else "", len(labels))


def _name(label: GivenLabel) -> tuple[str, str]:
    """Returns by what a label names its unit."""
    if label.unit:
        return ("unit", label.unit)
    return ("id", label.id)


def _read_labels(
    path: Path, options: LabelImportOptions
) -> tuple[list[GivenLabel], dict[str, Any]]:
    """Returns what a file says, the empty cells too, and what the ledger keeps of how it was
    read."""
    check_file(path)
    if path.suffix.casefold() == ".json":
        value = json_value(path, read_text(path, options.encoding))
        is_table = bool(lists_of_rows(value)) or is_written_frame(value)
        if isinstance(value, dict) and not is_table:
            return list(_labels_by_id(path, value, options)), {}
    table = open_table(path, options.encoding)
    mapping = label_mapping(table, options)
    columns = {role: mapping.column(role) for role in role_names("labels") if mapping.column(role)}
    foreign = {role: mapping.column(role) for role in mapping.columns if is_foreign(role)}
    judges = foreign_columns((), foreign)
    problems = Problems()
    labels: list[GivenLabel] = []
    for where, row in table.rows(problems):
        labels += _labels_of_row(f"{path}, {where}", row, columns, judges, options)
    sentences = problems.sentences()
    if sentences:
        raise InputError(f"{path}: {sentences[0]}")
    return labels, {"mapping": mapping.as_record()}


def _labels_by_id(
    path: Path, value: Mapping[str, Any], options: LabelImportOptions
) -> Iterator[GivenLabel]:
    """Yields the labels of a JSON object `{id: label}`: of the judge or person that the options
    name, else of a person called like the file."""
    if options.judge:
        judge = Judge.create("foreign", options.judge)
    else:
        judge = Judge.create("person", options.annotator or path.stem)
    for name, cell in value.items():
        where = f"{path}, {name[:80]!r}"
        if isinstance(cell, dict | list):
            raise InputError(
                f"{where}: holds {type(cell).__name__}s, not labels. Write {{id: label}}, or rows "
                "with the columns id, annotator, label."
            )
        yield GivenLabel(where=where, unit="", id=name, judge=judge, cell=cell)


def _labels_of_row(
    where: str,
    row: Row,
    columns: Mapping[str, str],
    judges: Mapping[str, str],
    options: LabelImportOptions,
) -> Iterator[GivenLabel]:
    """Yields what a row says: a person's label, and the verdict of each foreign judge.

    Raises:
        InputError: nobody is named who gave the label, or bytes are not in the encoding.
    """
    cells = {name: row.get(column) for name, column in columns.items()}
    texts = {name: "" if cell is None else str(cell).strip() for name, cell in cells.items()}
    if has_broken_bytes("".join(texts.values())):
        raise InputError(f"{where}: is not UTF-8. Save it so, or name its --encoding.")
    unit = texts.get("unit", "")
    name = texts.get("id", "")
    if "label" in columns:
        person = texts.get("annotator") or options.annotator
        if texts["label"] and not person and not options.judge:
            raise InputError(
                f"{where}: a label without an annotator; name who gave it: --annotator NAME, or "
                "--judge NAME where a program did."
            )
        giver = _giver("foreign" if options.judge else "person", options.judge or person)
        comment = texts.get("comment", "")
        yield GivenLabel(
            where=where, unit=unit, id=name, judge=giver, cell=cells["label"], comment=comment
        )
    for judge, column in judges.items():
        program = _giver("foreign", judge)
        yield GivenLabel(where=where, unit=unit, id=name, judge=program, cell=row.get(column))


@lru_cache(maxsize=1_000)
def _giver(kind: JudgeKind, name: str) -> Judge:
    """Returns who gave a label; a few people gave those of a whole file."""
    return Judge.create(kind, name)


Names = Mapping[tuple[str, str], Unit]


def _units_of(
    given: Iterable[GivenLabel], ledger: Ledger, options: LabelImportOptions
) -> tuple[Names, set[tuple[str, str]]]:
    """Returns name -> unit for what the ledger knows, and the names that stand for several units.

    Raises:
        InputError: the ids are of units of several kinds, and none is named.
    """
    names = {_name(label) for label in given}
    by_unit = units_by_id(ledger, sorted(name for what, name in names if what == "unit"))
    units: dict[tuple[str, str], Unit] = {("unit", name): unit for name, unit in by_unit.items()}
    ids = sorted(name for what, name in names if what == "id")
    rows = rows_by_id(ledger, ids, kind=options.kind, source=options.source)
    kinds = sorted({kind for of_id in rows.values() for kind, _ in of_id})
    if len(kinds) > 1:
        raise InputError(
            f"the ids are of units of the kinds {' and '.join(kinds)}; say which with --kind."
        )
    of_rows = {name: {row.unit for _, row in of_id} for name, of_id in rows.items()}
    held = units_by_id(ledger, sorted({unit for some in of_rows.values() for unit in some}))
    for name, some in of_rows.items():
        if len(some) == 1:
            units["id", name] = held[next(iter(some))]
    return units, {("id", name) for name, some in of_rows.items() if len(some) > 1}


def _ids_of_both(given: Sequence[GivenLabel], ledger: Ledger, options: LabelImportOptions) -> str:
    """Returns what ids look like in the file and in the ledger."""

    def shown(names: Iterable[str]) -> str:
        return ", ".join(repr(name[:40]) for name in names) or "none"

    here = list(dict.fromkeys(_name(label)[1] for label in given))[:3]
    of_units = bool(given[0].unit)
    there = first_ids(ledger, kind=options.kind, source=options.source, of_units=of_units)
    return f"here they are {shown(here)}, in the ledger {shown(there)}"


def _nothing_known(
    given: Sequence[GivenLabel], unclear: set[tuple[str, str]], ids: str
) -> InputError:
    """Returns the error for a file of whose units the ledger has none, to be raised."""
    first = given[0]
    what, name = _name(first)
    if unclear:
        return InputError(
            f"{first.where}: the {what} {name!r} stands for several units; name the file whose ids "
            "these are with --source FOLDER/FILE, or label by unit, as `factmark ledger export` "
            "has it."
        )
    return InputError(
        f"{first.where}: the ledger knows no {what} of this file: {ids}. Name another column with "
        f"--column {what}=NAME, or judge the units first; `factmark ledger export` writes all ids."
    )


def _verdicts_of(
    given: Iterable[GivenLabel], units: Names, ledger: Ledger
) -> tuple[list[tuple[Judge, list[Verdict]]], list[GivenLabel]]:
    """Returns the verdicts of each judge in the order of their names, and the first row of each
    unit that its rows contradict; such a unit gets none.

    Raises:
        InputError: a person's label is none of the unit's, or contradicts another on the same unit;
            none of a program's is one.
    """
    kinds = {unit.kind for unit in units.values()}
    values = {}
    for kind in kinds:
        values[kind] = KINDS.get(kind) or labels_of(ledger, kind)
    verdicts: defaultdict[str, dict[str, Verdict]] = defaultdict(dict)
    judges: dict[str, Judge] = {}
    contrary: dict[tuple[str, str], GivenLabel] = {}
    for label in given:
        unit = units[_name(label)]
        judge = label.judge
        judges[judge.id] = judge
        verdict = _verdict_of(label, unit, values[unit.kind])
        if verdicts[judge.id].setdefault(unit.id, verdict).label == verdict.label:
            continue
        if label.unit:
            raise InputError(
                f"{label.where}: {judge.name} labels unit {unit.id!r} here and above, differently."
            )
        contrary.setdefault((judge.id, unit.id), label)
    for name, of_judge in verdicts.items():
        if judges[name].kind == "foreign" and not any(v.label for v in of_judge.values()):
            example = next(iter(of_judge.values())).reason
            offered = spellings_in_words(labels for some in values.values() for labels in some)
            raise InputError(
                f"{judges[name].name}: none of {len(of_judge)} verdicts is a label, such as "
                f"{example[:80]!r}. Read are {offered}."
            )
    for judge_id, unit_id in contrary:
        del verdicts[judge_id][unit_id]
    order = sorted(judges.values(), key=lambda judge: judge.name)
    by_judge = [(judge, list(verdicts[judge.id].values())) for judge in order]
    return by_judge, list(contrary.values())


def _verdict_of(label: GivenLabel, unit: Unit, values: Mapping[str, float]) -> Verdict:
    """Returns the verdict that a label is; `unparsed` where a program says none of the labels.

    Raises:
        InputError: a person's label is none of the unit's.
    """
    meant = field_label(label.cell, values)
    if meant is None and label.judge.kind == "person":
        raise InputError(
            f"{label.where}: {str(label.cell)[:80]!r} is none of the labels "
            f"{spellings_in_words(values) or '(none)'}."
        )
    if meant:
        reason = label.comment
    else:
        reason = str(label.cell)[:200]
    return Verdict(
        unit=unit.id,
        judge=label.judge.id,
        status="ok" if meant else "unparsed",
        label=meant,
        value=values[meant] if meant else None,
        reason=reason,
    )
