"""`factmark rag` as a user runs it, on real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shell
from servers.embedding_server import embedding_server

KEY = "sk-0123456789abcdef"


def run(*arguments: str | Path, cwd: Path, **env: str) -> shell.Done:
    return shell.run("rag", *arguments, cwd=cwd, **env)


def test_build_and_check(replica: Path, tmp_path: Path) -> None:
    built = run("build", "kept", "--store", replica, "--json", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    told = json.loads(built.stdout)["details"]
    assert told["chunks"] > 30  # the datasets, the overview, patients
    assert built.stderr == ""
    more = ("--index", "kept", "--k", "5", "--k", "1", "--json", "--resamples", "200")
    done = run("check", "--store", replica, *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["signature"]["index"] == told["identity"]
    rows = {(row["category"], row["k"]): row for row in results["details"]["quality"]}
    assert [k for category, k in rows if category == "overall"] == [1, 5]
    assert rows["overall", 5]["n_questions"] == 50
    held = {(row["query_id"], row["k"]): row for row in results["rows"]}
    # Questions whose answer stands in one passage: the licence, a code, a dataset of no patients.
    for name in ("P10", "C3", "D10", "D1", "X3"):
        assert held[name, 5]["missing"] == [], name
    # Counting and ranking ask for a summary that is not there: the most prescribed medications.
    assert rows["overall", 5]["elements"]["value"] > rows["overall", 1]["elements"]["value"]
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]


def test_the_table(replica: Path, tmp_path: Path) -> None:
    done = run("check", "--store", replica, "--k", "5", "--resamples", "200", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("questions", "held whole", "by chance", "questions have an empty"):
        assert said in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_question_without_a_ground_truth_is_noted(tmp_path: Path) -> None:
    (tmp_path / "zoo.ttl").write_text('<urn:lion> <urn:title> "Lion Records" .')
    known = {"id": "Q1", "question": "Which?", "ground_truth": ["Lion Records"]}
    questions = [known, {"id": "Q2", "question": "What?", "sparql": "SELECT ?x WHERE {"}]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions))
    options = ("--store", "zoo.ttl", "--benchmark", "q.jsonl", "--resamples", "100")
    done = run("check", *options, cwd=tmp_path)
    assert done.returncode == 1  # a question has no ground truth; the other is checked
    assert "note: no ground truth for Q2" in done.stderr
    assert "held whole" in done.stdout


def test_with_an_embedder_behind_a_server(tmp_path: Path) -> None:
    (tmp_path / "zoo.ttl").write_text('<urn:lion> <urn:title> "Lion Records" .')
    with embedding_server(key=KEY) as server:
        options = ("--store", "zoo.ttl", "--embedder", "lexical+openai:tiny")
        options += ("--base-url", server.base_url, "--key-env", "MY_KEY")
        built = run("build", "kept", *options, cwd=tmp_path, MY_KEY=KEY)
        assert built.returncode == 0, built.stderr
        assert "lexical+openai:tiny@http://127.0.0.1" in built.stderr
        assert "tokens, $0.0000" in built.stderr
        wrong = run("build", "kept2", *options, cwd=tmp_path, MY_KEY="sk-fedcba9876543210")
    assert wrong.returncode == 2
    assert "401" in wrong.stderr
    assert "sk-" not in wrong.stderr + built.stderr + built.stdout
    assert not any("sk-" in path.read_text("utf-8", "replace") for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "kept", "--embedder", "word2vec"), "embedder"),
        (("build", "kept", "--embedder", "lexical", "--key-env", "X"), "--key-env"),
        (("build", "kept", "--store", "nowhere"), "no such store"),
        (("build", "taken", "--embedder", "lexical"), "taken"),
        (("check", "--benchmark", "nowhere.csv"), "nowhere.csv"),
        (("check", "--benchmark", "own.jsonl"), "--store"),
    ],
)
def test_bad_input(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    own = {"query_id": "Q", "category": "c", "question": "How many?", "ground_truth": ["3"]}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("mine")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
