"""Adjectives as labels: whether a sentence calls the whole of what is judged correct.

A judge also calls a dose, a first half or the reference correct. Such a word counts where it is
said of the answer itself, without a limit, or of the judge's own verdict.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re

from factmark.rubrics.lexicon import TOKEN, Mention

_QUALITIES = frozenset(
    "correct incorrect right wrong true false accurate inaccurate valid invalid".split()
)
_WINDOW = 240
_OF_OTHERS = (
    r"(?:reference|expected|gold|correct|right|true|accepted|previous|other|half|part|rest)"
)
_NAME = r"(?:answer|response|reply|claim|statement|submission|prediction)"
_JUDGED = (
    rf"(?:(?:the|this|that)\s+)?(?:(?!{_OF_OTHERS}\b)[\w-]+(?:'s)?\s+){{0,2}}?{_NAME}"
    r"(?:\s+(?:given|provided|above|here|itself|overall|in\s+question|as\s+a\s+whole|(?:by|of|from)\s+the\s+\w+|to\s+the\s+question))?"
)
_IS = r"(?:is|was|must\s+be|should\s+be|can\s+be|would\s+be|has\s+to\s+be|seems|appears|remains)(?:\s+to\s+be|\s+(?:considered|judged|deemed|marked|rated|counted|labell?ed)(?:\s+(?:as|to\s+be))?)?"
_HOW = r"(?:\s+(?:\w+ly|therefore|thus|hence|indeed|also|still|so|quite|then|both|in\s+fact))*"
_SO = r"(?:(?:yes|no|so|therefore|thus|hence|then|overall|and|because|since|as|consequently|accordingly|finally|(?:in\s+)?(?:conclusion|summary|short|sum))\b\W*)*"
_THINKS = r"\b(?:i|we)\s+(?:\w+ly\s+)?(?:would\s+)?(?:think|believe|find|conclude|judge|consider|say|agree)\s+(?:that\s+)?"
_START = (
    rf"(?:^\W*|[,;:.!?()-]\s+|\b(?:so|therefore|thus|hence|and|because|since)\s+|{_THINKS}){_SO}"
)
_SAID_OF_IT = re.compile(
    rf"{_START}(?:{_JUDGED}|it|this|that)(?:\s+{_IS}|'s){_HOW}\s+(?:an?\s+)?[\[\ue000\"]*$"
    rf"|^\W*{_SO}{_JUDGED}\b(?:(?!\bwhich\b|\bwho\b)[^;:]){{0,160}}?(?:,|\band|\bso)\s+(?:it\s+)?{_IS}{_HOW}\s+[\[\ue000\"]*$"
    rf"|\b(?:making|makes|rendering|renders|leaves|leaving)\s+(?:it|this|that|{_JUDGED}){_HOW}\s+[\[\ue000\"]*$"
    r"|\b(?:so|therefore|thus|hence|overall),?\s+[\[\ue000\"]*$",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:verdict|label|judge?ment|decision|conclusion|classification|result|rating|evaluation|grade|ruling|assessment|determination)\s+(?:(?!not\b)[\w']+\s+){0,4}?(?:is|=|remains|stays|would\s+be|should\s+be|must\s+be|as|to\s+be|will\s+be)\s+(?:(?!not\b)[\w']+\s+){0,2}?[\[(\ue000\"]*$"
    r"|\b(?:i|we)(?:'d|'ll|\s+(?:would|will|therefore|must|thus|hence|do|have\s+to|also|am\s+going\s+to|can\s+only))*\s+(?:choose|pick|select|go\s+with|conclude|judge|rate|vote|answer|settle\s+on|say|label|mark|classify|opt\s+for|assign|give|consider|deem|find|call)\b(?:(?!\b(?:is|was|are|were|that)\b)[^.;]){0,60}$",
    re.IGNORECASE,
)
_WITHOUT_LIMIT = re.compile(
    r"^[\])}\"\ue001]*\s*(?:$|[.!,;:)/\n]|-+(?:\s|>)|=>|->|→"
    r"|(?:because|since|given|by|per|and|or|so|overall|here|answer|response|as(?!\s+(?:far|long|to|regards))|in\s+(?:that|light|line|agreement|view|accordance)|(?:according|based|due|thanks)\s+(?:to|on)|(?:with|for)\s+(?:the\s+)?(?:question|reference))\b)",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(
    rf"\b(?:references?|half|halves|part|portion|section|bit|rest|sentence|{_NAME}'s\s+[\w ]{{1,30}})\s+{_IS}{_HOW}\s+[\[\ue000\"]*$",
    re.IGNORECASE,
)
_RESPECT = re.compile(
    r"\b(?!(?:clear|definite|certain|entire|ful|complete|undoubted|tru|absolute|obvious|ultimate|final|simp|consequent|according|sure|like)ly\b)\w+ly\s+[\[\ue000\"]*$",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:but|however|although|though|except|yet|while|whereas|nonetheless|nevertheless)\b", re.I
)
_TURNED = re.compile(r"^\W*(?:but|however|yet|nonetheless|nevertheless|still)\b", re.I)


def is_quality(label: str | None) -> bool:
    """Whether a label is an adjective that may be said of anything."""
    return label is not None and label.casefold() in _QUALITIES


def of_the_whole(sentence: str, mention: Mention) -> bool:
    """Whether a sentence says its adjective of all that is judged, or of the judge's verdict.

    One that is written as a label passes, unless it is said of a part or in one respect only.
    """
    before = sentence[max(0, mention.start - _WINDOW) : mention.start]
    after = sentence[mention.end : mention.end + _WINDOW]
    if _OF_A_PART.search(before) or (_RESPECT.search(before) and _BUT.search(after)):
        return False
    if mention.strong:
        return True
    if not _WITHOUT_LIMIT.match(after):
        return False
    if not TOKEN.search(before):
        return True
    return bool(_SAID_OF_IT.search(before)) or is_own(before)


def is_own(before: str) -> bool:
    """Whether the words before an adjective make it the judge's own verdict."""
    return bool(_OWN.search(before[-160:]))


def turns(sentence: str) -> bool:
    """Whether a sentence goes against the one before it."""
    return bool(_TURNED.match(sentence[:40]))
