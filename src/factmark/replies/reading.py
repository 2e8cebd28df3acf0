"""From a judge's reply to its one label, or none; never a default. Pure.

A declared verdict decides (`declarations`). Where several differ, the one that is named as final or
stands alone on the last line decides, outside of fences. Prose is read in few closed forms only. What
stands in the texts that the judge was given is a quotation and decides nothing.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Sequence

from factmark.replies.cues import BUT, GRADED, GRADED_AFTER, SENTENCE
from factmark.replies.declarations import Declaration, Line, declarations, lines_of
from factmark.replies.labels import Finder, Mention, lexicon
from factmark.replies.plain import plain

LIMIT = 16_000
_SUBJECT = r"(?:claim|statement|triple|assertion|fact|relation|passage|text|source|document|evidence|context|abstract|article|answer|response|it|this|that)"
_EVIDENCE = r"(?:passages?|texts?|sources?|documents?|evidence|contexts?|abstract|article|sentences?|this|it)"
_ADVERB = r"(?:(?:directly|explicitly|clearly|fully|indeed|therefore|thus|also|strongly|well|simply|actually|specifically|hence|itself|completely|entirely)\s+){0,2}"
_OPENS = r"^\W*(?:(?:so|therefore|thus|hence|overall|yes|based on|according to|in|given)\b[^,;]{0,60},?\s+)?(?:I\s+(?:judge|consider|find|think|believe|conclude)\s+(?:that\s+)?)?(?:(?:the|this|that|each|both|all|given|provided|candidate's|student's|model's)\s+){0,3}"
_PASSIVE = re.compile(
    rf"{_OPENS}{_SUBJECT}(?:\s+(?:that|given|above|of)\b[^,;]{{0,160}}?)?\s+(?:is|are|was|were|to be)\s+(?P<no>not\s+)?{_ADVERB}$",
    re.I,
)
_ACTIVE = re.compile(
    rf"{_OPENS}{_EVIDENCE}(?:\s+(?:above|given|provided))?\s+(?:(?:do|does|did)\s+(?P<no>not\s+)?)?{_ADVERB}$",
    re.I,
)
_REASON = r"[^\w,;:?(]*$|,?\s+(?:as(?! (?:far|long))|because|since|which)\b|\s*[:;(]"
_OBJECT = re.compile(
    rf"^\s+(?:(?:the|this|that|these|a)\s+)?(?:given\s+|stated\s+)?(?:claim|statement|triple|assertion|fact|relation|it|this|that)(?:{_REASON}|\s+that\b|\s+by\s+\w+ing\b)|^\s+what\b|^[^\w,;:?(]*$",
    re.I,
)
_BY = re.compile(
    rf"^(?:\s+(?:by|in)\s+(?:the|this|its)\s+(?:\w+\s+){{0,2}}(?:passage|text|source|document|evidence|context|abstract|article|sentence|paragraph|line|reference|question|claim)s?)?(?:{_REASON})"
    r"|^\s+according to\b|^\s+(?:overall|here)\W*$",
    re.I,
)
_DOUBT = re.compile(
    r"\b(?:not?|non|never|nothing|none|neither|nor|nowhere|without|lack\w*|fail\w*|insufficient\w*|unclear|whether|if|unless|may|might|could|would|should|can|cannot|possibl\w*|perhaps|maybe|partial\w*|partly|somewhat|mostly|hardly|barely|only|except|doubt\w*|likely|seems?|appears?|enough|little|outside|elsewhere|beyond|absen\w*|miss\w*)\b",
    re.I,
)
_TURN = re.compile(
    rf"{BUT.pattern}|\b(?:yet|nonetheless|nevertheless|actually|then again|on the other hand)\b",
    re.I,
)
_TAKES_BACK = re.compile(rf"{_TURN.pattern}|\b(?:just kidding|false|wrong|first reading)\b", re.I)


def parse_reply(
    reply: str, labels: Sequence[str], *, cut: bool = False, given: Sequence[str] = ()
) -> str | None:
    """The one label of `labels` that the reply settles on, or None.

    Args:
        cut: whether the reply was cut off at its limit: only what is declared counts then.
        given: the texts that the judge was given, such as passage and claim.
    """
    return decide(plain(reply, given), lexicon(tuple(labels)), declared_only=cut, given=given)


def decide(
    text: str, finder: Finder, *, declared_only: bool = False, given: Sequence[str] = ()
) -> str | None:
    """The one label that a plain reply settles on."""
    lines = lines_of(ends_of(text, LIMIT), finder, given)
    return decide_lines(lines, finder, declared_only=declared_only, given=given)


def decide_lines(
    lines: Sequence[Line],
    finder: Finder,
    *,
    declared_only: bool = False,
    given: Sequence[str] = (),
) -> str | None:
    """The one label that the lines of a reply settle on."""
    declared = declarations(lines, finder, given)
    if declared:
        return settle(declared, lines)
    return None if declared_only else _from_prose(lines, finder)


def ends_of(text: str, limit: int) -> str:
    """A very long reply's beginning and end; the verdict of a judge stands in one of them."""
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit].rsplit(chr(10), 1)[0]}\n\n{text[-limit:].split(chr(10), 1)[-1]}"


