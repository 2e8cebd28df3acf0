"""Which passages share a call to a model. Pure."""

from __future__ import annotations

from collections.abc import Mapping

MOST_EVIDENCE = 24_000
"""Characters of passages that share a call: some 6,000 tokens, which small models can read too."""


def sharing(units_of: Mapping[str, int], size: int) -> dict[str, str]:
    """Returns passage -> the passage whose call it shares: neighbours, whole, up to `size` units
    and `MOST_EVIDENCE` characters together.

    It follows from all passages of a study, so that who judges a part of it asks the same calls.

    Args:
        units_of: passage -> its units, in the order in which they are judged.

    >>> sharing({"a": 2, "b": 1, "c": 4, "d": 1}, 3)
    {'a': 'a', 'b': 'a', 'c': 'c', 'd': 'd'}
    """
    shared: dict[str, str] = {}
    first = ""
    n_units = length = 0
    for passage, n in units_of.items():
        n_units += n
        length += len(passage)
        if n_units > size or length > MOST_EVIDENCE or not shared:
            first = passage
            n_units = n
            length = len(passage)
        shared[passage] = first
    return shared
