"""A rubric as a model is asked by it: the request about some claims, and the task of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from factmark.ask.chat import Message, Request
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Task, model_judge
from factmark.model import Unit
from factmark.replies.rubric import Rubric

Asked = tuple[Sequence[str], str]


def rubric_request(rubric: Rubric, claims: Sequence[str], evidence: str) -> Request:
    """What a model is asked about claims that share their evidence."""
    told = rubric.messages(claims, evidence)
    return Request(
        messages=tuple(Message(role=one.role, content=one.content) for one in told),
        schema=rubric.schema(len(claims)),
    )


def rubric_task(
    spec: ModelSpec,
    rubric: Rubric,
    asked: Callable[[Sequence[Unit]], Asked],
    *,
    batch: int,
    samples: int,
    group: Callable[[Unit], object],
    without_evidence: Rubric | None = None,
    **parameters: object,
) -> Task:
    """What a model is asked about units, and how its replies are read.

    Args:
        asked: the claims that some units are, and the evidence that they are judged by.
        group: only neighbours of the same group share a request.
        without_evidence: what is asked about units without evidence, with the same answers.
        parameters: further settings that could change a verdict, as JSON values.
    """
    alone = without_evidence or rubric

    def prompt(units: Sequence[Unit]) -> Request:
        claims, evidence = asked(units)
        return rubric_request(rubric if evidence else alone, claims, evidence)

    def parse(reply: str, units: Sequence[Unit], cut: bool) -> list[str | None]:
        claims, evidence = asked(units)
        return (rubric if evidence else alone).parse(reply, claims, evidence, cut=cut)

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
        reason=lambda reply: reply.strip()[:500],
        group=group,
    )
