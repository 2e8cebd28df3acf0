"""`factmark compare` as a user runs it: on results that the commands wrote, and on damaged ones."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import factmark
from factmark.analysis.compare import outcome_of
from factmark.answers.verdicts import results_from_ledger
from factmark.errors import InputError
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_kept
from factmark.model import Judge, Status, Verdict
from factmark.report.files import RESULT_FILES
from factmark.stats.comparison import Options
from shell import run

ANSWERS = files("factmark.data") / "ehds" / "sample_answers.jsonl"
QUICK = ("--resamples", "100")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, replica: Path) -> Path:
    """all: the bundled answers under three conditions; mcp, rag: one each; graph: the example.

    pairs.db: its factscore alone.
    """
    folder = tmp_path_factory.mktemp("made")
    for measure in ("factscore", "validity"):
        done = run("graph", measure, "--out", "graph", cwd=folder)
        assert done.returncode == 0, done.stderr
        shutil.copy(folder / "graph" / "ledger.db", folder / f"{measure}.db")
    (folder / "factscore.db").rename(folder / "pairs.db")
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    for condition in ("all", "mcp", "rag"):
        kept = [row for row in rows if condition in (row["condition"], "all")]
        (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
        (folder / condition).mkdir()
        kept_in = ("--ledger", f"{condition}/ledger.db")
        done = run("score", "a.jsonl", "--store", replica, *kept_in, *QUICK, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def other_graph(made: Path, path: Path, change: Callable[[int, str], str | None]) -> Path:
    """The ledger of the judged example with other labels; units without one are left out.

    There is no second judge here; the labels are changed as another graph's might be.

    Args:
        change: place of a unit and its label, empty without one -> another, None to leave it out.
    """
    shutil.copy(made / "pairs.db", path)
    with Ledger(path) as ledger, ledger.writing() as db:
        (judge,) = judges_kept(ledger, "rule")
        rows = ledger.rows("SELECT unit, status, label FROM newest_verdicts ORDER BY number")
        for at, (unit, _, label) in enumerate(rows.fetchall()):
            other = change(at, label or "")
            db.execute("DELETE FROM verdicts WHERE unit = ?", (unit,))
            if other is not None:
                status: Status = "ok" if other else "unparsed"
                new = Verdict(unit=unit, judge=judge.id, status=status, label=other or None)
                ledger.add_verdict(new, "now")
    return path


def compared(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    done = run("compare", *arguments, "--json", "--resamples", "500", cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_results_folder_and_a_ledger(made: Path) -> None:
    found = compared("mcp", "rag/ledger.db", cwd=made)
    assert found["details"]["systems"] == ["mcp", "rag/ledger.db"]
    rows = found["rows"]
    assert [(row["score"], row["stratum"]) for row in rows] == [
        ("combined_score", "overall"),
        ("completeness", "overall"),
        ("hallucination_rate", "overall"),
        *(("combined_score", name) for name in ("discovery", "policy", "clinical", "comparative")),
    ]
    best = rows[0]
    # One question of 50 has no answer under rag; the samples were written so that tools know more.
    assert (best["n_both"], best["only_a"], best["only_b"], best["neither"]) == (49, 1, 0, 0)
    assert found["averages"]["S: mcp - rag/ledger.db"]["n_missing"] == 1
    assert best["difference_worst"] <= best["difference"] <= best["difference_best"]
    assert best["told_apart"]
    assert sum(row["n_both"] for row in rows[3:]) == 49
    summaries = results_from_ledger(made / "rag").summaries
    overall = next(row for row in summaries if row.category == "overall")
    assert best["value_b"] == pytest.approx(overall.combined_score.value)


def test_the_metric_says_which_of_two_judged_graphs(made: Path, tmp_path: Path) -> None:
    shutil.copy(made / "graph" / "ledger.db", tmp_path / "again.db")
    for metric, scores in (("V", ["score", "strict_score"]), ("F*", ["score"])):
        found = compared(made / "graph", "again.db", "--metric", metric, cwd=tmp_path)
        rows = found["rows"][: len(scores)]
        assert [row["score"] for row in rows] == scores
        assert all((row["only_a"], row["only_b"]) == (0, 0) for row in rows)


def test_the_judge_that_began_last_counts_and_a_graph_judged_before_is_told(
    made: Path, tmp_path: Path
) -> None:
    for more in ((), ("--limit", "8")):
        run("graph", "validity", *more, "--out", "twice", cwd=tmp_path)
    shutil.copytree(tmp_path / "twice", tmp_path / "another")
    with Ledger(tmp_path / "another" / "ledger.db") as ledger:
        other = Judge.create("model", "strict")
        ledger.add_judge(other)
        (judge,) = judges_kept(ledger, "rule")
        for (unit,) in ledger.rows("SELECT unit FROM verdicts WHERE judge = ?", judge.id):
            ledger.add_verdict(Verdict(unit=unit, judge=other.id, label="NO", value=0.0), "now")
    found = compared("twice", "another", cwd=tmp_path)
    assert found["rows"][0]["value_b"] in (0, None)
    assert any("twice: of the" in problem for problem in found["problems"])
    assert any("another: strict is compared" in problem for problem in found["problems"])


def test_three_conditions_of_one_file_make_a_board(made: Path) -> None:
    found = compared("all", "--by", "condition", "--metric", "H", cwd=made)
    assert found == compared("all", "--metric", "hallucination_rate", cwd=made) | {
        "signature": found["signature"]
    }
    board = found["details"]["leader_boards"]["hallucination_rate"]
    assert [place["name"] for place in board["places"]] == ["mcp", "rag", "baseline"]
    assert board["places"][0]["letters"] != board["places"][2]["letters"]
    assert board["n_units"] + board["n_left_out"] == 50
    pairs = [row for row in found["rows"] if row["score"] == "combined_score"]
    assert len(pairs) == 3
    assert all(row["p_adjusted"] >= row["p_permutation"] for row in pairs)


def test_table_names_the_better_and_files_are_written(made: Path, tmp_path: Path) -> None:
    done = run("compare", made / "mcp", made / "rag", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "By combined score, " in done.stdout.splitlines()[0]  # the result comes first
    assert " is better than " in " ".join(done.stdout.split())
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {".factmark", *RESULT_FILES}
    with (tmp_path / "out" / "rows.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 7


def test_two_judged_graphs_on_the_same_triples(made: Path, tmp_path: Path) -> None:
    decided: list[int] = []

    def by_model(at: int, label: str) -> str:
        decided.extend([at] if label else [])
        return label

    def change(at: int, label: str) -> str | None:
        if at % 10 in (3, 6) and label:
            return "NOT_SUPPORTED"  # the rules only say what is supported
        return None if at % 10 == 5 else "" if at % 10 == 4 else label

    one = other_graph(made, tmp_path / "one.db", by_model)
    found = compared(one, other_graph(made, tmp_path / "two.db", change), cwd=tmp_path)
    overall = found["rows"][0]
    gone = sum(at % 10 in (4, 5) for at in decided)
    both = len(decided) - gone
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (both, gone, 0)
    assert overall["losses"] == 0
    assert overall["difference"] == pytest.approx(overall["wins"] / both)
    assert overall["n_items"] < overall["n_both"]  # heads, not triples
    assert overall["p_mcnemar"] == pytest.approx(2 / 2 ** overall["wins"])
    assert len(found["rows"]) > 5  # relations


def test_too_few_decided_by_rule_make_no_difference(made: Path, tmp_path: Path) -> None:
    """As `factmark graph factscore` prints no score of them."""
    other = other_graph(made, tmp_path / "other.db", lambda at, label: label or None)
    found = compared(made / "pairs.db", other, cwd=tmp_path)
    assert found["rows"][0]["difference"] is None
    assert found["rows"][0]["only_b"] > 0
    (problem,) = [problem for problem in found["problems"] if "fewer than 80%" in problem]
    assert problem.startswith(f"{made / 'pairs.db'}: only ")


def test_a_large_graph_is_compared_whole(tmp_path: Path) -> None:
    """Results as they are and the ledger hold all rows, more than a page shows."""
    lines = [
        f"drug {at},treats,disease {at % 7},Drug {at} {'treats' if at % 3 else 'cures'} disease "
        f"{at % 7 if at % 5 else 99}."
        for at in range(2_100)
    ]
    for name, kept in (("one", lines), ("two", lines[1_950:])):
        text = "\n".join(["head,relation,tail,passage", *kept]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
        done = run("graph", "factscore", f"{name}.csv", "--out", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    overall = compared("one", "two", cwd=tmp_path)["rows"][0]
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (120, 1_560, 0)
    assert overall["ties"] == 120  # of 150; the passages of a fifth name another disease
    held = (factmark.factscore(tmp_path / f"{name}.csv") for name in ("one", "two"))
    shown = factmark.compare(*held)
    assert shown.as_json()["rows"][0]["n_both"] == 120


def refusal(*arguments: str | Path) -> str:
    """What the command says of bad input; it must say it, with status 2."""
    done = run("compare", *arguments)
    assert done.returncode == 2, done.stdout
    return done.stderr


def test_what_cannot_be_compared_is_told(made: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    whole = (made / "rag" / "ledger.db").read_bytes()
    damaged.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    (tmp_path / "empty").mkdir()
    odd = other_graph(made, tmp_path / "odd.db", lambda at, label: "PERHAPS")
    graph, mcp = made / "graph", made / "mcp"
    shutil.copy(made / "pairs.db", made / "rest.db")
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        ((mcp, "nowhere"), "no such file"),
        ((mcp, mcp / "ledger.db"), "same file"),
        ((mcp, mcp), "same file"),
        ((mcp,), "holds one system (sample-model, mcp)"),
        ((made / "all", "--by", "file"), "one system by file"),
        ((mcp, damaged), "damaged.db"),
        ((mcp, tmp_path / "empty"), "holds no ledger.db"),
        ((mcp, made / "a.jsonl"), "is no ledger"),
        ((mcp, made / "rag", "--out", mcp), "holds the results of an input"),
        ((mcp, made / "pairs.db"), "Compare results of one kind"),
        ((made / "pairs.db", graph, "--metric", "V"), "Compare the same measure"),
        ((made / "pairs.db", graph), "Say which with --metric"),
        ((made / "pairs.db",), "Name a second file"),
        ((made / "pairs.db", odd), "'PERHAPS'"),
        ((made / "pairs.db", made / "rest.db", "--by", "model"), "--by model"),
        ((mcp, made / "rag", "--metric", "score"), "there are combined_score"),
    ]
    for arguments, message in cases:
        assert message in refusal(*arguments), arguments


def test_what_is_not_in_common_is_missing_and_told(made: Path) -> None:
    mcp, rag = (results_from_ledger(made / name) for name in ("mcp", "rag"))
    renamed = [
        replace(row, question=replace(row.question, query_id="x" + row.question.query_id))
        for row in rag.answers
    ]
    other = replace(rag, answers=tuple(renamed), signature={"ground_truth": "another"})
    found = outcome_of([("mcp", mcp), ("rag", other)], "all", "", Options(resamples=100))
    assert found.rows[0].comparison.difference.value is None
    assert any("different ground truths" in problem for problem in found.contest.problems)
    fewer = [
        replace(some, answers=tuple(r for r in some.answers if r.question.query_id not in "D1 D2"))
        for some in (mcp, rag)
    ]
    found = outcome_of([*zip("ab", fewer, strict=True)], "all", "", Options(resamples=100))
    overall = found.rows[0].comparison
    assert (overall.n_both, overall.only_a, overall.neither) == (47, 1, 2)
    empty = replace(mcp, answers=(), unscored=())
    with pytest.raises(InputError, match="no answers"):
        outcome_of([("a", empty), ("b", rag)], "all", "", Options())


@pytest.mark.parametrize(
    "arguments", [("mcp", "rag"), ("all",), ("graph", "--metric", "V", "twice.db")]
)
def test_the_first_screen_has_at_most_25_lines(made: Path, arguments: tuple[str, ...]) -> None:
    """Two systems with strata, a leader board with its pairs, graphs with many relations."""
    shutil.copy(made / "validity.db", made / "twice.db")
    done = run("compare", *arguments, *QUICK, cwd=made, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "All tables and lines, with their notes: --all, or --out FOLDER."
    whole = run("compare", *arguments, *QUICK, "--all", cwd=made, COLUMNS="80")
    assert len(whole.stdout.splitlines()) > 25
