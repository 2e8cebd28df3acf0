"""Takes the answers of a Label Studio server into the ledger: a full snapshot each time.

Nothing in the ledger is ever lost: a changed answer is a further revision, and one that was deleted
on the server stays, and is told. What does not count is kept aside with its reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.campaign_model import Campaign, ProtocolOf, Rating, Refused, Revision, ServerProject
from factmark.errors import EndpointError, InputError
from factmark.ledger.campaigns import keep_project, projects_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import rating_ids, ratings_of, refuse
from factmark.people.core.forms import form_named
from factmark.people.labelstudio.client import LabelStudio, Snapshot
from factmark.people.labelstudio.http import TokenError, UnreadableProjectError
from factmark.people.labelstudio.incoming import AnswerReader, identify
from factmark.people.labelstudio.interface import task_data
from factmark.people.labelstudio.projects import find_projects
from factmark.people.verdicts import take_ratings

Read = Sequence[tuple[int, Snapshot]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledFrom:
    """What a pull found for one annotator.

    Attributes:
        code, name: the annotator's.
        projects: their ids on the server.
        user: the e-mail address of who the annotator is there; empty while that is not known.
        tasks: on the annotator's list.
        answered: tasks with an answer in the ledger, wherever it was given.
        new: revisions that the ledger did not have.
        refused: what is on the server now and does not count; what only waits for a word on who
            the annotator is, is not kept in the ledger.
        gone: units with an answer in the ledger and none on the server any more.
        missing: tasks that are not on the server.
        problem: what keeps the annotator's answers out, or empty. Where it is that a project
            cannot be read, `gone` and `missing` are not known.
    """

    code: str
    name: str
    projects: tuple[int, ...]
    user: str
    tasks: int
    answered: int
    new: int
    refused: tuple[Refused, ...]
    gone: tuple[str, ...]
    missing: int
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What a pull found.

    Attributes:
        refused_new: how much of what does not count was not known before.
    """

    url: str
    annotators: tuple[PulledFrom, ...]
    refused_new: int

    @property
    def new(self) -> int:
        """Revisions that the ledger did not have."""
        return sum(one.new for one in self.annotators)

    @property
    def done(self) -> bool:
        """Whether every task has an answer."""
        return all(one.answered == one.tasks for one in self.annotators)


async def pull(
    ledger: Ledger,
    campaign: Campaign,
    client: LabelStudio,
    protocol_of: ProtocolOf,
    who: Mapping[str, str] | None = None,
) -> Pulled:
    """Takes in what is new on a server.

    Args:
        who: name or code of an annotator -> e-mail address on the server; only so may an
            annotator who is known become somebody else.

    Raises:
        InputError: the campaign is not on that server; `who` names somebody who is not there.
        EndpointError: the server cannot be reached; what was taken in until then stays.
    """
    found = await find_projects(ledger, campaign, client)
    if not found:
        raise InputError(
            f"{client.url}: has no project of the campaign {campaign.name!r}; `factmark annotate "
            "push` makes them."
        )
    emails = {one.id: one.email for one in (await client.users()).values()}
    kept = projects_of(ledger, campaign, client.url)
    bound = _bound(ledger, campaign, kept, emails, who or {})
    pulling = _Pull(ledger, campaign, client.url, emails, protocol_of)
    owner = (await client.me()).id
    read: dict[str, Read] = {}
    broken: dict[str, str] = {}
    out: dict[str, PulledFrom] = {}
    for annotator in campaign.annotators:
        projects = found.get(annotator.code, [])
        snapshots = []
        for one in projects:
            try:
                snapshots.append((one.id, await client.snapshot(one.id)))
            except UnreadableProjectError as error:  # any user can bring it about; the others go on
                broken[annotator.code] = str(error)
        read[annotator.code] = snapshots
        if annotator.code in bound:  # known for certain: taken in at once, whatever comes
            user = bound[annotator.code]
            if snapshots and annotator.code not in kept:
                _bind(ledger, campaign, client.url, annotator.code, user, snapshots[0][0])
            out[annotator.code] = pulling.take(annotator.code, snapshots, user, "")
    known = identify(
        campaign.annotators,
        emails=emails,
        bound=bound,
        # Who answered alone is not guessed without what cannot be read.
        raters={}
        if broken
        else {code: _raters(snapshots) & emails.keys() for code, snapshots in read.items()},
        owner=owner,
    )
    for annotator in campaign.annotators:
        code = annotator.code
        if code not in out:
            found_user = known.users.get(code)
            if found_user is not None and read[code]:
                _bind(ledger, campaign, client.url, code, found_user, read[code][0][0])
            why = known.why.get(code, "") if read[code] else "there is no project of theirs"
            if broken and not annotator.email:
                why = "nobody is guessed to be the annotator while a project cannot be read"
            out[code] = pulling.take(code, read[code], found_user, why)
    for code, problem in broken.items():
        out[code] = replace(out[code], gone=(), missing=0, problem=problem)
    return Pulled(
        url=client.url,
        annotators=tuple(out[one.code] for one in campaign.annotators),
        refused_new=pulling.refused_new,
    )


