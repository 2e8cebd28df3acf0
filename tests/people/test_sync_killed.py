"""Push and pull are ended at a moment: nothing is lost, nothing doubled.

The program is killed at a request whose number a seed draws: before the server gets it, while it is
at it, or before its answer arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from campaigns import people, rating_campaign, revised
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import projects_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.pull import pull
from factmark.people.labelstudio.push import push
from served_page import COMMAND
from servers.between import Between, When
from servers.label_studio import RealServer, assert_there, choice, sign_up, studio

pytestmark = pytest.mark.label_studio


async def test_what_was_ended_is_finished_by_the_next(
    tmp_path: Path, label_studio: RealServer
) -> None:
    dice = random.Random(7)
    path = tmp_path / "study.db"
    with Ledger(path) as ledger:
        campaign = rating_campaign(ledger, annotators=people("Ada", "Ben"))
        async with (
            Between(label_studio.url) as between,
            studio(label_studio, between.url) as client,
        ):

            async def interrupted(work: str, requests: int) -> None:
                between.seen.clear()
                between.at, between.when = dice.randint(1, requests), dice.choice(get_args(When))
                await process_killed(work, path, between, label_studio)
                between.at = 0

            await interrupted("push", 6)
            await push(ledger, campaign, client)
            await assert_there(ledger, campaign, client)
            expected = []
            for code, kept in projects_of(ledger, campaign, client.url).items():
                person = sign_up(label_studio, f"{code}.killed@example.org", "a-long-one-3")
                tasks = tasks_of(ledger, campaign, code)[: dice.randint(3, 8)]
                there = await client.tasks(kept.project)
                for task, theirs in zip(tasks, there, strict=False):
                    label = dice.choice("012345")
                    person.annotate(theirs.id, [choice("label", label, of="text")])
                    expected.append((code, task.assignment.unit, label))
            await interrupted("pull", 5)
            await pull(ledger, campaign, client, protocol_of)
            assert (await pull(ledger, campaign, client, protocol_of)).new == 0
            assert (await push(ledger, campaign, client)).writes == 0
        kept = [
            (task.annotator, task.unit, r.response.label) for task, r in revised(ledger, campaign)
        ]
        assert sorted(kept) == sorted(expected)


async def process_killed(what: str, path: Path, between: Between, server: RealServer) -> None:
    """Another process works at the same ledger, and gets SIGKILL at a moment."""
    process = subprocess.Popen(  # noqa: ASYNC220  # it starts at once
        [*COMMAND, what, str(path), "--url", between.url],
        env={**os.environ, "LABEL_STUDIO_API_KEY": server.token},
    )

    async def kill() -> None:
        process.kill()

    between.then = kill
    try:
        assert await asyncio.to_thread(process.wait, 60) == -9
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
