"""Which model is asked, where, with which key and parameters: `openai:MODEL` and its kin.

`PROVIDERS` is all that differs between them before a request is written; the bodies of requests
and replies are those of three protocols: `protocols/` has a file for each.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from yarl import URL

from factmark.ask.chat import merges_schema
from factmark.ask.named_keys import (
    check_address,
    check_fields,
    filled_address,
    filled_fields,
    shown_address,
)
from factmark.ask.weights.weight_files import gguf_hash
from factmark.errors import InputError
from factmark.http.addresses import is_loopback, parse_http_url
from factmark.http.secret import Secret
from factmark.model import content_hash

Protocol = Literal["openai", "anthropic", "responses"]
Speaks = Literal["auto", "chat", "responses"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where models are asked, and how the key is shown there.

    Attributes:
        address: of its service; empty where every user has one, whose variable is `address_env`.
        hosts: what, with their subdomains, gets its key unasked; the address's host where empty.
        key_env: the environment variable that holds the key; None where none is needed.
        key_header: of a request, with the key; `Authorization` has `Bearer ` before it.
        headers: of every request.
        in_process: whether what is named is a file of weights, which this process runs.
    """

    protocol: Protocol = "openai"
    address: str = ""
    address_env: str = ""
    hosts: tuple[str, ...] = ()
    key_env: str | None = None
    key_header: str = "Authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    in_process: bool = False

    def owns(self, address: str) -> bool:
        """Whether an address is, by TLS, of its own hosts."""
        url = URL(address)
        hosts = self.hosts or (URL(self.address).host,)
        host = url.host or ""
        return url.scheme == "https" and any(f".{host}".endswith(f".{name}") for name in hosts)


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(address="https://api.openai.com/v1", key_env="OPENAI_API_KEY"),
    "anthropic": Provider(
        protocol="anthropic",
        address="https://api.anthropic.com/v1",
        key_env="ANTHROPIC_API_KEY",
        key_header="x-api-key",
        headers={"anthropic-version": "2023-06-01"},
    ),
    "gemini": Provider(
        address="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
    ),
    "azure": Provider(
        address_env="AZURE_OPENAI_ENDPOINT",
        hosts=("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"),
        key_env="AZURE_OPENAI_API_KEY",
        key_header="api-key",
    ),
    "openrouter": Provider(address="https://openrouter.ai/api/v1", key_env="OPENROUTER_API_KEY"),
    "ollama": Provider(address="http://localhost:11434/v1"),
    "vllm": Provider(address="http://localhost:8000/v1"),
    "llamacpp": Provider(address="llama.cpp", in_process=True),
}
NAMES = ", ".join(
    f"{name}:{'FILE.gguf' if provider.in_process else 'MODEL'}"
    for name, provider in PROVIDERS.items()
)
OWN_VLLM = "FACTMARK_VLLM"
"""The environment variable that names a vLLM server in place of the one at the usual address, as
where each worker of a machine has its own; whose server it is does not change a verdict."""
RUNNING = ("n_ctx", "n_threads")
"""Fields of `extra` that say how weights are run in this process."""

_ENDINGS = (
    *("/chat/completions", "/responses", "/messages", "/embeddings", "/completions", "/models"),
    *("/api/chat", "/api/generate", "/api/tags"),  # of Ollama, which has the protocol at /v1
)
_PATHS: Mapping[Protocol, str] = {
    "openai": "chat/completions",
    "anthropic": "messages",
    "responses": "responses",
}
_VERSION = "api-version"
_VERSION_ENV = "OPENAI_API_VERSION"