def settle(declared: Sequence[Declaration], lines: Sequence[Line]) -> str | None:
    """The label that the declared verdicts agree on, or the one that goes before the others.

    One that stands in the texts that the judge was given counts only where there is no other. A
    lone last line goes before labels amid sentences, not before a verdict that leads or is named.
    """
    own = [verdict for verdict in declared if not verdict.given]
    declared = own if any(verdict.rank for verdict in own) else declared
    own = [verdict for verdict in declared if not verdict.aside]
    if own and own[-1].revisions:
        declared = own = [v for v in own if v.revisions == own[-1].revisions]
    if declared[0].alone and declared[0].rank and declared[0].line == 0:
        declared = own = [v for v in declared if v.rank]
    if len({verdict.label for verdict in declared if verdict.rank == 1}) > 2:
        declared = own = [v for v in declared if v.rank > 1]  # a list of the labels or options
    labels = {verdict.label for verdict in declared}
    if len(labels) == 1:
        return labels.pop()
    deciding = {verdict.label for verdict in own if verdict.rank == 3}
    last = own[-1] if own else None
    if last and last.alone and last.line == len(lines) - 1:
        rivals = {v.label for v in declared if v.rank} - {None, last.label}
        if deciding or not rivals:
            deciding.add(last.label)
    return deciding.pop() if len(deciding) == 1 else None


def _from_prose(lines: Sequence[Line], finder: Finder) -> str | None:
    """The label of a reply that declares none, where all of its sentences agree that have one and
    none after the first takes it back."""
    labels: set[str | None] = set()
    for line in lines:
        for sentence in SENTENCE.split(line.text):
            mentions = finder.mentions(sentence)
            asks = sentence.rstrip().endswith("?")
            if mentions and not asks:
                labels.add(_said(sentence, mentions, finder))
            elif labels and (asks or _TAKES_BACK.search(sentence) or _DOUBT.search(sentence)):
                labels.add(None)
    return labels.pop() if len(labels) == 1 else None


def _said(sentence: str, mentions: Sequence[Mention], finder: Finder) -> str | None:
    """The label of a sentence in one of the closed forms, without negation, doubt or condition."""
    if len(mentions) != 1:
        return None
    (mention,) = mentions
    before, after = sentence[: mention.start], sentence[mention.end :]
    form = _ACTIVE.search(before) if _OBJECT.match(after) else None
    if mention.form == "exact" or form is None:
        form = _PASSIVE.search(before) if _BY.match(after) else None
    if form is None:
        return None
    rest = before[: form.start("no")] + before[form.end("no") :] if form["no"] else before
    if (
        GRADED.search(before)
        or GRADED_AFTER.match(after)
        or _DOUBT.search(rest)
        or _DOUBT.search(after)
        or _TURN.search(sentence)
    ):
        return None
    return finder.negation.get(mention.label or "") if form["no"] else mention.label
