"""Answers in an annotator's projects, sorted: revisions to take in, and what does not count.

What was not submitted is not among them: the server shows a draft to its writer only. Names prove
nothing there; answers are believed of one user per annotator, whom the owner named or who alone
answered in the annotator's project.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from factmark.campaign_model import Annotator, Campaign, CampaignTask, Refused, Revision
from factmark.model import content_hash
from factmark.people.core.forms import Form
from factmark.people.core.responses import check_response, check_seconds
from factmark.people.labelstudio.client import ServerAnnotation, ServerTask, Snapshot
from factmark.people.labelstudio.interface import read_result, same_task

_AT_ONCE = timedelta(seconds=1)
_MOST_RAW = 20_000  # characters


class _WaitingError(ValueError):
    """An answer that may count when it is known who the annotator is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedAnswers:
    """What is in an annotator's projects.

    Attributes:
        revisions: what counts, one per task at most.
        refused: what does not.
        waiting: what does not yet, because nobody knows who the annotator is.
        answered: keys of tasks with an answer, whoever gave it.
        missing: tasks of the list that are not on the server.
    """

    revisions: tuple[Revision, ...]
    refused: tuple[Refused, ...]
    waiting: tuple[Refused, ...]
    answered: frozenset[str]
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReader:
    """Reads the projects of one annotator.

    Attributes:
        url: the server's.
        tasks: the annotator's, by key.
        wanted: data of each as it was imported, by key.
        others: keys of other annotators' tasks.
        user: who the annotator is on the server; None while that is not known.
        why: why that is not known.
        emails: of the server's users.
        taken: ids of revisions that the ledger has.
    """

    url: str
    campaign: Campaign
    form: Form
    tasks: Mapping[str, CampaignTask]
    wanted: Mapping[str, Mapping[str, object]]
    others: frozenset[str]
    user: int | None
    why: str
    emails: Mapping[int, str]
    taken: frozenset[str]

    def sort(self, snapshots: Iterable[tuple[int, Snapshot]]) -> SortedAnswers:
        """The answers in the annotator's projects, sorted.

        Args:
            snapshots: project -> what is in it.
        """
        good: dict[str, list[tuple[Revision, str, ServerAnnotation]]] = {}
        refused: list[Refused] = []
        waiting: list[Refused] = []
        answered: set[str] = set()
        there: set[str] = set()
        for project, snapshot in snapshots:
            for task in snapshot.unreadable:
                refused.append(self._unreadable(project, task))
            for theirs in snapshot.tasks:
                place = f"project {project}, task {theirs.id}"
                key = theirs.data.get("key")
                key = key if isinstance(key, str) else ""
                there.add(key)
                for one in theirs.annotations:
                    answered.add(key)
                    try:
                        revision = self._revision(key, theirs, one)
                    except ValueError as error:
                        aside = waiting if isinstance(error, _WaitingError) else refused
                        aside.append(self._refused(key, place, one, str(error)))
                    else:
                        good.setdefault(key, []).append((revision, place, one))
        newest, doubles = self._newest(good)
        return SortedAnswers(
            revisions=tuple(newest),
            refused=(*refused, *doubles),
            waiting=tuple(waiting),
            answered=frozenset(answered & self.tasks.keys()),
            missing=len(self.tasks.keys() - there),
        )

    def _newest(
        self, good: Mapping[str, list[tuple[Revision, str, ServerAnnotation]]]
    ) -> tuple[list[Revision], list[Refused]]:
        """The newest answer per task; an older one counts only as what it was before."""
        revisions, refused = [], []
        for key, several in good.items():
            several.sort(key=lambda one: (one[0].at, one[2].id))
            for revision, place, annotation in several[:-1]:
                if revision.id not in self.taken:
                    reason = "there is a newer answer of the same person to the same task"
                    refused.append(self._refused(key, place, annotation, reason))
            newest = several[-1][0]
            revisions.append(replace(newest, first=newest.first and len(several) == 1))
        return revisions, refused

    def _revision(self, key: str, theirs: ServerTask, one: ServerAnnotation) -> Revision:
        """An annotation as a revision; ValueError, one sentence, where it does not count."""
        if key not in self.tasks:
            if key in self.others:
                raise ValueError("its task is on another annotator's list")
            raise ValueError("its task is not of this campaign")
        if not same_task(self.wanted[key], theirs.data):
            raise ValueError("the text of its task was changed on the server")
        self._check_person(one)
        if one.was_cancelled:
            raise ValueError("its task was skipped")
        at = one.updated_at.astimezone(UTC)
        if self.campaign.closed and at > datetime.fromisoformat(self.campaign.closed):
            raise ValueError("it was given after the campaign was closed")
        shown = self.tasks[key].shown
        response = check_response(self.form, shown, read_result(self.form, shown, one.result))
        return Revision(
            id=content_hash(
                self.url, one.id, key, one.result, one.completed_by, at.isoformat()
            ),
            key=key, response=response, seconds=check_seconds(one.lead_time),
            at=at.isoformat(timespec="microseconds"), source="labelstudio",
            first=one.updated_at - one.created_at <= _AT_ONCE,
        )  # fmt: skip

    def _check_person(self, one: ServerAnnotation) -> None:
        """Reasons name nobody: they are counted in results, where people are codes."""
        if one.completed_by is None or one.completed_by not in self.emails:
            raise ValueError("it is by nobody who is on the server")
        if one.updated_by is None:  # anybody may import answers in anybody's name
            raise ValueError("the server does not tell who wrote it: it was imported")
        if one.updated_by != one.completed_by:
            raise ValueError("it was last changed by somebody else than its writer")
        if self.user is None:
            raise _WaitingError(f"nobody knows yet whose it is: {self.why}")
        if one.completed_by != self.user:
            raise ValueError("it is not by the annotator")

    def _by(self, one: ServerAnnotation) -> str:
        who = f"by {self._called(one.completed_by)}"
        if one.updated_by in (None, one.completed_by):
            return who
        return f"{who}, last changed by {self._called(one.updated_by)}"

    def _called(self, user: int | None) -> str:
        if user is None:
            return "nobody"
        return self.emails.get(user) or f"user {user}"

    def _refused(self, key: str, place: str, one: ServerAnnotation, reason: str) -> Refused:
        raw = {
            "completed_by": one.completed_by, "updated_by": one.updated_by,
            "created_at": one.created_at.isoformat(), "updated_at": one.updated_at.isoformat(),
            "lead_time": one.lead_time, "was_cancelled": one.was_cancelled, "result": one.result,
        }  # fmt: skip
        return Refused(
            id=content_hash(self.url, one.id, _raw(raw), reason),
            key=key if key in self.tasks or key in self.others else "",
            where=f"{place}, annotation {one.id} {self._by(one)}",
            reason=reason,
            raw=_raw(raw),
        )

    def _unreadable(self, project: int, task: int) -> Refused:
        return Refused(
            id=content_hash(self.url, "unreadable", project, task),
            key="",
            where=f"project {project}, task {task}",
            reason="the server itself fails on this task, so its answers cannot be read",
            raw="",
        )


