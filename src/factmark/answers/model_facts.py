"""Facts of answers by a model: asked through the ledger, quotes of the answer, nothing guessed.

An answer whose reply cannot be read, quotes mostly another text, was refused or never came has no
facts and no score; it is not an empty answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from factmark.answers.core.answer_facts import (
    SCHEMA,
    QuotedFacts,
    facts_id,
    facts_prompt,
    parse_quotes,
)
from factmark.answers.core.evaluate import AnswerJudge, answer_as_scored, sort_out
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import STATUSES, AnswerScore, GivenAnswer, NoScore, Question
from factmark.answers.core.rows import RULES_VERSION
from factmark.answers.core.scores import score_with
from factmark.answers.core.writings import writings
from factmark.ask.asker import Asker, ask_about_each
from factmark.ask.budget import Spend
from factmark.ask.chat import CUT, Failure, Request, estimate_tokens
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.tasks import model_judge
from factmark.cli.asking import Asking, tell_spend
from factmark.cli.console import progress as progress_bar
from factmark.cli.console import say
from factmark.errors import EndpointError
from factmark.files.temporary import temporary_folder
from factmark.ledger.ledger import open_to_read
from factmark.model import Judge
from factmark.text.shown_text import visible

_REMINDER = (
    "Your last reply could not be used. Reply with the JSON object asked for above and nothing "
    "else; each string in it must stand in the answer as it is."
)
_FRAME = 16  # tokens of a reply besides its quotes, assumed

Text = tuple[str, str]
"""A question and an answer to it, as the model sees them"""

FactsByText = Mapping[Text, QuotedFacts | NoScore]
"""What was found in each text that a model was asked about"""


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


async def model_finds_facts(
    spec: ModelSpec,
    asking: Asking,
    questions: Sequence[Question],
    answers: Sequence[GivenAnswer],
    ledger: Path | None,
) -> AnswerJudge:
    """Asks a model for the facts of the answers, with progress on stderr, and returns it as a
    judge.

    Args:
        ledger: None to keep the replies for this run only.
    """
    asked = texts(questions, answers)
    if ledger is None:
        say("note: neither --out nor --ledger: the replies are not kept, and cost again next time")
    with temporary_folder() as folder:
        book = folder / "ledger.db" if ledger is None else ledger
        async with asking.client(spec) as client:
            with progress_bar(f"facts by {spec.name}", len(asked)) as step:
                facts_of, spend = await find_model_facts(asked, client, book, progress=step)
    tell_spend(spec.name, spend)
    if spend.stopped:
        say(f"{visible(spec.name)}: {visible(spend.stopped)}")
    return judge_of_facts(spec, facts_of, questions, answers, spend.notes)


async def find_model_facts(
    asked: Sequence[Text],
    client: ChatClient,
    ledger: Path,
    *,
    progress: Callable[[], None] = lambda: None,
) -> tuple[FactsByText, Spend]:
    """Asks a model for the facts of each answer; what the ledger has is not asked again.

    Args:
        asked: see `texts`.
        ledger: where replies are kept before they are read.
        progress: called after each answer.

    Raises:
        EndpointError: no call can work (a wrong key, model or address), or every one failed; what
            came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    facts_of, asker = await ask_about_each(
        asked, _ask_for_facts, client, facts_judge(client.spec), ledger, progress
    )
    if asker.failures and all(
        isinstance(facts, NoScore) and facts.status in ("failed", "left")
        for facts in facts_of.values()
    ):
        reason, _ = asker.failures.most_common(1)[0]
        n_answers, why = len(facts_of), reason.rstrip(".")
        raise EndpointError(f"No reply came for any of {n_answers} answers: {why}.")
    return facts_of, asker.spend


def judge_of_facts(
    spec: ModelSpec,
    facts_of: FactsByText,
    questions: Sequence[Question],
    answers: Sequence[GivenAnswer],
    notes: Sequence[str] = (),
) -> AnswerJudge:
    """The judge that scores answers by facts that a model found; the rules match and read verdicts.

    Args:
        facts_of: of all `texts` of the questions and answers.
        notes: what else is to be told.
    """

    def facts_in(question: Question, answer: GivenAnswer) -> QuotedFacts | NoScore:
        """Nothing in an empty answer, about which nobody was asked."""
        return facts_of[question.text, answer.text] if answer.text.strip() else QuotedFacts()

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore | NoScore:
        facts = facts_in(question, answer)
        if isinstance(facts, NoScore):
            return facts
        targets = Targets.of(question.ground_truth or (), writings(question))
        return score_with(lambda: facts.facts, question.text, targets, answer.text)

    by_id = {question.query_id: question for question in questions}
    kept, _ = sort_out(answers, by_id)
    given = [answer for answer in kept if answer.lost is None]
    of_answers = [facts_in(by_id[answer.query_id], answer_as_scored(answer)) for answer in given]
    quoted = [facts for facts in of_answers if isinstance(facts, QuotedFacts)]
    quotes, dropped = sum(f.quotes for f in quoted), sum(f.dropped for f in quoted)
    problems = list(notes)
    if dropped:
        problems.append(
            f"{dropped} of {quotes} quotes of {spec.name} are not in the answer that they are said "
            f"to be from: dropped (in {sum(f.dropped > 0 for f in quoted)} of {len(given)} answers)"
        )
    statuses = Counter(facts.status for facts in of_answers if isinstance(facts, NoScore))
    return AnswerJudge(
        judge=facts_judge(spec),
        scorer=scorer,
        problems=tuple(problems),
        counts={
            "quotes": quotes,
            "quotes_dropped": dropped,
            **{f"answers_{status}": statuses[status] for status in STATUSES},
        },
    )


def forecast_facts(
    asked: Sequence[Text], spec: ModelSpec, price: Price | None, ledger: Path | None
) -> Forecast:
    """The calls, tokens and cost of `find_model_facts`, if each reply can be read; makes no call.

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
        reason = (
            "it holds no list of facts"
            if facts is None
            else "most of its quotes are not in the answer"
        )
    return NoScore(status="unparsed", reason=reason)


def facts_request(text: Text, attempt: int = 0) -> Request:
    """The request for the facts of an answer; at a second attempt with a reminder."""
    system, prompt = facts_prompt(*text)
    request = Request.of(prompt, system=system, schema=SCHEMA)
    return request.asked_again(_REMINDER) if attempt else request
