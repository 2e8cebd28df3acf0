"""Guidelines as safe HTML: a small part of Markdown, and all else as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_HEADING = re.compile(r"(#{1,4}) +(.*)")
_BULLET = re.compile(r"[-*] +(.*)")
_NUMBER = re.compile(r"\d{1,3}\. +(.*)")
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")
_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])")


def markdown_html(text: str) -> str:
    """Headings, paragraphs, lists, quotes, tables, bold, italics and code; links stay as text.

    Tags have no attributes, and every character of the text that HTML would read is escaped.
    """
    return "\n".join(_blocks(text.expandtabs(4).splitlines()))


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            at += 1
        elif found := _HEADING.fullmatch(line):
            level = len(found[1])
            yield f"<h{level}>{_inline(found[2])}</h{level}>"
            at += 1
        else:
            end = next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
            end = next((n for n in range(at + 1, end) if _starts(line, lines[n].strip())), end)
            yield _block([one.strip() for one in lines[at:end]])
            at = end


def _starts(first: str, line: str) -> bool:
    """Whether a line starts another block than the one of the first line."""
    if _HEADING.fullmatch(line):
        return True
    kind = _kind(first)
    return _kind(line) != kind and (kind in ("quote", "table") or _kind(line) != "text")


def _kind(line: str) -> str:
    if line.startswith(">"):
        return "quote"
    if line.startswith("|"):
        return "table"
    if _BULLET.fullmatch(line):
        return "ul"
    return "ol" if _NUMBER.fullmatch(line) else "text"


def _block(lines: list[str]) -> str:
    kind = _kind(lines[0])
    if kind == "quote":
        inner = "\n".join(_blocks([line[1:] for line in lines]))
        return f"<blockquote>{inner}</blockquote>"
    if kind == "table":
        return _table(lines)
    if kind in ("ul", "ol"):
        items = "".join(f"<li>{_inline(item)}</li>" for item in _items(lines))
        return f"<{kind}>{items}</{kind}>"
    return f"<p>{_inline(' '.join(lines))}</p>"


def _items(lines: list[str]) -> list[str]:
    """The items of a list; a line without its mark goes on with the item before it."""
    out: list[str] = []
    for line in lines:
        if found := _BULLET.fullmatch(line) or _NUMBER.fullmatch(line):
            out.append(found[1])
        else:
            out[-1] += " " + line
    return out


def _table(lines: list[str]) -> str:
    headed = len(lines) > 1 and _RULE.fullmatch(lines[1])
    rows = [
        [_inline(cell.strip()) for cell in line.strip("|").split("|")]
        for line in lines
        if not _RULE.fullmatch(line)
    ]
    head = f"<thead>{_row(rows.pop(0), 'th')}</thead>" if headed else ""
    return f"<table>{head}<tbody>{''.join(_row(row, 'td') for row in rows)}</tbody></table>"


def _row(cells: list[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def _inline(text: str) -> str:
    """Escaped text with code, bold and italics; nothing inside of code is read."""
    parts = _CODE.split(text)  # text, code, text, ...
    out = []
    for number, part in enumerate(parts):
        safe = escape(part, quote=False)
        if number % 2:
            out.append(f"<code>{safe}</code>")
        else:
            out.append(_EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", safe)))
    return "".join(out)
