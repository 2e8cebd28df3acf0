"""`factmark compare` as a user runs it: on results that the commands wrote, and on damaged ones."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from factmark.cli.main import app
from factmark.ehds.write import build_store
from shell import run

ANSWERS = files("factmark.data") / "ehds" / "sample_answers.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """all: the bundled answers under three conditions; mcp, rag: one each; graph: the example."""
    folder = tmp_path_factory.mktemp("made")
    store = folder / "store"
    build_store(store, scale=0.0001)
    for measure in ("factscore", "validity"):
        done = run("graph", measure, "--out", "graph", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert run("graph", measure, "--ledger", "both.db", cwd=folder).returncode == 0
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    for condition in ("all", "mcp", "rag"):
        kept = [row for row in rows if condition in (row["condition"], "all")]
        (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
        done = run("score", "a.jsonl", "--store", store, "--out", condition, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def other_graph(made: Path, folder: Path, change: Callable[[int, dict[str, str]], bool]) -> Path:
    """The judged example again, with changed rows; those for which `change` is False are left out.

    There is no second judge here; the labels are changed as another graph's might be.
    """
    with (made / "graph" / "factscore.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kept = [row for at, row in enumerate(rows) if change(at, row)]
    path = folder / "other.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(kept)
    return path


def compared(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    done = run("compare", *arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_two_results_folders(made: Path) -> None:
    found = compared("mcp", "rag", cwd=made)
    assert found["systems"] == ["mcp", "rag"]
    rows = found["comparisons"]
    assert [(row["score"], row["stratum"]) for row in rows] == [
        ("combined_score", "overall"), ("completeness", "overall"),
        ("hallucination_rate", "overall"),
        *(("combined_score", name) for name in ("discovery", "policy", "clinical", "comparative")),
    ]  # fmt: skip
    best = rows[0]
    # One question of 50 has no answer under rag; the samples were written so that tools know more.
    assert (best["n_both"], best["only_a"], best["only_b"], best["neither"]) == (49, 1, 0, 0)
    assert best["difference"]["n_missing"] == 1
    assert best["difference"]["worst"] <= best["difference"]["value"] <= best["difference"]["best"]
    assert best["told_apart"]
    assert best["wins"] > best["losses"]
    assert sum(row["n_both"] for row in rows[3:]) == 49
    assert rows[2]["difference"]["value"] < 0
    averages = {
        folder: next(
            row["combined_score"]["value"]
            for row in json.loads((made / folder / "results.json").read_text("utf-8"))["averages"]
            if row["category"] == "overall"
        )
        for folder in ("mcp", "rag")
    }
    assert best["value_b"]["value"] == pytest.approx(averages["rag"])  # rag is what both answer
    assert found["signature"]["inputs"].keys() == {"mcp", "rag"}


def test_files_mean_the_same_as_folders_and_swapping_mirrors(made: Path) -> None:
    there = compared("mcp", "rag", cwd=made)["comparisons"]
    back = compared("rag/results.json", "mcp/results.json", cwd=made)["comparisons"]
    for row, other in zip(there, back, strict=True):
        assert row["difference"]["value"] == pytest.approx(-other["difference"]["value"])
        assert row["p_permutation"] == other["p_permutation"]
        assert (row["wins"], row["losses"]) == (other["losses"], other["wins"])


def test_ledgers_mean_the_same_as_the_results_that_they_hold(made: Path) -> None:
    found = compared("mcp/ledger.db", "rag", cwd=made)
    assert found["comparisons"] == [
        row | {"a": "mcp/ledger.db"} for row in compared("mcp", "rag", cwd=made)["comparisons"]
    ]
    run("graph", "validity", "--ledger", "types.db", cwd=made)
    graphs = compared("types.db", "graph/validity.csv", cwd=made)["comparisons"][0]
    assert (graphs["only_a"], graphs["only_b"], graphs["wins"], graphs["losses"]) == (0, 0, 0, 0)
    assert graphs["n_both"] > 0


def test_three_conditions_of_one_file_make_a_board(made: Path) -> None:
    found = compared("all", "--by", "condition", "--metric", "H", cwd=made)
    assert found == compared("all", "--metric", "hallucination_rate", cwd=made) | {
        "signature": found["signature"]
    }
    board = found["leader_boards"]["hallucination_rate"]
    assert [place["name"] for place in board["places"]] == ["mcp", "rag", "baseline"]
    assert board["places"][0]["letters"] != board["places"][2]["letters"]
    assert all(p["rank_low"] <= p["rank"] <= p["rank_high"] for p in board["places"])
    assert board["n_units"] + board["n_left_out"] == 50
    pairs = [row for row in found["comparisons"] if row["score"] == "combined_score"]
    assert len(pairs) == 3
    assert all(row["p_adjusted"] >= row["p_permutation"] for row in pairs)


def test_table_names_the_better_and_files_are_written(made: Path, tmp_path: Path) -> None:
    done = run("compare", made / "mcp", made / "rag", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "discovery" in done.stdout
    assert "is better at 95 %" in " ".join(done.stdout.split())
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {".factmark", "compare.json", "compare.csv", "compare.md", "compare.tex"}
    with (tmp_path / "out" / "compare.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert {row["stratum"] for row in rows} > {"overall", "policy"}


def test_the_same_seed_gives_the_same(made: Path) -> None:
    first = compared("mcp", "rag", "--seed", "7", "--resamples", "200", cwd=made)
    assert first == compared("mcp", "rag", "--seed", "7", "--resamples", "200", cwd=made)
    assert first["signature"]["seed"] == 7


def test_two_judged_graphs_on_the_same_triples(made: Path, tmp_path: Path) -> None:
    decided: list[int] = []

    def by_model(at: int, row: dict[str, str]) -> bool:
        if row["status"] == "undecided":  # as the rules leave most
            row["status"] = "unparsed"
        decided.extend([at] if row["label"] else [])
        return True

    def change(at: int, row: dict[str, str]) -> bool:
        by_model(at, row)
        if at % 10 in (3, 6) and row["label"]:
            row["label"] = "NOT_SUPPORTED"  # the rules only say what is supported
        if at % 10 == 4:
            row["status"], row["label"] = "unparsed", ""
        return at % 10 != 5

    other = other_graph(made, tmp_path, change).rename(tmp_path / "changed.csv")
    decided.clear()
    first = other_graph(made, tmp_path, by_model)
    found = compared(first, other, cwd=tmp_path)
    assert found["measure"] == "factscore"
    overall = found["comparisons"][0]
    gone = sum(at % 10 in (4, 5) for at in decided)
    both = len(decided) - gone
    assert min(both, gone) > 0
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (both, gone, 0)
    assert overall["losses"] == 0
    assert overall["wins"] > 0
    assert overall["difference"]["value"] == pytest.approx(overall["wins"] / both)
    assert overall["difference"]["n_items"] < overall["n_both"]  # heads, not triples
    assert overall["p_mcnemar"] == pytest.approx(2 / 2 ** overall["wins"])
    assert len(found["comparisons"]) > 5  # relations
    csv_too, json_too = (
        compared(made / "graph" / f"factscore.{end}", other, cwd=tmp_path)
        for end in ("csv", "json")
    )
    assert csv_too["comparisons"][0]["difference"] == json_too["comparisons"][0]["difference"]


def test_too_few_decided_by_rule_make_no_difference(made: Path, tmp_path: Path) -> None:
    """As `factmark graph factscore` prints no score of them."""
    other = other_graph(made, tmp_path, lambda at, row: bool(row["label"]))
    found = compared(made / "graph" / "factscore.json", other, cwd=tmp_path)
    assert found["comparisons"][0]["difference"]["value"] is None
    assert found["comparisons"][0]["only_b"] > 0
    (problem,) = [told for told in found["problems"] if "fewer than 80%" in told]
    assert problem.startswith(f"{made / 'graph' / 'factscore.json'}: only ")


def test_a_large_graph_is_compared_whole_from_its_ledger(tmp_path: Path) -> None:
    """The files hold the first 2,000 rows; the ledger beside them has all."""
    lines = [
        f"drug {at},treats,disease {at % 7},Drug {at} {'treats' if at % 3 else 'cures'} disease "
        f"{at % 7 if at % 5 else 99}."
        for at in range(2_100)
    ]
    for name, kept in (("one", lines), ("two", lines[50:])):
        text = "\n".join(["head,relation,tail,passage", *kept]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
        done = run("graph", "factscore", f"{name}.csv", "--out", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    overall = compared("one", "two", cwd=tmp_path)["comparisons"][0]
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (1_640, 40, 0)
    assert overall["ties"] == 1_640  # of 2,050; the passages of a fifth name another disease
    (tmp_path / "one" / "ledger.db").unlink()
    found = compared("one", "two", cwd=tmp_path)
    assert "first 2000 of 2100" in found["problems"][0]
    assert found["comparisons"][0]["n_both"] == 1_560  # four fifths of 1,950


def test_validity_has_two_scores(made: Path, tmp_path: Path) -> None:
    shutil.copy(made / "graph" / "validity.parquet", tmp_path / "again.parquet")
    found = compared(made / "graph" / "validity.csv", "again.parquet", cwd=tmp_path)
    overall = [row for row in found["comparisons"] if row["stratum"] == "overall"]
    assert [row["score"] for row in overall] == ["score", "strict_score"]
    for row in overall:
        assert row["difference"]["value"] == 0
        assert row["difference"]["low"] < 0 < row["difference"]["high"]
        assert row["p_permutation"] == 1


def damaged(made: Path, folder: Path, change: Callable[[Any], object]) -> Path:
    """rag's results.json with one thing changed."""
    value = json.loads((made / "rag" / "results.json").read_text("utf-8"))
    change(value)
    path = folder / "results.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


