"""`--judge module:function` for FActScore* and ValidityScore, from a module in the folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from envelope import envelope_in
from shell import Done, run

GRAPH = """id,head,relation,tail,passage
r1,Ada,knows,Ben,Ada knows Ben.
r2,Ben,knows,Cem,Ben knows nobody.
r3,Cem,knows,Dor,Cem knows Dor.
r4,Dor,knows,Eve,
"""
SUPPORT = """
import json

def judge(unit):
    with open("seen.jsonl", "a") as file:
        file.write(json.dumps(unit) + "\\n")
    if unit["id"] == "r3":
        raise ValueError("r3 is odd")
    if not unit["evidence"]:
        return None, "no passage"
    said = f"{unit['head']} knows {unit['tail']}" in unit["evidence"]
    return ("SUPPORTED", "it says so") if said else ("CONTRADICTED", "it says otherwise")
"""


def measure(folder: Path, name: str, source: str, *more: str, status: int) -> Done:
    (folder / "g.csv").write_text(GRAPH)
    (folder / f"{name}.py").write_text(source)
    which = more or ("factscore",)
    asked = ("graph", which[0], "g.csv", "--judge", f"{name}:judge", "--json", *which[1:])
    done = run(*asked, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def seen(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "seen.jsonl").read_text().splitlines()]


def test_its_labels_are_the_verdicts_and_a_failure_is_a_row(tmp_path: Path) -> None:
    done = measure(tmp_path, "own_support", SUPPORT, "factscore", "--out", "o", status=3)
    results = envelope_in(done.stdout)
    pairs = results["scores"]["pairs"]
    assert results["judge"] == "own_support:judge"
    assert (pairs["correct_facts"], pairs["contradicted"]) == (1, 1)
    assert (pairs["missing"]["undecided"], pairs["missing"]["failed"]) == (1, 1)
    assert "1 unit failed: ValueError: r3 is odd" in results["problems"]
    assert any("The function decided 2 of 4" in note for note in results["problems"])
    with (tmp_path / "o" / "rows.csv").open(newline="") as file:
        rows = {
            row["id"]: (row["status"], row["label"], row["reason"]) for row in csv.DictReader(file)
        }
    assert rows == {
        "r1": ("ok", "SUPPORTED", "it says so"),
        "r2": ("ok", "CONTRADICTED", "it says otherwise"),
        "r3": ("failed", "", "ValueError: r3 is odd"),
        "r4": ("undecided", "", "no passage"),
    }


def test_it_sees_what_a_model_would_and_judged_units_are_not_asked_again(tmp_path: Path) -> None:
    measure(tmp_path, "own_seen", SUPPORT, status=3)
    assert [unit["id"] for unit in seen(tmp_path)] == ["r1", "r2", "r3", "r4"]
    assert seen(tmp_path)[0] == {
        "kind": "pair",
        "claim": "Ada knows Ben",
        "evidence": "Ada knows Ben.",
        "head": "Ada",
        "relation": "knows",
        "tail": "Ben",
        "id": "r1",
    }
    measure(tmp_path, "own_seen", SUPPORT, status=3)
    assert [unit["id"] for unit in seen(tmp_path)[4:]] == ["r3"], "only the one that failed"


def test_of_validity_the_evidence_is_the_ontologys_entry(tmp_path: Path) -> None:
    source = SUPPORT.partition("    if unit")[0] + '    return "MAYBE"\n'
    done = measure(tmp_path, "own_valid", source, "validity", status=0)
    assert envelope_in(done.stdout)["scores"]["unique"]["score"] == 0.5
    assert "Definition of the relation" in seen(tmp_path)[0]["evidence"]
    assert seen(tmp_path)[0]["kind"] == "triple"


def test_a_wrong_label_names_those_that_may_be_returned(tmp_path: Path) -> None:
    """In the mode `aligned` there are two labels, so that CONTRADICTED is none."""
    done = measure(
        tmp_path,
        "own_aligned",
        'def judge(unit): return "CONTRADICTED"',
        "factscore",
        "--mode",
        "aligned",
        status=3,
    )
    (problem,) = [text for text in envelope_in(done.stdout)["problems"] if "failed" in text]
    assert "'CONTRADICTED', and not one of SUPPORTED, NOT_SUPPORTED or None" in problem


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("no_such_module:judge", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("json:nothing", "AttributeError: module 'json' has no attribute 'nothing'"),
        ("json:__doc__", "is no function"),
    ],
)
def test_what_is_no_function_is_told_before_anything_is_read(
    tmp_path: Path, judge: str, message: str
) -> None:
    done = run("graph", "factscore", "missing.csv", "--judge", judge, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_a_dry_run_of_a_function_is_told(tmp_path: Path) -> None:
    done = measure(tmp_path, "own_dry", SUPPORT, "factscore", "--dry-run", status=2)
    assert "--judge names none that is asked" in " ".join(done.stderr.split())


def test_the_most_frequent_reasons_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    """A function that names its unit in each error would fill the screen."""
    (tmp_path / "each_fails.py").write_text(
        "def judge(unit):\n    raise ValueError('no ' + unit['head'])\n", "utf-8"
    )
    triples = "head,relation,tail\n" + "".join(f"herb {i} a,treats,t\n" for i in range(9))
    (tmp_path / "triples.csv").write_text(triples, "utf-8")
    asked = ("graph", "factscore", "triples.csv", "--judge", "each_fails:judge")
    done = run(*asked, "--all", cwd=tmp_path)
    told = [line for line in done.stderr.splitlines() if "failed: " in line]
    assert done.returncode == 3
    assert (len(told), told[-1]) == (6, "note: 4 units failed: other reasons")
    shown = [line for line in run(*asked, cwd=tmp_path).stderr.splitlines() if "note: " in line]
    assert (len(shown), shown[-1]) == (5, "note: 3 more notes: --all")
