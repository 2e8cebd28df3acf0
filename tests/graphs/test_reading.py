"""Samples of a graph's file: nested, the same whatever the order, and with their estimator."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from factmark.errors import InputError
from factmark.graphs.core.scores import MeasureKey
from factmark.graphs.reading import Design, GraphUnits, Source
from factmark.graphs.triples.triples import graph_paths
from factmark.graphs.verdicts import user_rows
from factmark.stats import mean_by_design


def write(path: Path, *, shuffled: bool = False) -> Path:
    """300 triples of 40 heads, the first ones large, of three relations."""
    rows = [
        (f"Head {n * n // 2_250}", ("isa", "treats", "causes")[n % 7 % 3], f"tail {n}")
        for n in range(300)
    ]
    if shuffled:
        Random(1).shuffle(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("head", "relation", "tail"), *rows])
    return path


def ids(path: Path, design: Design, limit: int, seed: int = 0) -> set[str]:
    source = Source(measure="validity", triples=(path,), limit=limit, design=design, seed=seed)
    graph = GraphUnits(source)
    found = [unit.id for _, unit in graph.jobs()]
    assert len(found) == len(set(found)) == graph.size
    assert {unit for _, unit, _ in graph.rows()} == set(found)
    return set(found)


@pytest.mark.parametrize("design", ["random", "relation", "twcs"])
def test_a_larger_limit_keeps_the_smaller_sample(design: Design, tmp_path: Path) -> None:
    path = write(tmp_path / "triples.csv")
    few, more = ids(path, design, 20), ids(path, design, 50)
    assert few < more
    assert ids(path, design, 20, seed=1) != few
    assert len(ids(path, "random", 1_000)) == 300
    assert ids(write(tmp_path / "other.csv", shuffled=True), design, 20) == few


@pytest.mark.parametrize("design", ["random", "relation", "twcs"])
def test_a_sample_is_estimated_by_its_design(design: Design, tmp_path: Path) -> None:
    path = write(tmp_path / "triples.csv")
    source = Source(measure="validity", triples=(path,), limit=60, design=design)
    graph = GraphUnits(source)
    assert graph.drawn is not None
    values = {unit.id: float(unit.data["relation"] == "isa") for _, unit in graph.jobs()}
    found = mean_by_design(graph.drawn, values)
    assert 0 < (found.low or 0) < (found.value or 0) < (found.high or 1) < 1
    assert found.n_missing == 0
    if design == "twcs":
        assert found.n_items == 60
    elif design == "relation":
        assert found.design_effect == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_rows_that_repeat_an_earlier_one_are_told(measure: MeasureKey, tmp_path: Path) -> None:
    path = tmp_path / "triples.csv"
    path.write_text(
        "head,relation,tail,passage\n"
        "oats,isa,cereal,Oats are a cereal.\n"
        "Oats,isa,cereal,Oats are a cereal.\n"
        "hens,eat,oats,Hens eat oats.\n"
    )
    graph = GraphUnits(Source(measure=measure, triples=(path,)))
    assert graph.size == 2
    (told,) = graph.problems.sentences()
    assert "1" in told
    assert "line 3" in told


def test_files_of_one_graph_keep_their_rows(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.nt"
    first.write_text(
        "head,relation,tail,head_id,tail_id\n"
        "oats,isa,cereal,http://e.org/oats,http://e.org/cereal\n"
        ",isa,cereal,,\n"
    )
    second.write_text(
        "<http://e.org/hens> <http://e.org/eat> <http://e.org/oats> .\n"
        "broken\n"
        "<http://e.org/oats> <http://e.org/isa> <http://e.org/cereal> .\n"
    )
    paths = graph_paths([tmp_path / "*.*", second])
    assert paths == (first, second)
    graph = GraphUnits(Source(measure="validity", triples=paths))
    assert graph.size == 2
    rows = {row.place: (row.source.split("/")[-1], row.unit) for row in user_rows(graph)}
    assert rows["a.csv: line 2"][0] == "a.csv"
    assert rows["b.nt: statement 2"][0] == "b.nt"
    assert rows["a.csv: line 2"][1] == rows["b.nt: statement 2"][1]
    told = " ".join(graph.problems.sentences())
    for place in ("(a.csv: line 3", "(b.nt: line 2", "(b.nt: statement 2"):
        assert place in told
    drawn = GraphUnits(Source(measure="validity", triples=paths, limit=1))
    assert drawn.size == 1


def test_files_that_give_no_row_are_told(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.jsonl")]
    for path, row in zip(paths, ("oats,isa,cereal\n", "", ""), strict=True):
        path.write_text(f"head,relation,tail\n{row}" if path.suffix == ".csv" else "")
    graph = GraphUnits(Source(measure="validity", triples=paths))
    assert graph.problems.sentences() == (
        "file without a triple: 2 left out (b.csv: gives no row; c.jsonl: gives no row)",
    )
    assert len(user_rows(graph)) == 1
    assert user_rows(GraphUnits(Source(measure="validity", triples=paths[1:]))) == []


def test_a_place_names_the_folder_where_files_have_one_name(tmp_path: Path) -> None:
    paths = [tmp_path / name / "part.csv" for name in ("x", "y")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(f"head,relation,tail\n{path.parent.name},isa,cereal\n")
    graph = GraphUnits(Source(measure="validity", triples=paths))
    assert [row.place for row in user_rows(graph)] == [f"{path}: line 2" for path in paths]
    with pytest.raises(InputError, match=r"none\*\.csv"):
        graph_paths([tmp_path / "none*.csv"])
