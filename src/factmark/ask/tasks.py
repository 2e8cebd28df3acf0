"""What a model is asked about units, how its replies are read, and how its votes are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.ask.chat import Request
from factmark.ask.model_spec import ModelSpec
from factmark.model import Item, Judge, Status, Unit, Verdict
from factmark.replies.rubric import Rubric

Job = tuple[Item, Unit]
"""A unit to judge, with the item that it belongs to."""

Claims = tuple[Sequence[str], str | Sequence[str]]
"""The claims that some units are, and the evidence that they are judged by: one for all of them,
or one for each."""

_REMINDER = (
    "Your last reply held no readable verdict for this. Reply in the form asked for above, with "
    "one of the labels offered for each claim, and nothing else."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How units are asked about and how replies are read; a rubric as functions.

    Attributes:
        judge: who judges, see `model_judge`.
        prompt: the request for one unit or for several at once.
        parse: the labels in a reply to some units, in their order; None for each that is not
            there. It is told whether the reply was cut off at its limit. A reply of another length
            than asked counts as far as it goes.
        values: the value of each label; no other label is taken for one.
        group: only neighbours of the same group share a request, such as a passage.
        unasked: why nobody is asked about a unit, such as for want of evidence; empty where the
            model is. It stays undecided for that reason.
    """

    judge: Judge
    prompt: Callable[[Sequence[Unit]], Request]
    parse: Callable[[str, Sequence[Unit], bool], Sequence[str | None]]
    values: Mapping[str, float | None]
    group: Callable[[Unit], object] = lambda unit: None
    unasked: Callable[[Unit], str] = lambda unit: ""

    def request(self, units: Sequence[Unit], *, sample: int = 0, attempt: int = 0) -> Request:
        """The request for some units; with the reminder where it is asked again."""
        request = replace(self.prompt(units), sample=sample)
        if attempt:
            return request.asked_again(_REMINDER)
        return request


def model_judge(
    spec: ModelSpec, *, rubric: str, batch: int = 1, samples: int = 1, **parameters: object
) -> Judge:
    """Returns the identity of a model that judges by a rubric; its id follows from all that could
    change a verdict.

    Args:
        rubric: name and version of the rubric, parser included.
        parameters: further settings that could change a verdict, as JSON values.
    """
    judge = Judge.create(
        "model",
        spec.lasting_name,
        **spec.signature,
        rubric=rubric,
        batch=batch,
        samples=samples,
        **parameters,
    )
    return replace(judge, name=spec.name)


def rubric_task(
    spec: ModelSpec,
    rubric: Rubric,
    asked: Callable[[Sequence[Unit]], Claims],
    *,
    batch: int,
    samples: int,
    group: Callable[[Unit], object],
    unasked: Callable[[Unit], str] = lambda unit: "",
    **parameters: object,
) -> Task:
    """Returns what a model is asked about units by a rubric, and how its replies are read.

    Args:
        asked: what units are to be judged.
        group: only neighbours of the same group share a request.
        unasked: see `Task`.
        parameters: further settings that could change a verdict, as JSON values.
    """

    def prompt(units: Sequence[Unit]) -> Request:
        claims, evidence = asked(units)
        system, question = rubric.prompt(claims, evidence)
        return Request.of(question, system=system, schema=rubric.schema(len(claims)))

    def parse(reply: str, units: Sequence[Unit], cut: bool) -> list[str | None]:
        claims, evidence = asked(units)
        return rubric.parse(reply, claims, evidence, cut=cut)

    return Task(
        judge=model_judge(
            spec,
            rubric=rubric.id,
            batch=batch,
            samples=samples,
            rubric_name=rubric.name,
            **parameters,
        ),
        prompt=prompt,
        parse=parse,
        values=rubric.values,
        group=group,
        unasked=unasked,
    )


def count_votes(votes: Sequence[Verdict | None]) -> Verdict | None:
    """Returns the verdict of one or more samples on a unit: the label that most of them gave.

    Votes without a label do not count against one. A tie is no verdict (`unparsed`). None if a
    sample was not asked.
    """
    given = []
    for vote in votes:
        if vote is not None:
            given.append(vote)
    if len(given) < len(votes):
        return None
    labels = Counter(vote.label for vote in given if vote.label is not None)
    if not labels:
        return min(given, key=lambda vote: _ORDER.index(vote.status))
    (label, most), *others = labels.most_common(2)
    tally = ", ".join(f"{label} {number}" for label, number in sorted(labels.items()))
    first = next(vote for vote in given if vote.label == label)
    if others and others[0][1] == most:
        reason = f"votes tied: {tally}"
        return replace(first, status="unparsed", label=None, value=None, reason=reason, call=None)
    reason = first.reason
    if len(given) > 1:
        reason = f"votes of {len(given)}: {tally}" + (f". {reason}" if reason else "")
    return replace(first, reason=reason)


_ORDER: Sequence[Status] = ("refused", "unparsed", "failed")


def batches(
    jobs: Iterable[Job], group_of: Callable[[Unit], object], size: int
) -> Iterator[list[Job]]:
    """Yields neighbours of one group, so many at a time; the bounds follow from the jobs alone."""
    batch: list[Job] = []
    group: object = None
    for job in jobs:
        theirs = None
        if size > 1:
            theirs = group_of(job[1])
        if batch and (len(batch) >= size or theirs != group):
            yield batch
            batch = []
        group = theirs
        batch.append(job)
    if batch:
        yield batch
