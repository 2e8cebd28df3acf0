"""The campaign's ledger as the page uses it: one connection, on one thread of its own.

Saves so come one after the other, as SQLite takes them anyway, and the loop that answers requests
never waits for a disk.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from json import JSONDecodeError
from pathlib import Path
from typing import TypeVar

from factmark.campaign_model import Annotator, Campaign, CampaignTask, ProtocolOf
from factmark.errors import FactmarkError, LedgerError
from factmark.ledger.campaigns import (
    campaign_named,
    keyed_hash,
    links_of,
    secret_of,
    task_counts,
    tasks_of,
)
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import issue_door, issue_links
from factmark.ledger.people.lists import list_state
from factmark.people.crowd.options import crowd_of
from factmark.people.desk.shown_sources import ShownSources
from factmark.people.practice.known import Right
from factmark.people.practice.scores import right_answers_of

T = TypeVar("T")

_PATIENCE = 3000  # milliseconds to wait for another writer; the page sends again by itself


class UnavailableError(LedgerError):
    """The ledger cannot be used at the moment; what was to be saved has to be sent again."""


class CampaignDesk:
    """A campaign in a ledger that is used from an event loop; no name is the only campaign's."""

    def __init__(
        self,
        path: Path,
        name: str | None,
        protocol_of: ProtocolOf,
    ) -> None:
        self.protocol_of = protocol_of
        self.sources = ShownSources()
        self._path = path
        self._name = name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        self._ledger: Ledger | None = None
        self._file: tuple[int, int] | None = None
        self._campaign = ""
        self._lists: dict[tuple[str, bool], tuple[str, list[CampaignTask]]] = {}
        self._right: Mapping[str, Right] | None = None

    async def run(self, do: Callable[[Ledger, Campaign], T]) -> T:
        """Calls a function with the open ledger and the campaign as it is now.

        UnavailableError: the ledger is locked, damaged, gone, or its disk is full.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._call, do)

    def run_now(self, do: Callable[[Ledger, Campaign], T]) -> T:
        """Does what `run` does, where no loop runs; raises FactmarkError where the ledger cannot be
        opened at all."""
        return self._thread.submit(self._call, do).result()

    def tasks(
        self, ledger: Ledger, campaign: Campaign, code: str, *, released: bool = False
    ) -> list[CampaignTask]:
        """An annotator's list, read anew when it has changed; with `released` also what was dealt
        to others since: a page that was opened before may still send it."""
        state = list_state(ledger, campaign, code)
        if self._lists.get((code, released), ("",))[0] != state:
            tasks = tasks_of(ledger, campaign, code, released=released)
            self._lists[code, released] = state, tasks
        return self._lists[code, released][1]

    def right_answers(self, ledger: Ledger, campaign: Campaign) -> Mapping[str, Right]:
        """Unit -> its right answer, where that is known; read once, too."""
        if self._right is None:
            self._right = right_answers_of(ledger, campaign)
        return self._right

    def close(self) -> None:
        """Closes the ledger when what is being saved is saved."""
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    def _call(self, do: Callable[[Ledger, Campaign], T]) -> T:
        """Returns what `do` gives for the ledger and the campaign. UnavailableError: the ledger
        cannot be used now."""
        try:
            ledger = self._open()
            campaign = campaign_named(ledger, self._name)
            if self._campaign not in ("", campaign.id):
                raise LedgerError(f"{self._path}: is another ledger than when the page started.")
            self._campaign = campaign.id
            self._name = campaign.name
            return do(ledger, campaign)
        except (sqlite3.Error, OSError, JSONDecodeError) as error:
            self._close()
            raise UnavailableError(f"{self._path}: cannot be used ({error}).") from error
        except FactmarkError as error:
            if not self._campaign:  # at the start the owner is told as by any command
                raise
            raise UnavailableError(str(error)) from error

    def _open(self) -> Ledger:
        """The ledger; opened anew where another file stands at its place, as after a restore."""
        now = self._path.stat()
        if self._ledger is None or self._file != (now.st_dev, now.st_ino):
            self._close()
            self._ledger = Ledger(self._path)
            self._ledger.connection.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
            self._file = (now.st_dev, now.st_ino)
        return self._ledger

    def _close(self) -> None:
        """Closes the ledger, if it is open."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An annotator's link, and how far the annotator is. Whoever has it answers in that name.

    Attributes:
        url: None where the file of links does not have it; who was sent it may use it all the same.
    """

    annotator: Annotator
    url: str | None
    done: int
    tasks: int


def annotator_links(ledger: Ledger, campaign: Campaign, address: str) -> list[Link]:
    """The link of each annotator, as a page at that address takes them; who has none gets one.
    People of a crowd are left out, who come by the study's link."""
    counts = task_counts(ledger, campaign)
    tokens = issue_links(ledger, campaign)
    links = []
    crowd = crowd_of(campaign)
    for annotator in campaign.active:
        if crowd is not None and not annotator.decides:
            continue
        tasks, done = counts.get(annotator.code, (0, 0))
        token = tokens.get(annotator.code)
        url = None
        if token:
            url = f"{address}/a/{token}"
        called = replace(annotator, name=campaign.called(annotator))
        links.append(Link(annotator=called, url=url, done=done, tasks=tasks))
    return links


def door_links(ledger: Ledger, campaign: Campaign, address: str) -> dict[str, str | None]:
    """Returns the owner's link, and of a campaign for a crowd the study's, by their names; None of
    one that the file of links does not have."""
    crowd = crowd_of(campaign)
    links = {}
    if crowd is not None:
        token = issue_door(ledger, campaign, "study")
        links["study"] = token and f"{address}/c/{token}/{crowd.site.query}"
    token = issue_door(ledger, campaign, "owner")
    links["owner"] = token and f"{address}/o/{token}"
    return links


def request_token(ledger: Ledger, campaign: Campaign, code: str) -> str:
    """What an annotator's page sends with each change, so that no other page can make one; another
    one once the link is made anew. It opens nothing: changes need the link's cookie, too."""
    count = links_of(ledger, campaign)[code]
    return keyed_hash(secret_of(ledger, campaign), "request", code, str(count))
