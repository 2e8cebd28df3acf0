"""A reply as lines, without its markup and without what it quotes: both decide nothing.

A label that is quoted by itself ('my verdict is "X"') stays. JSON becomes a line with its verdict; a
tag that is named after a verdict (`<answer>`, `[RESULT]`) a line of text that says so; a label in a
box is one in double brackets, `[[X]]`.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.replies.cues import NOT_A_KEY, REPORTED
from factmark.replies.labels import TOKEN, Finder
from factmark.replies.loose_json import Pairs, ReadLabel, each_json, json_verdict
from factmark.replies.repeated import QUOTED, is_in_given, without_given

_JSON_LABEL = "\ue003"
MARKED = "\ue004"
"""Begins a line that a tag for a verdict opened."""
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[^`{]*$")  # JSON may stand on the line of its fence
_JSON = re.compile(
    r"(?<![\w\\$])(?:\{(?!\s{0,9}[\[{])|\[(?=\s{0,20}(?:[{\"']|\[(?![^\[\]{}\"',]{0,80}\]\]))))"
)  # not [[X]], by which judges mark a verdict
_INPUT_NAMES = r"passage|source|document|context|text|claim|triple|quote|evidence|article|abstract|input|summary"
_HEADED = re.compile(
    r"(?im)^[ \t>*#_-]{0,9}(?:(?:here|this|below) is )?(?:(?:the|your|given|quoted|original) ){0,3}"
    rf"(?:{_INPUT_NAMES})(?: (?:is|was|text|reads|says|given|above|below)){{0,3}}"
    r"[ \t*_]{0,9}:[ \t*_]{0,9}\n(?:.+(?:\n|\Z))+"
)
_TAGGED = re.compile(
    rf"(?is)(?<!<)<(?P<name>{_INPUT_NAMES})\b[^<>\n]{{0,200}}>(?:(?!<(?P=name)\b).){{0,20000}}?</(?P=name)\s*>"
    rf"|(?:^|(?<=\n))[ \t]*<(?:{_INPUT_NAMES})\b[^<>\n]{{0,200}}>.*\Z"
)
_FENCED_INPUT = re.compile(
    r"(?s)<<<(?P<name>[A-Z][A-Z ]{0,40}\d{0,4} ?[0-9a-f]{8,16})(?=\n).*?(?:\n(?P=name)>{1,3}|\Z)"
)
_QUOTED_LINE = re.compile(r"(?m)^[^\S\n]*>.*$")
_QUOTED_FENCE = re.compile(  # up to its end, whether the lines after the first are marked or not
    r"(?m)^[^\S\n]*>[ \t>]*(?P<fence>`{3,}|~{3,})[^`\n]*"
    r"(?:\n(?![ \t>]*(?P=fence)|[ \t]*$).*)*\n[ \t>]*(?P=fence)[`~]*[ \t]*$"
)
_DOUBLE = re.compile(r'"(?:([^"]*)"|([^"\n]*)\n?)')
_SINGLE = re.compile(r"(?<![\w'])'(?=\S)((?:[^'\n]|(?<=\w)'(?=\w)){1,3000})'(?!\w)")
_TICKED = re.compile(r"(`{1,2})([^`\n]{1,3000})\1")


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """A line of a reply, without markup and what it quotes.

    Attributes:
        aside: whether it stands in a fence.
        verdict: of a JSON value: its label, and whether it is called final.
        given: whether it stands in a text that the judge was given.
    """

    text: str
    aside: bool
    verdict: tuple[str | None, bool] | None = None
    given: bool = False


def lines_of(
    text: str, finder: Finder, read_label: ReadLabel, given: Sequence[str] = ()
) -> list[ReplyLine]:
    """Returns the lines of a plain reply that have words or a verdict, with JSON read and
    quotations blanked.

    Args:
        read_label: the label that a value of JSON spells, or None.
    """
    out: list[ReplyLine] = []
    for zone, aside in _split_at_fences(without_given(_without_blocks(text), given)):
        verdicts: list[ReplyLine] = []
        parts = []
        done = 0
        for start, end, value, _ in each_json(zone, _JSON):
            verdict = json_verdict(value, finder, read_label)
            if verdict is None and not (isinstance(value, Pairs) and value.items):
                continue
            parts.append(zone[done:start])
            done = end
            if verdict is None or _is_only_mentioned(zone, start, end):
                parts.append(f" {QUOTED} ")
            else:
                parts.append(f"\n{_JSON_LABEL}{len(verdicts)}{_JSON_LABEL}\n")
                repeats = is_in_given(zone[start:end], given)
                verdicts.append(ReplyLine("", aside, verdict, repeats))
        zone = "".join([*parts, zone[done:]])
        for line in without_markup(_without_quotations(zone, finder), finder).split("\n"):
            place = re.search(rf"{_JSON_LABEL}(\d+)", line)
            if place:  # others may stand around in a box
                out.append(verdicts[int(place[1])])
            elif TOKEN.search(line):
                out.append(ReplyLine(line, aside, given=is_in_given(line, given)))
    return out


def json_values(text: str, given: Sequence[str] = ()) -> list[tuple[object, bool]]:
    """Returns the JSON values that a plain reply gives as its own, not those it quotes or mentions,
    and whether each stands in a given text.
    """
    values = []
    for zone, _ in _split_at_fences(_without_blocks(text)):
        for start, end, value, _ in each_json(zone, _JSON):
            if not _is_only_mentioned(zone, start, end):
                values.append((value, is_in_given(zone[start:end], given)))
    return values


def _split_at_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yields the parts of a text outside and inside of code fences (CommonMark, 4.5), in order."""
    zone: list[str] = []
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if fence is None or (opened and not fence[1].startswith(opened)):
            zone.append(line)
            continue
        yield "\n".join(zone), bool(opened)
        zone = []
        if opened:
            opened = ""
        else:
            opened = fence[1]
    yield "\n".join(zone), bool(opened)


