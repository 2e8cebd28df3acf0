"""`factmark graph graphrag | lookup | questions`, on files in a folder and real model servers."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import shell
from envelope import envelope_in
from factmark.cli.asking import Asking
from factmark.errors import InputError
from factmark.graph_answers.options import GraphragOptions, named_graph_file, parse_graphs
from servers.embedding_server import embedding_server
from servers.graph_agent import graph_agent
from servers.model_server import Running

QUESTIONS = [
    {"id": "q1", "question": "What treats type 2 diabetes?", "answer": "metformin"},
    {
        "id": "q2",
        "question": "What kind of thing is insulin?",
        "answer": "hormone",
        "level": "hard",
    },
    {
        "id": "q3",
        "question": "What treats type 2 diabetes?",
        "options": ["aspirin", "metformin"],
        "answer": "B",
    },
]
FILES = {
    "a.csv": "head,relation,tail,passage\n"
    "metformin,treats,type 2 diabetes,Metformin is given in type 2 diabetes.\n"
    "insulin,isa,hormone,The pancreas makes the hormone insulin.\n",
    "b.csv": "head,relation,tail\nsulfonylurea,treats,type 2 diabetes\n",
    "p.jsonl": '{"id": "1", "text": "Metformin treats diabetes."}\n',
    "n.csv": "name,alias\nmetformin,Glucophage\n",
    "empty.jsonl": "",
    "q.jsonl": "".join(json.dumps(question) + "\n" for question in QUESTIONS),
}
MODELS = ("--model", "openai:agent", "--judge", "openai:judge")
ASK = ("a.csv", "--questions", "q.jsonl")
Run = Callable[..., shell.Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs `factmark graph graphrag` in the folder."""
    return partial(
        shell.run,
        "graph",
        "graphrag",
        cwd=folder,
        OPENAI_API_KEY="sk-secret-01234",
        MY_KEY="sk-local",
    )


def by_models(server: Running, *more: str) -> tuple[str, ...]:
    at = ("--base-url", server.url, "--judge-base-url", server.url)
    return (*MODELS, *at, "--questions", "q.jsonl", *more)


def told(done: shell.Done) -> Any:
    assert done.returncode == 0, done.stderr
    return envelope_in(done.stdout)


def test_two_graphs_and_both_controls(run: Run, server: Running, folder: Path) -> None:
    ask = ("--graph", "A=a.csv", "--graph", "B=b.csv", *by_models(server, "--out", "out", "--json"))
    done = run(*ask, "--contexts", "found.csv", "--retrieval-by", "judge")
    first = told(done)
    correct = {name: one["overall"]["correct_answers"] for name, one in first["scores"].items()}
    # A has all three; B names another drug, and knows nothing else; alone it knows of insulin
    assert correct == {"A": 3, "B": 0, "none": 1, "text": 3}
    spent = first["spent"]
    assert spent["answering"]["calls"] + spent["judging"]["calls"] == server.stats()["requests"]
    assert (folder / "out" / "ledger.db").is_file()
    with (folder / "found.csv").open() as file:
        assert {row["system"] for row in csv.DictReader(file)} == {"A", "B", "none", "text"}
    asked = server.stats()["requests"]
    again = run(*ask, "--retrieval-by", "judge")
    second = told(again)
    assert second["scores"] == first["scores"]
    assert server.stats()["requests"] == asked
    for part in ("answering", "judging"):  # what it took stands beside what this run took
        assert second["spent"][part]["calls"] == 0
        assert second["spent"][part]["kept"]["replies"] == spent[part]["calls"]
    assert "kept in the ledger: " in again.stderr
    assert "kept in the ledger: " not in done.stderr


def test_a_forecast_asks_nothing_and_then_it_stops_at_its_bound(run: Run, server: Running) -> None:
    ask = ("a.csv", *by_models(server, "--control", "none"))
    forecast = {
        row["condition"]: row["calls"] for row in told(run(*ask, "--dry-run", "--json"))["rows"]
    }
    assert forecast == {"a": 3, "none": 3, "judge": 4}
    shown = run(*ask, "--dry-run")
    assert "Nothing was asked" in shown.stderr
    assert "upper bound" in " ".join(shown.stdout.split())
    assert server.stats()["requests"] == 0
    done = run(*ask, "--max-calls", "2")
    assert done.returncode == 3
    assert "--max-calls 2 reached" in done.stderr
    assert server.stats()["requests"] == 2
    assert run(*ask).returncode == 0


