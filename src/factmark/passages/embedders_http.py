"""Embeddings from any server that speaks OpenAI's /v1/embeddings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from factmark.ask.budget import Spend
from factmark.ask.chat import Reply, Usage, estimate_tokens, token_count
from factmark.ask.client import FAULTS
from factmark.ask.model_spec import PROVIDERS, ModelSpec
from factmark.ask.prices import Prices
from factmark.ask.provider_http import post_json, provider_http
from factmark.ask.responses import reply_of
from factmark.errors import EndpointError, InputError
from factmark.files.text_files import without_surrogates
from factmark.http.async_tools import gather_all
from factmark.http.retries import LIMITS, RetryPolicy, repeat
from factmark.passages.vectors import Floats

# of one request
_TEXTS = 64
_CHARACTERS = 100_000
_IN_FLIGHT = 4


class HttpEmbedder:
    """Asks one model for vectors. Use it in one event loop, and close it.

    Args:
        faults: how failures that may pass are repeated: 5xx, resets, cut-off or foreign answers.
        limits: the same for 429.
        seconds: the longest that one request may take.

    Raises:
        InputError: the key that the provider needs is not in the environment.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        faults: RetryPolicy = FAULTS,
        limits: RetryPolicy = LIMITS,
        seconds: float = 120.0,
    ) -> None:
        self.spec = replace(spec, embeds=True)
        self.identity = f"{spec.name}@{spec.base_url}"
        self._http = provider_http(spec, seconds=seconds, connections=_IN_FLIGHT)
        self._faults = faults
        self._limits = limits
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._price = Prices.load().of(spec)
        self._calls = 0
        self._tokens = 0
        self._estimated = False

    @classmethod
    def named(cls, text: str, *, base_url: str | None = None, key_env: str | None = None) -> Self:
        """Returns the embedder that `openai:MODEL` or its kin names.

        Raises:
            InputError: for another text or a wrong address; Anthropic has no embeddings.
        """
        if text.startswith("anthropic:"):
            raise InputError(
                f"--embedder {text}: Anthropic offers no embeddings. Give openai:MODEL, "
                "ollama:MODEL or a local model."
            )
        if PROVIDERS[text.partition(":")[0]].in_process:
            raise InputError(f"--embedder {text}: a model in this process gives no vectors.")
        return cls(ModelSpec.parse(text, base_url=base_url, key_env=key_env))

    @property
    def spend(self) -> Spend:
        """What was spent so far."""
        usage = Usage(input=self._tokens, output=0)
        return Spend(
            calls=self._calls,
            input_tokens=self._tokens,
            estimated_usage=self._estimated,
            cost=None if self._price is None else self._price.cost(usage),
        )

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns a vector per text, by several requests at a time; see `Embedder`."""
        if not texts:
            return np.zeros((0, 0), np.float32)
        tables = await gather_all([self._embed_batch(batch) for batch in _batches(texts)])
        if len({table.shape[1] for table in tables}) > 1:
            raise EndpointError(f"{self.spec.base_url} gave vectors of different lengths")
        return np.concatenate(tables)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()

    async def _embed_batch(self, texts: Sequence[str]) -> Floats:
        """Returns the vectors of the texts of one request, which is repeated after failures that
        may pass.
        """
        async with self._slots:
            return await repeat(lambda: self._ask_once(texts), self._faults, limits=self._limits)

    async def _ask_once(self, texts: Sequence[str]) -> Floats:
        """Sends one request; returns its vectors."""
        asked = [without_surrogates(text) or " " for text in texts]
        body = {"model": self.spec.model, "input": asked, "encoding_format": "float"}
        self._calls += 1
        response = await post_json(self._http, self.spec, body)
        tables: list[Floats] = []

        def read(payload: Mapping[str, Any]) -> Reply:
            tables.append(_vectors(payload, len(texts)))
            return Reply(text="", usage=_usage(payload))

        usage = reply_of(response, self.spec, read).usage
        if not tables:  # a content filter spoke
            raise EndpointError(f"{self.spec.base_url} declines to embed these texts")
        guess = sum(map(estimate_tokens, asked))
        if usage is None:
            self._tokens += guess
        else:
            self._tokens += usage.input
        self._estimated |= usage is None
        return tables[0]


def _batches(texts: Sequence[str]) -> list[list[str]]:
    """The texts shared out among requests that servers take; a single long one goes alone."""
    batches: list[list[str]] = [[]]
    size = 0
    for text in texts:
        if batches[-1] and (len(batches[-1]) == _TEXTS or size + len(text) > _CHARACTERS):
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text)
    return batches


def _vectors(payload: Mapping[str, Any], wanted: int) -> Floats:
    """Returns the vectors in the order of the texts: by `index` where the server gives it.

    Raises:
        ValueError, TypeError, KeyError: it is no complete list of embeddings.
    """
    rows = payload["data"]
    if not isinstance(rows, list) or len(rows) != wanted:
        raise ValueError("not one embedding per text")
    places = [row.get("index", place) for place, row in enumerate(rows)]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(wanted)):
        raise ValueError("no embedding for each text")
    ordered = sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])
    table = []
    for _, row in ordered:
        table.append([float(number) for number in row["embedding"]])
    return np.asarray(table, dtype=np.float32)


def _usage(payload: Mapping[str, Any]) -> Usage | None:
    """Returns the tokens that the server counted; None if it did not."""
    usage = payload.get("usage")
    tokens = 0
    if isinstance(usage, Mapping):
        tokens = token_count(usage.get("prompt_tokens"))
    if tokens:
        return Usage(input=tokens, output=0)
    return None
