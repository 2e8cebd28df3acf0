"""A reply as plain text: one spelling of every character, no hidden reasoning, no wrapping.

Each function reads the text a bounded number of times, so that a reply of a megabyte costs a
fraction of a second.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from factmark.replies.loose_json import Pairs, read_json

DONT_KNOW = "I don't know"
"""What a model is asked to say where it cannot tell."""

_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d", "-")
    | dict.fromkeys("“”„‟«»「」『』〝〞＂", '"')
    | dict.fromkeys("‘’‚‛′´＇", "'")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u20e3\u200e\u200f", None)
    | dict.fromkeys("\u2028\u2029\x85\x0b\x0c\r", "\n")
    | {"🅰": "A", "🅱": "B", "\x00": " "}
    | {chr(0xE000 + n): " " for n in range(16)}
)
_MIXED = re.compile(r"[A-Za-z\u0370-\u03ff\u0400-\u052f]+")
_LOOK_ALIKE = str.maketrans(
    "АВСЕНІЈКМОРЅТХУаесіјорѕхуΑΒΕΖΗΙΚΜΝΟΡΤΥΧοԁԛԝ", "ABCEHIJKMOPSTXYaecijopsxyABEZHIKMNOPTYXodqw"
)
_CONTRACTED = re.compile(r"\b([A-Za-z]{2,8})n't\b", re.IGNORECASE)
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
_APOSTROPHE_LOST = re.compile(
    r"\b(is|does|do|was|are|did|has|have|would|should|could)nt\b", re.IGNORECASE
)
_CAN_NOT = re.compile(r"\bcannot\b", re.IGNORECASE)
_HYPHENATED = re.compile(r"\b(in|un)-(?=[A-Za-z]{5})", re.IGNORECASE)
_THOUGHT = r"think|thinking|thought|thoughts|reasoning|analysis|scratchpad|reflection|seed:think"
_TAG = re.compile(
    rf"<\s*(?P<shut>/?)\s*(?:{_THOUGHT})\s*>|\[(?P<bracket>/?)THINK\]"
    r"|(?P<open>◁think▷)|(?P<close>◁/think▷)",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"\[INST\](?:(?!\[INST\]).){0,20000}?\[/INST\]", re.DOTALL)
_FENCED = re.compile(r"^[ \t]*```.*?^[ \t]*```", re.MULTILINE | re.DOTALL)
_SPACE_OR_QUOTE = re.compile(r"[\s\"'`]+")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,40}<\|message\|>")

_BOXED = re.compile(
    r"^\W*\\boxed(?:\s*\{(?:\\(?:text|mathrm|textbf|mathbf)\s*\{)?([^{}]*)\}|\s+([A-Za-z0-9]+)\b)\W*$"
)
_FENCE = re.compile(r"^```\w*\n(.*?)\n?```$", re.DOTALL)
_ANSWER_TAG = re.compile(r"<answer>((?:(?!</?answer>).)*)</answer>", re.IGNORECASE | re.DOTALL)
_ANSWER = r"(?:(?:final|short|my|the)[ _-]?)*answer"
_KEY = re.compile(rf"^\W*{_ANSWER}\W*:\W*", re.IGNORECASE)


def plain_text(reply: str, given: Sequence[str] = ()) -> str:
    """Returns the reply without its reasoning, with one spelling per character and contractions
    spelled out.

    Args:
        given: the texts that the judge was given: marks of reasoning that stand there end none.
    """
    return _expand_contractions(without_thought(normalise(reply), given))


def plain_spelling(text: str) -> str:
    """A text that is no reply, such as an option, in the spelling that `plain_text` gives."""
    return _expand_contractions(normalise(text))


def normalise(text: str) -> str:
    """Replaces compatibility forms, dashes, quotes, look-alikes and invisible characters by plain
    ones.
    """
    text = text.replace("\r\n", "\n").translate(_TRANSLATION)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).translate(_TRANSLATION)
    return _MIXED.sub(_latin_spelling, text)


def _latin_spelling(match: re.Match[str]) -> str:
    """A word that only looks Latin in Latin letters; a truly Greek or Cyrillic one as it is.

    A single Cyrillic letter stays: it may be an option of a list in that script.
    """
    word = match[0]
    if word.isascii() or len(word) == 1:
        return word
    latin = word.translate(_LOOK_ALIKE)
    if latin.isascii():
        return latin
    return word


def _expand_contractions(text: str) -> str:
    """The text with "do not" for "don't", "can not" for "cannot" and "unclear" for "un-clear"."""
    if "'" in text:
        text = _CONTRACTED.sub(lambda match: f"{_WHOLE.get(match[1].lower(), match[1])} not", text)
    text = _APOSTROPHE_LOST.sub(r"\1 not", text)
    return _HYPHENATED.sub(r"\1", _CAN_NOT.sub("can not", text))


def without_thought(text: str, given: Sequence[str] = ()) -> str:
    """Returns the text outside of reasoning blocks.

    A block without its end holds all that follows; an end without its start ends a block that began
    with the reply. A tag between quotation marks, or with what stands beside it in a given text, is
    something that the judge cites, not a block.
    """
    is_marked = _TAG.search(text) or _CHANNEL.search(text)
    marked = frozenset[str]().union(*map(_marks_in_given, given if is_marked else ()))
    text = _PROMPT.sub("\n", _final_channel(text, marked))
    kept: list[str] = []
    start = 0
    opened: int | None = None
    fences = [block.span() for block in _FENCED.finditer(text)]
    for match in _TAG.finditer(text):
        closing = bool(match["shut"] or match["bracket"] or match["close"])
        if opened is None and (
            _is_cited(text, match)
            or _is_within(fences, match.start())
            or (marked and not marked.isdisjoint(_mark_with_neighbours(text, match)))
        ):
            continue
        if not closing:
            if opened is None:
                kept.append(text[start : match.start()])
                opened = match.end()
        elif opened is None:
            kept.clear()
            start = match.end()
        else:
            opened = None
            start = match.end()
    if opened is None:
        kept.append(text[start:])
    return "\n".join(kept)


def masked_thought(text: str) -> str:
    """Returns the text with blanks for reasoning blocks (`without_thought`), of equal length, so
    that what is found in it has its place in the text as it was given."""
    kept = without_thought(text)
    if kept == text:
        return text
    masked = []
    for letter in text:
        masked.append(letter if letter == "\n" else " ")
    end = len(text)
    for line in reversed(kept.split("\n")):
        start = -1
        if line:
            start = text.rfind(line, 0, end)
        if start >= 0:
            masked[start : start + len(line)] = line
            end = start
    return "".join(masked)


def _is_within(spans: list[tuple[int, int]], at: int) -> bool:
    """Whether a place is inside one of some sorted spans."""
    n = bisect_right(spans, (at, at))
    return n > 0 and at < spans[n - 1][1]


def _is_cited(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag stands in a quoted line, or between quotation marks on its line."""
    before = text[max(0, tag.start() - 200) : tag.start()].rsplit("\n", 1)[-1]
    if before.lstrip().startswith(">"):
        return True
    after = text[tag.end() : tag.end() + 200].split("\n", 1)[0]
    if any(before.count(mark) % 2 and mark in after for mark in '"`'):
        return True
    if "'" not in before or "'" not in after:
        return False
    return bool(re.search(r"(?:^|[\s:(])'[^']*$", before)) and bool(re.search(r"'(?!\w)", after))


