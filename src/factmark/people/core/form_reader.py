"""How often a reader of form alone names the system that wrote a text: all habits at once.

An annotator sees the texts of a document beside each other, many times over, and may learn who is
who. So does the reader here: of each text it sees the habits, as how far each is from the mean of
the document's texts, and learns from other documents which system has them (least squares on a one
for each system, with a ridge: Hastie, Tibshirani, Friedman 2009, "The Elements of Statistical
Learning", section 4.2). It sees no word; whoever knows a system by what it says does better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from factmark.people.core.tells import HABITS, Texts
from factmark.stats.intervals import Floats, normal_quantile
from factmark.stats.rounding import CLOSE

LEAST = 20  # documents with a text of every system; of fewer little can be learnt
_MOST = 500  # documents that are read
_FOLDS = 10
_RIDGE = 1.0
_LENGTH = ("words", "words per sentence")
_DIGITS = 9  # of a score: less is rounding, which no system is to be named by


@dataclass(frozen=True, slots=True, kw_only=True)
class FormReading:
    """How well a reader of form alone does.

    Attributes:
        named: the share of texts whose system it names.
        without_length: the same, length left aside.
        chance: one of how many systems there are.
        texts: how many it read.
    """

    named: float
    without_length: float
    chance: float
    texts: int

    def sentence(self) -> str:
        """The figures in a sentence."""
        return (
            f"the form as a whole: whoever has learnt it from the other documents names the system "
            f"of {self.named:.2f} of {self.texts} texts ({self.without_length:.2f} with length "
            f"left aside; by chance {self.chance:.2f})"
        )


def read_form(texts: Texts, *, alpha: float = 0.05) -> FormReading | None:
    """Returns how often the system of a text is named by its form; None where that is not more
    often than chance would have it, or there are too few documents with a text of every system."""
    rows = []
    for row in zip(*texts.values(), strict=True):
        if None not in row:
            rows.append(row)
    rows = rows[:: -(-len(rows) // _MOST) or 1]
    systems = len(texts)
    if len(rows) < LEAST or systems < 2:
        return None
    habits = np.array(
        [[[habit.of(text or "") for habit in HABITS] for text in row] for row in rows]
    )
    without = np.array([habit.name not in _LENGTH for habit in HABITS])
    by_all = _shares_named(habits)
    by_rest = _shares_named(habits[:, :, without])
    error = by_all.std() / len(rows) ** 0.5
    if by_all.mean() - normal_quantile(1 - alpha) * error <= 1 / systems + CLOSE:
        return None
    return FormReading(
        named=float(by_all.mean()),
        without_length=float(by_rest.mean()),
        chance=1 / systems,
        texts=len(rows) * systems,
    )


def _shares_named(habits: Floats) -> Floats:
    """Returns the share of each document's texts whose system is named by weights that were learnt
    from the documents of the other folds; where systems tie, a part of one.

    Args:
        habits: shape (documents, systems, habits).
    """
    documents, systems, _ = habits.shape
    rows = habits - habits.mean(axis=1, keepdims=True)
    rows /= rows.std(axis=(0, 1)) + 1e-9
    fold = np.arange(documents) % _FOLDS
    shares = np.zeros(documents)
    for number in range(_FOLDS):
        learnt = rows[fold != number]
        read = rows[fold == number]
        inputs = learnt.reshape(-1, rows.shape[2])
        ridge = inputs.T @ inputs + _RIDGE * np.eye(rows.shape[2])
        weights = np.linalg.solve(ridge, learnt.sum(axis=0).T)
        scores = np.round(read @ weights, _DIGITS)
        best = scores == scores.max(axis=2, keepdims=True)
        right = np.eye(systems) * best / best.sum(axis=2, keepdims=True)
        shares[fold == number] = right.sum(axis=2).mean(axis=1)
    return shares
