"""Which model, what identifies it, what it costs; and that keys stay hidden."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.ask.budget import Account, Budget
from factmark.ask.chat import Message, Request, Usage, estimate_tokens, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price, Prices
from factmark.ask.responses import split_thinking
from factmark.errors import InputError
from factmark.http.secret import Secret
from factmark.redaction import redacted

KEY = "sk-test-0123456789"


@pytest.mark.parametrize(
    ("text", "base_url", "url"),
    [
        ("openai:gpt-4o", None, "https://api.openai.com/v1/chat/completions"),
        ("anthropic:claude-opus-5", None, "https://api.anthropic.com/v1/messages"),
        ("ollama:llama3:8b", None, "http://localhost:11434/v1/chat/completions"),
        ("openai:m", "http://localhost:8000/v1/", "http://localhost:8000/v1/chat/completions"),
        ("openai:m", "http://localhost:8000", "http://localhost:8000/v1/chat/completions"),
        ("openai:m", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("openai:m", "http://h/v1/models", "http://h/v1/chat/completions"),
        ("ollama:m", "http://h:11434/api/chat", "http://h:11434/v1/chat/completions"),
        ("openai:m", "https://h/a?api-version=1", "https://h/a/chat/completions?api-version=1"),
        ("anthropic:m", "https://h/anthropic", "https://h/anthropic/v1/messages"),
        (
            "gemini:gemini-2.5-flash",
            None,
            "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
        ),
        ("openrouter:openai/gpt-4o", None, "https://openrouter.ai/api/v1/chat/completions"),
        (
            "azure:d",
            "https://r.openai.azure.com",
            "https://r.openai.azure.com/openai/v1/chat/completions",
        ),
        (
            "azure:d",
            "https://r.openai.azure.com/openai/v1/",
            "https://r.openai.azure.com/openai/v1/chat/completions",
        ),
        (
            "azure:d",
            "https://r.openai.azure.com?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        (
            "azure:d",
            "https://h/openai/deployments/e/chat/completions?api-version=1",
            "https://h/openai/deployments/e/chat/completions?api-version=1",
        ),
    ],
)
def test_addresses(text: str, base_url: str | None, url: str) -> None:
    assert str(ModelSpec.parse(text, base_url=base_url).url) == url


@pytest.mark.parametrize("text", ["gpt-4o", "openai:", "openai: ", "acme:x", ""])
def test_no_model(text: str) -> None:
    with pytest.raises(InputError, match="openai:MODEL, anthropic:MODEL, gemini:MODEL, azure:"):
        ModelSpec.parse(text)


def test_azure_has_an_address_for_each_customer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="AZURE_OPENAI_ENDPOINT"):
        ModelSpec.parse("azure:d")
    with pytest.raises(InputError, match="OPENAI_API_VERSION"):
        ModelSpec.parse("azure:d", base_url="https://r.openai.azure.com/openai/deployments/d")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://gateway.example.org/")
    spec = ModelSpec.parse("azure:d")
    assert str(spec.url) == "https://gateway.example.org/openai/v1/chat/completions"
    assert spec.key_env == "AZURE_OPENAI_API_KEY"
    monkeypatch.setenv("OPENAI_API_VERSION", "1")
    assert ModelSpec.parse("azure:d").url.path == "/openai/deployments/d/chat/completions"
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "nowhere")
    with pytest.raises(InputError, match="AZURE_OPENAI_ENDPOINT"):
        ModelSpec.parse("azure:d")


@pytest.mark.parametrize(
    ("text", "base_url", "key_env"),
    [
        ("openai:m", None, "OPENAI_API_KEY"),
        ("openai:m", "https://eu.api.openai.com/v1", "OPENAI_API_KEY"),
        ("openai:m", "http://api.openai.com/v1", None),
        ("openai:m", "https://api.openai.com.example.org/v1", None),
        ("openai:m", "https://notapi.openai.com/v1", None),
        ("openai:m", "http://localhost:8000/v1", None),
        ("anthropic:m", "https://proxy.example.org", None),
        ("gemini:m", None, "GEMINI_API_KEY"),
        ("openrouter:m", None, "OPENROUTER_API_KEY"),
        ("azure:d", "https://r.openai.azure.com", "AZURE_OPENAI_API_KEY"),
        ("azure:d", "https://r.services.ai.azure.com", "AZURE_OPENAI_API_KEY"),
        ("azure:d", "https://azure.com.example.org", None),
        ("ollama:m", None, None),
    ],
)
def test_a_key_goes_to_its_providers_hosts_unless_the_user_says_otherwise(
    text: str, base_url: str | None, key_env: str | None
) -> None:
    assert ModelSpec.parse(text, base_url=base_url).key_env == key_env
    assert ModelSpec.parse(text, base_url=base_url, key_env="MINE").key_env == "MINE"


@pytest.mark.parametrize(
    "base_url",
    [
        "localhost:8000",
        "ftp://h",
        "",
        "http://",
        "http://h:x",
        f"http://u:{KEY}@h/v1",
        f"http://h/v1?key={KEY}",
        f"http://{KEY}@h/v1",
    ],
)
def test_an_address_that_is_none_or_holds_a_key(base_url: str) -> None:
    with pytest.raises(InputError) as caught:
        ModelSpec.parse("openai:m", base_url=base_url)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"temperature": -1}, {"temperature": 3}, {"top_p": 0}, {"max_tokens": 0}]
)
def test_parameters_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        ModelSpec.parse("openai:m", **wrong)  # type: ignore[arg-type]


def test_all_that_could_change_a_reply_changes_the_key() -> None:
    base = ModelSpec.parse("openai:m", base_url="http://h/v1")
    request = Request.of("hello")
    specs = [
        base,
        *(
            replace(base, **{name: value})
            for name, value in [
                ("provider", "anthropic"),
                ("model", "n"),
                ("base_url", "http://i/v1"),
                ("temperature", 0.5),
                ("top_p", 0.9),
                ("max_tokens", 5),
                ("seed", 1),
                ("extra", {"reasoning_effort": "low"}),
            ]
        ),
    ]
    requests = [
        request,
        Request.of("hello", system="x"),
        replace(request, messages=(Message(role="system", content="hello"),)),
        replace(request, schema={"type": "object"}),
        replace(request, sample=1),
        replace(request, attempt=1),
    ]
    assert len({spec.identity for spec in specs}) == len(specs)
    keys = {request_key(s.parameters, r) for s in specs for r in requests}
    assert len(keys) == len(specs) * len(requests)


def test_key_and_provider_are_no_part_of_the_identity() -> None:
    base = ModelSpec.parse("openai:m", base_url="http://h/v1")
    assert replace(base, key_env="MINE").identity == base.identity
    assert ModelSpec.parse("ollama:m", base_url="http://h/v1").identity == base.identity


def test_a_secret_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", f" {KEY}\n")
    secret = Secret.from_environment("MINE")
    assert secret.reveal() == KEY
    assert KEY not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert redacted(f"x{KEY}y") == "x***y"
    Secret("EMPTY")
    assert redacted("EMPTY set") == "EMPTY set"


def test_a_missing_or_odd_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINE", raising=False)
    with pytest.raises(InputError, match="MINE is not set"):
        Secret.from_environment("MINE")
    monkeypatch.setenv("MINE", f"{KEY}\nX-Header: 1")
    with pytest.raises(InputError, match="odd characters") as caught:
        Secret.from_environment("MINE")
    assert KEY not in str(caught.value)


def test_prices(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('[models]\n"m" = { input = 2, output = 10, cached = 1 }\n')
    prices = Prices.load(table)
    mine = ModelSpec.parse("openai:m", base_url="http://localhost:1/v1")
    assert prices.of(mine) == Price(input=2, output=10, cached=1)
    usage = Usage(input=1_000_000, output=100_000, cached=500_000)
    assert Price(input=2, output=10, cached=1).cost(usage) == pytest.approx(1 + 0.5 + 1)
    assert prices.of(replace(mine, model="other")) == Price(input=0, output=0)
    assert prices.of(ModelSpec.parse("openai:other", base_url="http://h/v1")) is None
    assert prices.of(ModelSpec.parse("openai:gpt-4o-mini-2024-07-18")) == Price(
        input=0.15, output=0.6, cached=0.075
    )
    assert prices.of(ModelSpec.parse("openai:gpt-4o", base_url="http://h/v1")) is None
    assert prices.as_of.startswith("20")


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        "x = 1",
        "[models]\nm = 1",
        "[models.m]\ninput = 1",
        '[models.m]\ninput = 1\noutput = "2"',
        "[models.m]\ninput = 1\noutput = -2",
    ],
)
def test_a_broken_price_table(text: str, tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(text)
    with pytest.raises(InputError, match=r"prices\.toml"):
        Prices.load(table)


def test_a_bounded_cost_needs_a_price() -> None:
    with pytest.raises(InputError, match="--prices"):
        Account(Budget(max_cost=1.0), None)


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        ("YES", "YES", ""),
        ("<think>no, wait</think>\nYES", "YES", "no, wait"),
        ("no, wait</think>\n\nYES", "YES", "no, wait"),
        ("<think>no, wai", "", "no, wai"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("<think></think>YES", "YES", ""),
        ("<Thinking>a</Thinking>b", "b", "a"),
        ("a <think> later", "a <think> later", ""),
        ("<think>a</think><think>b</think>c", "c", "a\n\nb"),
    ],
)
def test_thinking_is_kept_apart(text: str, answer: str, thinking: str) -> None:
    assert split_thinking(text) == (answer, thinking)


@given(st.text())
def test_nothing_is_invented(text: str) -> None:
    answer, thinking = split_thinking(text)
    assert answer in text
    assert all(part in text for part in thinking.split("\n\n"))
    assert 0 <= estimate_tokens(text) <= len(text) + 1
