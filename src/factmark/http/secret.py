"""A key that cannot be shown by accident, and what a key looks like where none should be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from factmark.errors import InputError
from factmark.redaction import add_secret, is_plain

# A field, a parameter or a variable whose value is a key. `max_tokens`, `eos_token`, and OpenAI's
# `prompt_cache_key` are none.
_KEY_NAME = re.compile(
    r"(.*[_.-])?(api|access|auth|secret|private|subscription|account|service|master|virtual"
    r"|license|client|signing|encryption|admin|user|shared|gateway)?[_.-]?key"
    r"|(.*[_.-])?(api|access|auth|refresh|bearer|session|security|secret|id|user|ad|hf|private"
    r"|account|service|admin|client|personal|deploy|bot|sas)?[_.-]?token"
    r"|(.*[_.-])?(secret|password|passwd|pwd|passphrase|pass|credentials?|authorization|bearer|auth"
    r"|signature|sig)"
)
_NO_KEY = re.compile(
    r"(.*[_.-])?((eos|bos|pad|unk|sep|mask|cls|stop|start|end|image|special|decoder)"
    r"[_.-]token|(cache|sort|foreign|primary|partition|routing|idempotency|dedup)[_.-]key)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Of which services' keys begin so, and what no name of a model or an account looks like.
_KEY_SHAPE = re.compile(
    r"((sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xai-|nvapi-|pplx-|csk-|lsv2_|AKIA|AIza"
    r"|ya29\.)(?=(?:[^0-9]*[0-9]){3}|(?=.*[0-9])(?=.*[a-z]).*[A-Z])[A-Za-z0-9_.-]{16,}"
    r"|eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*"
)
_MIXED = re.compile(r"(?=.*[0-9].*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_]{24,}={0,2}")
_LONG = re.compile(
    r"(?=(?:[^0-9]*[0-9]){4})(?=.*[g-z])[a-z0-9]{33,}"
)  # hex is a hash, or an account
_TURN = re.compile(r"(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])")
_TURNS = 0.47  # of the places in a random text 0.62 are between signs of two kinds, in names 0.4


class Secret:
    """A key from the environment. Its value is reached only where a header is made.

    Every text that leaves the process has it struck out from now on (`redaction`).

    Args:
        value: the key; empty for none.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value
        add_secret(value)

    @classmethod
    def from_environment(cls, name: str | None, *, spaces: bool = False) -> Secret:
        """Returns the value of an environment variable; an empty secret where none is named.

        Args:
            spaces: whether it may have some, as a header may (`Bearer KEY`).

        Raises:
            InputError: if it is missing, or cannot stand in a header.
        """
        if name is None:
            return cls()
        value = os.environ.get(name, "").strip()
        if not value:
            raise InputError(f"the environment variable {name} is not set; it holds the API key.")
        if not (value.isascii() and value.isprintable()) or (" " in value and not spaces):
            raise InputError(f"the environment variable {name} holds no key: odd characters in it.")
        return cls(value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")

    def reveal(self) -> str:
        """Returns the key itself, for the header of a request."""
        return self._value


def is_key_name(name: str) -> bool:
    """Whether a field, a parameter or a variable of that name holds a key or a password.

    >>> is_key_name("OPENAI_API_KEY"), is_key_name("clientSecret"), is_key_name("max_tokens")
    (True, True, False)
    """
    name = _CAMEL.sub("_", name.strip()).lower()
    return bool(_KEY_NAME.fullmatch(name)) and not _NO_KEY.fullmatch(name)


def variables_with_keys() -> dict[str, str]:
    """Returns the environment variables that are named after keys and hold more than a word."""
    return {
        name: value
        for name, value in os.environ.items()
        if name != "PWD" and is_key_name(name) and not is_plain(value)
    }


def is_key(text: str) -> bool:
    """Whether a text looks like a key wherever it stands, for example in a path."""
    if _KEY_SHAPE.fullmatch(text) or _LONG.fullmatch(text):
        return True
    turns = len(_TURN.findall(text))
    return bool(_MIXED.fullmatch(text)) and turns > _TURNS * len(text)


def keys_in_command(words: Sequence[str]) -> Iterator[str]:
    """Yields the keys among the words of a command line: `--api-key KEY`, `TOKEN=KEY`, a header's
    value, and what looks like one."""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if "=" in word:
            name, sign, value = word.partition("=")
        else:
            name, sign, value = word.partition(":")
        if is_key_name(name.lstrip("-")):
            if sign:
                yield value.strip()
            else:
                yield following
        elif is_key(word):
            yield word


def keys_in_fields(fields: object, path: str = "", name: str = "") -> Iterator[tuple[str, str]]:
    """Yields path and text of each key in JSON values: what a field named after one holds, and what
    looks like one."""
    if isinstance(fields, Mapping):
        for field, value in fields.items():
            yield from keys_in_fields(value, f"{path}.{field}" if path else field, field)
    elif isinstance(fields, list | tuple):
        for value in fields:
            yield from keys_in_fields(value, path, name)
    elif isinstance(fields, str):
        named = is_key_name(name) and not is_plain(fields)
        if named or is_key(fields.removeprefix("Bearer ")):
            yield path, fields
