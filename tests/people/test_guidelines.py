"""Guidelines: for every form, with all that annotators must know, no gap left open; as HTML."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.forms import COARSE, FORMS, markdown_html
from factmark.people.create import default_guidelines


@pytest.mark.parametrize("name", sorted(FORMS))
def test_every_form_has_guidelines(name: str) -> None:
    form = FORMS[name]
    text = default_guidelines(form)
    assert not re.search(r"\{\{|\}\}", text)
    assert "## An example" in text
    assert "## Your data" in text
    assert f"<your name> — {form.title}" in text
    assert "any address will do" in text
    for label, meaning in form.meanings.items():
        assert f"**{label}**" in text
        assert meaning in text


def test_coarse_has_the_scale_the_workflow_and_the_four_sorts_of_summary() -> None:
    text = default_guidelines(COARSE, batch=10, together=3)
    for told in ("10 to 15 minutes", "5 minutes", "30 rows", "`3.5`", "true in the world"):
        assert told in text
    rows = re.findall(r"^\| .* \| (wrong|partly|right) \| .* \|$", text, re.MULTILINE)
    assert rows == ["wrong", "partly", "right", "wrong"]


@given(st.text("<>&\"'*`|#->1. \n[]()!ax:", max_size=80))
def test_only_our_tags_without_attributes(text: str) -> None:
    assert "<td>2 &lt; 3</td>" in markdown_html("| a |\n| --- |\n| 2 < 3 |\n")
    html = markdown_html(f"{text} [x](javascript:a) ![i](http://e) <script>a</script>")
    assert not re.search(r"[<>]", re.sub(r"</?[a-z]+[1-6]?(?: /)?>", "", html))
    assert not re.search(r"</?(?:script|a|img)\b", html)
