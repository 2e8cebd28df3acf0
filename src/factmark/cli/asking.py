"""What the commands that ask a model share: its options read, what it would cost, what it did."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from json import dumps, loads
from typing import TYPE_CHECKING, Any, Literal

import typer

from factmark.cli import options
from factmark.cli.console import print_line, say
from factmark.cli.exit_status import INCOMPLETE, PROBLEM
from factmark.cli.showing import show_outcome
from factmark.errors import InputError
from factmark.report.envelope import CommandOutcome
from factmark.text.shown_text import count

if TYPE_CHECKING:
    from pathlib import Path

    from factmark.ask.budget import Spend
    from factmark.ask.client import ChatClient
    from factmark.ask.forecast import Forecast
    from factmark.ask.model_spec import ModelSpec
    from factmark.ask.needs import Needs
    from factmark.ask.pace import Rates
    from factmark.ask.runner import JudgingProgress
    from factmark.files.shards import Shard
    from factmark.http.secret import Secret
    from factmark.passages.embedders import Search

OURS = {"model", "messages", "input", "system", "tools", "tool_choice", "stream"}
"""Fields of a request that cannot be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The options of a command that asks a model.

    A budget that is shared with others takes the place of the bounds.
    """

    base_url: options.BaseUrl = None
    key_env: options.KeyEnv = None
    protocol: options.Protocol = "auto"
    temperature: options.Temperature = None
    max_tokens: options.MaxTokens = 1024
    concurrency: options.Concurrency = "auto"
    timeout: options.Timeout = None
    rpm: options.Rpm = None
    tpm: options.Tpm = None
    extra: options.Extra = None
    header: options.Header = field(default=None, repr=False)
    max_calls: options.MaxCalls = None
    max_cost: options.MaxCost = None
    max_failures: options.MaxFailures = 20
    batch_api: options.BatchApi = False
    prices: options.PriceTable = None
    seed: int = 0
    budget: Any = None  # a `Budget`, whose module is loaded by those who ask only

    @property
    def given(self) -> bool:
        """Whether any option was given that makes sense only with a model."""
        return any((self.base_url, self.key_env, self.prices, self.batch_api)) or (
            self.max_calls,
            self.max_cost,
        ) != (None, None)

    def spec(self, model: str) -> ModelSpec:
        """Returns the model to ask, with its parameters.

        Raises:
            InputError: as `ModelSpec.parse`.
        """
        from factmark.ask.model_spec import ModelSpec

        return ModelSpec.parse(
            model,
            base_url=self.base_url,
            key_env=self.key_env,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=self.seed,
            extra=extra_fields(self.extra or ()),
        ).speaking(self.protocol)

    def client(self, spec: ModelSpec) -> ChatClient:
        """Returns a client that keeps to the budget; it opens no connection yet."""
        from factmark.ask.budget import Account, Budget
        from factmark.ask.client import ChatClient
        from factmark.ask.prices import Prices

        budget = self.budget or Budget(max_calls=self.max_calls, max_cost=self.max_cost)
        account = Account(budget, Prices.load(self.prices).of(spec), spec.name)
        headers = secret_headers(self.header or ())
        batches = None
        if self.batch_api:
            from factmark.ask.batch_api.provider_batches import provider_batches

            batches = provider_batches(spec, headers=headers)
        return ChatClient(
            spec,
            account=account,
            rates=rates_of(self),
            headers=headers,
            max_failures=self.max_failures,
            tell=say,
            batches=batches,
        )


def share_of(asking: Asking, processes: int) -> Asking:
    """Returns how one of several processes asks, with its share of what bounds the pace."""
    shares: dict[str, Any] = {}
    for name in ("rpm", "tpm", "concurrency"):
        n = getattr(asking, name)
        if isinstance(n, int):
            shares[name] = max(1, n // processes)
    return replace(asking, **shares, budget=None)


def rates_of(given: Any) -> Rates:
    """Returns the options that fix how fast a model is asked, from any record that has them."""
    from factmark.ask.pace import Rates

    return Rates(**{name: getattr(given, name) for name in Rates.__dataclass_fields__})


def extra_fields(given: Iterable[str] | Mapping[str, object]) -> dict[str, object]:
    """Returns further fields of each request from KEY=VALUE; the value is JSON, or else a text.

    Raises:
        InputError: another form, or a field that factmark writes itself.
    """
    pairs = given.items() if isinstance(given, Mapping) else name_values("--extra", given)
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in OURS:
            raise InputError(f"--extra {name}: is a field that factmark writes itself.")
        try:
            if isinstance(value, str):
                fields[name] = loads(value)
            else:
                fields[name] = value
            dumps(fields[name], allow_nan=False)
        except (ValueError, RecursionError):
            fields[name] = value
    return fields


def secret_headers(given: Iterable[str] | Mapping[str, str]) -> dict[str, Secret]:
    """Returns further headers from NAME=VALUE or NAME=env:VARIABLE; their values are shown nowhere.

    Raises:
        InputError: another form, no such variable, or what cannot stand in a header.
    """
    from factmark.http.secret import Secret

    pairs = given.items() if isinstance(given, Mapping) else name_values("--header", given)
    headers = {}
    for name, value in pairs:
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise InputError("--header: the name before `=` has letters, digits and hyphens.")
        if value.startswith("env:"):
            variable = value.removeprefix("env:")
            headers[name] = Secret.from_environment(variable, spaces=True)
        elif value.isascii() and value.isprintable():
            headers[name] = Secret(value.strip())
        else:
            raise InputError(f"--header {name}: the value has characters that no header has.")
    return headers


def name_values(option: str, given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields name and value of each option of the form NAME=VALUE.

    Raises:
        InputError: another form.
    """
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option}: write NAME=VALUE.")  # the text may be a secret
        yield name.strip(), value


