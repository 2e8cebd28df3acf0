"""What a ledger's judges said, for the commands that compare, plan and correct by it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmark.ask.chat import CUT
from factmark.errors import InputError
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import JUDGE, Evaluated, table_of_judge
from factmark.files.text_files import without_surrogates
from factmark.ledger.ledger import UNIT, VERDICT, Ledger, Record, json_cell, record_of, records
from factmark.ledger.packing import unpacked
from factmark.model import Item, Judge, Unit, Verdict
from factmark.text.shown_text import count, some_long

_LISTED = 40  # judges in a message
PROFILE = "profile"
"""The name of the judge whose labels are strata: why a triple is suspect, and no verdict on it."""
_PREFIX = 4  # the fewest digits of an id that name a judge
_UNITS = "SELECT u.id, u.kind, i.cluster, {stratum} FROM {units} u JOIN items i ON i.id = u.item"
_STRATUM = """coalesce(json_extract(i.strata, :path), json_extract(u.data, :path),
    json_extract(i.data, :path), '')"""
_COUNTS = """SELECT j.id, v.status, v.label, count(*) FROM kept_verdicts v
    JOIN judge_keys j ON j.number = v.judge WHERE true {newest}
    GROUP BY v.judge, v.status, v.label"""
_COUNTS_BY = """SELECT v.judge, json_extract(u.data, CASE {paths} END),
    ifnull(CAST(v.label AS TEXT), v.status), count(*)
    FROM kept_verdicts v CROSS JOIN kept_units u ON u.number = v.unit
    WHERE v.number BETWEEN ? AND ? {newest} GROUP BY 1, 2, 3"""
_BLOCK = 5_000  # verdicts that are counted together: SQLite sorts them for it
_NEWEST = """AND NOT EXISTS (SELECT 1 FROM kept_verdicts o
    WHERE o.unit = v.unit AND o.judge = v.judge AND o.number > v.number)"""
_SEVERAL = "SELECT 1 FROM kept_verdicts GROUP BY unit, judge HAVING count(*) > 1 LIMIT 1"
_UNANSWERED = """SELECT DISTINCT a.unit, j.id, NULL, NULL FROM assignments a
    JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator
    JOIN judges j ON j.kind = 'person' AND j.name = p.name AND j.parameters = '{}'
    WHERE a.released = '' AND p.withdrawn = '' AND p.decides = '' AND NOT EXISTS (
        SELECT 1 FROM verdicts v WHERE v.unit = a.unit AND v.judge = j.id
    ) ORDER BY a.unit, j.id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCounts:
    """A judge of a ledger, and its newest verdicts by status and label."""

    id: str
    kind: str
    name: str
    statuses: dict[str, int]
    labels: dict[str, int]


def judges_of(ledger: Ledger) -> list[JudgeCounts]:
    """Returns all judges with the counts of their verdicts, in the order of their names."""
    statuses: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for judge, status, label, times in ledger.rows(_COUNTS.format(newest=_newest(ledger))):
        statuses[judge][status] += times
        if label is not None:
            labels[judge][label] += times
    return [
        JudgeCounts(
            id=judge.id,
            kind=judge.kind,
            name=judge.name,
            statuses=dict(statuses[judge.id]),
            labels=dict(labels[judge.id]),
        )
        for judge in judges_kept(ledger)
    ]


def counts_by(ledger: Ledger, field: str) -> dict[tuple[str, str], dict[str, int]]:
    """Returns id of a judge and value of a field of the units, such as a triple's relation ->
    label, or status of what has none -> how many units. The units are not held: of ten million
    verdicts it takes the memory that the values take.
    """
    paths = "WHEN u.layout IS NULL THEN ?"
    given: list[object] = [f'$."{field}"']
    for number, names in ledger.rows("SELECT number, names FROM layouts"):
        fields = json.loads(names)
        if field in fields:
            paths += " WHEN u.layout = ? THEN ?"
            given += [number, f"$[{fields.index(field)}]"]
    query = _COUNTS_BY.format(paths=paths, newest=_newest(ledger))
    judges = dict(ledger.rows("SELECT number, id FROM judge_keys"))
    times: Counter[tuple[str, str, str]] = Counter()
    for start in _starts_of_blocks(ledger):
        counted = ledger.rows(query, *given, start, start + _BLOCK - 1)
        for judge, value, outcome, of_block in counted:
            if value is not None:
                times[judges[judge], str(value), outcome] += of_block
    counts: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for (judge_id, text, outcome), total in sorted(times.items()):
        counts[judge_id, text][outcome] = total
    return dict(counts)


