"""The commands as a user runs them: real files, exit statuses."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from factmark.cli.main import COMMANDS, Commands, app
from shell import run


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"query_id": "D2", "condition": "mcp", "answer": "There are thirty datasets."},
        {"query_id": "D2", "condition": "rag", "answer": "There are 12 datasets."},
        {"query_id": "P10", "condition": "mcp", "answer": "<script>alert(1)</script> CC BY 4.0"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_help_is_told_from_the_table_alone() -> None:
    """No slice is imported for its line, so that the help is there at once."""
    code = (
        "import sys\nfrom factmark.cli.main import app\n"
        "try:\n    app(['--help'])\n"
        "finally:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name in done.stdout for name in COMMANDS)
    slices = {"answers", "runs", "people", "graphs", "graph_answers", "claim_support", "analysis"}
    assert not {f"factmark.{name}" for name in (*slices, "ehds")} & set(done.stderr.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_help_is_what_the_command_says_of_itself(name: str) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, Commands)
    own = inspect.cleandoc(group.get_command(None, name).help).split("\n\n")[0]
    assert COMMANDS[name][1] == " ".join(own.split())


def test_score_prints_a_table_and_tells_what_is_missing(
    answers: Path, replica: Path, tmp_path: Path
) -> None:
    done = run("score", answers, "--store", replica, "--model", "m", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "48 of 50 questions have no answer in m, mcp" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [answers]  # nothing is written unasked
    # What people read begins with the result; what programs read does not.
    for form, start in (("table", "On 50"), ("markdown", "On 50"), ("latex", "%"), ("csv", "cat")):
        done = run("score", answers, "--store", replica, "--format", form, cwd=tmp_path)
        assert done.stdout.startswith(start)
        assert ("discovery" in done.stdout) == (form != "table"), "a screen is short"


def test_a_report_is_written_again_from_the_ledger(
    answers: Path, replica: Path, tmp_path: Path
) -> None:
    first = run("score", answers, "--store", replica, "--out", "out", "--json", cwd=tmp_path)
    again = run("report", "out/ledger.db", "--out", "again", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    results = json.loads(again.stdout)
    assert results == json.loads(first.stdout)
    assert [row["completeness"] for row in results["rows"]] == [1.0, 0.0, 1.0]
    assert results["signature"]["ground_truth_from"].startswith("folder:ehds@")
    pages = [(tmp_path / name / "report.html").read_text("utf-8") for name in ("out", "again")]
    assert pages[0] == pages[1]
    assert "<script>alert(1)" not in pages[0]
    assert "&lt;script&gt;" in pages[0]


@pytest.mark.parametrize("command", ["graph factscore", "graph validity", "claims judge"])
def test_report_names_the_command_whose_ledger_it_is_given(tmp_path: Path, command: str) -> None:
    (tmp_path / "given.csv").write_text(
        "head,relation,tail,claim,passage\n"
        "metformin,treats,diabetes,Metformin treats diabetes,Metformin treats diabetes.\n"
    )
    judged = run(*command.split(), "given.csv", "--ledger", "a.db", cwd=tmp_path)
    assert judged.returncode == 0, judged.stderr
    done = run("report", "a.db", cwd=tmp_path)
    assert done.returncode == 2
    assert f"a.db: was written by `factmark {command}`. Give the same command again" in done.stderr


def test_ground_truth_is_built_and_used(replica: Path, answers: Path, tmp_path: Path) -> None:
    done = run("groundtruth", "build", "truth.jsonl", "--store", replica, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "50 of 50 ground truths" in done.stderr
    scored = run("score", answers, "--benchmark", "truth.jsonl", "--json", cwd=tmp_path)
    results = json.loads(scored.stdout)
    assert results["signature"]["ground_truth_from"] == "the benchmark's file"
    assert results["rows"][0]["completeness"] == 1.0


def test_ground_truth_check_agrees_with_the_published_one(replica: Path, tmp_path: Path) -> None:
    done = run("groundtruth", "check", "--store", replica, "--json", cwd=tmp_path)
    questions = json.loads(done.stdout)["rows"]
    assert done.returncode == 0
    assert len(questions) == 50
    assert questions[0] == {
        "query_id": "D1",
        "status": "same",
        "appeared": [],
        "vanished": [],
        "error": None,
    }


class Guarded(BaseHTTPRequestHandler):
    """An endpoint that answers ASK with true, to one user only."""

    def do_GET(self) -> None:
        right = self.headers.get("Authorization") == "Basic " + b64encode(b"ann:s3cret").decode()
        body = b'{"head": {}, "boolean": true}' if right else b"who are you?"
        self.send_response(200 if right else 401)
        self.send_header(
            "Content-Type", "application/sparql-results+json" if right else "text/plain"
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing on stderr."""


