"""The client against a real Label Studio server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from factmark.errors import EndpointError
from factmark.http.retries import RetryPolicy
from factmark.people.labelstudio.client import LabelStudio, Project
from judging_setup import at_once
from servers.label_studio import Person, RealServer, choice, sign_up

pytestmark = pytest.mark.label_studio

CONFIG = (
    '<View><Text name="source" value="$article"/><Text name="summary" value="$summary"/>'
    '<Choices name="rating" toName="summary" choice="single-radio" required="true">'
    + "".join(f'<Choice value="{n}" hotkey="{n}"/>' for n in range(6))
    + '</Choices><TextArea name="comment" toName="summary" maxSubmissions="1"/></View>'
)


def studio(server: RealServer, token: str = "") -> LabelStudio:
    return LabelStudio(server.url, token or server.token, retry=RetryPolicy(sleep=at_once))


@pytest.fixture(scope="module")
def ada(label_studio: RealServer) -> Person:
    return sign_up(label_studio, "ada@example.org", "a-long-password-1", "Ada King Lovelace")


@pytest.fixture(scope="module")
def ben(label_studio: RealServer) -> Person:
    return sign_up(label_studio, "ben@example.org", "a-long-password-2", "Ben")


async def project(client: LabelStudio, title: str = "Box", tasks: int = 0) -> Project:
    made = await client.create_project(
        title=title, description="of a test", label_config=CONFIG, instruction="<b>Rate.</b>"
    )
    data = [{"article": f"Source {n}.", "summary": f"Summary {n}."} for n in range(tasks)]
    await client.import_tasks(made.id, data)
    return made


async def test_who_is_there(label_studio: RealServer, ada: Person, ben: Person) -> None:
    async with studio(label_studio) as client:
        assert (await client.version()).startswith("1.23.")
        assert (await client.me()).email == label_studio.email
        users = await client.users()
        assert users[ada.id].email == "ada@example.org"
        assert (users[ada.id].first_name, users[ada.id].last_name) == ("Ada", "King Lovelace")
        assert users[ben.id].email == "ben@example.org"
        link = await client.invite_link()
        assert link.startswith(f"{label_studio.url}/user/signup/?token=")
    async with studio(label_studio, ada.token) as client:
        assert (await client.me()).id == ada.id


async def test_a_project_is_made_changed_and_deleted(label_studio: RealServer) -> None:
    async with studio(label_studio) as client:
        made = await project(client, "Ada — Summarization Evaluation")
        settings = label_studio.owner().done("GET", f"/api/projects/{made.id}/")
        assert {name: settings[name] for name in ("sampling", "maximum_annotations")} == {
            "sampling": "Sequential sampling",
            "maximum_annotations": 1,
        }
        assert settings["show_instruction"] is True
        assert settings["show_skip_button"] is settings["enable_empty_annotation"] is False
        changed = await client.change_project(made.id, description="closed")
        assert (changed.id, changed.description) == (made.id, "closed")
        (found,) = [one for one in await client.projects() if one.id == made.id]
        assert (found.title, found.task_number) == ("Ada — Summarization Evaluation", 0)
        assert (found.label_config, found.expert_instruction) == (CONFIG, "<b>Rate.</b>")
        await client.delete_project(made.id)
        assert made.id not in [one.id for one in await client.projects()]
        await client.delete_project(made.id)  # as after a lost answer
        with pytest.raises(EndpointError, match="404: No Project"):
            await client.tasks(made.id)


@pytest.mark.parametrize(("title", "said"), [("x" * 51, "50 characters"), ("xy", "at least 3")])
async def test_a_title_of_the_wrong_length(label_studio: RealServer, title: str, said: str) -> None:
    async with studio(label_studio) as client:
        with pytest.raises(EndpointError, match=said):
            await project(client, title)


async def test_tasks_in_their_order_over_pages(label_studio: RealServer) -> None:
    async with studio(label_studio) as client:
        made = await project(client)
        data = [{"article": "A \ud800 é", "summary": f"Summary {n}."} for n in range(1_150)]
        ids = await client.import_tasks(made.id, data)
        tasks = await client.tasks(made.id)
        assert tuple(task.id for task in tasks) == ids
        assert [task.inner_id for task in tasks] == list(range(1, 1_151))
        assert [task.data["summary"] for task in tasks] == [one["summary"] for one in data]
        assert tasks[0].data["article"] == "A \ufffd é"  # else nobody could read the project
        assert not any(task.is_labeled for task in tasks)
        await client.delete_task(ids[500])
        await client.delete_task(ids[500])
        snapshot = await client.snapshot(made.id)
        assert [task.id for task in snapshot.tasks] == [*ids[:500], *ids[501:]]
        assert await client.import_tasks(made.id, []) == ()
        await client.delete_project(made.id)


async def test_tasks_that_do_not_fit_the_project_are_not_imported(
    label_studio: RealServer,
) -> None:
    async with studio(label_studio) as client:
        made = await project(client)
        with pytest.raises(EndpointError, match="article"):
            await client.import_tasks(made.id, [{"article": "", "summary": ""}, {"other": "x"}])
        assert await client.tasks(made.id) == ()


async def test_what_annotators_did(label_studio: RealServer, ada: Person, ben: Person) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=3)
        first, second, third = [task.id for task in await client.tasks(made.id)]
        mine = ada.annotate(first, [choice("rating", "4")], lead_time=600.5)
        ada.annotate(second, [choice("rating", "7")])
        ben.annotate(second, [], completed_by=ada.id)
        ben.change(mine, result=[choice("rating", "0")])
        # A draft is shown to its writer only.
        draft = {"result": [choice("rating", "2")], "lead_time": 3.0}
        ada.done("POST", f"/api/tasks/{third}/drafts", draft)
        one, two, three = (await client.snapshot(made.id)).tasks

        (changed,) = one.annotations
        assert (changed.id, changed.completed_by, changed.updated_by) == (mine, ada.id, ben.id)
        assert changed.result[0]["value"] == {"choices": ["0"]}
        assert changed.lead_time == 600.5
        assert changed.updated_at > changed.created_at
        assert one.is_labeled
        assert sorted((a.completed_by, len(a.result)) for a in two.annotations) == [
            (ada.id, 0),
            (ada.id, 1),
        ]
        assert not three.annotations
        assert not three.is_labeled
        await client.delete_project(made.id)


@pytest.mark.parametrize(
    "fields",
    [{"lead_time": "inf"}, {"result": [{"value": {"choices": ["\ud800"]}}]}],
    ids=["infinite time", "lone surrogate"],
)
async def test_what_the_server_chokes_on_hides_one_task_only(
    label_studio: RealServer, ada: Person, fields: dict[str, Any]
) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=30)
        ids = [task.id for task in await client.tasks(made.id)]
        ada.annotate(ids[3], [choice("rating", "4")])
        body = {"result": [], "lead_time": 1.0, **fields}
        assert ada.call("POST", f"/api/tasks/{ids[17]}/annotations/", body)[0] == 500  # but kept
        snapshot = await client.snapshot(made.id)
        assert snapshot.unreadable == (ids[17],)
        assert [task.id for task in snapshot.tasks] == [one for one in ids if one != ids[17]]
        assert len(snapshot.tasks[3].annotations) == 1
        assert len(await client.tasks(made.id)) == 30
        await client.delete_project(made.id)


async def test_a_list_of_tasks_has_no_gaps(label_studio: RealServer, ada: Person) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=3)
        bad = [{"data": {"article": "\ud800", "summary": ""}}]
        path = f"/api/projects/{made.id}/import?return_task_ids=true"
        (broken,) = ada.done("POST", path, bad)["task_ids"]
        snapshot = await client.snapshot(made.id)
        assert (len(snapshot.tasks), snapshot.unreadable) == (3, (broken,))
        with pytest.raises(EndpointError, match=f"fails on task {broken} of project {made.id}"):
            await client.tasks(made.id)
        await client.delete_task(broken)
        assert len(await client.tasks(made.id)) == 3


async def test_data_that_is_no_mapping(label_studio: RealServer, ada: Person) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=3)
        first = (await client.tasks(made.id))[0].id
        assert ada.call("PATCH", f"/api/tasks/{first}/", {"data": [1]})[0] == 500  # but kept
        with pytest.raises(EndpointError, match=f"fails on the tasks of project {made.id}"):
            await client.snapshot(made.id)


async def test_a_prediction(label_studio: RealServer) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=1)
        (task,) = await client.tasks(made.id)
        result = [choice("rating", "3")]
        number = await client.add_prediction(
            task.id, result=result, model_version="judge 1", score=0.5
        )
        found = label_studio.owner().done("GET", f"/api/predictions/{number}/")
        assert (found["task"], found["model_version"], found["score"]) == (task.id, "judge 1", 0.5)
        assert found["result"][0]["value"] == {"choices": ["3"]}


async def test_a_personal_token(label_studio: RealServer, ben: Person) -> None:
    token = ben.personal_token()
    async with studio(label_studio, token) as client:
        assert (await client.me()).email == ben.email
        await client.projects()
    ben.done("POST", "/api/token/blacklist/", {"refresh": token})
    async with studio(label_studio, token) as client:
        with pytest.raises(EndpointError, match=r"401.*get a new one") as caught:
            await client.me()
    assert token not in str(caught.value)


async def test_a_wrong_token(label_studio: RealServer) -> None:
    async with studio(label_studio, "0" * 40) as client:
        with pytest.raises(EndpointError, match=r"401: Invalid token.*turned legacy tokens off"):
            await client.projects()


async def test_a_server_that_is_killed_and_comes_back(
    label_studio_of_own: Callable[[], RealServer],
) -> None:
    server = label_studio_of_own()
    async with studio(server) as client:
        made = await project(client, tasks=5)
        server.kill()
        with pytest.raises(EndpointError, match="Is the server running"):
            await client.import_tasks(made.id, [{"article": "", "summary": ""}])
        server.start()
        assert len(await client.tasks(made.id)) == 5
