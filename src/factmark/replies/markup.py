"""Markup of a reply made plain: LaTeX boxes, tags, emphasis, tables. What declares a verdict stays.

A box and a tag that is named after a verdict become a line of text that says so.
"""

from __future__ import annotations

import re

from factmark.replies.labels import TOKEN, Finder
from factmark.replies.quotations import is_label

_BOX = re.compile(r"\\{0,4}\b[bf]box(?:ed)?\s{0,3}\{|\\{1,4}boxed\s{0,3}\{|\x08oxed\{")
_LATEX = re.compile(
    r"\\{1,2}(?:text(?:bf|it|rm|sf|tt|sc)?|math(?:bf|it|rm|sf|tt)|bold(?:symbol)?|operatorname|mbox|emph|bf|rm)\s{0,3}(?=\{|\s)"
)
_LATEX_REST = re.compile(r"\$+|\\[()\[\],;! ]|\\(?=_)")
_FORMATTING = {
    "b",
    "i",
    "u",
    "em",
    "strong",
    "span",
    "code",
    "mark",
    "font",
    "sup",
    "sub",
    "tt",
    "p",
}
_VERDICT_TAG = re.compile(
    r"(?:final|my|the)?[_-]?(?:verdict|label|answer|judge?ment|decision|classification|result|rating"
    r"|conclusion|output|choice|assessment)$",
    re.IGNORECASE,
)
_TAG = re.compile(r"<\|?\s{0,3}(/?)\s{0,3}([A-Za-z][\w:-]{0,40})(?:\s[^<>\n]{0,200})?\s{0,3}/?\|?>")
_STARRED = re.compile(r"(\*{1,3}|_{2})([^*\n]{1,80}?)\1")
_HIGHLIGHT = re.compile(r"==([^=\n]{1,80})==|~~[^~\n]{1,300}~~")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$")


def without_markup(text: str, words: Finder) -> str:
    """Plain text with one statement a line where the markup sets it apart."""
    text = _unboxed(text, words)
    text = _LATEX_REST.sub(" ", _LATEX.sub("", text))
    text = _untagged(text, words)
    text = _HIGHLIGHT.sub(lambda m: _set_off(m[1], words) if m[1] else " ", text)
    text = _STARRED.sub(lambda m: _set_off(m[2], words), text).replace("*", "")
    return "\n".join(_cells(line) for line in text.split("\n"))


def _set_off(inner: str, words: Finder) -> str:
    """Emphasised text; a label by itself is put in brackets, which marks it as one."""
    found = inner.strip(" \t[]")
    return f"[{found}]" if is_label(found, words) else inner


def _unboxed(text: str, words: Finder) -> str:
    """Each box as a line that declares its content; amid a sentence a label in brackets."""
    out: list[str] = []
    done = 0
    for found in _BOX.finditer(text):
        if found.start() < done:
            continue
        depth, end = 1, found.end()
        limit = min(len(text), found.end() + 400)
        while end < limit and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        inner = text[found.end() : end - (depth == 0)].replace("\n", " ")
        before = text[done : found.start()]
        amid = TOKEN.search(before.rpartition("\n")[2]) and is_label(inner, words)
        out.append(f"{before}[{inner.strip()}]" if amid else f"{before}\nanswer: {inner}\n")
        done = end
    out.append(text[done:])
    return "".join(out)


def _untagged(text: str, words: Finder) -> str:
    """Tags as line breaks, those of formatting as nothing; a label in angle brackets stays."""
    closed = {found[2].casefold() for found in _TAG.finditer(text) if found[1]}

    def plain(found: re.Match[str]) -> str:
        name = found[2].casefold()
        if is_label(found[2], words) and name not in closed:
            return f"[{found[2]}]"
        if name in _FORMATTING:
            return ""
        if not found[1] and _VERDICT_TAG.match(name):
            return f"\n{name.replace('_', ' ').replace('-', ' ')}: "
        return "\n"

    return _TAG.sub(plain, text)


def _cells(line: str) -> str:
    """The cells of a table's row as statements of their own."""
    if line.count("|") < 2 or not line.strip().startswith("|"):
        return line
    if _TABLE_RULE.match(line[:500]):
        return ""
    return "\n".join(cell.strip() for cell in line.strip().strip("|").split("|"))
