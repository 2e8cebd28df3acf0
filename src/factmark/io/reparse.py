"""Reads the kept replies of a ledger's model judges anew, with the parser of this version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from factmark.io.chat.records import CUT
from factmark.io.graph_judges import RUBRICS
from factmark.io.ledger import Ledger
from factmark.io.ledger_rows import open_existing
from factmark.model import Verdict
from factmark.rubrics import HOLDS, VERIFY, Rubric

_BY_ID = {rubric.id: rubric for rubric in (*RUBRICS.values(), VERIFY, HOLDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsed:
    """What reading anew came to.

    Attributes:
        read: verdicts whose reply was read again.
        changed: those that are another one now.
        left_alone: verdicts that cannot be read again: votes of several samples, replies to several
            claims of which some were not found, rubrics of another version.
    """

    read: int
    changed: int
    left_alone: int


def reparse(path: Path) -> Reparsed:
    """Reads every reply again that a verdict of a model rests on; makes no call.

    A verdict that comes out otherwise is added, and counts from then on; the earlier one remains.

    Raises:
        LedgerError: there is no such ledger, or it cannot be written.
    """
    read = changed = left_alone = 0
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with open_existing(path) as ledger, ledger.writing():
        for judge, rubric, samples in _judges(ledger):
            for text, cut, old in list(_replies(ledger, judge)):
                labels = rubric.parse(text, len(old), cut=cut) if rubric and samples == 1 else []
                if len(labels) != len(old) or (len(old) > 1 and None in labels):
                    left_alone += len(old)
                    continue
                for verdict, label in zip(old, labels, strict=True):
                    read += 1
                    if label != verdict.label and rubric is not None:
                        changed += 1
                        ledger.add_verdict(_again(verdict, label, rubric), now)
    return Reparsed(read=read, changed=changed, left_alone=left_alone)


def _judges(ledger: Ledger) -> list[tuple[str, Rubric | None, int]]:
    rows = ledger.connection.execute(
        "SELECT id, json_extract(parameters, '$.rubric'), json_extract(parameters, '$.samples') "
        "FROM judges WHERE kind = 'model'"
    )
    return [(judge, _BY_ID.get(rubric), samples or 1) for judge, rubric, samples in rows.fetchall()]


def _replies(ledger: Ledger, judge: str) -> Iterator[tuple[str, bool, list[Verdict]]]:
    """Each reply's text, whether it was cut off, and the newest verdicts that rest on it, in the
    order of its claims."""
    rows = ledger.connection.execute(
        "SELECT c.text, c.finish_reason, v.call, v.unit, v.status, v.label, v.value, v.reason "
        "FROM verdicts v "
        "JOIN calls c ON c.key = v.call AND c.status = 'ok' "
        "WHERE v.judge = ? AND v.status IN ('ok', 'unparsed') AND v.number = ("
        " SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge) "
        "AND c.number = (SELECT min(number) FROM calls WHERE key = v.call AND status = 'ok') "
        "ORDER BY v.call, v.number",
        (judge,),
    )
    text, cut, key, verdicts = "", False, None, list[Verdict]()
    for said, finish, call, unit, status, label, value, reason in rows:
        if call != key and verdicts:
            yield text, cut, verdicts
            verdicts = []
        text, cut, key = said, finish in CUT, call
        verdicts.append(
            Verdict(
                unit=unit,
                judge=judge,
                status=status,
                label=label,
                value=value,
                reason=reason,
                call=call,
            )
        )
    if verdicts:
        yield text, cut, verdicts


def _again(old: Verdict, label: str | None, rubric: Rubric) -> Verdict:
    return Verdict(
        unit=old.unit,
        judge=old.judge,
        status="unparsed" if label is None else "ok",
        label=label,
        value=None if label is None else rubric.values[label],
        reason="no label in the reply" if label is None else old.reason,
        call=old.call,
    )
