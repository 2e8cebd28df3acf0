"""Systems by what people gave their summaries, compared on the same documents."""

from __future__ import annotations

from collections.abc import Mapping

from factmark.analysis.reading import RatedLedger
from factmark.errors import InputError
from factmark.stats.contest import Contest


def ratings_contest(files: Mapping[str, RatedLedger], signature: Mapping[str, object]) -> Contest:
    """Returns the contest of the systems of one ledger.

    Raises:
        InputError: for several ledgers, whose documents are not known to be the same.
    """
    if len(files) > 1:
        raise InputError(
            f"{' and '.join(files)}: ratings are compared within one ledger. `factmark annotate "
            "import FILE... --ledger LEDGER` brings them into one."
        )
    ((name, rated),) = files.items()
    left = f"{name}: not compared, with no ratings of two systems: {', '.join(rated.left)}."
    problems = (left,) if rated.left else ()
    return Contest(
        measure="ratings",
        item="documents",
        unit=rated.things,
        scores=rated.scores,
        systems=rated.systems,
        stratum="",
        strata={},
        per=rated.per,
        problems=problems,
        signature=signature,
    )