def _starts_of_blocks(ledger: Ledger) -> Iterator[int]:
    """Yields the number of the first verdict of each block."""
    query = "SELECT min(number) FROM kept_verdicts WHERE number >= ?"
    start = 0
    while (row := ledger.rows(query, start).fetchone()) and row[0] is not None:
        yield row[0]
        start = row[0] + _BLOCK


def _newest(ledger: Ledger) -> str:
    """Returns the condition that a verdict is the newest of its unit and judge; nothing where all
    are, since to look for each takes half of the time."""
    if ledger.rows(_SEVERAL).fetchone() is None:
        return ""
    return _NEWEST


def judges_kept(ledger: Ledger, kind: str = "") -> list[Judge]:
    """Returns the judges of a kind, or all, with their parameters, in the order of their names."""
    query = "SELECT * FROM judges WHERE kind = ? OR ? = '' ORDER BY name, id"
    return records(Judge, ledger.rows(query, kind, kind))


def judges_in_words(judges: Iterable[JudgeCounts]) -> str:
    """Returns the judges as a message names them, the first few."""
    texts = [
        f"{judge.kind} {without_surrogates(judge.name)} ({judge.id[:8]}), "
        + count(sum(judge.statuses.values()), "unit", "units")
        for judge in judges
        if any(judge.statuses.values())  # of who has withdrawn nothing is left
    ]
    return some_long(texts, _LISTED) or "(none)"


