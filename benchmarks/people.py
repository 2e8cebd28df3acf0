"""Campaigns: push and pull with a real Label Studio server, and saving on our own page.

Run `make labelstudio` first. Figures stand beside their bounds, and beside what the server takes
for the same requests without factmark.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from campaigns import summaries
from factmark.campaign_model import Campaign
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import projects_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.pull import pull
from factmark.people.labelstudio.push import push
from served_page import Client, make, revision, served
from servers.label_studio import Person, RealServer, choice

SOURCE = "Forty adults took part, and pain was measured each day. " * 140  # 8 kB
SUMMARY = "Pain was less with the drug than without it. " * 20
LARGE = 334  # documents with three summaries each: 1,002 rows


async def timed(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return time.perf_counter() - begun


def campaign(path: Path, documents: int) -> Campaign:
    return make(path, summaries(documents, source=SOURCE, text=SUMMARY), people=["Ada"])


async def label_studio(folder: Path, owner: Person) -> None:
    async with LabelStudio(owner.url, owner.token) as client:
        for documents, bound in ((10, 2.0), (LARGE, 5.0)):
            path = folder / f"{documents}.db"
            made = campaign(path, documents)
            with Ledger(path) as ledger:
                first = await timed(push(ledger, made, client))
                again = await timed(push(ledger, made, client))
                print(f"push of {3 * documents}: {first:.2f} s (bound {bound:g})")
                print(f"push again, nothing to do: {again:.2f} s, {again / first:.2f} of the first")
                if documents == LARGE:
                    await pulled(client, ledger, made, owner)


async def pulled(client: LabelStudio, ledger: Ledger, made: Campaign, owner: Person) -> None:
    project = projects_of(ledger, made, client.url)["A1"].project
    for task in await client.tasks(project):
        owner.annotate(task.id, [choice("label", "4", of="text")])
    bare = await timed(client.snapshot(project))
    first = await timed(pull(ledger, made, client, protocol_of, {"Ada": owner.email}))
    again = await timed(pull(ledger, made, client, protocol_of))
    print(
        f"pull of {3 * LARGE} ratings: {first:.2f} s (bound 5), "
        f"{first / bare:.1f} times the bare reading"
    )
    print(f"pull again, nothing new: {again:.2f} s")


def page(folder: Path) -> None:
    path = folder / "page.db"
    make(path, summaries(40), people=["Ada", "Ben"])
    begun = time.perf_counter()
    with served(path) as at:
        started = time.perf_counter() - begun
        client = Client(at, "Ada", "A1")
        begun = time.perf_counter()
        for key in client.keys[:100]:
            status, _ = client.save(revision(key, "4"))
            assert status == 200
        saved = time.perf_counter() - begun
    print(f"the page starts in {started:.2f} s (bound 0.5), its process's start included")
    print(f"100 ratings saved, one request each: {saved:.2f} s (bound 1)")


def main() -> None:
    program = os.environ["FACTMARK_LABEL_STUDIO"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page(folder)
        server = RealServer(program=program, folder=folder / "server")
        try:
            server.start()
            asyncio.run(label_studio(folder, server.owner()))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
