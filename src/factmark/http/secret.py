"""A key that cannot be shown by accident."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator

from factmark.errors import InputError

_SCHEME = re.compile("(?:Bearer|Basic|Token|ApiKey) +", re.IGNORECASE)  # before a key
_PLAIN = re.compile("[A-Za-z]{0,19}|.{0,7}")  # a placeholder or a word, common in honest text


class Secret:
    """A key from the environment. Its value is reached only where a header is made.

    Args:
        value: the key; empty for none.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

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

    def hide_in(self, data: bytes) -> bytes:
        """Returns the bytes with every copy of the key struck out, should a server echo it.

        Copies in base64 too, wherever the key stands in what was encoded.
        """
        text = _SCHEME.sub("", self._value, count=1)
        if _PLAIN.fullmatch(text):
            return data
        key = text.encode()
        for copy in (key, *_in_base64(key)):
            data = data.replace(copy, b"***")
        return data


def _in_base64(key: bytes) -> Iterator[bytes]:
    """Yields the letters that stand for the key alone in base64, behind 0, 1 or 2 other bytes."""
    for before in range(3):
        whole = (before + len(key)) // 3 * 3
        encoded = base64.b64encode((bytes(before) + key)[:whole])[4 if before else 0 :]
        yield encoded
        yield encoded.translate(bytes.maketrans(b"+/", b"-_"))
