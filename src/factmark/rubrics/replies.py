"""What a judge's reply says: one of the offered labels or nothing, never a default. Pure.

A judge is told to answer with one label. Real replies come with reasoning, markup, JSON, the other
labels named in passing, or nothing. The rules are general: they know how labels are spelled
(`lexicon`), what is cited (`quoting`), how a mention is meant (`polarity`) and how plainly a
sentence declares (`signals`); `decision` settles. When in doubt the answer is None.
"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.rubrics.batches import read_batch
from factmark.rubrics.choices import ABSTAIN, read_choice
from factmark.rubrics.decision import decide
from factmark.rubrics.lexicon import lexicon
from factmark.rubrics.plain import plain

__all__ = ["ABSTAIN", "parse_batch", "parse_choice", "parse_reply"]


def parse_reply(reply: str, labels: Sequence[str], *, cut: bool = False) -> str | None:
    """The one label of `labels` that the reply settles on, or None.

    Args:
        cut: whether the reply was cut off at its limit: prose settles nothing then, since what
            would have followed may turn it.
    """
    return decide(plain(reply), lexicon(tuple(labels)), declared=cut)


def parse_batch(reply: str, labels: Sequence[str], n: int) -> list[str | None]:
    """The label of each of `n` numbered claims, None for each that the reply does not settle."""
    return read_batch(plain(reply), lexicon(tuple(labels)), n)


def parse_choice(reply: str, n: int = 4) -> str | None:
    """The letter of one of `n` options (at most 10) that the reply settles on, `ABSTAIN` for
    "I don't know", or None."""
    return read_choice(plain(reply), n)
