"""Facts of answers by a model: asked through the ledger, exact quotes only, nothing guessed.

An answer whose reply cannot be read, was refused or never came has no facts and no score; it is not
an empty answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.answers.core.answer_facts import (
    Quotes,
    facts_id,
    facts_messages,
    facts_schema,
    parse_quotes,
)
from factmark.answers.core.evaluate import Extraction, said, sort_out
from factmark.answers.core.records import Answer, AnswerScore, Fact, NoScore, Question
from factmark.answers.core.rows import RULES_VERSION
from factmark.answers.core.scores import score_with
from factmark.ask.asker import Asker
from factmark.ask.chat import (
    CUT,
    Failure,
    Message,
    Request,
    estimate_tokens,
)
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.spend import Spend
from factmark.ask.tasks import model_judge
from factmark.errors import EndpointError, FactmarkError
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger, reading
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge
from factmark.text.words import normalise

_REMINDER = (
    "Your last reply held no readable list. Reply with the JSON object asked for above and "
    "nothing else."
)
_FRAME = 16  # tokens of a reply besides its quotes, assumed

Text = tuple[str, str]
"""A question and an answer to it, as the model sees them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The facts of one answer.

    Attributes:
        facts: no two of the same words (E6), in the order of the text.
        quotes: how many the model gave.
        dropped: those of them that the answer does not hold, or that hold no word.
    """

    facts: tuple[Fact, ...] = ()
    quotes: int = 0
    dropped: int = 0


def facts_judge(spec: ModelSpec) -> Judge:
    """The judge that a model is with this rubric and the rules that match its facts."""
    return model_judge(spec, rubric=facts_id(), rules=RULES_VERSION)


def texts(questions: Sequence[Question], answers: Sequence[Answer]) -> list[Text]:
    """What a model is asked about: answers that `evaluate` scores, one of each, none empty."""
    by_id = {question.query_id: question for question in questions}
    kept, _ = sort_out(answers, by_id)
    pairs = ((by_id[answer.query_id].text, said(answer).text) for answer in kept)
    return list(dict.fromkeys(pair for pair in pairs if pair[1].strip()))


async def find_model_facts(
    asked: Sequence[Text],
    client: ChatClient,
    ledger: Path,
    *,
    ahead: int = 128,
    progress: Callable[[], None] = lambda: None,
) -> tuple[dict[Text, Found | NoScore], Spend]:
    """Asks a model for the facts of each answer; what the ledger has is not asked again.

    Args:
        asked: see `texts`.
        ledger: where replies are kept before they are read.
        ahead: answers that are worked on at a time; more than the client's concurrency.
        progress: called after each answer.

    Raises:
        EndpointError: no call can work (a wrong key, model or address), or every one failed; what
            came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    judge = facts_judge(client.spec)
    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, Leases(opened, writer) as leases:
            await writer.write(lambda book: book.add_judge(judge))
            asker = Asker(client, opened, writer, leases, judge.id)
            found = await _all(asked, asker, ahead, progress)
    if asker.failures and all(_status(one) in ("failed", "left") for one in found.values()):
        reason, _ = asker.failures.most_common(1)[0]
        raise EndpointError(f"No reply came for any of {len(found)} answers: {reason.rstrip('.')}.")
    return found, asker.spend


def model_extraction(
    spec: ModelSpec,
    found: Mapping[Text, Found | NoScore],
    questions: Sequence[Question],
    answers: Sequence[Answer],
    notes: Sequence[str] = (),
) -> Extraction:
    """A model's facts as an extraction; matching, verdict and absence stay the rules'.

    Args:
        found: of all `texts` of the questions and answers.
        notes: what else is to be told.
    """
    by_id = {question.query_id: question for question in questions}
    kept, _ = sort_out(answers, by_id)
    ones = [_found(found, by_id[answer.query_id], said(answer)) for answer in kept]
    quotes = sum(one.quotes for one in ones if isinstance(one, Found))
    dropped = sum(one.dropped for one in ones if isinstance(one, Found))
    told = list(notes)
    if dropped:
        holders = sum(isinstance(one, Found) and one.dropped > 0 for one in ones)
        told.append(
            f"{dropped} of {quotes} quotes of {spec.name} are not in the answer that they are said "
            f"to be from: dropped (in {holders} of {len(ones)} answers)"
        )
    statuses = [_status(one) for one in ones]
    counts = {"quotes": quotes, "quotes_dropped": dropped}
    for status in ("unparsed", "refused", "failed", "left"):
        counts[f"answers_{status}"] = statuses.count(status)
    return Extraction(
        judge=facts_judge(spec), scorer=_scorer(found), problems=tuple(told), counts=counts
    )


