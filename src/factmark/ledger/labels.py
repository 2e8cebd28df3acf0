"""Labels by people: sheets to fill in, their import into a ledger, and what a ledger holds of them.

A sheet is a CSV file with the columns `unit`, `annotator`, `label`, and if wanted `comment`; other
columns are for the annotator to read. Any file of that form can be imported.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from factmark.errors import InputError
from factmark.files.csv_cells import csv_writer
from factmark.files.problems import Problems
from factmark.files.rows import Row, is_broken, read_rows
from factmark.files.text_files import write_text
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.forms import GRAPHRAG, KINDS
from factmark.people.core.material import exchange_evidence

SHEET = ("unit", "claim", "passage", "labels", "annotator", "label", "comment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought: labels, of them such as say something new, and empty rows."""

    labels: int
    annotators: tuple[str, ...]
    empty: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Units that a judge has judged, beside what people said of some of them.

    Attributes:
        units: their ids.
        labels: the judge's, None where it gave none.
        clusters: the items that the units belong to.
        people: place in `units` -> the mean of the people's values.
        annotators: the people's names.
    """

    units: tuple[str, ...]
    labels: tuple[str | None, ...]
    clusters: tuple[str, ...]
    people: Mapping[int, float]
    annotators: tuple[str, ...]


def import_labels(path: Path, ledger: Ledger, encoding: str = "utf-8") -> Imported:
    """Adds the labels of a file to a ledger: all of them, or none where one is wrong.

    Rows without a label are counted and left out. A label takes the place of what the same person
    said before; the same file a second time changes nothing.

    Raises:
        InputError: for a missing column, a unit that the ledger does not know, a label that its
            units do not have; with the line.
    """
    problems = Problems()
    rows = list(read_rows(path, problems, encoding))
    if sentences := problems.sentences():
        raise InputError(f"{path}: {sentences[0]}")
    empty = 0
    given: defaultdict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for where, row in rows:
        unit, annotator, label, comment = _cells(path, where, row)
        if not label:
            empty += 1
        elif not annotator:
            raise InputError(f"{path}, {where}: a label without an annotator; name who gave it.")
        else:
            given[annotator].append((where, unit, label, comment))
    units = _units(ledger, {unit for said in given.values() for _, unit, _, _ in said})
    verdicts = {who: _verdicts(path, who, said, units, ledger) for who, said in given.items()}
    before = ledger.counts()["verdicts"]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with ledger.writing() as db:
        for who, said in sorted(verdicts.items()):
            judge = Judge.create("person", who)
            ledger.add_judge(judge)
            for verdict in said:
                ledger.add_verdict(verdict, now)
            db.execute(
                "INSERT INTO imports (judge, data, time) VALUES (?, ?, ?)",
                (judge.id, json.dumps({"labels": path.name}), now),
            )
    return Imported(
        labels=sum(len(said) for said in given.values()),
        annotators=tuple(sorted(given)),
        empty=empty,
        new=ledger.counts()["verdicts"] - before,
    )


def labelled(ledger: Ledger, judge: str, kind: str, others: Sequence[str] = ()) -> Labelled:
    """What a judge said of all units of a kind, and people of some; newest verdicts only.

    Args:
        others: judges of the units that it has not judged.
    """
    found = ledger.connection.execute(
        "SELECT u.id, i.cluster, v.label FROM verdicts v JOIN units u ON u.id = v.unit "
        "JOIN items i ON i.id = u.item JOIN json_each(?) j ON j.value = v.judge "
        "WHERE u.kind = ? AND v.number = (SELECT max(number) FROM verdicts "
        "WHERE unit = v.unit AND judge = v.judge) ORDER BY u.id, j.key DESC",
        (json.dumps([judge, *others]), kind),
    ).fetchall()
    rows = list({row[0]: row for row in found}.values())
    places = {unit: place for place, (unit, _, _) in enumerate(rows)}
    people, annotators = people_values(ledger, kind)
    return Labelled(
        units=tuple(places),
        labels=tuple(label for _, _, label in rows),
        clusters=tuple(cluster for _, cluster, _ in rows),
        people={places[unit]: value for unit, value in people.items() if unit in places},
        annotators=annotators,
    )


def people_values(ledger: Ledger, kind: str) -> tuple[dict[str, float], tuple[str, ...]]:
    """Unit -> the mean of what people gave it, by their newest verdicts; and the people's names."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    names = set()
    for unit, name, value in ledger.connection.execute(
        "SELECT v.unit, j.name, v.value FROM verdicts v JOIN judges j ON j.id = v.judge "
        "JOIN units u ON u.id = v.unit WHERE j.kind = 'person' AND u.kind = ? "
        "AND v.value IS NOT NULL AND v.number = ("
        " SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge)",
        (kind,),
    ):
        values[unit].append(value)
        names.add(name)
    means = {unit: sum(said) / len(said) for unit, said in values.items()}
    return means, tuple(sorted(names))


