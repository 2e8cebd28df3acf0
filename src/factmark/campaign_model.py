"""The nouns of campaigns: which people are asked what of which units, and what they answered.

People do not see whose unit they judge: a task is known by a key that only the campaign's secret
can make. All that they answer is kept as revisions; the newest per unit and annotator counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from factmark.model import Item, Unit

Span = tuple[int, int]
"""Start and end in characters of a text."""

EvidenceSpan = tuple[str, int, int]
"""A stretch that decided a rating: in the `source` or in the `text` that is rated, from start up to
end in characters."""

PersonState = Literal["active", "left", "forgotten"]
"""Of a person in a campaign: may answer; answers count no more; answers count, and nobody knows who
that was, so that nothing more is asked."""

PSEUDONYM = "forgotten-"
"""How the name begins that stands for somebody who is forgotten; eight hex digits follow."""

_PSEUDONYM = re.compile(rf"{PSEUDONYM}[0-9a-f]{{8}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """A person who is asked.

    Attributes:
        code: stands for the name in everything that others read: `A1`, `A2`, ...
        name: as the campaign's owner wrote it; verdicts in the ledger are by a judge of this name.
        email: empty where it is not known.
        withdrawn: when their answers were left out, as ISO 8601; empty while they count.
        decides: the codes of the people who decide under this name where ratings differ, joined by
            `+`; empty of those who rate.
        screened: why they were screened out, a sentence; it stays where their owner counts them
            again (`withdrawn` is empty then), so that they are not screened twice.
    """

    code: str
    name: str
    email: str = ""
    withdrawn: str = ""
    decides: str = ""
    screened: str = ""

    @property
    def state(self) -> PersonState:
        """What they are to the campaign."""
        if self.withdrawn:
            return "left"
        if is_pseudonym(self.name):
            return "forgotten"
        return "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What was decided when a campaign was made.

    Attributes:
        id: random, 32 hex digits.
        name: as commands name it; unique in a ledger.
        form: the name of its form.
        annotators: in the order of their codes.
        guidelines: what annotators read before they start, as Markdown.
        settings: seed, overlap, raters, batch, the source file and its hash, what blinding
            changed, ...; JSON values.
        created: when, in UTC, as ISO 8601.
        closed: when, or empty while people may answer.
    """

    id: str
    name: str
    form: str
    annotators: tuple[Annotator, ...]
    guidelines: str
    settings: Mapping[str, object] = field(default_factory=dict)
    created: str = ""
    closed: str = ""

    @property
    def queues(self) -> bool:
        """Whether what is asked waits in a queue, and is on nobody's list before it is drawn."""
        return self.settings.get("deal") == "queue"

    @property
    def imported(self) -> bool:
        """Whether it holds ratings from files, and nobody was asked anything here."""
        return "imported" in self.settings

    def called(self, person: Annotator) -> str:
        """The name of one of its annotators, as the owner knows them; of those who decide together
        all names."""
        if not person.decides:
            return person.name
        names = {other.code: other.name for other in self.annotators}
        codes = person.decides.split("+")
        who = " and ".join(names[code] for code in codes)
        if len(codes) == 1:
            return f"{who} decides"
        return f"{who} decide"

    @property
    def counted(self) -> tuple[Annotator, ...]:
        """Those whose answers count: all but who has left."""
        return tuple(person for person in self.annotators if person.state != "left")

    @property
    def screened(self) -> tuple[Annotator, ...]:
        """Those who were screened out: their answers count no more, and they may be told why."""
        return tuple(p for p in self.annotators if p.withdrawn and p.screened)

    @property
    def active(self) -> tuple[Annotator, ...]:
        """Those who may answer, and who may be asked more."""
        forgotten = {p.code for p in self.annotators if p.state == "forgotten"}
        active = []
        for person in self.counted:
            codes = {person.code, *person.decides.split("+")}
            if not codes & forgotten:
                active.append(person)
        return tuple(active)

    @property
    def raters(self) -> tuple[Annotator, ...]:
        """Those who rate: all who may answer but for those who decide between others."""
        return tuple(person for person in self.active if not person.decides)


