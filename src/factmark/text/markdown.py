"""Markdown as segments of running text, with every character at its old place.

Markup is masked, never removed, so that a position in a segment is a position in the answer. All
that a reader sees is read (E9): headings, tables, HTML lists, and fences that hold data. Queries,
code and calls of tools tell how an answer was found; they come as segments that say what they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from factmark.text.lexicon import ENGLISH

# Stands where emphasis or code began or ended; a phrase does not run across it by itself.
EDGE = "\x1f"
# Stands for a mark of a source or of a note, which is no part of the sentence around it.
NOTE = "\x7f"

Kind = Literal["text", "item", "cell", "label", "note", "unread"]
Line = tuple[int, str, str]  # where it begins in the answer, the line, the line with markup masked
Cell = tuple[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of an answer that is read by itself.

    Attributes:
        text: the masked text; `text[i]` stands at `start + i` in the answer. Of a segment that is
            not read, what it is, in words.
        start: where it begins in the answer.
        kind: `text` (paragraph), `item` (of a list), `cell`, `note` (below, to a mark in the text),
            or `label`: a heading, a table's head or a JSON key, which may but say what stands under
            it. `unread`: a query, code, the call of a tool.
        group: the labels that say the same of different things have one group: the heads of a
            table, headings of one level. The cells of a table's first column have one too.
        column: for a cell, the text of its column's head, lower-case; for a value of a JSON text,
            its key; empty otherwise.
    """

    text: str
    start: int
    kind: Kind
    group: str = ""
    column: str = ""


_FENCE = re.compile(r"^ {0,3}(?:>\s?)*(`{3,}|~{3,})")
_ITEM = re.compile(
    r"^[\s>]*(?:[-*+•·‣◦–]|\(?\d{1,3}[.)](?=[^\S\n]+\S)"
    r"|\(?(?:[a-zA-Z](?!\.\s[A-Z]\.)|[ivx]{2,4})[.)])\s+"  # `V. C. Rubin` is no item
    r"(?:\[[ xX]\]\s+)?"
)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(?P<text>[^*_\n]{1,120})(?:\*\*|__)\s*:?\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{2,})\s*$")
_RULE = re.compile(r"^ {0,3}(?:[-*_]\s*){3,}$")
_DELIMITER = re.compile(r"^(?=[^|]*\|)[\s|:+-]*-[\s|:+-]*$")
_OPENS_DATA = re.compile(r"\{\s*(?:\"|$)|\[\s*(?:[\"{\[]|$)")
_QUOTE = re.compile(r"^[\s>]*>")
_MARK = re.compile(r"[\s>]*\(?(\d{1,3})[.)]\s")
_EMPTY_ITEM = re.compile(r"^[\s>]*\(?(\d{1,3})[.)][\s*_]*$")

