"""What an answer says to a yes/no question (E5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.sentences import Sentence

_YES_NO_QUESTION = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"""\W*
    (?: (?:short\ answer|in\ short|answer|verdict|the\ answer\ is|well)\W+
      | (?:\w+\s+)?(?:likely|probably)\W+ | based\ on\ [^,]{1,120},\s* )?
    (?P<verdict>yes|yep|yeah|no|nope|true|false)\b
    (?!\s+(?:data|information|dataset|patient|one|such|record|specific))""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(
    r"\banswer\s+(?:here\s+)?(?:is|would\s+be)\W+(?P<verdict>yes|no|true|false)\b", re.IGNORECASE
)
_SHORT_NO = re.compile(  # `It does not.`, `Not any more.`
    r"\W*(?:(?:it|they|he|she|that|this)\s+(?:is|are|does|do|was|were|has|have|did|can)"
    r"(?:n['’]t|\s+not)|not)\b",
    re.IGNORECASE,
)
_JSON = re.compile(r'"\s*:\s*(?P<verdict>true|false)\b')
_STEP = re.compile(r"^\W{0,4}(?:observation|final\s+answer)\s?\d{0,2}\W{0,3}?:", re.I | re.M)
_HEDGE = re.compile(
    r"\b(?:probabl[ey]|possibl[ey]|perhaps|maybe|might|seems?|appears?|likely|un(?:clear|sure)|depends?"
    r"|not\s+sure|whether|unable|generally|typically|usually|normally|would\s+need|if|unless|presumably"
    r"|can(?:not|['’]t)\s+(?:say|tell|compare|determine|confirm|settle|judge|answer|verify))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:not|never|no|cannot|prohibit(?:ed|s)|forbid(?:den|s)|disallowed|banned)\b|n['’]t\b", re.I
)
_ALLOWED = re.compile(
    r"\b(?:allowed|permitted|permissible|possible|prohibit(?:ed|s)|forbid(?:den|s)|disallowed|banned"
    r"|(?:may|must)\s+not|you\s+(?:can|may)(?:not|['’]t)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A yes or no, and where the answer says it."""

    value: str
    start: int
    end: int


def stated_verdict(
    question: str, answer: str, sentences: Sequence[Sentence], *, asked: bool = False
) -> Stated | None:
    """`yes` or `no`; None where the question asks for neither, or the answer gives neither.

    Args:
        asked: the ground truth is a yes or no, so that the question asks for it in any wording.
    """
    if not (asked or _YES_NO_QUESTION.match(question)):
        return None
    plain = _visible(len(answer), sentences)
    steps = [match.end() for match in _STEP.finditer(answer)]
    stated = _LEAD.match(plain, steps[-1] if steps else 0) or _CLOSING.search(plain)
    if stated is not None:
        value = "yes" if stated["verdict"].casefold()[0] in "yt" else "no"
        return Stated(value, *stated.span("verdict"))
    if asked and (stated := _JSON.search(answer)) is not None:
        value = "yes" if stated["verdict"] == "true" else "no"
        return Stated(value, *stated.span("verdict"))
    if asked and (short := _SHORT_NO.match(plain)) is not None:
        return Stated("no", short.start(), short.end())
    about = frozenset(content_words(question))
    for sentence in sentences:
        if _HEDGE.search(sentence.plain):
            continue
        shared = about.intersection(content_words(sentence.plain))
        if _ALLOWED.search(sentence.plain) or (asked and about and 2 * len(shared) >= len(about)):
            value = "no" if _NO.search(sentence.plain) else "yes"
            return Stated(value, sentence.tokens[0].start, sentence.tokens[-1].end)
    return None


def _visible(length: int, sentences: Sequence[Sentence]) -> str:
    """What is read of an answer, at its places, without markup, calls of tools and marks."""
    plain = [" "] * length
    for token in (token for sentence in sentences for token in sentence.tokens):
        plain[token.start : token.start + len(token.text)] = token.text
    return "".join(plain)
