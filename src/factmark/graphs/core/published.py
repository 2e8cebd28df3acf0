"""Figures published for GraphMERT (TMLR 2026), as a reference column; nothing is measured here.

Shares are in percent as printed; counts are computed from them. Where a figure cannot be checked or
does not add up it is marked as doubtful, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedGraph:
    """A row of the table. None where nothing was printed.

    Attributes:
        pairs, unique: pairs of triple and passage that were judged; unique triples among them.
        factscore, factscore_general: FActScore* from the context only, and with general truth.
        yes, maybe, no: validity.
        doubtful: what one should know before comparing with it.
    """

    name: str
    pairs: int
    yes: float
    maybe: float
    no: float
    unique: int | None = None
    factscore: float | None = None
    factscore_general: float | None = None
    doubtful: tuple[str, ...] = ()

    @property
    def missing_share(self) -> float:
        """The percentage of pairs with no validity label at all."""
        return round(100 - self.yes - self.maybe - self.no, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAccuracy:
    """GraphRAG accuracy in percent over a number of questions."""

    name: str
    accuracy: float
    questions: int = 69
    doubtful: tuple[str, ...] = ("no whole number of 69 answers; it must be a mean over runs",)


_ALL = (
    "judged by a model alone (Qwen3-32B); no human labels",
    "no intervals; the rows do not add up to 100%: replies that could not be parsed were dropped",
)
GRAPHS = (
    PublishedGraph(
        name="LLM baseline (Qwen3-32B)", pairs=515_460, factscore=40.2, factscore_general=48.1,
        yes=43.0, maybe=24.1, no=31.4,
        doubtful=(*_ALL, "a summary in circulation calls it GPT-4; the paper does not"),
    ),
    PublishedGraph(
        name="UMLS seed graph", pairs=28_533, yes=53.4, maybe=10.0, no=34.7,
        doubtful=(*_ALL, "no FActScore*: its triples come from no passage"),
    ),
    PublishedGraph(
        name="GraphMERT", pairs=139_565, unique=109_293, factscore=69.8, factscore_general=72.2,
        yes=68.8, maybe=18.3, no=10.8, doubtful=_ALL,
    ),
)  # fmt: skip
GRAPHRAG = (
    PublishedAccuracy(name="LLM", accuracy=50.2),
    PublishedAccuracy(name="UMLS seed graph", accuracy=53.1),
    PublishedAccuracy(
        name="GraphMERT", accuracy=59.4,
        doubtful=("the gain of 9.2 points over the LLM has a 95% interval of -7 to +26",),
    ),
)  # fmt: skip
NOT_PUBLISHED = (
    "55.6 / 58.2 for a text+LLM method: in a summary in circulation, not in the paper",
    "maybe counted as half: in the summary; the paper's validity is the share of yes",
)
