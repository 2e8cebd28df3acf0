"""From a judge's reply to its one label, or none; never a default. Pure.

A verdict is declared by a field of JSON, a line that is a label, a label that leads its line or
follows a word for one ("Answer: X", a box, a tag), or one that ends its sentence as a label. Where
several differ, the one that is named as final or stands alone on the last line decides, outside of
fences. Prose is read in few closed forms only. What stands in the texts that the judge was given is
a quotation and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factmark.replies.labels import NO_SPELLINGS, Finder, lexicon
from factmark.replies.markup import ReplyLine, lines_of
from factmark.replies.plain import plain_text
from factmark.replies.verdicts.declared import declarations, leading_label
from factmark.replies.verdicts.origin import own_labels
from factmark.replies.verdicts.prose import label_from_prose

LIMIT = 16_000


def parse_reply(
    reply: str,
    labels: Sequence[str],
    *,
    cut: bool = False,
    given: Sequence[str] = (),
    spellings: Mapping[str, str] = NO_SPELLINGS,
) -> str | None:
    """Returns the one label of `labels` that the reply settles on, or None.

    Args:
        cut: whether the reply was cut off at its limit: only what is declared counts then.
        given: the texts that the judge was given, such as passage and claim.
        spellings: other words for a label, such as `{"weak": "MAYBE"}`.
    """
    finder = lexicon(tuple(labels), tuple(spellings.items()))
    return decide_label(plain_text(reply, given), finder, cut=cut, given=given)


def decide_label(
    text: str, finder: Finder, *, cut: bool = False, given: Sequence[str] = ()
) -> str | None:
    """Returns the one label that a plain reply (see `plain_text`) settles on, or None."""
    text = beginning_and_end(text, LIMIT)
    lines = lines_of(text, finder, lambda t: leading_label(t, finder), given)
    label = settle_label(lines, finder, cut=cut, given=given)
    if label in own_labels([label], text, lines, finder, given):
        return label
    return None


def beginning_and_end(text: str, limit: int = LIMIT) -> str:
    """A very long reply's beginning and end; the verdict of a judge stands in one of them."""
    # A model that repeats itself may write megabytes, and its verdict is not in the middle.
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit].rsplit(chr(10), 1)[0]}\n\n{text[-limit:].split(chr(10), 1)[-1]}"


def settle_label(
    lines: Sequence[ReplyLine], finder: Finder, *, cut: bool = False, given: Sequence[str] = ()
) -> str | None:
    """Returns the label that the declared verdicts of some lines agree on, or the one that goes
    before the others; where nothing is declared, the label of its prose; or None.

    One that stands in the texts that the judge was given counts only where there is no other, and
    one in a fence only where no sentence outside denies it. A last one that is marked goes before
    all but a first one; a lone last line goes before labels amid sentences, not before a verdict
    that leads or is named.
    """
    declared = declarations(lines, finder, given)
    if not declared:
        if cut:
            return None
        return label_from_prose(lines, finder)
    own = []
    for verdict in declared:
        if not verdict.given:
            own.append(verdict)
    if any(verdict.rank for verdict in own):
        declared = own
    own = []
    for verdict in declared:
        if not verdict.aside:
            own.append(verdict)
    if own and own[-1].revisions:
        declared = own = [v for v in own if v.revisions == own[-1].revisions]
    if declared[0].rank and declared[0].line == 0:
        declared = own = [v for v in declared if v.rank]
    if len({verdict.label for verdict in declared if verdict.rank == 1}) > 2:
        declared = own = [v for v in declared if v.rank > 1]  # a list of the labels or options
    labels = {verdict.label for verdict in declared}
    if (
        not own
        and not cut
        and (spoken := label_from_prose([v for v in lines if not v.aside], finder))
    ):
        denies = spoken not in finder.negation
        if spoken not in labels and (not denies or not labels.isdisjoint(finder.negation)):
            # the fence quotes, or its judge contradicts itself
            if denies:
                return spoken
            return None
    if len(labels) == 1:
        return labels.pop()
    deciding = set()
    for verdict in own:
        if verdict.rank == 3:
            deciding.add(verdict.label)
    last = None
    if own:
        last = own[-1]
    if last and last.marked:
        first = set()
        for v in own:
            if v.rank and not v.line and (v.alone or not finder.labels_everywhere):
                first.add(v.label)
        deciding = first | {v.label for v in own if v.marked}
    elif last and last.alone and last.line == len(lines) - 1:
        rivals = {v.label for v in declared if v.rank} - {None, last.label}
        if deciding or not rivals:
            deciding.add(last.label)
    if len(deciding) == 1:
        return deciding.pop()
    return None
