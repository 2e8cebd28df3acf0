"""No output takes the place of an input, or of another output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from factmark.errors import InputError
from factmark.io.triples_graphrag import LIGHTRAG_GRAPH, RELATIONSHIPS, graph_in

Named = tuple[str, Path]
"""The option as it was given, for example `--passages`, and the path that it names."""


def check_outputs(outputs: Iterable[Named], inputs: Iterable[Named]) -> None:
    """Tells an output that is one of the inputs, or an output that was named before.

    Links are followed, so that another name of the same file is no way around it.

    Raises:
        InputError: for the first such output.
    """
    taken = list(inputs)
    for option, path in outputs:
        for other, there in taken:
            if _is_same(path, there):
                raise InputError(
                    f"{option} {path}: would be written over {other} {there}. Name another file."
                )
        taken.append((option, path))


def graph_files(option: str, path: Path) -> Iterator[Named]:
    """The file of a graph, and what is read with it where GraphRAG or LightRAG wrote it."""
    found = graph_in(path) if path.is_dir() else path
    yield option, found
    if found.name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
        beside = (one for end in ("*.parquet", "*.json") for one in found.parent.glob(end))
        yield from ((f"a file beside {option}", one) for one in sorted(beside))


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return one.resolve() == other.resolve()
