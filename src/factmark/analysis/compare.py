"""What `factmark compare` compares, and the outcome as JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.analysis.compare_answers import AnswerResults, answers_contest, read_answers
from factmark.analysis.compare_graphs import (
    GRAPHS,
    JudgedGraph,
    graph_in_ledger,
    graph_of,
    graphs_contest,
    read_graph,
)
from factmark.answers.core.records import Results
from factmark.answers.results import results_from_ledger, results_json
from factmark.errors import InputError
from factmark.files.flat_files import plain
from factmark.files.text_files import json_value, read_text, without_surrogates
from factmark.graphs.results import GraphResults
from factmark.ledger.ledger import open_existing
from factmark.model import content_hash
from factmark.stats.comparison import Options
from factmark.stats.contest import OVERALL, Contest, Outcome, hold

_SQLITE = b"SQLite format 3\0"
_RESULTS = (
    "results.json",
    *(f"{name}.{end}" for end in ("json", "parquet", "csv") for name in GRAPHS),
)


Compared = Path | Results | GraphResults
"""What is compared: results, or where they were written."""


def outcome_of(
    given: Sequence[tuple[str, Compared]], by: str, metric: str, options: Options
) -> Outcome:
    """Compares results; `read_contest` says which.

    Args:
        metric: the score that strata and ranks go by; the first, where it is empty.

    Raises:
        InputError: as `read_contest`, or there is no such score.
    """
    contest = read_contest(given, by)
    score = contest.score(metric) if metric else contest.scores[0]
    if score is None:
        known = ", ".join(score.key for score in contest.scores)
        raise InputError(f"--metric {metric}: there are {known}.")
    return hold(contest, score, options)


def read_contest(given: Sequence[tuple[str, Compared]], by: str = "all") -> Contest:
    """Reads results that are to be compared.

    Args:
        given: name and place of each: a folder that `--out` wrote, a file in it (results.json, or a
            judged graph's factscore or validity as .json, .csv or .parquet), or a ledger; or
            results as they are.
        by: what tells systems apart: `all` (file, model and condition), `file`, `model` or
            `condition`; graphs are one system a file.

    Raises:
        InputError: for what cannot be read, mixed kinds, or fewer than two systems.
    """
    inputs = {
        without_surrogates(name): _file(value) if isinstance(value, Path) else value
        for name, value in given
    }
    files = {value.resolve() for value in inputs.values() if isinstance(value, Path)}
    if len(files) + sum(not isinstance(value, Path) for value in inputs.values()) < len(given):
        names = " and ".join(without_surrogates(name) for name, _ in given)
        raise InputError(f"{names}: two of them are the same file.")
    read = {name: _read(name, value) for name, value in inputs.items()}
    signature = {
        "factmark": __version__,
        "inputs": {
            name: _digest(value) if isinstance(value, Path) else content_hash(value.signature)
            for name, value in inputs.items()
        },
    }
    answers = {
        name: results for name, results in read.items() if isinstance(results, AnswerResults)
    }
    graphs = {name: results for name, results in read.items() if isinstance(results, JudgedGraph)}
    if answers and graphs:
        raise InputError(
            f"{next(iter(answers))} holds answers and {next(iter(graphs))} a judged graph. "
            "Compare results of one kind."
        )
    if answers:
        return answers_contest(answers, by, signature)
    if by not in ("all", "file"):
        raise InputError(f"--by {by} is for answers; each file of a graph is one system.")
    return graphs_contest(graphs, signature)


def _file(path: Path) -> Path:
    """The file that a path stands for."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return path
    files = [path / name for name in _RESULTS if (path / name).is_file()]
    if not files:
        raise InputError(
            f"{path}: holds no results. Name a folder that `factmark score` or `factmark graph` "
            "wrote with --out, or results.json in it."
        )
    several = {file.stem: file for file in reversed(files)}
    if len(several) > 1:
        names = " and ".join(map(str, reversed(several.values())))
        raise InputError(f"{path}: holds several results. Name one of them: {names}.")
    return files[0]


def _read(name: str, value: Compared) -> AnswerResults | JudgedGraph:
    if isinstance(value, Path):
        return read_results(value)
    if isinstance(value, Results):
        return read_answers(Path(name), results_json(value))
    if isinstance(value, GraphResults):
        return graph_of(name, value)
    raise InputError(f"{name}: cannot be compared; give results of answers or of a judged graph.")


def read_results(file: Path) -> AnswerResults | JudgedGraph:
    """What a file holds; of a ledger the newest run's answers, or without any the judged graph."""
    with file.open("rb") as opened:
        is_ledger = opened.read(len(_SQLITE)) == _SQLITE
    if is_ledger:
        with open_existing(file, read_only=True) as ledger:
            if ledger.newest_import() is None:
                return graph_in_ledger(file, ledger)
        return read_answers(file, results_json(results_from_ledger(file)))
    if file.suffix.casefold() == ".json" and file.stem not in GRAPHS:
        return read_answers(file, json_value(file, read_text(file)))
    return read_graph(file)


def _digest(path: Path) -> str:
    """The SHA-256 of a file, its first 32 digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def compare_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values: every comparison by every score, the leader boards, how made."""
    options = outcome.options
    compared = [(row.score.key, row.stratum, row.comparison) for row in outcome.rows]
    for score in outcome.contest.scores:
        if score.key in outcome.boards:
            pairs = outcome.boards[score.key].comparisons
            compared += [(score.key, OVERALL, pair) for pair in pairs]
    return {
        "measure": outcome.contest.measure,
        "score": outcome.score.key,
        "systems": list(outcome.contest.systems),
        "comparisons": [
            {"score": key, "stratum": stratum, **plain(pair), "told_apart": pair.told_apart}
            for key, stratum, pair in compared
        ],
        "leader_boards": {
            key: {
                "places": plain(board.places),
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
