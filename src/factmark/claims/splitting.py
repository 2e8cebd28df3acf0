"""Responses cut into claims: by a model, asked through the ledger about one sentence after another,
or each sentence as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from factmark.ask.asker import Asker, ask_about_each, kept_reply
from factmark.ask.budget import Spend
from factmark.ask.chat import Failure, Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.tasks import model_judge
from factmark.claims.core.claim_rows import ClaimRow
from factmark.claims.core.splitting import (
    SCHEMA,
    parse_claims,
    sentences_of,
    splitting_id,
    splitting_prompt,
)
from factmark.ledger.ledger import open_to_read
from factmark.model import Status

Sentence = tuple[str, str]
"""A sentence, and the response that it stands in."""

Split = list[str] | tuple[Status, str] | None
"""The claims of a sentence, or why there are none; None where the budget had no room to ask."""

_REMINDER = (
    "Your last reply could not be used. Reply with the JSON object asked for above and nothing "
    "else."
)
_REPLY_TOKENS = 64  # of a sentence, assumed


def as_they_are(asked: Sequence[Sentence]) -> dict[Sentence, Split]:
    """Returns each sentence as its only claim."""
    return {sentence: [sentence[0]] for sentence in asked}


def sentences_in(rows: Sequence[ClaimRow]) -> list[Sentence]:
    """Returns the sentences of responses, each of a response once."""
    return list(dict.fromkeys((part, row.text) for row in rows for part in sentences_of(row.text)))


def claims_of_rows(
    rows: Sequence[ClaimRow], splits: Mapping[Sentence, Split]
) -> tuple[tuple[ClaimRow, ...], int]:
    """Returns a row for each claim of responses, and how many sentences are not split yet. The
    claims of a response are one cluster, unless the table names another."""
    claims: list[ClaimRow] = []
    left = 0

    def of_response(row: ClaimRow) -> Iterator[ClaimRow]:
        nonlocal left
        for sentence in sentences_of(row.text):
            split = splits[sentence, row.text]
            left += split is None
            if isinstance(split, tuple):
                yield replace(row, text=sentence, unsplit=split)
            for text in split if isinstance(split, list) else ():
                yield replace(row, text=text)

    for row in rows:
        parts = enumerate(of_response(row), start=1)
        claims += [replace(part, place=f"{row.place}, claim {n}") for n, part in parts]
    return tuple(claims), left


async def split_by_model(
    asked: Sequence[Sentence],
    client: ChatClient,
    ledger: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> tuple[dict[Sentence, Split], Spend]:
    """Asks a model for the claims of sentences; what the ledger has is not asked again. Arguments
    and errors as of `ask_about_each`."""
    judge = model_judge(client.spec, rubric=splitting_id())
    splits, asker = await ask_about_each(asked, _claims_of, client, judge, ledger, step)
    return splits, asker.spend


def forecast_splits(
    asked: Sequence[Sentence], client: ChatClient, ledger: Path
) -> tuple[dict[Sentence, Split], Forecast]:
    """Returns the claims of sentences as far as the ledger has them, the sentence itself for the
    others; and what splitting would ask."""
    splits = as_they_are(asked)
    with open_to_read(ledger) as opened:
        forecaster = Forecaster(client.spec, client.price, opened)
        for sentence in asked:
            request = splitting_request(sentence)
            forecaster.add(request, _REPLY_TOKENS)
            kept = kept_reply(opened, client.spec, request) if opened else None
            if kept and isinstance(kept.outcome, Reply):
                claims = parse_claims(kept.outcome.text)
                splits[sentence] = splits[sentence] if claims is None else claims
    forecaster.units = len(asked)
    return splits, forecaster.forecast()


def splitting_request(sentence: Sentence, attempt: int = 0) -> Request:
    """Returns what a model is asked about a sentence; with a reminder where it is asked again."""
    system, prompt = splitting_prompt(*sentence)
    request = Request.of(prompt, system=system, schema=SCHEMA)
    return request.asked_again(_REMINDER) if attempt else request


async def _claims_of(asker: Asker, sentence: Sentence) -> Split:
    """Returns the claims of one sentence; a reply that cannot be used is asked for once more."""
    for attempt in range(2):
        outcome = (await asker.ask(splitting_request(sentence, attempt))).outcome
        if outcome is None:
            return None
        if isinstance(outcome, Failure):
            return "failed", f"not split: {outcome.reason}"
        if outcome.refused:
            return "refused", "not split: the model declined"
        if (claims := parse_claims(outcome.text)) is not None:
            return claims
    return "unparsed", "not split: no list of claims in the reply"