def test_a_judge_that_lets_nobody_in(run: Run, server: Running) -> None:
    with graph_agent(key="sk-another") as closed:
        at = ("--base-url", server.url, "--judge-base-url", closed.url)
        done = run(*ASK, *MODELS, *at, "--control", "off", "--json")
        shown = run(*ASK, *MODELS, *at, "--control", "off")
    assert (done.returncode, shown.returncode) == (3, 3)
    assert "401" in " ".join(envelope_in(done.stdout)["problems"])
    assert "401" in shown.stderr
    assert "sk-secret" not in done.stderr + done.stdout + shown.stderr
    overall = envelope_in(done.stdout)["scores"]["a"]["overall"]
    assert overall["correct_answers"] == 1  # the choice, which is decided by rule
    assert overall["missing"]["failed"] == 2


def test_a_judge_is_asked_where_the_model_is(run: Run) -> None:
    with graph_agent(key="sk-local") as local:
        done = run(*ASK, *MODELS, "--base-url", local.url, "--key-env", "MY_KEY", "--json")
        spent = told(done)["spent"]
        assert "note: the judge is asked at --base-url too" in done.stderr
        assert sum(part["calls"] for part in spent.values()) == local.stats()["requests"]
    own = GraphragOptions(model="openai:a", asking=Asking(base_url="http://y", key_env="MY_KEY"))
    for options in (
        replace(own, judge="anthropic:b"),
        replace(own, judge="openai:b", judge_base_url="http://x"),
        replace(own, model="ollama:a", judge="openai:b"),
        own,
    ):
        assert options.asking_of_both()[1].base_url == options.judge_base_url
    judged = replace(own, judge="openai:b", judge_key_env="OTHER").asking_of_both()[1]
    assert (judged.base_url, judged.key_env) == ("http://y", "OTHER")


