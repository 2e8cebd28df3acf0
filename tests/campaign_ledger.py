"""A ledger with a campaign that people answered, made as the program makes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from factmark.campaign_model import PersonResponse, Refused, Revision, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import create_campaign, secret_of, task_key
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import refuse
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.verdicts import take_ratings
from sample_campaign import Asked, asked, campaign, summary

Given = Sequence[tuple[str, str]]
"""Labels with comments, the newest last."""


def coarse_ledger(
    path: Path, said: Mapping[Asked, Given], *, judge: Mapping[str, str] | None = None
) -> Path:
    """Summaries with what annotators said of them, in the order of the tasks.

    Args:
        judge: unit -> the label that a model `m1` gave it.
    """
    subjects = {(d, s): summary(d, s) for _, d, s in said}
    people = campaign(people=len({a for a, _, _ in said}))
    with Ledger(path) as ledger:
        made = create_campaign(
            ledger,
            people,
            items=[Item(id=d, cluster=d) for d in {d for d, _ in subjects}],
            units=[
                Unit(id=one.id, item=d, kind="summary", text=one.text, data={"system": s})
                for (d, s), one in subjects.items()
            ],
            shown={
                one.id: Shown(evidence=one.evidence, text=one.text) for one in subjects.values()
            },
            assignments=asked((a, subjects[d, s]) for a, d, s in said),
        )
        secret = secret_of(ledger, made)
        take_ratings(
            ledger,
            made,
            [
                Revision(
                    id=f"{a}-{d}-{s}-{at}",
                    key=task_key(secret, a, subjects[d, s].id),
                    response=PersonResponse(label=label, comment=comment),
                    seconds=60.0 * (at + 1),
                    at=f"2026-01-01T00:{at:02}:00.000000+00:00",
                    source="page",
                    first=at == 0,
                )
                for (a, d, s), given in said.items()
                for at, (label, comment) in enumerate(given)
            ],
            protocol_of,
        )
        refuse(
            ledger,
            made,
            [Refused(id="r1", key="", where="task 1", reason="it has no label", raw="{}")],
        )
        if judge:
            model = Judge.create("model", "m1")
            _judged(ledger, model, judge)
    return path


def _judged(ledger: Ledger, model: Judge, labels: Mapping[str, str]) -> None:
    with ledger.writing():
        ledger.add_judge(model)
        for unit, label in labels.items():
            verdict = Verdict(unit=unit, judge=model.id, label=label, value=float(label))
            ledger.add_verdict(verdict, "2026-01-02T00:00:00+00:00")