def incomplete_exit(why: int | str) -> typer.Exit:
    """Says that not all units were judged or answered; returns the exit for the caller to raise.

    Args:
        why: how many calls failed, or why asking stopped.
    """
    if isinstance(why, int):
        words = f"{why} failed"
    else:
        words = why.rstrip(".")
    say(f"not complete: {words}. The same command goes on from there")
    return typer.Exit(INCOMPLETE)


def check_judged(
    statuses: Mapping[str, int], stopped: str, nouns: str, nothing: str, *, by_rules: bool
) -> None:
    """Says what was not judged; exits with 3 where calls failed or the budget ended, and with 1
    where nothing has a verdict, unless rules judged.

    Args:
        statuses: status -> how many units have it.
        stopped: why asking ended early; empty where it did not.
        nothing: why there may be no units.
    """
    units = sum(statuses.values())
    judged = statuses["ok"]
    failed = statuses["failed"]
    if not units:
        say(f"nothing was judged: {nothing}")
    elif not judged:
        say(f"none of {units} {nouns} has a verdict")
    if failed or stopped:
        raise incomplete_exit(failed or stopped)
    if not units or not (by_rules or judged):
        raise typer.Exit(PROBLEM)


@contextmanager
def tell_what_is_kept(ledger: Path | None) -> Iterator[None]:
    """If the block is interrupted, the line on that says that the ledger keeps what came in.

    Args:
        ledger: None where nothing is kept.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if ledger is not None and ledger.exists():
            interrupt.add_note(f"{ledger} keeps what came in; the same command goes on from there.")
        raise


def tell_forecast(
    forecast: Forecast,
    spec: ModelSpec,
    *,
    json: bool,
    at_once: int | Literal["auto"] = "auto",
) -> None:
    """Prints what a run would ask, cost and need, on stdout.

    Args:
        at_once: calls in flight.
    """
    from factmark.ask.needs import needs_of

    needs = needs_of(forecast, at_once)
    if json:
        figures = {"base_url": spec.base_url, **asdict(forecast), **asdict(needs)}
        del figures["model"], figures["condition"]
        show_outcome(CommandOutcome(command="forecast", subject=spec.name, details=figures))
        return
    cost = "unknown (give --prices)"
    if forecast.cost is not None:
        cost = f"{forecast.cost:.4g}"
    known = forecast.cached + forecast.judged_before
    print_line(
        f"{spec.name} at {spec.base_url}: {count(forecast.calls, 'call', 'calls')}, {known:,} "
        "known already; about "
        f"{forecast.input_tokens:,} tokens in, {forecast.output_tokens:,} out; cost {cost}. "
        f"{_needs_in_words(needs)} Nothing was asked."
    )


def _needs_in_words(needs: Needs) -> str:
    """Returns the hours, memory and disk that a run needs, and what they are known by."""
    if needs.hours < 1:
        time = f"{60 * needs.hours:.2g} minutes"
    else:
        time = f"{needs.hours:.2g} hours"
    known = "by what other runs took (docs/speed.md)"
    if needs.measured:
        known = f"{needs.measured} by what the ledger has measured"
    return (
        f"It takes about {time}, {needs.memory_mb:,} MB of memory and {needs.disk_mb:,} MB of disk,"
        f" {known}."
    )


def tell_spend(name: str, spend: Spend) -> None:
    """Prints what a run asked of a model and what that cost, on stderr."""
    say(spend_in_words(name, spend))


def spend_in_words(name: str, spend: Spend) -> str:
    """Returns what a run asked of a model and what that cost, in a line."""
    cost = "unknown"
    if spend.cost is not None:
        cost = f"{spend.cost:.4g}"
    calls = count(spend.calls, "call", "calls")
    cached = ""
    if spend.cached_tokens:
        cached = f" ({spend.cached_tokens:,} cached)"
    thinking = ""
    if spend.thinking_tokens:
        thinking = f" ({spend.thinking_tokens:,} of them thinking)"
    return (
        f"{name}: {calls}, {count(spend.cached, 'reply', 'replies')} from the ledger; "
        f"{spend.input_tokens:,} tokens in{cached}, {spend.output_tokens:,} out{thinking}; "
        f"cost {cost}"
    )


@asynccontextmanager
async def search_that_tells(
    embedder: str,
    *,
    base_url: str | None = None,
    key_env: str | None = None,
    tell: Callable[[str], None] = say,
) -> AsyncIterator[Search]:
    """Opens a search as `open_search`; calls `tell` with what its embedder used when it is
    closed."""
    from factmark.passages.embedders import open_search

    search = open_search(embedder, base_url=base_url, key_env=key_env)
    try:
        yield search
    finally:
        await search.close()
        tell_embedding(search, tell)


def tell_embedding(search: Search, tell: Callable[[str], None] = say) -> None:
    """Calls `tell` with what an embedder behind a server used."""
    from factmark.passages.embedders_http import HttpEmbedder

    used = search.embedder
    if isinstance(used, HttpEmbedder) and (spend := used.spend).calls:
        cost = "cost unknown"
        if spend.cost is not None:
            cost = f"${spend.cost:.4f}"
        about = ""
        if spend.estimated_usage:
            about = "about "
        tell(
            f"embedding: {count(spend.calls, 'call', 'calls')}, {about}{spend.input_tokens:,} "
            f"tokens, {cost}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart:
    """What came of one part of a study: counts alone, since figures would be of the part. The
    ledgers of all parts are merged, and the same command without --shard gives the results.

    Attributes:
        ledger: where the verdicts are, and the replies.
        judges: who judged, by name.
        statuses: units by the status of their verdict.
        left: units that stay to be judged, for want of budget.
        problems: what was wrong with the input.
    """

    part: Shard
    ledger: Path
    judges: tuple[str, ...]
    statuses: Mapping[str, int]
    left: int
    spend: Spend
    problems: tuple[str, ...] = ()

    @classmethod
    def of_progress(
        cls, part: Shard, ledger: Path, done: JudgingProgress, problems: tuple[str, ...] = ()
    ) -> JudgedPart:
        """Returns the part that a judge went through."""
        return cls(
            part=part,
            ledger=ledger,
            judges=(done.judge.name,),
            statuses={str(name): n for name, n in done.verdicts.items()},
            left=done.left,
            spend=done.spend,
            problems=problems,
        )


def check_whole(shard: str) -> None:
    """Raises InputError where results are wanted of a part that `--shard` names."""
    if shard:
        raise InputError(
            f"--shard {shard}: a part has counts and no results. Call the command, merge the "
            "ledgers of all parts, and leave --shard out."
        )


def finish_part(done: JudgedPart, *, command: str, json: bool) -> None:
    """Prints what came of a part; exits with 3 where calls failed or a budget ended."""
    units = sum(done.statuses.values())
    if json:
        details = {
            "part": str(done.part),
            "ledger": str(done.ledger),
            "units": units + done.left,
            "statuses": dict(done.statuses),
            "left": done.left,
            "judged_before": done.spend.judged_before,
            "spent": done.spend.as_json(),
        }
        subject = ", ".join(done.judges)
        show_outcome(
            CommandOutcome(
                command=command, subject=subject, details=details, problems=done.problems
            )
        )
    else:
        statuses = ", ".join(f"{n:,} {name}" for name, n in sorted(done.statuses.items()))
        print_line(
            f"part {done.part}: {count(units, 'unit', 'units')} judged by "
            f"{', '.join(done.judges)} ({statuses or 'none here'}), "
            f"{count(done.spend.calls, 'call', 'calls')}; kept in {done.ledger}"
        )
        print_line(
            "When all parts are judged: `factmark ledger merge LEDGERS --out ALL.db`, then the "
            "same command with --ledger ALL.db and without --shard."
        )
        for problem in done.problems:
            say(f"note: {problem}")
    failed = done.statuses.get("failed", 0)
    if failed or done.spend.stopped:
        raise incomplete_exit(failed or done.spend.stopped)
    if done.left:
        raise typer.Exit(INCOMPLETE)
