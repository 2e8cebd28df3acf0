"""Whether what a model was given holds the ground truth."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.text.words import normalise

Words = tuple[str, ...]


def held(ground_truth: Sequence[str], texts: Sequence[str]) -> tuple[bool, ...]:
    """For each element of G, whether its words stand in one of the texts, in a row (M1).

    Short elements (a count such as `30`) may stand there by chance.

    >>> held(["CommercialPurpose", "30"], ["Prohibited: commercial purpose"])
    (True, False)
    """
    wanted = [normalise(element) for element in ground_truth]
    sizes = {len(words) for words in wanted if words}
    runs: set[Words] = set()
    starts = {words[0] for words in wanted if words}
    for text in texts:
        words = normalise(text)
        for at, word in enumerate(words):
            if word in starts:
                runs.update(words[at : at + size] for size in sizes)
    return tuple(bool(words) and words in runs for words in wanted)
