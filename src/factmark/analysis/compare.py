"""What `factmark compare` compares, and the outcome as JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.analysis.compare_answers import AnswerResults, answer_results, read_answer_results
from factmark.analysis.compare_answers import contest as answers_contest
from factmark.analysis.compare_graphs import JudgedGraph, judged_file, kept_graph, read_judged_graph
from factmark.analysis.compare_graphs import contest as graphs_contest
from factmark.answers.results import results_from_ledger, results_json
from factmark.errors import InputError
from factmark.files.flat_files import csv_text
from factmark.files.json_values import plain
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.ledger import open_existing
from factmark.stats.comparison import Comparison
from factmark.stats.contest import OVERALL, Contest, Outcome, Score
from factmark.tables.comparisons import compare_records, compare_tables
from factmark.tables.latex import latex_table
from factmark.tables.layouts import Tabular, Value, markdown_table

_SQLITE = b"SQLite format 3\0"
_KINDS = ("results.json", "factscore.parquet", "validity.parquet", "factscore.csv", "validity.csv")


def read_contest(paths: Sequence[Path], by: str = "all") -> Contest:
    """Reads results that are to be compared.

    Args:
        paths: folders that `--out` wrote, files in them (results.json, or a judged graph's
            factscore or validity as .json, .csv or .parquet), or ledgers.
        by: what tells systems apart: `all` (file, model and condition), `file`, `model` or
            `condition`; graphs are one system a file.

    Raises:
        InputError: for what cannot be read, mixed kinds, or fewer than two systems.
    """
    files = [_file(path) for path in paths]
    _not_twice(paths, files)
    read = [_read(file) for file in files]
    names = [without_surrogates(str(path)) for path in paths]
    answers = [one for one in read if isinstance(one, AnswerResults)]
    graphs = [one for one in read if isinstance(one, JudgedGraph)]
    if answers and graphs:
        first = names[read.index(answers[0])], names[read.index(graphs[0])]
        raise InputError(
            f"{first[0]} holds answers and {first[1]} a judged graph. Compare results of one kind."
        )
    signature = {
        "factmark": __version__,
        "inputs": {name: _digest(file) for name, file in zip(names, files, strict=True)},
    }
    if answers:
        return answers_contest(dict(zip(names, answers, strict=True)), by, signature)
    if by not in ("all", "file"):
        raise InputError(f"--by {by} is for answers; each file of a graph is one system.")
    return graphs_contest(dict(zip(names, graphs, strict=True)), signature)


def _read(file: Path) -> AnswerResults | JudgedGraph:
    if _is_ledger(file):
        return _read_ledger(file)
    if file.suffix.casefold() == ".json":
        return read_answer_results(file)
    return read_judged_graph(file)


def _is_ledger(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _read_ledger(path: Path) -> AnswerResults | JudgedGraph:
    """The answers of the newest run in a ledger; without any, the graph that was judged."""
    with open_existing(path, read_only=True) as ledger:
        if ledger.newest_import() is None:
            return kept_graph(path, ledger)
    return answer_results(path, results_json(results_from_ledger(path)))


def _file(path: Path) -> Path:
    """The file that a path stands for."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return judged_file(path)
    found = [path / name for name in _KINDS if (path / name).is_file()]
    if not found:
        raise InputError(
            f"{path}: holds no results. Name a folder that `factmark score` or `factmark graph` "
            "wrote with --out, or results.json in it."
        )
    kinds = list(dict.fromkeys(file.stem for file in found))
    if len(kinds) > 1:
        names = " and ".join(str(path / _first(kind, found)) for kind in kinds)
        raise InputError(f"{path}: holds several results. Name one of them: {names}.")
    return found[0]


def _first(kind: str, files: Iterable[Path]) -> str:
    return next(file.name for file in files if file.stem == kind)


def _not_twice(paths: Sequence[Path], files: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path, file in zip(paths, files, strict=True):
        if (whole := file.resolve()) in seen:
            raise InputError(f"{seen[whole]} and {path} are the same file.")
        seen[whole] = path


def _digest(path: Path) -> str:
    """The SHA-256 of a file, its first 32 digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def compare_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values: every comparison by every score, the leader boards, how made."""
    pairs = [(row.score, row.stratum, row.comparison) for row in outcome.rows]
    for score in outcome.contest.scores:
        if score.key in outcome.boards:
            pairs += [(score, OVERALL, one) for one in outcome.boards[score.key].comparisons]
    return {
        "measure": outcome.contest.measure,
        "score": outcome.score.key,
        "systems": list(outcome.contest.systems),
        "comparisons": [_comparison(*pair) for pair in pairs],
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
            "level": outcome.options.level,
            "resamples": outcome.options.resamples,
            "draws": outcome.options.draws,
            "seed": outcome.options.seed,
        },
    }


def _comparison(score: Score, stratum: str, made: Comparison) -> dict[str, Any]:
    return {"score": score.key, "stratum": stratum, **plain(made), "told_apart": made.told_apart}


def write_comparison(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes compare.json, .csv (every comparison), .md and .tex (the tables)."""
    names, records = compare_records(outcome)
    return write_forms(
        folder / "compare", compare_json(outcome), compare_tables(outcome), names, records
    )


def write_forms(
    stem: Path,
    value: Mapping[str, Any],
    tables: Sequence[Tabular],
    names: Sequence[str],
    records: Iterable[Sequence[Value]],
) -> list[Path]:
    """Writes a result beside `stem` as .json (the value), .csv (the records), .md and .tex."""
    rows = [dict(zip(names, record, strict=True)) for record in records]
    texts = {
        "json": json.dumps(value, ensure_ascii=False, indent=1) + "\n",
        "csv": csv_text(rows, names),
        "md": "\n".join(markdown_table(table) for table in tables),
        "tex": "\n".join(latex_table(table) for table in tables),
    }
    paths = {end: stem.parent / f"{stem.name}.{end}" for end in texts}
    for end, path in paths.items():
        write_text(path, texts[end])
    return list(paths.values())
