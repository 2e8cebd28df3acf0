"""Push against a real Label Studio server."""

from __future__ import annotations

import asyncio

import pytest

from campaigns import people, rating_campaign
from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.ledger.campaigns import close_campaign, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.push import PushResult, push
from servers.between import Between
from servers.label_studio import RealServer, assert_there, choice, studio

pytestmark = pytest.mark.label_studio


async def keys_on(client: LabelStudio, project: int) -> list[str]:
    """Keys of the project's tasks in the order in which annotators get them."""
    return [task.data["key"] for task in await client.tasks(project)]


def keys_of(ledger: Ledger, campaign: Campaign, code: str) -> list[str]:
    return [task.key for task in tasks_of(ledger, campaign, code)]


def project_of(done: PushResult, code: str = "A1") -> int:
    return next(one.project for one in done.annotators if one.code == code)


async def test_project_whose_line_was_taken_away_is_found_again(
    ledger: Ledger, label_studio: RealServer
) -> None:
    campaign = rating_campaign(ledger, annotators=people("Ada"), documents=1)
    async with studio(label_studio) as client:
        first = project_of(await push(ledger, campaign, client))
        await client.change_project(first, description="nothing")
        again = (await push(ledger, campaign, client)).annotators[0]
        assert (again.project, again.changed) == (first, ["description"])
        await client.delete_project(first)
        new = (await push(ledger, campaign, client)).annotators[0]
        assert new.created
        assert new.project != first
        await assert_there(ledger, campaign, client)


@pytest.mark.parametrize("lost", ["/api/projects/", "import"])
async def test_lost_answers_are_looked_for(
    ledger: Ledger, label_studio: RealServer, lost: str
) -> None:
    campaign = rating_campaign(ledger, documents=3)
    gone: list[str] = []

    def lose(method: str, path: str) -> bool:
        if method == "POST" and path.endswith(lost) and not gone:
            gone.append(path)
            return True
        return False

    async with Between(label_studio.url, lose=lose) as between:
        async with studio(label_studio, between.url) as client:
            done = await push(ledger, campaign, client)
            assert gone
            assert len(between.writes) == done.writes == 4  # nothing was sent twice
            await assert_there(ledger, campaign, client)


async def test_answered_task_is_never_deleted(ledger: Ledger, label_studio: RealServer) -> None:
    campaign = rating_campaign(ledger, annotators=people("Ada"), documents=2)
    async with studio(label_studio) as client:
        project = project_of(await push(ledger, campaign, client))
        tasks = await client.tasks(project)
        label_studio.owner().annotate(tasks[4].id, [choice("label", "4", of="text")])
        await client.delete_task(tasks[2].id)
        done = (await push(ledger, campaign, client)).annotators[0]
        assert (done.deleted, done.imported) == (0, 1)
        keys = keys_of(ledger, campaign, "A1")
        assert await keys_on(client, project) == [*keys[:2], *keys[3:], keys[2]]
        assert tasks[4].id in [task.id for task in await client.tasks(project)]
        assert (await push(ledger, campaign, client)).writes == 0
        with pytest.raises(InputError, match="was closed"):
            await push(ledger, close_campaign(ledger, campaign), client)


async def test_two_pushes_at_once_make_one_campaign(
    ledger: Ledger, label_studio: RealServer
) -> None:
    campaign = rating_campaign(ledger, documents=3)
    with Ledger(ledger.path) as second:
        async with studio(label_studio) as client:
            done = await asyncio.gather(
                push(ledger, campaign, client), push(second, campaign, client)
            )
            assert sorted(one.writes for one in done) == [0, 4]
            await assert_there(ledger, campaign, client)
