"""Takes the answers of a Label Studio server into the ledger: a full snapshot each time.

Nothing in the ledger is ever lost: a changed answer is a further revision, and one that was deleted
on the server stays, and is told. What does not count is kept aside with its reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from factmark.campaign_model import Annotator, Campaign, ProtocolOf, Refused
from factmark.errors import EndpointError, InputError
from factmark.ledger.campaigns import keep_project, projects_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import keep_refused, revisions_of
from factmark.people.core.order import annotator_named
from factmark.people.labelstudio.client import LabelStudio, Project, Snapshot
from factmark.people.labelstudio.http import TokenError, UnreadableProjectError
from factmark.people.labelstudio.incoming import (
    AnswerReader,
    Snapshots,
    changed_answers,
    identify_annotators,
    user_with_email,
)
from factmark.people.labelstudio.projects import find_projects, keep_annotator_project
from factmark.people.verdicts import take_ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorPull:
    """What a pull got for one annotator.

    Attributes:
        tasks: how many are on the annotator's list.
        answered: how many of them have an answer in the ledger, wherever it was given.
        refused: what is on the server and does not count; kept in the ledger too.
        problem: what keeps the annotator's answers out, or empty; where a project cannot be read,
            `gone` and `missing` are not known.
    """

    code: str
    name: str
    projects: tuple[int, ...]
    user: str  # the e-mail address of who the annotator is there; empty while that is not known
    tasks: int
    answered: int
    new: int  # revisions that the ledger did not have
    refused: tuple[Refused, ...]
    gone: tuple[str, ...]  # units with an answer in the ledger and none on the server any more
    missing: int  # tasks that are not on the server
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullResult:
    """What a pull got.

    Attributes:
        refused_new: how much does not count and was not known before.
    """

    url: str
    annotators: tuple[AnnotatorPull, ...]
    refused_new: int

    @property
    def new(self) -> int:
        """Revisions that the ledger did not have."""
        return sum(annotator.new for annotator in self.annotators)

    @property
    def done(self) -> bool:
        """Whether every task has an answer."""
        return all(annotator.answered == annotator.tasks for annotator in self.annotators)


async def pull(
    ledger: Ledger,
    campaign: Campaign,
    client: LabelStudio,
    protocol_of: ProtocolOf,
    who: Mapping[str, str] | None = None,
) -> PullResult:
    """Takes in what is new on a server.

    Args:
        who: name or code of an annotator -> e-mail address on the server; only so may an annotator
            who is known become somebody else.

    Raises:
        InputError: the campaign is not on that server; `who` names somebody who is not there.
        EndpointError: the server cannot be reached; nothing was taken in.
    """
    projects = await find_projects(ledger, campaign, client)
    if not projects:
        raise InputError(
            f"{client.url}: has no project of the campaign {campaign.name!r}; `factmark annotate "
            "push` makes them."
        )
    pulling = _Pull(ledger, campaign, client, await client.emails(), protocol_of)
    return await pulling.run(projects, who or {})


class _Pull:
    """One pull: the campaign as the ledger has it, and what the server has."""

    def __init__(
        self,
        ledger: Ledger,
        campaign: Campaign,
        client: LabelStudio,
        emails: Mapping[int, str],
        protocol_of: ProtocolOf,
    ) -> None:
        self._ledger = ledger
        self._campaign = campaign
        self._client = client
        self._emails = emails
        self._protocol_of = protocol_of
        self._reader = AnswerReader(ledger, campaign, client.url, emails)
        self._refused_new = 0
        self._known = revisions_of(ledger, campaign)

    async def run(
        self, projects: Mapping[str, list[Project]], who: Mapping[str, str]
    ) -> PullResult:
        """Reads every project, tells who is who, and takes in what counts."""
        bound = self._known_users(who)
        owner = (await self._client.me()).id
        read: dict[str, list[tuple[int, Snapshot]]] = {}
        broken: dict[str, str] = {}
        people = self._campaign.raters
        for code in (annotator.code for annotator in people):
            read[code] = []
            for project in projects.get(code, []):
                try:
                    read[code].append((project.id, await self._client.snapshot(project.id)))
                except UnreadableProjectError as error:  # any user can bring it about
                    broken[code] = str(error)
        # Who answered alone is not guessed without what cannot be read.
        raters = {}
        if not broken:
            raters = {code: self._users_with_answers(some) for code, some in read.items()}
        users, reasons = identify_annotators(
            people, emails=self._emails, bound=bound, raters=raters, owner=owner
        )
        out = []
        for annotator in people:
            code = annotator.code
            why = "there is no project of theirs"
            if read[code]:
                why = reasons.get(code, "")
            if broken and code not in users and not annotator.email:
                why = "nobody is guessed to be the annotator while a project cannot be read"
            took = self._take_answers(annotator, read[code], users.get(code), why)
            if code in broken:
                took = replace(took, gone=(), missing=0, problem=broken[code])
            out.append(took)
        return PullResult(
            url=self._client.url, annotators=tuple(out), refused_new=self._refused_new
        )

    def _take_answers(
        self, annotator: Annotator, snapshots: Snapshots, user: int | None, why: str
    ) -> AnnotatorPull:
        """Takes in the answers in one annotator's projects, and keeps who the annotator
        is there."""
        code = annotator.code
        if user is not None and snapshots:
            keep_annotator_project(
                self._ledger, self._campaign, self._client.url, code, snapshots[0][0], user
            )
        answers = self._reader.sort(code, snapshots, user)
        units = {}
        for key, task in self._reader.tasks.items():
            if task.assignment.annotator == code and key in self._reader.listed:
                units[key] = task.assignment.unit
        known = {key: self._known.get(key, []) for key in units}
        changes = changed_answers(answers.revisions, self._known)
        new = take_ratings(self._ledger, self._campaign, changes, self._protocol_of).new
        self._refused_new += keep_refused(self._ledger, self._campaign, answers.refused)
        answered = set()
        for revision in changes:
            if revision.id in new:
                answered.add(revision.key)
        answered |= {key for key, ratings in known.items() if ratings}
        gone = []
        for key, ratings in known.items():
            if key not in answers.answered and any(r.source == "labelstudio" for r in ratings):
                gone.append(units[key])
        return AnnotatorPull(
            code=code,
            name=annotator.name,
            projects=tuple(project for project, _ in snapshots),
            user="" if user is None else self._emails.get(user, ""),
            tasks=len(units),
            answered=len(answered & units.keys()),
            new=len(new),
            refused=tuple(answers.refused),
            gone=tuple(gone),
            missing=len(units.keys() - answers.there),
            problem=why if answers.answered & units.keys() or not snapshots else "",
        )

    def _users_with_answers(self, snapshots: Snapshots) -> set[int]:
        """Returns the users with answers of their own writing in an annotator's projects."""
        answers = set()
        for _, snapshot in snapshots:
            for task in snapshot.tasks:
                for annotation in task.annotations:
                    if (
                        annotation.completed_by is not None
                        and annotation.completed_by in self._emails
                        and annotation.updated_by == annotation.completed_by
                    ):
                        answers.add(annotation.completed_by)
        return answers

    def _known_users(self, who: Mapping[str, str]) -> dict[str, int]:
        """Returns code of an annotator -> user, as known from before and as the owner says now.

        Whoever is said to be one annotator is no longer another by what was known.
        """
        named = {}
        for name, email in who.items():
            named[annotator_named(self._campaign, name, f"--who {name}={email}").code] = (
                self._user_named(name, email)
            )
        twice = [code for code in named if list(named.values()).count(named[code]) > 1]
        if twice:
            raise InputError(
                f"{self._emails[named[twice[0]]]} cannot be {' and '.join(sorted(twice))} at once; "
                "say by --who who each of them is."
            )
        kept = projects_of(self._ledger, self._campaign, self._client.url)
        before = {code: int(project.user) for code, project in kept.items() if project.user}
        bound = {code: user for code, user in before.items() if user not in named.values()} | named
        for code, project in kept.items():
            user = str(bound.get(code, ""))
            if project.user != user:
                keep_project(self._ledger, self._campaign, replace(project, user=user))
        return bound

    def _user_named(self, name: str, email: str) -> int:
        """Returns the user with the address that the owner gave; InputError where nobody has it."""
        user = user_with_email(self._emails, email)
        if user is None:
            raise InputError(
                f"--who {name}={email}: nobody has signed up on the server by that address."
            )
        return user


