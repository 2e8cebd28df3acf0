"""What a command wrote as one plain text, without what differs between two runs.

FACTMARK_GOLDEN=write writes the golden copies anew. In them long parts stand by their `gist`: where
one differs, run it as FACTMARK_GOLDEN=FOLDER before and after, which writes whole texts to folders.

The text of a run is its command line, exit status, stdout, stderr and the files in its folder.
Versions, paths, ports, times and durations are replaced. Fractions are the same if they differ by
less than `_CLOSE`: processors round sums differently, and libraries their logarithms. So nothing
here may depend on the digits of a fraction: no digest, no length. A page becomes an outline: its
elements that hold text, by tag and class, and gists of styles, scripts, tags and attributes.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"
WANTED = os.environ.get("FACTMARK_GOLDEN", "")
WHOLE = bool(WANTED) and WANTED != "write"
_LONG = 4_000  # characters of a file that are kept word for word
_TABLE = 700  # the same of CSV and LaTeX, whose numbers stand in the JSON and Markdown beside them
_WIDTH = 160
_FRACTION = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e-?\d+)?|e-\d+)(?![\w.]*\w)")
_CLOSE = 1e-7
_DIGITS = 12  # significant ones that a file may hold
_VARYING = {
    r"http://127\.0\.0\.1:\d+": "http://SERVER",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?": "TIME",
    r'"seconds": [\d.e-]+': '"seconds": 0',
    r"(<dt>Time</dt>\s*<dd>)[\d.]+ s": r"\1SECONDS",
}
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
_SHOWN = ("href", "title", "aria-label", "content")


def check(name: str, text: str) -> None:
    """Compares with the golden copy of that name; writes it where that is asked for."""
    if WANTED:
        folder = GOLDEN if WANTED == "write" else Path(WANTED)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if WHOLE:
        return
    path = GOLDEN / name
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    before, now = kept.splitlines(), text.splitlines()
    if len(before) == len(now):
        now = [_with_same_fractions(*lines) for lines in zip(before, now, strict=True)]
    changes = difflib.unified_diff(before, now, f"tests/golden/{name}", "now", lineterm="", n=1)
    assert not (told := list(changes)), "\n".join(told[:200])


def _with_same_fractions(kept: str, text: str) -> str:
    """The text with each fraction as it was kept, where it is the same but for rounding."""
    before = _FRACTION.findall(kept)
    if len(before) != len(_FRACTION.findall(text)):
        return text
    kept_ones = iter(before)

    def settled(match: re.Match[str]) -> str:
        old = next(kept_ones)
        close = math.isclose(float(old), float(match[0]), rel_tol=_CLOSE, abs_tol=1e-9)
        return old if close else match[0]

    return _FRACTION.sub(settled, text)


def check_page(name: str, html: str) -> None:
    """Compares a page as `check` does."""
    version = re.search('name="generator" content="factmark ([^"]+)"', html)
    assert version
    check(name, page_text(normal(html, {rf"\b{re.escape(version[1])}\b": "VERSION"})) + "\n")


def page_text(html: str) -> str:
    """The outline of a page."""
    return _shortened("\n".join(_Outline(html).lines), _LONG)


def normal(text: str, names: Mapping[str, str]) -> str:
    """The text with names for what varies; `names` are patterns and what stands for them."""
    for pattern, name in {**names, **_VARYING}.items():
        text = re.sub(pattern, name, text)
    return _FRACTION.sub(_rounded, text)


def _rounded(match: re.Match[str]) -> str:
    """At most nine significant digits; a number that has fewer stays as it is written."""
    return f"{float(match[0]):.9g}" if _significant(match[0]) > 9 else match[0]


def _significant(number: str) -> int:
    return len(number.partition("e")[0].strip("-").replace(".", "").strip("0"))


def file_text(path: Path, names: Mapping[str, str]) -> str:
    """What a result file holds, as text; nothing of a ledger, which `ledger export` shows."""
    if path.name == ".factmark" or path.suffix == ".db":
        return ""
    if path.suffix == ".parquet":
        return _parquet(path, names)
    text = normal(_with_few_digits(path, path.read_text("utf-8")), names).rstrip()
    if path.suffix == ".html":
        return page_text(text)
    if path.suffix == ".json":
        return json_text(text)
    return _shortened(text, _TABLE if path.suffix in (".csv", ".tex") else _LONG)


def _with_few_digits(path: Path, text: str) -> str:
    """The same text, in which no number may have more digits than a file has."""
    longest = max(_FRACTION.findall(text), key=_significant, default="")
    assert _significant(longest) <= _DIGITS, f"{path} holds {longest}"
    return text


def json_text(text: str) -> str:
    """JSON with a line for each value that fits on one; if it is long, by its parts."""
    told = json.loads(text)
    whole = _lines(told, "")
    for most in (1_500, 500, 200):
        if len(whole) <= _LONG or WHOLE:
            return whole
        whole = _lines(told, "", most)
    return _shortened(whole, _LONG)


def _lines(value: Any, indent: str, most: int = 10**9) -> str:
    """JSON; lists of more than so many characters by their first element and their gist."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + " "
    if isinstance(value, dict):
        inner = [f"{json.dumps(key)}: {_lines(one, deeper, most)}" for key, one in value.items()]
        return "{" + ",".join(f"\n{deeper}{one}" for one in inner) + f"\n{indent}}}"
    rest = ""
    if len(line) > most and len(value) > 1:
        rest = f",\n{deeper}... {len(value)} in all: {gist(line)}"
        value = value[:1]
    inner = [_lines(one, deeper, most) for one in value]
    return "[" + ",".join(f"\n{deeper}{one}" for one in inner) + f"{rest}\n{indent}]"


