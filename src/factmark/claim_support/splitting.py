"""Responses cut into claims: by a model, asked through the ledger about one sentence after another,
or each sentence as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from factmark.ask.asker import Asker, ask_about_each, kept_reply
from factmark.ask.budget import Spend
from factmark.ask.chat import Failure, Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.tasks import model_judge
from factmark.claim_support.core.anchoring import is_anchored
from factmark.claim_support.core.claim_rows import ClaimRow
from factmark.claim_support.core.splitting import (
    SCHEMA,
    answers,
    parse_claims,
    sentences_of,
    splitting_id,
    splitting_prompt,
)
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import ClaimTable
from factmark.files.problems import Problems
from factmark.ledger.ledger import open_to_read
from factmark.model import Status, Verdict
from factmark.text.sentences import sentences

Bar = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""Given what is done and how many, opens what is called after each."""

Sentence = tuple[str, str]
"""A sentence, and the response that it stands in."""

Split = list[str] | Verdict | None
"""The claims of a sentence, or why there are none; None where the budget had no room to ask."""

_REMINDER = (
    "Your last reply could not be used. Reply with the JSON object asked for above and nothing "
    "else."
)
_REPLY_TOKENS = 64  # of a sentence, assumed


def no_bar(_what: str, _total: int) -> AbstractContextManager[Callable[..., None]]:
    """Shows nothing: a `Bar`."""
    return nullcontext(lambda _count=1: None)


async def cut_into_claims(
    given: ClaimsOptions, table: ClaimTable, ledger: Path, problems: Problems, bar: Bar
) -> tuple[Sequence[ClaimRow], int, Spend]:
    """Returns the claims of a table, its responses cut into them; how many sentences are not cut
    yet, for want of budget; and what cutting took. What the ledger has is not asked again.

    Raises: as `ask_about_each`.
    """
    splits = as_they_are(table)
    spent = Spend()
    if splits and given.split_by_model:
        async with given.split_client() as client:
            judge = model_judge(client.spec, rubric=splitting_id())
            with bar(f"claims by {client.spec.name}", len(splits)) as step:
                asking = ask_about_each(list(splits), _claims_of, client, judge, ledger, step)
                splits, asker = await asking
            spent = asker.spend
    return *claims_of_rows(table, splits, problems), spent


def forecast_splits(splits: dict[Sentence, Split], client: ChatClient, ledger: Path) -> Forecast:
    """Returns what splitting would ask; `splits` get the claims that the ledger has."""
    with open_to_read(ledger) as opened:
        forecaster = Forecaster(client.spec, client.price, opened)
        for sentence in splits:
            request = splitting_request(sentence)
            forecaster.add(request, _REPLY_TOKENS)
            kept = None
            if opened:
                kept = kept_reply(opened, client.spec, request)
            if kept and isinstance(kept.outcome, Reply):
                claims = parse_claims(kept.outcome.text)
                if claims is not None:
                    splits[sentence] = claims
    forecaster.units = len(splits)
    return forecaster.forecast()


def as_they_are(table: ClaimTable) -> dict[Sentence, Split]:
    """Returns the sentences of responses, each of a response once, as its only claim; none of a
    table that holds claims."""
    rows: tuple[ClaimRow, ...] = ()
    if table.are_responses:
        rows = table.rows
    return {
        (part, row.text): [part]
        for row in rows
        if row.unjudged is None and answers(row.text)
        for part in sentences_of(row.text)
    }


def claims_of_rows(
    table: ClaimTable, splits: Mapping[Sentence, Split], problems: Problems
) -> tuple[Sequence[ClaimRow], int]:
    """Returns a row for each claim of a table's responses, and how many sentences are not split
    yet. The claims of a response are one cluster, unless the table names another. Once all are
    split, responses without a claim are noted."""
    if not table.are_responses:
        return table.rows, 0
    claims: list[ClaimRow] = []
    empty = list[str]()
    left = 0
    for row in table.rows:
        parts = []
        if row.unjudged is not None:
            parts = [row]
        if not (parts or answers(row.text)) and sentences(row.text):
            problems.note("abstention, which gives no claim", row.place, repr(row.text[:60]))
            continue
        if not parts:
            for sentence in sentences_of(row.text):
                split = splits[sentence, row.text]
                left += split is None
                if isinstance(split, list):
                    split = _anchored(split, sentence, row, problems)
                if isinstance(split, Verdict):
                    parts.append(replace(row, text=sentence, unjudged=split, label=None))
                else:
                    parts += [replace(row, text=text) for text in split or ()]
        if parts:
            empty += []
        else:
            empty += [row.place]
        named = enumerate(parts, start=1)
        claims += [replace(part, place=f"{row.place}, claim {n}") for n, part in named]
    if not left:
        for place in empty:
            problems.note("response without a claim", place)
    return claims, left


def _anchored(
    claims: Sequence[str], sentence: str, row: ClaimRow, problems: Problems
) -> list[str] | Verdict:
    """Returns the claims that are in the sentence they were cut from. Others are told; where all
    are others the sentence is not split."""
    kept = [text for text in claims if text == sentence or is_anchored(text, sentence, row.text)]
    for text in claims:
        if text not in kept:
            why = f"{text[:60]!r} of {sentence[:60]!r}"
            problems.drop("claim that is not in the sentence it was cut from", row.place, why)
    if claims and not kept:
        return _not_split("unparsed", "no claim of the reply is in the sentence")
    return kept


def responses_answered(table: ClaimTable) -> Mapping[str, tuple[int, int]]:
    """Returns system -> how many of a table's responses answer, and how many there are; nothing of
    a table that holds claims."""
    counts: dict[str, tuple[int, int]] = {}
    if table.are_responses:
        for row in table.rows:
            answered, given = counts.get(row.system, (0, 0))
            counts[row.system] = (answered + answers(row.text), given + 1)
    return counts


def splitting_request(sentence: Sentence, attempt: int = 0) -> Request:
    """Returns what a model is asked about a sentence; with a reminder where it is asked again."""
    system, prompt = splitting_prompt(*sentence)
    request = Request.of(prompt, system=system, schema=SCHEMA)
    if attempt:
        return request.asked_again(_REMINDER)
    return request


async def _claims_of(asker: Asker, sentence: Sentence) -> Split:
    """Returns the claims of one sentence; a reply that cannot be used is asked for once more."""
    for attempt in range(2):
        outcome = (await asker.ask(splitting_request(sentence, attempt))).outcome
        if outcome is None:
            return None
        if isinstance(outcome, Failure):
            return _not_split("failed", outcome.reason)
        if outcome.refused:
            return _not_split("refused", "the model declined")
        claims = parse_claims(outcome.text)
        if claims is not None:
            return claims
    return _not_split("unparsed", "no list of claims in the reply")


def _not_split(status: Status, why: str) -> Verdict:
    """Returns the verdict on a sentence that no claims came of."""
    return Verdict(unit="", judge="", status=status, reason=f"not split: {why}")
