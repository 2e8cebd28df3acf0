"""Whether a column is people's by its name, and beside which judge's it stands. Pure."""

from __future__ import annotations

from factmark.intake.columns import words_of
from factmark.intake.tools import role_names

_WRITERS = frozenset(("model", "ai", "machine"))
_MACHINES = (*_WRITERS, "judge", "llm", "auto")


def is_peoples_beside(judge: str, path: str) -> bool:
    """Whether a column is people's of the same thing as a judge's, by its name.

    >>> is_peoples_beside("factuality_model_score", "factuality_human_score")
    True
    >>> [is_peoples_beside("gpt4_style", path) for path in ("human_style", "human_tone")]
    [True, False]
    """
    models = {*role_names("analyse", "words")["model"], *_MACHINES}
    of_judge = {word for word in words_of(judge) if word.rstrip("0123456789") not in models}
    return is_of_people(path) and of_judge == set(words_of(path)) - _people()


def may_be_of_peoples_answers(judge: str, path: str) -> bool:
    """Whether two columns may say the same of a model's answers and of people's: `model_score` is
    a model's score, or that of its answer.

    >>> may_be_of_peoples_answers("style_model_score", "style_human_score")
    True
    >>> may_be_of_peoples_answers("style_gpt4_score", "style_human_score")
    False
    """
    return is_peoples_beside(judge, path) and not _WRITERS.isdisjoint(words_of(judge))


def is_of_people(path: str) -> bool:
    """Whether a word of a column's name says that people gave what it holds."""
    return bool(set(words_of(path)) & _people())


def _people() -> set[str]:
    """Returns the words that columns of people are called by."""
    return set(role_names("analyse", "words")["people"])