async def watch(
    pull: Callable[[], Awaitable[PullResult]],
    *,
    sleep: Callable[[], Awaitable[None]],
    tell: Callable[[str], None],
) -> PullResult:
    """Pulls until every task has an answer, and tells what changed; goes on while the server is
    away.

    Only an InputError or TokenError ends it: trying again would not help.
    """
    away = False
    before: dict[str, str] = {}
    while True:
        try:
            pulled = await pull()
        except TokenError:
            raise
        except EndpointError as error:
            if not away:
                tell(f"{error} Trying again.")
            away = True
        else:
            if away:
                tell(f"{pulled.url} answers again.")
            away = False
            for box in pulled.annotators:
                line = _state_in_words(box)
                if box.new or before.get(box.code) != line:
                    tell(line + (f"; {box.new} new or changed" if box.new else ""))
                before[box.code] = line
            if pulled.done:
                return pulled
        await sleep()


def _state_in_words(box: AnnotatorPull) -> str:
    """Returns how far an annotator is, on one line."""
    line = f"{box.code} {box.name}: {box.answered} of {box.tasks}"
    if box.refused:
        line += f", {len(box.refused)} do not count"
    else:
        line += ""
    if box.gone:
        line += f", {len(box.gone)} gone on the server"
    else:
        line += ""
    return line + (f"; {box.problem}" if box.problem else "")
