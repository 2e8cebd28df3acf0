"""Whether a column is people's by its name, and beside which judge's it stands. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from factmark.intake.columns import words_of
from factmark.intake.tools import role_names

_STEM = 5  # letters
_WRITERS = frozenset(("model", "ai", "machine"))
_MACHINES = (*_WRITERS, "judge", "llm", "auto")


def is_peoples_beside(judge: str, path: str) -> bool:
    """Whether a column is people's of the same thing as a judge's, by its name: the words that are
    left of it are the judge's, too, or begin as they do.

    >>> is_peoples_beside("factuality_model_score", "factuality_human_score")
    True
    >>> is_peoples_beside("metrics.Faithfulness.score", "human_faithful")
    True
    >>> [is_peoples_beside("gpt4_style", path) for path in ("human_style", "human_tone")]
    [True, False]
    """
    models = {*role_names("analyse", "words")["model"], *_MACHINES}
    of_judge = {word for word in words_of(judge) if word.rstrip("0123456789") not in models}
    if not is_of_people(path):
        return False
    left = set(words_of(path)) - _people()
    things = left - set(role_names("analyse", "words")["said"])
    if not things:
        return of_judge == left
    return all(any(_begin_alike(word, other) for other in of_judge) for word in things)


def _begin_alike(word: str, other: str) -> bool:
    """Whether two words are forms of one, as `faithful` and `faithfulness`."""
    return word == other or (min(len(word), len(other)) >= _STEM and word[:_STEM] == other[:_STEM])


def columns_of_people(judge: str, paths: Collection[str], likely: Sequence[str]) -> list[list[str]]:
    """Returns the columns with people's labels beside a judge's, by a word for people in their
    names: each list is a way to read the table.

    Args:
        paths: all that say something of units.
        likely: of them those with a word for people.
    """
    beside = [path for path in likely if is_peoples_beside(judge, path)]
    if beside:
        return [beside]
    others = [path for path in paths if not is_of_people(path)]
    of_none = []
    for path in likely:
        if not any(is_peoples_beside(other, path) for other in others):
            of_none.append(path)
    if len(of_none) > 1:
        return [*([path] for path in of_none), []]
    return [of_none]


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
