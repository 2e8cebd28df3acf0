"""What the commands that ask a model share: its options read, what it would cost, what it did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.cli import options
from factmark.cli.console import print_json, print_line, say

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient
    from factmark.ask.forecast import Forecast
    from factmark.ask.model_spec import ModelSpec
    from factmark.ask.prices import Price
    from factmark.ask.spend import Spend
    from factmark.passages.embedders import Search


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The options of a command that asks a model.

    A purse that is shared with others takes the place of the bounds.
    """

    base_url: options.BaseUrl = None
    key_env: options.KeyEnv = None
    temperature: options.Temperature = 0.0
    max_tokens: options.MaxTokens = 1024
    concurrency: options.Concurrency = 64
    max_calls: options.MaxCalls = None
    max_cost: options.MaxCost = None
    max_failures: options.MaxFailures = 20
    take_over: options.TakeOver = False
    prices: options.PriceTable = None
    seed: int = 0
    purse: Any = None  # a `Purse`, whose module is loaded by those who ask only

    @property
    def given(self) -> bool:
        """Whether any option was given that means nothing without a model."""
        return any((self.base_url, self.key_env, self.prices)) or (
            self.max_calls,
            self.max_cost,
        ) != (None, None)

    def spec(self, model: str) -> ModelSpec:
        """The model, with its parameters.

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
        )

    def price(self, spec: ModelSpec) -> Price | None:
        """The model's price; None if it is not known."""
        from factmark.ask.prices import Prices

        return Prices.load(self.prices).of(spec)

    def client(self, spec: ModelSpec) -> ChatClient:
        """A client that keeps to the budget; opens no connection yet."""
        from factmark.ask.budget import Account, Budget
        from factmark.ask.client import ChatClient

        budget = Budget(max_calls=self.max_calls, max_cost=self.max_cost)
        account = Account(budget, self.price(spec), purse=self.purse)
        return ChatClient(
            spec,
            account=account,
            concurrency=self.concurrency,
            max_failures=self.max_failures,
        )

    def free(self, ledger: Path | None) -> None:
        """Has a ledger forget its other runs, where the user says that they are gone."""
        if self.take_over and ledger is not None:
            from factmark.ledger.leases import take_over

            take_over(ledger)


def tell_forecast(forecast: Forecast, spec: ModelSpec, *, json: bool) -> None:
    """What a run would ask and cost, on stdout."""
    if json:
        rest = asdict(forecast)
        del rest["model"], rest["condition"]
        print_json({"model": spec.name, "base_url": spec.base_url, **rest})
        return
    cost = "unknown (give --prices)" if forecast.cost is None else f"{forecast.cost:.4g}"
    known = forecast.cached + forecast.judged_before
    print_line(
        f"{spec.name} at {spec.base_url}: {forecast.calls:,} calls, {known:,} known already; about "
        f"{forecast.input_tokens:,} tokens in, {forecast.output_tokens:,} out; cost {cost}. "
        "Nothing was asked."
    )


def tell_spend(name: str, spend: Spend) -> None:
    """What a run asked of a model and cost, on stderr."""

    cost = "unknown" if spend.cost is None else f"{spend.cost:.4g}"
    calls = "1 call" if spend.calls == 1 else f"{spend.calls:,} calls"
    cached = f" ({spend.cached_tokens:,} cached)" if spend.cached_tokens else ""
    thinking = f" ({spend.thinking_tokens:,} of them thinking)" if spend.thinking_tokens else ""
    say(
        f"{name}: {calls}, {spend.cached:,} replies from the ledger; "
        f"{spend.input_tokens:,} tokens in{cached}, {spend.output_tokens:,} out{thinking}; "
        f"cost {cost}"
    )


def tell_embedding(search: Search) -> None:
    """What an embedder behind a server took, on stderr."""
    from factmark.passages.embedders_http import HttpEmbedder

    used = search.embedder
    if isinstance(used, HttpEmbedder) and (spend := used.spend).calls:
        cost = "cost unknown" if spend.cost is None else f"${spend.cost:.4f}"
        about = "about " if spend.estimated_usage else ""
        say(f"embedding: {spend.calls} calls, {about}{spend.input_tokens:,} tokens, {cost}")
