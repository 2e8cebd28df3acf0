"""A reply as plain text: one spelling of every character, and no hidden reasoning.

All that follows works on what these functions return. Each of them reads the text a bounded number
of times, so a reply of a megabyte costs a fraction of a second.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d", "-")
    | dict.fromkeys("“”„‟«»「」『』〝〞＂", '"')
    | dict.fromkeys("‘’‚‛′´＇", "'")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u20e3\u200e\u200f", None)
    | dict.fromkeys("\u2028\u2029\x85\x0b\x0c\r", "\n")
    | {"🅰": "A", "🅱": "B", "\x00": " "}
    | {chr(0xE000 + n): " " for n in range(16)}
)
_DASH = re.compile(r"[\u2013\u2014\u2015]")
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
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,40}<\|message\|>")


def plain(reply: str) -> str:
    """The reply without its reasoning, one spelling per character, contractions spelled out."""
    return _spelled_out(without_thought(normalise(reply)))


def spelled(text: str) -> str:
    """A text that is no reply, such as an option, in the spelling that `plain` gives."""
    return _spelled_out(normalise(text))


def normalise(text: str) -> str:
    """Compatibility forms, dashes, quotes, look-alikes and invisible characters made plain."""
    text = text.replace("\r\n", "\n").translate(_TRANSLATION)
    text = unicodedata.normalize("NFKC", text).translate(_TRANSLATION)
    return _MIXED.sub(_in_latin, text)


def _in_latin(found: re.Match[str]) -> str:
    """A word that only looks Latin, in Latin letters; a truly Greek or Cyrillic one as it is.

    A single Cyrillic letter stays: it may be an option of a list in that script.
    """
    word = found[0]
    if word.isascii() or len(word) == 1:
        return word
    latin = word.translate(_LOOK_ALIKE)
    return latin if latin.isascii() else word


def _spelled_out(text: str) -> str:
    text = _CONTRACTED.sub(lambda found: f"{_WHOLE.get(found[1].lower(), found[1])} not", text)
    text = _APOSTROPHE_LOST.sub(r"\1 not", text)
    return _HYPHENATED.sub(r"\1", _CAN_NOT.sub("can not", text))


def without_thought(text: str) -> str:
    """The text outside of reasoning blocks.

    A block without its end holds all that follows; an end without its start ends a block that began
    with the reply. A tag between quotation marks is something that the judge cites, not a block.
    """
    text = _PROMPT.sub("\n", _final_channel(text))
    kept: list[str] = []
    start = 0
    opened: int | None = None
    fences = [block.span() for block in _FENCED.finditer(text)]
    for found in _TAG.finditer(text):
        closing = bool(found["shut"] or found["bracket"] or found["close"])
        if opened is None and (_is_cited(text, found) or _is_within(fences, found.start())):
            continue
        if not closing:
            if opened is None:
                kept.append(text[start : found.start()])
                opened = found.end()
        elif opened is None:
            kept.clear()
            start = found.end()
        else:
            opened, start = None, found.end()
    if opened is None:
        kept.append(text[start:])
    return "\n".join(kept)


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


def _final_channel(text: str) -> str:
    """What a reply with named channels says on its last one, nothing when that is not the final."""
    channels = list(_CHANNEL.finditer(text))
    if not channels or text[: channels[0].start()].strip(" \n") not in ("", "<|start|>assistant"):
        return text
    last = channels[-1]
    return text[last.end() :] if last[1].casefold() == "final" else ""
