"""Guidelines as HTML."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.markdown import markdown_html

TAGS = "h1 h2 h3 h4 p ul ol li strong em code blockquote table thead tbody tr th td".split()


def test_blocks() -> None:
    text = (
        "# Title\nOne *two*\n**three** `<b>*x*</b>`.\n\n- a\n- b\n  goes on\n\n1. x\n2. y\n\n"
        "> quoted\n> more\n\n| a | b |\n| --- | --- |\n| 1 | 2 < 3 |\n"
    )
    assert markdown_html(text).split("\n") == [
        "<h1>Title</h1>",
        "<p>One <em>two</em> <strong>three</strong> <code>&lt;b&gt;*x*&lt;/b&gt;</code>.</p>",
        "<ul><li>a</li><li>b goes on</li></ul>",
        "<ol><li>x</li><li>y</li></ol>",
        "<blockquote><p>quoted more</p></blockquote>",
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2 &lt; 3</td></tr></tbody></table>",
    ]


def test_list_after_a_line_of_text_is_a_list() -> None:
    assert markdown_html("Take\n- a\n- b") == "<p>Take</p>\n<ul><li>a</li><li>b</li></ul>"


def test_what_is_no_markdown_is_text() -> None:
    for text in ("2 * 3 * 4", "a_b_c", "[x](javascript:alert(1))", "#no", "-5 degrees", "** a **"):
        assert markdown_html(text) == f"<p>{text}</p>"


@given(st.text("<>&\"'*`|#->1. \nax", max_size=80) | st.text(max_size=40))
def test_only_our_tags_without_attributes(text: str) -> None:
    html = markdown_html(text)
    found = re.findall(r"<(/?)([^>]*)>", html)
    assert {name for _, name in found} <= set(TAGS)
    assert not re.search(r"[<>]", re.sub(r"</?\w+>", "", html))
    open_tags: list[str] = []
    for closing, name in found:
        if closing:
            assert open_tags.pop() == name
        else:
            open_tags.append(name)
    assert open_tags == []


@given(st.text("abc xyz<>&.", max_size=60))
def test_no_word_is_lost(text: str) -> None:
    bare = re.sub(r"</?(?:p|blockquote)>", "", markdown_html(text))
    assert unescape(bare).split() == text.split() or ">" in text
