"""The client against a real Label Studio server."""

from __future__ import annotations

import pytest

from factmark.errors import EndpointError
from factmark.people.labelstudio.client import LabelStudio, Project
from servers.label_studio import Person, RealServer, choice, studio

pytestmark = pytest.mark.label_studio

CONFIG = (
    '<View><Text name="source" value="$article"/><Text name="summary" value="$summary"/>'
    '<Choices name="rating" toName="summary" choice="single-radio" required="true">'
    + "".join(f'<Choice value="{n}" hotkey="{n}"/>' for n in range(6))
    + '</Choices><TextArea name="comment" toName="summary" maxSubmissions="1"/></View>'
)


async def project(client: LabelStudio, title: str = "Box", tasks: int = 0) -> Project:
    made = await client.create_project(
        title=title, description="of a test", label_config=CONFIG, expert_instruction="<b>Rate.</b>"
    )
    data = [{"article": f"Source {n}.", "summary": f"Summary {n}."} for n in range(tasks)]
    await client.import_tasks(made.id, data)
    return made


async def test_tasks_in_their_order(label_studio: RealServer) -> None:
    async with studio(label_studio) as client:
        made = await project(client)
        data = [{"article": "A \ud800 é", "summary": f"Summary {n}."} for n in range(30)]
        ids = await client.import_tasks(made.id, data)
        tasks = await client.tasks(made.id)
        assert tuple(task.id for task in tasks) == ids
        assert [task.data["summary"] for task in tasks] == [one["summary"] for one in data]
        assert tasks[0].data["article"] == "A \ufffd é"  # else nobody could read the project
        for _ in range(2):
            await client.delete_task(ids[5])
        snapshot = await client.snapshot(made.id)
        assert [task.id for task in snapshot.tasks] == [*ids[:5], *ids[6:]]
        assert await client.import_tasks(made.id, []) == ()
        await client.delete_project(made.id)


async def test_what_the_server_chokes_on_hides_one_task_only(
    label_studio: RealServer, ada: Person
) -> None:
    async with studio(label_studio) as client:
        made = await project(client, tasks=6)
        ids = [task.id for task in await client.tasks(made.id)]
        ada.annotate(ids[3], [choice("rating", "4")])
        body = {"result": [], "lead_time": "inf"}
        assert ada.call("POST", f"/api/tasks/{ids[4]}/annotations/", body)[0] == 500  # but kept
        snapshot = await client.snapshot(made.id)
        assert snapshot.unreadable == (ids[4],)
        assert [task.id for task in snapshot.tasks] == [one for one in ids if one != ids[4]]
        assert len(snapshot.tasks[3].annotations) == 1
        assert len(await client.tasks(made.id)) == 6
        bad = [{"data": {"article": "\ud800", "summary": ""}}]
        path = f"/api/projects/{made.id}/import?return_task_ids=true"
        (broken,) = ada.done("POST", path, bad)["task_ids"]
        assert (await client.snapshot(made.id)).unreadable == (ids[4], broken)
        with pytest.raises(EndpointError, match=f"fails on task {broken} of project {made.id}"):
            await client.tasks(made.id)


async def test_a_personal_token(label_studio: RealServer, ben: Person) -> None:
    token = ben.personal_token()
    async with studio(label_studio, token=token) as client:
        assert (await client.me()).email == ben.email
        await client.projects()
    ben.done("POST", "/api/token/blacklist/", {"refresh": token})
    async with studio(label_studio, token=token) as client:
        with pytest.raises(EndpointError, match=r"401.*get a new one") as caught:
            await client.me()
    assert token not in str(caught.value)