def told(*arguments: str | Path) -> str:
    """What the command says of bad input; it must say it, with status 2."""
    done = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    from factmark.errors import InputError

    assert isinstance(done.exception, (InputError, SystemExit)), done.exception
    if isinstance(done.exception, SystemExit):
        assert done.exit_code == 2
    return str(done.exception)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["answers"][2].update(combined_score=1.5), "answers 3 combined_score"),
        (lambda v: v["answers"][0].update(completeness="high"), "answers 1 completeness"),
        (lambda v: v["answers"][0].update(completeness=float("nan")), "answers 1 completeness"),
        (lambda v: v["answers"][1].pop("query_id"), "answers 2 query_id"),
        (lambda v: v.pop("averages"), "no results.json of `factmark score`"),
        (lambda v: v.update(answers=[]), "holds no answers"),
        (lambda v: v.update(answers={"a": 1}), "answers"),
        (lambda v: v["averages"][0].update(n_questions=-1), "averages 1 n_questions"),
    ],
)
def test_damaged_results_are_told(
    made: Path, tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    path = damaged(made, tmp_path, change)
    found = told(made / "mcp", path)
    assert str(path) in found
    assert message in found


def test_what_cannot_be_compared_is_told(made: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text((made / "rag" / "results.json").read_text("utf-8")[:5_000], "utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, "utf-8")
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    (tmp_path / "empty").mkdir()
    graph, mcp = made / "graph", made / "mcp"
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        ((mcp, "nowhere"), "no such file"),
        ((mcp, mcp / "results.json"), "same file"),
        ((mcp,), "holds one system (sample-model, mcp)"),
        ((made / "all", "--by", "file"), "one system by file"),
        ((mcp, cut), "line"),
        ((mcp, tmp_path / "deep.json"), "nested too deeply"),
        ((mcp, tmp_path / "latin.json"), "line 1"),
        ((mcp, tmp_path / "empty"), "holds no results"),
        ((mcp, graph / "factscore.csv"), "Compare results of one kind"),
        ((graph / "factscore.csv", graph / "validity.csv"), "Compare the same measure"),
        ((graph, mcp), "Name one of them"),
        ((graph / "factscore.csv",), "Name a second file"),
        ((mcp, mcp / "answers.csv"), "results.json of `factmark score`"),
        ((mcp, made / "both.db"), "one judged graph"),
        ((mcp, made / "rag", "--metric", "score"), "there are combined_score"),
        ((graph / "factscore.csv", mcp, "--by", "model"), "one kind"),
    ]
    for arguments, message in cases:
        assert message in told(*arguments), arguments


def test_bad_rows_of_a_graph_are_told(made: Path, tmp_path: Path) -> None:
    graph = made / "graph" / "factscore.csv"

    def labelled(label: str, status: str = "ok") -> Path:
        return other_graph(
            made, tmp_path, lambda at, row: not row.update(label=label, status=status)  # type: ignore[func-returns-value]  # None: all rows stay
        )  # fmt: skip

    assert "line 2: the label 'PERHAPS'" in told(graph, labelled("PERHAPS"))
    assert "line 2: 'gone' is none of" in told(graph, labelled("SUPPORTED", "gone"))
    assert "no row has a label" in told(graph, labelled("", "failed"))
    assert "Compare the same measure" in told(graph, labelled("YES"))
    assert "holds no judged rows" in told(graph, other_graph(made, tmp_path, lambda *_: False))
    path = other_graph(made, tmp_path, lambda at, _: at < 5)
    path.write_text(path.read_text("utf-8") + "one,cell\n", "utf-8")
    assert "is damaged" in told(graph, path)


def test_nothing_in_common_has_no_value(made: Path, tmp_path: Path) -> None:
    def rename(value: Any) -> None:
        for row in value["answers"]:
            row["query_id"] = "x" + row["query_id"]

    found = compared(made / "mcp", damaged(made, tmp_path, rename), cwd=tmp_path)
    assert found["comparisons"][0]["difference"]["value"] is None
    assert found["comparisons"][0]["p_permutation"] is None
    done = run("compare", made / "mcp", tmp_path / "results.json", cwd=tmp_path)
    assert "no questions in common" in " ".join(done.stdout.split())


def test_questions_that_nobody_answered_count_as_missing(made: Path, tmp_path: Path) -> None:
    for name in ("mcp", "rag"):
        value = json.loads((made / name / "results.json").read_text("utf-8"))
        value["answers"] = [row for row in value["answers"] if row["query_id"] not in ("D1", "D2")]
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    overall = compared("mcp.json", "rag.json", cwd=tmp_path)["comparisons"][0]
    assert (overall["n_both"], overall["only_a"], overall["neither"]) == (47, 1, 2)


def test_different_ground_truths_are_told(made: Path, tmp_path: Path) -> None:
    path = damaged(made, tmp_path, lambda v: v["signature"].update(ground_truth="another"))
    found = compared(made / "mcp", path, cwd=tmp_path)
    assert any("different ground truths" in problem for problem in found["problems"])


def test_hostile_names_stay_text(made: Path, tmp_path: Path) -> None:
    evil = "\u202e\x1b[31m<script>=1+1"
    path = damaged(
        made, tmp_path, lambda v: [row.update(condition=evil) for row in v["answers"][::2]]
    )
    done = run("compare", path, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = done.stdout + (tmp_path / "out" / "compare.md").read_text("utf-8")
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[U+202E]" in shown
