"""Label Studio without a server: which answers count, whose they are, what a push has to do."""

from __future__ import annotations

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
from factmark.people.labelstudio.incoming import AnswerReader, SortedAnswers, identify
from factmark.people.labelstudio.projects import TaskPlan, plan_tasks
from factmark.people.labelstudio.pull import Pulled, PulledFrom, watch

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RESULT = [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["4"]}}]


@pytest.fixture
def reader(tmp_path: Path) -> AnswerReader:
    with Ledger(tmp_path / "study.db") as ledger:
        campaign = rating_campaign(ledger, annotators=people("Ada"), documents=1)
        emails = {1: "owner@example.org", 2: "ada@example.org"}
        return AnswerReader(ledger, campaign, "http://127.0.0.1:1", emails)


def annotation(**fields: Any) -> ServerAnnotation:
    base = {
        "id": 1, "completed_by": 2, "updated_by": 2, "created_at": NOON, "updated_at": NOON,
        "result": RESULT,
    }  # fmt: skip
    return ServerAnnotation(**{**base, **fields})


def read(reader: AnswerReader, *annotations: ServerAnnotation, **snapshot: Any) -> SortedAnswers:
    data = next(iter(reader.wanted.values()))
    task = ServerTask(id=7, data=data, annotations=annotations)
    return reader.sort("A1", [(3, Snapshot(tasks=(task,), **snapshot))], 2, "")


def test_time_between_making_and_changing_tells_whether_it_is_the_first(
    reader: AnswerReader,
) -> None:
    for seconds, first in ((0.0, True), (1.0, True), (1.2, False), (3600.0, False)):
        changed = annotation(updated_at=NOON + timedelta(seconds=seconds))
        assert [one.first for one in read(reader, changed).revisions] == [first]


def test_same_answer_has_the_same_id_and_another_one_another(reader: AnswerReader) -> None:
    other = [{**RESULT[0], "value": {"choices": ["5"]}}]
    later = NOON + timedelta(hours=1)
    kinds = ({}, {"result": other}, {"id": 2}, {"updated_at": later})
    ids = [read(reader, annotation(**kind)).revisions[0].id for kind in kinds]
    assert len(set(ids)) == len(ids)
    assert read(reader, annotation()).revisions[0].id == ids[0]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"completed_by": None}, "by nobody who is on the server"),
        ({"completed_by": 9}, "by nobody who is on the server"),
        ({"completed_by": 1, "updated_by": 1}, "not by the annotator"),
        ({"updated_by": 1}, "last changed by somebody else"),
        ({"updated_by": None}, "does not tell who wrote it"),
        ({"was_cancelled": True}, "its task was skipped"),
        ({"result": None}, "its result is no list"),
        ({"result": "4"}, "its result is no list"),
        ({"result": [4]}, "a region that is no object"),
        ({"result": RESULT * 5_001}, "more than 5000 regions"),
        ({"result": [{**RESULT[0], "value": {"choices": ["7" * 9_000]}}]}, "it has the label '777"),
    ],
)
def test_what_does_not_count_has_a_reason(
    reader: AnswerReader, fields: dict[str, Any], reason: str
) -> None:
    found = read(reader, annotation(**fields))
    assert found.revisions == []
    assert reason in found.refused[0].reason
    assert found.refused[0].where.startswith("project 3, task 7, annotation 1 by ")
    assert len(found.refused[0].reason) < 200
    assert "@" not in found.refused[0].reason
    assert len(found.refused[0].raw) < 30_000


def test_task_that_the_server_cannot_show_is_told(reader: AnswerReader) -> None:
    found = read(reader, unreadable=(8,))
    assert [one.where for one in found.refused] == ["project 3, task 8"]
    assert found.there == {next(iter(reader.tasks))}


OWNER = 1
EMAILS = {1: "owner@x.org", 2: "ada@x.org", 3: "ben@x.org", 4: "eve@x.org"}
ADA, BEN = Annotator(code="A1", name="Ada"), Annotator(code="A2", name="Ben")


