"""Ratings by a judge that a line through people's ratings corrects. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from factmark.model import Estimate
from factmark.stats.comparison import Options
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing

_FEWEST = 20  # labels that tell a line
_MOST_OPEN = 0.1  # of the units, with a verdict of which people labelled none


def corrected_rating(
    ratings: Sequence[float | None],
    people: Mapping[int, float],
    clusters: Sequence[str],
    options: Options,
) -> Estimate | None:
    """Returns the mean that people would have given all units, by a line in the judge's ratings;
    None where they are two values at most, or labels are too few for a line.

    The labelled units were drawn at random, or at random within each rating, so a label counts as
    many units as it stands for. The line speaks for a rating that few units have and people
    labelled none of.

    Args:
        ratings: the judge's, as shares of the scale; None where it gave none.
        people: place of a unit -> people's rating of it, likewise.
    """
    totals = Counter(ratings)
    labelled = Counter(ratings[place] for place in people)
    open_units = sum(n for rating, n in totals.items() if not labelled[rating])
    few = len(people) < _FEWEST or open_units > _MOST_OPEN * len(ratings)
    if few or len(totals.keys() - {None}) <= 2:
        return None
    weights = [totals[rating] / max(1, labelled[rating]) for rating in ratings]
    return corrected_by_line(
        [ratings],
        people,
        level=options.level,
        target=options.target,
        drawing=Drawing(clusters=clusters, weights=weights),
    )
