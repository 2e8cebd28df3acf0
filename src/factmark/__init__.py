"""factmark measures how factual answers, summaries and knowledge graphs are.

    import factmark as fm
    fm.score("answers.jsonl").averages["S"]

Every name below is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from factmark.lazily import loader
from factmark.version import __version__

if TYPE_CHECKING:
    from factmark.answers import score_answer
    from factmark.api import (
        agree,
        analyse,
        claims,
        compare,
        correct,
        factscore,
        graphrag,
        plan,
        profile,
        ratings,
        run,
        score,
        validity,
    )
    from factmark.errors import FactmarkError
    from factmark.model import Estimate
    from factmark.replies import parse_reply
    from factmark.report.result import Result
    from factmark.stats import corrected_share

__all__ = [
    "Estimate",
    "FactmarkError",
    "Result",
    "__version__",
    "agree",
    "analyse",
    "claims",
    "compare",
    "correct",
    "corrected_share",
    "factscore",
    "graphrag",
    "parse_reply",
    "plan",
    "profile",
    "ratings",
    "run",
    "score",
    "score_answer",
    "validity",
]

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is

    def __dir__() -> list[str]:
        return sorted(__all__)

    __getattr__ = loader(
        __name__,
        {
            "factmark.answers": "score_answer",
            "factmark.api": (
                "agree analyse claims compare correct factscore graphrag plan profile ratings run "
                "score validity"
            ),
            "factmark.errors": "FactmarkError",
            "factmark.model": "Estimate",
            "factmark.report.result": "Result",
            "factmark.replies": "parse_reply",
            "factmark.stats": "corrected_share",
        },
    )