def forecast_facts(
    asked: Sequence[Text], spec: ModelSpec, price: Price | None, ledger: Path | None
) -> Forecast:
    """What `find_model_facts` would ask if every reply could be read at once; makes no call.

    Args:
        ledger: where replies may be; None, or a file that is not there, for none. It is not made.
    """
    with reading(ledger) as opened:
        forecaster = Forecaster(spec, price, opened)
        for text in asked:
            forecaster.add(facts_request(text), _FRAME + estimate_tokens(text[1]))
    forecaster.units = len(asked)
    return forecaster.forecast()


def facts_of(quotes: Quotes) -> Found:
    """The facts that quotes are: each text once by its words (E6), the first of them."""
    facts: dict[tuple[str, ...], Fact] = {}
    wordless = 0
    for quote in quotes.found:
        words = normalise(quote.text)
        if not words:
            wordless += 1
        elif words not in facts:
            facts[words] = Fact(text=quote.text, start=quote.start, end=quote.end)
    return Found(
        facts=tuple(facts.values()),
        quotes=len(quotes.found) + len(quotes.dropped) + quotes.repeated,
        dropped=len(quotes.dropped) + wordless,
    )


async def _all(
    asked: Sequence[Text], asker: Asker, ahead: int, progress: Callable[[], None]
) -> dict[Text, Found | NoScore]:
    """Asks about all, so many at a time; no more after an error that ends the run."""
    found: dict[Text, Found | NoScore] = {}
    broken: list[FactmarkError] = []

    async def work(left: Iterator[Text]) -> None:
        for text in left:
            if broken:
                return
            try:
                found[text] = await _facts(asker, text)
            except FactmarkError as error:
                broken.append(error)
                return
            progress()

    shared = iter(asked)
    await asyncio.gather(*(work(shared) for _ in range(min(ahead, len(asked)))))
    if broken:
        raise broken[0]
    return found


async def _facts(asker: Asker, text: Text) -> Found | NoScore:
    """The facts of one answer; a reply without a list is asked for once more."""
    cut = False
    for attempt in range(2):
        outcome = (await asker.ask(facts_request(text, attempt))).outcome
        if outcome is None:
            return NoScore(status="left", reason=asker.client.account.exhausted)
        if isinstance(outcome, Failure):
            return NoScore(status="failed", reason=outcome.reason)
        if outcome.refused:
            return NoScore(status="refused", reason="")
        cut = outcome.finish_reason in CUT
        quotes = None if cut else parse_quotes(outcome.text, text[1])
        if quotes is not None:
            return facts_of(quotes)
        if cut:  # the same question would be cut off again
            break
    reason = "it was cut off at its limit, see --max-tokens" if cut else "it holds no list of facts"
    return NoScore(status="unparsed", reason=reason)


def facts_request(text: Text, attempt: int = 0) -> Request:
    """What a model is asked about an answer."""
    given = [Message(role=m.role, content=m.content) for m in facts_messages(*text)]
    if attempt:
        given[-1] = replace(given[-1], content=f"{given[-1].content}\n\n{_REMINDER}")
    return Request(messages=tuple(given), schema=facts_schema(), attempt=attempt)


def _scorer(
    found: Mapping[Text, Found | NoScore],
) -> Callable[[Question, Answer], AnswerScore | NoScore]:
    def scorer(question: Question, answer: Answer) -> AnswerScore | NoScore:
        one = _found(found, question, answer)
        if isinstance(one, NoScore):
            return one
        truth = question.ground_truth or ()
        return score_with(lambda: one.facts, question.text, truth, answer.text)

    return scorer


def _found(
    found: Mapping[Text, Found | NoScore], question: Question, answer: Answer
) -> Found | NoScore:
    """What was found in an answer; nothing in an empty one, about which nobody was asked."""
    return found[question.text, answer.text] if answer.text.strip() else Found()


def _status(one: Found | NoScore) -> str:
    return one.status if isinstance(one, NoScore) else "ok"
