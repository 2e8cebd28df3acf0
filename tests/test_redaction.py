"""What is struck out of texts, what is not, and what is taken for a key where none should be."""

from __future__ import annotations

import json
import secrets
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.ask.model_spec import ModelSpec
from factmark.errors import EndpointError, InputError, library_words
from factmark.http.secret import Secret, is_key, is_key_name, keys_in_command
from factmark.redaction import add_secret, drop_secret, redacted, redacted_bytes
from servers.echo import FORMS

KEY = "rd-Zq1/x+Y8~Lm5=Kt3-Wv9"


@pytest.fixture(autouse=True)
def secret() -> None:
    add_secret(f"Bearer {KEY}")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_struck_out_and_nothing_beside_it(form: str) -> None:
    shown = FORMS[form](KEY)
    text = f"before {shown} after"
    out = redacted(text)
    assert KEY[4:20] not in out
    assert out.startswith("before ")
    assert out.endswith(" after")
    assert len(out) <= len("before *** after") + 24  # quotes, and what is at the seams of base64
    assert redacted_bytes(text.encode()) == out.encode()


@pytest.mark.parametrize("form", FORMS)
def test_json_stays_json(form: str) -> None:
    value = {"a": f'"{FORMS[form](KEY)}"', "b": [1, f"\\{FORMS[form](KEY)}\\", "é\n"]}
    kept = json.loads(redacted(json.dumps(value)))
    assert kept["b"][0] == 1
    assert kept["b"][2] == "é\n"
    assert KEY[4:20] not in str(kept)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


@given(st.binary(max_size=200))
def test_bytes_of_no_text_stay_as_they_are(data: bytes) -> None:
    assert redacted_bytes(data) == data


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(sorted(FORMS)))
def test_what_stands_around_a_secret_stays(before: str, after: str, form: str) -> None:
    """A blank is between them: else what stands before may be a part of an escape."""
    out = redacted(f"{before} {FORMS[form](KEY)} {after}")
    assert out.startswith(f"{before} ")
    assert out.endswith(f" {after}")


@pytest.mark.parametrize(
    "plain",
    [
        *("", "x", "EMPTY", "none", "test", "not-needed", "no-key-required", "your_api_key_here"),
        *("1234", "20260131", "https://example.org/study", "Factmark study of 2026"),
    ],
)
def test_placeholders_and_words_stay(plain: str) -> None:
    for value in (plain, f"Bearer {plain}"):
        Secret(value)
    assert redacted(f"It is {plain} here.") == f"It is {plain} here."


def test_a_password_of_basic_authentication_and_one_that_is_not_ascii() -> None:
    add_secret("Basic bWU6cHctOXEvN1pyIWQ0")  # me:pw-9q/7Zr!d4
    assert redacted("pw-9q%2F7Zr!d4") == "***"
    add_secret("pässwörd-12345")
    for shown in ("pässwörd-12345", r"p\u00e4ssw\u00f6rd-12345", "p%C3%A4ssw%C3%B6rd-12345"):
        assert redacted(f"[{shown}]") == "[***]"


def test_a_secret_that_is_dropped_is_not_looked_for() -> None:
    add_secret("gone-0123456789")
    drop_secret("gone-0123456789")
    assert redacted("gone-0123456789") == "gone-0123456789"
    assert redacted(KEY) == "***"


def test_an_error_is_told_without_secrets_even_where_it_is_shortened() -> None:
    text = f"{'x' * 1_490} {KEY} {'y' * 3_000}"
    assert KEY[:5] not in str(EndpointError(text))


def test_of_a_librarys_error_only_known_fields_are_told() -> None:
    class LibraryError(Exception):
        message = "Proxy Authentication\nRequired"

    assert library_words(LibraryError("http://me:pw@proxy")) == "Proxy Authentication Required"
    assert library_words(ValueError("http://me:pw@proxy")) == "ValueError"
    assert library_words(OSError(111, "Connection refused")) == "Connection refused"