def _shortened(text: str, most: int) -> str:
    """A text that is too long by its beginning and the gist of it all."""
    if len(text) <= most or WHOLE:
        return text
    head = text[: most // 2].rpartition("\n")[0]
    return f"{head}\n... {gist(text)} in all"


def _parquet(path: Path, names: Mapping[str, str]) -> str:
    """The columns with their types, and the gist of the rows."""
    import duckdb  # takes a while

    with duckdb.connect() as connection:
        table = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        columns = ", ".join(f"{one[0]} {one[1]}" for one in table.description or ())
        rows = _with_few_digits(path, "\n".join(map(repr, table.fetchall())))
        rows = normal(rows, names)
    return f"{columns}\n" + (rows if WHOLE else gist(rows))


class _Outline(HTMLParser):
    """The elements of a page that hold text or an id, a line each, as deep as they are nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._open: list[str] = []
        self._markup: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(html)
        self.lines.append(f"markup: {gist(repr(self._markup))}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._markup.append((tag, attrs))
        named = dict(attrs)
        name = tag + "".join(f".{one}" for one in (named.get("class") or "").split())
        self._open.append(name)
        if "id" in named:
            self._say(f"#{named['id']}")
        for key in _SHOWN:
            if key in named and named.get("http-equiv") is None:
                self._say(f"[{key}={named[key]}]")
        if tag in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().partition(".")[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        text = " ".join(data.split())
        if inside in ("style", "script"):
            text = gist(data)
        if text:
            self._say(text)

    def _say(self, text: str) -> None:
        self.lines.append(f"{self._open[-1] if self._open else '-'} {text}")


def gist(text: str) -> str:
    """What tells a text from another and not from itself with fractions rounded otherwise."""
    fractions = [float(number) for number in _FRACTION.findall(text)]
    rest = _FRACTION.sub("#", text)
    letters = f"{len(rest)} letters of sum {sum(map(ord, rest))}"
    return f"{letters}, {len(fractions)} fractions of sum {math.fsum(fractions):.9g}"