_SPARQL = re.compile(r"\s*(?:SELECT|ASK|CONSTRUCT|DESCRIBE|PREFIX|BASE)\b", re.IGNORECASE)
_CODE_LINE = re.compile(
    r"\s*(?:import\s+\w|from\s+\w+\s+import\b|def\s+\w+\(|class\s+\w+\W|curl\s|\$\s|>>>|#!|@prefix\b"
    r"|\w+\s*=\s*\S|\w+(?:\.\w+)*\([^()\n]{0,200}\)\s*$)"
)
_JSON_PART = re.compile(
    r'"(?P<string>(?:[^"\\\n]|\\.)*)"(?P<key>\s*:)?'
    r"|(?P<value>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false)\b|\[\s*\])"
)
_FRAME_KEYS = ("type", "datatype", "xml:lang")
_FRAME = r'"(?:type|datatype|xml:lang)"\s*:\s*"[^"\n]{0,200}"\s*,?'
_ESCAPES = re.compile(r"\\[nrt]")
_QUOTED = re.compile(r'"[^"\n]*"')
_FINISH = r"(?:finish|submit|answer|final[ _]?answer)"  # an agent's last action
_INLINE = re.compile(
    # where none of the marks can begin, one look is enough
    r"(?=[`!\[(【<^\"*_~†‡§¹²³⁰⁴-⁹]|^|\b[a-z][a-z0-9]*_)(?:"
    r"(?P<code>`+[^`\n]*(?:\?\w|\b(?-i:SELECT|COUNT|ASK|WHERE|FILTER|LIMIT|GRAPH|DISTINCT)\b)[^`\n]*`+)"
    r"|`+(?P<shown>[^`\n]+)`+"  # as a whole, so that no span begins where another ends
    r"|(?:!?\[(?P<label>[^\[\]\n]{0,400})\]\((?P<target>[^()\s]{0,2000}(?:\([^()\s]*\))?"
    r"[^()\s]{0,2000})(?:\s+\"[^\"\n]{0,200}\")?\))"
    r"|(?P<note>(?:(?<=[:;,.] )|(?<=\band ))\(\d{1,2}\)(?= )"
    r"|\[\^?\d{1,3}(?:[,;–-]\s?[^\[\]\n]{1,60})?\]|【[^】\n]{0,80}】"
    r"|\[(?:doc(?:ument)?|passage|sources?|ref|chunk|context|section|excerpt|page|pp?|art)\b[^\[\]\n]{0,80}\]"
    # a work with a place in it (`[Annual report, p. 3]`); `[412 rows]`, `[J45]` are none
    r"|\[(?!\d[\d.]*\s)(?=[^\[\]\n]{0,120}\d)(?=[^\[\]\n]{0,120}(?:[,;]\s|§|\b(?:pp?|sect?|table|fig|ch"
    r"|art|para|annex|vol)\b))(?=[^\[\]\n]{0,120}[a-z]{2})[^\[\]\n\":={}/]{3,120}\]"
    r"|\((?:see\s|cf\.?\s)?[A-Z][\w'’.-]+(?:\s+[A-Z][\w'’.-]+)?(?:\s+et\s+al\.?|\s+&\s+[A-Z][\w'’.-]+)"
    r",?\s\d{4}[a-z]?(?:[,;][^()\n]{0,120})?\)"
    r"|\((?:see\s|cf\.?\s)(?:also\s)?[A-Z][\w'’.-]+,?\s\d{4}[a-z]?(?:[,;][^()\n]{0,120})?\)"
    r"|\[\^\w{1,12}\]|(?<=[\w.,;:!?)\]%\"”’*_`])[†‡§]+(?!\w)"
    r"|<sup>[^<>\n]{1,12}</sup>|\^\w{1,2}\^|(?<=[\w.,;:!?)\]%\"”’*_`])[¹²³⁰⁴-⁹]+(?:[,⁻–][¹²³⁰⁴-⁹]+)*"
    r"|\^\^(?:<[^<>\n]{1,200}>|\w+:\w+))"
    rf"|(?P<finish>^\W{{0,4}}action\s?\d*\W{{0,3}}:\s*{_FINISH}\s*[\[(](?P<given>[^\n]*))"
    r"|(?P<action>^\W{0,4}(?:action\s+input\s?\d*\W{0,3}:[^\n]*"
    r"|action\s?\d*\W{0,3}:\s*\w+\s*(?:[\[({][^\n]*|(?=\n\W{0,4}action\s+input))))"
    r"|(?P<plan>^\W{0,4}thought\s?\d{0,2}\W{0,3}:[^\n]*(?=\n\W{0,4}action\b"
    rf"(?!\s?\d*\W{{0,3}}:\s*{_FINISH}\b)))"
    r"|(?P<prompt>^\W{0,4}(?:thought|observation|final\s+answer)\s?\d{0,2}\W{0,3}:)"
    r"|(?P<step>\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\([^()\n]{0,300}\))"
    rf"|(?P<frame>{_FRAME})"
    r"|(?P<call><(?P<name>tool_call|tool_use|function_call)>.{0,1500}?</(?P=name)>)"
    r"|(?P<block></?(?:p|br|div|li|[uo]l|t[rdh]|table|h[1-6])(?:\s[^<>\n]{0,200})?/?>)"
    r"|(?P<tag></?[a-z][a-z0-9]{0,10}(?:\s[^<>\n]{0,200})?/?>)"
    r"|(?P<fence><<<[^\n<>]{1,80}$|^[^\n<>]{1,80}>>>$)"
    r"|<(?P<address>https?://[^<>\s]{1,2000})>"
    r"|(?P<emphasis>\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+|~~))",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)


