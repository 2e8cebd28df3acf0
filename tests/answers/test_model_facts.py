"""Facts of answers by a model, through a real server and a real ledger."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.core.answer_facts import Quote, Quotes, parse_quotes
from factmark.answers.core.averages import Settings as Averages
from factmark.answers.core.records import GivenAnswer, NoScore, Question, Results
from factmark.answers.core.rows import rule_judge
from factmark.answers.derive import Truth
from factmark.answers.model_facts import (
    Found,
    Text,
    facts_judge,
    facts_of,
    find_model_facts,
    forecast_facts,
    model_extraction,
    texts,
)
from factmark.answers.reading import AnswerFile
from factmark.answers.results import results_from_ledger, results_json
from factmark.answers.study import score_study
from factmark.ask.budget import Account, Budget
from factmark.ask.chat import Usage
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.spend import Spend
from factmark.errors import EndpointError, LedgerError
from factmark.ledger.ledger import Ledger
from judging_setup import QUICK
from servers.model_server import (
    Running,
    Settings,
    facts_in,
    is_invented,
    is_malformed,
    is_refused,
    model_server,
)

KEY = "sk-test-0123456789"
NUMBER = 40
QUESTIONS = tuple(
    Question(
        query_id=f"Q{n}", category="one", text=f"Which is number {n}?", ground_truth=(f"Name{n}",)
    )
    for n in range(NUMBER)
)
ANSWERS = tuple(
    GivenAnswer(
        id=f"a{n}", query_id=f"Q{n}", text=f"It is Name{n}, of Other{n % 3}.", condition="rag"
    )
    for n in range(NUMBER)
)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    running.set(**{name: getattr(Settings(), name) for name in Settings.__slots__})
    return running


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def at(server: Running, provider: str = "openai", **parameters: Any) -> ModelSpec:
    return ModelSpec.parse(f"{provider}:finder", base_url=server.base_url, **parameters)


async def found(
    spec: ModelSpec, ledger: Path, *, budget: Budget | None = None, price: Price | None = None
) -> tuple[dict[Text, Found | NoScore], Spend]:
    account = Account(budget, price)
    async with ChatClient(spec, account=account, faults=QUICK, limits=QUICK) as client:
        return await find_model_facts(texts(QUESTIONS, ANSWERS), client, ledger)


async def study(
    spec: ModelSpec,
    ledger: Path,
    *,
    answers: Sequence[GivenAnswer] = ANSWERS,
    questions: tuple[Question, ...] = QUESTIONS,
    **options: Any,
) -> Results:
    async with ChatClient(spec, account=Account(**options), faults=QUICK, limits=QUICK) as client:
        asked = texts(questions, answers)
        facts, _ = await find_model_facts(asked, client, ledger)
    return score_study(
        Truth(benchmark="test", questions=questions),
        AnswerFile(answers=tuple(answers), problems=()),
        extraction=model_extraction(spec, facts, questions, answers),
        settings=Averages(resamples=200),
        ledger=ledger,
    )


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
async def test_facts_are_what_the_model_quotes(
    server: Running, ledger: Path, provider: str
) -> None:
    facts, asked = await found(at(server, provider), ledger)
    for (_, answer), one in facts.items():
        assert isinstance(one, Found)
        assert [fact.text for fact in one.facts] == facts_in(answer)
        assert all(answer[fact.start : fact.end] == fact.text for fact in one.facts)
    assert asked.calls == NUMBER


async def test_matching_is_by_rule_and_the_judge_is_the_model(
    server: Running, ledger: Path
) -> None:
    spec = at(server)
    results = await study(spec, ledger)
    score = results.answers[0].score
    # It, Name0, Other0: one of three matches.
    assert score.completeness == 1.0
    assert score.hallucination_rate == pytest.approx(2 / 3)
    assert results.signature["judge_id"] == facts_judge(spec).id != rule_judge().id
    assert results.signature["judge_temperature"] == 0.0
    assert results.signature["seed"] == 0
    assert results_from_ledger(ledger) == results
    with Ledger(ledger) as opened:
        run = opened.newest_import()
        assert run is not None
        assert run.judge.kind == "model"
        assert run.judge.name == "openai:finder"


async def test_quotes_that_the_answer_does_not_hold_are_dropped_and_counted(
    server: Running, ledger: Path
) -> None:
    server.set(invented=0.3)
    results = await study(at(server), ledger)
    bad = sum(is_invented(answer.text, 0.3) for answer in ANSWERS)
    assert 0 < bad < NUMBER
    assert results.signature["quotes_dropped"] == bad
    assert results.signature["quotes"] == 3 * NUMBER + bad
    assert any(
        f"{bad} of {3 * NUMBER + bad} quotes of openai:finder" in p for p in results.problems
    )
    assert not any(f.text == "made up" for row in results.answers for f in row.score.facts)
    assert len(results.answers) == NUMBER


async def test_a_second_run_asks_nothing(server: Running, ledger: Path) -> None:
    server.set(malformed=0.2, refused=0.2)
    first, _ = await found(at(server), ledger)
    server.set(malformed=0.2, refused=0.2)
    second, asked = await found(at(server), ledger, budget=Budget(max_calls=0))
    assert second == first
    assert server.stats()["requests"] == asked.calls == 0


@pytest.mark.parametrize("other", [{"temperature": 0.5}, {"max_tokens": 9}, {"seed": 4}])
async def test_other_parameters_never_read_an_old_reply(
    server: Running, ledger: Path, other: dict[str, Any]
) -> None:
    await found(at(server), ledger)
    _, asked = await found(at(server, **other), ledger)
    assert (asked.calls, asked.cached) == (NUMBER, 0)


async def test_another_model_or_wording_never_reads_an_old_reply(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await found(at(server), ledger)
    other = ModelSpec.parse("openai:other", base_url=server.base_url)
    assert (await found(other, ledger))[1].cached == 0
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
    assert overall.hallucination_rate.best == pytest.approx((NUMBER - lost) * 2 / 3 / NUMBER)
    assert results.signature["answers_refused"] == len(refused)
    told = " ".join(results.problems)
    assert f"{len(refused)} answers without a score, counted as missing: the model refused" in told
    assert f"{len(unparsed)} answers without a score, counted as missing: the reply" in told
    assert "have no answer" not in told
    assert len(results_json(results)["unscored"]) == lost
    assert results_from_ledger(ledger) == results


async def test_an_unreadable_reply_is_asked_for_once_more(server: Running, ledger: Path) -> None:
    server.set(malformed=0.2)
    _, asked = await found(at(server), ledger)
    assert asked.calls == NUMBER + sum(is_malformed(a.text, 0.2) for a in ANSWERS)


async def test_a_reply_that_was_cut_off_is_not_half_a_list(server: Running, ledger: Path) -> None:
    server.set(finish="length")
    facts, asked = await found(at(server), ledger)
    assert asked.calls == NUMBER
    assert {type(one) for one in facts.values()} == {NoScore}
    one = next(iter(facts.values()))
    assert one == NoScore(status="unparsed", reason="it was cut off at its limit, see --max-tokens")


async def test_all_missing_still_has_its_averages(server: Running, ledger: Path) -> None:
    server.set(refused=1.0)
    results = await study(at(server), ledger)
    overall = results.summaries[-1]
    assert (overall.condition, overall.completeness.value) == ("rag", None)
    assert (overall.n_missing, overall.completeness.worst, overall.completeness.best) == (40, 0, 1)
    assert results_from_ledger(ledger) == results


async def test_one_of_two_answers_missing_widens_the_bounds(server: Running, ledger: Path) -> None:
    server.set(rejects="BROKEN")
    both = (ANSWERS[0], GivenAnswer(id="b", query_id="Q0", text="BROKEN", condition="rag"))
    results = await study(at(server), ledger, answers=both, questions=QUESTIONS[:1])
    estimate = results.summaries[-1].completeness
    assert (estimate.value, estimate.n_missing) == (1.0, 0)
    assert (estimate.worst, estimate.best) == (0.5, 1.0)
    assert [u.why.status for u in results.unscored] == ["failed"]
    assert any("the prompt is too long" in problem for problem in results.problems)


async def test_faults_that_pass_lose_nothing(server: Running, ledger: Path) -> None:
    server.set(faults=["429", "500", "reset", "truncated", "malformed", "html"], fault_share=0.1)
    facts, asked = await found(at(server), ledger)
    assert all(isinstance(one, Found) for one in facts.values())
    assert asked.calls > NUMBER


async def test_a_budget_leaves_the_rest_missing_and_a_later_run_goes_on(
    server: Running, ledger: Path
) -> None:
    results = await study(at(server), ledger, budget=Budget(max_calls=15))
    assert len(results.answers) == 15
    assert {u.why.status for u in results.unscored} == {"left"}
    assert any(
        "25 answers without a score" in p and "--max-calls 15" in p for p in results.problems
    )
    facts, asked = await found(at(server), ledger)
    assert (asked.calls, asked.cached) == (25, 15)
    assert all(isinstance(one, Found) for one in facts.values())


async def test_empty_answers_are_not_asked_about(server: Running, ledger: Path) -> None:
    empty = (GivenAnswer(id="e", query_id="Q0", text=" \n", condition="rag"), ANSWERS[1])
    results = await study(at(server), ledger, answers=empty)
    assert server.stats()["requests"] == 1
    assert results.answers[0].score.completeness == 0.0
    assert not results.unscored


async def test_copies_strangers_and_questions_without_truth_are_not_asked_about(
    server: Running, ledger: Path
) -> None:
    broken = Question(query_id="X", category="one", text="Broken?", ground_truth=None)
    odd = (
        *(ANSWERS[0], ANSWERS[0]),
        GivenAnswer(id="n", query_id="nowhere", text="Name1", condition="rag"),
        GivenAnswer(id="x", query_id="X", text="Name1", condition="rag"),
        GivenAnswer(id="c", query_id="Q0", text=ANSWERS[0].text, condition="mcp"),
    )
    results = await study(at(server), ledger, answers=odd, questions=(*QUESTIONS, broken))
    assert server.stats()["requests"] == 1
    assert len(results.answers) == 2


async def test_the_key_is_nowhere(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.set(key=KEY)
    results = await study(at(server), ledger)
    assert KEY not in json.dumps(results_json(results))
    kept = b"".join(path.read_bytes() for path in ledger.parent.iterdir())
    assert KEY.encode() not in kept
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-9876543210")
    with pytest.raises(EndpointError, match="valid API key") as told:
        await found(at(server, temperature=1), ledger)
    assert "sk-wrong-9876543210" not in str(told.value)


async def test_an_unknown_model_ends_the_run(server: Running, ledger: Path) -> None:
    server.set(model="another")
    with pytest.raises(EndpointError, match="Check the name of the model, 'finder'"):
        await found(at(server), ledger)


async def test_a_server_that_is_not_there_is_an_error(ledger: Path) -> None:
    spec = ModelSpec.parse("openai:finder", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(EndpointError, match=r"No reply came for any of 40 answers.*127\.0\.0\.1:9"):
        await found(spec, ledger)


async def test_a_ledger_that_cannot_be_written_ends_the_run(
    server: Running, tmp_path: Path
) -> None:
    (tmp_path / "x").write_text("no ledger" * 200)
    with pytest.raises(LedgerError, match="cannot be used"):
        await found(at(server), tmp_path / "x")


async def test_forecast_is_what_is_asked(server: Running, ledger: Path) -> None:
    price = Price(input=1.0, output=2.0)
    asked = texts(QUESTIONS, ANSWERS)
    told = forecast_facts(asked, at(server), price, ledger)
    assert (told.calls, told.cached, told.units) == (NUMBER, 0, NUMBER)
    assert told.cost == price.cost(Usage(input=told.input_tokens, output=told.output_tokens))
    assert not ledger.exists()  # noqa: ASYNC240  # a look at a folder of the test's own
    assert server.stats()["requests"] == 0
    await found(at(server), ledger, budget=Budget(max_calls=15))
    told = forecast_facts(asked, at(server), None, ledger)
    assert (told.calls, told.cached, told.cost) == (25, 15, None)


async def test_replies_are_kept_before_they_are_read(server: Running, ledger: Path) -> None:
    server.set(malformed=1.0)
    await found(at(server), ledger)
    with sqlite3.connect(ledger) as db:
        statuses = Counter(status for (status,) in db.execute("SELECT status FROM calls"))
    assert statuses == {"ok": 2 * NUMBER}


def test_quotes_become_facts_once() -> None:
    answer = "Lupus, lupus and Gout -- and asthma."
    reply = json.dumps({"facts": ["Lupus", "lupus", "Gout", "--", "asthma", "asthma", "Malaria"]})
    quotes = parse_quotes(reply, answer)
    assert quotes is not None
    facts = facts_of(quotes)
    assert [fact.text for fact in facts.facts] == ["Lupus", "Gout", "asthma"]
    assert (facts.quotes, facts.dropped) == (7, 2)  # Malaria, and the dashes


def test_a_quote_without_a_word_is_no_fact() -> None:
    assert facts_of(Quotes(found=(Quote(start=0, end=1, text="-"),), dropped=())).facts == ()
