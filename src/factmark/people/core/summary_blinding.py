"""A summary written like the others, beyond what `blind` does: case, spacing, marks and ends; and
its source, as far as words are the same in both.

In the published PubMed file all is in lower case but for letters that one model strews in
(`bengalURu`), hyphens stand between blanks or not (`x - ray`, `walking -with`), models end in a run
of marks or in none, and the blank after a full stop is lost now and then; one model writes `p=.03`
and `25-year old` where others write `p = .03`, `25-year-old` and `pet / ct`. None of it is what a
summary says, and all of it names its author. Words, numbers and their order stay.

What stays: a mark for an unknown word (`[?]`), since something was lost there; commas (without
those before `and` a system is named as often); what is repeated: left out, it would be missing from
what is rated; counted beside it ("said 7 times"), it would tell as much. `people/core/tells.py`
counts them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from factmark.people.core.paragraphs import set_apart
from factmark.text.alike import BROKEN_WORD, whole_word
from factmark.text.blinding import (
    Blinded,
    BlindingRule,
    apply_rule,
    blind,
    changes_by_rule,
)
from factmark.text.sentences import ANY_PART, sentences

_MOST_CAPITALS = 0.05  # of the letters of a text in lower case
_BEGIN_LOWER = 0.9  # of its sentences
_UNITS = frozenset(  # a capital is part of them: mM is no mm
    "mmHg cmH Pa kPa MPa Hz kHz MHz GHz dL mL µL μL mM nM pM µM μM mA mV kV mW kW MW Da kDa kJ MJ "
    "Gy mGy cGy Bq kBq MBq GBq Sv mSv mEq mOsm IU mIU".split()
)
_CAPITALS = BlindingRule(
    "stray capitals",
    re.compile(r"(?<![°º])[^\W\d_]+"),
    lambda match: match[0] if match[0] in _UNITS else match[0].lower(),
)
_ASIDE = "an?|the|this|that|these|which|who|and|or|but|is|are|was|were|as|for|with|if|we|it|they"
# Between letters. Before words that begin an aside it may be a dash, but not in `day - to - day`.
_HYPHENS = BlindingRule(
    "blanks at hyphens",
    re.compile(
        rf"(?<=[a-z])(?: -+ ?|-- ?)(?:- ?)*(?=[a-z])(?!(?:{_ASIDE})\b(?! -))", re.IGNORECASE
    ),
    "-",
)
_GENITIVES = BlindingRule("lost apostrophes", re.compile(r"(?<=[a-z]{3}) s(?= [a-z]{2})"), "'s")
_PART_COLON = BlindingRule(
    "blanks after colons",
    re.compile(rf"((?:\A|(?<=[.?!] )){ANY_PART}):(?=\w)", re.IGNORECASE),
    lambda match: f"{match[1]}: ",
)
_ELLIPSES = BlindingRule("runs of marks", re.compile(r"(?<=\w)\.{3}(?!\.)"), ".")
_STOP_COMMAS = BlindingRule("runs of marks", re.compile(r"(?<=[a-z]{5})(?<!approx)\.,(?= )"), ",")
_RELATIONS = BlindingRule(
    "blanks at signs",
    re.compile(r"(?:[a-z]{2,9}://|www\.)\S*|(?<=[\w)\]%]) ?([<>]=?|[=≤≥±]) ?(?=[-~(]?\.?\w)"),
    lambda match: f" {match[1]} " if match[1] else match[0],
)
_BOUNDS = BlindingRule(
    "blanks at signs",
    re.compile(r"(?:(?<=\([<>≤≥])|(?<=, [<>≤≥])|(?<=~)) (?=\.?\d)"),
    "",
)
_SLASHES = BlindingRule("blanks at slashes", re.compile(r"(?<=[\w)\]])(?: / ?|/ )(?=[\w(\[])"), "/")
_QUOTED = BlindingRule(
    "blanks in quotes",
    re.compile(r"""(?<![^\s(])(["']) ([^"'\n]*[^"'\s]) \1(?![^\s.,;:)])"""),
    lambda match: match[1] + match[2] + match[1],
)
_COMPOUNDS = BlindingRule(
    "lost hyphens",
    re.compile(
        r"(?<=\d)[- ](?:year|month|week|day)[- ]old\b"
        r"|\b(?:non|pre|anti|multi|semi) (?!(?:and|or|nor|to|the)\b)(?=[a-z]{2})"
    ),
    lambda match: match[0].replace(" ", "-"),
)
_WORDS = (_HYPHENS, _GENITIVES)
_SIGNS = (_RELATIONS, _BOUNDS, _SLASHES, _QUOTED, _COMPOUNDS)
_LOWER_CASE = (_CAPITALS, *_WORDS, _ELLIPSES, _STOP_COMMAS, *_SIGNS)
"""For texts in lower case, as tokenisers leave them: in others a hyphen between blanks may be a
dash, a capital a name, three full stops an omission, and `<b>` a tag."""

_RUNS = BlindingRule(
    "runs of marks",
    re.compile(r"(?<![.,])(?!\.{3}(?! ?[.,]))(?:[.,] ?){3,}(?<! )|(?<!,),,(?!,)|(?<!\.)\.\.(?!\.)"),
    lambda match: "." if "." in match[0] else ",",
)
_END = BlindingRule(
    "missing full stops",
    re.compile(r"(?:(?<=[\w%\])\"'+>])|(?<=[\w%)\]])[,;:-]+)(?<![.!?][\"')\]])\Z"),
    ".",
)


def blind_summary(text: str) -> Blinded:
    """The text of a summary as annotators see it: by all rules of `blind`, then by these; a second
    time changes nothing."""
    text, broken = apply_rule(broken_words(text), text)
    changes = []
    if broken:
        changes = [broken]
    before = None
    while text != before:
        before = text
        blinded = blind(text)
        text = blinded.text
        changes += blinded.changes
        lower = _LOWER_CASE if _in_lower_case(text) else ()
        for rule in (*lower, _RUNS, _blanks_after_sentences(text), _PART_COLON, _END):
            text, change = apply_rule(rule, text)
            if change:
                changes.append(change)
    return Blinded(text=text, changes=changes_by_rule(changes))


def blind_source(text: str, sections: Collection[str] = ()) -> Blinded:
    """The text of a source as annotators see it: in paragraphs, by the rules of `blind`, and with
    words and signs written as in its summaries, so that what is read there is found here.

    Args:
        sections: the names of its sections, where the file tells them.
    """
    text, broken = apply_rule(broken_words(text), text)
    changes = []
    if broken:
        changes = [broken]
    text = set_apart(text, sections)
    before = None
    while text != before:
        before = text
        blinded = blind(text, paragraphs=True)
        text = blinded.text
        changes += blinded.changes
        if _in_lower_case(text):
            for rule in (*_WORDS, *_SIGNS):
                text, change = apply_rule(rule, text)
                if change:
                    changes.append(change)
    return Blinded(text=text, changes=changes_by_rule(changes))


def broken_words(text: str) -> BlindingRule:
    """The rule that makes words whole which are broken at the ends of a text's lines."""
    return BlindingRule("words broken at line ends", BROKEN_WORD, whole_word(text))


def _in_lower_case(text: str) -> bool:
    """Whether a text is written without capitals, but for a few that are strewn in."""
    capitals = sum(map(str.isupper, text))
    letters = sum(map(str.isalpha, text))
    if capitals > _MOST_CAPITALS * letters:
        return False
    first = []
    for start, _ in sentences(text):
        if text[start].isalpha():
            first.append(text[start])
    return sum(map(str.islower, first)) > _BEGIN_LOWER * len(first)


def _blanks_after_sentences(text: str) -> BlindingRule:
    """The rule that puts a blank where a sentence ends without one."""
    ends = {sentence.end for sentence in sentences(text)}
    return BlindingRule(
        "blanks after sentences",
        re.compile(r"(?<=[.?!])(?=\w)"),
        lambda match: " " if match.start() in ends else "",
    )