class _Pull:
    def __init__(
        self,
        ledger: Ledger,
        campaign: Campaign,
        url: str,
        emails: Mapping[int, str],
        protocol_of: ProtocolOf,
    ) -> None:
        self._protocol_of = protocol_of
        self._ledger, self._campaign = ledger, campaign
        self._url, self._emails = url, emails
        self.refused_new = 0
        tasks = tasks_of(ledger, campaign)
        self._keys = frozenset(task.key for task in tasks)
        self._tasks = {
            one.code: [task for task in tasks if task.assignment.annotator == one.code]
            for one in campaign.annotators
        }
        self._taken = rating_ids(ledger, campaign)
        self._known: dict[tuple[str, str], list[Rating]] = {}
        for rating in ratings_of(ledger, campaign):
            self._known.setdefault((rating.annotator, rating.unit), []).append(rating)

    def take(self, code: str, snapshots: Read, user: int | None, why: str) -> PulledFrom:
        """Takes in what one annotator's projects have."""
        annotator = next(one for one in self._campaign.annotators if one.code == code)
        form = form_named(self._campaign.form)
        tasks = {task.key: task for task in self._tasks[code]}
        found = AnswerReader(
            url=self._url, campaign=self._campaign, form=form, tasks=tasks,
            wanted={str(one["key"]): one for one in task_data(form, self._tasks[code])},
            others=self._keys - tasks.keys(), user=user, why=why, emails=self._emails,
            taken=self._taken,
        ).sort(snapshots)  # fmt: skip
        units = {key: task.assignment.unit for key, task in tasks.items()}
        known = {key: self._known.get((code, unit), []) for key, unit in units.items()}
        changes = [one for one in found.revisions if not _says_nothing_new(one, known[one.key])]
        new = take_ratings(self._ledger, self._campaign, changes, self._protocol_of).new
        self.refused_new += refuse(self._ledger, self._campaign, found.refused)
        keys = {one.key for one in changes if one.id in new}
        gone = [
            units[key]
            for key, ratings in known.items()
            if key not in found.answered and any(r.source == "labelstudio" for r in ratings)
        ]
        return PulledFrom(
            code=code, name=annotator.name, projects=tuple(project for project, _ in snapshots),
            user=self._emails.get(user, "") if user is not None else "", tasks=len(tasks),
            answered=sum(bool(ratings) or key in keys for key, ratings in known.items()),
            new=len(new), refused=(*found.refused, *found.waiting), gone=tuple(gone),
            missing=found.missing,
            problem=why if found.answered or not snapshots else "",
        )  # fmt: skip


def _says_nothing_new(one: Revision, known: Sequence[Rating]) -> bool:
    """Whether the newest answer known says the same: pressing Update changes no answer."""
    return bool(known) and known[-1].response == one.response


def _raters(snapshots: Read) -> set[int]:
    """Users with answers of their own writing in an annotator's projects."""
    return {
        one.completed_by
        for _, snapshot in snapshots
        for task in snapshot.tasks
        for one in task.annotations
        if one.completed_by is not None and one.updated_by == one.completed_by
    }


def _bound(
    ledger: Ledger,
    campaign: Campaign,
    kept: Mapping[str, ServerProject],
    emails: Mapping[int, str],
    who: Mapping[str, str],
) -> dict[str, int]:
    """Code of an annotator -> user, as known from before and as the owner says now.

    Whoever is said to be one annotator is no longer another by what was known.
    """
    said = {_code(campaign, name, email): _user(emails, name, email) for name, email in who.items()}
    if twice := [code for code in said if list(said.values()).count(said[code]) > 1]:
        raise InputError(
            f"{emails[said[twice[0]]]} cannot be {' and '.join(sorted(twice))} at once; say by "
            "--who who each of them is."
        )
    before = {code: int(one.user) for code, one in kept.items() if one.user}
    bound = {code: user for code, user in before.items() if user not in said.values()} | said
    for code, one in kept.items():
        user = str(bound.get(code, ""))
        if one.user != user:
            keep_project(ledger, campaign, replace(one, user=user))
    return bound


def _code(campaign: Campaign, name: str, email: str) -> str:
    codes = [one.code for one in campaign.annotators if name in (one.code, one.name)]
    if len(codes) != 1:
        names = ", ".join(f"{one.code} ({one.name})" for one in campaign.annotators)
        raise InputError(f"--who {name}={email}: names no single annotator of {names}.")
    return codes[0]


def _user(emails: Mapping[int, str], name: str, email: str) -> int:
    wanted = email.strip().casefold()
    user = next((one for one, has in emails.items() if has.casefold() == wanted), None)
    if user is None:
        raise InputError(
            f"--who {name}={email}: nobody has signed up on the server by that address."
        )
    return user


def _bind(ledger: Ledger, campaign: Campaign, url: str, code: str, user: int, project: int) -> None:
    keep_project(
        ledger, campaign, ServerProject(annotator=code, url=url, project=project, user=str(user))
    )


async def watch(
    pull: Callable[[], Awaitable[Pulled]],
    *,
    sleep: Callable[[], Awaitable[None]],
    tell: Callable[[str], None],
) -> Pulled:
    """Pulls until every task has an answer, and tells what changed; outlives a server's absence.

    Args:
        pull: takes in what is new.
        sleep: waits before the next turn.
        tell: gets a line for each change.

    Raises:
        InputError, TokenError: from the first pull or a later one; trying again would not help.
    """
    away = False
    before: dict[str, tuple[int, int, int, str]] = {}
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
            for line in changes(pulled, before):
                tell(line)
            if pulled.done:
                return pulled
        await sleep()


def changes(pulled: Pulled, before: dict[str, tuple[int, int, int, str]]) -> list[str]:
    """A line for each annotator of whom something changed; `before` is brought up to date."""
    lines = []
    for one in pulled.annotators:
        now = (one.answered, len(one.refused), len(one.gone), one.problem)
        known = before.get(one.code)
        before[one.code] = now
        if known == now and not one.new:
            continue
        line = f"{one.code} {one.name}: {one.answered} of {one.tasks}"
        line += f", {one.new} new or changed" if one.new else ""
        line += f", {len(one.refused)} do not count" if one.refused else ""
        line += f", {len(one.gone)} gone on the server" if one.gone else ""
        line += f"; {one.problem}" if one.problem else ""
        lines.append(line)
    return lines
