"""Label Studio's answers as they are given: its webhooks tell of each, and it is read then.

The server keeps no history. Read at each change, an answer that is changed again a minute later is
in the ledger both times, and its first rating is not lost. Beside that all is pulled every so
often, for what no webhook told.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from factmark.campaign_model import Campaign, ProtocolOf
from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.http.serving import listening_socket
from factmark.ledger.campaigns import projects_of, task_counts
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import keep_refused, revisions_of
from factmark.people.desk.server import server_config
from factmark.people.desk.site import Site
from factmark.people.labelstudio.client import LabelStudio, ServerTask, Snapshot
from factmark.people.labelstudio.http import MissingError
from factmark.people.labelstudio.incoming import AnswerReader, changed_answers
from factmark.people.labelstudio.projects import find_projects
from factmark.people.labelstudio.pull import PullResult, pull, watch
from factmark.people.verdicts import take_ratings
from factmark.redaction import add_secret

if TYPE_CHECKING:
    from factmark.people.labelstudio.hooks import AnnotationChange

ACTIONS = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED")  # that the server tells of
# seconds: the server may tell of a change before it shows it
_TRIES = 10
_PAUSE = 0.1
_AT_ONCE = 8  # annotations that are read side by side
_MOST_WAITING = 2_000  # changes that wait to be read


class _Stopped(Exception):  # noqa: N818 - the wish to stop, no error
    """The owner asked to stop."""


class Watch:
    """Takes a campaign's answers in as they are given on a server.

    Args:
        campaign_of: gives the campaign as the ledger has it now; it may be closed meanwhile.
        who: name or code of an annotator -> e-mail address, as `pull` takes it.
        tell: is told what happens, a line each.
    """

    def __init__(
        self,
        ledger: Ledger,
        campaign_of: Callable[[], Campaign],
        client: LabelStudio,
        protocol_of: ProtocolOf,
        *,
        who: Mapping[str, str],
        tell: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._campaign_of = campaign_of
        self._client = client
        self._protocol_of = protocol_of
        self._who = who
        self._tell = tell
        self._codes: dict[int, str] = {}  # project -> whose it is
        self._waiting: defaultdict[str, list[tuple[int, ServerTask]]] = defaultdict(list)
        self._reading: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._pull_now = asyncio.Event()
        self._reader: AnswerReader | None = None
        self._missed = 0
        self._hook = self._hook_problem = ""  # the address that the server calls; why it does not
        self._dropping = False

    async def run(self, site: Site, every: float, stop: asyncio.Event) -> PullResult | None:
        """Watches until every task has an answer; None where `stop` was set before.

        Args:
            site: where to listen for the server's calls, and how it reaches that.
            every: seconds between two pulls.

        Raises:
            InputError: the campaign is not on the server, or the address cannot be used.
        """
        secret = secrets.token_urlsafe(18)
        add_secret(secret)  # the server may show the address that it calls
        path = f"/factmark/{self._campaign_of().id}/{secret}"
        async with self._listening(site, secret) as address, self._webhooks(f"{address}{path}"):
            try:
                return await watch(
                    self._pull, sleep=lambda: self._sleep(every, stop), tell=self._tell
                )
            except _Stopped:
                return None
            finally:
                await asyncio.gather(*self._reading, return_exceptions=True)
                if self._missed:
                    lost = f"{self._missed} answers were changed again before they could be read"
                    self._tell(lost)

    def hear(self, change: AnnotationChange) -> None:
        """Starts to read an annotation that was given or changed, on a call of the server."""
        code = self._codes.get(change.project)
        if code is None:
            return
        if len(self._reading) >= _MOST_WAITING:
            if not self._dropping:
                self._tell(
                    f"{_MOST_WAITING} calls wait to be read, and more are dropped until the next "
                    "pull, which takes answers as they are then. If somebody floods the address, "
                    "end this and watch again: it will have another."
                )
            self._dropping = True
            return
        reading = asyncio.get_running_loop().create_task(self._read(code, change))
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)

    async def _pull(self) -> PullResult:
        """Pulls all; then takes what was heard of annotators who are known only now."""
        self._pull_now.clear()
        self._reader = None
        self._dropping = False
        if self._hook:
            try:
                await self._set_up_webhooks()
            except EndpointError as error:  # the pull says if the server is away
                if self._hook_problem != str(error):
                    self._tell(f"{error} Answers of new projects are only pulled.")
                self._hook_problem = str(error)
        campaign = self._campaign_of()
        # What was heard comes first: an older version of an answer would else find a newer one.
        await self._take_waiting(campaign)
        pulled = await pull(self._ledger, campaign, self._client, self._protocol_of, self._who)
        new = await self._take_waiting(campaign)
        if not new:
            return pulled
        return await pull(self._ledger, campaign, self._client, self._protocol_of, self._who)

    async def _sleep(self, seconds: float, stop: asyncio.Event) -> None:
        """Waits for the next pull, which may be due at once."""
        waits = []
        for event in (stop, self._pull_now):
            waits.append(asyncio.ensure_future(event.wait()))
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if stop.is_set():
            raise _Stopped

    async def _read(self, code: str, change: AnnotationChange) -> None:
        """Reads an annotation as it is now and takes it in, or keeps it until it is known whose
        it is."""
        try:
            async with self._places:
                task = await self._task_with(change)
            if task is not None:
                self._waiting[code].append((change.project, task))
                await self._take_waiting(self._campaign_of())
        except FactmarkError as error:
            self._tell(f"{error} A change was not taken in; the next pull will.")
            self._pull_now.set()
            return
        if self._waiting[code]:  # a pull says whose it is, where that can be told
            self._pull_now.set()

    async def _task_with(self, change: AnnotationChange) -> ServerTask | None:
        """Returns a task with the annotation alone that changed; None where it is gone."""
        for _ in range(_TRIES):
            with contextlib.suppress(MissingError):
                annotation = await self._client.annotation(change.annotation)
                # A call of somebody else's may pair an answer with a task that it is not about.
                if annotation.task == change.task and annotation.updated_at >= change.at:
                    self._missed += annotation.updated_at > change.at
                    task = await self._client.task(change.task)
                    return replace(task, annotations=(annotation,))
            await asyncio.sleep(_PAUSE)
        return None

    async def _take_waiting(self, campaign: Campaign) -> int:
        """Takes in what was read of annotators who are known; returns how much of it was new."""
        if not any(self._waiting.values()):
            return 0
        emails = await self._client.emails()
        if self._reader is None or self._reader.campaign != campaign:  # closed, say, meanwhile
            self._reader = AnswerReader(self._ledger, campaign, self._client.url, emails)
        self._reader.emails = emails
        kept = projects_of(self._ledger, campaign, self._client.url)
        new = 0
        for code, versions in list(self._waiting.items()):
            user = ""
            if code in kept:
                user = kept[code].user
            if not user:
                continue
            while versions:
                new += self._take_version(campaign, code, int(user), *versions[0])
                del versions[0]  # kept until the ledger has it
        counts = task_counts(self._ledger, campaign).values()
        if all(done == tasks for tasks, done in counts):
            self._pull_now.set()
        return new

    def _take_version(
        self, campaign: Campaign, code: str, user: int, project: int, task: ServerTask
    ) -> int:
        """Takes in one version of an answer; returns 1 where the ledger did not have it, else 0."""
        assert self._reader is not None  # noqa: S101  # `_take_waiting` made it
        answers = self._reader.sort(code, [(project, Snapshot(tasks=(task,)))], user)
        keep_refused(self._ledger, campaign, answers.refused)
        known = revisions_of(self._ledger, campaign, code)
        changes = changed_answers(answers.revisions, known)
        new = len(take_ratings(self._ledger, campaign, changes, self._protocol_of).new)
        if new:
            verb = "given"
            if known.get(changes[0].key):
                verb = "changed"
            self._tell(f"{code}: an answer was {verb}")
        return new

    @asynccontextmanager
    async def _listening(self, site: Site, secret: str) -> AsyncIterator[str]:
        """Listens for the server's calls while the block runs; yields the address of that."""
        try:
            import uvicorn

            from factmark.people.labelstudio.hooks import create_hook_app
        except ModuleNotFoundError as error:
            raise InputError(
                f"annotate watch needs {error.name}, which is not installed: "
                'pip install "factmark[annotate]".'
            ) from error

        class HookServer(uvicorn.Server):
            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield  # they are ours

        with listening_socket(site.host, site.port, hint="choose another with --port") as taken:
            site = replace(site, port=taken.getsockname()[1])
            server = HookServer(server_config(create_hook_app(secret, self.hear), site))
            serving = asyncio.create_task(server.serve(sockets=[taken]))
            try:
                yield site.address
            finally:
                server.should_exit = True
                await serving

    @asynccontextmanager
    async def _webhooks(self, url: str) -> AsyncIterator[None]:
        """Sets up a webhook at every project while the block runs, and takes it away at the end.

        Where the server does not take it that is told: answers come in by pulls alone then.
        """
        self._hook = url
        try:
            await self._set_up_webhooks()
        except EndpointError as error:
            self._hook = ""
            self._tell(
                f"{error} Without webhooks answers are only pulled: of one that is changed between "
                "two pulls the first rating is not known."
            )
        try:
            yield
        finally:
            for project in self._codes:
                with contextlib.suppress(EndpointError):
                    await self._take_away(project, url)

    async def _set_up_webhooks(self) -> None:
        """Has the server call at every change in the campaign's projects, those too that were
        pushed since; tells where another watch did so, or took this one's place."""
        campaign = self._campaign_of()
        for project in list(self._codes)[:1]:
            if all(hook.url != self._hook for hook in await self._client.webhooks(project)):
                self._hook = ""
                self._tell(
                    "The webhooks are gone: another watch of the campaign took their place, or "
                    "somebody deleted them. Answers are only pulled here from now on."
                )
                return
        projects = await find_projects(self._ledger, campaign, self._client)
        codes = {project.id: code for code, several in projects.items() for project in several}
        new = codes.keys() - self._codes.keys()
        others = 0
        for project in sorted(new):
            others += await self._take_away(project, f"/factmark/{campaign.id}/")
            await self._client.add_webhook(project, self._hook, ACTIONS)
            self._codes[project] = codes[project]
        if others:
            self._tell(
                "The webhooks of another watch of the campaign were taken away: if it was not "
                "killed, it is told of nothing any more."
            )
        if new:
            self._tell(f"{self._client.url} calls at every change in {len(new)} projects")

    async def _take_away(self, project: int, mark: str) -> int:
        """Takes the webhooks of a project away whose address has a mark of ours; returns how
        many."""
        hooks = [hook for hook in await self._client.webhooks(project) if mark in hook.url]
        for hook in hooks:
            await self._client.delete_webhook(hook.id)
        return len(hooks)
