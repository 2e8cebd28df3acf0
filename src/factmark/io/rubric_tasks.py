"""A rubric as a model is asked by it: the request about some claims, and the task of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from factmark.io.chat import Message, ModelSpec, Request
from factmark.judging import Task, model_judge
from factmark.model import Unit
from factmark.rubrics import Rubric


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
    prompt: Callable[[Sequence[Unit]], Request],
    *,
    batch: int,
    samples: int,
    group: Callable[[Unit], object],
    **parameters: object,
) -> Task:
    """What a model is asked about units, and how its replies are read.

    Args:
        group: only neighbours of the same group share a request.
        parameters: further settings that could change a verdict, as JSON values.
    """
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
        parse=rubric.parse,
        parse_cut=partial(rubric.parse, cut=True),
        values=rubric.values,
        reason=lambda reply: reply.strip()[:500],
        group=group,
    )
