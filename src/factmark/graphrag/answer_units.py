"""Answers as they are read: what was said, as a unit to judge, and what a rule can decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from factmark.ask.tasks import Job
from factmark.graphrag.answers import Replied
from factmark.graphrag.core.answer_reply import Read, read_answer
from factmark.graphrag.core.outcomes import CORRECT, INCORRECT, VERIFIED
from factmark.graphrag.core.questions import GraphQuestion
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.material import Exchange, exchange_job

RULES_VERSION = "1"  # part of the rule judges' identity: raise it when they judge otherwise
REPLIES = Judge.create("rule", "choice replies", version=RULES_VERSION)
ABSTENTIONS = Judge.create("rule", "abstentions", version=RULES_VERSION)
NO_REFERENCE = "(none: the right answer is that it is not known)"
_OR = "; or: "
_BLOCK = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A reply as it was read.

    Attributes:
        job: the unit with its item; None where no reply came.
        ruled: the verdict that needs no judge, by which rule; None where a judge is to say.
    """

    reply: Replied
    read: Read
    job: Job | None
    ruled: tuple[Judge, Verdict] | None


def read_reply(reply: Replied) -> Answered:
    """What a reply says, as a unit to judge, and the verdict where a rule can give it."""
    if reply.status != "ok":
        return Answered(reply=reply, read=Read(said="", abstained=False), job=None, ruled=None)
    read = read_answer(reply.question, reply.text)
    item, unit = answer_job(reply, read)
    return Answered(reply=reply, read=read, job=(item, unit), ruled=_ruled(reply, read, unit))


def answer_job(reply: Replied, read: Read) -> Job:
    """An answer as a unit of the kind `graphrag`, under its question.

    It is the unit that a campaign makes of the same answer (`campaigns.unit_material`), so that
    people's verdicts land beside the judge's.
    """
    question = reply.question
    item, unit = exchange_job(
        Exchange(
            question=question.asked.replace("\n", "\n\n"),
            reference=_OR.join(question.references) or NO_REFERENCE,
            answer=read.said or reply.text.strip() or "(nothing)",
            system=reply.system,
            id=str(reply.sample),
        )
    )
    strata = {**question.strata}
    return Item(id=item.id, cluster=item.cluster, strata=strata, data=item.data), unit


def keep_ruled(answered: Iterable[Answered], ledger: Path) -> None:
    """Keeps the verdicts of rules; those that are known are not written again."""
    rows = [(*one.job, *one.ruled) for one in answered if one.job and one.ruled]
    keep_verdicts(rows, ledger)


def open_jobs(answered: Iterable[Answered]) -> tuple[list[Job], dict[str, GraphQuestion]]:
    """The units that need a judge, each once, those of a question together; item -> question."""
    jobs: dict[str, dict[str, Job]] = {}
    questions: dict[str, GraphQuestion] = {}
    for one in answered:
        if one.job is None or one.ruled is not None:
            continue
        item, unit = one.job
        questions.setdefault(item.id, one.reply.question)
        jobs.setdefault(item.id, {}).setdefault(unit.id, one.job)
    return [job for units in jobs.values() for job in units.values()], questions


def _ruled(reply: Replied, read: Read, unit: Unit) -> tuple[Judge, Verdict] | None:
    """The verdict that no judge is asked for."""
    question = reply.question
    if reply.refused:
        return _by(ABSTENTIONS, unit, INCORRECT, "the model declined to answer")
    if read.abstained and not question.references:
        return _by(ABSTENTIONS, unit, CORRECT, "the question has no answer, and it says so")
    if read.abstained:
        return _by(ABSTENTIONS, unit, INCORRECT, "it says that it does not know")
    if read.unparsed or (question.kind != "text" and read.label is None):
        said = Verdict(
            unit=unit.id, judge=REPLIES.id, status="unparsed", reason="no answer in the reply"
        )
        return REPLIES, said
    if not question.references:
        return _by(ABSTENTIONS, unit, INCORRECT, "it answers a question that has no answer")
    if question.kind == "text":
        return None
    meant = question.right or question.references[0]
    return _by(REPLIES, unit, str(read.label), f"{read.said} was said, {meant} is right")


def _by(judge: Judge, unit: Unit, label: str, reason: str) -> tuple[Judge, Verdict]:
    return judge, ruled_verdict(judge, unit, label, reason)


def ruled_verdict(judge: Judge, unit: Unit, label: str, reason: str) -> Verdict:
    """The verdict of a rule."""
    return Verdict(unit=unit.id, judge=judge.id, label=label, value=VERIFIED[label], reason=reason)


def keep_verdicts(rows: Sequence[tuple[Item, Unit, Judge, Verdict]], ledger: Path) -> None:
    """Keeps verdicts of rules; those that are known are not written again."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with Ledger(ledger) as opened:
        for start in range(0, len(rows), _BLOCK):
            with opened.writing():
                for item, unit, judge, verdict in rows[start : start + _BLOCK]:
                    opened.add_judge(judge)
                    opened.add_new_item(item)
                    opened.add_unit(unit)
                    opened.add_verdict(verdict, now)
