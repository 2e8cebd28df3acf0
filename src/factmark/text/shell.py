"""Words of a command that a message prints: what a user copies from it, a shell reads as meant."""

from __future__ import annotations

import shlex


def quote(value: object) -> str:
    """Returns a value as one word of a command line of bash, zsh or ksh.

    What a terminal would not show as it is (line breaks, control characters, bytes that are no
    text) is written as an escape.

    >>> print(quote("triples.csv"), quote("it's $1"), quote("a\\nb"))
    triples.csv 'it'"'"'s $1' $'a\\x0ab'
    """
    text = str(value)
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def quote_path(path: object) -> str:
    """Returns the path of a file or folder as one word; no name is taken for an option.

    >>> quote_path("-rated.csv"), quote_path("my files/a.csv")
    ('./-rated.csv', "'my files/a.csv'")
    """
    text = str(path)
    if text.startswith("-"):
        text = f"./{text}"
    return quote(text)


def _escaped(letter: str) -> str:
    """Returns a letter as it stands within `$'…'`."""
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
