"""The libraries that the desk's page brings along are what their packages published."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

STATIC = files("factmark.people.desk").joinpath("static")
VERSIONS = {"preact.js": "preact 10.29.8", "htm.js": "htm 3.1.1"}


@pytest.mark.parametrize("name", list(VERSIONS))
def test_below_its_head_a_vendored_file_has_the_bytes_that_the_head_tells(name: str) -> None:
    head, _, rest = STATIC.joinpath(name).read_bytes().partition(b"*/\n")
    words = " ".join(head.decode().split())
    assert VERSIONS[name] in words
    assert "License" in words
    told = re.search(r"sha256 of what is below: ([0-9a-f]{64})", words)
    assert told is not None
    assert hashlib.sha256(rest).hexdigest() == told[1]


def test_no_script_of_the_page_makes_code_or_markup_of_text() -> None:
    """The Content-Security-Policy would refuse the first, not the second."""
    refused = re.compile(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML")
    for script in STATIC.iterdir():
        if script.name.endswith(".js") and script.name not in VERSIONS:
            assert not refused.search(script.read_text("utf-8")), script.name
            assert "dangerously" not in script.read_text("utf-8")
