"""`factmark graph profile` as a user runs it: profile, plan, sheet, labels in, page."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import pandas
import pytest

import factmark as fm
from envelope import envelope_in
from factmark.errors import InputError
from shell import called


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command in this process."""
    out, err = StringIO(), StringIO()
    given = {"COLUMNS": "120", "NO_COLOR": "1"}
    with chdir(cwd), mock.patch.dict(os.environ, given), redirect_stdout(out), redirect_stderr(err):
        status = called(*arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


WRONG = {f"t{n}" for n in range(20)}  # the triples of the ten circles
FILES = ("triples.csv", "--passages", "passages.jsonl")


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Of 420 triples 20 are in circles of two; these are wrong, and a tenth of the others."""
    rows = ["id,head,relation,tail,passage_id"]
    for n in range(0, 20, 2):
        rows.append(f"t{n},kind {n},isa,class {n},p{n % 5}")
        rows.append(f"t{n + 1},class {n},isa,kind {n},p{n % 5}")
    rows += [f"t{n},drug {n},treats,disease {n % 40},p{n % 5}" for n in range(20, 420)]
    (tmp_path / "triples.csv").write_text("\n".join(rows) + "\n")
    names = " ".join(f"kind {n} class {n} drug {n} disease {n}" for n in range(420))
    passages = [{"id": f"p{n}", "text": names} for n in range(6)]
    (tmp_path / "passages.jsonl").write_text("".join(json.dumps(p) + "\n" for p in passages))
    return tmp_path


def label(sheet: Path) -> int:
    """Fills in a sheet as the author of the graph would; returns how many circles it has."""
    rows = list(csv.DictReader(sheet.open(encoding="utf-8", newline="")))
    circles = 0
    for row in rows:
        number = int(re.findall(r"\d+", row["claim"])[0])
        in_circle = re.match(r"(Kind|Class) ", row["claim"]) is not None
        circles += in_circle
        wrong = in_circle or number % 10 == 0
        row |= {"annotator": "Ada", "label": "NOT_SUPPORTED" if wrong else "SUPPORTED"}
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return circles


def shares(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, object]]:
    """Kind of suspect -> its line, as machines are given it."""
    lines = envelope_in(done.stdout)["tables"]["suspects"]
    return {line["kind"]: line for line in lines}


def test_from_a_profile_to_the_share_of_errors_of_each_kind(graph: Path) -> None:
    ledger = ("--ledger", "study.db")
    done = run("graph", "profile", *FILES, *ledger, "--out", "out", cwd=graph)
    assert done.returncode == 0, done.stderr
    assert "factmark plan --ledger study.db" in done.stdout

    done = run("plan", *ledger, "--labels", "60", "--sheet", "sheet.csv", cwd=graph)
    assert done.returncode == 0, done.stderr
    # In proportion three of 60 labels were on circles; half of 60 are shared out among two strata.
    assert label(graph / "sheet.csv") >= 15

    assert run("ledger", "import", "study.db", "sheet.csv", cwd=graph).returncode == 0
    done = run("graph", "profile", *FILES, *ledger, "--out", "out", "--json", cwd=graph)
    lines = shares(done)
    assert lines["circle"]["errors"] == 1.0
    whole = envelope_in(done.stdout)["averages"]["errors of all triples"]
    # 60 of 420 are errors; the plain share of the sheet's labels would say about 0.35.
    assert whole["low"] <= 60 / 420 <= whole["high"]
    assert whole["value"] < 0.25

    page = (graph / "out" / "report.html").read_text("utf-8")
    assert "How often each kind of suspect was an error" in page


def test_the_corrected_score_knows_that_suspects_were_drawn_more_often(graph: Path) -> None:
    """`graph factscore` of the same ledger; the plain share of the sheet is about 0.65."""
    ledger = ("--ledger", "study.db")
    run("graph", "profile", *FILES, *ledger, cwd=graph)
    run("plan", *ledger, "--labels", "60", "--sheet", "sheet.csv", cwd=graph)
    label(graph / "sheet.csv")
    run("ledger", "import", "study.db", "sheet.csv", cwd=graph)
    done = run("graph", "factscore", *FILES, *ledger, "--json", cwd=graph)
    corrected = envelope_in(done.stdout)["correction"]["corrected"]
    assert corrected["low"] <= 360 / 420 <= corrected["high"]
    assert corrected["value"] > 0.75


def test_verdicts_of_a_judge_and_suspects_are_strata_together(graph: Path) -> None:
    ledger = ("--ledger", "study.db")
    run("graph", "factscore", *FILES, *ledger, cwd=graph)
    run("graph", "profile", *FILES, *ledger, cwd=graph)
    done = run("plan", *ledger, "--half-width", "0.1", "--json", cwd=graph)
    assert done.returncode == 0, done.stderr
    by_verdict = json.loads(done.stdout)["rows"][-1]["by_verdict"]
    assert {name.rpartition(", ")[2] for name in by_verdict} == {"circle", "no suspect"}


def test_the_profile_is_no_judge_for_agree_and_compare(graph: Path) -> None:
    ledger = ("--ledger", "study.db")
    run("graph", "factscore", *FILES, *ledger, cwd=graph)
    run("graph", "profile", *FILES, *ledger, cwd=graph)
    done = run("agree", "study.db", cwd=graph)
    assert "profile" not in done.stdout
    done = run("compare", "study.db", "study.db", cwd=graph)
    assert "different judges" not in done.stdout + done.stderr


def test_every_suspect_row_is_in_the_files_with_the_users_id(graph: Path) -> None:
    run("graph", "profile", *FILES, "--out", "out", cwd=graph)
    with (graph / "out" / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"] for row in rows if row["circle"] == "True"} == WRONG
    assert all(row["passage_id"] for row in rows)


def test_several_files_are_one_graph(graph: Path) -> None:
    """A circle whose two triples stand in two files."""
    (graph / "a.csv").write_text("head,relation,tail\nx,isa,y\n")
    (graph / "b.csv").write_text("head,relation,tail\ny,isa,x\n")
    assert shares(run("graph", "profile", "a.csv", "--json", cwd=graph))["circle"]["triples"] == 0
    both = run("graph", "profile", "a.csv", "b.csv", "--json", "--out", "out", cwd=graph)
    assert shares(both)["circle"]["triples"] == 2
    assert "a.csv: line 2" in (graph / "out" / "rows.csv").read_text("utf-8")


def test_passages_that_gave_nothing_are_named(graph: Path) -> None:
    done = run("graph", "profile", *FILES, "--json", cwd=graph)
    assert envelope_in(done.stdout)["counts"]["barren"] == ["p5"]


def test_types_from_a_table(graph: Path) -> None:
    rows = [f"drug {n},Drug" for n in range(420)] + [f"disease {n},Disease" for n in range(40)]
    (graph / "types.csv").write_text("\n".join(["name,type", *rows]) + "\n")
    done = run("graph", "profile", *FILES, "--types", "types.csv", "--json", cwd=graph)
    (pattern,) = envelope_in(done.stdout)["patterns"]
    assert (pattern["head"], pattern["tail"], pattern["triples"]) == ("Drug", "Disease", 400)
    (graph / "types.csv").write_text("what,ever\n1,2\n")
    done = run("graph", "profile", *FILES, "--types", "types.csv", cwd=graph)
    assert done.returncode == 2
    assert "types.csv: needs a column with nodes" in done.stderr


def test_a_file_without_a_triple_is_refused(graph: Path) -> None:
    (graph / "empty.csv").write_text("head,relation,tail\n")
    done = run("graph", "profile", "empty.csv", cwd=graph)
    assert done.returncode == 2
    assert "no triple that can be used" in done.stderr


def test_results_do_not_take_the_place_of_an_input(graph: Path) -> None:
    (graph / "rows.csv").write_text("head,relation,tail\na,isa,b\n")
    done = run("graph", "profile", "rows.csv", "--out", ".", cwd=graph)
    assert done.returncode == 2
    assert "rows.csv" in done.stderr


def test_the_bundled_example_where_no_file_is_named(tmp_path: Path) -> None:
    done = run("graph", "profile", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "which is no verdict" in done.stdout
    assert "Suspects per relation" in (tmp_path / "out" / "report.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\x1b[31mred", "a\u202eb"])
def test_a_hostile_name_stays_text(tmp_path: Path, name: str) -> None:
    rows = [{"head": name, "relation": "cause_of", "tail": name}]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("graph", "profile", "t.jsonl", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert name not in page
    assert "\x1b" not in done.stdout


def test_the_first_screen_has_at_most_25_lines(graph: Path) -> None:
    out = StringIO()
    with chdir(graph), mock.patch.dict(os.environ, {"COLUMNS": "80"}), redirect_stdout(out):
        assert called("graph", "profile", *FILES) == 0
    lines = out.getvalue().splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 85  # a command that is to be copied is not broken
    assert any("all triples" in line for line in lines)


def test_in_python_suspects_are_rows_and_nothing_is_printed(
    graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    triples = pandas.read_csv(graph / "triples.csv")
    passages = [{"id": f"p{n}", "text": "drug"} for n in range(5)]
    profile = fm.profile(triples, passages)
    suspects = profile.to_pandas()
    assert set(suspects[suspects["circle"]]["id"]) == WRONG
    assert len(suspects) == len(profile.rows)
    kinds = profile.to_pandas("suspects").set_index("kind")
    assert kinds.loc["circle", "triples"] == len(WRONG)
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match=r"'ledgr'.*'ledger'"):
        fm.profile(triples, ledgr="l.db")
