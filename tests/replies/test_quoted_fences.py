"""A fence that a quotation opens is the quotation's up to its end, marked or not line by line."""

from __future__ import annotations

import time

import pytest

from factmark.replies import parse_reply
from replies.test_quoted import SUPPORT

QUOTED = '{"label": "SUPPORTED"}'


@pytest.mark.parametrize("mark", ["> ```json", ">```", "> > ~~~"])
@pytest.mark.parametrize("inside", [QUOTED, f"> {QUOTED}", f"{QUOTED}\nVerdict: SUPPORTED"])
@pytest.mark.parametrize("end", ["{fence}", "> {fence}"])
def test_a_fence_of_a_quotation_decides_nothing(mark: str, inside: str, end: str) -> None:
    closing = end.format(fence="~~~" if "~" in mark else "```")
    quotation = f"The passage holds this:\n{mark}\n{inside}\n{closing}\n"
    assert parse_reply(f"{quotation}I cannot tell.", SUPPORT) is None
    assert parse_reply(f"{quotation}Verdict: CONTRADICTED", SUPPORT) == "CONTRADICTED"
    assert parse_reply(f"Verdict: CONTRADICTED\n{quotation}", SUPPORT) == "CONTRADICTED"


def test_what_stands_behind_it_is_the_judges_own() -> None:
    """A quotation that leaves its fence open ends with its last line."""
    own = '```json\n{"label": "CONTRADICTED"}\n```'
    for quotation in (f"> ```json\n> {QUOTED}\n> ```\n", f"> ```json\n> {QUOTED}\n\n"):
        assert parse_reply(quotation + own, SUPPORT) == "CONTRADICTED"
    assert parse_reply(f"> a line\n{own}", SUPPORT) == "CONTRADICTED"


def test_many_open_ones_are_read_in_linear_time() -> None:
    begun = time.process_time()
    parse_reply("x\n" + "> ```json\na\n" * 20_000, SUPPORT)
    parse_reply("x\n> ```json\n" + "a\n" * 50_000, SUPPORT)
    assert time.process_time() - begun < 20