_SHOWN = ("given", "label", "address", "shown")
"""Of the groups of `_INLINE`, those that hold what is shown; the signs around them are markup."""


def _mask(match: re.Match[str]) -> str:
    """Returns a piece of markup with edges in place of its signs, of equal length; the shown text
    stays."""
    whole = match[0]
    if match["note"] is not None:
        power = _power(match)
        joins = whole[-1] in "]】" and match.string[match.end() : match.end() + 1].isalnum()
        return whole[:power] + NOTE * (len(whole) - power - joins) + " " * joins
    if match["block"] is not None:  # ends the sentence before it
        return "\n" + EDGE * (len(whole) - 1)
    shown = next((name for name in _SHOWN if match[name] is not None), None)
    if shown is None:
        return EDGE * len(whole)
    text = match[shown]
    before = match.start(shown) - match.start()
    if shown == "given":  # an agent's answer, in the form of a call
        text = text.rstrip(" \t])")
    elif shown == "shown":
        text = re.sub(_FRAME, lambda frame: EDGE * len(frame[0]), text)
    return EDGE * before + text + EDGE * (len(whole) - before - len(text))


# What stands before an answer in its line: its markup begins after it.
_PROMPT = re.compile(
    r"^\W{0,4}(?:thought|observation|final\s+answer)\s?\d{0,2}\W{0,3}?:", re.I | re.M
)


def _blank(match: re.Match[str]) -> str:
    """Returns blanks in place of a match."""
    return " " * len(match[0])


_POWERS = re.compile(r"(?:\b(?:[cdkm]?m|ft|in|mi|yd|s|kg|ha)|(?<![\w-])10)$")


def _power(match: re.Match[str]) -> int:
    """How many figures set high are a power (`12 km²¹`: one; `2018¹`: none); others are marks."""
    raised = match[0][0] in "²³⁰⁴⁵⁶⁷⁸⁹⁻" or (match[0][0] == "¹" and len(match[0]) > 1)
    base = _POWERS.search(match.string, max(0, match.start() - 6), match.start())
    if base is None or not raised:
        return 0
    if base[0] != "10" and match[0][0] in "²³":
        return 1
    return len(match[0])


_FLAT_NUMBER = re.compile(r"(?<!\S)\(?(\d{1,2})[.)](?=\s+\S)")
_FLAT_BULLETS = re.compile(r"(?<=:)[ ]{1,3}([*•‣-])[ ](?=[^\n]*[ ]\1[ ])[^\n]*")
_NOTE = re.compile(r"\s*(?:\[\^?\w{1,3}\]:?|[¹²³⁴-⁹†‡]+|\\\*)\s*(?=\S)")  # a note below the text
_BEFORE_LIST = re.compile(r"(?:^|[:.!?\n])[\s*_\x1f>]*$")


def _flat_items(answer: str, masked: str) -> set[int]:
    """Where items of a list on one line (`1. A 2. B`, `they are: * A * B`) begin."""
    runs: list[list[re.Match[str]]] = []
    for match in _FLAT_NUMBER.finditer(masked):
        number = int(match[1])
        if number == 1 and _BEFORE_LIST.search(masked, max(0, match.start() - 40), match.start()):
            runs.append([match])
        elif runs and number == len(runs[-1]) + 1:
            runs[-1].append(match)
    numbered = {match.start() for run in runs if len(run) > 1 for match in run}
    bullets = {
        match.start() + bullet.start()
        for match in _FLAT_BULLETS.finditer(answer)
        for bullet in re.finditer(rf"(?<=\s)\{match[1]}(?=\s)", match[0])
    }
    return numbered | bullets


