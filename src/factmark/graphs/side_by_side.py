"""A graph judged by workers: by those of `--engine`, or unasked where rules judge a large one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.ask.judges.recipe import Recipe
from factmark.graphs.options import GraphOptions
from factmark.graphs.reading import GraphUnits, Source
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.model import Judge

if TYPE_CHECKING:
    from factmark.engine.parts import Wait

_MANY = 50_000  # lines of a graph that rules judge side by side without being asked to
_LEAST, _MOST = 2, 8  # processes that they take then


def engine_of(given: GraphOptions, source: Source) -> str:
    """Returns the engine by which a graph is judged: the one named, or processes of this machine,
    where rules judge a large file and processors have nothing to do; else empty."""
    is_divided = given.shard or given.limit is not None
    if given.engine or is_divided or given.anew or not given.by_rules:
        return given.engine
    if not hasattr(os, "sched_getaffinity"):
        return ""
    free = len(os.sched_getaffinity(0)) - round(os.getloadavg()[0])
    if free < _LEAST or not _have_many_lines(source.triples):
        return ""
    return f"local:{min(free, _MOST)}"


def begin_graph(
    given: GraphOptions,
    judge_part: Callable[..., Any],
    recipe: Recipe,
    judge: Judge,
    path: Path,
    stack: ExitStack,
    graph: GraphUnits | None = None,
) -> Wait | None:
    """Has the workers of an engine begin to judge a graph; returns what waits for them, see
    `begin_parts`. None where no engine is named, or the ledger has verdicts: on every unit of the
    graph, or any, where it was not read yet.

    Args:
        stack: ends the workers.
    """
    if not given.engine:
        return None
    with open_to_read(path) as ledger:
        if ledger is not None and _is_judged(ledger, judge, graph):
            return None
    from factmark.engine.parts import begin_parts

    source = given.source()
    files = (*source.triples, *source.nodes, source.passages)
    parts = begin_parts(given, judge_part, recipe, judge, path, files=files, share=given.by_rules)
    return stack.enter_context(parts)


def _is_judged(ledger: Ledger, judge: Judge, graph: GraphUnits | None) -> bool:
    """Whether a judge has judged every unit of a graph; of one that was not read, any."""
    if graph is None:
        return ledger.has_judged(judge.id)
    known = ledger.statuses(judge.id, graph.unit_ids()).values()
    return len(known) == graph.size and "failed" not in known


def _have_many_lines(files: Iterable[Path]) -> bool:
    """Whether files have many lines together; reads no further than that."""
    lines = 0
    for path in files:
        if path.is_file():
            with path.open("rb") as file:
                while lines <= _MANY and (block := file.read(1 << 20)):
                    lines += block.count(b"\n")
    return lines > _MANY
