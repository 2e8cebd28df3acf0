"""Which model is asked, where, and with which parameters: `openai:MODEL` and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from yarl import URL

from factmark.errors import InputError
from factmark.http.addresses import is_loopback
from factmark.model import content_hash

Protocol = Literal["openai", "anthropic"]

_PROVIDERS: Mapping[str, tuple[Protocol, str, str | None]] = {
    "openai": ("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "ollama": ("openai", "http://localhost:11434/v1", None),
}
_PATHS = ("/chat/completions", "/messages")
_QUERY = {"api-version"}


def names_model(text: str) -> bool:
    """Whether a text is meant as a model's name: `openai:MODEL` and its kin."""
    provider, colon, _ = text.partition(":")
    return bool(colon) and provider in _PROVIDERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model and all that could change what it replies; holds no credentials.

    Attributes:
        protocol: `openai` (chat completions) or `anthropic` (messages).
        base_url: without credentials and without the path of the protocol.
        temperature, top_p, seed: as the protocol has them; None is not sent. Anthropic's has no
            seed. The number of the sample is added to the seed.
        max_tokens: the most tokens of a reply, its thinking included.
        extra: further fields of the request body as JSON values, such as `reasoning_effort`.
        key_env: the environment variable that holds the key, or None; no part of the identity.
        own_service: whether the address is the provider's own; no part of the identity.
        key_named: whether the user named the variable, so that it must hold a key.
    """

    protocol: Protocol
    model: str
    base_url: str
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int = 1024
    seed: int | None = 0
    extra: Mapping[str, object] = field(default_factory=dict)
    key_env: str | None = None
    own_service: bool = False
    key_named: bool = False

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        max_tokens: int = 1024,
        seed: int | None = 0,
        extra: Mapping[str, object] | None = None,
    ) -> ModelSpec:
        """The model that `openai:MODEL`, `anthropic:MODEL` or `ollama:MODEL` names.

        Args:
            base_url: another server that speaks the protocol, such as http://localhost:8000/v1.
            key_env: the environment variable that holds the key; the provider's own where None.

        Raises:
            InputError: for any other text, an address that is none or holds credentials, or
                parameters out of their range.
        """
        provider, _, model = text.partition(":")
        if provider not in _PROVIDERS or not model.strip():
            raise InputError(
                f"{text!r} names no model. Write openai:MODEL, anthropic:MODEL or ollama:MODEL; "
                "--base-url names the server."
            )
        protocol, own, own_key = _PROVIDERS[provider]
        _check(temperature=temperature, top_p=top_p, max_tokens=max_tokens)
        address = own if base_url is None else _address(base_url, protocol)
        return cls(
            protocol=protocol,
            model=model.strip(),
            base_url=address,
            temperature=None if temperature is None else float(temperature),
            top_p=None if top_p is None else float(top_p),
            max_tokens=max_tokens,
            seed=seed,
            extra=dict(extra or {}),
            key_env=key_env or own_key,
            key_named=key_env is not None,
            own_service=address == own,
        )

    @property
    def parameters(self) -> dict[str, object]:
        """All that could change a reply, as JSON values."""
        return {
            "protocol": self.protocol,
            "model": self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra": dict(self.extra),
        }

    @property
    def identity(self) -> str:
        """The hash of all that could change a reply."""
        return content_hash(self.parameters)

    @property
    def name(self) -> str:
        """As people read it."""
        return f"{self.protocol}:{self.model}"

    @property
    def needs_key(self) -> bool:
        """Whether no request can work without a key."""
        return self.key_named or (self.own_service and not self.local)

    @property
    def local(self) -> bool:
        """Whether the server is on this machine."""
        host = URL(self.base_url).host or ""
        return is_loopback(host) or host.endswith(".localhost")

    @property
    def path(self) -> str:
        """Where requests go, below the base URL."""
        return "chat/completions" if self.protocol == "openai" else "messages"

    @property
    def url(self) -> URL:
        """Where requests go."""
        base = URL(self.base_url)
        return (base / self.path).with_query(base.query)


def _address(given: str, protocol: Protocol) -> str:
    """A base URL in its one form; bare hosts get `/v1`, which all such servers have."""
    try:
        url = URL(given.strip())
        usable = url.scheme in ("http", "https") and bool(url.host) and url.port is not None
    except ValueError:
        usable = False
    if not usable:
        raise InputError("--base-url is an address such as http://localhost:8000/v1")
    if url.user is not None or url.password is not None or not set(url.query) <= _QUERY:
        raise InputError(
            "--base-url may hold no user, password or key. Put the key into an environment "
            "variable and name that."
        )
    path = url.path.rstrip("/")
    for ending in _PATHS:
        path = path.removesuffix(ending)
    if not path or (protocol == "anthropic" and not path.endswith("/v1")):
        path += "/v1"
    return str(url.with_path(path).with_query(url.query))


def _check(*, temperature: float | None, top_p: float | None, max_tokens: int) -> None:
    if temperature is not None and not 0 <= temperature <= 2:
        raise InputError(f"temperature is between 0 and 2, not {temperature}.")
    if top_p is not None and not 0 < top_p <= 1:
        raise InputError(f"top_p is above 0 and at most 1, not {top_p}.")
    if max_tokens < 1:
        raise InputError(f"max_tokens is at least 1, not {max_tokens}.")
