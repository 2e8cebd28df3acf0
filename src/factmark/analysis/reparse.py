"""Models' replies in a ledger, read anew by this version's parser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from factmark.graph_answers.core.rubrics import HOLDS, VERIFY
from factmark.graphs.core.rubrics import RUBRICS
from factmark.ledger.ledger import open_existing
from factmark.ledger.verdicts import judges_kept, kept_replies
from factmark.model import Verdict
from factmark.replies.rubric import Rubric

_BY_ID = {rubric.id: rubric for rubric in (*RUBRICS.values(), VERIFY, HOLDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReparseCounts:
    """How many verdicts were read anew, and what became of them.

    Attributes:
        read: verdicts whose reply was read again.
        changed: those that are another one now.
        left_alone: verdicts that cannot be read again: votes of several samples, replies to several
            claims of which some were not found, rubrics of another version.
    """

    read: int
    changed: int
    left_alone: int


def reparse(path: Path) -> ReparseCounts:
    """Reads every reply again that a verdict of a model rests on; makes no call.

    A verdict that comes out otherwise is added, and counts from then on; the earlier one remains.

    Raises:
        LedgerError: there is no such ledger, or it cannot be written.
    """
    read = changed = left_alone = 0
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with open_existing(path) as ledger, ledger.writing():
        for judge in judges_kept(ledger, "model"):
            rubric = _BY_ID.get(str(judge.parameters.get("rubric")))
            samples = judge.parameters.get("samples") or 1
            for reply in kept_replies(ledger, judge.id):
                old = reply.verdicts
                labels = list[str | None]()
                if rubric and samples == 1:
                    labels = rubric.parse(reply.text, reply.claims, reply.passages, cut=reply.cut)
                if not labels or (len(old) > 1 and None in labels):
                    left_alone += len(old)
                    continue
                for verdict, label in zip(old, labels, strict=True):
                    read += 1
                    if label != verdict.label and rubric is not None:
                        changed += 1
                        ledger.add_verdict(_reread_verdict(verdict, label, rubric), now)
    return ReparseCounts(read=read, changed=changed, left_alone=left_alone)


def _reread_verdict(old: Verdict, label: str | None, rubric: Rubric) -> Verdict:
    """Returns a verdict with the label that its reply has by this parser."""
    value = None
    if label is not None:
        value = rubric.values[label]
    reason = "no label in the reply"
    if label is not None:
        reason = old.reason
    return Verdict(
        unit=old.unit,
        judge=old.judge,
        status="unparsed" if label is None else "ok",
        label=label,
        value=value,
        reason=reason,
        call=old.call,
    )
