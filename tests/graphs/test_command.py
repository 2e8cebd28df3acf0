"""`factmark graph` and `factmark ledger` as a user runs them, against a real model server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import pytest

from envelope import envelope_in, written_in
from servers.model_server import Running, model_server, verdict_of
from shell import called

KEY = "sk-secret-0123456789abcdef"


def run(*arguments: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A command in this process."""
    out, err = StringIO(), StringIO()
    given = {"COLUMNS": "120", "NO_COLOR": "1", "OPENAI_API_KEY": KEY, **env}
    with chdir(cwd), mock.patch.dict(os.environ, given), redirect_stdout(out), redirect_stderr(err):
        status = called(*arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@pytest.fixture
def server() -> Iterator[Running]:
    with model_server() as started:
        yield started


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    rows = ["id,head,relation,tail,passage_id"]
    rows += [f"t{n},drug {n},treats,disease {n % 7},p{n % 5}" for n in range(40)]
    rows += ["t40,,treats,gout,p1", "t41,drug 1,treats,gout,nowhere"]
    (tmp_path / "triples.csv").write_text("\n".join(rows) + "\n")
    passages = [{"id": f"p{n}", "text": f"Drug {n} treats disease {n}."} for n in range(5)]
    (tmp_path / "passages.jsonl").write_text("".join(json.dumps(p) + "\n" for p in passages))
    return tmp_path


def by_model(graph: Path, server: Running, *more: str) -> subprocess.CompletedProcess[str]:
    return run(
        "graph",
        "factscore",
        "triples.csv",
        "--passages",
        "passages.jsonl",
        "--judge",
        "openai:test-model",
        "--base-url",
        server.url,
        "--json",
        *more,
        cwd=graph,
    )


def test_a_graph_without_triples_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("head,relation,tail\n,treats,gout\n")
    done = run("graph", "factscore", "empty.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "empty.csv holds no triple" in done.stderr


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_a_graph_without_a_usable_row_leaves_its_results(measure: str, tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("head,relation,tail\n")
    done = run("graph", measure, "none.csv", "--out", "out", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "nothing was judged: none.csv holds no triple that can be used\n"
    ), done.stderr
    assert written_in(tmp_path / "out")["rows"] == []


def test_no_verdict_at_all_is_told(graph: Path) -> None:
    with model_server(malformed=1.0) as server:
        done = by_model(graph, server)
    assert done.returncode == 1
    missing = envelope_in(done.stdout)["scores"]["pairs"]["missing"]
    units = missing["unparsed"] + missing["undecided"]
    assert f"none of {units} units has a verdict" in done.stderr


def test_a_file_without_labels_is_told(tmp_path: Path) -> None:
    run("graph", "factscore", "--ledger", "l.db", cwd=tmp_path)
    (tmp_path / "labels.csv").write_text("unit,annotator,label\nu,ada,\n")
    done = run("ledger", "import", "l.db", "labels.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "no label was imported: labels.csv" in done.stderr


def test_rules_on_the_bundled_graph(tmp_path: Path) -> None:
    support = envelope_in(run("graph", "factscore", "--json", cwd=tmp_path).stdout)
    pairs = support["scores"]["pairs"]
    assert pairs["total_facts"] + pairs["missing"]["undecided"] == 461
    assert support["agreement"] > 0.9
    valid = envelope_in(run("graph", "validity", "--json", cwd=tmp_path).stdout)
    assert valid["agreement"] > 0.8
    assert valid["scores"]["unique"]["strict_score"] <= valid["scores"]["unique"]["score"]
    assert list(tmp_path.iterdir()) == []  # rules cost nothing and leave nothing


GRAPH = """head,relation,tail,passage
Ada,friend_of,Ben,Ada knows Ben.
Ben,friend_of,Cem,Ben knows Cem.
Cem,friend_of,Dor,Cem knows Dor.
Dor,friend_of,Eve,Dor knows Eve.
Eve,friend_of,Ada,Eve met Ada.
Ada,->,Cem,Ada -> Cem
"""


def test_below_the_share_that_rules_must_decide_there_is_no_score(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(GRAPH)
    (tmp_path / "words.toml").write_text('friend_of = "{head} knows {tail}"\n')
    asked = ("graph", "factscore", "g.csv", "--out", "o", "--json")
    results = envelope_in(run(*asked, cwd=tmp_path).stdout)
    pairs = results["scores"]["pairs"]
    assert (pairs["score"], pairs["estimate"]["value"], pairs["estimate"]["low"]) == (None,) * 3
    assert (pairs["estimate"]["worst"], pairs["estimate"]["best"]) == (0, 1)
    assert pairs["missing"]["undecided"] == 6
    notes = " ".join(results["problems"])
    assert all(word in notes for word in ("0 of 6", "->", "TOML", "--judge", "--wordings"))
    written = written_in(tmp_path / "o")
    assert written["scores"] == results["scores"]
    assert "There is no FActScore* by" in run("graph", "factscore", "g.csv", cwd=tmp_path).stdout

    # The verdicts above are in the ledger, and none of them is read again with other words.
    results = envelope_in(run(*asked, "--wordings", "words.toml", cwd=tmp_path).stdout)
    pairs = results["scores"]["pairs"]
    assert (pairs["score"], pairs["correct_facts"], pairs["missing"]["undecided"]) == (None, 4, 2)
    assert results["scores"]["by_relation"]["friend_of"]["score"] == 1  # 4 of 5 are enough
    assert results["scores"]["by_relation"]["->"]["score"] is None
    valid = envelope_in(run("graph", "validity", "g.csv", "--json", cwd=tmp_path).stdout)
    assert valid["scores"]["unique"]["missing"]["undecided"] == 6  # of no known type
    assert "--ontology" in " ".join(valid["problems"])


def test_subclasses_of_an_ontology_decide_isa(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(
        "@prefix : <http://x.org/> . @prefix s: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":oak s:subClassOf :tree . :tree s:subClassOf :plant . :cat s:subClassOf :animal .\n"
    )
    (tmp_path / "g.csv").write_text("head,relation,tail\noak,isa,plant\ncat,isa,tree\n")
    done = run("graph", "validity", "g.csv", "--ontology", "o.ttl", "--json", cwd=tmp_path)
    unique = envelope_in(done.stdout)["scores"]["unique"]
    assert (unique["yes_count"], unique["no_count"], unique["score"]) == (1, 1, 0.5)


@pytest.mark.parametrize("mode", ["context", "aligned"])
def test_nobody_is_asked_about_a_triple_without_a_passage(
    tmp_path: Path, server: Running, mode: str
) -> None:
    """However the empty cell is written; `NA` is a passage of nothing, too."""
    (tmp_path / "g.csv").write_text(
        "head,relation,tail,passage\nRome,capital of,Italy,\nOslo,in,Peru,nan\n"
        "Bonn,in,Rome,  \nKiel,in,Oslo,[]\nUlm,in,Kiel,Ulm is in Kiel.\n"
    )
    asked = ("--judge", "openai:m", "--base-url", server.url, "--mode", mode, "--json")
    forecast = json.loads(
        run("graph", "factscore", "g.csv", *asked, "--dry-run", cwd=tmp_path).stdout
    )
    results = envelope_in(run("graph", "factscore", "g.csv", *asked, cwd=tmp_path).stdout)
    assert forecast["details"]["calls"] == server.stats()["replies"] == 1
    pairs = results["scores"]["pairs"]
    assert (pairs["total_facts"], pairs["missing"]["undecided"]) == (1, 4)
    assert {row["reason"] for row in results["rows"][:4]} == {"no passage"}
    assert any("--mode general" in problem for problem in results["problems"])


def test_general_truth_is_asked_for_and_has_a_line_of_its_own(
    tmp_path: Path, server: Running
) -> None:
    """A passage that is named and not there is missing all the same."""
    (tmp_path / "g.csv").write_text(
        "head,relation,tail,passage,passage_id\nRome,capital of,Italy,,\nOslo,in,Peru,,p9\n"
        "Ulm,in,Kiel,Ulm is in Kiel.,\n"
    )
    asked = ("--judge", "openai:m", "--base-url", server.url, "--mode", "general")
    results = envelope_in(run("graph", "factscore", "g.csv", *asked, "--json", cwd=tmp_path).stdout)
    assert [row["status"] for row in results["rows"]] == ["ok", "undecided", "ok"]
    parts = {name: part["total_facts"] for name, part in results["by_basis"].items()}
    assert parts == {"by general truth alone": 1, "with a passage": 1}
    prompt = server.stats()["last"]["messages"][-1]["content"]
    assert "generally accepted" in prompt
    shown = " ".join(run("graph", "factscore", "g.csv", *asked, cwd=tmp_path).stdout.split())
    assert "by its passage or by general truth" in shown
    assert "judged by general truth alone" in shown


def test_passages_are_searched_for_triples_that_name_none(tmp_path: Path, server: Running) -> None:
    (tmp_path / "g.csv").write_text(
        "head,relation,tail,passage_id\nmetformin,treats,diabetes,\nzinc,treats,asthma,\n"
    )
    texts = {"a": "Statins treat nothing here.", "b": "Metformin treats diabetes.", "c": "Rain."}
    (tmp_path / "p.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
    )
    passages = ("--passages", "p.jsonl", "--out", "o", "--json")
    results = envelope_in(run("graph", "factscore", "g.csv", *passages, cwd=tmp_path).stdout)
    assert results["scores"]["pairs"]["correct_facts"] == 1
    assert results["scores"]["pairs"]["missing"]["undecided"] == 1  # none has zinc or asthma
    assert "'b'" in " ".join(results["problems"])
    assert texts["b"] in (tmp_path / "o" / "rows.csv").read_text()


def test_a_model_judges_and_a_second_run_costs_nothing(graph: Path, server: Running) -> None:
    first = by_model(graph, server)
    assert first.returncode == 0, first.stderr
    results = envelope_in(first.stdout)
    claims = [f"Drug {n} treats disease {n % 7}" for n in range(40)]
    labels = ("SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED")
    expected = sum(verdict_of(claim, labels) == "SUPPORTED" for claim in claims)
    pairs = results["scores"]["pairs"]
    assert (pairs["total_facts"], pairs["correct_facts"]) == (40, expected)
    assert results["spent"]["judging"]["calls"] == 40
    assert any("no head" in problem for problem in results["problems"])
    assert any("nowhere" in problem for problem in results["problems"])

    again = envelope_in(by_model(graph, server).stdout)
    assert again["spent"]["judging"]["calls"] == 0
    assert (
        again["spent"]["judging"]["judged_before"] == 41
    )  # with the one that nobody is asked about
    assert again["scores"] == results["scores"]
    assert server.stats()["requests"] == 40


def test_another_question_never_reads_an_old_reply(graph: Path, server: Running) -> None:
    by_model(graph, server)
    for change in (("--mode", "general"), ("--temperature", "0.5"), ("--seed", "1")):
        assert (
            envelope_in(by_model(graph, server, *change).stdout)["spent"]["judging"]["calls"] == 40
        )


def test_a_run_with_failed_units_says_how_to_go_on(graph: Path, server: Running) -> None:
    server.set(rejects="treats")
    first = by_model(graph, server, "--concurrency", "4", "--timeout", "9", "--rpm", "60000")
    assert first.returncode == 3
    assert envelope_in(first.stdout)["scores"]["pairs"]["missing"]["failed"]
    assert "same command" in first.stderr
    server.set(rejects="")
    assert by_model(graph, server).returncode == 0


def test_a_budget_without_room_is_told_as_such(graph: Path, server: Running) -> None:
    done = by_model(graph, server, "--max-calls", "0")
    assert done.returncode == 3
    assert "not complete: --max-calls 0 reached" in done.stderr
    assert "can be used" not in done.stderr


def test_budget_stops_and_goes_on(graph: Path, server: Running) -> None:
    first = by_model(graph, server, "--max-calls", "15")
    assert first.returncode == 3
    results = envelope_in(first.stdout)
    assert results["left"] == 25
    assert results["scores"]["pairs"]["total_facts"] == 15
    second = envelope_in(by_model(graph, server).stdout)
    assert (second["left"], second["spent"]["judging"]["calls"]) == (0, 25)


def test_the_key_appears_nowhere(graph: Path) -> None:
    with model_server(key="another") as server:
        done = by_model(graph, server, "--key-env", "OPENAI_API_KEY")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    kept = b"".join(path.read_bytes() for path in graph.iterdir() if path.is_file())
    assert KEY.encode() not in kept + done.stdout.encode() + done.stderr.encode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("graph", "factscore", "nowhere.csv"), "no such file"),
        (("graph", "factscore", "triples.csv", "--judge", "what"), "names no model"),
        (("graph", "factscore", "triples.csv", "--dry-run"), "names none"),
        (("graph", "factscore", "triples.csv", "--column", "head"), "FIELD=NAME"),
        (("graph", "validity", "triples.csv", "--ontology", "nowhere"), "nowhere"),
        (("ledger", "info", "nowhere.db"), "no such ledger"),
    ],
)
def test_bad_input_is_told(graph: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments, cwd=graph)
    assert "Traceback" not in done.stderr
    assert message in done.stderr + done.stdout
    assert done.returncode in (1, 2)


def test_reparse_mends_what_a_worse_parser_left(graph: Path, server: Running) -> None:
    """Verdicts are spoiled by hand as an earlier parser might have; the replies are kept."""
    import sqlite3

    scores = envelope_in(by_model(graph, server).stdout)["scores"]
    with sqlite3.connect(graph / "factmark.db") as db:
        db.execute("UPDATE verdicts SET status = 'unparsed', label = NULL WHERE number % 3 = 0")
    found = envelope_in(run("ledger", "reparse", "factmark.db", "--json", cwd=graph).stdout)
    assert found["details"] == {"read": 40, "changed": 13, "left_alone": 0}
    again = envelope_in(by_model(graph, server).stdout)
    assert again["scores"] == scores
    assert again["spent"]["judging"]["calls"] == 0


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_before_a_judge_decides_the_first_screen_is_the_profile(
    tmp_path: Path, measure: str
) -> None:
    """Not a dash and empty bars: what the graph is like, and how often a judge would be asked."""
    rows = "".join(f"film {n},directed by,person {n % 7}\n" for n in range(30))
    (tmp_path / "g.csv").write_text(f"head,relation,tail\n{rows}film 1,directed by,film 1\n")
    done = run("graph", measure, "g.csv", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0
    assert "31 triples between 37 nodes by 1 relation" in " ".join(done.stdout.split())
    assert "What is suspect in g" in done.stdout
    assert "asks up to 31 times" in " ".join(done.stdout.split())
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Suspects per relation" in page
    assert "Verdicts per relation" not in page