def _is_only_mentioned(text: str, start: int, end: int) -> bool:
    """Whether a JSON value stands in quotation marks, after a report, or amid a sentence."""
    before = text[max(0, start - 200) : start].rpartition("\n")[2]
    if (before[:-1].strip() and before[-1] in "'\"") or REPORTED.search(before):
        return True
    if NOT_A_KEY.search(before):
        return True
    return bool(re.match(r"[ \t]+(?!because\b|since\b|as\b)[a-z]", text[end : end + 20]))


def _without_blocks(text: str) -> str:
    """Returns the text without quoted lines, the prompt's own fences, and what a tag or a heading
    named after an input holds.
    """
    text = _TAGGED.sub(f"\n{QUOTED}\n", _FENCED_INPUT.sub(f"{QUOTED}\n", text))
    text = _HEADED.sub(f"{QUOTED}\n", text)
    has_others = re.search(r"(?m)^[^\S\n]*+[^>\n]", text)
    if has_others:
        return _QUOTED_LINE.sub(QUOTED, _QUOTED_FENCE.sub(QUOTED, text))
    return text


def _without_quotations(text: str, finder: Finder) -> str:
    """Returns the text without what stands between quotation marks."""
    return "\n\n".join(_blank_quotations(part, finder) for part in re.split(r"\n[ \t]*\n", text))


def is_label(text: str, finder: Finder) -> bool:
    """Whether a text is nothing but one mention of a label."""
    if len(text) > 120:
        return False
    mentions = finder.mentions(text)
    return len(mentions) == 1 and not TOKEN.search(
        text[: mentions[0].start] + " " + text[mentions[0].end :]
    )


def _blank_quotations(part: str, finder: Finder) -> str:
    """Returns a paragraph without what stands between quotation marks or backticks; an odd mark
    quotes the rest of its line.
    """
    part = _TICKED.sub(lambda match: _bracket_or_blank(match[2], finder), part)
    part = _DOUBLE.sub(
        lambda m: _bracket_or_blank(m[1] or m[2] or "", finder) + ("" if m[2] is None else "\n"),
        part,
    )
    return _SINGLE.sub(lambda match: _bracket_or_blank(match[1], finder), part)


def _bracket_or_blank(inner: str, finder: Finder) -> str:
    """Returns a quoted label in brackets, and a mark for any other quotation."""
    if is_label(inner, finder):
        return f"[{inner.strip()}]"
    if inner.strip():
        return f" {QUOTED} "
    return inner