def test_people_correct_the_answers_of_a_ledger(run: Run, server: Running, folder: Path) -> None:
    ask = ("a.csv", *by_models(server), "--ledger", "s.db", "--retrieval-by", "judge", "--json")
    told(run(*ask))
    report = shell.run("report", "s.db", cwd=folder)
    assert report.returncode == 2
    assert "factmark graph graphrag" in report.stderr
    create = ("annotate", "create", "--form", "graphrag", "--ledger", "s.db")
    made = told(shell.run(*create, "--annotators", "Ada", "--json", cwd=folder))
    assert made["settings"]["units"] == 9  # three systems, three questions
    sheet = ("plan", "--labels", "9", "--ledger", "s.db", "--sheet", "s.csv")
    drawn = shell.run(*sheet, cwd=folder)
    # the judge's, those of rules, and none of the contexts that the same model judged
    assert "s.csv: 9 units to label" in drawn.stderr, drawn.stderr
    with (folder / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["labels"] == "CORRECT / INCORRECT" for row in rows)
    assert any(row["passage"].endswith("Reference answer: hormone") for row in rows)
    campaign = shell.run(
        *create, "--sheet", "s.csv", "--name", "b", "--annotators", "Ada", "--json", cwd=folder
    )
    assert told(campaign)["settings"]["units"] == 9
    for row in rows:
        row["annotator"], row["label"] = "Ada", "correct"
    with (folder / "s.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert "9 labels" in shell.run("ledger", "import", "s.db", "s.csv", cwd=folder).stdout
    found = told(run(*ask))
    assert found["annotators"] == ["Ada"]
    assert found["corrections"]["a"]["corrected"]["value"] == pytest.approx(1.0)
    assert "nothing to label" in shell.run(*sheet, "--replace", cwd=folder).stderr


def test_an_embedder_behind_a_server_is_asked_once(run: Run, server: Running, folder: Path) -> None:
    with embedding_server() as embedder:
        ask = ("a.csv", *by_models(server, "--embedder", "lexical+openai:tiny"))
        ask += ("--embedder-base-url", embedder.base_url, "--json")
        told(run(*ask, "--dry-run"))
        assert embedder.state.requests == 0
        assert not list(folder.glob("factmark*"))
        first = run(*ask)
        scores = told(first)["scores"]
        asked, answers = embedder.state.requests, server.stats()["requests"]
        assert asked > 0
        assert told(run(*ask))["scores"] == scores
        assert (embedder.state.requests, server.stats()["requests"]) == (asked, answers)
    assert "sk-secret" not in first.stdout + first.stderr


def test_rules_on_a_graph_of_ones_own(run: Run, folder: Path) -> None:
    found = told(run(*ASK, "--json"))
    assert set(found["scores"]) == {"a", "text"}
    assert (found["model"], found["judge"]) == ("rules", "rules")
    assert {path.name for path in folder.iterdir()} == set(FILES)
    done = run("b.csv", "--questions", "q.jsonl", "--limit", "2")
    assert done.returncode == 0
    assert "there is no control `text`" in done.stderr


INPUTS = (*ASK, "--passages", "p.jsonl", "--aliases", "n.csv")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("a.csv",), "--questions FILE"),
        (("a.csv", "--questions", "none.jsonl"), "none.jsonl"),
        (("a.csv", "--questions", "empty.jsonl"), "empty.jsonl"),
        (("gone.csv", "--questions", "q.jsonl"), "gone.csv"),
        ((*ASK, "--graph", "A=a.csv"), "--graph NAME=FILE"),
        (("--graph", "A=a.csv", "--graph", "B=./a.csv", "--questions", "q.jsonl"), "same file"),
        (("--graph", "text=a.csv", "--questions", "q.jsonl"), "control"),
        ((*ASK, "--control", "both"), "no such control"),
        ((*ASK, "--control", "none"), "rules know nothing"),
        (("b.csv", "--questions", "q.jsonl", "--control", "text"), "there are no passages"),
        ((*ASK, "--repeats", "2"), "--repeats"),
        ((*ASK, "--dry-run"), "--dry-run"),
        ((*ASK, "--max-calls", "2"), "rules cost nothing"),
        ((*ASK, "--retrieval-by", "judge"), "--judge"),
        ((*ASK, "--base-url", "http://x"), "--model"),
        ((*ASK, "--contexts", "c.txt"), ".csv"),
        ((*ASK, "--model", "nonsense"), "names no model"),
        ((*ASK, "--column", "head"), "FIELD=NAME"),
        # No output takes the place of an input.
        ((*INPUTS, "--contexts", "a.csv"), "would be written over the triples"),
        ((*INPUTS, "--contexts", "./out/../link.csv"), "over --questions"),
        ((*INPUTS, "--contexts", "hard.csv"), "over --aliases n.csv"),
        ((*INPUTS, "--ledger", "a.csv"), "would be written over the triples"),
        ((*INPUTS, "--contexts", "new.csv", "--ledger", "new.csv"), "over --ledger"),
        ((*INPUTS, "--contexts", "out/rows.csv", "--out", "out"), "over a result of --out"),
        (("out/rows.csv", "--questions", "q.jsonl", "--out", "out"), "the triples"),
        (("kg", "--questions", "q.jsonl", "--contexts", "kg/text_units.parquet"), "beside the tr"),
    ],
)
def test_bad_input(run: Run, folder: Path, arguments: tuple[str, ...], why: str) -> None:
    (folder / "link.csv").symlink_to("q.jsonl")
    os.link(folder / "n.csv", folder / "hard.csv")
    for name in ("out", "kg"):
        (folder / name).mkdir()
    (folder / "out" / "rows.csv").write_text(FILES["a.csv"])
    for name in ("relationships.parquet", "text_units.parquet"):
        (folder / "kg" / name).write_bytes(b"PAR1")
    done = run(*arguments)
    assert done.returncode == 2
    assert why in done.stderr
    assert not (folder / "factmark.db").exists()
    assert {name: (folder / name).read_text() for name in FILES} == FILES


