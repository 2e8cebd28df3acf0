"""What `factmark compare` compares, and the outcome as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.analysis.compare_answers import answers_contest
from factmark.analysis.compare_graphs import (
    JudgedGraph,
    graph_in_ledger,
    graph_of,
    graphs_contest,
    holds_graph,
)
from factmark.analysis.compare_ratings import RatedLedger, rated_ledger, ratings_contest
from factmark.answers.core.records import Results
from factmark.answers.results import results_from_ledger
from factmark.errors import InputError
from factmark.files.flat_files import to_json_value
from factmark.files.text_files import without_surrogates
from factmark.graphs.results import GraphResults
from factmark.ledger.ledger import open_existing
from factmark.model import content_hash
from factmark.stats.comparison import Options
from factmark.stats.contest import Contest, Outcome, compare_systems

_SQLITE = b"SQLite format 3\0"

Compared = Path | Results | GraphResults
"""What is compared: results, or the ledger that they are in, or its folder."""


def outcome_of(
    given: Sequence[tuple[str, Compared]], by: str, metric: str, options: Options
) -> Outcome:
    """Compares results.

    Args:
        given: name and place of each: a ledger, or the folder with one that `--out` wrote; or
            results as they are.
        by: what tells systems apart: `all` (file, model and condition), `file`, `model` or
            `condition`; graphs are one system a file.
        metric: the score that strata and ranks go by; the first, where it is empty. Of a ledger
            with two judged graphs it says which.

    Raises:
        InputError: for what cannot be read, mixed kinds, fewer than two systems, or no such score.
        LedgerError: a ledger cannot be read.
    """
    contest = _contest(given, by, metric)
    score = contest.score(metric) if metric else contest.scores[0]
    if score is None:
        known = ", ".join(score.key for score in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return compare_systems(contest, score, options)


def _contest(given: Sequence[tuple[str, Compared]], by: str, metric: str) -> Contest:
    """What is compared, read."""
    inputs = {
        without_surrogates(name): _ledger(value) if isinstance(value, Path) else value
        for name, value in given
    }
    files = {value.resolve() for value in inputs.values() if isinstance(value, Path)}
    if len(files) + sum(not isinstance(value, Path) for value in inputs.values()) < len(given):
        names = " and ".join(without_surrogates(name) for name, _ in given)
        raise InputError(f"{names}: two of them are the same file.")
    read = {name: _read(name, value, metric) for name, value in inputs.items()}
    answers = {name: results for name, results in read.items() if isinstance(results, Results)}
    graphs = {name: results for name, results in read.items() if isinstance(results, JudgedGraph)}
    rated = {name: results for name, results in read.items() if isinstance(results, RatedLedger)}
    kinds: dict[str, Mapping[str, object]]
    kinds = {"answers": answers, "a judged graph": graphs, "people's ratings": rated}
    held = [f"{next(iter(some))} holds {kind}" for kind, some in kinds.items() if some]
    if len(held) > 1:
        raise InputError(f"{' and '.join(held)}. Compare results of one kind.")
    if rated:
        return ratings_contest(rated, _signature(rated))
    if answers:
        return answers_contest(answers, by, _signature(answers))
    if by not in ("all", "file"):
        raise InputError(f"--by {by} is for answers; each file of a graph is one system.")
    return graphs_contest(graphs, _signature(graphs))


def _ledger(path: Path) -> Path:
    """The ledger that a path stands for."""
    ledger = path / "ledger.db" if path.is_dir() else path
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    if not ledger.is_file():
        raise InputError(
            f"{path}: holds no ledger.db. Name the ledger that --ledger named, or a folder that "
            "`factmark score`, `run` or `graph` wrote with --out."
        )
    try:
        with ledger.open("rb") as opened:
            is_ledger = opened.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise InputError(f"{ledger}: cannot be read ({error.strerror or error}).") from error
    if not is_ledger:
        raise InputError(
            f"{ledger}: is no ledger. Name the folder that was written with --out, or the "
            "ledger.db in it."
        )
    return ledger


def _read(name: str, value: Compared, metric: str) -> Results | JudgedGraph | RatedLedger:
    """Results; of a ledger the newest run's answers, or without any the judged graph, or without
    that what people gave systems."""
    if isinstance(value, GraphResults):
        return graph_of(name, value)
    if isinstance(value, Path):
        with open_existing(value, read_only=True) as ledger:
            if ledger.newest_import() is None:
                if not holds_graph(ledger) and (rated := rated_ledger(ledger)):
                    return rated
                return graph_in_ledger(name, ledger, metric)
        value = results_from_ledger(value)
    if not isinstance(value, Results):
        raise InputError(
            f"{name}: cannot be compared; give results of answers or of a judged graph."
        )
    if not value.answers and not value.unscored:
        raise InputError(f"{name}: holds no answers.")
    return value


def _signature(read: Mapping[str, Results | JudgedGraph | RatedLedger]) -> dict[str, object]:
    """Where the numbers come from: the version, and a hash of what each input says."""
    hashes = {
        name: content_hash(
            dict(results.signature)
            if isinstance(results, Results)
            else sorted([*unit, *map(str, labels)] for unit, labels in results.labels.items())
        )[:32]
        for name, results in read.items()
    }
    return {"factmark": __version__, "inputs": hashes}


def compare_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values: every comparison by every score, the leader boards, how made."""
    options = outcome.options
    return {
        "measure": outcome.contest.measure,
        "score": outcome.score.key,
        "systems": list(outcome.contest.systems),
        "comparisons": [
            {
                "score": row.score.key,
                "stratum": row.stratum,
                **to_json_value(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
            for row in outcome.comparisons
        ],
        "leader_boards": {
            key: {
                "places": to_json_value(board.places),
                "n_units": board.n_units,
                "n_left_out": board.n_left_out,
            }
            for key, board in outcome.boards.items()
        },
        "problems": list(outcome.contest.problems),
        "signature": {
            **outcome.contest.signature,
            **{name: getattr(options, name) for name in ("level", "resamples", "draws", "seed")},
        },
    }
