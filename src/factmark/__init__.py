"""factmark measures how factual answers, summaries and knowledge graphs are.

    import factmark as fm
    fm.score("answers.jsonl").averages["S"]

Every name below is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from factmark.answers import score_answer
    from factmark.api import Measured, factscore, ratings, score, validity
    from factmark.replies import parse_reply
    from factmark.stats import corrected_share

__version__ = "0.1.0"

_HOMES = {
    "Measured": "factmark.api",
    "corrected_share": "factmark.stats",
    "factscore": "factmark.api",
    "parse_reply": "factmark.replies",
    "ratings": "factmark.api",
    "score": "factmark.api",
    "score_answer": "factmark.answers",
    "validity": "factmark.api",
}

__all__ = [
    "Measured",
    "__version__",
    "corrected_share",
    "factscore",
    "parse_reply",
    "ratings",
    "score",
    "score_answer",
    "validity",
]

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)
