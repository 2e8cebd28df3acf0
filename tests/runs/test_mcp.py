"""The loop with tools against a model that really calls them, well and badly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.answers.core.records import GivenAnswer, Trace
from factmark.runs.conditions import Mcp
from servers.model_server import Running
from shelf import DATASETS, QUESTIONS, Shelf, ran, subject, told

PROVIDERS = ["openai", "anthropic"]


async def answers(
    server: Running, ledger: Path, provider: str = "openai", shelf: Shelf | None = None, **loop: int
) -> dict[str, GivenAnswer]:
    condition = Mcp(server=shelf or Shelf(), system=told("mcp"), **loop)
    done = await ran(subject(server.base_url, provider), [condition], ledger)
    assert not done.lost, done.lost
    assert server.stats()["complaints"] == []
    return {answer.query_id: answer for answer in done.answers}


def trace(answer: GivenAnswer) -> Trace:
    assert answer.trace is not None
    return answer.trace


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_answer_comes_from_what_tools_return(
    server: Running, tmp_path: Path, provider: str
) -> None:
    done = await answers(server, tmp_path / "l.db", provider)
    assert "Anemia" in done["D1"].text
    assert "Asthma" in done["D1"].text
    assert "40" in done["D2"].text
    assert done["D2"].tools_called
    uses = trace(done["D2"]).tools or ()
    described = [use for use in uses if use.name == "describe_dataset" and use.status == "ok"]
    assert described[0].result in DATASETS.values()
    assert json.loads(described[0].arguments)["dataset"].lower() in DATASETS
    assert trace(done["D2"]).offered == ("list_datasets", "describe_dataset")


async def test_tools_that_run_side_by_side_count_once(server: Running, tmp_path: Path) -> None:
    server.set(trick="many")
    answer = (await answers(server, tmp_path / "l.db"))["D1"]
    first = [use for use in trace(answer).tools or () if use.round == 1]
    assert len(first) == 20
    assert [use.status for use in first[16:]] == ["invalid"] * 4  # told to call them again
    assert answer.latency_seconds is not None
    assert answer.latency_seconds < 0.5 * trace(answer).rounds + 5  # not 20 x 0.5 s


@pytest.mark.parametrize(
    ("provider", "trick", "status"),
    [
        ("openai", "unknown-tool", "unknown"),
        ("anthropic", "odd-name", "unknown"),
        ("openai", "broken-json", "invalid"),  # the other protocol has parsed arguments
    ],
)
async def test_calls_that_cannot_be_made_are_told_and_recorded(
    server: Running, tmp_path: Path, provider: str, trick: str, status: str
) -> None:
    server.set(trick=trick)
    shelf = Shelf()
    done = await answers(server, tmp_path / "l.db", provider, shelf)
    uses = [use for answer in done.values() for use in trace(answer).tools or ()]
    assert status in {use.status for use in uses}
    assert all(name in ("list_datasets", "describe_dataset") for name, _ in shelf.calls)


async def test_a_loop_that_never_ends_ends_after_the_last_round(
    server: Running, tmp_path: Path
) -> None:
    server.set(trick="endless")
    done = await answers(server, tmp_path / "l.db", rounds=3)
    for answer in done.values():
        assert trace(answer).ended == "rounds"
        assert trace(answer).rounds == 4  # three with tools, one without
        assert {use.round for use in trace(answer).tools or ()} == {1, 2, 3}
        assert answer.text


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("trick", ["duplicate-ids", "no-ids", "talking", "wrong-type"])
async def test_odd_calls_are_answered_one_by_one(
    server: Running, tmp_path: Path, provider: str, trick: str
) -> None:
    server.set(trick=trick)
    done = await answers(server, tmp_path / "l.db", provider)
    assert all(answer.text for answer in done.values())


async def test_calls_as_text_are_made_like_others(server: Running, tmp_path: Path) -> None:
    usual = await answers(server, tmp_path / "usual.db")
    server.set(trick="text-calls")
    done = await answers(server, tmp_path / "l.db")
    assert {key: answer.text for key, answer in done.items()} == {
        key: answer.text for key, answer in usual.items()
    }
    assert all(answer.tools_called for answer in done.values())


async def test_calls_that_cannot_be_read_are_missing_answers_and_name_the_remedy(
    server: Running, tmp_path: Path
) -> None:
    server.set(trick="broken-calls")
    condition = Mcp(server=Shelf(), system=told("mcp"))
    done = await ran(subject(server.base_url), [condition], tmp_path / "l.db")
    assert {why.status for why in done.lost.values()} == {"unparsed"}
    assert len(done.lost) == len(QUESTIONS)  # none of them is scored as if it stated nothing
    assert all("--tool-call-parser" in why.reason for why in done.lost.values())
    assert any("tool calls that could not be carried out: missing" in n for n in done.problems)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_signed_thinking_goes_back_with_the_calls(
    server: Running, tmp_path: Path, provider: str
) -> None:
    server.set(think="Let me think.")
    done = await answers(server, tmp_path / "l.db", provider)
    assert all("Let me think" not in answer.text for answer in done.values())


async def test_names_that_providers_do_not_take_are_offered_under_others(
    server: Running, tmp_path: Path
) -> None:
    shelf = Shelf(names=("data.sets/list", "data.sets/describe"))
    done = await answers(server, tmp_path / "l.db", shelf=shelf)
    assert set(done["D2"].tools_called or ()) <= {"data.sets/list", "data.sets/describe"}
    assert shelf.calls


async def test_a_second_run_asks_nothing_and_calls_nothing(server: Running, tmp_path: Path) -> None:
    first = await answers(server, tmp_path / "l.db")
    server.set()
    shelf = Shelf()
    assert await answers(server, tmp_path / "l.db", shelf=shelf) == first
    assert shelf.calls == []
    assert server.stats()["requests"] == 0
    assert len(first) == len(QUESTIONS)
