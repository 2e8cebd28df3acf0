"""A text written so that its form does not betray its author, with each change counted.

In the published PubMed file the people's summaries have a blank before each full stop and a line
break after it, one model's carry `<s>` and `<n>`, another's `<pad>` (protocol 2). An annotator who
has seen three documents knows who wrote what.

Each rule takes away how a text was stored or tokenised, and nothing that it says: no word, number,
unit or order changes. They are applied until none finds anything, so that a second time changes
nothing: each shortens the text or writes a plainer character.

What stays although it may betray: case; dashes and spaced hyphens (`non - small` may be an aside,
`1.2 - 3.4` a minus); a blank before a full stop or a colon between digits (`3 . 5`, `10 : 1`) and
before a comma in `1 , 234`, since they may be torn numbers; `@xmath0` and `@xcite`, which stand
for content; `##` of word pieces; a genitive without its apostrophe (`the patient s wife`); text in
a wrong encoding, which only a guess could mend. `people/core/summary_blinding.py` does more for
summaries.

Written for English: joiners of other scripts are taken away as invisible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from html.entities import html5
from typing import NamedTuple

Match = re.Match[str]


class BlindingRule(NamedTuple):
    """One rule of writing alike.

    Attributes:
        name: as reports count it.
        pattern: what is looked for.
        write: what takes its place; the same text where nothing is to change.
    """

    name: str
    pattern: re.Pattern[str]
    write: str | Callable[[Match], str]


# What Unicode calls default ignorable: zero width, bidirectional controls, variation selectors,
# tags, fillers, the soft hyphen.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]+")

# All the levels of `&amp;lt;` at once.
_ENTITY = re.compile(
    r"&(?:(?:amp|\#0{0,5}38|\#[xX]0{0,5}26);)*"
    r"(?P<last>[a-zA-Z][a-zA-Z0-9]{1,31}|\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6});"
)
_BYTE_LEVEL = re.compile(r"(?<=[\w.,;:!?⁇)\]>%])[ĠĊ]+")
# None with a blank inside (`<br />`): the blank may come from another rule. `habits` counts those.
_LINE_TAG = re.compile(r"<(?:n|q|br/?|BR/?|/?p|/?P)>")
_SPECIAL = re.compile(
    r"</?s>|<t>|</t>|<(?:pad|eos|bos|sep|cls|mask|sop|PAD|EOS|BOS|SEP|CLS|MASK)>"
    r"|<\|[a-z_]{1,30}\|>|<extra_id_\d{1,3}>|<0x[0-9A-F]{2}>|\[(?:SEP|CLS|PAD|MASK|EOS|BOS)\]"
)
_UNKNOWN = re.compile(r"<unk>|<UNK>|\[UNK\]|\u2047")
_PTB = re.compile(r"(?<![\w-])-(?:([lL])|[rR])([rRsScC])[bB]-(?![\w-])")
_PTB_SIGNS = {"r": "()", "s": "[]", "c": "{}"}
_CURLY = {"“": '"', "”": '"', "„": '"', "‟": '"', "‘": "'", "’": "'", "‛": "'", "ʼ": "'"}
_QUOTES = re.compile(r"((?:`` ?)+)|(?: |(?<![\d']))((?:'')+)")
_BRACKETS = re.compile(r"(?<=[(\[{]) | (?=[)\]}])")
_MARKS = re.compile(r"(?<=\S) (?=[.,;:!?](?:[\s.,;:!?)\]}\"']|\Z))")
_TORN_NUMBER = re.compile(r" (?:[.:] \d|, \d{3}(?!\d))")


def _ptb(match: Match) -> str:
    """Returns the bracket that a sign such as `-LRB-` of the Penn Treebank stands for."""
    return _PTB_SIGNS[match[2].lower()][0 if match[1] else 1]


def _quotes(match: Match) -> str:
    """Returns plain quotation marks for typewriter's ones."""
    return '"' * (match[1].count("``") if match[1] else match[2].count("''"))


def _entity(match: Match) -> str:
    """Returns what an HTML entity stands for; one that does not exist stays as it is."""
    name = f"{match['last']};"
    if name[0] == "#" or name in html5:
        return unescape(f"&{name}")
    return f"&{name}"


def _mark_blank(match: Match) -> str:
    """Keeps the blank of `3 . 5`, `10 : 1` and `1 , 234`."""
    text = match.string
    at = match.start()
    if text[at - 1].isdigit() and _TORN_NUMBER.match(text, at):
        return " "
    return ""


SPLIT_SURROGATES = BlindingRule(
    "lone surrogates",
    re.compile("[\ud800-\udfff]+"),
    lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
)
RULES: tuple[BlindingRule, ...] = (
    SPLIT_SURROGATES,
    BlindingRule("invisible characters", _INVISIBLE, ""),
    BlindingRule("control characters", _CONTROL, " "),
    BlindingRule("entities", _ENTITY, _entity),
    BlindingRule("sentencepiece blanks", re.compile("▁+"), " "),
    BlindingRule("byte-level blanks", _BYTE_LEVEL, lambda match: "\n" if "Ċ" in match[0] else " "),
    BlindingRule("line tokens", _LINE_TAG, "\n"),
    BlindingRule("special tokens", _SPECIAL, " "),
    BlindingRule("unknown words", _UNKNOWN, "[?]"),
    BlindingRule(
        "curly quotes", re.compile(f"[{''.join(_CURLY)}]"), lambda match: _CURLY[match[0]]
    ),
    BlindingRule("tokenised brackets", _PTB, _ptb),
)
"""Before white space is put in order."""

