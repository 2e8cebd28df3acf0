"""Label Studio without a server: which answers count, whose they are, what a push has to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import people, rating_campaign
from factmark.campaign_model import Annotator
from factmark.errors import EndpointError
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import ServerAnnotation, ServerTask, Snapshot
from factmark.people.labelstudio.http import TokenError
from factmark.people.labelstudio.incoming import AnswerReader, SortedAnswers, identify_annotators
from factmark.people.labelstudio.projects import TaskPlan, plan_tasks
from factmark.people.labelstudio.pull import AnnotatorPull, PullResult, watch

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RESULT = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["4"]}}]


@pytest.fixture
def reader(tmp_path: Path) -> AnswerReader:
    with Ledger(tmp_path / "study.db") as ledger:
        campaign = rating_campaign(ledger, annotators=people("Ada", "Ben"), documents=1)
        closed = replace(campaign, closed="2026-05-02T00:00:00+00:00")
        emails = {1: "owner@example.org", 2: "ada@example.org"}
        return AnswerReader(ledger, closed, "http://127.0.0.1:1", emails)


def annotation(**fields: Any) -> ServerAnnotation:
    base = {
        "id": 1,
        "completed_by": 2,
        "updated_by": 2,
        "created_at": NOON,
        "updated_at": NOON,
        "result": RESULT,
    }
    return ServerAnnotation(**{**base, **fields})


def read(
    reader: AnswerReader, *annotations: ServerAnnotation, task: int = 0, **changed: Any
) -> SortedAnswers:
    """The answers to one task of the campaign, of which Ada's come first, then Ben's."""
    data = {**list(reader.wanted.values())[task], **changed}
    there = ServerTask(id=7, data=data, annotations=annotations)
    return reader.sort("A1", [(3, Snapshot(tasks=(there,), unreadable=(8,)))], 2)


def test_time_between_making_and_changing_tells_whether_it_is_the_first(
    reader: AnswerReader,
) -> None:
    for seconds, first in ((0.0, True), (1.0, True), (1.2, False), (3600.0, False)):
        changed = annotation(updated_at=NOON + timedelta(seconds=seconds))
        assert [one.first for one in read(reader, changed).revisions] == [first]


def test_an_answer_has_an_id_of_its_own_and_only_the_newest_counts(reader: AnswerReader) -> None:
    other = [{**RESULT[0], "value": {"choices": ["5"]}}]
    later = NOON + timedelta(hours=1)
    kinds = ({}, {"result": other}, {"id": 2}, {"updated_at": later})
    ids = [read(reader, annotation(**kind)).revisions[0].id for kind in kinds]
    assert len(set(ids)) == len(ids)
    assert read(reader, annotation()).revisions[0].id == ids[0]
    both = read(reader, annotation(id=3, result=other, updated_at=later), annotation())
    assert [one.response.label for one in both.revisions] == ["5"]
    assert "there is a newer answer of the same person" in both.refused[1].reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"text": "Something else."}, "the text of its task was changed on the server"),
        ({"key": "0" * 32}, "its task is not of this campaign"),
        ({"task": 3}, "its task is on another annotator's list"),
        ({"place": "elsewhere"}, ""),  # shows the same
    ],
)
def test_changed_and_foreign_tasks_do_not_count(
    reader: AnswerReader, changed: dict[str, Any], reason: str
) -> None:
    found = read(reader, annotation(), **changed)
    assert [one.reason for one in found.refused[1:]] == [reason] * bool(reason)
    assert len(found.revisions) == (not reason)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"completed_by": None}, "by nobody who is on the server"),
        ({"completed_by": 9}, "by nobody who is on the server"),
        ({"completed_by": 1, "updated_by": 1}, "not by the annotator"),
        ({"updated_by": 1}, "last changed by somebody else"),
        ({"updated_by": None}, "does not tell who wrote it"),
        ({"was_cancelled": True}, "its task was skipped"),
        ({"updated_at": NOON + timedelta(days=1)}, "given after the campaign was closed"),
        ({"result": None}, "its result is no list"),
        ({"result": RESULT * 5_001}, "more than 5000 regions"),
        ({"result": [{**RESULT[0], "value": {"choices": ["7" * 9_000]}}]}, "it has the label '777"),
    ],
)
def test_what_does_not_count_has_a_reason(
    reader: AnswerReader, fields: dict[str, Any], reason: str
) -> None:
    found = read(reader, annotation(**fields))
    unreadable, refused = found.refused
    assert (found.revisions, unreadable.where) == ([], "project 3, task 8")
    assert reason in refused.reason
    assert refused.where.startswith("project 3, task 7, annotation 1 by ")
    assert len(refused.reason) < 200
    assert "@" not in refused.reason
    assert len(refused.raw) < 30_000


OWNER = 1
EMAILS = {1: "owner@x.org", 2: "ada@x.org", 3: "ben@x.org", 4: "eve@x.org"}
ADA, BEN = people("Ada", "Ben")
MAIL = Annotator(code="A1", name="Ada", email=" ADA@x.org ")


LATE = Annotator(code="A2", name="Ben", email="later@x.org")
TWIN = Annotator(code="A2", name="Ben", email="ada@x.org")


@pytest.mark.parametrize(
    ("annotators", "bound", "raters", "users", "why"),
    [
        ((ADA, BEN), {}, {"A1": {2}, "A2": {3}}, {"A1": 2, "A2": 3}, {}),  # who alone answered
        ((ADA, BEN), {}, {"A1": {2, 4}}, {}, {"A1": "--who", "A2": "nobody"}),
        ((ADA, BEN), {}, {"A1": {OWNER, 2}}, {"A1": 2}, {"A2": "nobody"}),
        ((ADA, BEN), {}, {"A1": {3}, "A2": {3}}, {}, {"A1": "--who", "A2": "--who"}),
        ((ADA, BEN), {}, {"A1": {OWNER}, "A2": {3}}, {"A2": 3}, {"A1": "nobody"}),
        ((ADA, BEN), {"A1": 2}, {"A2": {2}}, {"A1": 2}, {"A2": "nobody"}),
        ((ADA, BEN), {"A1": 4}, {"A1": {2}, "A2": {3}}, {"A1": 4, "A2": 3}, {}),  # as it was known
        # an address is believed before deeds
        ((MAIL, LATE), {}, {"A1": {4}, "A2": {3}}, {"A1": 2}, {"A2": "signed up as later@x.org"}),
        ((MAIL, TWIN), {}, {}, {"A1": 2}, {"A2": "another annotator already"}),
    ],
)
def test_who_is_who(
    annotators: tuple[Annotator, ...],
    bound: dict[str, int],
    raters: dict[str, set[int]],
    users: dict[str, int],
    why: dict[str, str],
) -> None:
    found, reasons = identify_annotators(
        annotators, emails=EMAILS, bound=bound, raters=raters, owner=OWNER
    )
    assert (found, reasons.keys()) == (users, why.keys())
    assert all(part in reasons[code] for code, part in why.items())


def pulled(answered: int, new: int = 0, **more: object) -> PullResult:
    part = {
        "code": "A1",
        "name": "Ada",
        "projects": (1,),
        "user": "",
        "tasks": 2,
        "refused": (),
        "gone": (),
        "missing": 0,
        "problem": "",
        "answered": answered,
        "new": new,
    }
    ada = AnnotatorPull(**(part | more))  # type: ignore[arg-type]  # as the field wants
    return PullResult(url="http://s", annotators=(ada,), refused_new=0)


async def lines_of(*turns: PullResult | Exception) -> list[str]:
    told: list[str] = []
    left = iter(turns)

    async def pull() -> PullResult:
        turn = next(left)
        if isinstance(turn, Exception):
            raise turn
        return turn

    async def sleep() -> None:
        pass

    assert (await watch(pull, sleep=sleep, tell=told.append)).done
    return told


async def test_tells_changes_and_outlives_an_absence() -> None:
    away = EndpointError("http://s cannot be reached.")
    told = await lines_of(
        pulled(0),
        pulled(1, 1),
        pulled(1),
        away,
        away,
        pulled(1, problem="nobody knows who"),
        pulled(1, problem="nobody knows who"),
        pulled(2, 1),
    )
    assert told == [
        "A1 Ada: 0 of 2",
        "A1 Ada: 1 of 2; 1 new or changed",
        "http://s cannot be reached. Trying again.",
        "http://s answers again.",
        "A1 Ada: 1 of 2; nobody knows who",
        "A1 Ada: 2 of 2; 1 new or changed",
    ]


async def test_ends_with_a_token_that_is_not_taken() -> None:
    with pytest.raises(TokenError):
        await lines_of(pulled(0), TokenError("past its time"))


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
        "not from this campaign, and left as it is: task 4",
    )
    assert plan.add == tuple(WANTED[2:])


def test_what_was_dealt_to_others_goes_unless_it_was_worked_on() -> None:
    present = [
        ServerTask(id=1, data=WANTED[0]),
        ServerTask(id=2, data=WANTED[1]),
        ServerTask(id=3, data=WANTED[2], annotations=(ANSWER,)),
    ]
    plan = plan_tasks(WANTED[:1], present, released={"a", "b", "c"})
    assert (plan.delete, plan.add) == ((2,), ())
    assert plan.problems == (
        "task 3 was answered here, and is on another list too; pull takes the answer",
    )