def is_pseudonym(name: str) -> bool:
    """Whether a name stands for somebody who is forgotten."""
    return _PSEUDONYM.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One unit on one annotator's list.

    Attributes:
        annotator: the code.
        batch: counts from 1 within the annotator.
        position: on the annotator's list, from 0.
        document: what units that belong side by side have in common.
    """

    annotator: str
    batch: int
    position: int
    unit: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """One unit that waits for whoever comes next, and how many people are to answer it."""

    unit: str
    document: str
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What an annotator sees of a unit; no part of it tells whose it is.

    Attributes:
        evidence: what the unit is judged against, as plain text.
        text: what is judged; for a clause the whole summary.
        clause: the part of `text` that is asked about; all of it where None.
        likely: parts of `evidence` where the answer probably stands.
        hints: the same of each sentence of `text`; none where the page finds them, by words.
        elements: of the ground truth, for `facts`.
        sections: names of the evidence's sections, where its file tells them beside the text.
        options: what may be chosen, in place of the form's labels: of a question of its own. The
            label is then the number of an option, from 1.
    """

    evidence: str
    text: str
    clause: Span | None = None
    likely: tuple[Span, ...] = ()
    hints: tuple[tuple[Span, ...], ...] = ()
    elements: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitsAsked:
    """The units of a protocol that people are asked about.

    Attributes:
        rows: units with their items and what is shown of each.
        items: further items that those belong to.
        notes: what the owner should know, a sentence each.
    """

    rows: tuple[tuple[Item, Unit, Shown], ...]
    items: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignProtocol:
    """What campaigns ask of the slice that has units of a kind.

    Attributes:
        units_asked: (files, kind, known) -> the units of a file, or the known ones.
        rubrics: kind -> what a model is asked where people are.
        score_marks, marked_rows: what marks in an answer come to; None of other kinds.
    """

    units_asked: Callable[..., UnitsAsked]
    rubrics: Mapping[str, Any] = field(default_factory=dict)
    score_marks: Any = None
    marked_rows: Any = None


ProtocolOf = Callable[[str], CampaignProtocol]
"""Kind of unit -> what campaigns ask of its slice, which is imported then; `cli/annotate.py` hands
it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignTask:
    """A unit on an annotator's list as the annotator meets it: under a blind key.

    Attributes:
        key: HMAC of annotator and unit under the campaign's secret, 32 hex digits.
    """

    key: str
    assignment: Assignment
    shown: Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What a person marked in an answer (protocol 1).

    Attributes:
        grounded, ungrounded: facts of the answer, those that the ground truth has and the others.
        covered: elements of the ground truth that the answer states.
        verdict: `yes`, `no`, or None where the answer gives none (E5).
        absence: whether it reports that there is nothing.
    """

    grounded: tuple[Span, ...] = ()
    ungrounded: tuple[Span, ...] = ()
    covered: tuple[str, ...] = ()
    verdict: str | None = None
    absence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonResponse:
    """What a person answered: a label of the form, or marks; and a comment if wanted.

    Attributes:
        row: file, place there and id of the row that it was read from; empty of what was answered
            here.
        evidence: where the person saw what decided the label.
    """

    label: str | None = None
    marking: Marking | None = None
    comment: str = ""
    row: tuple[str, str, str] = ("", "", "")
    evidence: tuple[EvidenceSpan, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What a person gave a unit at one time: an answer to a task, a change of one, or what came in
    from a file or a sheet.

    Attributes:
        id: unique to this change: what is sent twice under one id is kept once.
        key: of the task; empty where there is none (yet), which `annotator` and `unit` then tell.
        seconds: that the person spent on the task so far, as the client told; None if it did not.
        at: when it was made, in UTC, as ISO 8601 with microseconds; empty where no file tells.
        source: `page`, `labelstudio`, `import` or `ledger`.
        first: whether nothing came before it. Label Studio keeps no history: False where an answer
            had been changed before it was first seen.
        annotator: the name of the person.
    """

    id: str = ""
    key: str = ""
    response: PersonResponse
    seconds: float | None = None
    at: str = ""
    source: str = ""
    first: bool = True
    annotator: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An answer that came in and does not count, with the reason; kept beside the ratings.

    Attributes:
        id: unique to this content: the same seen again is kept once.
        key: of the task, or empty where that cannot be told.
        where: its place on the server, for example `project 3, task 12, annotation 40`.
        reason: one sentence.
        raw: what came in, as JSON text, cut off where it is long.
    """

    id: str
    key: str
    where: str
    reason: str
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenRatings:
    """What became of revisions that were handed to the ledger, each by its id.

    Attributes:
        new: the ledger did not have them; it does now.
        known: it had them already, so nothing changed.
        foreign: not kept: their key is none of the campaign's, or their id is another task's.
    """

    new: tuple[str, ...]
    known: tuple[str, ...]
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProject:
    """Where an annotator's tasks are on a Label Studio server.

    Attributes:
        annotator: the code.
        user: who was found to be the annotator there, as the server names users; empty while
            nobody is known.
    """

    annotator: str
    url: str
    project: int
    user: str = ""
