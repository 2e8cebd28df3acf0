"""factmark in Python: a function for each measure, results as tables.

    import factmark as fm
    results = fm.score("answers.jsonl")
    results.averages["S"], results.to_pandas(), results.report("out/")

A result shows its first table in a notebook. All raise `errors.FactmarkError` for what cannot be
read or asked, and TypeError for an option that the command does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.analysis.agree import agree
from factmark.analysis.compare import compare
from factmark.analysis.correct import correct
from factmark.analysis.plan import plan
from factmark.claim_support.study import claims
from factmark.cli.python import outside_loop
from factmark.cli.records import options_of
from factmark.files.frames import Rows, as_file
from factmark.graph_answers.study import graphrag
from factmark.graphs.profile.study import profile
from factmark.graphs.study import factscore, validity
from factmark.measured import Measured

if TYPE_CHECKING:
    from factmark.answers.results import Results

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


def score(
    answers: Rows,
    *,
    benchmark: Rows = "ehds",
    store: str | Path | None = None,
    endpoint: str | None = None,
    people: str | Path | None = None,
    ledger: str | Path | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Measured:
    """Completeness, hallucination rate and combined score of answers: `factmark score`.

    Args:
        answers: with `query_id` and `answer`, and `model` and `condition` where there are several.
        benchmark: `ehds`, a file with questions, or rows or a frame of them.
        store, endpoint: where the ground truth is derived, if the file does not hold it.
        people: answers whose facts people marked, to correct the scores by.
        ledger: where verdicts are kept; nowhere if None.
        level: of the intervals.
        seed: of the bootstrap.

    Returns:
        Averages "C", "H" and "S" (of several models or conditions: "S of MODEL, CONDITION"); a row
        per answer.
    """
    from factmark.answers.options import ScoreOptions
    from factmark.answers.study import score_answers
    from factmark.interop.reading import read_answers

    with as_file(answers) as path, as_file(benchmark, "benchmark") as questions:
        given = {"answers": path, "benchmark": str(questions), "store": store, "people": people}
        given |= {"endpoint": endpoint, "ledger": ledger, "level": level, "seed": seed}
        options = options_of(ScoreOptions, given)
        scored = outside_loop(lambda: score_answers(options, read_answers))
    assert scored is not None  # noqa: S101 - only a dry run has no results
    return _measured_answers(scored[0])


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


def run(study: str | Path = "ehds", **options: Any) -> Measured:
    """Asks models the questions of a benchmark and scores the answers: `factmark run`.

    Replies, verdicts and the report are kept in the study's folder; the same call goes on there.

    Args:
        study: `ehds`, a study file, or a file with questions.
        options: the command's, as `model="ollama:MODEL"`, `condition="baseline,rag"`, `max_calls`.

    Returns: as `score`.
    """
    from factmark.runs.options import RunOptions
    from factmark.runs.study import run_study

    given = options_of(RunOptions, {"study": str(study), **options}).read_study()
    results, *_ = outside_loop(lambda: asyncio.run(run_study(given)))
    return _measured_answers(results)


def _measured_answers(results: Results) -> Measured:
    """Returns scored answers as the public functions give them."""
    from factmark.answers.core.averages import METRICS, OVERALL
    from factmark.answers.core.opening import answers_opening
    from factmark.answers.run_tables import run_tables
    from factmark.answers.study import write_report
    from factmark.answers.tables import answer_rows, corrected_table, score_table

    overall = [row for row in results.summaries if row.category == OVERALL]
    several = len(overall) > 1
    averages = {
        metric.symbol + (_of_names(row.model, row.condition) if several else ""): metric.estimate(
            row
        )
        for row in overall
        for metric in METRICS.values()
    }
    tables = {"corrected": corrected_table(results)} if results.corrections else {}
    tables["scores"] = score_table(results)
    tables |= {table.title: table for table in run_tables(results)}
    return Measured(
        averages=averages,
        tables=tables,
        rows=tuple(answer_rows(results)),
        problems=results.problems,
        details=results,
        write=lambda folder: write_report(results, folder),
        opening=answers_opening(results),
    )


def _of_names(*names: str) -> str:
    """Returns ` of NAME, NAME`, for the end of a title; empty without names."""
    system = ", ".join(filter(None, names))
    return f" of {system}" if system else ""
