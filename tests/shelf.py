"""Tools over a few datasets in memory, which count their calls and misbehave by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from factmark.answers.core.records import Question
from factmark.ask.budget import Account
from factmark.ask.chat import Tool, ToolResult
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.model import Chunk
from factmark.runs.conditions import Condition, system_prompt
from factmark.runs.running import Ran, Subject, run_models
from judging_setup import QUICK

DATASETS = {
    "anemia": "Synthetic Anemia Cohort: 40 patients, FHIR R4, from 2000-01-01",
    "dementia": "Synthetic Dementia Cohort: 0 patients, FHIR R4, from 2010-01-01",
    "asthma": "Synthetic Asthma Cohort: 28 patients, FHIR R4, until 2023-12-31",
}
QUESTIONS = (
    Question(
        query_id="D1",
        category="discovery",
        text="Which datasets are there?",
        ground_truth=("Synthetic Anemia Cohort", "Synthetic Asthma Cohort"),
    ),
    Question(
        query_id="D2",
        category="discovery",
        text="How many patients has the anemia dataset?",
        ground_truth=("40",),
    ),
    Question(
        query_id="P1", category="policy", text="Describe the asthma dataset.", ground_truth=("28",)
    ),
)


class Shelf:
    """A tool server."""

    def __init__(self, *, names: tuple[str, ...] = ("list_datasets", "describe_dataset")) -> None:
        self.calls: list[tuple[str, Mapping[str, object]]] = []
        self._names = names

    identity = "shelf 1"

    @property
    def tools(self) -> tuple[Tool, ...]:
        listing, describing = self._names
        about = {"dataset": {"type": "string", "description": "The dataset's name."}}
        return (
            Tool(name=listing, description="Lists the datasets.", schema={"type": "object"}),
            Tool(
                name=describing,
                description="Describes a dataset: how many patients it has.",
                schema={"type": "object", "properties": about, "required": ["dataset"]},
            ),
        )

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        self.calls.append((name, arguments))
        if name == self._names[0]:
            text = "\n".join(DATASETS.values())
        else:
            text = DATASETS.get(str(arguments.get("dataset")).lower(), "")
        status = "ok" if text else "error"
        return ToolResult(
            text=text or "no such dataset", status=status, seconds=0.5, size=len(text)
        )  # type: ignore[arg-type]


class Pages:
    """A retriever over the same datasets."""

    identity = "pages 1"

    def __init__(self) -> None:
        self.searches = 0

    async def search(self, question: str, k: int) -> tuple[Chunk, ...]:
        self.searches += 1
        known = await self.catalogue()
        return tuple(sorted(known, key=lambda chunk: chunk.id not in question.lower())[:k])

    async def catalogue(self) -> tuple[Chunk, ...]:
        return tuple(
            Chunk(id=name, title=name, text=text, score=1.0) for name, text in DATASETS.items()
        )


def told(condition: str) -> str:
    return system_prompt(condition)


def subject(base_url: str, provider: str = "openai", **options: Any) -> Subject:
    """A model on the server, asked without waits."""
    parameters = options.pop("parameters", {})
    spec = ModelSpec.parse(f"{provider}:agent", base_url=base_url, **parameters)
    account = Account(options.pop("budget", None), options.pop("price", None))
    rates = Rates(concurrency=options.pop("concurrency", 8))
    client = ChatClient(spec, account=account, rates=rates, faults=QUICK)
    return Subject(name=options.pop("name", provider), client=client, **options)


async def ran(one: Subject, conditions: list[Condition], ledger: Path, **options: Any) -> Ran:
    async with one.client:
        return await run_models(
            options.pop("questions", QUESTIONS), [one], conditions, ledger, **options
        )
