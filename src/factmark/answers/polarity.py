"""What an answer says as a whole: yes or no (E5), and whether it reports absence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from factmark.answers.reading import Clause

_YES_NO_QUESTION = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"""\W*
    (?: short\ answer\W+ | in\ short\W+ | answer\W+ | verdict\W+ | the\ answer\ is\W+ | well\W+
      | (?:most\s+|very\s+|quite\s+)?(?:likely|probably)\W+ | based\ on\ [^,]{1,120},\s* )?
    (?P<verdict>yes|yep|yeah|no|nope)\b
    (?!\s+(?:data|information|dataset|patient|one|such|record|specific))""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSING = re.compile(
    r"\banswer\s+(?:here\s+)?(?:is|would\s+be)\W+(?P<verdict>yes|no)\b", re.IGNORECASE
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


def verdict(question: str, answer: str, clauses: Iterable[Clause]) -> str | None:
    """`yes` or `no`; None where the question asks for neither, or the answer gives neither."""
    if not _YES_NO_QUESTION.match(question):
        return None
    plain = answer.replace("*", "").replace("#", "").replace("_", "")
    stated = _LEAD.match(plain[:400]) or _CLOSING.search(plain)
    if stated is not None:
        return "yes" if stated["verdict"].casefold().startswith("y") else "no"
    for clause in clauses:
        if _HEDGE.search(clause.text):
            continue
        if _NO.search(clause.text):
            return "no"
        if _YES.search(clause.text):
            return "yes"
    return None


_THINGS = (
    r"(?:datasets?|data\s+sets?|cohorts?|patients?|polic(?:y|ies)|entr(?:y|ies)|rows?|results?|records?|match(?:es)?|resources?"
    r"|permissions?|obligations?|dut(?:y|ies)|collections?|items?|bindings?|hits?|graphs?|such|one|of\s+the\s+(?:datasets|cohorts|policies)"
    r"|of\s+them|of\s+these)"
)
_NOUNS = r"(?:(?!(?:for|in|on|of|from|with|to|about)\b)\w+\s+){0,3}"
_ABSENCE = re.compile(
    rf"""
    ^\W*(?: none | nothing | nil | (?:zero|0)\W*$ | (?:no|zero|0)\s+{_NOUNS}{_THINGS} )\b
        (?!\s+of\s+the\s+\w+\s+{_THINGS})
  | ^\W*(?:zero|0)\W*$
  | \bthere\s+(?:is|are|were|was)(?:\s+currently)?\s+(?:no|none|zero|not\s+any)\b
  | \bthere\s+(?:is|are)n['’]t\s+any\b | \bthere['’]s\s+no\b | \bthere\s+isn['’]t\s+(?:any|one)\b
  | \b(?:no|zero|0)\s+{_NOUNS}{_THINGS}\b
  | \bnot\s+found\b
  | \bnothing\s+(?:was\s+)?(?:found|matched|matches|came\s+back|returned)\b
  | (?<!not\s)(?<!non-)\bempty\b(?!\s+(?!result|list|set|response|answer|graph|output)\w)
  | \bdo(?:es)?(?:\s+not|n['’]t)\s+exist\b
  | \bnone\b(?!\s+of\s+the\s+\w+\s+\w+)
  | \b(?:returns?|returned|yields?|gives?|gave)\s+(?:0|zero|none|nothing|no\b|an\s+empty)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# One of these is in all that the pattern above matches; a quick look before a slow one.
_NEGATIVE = re.compile(r"\b(?:no|none|zero|nothing|nil|0|not|empty|any)\b|n['’]t", re.IGNORECASE)
_UNKNOWING = re.compile(
    r"\b(?:no|not|n['’]t|without|lack)\b.{0,40}\b(?:information|access|details?|way\s+to|knowledge|idea|mention|data\s+on|data\s+about|guarantee)\b"
    r"|\bnot\s+(?:aware|sure|certain|clear)\b|\bno\s+(?:specific|single|clear|definitive|direct)\b",
    re.IGNORECASE,
)


def reports_absence(clauses: Iterable[Clause]) -> bool:
    """Whether an answer says that there is nothing (none, zero, no datasets, not found, ...)."""
    return any(
        _NEGATIVE.search(clause.text)
        and _ABSENCE.search(clause.text)
        and not _UNKNOWING.search(clause.text)
        for clause in clauses
    )