def _raw(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=str)
    return text if len(text) <= _MOST_RAW else text[:_MOST_RAW] + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """Who is who.

    Attributes:
        users: code of an annotator -> the user's id; annotators without are unknown so far.
        why: code -> why nobody is known, one sentence.
    """

    users: Mapping[str, int]
    why: Mapping[str, str]


def identify(
    annotators: Sequence[Annotator],
    *,
    emails: Mapping[int, str],
    bound: Mapping[str, int],
    raters: Mapping[str, Iterable[int]],
    owner: int,
) -> Identities:
    """Who is who: as bound before, then by e-mail address, then who alone answered.

    Args:
        emails: id of each user -> e-mail address.
        bound: code -> user, from an earlier pull or by the owner's word; never changed here.
        raters: code -> users with answers in the annotator's project.
        owner: the user of the token, who is an annotator only by word or address.
    """
    users = dict(bound)
    why: dict[str, str] = {}
    for one in annotators:
        if one.code in users or not one.email:
            continue
        found = _user_of(emails, one.email)
        if found is None:
            why[one.code] = f"nobody has signed up as {one.email}"
        elif found in users.values():
            why[one.code] = f"{one.email} is another annotator already"
        else:
            users[one.code] = found
    open_codes = [one.code for one in annotators if one.code not in users and one.code not in why]
    while found_alone := _alone(open_codes, users, raters, owner):
        users |= found_alone
    for code in open_codes:
        if code not in users:
            why[code] = _unknown(set(raters.get(code, ())), set(users.values()), owner, emails)
    return Identities(users=users, why=why)


def _alone(
    codes: Iterable[str], users: Mapping[str, int], raters: Mapping[str, Iterable[int]], owner: int
) -> dict[str, int]:
    """Who alone answered for one of those that are unknown; nobody who did so for several."""
    left = {
        code: set(raters.get(code, ())) - set(users.values()) - {owner}
        for code in codes
        if code not in users
    }
    one_each = {code: some.pop() for code, some in left.items() if len(some) == 1}
    often = Counter(one_each.values())
    return {code: user for code, user in one_each.items() if often[user] == 1}


def _unknown(raters: set[int], taken: set[int], owner: int, emails: Mapping[int, str]) -> str:
    left = raters - taken - {owner}
    names = ", ".join(sorted(emails.get(one, f"user {one}") for one in left))
    if len(left) > 1:
        return f"several people answered in this project ({names})"
    if left:
        return f"{names} alone answered in this project, and in another annotator's too"
    if raters & taken:
        return "only people who are other annotators answered in this project"
    if raters:
        return "only the owner of the token answered in this project"
    return "nobody has answered in this project"


def _user_of(emails: Mapping[int, str], email: str) -> int | None:
    wanted = email.strip().casefold()
    return next((user for user, one in emails.items() if one.strip().casefold() == wanted), None)