def test_what_was_written_before_is_written_anew(run: Run, folder: Path) -> None:
    for _ in range(2):
        assert run(*INPUTS, "--contexts", "c.csv", "--out", "out").returncode == 0


def test_names_of_graphs() -> None:
    assert parse_graphs(["A 1=x=y.csv"]) == {"A 1": Path("x=y.csv")}
    for wrong in ("=x.csv", "A=", "x.csv", "../a=x.csv", "None=x.csv", "a/b=x.csv", "a\nb=x.csv"):
        with pytest.raises(InputError):
            parse_graphs([wrong])
    with pytest.raises(InputError, match="named twice"):
        parse_graphs(["A=x.csv", "a=y.csv"])  # folders of some systems are the same
    files = map(Path, ("t.csv", "text.csv", "ä.csv", "-.csv"))
    assert [named_graph_file(path)[0] for path in files] == ["t", "graph", "graph", "graph"]


RHINE = "head,relation,tail,id\nRhine,flows_through,Basel,t1\nRhine,flows_through,Ulm,t2\n"


@pytest.fixture
def lookup(folder: Path) -> Run:
    (folder / "g.csv").write_text(RHINE)
    return partial(shell.run, "graph", "lookup", cwd=folder)


def test_lookup_in_the_bundled_graph(lookup: Run) -> None:
    done = lookup("Which class of drug is metformin?")
    assert "metformin: metformin (name)" in done.stderr
    assert "Metformin is a biguanide  (metformin | isa | biguanide)" in done.stdout
    done = lookup("Who are you?")
    assert not done.stdout
    assert "no entity that the question names" in done.stderr


def test_lookup_with_options_and_the_index_that_graphrag_keeps(
    lookup: Run, run: Run, folder: Path
) -> None:
    run("g.csv", "--questions", "q.jsonl", "--out", "out")

    def files() -> dict[Path, int]:
        paths = (folder / "out" / "index").rglob("*")
        return {path: path.stat().st_mtime_ns for path in paths if path.suffix not in ("", ".lock")}

    before = files()
    assert before
    asked = ("Through which city does the Rhine flow?", "g.csv", "--index", "out/index", "--json")
    found = told(lookup(*asked, "--top-k", "1", "--option", "Ulm", "--option", "Bonn"))
    assert [fact["triple_id"] for fact in found["rows"]] == ["t2"]  # the option is named there
    assert {entity["name"]: entity["how"] for entity in found["linked"]} == {
        "Rhine": "name",
        "Ulm": "option",
    }
    assert found["reached"] == 2
    assert files() == before


def test_lookup_of_hostile_and_forgotten_questions(lookup: Run, folder: Path) -> None:
    (folder / "h.csv").write_text("head,relation,tail\nRhine,is,\x1b[31mred\u202e\n", "utf-8")
    done = lookup("What is the Rhine?", "h.csv")
    assert done.stdout
    assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr)
    for arguments, why in (
        (("Who?", "none.csv"), "no such file"),
        (("g.csv",), "is a file. Name the question first"),
        ((" ", "g.csv"), "question is empty"),
    ):
        failed = lookup(*arguments)
        assert (failed.returncode, why in failed.stderr) == (2, True), failed.stderr
    assert lookup("What " * 2_000).returncode == 0  # no path can be so long


def test_what_questions_cover(folder: Path) -> None:
    asked = partial(shell.run, "graph", "questions", cwd=folder)
    rows = told(asked("--json"))["rows"]
    total = rows[-1]
    assert total["questions"] == sum(row["questions"] for row in rows[:-1])
    assert (total["text"], total["choice"], total["yes-no"]) == (84, 46, 12)
    with (folder / "q.jsonl").open("a") as file:
        file.write('{"question": "Which?", "options": ["a", "b"], "answer": "Z"}\n')
    for by in ("level", "difficulty"):
        done = asked("q.jsonl", "--by", by)
        assert "hard" in done.stdout
        assert "line 4" in done.stderr
    done = asked("q.jsonl", "--by", "species")
    assert done.returncode == 2
    assert "--by species: no question has it. They have difficulty" in done.stderr