def test_ground_truth_from_an_endpoint_with_a_password(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        json.dumps({"id": "1", "question": "q", "ground_truth": ["true"], "sparql": "ASK {}"})
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/sparql"
        asked = ("--benchmark", path, "--endpoint", url)
        named = ("--user-env", "WHO", "--password-env", "PASS")
        refused = run("groundtruth", "check", *asked, cwd=tmp_path)
        told = run("groundtruth", "check", *asked, *named, cwd=tmp_path, WHO="ann", PASS="s3cret")
        built = run(
            "groundtruth",
            "build",
            "out.jsonl",
            *asked,
            *named,
            cwd=tmp_path,
            WHO="ann",
            PASS="s3cret",
        )
        server.shutdown()
    assert refused.returncode == 2
    assert "--user-env" in refused.stderr
    assert (told.returncode, built.returncode) == (0, 0), told.stderr + built.stderr
    assert "s3cret" not in told.stdout + told.stderr + (tmp_path / "out.jsonl").read_text()


def test_replace_keeps_what_is_the_users(tmp_path: Path) -> None:
    (tmp_path / "demo" / "dataspace").mkdir(parents=True)
    (tmp_path / "demo" / "dataspace" / "thesis.tex").write_text("years of work")
    for command in (("demo",), ("dataspace", "build", "demo/dataspace", "--replace")):
        done = run(*command, cwd=tmp_path)
        assert done.returncode == 2
        assert "it is not replaced" in done.stderr
    assert (tmp_path / "demo" / "dataspace" / "thesis.tex").exists()


def test_a_data_space_is_written_in_the_form_asked_for_and_never_overwritten(
    tmp_path: Path,
) -> None:
    for form, name in (("nquads", "n.nq"), ("trig", "t.trig")):
        done = run("dataspace", "build", name, "--scale", "0.0001", "--format", form, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    again = run(
        "dataspace", "build", "n.nq", "--scale", "0.0001", "--format", "nquads", cwd=tmp_path
    )
    assert again.returncode == 2
    assert "--replace" in again.stderr or "exists" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "nowhere.jsonl"), "nowhere.jsonl: there is no such file."),
        (("score", "answers.jsonl", "--store", "nowhere"), "nowhere: there is no such store."),
        (("score", "answers.jsonl", "--store", "no.ttl"), "no.ttl: there is no such file."),
        (("score", "answers.jsonl", "--store", "."), "is a folder, and no store"),
        (("score", "answers.jsonl", "--column", "x"), "--column x: write FIELD=NAME"),
        (("score", "answers.jsonl", "--store", "x", "--endpoint", "http://a/"), "not both"),
        (("score", "answers.jsonl", "--endpoint", "http://127.0.0.1:9/sparql"), "127.0.0.1:9"),
        (("score", "answers.jsonl", "--endpoint", "ftp://a"), "an endpoint is a URL such as"),
        (("score", "answers.jsonl", "--judge", "nope"), "module:function"),
        (("score", "answers.jsonl", "--annotator", "anna"), "--annotations"),
        (("groundtruth", "check", "--benchmark", "nowhere.csv"), "nowhere.csv"),
        (("dataspace", "build", "s", "--scale", "2"), "scale"),
        (("score", "answers.jsonl", "--seed", "x"), "--seed"),
        (("groundtruth", "check", "--user-env", "WHO"), "are for an --endpoint"),
    ],
)
@pytest.mark.usefixtures("no_waits")
def test_bad_input_is_status_2_and_one_clear_message(
    answers: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert done.returncode == 2


def test_closed_pipe_is_no_traceback(replica: Path, answers: Path, tmp_path: Path) -> None:
    command = (
        f"'{sys.executable}' -c 'from factmark.cli.main import main; main()' score '{answers}' "
        f"--store '{replica}' --json | head -c 1"
    )
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert "Traceback" not in done.stderr


def test_the_package_runs_as_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "factmark", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith(version("factmark"))
