"""The server or this program is killed in push and pull: nothing is lost, nothing doubled.

Moments are drawn by a seed: the number of a request, and whether the kill comes before it, while
the server is at it, or before its answer arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from campaigns import people, rating_campaign
from factmark.campaign_model import Campaign
from factmark.cli.annotate import protocol_of
from factmark.errors import EndpointError
from factmark.http.retries import RetryPolicy
from factmark.ledger.campaigns import projects_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.pull import pull
from factmark.people.labelstudio.push import push
from judging_setup import at_once
from servers.between import Between, When
from servers.label_studio import Person, RealServer, choice, sign_up

pytestmark = pytest.mark.label_studio

PROCESS = Path(__file__).with_name("pushing.py")
PEOPLE = people("Ada", "Ben")


def studio(url: str, server: RealServer) -> LabelStudio:
    return LabelStudio(url, server.token, retry=RetryPolicy(attempts=2, sleep=at_once))


async def assert_there(ledger: Ledger, campaign: Campaign, client: LabelStudio) -> None:
    """One project per annotator, thirty tasks in each, each once, in order."""
    mine = [p for p in await client.projects() if campaign.id in (p.description or "")]
    kept = projects_of(ledger, campaign, client.url)
    assert sorted(p.id for p in mine) == sorted(one.project for one in kept.values())
    assert len(mine) == len(PEOPLE)
    for code, one in kept.items():
        found = [task.data["key"] for task in await client.tasks(one.project)]
        assert found == [task.key for task in tasks_of(ledger, campaign, code)]
        assert len(found) == 30


def everything(ledger: Ledger, campaign: Campaign) -> list[tuple[str, str, float | None]]:
    return sorted(
        (one.annotator, one.unit, one.value or 0.0) for one in ratings_of(ledger, campaign)
    )


async def test_server_killed_at_four_moments(
    tmp_path: Path, label_studio_forked: RealServer
) -> None:
    dice = random.Random(5)
    server = label_studio_forked
    persons = [
        sign_up(server, f"{one.name.lower()}@example.org", "a-long-password-3", one.name)
        for one in PEOPLE
    ]
    killed = 0
    with Ledger(tmp_path / "study.db") as ledger:
        async with Between(server.url) as between:

            async def kill() -> None:
                nonlocal killed
                killed += 1
                await asyncio.to_thread(server.kill_serving)

            async def interrupted(work: Callable[[LabelStudio], Any], requests: int) -> None:
                between.seen.clear()
                between.at, between.when = dice.randint(1, requests), dice.choice(get_args(When))
                between.then = kill
                async with studio(between.url, server) as client:
                    with pytest.raises(EndpointError):
                        await work(client)
                between.at = 0
                await asyncio.to_thread(server.serve_again)

            for turn in range(2):
                campaign = rating_campaign(ledger, annotators=PEOPLE, name=f"c{turn}")
                await interrupted(lambda client, it=campaign: push(ledger, it, client), 6)
                async with studio(between.url, server) as client:
                    await push(ledger, campaign, client)
                    await assert_there(ledger, campaign, client)
                    expected = await answered(ledger, campaign, client, persons, dice)
                await interrupted(
                    lambda client, it=campaign: pull(ledger, it, client, protocol_of), 5
                )
                async with studio(between.url, server) as client:
                    assert (await push(ledger, campaign, client)).writes == 0
                    await pull(ledger, campaign, client, protocol_of)
                    assert (await pull(ledger, campaign, client, protocol_of)).new == 0
                    await assert_there(ledger, campaign, client)
                assert everything(ledger, campaign) == expected
    assert killed == 4


async def answered(
    ledger: Ledger,
    campaign: Campaign,
    client: LabelStudio,
    persons: list[Person],
    dice: random.Random,
) -> list[tuple[str, str, float | None]]:
    """Each person answers some tasks on the list; what has to be in the ledger in the end."""
    out: list[tuple[str, str, float | None]] = []
    for person, (code, one) in zip(
        persons, sorted(projects_of(ledger, campaign, client.url).items()), strict=True
    ):
        units = {task.key: task.assignment.unit for task in tasks_of(ledger, campaign, code)}
        for task in (await client.tasks(one.project))[: dice.randint(3, 8)]:
            label = dice.randint(0, 5)
            person.annotate(task.id, [choice("label", str(label), of="text")])
            out.append((code, units[task.data["key"]], float(label)))
    return sorted(out)


async def test_this_program_killed_at_moments(tmp_path: Path, label_studio: RealServer) -> None:
    dice = random.Random(7)
    persons = [
        sign_up(label_studio, f"{one.name.lower()}.k@example.org", "a-long-password-3", one.name)
        for one in PEOPLE
    ]
    for turn in range(2):
        path = tmp_path / f"{turn}.db"
        with Ledger(path) as ledger:
            campaign = rating_campaign(ledger, annotators=PEOPLE)
            async with Between(label_studio.url) as between:
                await process_killed("push", path, between, label_studio, dice, 6)
                async with studio(between.url, label_studio) as client:
                    await push(ledger, campaign, client)
                    await assert_there(ledger, campaign, client)
                    expected = await answered(ledger, campaign, client, persons, dice)
                    await process_killed("pull", path, between, label_studio, dice, 5)
                    await pull(ledger, campaign, client, protocol_of)
                    assert everything(ledger, campaign) == expected
                    assert (await pull(ledger, campaign, client, protocol_of)).new == 0
                    assert (await push(ledger, campaign, client)).writes == 0


async def process_killed(
    what: str, path: Path, between: Between, server: RealServer, dice: random.Random, requests: int
) -> None:
    """Another process works at the same ledger, and gets SIGKILL at a moment."""
    process = subprocess.Popen(  # noqa: ASYNC220  # it starts at once
        [sys.executable, str(PROCESS), what, str(path), between.url],
        env={**os.environ, "LABEL_STUDIO_API_KEY": server.token},
    )

    async def kill() -> None:
        process.kill()

    between.seen.clear()
    between.at, between.when = dice.randint(1, requests), dice.choice(get_args(When))
    between.then = kill
    try:
        status = await asyncio.to_thread(process.wait, 60)
    finally:
        between.at = 0
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert status == -9
