"""How annotators did where the right answer is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Campaign, CampaignTask, Rating
from factmark.ledger.campaigns import tasks_of, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.people.core.forms import Form
from factmark.people.core.scales import form_of
from factmark.people.practice.known import PRACTICE, Right, Role, right_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeScore:
    """How one annotator did in training, on gold, or in the check.

    Of gold the answer that counts is the newest, as of all work; of the others the first, since the
    right one is shown after it.

    Attributes:
        n_asked, n_answered, n_right: units.
        n_near: those answered right or, on a scale of steps, one step off; None of other labels.
        off: the mean of what they gave less the right answer, on the form's scale; above 0 is more
            lenient. None of a check, and where nothing is answered.
    """

    code: str
    role: Role
    n_asked: int
    n_answered: int
    n_right: int
    n_near: int | None
    off: float | None


def right_answers_of(ledger: Ledger, campaign: Campaign) -> Mapping[str, Right]:
    """Returns unit -> its right answer, of those that a campaign asks about and knows."""
    return right_answers(units_shown_of_kind(ledger, campaign, PRACTICE))


def practice_scores_of(
    ledger: Ledger, campaign: Campaign, annotator: str | None = None
) -> tuple[PracticeScore, ...]:
    """Returns how each annotator, or one, did where the right answer is known; none where it never
    is."""
    right = right_answers_of(ledger, campaign)
    if not right:
        return ()
    tasks = tasks_of(ledger, campaign, annotator)
    revisions = revisions_of(ledger, campaign, annotator)
    return practice_scores(form_of(campaign), campaign, tasks, revisions, right)


def practice_scores(
    form: Form,
    campaign: Campaign,
    tasks: Iterable[CampaignTask],
    revisions: Mapping[str, Sequence[Rating]],
    right: Mapping[str, Right],
) -> tuple[PracticeScore, ...]:
    """Returns the score of each annotator in each role that they are asked in.

    Args:
        revisions: key of a task -> its answers, the newest last.
        right: unit -> its right answer.
    """
    answers: dict[tuple[str, Role], list[tuple[str, str | None]]] = {}
    for task in tasks:
        about = task.assignment
        known = right.get(about.unit)
        if known:
            given = revisions.get(task.key)
            place = 0
            if known.role == "gold":
                place = -1
            label = None
            if given:
                label = given[place].response.label
            answers.setdefault((about.annotator, known.role), []).append((known.label, label))
    order = [annotator.code for annotator in campaign.raters]
    return tuple(
        _score(form, code, role, answers[code, role])
        for code in order
        for role in _ROLES
        if (code, role) in answers
    )


_ROLES: tuple[Role, ...] = ("check", "training", "gold")


def _score(
    form: Form, code: str, role: Role, answers: Sequence[tuple[str, str | None]]
) -> PracticeScore:
    """Returns the score of answers, each beside the right one."""
    given = []
    for right, label in answers:
        if label is not None:
            given.append((right, label))
    labelled = []
    for pair in given:
        if role != "check" and {*pair} <= form.values.keys():
            labelled.append(pair)
    gaps = []
    for right, label in labelled:
        gaps.append(form.values[label] - form.values[right])
    ranks = {label: rank for rank, label in enumerate(form.ranked)}
    near = sum(abs(ranks[label] - ranks[right]) <= 1 for right, label in labelled)
    n_near = None
    if role != "check" and form.scale == "ordinal":
        n_near = near
    off = None
    if gaps:
        off = sum(gaps) / len(gaps)
    return PracticeScore(
        code=code,
        role=role,
        n_asked=len(answers),
        n_answered=len(given),
        n_right=sum(right == label for right, label in given),
        n_near=n_near,
        off=off,
    )