def write_sheet(path: Path, units: Sequence[Unit], items: Mapping[str, Item]) -> None:
    """A sheet for annotators: the units in their order, without anything that a judge said.

    The claim of a GraphRAG answer is the answer, its passage the question with the reference.

    Args:
        items: by their ids, of such answers.
    """
    out = StringIO()
    write = csv_writer(out)
    write(SHEET)
    for unit in units:
        answer = unit.kind == GRAPHRAG.kind
        passage = exchange_evidence(items[unit.item]) if answer else unit.data.get("passage")
        allowed = " / ".join(KINDS.get(unit.kind, ()))
        write([unit.id, unit.text, str(passage or ""), allowed, "", "", ""])
    write_text(path, out.getvalue())


def units_of(ledger: Ledger, ids: Iterable[str]) -> list[Unit]:
    """Units by their ids, in that order."""
    wanted = list(ids)
    found = _units(ledger, set(wanted))
    return [found[unit] for unit in wanted]


def items_of(ledger: Ledger, ids: Iterable[str]) -> dict[str, Item]:
    """Items by their ids."""
    rows = ledger.connection.execute(
        "SELECT i.id, i.cluster, i.data FROM json_each(?) j CROSS JOIN items i ON i.id = j.value",
        (json.dumps(sorted(set(ids))),),
    )
    return {
        name: Item(id=name, cluster=cluster, data=json_cell(data)) for name, cluster, data in rows
    }


def _folded(label: str) -> str:
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())


def _cells(path: Path, where: str, row: Row) -> tuple[str, str, str, str]:
    for name in ("unit", "annotator", "label"):
        if name not in row:
            raise InputError(
                f"{path}, {where}: no column {name!r}; a file of labels has unit, annotator, label."
            )
    unit, annotator, label, comment = (
        str(row.get(name) or "").strip() for name in ("unit", "annotator", "label", "comment")
    )
    if is_broken("".join((unit, annotator, label, comment))):
        raise InputError(f"{path}, {where}: is not UTF-8. Save it so, or name its --encoding.")
    return unit, annotator, label, comment


def _verdicts(
    path: Path,
    annotator: str,
    said: Iterable[tuple[str, str, str, str]],
    units: Mapping[str, Unit],
    ledger: Ledger,
) -> list[Verdict]:
    judge = Judge.create("person", annotator)
    values: dict[str, Mapping[str, float]] = {}
    out = []
    earlier: dict[str, str | None] = {}
    for where, name, label, comment in said:
        unit = units.get(name)
        if unit is None:
            raise InputError(
                f"{path}, {where}: the ledger has no unit {name!r}. Judge the units first, and "
                "take their names from `factmark plan --sheet` or `factmark ledger export`."
            )
        if unit.kind not in values:
            values[unit.kind] = _labels(ledger, unit.kind)
        known = values[unit.kind]
        found = next((one for one in known if _folded(one) == _folded(label)), None)
        if earlier.setdefault(name, found) != found:
            raise InputError(
                f"{path}, {where}: {annotator} labels unit {name!r} here and above, differently."
            )
        if found is None:
            raise InputError(
                f"{path}, {where}: {label!r} is none of the labels {', '.join(known) or '(none)'}."
            )
        verdict = Verdict(
            unit=name, judge=judge.id, label=found, value=known[found], reason=comment
        )
        out.append(verdict)
    return out


def _labels(ledger: Ledger, kind: str) -> Mapping[str, float]:
    """The labels of a kind of unit with their values: the protocol's, else what judges gave."""
    if kind in KINDS:
        return KINDS[kind]
    return dict(
        ledger.connection.execute(
            "SELECT DISTINCT v.label, v.value FROM verdicts v JOIN units u ON u.id = v.unit "
            "WHERE u.kind = ? AND v.label IS NOT NULL AND v.value IS NOT NULL ORDER BY v.label",
            (kind,),
        )
    )


def _units(ledger: Ledger, ids: set[str]) -> dict[str, Unit]:
    rows = ledger.connection.execute(
        "SELECT u.id, u.item, u.kind, u.text, u.data FROM json_each(?) j "
        "CROSS JOIN units u ON u.id = j.value",
        (json.dumps(sorted(ids)),),
    )
    return {
        name: Unit(id=name, item=item, kind=kind, text=text, data=json_cell(data))
        for name, item, kind, text, data in rows
    }
