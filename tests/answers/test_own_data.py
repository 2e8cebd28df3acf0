"""A benchmark and a graph of one's own: what a ground truth derived from them is, and is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from factmark.answers.benchmarks import Benchmark, benchmark_lines, load_benchmark
from factmark.answers.core.records import Question
from factmark.answers.core.rows import question_item, read_question
from factmark.answers.derive import Truth, checked, derived
from servers.stores import MemoryStore

MUSIC = """
@prefix m: <http://music.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
m:a1 rdfs:label "Harbour Lights"@en, "Hafenlichter"@de ; m:by m:q7 ; m:year 1969 ;
  m:live "1"^^xsd:boolean .
m:a2 skos:prefLabel "Slow Rain"@en-GB ; m:by m:q7 ; m:year 1971 ; m:live "0"^^xsd:boolean .
m:q7 rdfs:label "Ann Weir" .
"""
PREFIX = "PREFIX m: <http://music.example/> "


def memory(turtle: str = MUSIC) -> MemoryStore:
    store = ox.Store()
    store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
    return MemoryStore(store)


def question(**fields: Any) -> Question:
    return Question(**{"query_id": "Q", "category": "music", "text": "Which?"} | fields)


def truth_of(*questions: Question, **more: Any) -> Truth:
    benchmark = Benchmark(name="music", questions=questions)
    return asyncio.run(derived(benchmark, memory(), **more))


def load_lines(folder: Path, *records: dict[str, Any]) -> Benchmark:
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return load_benchmark(str(path))


NOTHING = PREFIX + "SELECT ?a { ?a m:bye m:q7 }"


def test_a_query_that_finds_nothing_gives_no_ground_truth_and_is_told_with_its_query() -> None:
    truth = truth_of(question(sparql=NOTHING))
    assert truth.questions[0].ground_truth is None
    assert truth.hollow == {"Q"}
    [problem] = truth.problems
    assert "SELECT ?a { ?a m:bye m:q7 }" in problem
    assert '"empty": true' in problem


@pytest.mark.parametrize("says", [{"empty": True}, {"ground_truth": ()}])
def test_it_counts_where_the_benchmark_says_that_there_is_nothing(says: dict[str, Any]) -> None:
    truth = truth_of(question(sparql=NOTHING, **says))
    assert truth.questions[0].ground_truth == ()
    assert not truth.problems


def test_a_check_shows_what_vanished_from_a_query_that_finds_nothing_now() -> None:
    benchmark = Benchmark(name="music", questions=(question(sparql=NOTHING, ground_truth=("x",)),))
    [row] = checked(benchmark, asyncio.run(derived(benchmark, memory())))
    assert (row["status"], row["vanished"], row["error"]) == ("drifted", ["x"], None)


def test_empty_is_read_written_and_kept_in_the_ledger(tmp_path: Path) -> None:
    record = {"id": "Q", "question": "Which?", "sparql": NOTHING, "empty": True}
    [read] = load_lines(tmp_path, record).questions
    assert read.empty
    (tmp_path / "again.jsonl").write_text(benchmark_lines([read]))
    assert load_benchmark(str(tmp_path / "again.jsonl")).questions == (read,)
    assert read_question(question_item("music", read)) == read


def test_the_empty_ones_of_the_published_benchmark_are_marked() -> None:
    marked = [q.query_id for q in load_benchmark("ehds").questions if q.empty]
    assert marked == ["P11", "P16", "P18", "X1", "X2"]
