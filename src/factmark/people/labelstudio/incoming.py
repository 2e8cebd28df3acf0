"""Answers in an annotator's projects, sorted: revisions to take in, and what does not count.

What was not submitted is not among them: the server shows a draft to its writer only. Names prove
nothing there; answers are believed of one user per annotator, whom the owner named or who alone
answered in the annotator's project.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from factmark.campaign_model import Annotator, Campaign, Rating, Refused
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.model import content_hash
from factmark.people.core.forms import check_response, check_seconds, form_named
from factmark.people.labelstudio.client import ServerAnnotation, ServerTask, Snapshot
from factmark.people.labelstudio.interface import read_result, same_task, task_data
from factmark.people.labelstudio.projects import studio_tasks

_AT_ONCE = timedelta(seconds=1)
_MOST_RAW = 20_000  # characters
_RAW = "completed_by updated_by created_at updated_at lead_time was_cancelled result".split()
Snapshots = Sequence[tuple[int, Snapshot]]
"""Projects of one annotator, each with what is in it."""


@dataclass(slots=True, kw_only=True)
class SortedAnswers:
    """The answers in an annotator's projects: those that count, and those that do not.

    Attributes:
        answered: keys of the tasks with an answer, whoever gave it.
        there: keys of all tasks on the server.
    """

    revisions: list[Rating] = field(default_factory=list)  # what counts, one per task at most
    refused: list[Refused] = field(default_factory=list)  # what does not
    answered: set[str] = field(default_factory=set)
    there: set[str] = field(default_factory=set)


class AnswerReader:
    """Reads the projects of a campaign on one server, with the e-mail addresses of its users."""

    def __init__(
        self, ledger: Ledger, campaign: Campaign, url: str, emails: Mapping[int, str]
    ) -> None:
        self.campaign = campaign
        self._url = url
        self.emails = emails
        self._form = form_named(campaign.form)
        taken = revisions_of(ledger, campaign).values()
        self._taken = {revision.id for several in taken for revision in several}
        # What was dealt to others meanwhile may still have been answered here.
        self.tasks = {task.key: task for task in studio_tasks(ledger, campaign, released=True)}
        self.listed = {task.key for task in studio_tasks(ledger, campaign)}
        self.wanted = {
            str(data["key"]): data for data in task_data(self._form, list(self.tasks.values()))
        }

    def sort(self, code: str, snapshots: Snapshots, user: int | None) -> SortedAnswers:
        """Returns the answers in an annotator's projects, sorted; while the user is not known none
        counts."""
        answers = SortedAnswers()
        good: dict[str, list[tuple[Rating, str, ServerAnnotation]]] = {}
        for project, snapshot in snapshots:
            answers.refused += [
                self._refuse_unreadable(project, task) for task in snapshot.unreadable
            ]
            for task in snapshot.tasks:
                place = f"project {project}, task {task.id}"
                answers.there.add(task.key)
                for annotation in task.annotations:
                    answers.answered.add(task.key)
                    if user is None:
                        continue
                    try:
                        revision = self._read_revision(code, task, annotation, user)
                    except ValueError as error:
                        refused = self._refuse(task.key, place, annotation, str(error))
                        answers.refused.append(refused)
                    else:
                        good.setdefault(task.key, []).append((revision, place, annotation))
        for key, several in good.items():  # an older answer counts only as what it was before
            several.sort(key=lambda row: (row[0].at, row[2].id))
            for revision, place, annotation in several[:-1]:
                if revision.id not in self._taken:
                    reason = "there is a newer answer of the same person to the same task"
                    answers.refused.append(self._refuse(key, place, annotation, reason))
            newest = several[-1][0]
            answers.revisions.append(replace(newest, first=newest.first and len(several) == 1))
        return answers

    def _read_revision(
        self, code: str, theirs: ServerTask, annotation: ServerAnnotation, user: int
    ) -> Rating:
        """Returns an annotation as a revision; ValueError, one sentence, where it does
        not count."""
        task = self.tasks.get(theirs.key)
        if task is None:
            raise ValueError("its task is not of this campaign")
        if task.assignment.annotator != code:
            raise ValueError("its task is on another annotator's list")
        if not same_task(self.wanted[task.key], theirs.data):
            raise ValueError("the text of its task was changed on the server")
        self._check_person(annotation, user)
        if annotation.was_cancelled:
            raise ValueError("its task was skipped")
        at = annotation.updated_at.astimezone(UTC)
        if self.campaign.closed and at > datetime.fromisoformat(self.campaign.closed):
            raise ValueError("it was given after the campaign was closed")
        regions = read_result(self._form, task.shown, annotation.result)
        return Rating(
            id=content_hash(
                self._url,
                annotation.id,
                task.key,
                annotation.result,
                annotation.completed_by,
                at.isoformat(),
            ),
            key=task.key,
            response=check_response(self._form, task.shown, regions),
            seconds=check_seconds(annotation.lead_time),
            at=at.isoformat(timespec="microseconds"),
            source="labelstudio",
            first=annotation.updated_at - annotation.created_at <= _AT_ONCE,
        )

    def _check_person(self, annotation: ServerAnnotation, user: int) -> None:
        """Raises ValueError where an annotation is not by the annotator.

        Its sentence names nobody: they are counted in results, where people are codes.
        """
        if annotation.completed_by is None or annotation.completed_by not in self.emails:
            raise ValueError("it is by nobody who is on the server")
        if annotation.updated_by is None:  # anybody may import answers in anybody's name
            raise ValueError("the server does not tell who wrote it: it was imported")
        if annotation.updated_by != annotation.completed_by:
            raise ValueError("it was last changed by somebody else than its writer")
        if annotation.completed_by != user:
            raise ValueError("it is not by the annotator")

    def _user_in_words(self, user: int | None) -> str:
        """Returns the e-mail address of a user, or what else they can be called."""
        if user is None:
            return "nobody"
        return self.emails.get(user) or f"user {user}"

    def _refuse(self, key: str, place: str, annotation: ServerAnnotation, reason: str) -> Refused:
        """Returns an annotation as an answer that does not count, with the reason."""
        raw = {name: getattr(annotation, name) for name in _RAW}
        text = json.dumps(raw, ensure_ascii=True, sort_keys=True, default=datetime.isoformat)
        if len(text) > _MOST_RAW:
            text = text[:_MOST_RAW] + "…"
        who = self._user_in_words(annotation.completed_by)
        by = ""
        if annotation.updated_by not in (None, annotation.completed_by):
            by = f", last changed by {self._user_in_words(annotation.updated_by)}"
        return Refused(
            id=content_hash(self._url, annotation.id, text, reason),
            key=key if key in self.tasks else "",
            where=f"{place}, annotation {annotation.id} by {who}{by}",
            reason=reason,
            raw=text,
        )

    def _refuse_unreadable(self, project: int, task: int) -> Refused:
        """Returns the record of a task that the server itself cannot read."""
        return Refused(
            id=content_hash(self._url, "unreadable", project, task),
            key="",
            where=f"project {project}, task {task}",
            reason="the server itself fails on this task, so its answers cannot be read",
            raw="",
        )


def changed_answers(
    revisions: Iterable[Rating], known: Mapping[str, Sequence[Rating]]
) -> list[Rating]:
    """Returns what changes an answer as it is known: pressing Update alone does not.

    Args:
        known: key of a task -> its revisions, the newest last.
    """
    before = {}
    for key, several in known.items():
        if several:
            before[key] = several[-1].response
    answers = []
    for revision in revisions:
        if before.get(revision.key) != revision.response:
            answers.append(revision)
    return answers


def identify_annotators(
    annotators: Sequence[Annotator],
    *,
    emails: Mapping[int, str],
    bound: Mapping[str, int],
    raters: Mapping[str, set[int]],
    owner: int,
) -> tuple[dict[str, int], dict[str, str]]:
    """Returns which user of the server is which annotator.

    By what is known, then by e-mail address, then by who alone answered in a project.

    Args:
        bound: code -> user, from an earlier pull or by the owner's word; never changed here.
        raters: code -> users with answers in the annotator's project.
        owner: the user of the token, who is an annotator only by word or address.

    Returns:
        Code -> the user, of those who are known; code -> why nobody is known, one sentence.
    """
    users = dict(bound)
    why = dict[str, str]()
    unknown = [annotator for annotator in annotators if annotator.code not in users]
    for annotator in unknown:
        if annotator.email:
            user = user_with_email(emails, annotator.email)
            if user is None:
                why[annotator.code] = f"nobody has signed up as {annotator.email}"
            elif user in users.values():
                why[annotator.code] = f"{annotator.email} is another annotator already"
            else:
                users[annotator.code] = user
    taken = {owner, *users.values()}
    left = {}
    for a in unknown:
        if not a.email:
            left[a.code] = raters.get(a.code, set()) - taken
    often = Counter(user for some in left.values() for user in some)
    for code, some in left.items():
        if len(some) == 1 and often[min(some)] == 1:
            users[code] = min(some)
        elif some:
            names = ", ".join(sorted(emails.get(user, f"user {user}") for user in some))
            why[code] = f"who of {names} is the annotator cannot be told: say it by --who"
        else:
            why[code] = "nobody who is not known already has answered in this project"
    return users, why


def user_with_email(emails: Mapping[int, str], email: str) -> int | None:
    """Returns the user of the server with an e-mail address; None where nobody has it."""
    wanted = email.strip().casefold()
    return next((user for user, has in emails.items() if has.strip().casefold() == wanted), None)
