"""`annotate watch` with a real server: a first rating that is changed before a pull is kept."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from campaigns import people, rating_campaign, revised
from factmark.cli.annotate import protocol_of
from factmark.errors import EndpointError
from factmark.ledger.campaigns import campaign_named, projects_of
from factmark.ledger.ledger import Ledger
from factmark.people.changes.dealing import add_annotators
from factmark.people.desk.site import Site
from factmark.people.labelstudio import watching as watching_module
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.push import push
from factmark.people.labelstudio.watching import Watch
from servers.label_studio import Person, RealServer, choice, studio

pytestmark = pytest.mark.label_studio


def rated(label: str) -> list[object]:
    return [choice("label", label, of="text")]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - it is another process that changes
            await asyncio.sleep(0.02)


class Watching:
    """A watch in this process, on a port of its own."""

    def __init__(
        self, ledger: Ledger, client: LabelStudio, base_url: str = "", every: float = 600.0
    ) -> None:
        self.lines: list[str] = []
        self.stop = asyncio.Event()
        watch = Watch(
            ledger,
            lambda: campaign_named(ledger),
            client,
            protocol_of,
            who={},
            tell=self.lines.append,
        )
        site = Site(host="127.0.0.1", port=0, base_url=base_url)
        self.task = asyncio.create_task(watch.run(site, every, self.stop))

    def said(self, words: str) -> bool:
        assert not self.task.done(), self.task
        return any(words in line for line in self.lines)

    async def ended(self) -> None:
        self.stop.set()
        assert await asyncio.wait_for(self.task, 20) is None


async def takes_no_webhook(*_: object) -> None:
    raise EndpointError("The server takes no webhook.")


async def test_every_change_is_kept_and_no_webhook_stays(
    ledger: Ledger,
    label_studio: RealServer,
    ada: Person,
    ben: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = rating_campaign(ledger, annotators=people("Ada", "Ben"), documents=1)

    def labels() -> list[tuple[str, str | None, bool]]:
        return [(t.annotator, r.response.label, r.first) for t, r in revised(ledger, campaign)]

    async with studio(label_studio) as client:
        await push(ledger, campaign, client)
        kept = projects_of(ledger, campaign, client.url)
        mine = kept["A1"].project
        tasks = [task.id for task in await client.tasks(mine)]
        killed = "http://127.0.0.1:9/factmark/" + campaign.id + "/of-a-watch-that-was-killed"
        await client.add_webhook(mine, killed, ["ANNOTATION_CREATED"])
        watching = Watching(ledger, client)
        await until(lambda: watching.said("A2 Ben: 0 of 3"))  # the first pull is through
        assert watching.said("of another watch of the campaign were taken away")
        (hook,) = await client.webhooks(mine)
        # Nobody is known yet: the first version waits for the pull that says who Ada is.
        made = await asyncio.to_thread(ada.annotate, tasks[0], rated("4"))
        await until(lambda: len(labels()) == 1)
        await asyncio.to_thread(ada.change, made, result=rated("2"))
        await until(lambda: len(labels()) == 2)
        await asyncio.to_thread(ada.change, made, result=rated("2"))  # Update, and no change
        await asyncio.to_thread(ben.annotate, tasks[1], rated("5"))  # not his
        other = await asyncio.to_thread(ada.annotate, tasks[2], rated("1"))
        await until(lambda: len(labels()) == 3)
        await asyncio.to_thread(ada.change, other, result=rated("0"))
        await until(lambda: len(labels()) == 4)
        assert labels() == [
            ("A1", "4", True),
            ("A1", "2", False),
            ("A1", "1", True),
            ("A1", "0", False),
        ]
        for path, body, status in (
            (hook.url.rpartition("/")[0] + "/wrong", b"{}", 404),
            (hook.url, b"{}", 400),
            (hook.url, b"[" * 9_999, 400),
        ):
            with pytest.raises(urllib.error.HTTPError) as caught:
                await asyncio.to_thread(urllib.request.urlopen, path, body)
            assert caught.value.code == status
        # Whoever knows the address cannot have an answer taken for one to another task.
        forged = {"id": other, "task": tasks[1], "project": mine, "updated_at": "2020-01-01T00:00Z"}
        body = json.dumps({"annotation": forged}).encode()
        (await asyncio.to_thread(urllib.request.urlopen, hook.url, body)).close()
        await watching.ended()
        assert len(labels()) == 4
        for project in kept.values():
            assert await client.webhooks(project.project) == ()
        first = Watching(ledger, client, every=0.1)
        await until(lambda: first.said("in 2 projects"))
        add_annotators(ledger.path, None, "Dora")
        await push(ledger, campaign_named(ledger), client)
        await until(lambda: first.said("in 1 projects"))  # that were pushed since
        with monkeypatch.context() as patched:
            patched.setattr(LabelStudio, "add_webhook", takes_no_webhook)
            add_annotators(ledger.path, None, "Eve")
            await push(ledger, campaign_named(ledger), client)
            await until(lambda: first.said("Answers of new projects are only pulled"))
            await until(lambda: first.said("A4 Eve: 0 of 0"))
        second = Watching(ledger, client)
        await until(lambda: first.said("another watch of the campaign took their place"))
        await until(lambda: second.said("in 4 projects"))
        monkeypatch.setattr(watching_module, "_MOST_WAITING", 0)  # as if it were flooded
        (hook,) = await client.webhooks(mine)
        (await asyncio.to_thread(urllib.request.urlopen, hook.url, body)).close()
        await until(lambda: second.said("calls wait to be read, and more are dropped"))
        for other_watch in (first, second):
            await other_watch.ended()
        away = Watching(ledger, client, base_url="http://no-address-that-it-takes")
        await until(lambda: away.said("Without webhooks answers are only pulled"))
        await until(lambda: away.said("A1 Ada: 2 of 3"))
        await away.ended()
