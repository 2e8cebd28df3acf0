"""What a campaign came to: the records that `ratings` makes and reports show. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from factmark.model import Estimate
from factmark.people.summaries.entries import Entry, Measure
from factmark.stats.agreement import Agreement
from factmark.stats.contest import LeaderBoard
from factmark.stats.correction import Correction


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How results are computed."""

    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """A system by one measure, on the measure's scale.

    A thing that several people rated is the mean of what they gave; a document is the mean of its
    things; the score is the mean over documents, which are what is resampled.

    Attributes:
        final: by what counts. `n_missing` are things that nobody rated; worst and best take every
            rating that was asked for and is missing as the worst and the best.
        longeval: the same from 0 to 100; None of measures that LongEval does not have.
        first: by first ratings, of the things of which they are known.
        change: final less first, on the things of which both are known.
        pooled: over all clauses alike, whatever summary they belong to; None of other forms.
        deviation: the mean over things of the standard deviation (n - 1) of what annotators gave
            them; None where no thing has two.
        n_asked, n_answered: ratings.
    """

    system: str
    measure: Measure
    final: Estimate
    longeval: Estimate | None
    first: Estimate
    change: Estimate
    pooled: Estimate | None
    deviation: Estimate | None
    n_asked: int
    n_answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShare:
    """How often a label is among what counts of a system: the number, and the share."""

    system: str
    label: str
    count: int
    share: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumScore:
    """A stratum by the measure to go by, over all systems."""

    name: str
    value: str
    final: Estimate
    n_asked: int
    n_answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The quartiles of something; None where there is nothing."""

    n: int
    low: float | None = None
    median: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorScore:
    """An annotator.

    Attributes:
        mean: over the things that they rated, on the scale of the measure to go by.
        leniency: their values less the mean of the others', on the things that somebody else rated
            as well; None where there are none.
        n_shared: those things.
        minutes: per document, of documents that are all rated and whose times are known.
        n_documents: documents that are all rated.
        n_recalibrated: tasks whose label or marks changed after the first that is known.
        mean_change: of the values of these, final less first known.
        n_raised, n_lowered: how many of these have a higher or a lower value than first.
        n_first_unknown: tasks that had been changed before they were first seen; what was there
            before is not known, and more may have been recalibrated.
        n_comments: tasks whose newest answer has a comment.
    """

    code: str
    n_asked: int
    n_answered: int
    n_documents: int
    mean: float | None
    leniency: Estimate | None
    n_shared: int
    minutes: Spread
    n_recalibrated: int
    mean_change: float | None
    n_raised: int
    n_lowered: int
    n_first_unknown: int
    n_comments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """How far annotators agree, on units that two or more were asked about.

    Attributes:
        scale: `ordinal` or `nominal`.
        what: what was compared: the labels of units, or elements as covered or not.
        all: over all annotators.
        pairs: two codes -> the two on the units that both rated.
    """

    scale: str
    what: str
    all: Agreement
    pairs: Mapping[tuple[str, str], Agreement]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What an annotator wrote beside what counts, with a finer rating if it states one."""

    document: str
    system: str
    annotator: str
    unit: str
    label: str | None
    comment: str
    finer: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScore:
    """A judge by rule or model beside people.

    Attributes:
        agreement: every label of the judge beside each person's of this campaign; None where its
            labels are not those of the form, or nobody rated what it judged.
        scale: `ordinal` or `nominal`.
        overall: what people would have said of all units that it judged; in [0, 1]; None where
            people labelled none of them.
        systems: the same of each system, where there are several.
        n_judged: units with a label of the judge.
    """

    id: str
    kind: str
    name: str
    scale: str
    agreement: Agreement | None
    overall: Correction | None
    systems: Mapping[str, Correction]
    n_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignResults:
    """All that a campaign came to. Annotators are codes here; names are only in `names`.

    Attributes:
        form: its name.
        scores: by measure, then by system.
        boards: key of a measure -> the systems compared in pairs, on the measure's scale; none
            of one system.
        shares: by system, then by label; none where people mark a text.
        names: code -> what annotators are called here: the code, or the name where asked for.
        refused: reason -> how often what came in was refused.
        settings: of the campaign, as its owner may read them.
        problems: what a reader must know, one sentence each.
    """

    campaign: str
    form: str
    measures: tuple[Measure, ...]
    scores: tuple[SystemScore, ...]
    boards: Mapping[str, LeaderBoard]
    shares: tuple[LabelShare, ...]
    strata: tuple[StratumScore, ...]
    annotators: tuple[AnnotatorScore, ...]
    agreement: PeopleAgreement | None
    comments: tuple[Comment, ...]
    judges: tuple[JudgeScore, ...]
    entries: tuple[Entry, ...]
    how: How
    names: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    def called(self, code: str) -> str:
        """What an annotator is called here."""
        return self.names.get(code, code)