def names_model(text: str) -> bool:
    """Returns whether a text is meant as a model's name: `openai:MODEL` and its kin."""
    provider, colon, _ = text.partition(":")
    return bool(colon) and provider in PROVIDERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model and all that could change what it replies; holds no credentials.

    Attributes:
        provider: a name in `PROVIDERS`; of it, only the protocol is part of the identity.
        base_url: without credentials and without the path of the protocol; `{NAME}` in its path
            stands for a key in the environment.
        temperature, top_p, seed: as the protocol has them; None is not sent, and the model's own
            holds. Anthropic's and the Responses API have no seed. The number of the sample is
            added to the seed.
        max_tokens: the most tokens of a reply, its thinking included.
        extra: further fields of the request body as JSON values, such as `reasoning_effort`; a
            key among them is `env:NAME`.
        key_env: the environment variable that holds the key, or None for a server that gets none;
            no part of the identity.
        embeds: whether it is asked for vectors; no part of the identity.
        file: of weights that this process runs; no part of the identity, nor is its name.
        weights: the hash of what is in it, which is.
        running: how they are run, of `RUNNING`; no part of the identity.
        speaks: by which of OpenAI's protocols it is asked: `auto` is chat completions, and the
            Responses API where the model refuses them. That is part of the identity where the
            Responses API is asked for; else a model keeps its replies however it is served.
    """

    provider: str
    model: str
    base_url: str
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = 1024
    seed: int | None = 0
    extra: Mapping[str, object] = field(default_factory=dict)
    key_env: str | None = None
    embeds: bool = False
    file: Path | None = None
    weights: str = ""
    running: Mapping[str, object] = field(default_factory=dict)
    speaks: Speaks = "auto"

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int = 1024,
        seed: int | None = 0,
        extra: Mapping[str, object] | None = None,
    ) -> ModelSpec:
        """The model that `openai:MODEL` or its kin names.

        Args:
            base_url: another server that speaks the protocol, such as http://localhost:8000/v1.
            key_env: the environment variable that holds the key for that address, whatever it is;
                where None, the provider's own goes to the provider's own hosts only.

        Raises:
            InputError: for any other text, an address that is none or holds credentials, or
                parameters out of their range.
        """
        name, _, model = text.partition(":")
        model = model.strip()
        if name not in PROVIDERS or not model:
            raise InputError(
                f"{text!r} names no model. Write one of {NAMES}; --base-url names the server."
            )
        _check_parameters(temperature=temperature, top_p=top_p, max_tokens=max_tokens)
        check_fields(extra or {})
        file = None
        weights = ""
        running = {}
        extra = dict(extra or {})
        if PROVIDERS[name].in_process:
            if base_url is not None or key_env is not None:
                raise InputError(f"{text}: runs in this process. Leave its server and key out.")
            file = Path(model).expanduser()
            model = file.stem
            weights = gguf_hash(text, file)
            temperature = temperature or 0.0
            running = {name: extra.pop(name) for name in RUNNING if name in extra}
        address = _base_url_of(name, base_url, model)
        own = base_url is None or PROVIDERS[name].owns(address)
        return cls(
            provider=name,
            model=model,
            base_url=address,
            temperature=None if temperature is None else float(temperature),
            top_p=None if top_p is None else float(top_p),
            max_tokens=max_tokens,
            seed=seed,
            extra=extra,
            key_env=key_env or (PROVIDERS[name].key_env if own else None),
            file=file,
            weights=weights,
            running=running,
        )

    def speaking(self, protocol: Speaks) -> ModelSpec:
        """The same model, asked by one of OpenAI's protocols.

        Raises:
            InputError: it speaks a protocol of its own.
        """
        if protocol != "auto" and (self.protocol == "anthropic" or self.file is not None):
            raise InputError(
                f"--protocol {protocol}: {self.provider}: models speak a protocol of their own. "
                "Leave it out."
            )
        return replace(self, speaks=protocol)

    @property
    def protocol(self) -> Protocol:
        """What is spoken: `openai` (chat completions), `anthropic` (messages) or `responses`."""
        if self.speaks == "responses":
            return "responses"
        return PROVIDERS[self.provider].protocol

    @property
    def parameters(self) -> dict[str, object]:
        """All that could change a reply, as JSON values."""
        return {
            "protocol": self.protocol,
            "model": self.weights or self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra": dict(self.extra),
        }

    @property
    def signature(self) -> dict[str, object]:
        """The parameters as results tell them: a temperature that is not sent is `default`."""
        sent = self.temperature
        merged = {}
        if merges_schema(self.extra):
            merged = {"extra_merged": True}
        return {**self.parameters, "temperature": "default" if sent is None else sent, **merged}

    @property
    def identity(self) -> str:
        """The hash of all that could change a reply."""
        return content_hash(self.parameters)

    @property
    def name(self) -> str:
        """As people read it. Ledgers know `ollama:` by its protocol's name, and it stays that."""
        return f"{'openai' if self.provider == 'ollama' else self.provider}:{self.model}"

    @property
    def lasting_name(self) -> str:
        """The name that is part of a judge's identity: a file may be called anything."""
        if self.file is None:
            return self.name
        return self.provider

    @property
    def own_service(self) -> bool:
        """Whether the address is the provider's own, where its list prices hold."""
        return self.base_url == PROVIDERS[self.provider].address

    def headers(self) -> dict[str, str | Secret]:
        """What every request carries, with the key where the server gets one.

        Raises:
            InputError: the key, or one that the address or a field names, is not in the
                environment.
        """
        filled_address(self.base_url)
        filled_fields(self.extra)
        provider = PROVIDERS[self.provider]
        key = Secret.from_environment(self.key_env)
        bearer = ""
        if provider.key_header == "Authorization":
            bearer = "Bearer "
        shown = {}
        if key:
            shown = {provider.key_header: Secret(bearer + key.reveal())}
        return {**provider.headers, **shown}

    @property
    def local(self) -> bool:
        """Whether the server, or what runs in place of one, is on this machine."""
        host = URL(self.base_url).host or ""
        return self.file is not None or is_loopback(host) or host.endswith(".localhost")

    @property
    def path(self) -> str:
        """Where requests go, below the base URL."""
        if self.embeds:
            return "embeddings"
        return _PATHS[self.protocol]

    @property
    def url(self) -> URL:
        """Where requests go."""
        base = filled_address(self.base_url)
        if self.provider == "vllm" and self.own_service and OWN_VLLM in os.environ:
            base = URL(os.environ[OWN_VLLM])
        if self.protocol == "responses" and "/deployments/" in base.path:
            return base.with_path("/openai/v1/responses")  # Azure has them there alone
        return (base / self.path).with_query(base.query)


