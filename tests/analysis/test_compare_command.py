"""`factmark compare` as a user runs it: on results that the commands wrote, and on damaged ones."""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.analysis.compare import read_contest, read_results
from factmark.errors import InputError
from shell import run

ANSWERS = files("factmark.data") / "ehds" / "sample_answers.jsonl"
QUICK = ("--resamples", "100")
HEAD = b"head,relation,tail,passage,status,label\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, replica: Path) -> Path:
    """all: the bundled answers under three conditions; mcp, rag: one each; graph: the example."""
    folder = tmp_path_factory.mktemp("made")
    for measure in ("factscore", "validity"):
        done = run("graph", measure, "--out", "graph", "--ledger", "both.db", cwd=folder)
        assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    for condition in ("all", "mcp", "rag"):
        kept = [row for row in rows if condition in (row["condition"], "all")]
        (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
        done = run("score", "a.jsonl", "--store", replica, "--out", condition, *QUICK, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def other_graph(made: Path, folder: Path, change: Callable[[int, dict[str, str]], bool]) -> Path:
    """The judged example again, with changed rows; those for which `change` is False are left out.

    There is no second judge here; the labels are changed as another graph's might be.
    """
    with (made / "graph" / "factscore.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    path = folder / "other.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row for at, row in enumerate(rows) if change(at, row))
    return path


def compared(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    done = run("compare", *arguments, "--json", "--resamples", "500", cwd=cwd)
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
    assert sum(row["n_both"] for row in rows[3:]) == 49
    averages = json.loads((made / "rag" / "results.json").read_text("utf-8"))["averages"]
    overall = next(row for row in averages if row["category"] == "overall")
    assert best["value_b"]["value"] == pytest.approx(overall["combined_score"]["value"])


def test_files_and_ledgers_mean_the_same_as_folders_and_swapping_mirrors(made: Path) -> None:
    there = compared("mcp", "rag", cwd=made)["comparisons"]
    back = compared("rag/results.json", "mcp/ledger.db", cwd=made)["comparisons"]
    for row, other in zip(there, back, strict=True):
        assert row["difference"]["value"] == pytest.approx(-other["difference"]["value"])
        assert row["p_permutation"] == other["p_permutation"]
        assert (row["wins"], row["losses"]) == (other["losses"], other["wins"])
    run("graph", "validity", "--ledger", "types.db", cwd=made)
    shutil.copy(made / "graph" / "validity.parquet", made / "again.parquet")
    for file in ("graph/validity.csv", "graph/validity.json", "again.parquet"):
        rows = compared("types.db", file, cwd=made)["comparisons"][:2]
        assert [row["score"] for row in rows] == ["score", "strict_score"]
        for row in rows:
            assert (row["only_a"], row["only_b"], row["difference"]["value"]) == (0, 0, 0)
            assert row["n_both"] > 0


def test_three_conditions_of_one_file_make_a_board(made: Path) -> None:
    found = compared("all", "--by", "condition", "--metric", "H", cwd=made)
    assert found == compared("all", "--metric", "hallucination_rate", cwd=made) | {
        "signature": found["signature"]
    }
    board = found["leader_boards"]["hallucination_rate"]
    assert [place["name"] for place in board["places"]] == ["mcp", "rag", "baseline"]
    assert board["places"][0]["letters"] != board["places"][2]["letters"]
    assert board["n_units"] + board["n_left_out"] == 50
    pairs = [row for row in found["comparisons"] if row["score"] == "combined_score"]
    assert len(pairs) == 3
    assert all(row["p_adjusted"] >= row["p_permutation"] for row in pairs)


def test_table_names_the_better_and_files_are_written(made: Path, tmp_path: Path) -> None:
    done = run("compare", made / "mcp", made / "rag", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "is better at 95 %" in " ".join(done.stdout.split())
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {".factmark", "compare.json", "compare.csv", "compare.md", "compare.tex"}
    with (tmp_path / "out" / "compare.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 7


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
    found = compared(other_graph(made, tmp_path, by_model), other, cwd=tmp_path)
    overall = found["comparisons"][0]
    gone = sum(at % 10 in (4, 5) for at in decided)
    both = len(decided) - gone
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (both, gone, 0)
    assert overall["losses"] == 0
    assert overall["difference"]["value"] == pytest.approx(overall["wins"] / both)
    assert overall["difference"]["n_items"] < overall["n_both"]  # heads, not triples
    assert overall["p_mcnemar"] == pytest.approx(2 / 2 ** overall["wins"])
    assert len(found["comparisons"]) > 5  # relations


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
    for name, kept in (("one", lines), ("two", lines[1_950:])):
        text = "\n".join(["head,relation,tail,passage", *kept]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
        done = run("graph", "factscore", f"{name}.csv", "--out", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    overall = compared("one", "two", cwd=tmp_path)["comparisons"][0]
    assert (overall["n_both"], overall["only_a"], overall["only_b"]) == (120, 1_560, 0)
    assert overall["ties"] == 120  # of 150; the passages of a fifth name another disease
    (tmp_path / "one" / "ledger.db").unlink()
    found = compared("one", "two", cwd=tmp_path)
    assert "first 2000 of 2100" in found["problems"][0]
    assert found["comparisons"][0]["n_both"] == 40  # four fifths of 50


def damaged(made: Path, folder: Path, change: Callable[[Any], object]) -> Path:
    """rag's results.json with one thing changed."""
    value = json.loads((made / "rag" / "results.json").read_text("utf-8"))
    change(value)
    path = folder / "results.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


def told(*arguments: str | Path) -> str:
    """What the command says of bad input; it must say it, with status 2."""
    done = run("compare", *arguments)
    assert done.returncode == 2, done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["answers"][2].update(combined_score=1.5), "answers 3 combined_score"),
        (lambda v: v["answers"][0].update(completeness=float("nan")), "answers 1 completeness"),
        (lambda v: v["answers"][1].pop("query_id"), "answers 2 query_id"),
        (lambda v: v.pop("averages"), "no results.json of `factmark score`"),
        (lambda v: v.update(answers=[]), "holds no answers"),
        (lambda v: v.update(answers={"a": 1}), "answers"),
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
    (tmp_path / "empty").mkdir()
    graph, mcp = made / "graph", made / "mcp"
    cases: list[tuple[tuple[str | Path, ...], str]] = [
        ((mcp, "nowhere"), "no such file"),
        ((mcp, mcp / "results.json"), "same file"),
        ((mcp, mcp), "same file"),
        ((mcp,), "holds one system (sample-model, mcp)"),
        ((made / "all", "--by", "file"), "one system by file"),
        ((mcp, cut), "line"),
        ((mcp, tmp_path / "deep.json"), "nested too deeply"),
        ((mcp, tmp_path / "empty"), "holds no results"),
        ((mcp, graph / "factscore.csv"), "Compare results of one kind"),
        ((graph / "factscore.csv", graph / "validity.csv"), "Compare the same measure"),
        ((graph, mcp), "Name one of them"),
        ((graph / "factscore.csv",), "Name a second file"),
        ((mcp, mcp / "answers.csv"), "results.json of `factmark score`"),
        ((mcp, made / "both.db"), "one judged graph"),
        ((mcp, made / "rag", "--metric", "score"), "there are combined_score"),
    ]
    for arguments, message in cases:
        assert message in told(*arguments), arguments


def test_bad_rows_of_a_graph_are_told(made: Path, tmp_path: Path) -> None:
    graph = made / "graph" / "factscore.csv"
    for row, message in (
        (b"a,isa,b,,ok,PERHAPS\n", "line 2: the label 'PERHAPS'"),
        (b"a,isa,b,,gone,SUPPORTED\n", "line 2: 'gone' is none of"),
        (b"a,isa,b,,failed,\n", "no row has a label"),
        (b"a,isa,b,,ok,YES\n", "Compare the same measure"),
        (b"", "holds no judged rows"),
        (b"a,isa,b,,ok,SUPPORTED\none,cell\n", "is damaged"),
    ):
        path = tmp_path / "rows.csv"
        path.write_bytes(HEAD + row)
        assert message in told(graph, path), row
    (tmp_path / "factscore.csv").write_bytes(HEAD + b"a,isa,b,,failed,\n")  # known by its name
    assert read_contest([("a", graph), ("b", tmp_path / "factscore.csv")]).measure == "factscore"


def test_what_is_not_in_common_is_missing_and_told(made: Path, tmp_path: Path) -> None:
    def rename(value: Any) -> None:
        value["signature"]["ground_truth"] = "another"
        for row in value["answers"]:
            row["query_id"] = "x" + row["query_id"]

    found = compared(made / "mcp", damaged(made, tmp_path, rename), cwd=tmp_path)
    assert found["comparisons"][0]["difference"]["value"] is None
    assert any("different ground truths" in problem for problem in found["problems"])
    for name in ("mcp", "rag"):
        value = json.loads((made / name / "results.json").read_text("utf-8"))
        value["answers"] = [row for row in value["answers"] if row["query_id"] not in ("D1", "D2")]
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    overall = compared("mcp.json", "rag.json", cwd=tmp_path)["comparisons"][0]
    assert (overall["n_both"], overall["only_a"], overall["neither"]) == (47, 1, 2)


def test_hostile_names_stay_text(made: Path, tmp_path: Path) -> None:
    evil = "\u202e\x1b[31m<script>=1+1"
    path = damaged(
        made, tmp_path, lambda v: [row.update(condition=evil) for row in v["answers"][::2]]
    )
    done = run("compare", path, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = done.stdout + (tmp_path / "out" / "compare.md").read_text("utf-8")
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "[U+202E]" in shown


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
results = st.fixed_dictionaries({"answers": anything, "averages": anything}) | anything


@settings(max_examples=40, deadline=None)
@given(
    results.map(lambda value: ("results.json", json.dumps(value).encode()))
    | st.binary(max_size=60).map(lambda data: ("results.json", data))
    | st.text(max_size=80).map(
        lambda text: ("factscore.csv", HEAD + text.encode("utf-8", "surrogatepass"))
    )
)
def test_whatever_a_file_holds_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, held: tuple[str, bytes]
) -> None:
    name, data = held
    path = tmp_path_factory.mktemp("held") / name
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        read_results(path)
