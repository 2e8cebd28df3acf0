"""Facts of answers by a model: asked through the ledger, quotes of the answer, nothing guessed.

An answer whose reply cannot be read, quotes mostly another text, was refused or never came has no
facts and no score; it is not an empty answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from factmark.answers.answer_units import AnswerFinding, Findings, answer_of, verdict_on
from factmark.answers.core.answer_facts import (
    SCHEMA,
    QuotedFacts,
    facts_id,
    facts_prompt,
    parse_quotes,
)
from factmark.answers.core.evaluate import answer_as_scored, sort_out
from factmark.answers.core.records import STATUSES, GivenAnswer, NoScore, Question
from factmark.answers.core.rows import RULES_VERSION
from factmark.answers.core.scores import score_with, targets_of
from factmark.ask.asker import Asker
from factmark.ask.budget import Spend
from factmark.ask.chat import CUT, Failure, Request, estimate_tokens
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.tasks import model_judge
from factmark.errors import EndpointError
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge, Unit, Verdict

_REMINDER = (
    "Your last reply could not be used. Reply with the JSON object asked for above and nothing "
    "else; each string in it must stand in the answer as it is."
)
_FRAME = 16  # tokens of a reply besides its quotes, assumed

Text = tuple[str, str]
"""A question and an answer to it, as the model sees them"""


def facts_judge(spec: ModelSpec) -> Judge:
    """The identity of a model as a judge: its parameters, this rubric, the rules that match."""
    return model_judge(spec, rubric=facts_id(), rules=RULES_VERSION)


def texts(questions: Sequence[Question], answers: Sequence[GivenAnswer]) -> list[Text]:
    """The question and answer of each answer that is scored and not empty, each pair once."""
    by_id = {question.query_id: question for question in questions}
    kept, _ = sort_out(answers, by_id)
    given = (answer for answer in kept if answer.lost is None)
    pairs = ((by_id[answer.query_id].text, answer_as_scored(answer).text) for answer in given)
    return list(dict.fromkeys(pair for pair in pairs if pair[1].strip()))


def judge_by_model(client: ChatClient, findings: Findings) -> NamedJudge:
    """Returns a model as a judge, which is asked for the facts of answers; the rules match them and
    read verdicts.

    Args:
        client: closed by who opened it.
        findings: gets what was found in each unit.
    """
    identity = facts_judge(client.spec)

    @asynccontextmanager
    async def opened(ledger: Ledger, writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        async with (
            Leases(ledger, writer) as leases,
            Asker(client, ledger, writer, leases, identity.id) as asker,
        ):

            async def judge(units: Sequence[Unit]) -> AsyncIterator[Verdict]:
                for unit in units:
                    finding = await _find(asker, unit)
                    findings[unit.id] = finding
                    verdict = verdict_on(unit, identity, finding.score)
                    if verdict:
                        yield verdict

            yield UnitJudge(
                identity=identity,
                judge=judge,
                at_once=client.ahead,
                spend=lambda: asker.spend,
            )

    return NamedJudge(identity=identity, opening=opened)


async def _find(asker: Asker, unit: Unit) -> AnswerFinding:
    """What a model finds in an answer: nothing in an empty one, about which it is not asked."""
    question, answer = answer_of(unit)
    facts: QuotedFacts | NoScore = QuotedFacts()
    if answer.text.strip():
        facts = await _ask_for_facts(asker, (question.text, answer.text))
    if isinstance(facts, NoScore):
        return AnswerFinding(score=facts)
    targets = targets_of(question)
    quoted = facts.facts
    score = score_with(lambda: quoted, question.text, targets, answer.text)
    return AnswerFinding(score=score, quotes=facts.quotes, dropped=facts.dropped)


def quote_counts(
    name: str, findings: Sequence[AnswerFinding]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """What a model quoted in answers, for the signature, and a sentence on quotes that were
    dropped.

    Args:
        name: of the model.
        findings: of each answer.
    """
    quotes = sum(f.quotes for f in findings)
    dropped = sum(f.dropped for f in findings)
    scores = [finding.score for finding in findings]
    statuses = Counter(score.status for score in scores if isinstance(score, NoScore))
    counts = {
        "quotes": quotes,
        "quotes_dropped": dropped,
        **{f"answers_{status}": statuses[status] for status in STATUSES},
    }
    if not dropped:
        return counts, ()
    n_answers = sum(finding.dropped > 0 for finding in findings)
    return counts, (
        f"{dropped} of {quotes} quotes of {name} are not in the answer that they are said "
        f"to be from: dropped (in {n_answers} of {len(findings)} answers)",
    )


def check_replied(spend: Spend, findings: Sequence[AnswerFinding]) -> None:
    """Raises EndpointError where calls failed, and no answer has a reply."""
    scores = [finding.score for finding in findings]
    silent = []
    for s in scores:
        if isinstance(s, NoScore) and s.status in ("failed", "left"):
            silent.append(s)
    if spend.failures and len(silent) == len(scores):
        reason = next(iter(spend.failures)).rstrip(".")
        raise EndpointError(f"No reply came for any of {len(scores)} answers: {reason}.")


def forecast_facts(
    asked: Sequence[Text], spec: ModelSpec, price: Price | None, ledger: Path | None
) -> Forecast:
    """The calls, tokens and cost of `judge_by_model`, if each reply can be read; makes no call.

    Args:
        ledger: where replies may be; None, or a file that is not there, for none. It is not made.
    """
    with open_to_read(ledger) as opened:
        forecaster = Forecaster(spec, price, opened)
        for text in asked:
            forecaster.add(facts_request(text), _FRAME + estimate_tokens(text[1]))
    forecaster.units = len(asked)
    return forecaster.forecast()


async def _ask_for_facts(asker: Asker, text: Text) -> QuotedFacts | NoScore:
    """The facts of one answer by a model, or why there are none; it is asked twice at most."""
    reason = ""
    for attempt in range(2):
        outcome = (await asker.ask(facts_request(text, attempt))).outcome
        if outcome is None:
            return NoScore(status="left", reason=asker.client.account.exhausted)
        if isinstance(outcome, Failure):
            return NoScore(status="failed", reason=outcome.reason)
        if outcome.refused:
            return NoScore(status="refused", reason="")
        if outcome.finish_reason in CUT:  # the same question would be cut off again
            reason = "it was cut off at its limit, see --max-tokens"
            return NoScore(status="unparsed", reason=reason)
        facts = parse_quotes(outcome.text, text[1])
        if facts is not None and facts.usable:
            return facts
        reason = "most of its quotes are not in the answer"
        if facts is None:
            reason = "it holds no list of facts"
    return NoScore(status="unparsed", reason=reason)


def facts_request(text: Text, attempt: int = 0) -> Request:
    """The request for the facts of an answer; at a second attempt with a reminder."""
    system, prompt = facts_prompt(*text)
    request = Request.of(prompt, system=system, schema=SCHEMA)
    if attempt:
        return request.asked_again(_REMINDER)
    return request