OWN_JUDGE = """
def judge(unit):
    if "given" in unit["claim"]:
        raise LookupError("too long")
    assert "system" not in unit and unit["kind"] == "graphrag"
    assert unit["question"] in unit["evidence"] and unit["references"][0] in unit["evidence"]
    return ("CORRECT", "it has the word") if "metformin" in unit["claim"] else None
"""


def test_a_function_of_ones_own_judges_free_text(run: Run, folder: Path) -> None:
    """What rules can decide (choices) they decide; a unit that it fails on is a row."""
    (folder / "own_graphrag.py").write_text(OWN_JUDGE)
    done = run(*ASK, "--judge", "own_graphrag:judge", "--out", "o", "--json")
    assert done.returncode == 3, done.stderr
    results = envelope_in(done.stdout)
    assert results["judge"] == "own_graphrag:judge"
    assert any("1 answer failed: LookupError: too long" in text for text in results["problems"])
    with (folder / "o" / "rows.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["question"] != "q2"]
    statuses = {(row["system"], row["kind"]): (row["status"], row["reason"]) for row in rows}
    assert statuses == {
        ("a", "text"): ("ok", "it has the word"),
        ("a", "choice"): ("ok", "B was said, B is right"),
        ("text", "text"): ("failed", "LookupError: too long"),
        ("text", "choice"): ("ok", "B was said, B is right"),
    }


def test_what_a_function_leaves_open_is_missing(run: Run, folder: Path) -> None:
    (folder / "own_undecided.py").write_text("def judge(unit): return None, 'cannot tell'")
    done = run(*ASK, "--judge", "own_undecided:judge", "--json")
    assert done.returncode == 0, done.stderr
    score = envelope_in(done.stdout)["scores"]["a"]["overall"]
    assert (score["missing"]["undecided"], score["total"]) == (1, 2)


def test_a_function_that_is_not_there_is_told_before_a_model_answers(
    run: Run, server: Running
) -> None:
    asked = ("--model", "openai:agent", "--base-url", server.base_url)
    done = run(*ASK, *asked, "--judge", "not_there_at_all:judge")
    assert done.returncode == 2
    assert "No module named 'not_there_at_all'" in " ".join(done.stderr.split())
    assert server.stats()["requests"] == 0


def test_a_function_looks_at_no_contexts(run: Run, folder: Path) -> None:
    (folder / "own_contexts.py").write_text("def judge(unit): return None")
    done = run(*ASK, "--judge", "own_contexts:judge", "--retrieval-by", "judge")
    assert done.returncode == 2
    assert "needs a model that judges" in " ".join(done.stderr.split())


def test_the_first_screen_has_at_most_25_lines(run: Run, server: Running) -> None:
    """Also of two graphs and two controls, and with what was wrong on stderr."""
    graphs = ("--graph", "A=a.csv", "--graph", "B=b.csv")
    for asked in (ASK, (*graphs, *by_models(server, "--passages", "p.jsonl"))):
        done = run(*asked, COLUMNS="80")
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) <= 25, done.stdout
        assert "--all" in done.stdout.splitlines()[-1]
    assert "Against the controls" not in done.stdout
    whole = run(*ASK, "--all").stdout
    assert "Each graph against the controls" in whole


def test_a_graph_of_ids_is_told_before_a_model_is_asked(run: Run, folder: Path) -> None:
    """A dry run asks nothing, and says that the answers would be about ids; a table of names in
    the folder, as the note advises, ends it."""
    (folder / "ids.csv").write_text("head,relation,tail\nQ1,treats,Q2\nQ3,treats,Q2\n")
    ask = ("ids.csv", "--questions", "q.jsonl", "--model", "openai:agent", "--dry-run")
    said = run(*ask).stderr
    assert "2 of 2 triples have ends that only a database can read, as 'Q1 treats Q2'" in said
    (folder / "names.csv").write_text("id,name\nQ1,metformin\nQ2,diabetes\nQ3,insulin\n")
    assert "only a database can read" not in run(*ask).stderr
