"""What an answer says as a whole to a yes/no question (E5)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from factmark.answers.core.phrases import content_words
from factmark.answers.core.reading import Clause

_YES_NO_QUESTION = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"""\W*
    (?: short\ answer\W+ | in\ short\W+ | answer\W+ | verdict\W+ | the\ answer\ is\W+ | well\W+
      | (?:most\s+|very\s+|quite\s+)?(?:likely|probably)\W+ | based\ on\ [^,]{1,120},\s* )?
    (?P<verdict>yes|yep|yeah|no|nope|true|false)\b
    (?!\s+(?:data|information|dataset|patient|one|such|record|specific))""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(
    r"\banswer\s+(?:here\s+)?(?:is|would\s+be)\W+(?P<verdict>yes|no|true|false)\b", re.IGNORECASE
)
_HEDGE = re.compile(
    r"\b(?:probabl[ey]|possibl[ey]|perhaps|maybe|might|seems?|appears?|likely|unclear|unsure|depends?"
    r"|not\s+sure|generally|typically|usually|normally|would\s+need|if|unless|presumably|in\s+general)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:not\s+(?:be\s+)?(?:allowed|permitted|possible|permissible)|n['’]t\s+(?:be\s+)?(?:allowed|permitted|possible)"
    r"|prohibit(?:ed|s)|forbidden|forbids|disallowed|banned|may\s+not|must\s+not|you\s+cannot|you\s+can['’]?t)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\b(?:is|are)\s+(?:explicitly\s+)?(?:allowed|permitted|permissible)\b|\byou\s+(?:can|may)\b(?!\s+not)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)


def verdict(
    question: str, answer: str, clauses: Iterable[Clause], *, asked: bool = False
) -> str | None:
    """`yes` or `no`; None where the question asks for neither, or the answer gives neither.

    Args:
        asked: the ground truth is a yes or no, so that the question asks for it in any wording.
    """
    if not (asked or _YES_NO_QUESTION.match(question)):
        return None
    plain = answer.replace("*", "").replace("#", "").replace("_", "")
    stated = _LEAD.match(plain[:400]) or _CLOSING.search(plain)
    if stated is not None:
        return "yes" if stated["verdict"].casefold()[0] in "yt" else "no"
    about = frozenset(content_words(question))
    for clause in clauses:
        if not clause.states or _HEDGE.search(clause.text):
            continue
        if _NO.search(clause.text):
            return "no"
        if _YES.search(clause.text):
            return "yes"
        if (
            asked
            and about
            and 2 * len(about.intersection(content_words(clause.text))) >= len(about)
        ):
            return "no" if _NOT.search(clause.text) else "yes"
    return None