@lru_cache(maxsize=64)  # a passage, against each reply on it
def _marks_in_given(source: str) -> frozenset[str]:
    """Returns the marks of reasoning in a given text, as `_mark_with_neighbours` names each."""
    text = normalise(source)
    marks = (mark for kind in (_TAG, _CHANNEL) for mark in kind.finditer(text))
    return frozenset(name for mark in marks for name in _mark_with_neighbours(text, mark))


def _mark_with_neighbours(text: str, mark: re.Match[str]) -> set[str]:
    """Returns names for a mark: with the end of what stands before it and the beginning of what
    stands after, without spaces, quotes and case, which a judge does not repeat as they were.
    """
    before, own, after = (
        _SPACE_OR_QUOTE.sub("", part).casefold()
        for part in (
            text[max(0, mark.start() - 24) : mark.start()],
            mark[0],
            text[mark.end() : mark.end() + 24],
        )
    )
    if before:
        names = {before[-8:] + own}
    else:
        names = set()
    return names | ({own + after[:3]} if after else set())


def _final_channel(text: str, marked: frozenset[str]) -> str:
    """Returns the text of the last channel if that is the final one, else nothing; a reply without
    channels as it is.
    """
    channels = list(_CHANNEL.finditer(text))
    own = []
    for mark in channels[1:]:
        if marked.isdisjoint(_mark_with_neighbours(text, mark)):
            own.append(mark)
    if not channels or text[: channels[0].start()].strip(" \n") not in ("", "<|start|>assistant"):
        return text
    last = [channels[0], *own][-1]
    if last[1].casefold() == "final":
        return text[last.end() :]
    return ""


def final_text(reply: str) -> str:
    """Returns what a reply gives as its answer.

    The value of `answer` in JSON may be a text, a number, a list of them (joined by commas), true,
    false, or null, which says that the model does not know. Any other JSON stays as it is.
    """
    text = without_thought(reply.replace("\r\n", "\n"))
    text = [text, *_ANSWER_TAG.findall(text)][-1].strip()
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1].strip()
    boxed = _BOXED.match(text)
    if boxed:
        text = (boxed[1] if boxed[1] is not None else boxed[2]).strip()
    if text.startswith(("{", "[")):
        answer = _answer_of_json(text)
        if answer is None:
            return text
        return answer.strip()
    return _KEY.sub("", text).strip()


def _answer_of_json(text: str) -> str | None:
    """Returns the answer in a JSON value; None where it has none."""
    value, end, complete = read_json(text, 0, number=str)
    if isinstance(value, Pairs):
        keys = (key for key, _ in reversed(value.items) if re.fullmatch(_ANSWER, key, re.I))
        key = next(keys, None)
        if key is None or not complete:
            return None
        return _value_as_text(dict(value.items)[key])
    # "[1] metformin" cites
    if complete and end == len(text):
        return _value_as_text(value)
    return None


def _value_as_text(value: object) -> str | None:
    """Returns a value as text; None if it is no text, number, truth value or list of these."""
    if value is None:
        return DONT_KNOW
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, list):
        items = [item for item in value if item is not None]
        parts = []
        for item in items:
            if isinstance(part := _value_as_text(item), str):
                parts.append(part)
        if any(isinstance(item, list) for item in items) or len(parts) < len(items):
            return None
        if items or not value:
            return ", ".join(parts)
        return DONT_KNOW
    if isinstance(value, str):
        return value
    return None
