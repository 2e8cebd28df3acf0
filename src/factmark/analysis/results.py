"""The records of results: how far judges agree, and what an interval needs; of `compare` it is
`stats.contest.Outcome`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from factmark.analysis.pilots.pilot import Pilot
from factmark.analysis.reading import Rater
from factmark.evaluated.agreement import LabelScale
from factmark.model import Estimate
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.stats.agreement import Agreement
from factmark.stats.planning import Need
from factmark.stats.sequential import LabellingProgress
from factmark.text.shown_text import one_line

OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Who is compared: one with one, people among each other, one with all people.

    Or one with itself, first label with final: `revisions` over all its units, where the label of
    one that was never judged again stands for both; `revised` over those judged again.
    """

    what: Literal["pair", "people", "against people", "revisions", "revised"]
    ones: tuple[Rater, ...]
    others: tuple[Rater, ...] = ()

    @property
    def is_first_final(self) -> bool:
        """Whether one is compared with itself."""
        return self.what in ("revisions", "revised")

    @property
    def names(self) -> tuple[str, str]:
        """The two sides as people read them; of people among each other the second is empty."""
        name = self.ones[0].name
        return {
            "people": (f"people ({len(self.ones)})", ""),
            "revisions": (f"{name}: first", "final"),
            "revised": (f"{name}: first", "final, units judged again"),
            "against people": (name, f"people ({len(self.others)})"),
            "pair": (name, self.others[0].name if self.others else ""),
        }[self.what]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAgreement:
    """How far judges agree, over all units or in a stratum.

    Attributes:
        n_units: units with labels of both sides (of two people, where people are a group).
        n_unlabelled: units that both were asked about, without two labels to compare.
        n_alone: units that only one was asked about; in none of the numbers.
        n_again, n_moved: of revisions: units that were judged more than once, and those of them
            whose first label was another one.
    """

    versus: Sides
    stratum: str
    scale: LabelScale
    agreement: Agreement
    n_units: int
    n_unlabelled: int
    n_alone: int
    n_again: int = 0
    n_moved: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAgreement:
    """All comparisons of a panel; each over all units, then in every stratum.

    Attributes:
        marked_words: `source` and `text` -> how far people agree on the words that they marked
            there as what decided their ratings; nothing where nobody marked any.
    """

    kind: str
    scale: LabelScale
    compared: tuple[SideAgreement, ...]
    notes: tuple[str, ...]
    marked_words: Mapping[str, SpanAgreement] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far people's labels of a pilot have come.

    Attributes:
        estimate: people's share now, as for a number of labels that was fixed beforehand.
        more: labels that the plan still wants; None where no number is enough.
        verdicts: verdict -> how far its labels have come by the stopping rule, where not all of its
            units are labelled.
        may_stop: whether who looks on the way may stop; None where the rule says nothing: of labels
            that are not yes or no, and outside of what it was checked for.
    """

    estimate: Estimate
    more: int | None
    verdicts: Mapping[str, LabellingProgress]
    may_stop: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    """What an interval needs, and how far a pilot has come.

    `needs` are of each design, the one by verdict the last, and empty where labels are given
    instead; `wanted` is verdict -> units to label, None where no number is enough. `advice` is
    empty where the judge helps, as far as is known.
    """

    pilot: Pilot | None
    share: float
    needs: tuple[Need, ...]
    standing: Standing | None
    wanted: Mapping[str, int] | None
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksNeeded:
    """What a corrected difference needs.

    Attributes:
        questions: whose answers under all conditions people mark.
        half_width: of the interval that is to be expected then, of the worst of C, H and S between
            any two conditions.
        by_marks: whether that goes by marks that are there; else by answers whose domain was new to
            the rules.
    """

    questions: int
    half_width: float
    by_marks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDraw:
    """What was drawn for people to mark.

    Attributes:
        answers: rows of the sheet.
        systems: model and condition -> how many of its answers people have marked when it is done.
        needed: where a difference was asked for, what it needs.
    """

    answers: int
    systems: Mapping[str, int]
    needed: MarksNeeded | None = None

    @property
    def text(self) -> str:
        """What the rows are of, in words; a text that several answers have is one row."""
        several = ""
        if sum(self.systems.values()) > self.answers:
            several = "which stand for "
        return several + ", ".join(f"{n} of {one_line(name)}" for name, n in self.systems.items())