def segments(answer: str) -> Iterator[Segment]:
    """The segments of an answer in order; linear in its length."""
    if _is_json(answer):
        yield from _json(0, answer)
        return
    masked = _INLINE.sub(_mask, answer)
    lines = list(_lines(_PROMPT.sub(_blank, answer), masked, _flat_items(answer, masked)))
    position = 0
    while position < len(lines):
        start, raw, text = lines[position]
        fence = _FENCE.match(raw)
        if fence is not None:
            end = _end_of_fence(lines, position, fence[1])
            yield from _fence(lines[position + 1 : end], raw[fence.end() :])
            position = end + 1
        elif position and raw == lines[position - 1][1] and "|" not in raw:
            position += 1  # the same again, as small models go on
        elif not raw.strip() or _RULE.match(raw) or _is_empty_item(lines, position):
            position += 1
        elif _is_table(lines, position):
            after = next(
                (at for at in range(position, len(lines)) if "|" not in lines[at][1]), len(lines)
            )
            rows = []
            for line in lines[position:after]:
                rows.append(list(_cells(line[0], line[2])))
            yield from _table(rows[:1] + rows[2:], headed=True)
            position = after
        elif level := _heading(lines, position):
            yield Segment(text=text, start=start, kind="label", group=level)
            position += 1
        else:
            position = yield from _paragraph(lines, position)


_INLINE_UNREAD: dict[str | None, str] = {
    "code": "a query in the text",
    "call": "a call of a tool",
    "action": "a call of a tool",
    "step": "a call of a tool",
    "plan": "what an agent means to do next",
}


def unread(answer: str) -> list[str]:
    """What of an answer is not read on purpose, in words: queries, code, targets of links."""
    inline = list(_INLINE.finditer(answer))
    kinds = []
    for segment in segments(answer):
        if segment.kind == "unread":
            kinds.append(segment.text)
    kinds += [
        _INLINE_UNREAD[match.lastgroup] for match in inline if match.lastgroup in _INLINE_UNREAD
    ]
    links = sum(match["target"] is not None for match in inline)
    return kinds + ([f"the target of {links} link{'s' if links > 1 else ''}"] if links else [])


def _lines(answer: str, masked: str, items: set[int]) -> Iterator[Line]:
    """The lines of an answer; an item of a list on one line is a line of its own."""
    ends = sorted(items)
    start = at = 0
    for whole in answer.splitlines(keepends=True):
        line = start
        after = start + len(whole)
        while start < after:
            while at < len(ends) and not answer[line : ends[at]].strip(" \t>*_`"):
                at += 1  # begins its line
            if at < len(ends) and ends[at] < after:
                end = ends[at]
            else:
                end = after
            at += end < after
            yield start, answer[start:end], masked[start:end]
            start = end


def _end_of_fence(lines: list[Line], position: int, fence: str) -> int:
    """Returns the position of the line that ends a fence that is open there."""
    for later in range(position + 1, len(lines)):
        closing = lines[later][1].strip().lstrip("> ")
        if closing.startswith(fence[:3]) and not closing.strip(fence[0]):
            return later
    return len(lines)


def _fence(lines: list[Line], info: str) -> Iterator[Segment]:
    """The data in a fence, or what it holds that is not read."""
    if not lines:
        return
    body = "".join(raw for _, raw, _ in lines)
    what = _program(info, body)
    if what is not None:
        many = "1 line"
        if len(lines) != 1:
            many = f"{len(lines)} lines"
        yield Segment(text=f"{what} of {many}", start=lines[0][0], kind="unread")
    elif _is_json(body) or info.strip().casefold().startswith("json"):
        yield from _json(lines[0][0], body)
    elif rows := _rows_of(lines, ",;\t|"):
        named = info.strip().casefold() in ("csv", "tsv") or body.split("\n")[0].islower()
        yield from _table(rows, headed=named and not _has_number(rows[0]))
    else:
        for start, _, text in lines:
            yield Segment(text=text.replace("`", EDGE), start=start, kind="text")


