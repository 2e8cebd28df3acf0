"""Reads the kept replies of a ledger's model judges anew, with the parser of this version."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from factmark.ask.chat import CUT
from factmark.graphrag.core.verification_rubric import HOLDS, VERIFY
from factmark.graphs.core.rubrics import RUBRICS
from factmark.ledger.export import open_existing
from factmark.ledger.ledger import Ledger
from factmark.model import Verdict
from factmark.replies.rubric import Rubric

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
            for reply in _replies(ledger, judge):
                old, labels = reply.verdicts, list[str | None]()
                if rubric and samples == 1:
                    labels = rubric.parse(reply.text, reply.claims, reply.passage, cut=reply.cut)
                if not labels or (len(old) > 1 and None in labels):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """A kept reply with what it was about, in the order of its claims.

    Attributes:
        verdicts: the newest ones that rest on it.
    """

    text: str
    cut: bool
    passage: str
    claims: list[str] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)


def _replies(ledger: Ledger, judge: str) -> list[_Reply]:
    rows = ledger.connection.execute(
        "SELECT c.text, c.finish_reason, u.text, json_extract(u.data, '$.passage'), "
        "v.call, v.unit, v.status, v.label, v.value, v.reason "
        "FROM verdicts v JOIN units u ON u.id = v.unit "
        "JOIN calls c ON c.key = v.call AND c.status = 'ok' "
        "WHERE v.judge = ? AND v.status IN ('ok', 'unparsed') AND v.number = ("
        " SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge) "
        "AND c.number = (SELECT min(number) FROM calls WHERE key = v.call AND status = 'ok') "
        "ORDER BY v.call, v.number",
        (judge,),
    )
    replies: dict[str, _Reply] = {}
    for text, finish, claim, passage, call, unit, status, label, value, reason in rows:
        reply = _Reply(text=text, cut=finish in CUT, passage=passage or "")
        reply = replies.setdefault(call, reply)
        reply.claims.append(claim)
        reply.verdicts.append(
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
    return list(replies.values())


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
