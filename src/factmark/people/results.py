"""The record of what a campaign came to. Pure.

What counts is the newest answer to a task. The first one stands beside it and is never mixed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from factmark.files.flat_files import to_json_value
from factmark.people.core.forms import Form
from factmark.people.practice.scores import PracticeScore
from factmark.people.ratings.adjudication import Adjudication
from factmark.people.ratings.agreement import JudgeScore
from factmark.people.ratings.annotators import AnnotatorScore
from factmark.people.ratings.entries import BROUGHT_IN, RatedTask, Scoring, finer_rating
from factmark.people.ratings.screened_out import ScreenedOut
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.people.ratings.systems import LabelShare, SystemScore
from factmark.stats.agreement import Agreement
from factmark.stats.contest import LeaderBoard

_RECORDS = (
    *("agreement", "marked_words", "boards", "judges", "practice", "refused"),
    *("screened", "settings"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignResults:
    """All that a campaign came to. Annotators are codes here; names are only in `names`.

    Attributes:
        boards: key of a measure -> the systems compared in pairs, on the measure's scale; none
            of one system.
        names: code -> what annotators are called here: the code, or the name where asked for.
        refused: reason -> how often what came in was refused.
        settings: of the campaign, as its owner may read them.
        adjudication: what was decided where ratings differ; all other numbers are by the ratings.
        sources: path of the ledger and campaign, of each that the results are of.
        codes: name of an annotator -> code.
        practice: how annotators did where the right answer is known, which is in nothing else.
        marked_words: `source` and `text` -> how far annotators agree on the words that they marked
            there as what decided their ratings; nothing where nobody marked any.
        screened: who was screened out, who counts in nothing else; None where nobody was.
    """

    campaign: str
    form: Form
    scores: tuple[SystemScore, ...]  # by measure, then by system
    boards: Mapping[str, LeaderBoard]
    shares: tuple[LabelShare, ...]  # by system, then by label; none where people mark a text
    annotators: tuple[AnnotatorScore, ...]
    agreement: Agreement | None
    judges: tuple[JudgeScore, ...]
    entries: tuple[RatedTask, ...]
    scorings: tuple[Scoring, ...]  # by measure
    names: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    practice: tuple[PracticeScore, ...] = ()
    problems: tuple[str, ...] = ()  # what a reader must know, one sentence each
    signature: Mapping[str, object] = field(default_factory=dict)
    adjudication: Adjudication | None = None
    sources: tuple[tuple[str, str], ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    marked_words: Mapping[str, SpanAgreement] = field(default_factory=dict)
    screened: ScreenedOut | None = None

    def called(self, code: str) -> str:
        """The name of an annotator here, or the code."""
        return self.names.get(code, code)

    @property
    def dimension(self) -> str:
        """What is rated, in a word: the symbol of the measure to go by."""
        return self.form.measures[0].symbol

    @property
    def decisions(self) -> tuple[RatedTask, ...]:
        """What somebody decided, or is to decide."""
        if self.adjudication:
            return self.adjudication.decisions
        return ()

    @property
    def imported(self) -> bool:
        """Whether all ratings were brought in from files: nobody was asked anything here."""
        return bool(self.entries) and all(
            entry.revisions and entry.revisions[-1].source in BROUGHT_IN for entry in self.entries
        )

    @property
    def comments(self) -> list[RatedTask]:
        """The tasks whose newest answer has a comment."""
        return [entry for entry in self.entries if entry.comment]

    def as_json(self) -> dict[str, Any]:
        """Returns what results.json holds of a campaign beside its tables and rows."""
        decided: dict[str, Any] | None = None
        if self.adjudication is not None:
            parts = ("apart", "disputed", "decided", "left")
            decided = {name: getattr(self.adjudication, name) for name in parts}
        return {
            "campaign": self.campaign,
            "form": self.form.name,
            "agree_on": self.form.scale,
            "annotators": [
                {"name": self.called(annotator.code), **to_json_value(annotator)}
                for annotator in self.annotators
            ],
            "scores": [
                {
                    **to_json_value(score),
                    "measure": score.measure.key,
                    "scale": score.measure.scale,
                }
                for score in self.scores
            ],
            "adjudication": decided,
            **{name: getattr(self, name) for name in _RECORDS},
        }

    def finer(self, entry: RatedTask) -> float | None:
        """The finer rating that a task's comment states; None where there is none."""
        if entry.final is None:
            return None
        return finer_rating(self.form, entry.final.response.label, entry.comment)


def subject_of(parts: Sequence[CampaignResults]) -> str:
    """Returns what is rated: the campaign, or the import of all dimensions."""
    names = [part.campaign for part in parts]
    if len(parts) > 1:
        names = [name.rpartition(": ")[0] or name for name in names]
    return " + ".join(dict.fromkeys(names))