def test_long_texts_take_no_long_time() -> None:
    text = r"\u00e9 100% &amp; C:\\dir\\n " * 20_000
    begun = time.process_time()
    assert redacted(text) == text
    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *((name, True) for name in ("OPENAI_API_KEY", "x-api-key", "apiKey", "clientSecret")),
        *((name, True) for name in ("token", "HF_TOKEN", "password", "azure_ad_token", "sig")),
        *((name, False) for name in ("max_tokens", "eos_token", "prompt_cache_key", "keywords")),
        *((name, False) for name in ("stop_token_ids", "user", "tokenizer", "author", "monkey")),
    ],
)
def test_names_of_keys(name: str, is_one: bool) -> None:
    assert is_key_name(name) is is_one


@pytest.mark.parametrize(
    "part",
    [
        "v1",
        "0123456789abcdef0123456789abcdef",  # an account
        "123e4567-e89b-12d3-a456-426614174000",
        "Meta-Llama-3.1-70B-Instruct-Turbo",
        "DeepSeekR1DistillQwen32BInstruct",
        "AzureOpenAiDeploymentProd01",
        "sk-ai-gateway",
        "databricks-meta-llama-3-1-70b-instruct",
        "gpt-4o-2024-08-06",
    ],
)
def test_parts_of_honest_addresses_are_no_keys(part: str) -> None:
    assert not is_key(part)
    base_url = f"http://h/{part}/v1"
    assert ModelSpec.parse("openai:m", base_url=base_url).base_url == base_url


def test_most_random_keys_are_known_by_their_shape() -> None:
    letters = string.ascii_letters + string.digits
    drawn = ["".join(secrets.choice(letters) for _ in range(40)) for _ in range(500)]
    assert sum(map(is_key, drawn)) > 450  # 96 of 100, see `_TURNS`


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (("npx", "srv", "--api-key", "abc123"), ["abc123"]),
        (("srv", "--token=abc123", "-v"), ["abc123"]),
        (("docker", "run", "-e", "API_KEY=abc123", "img"), ["abc123"]),
        (("mcp-remote", "http://h/sse", "--header", "Authorization: Bearer abc"), ["Bearer abc"]),
        (("factmark", "serve", "mcp"), []),
        ((), []),
    ],
)
def test_keys_in_a_command(command: tuple[str, ...], keys: list[str]) -> None:
    assert list(keys_in_command(command)) == keys


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": "abc-1234567"},
        {"litellm_params": {"headers": [{"Authorization": "Bearer abc-1234567"}]}},
        {"note": "sk-abcdefgh12345678901234"},
    ],
)
def test_a_key_among_further_fields_is_refused(extra: dict[str, object]) -> None:
    with pytest.raises(InputError, match="env:NAME") as error:
        ModelSpec.parse("openai:m", base_url="http://h/v1", extra=extra)
    assert "1234" not in str(error.value)


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": "EMPTY"},
        {"prompt_cache_key": "project-7-batch-2"},
        {"reasoning_effort": "low", "max_completion_tokens": 100, "stop": ["</s>"]},
        {"metadata": {"stage": "env:PROD"}},
    ],
)
def test_honest_further_fields_stay(extra: dict[str, object]) -> None:
    assert ModelSpec.parse("openai:m", base_url="http://h/v1", extra=extra).extra == extra


def test_an_address_with_a_key_from_the_environment_is_the_same_judge_for_every_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = ModelSpec.parse("openai:m", base_url="http://h/{GATE_KEY}/v1")
    assert spec.base_url == "http://h/{GATE_KEY}/v1"
    identities = set()
    for key in ("a/b+12345678", "c1d2e3f4g5h6"):
        monkeypatch.setenv("GATE_KEY", key)
        assert spec.url.parts[1] == key
        assert spec.url.parts[2:] == ("v1", "chat", "completions")
        identities.add(spec.identity)
    assert len(identities) == 1
    with pytest.raises(InputError, match=r"value of GATE_KEY.*\{GATE_KEY\}"):
        ModelSpec.parse("openai:m", base_url="http://h/c1d2e3f4g5h6/v1")
    monkeypatch.delenv("GATE_KEY")
    with pytest.raises(InputError, match="GATE_KEY is not set"):
        spec.headers()