_BOX = re.compile(r"\\{0,4}\b[bf]box(?:ed)?\s{0,3}\{|\\{1,4}boxed\s{0,3}\{|\x08oxed\{")
_LATEX = re.compile(
    r"\\{1,2}(?:text(?:bf|it|rm|sf|tt|sc)?|math(?:bf|it|rm|sf|tt)|bold(?:symbol)?|operatorname|mbox|emph|bf|rm)\s{0,3}(?=\{|\s)"
)
_LATEX_REST = re.compile(r"\$+|\\[()\[\],;! ]|\\(?=_)")
_FORMATTING = frozenset("b i u em strong span code mark font sup sub tt p".split())
_VERDICT_TAG = re.compile(
    r"(?:final|my|the|overall)?[_ -]?(?:verdict|label|answer|judge?ment|decision|classification|result"
    r"|rating|score|conclusion|output|choice|assessment)$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<\|?\s{0,3}(/?)\s{0,3}([A-Za-z][\w:-]{0,40})(?:\s[^<>\n]{0,200})?\s{0,3}/?\|?>"
    r"|(?<![\[\w])\[(?P<shut>/?)(?P<name>[A-Za-z][\w -]{0,20})\](?!\])"
)
_STARRED = re.compile(r"(\*{1,3}|_{2})([^*\n]{1,80}?)\1")
_HIGHLIGHT = re.compile(r"==([^=\n]{1,80})==|~~[^~\n]{1,300}~~")


def without_markup(text: str, words: Finder) -> str:
    """Returns plain text, with one statement a line where the markup sets it apart."""
    text = _open_boxes(text, words)
    text = _LATEX_REST.sub(" ", _LATEX.sub("", text))
    text = _replace_tags(text, words)
    text = _HIGHLIGHT.sub(lambda m: _bracket_label(m[1], words) if m[1] else " ", text)
    text = _STARRED.sub(lambda m: _bracket_label(m[2], words), text).replace("*", "")
    return "\n".join(_split_cells(line) for line in text.split("\n"))


def _bracket_label(inner: str, words: Finder) -> str:
    """Returns emphasised text; a label by itself in brackets, which mark it as one."""
    label = inner.strip(" \t[]")
    if is_label(label, words):
        return f"[{label}]"
    return inner


def _open_boxes(text: str, words: Finder) -> str:
    """Returns the text with a boxed label in double brackets, and any other box as a line that
    declares its content.
    """
    out: list[str] = []
    done = 0
    for match in _BOX.finditer(text):
        if match.start() < done:
            continue
        depth = 1
        end = match.end()
        limit = min(len(text), match.end() + 400)
        while end < limit and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        inner = text[match.end() : end - (depth == 0)].replace("\n", " ")
        if is_label(inner, words):
            marked = f"[[{inner.strip()}]]"
        else:
            marked = f"\nanswer: {inner}\n"
        out += text[done : match.start()], marked
        done = end
    out.append(text[done:])
    return "".join(out)


def _replace_tags(text: str, words: Finder) -> str:
    """Returns the text with tags as line breaks and those of formatting removed; a label in angle
    brackets stays.
    """
    closed = {match[2].casefold() for match in _TAG.finditer(text) if match[1] and match[2]}

    def plain(match: re.Match[str]) -> str:
        name = (match[2] or match["name"]).casefold()
        shuts = match[1] or match["shut"]
        if match["name"] and not _VERDICT_TAG.match(name):
            return match[0]
        if match[2] and is_label(match[2], words) and name not in closed:
            return f"[{match[2]}]"
        if name in _FORMATTING:
            return ""
        if not shuts and _VERDICT_TAG.match(name):
            before = text[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
            cited = not re.search(r"[.!?]\W*$", before) and REPORTED.search(before)
            if cited:
                return f" {QUOTED} "
            return f"\n{MARKED}{re.sub('[_-]', ' ', name)}: "
        return "\n"

    return _TAG.sub(plain, text)


def _split_cells(line: str) -> str:
    """Returns the cells of a table's row as lines of their own; any other line as it is."""
    if line.count("|") < 2 or not line.strip().startswith("|"):
        return line
    return "\n".join(cell.strip() for cell in line.strip().strip("|").split("|"))
