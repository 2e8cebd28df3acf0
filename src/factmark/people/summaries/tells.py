"""What still tells annotators which system wrote a text, after normalising.

For each habit, how often a system's text is the one with the most (or the least) of it among the
texts of the same document. If nothing told the systems apart, each of the k texts of a document
would be the extreme one with chance 1/k, and documents are independent: the number of documents is
a sum of such throws, exactly. Documents where two texts share the extreme decide nothing and are
left out of the test, as ties are of a sign test; which they are does not depend on who wrote what.
All habits, systems and directions that could have been reported share one correction (Holm 1979).

It reads form only. That a system is known by what it says, or by a habit not listed here, it does
not see: no tell reported is no proof of blindness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factmark.people.summaries.habits import HABITS, Habit, openings, opens_with
from factmark.stats.paired import holm

Texts = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """A habit by which a system is known more often than by chance.

    Attributes:
        system: whose.
        feature: the name of the habit.
        says: what is said of the system's text, as `the shortest`.
        seen: in how many documents it is so, of this system's text alone.
        of: documents in which the system has a text beside another's.
        chance: in how many it would be so by chance.
        p: the chance of so many or more, after Holm's correction.
    """

    system: str
    feature: str
    says: str
    seen: int
    of: int
    chance: float
    p: float

    def sentence(self) -> str:
        """The tell in a sentence, with its numbers."""
        return (
            f"{self.system}: {self.says} in {self.seen} of {self.of} documents "
            f"(by chance: {self.chance:.1f}; {_p_value(self.p)})"
        )


def tells(texts: Texts, *, alpha: float = 0.05) -> tuple[Tell, ...]:
    """The tells whose corrected p-value is at most `alpha`, the clearest first.

    Args:
        texts: system to its texts, the documents in the same order; None where it has none.

    Raises:
        ValueError: if the systems have different numbers of documents.
    """
    documents = {len(given) for given in texts.values()}
    if len(documents) > 1:
        raise ValueError(f"tells needs the same documents of each system: {sorted(documents)}")
    found = [tell for habit in _habits(texts) for tell in _of_habit(texts, habit)]
    adjusted = holm([tell.p for tell in found])
    clear = [replace(tell, p=p) for tell, p in zip(found, adjusted, strict=True) if p <= alpha]
    return tuple(sorted(clear, key=lambda tell: (tell.p, -tell.seen, tell.system, tell.says)))


def _habits(texts: Texts) -> Iterator[Habit]:
    """Those of form, and the openings that are frequent among all texts, whoever wrote them."""
    yield from HABITS
    everything = [text for given in texts.values() for text in given if text is not None]
    for words, _ in openings(everything):
        yield opens_with(words)


def _of_habit(texts: Texts, habit: Habit) -> Iterator[Tell]:
    """For both directions and each system, unless no document has a single extreme text."""
    systems = list(texts)
    values = [
        [None if text is None else habit.of(text) for text in given] for given in texts.values()
    ]
    rows = [
        {system: value for system, value in zip(systems, row, strict=True) if value is not None}
        for row in zip(*values, strict=True)
    ]
    for sign, says in ((1.0, habit.most), (-1.0, habit.least)):
        extremes = [_extreme(row, sign) for row in rows]
        for system in systems:
            shares = [len(row) for row in rows if system in row and len(row) > 1]
            chances = [
                1 / len(row)
                for row, extreme in zip(rows, extremes, strict=True)
                if extreme is not None and system in row
            ]
            if chances:
                seen = extremes.count(system)
                yield Tell(
                    system=system,
                    feature=habit.name,
                    says=says,
                    seen=seen,
                    of=len(shares),
                    chance=sum(chances),
                    p=_at_least(seen, chances),
                )


def _extreme(row: Mapping[str, float], sign: float) -> str | None:
    """The system whose text alone has the most (or, by sign -1, the least); None for a tie."""
    if len(row) < 2:
        return None
    top = max(sign * value for value in row.values())
    holders = [system for system, value in row.items() if sign * value == top]
    return holders[0] if len(holders) == 1 else None


def _at_least(seen: int, chances: Sequence[float]) -> float:
    """The chance of `seen` or more successes in independent throws of these chances, exactly."""
    sums = np.zeros(len(chances) + 1)
    sums[0] = 1.0
    for chance in chances:
        sums[1:] = sums[1:] * (1 - chance) + sums[:-1] * chance
        sums[0] *= 1 - chance
    return min(1.0, float(sums[seen:].sum()))


def _p_value(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
