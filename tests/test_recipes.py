"""Another process opens the judge of a recipe: the same identity, the same verdicts, or a reason.

What it is to come to is what the study itself keeps in its ledger: the study opens its judge from
the recipe, too, and knows what it judges from its files.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import factmark
from campaigns import campaign_in, summaries
from factmark.answers.answer_units import answer_jobs
from factmark.answers.core.records import AnswerScore, GivenAnswer
from factmark.answers.judges import JUDGED, marks_recipe, open_answer_judge
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.study import judge_answers
from factmark.ask.judges.recipe import Recipe, read_recipe
from factmark.ask.runner import run
from factmark.ask.tasks import Job
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.study import judge_claims
from factmark.cli.annotate import protocol_of
from factmark.cli.asking import Asking
from factmark.cli.judge_recipes import recipe_of
from factmark.errors import InputError
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.core.units import answer_unit
from factmark.graph_answers.judges import with_questions
from factmark.graphs.judges import foreign_cells
from factmark.graphs.options import FactscoreOptions, GraphOptions, ValidityOptions
from factmark.graphs.reading import GraphUnits
from factmark.graphs.study import judge_graph
from factmark.judges import open_recipe
from factmark.ledger.campaigns import pairs_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_kept
from factmark.model import Unit
from factmark.people.judges import docket_of, with_shown
from factmark.people.options import JudgeOptions
from factmark.people.study import judge_units
from recipe_worker import message
from sample_answers import QUESTIONS
from servers.model_server import Running
from tiny_nli import nli_folder

WORKER = Path(__file__).parent / "recipe_worker.py"
TRIPLES = """id,head,relation,tail,passage,verdict:other
1,metformin,treats,type 2 diabetes,Metformin treats type 2 diabetes.,yes
2,insulin,causes,asthma,Insulin lowers glucose.,no
3,aspirin,treats,fever,Aspirin does not treat fever.,
4,obesity,worsens,apnea,Obesity worsens sleep apnea.,perhaps
"""
FUNCTION = """
def words(unit):
    found = unit["head"] in unit["evidence"].lower()
    return "SUPPORTED" if found else ("NOT_SUPPORTED", "not there")
"""
ONTOLOGY = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <http://x.test/> .
:drug a owl:Class ; rdfs:label "drug" .
:disease a owl:Class ; rdfs:label "disease" .
:metformin a :drug ; rdfs:label "metformin" .
:diabetes a :disease ; rdfs:label "type 2 diabetes" .
:treats a owl:ObjectProperty ; rdfs:label "treats" ; rdfs:domain :drug ; rdfs:range :disease .
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What a process in another folder came to."""

    status: int
    judge: str
    verdicts: dict[str, tuple[str, ...]]
    error: str


def elsewhere(
    folder: Path,
    recipe: Recipe,
    jobs: Sequence[Job] = (),
    *,
    pickled: bool = False,
    call_of: Callable[[Unit], str] = lambda unit: "",
    **env: str,
) -> Elsewhere:
    """Has a process that begins in another folder, with nothing of this one but the recipe and the
    units, judge them."""
    there = folder / "elsewhere"
    there.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, WORKER, "worker.db"],
        input=message(recipe, jobs, pickled=pickled, call_of=call_of),
        capture_output=True,
        text=True,
        cwd=there,
        env={"PYTHONPATH": str(Path(factmark.__file__).parents[1]), "PATH": "/usr/bin:/bin", **env},
    )
    told = json.loads(done.stdout) if done.returncode == 0 else {"judge": "", "verdicts": {}}
    verdicts = {unit: tuple(row) for unit, row in told["verdicts"].items()}
    return Elsewhere(
        status=done.returncode, judge=told["judge"], verdicts=verdicts, error=done.stderr
    )