TIDYING: tuple[BlindingRule, ...] = (
    BlindingRule("tokenised quotes", _QUOTES, _quotes),
    BlindingRule("blanks in brackets", _BRACKETS, ""),
    BlindingRule("blanks before percent signs", re.compile(r"(?<=\d) (?=%(?!\w))"), ""),
    BlindingRule("blanks before marks", _MARKS, _mark_blank),
    BlindingRule(
        "split contractions",
        re.compile(r"(?<=[A-Za-z]) (?='(?:s|re|ve|ll|d|m)(?!['\w])|n't(?!\w))"),
        "",
    ),
)
"""After that; each only takes away single blanks, or writes a quotation mark."""

_WHITE = re.compile(r"\s+")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def _one_blank(match: Match) -> str:
    """Returns a blank for white space with a line break; other white space as it is."""
    if _BREAK.search(match[0]):
        return " "
    return match[0]


def _paragraph(match: Match) -> str:
    """Returns a blank line for white space with several line breaks, a blank for one, else the
    white space itself."""
    breaks = len(_BREAK.findall(match[0]))
    if breaks > 1:
        return "\n\n"
    if breaks:
        return " "
    return match[0]


LINE_BREAKS = BlindingRule("line breaks", _WHITE, _one_blank)
PARAGRAPHS = BlindingRule(LINE_BREAKS.name, _WHITE, _paragraph)
BLANKS = BlindingRule("blanks", re.compile(r"[^\S\n]+"), " ")
# Last, since a pattern that ends in \Z tries each long run of blanks at each of its places.
ENDS = BlindingRule("ends", re.compile(r"\A\s+|\s+\Z"), "")


_EXAMPLES = 3
_AROUND = 12  # characters on each side of an example


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one rule changed in a text.

    Attributes:
        rule: its name.
        count: how many places.
        examples: up to three places, before and after, with what stands around; raw, to be
            escaped where they are shown.
    """

    rule: str
    count: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinded:
    """A text as annotators see it, and what was changed for it, in the order of the rules."""

    text: str
    changes: tuple[Change, ...] = ()


def blind(text: str, *, paragraphs: bool = False) -> Blinded:
    """The text by all rules; a second time changes nothing.

    Args:
        paragraphs: keep blank lines, for a source; in a summary they may betray its author.
    """
    changes: list[Change] = []
    before = None
    while text != before:
        before = text
        for rule in _in_order(paragraphs):
            text, change = apply_rule(rule, text)
            if change:
                changes.append(change)
    return Blinded(text=text, changes=changes_by_rule(changes))


def changed(texts: Sequence[Blinded]) -> tuple[Change, ...]:
    """The changes of several texts together, by rule, with the first three examples."""
    return changes_by_rule(change for text in texts for change in text.changes)


def changes_by_rule(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes with those of one rule as one: in the order of the rules, then of others."""
    together: dict[str, Change] = {}
    for change in changes:
        before = together.get(change.rule, Change(rule=change.rule, count=0, examples=()))
        together[change.rule] = Change(
            rule=change.rule,
            count=before.count + change.count,
            examples=(before.examples + change.examples)[:_EXAMPLES],
        )
    names = [rule.name for rule in _in_order(paragraphs=False)]
    return tuple(together[name] for name in dict.fromkeys((*names, *together)) if name in together)


def _in_order(paragraphs: bool) -> tuple[BlindingRule, ...]:
    """Returns the rules in the order in which they are applied; paragraphs are kept or not."""
    if paragraphs:
        lines = PARAGRAPHS
    else:
        lines = LINE_BREAKS
    return (*RULES, lines, BLANKS, ENDS, *TIDYING)


def apply_rule(rule: BlindingRule, text: str) -> tuple[str, Change | None]:
    """The text after a rule, and the change if there was one."""
    parts: list[str] = []
    examples: list[tuple[str, str]] = []
    count = end = 0
    for match in rule.pattern.finditer(text):
        if isinstance(rule.write, str):
            written = rule.write
        else:
            written = rule.write(match)
        if written == match[0]:
            continue
        count += 1
        if len(examples) < _EXAMPLES:
            left = text[max(0, match.start() - _AROUND) : match.start()]
            right = text[match.end() : match.end() + _AROUND]
            examples.append((left + match[0][: 2 * _AROUND] + right, left + written + right))
        parts += (text[end : match.start()], written)
        end = match.end()
    if not count:
        return text, None
    changed_text = "".join((*parts, text[end:]))
    return changed_text, Change(rule=rule.name, count=count, examples=tuple(examples))