def _base_url_of(name: str, base_url: str | None, model: str) -> str:
    """Returns the base URL in its one form: the user's, else the provider's."""
    provider = PROVIDERS[name]
    source = "--base-url"
    if base_url is None:
        source = provider.address_env
    if base_url is None and source:
        given = os.environ.get(source)
    else:
        given = base_url
    if given is None and provider.address:
        return provider.address
    if not given and not provider.address:
        raise InputError(
            f"{name}: has an address for each customer, such as https://NAME.{provider.hosts[0]}. "
            f"Put it into the environment variable {source}, or give it with --base-url."
        )
    url = parse_http_url(given or "", f"{source} is an address such as http://localhost:8000/v1")
    if url.user is not None or url.password is not None or not set(url.query) <= {_VERSION}:
        raise InputError(
            f"{source} may hold no user, password or key. Put the key into an environment "
            "variable and name that."
        )
    check_address(source, url)
    path = url.path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    if name == "azure":
        return _azure_url(url, path, model)
    if not path or (provider.protocol == "anthropic" and not path.endswith("/v1")):
        path += "/v1"  # which all such servers have
    return shown_address(url.with_path(path).with_query(url.query))


def _azure_url(url: URL, path: str, model: str) -> str:
    """Returns one of Azure's two forms: its v1 API, or a deployment's path where a version of the
    API is given.
    """
    version = url.query.get(_VERSION) or os.environ.get(_VERSION_ENV)
    if path in ("", "/openai"):
        path = "/openai/v1"
        if version:
            path = f"/openai/deployments/{model}"
    if "/deployments/" not in path:
        return shown_address(url.with_path(path).with_query(url.query))
    if not version:
        raise InputError(
            f"azure: a deployment's address ends with ?{_VERSION}=2024-10-21 or another version; "
            f"{_VERSION_ENV} names it too."
        )
    return shown_address(url.with_path(path).with_query({_VERSION: version}))


def _check_parameters(*, temperature: float | None, top_p: float | None, max_tokens: int) -> None:
    """Raises InputError where a parameter is out of its range."""
    if temperature is not None and not 0 <= temperature <= 2:
        raise InputError(f"temperature is between 0 and 2, not {temperature}.")
    if top_p is not None and not 0 < top_p <= 1:
        raise InputError(f"top_p is above 0 and at most 1, not {top_p}.")
    if max_tokens < 1:
        raise InputError(f"max_tokens is at least 1, not {max_tokens}.")
