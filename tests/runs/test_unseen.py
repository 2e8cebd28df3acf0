"""What a model never saw, and calls that came as text, in a run over a real socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.ask.chat import Tool
from factmark.errors import EndpointError
from factmark.model import Chunk
from factmark.runs.conditions import Baseline, Condition, Mcp, Rag
from servers.model_server import Running
from shelf import QUESTIONS, Pages, Shelf, ran, subject, told

BASELINE = Baseline(system=told("baseline"))


class WideShelf(Shelf):
    """With as many tools as real servers have."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        words = "Searches the register of observations by patient, code, place and date. " * 3
        more = (
            Tool(name=f"search_{n}", description=words, schema={"type": "object"}) for n in range(8)
        )
        return (*super().tools, *more)


class LongPages(Pages):
    """Passages of some 3,600 words, in Latin or Cyrillic letters."""

    def __init__(self, words: str = "the cohort of patients was followed for years ") -> None:
        super().__init__()
        self._words = words

    async def catalogue(self) -> tuple[Chunk, ...]:
        return tuple(
            Chunk(id=c.id, title=c.title, text=c.text + " " + self._words * 150, score=1.0)
            for c in await super().catalogue()
        )


def mcp(shelf: Shelf | None = None) -> Condition:
    return Mcp(server=shelf or WideShelf(), system=told("mcp"))


def rag(pages: Pages | None = None) -> Condition:
    return Rag(retriever=pages or LongPages(), system=told("rag"), k=3)


async def test_a_template_without_tools_is_no_condition_with_tools(
    server: Running, tmp_path: Path
) -> None:
    server.set(drops_tools=True)
    done = await ran(subject(server.base_url), [BASELINE, mcp()], tmp_path / "l.db")
    assert {name.split("/")[1] for name in done.lost} == {"mcp"}
    assert len(done.lost) == len(QUESTIONS)
    assert all("template" in why.reason and why.status == "failed" for why in done.lost.values())
    (failure,) = done.spent[0].failures  # told once
    assert "tokens" in failure
    assert done.spent[0].calls == 2 * len(QUESTIONS) + 1  # one more, to make sure
    server.set(drops_tools=False)
    again = await ran(subject(server.base_url), [BASELINE, mcp()], tmp_path / "l.db")
    assert not again.lost


@pytest.mark.parametrize("context", [2_048, 1_026, 1_500])
async def test_a_full_context_is_no_answer(server: Running, tmp_path: Path, context: int) -> None:
    server.set(context=context)
    done = await ran(subject(server.base_url), [BASELINE, rag()], tmp_path / "l.db")
    assert {name.split("/")[1] for name in done.lost} == {"rag"}
    assert all(f"{context:,} tokens" in why.reason for why in done.lost.values())
    assert all("num_ctx" in why.reason for why in done.lost.values())
    with pytest.raises(EndpointError, match="num_ctx"):
        await ran(subject(server.base_url), [rag()], tmp_path / "other.db")


async def test_a_slightly_small_context_is_noticed_by_its_size(
    server: Running, tmp_path: Path
) -> None:
    server.set(context=4_096)
    pages = LongPages("the cohort of patients was followed for many years ")
    done = await ran(subject(server.base_url), [BASELINE, rag(pages)], tmp_path / "l.db")
    assert len(done.lost) == len(QUESTIONS)


@pytest.mark.parametrize(
    ("provider", "honest"),
    [
        ("openai", {}),
        ("openai", {"usage": False}),
        ("openai", {"counts_new": True}),
        ("anthropic", {"counts_new": True}),
        ("openai", {"context": 20}),  # a number that says nothing
    ],
)
async def test_no_honest_server_is_accused(
    server: Running,
    tmp_path: Path,
    honest: dict[str, object],
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    server.set(**honest)
    conditions = [BASELINE, rag(LongPages("пациенты находились под наблюдением ")), mcp()]
    for run in ("first", "second"):  # with what the first left in the server's cache
        done = await ran(subject(server.base_url, provider), conditions, tmp_path / f"{run}.db")
        assert not done.lost


@pytest.mark.parametrize(
    "form",
    [
        "<tool_call>\n{}\n</tool_call>",
        "<|python_tag|>{}",
        "[TOOL_CALLS] [{}]",
        "```json\n{}\n```",
        "{}",
    ],
)
async def test_a_call_written_as_text_is_made(server: Running, tmp_path: Path, form: str) -> None:
    told_as_calls = await ran(subject(server.base_url), [mcp(Shelf())], tmp_path / "calls.db")
    server.set(calls_as=form)
    shelf = Shelf()
    done = await ran(subject(server.base_url), [mcp(shelf)], tmp_path / "text.db")
    assert shelf.calls
    assert [a.text for a in done.answers] == [a.text for a in told_as_calls.answers]
    assert [a.tools_called for a in done.answers] == [a.tools_called for a in told_as_calls.answers]


async def test_a_call_amid_other_text_is_told_and_not_made(server: Running, tmp_path: Path) -> None:
    server.set(calls_as="I would call <tool_call>{}</tool_call> here.")
    shelf = Shelf()
    done = await ran(subject(server.base_url), [mcp(shelf)], tmp_path / "l.db")
    assert not shelf.calls
    assert any("tool calls as text" in problem for problem in done.problems)
