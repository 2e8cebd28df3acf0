"""The demo's score of the graph by people, held against all labels that its author gave."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from factmark.cli.demo import _show_support
from factmark.graphs.ontologies.bundled import example_graph


def test_support_by_people_holds_what_the_author_said_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (example_graph() / "triples.csv").open(encoding="utf-8", newline="") as file:
        labels = [row["support"] for row in csv.DictReader(file)]
    truth = labels.count("SUPPORTED") / len(labels)
    printed = []
    for _ in range(2):  # a second demo in the same folder draws and says the same
        _show_support(tmp_path / "ledger.db", tmp_path / "graph")
        printed.append(" ".join(capsys.readouterr().out.split()))
    text = printed[0].replace(str(tmp_path), "")
    score, low, high = map(
        float, re.findall(r"FActScore\* is (0\.\d+) \[(0\.\d+)–(0\.\d+)\]", text)[0]
    )
    assert low <= truth <= high
    assert low < score < high
    assert "that share of 461 triples is supported by its passage, estimated from " in text
    assert "Labels: 100 of the author's, drawn at random (seed 0)" in text
    assert "judge alone 0.54" in text
    assert "The rules decide 26 of 461" in text
    assert "factmark graph factscore --judge local --ledger" in text
    assert printed[0] == printed[1]
    assert "corrected by 100 labels of people" in (
        (tmp_path / "graph" / "report.html").read_text(encoding="utf-8")
    )
