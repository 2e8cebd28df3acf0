"""Facts of answers by a model, through a real server and a real ledger, and by the command."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shell
from factmark.answers.answer_units import AnswerFinding, Findings, answer_jobs
from factmark.answers.core.answer_facts import facts_prompt, parse_quotes
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import AnswerScore, GivenAnswer, NoScore, Question
from factmark.answers.core.rows import rule_judge
from factmark.answers.core.scores import score_with
from factmark.answers.judges import AnswerJudge
from factmark.answers.model_facts import (
    facts_judge,
    forecast_facts,
    judge_by_model,
    texts,
)
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import AnswerFile
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.study import judge_answers, score_study
from factmark.answers.verdicts import results_from_ledger
from factmark.ask.budget import Account, Budget, Spend
from factmark.ask.chat import Usage
from factmark.ask.client import ChatClient
from factmark.ask.judges.recipe import Recipe
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.runner import run
from factmark.ledger.ledger import Ledger
from factmark.replies.rubric import fence
from factmark.stats.comparison import Options
from judging_setup import QUICK
from servers.model_server import (
    Running,
    facts_in,
    is_invented,
    is_malformed,
    is_refused,
)

KEY = "sk-test-0123456789"
NUMBER = 24
QUESTIONS = tuple(
    Question(query_id=f"Q{n}", category="one", text=f"Which is {n}?", ground_truth=(f"Name{n}",))
    for n in range(NUMBER)
)
BY_ID = {question.query_id: question for question in QUESTIONS}
ANSWERS = tuple(
    GivenAnswer(
        id=f"a{n}", query_id=f"Q{n}", text=f"It is Name{n}, of Other{n % 3}.", condition="rag"
    )
    for n in range(NUMBER)
)


def at(server: Running, provider: str = "openai", **parameters: Any) -> ModelSpec:
    return ModelSpec.parse(f"{provider}:finder", base_url=server.base_url, **parameters)


async def found(
    spec: ModelSpec, ledger: Path, *, budget: Budget | None = None
) -> tuple[dict[str, AnswerFinding], Spend]:
    """Text of an answer -> what a model finds in it, and what that took."""
    findings: Findings = {}
    jobs = answer_jobs("test", BY_ID, ANSWERS)
    async with ChatClient(spec, account=Account(budget), faults=QUICK) as client:
        done = await run(jobs.values(), judge_by_model(client, findings), ledger, keep=False)
    return {unit.text: findings[unit.id] for _, unit in jobs.values()}, done.spend


async def study(
    spec: ModelSpec,
    ledger: Path,
    *,
    answers: Sequence[GivenAnswer] = ANSWERS,
    questions: tuple[Question, ...] = QUESTIONS,
    **options: Any,
) -> Results:
    truth, findings = Truth(benchmark="test", questions=questions), dict[str, AnswerFinding]()
    recipe = Recipe(judges="answers", by="model", name=spec.name)
    async with ChatClient(spec, account=Account(**options), faults=QUICK) as client:
        named = judge_by_model(client, findings)
        judge = AnswerJudge(recipe=recipe, named=named, findings=findings)
        judged = await judge_answers(judge, truth, answers, ledger)
    return score_study(
        truth,
        AnswerFile(answers=tuple(answers)),
        judged,
        settings=Options(resamples=200),
        ledger=ledger,
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
async def test_facts_are_what_the_model_quotes(
    server: Running, ledger: Path, provider: str
) -> None:
    facts, asked = await found(at(server, provider), ledger)
    for answer, finding in facts.items():
        assert isinstance(finding.score, AnswerScore)
        quoted = finding.score.facts
        stated = [text for text in facts_in(answer) if text != "It"]  # a pronoun states nothing
        assert [fact.text for fact in quoted] == stated
        assert all(answer[fact.start : fact.end] == fact.text for fact in quoted)
    assert asked.calls == NUMBER


async def test_a_model_that_finds_the_facts_in_its_own_answers_is_told(
    server: Running, ledger: Path
) -> None:
    own = [replace(answer, model="finder") for answer in ANSWERS]
    results = await study(at(server), ledger, answers=own)
    assert results.problems[0].startswith("finder judges its own answers, and models tend")
    others = await study(at(server), ledger)
    assert not any("its own" in problem for problem in others.problems)


async def test_matching_is_by_rule_and_the_judge_is_the_model(
    server: Running, ledger: Path
) -> None:
    spec = at(server)
    results = await study(spec, ledger)
    score = results.answers[0].score
    # Name0, Other0: one of two matches; `It`, which the model quotes too, states nothing (E2).
    assert score.completeness == 1.0
    assert score.hallucination_rate == pytest.approx(1 / 2)
    assert results.signature["judge_id"] == facts_judge(spec).id != rule_judge().id
    assert (results.signature["judge_temperature"], results.signature["seed"]) == ("default", 0)
    assert results_from_ledger(ledger) == results
    with Ledger(ledger) as opened:
        run = opened.newest_import()
        assert run is not None
        assert (run.judge.kind, run.judge.name) == ("model", "openai:finder")


async def test_quotes_that_the_answer_does_not_hold_are_dropped_and_counted(
    server: Running, ledger: Path
) -> None:
    server.set(invented=0.3)
    results = await study(at(server), ledger)
    bad = sum(is_invented(answer.text, 0.3) for answer in ANSWERS)
    assert 0 < bad < NUMBER
    assert results.signature["quotes_dropped"] == bad
    assert results.signature["quotes"] == 3 * NUMBER + bad
    assert any(f"{bad} of {3 * NUMBER + bad} quotes of openai" in p for p in results.problems)
    assert not any(f.text == "made up" for row in results.answers for f in row.score.facts)
    assert len(results.answers) == NUMBER


async def test_a_second_run_asks_nothing_and_another_question_reads_no_old_reply(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.set(malformed=0.2, refused=0.2)
    first, _ = await found(at(server), ledger)
    second, asked = await found(at(server), ledger, budget=Budget(max_calls=0))
    assert (second, asked.calls) == (first, 0)
    server.set(malformed=0.0, refused=0.0)
    other = ModelSpec.parse("openai:other", base_url=server.base_url)
    for spec in (at(server, temperature=0.5), at(server, max_tokens=9), at(server, seed=4), other):
        _, asked = await found(spec, ledger)
        assert (asked.calls, asked.cached) == (NUMBER, 0)
    before = facts_judge(at(server)).id
    monkeypatch.setattr("factmark.answers.core.answer_facts._TASK", "List the facts as JSON.")
    assert facts_judge(at(server)).id != before
    assert (await found(at(server), ledger))[1].cached == 0


async def test_what_cannot_be_read_or_is_refused_is_missing_and_not_zero(
    server: Running, ledger: Path
) -> None:
    server.set(malformed=0.2, refused=0.2)
    results = await study(at(server), ledger)
    refused = {a.id for a in ANSWERS if is_refused(a.text, 0.2)}
    unparsed = {a.id for a in ANSWERS if is_malformed(a.text, 0.2)} - refused
    assert {u.answer.id for u in results.unscored if u.why.status == "refused"} == refused
    assert {u.answer.id for u in results.unscored if u.why.status == "unparsed"} == unparsed
    assert refused
    assert unparsed
    lost = len(refused | unparsed)
    overall = results.summaries[-1]
    assert overall.n_missing == overall.completeness.n_missing == lost
    assert overall.completeness.value == 1.0  # and not (NUMBER - lost) / NUMBER
    assert overall.completeness.worst == pytest.approx((NUMBER - lost) / NUMBER)
    assert overall.hallucination_rate.best == pytest.approx((NUMBER - lost) * 1 / 2 / NUMBER)
    assert results.signature["answers_refused"] == len(refused)
    told = " ".join(results.problems)
    assert f"{len(refused)} answers without a score, counted as missing: the model refused" in told
    assert f"{len(unparsed)} answers without a score, counted as missing: the reply" in told
    assert "have no answer" not in told
    rows = answers_report(results).as_json()["rows"]
    assert sum(row["status"] != "ok" for row in rows) == lost
    assert results_from_ledger(ledger) == results
    with closing(sqlite3.connect(ledger)) as db:  # each reply is kept, also one that is asked anew
        (kept,) = db.execute("SELECT count(*) FROM calls").fetchone()
    assert kept == NUMBER + len(unparsed)


async def test_quotes_of_another_text_are_asked_for_again_and_then_missing(
    server: Running, ledger: Path
) -> None:
    server.set(invented=1.0)
    answers = tuple(replace(answer, text="it is so.") for answer in ANSWERS[:3])
    results = await study(at(server), ledger, answers=answers)
    assert server.stats()["requests"] == 2 * len({(a.query_id, a.text) for a in answers})
    assert not results.answers
    assert {row.why.status for row in results.unscored} == {"unparsed"}
    assert any("quotes are not in the answer" in problem for problem in results.problems)
    await study(at(server), ledger, answers=answers, budget=Budget(max_calls=0))  # resumed
    assert server.stats()["requests"] == 6


async def test_a_reply_that_was_cut_off_is_not_half_a_list(server: Running, ledger: Path) -> None:
    server.set(finish="length")
    facts, asked = await found(at(server), ledger)
    assert asked.calls == NUMBER
    reason = "it was cut off at its limit, see --max-tokens"
    assert {found.score for found in facts.values()} == {NoScore(status="unparsed", reason=reason)}


async def test_one_of_two_answers_missing_widens_the_bounds(server: Running, ledger: Path) -> None:
    server.set(rejects="BROKEN")
    both = (ANSWERS[0], GivenAnswer(id="b", query_id="Q0", text="BROKEN", condition="rag"))
    results = await study(at(server), ledger, answers=both, questions=QUESTIONS[:1])
    estimate = results.summaries[-1].completeness
    assert (estimate.value, estimate.n_missing) == (1.0, 0)
    assert (estimate.worst, estimate.best) == (0.5, 1.0)
    assert [u.why.status for u in results.unscored] == ["failed"]
    assert any("the prompt is too long" in problem for problem in results.problems)


async def test_a_budget_leaves_the_rest_missing_and_a_later_run_goes_on(
    server: Running, ledger: Path
) -> None:
    results = await study(at(server), ledger, budget=Budget(max_calls=15))
    assert len(results.answers) == 15
    assert {u.why.status for u in results.unscored} == {"left"}
    assert any("--max-calls 15" in problem for problem in results.problems)
    price = Price(input=1.0, output=2.0)
    told = forecast_facts(texts(QUESTIONS, ANSWERS), at(server), price, ledger)
    assert (told.calls, told.cached, told.units) == (NUMBER - 15, 15, NUMBER)
    assert told.cost == price.cost(Usage(input=told.input_tokens, output=told.output_tokens))
    facts, asked = await found(at(server), ledger)
    assert (asked.calls, asked.cached) == (NUMBER - 15, 15)
    assert all(isinstance(finding.score, AnswerScore) for finding in facts.values())


async def test_nobody_is_asked_about_copies_strangers_empty_answers_and_questions_without_truth(
    server: Running, ledger: Path
) -> None:
    broken = Question(query_id="X", category="one", text="Broken?", ground_truth=None)
    odd = (
        *(ANSWERS[0], ANSWERS[0]),
        GivenAnswer(id="n", query_id="nowhere", text="Name1", condition="rag"),
        GivenAnswer(id="x", query_id="X", text="Name1", condition="rag"),
        GivenAnswer(id="c", query_id="Q0", text=ANSWERS[0].text, condition="mcp"),
        GivenAnswer(id="e", query_id="Q1", text=" \n", condition="rag"),
    )
    results = await study(at(server), ledger, answers=odd, questions=(*QUESTIONS, broken))
    assert server.stats()["requests"] == 1
    assert [row.score.completeness for row in results.answers] == [1, 1, 0]
    assert not results.unscored


ANSWER = "There are 12 datasets.\nThe code is  E11.9 -- and 12 of them are Open, open."


@pytest.mark.parametrize(
    ("reply", "facts", "quotes", "dropped"),
    [
        ('{"facts": ["12 datasets", "E11.9"]}', ["12 datasets", "E11.9"], 2, 0),
        ('```json\n["E11.9", "E11.8"]\n```', ["E11.9"], 2, 1),
        ('[{"quote": "code is E11.9"}]', ["code is  E11.9"], 1, 0),
        ('{"facts": ["12", "12", "12"]}', ["12"], 3, 0),
        ('{"facts": ["open", "Open", "--"]}', ["Open"], 3, 1),  # no word, no fact
        (
            '{"facts": ["The **CODE** is `E11.9`", "there are 12"]}',
            ["There are 12", "The code is  E11.9"],
            2,
            0,
        ),
        ('{"facts": ["E11", "2 datasets", "data"]}', [], 3, 3),  # words are whole
        ("<think>[1]</think>{'facts': ['them',]}", ["them"], 1, 0),
        ('{"facts": []}', [], 0, 0),
        ('{"facts": ["12 datasets", "E11', ["12 datasets"], 1, 0),
        ('{"facts": ["", "\\u0031\\u0032 datasets"]}', ["12 datasets"], 1, 0),
    ],
)
def test_quotes_become_facts_once(reply: str, facts: list[str], quotes: int, dropped: int) -> None:
    quoted = parse_quotes(reply, ANSWER)
    assert quoted is not None
    assert [fact.text for fact in quoted.facts] == facts
    assert (quoted.quotes, quoted.dropped) == (quotes, dropped)


@pytest.mark.parametrize(
    ("answer", "quote", "fact"),
    [
        ("the “Alzheimer’s” _Disease_ cohort", '"Alzheimer\'s" disease', "Alzheimer’s” _Disease"),
        ("costs $40, up 12.5%", "$40", "$40"),
        ("costs $40, up 12.5%", "12.5%", "12.5%"),
        ("共有十二个数据集", "十二个", "十二个"),
    ],
)
def test_typography_does_not_hide_a_quote(answer: str, quote: str, fact: str) -> None:
    quoted = parse_quotes(json.dumps([quote]), answer)
    assert quoted is not None
    assert [found.text for found in quoted.facts] == [fact]


@pytest.mark.parametrize(
    "reply", ["", "I cannot do that.", '{"facts": "none"}', "12", '{"facts": [1]}']
)
def test_a_reply_without_a_list_has_no_quotes(reply: str) -> None:
    assert parse_quotes(reply, ANSWER) is None


@given(st.text() | st.lists(st.text()).map(json.dumps), st.text())
def test_no_quote_is_invented(reply: str, answer: str) -> None:
    quoted = parse_quotes(reply, answer)
    for fact in quoted.facts if quoted else ():
        assert answer[fact.start : fact.end] == fact.text


def test_the_prompt_holds_no_list_that_a_model_could_give_back() -> None:
    prompt = "\n".join(facts_prompt("How many?", ANSWER))
    assert parse_quotes(prompt, ANSWER) is None


def test_the_answer_is_fenced() -> None:
    text = facts_prompt("How many?", ANSWER)[1]
    assert fence("ANSWER", ANSWER, "How many?") in text
    assert text.index("Reply with JSON") > text.index(ANSWER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    truth = [
        {
            "query_id": f"Q{n}",
            "category": "one",
            "question": f"Which is {n}?",
            "ground_truth": [f"Name{n}"],
        }
        for n in range(6)
    ]
    answers = [
        {"query_id": f"Q{n}", "condition": "rag", "answer": f"Name{n} and Other{n}."}
        for n in range(6)
    ]
    for name, rows in (("truth.jsonl", truth), ("answers.jsonl", answers)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def score(
    folder: Path, server: Running, *more: str, model: str = "openai:finder", **env: str
) -> shell.Done:
    given = ("answers.jsonl", "--benchmark", "truth.jsonl", "--judge", model)
    return shell.run("score", *given, "--base-url", server.base_url, *more, cwd=folder, **env)


@pytest.mark.parametrize("model", ["openai:finder", "anthropic:finder"])
def test_the_command_keeps_replies_and_pays_once(folder: Path, server: Running, model: str) -> None:
    server.set(key=KEY, invented=0.9)
    more = ("--key-env", "MY_KEY", "--out", "out", "--json")
    first = score(folder, server, *more, model=model, MY_KEY=KEY)
    assert first.returncode == 0, first.stderr
    assert "6 calls, 0 replies from the ledger; 600 tokens in, 60 out; cost 0" in first.stderr
    results = json.loads(first.stdout)
    assert [row["completeness"] for row in results["rows"]] == [1.0] * 6
    assert [row["hallucination_rate"] for row in results["rows"]] == [0.5] * 6
    again = score(folder, server, *more, model=model, MY_KEY=KEY)
    assert again.stdout == first.stdout
    assert "0 calls, 6 replies from the ledger" in again.stderr
    assert "quotes of" in (folder / "out" / "report.html").read_text("utf-8")
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert KEY.encode() not in written + (first.stdout + first.stderr + again.stderr).encode()


def test_without_a_ledger_nothing_is_kept_and_a_dry_run_asks_nothing(
    folder: Path, server: Running
) -> None:
    before = set(folder.rglob("*"))
    done = score(folder, server)
    assert done.returncode == 0, done.stderr
    assert "neither --out nor --ledger" in done.stderr
    assert server.stats()["requests"] == 6
    done = score(folder, server, "--dry-run", "--out", "out")
    assert "6 calls, 0 known already" in done.stdout
    told = json.loads(score(folder, server, "--dry-run", "--json").stdout)
    forecast = told["details"]
    assert (forecast["calls"], forecast["cost"]) == (6, 0.0)
    assert server.stats()["requests"] == 6
    assert set(folder.rglob("*")) == before


def test_budget_and_prices(folder: Path, server: Running) -> None:
    (folder / "prices.toml").write_text('[models."finder"]\ninput = 100.0\noutput = 100.0\n')
    more = ("--ledger", "l.db", "--prices", "prices.toml", "--concurrency", "1", "--max-cost")
    done = score(folder, server, *more, "0.03")
    assert done.returncode == 3, done.stderr
    assert "--max-cost 0.03 reached" in done.stderr
    assert server.stats()["requests"] in (1, 2)  # 0.011 each, by a server that counts 110 tokens
    done = score(folder, server, *more, "1", "--json")
    assert server.stats()["requests"] == 6
    assert {row["status"] for row in json.loads(done.stdout)["rows"]} == {"ok"}


@pytest.mark.parametrize(
    ("settings", "more", "message"),
    [
        ({"key": KEY}, (), "No key was sent"),
        ({"key": KEY}, ("--key-env", "OPENAI_API_KEY"), "a valid API key into the environment"),
        ({"model": "other"}, (), "Check the name of the model, 'finder'"),
        ({}, ("--temperature", "3"), "--temperature"),
        ({"key": KEY}, ("--key-env", "NOWHERE_SET"), "NOWHERE_SET is not set"),
        ({}, ("--base-url", "http://u:p@127.0.0.1/v1"), "may hold no user, password or key"),
        ({}, ("--prices", "truth.jsonl"), "truth.jsonl is not TOML"),
        ({}, ("--judge", "openai:"), "names no model"),
        ({}, ("--judge", "builtins:len", "--max-calls", "1"), "--judge openai:MODEL"),
        ({}, ("--annotations", "truth.jsonl"), "not both"),
    ],
)
def test_what_the_command_cannot_do_is_status_2(
    folder: Path, server: Running, settings: dict[str, str], more: tuple[str, ...], message: str
) -> None:
    server.set(**settings)
    done = score(folder, server, *more, OPENAI_API_KEY="sk-other-0000000000")
    assert message in " ".join(done.stderr.split())
    assert done.returncode == 2
    assert "sk-other-0000000000" not in done.stderr + done.stdout


def test_a_model_s_facts_are_read_as_the_rules_are() -> None:
    """A verdict and a denial of the rest are no facts (E5, E7); the text is asked for elements."""
    answer = "Yes, the Asthma Cohort (AC-7). No others."
    quoted = parse_quotes('{"facts": ["Yes", "Asthma Cohort", "No others"]}', answer)
    assert quoted is not None
    targets = Targets.of(["Asthma Cohort", "AC-7"])
    score = score_with(lambda: quoted.facts, "Is there one on asthma?", targets, answer)
    assert [fact.text for fact in score.facts] == ["Asthma Cohort", "AC-7"]
    assert (score.completeness, score.hallucination_rate) == (1.0, 0.0)
