"""What `factmark compare` compares: results of `factmark score` and of `factmark graph`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from factmark import __version__
from factmark.analysis.compare_answers import AnswerResults, read_answer_results
from factmark.analysis.compare_answers import contest as answers_contest
from factmark.analysis.compare_graphs import JudgedGraph, judged_file, read_judged_graph
from factmark.analysis.compare_graphs import contest as graphs_contest
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.stats.contest import Contest

_KINDS = ("results.json", "factscore.parquet", "validity.parquet", "factscore.csv", "validity.csv")


def read_contest(paths: Sequence[Path], by: str = "all") -> Contest:
    """Reads results that are to be compared.

    Args:
        paths: folders that `--out` wrote, or files in them: results.json, or a judged graph's
            factscore or validity as .json, .csv or .parquet.
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
    if file.suffix.casefold() == ".json":
        return read_answer_results(file)
    return read_judged_graph(file)


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
