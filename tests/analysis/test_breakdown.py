"""`factmark analyse --by` and `--bias`: slices corrected at once, and what the judge's error goes
by."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import factmark as fm
from factmark.errors import InputError
from shell import run


def judged(n: int = 600, labelled: int = 300) -> list[dict[str, Any]]:
    """Answers with stars by a judge, who gives half a star more to long ones, and by people."""
    draw = random.Random(3)
    rows = []
    for place in range(n):
        words = draw.randint(1, 60)
        people = draw.randint(1, 5)
        lenient = draw.random() < 0.5 and words > 30
        judge = max(1, min(5, people + draw.choice([-1, 0, 0, 0, 1]) + lenient))
        row = {"id": f"u{place}", "answer": "word " * words + f"of {place}", "judge": judge}
        row |= {"human": people if place < labelled else "", "place": place % 4}
        rows.append(row | {"topic": "abc"[place % 3], "system": "xy"[place % 2]})
    return rows


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_slices_are_corrected_with_one_line_and_add_up(tmp_path: Path) -> None:
    """Three topics of 200 units with 100 labels each, none pooled: as large as they are, their mean
    is about the corrected mean of all."""
    result = fm.analyse(written(tmp_path, judged()), by="topic")
    slices = result.details.breakdown.slices
    assert [(row.name, row.corrected.n_units) for row in slices] == [(n, 200) for n in "abc"]
    assert all(row.own == 1 for row in slices)
    mean = sum(row.corrected.value for row in slices) / 3
    assert mean == pytest.approx(result.averages["corrected"].value, abs=0.05)
    for row in slices:
        assert 1 <= row.corrected.low < row.corrected.value < row.corrected.high <= 5
        assert row.judge_alone > row.corrected.value  # it is lenient
    assert "slices" in result.tables


def test_a_bias_by_length_is_named_and_no_other(tmp_path: Path) -> None:
    path = written(tmp_path, judged())
    result = fm.analyse(path, bias=["all", "place"])
    tests = {test.factor: test for test in result.details.breakdown.biases}
    assert set(tests) == {"answer", "place", "topic", "system"}
    assert [name for name, test in tests.items() if test.is_biased] == ["answer"]
    assert tests["answer"].effect.value == pytest.approx(0.4, abs=0.25)
    assert tests["answer"].effect.scale == (-4, 4)
    words = str(result)
    assert "The judge's error goes by answer: it gives the upper half" in words
    page = (result.report(tmp_path / "out") / "report.html").read_text("utf-8")
    assert "right of the middle it gives more than people" in page


def test_the_command_prints_and_writes_them(tmp_path: Path) -> None:
    written(tmp_path, judged())
    asked = ("analyse", "t.jsonl", "--by", "topic", "--bias", "answer")
    shown = run(*asked, "--all", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "By topic" in shown.stdout
    assert "What the judge's error goes by" in shown.stdout
    first = run(*asked, cwd=tmp_path)
    assert len(first.stdout.splitlines()) <= 25
    done = run(*asked, "--json", "--out", "out", cwd=tmp_path)
    details = json.loads(done.stdout)["details"]["breakdown"]
    assert [row["name"] for row in details["slices"]] == ["a", "b", "c"]
    assert details["biases"][0]["factor"] == "answer"
    assert "Corrected, by topic" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_what_cannot_be_broken_down_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, judged(labelled=0))
    with pytest.raises(InputError, match=r"--by: people labelled none of .* yet"):
        fm.analyse(path, judge="judge", by="topic")
    path = written(tmp_path, judged())
    with pytest.raises(InputError, match=r"no column 'topc'\. It has id, answer"):
        fm.analyse(path, by="topc")


def test_a_second_judge_is_worth_labels_where_it_errs_otherwise(tmp_path: Path) -> None:
    """Two judges that err by themselves save labels; a copy of the first saves none."""
    draw = random.Random(8)
    rows = []
    for place in range(2_000):
        people = draw.gauss(0.6, 0.15)
        first, other = (people + draw.gauss(0, 0.15) for _ in range(2))
        row = {"id": place, "first": round(first, 4), "other": round(other, 4)}
        row |= {"copy": row["first"], "human": round(people, 4) if place < 200 else ""}
        rows.append(
            {
                name: min(1, max(0, cell)) if isinstance(cell, float) else cell
                for name, cell in row.items()
            }
        )
    path = written(tmp_path, rows)
    saved = {}
    for name in ("other", "copy"):
        result = fm.analyse(path, judge="first", second=name, scale="0,1")
        saved[name] = result.details.second.saved
        assert f"with {name} too" in str(result)
    # What is left of people's variance: 1/2 by one judge, 1/3 by both.
    assert saved["other"] == pytest.approx(1 / 3, abs=0.12)
    assert saved["copy"] == pytest.approx(0, abs=0.03)
    with pytest.raises(InputError, match="name another column than the judge's"):
        fm.analyse(path, judge="first", second="first", scale="0,1")


def test_an_interval_at_any_time_is_wider_and_needs_thirty_labels(tmp_path: Path) -> None:
    """By the normal mixture 3.03 / 1.96 = 1.55 times as wide at the number it is tuned for."""
    for labelled in (29, 200):
        path = written(tmp_path, judged(labelled=labelled))
        result = fm.analyse(path, anytime=True)
        always, once = result.details.at_any_time, result.averages["corrected"]
        if labelled < 30:
            assert always is None
            continue
        assert always.value == once.value
        widths = (always.high - always.low) / (once.high - once.low)
        assert widths == pytest.approx(1.55, abs=0.06)
        assert "corrected, at any time" in str(result)
