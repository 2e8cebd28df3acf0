"""From a campaign's ratings to its results: systems, annotators, agreement, judges. Pure.

What counts is the newest answer to a task. The first one stands beside it and is never mixed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from factmark import __version__
from factmark.campaign_model import Campaign
from factmark.model import content_hash
from factmark.people.core.forms import Form
from factmark.people.core.scales import form_of
from factmark.people.ratings.agreement import (
    JudgeLabels,
    JudgeScore,
    judge_scores,
    people_agreement,
)
from factmark.people.ratings.annotators import AnnotatorScore, annotator_scores
from factmark.people.ratings.entries import RatedTask, Scoring, finer_rating
from factmark.people.ratings.systems import (
    LabelShare,
    SystemScore,
    boards,
    label_shares,
    system_scores,
)
from factmark.stats.agreement import Agreement
from factmark.stats.comparison import Options
from factmark.stats.contest import LeaderBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignResults:
    """All that a campaign came to. Annotators are codes here; names are only in `names`.

    Attributes:
        boards: key of a measure -> the systems compared in pairs, on the measure's scale; none
            of one system.
        names: code -> what annotators are called here: the code, or the name where asked for.
        refused: reason -> how often what came in was refused.
        settings: of the campaign, as its owner may read them.
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
    problems: tuple[str, ...] = ()  # what a reader must know, one sentence each
    signature: Mapping[str, object] = field(default_factory=dict)

    def called(self, code: str) -> str:
        """What an annotator is called here."""
        return self.names.get(code, code)

    @property
    def comments(self) -> list[RatedTask]:
        """The tasks whose newest answer has a comment."""
        return [entry for entry in self.entries if entry.comment]

    def finer(self, entry: RatedTask) -> float | None:
        """The finer rating in a task's comment."""
        if entry.final is None:
            return None
        return finer_rating(self.form, entry.final.response.label, entry.comment)


_SETTINGS = ("blinding", "tells")


def rate_campaign(
    campaign: Campaign,
    entries: Sequence[RatedTask],
    *,
    judges: Sequence[JudgeLabels] = (),
    refused: Mapping[str, int] | None = None,
    names: bool = False,
    options: Options | None = None,
) -> CampaignResults:
    """The results of a campaign, also of one that nobody has answered yet.

    `names` calls annotators by their names, not their codes.
    """
    options = options or Options()
    form = form_of(campaign)
    scorings = tuple(Scoring(form=form, measure=m, options=options) for m in form.measures)
    scores = judge_scores(form, judges, entries, options)
    return CampaignResults(
        campaign=campaign.name,
        form=form,
        scores=tuple(score for scoring in scorings for score in system_scores(scoring, entries)),
        boards=boards(scorings, entries),
        shares=label_shares(form, entries, options),
        annotators=annotator_scores(
            scorings[0], entries, [annotator.code for annotator in campaign.annotators]
        ),
        agreement=people_agreement(form, entries, options),
        judges=scores,
        entries=tuple(entries),
        scorings=scorings,
        names={
            annotator.code: annotator.name if names else annotator.code
            for annotator in campaign.annotators
        },
        refused=dict(sorted((refused or {}).items())),
        settings={name: campaign.settings[name] for name in _SETTINGS if name in campaign.settings},
        problems=tuple(_problems(form, entries, scores, judges)),
        signature=_signature(campaign, entries, options),
    )


def _problems(
    form: Form,
    entries: Sequence[RatedTask],
    scores: Iterable[JudgeScore],
    judges: Iterable[JudgeLabels],
) -> Iterator[str]:
    if not any(entry.revisions for entry in entries):
        yield "Nothing is rated yet: there are no values, and all that was asked for is missing."
    late = [entry for entry in entries if entry.revisions and entry.first is None]
    brought = sum(entry.revisions[0].source in ("import", "ledger") for entry in late)
    if brought:
        yield (
            f"{brought} ratings were brought in from files; whether they had been changed before "
            "is not known, so they are in no value by first ratings."
        )
    unknown = len(late) - brought
    if unknown:
        yield (
            f"Of {unknown} tasks the first answer is not known: they had been changed before they "
            "were first seen. They are in no value by first ratings."
        )
    given = {judge.id: {label for label in judge.labels if label} for judge in judges}
    for judge in scores:
        if judge.overall is None and judge.agreement is None:
            strange = sorted(given[judge.id] - set(form.labels))
            why = (
                f"it gave other labels than people may ({strange[0][:40]!r})"
                if strange
                else "people labelled nothing that it judged"
            )
            yield f"The judge {judge.name} is not compared: {why}."


def _signature(
    campaign: Campaign, entries: Iterable[RatedTask], options: Options
) -> dict[str, object]:
    """How the results were made; the hash is of every revision and of what was asked."""
    revisions = [
        (
            entry.assignment.annotator,
            entry.assignment.unit,
            [asdict(replace(revision, key="")) for revision in entry.revisions],
        )
        for entry in entries
    ]
    return {
        "campaign": campaign.name,
        "campaign_id": campaign.id,
        "factmark": __version__,
        "level": options.level,
        "ratings": content_hash(revisions),
        "resamples": options.resamples,
        "rubric": f"{campaign.form}@1",
        "seed": options.seed,
    }