def who_is_who(
    *people: Annotator, bound: dict[str, int] | None = None, **raters: set[int]
) -> tuple[dict[str, int], dict[str, str]]:
    return identify(
        people or (ADA, BEN), emails=EMAILS, bound=bound or {}, raters=raters, owner=OWNER
    )


def test_who_alone_answered_is_the_annotator() -> None:
    who = who_is_who(A1={2}, A2={3})
    assert who == ({"A1": 2, "A2": 3}, {})


def test_nobody_is_guessed_among_several() -> None:
    who = who_is_who(A1={2, 4}, A2=set())
    assert who[0] == {}
    assert "several people" in who[1]["A1"]
    assert "ada@x.org, eve@x.org" in who[1]["A1"]
    assert who[1]["A2"] == "nobody has answered in this project"


def test_others_who_are_known_do_not_confuse() -> None:
    assert who_is_who(A1={2, 3}, A2={3})[0] == {"A1": 2, "A2": 3}
    assert who_is_who(A1={OWNER, 2})[0] == {"A1": 2}


def test_who_alone_answered_in_two_projects_is_guessed_to_be_nobody() -> None:
    who = who_is_who(A1={3}, A2={3})
    assert who[0] == {}
    assert "ben@x.org alone answered in this project, and in another" in who[1]["A1"]
    assert who_is_who(ADA, BEN, Annotator(code="A3", name="Cy"), A1={3}, A2={3}, A3={4})[0] == {
        "A3": 4
    }


def test_owner_and_other_annotators_are_not_taken() -> None:
    who = who_is_who(A1={OWNER}, A2={3})
    assert "only the owner" in who[1]["A1"]
    assert "other annotators" in who_is_who(bound={"A1": 2}, A2={2})[1]["A2"]


def test_what_was_known_stays() -> None:
    assert who_is_who(bound={"A1": 4}, A1={2}, A2={3})[0] == {"A1": 4, "A2": 3}


def test_an_address_is_believed_before_deeds() -> None:
    ada = Annotator(code="A1", name="Ada", email=" ADA@x.org ")
    later = Annotator(code="A2", name="Ben", email="later@x.org")
    who = who_is_who(ada, later, A1={4}, A2={3})
    assert who[0] == {"A1": 2}
    assert who[1] == {"A2": "nobody has signed up as later@x.org"}
    twin = Annotator(code="A2", name="Ben", email="ada@x.org")
    assert "another annotator already" in who_is_who(ada, twin)[1]["A2"]


def pulled(answered: int, new: int = 0, **more: object) -> Pulled:
    part = {
        "code": "A1", "name": "Ada", "projects": (1,), "user": "", "tasks": 2, "refused": (),
        "gone": (), "missing": 0, "problem": "", "answered": answered, "new": new,
    }  # fmt: skip
    ada = PulledFrom(**(part | more))  # type: ignore[arg-type]  # as the field wants
    return Pulled(url="http://s", annotators=(ada,), refused_new=0)


async def lines_of(*turns: Pulled | Exception) -> list[str]:
    told: list[str] = []
    left = iter(turns)

    async def pull() -> Pulled:
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
        pulled(0), pulled(1, 1), pulled(1), away, away,
        pulled(1, problem="nobody knows who"), pulled(1, problem="nobody knows who"), pulled(2, 1),
    )  # fmt: skip
    assert told == [
        "A1 Ada: 0 of 2",
        "A1 Ada: 1 of 2, 1 new or changed",
        "http://s cannot be reached. Trying again.",
        "http://s answers again.",
        "A1 Ada: 1 of 2; nobody knows who",
        "A1 Ada: 2 of 2, 1 new or changed",
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
        "task 4 is not from this campaign (left as is)",
        "2 tasks stand elsewhere than planned, because others have been worked on",
    )
    assert plan.add == tuple(WANTED[2:])
