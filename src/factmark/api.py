"""factmark in Python: a function for each measure, results as tables.

    import factmark as fm
    results = fm.score("answers.jsonl")
    results.averages["S"], results.to_pandas(), results.report("out/")

A result shows its first table in a notebook. All raise `errors.FactmarkError` for what cannot be
read or asked, and TypeError for an option that the command does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factmark.analysis.agree import agree
from factmark.analysis.compare import compare
from factmark.analysis.correct import correct
from factmark.analysis.plan import plan
from factmark.claim_support.study import claims
from factmark.cli.score import score
from factmark.graph_answers.study import graphrag
from factmark.graphs.profile.study import profile
from factmark.graphs.study import factscore, validity
from factmark.measured import Measured
from factmark.runs.study import run

__all__ = [
    "agree",
    "claims",
    "compare",
    "correct",
    "factscore",
    "graphrag",
    "plan",
    "profile",
    "ratings",
    "run",
    "score",
    "validity",
]


def ratings(
    ledger: str | Path | Sequence[str | Path], campaign: str | Sequence[str] | None = None
) -> Measured:
    """What people gave the units of a campaign, or of several as one: `factmark annotate results`.

    Returns:
        An average per measure and system ("COARSE of SYSTEM"); a row per rating, and one without a
        label for what is not rated.
    """
    from factmark.cli.annotate import protocol_of
    from factmark.people.opening import campaign_opening
    from factmark.people.result_files import write_campaign_results
    from factmark.people.study import campaign_results
    from factmark.people.tables import campaign_tables, rating_rows

    several = [ledger] if isinstance(ledger, str | Path) else ledger
    results = campaign_results([*map(Path, several)], campaign, protocol_of=protocol_of)
    return Measured(
        averages={
            score.measure.symbol + _of_names(score.system): score.final for score in results.scores
        },
        tables=campaign_tables(results),
        rows=tuple(rating_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_campaign_results(results, folder),
        opening=campaign_opening(results),
    )


def _of_names(*names: str) -> str:
    """Returns ` of NAME, NAME`, for the end of a title; empty without names."""
    system = ", ".join(filter(None, names))
    return f" of {system}" if system else ""
