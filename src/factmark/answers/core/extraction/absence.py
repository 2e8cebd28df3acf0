"""Whether an answer reports that there is nothing; decides C where G is empty.

What is said to be absent must be what was asked about: the nouns are the question's, with those
for any result (rows, matches). `Asthma, COPD. No other datasets qualify` reports none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.sentences import Sentence
from factmark.text import lexicon
from factmark.text.lexicon import word_set
from factmark.text.word_classes import word_class
from factmark.text.words import normalise, stem

_RESULTS = word_set(
    "record records result results row rows match matches entry entries item items hit hits "
    "binding bindings resource resources permission permissions obligation obligations duty duties "
    "collection collections such one value values answer data-set data-sets graph graphs"
)
_GENERAL = frozenset(stem(word) for word in lexicon.HEADS | _RESULTS)
_MORE = word_set("other others further additional more else longer doubt")  # than those named
_LEADS = lexicon.DETERMINERS - _MORE - {"such"}

_PHRASE = r"(?P<{}>(?:[\w'’-]+[ ]?){{1,7}})"
_NOT = r"(?:\b(?:not|cannot|never|without|failed\s+to|unable\s+to)|n['’]t)"
_HOLD = (
    r"(?:contain|includ|list|ha[vs]e?|hold|show|return|record|report|offer|mention|match|permit"
    r"|allow|require|yield|produce)\w*"
)
_DENIED = re.compile(
    rf"\b(?:no|zero|0|not\s+(?:a\s+single|one))\s+{_PHRASE.format('phrase')}"
    rf"|{_NOT}\s+(?:\w+\s+){{0,3}}?any\s+{_PHRASE.format('any')}"
    rf"|{_NOT}\s+{_HOLD}\s+{_PHRASE.format('held')}|\bnone\s+of\s+{_PHRASE.format('of')}",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    rf"{_NOT}\s+(?:able\s+to\s+)?(?:find|found|identify|locate|see|discover|detect)\s+any\s+"
    + _PHRASE.format("phrase"),
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"""
    ^\W*(?:none|nothing|nil|zero|0|n/a)\W*$ | ^\s*\[\s*\]\s*$
  | ^\W*(?:nothing|nil)\b(?!\s+of\b) | \bnone\b(?!\s+of\b) | \bthere\s+isn['’]t\s+one\b
  | \bnot\s+found\b | \bnothing\s+(?:was\s+)?(?:found|match\w*|came\s+back|returned)\b
  | (?<!not\s)(?<!non-)\bempty\b(?!\s+(?!result|list|set|response|answer|graph|output)\w)
  | \bdo(?:es)?(?:\s+not|n['’]t)\s+exist\b
  | \b(?:is|are|was|were|returns?|returned|yields?|gives?|gave)\s+(?:0|zero|nothing|an\s+empty)\b
        """,
    re.IGNORECASE | re.VERBOSE,
)
# One of these is in all that the patterns above match; a quick look before a slow one.
_NEGATIVE = re.compile(
    r"\b(?:no|none|nothing|nil|zero|0|not|cannot|never|without|unable|failed|empty|n/a)\b|n['’]t"
    r"|\[\s*\]",
    re.IGNORECASE,
)
_LEADING_NO = re.compile(r"\W*no\b", re.IGNORECASE)
_ANY = re.compile(r"\W*(?:(?:is|are|was|were)\s+there|(?:do|does|did|ha[sv]e?)\s+any)\b", re.I)
_OTHER = re.compile(r"\bother\s+", re.IGNORECASE)
_PARTS = ("content", "general noun", "general adjective", "verb or noun", "adverb")  # of a noun phrase


def absent(question: str, clauses: Sequence[Sentence], verdict: str | None) -> list[Sentence]:
    """The clauses that report that there is nothing (none, `[]`, no <noun>, not found, ...).

    Args:
        verdict: the answer's, to a yes/no question.
    """
    whole = verdict == "no" and _ANY.match(question) is not None
    nouns = _GENERAL.union(content_words(question), normalise(question))
    return [
        clause
        for clause in clauses
        if (whole and _LEADING_NO.match(clause.plain))
        or (
            _NEGATIVE.search(clause.plain)
            and _reports(clause, question, nouns, first=clause is clauses[0])
        )
    ]


def _reports(clause: Sentence, question: str, nouns: frozenset[str], *, first: bool) -> bool:
    text = _OTHER.sub("", clause.plain) if first else clause.plain  # other than the one asked about
    if clause.segment.kind != "cell" and _EMPTY.search(clause.plain):
        return True
    pattern = _DENIED
    return any(
        _is_asked(match[match.lastgroup or 0], nouns, whole=match.lastgroup in ("of", "held"))
        for match in pattern.finditer(text)
    )


def _is_asked(phrase: str, nouns: frozenset[str], *, whole: bool) -> bool:
    """Whether the head of a noun phrase is a noun of the question, or one for any result.

    Args:
        whole: whether its other words must be the question's too.
    """
    words = phrase.casefold().split()
    while words and words[0] in _LEADS:
        words.pop(0)
    for index, word in enumerate(words):
        kind = word_class(word)
        if word in ("such", "one"):
            return True
        if word in _MORE or kind not in _PARTS:
            return False
        asked = nouns.issuperset(normalise(word))
        after = word_class(words[index + 1]) if index + 1 < len(words) else None
        if asked and after not in ("content", "general noun"):
            return True
        if whole and not asked and kind == "content" and not word.isdigit():
            return False
    return False
