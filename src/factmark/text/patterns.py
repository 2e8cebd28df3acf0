"""Patterns that are compiled where they are first used, so that a command starts fast. Pure."""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a pattern until it is used; then has the pattern's own methods."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself asks of an object
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a pattern that is compiled when one of its methods is first called.

    For long alternations of words, which take milliseconds each: most commands use few of them. It
    is no argument of `re.sub` and its like; call its own methods.

    >>> late_pattern("a+").sub("b", "caat")
    'cbt'
    """
    return cast("re.Pattern[str]", _LatePattern(text, flags))
