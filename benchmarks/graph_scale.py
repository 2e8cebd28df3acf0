"""Triples at scale: reading in flat memory, judging by rule, scoring.

    python benchmarks/graph_scale.py [--rows 1000000]

Each step runs in a process of its own and prints its seconds, its rate and its peak memory.
"""

from __future__ import annotations

import argparse
import csv
import resource
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import duckdb

from factmark.files.problems import Problems
from factmark.graphs.core.evidence import judge_support
from factmark.graphs.core.scores import VerdictColumns, graph_scores
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.bundled import bundled_ontology, example_graph
from factmark.graphs.profile.options import ProfileOptions
from factmark.graphs.profile.report import profile_report
from factmark.graphs.profile.study import profile_graph
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages
from graph_index import rows as triples_by_chance

TEXT = "This is a passage of some length about the head and the tail of the triple. " * 6
LABELS = ("SUPPORTED", "NOT_SUPPORTED", "CONTRADICTED")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        with context.Pool(1) as pool:  # what a parent has had in memory counts for its children
            pool.apply(write, (Path(folder), rows))
        steps: list[tuple[str, Callable[..., int], tuple[object, ...]]] = [
            (f"read {name}", read, (str(Path(folder) / name),))
            for name in ("t.csv", "t.jsonl", "t.parquet", "t.nq")
        ]
        steps += [
            ("read CSV with passages apart", read_apart, (folder,)),
            ("judge support by rule", judge, ("support", 20)),
            ("judge types", judge, ("types", 20)),
            ("score", score, (rows,)),
            ("profile, all files", profile, (folder,)),
        ]
        for title, step, arguments in steps:
            with context.Pool(1) as pool:
                count, seconds, peak = pool.apply(timed, (step, arguments))
            print(
                f"{title}: {count:,} in {seconds:.1f} s ({count / seconds:,.0f}/s), "
                f"peak memory {peak:,.0f} MiB"
            )


def write(folder: Path, rows: int) -> None:
    duckdb.sql("SET enable_progress_bar = false")
    columns = f"""'head ' || (i % 50000) AS head, 'isa' AS relation, 'tail ' || i AS tail,
        '{TEXT}' || i AS passage FROM range({rows}) t(i)"""
    duckdb.sql(f"COPY (SELECT {columns}) TO '{folder / 't.csv'}' (HEADER)")
    duckdb.sql(f"COPY (SELECT {columns}) TO '{folder / 't.jsonl'}' (FORMAT json)")
    duckdb.sql(f"COPY (SELECT {columns}) TO '{folder / 't.parquet'}' (FORMAT parquet)")
    duckdb.sql(
        f"COPY (SELECT 'h' || (i % 50000) AS head, 'isa' AS relation, 't' || i AS tail, "
        f"'p' || (i % 100000) AS passage_id FROM range({rows}) t(i)) "
        f"TO '{folder / 'ids.csv'}' (HEADER)"
    )
    duckdb.sql(
        f"COPY (SELECT 'p' || i AS id, '{TEXT}' || i AS text FROM range(100000) t(i)) "
        f"TO '{folder / 'passages.jsonl'}' (FORMAT json)"
    )
    with (folder / "names.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("head", "relation", "tail"), *triples_by_chance(rows)])
    with (folder / "t.nq").open("w") as file:
        file.writelines(
            f"<http://x/h{i % 50_000}> <http://x/isa> <http://x/t{i}> <http://x/p{i}> .\n"
            for i in range(rows)
        )


def profile(folder: str) -> int:
    profiled = profile_graph(ProfileOptions(triples=[Path(folder) / "names.csv"]))
    profile_report(profiled).write(Path(folder) / "profile")
    return profiled.counts.triples


def timed(step: Callable[..., int], arguments: tuple[object, ...]) -> tuple[int, float, float]:
    started = time.perf_counter()
    count = step(*arguments)
    seconds = time.perf_counter() - started
    return count, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read(path: str) -> int:
    return sum(1 for _ in read_triples(Path(path), Problems()))


def read_apart(folder: str) -> int:
    with read_passages(Path(folder) / "passages.jsonl", Problems()) as passages:
        triples = read_triples(Path(folder) / "ids.csv", Problems(), passages=passages)
        return sum(1 for triple in triples if triple.passage)


def judge(what: str, times: int) -> int:
    ontology, folder = bundled_ontology(), example_graph()
    with read_passages(folder / "passages.jsonl", Problems()) as passages:
        triples = list(read_triples(folder / "triples.csv", Problems(), passages=passages))
    for triple in triples * times:
        if what == "types":
            judge_types(triple, ontology)
        else:
            judge_support(triple, triple.passage or "", ontology)
    return len(triples) * times


def score(rows: int) -> int:
    keys = [(f"h{i % 50_000}", f"r{i % 31}", str(i)) for i in range(rows)]
    pairs = VerdictColumns(
        triples=keys,
        clusters=[head for head, _, _ in keys],
        relations=[relation for _, relation, _ in keys],
        statuses=["ok"] * rows,
        labels=[LABELS[i * 7 % 3] for i in range(rows)],
        head_types=[""] * rows,
    )
    return graph_scores("factscore", pairs).pairs.n_labelled


if __name__ == "__main__":
    main()
