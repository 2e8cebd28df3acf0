"""Patterns that wait: nothing is compiled until one is used, and then they do what others do."""

from __future__ import annotations

import copy
import re

import pytest

from factmark.text.patterns import late_pattern

TEXT = "One cat, two Cats; no dog"
METHODS = ("search", "match", "fullmatch", "findall", "split", "finditer")


@pytest.mark.parametrize("method", METHODS)
def test_it_does_what_a_compiled_pattern_does(method: str) -> None:
    late, compiled = late_pattern(r"\bcats?\b", re.I), re.compile(r"\bcats?\b", re.I)

    def shown(pattern: re.Pattern[str]) -> str:
        result = getattr(pattern, method)(TEXT)
        return str(list(result) if method == "finditer" else result)

    assert shown(late) == shown(late) == shown(compiled)  # a second time, too
    assert late.sub("x", TEXT) == compiled.sub("x", TEXT)
    assert (late.pattern, late.flags) == (compiled.pattern, compiled.flags)


def test_a_bad_pattern_is_seen_where_it_is_used_and_not_before() -> None:
    late = late_pattern("(")
    copy.copy(late)  # asks for names of Python's own, none of which compiles it
    with pytest.raises(re.error):
        late.search("x")