def judge_id_of(path: Path, wanted: str, judges: Sequence[JudgeCounts]) -> str:
    """Returns the id of the judge of that name, else of the only one whose id begins so; InputError
    if there is none or several.
    """
    named = []
    for judge in judges:
        if judge.name == wanted:
            named.append(judge)
    begun = []
    for judge in judges:
        if len(wanted) >= _PREFIX and judge.id.startswith(wanted):
            begun.append(judge)
    meant = named or begun
    if len(meant) == 1:
        return meant[0].id
    if meant:
        raise InputError(
            f"{wanted!r} is the name of {len(meant)} judges with other parameters. Name one by the "
            f"beginning of its id: {judges_in_words(meant)}."
        )
    raise InputError(f"{path} has no judge {wanted!r}. It has {judges_in_words(judges)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitVerdict:
    """A verdict with what agreement needs of its unit."""

    unit: str
    kind: str
    cluster: str
    stratum: str
    judge: str
    label: str | None
    value: Any


def unit_verdicts(ledger: Ledger, by: str = "") -> Iterator[UnitVerdict]:
    """Yields every verdict with its unit's data, in the order of the ledger, so that a judge's
    newest verdict on a unit comes last.

    Args:
        by: a stratum of the items, or a field of units or items.
    """
    rows = ledger.rows(
        "SELECT unit, judge, CAST(label AS TEXT), value FROM verdicts ORDER BY number"
    )
    yield from _with_units(ledger, rows, by)


def unanswered_units(ledger: Ledger, by: str = "") -> Iterator[UnitVerdict]:
    """Yields, as verdicts without a label, what campaigns ask of people who are judges in the
    ledger, and who have not answered it."""
    rows = ledger.rows(_UNANSWERED).fetchall()
    if rows:
        return _with_units(ledger, rows, by)
    return iter(())


def _with_units(
    ledger: Ledger, rows: Iterable[tuple[str, str, str | None, Any]], by: str
) -> Iterator[UnitVerdict]:
    """Yields verdicts with the data of their units. Two scans without a join: units are large, so
    looking one up for every verdict is slower."""
    query = _UNITS.format(stratum=_STRATUM if by else "''", units="whole_units" if by else "units")
    path = {}
    if by:
        path = {"path": f'$."{by}"'}
    units = {}
    for row in ledger.connection.execute(query, path):
        units[row[0]] = row[1:]
    for unit, judge, label, value in rows:
        if unit in units:
            kind, cluster, stratum = units[unit]
            yield UnitVerdict(
                unit=unit,
                kind=kind,
                cluster=cluster,
                stratum=str(stratum),
                judge=judge,
                label=label,
                value=value,
            )


def strata_names(ledger: Ledger) -> list[str]:
    """Returns what `unit_verdicts` can be broken down by; the first thirty."""
    rows = ledger.rows(
        "SELECT DISTINCT key FROM items, json_each(strata) "
        "UNION SELECT DISTINCT key FROM (SELECT data FROM whole_units LIMIT 100) u, "
        "json_each(u.data) ORDER BY 1 LIMIT 30"
    )
    return [str(name) for (name,) in rows]


def judged_rows(ledger: Ledger, judge: str, kind: str) -> list[dict[str, Any]]:
    """Returns the data of the units of a kind that a judge has judged, with the item that they
    belong to, their id, status and label."""
    rows = ledger.rows(
        "SELECT u.data, u.item, u.id, v.status, v.label FROM newest_verdicts v JOIN whole_units u "
        "ON u.unit_number = v.unit_number WHERE v.judge = ? AND u.kind = ? ORDER BY v.number",
        judge,
        kind,
    )
    names = ("item", "unit", "status", "label")
    return [json_cell(data) | dict(zip(names, cells, strict=True)) for data, *cells in rows]


def kinds_of(ledger: Ledger, judge: str) -> list[str]:
    """Returns the kinds of units that a judge has judged, the most frequent first."""
    rows = ledger.rows(
        "SELECT u.kind FROM verdicts v JOIN units u ON u.unit_number = v.unit_number "
        "WHERE v.judge = ? GROUP BY u.kind ORDER BY count(*) DESC",
        judge,
    )
    return [kind for (kind,) in rows]


def judges_by_kind(ledger: Ledger) -> list[tuple[str, str, str]]:
    """Returns kind of units, id and name of each judge that is no person, in the order in which
    they began; those whose verdicts were imported come first.
    """
    rows = ledger.rows(
        "SELECT u.kind, j.id, j.name FROM verdicts v JOIN units u ON u.unit_number = v.unit_number "
        "JOIN judges j ON j.id = v.judge WHERE j.kind != 'person' "
        "AND NOT (j.kind = 'rule' AND j.name = ?) "
        "GROUP BY u.kind, j.id ORDER BY j.kind != 'foreign', min(v.number)",
        PROFILE,
    )
    return rows.fetchall()


def labelled_units(ledger: Ledger, judge: str, kind: str, others: Sequence[str] = ()) -> Evaluated:
    """Returns what a judge, called `judge`, said of all units of a kind, and people of some; newest
    verdicts only.

    Args:
        others: judges of the units that it has not judged.
    """
    rows = ledger.rows(
        "SELECT u.id, i.cluster, CAST(v.label AS TEXT), v.value FROM newest_verdicts v "
        "JOIN units u ON u.unit_number = v.unit_number JOIN items i ON i.id = u.item "
        "JOIN json_each(?) j ON j.value = v.judge "
        "WHERE u.kind = ? ORDER BY u.id, j.key DESC",
        json.dumps([judge, *others]),
        kind,
    )
    by_unit = {unit: (label, value, cluster) for unit, cluster, label, value in rows}
    worth = {label: value or 0.0 for label, value, _ in by_unit.values()}
    places = {unit: place for place, unit in enumerate(by_unit)}
    people, _ = people_values(ledger, kind)
    return table_of_judge(
        column_of_labels(JUDGE, [label for label, _, _ in by_unit.values()], worth),
        {places[unit]: value for unit, value in people.items() if unit in places},
        ids=list(by_unit),
        clusters=[cluster for _, _, cluster in by_unit.values()],
    )


def people_values(ledger: Ledger, kind: str) -> tuple[dict[str, float], tuple[str, ...]]:
    """Returns unit -> the mean of the values that people gave it by their newest verdicts; and
    their names.
    """
    values: defaultdict[str, list[float]] = defaultdict(list)
    names = set()
    if not ledger.rows("SELECT 1 FROM judges WHERE kind = 'person' LIMIT 1").fetchone():
        return {}, ()  # found without a look at all verdicts
    for unit, name, value in ledger.rows(
        "SELECT v.unit, j.name, v.value FROM newest_verdicts v JOIN judges j ON j.id = v.judge "
        "JOIN units u ON u.unit_number = v.unit_number WHERE j.kind = 'person' AND u.kind = ? "
        "AND v.value IS NOT NULL",
        kind,
    ):
        values[unit].append(value)
        names.add(name)
    means = {unit: sum(given) / len(given) for unit, given in values.items()}
    return means, tuple(sorted(names))


def strata_of(ledger: Ledger, kind: str) -> dict[str, str]:
    """Returns unit -> its stratum, where `factmark graph profile` has kept strata."""
    return dict(
        ledger.rows(
            "SELECT v.unit, v.label FROM verdicts v JOIN judges j ON j.id = v.judge "
            "JOIN units u ON u.unit_number = v.unit_number "
            "WHERE j.kind = 'rule' AND j.name = ? AND u.kind = ? ORDER BY v.number",
            PROFILE,
            kind,
        )
    )


def verdicts_beside(ledger: Ledger, kind: str) -> dict[str, str]:
    """Returns unit -> the label of the judge, other than people and the profile, that has labelled
    most units of a kind; empty where there is none.
    """
    chosen = ledger.rows(
        "SELECT v.judge FROM verdicts v JOIN judges j ON j.id = v.judge "
        "JOIN units u ON u.unit_number = v.unit_number WHERE j.kind != 'person' "
        "AND NOT (j.kind = 'rule' AND j.name = ?) AND u.kind = ? "
        "GROUP BY v.judge ORDER BY count(DISTINCT v.unit) DESC, v.judge LIMIT 1",
        PROFILE,
        kind,
    ).fetchone()
    query = "SELECT unit, coalesce(label, status) FROM newest_verdicts WHERE judge = ?"
    if chosen:
        return dict(ledger.rows(query, *chosen))
    return {}


def units_by_id(ledger: Ledger, ids: Iterable[str]) -> dict[str, Unit]:
    """Returns id -> unit, in the order of the ids; unknown ones are left out."""
    query = f"SELECT {UNIT} FROM json_each(?) j CROSS JOIN whole_units u"  # noqa: S608
    return _by_id(ledger, Unit, query, ids)


def items_of(ledger: Ledger, ids: Iterable[str]) -> dict[str, Item]:
    """Returns id -> item; unknown ones are left out."""
    query = "SELECT u.* FROM json_each(?) j CROSS JOIN items u"
    return _by_id(ledger, Item, query, sorted(set(ids)))


def _by_id(
    ledger: Ledger, kind: Callable[..., Record], query: str, ids: Iterable[str]
) -> dict[str, Record]:
    """Returns id -> record of a table, in the order of the ids; unknown ones are left out.

    Args:
        query: selects the record's columns of the table `u`, beside the ids `j`.
    """
    rows = ledger.rows(f"{query} ON u.id = j.value ORDER BY j.key", json.dumps(list(ids)))
    return {row[0]: record_of(kind, row) for row in rows}


def labels_of(ledger: Ledger, kind: str) -> dict[str, float]:
    """Returns the labels that judges gave units of a kind, with their values."""
    return dict(
        ledger.rows(
            "SELECT DISTINCT v.label, v.value FROM verdicts v "
            "JOIN units u ON u.unit_number = v.unit_number WHERE u.kind = ? "
            "AND v.label IS NOT NULL AND v.value IS NOT NULL ORDER BY v.label",
            kind,
        )
    )


def cost_of_verdict(ledger: Ledger, judge: str) -> tuple[float | None, float]:
    """Returns the money and the seconds that one verdict of a judge took, from the calls that its
    verdicts came from.

    Calls side by side take their time once, and pauses between them none. The money is None where a
    price is not known; both are 0 for a rule.
    """
    count, cost, priced, calls = ledger.connection.execute(
        "SELECT (SELECT count(DISTINCT unit) FROM verdicts WHERE judge = :judge), "
        "sum(cost), count(cost), count(*) FROM calls WHERE judge = :judge",
        {"judge": judge},
    ).fetchone()
    if not calls:
        return 0.0, 0.0
    spans = ledger.rows(
        "SELECT 86400 * julianday(time) - latency AS start, 86400 * julianday(time) "
        "FROM calls WHERE judge = ? ORDER BY start",
        judge,
    )
    seconds = 0.0
    busy_until = 0.0
    for start, end in spans:
        seconds += max(0.0, end - max(start, busy_until))
        busy_until = max(busy_until, end)
    return (cost / count if priced == calls else None), seconds / count


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReply:
    """A kept reply with what it was about, in the order of its claims.

    Attributes:
        verdicts: the newest ones that rest on it.
    """

    text: str
    cut: bool
    passages: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)


def kept_replies(ledger: Ledger, judge: str) -> list[KeptReply]:
    """Returns the replies that the newest verdicts of a judge rest on."""
    rows = ledger.rows(
        f"SELECT c.text, c.finish_reason, u.text, json_extract(u.data, '$.passage'), {VERDICT} "  # noqa: S608
        "FROM newest_verdicts v JOIN whole_units u ON u.unit_number = v.unit_number "
        "JOIN calls c ON c.key = v.call AND c.status = 'ok' "
        "WHERE v.judge = ? AND v.status IN ('ok', 'unparsed') "
        "AND c.number = (SELECT min(number) FROM calls WHERE key = v.call AND status = 'ok') "
        "ORDER BY v.call, v.number",
        judge,
    )
    replies: dict[str, KeptReply] = {}
    for text, finish, claim, passage, *cells in rows:
        reply = KeptReply(text=unpacked(text), cut=finish in CUT)
        reply = replies.setdefault(cells[-1], reply)
        reply.passages.append(passage or "")
        reply.claims.append(claim)
        reply.verdicts.append(record_of(Verdict, cells))
    return list(replies.values())
