"""What `--json` prints has the same top-level keys, whatever the command measures or does."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from factmark.cli.main import app
from servers.model_server import Running
from shell import kept_ledger, run

GIVEN = Path(__file__).parents[1] / "golden" / "given"
EXAMPLES = Path(__file__).parents[2] / "examples"

KEYS = [
    *("factmark", "measure", "target", "subject", "judge", "sentence", "averages", "tables"),
    *("spent", "problems", "signature", "details", "rows"),
]
CASES = {
    "run": "lions.jsonl --store lions.ttl {model} --condition baseline --out new --dry-run",
    "score": "answers.jsonl --benchmark benchmark.jsonl --resamples 100",
    "report": "scored.db",
    "analyse": "verdicts.csv",
    "compare": "scored.db --resamples 100",
    "plan": "--half-width 0.1 --share 0.8",
    "agree": "campaign.db --resamples 100",
    "doctor": "--judge openai:test-model --base-url {url}",
    "judge list": "",
    "groundtruth check": "--benchmark lions.jsonl --store lions.ttl",
    "groundtruth show": "--benchmark lions.jsonl --store lions.ttl",
    "graph factscore": "triples.csv --passages passages.jsonl",
    "graph validity": "triples.csv",
    "graph profile": "triples.csv",
    "graph graphrag": "triples.csv --questions questions.jsonl --passages passages.jsonl",
    "graph lookup": "'What treats gout?' triples.csv",
    "graph questions": "questions.jsonl",
    "claims judge": "claims.csv",
    "annotate create": "{examples}/summaries/summaries.jsonl --annotators Ada,Ben --ledger new.db",
    "annotate import": "ratings.csv --ledger imported.db",
    "annotate links": "campaign.db",
    "annotate status": "campaign.db",
    "annotate results": "campaign.db --resamples 100",
    "annotate add": "campaign.db --annotators Zoe",
    "annotate reassign": "campaign.db --dry-run",
    "annotate withdraw": "campaign.db A1",
    "rag build": "index --passages passages.jsonl",
    "ledger info": "graph.db",
    "ledger merge": "graph.db scored.db --out merged.db",
    "ledger import": "graph.db labels.csv",
    "ledger reparse": "graph.db",
}
"""Command -> its arguments in the folder of `folder`."""
MORE = {
    "plan": "--labels 2 --ledger graph.db --sheet sheet.csv",
    "graph factscore": "triples.csv --passages passages.jsonl {judge} --dry-run",
}
"""What some commands print JSON of in another way."""
NOT_RUN = {
    "annotate push": "needs Label Studio",
    "annotate pull": "needs Label Studio",
    "annotate judge": "needs a model that rates; its own tests read the JSON",
    "annotate adjudicate": "needs raters far apart; its own tests read the JSON",
    "annotate forget": "as `annotate withdraw`",
    "judge fetch": "needs a package index; its own tests read what it keeps",
    "rag check": "needs an index of all passages of a benchmark",
}


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands that have --json."""
    group = group or typer.main.get_command(app)
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        elif any("--json" in param.opts for param in command.params):
            yield " ".join((*path, name))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the cases name."""
    shutil.copytree(GIVEN, tmp_path, dirs_exist_ok=True)
    for name in ("campaign", "scored"):
        kept_ledger(name, tmp_path / f"{name}.db")
    (tmp_path / "claims.csv").write_text("claim,passage\nRain falls,Rain falls.\n")
    (tmp_path / "verdicts.csv").write_text("id,judge,human\na,yes,no\nb,no,\nc,yes,yes\n")
    rows = "".join(f"d{n},s{n},Ada,{n % 5 + 1}\n" for n in range(6))
    (tmp_path / "ratings.csv").write_text(f"document,system,annotator,coherence\n{rows}")
    return tmp_path


@pytest.fixture
def judged(folder: Path) -> Path:
    """With a judged graph in graph.db, and a person's label of its first unit in labels.csv."""
    given = (*shlex.split(CASES["graph factscore"]), "--ledger", "graph.db")
    done = run("graph", "factscore", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    run("ledger", "export", "graph.db", "units.jsonl", cwd=folder)
    first = json.loads((folder / "units.jsonl").read_text("utf-8").splitlines()[0])
    labels = f"unit,annotator,label\n{first['unit']},Ada,SUPPORTED\n"
    (folder / "labels.csv").write_text(labels, "utf-8")
    return folder


def test_each_command_with_json_has_a_case() -> None:
    assert {*CASES, *NOT_RUN} == {*commands()}


def each_case() -> Iterator[Any]:
    for command, arguments in [*CASES.items(), *MORE.items()]:
        yield pytest.param(command, arguments, id=f"{command} {arguments[:12]}")


@pytest.mark.parametrize(("command", "arguments"), list(each_case()))
def test_the_keys_are_the_same(judged: Path, server: Running, command: str, arguments: str) -> None:
    model = f"openai:test-model --base-url {server.base_url}"
    places = {"url": server.base_url, "examples": shlex.quote(str(EXAMPLES))}
    given = arguments.format(model=f"--model {model}", judge=f"--judge {model}", **places)
    done = run(*command.split(), *shlex.split(given), "--json", cwd=judged, OPENAI_API_KEY="sk-x")
    assert done.stdout, done.stderr
    printed = json.loads(done.stdout)
    assert list(printed) == KEYS
    assert isinstance(printed["rows"], list)
    assert isinstance(printed["measure"]["key"], str)


def test_the_documentation_has_these_keys() -> None:
    text = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    table = text.split("## Keys")[1].split("## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == KEYS


def test_the_documented_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, {})
    assert (tmp_path / "planned" / "report.html").is_file()
