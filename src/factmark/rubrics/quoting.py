"""What in a reply the judge cites: quotations, fenced and indented blocks, asides, embedded JSON.

Such text is blanked out before labels are looked for, so that a label in a passage that the judge
repeats is not the judge's. A label that is quoted by itself ('my verdict is "X"') stays.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re

from factmark.rubrics.lexicon import TOKEN, Finder
from factmark.rubrics.loose_json import Pairs, read
from factmark.rubrics.verdict_json import ReadLabel, verdict_line

CITED = "\ue002"
DECLARED = "\ue004"
QUOTE_OPEN, QUOTE_CLOSE = "\ue000", "\ue001"

_JSON_START = re.compile(
    r"(?m)^(?P<before>[^\n{}\"'`\[\\]{0,80}?)(?<!\w)(?P<head>\{|\[(?=\s{0,20}[\[{\"']))"
)
_LINE_REST = re.compile(r"[ \t`.;]*(?:\n|\Z)")
_REPORTS = re.compile(
    r"\b(?:passage|source|text|document|context|evidence|abstract|article|vignette|excerpt|prompt"
    r"|contains?|contained|says?|reads?|states?|inject\w*|embedded|instruct\w*|quot\w*|line|lines"
    r"|ignor\w+|attempts?|user|system|message|sentence|paragraph|writes|written|claims that|told|tells"
    r"|task|format|options?|labels|question|asked|supposed|following|example)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:verdicts?|answer|label|judge?ment|decision|conclusion|classification|rating|assessment"
    r"|result|output|response|final|therefore|thus|conclude)\b(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_SINGLE = re.compile(r"(?<![\w'])'(?=\S)((?:[^'\n]|(?<=\w)'(?=\w)){1,3000})'(?!\w)")
_TICKED = re.compile(r"(`{1,2})([^`\n]{1,3000})\1")
_QUOTED_KEY = re.compile(r"[\"']([A-Za-z_ ]{1,30})[\"'](?=\s{0,3}:)")
_LIST_HEAD = re.compile(
    r"[\s>*\-#|]*(?:\(?\d{1,4}[.):]?|(?:claim|item|fact|no\.?)\s*#?\d{1,4}\W?)?\W*", re.I
)


def introduces(line: str) -> bool:
    """Whether a line announces a citation: it ends with a colon and reports what another says."""
    bare = line.rstrip(" \t*_`")
    if not bare.endswith(":") or _ANNOUNCES.search(bare[-80:]):
        return False
    return bool(_REPORTS.search(bare[-300:]))


def without_citations(text: str, words: Finder, read_label: ReadLabel | None) -> str:
    """The text with what it cites blanked out, and JSON verdicts turned into lines of text.

    Args:
        read_label: reads the label in a JSON value; None leaves JSON to the caller.
    """
    if read_label is not None:
        text = _json_as_lines(text, words, read_label)
    text = _blocks(text, words)
    return "\n\n".join(_quotations(part, words) for part in re.split(r"\n[ \t]*\n", text))


def is_label(text: str, words: Finder) -> bool:
    """Whether a text is nothing but one mention of a label."""
    if len(text) > 120:
        return False
    found = words.mentions(text)
    return len(found) == 1 and len(list(TOKEN.finditer(text))) == len(
        list(TOKEN.finditer(text[found[0].start : found[0].end]))
    )


def _json_as_lines(text: str, words: Finder, read_label: ReadLabel) -> str:
    out: list[str] = []
    done = 0
    last_line = ""
    for found in _JSON_START.finditer(text):
        start = found.start("head")
        if start < done:
            continue
        value, end, complete = _read_run(text, start)
        before = found["before"]
        rest = _LINE_REST.match(text, end)
        plain_part = text[done : found.start()]
        last_line = _last_line(plain_part) or last_line
        out.append(text[done:start])
        if not complete and not text[end:].strip():
            rest = _LINE_REST.match(text, len(text))
            end = len(text)
        cited = introduces(last_line) or (
            bool(_REPORTS.search(before)) and not _ANNOUNCES.search(before)
        )
        line = ""
        if rest is not None and not cited:
            line = verdict_line(value, words, read_label)
        if _is_text(value, line, cited):
            done = start
            continue
        out.append(f"\n{DECLARED}{line}\n" if line else f" {CITED} ")
        done = end
    out.append(text[done:])
    return "".join(out)


def _read_run(text: str, start: int) -> tuple[object, int, bool]:
    """A JSON value, or the list of those that follow each other without anything between."""
    value, end, complete = read(text, start)
    values = [value]
    while complete and text.startswith("{", end):
        value, end, complete = read(text, end)
        values.append(value)
    return (values if len(values) > 1 else values[0]), end, complete


def _is_text(value: object, line: str, cited: bool) -> bool:
    """Whether what looked like JSON is words in brackets."""
    if line or cited:
        return False
    return (
        isinstance(value, list) or value is None or (isinstance(value, Pairs) and not value.items)
    )


def json_values(text: str) -> list[object]:
    """The JSON values that stand on lines of their own and are not announced as cited."""
    out: list[object] = []
    done = 0
    last_line = ""
    for found in _JSON_START.finditer(text):
        start = found.start("head")
        if start < done:
            continue
        last_line = _last_line(text[done : found.start()]) or last_line
        value, done, complete = read(text, start)
        ends = _LINE_REST.match(text, done) or re.match(r",\s*\n", text[done : done + 20])
        told = _REPORTS.search(found["before"]) and not _ANNOUNCES.search(found["before"])
        if (ends or not complete) and not introduces(last_line) and not told:
            out.append(value)
    return out


def _last_line(text: str) -> str:
    """The last line of a text that has words and is not a fence."""
    for line in reversed(text[-600:].split("\n")):
        if line.strip() and not _FENCE.match(line):
            return line
    return ""


def _blocks(text: str, words: Finder) -> str:
    """Fenced blocks, quoted lines and what an announcing line announces, blanked."""
    lines = text.split("\n")
    with_words = [n for n, line in enumerate(lines) if line.strip() and not _FENCE.match(line)]
    last = with_words[-1] if with_words else -1
    all_quoted = all(lines[n].lstrip().startswith(">") for n in with_words)
    out: list[str] = []
    previous = ""
    n = 0
    while n < len(lines):
        line = lines[n]
        if _FENCE.match(line):
            end = _closing(lines, n)
            inner = lines[n + 1 : end]
            whole = n <= (with_words[0] if with_words else 0) and end >= last
            keep = whole or (not introduces(previous) and _all_labels(inner, words))
            own = [line for line in inner if line.startswith(DECLARED)]
            out += ["", *(inner if keep else own or [CITED] * bool(inner)), ""]
            previous, n = "", end + 1
            continue
        if introduces(previous) and line.strip():
            end = n
            while end < len(lines) and lines[end].strip():
                end += 1
            if end <= last:
                out += [CITED] * (end - n)
                previous, n = "", end
                continue
        if line.lstrip().startswith(">") and not all_quoted:
            out.append(line.lstrip("> \t") if n == last and is_label(line, words) else CITED)
        else:
            out.append(line)
        previous = line if line.strip() else previous
        n += 1
    return "\n".join(out)


def _closing(lines: list[str], start: int) -> int:
    """The line that closes a fence: one as long as it (CommonMark, 4.5), or the last shorter one."""
    opening = _FENCE.match(lines[start])
    shorter = len(lines)
    for n in range(start + 1, len(lines)):
        fence = _FENCE.match(lines[n])
        if fence is not None and opening is not None and fence[1].startswith(opening[1]):
            return n
        shorter = n if fence is not None else shorter
    return shorter


def _all_labels(lines: list[str], words: Finder) -> bool:
    """Whether each line leads with a label, with or without the number of a claim before it."""
    filled = [line for line in lines if line.strip()]
    return bool(filled) and all(_leads(line[:300], words) for line in filled)


def _leads(line: str, words: Finder) -> bool:
    rest = _LIST_HEAD.sub("", line, count=1)
    found = words.mentions(rest)
    if not found or TOKEN.search(rest[: found[0].start]):
        return False
    return bool(re.match(r"^[\])*_\"`]*\s*(?:$|[:.,;(|]|-)", rest[found[0].end :]))


def _quotations(part: str, words: Finder) -> str:
    """One paragraph without what stands in it between quotation marks."""
    part = _QUOTED_KEY.sub(r"\1", part)
    part = _TICKED.sub(lambda m: _quoted(m[2], words), part)
    pieces = part.split('"')
    if len(pieces) > 1:
        part = _join_quoted(pieces, words)
    return _SINGLE.sub(lambda m: _quoted(m[1], words), part)


def _join_quoted(pieces: list[str], words: Finder) -> str:
    """Blank every second piece; where the marks do not pair, the piece that the odd one opens."""
    if len(pieces) == 2:
        before, after = pieces
        closes = before[-1:].strip() and not re.match(r"\w", after)
        if closes and len(before) > 1:
            return f"{CITED}{after}"
        head, _, tail = after.partition("\n")
        return f"{before}{_quoted(head, words)}\n{tail}"
    out = [pieces[0]]
    for n, piece in enumerate(pieces[1:], 1):
        if n % 2 == 0:
            out.append(piece)
        elif n == len(pieces) - 1:
            head, _, tail = piece.partition("\n")
            out.append(f"{_quoted(head, words)}\n{tail}")
        else:
            out.append(_quoted(piece, words))
    return "".join(out)


def _quoted(inner: str, words: Finder) -> str:
    if is_label(inner, words):
        return f"{QUOTE_OPEN}{inner.strip()}{QUOTE_CLOSE}"
    if len(inner) > 60:
        return f" {CITED} "
    return f" {CITED} " if inner.strip() else inner