def kept(ledger: Path, jobs: Sequence[Job]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The id of the one judge of a ledger, and its verdicts on units."""
    with Ledger(ledger, read_only=True) as opened:
        (judge,) = judges_kept(opened)
        rows = opened.labels(judge.id, [unit.id for _, unit in jobs])
    return judge.id, {unit: tuple(row) for unit, row in rows.items()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789abcdef")
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("t.csv", TRIPLES),
        ("recipe_function.py", FUNCTION),
        ("o.ttl", ONTOLOGY),
        ("w.toml", 'worsens = "{head} makes {tail} worse"\n'),
    ):
        Path(name).write_text(text)
    nli_folder(tmp_path / "nli")
    sys.modules.pop("recipe_function", None)
    return tmp_path


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        (FactscoreOptions, {}),
        (FactscoreOptions, {"wordings": Path("w.toml")}),
        (FactscoreOptions, {"judge": "recipe_function:words"}),
        (FactscoreOptions, {"judge": "nli:nli"}),
        (FactscoreOptions, {"judge": "verdict:other"}),
        (FactscoreOptions, {"judge": "openai:m", "mode": "aligned", "batch": 2, "samples": 3}),
        (ValidityOptions, {}),
        (ValidityOptions, {"ontology": Path("o.ttl")}),
        (ValidityOptions, {"ontology": Path("o.ttl"), "judge": "openai:m"}),
        (ValidityOptions, {"judge": "openai:m", "mode": "plain"}),
    ],
)
@pytest.mark.parametrize("pickled", [False, True])
def test_a_graph_is_judged_alike_elsewhere(
    folder: Path,
    server: Running,
    measure: type[GraphOptions],
    options: dict[str, Any],
    pickled: bool,
) -> None:
    asking = Asking(base_url=server.base_url, key_env="OPENAI_API_KEY")
    given = measure(triples=[Path("t.csv")], ledger=Path("l.db"), asking=asking, **options)
    judge_graph(given)
    graph, recipe = GraphUnits(given.source()), given.judge_recipe()
    if given.foreign:
        recipe = replace(recipe, material=foreign_cells(given.foreign, graph))
    jobs = list(graph.jobs())
    judge, verdicts = kept(Path("l.db"), jobs)
    assert any(label for _, label, _ in verdicts.values())
    other = elsewhere(
        folder,
        replace(recipe, judge=judge),
        jobs,
        pickled=pickled,
        call_of=graph.call_of,
        OPENAI_API_KEY="sk-there-99",
    )
    assert other.status == 0, other.error
    assert (other.judge, other.verdicts) == (judge, verdicts)


@pytest.mark.parametrize("name", ["rules", "recipe_claims:judge", "openai:m"])
def test_claims_are_judged_alike_elsewhere(folder: Path, server: Running, name: str) -> None:
    Path("c.csv").write_text("claim,passage\nMetformin treats gout,Metformin treats gout.\n")
    Path("recipe_claims.py").write_text("def judge(unit):\n    return 'SUPPORTED'\n")
    asking = Asking(base_url=server.base_url)
    given = ClaimsOptions(claims=Path("c.csv"), judge=name, ledger=Path("l.db"), asking=asking)
    asyncio.run(judge_claims(given))
    with Ledger(Path("l.db"), read_only=True) as opened:
        jobs = pairs_of_kind(opened, "claim")
    judge, verdicts = kept(Path("l.db"), jobs)
    assert len(verdicts) == 1
    other = elsewhere(folder, replace(given.recipe("claims"), judge=judge), jobs)
    assert (other.status, other.judge, other.verdicts) == (0, judge, verdicts), other.error


ANSWERS = tuple(
    GivenAnswer(id=f"a{place}", query_id=question.query_id, text=text, condition="rag")
    for place, (question, text) in enumerate(
        [
            (QUESTIONS[0], "There are 12 datasets."),
            (QUESTIONS[1], "The Coastal Asthma Registry and the Moon Registry."),
            (QUESTIONS[2], "No. Commercial use is prohibited."),
            (QUESTIONS[1], ""),
        ]
    )
)


def answers_judge(server: Running, name: str) -> Recipe:
    """The recipe of a judge of answers."""
    if name == "marks":
        rows = [
            {"query_id": answer.query_id, "answer": answer.text, "ada": {"facts": []}}
            for answer in ANSWERS
        ]
        Path("m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return marks_recipe(Path("m.jsonl"))
    Path("recipe_facts.py").write_text("def all(question, truth, answer):\n    return [answer]\n")
    return recipe_of(JUDGED, name, Asking(base_url=server.base_url))


@pytest.mark.parametrize("name", ["rules", "marks", "recipe_facts:all", "openai:m"])
async def test_answers_are_judged_alike_elsewhere(folder: Path, server: Running, name: str) -> None:
    """Their recipe is read from JSON here; scores are no verdicts of the runner's."""
    answers = ANSWERS[:3] if name == "recipe_facts:all" else ANSWERS  # an empty one has no facts
    truth = Truth(benchmark="test", questions=QUESTIONS)
    recipe = answers_judge(server, name)
    judge = open_answer_judge(recipe)
    judged = await judge_answers(judge, truth, answers, Path("l.db"))
    by_id = {question.query_id: question for question in QUESTIONS}
    jobs = list(answer_jobs("test", by_id, answers).values())
    other = elsewhere(folder, recipe.of_judge(judged.judge), jobs)
    assert (other.status, other.judge) == (0, judged.judge.id), other.error
    for answer, (_, unit) in zip(answers, jobs, strict=True):
        score = judged.scorer(by_id[answer.query_id], answer)
        assert isinstance(score, AnswerScore)
        assert other.verdicts[unit.id][:2] == ("ok", score.verdict or "none")


@pytest.mark.parametrize(
    ("name", "judges"),
    [("rules", "graphrag"), ("openai:m", "graphrag"), ("openai:m", "retrieval")],
)
def test_answers_to_a_graph_are_judged_alike_elsewhere(
    folder: Path, server: Running, name: str, judges: str
) -> None:
    question = GraphQuestion(
        id="q",
        text="What treats diabetes?",
        kind="text",
        references=("metformin", "insulin"),
        triples=(("metformin", "treats", "diabetes"),),
        strata={"topic": "x"},
    )
    item, unit = answer_unit(
        question=question.asked, reference="metformin", answer="Metformin does.", system="g"
    )
    many = {"batch": 1, "samples": 1}
    asking = Asking(base_url=server.base_url)
    recipe = with_questions(recipe_of(judges, name, asking, parameters=many), {item.id: question})
    with open_recipe(recipe) as judge:
        asyncio.run(run([(item, unit)], judge, Path("l.db")))
    identity, verdicts = kept(Path("l.db"), [(item, unit)])
    other = elsewhere(folder, recipe.of_judge(judge.identity), [(item, unit)])
    assert (other.status, other.judge, other.verdicts) == (0, identity, verdicts), other.error


@pytest.mark.parametrize("name", ["openai:m", "recipe_rating:judge"])
def test_a_campaign_is_judged_alike_elsewhere(folder: Path, server: Running, name: str) -> None:
    Path("recipe_rating.py").write_text(
        "def judge(unit):\n    return 5 if unit['evidence'] else None, unit['claim']\n"
    )
    with Ledger(Path("l.db")) as ledger:
        campaign_in(ledger, summaries(2))
    options = JudgeOptions(ledger=Path("l.db"), model=name, asking=Asking(base_url=server.base_url))
    docket, recipe = docket_of(Path("l.db"), None, protocol_of), options.recipe()
    done = asyncio.run(judge_units(docket, recipe, options))
    assert done.verdicts == {"ok": len(docket.jobs)}
    judge, verdicts = kept(Path("l.db"), docket.jobs)
    away = with_shown(replace(recipe, judge=judge), docket.bench)
    other = elsewhere(folder, away, docket.jobs)
    assert (other.status, other.judge, other.verdicts) == (0, judge, verdicts), other.error


def graph_recipe(judge: str, **options: Any) -> Recipe:
    """The recipe of a judge of the graph, with its id."""
    given = FactscoreOptions(triples=[Path("t.csv")], judge=judge, **options)
    recipe = given.judge_recipe()
    with open_recipe(recipe) as opened:
        return recipe.of_judge(opened.identity)


def changed(path: str) -> None:
    """Writes something more into a file."""
    more = "# more\n" if path.endswith((".toml", ".py")) else " "
    Path(path).write_text(Path(path).read_text() + more)


def test_what_would_be_another_judge_is_refused_with_the_reason(folder: Path) -> None:
    """Nothing is judged, and the message names the file."""
    worded = graph_recipe("rules", wordings=Path("w.toml"))
    function, weights = graph_recipe("recipe_function:words"), graph_recipe("nli:nli")
    for path in ("w.toml", "recipe_function.py", "nli/config.json"):
        changed(path)
    for recipe, path in ((worded, "w.toml"), (function, "recipe_function.py"), (weights, "nli")):
        other = elsewhere(folder, recipe)
        assert other.status == 1, path
        assert f"{path} has another content than where its recipe was written" in other.error
        assert "Traceback" not in other.error
    for path in ("w.toml", "recipe_function.py"):
        Path(path).unlink()
    assert "w.toml: there is no such file" in elsewhere(folder, worded).error
    gone = elsewhere(folder, function).error
    assert "recipe_function:words: ModuleNotFoundError: No module named 'recipe_function'" in gone
    assert "PYTHONPATH" in gone


def test_another_version_or_another_judge_is_refused(folder: Path) -> None:
    recipe = graph_recipe("rules")
    older = elsewhere(folder, replace(recipe, version="0.0.7"))
    assert "was written down by factmark 0.0.7, and this is" in older.error
    other = elsewhere(folder, replace(recipe, judge="0" * 32))
    assert f"its recipe says {'0' * 32}" in other.error
    odd = elsewhere(folder, replace(recipe, judges="poems"))
    assert "Nothing of the name 'poems' is judged" in odd.error
    assert all(each.status == 1 for each in (older, other, odd))


def test_a_recipe_holds_no_secret(folder: Path, server: Running) -> None:
    """A key in the environment is found there by each process; a header's value would travel."""
    key = "sk-live-abcdefghijklmnop"
    secret = Asking(base_url=server.base_url, header=[f"X-Team={key}"])
    recipe = recipe_of("factscore", "openai:m", secret, parameters={"mode": "context"})
    for written in (recipe.as_json, lambda: pickle.dumps(recipe)):
        with pytest.raises(InputError, match="NAME=env:VARIABLE") as error:
            written()
        assert key not in str(error.value)
    assert key not in repr(recipe)
    named = replace(secret, header=["X-Team=env:OPENAI_API_KEY"])
    text = recipe_of("factscore", "openai:m", named, parameters={"mode": "context"}).as_json()
    assert "env:OPENAI_API_KEY" in text
    assert "sk-secret" not in text


def test_a_key_that_is_missing_there_is_named(folder: Path, server: Running) -> None:
    recipe = graph_recipe(
        "openai:m", asking=Asking(base_url=server.base_url, key_env="OPENAI_API_KEY")
    )
    assert "OPENAI_API_KEY is not set" in elsewhere(folder, recipe).error


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '"x"', '{"judges": 1, "by": "rules", "name": "rules"}', '{"files": 3}'],
)
def test_what_is_no_recipe_is_told(text: str) -> None:
    with pytest.raises(InputError, match="no recipe of a judge"):
        read_recipe(text)


def test_a_recipe_comes_through_json_and_pickle_as_it_was(folder: Path) -> None:
    recipe = graph_recipe("rules", wordings=Path("w.toml"), ontology=Path("o.ttl"))
    assert read_recipe(recipe.as_json()) == recipe
    assert pickle.loads(pickle.dumps(recipe)) == recipe
