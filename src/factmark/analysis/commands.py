"""`factmark agree` and `factmark compare`: how far judges agree, which system is better."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_table, say

if TYPE_CHECKING:
    from factmark.stats.contest import Contest, Score


class Scale(StrEnum):
    """How far apart labels are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def agree(
    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge's name or the beginning of its id; again for each. One: it against all "
            "others. All that share units, where none is given."
        ),
    ] = None,
    first_final: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge whose first verdicts are compared with its newest; again for each."
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="The kind of units: pair, triple, fact, ...; each, if not given.")
    ] = "",
    scale: Annotated[
        Scale | None,
        typer.Option(
            help="How far apart labels are. Not given: interval where they are numbers, ordinal "
            "where each has its own value, else nominal."
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(help="A stratum to break down by: relation, category, model, condition, ..."),
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="A folder for agree.json, .csv, .md and .tex.")
    ] = None,
    level: options.Level = 0.95,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Tell how far judges agree: rules, models and people alike.

    Every two judges that were asked about the same units, each judge against all people, and people
    among each other: Krippendorff's alpha beside Gwet's AC1, kappa and exact agreement,
    with intervals over clusters and with what is missing; then what each of two said, as a table.
    Either coefficient alone misleads where one label prevails; a note says where that is so.
    """
    from factmark.analysis.agree import agree_json, agreement_of, write_agreement
    from factmark.analysis.agree_tables import agree_tables
    from factmark.analysis.panels import How
    from factmark.errors import InputError
    from factmark.files.overwriting import check_files

    if judge and first_final:
        raise InputError("--judge and --first-final: take one of them.")
    how = How(
        scale=None if scale is None else scale.value,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    found = agreement_of(
        ledger, how, judges=judge or (), revised=first_final or (), kind=kind, by=by
    )
    if out is not None:
        names = [f"agree.{end}" for end in ("json", "csv", "md", "tex")]
        check_files(out, names, [("the ledger", ledger)])
        written = write_agreement(found, out)
        say(f"wrote {', '.join(str(path) for path in written)}")
    if json:
        print_json(agree_json(found))
        return
    for table in agree_tables(found.panels):
        print_table(table)
    for problem in found.problems:
        say(f"note: {problem}")


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
            help="Folders that `factmark score` or `factmark graph` wrote with --out, files in "
            "them (results.json, factscore.csv, validity.csv, ...), or ledgers."
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
    from factmark.analysis.compare import compare_json, read_contest, write_comparison
    from factmark.files.overwriting import check_files
    from factmark.stats.comparison import Options
    from factmark.stats.contest import hold
    from factmark.tables.comparisons import compare_tables

    contest = read_contest(inputs, by.value)
    score = _score(contest, metric)
    outcome = hold(contest, score, Options(level=level, resamples=resamples, seed=seed))
    if out is not None:
        names = [f"compare.{end}" for end in ("json", "csv", "md", "tex")]
        check_files(out, names, [("an input", path) for path in inputs])
        written = write_comparison(outcome, out)
        say(f"wrote {', '.join(str(path) for path in written)}")
    if json:
        print_json(compare_json(outcome))
        return
    for table in compare_tables(outcome):
        print_table(table)


def _score(contest: Contest, metric: str) -> Score:
    from factmark.errors import InputError

    if not metric:
        return contest.scores[0]
    score = contest.score(metric)
    if score is None:
        known = ", ".join(one.key for one in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return score
