"""Facts by a model on the command line: which model, what it would cost, and asking it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.cli.asking import Asking, tell_forecast, tell_spend
from factmark.cli.console import progress, say
from factmark.files.temporary import temporary_folder

if TYPE_CHECKING:
    from factmark.answers.core.evaluate import Extraction
    from factmark.answers.core.records import Answer, Question
    from factmark.ask.model_spec import ModelSpec


def model_of(
    extractor: str | None, annotations: Path | None, asking: Asking, *, dry_run: bool
) -> ModelSpec | None:
    """The model that --extractor names, or None where it names none.

    Raises:
        InputError: options that do not go together, or a model that cannot be asked.
    """
    from factmark.ask.model_spec import names_model
    from factmark.errors import InputError

    if extractor and annotations:
        raise InputError("Give --extractor or --annotations, not both.")
    if extractor and names_model(extractor):
        spec = asking.spec(extractor)
        asking.client(spec)  # a missing key or price shows before the ground truth is derived
        return spec
    if dry_run or asking.given:
        raise InputError(
            "--dry-run, --base-url, --key-env, --max-calls, --max-cost and --prices are for a "
            "model that finds the facts: --extractor openai:MODEL."
        )
    return None


def forecast(
    spec: ModelSpec,
    asking: Asking,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    ledger: Path | None,
    *,
    json: bool,
) -> None:
    """Tells what the model would be asked, and asks nothing."""
    from factmark.answers.model_facts import forecast_facts, texts

    asked = texts(questions, answers)
    told = forecast_facts(asked, spec, asking.price(spec), ledger)
    tell_forecast(told, spec, json=json)


async def by_model(
    spec: ModelSpec,
    asking: Asking,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    ledger: Path | None,
) -> Extraction:
    """The facts that a model finds; without a ledger its replies are kept for this run only."""
    from factmark.answers.model_facts import find_model_facts, model_extraction, texts
    from factmark.tables.shown_text import visible

    asked = texts(questions, answers)
    if ledger is None:
        say("note: neither --out nor --ledger: the replies are not kept, and cost again next time")
    with temporary_folder() as folder:
        book = folder / "ledger.db" if ledger is None else ledger
        async with asking.client(spec) as client:
            with progress(f"facts by {spec.name}", len(asked)) as step:
                found, spend = await find_model_facts(
                    asked,
                    client,
                    book,
                    ahead=2 * asking.concurrency,
                    progress=step,
                )
    tell_spend(spec.name, spend)
    if spend.stopped:
        say(f"{visible(spec.name)}: {visible(spend.stopped)}")
    return model_extraction(spec, found, questions, answers, spend.notes)
