"""Getting answers: what is asked, what is kept, what happens when things break."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.ask.budget import Budget
from factmark.ask.prices import Price
from factmark.errors import EndpointError, InputError
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.runs.conditions import Baseline, Condition, Mcp, Rag, WholeCatalogue
from factmark.runs.forecast import forecast_run
from factmark.runs.running import run_models
from servers.agent import agent
from servers.model_server import Running
from shelf import QUESTIONS, Pages, Shelf, ran, subject, told

BASELINE = Baseline(system=told("baseline"))


def every(shelf: Shelf | None = None, pages: Pages | None = None) -> list[Condition]:
    return [
        BASELINE,
        Rag(retriever=pages or Pages(), system=told("rag"), k=2),
        Mcp(server=shelf or Shelf(), system=told("mcp")),
    ]


async def test_an_interrupted_run_beside_another_leaves_no_call_and_no_lease(
    server: Running, tmp_path: Path
) -> None:
    server.set(latency=20.0)
    ledger, query = tmp_path / "l.db", "SELECT count(*) FROM leases"
    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, Leases(opened, writer):
            others = asyncio.all_tasks()
            running = asyncio.create_task(ran(subject(server.base_url), [BASELINE], ledger))
            for _ in range(500):
                await asyncio.sleep(0.02)
                if opened.connection.execute(query).fetchone()[0]:
                    break
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert opened.connection.execute(query).fetchone() == (0,)
            assert asyncio.all_tasks() == others  # else the loop waits for them on its end


async def test_answers_come_by_condition_question_and_repeat(
    server: Running, tmp_path: Path
) -> None:
    done = await ran(subject(server.base_url, repeats=2), every(), tmp_path / "l.db")
    assert [answer.id for answer in done.answers[:3]] == [
        "openai/baseline/D1/1",
        "openai/baseline/D1/2",
        "openai/baseline/D2/1",
    ]
    assert len(done.answers) == 3 * len(QUESTIONS) * 2
    assert {a.condition for a in done.answers} == {"baseline", "rag", "mcp"}
    assert not done.lost


async def test_a_budget_that_ends_leaves_the_same_questions_to_all_conditions(
    server: Running, tmp_path: Path
) -> None:
    asking = subject(server.base_url, budget=Budget(max_calls=4), concurrency=1)
    done = await ran(asking, every()[:2], tmp_path / "l.db")
    last = QUESTIONS[2].query_id
    assert list(done.lost) == [f"openai/baseline/{last}", f"openai/rag/{last}"]


async def test_what_was_retrieved_is_kept_and_stands_in_the_prompt(
    server: Running, tmp_path: Path
) -> None:
    pages = Pages()
    one = subject(server.base_url)
    done = await ran(one, [Rag(retriever=pages, system=told("rag"), k=2)], tmp_path / "l.db")
    answer = next(a for a in done.answers if a.query_id == "D2")
    assert answer.chunks_retrieved == ("anemia", "dementia")
    assert "40" in answer.text
    assert answer.tools_called is None
    assert pages.searches == len(QUESTIONS)
    again = await ran(subject(server.base_url), every(pages=pages)[1:2], tmp_path / "l.db")
    assert again.answers == done.answers
    assert pages.searches == len(QUESTIONS)  # read back


async def test_the_whole_catalogue_stands_in_every_prompt(server: Running, tmp_path: Path) -> None:
    condition = await WholeCatalogue.read(Pages(), 1_000, told("context"))
    done = await ran(subject(server.base_url), [condition], tmp_path / "l.db")
    assert all(a.chunks_retrieved == ("anemia", "dementia", "asthma") for a in done.answers)
    requests = [condition._request(question, 0) for question in ("How many?", "Which?")]
    one, other = (request.messages[-1] for request in requests)
    assert one.content[: one.shared] == other.content[: other.shared]
    assert one.content[one.shared :] == "Question: How many?"
    with pytest.raises(InputError, match=r"about \d+ tokens, more than the 20 of --context-tokens"):
        await WholeCatalogue.read(Pages(), 20, told("context"))


async def test_cost_is_that_of_all_calls_of_an_answer(server: Running, tmp_path: Path) -> None:
    one = subject(server.base_url, price=Price(input=1.0, output=2.0))
    done = await ran(one, [Mcp(server=Shelf(), system=told("mcp"))], tmp_path / "l.db")
    traces = [answer.trace for answer in done.answers if answer.trace is not None]
    for trace in traces:
        assert trace.cost == pytest.approx((trace.input_tokens + 2 * trace.output_tokens) / 1e6)
    assert done.spent[0].cost == pytest.approx(sum(trace.cost or 0 for trace in traces))


async def test_a_question_that_fails_costs_only_itself(server: Running, tmp_path: Path) -> None:
    server.set(rejects="Describe the asthma")
    done = await ran(subject(server.base_url), [BASELINE], tmp_path / "l.db")
    assert list(done.lost) == ["openai/baseline/P1"]
    lost = next(a for a in done.answers if a.id in done.lost)
    assert lost.trace is None
    assert lost.latency_seconds is None


async def test_a_model_that_is_gone_does_not_cost_another_its_answers(
    server: Running, tmp_path: Path
) -> None:
    server.set(key="sk-only-this")
    with pytest.raises(EndpointError, match=r"Not one of 3 answers came: .*401") as told:
        await ran(subject(server.base_url), [BASELINE], tmp_path / "l.db")
    assert ".." not in str(told.value)
    with agent() as other:
        bad, good = subject(server.base_url, name="bad"), subject(other.base_url, name="good")
        async with bad.client, good.client:
            done = await run_models(QUESTIONS, [bad, good], [BASELINE], tmp_path / "l.db")
    assert {name.split("/")[0] for name in done.lost} == {"bad"}
    assert len(done.lost) == len(QUESTIONS)


async def test_a_tool_server_that_is_gone_costs_its_condition(
    server: Running, tmp_path: Path
) -> None:
    class Gone(Shelf):
        async def call(self, name: str, arguments: object) -> object:  # type: ignore[override]
            raise EndpointError("the tool server is gone")

    conditions: list[Condition] = [BASELINE, Mcp(server=Gone(), system=told("mcp"))]  # type: ignore[arg-type]
    done = await ran(subject(server.base_url), conditions, tmp_path / "l.db")
    assert {name.split("/")[1] for name in done.lost} == {"mcp"}
    assert {why.reason for why in done.lost.values()} == {"the tool server is gone"}
    # That tools were offered is known of answers that never came.
    assert {a.tools_called for a in done.answers if a.id in done.lost} == {()}
    assert {a.tools_called for a in done.answers if a.id not in done.lost} == {None}


async def test_a_way_to_end_is_one_line_over_all_conditions(
    server: Running, tmp_path: Path
) -> None:
    server.set(trick="length")
    conditions = [BASELINE, Rag(retriever=Pages(), system=told("rag"), k=2)]
    done = await ran(subject(server.base_url, repeats=2), conditions, tmp_path / "l.db")
    (line,) = done.problems
    assert "12 of 12 answers were cut off" in line
    assert "openai baseline 6 and openai rag 6" in line


async def test_a_forecast_asks_nothing_and_knows_what_the_ledger_has(
    server: Running, tmp_path: Path
) -> None:
    one = subject(server.base_url)
    models = [("openai", one.client.spec, Price(input=1.0, output=1.0), 1)]
    shelf = Shelf()
    before = await forecast_run(QUESTIONS, models, every(shelf), tmp_path / "l.db")
    assert [row.calls for row in before] == [3, 3, 9]  # three replies a conversation, assumed
    assert not (tmp_path / "l.db").exists()
    assert all(row.cost == (row.input_tokens + row.output_tokens) / 1e6 for row in before)
    assert server.stats()["requests"] == 0
    assert shelf.calls == []
    await ran(one, every(), tmp_path / "l.db", questions=QUESTIONS[:2])
    after = await forecast_run(QUESTIONS, models, every(shelf), tmp_path / "l.db")
    assert [row.judged_before for row in after] == [2, 2, 2]
    assert [row.calls for row in after] == [1, 1, 3]
