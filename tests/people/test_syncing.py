"""Plans that bring a project to its tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.people.labelstudio.client import ServerAnnotation, ServerTask
from factmark.people.labelstudio.projects import TaskPlan, plan_tasks

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ANSWER = ServerAnnotation(
    id=1, completed_by=2, updated_by=2, created_at=NOON, updated_at=NOON, result=[]
)
WANTED = [{"key": key, "text": f"text of {key}"} for key in "abcdef"]


def carried_out(present: list[ServerTask], plan: TaskPlan) -> list[ServerTask]:
    left = [one for one in present if one.id not in plan.delete]
    start = max((one.id for one in present), default=0) + 1
    return left + [ServerTask(id=start + n, data=data) for n, data in enumerate(plan.add)]


@st.composite
def presents(draw: st.DrawFn) -> list[ServerTask]:
    """Tasks as a server may have them: some twice, changed, foreign, in any order, answered."""
    kinds = st.tuples(
        st.sampled_from("abcdefx"), st.booleans(), st.sampled_from([True, True, True, False])
    )
    out = []
    for number, (key, worked, right) in enumerate(draw(st.lists(kinds, max_size=12)), 1):
        text = f"text of {key}" if right else "other"
        answers = (ANSWER,) * worked
        out.append(ServerTask(id=number * 2, data={"key": key, "text": text}, annotations=answers))
    return out


@settings(max_examples=25)
@given(presents())
def test_after_one_plan_all_is_there_and_nothing_more_is_to_do(present: list[ServerTask]) -> None:
    plan = plan_tasks(WANTED, present)
    after = carried_out(present, plan)
    assert set("abcdef") <= {one.key for one in after}
    again = plan_tasks(WANTED, after)
    assert (again.delete, again.add) == ((), ())


@settings(max_examples=25)
@given(presents())
def test_what_was_worked_on_or_is_foreign_stays(present: list[ServerTask]) -> None:
    plan = plan_tasks(WANTED, present)
    safe = {one.id for one in present if one.annotations or one.key == "x"}
    assert not safe & set(plan.delete)


def test_what_cannot_be_mended_is_told() -> None:
    present = [
        ServerTask(id=1, data=WANTED[1], annotations=(ANSWER,)),
        ServerTask(id=2, data=WANTED[1], annotations=(ANSWER,)),
        ServerTask(id=3, data={"key": "a", "text": "changed"}, annotations=(ANSWER,)),
        ServerTask(id=4, data={}),
    ]
    plan = plan_tasks(WANTED, present)
    assert plan.problems == (
        "tasks 1 and 2 are the same, and both have answers",
        "the text of task 3 was changed on the server",
        "task 4 is not from this campaign (left as is)",
        "2 tasks stand elsewhere than planned, because others have been worked on",
    )
    assert plan.add == tuple(WANTED[2:])