def _json(start: int, text: str) -> Iterator[Segment]:
    """The keys and values of a JSON text; an empty list is a value."""
    frame = '"bindings"' in text  # the results of a SPARQL query: their values are what is said
    key = under = ""
    for match in _JSON_PART.finditer(text, text.index('"bindings"') if frame else 0):
        if frame and key in _FRAME_KEYS and match["key"] is None:
            key = ""
            continue
        key = ""
        if match["key"] is not None:
            key = match["string"]
        if frame and key in (*_FRAME_KEYS, "value", "bindings"):
            continue
        name = "string"
        if match["string"] is None:
            name = "value"
        part = _ESCAPES.sub("  ", match[name])
        at = start + match.start(name)
        if match["key"] is not None:
            under = part
            yield Segment(text=part, start=at, kind="label", group="keys", column=part)
        else:
            yield Segment(text=part, start=at, kind="text", column=under)


def _is_table(lines: list[Line], position: int) -> bool:
    """Whether a table begins at a line."""
    after = lines[position + 1 : position + 2]
    return bool("|" in lines[position][1] and after and _DELIMITER.match(after[0][1]))


def _is_empty_item(lines: list[Line], position: int) -> bool:
    """Whether a line is only the number of an item after the one before, where a list was cut."""
    number = _EMPTY_ITEM.match(lines[position][1])
    return number is not None and _has_neighbour(lines, position, int(number[1]))


def _heading(lines: list[Line], position: int) -> str:
    """What kind of heading a line is: its marks, or empty."""
    raw = lines[position][1]
    marks = _HEADING.match(raw)
    if marks is not None:
        return marks[0].strip()
    if position + 1 < len(lines) and _UNDERLINE.match(lines[position + 1][1]):
        if "|" in raw or _ITEM.match(raw):
            return ""
        return "underlined"
    bold = _BOLD_LINE.match(raw)
    if bold and not bold["text"].rstrip().endswith((".", "!", "?")):
        return "bold"
    return ""


def _table(rows: list[list[Cell]], *, headed: bool) -> Iterator[Segment]:
    """The cells of a table; its heads and its first column may name what it is about."""
    name = ""
    if rows and rows[0]:
        name = f"table at {rows[0][0][0]}"
    heads: list[str] = []
    is_list = headed and all(len(row) == 1 for row in rows)  # a table of one column
    for number, row in enumerate(rows):
        for index, (at, cell) in enumerate(row):
            if headed and not number:
                heads.append(cell.strip(" \t\x1f").casefold())
                group = ""
                if index:
                    group = f"heads of the {name}"
                yield Segment(text=cell, start=at, kind="label", group=group, column=heads[0])
            else:
                column = ""
                if index < len(heads):
                    column = heads[index]
                if is_list:
                    yield Segment(text=cell, start=at, kind="item", column=column)
                    continue
                if index or not headed:
                    group = ""
                else:
                    group = f"rows of the {name}"
                yield Segment(text=cell, start=at, kind="cell", group=group, column=column)


def _has_number(row: list[Cell]) -> bool:
    """Whether a cell of a row is a number."""
    return any(cell.strip().isdigit() for _, cell in row)


def _cells(start: int, row: str) -> Iterator[Cell]:
    """Yields the cells of a table's row."""
    begin = len(row) - len(row.lstrip())
    if row[begin : begin + 1] == "|":
        begin += 1
    for cell in row[begin:].rstrip().removesuffix("|").split("|"):
        yield start + begin, cell
        begin += len(cell) + 1


