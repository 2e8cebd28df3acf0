"""From which probability on a claim is supported: learnt from people's labels where there are
enough of them, of the units that the weights have judged before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from factmark.ledger.ledger import Ledger, open_to_read
from factmark.ledger.verdicts import judges_kept, people_values

FEWEST = 40
"""Labels of people from which a threshold is learnt."""
_FEWEST_OF_A_SIDE = 10
_REASON = re.compile(r"yes (\d\.\d{4}),")
_THRESHOLD = "threshold"


def reason_of(share: float, threshold: float) -> str:
    """Returns the reason of a verdict, which tells the probability by which it was given."""
    return f"yes {share:.4f}, supported from {threshold:.4f} on"


def kin_of(ledger: Ledger, parameters: Mapping[str, Any]) -> list[str]:
    """Returns the judges of a ledger that differ in their threshold alone, if at all."""
    wanted = _but_threshold(parameters)
    kin = []
    for judge in judges_kept(ledger, "model"):
        if _but_threshold(judge.parameters) == wanted:
            kin.append(judge.id)
    return kin


def shares_kept(ledger: Ledger, judges: Sequence[str], units: Sequence[str]) -> dict[str, float]:
    """Returns unit -> the probability by which one of the judges gave its verdict, of those that
    have one."""
    shares = {}
    for judge in judges:
        for unit, (_, _, reason) in ledger.labels(judge, units).items():
            match = _REASON.match(reason)
            if match:
                shares[unit] = float(match[1])
    return shares


def labelled_shares(path: Path | None, weights: str) -> list[tuple[float, bool]]:
    """Returns the probability of each unit of a ledger that people labelled, and whether they say
    that it is supported; nothing where the ledger or the weights' verdicts are not there.

    Args:
        weights: the hash of those that judged.
    """
    pairs = []
    with open_to_read(path) as ledger:
        if ledger is None:
            return []
        judges = []
        for judge in judges_kept(ledger, "model"):
            if judge.parameters.get("weights") == weights and _THRESHOLD in judge.parameters:
                judges.append(judge.id)
        if not judges:
            return []
        for kind in sorted(ledger.kinds()):
            people, _ = people_values(ledger, kind)
            shares = shares_kept(ledger, judges, list(people))
            for unit, share in shares.items():
                pairs.append((share, people[unit] > 0.5))
    return pairs


def learnt_threshold(labelled: Sequence[tuple[float, bool]], default: float) -> float | None:
    """Returns the probability that tells supported from not best, by balanced accuracy: of equally
    good ones the nearest to the default. None where labels are too few.

    >>> learnt_threshold([(0.2, False), (0.6, False), (0.8, True), (0.9, True)] * 10, 0.5)
    0.7
    >>> learnt_threshold([(0.2, False), (0.8, True)], 0.5) is None
    True
    """
    right = sum(supported for _, supported in labelled)
    wrong = len(labelled) - right
    if len(labelled) < FEWEST or min(right, wrong) < _FEWEST_OF_A_SIDE:
        return None
    shares = sorted({share for share, _ in labelled})
    between = [(low + high) / 2 for low, high in pairwise(shares)]

    def misses(threshold: float) -> int:  # a miss of the rarer side weighs more; whole numbers
        lost = sum(supported and share < threshold for share, supported in labelled)
        taken = sum(not supported and share >= threshold for share, supported in labelled)
        return lost * wrong + taken * right

    best = min([default, *between], key=lambda place: (misses(place), abs(place - default)))
    return round(best, 4)


def _but_threshold(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns parameters of a judge but for the threshold."""
    return {name: value for name, value in parameters.items() if name != _THRESHOLD}
