"""`factmark graph graphrag` against a real model server."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from factmark.cli.asking import Asking
from factmark.cli.main import app
from factmark.errors import InputError
from factmark.graphrag.options import GraphragOptions
from servers.embedding_server import embedding_server
from servers.graph_agent import graph_agent
from servers.model_server import Running

QUESTIONS = [
    {"id": "q1", "question": "What treats type 2 diabetes?", "answer": "metformin"},
    {"id": "q2", "question": "What kind of thing is insulin?", "answer": "hormone"},
    {"id": "q3", "question": "What treats type 2 diabetes?", "options": ["aspirin", "metformin"],
     "answer": "B"},
]  # fmt: skip
MODELS = ("--model", "openai:agent", "--judge", "openai:judge")


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `factmark graph graphrag`, or another command by its words, in the folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-01234")

    def call(*arguments: str | Path, command: tuple[str, ...] = ("graph", "graphrag")) -> Done:
        capsys.readouterr()
        code = app([*command, *map(str, arguments)], standalone_mode=False)
        told = capsys.readouterr()
        return Done(code or 0, told.out, told.err)

    return call


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with graph_agent() as started:
        yield started


@pytest.fixture
def server(running: Running) -> Running:
    running.set()
    return running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(
        "head,relation,tail,passage\n"
        "metformin,treats,type 2 diabetes,Metformin is given in type 2 diabetes.\n"
        "insulin,isa,hormone,The pancreas makes the hormone insulin.\n"
    )
    (tmp_path / "b.csv").write_text("head,relation,tail\nsulfonylurea,treats,type 2 diabetes\n")
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS))
    return tmp_path


def by_models(server: Running, *more: str | Path) -> tuple[str | Path, ...]:
    at = ("--base-url", server.url, "--judge-base-url", server.url)
    return (*MODELS, *at, "--questions", "q.jsonl", *more)


def test_two_graphs_and_both_controls(run: Run, server: Running, folder: Path) -> None:
    ask = ("--graph", "A=a.csv", "--graph", "B=b.csv", *by_models(server, "--out", "out", "--json"))
    done = run(*ask, "--contexts", "found.csv", "--retrieval-by", "judge")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    correct = {name: one["overall"]["correct_answers"] for name, one in told["scores"].items()}
    # A has all three; B names another drug, and knows nothing else; alone it knows of insulin
    assert correct == {"A": 3, "B": 0, "none": 1, "text": 3}
    spent = told["spent"]
    assert spent["answering"]["calls"] + spent["judging"]["calls"] == server.stats()["requests"]
    assert (folder / "out" / "ledger.db").is_file()
    with (folder / "found.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows} == {"A", "B", "none", "text"}
    asked = server.stats()["requests"]
    again = run(*ask, "--retrieval-by", "judge")
    repeated = json.loads(again.stdout)
    assert repeated["scores"] == told["scores"]
    assert server.stats()["requests"] == asked
    # What it took is not lost by running it again: it stands beside what this run took.
    for part in ("answering", "judging"):
        assert repeated["spent"][part]["calls"] == 0
        assert repeated["spent"][part]["kept"] == told["spent"][part]["kept"]
        assert repeated["spent"][part]["kept"]["replies"] == spent[part]["calls"]
    assert "kept in the ledger: " in again.stderr
    assert "kept in the ledger: " not in done.stderr


def test_a_forecast_asks_nothing_and_then_it_stops_at_its_bound(
    run: Run, server: Running, folder: Path
) -> None:
    ask = ("a.csv", *by_models(server, "--control", "none"))
    told = json.loads(run(*ask, "--dry-run", "--json").stdout)
    assert server.stats()["requests"] == 0
    calls = {row["condition"]: row["calls"] for row in told}
    assert calls == {"a": 3, "none": 3, "judge": 4}
    shown = run(*ask, "--dry-run")
    assert "Nothing was asked" in shown.stderr
    assert "The judge's calls are an upper bound" in " ".join(shown.stdout.split())
    assert "with tools" not in shown.stdout
    done = run(*ask, "--max-calls", "2")
    assert done.returncode == 1
    assert "--max-calls 2 reached" in done.stderr
    assert server.stats()["requests"] == 2
    assert run(*ask).returncode == 0


def test_a_judge_that_lets_nobody_in(run: Run, server: Running, folder: Path) -> None:
    with graph_agent(key="sk-another") as closed:
        done = run(
            "a.csv", "--questions", "q.jsonl", *MODELS, "--base-url", server.url,
            "--judge-base-url", closed.url, "--control", "off", "--json",
        )  # fmt: skip
    assert done.returncode == 1
    assert "401" in done.stderr
    assert "sk-secret" not in done.stderr + done.stdout
    told = json.loads(done.stdout)["scores"]["a"]["overall"]
    assert told["correct_answers"] == 1  # the choice, which is decided by rule
    assert told["missing"]["failed"] == 2


def test_a_judge_is_asked_where_the_model_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-local")
    with graph_agent(key="sk-local") as local:
        at = ("--base-url", local.url, "--key-env", "MY_KEY")
        done = run("a.csv", "--questions", "q.jsonl", *MODELS, *at, "--json")
        assert done.returncode == 0, done.stderr
        assert "note: the judge is asked at --base-url too" in done.stderr
        spent = json.loads(done.stdout)["spent"]
        assert spent["judging"]["calls"] > 0
        assert sum(one["calls"] for one in spent.values() if one) == local.stats()["requests"]
    own = GraphragOptions(model="openai:a", asked=Asking(base_url=local.url, key_env="MY_KEY"))
    for options in (
        replace(own, judge="anthropic:b"),
        replace(own, judge="openai:b", judge_base_url="http://x"),
        replace(own, model="ollama:a", judge="openai:b"),
        own,
    ):
        assert options.asking()[1].base_url == options.judge_base_url
    keyed = replace(own, judge="openai:b", judge_key_env="OTHER")
    judged = keyed.asking()[1]
    assert (judged.base_url, judged.key_env) == (local.url, "OTHER")


def test_people_are_asked_about_the_answers_of_a_ledger(
    run: Run, server: Running, folder: Path
) -> None:
    ask = ("a.csv", *by_models(server), "--ledger", "s.db", "--retrieval-by", "judge")
    assert run(*ask).returncode == 0
    made = ("--form", "graphrag", "--ledger", "s.db", "--annotators", "Ada", "--json")
    done = run(*made, command=("annotate", "create"))
    assert json.loads(done.stdout)["settings"]["units"] == 9  # three systems, three questions
    drawn = run("--labels", "9", "--ledger", "s.db", "--sheet", "sheet.csv", command=("plan",))
    # the judge's, those of rules, and none of the contexts that the same model judged
    assert "sheet.csv: 9 units to label" in drawn.stderr, drawn.stderr


def test_an_embedder_behind_a_server_is_asked_once(run: Run, server: Running, folder: Path) -> None:
    with embedding_server() as embedder:
        ask = ("a.csv", *by_models(server, "--embedder", "lexical+openai:tiny"))
        ask += ("--embedder-base-url", embedder.base_url, "--json")
        forecast = run(*ask, "--dry-run")
        assert forecast.returncode == 0, forecast.stderr
        assert embedder.state.requests == 0
        assert not list(folder.glob("factmark*"))
        first = run(*ask)
        assert first.returncode == 0, first.stderr
        asked, answers = embedder.state.requests, server.stats()["requests"]
        assert asked > 0
        again = run(*ask)
        assert (embedder.state.requests, server.stats()["requests"]) == (asked, answers)
        assert json.loads(again.stdout)["scores"] == json.loads(first.stdout)["scores"]
    assert "sk-secret" not in first.stdout + first.stderr


def test_rules_on_a_graph_of_ones_own(run: Run, folder: Path) -> None:
    done = run("a.csv", "--questions", "q.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told["scores"]) == {"a", "text"}
    assert (told["model"], told["judge"]) == ("rules", "rules")
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "b.csv", "q.jsonl"]
    done = run("b.csv", "--questions", "q.jsonl", "--limit", "2")
    assert done.returncode == 0
    assert "there is no control `text`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("a.csv",), "--questions FILE"),
        (("a.csv", "--questions", "none.jsonl"), "none.jsonl"),
        (("a.csv", "--questions", "empty.jsonl"), "empty.jsonl"),
        (("gone.csv", "--questions", "q.jsonl"), "gone.csv"),
        (("a.csv", "--graph", "A=a.csv", "--questions", "q.jsonl"), "--graph NAME=FILE"),
        (("--graph", "a.csv", "--questions", "q.jsonl"), "NAME=FILE"),
        (("--graph", "A=a.csv", "--graph", "A=b.csv", "--questions", "q.jsonl"), "named twice"),
        (("--graph", "A=a.csv", "--graph", "B=./a.csv", "--questions", "q.jsonl"), "same file"),
        (("--graph", "text=a.csv", "--questions", "q.jsonl"), "control"),
        (("--graph", "../x=a.csv", "--questions", "q.jsonl"), "letters"),
        (("a.csv", "--questions", "q.jsonl", "--control", "both"), "no such control"),
        (("a.csv", "--questions", "q.jsonl", "--control", "none"), "rules know nothing"),
        (("b.csv", "--questions", "q.jsonl", "--control", "text"), "there are no passages"),
        (("a.csv", "--questions", "q.jsonl", "--repeats", "2"), "--repeats"),
        (("a.csv", "--questions", "q.jsonl", "--dry-run"), "--dry-run"),
        (("a.csv", "--questions", "q.jsonl", "--max-calls", "2"), "rules cost nothing"),
        (("a.csv", "--questions", "q.jsonl", "--retrieval-by", "judge"), "--judge"),
        (("a.csv", "--questions", "q.jsonl", "--base-url", "http://x"), "--model"),
        (("a.csv", "--questions", "q.jsonl", "--contexts", "c.txt"), ".csv"),
        (("a.csv", "--questions", "q.jsonl", "--model", "nonsense"), "names no model"),
        (("a.csv", "--questions", "q.jsonl", "--column", "head"), "FIELD=NAME"),
    ],
)
def test_bad_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    (folder / "empty.jsonl").write_text("")
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match=re.escape(told)):
        app(["graph", "graphrag", *arguments], standalone_mode=False)
    assert not (folder / "factmark.db").exists()