def _paragraph(lines: list[Line], position: int) -> Generator[Segment, None, int]:
    """Lines up to the next blank line, item, heading, table or fence, as segments."""
    first = position
    start, raw, text = lines[position]
    item = _item_mark(lines, position)
    kind: Kind
    if item is not None:
        kind = "item"
    elif _NOTE.match(raw):
        kind = "note"
    else:
        kind = "text"
    marker = item or _QUOTE.match(raw)
    skip = 0
    if marker is not None:
        skip = marker.end()
    parts = [text[skip:]]
    position += 1
    data = _OPENS_DATA.match(raw) is not None
    while position < len(lines):
        _, next_raw, next_text = lines[position]
        if _starts_block(lines, position) or _QUOTE.match(next_raw):
            break
        if lines[position - 1][1][:1] in ("}", "]") if data else _OPENS_DATA.match(next_raw):
            break
        parts.append(next_text)
        position += 1
    block = lines[first:position]
    if _is_json(body := "".join(raw for _, raw, _ in block)):
        yield from _json(start, body)
    elif "\t" in raw and (rows := _rows_of(block, "\t")):
        yield from _table(rows, headed=not _has_number(rows[0]))
    else:
        yield Segment(text="".join(parts), start=start + skip, kind=kind)
    return position


_NEAR = 40  # lines in which the number before or after stands


def _has_neighbour(lines: list[Line], position: int, number: int) -> bool:
    """Whether an item of a list near a line has the number before or after this one."""
    near = []
    for _, raw, _ in lines[max(0, position - _NEAR) : position + _NEAR]:
        near.append(_MARK.match(raw))
    return any(mark and abs(int(mark[1]) - number) == 1 for mark in near)


def _item_mark(lines: list[Line], position: int) -> re.Match[str] | None:
    """The mark of a list's item; no figure without a neighbour (`40. Please note that ...`)."""
    raw = lines[position][1]
    mark = _ITEM.match(raw)
    number = _MARK.match(raw)
    if mark is None or number is None or number[1] == "1":
        return mark
    if _has_neighbour(lines, position, int(number[1])):
        return mark
    return None


def _starts_block(lines: list[Line], position: int) -> bool:
    """Whether a line ends the paragraph before it: it is empty or begins something else."""
    raw = lines[position][1]
    return (
        not raw.strip()
        or _item_mark(lines, position) is not None
        or _FENCE.match(raw) is not None
        or _RULE.match(raw) is not None
        or _is_table(lines, position)
        or _is_empty_item(lines, position)
        or bool(_heading(lines, position))
    )


def _program(info: str, body: str) -> str | None:
    """What a fence with this info string holds, if it is a query or code; None for data."""
    language = info.strip().casefold().split(" ")[0].strip("{}.")
    if language:
        known: str | None = ENGLISH["program_languages"].get(language)
        return known
    if _SPARQL.match(body):
        return "a SPARQL query"
    if _CODE_LINE.match(body):
        return "code"
    return None


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or list as a whole."""
    text = text.strip()
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _rows_of(lines: Sequence[Line], separators: str) -> list[list[Cell]] | None:
    """The cells of lines that all have the same number of one separator; None for other lines."""
    rows = []
    for start, raw, _ in lines:
        if raw.strip():
            rows.append((start, raw.rstrip("\r\n")))
    for separator in separators:
        counts = set()
        for _, row in rows:
            counts.add(_QUOTED.sub(_blank, row).count(separator))
        if len(rows) > 1 and len(counts) == 1 and counts != {0}:
            return [list(_separated(start, row, separator)) for start, row in rows]
    return None


def _separated(start: int, row: str, separator: str) -> Iterator[Cell]:
    """Yields the cells of a row with another separator; what stands in quotes is not cut."""
    at = 0
    for part in _QUOTED.sub(_blank, row).split(separator):
        yield start + at, row[at : at + len(part)].replace('"', " ")
        at += len(part) + 1
