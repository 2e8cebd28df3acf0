"""Models that think before they answer: thinking apart, counted, and never taken for the answer."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.records import GivenAnswer, Trace
from factmark.ask.budget import Budget
from factmark.ask.chat import Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.left_out import Refusals
from factmark.ask.prices import Price
from factmark.ask.runner import JudgingProgress
from factmark.ledger.calls import find_reply
from factmark.ledger.ledger import Ledger
from factmark.runs.conditions import Baseline
from judging_setup import QUICK, judged
from servers.model_server import Running
from servers.scripted import says, scripted
from shelf import QUESTIONS, ran, subject

PROVIDERS = ["openai", "anthropic"]


async def think(server: Running, ledger: Path, provider: str, **options: Any) -> JudgingProgress:
    """Three claims judged by a model that may use 100 tokens for a reply."""
    model = ModelSpec.parse(f"{provider}:judge", base_url=server.base_url, max_tokens=100)
    return await judged(server.base_url, ledger, 3, model=model, **options)


def openai(usage: object = None, **message: object) -> dict[str, object]:
    choice = {"message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": usage}


COUNTED = {"prompt_tokens": 9, "completion_tokens": 50}
THOUGHT = "NO? It says so."
TOLD = COUNTED | {"completion_tokens_details": {"reasoning_tokens": 40}}


@pytest.mark.parametrize(
    ("payload", "tokens"),
    [
        (openai(TOLD, content="YES", reasoning_content=THOUGHT), 40),  # DeepSeek
        (openai(TOLD, content="YES", reasoning=THOUGHT), 40),  # OpenRouter
        (openai(COUNTED, content="\n\nYES", reasoning_content=THOUGHT), 4),  # llama.cpp, vLLM
        (openai(COUNTED, content=f"<think>\n{THOUGHT}\n</think>\n\nYES"), 4),
        (openai(COUNTED, content=f"{THOUGHT}\n</think>\n\nYES"), 4),  # the template opens it
        (openai(COUNTED, content=f"<thought>{THOUGHT}</thought>YES"), 4),  # Gemini
        (openai(content=[{"type": "text", "text": "YES"}], reasoning=THOUGHT), 4),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": THOUGHT, "signature": "x"},
                    {"type": "redacted_thinking", "data": "eA=="},
                    {"type": "text", "text": "YES"},
                ],
                "usage": {
                    "input_tokens": 9,
                    "output_tokens": 50,
                    "output_tokens_details": {"thinking_tokens": 40},
                },
            },
            40,
        ),
    ],
)
async def test_thinking_is_kept_apart_and_counted(payload: dict[str, Any], tokens: int) -> None:
    provider = "openai" if "choices" in payload else "anthropic"
    async with scripted(says(json.dumps(payload), media="application/json")) as script:
        spec = ModelSpec.parse(f"{provider}:m", base_url=script.url)
        async with ChatClient(spec, faults=QUICK) as client:
            reply = await client.ask(Request.of("?"))
            assert client.account.spend.thinking_tokens == tokens
    assert isinstance(reply, Reply)
    assert (reply.text.strip(), reply.thinking) == ("YES", THOUGHT)
    assert reply.usage is not None
    assert reply.usage.thinking == tokens


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_cut_while_thinking_is_asked_again_with_more_room(
    server: Running, ledger: Path, provider: str
) -> None:
    server.set(thinks=320)
    first = await think(server, ledger, provider, price=Price(input=0, output=1e6))
    assert (first.verdicts, first.spend.calls, first.left) == ({"ok": 3}, 9, 0)
    assert server.stats()["last"]["max_tokens"] == 400
    assert first.spend.cost == 3 * (100 + 200 + 330)
    assert first.spend.thinking_tokens >= 3 * 320
    assert "still thinking" in " ".join(first.spend.notes)
    (call,) = sqlite3.connect(ledger).execute(
        "SELECT c.key FROM verdicts v JOIN calls c ON c.key = v.call WHERE c.text != '' LIMIT 1"
    )
    with Ledger(ledger) as opened:
        kept = find_reply(opened, call[0])
    assert kept is not None
    assert "NOT_SUPPORTED at first" not in kept.text
    assert kept.thinking.startswith("NOT_SUPPORTED at first")
    again = await think(server, ledger, provider)
    assert (again.spend.calls, again.spend.judged_before) == (0, 3)


@pytest.mark.parametrize(("longest", "calls"), [(0, 4), (250, 3)])
async def test_what_is_cut_even_so_is_unparsed(
    server: Running, ledger: Path, longest: int, calls: int
) -> None:
    server.set(thinks=5000, longest=longest)
    progress = await think(server, ledger, "openai")
    assert progress.verdicts == {"unparsed": 3}
    assert (server.stats()["requests"], progress.spend.failures) == (3 * calls, {})
    assert "--max-tokens" in " ".join(progress.spend.notes)


async def test_a_cut_reply_of_a_template_that_opens_the_block_is_no_answer(server: Running) -> None:
    whole, cut = Reply(text="SUPPORTED", thinking="Hm."), Reply(text="Hm", finish_reason="length")
    refusals, request = Refusals(), Request.of("?")
    assert refusals.settled(request, cut, frozenset()).text == "Hm"  # nothing is known yet
    refusals.settled(request, whole, frozenset())
    thought = refusals.settled(request, cut, frozenset())
    assert (thought.text, thought.thinking, thought.unanswered) == ("", "Hm", True)
    refusals.settled(request, Reply(text="SUPPORTED"), frozenset())
    assert refusals.settled(request, cut, frozenset()).text == "Hm"  # it may answer at once


async def test_more_room_is_bounded_by_the_budget_and_goes_on(
    server: Running, ledger: Path
) -> None:
    server.set(thinks=120)
    first = await think(server, ledger, "openai", budget=Budget(max_calls=4))
    assert (first.left > 0, server.stats()["requests"]) == (True, 4)
    second = await think(server, ledger, "openai")
    assert (second.verdicts, server.stats()["requests"]) == ({"ok": 3}, 6)


@pytest.mark.parametrize("thinks", [320, 5000])
async def test_an_answer_lost_in_thought_is_missing(
    server: Running, ledger: Path, thinks: int
) -> None:
    server.set(thinks=thinks)
    model = subject(server.base_url, parameters={"max_tokens": 100})
    brought = await ran(model, [Baseline(system="Answer.")], ledger)
    results = evaluate("b", QUESTIONS, brought.answers, problems=brought.problems)
    if thinks == 5000:
        assert [row.why.status for row in results.unscored] == ["unparsed"] * 3
    else:
        traces = [row.answer.trace for row in results.answers]
        assert [(t.rounds, len(t.calls), t.output_tokens) for t in traces if t] == [(1, 3, 630)] * 3
    assert "still thinking" in " ".join(results.problems)


@pytest.mark.parametrize(
    ("text", "ended", "scored"),
    [
        ("<think>Aspirin, or is it 40?</think>It is 40.", "answered", "It is 40."),
        ("<think>Aspirin, or is it 40?", "answered", None),
        ("", "length", None),
        ("", "answered", ""),
        ("I think it is 40.", "length", "I think it is 40."),
    ],
)
def test_thinking_in_an_answer_file_is_no_answer(text: str, ended: Any, scored: str | None) -> None:
    answer = GivenAnswer(id="a", query_id="D2", text=text, trace=Trace(ended=ended))
    results = evaluate("b", QUESTIONS, [answer])
    assert [row.answer.text for row in results.answers] == ([] if scored is None else [scored])
    assert [row.why.status for row in results.unscored] == (["unparsed"] if scored is None else [])
