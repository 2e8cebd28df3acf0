"""`factmark compare`: systems on the same units."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_comparison, say

if TYPE_CHECKING:
    from factmark.stats.contest import Contest, Score


class By(StrEnum):
    """What tells systems apart."""

    ALL = "all"
    FILE = "file"
    MODEL = "model"
    CONDITION = "condition"


def compare(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Folders that `factmark score` or `factmark graph` wrote with --out, or files in "
            "them: results.json, factscore.csv, validity.csv, ..."
        ),
    ],
    by: Annotated[
        By,
        typer.Option(
            help="What tells systems apart: `all` for file, model and condition; the others "
            "average over what they leave out."
        ),
    ] = By.ALL,
    metric: Annotated[
        str,
        typer.Option(
            help="What strata and ranks go by: combined_score, completeness, hallucination_rate "
            "(or S, C, H); score, strict_score of graphs. The first, where it is not given."
        ),
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="A folder for compare.json, .csv, .md and .tex.")
    ] = None,
    level: options.Level = 0.95,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Compare systems on the same questions or triples.

    Two systems: every score, then one of them per category or relation, each as the paired
    difference with its interval, a permutation test, and what is missing. More than two, also in
    one file: a leader board, and every pair corrected by Holm; systems that cannot be told apart
    share a letter.
    """
    from factmark.analysis.compare_inputs import read_contest
    from factmark.stats.comparison import Options
    from factmark.stats.contest import hold

    contest = read_contest(inputs, by.value)
    score = _score(contest, metric)
    outcome = hold(contest, score, Options(level=level, resamples=resamples, seed=seed))
    if out is not None:
        from factmark.analysis.compare_results import write_comparison
        from factmark.files.overwriting import check_files

        names = [f"compare.{end}" for end in ("json", "csv", "md", "tex")]
        check_files(out, names, [("an input", path) for path in inputs])
        written = write_comparison(outcome, out)
        say(f"wrote {', '.join(str(path) for path in written)}")
    print_comparison(outcome, json=json)


def _score(contest: Contest, metric: str) -> Score:
    from factmark.errors import InputError

    if not metric:
        return contest.scores[0]
    score = contest.score(metric)
    if score is None:
        known = ", ".join(one.key for one in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return score
