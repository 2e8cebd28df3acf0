"""From what a reply's sentences say to its one verdict, or none."""

from __future__ import annotations

import re

from factmark.rubrics.cues import REVISION
from factmark.rubrics.lexicon import Finder
from factmark.rubrics.markup import without_markup
from factmark.rubrics.quoting import without_citations
from factmark.rubrics.signals import Rank, Signal, signals

LIMIT = 16_000
_ASIDE = re.compile(r"\([^()]{1,3000}\)")


def decide(
    text: str, words: Finder, *, with_json: bool = True, declared: bool = False
) -> str | None:
    """The one label that a reply (plain, without its reasoning) settles on, or None.

    Args:
        with_json: whether the values of JSON are read.
        declared: whether the label must be declared or stand by itself; prose is not enough.
    """
    text = ends_of(text, LIMIT)

    def read_label(value: str) -> str | None:
        return decide_value(value, words)

    text = without_citations(text, words, read_label if with_json else None)
    text = without_markup(text, words)
    text = _without_asides(text, words)
    return settle(signals(text, words), text, prose=not declared)


def decide_value(value: str, words: Finder) -> str | None:
    """The label of a JSON value: by itself or ahead of its explanation, never from prose alone."""
    found = signals(without_markup(value[:4000], words), words)
    return settle([signal for signal in found if signal.rank >= Rank.LEAD], value)


def ends_of(text: str, limit: int) -> str:
    """A very long reply's beginning and end; the verdict of a judge stands in one of them."""
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit].rsplit(chr(10), 1)[0]}\n\n{text[-limit:].split(chr(10), 1)[-1]}"


def _without_asides(text: str, words: Finder) -> str:
    """The text without its parentheses, unless a parenthesis is a label or all there is."""

    def blank(found: re.Match[str]) -> str:
        inner = found[0][1:-1]
        mentions = words.mentions(inner)
        bare = len(mentions) == 1 and len(inner.strip()) <= mentions[0].end - mentions[0].start + 2
        if bare:
            return f"[{inner.strip()}]"
        return (
            found[0]
            if len(found[0]) < 12 or re.match(r"\(\s*(?:partial|in part|only part)", found[0], re.I)
            else " "
        )

    shorter = _ASIDE.sub(blank, text)
    return shorter if re.search(r"\w", shorter) else text


def settle(found: list[Signal], text: str, *, prose: bool = True) -> str | None:
    """The label that the signals agree on; a later final one goes before what it revises.

    Args:
        prose: whether prose counts where nothing is declared.
    """
    found = _without_listings(found)
    revised = _revised(found, text)
    if revised is not None:
        found = revised
    declared = [signal for signal in found if signal.rank >= Rank.LEAD]
    if declared:
        return _declared(declared, found)
    return _from_prose(found) if prose else None


def _without_listings(found: list[Signal]) -> list[Signal]:
    """Without the naming of all labels, in one sentence or as the heads of a list."""
    found = [signal for signal in found if not signal.listing]
    heads = {signal.label for signal in found if signal.rank is Rank.LEAD and signal.label}
    if len(heads) >= 3 or (len(heads) == 2 and _alternating(found)):
        return [signal for signal in found if signal.rank is not Rank.LEAD]
    return found


def _alternating(found: list[Signal]) -> bool:
    """Whether two heads of a list are followed by a plainer verdict."""
    last = found[-1]
    return (
        last.rank >= Rank.BARE
        and sum(signal.rank is Rank.LEAD for signal in found) == 2
        and found[0].rank is Rank.LEAD
    )


def _revised(found: list[Signal], text: str) -> list[Signal] | None:
    """The signals after the last revision that is followed by a verdict, where there is one."""
    marks = [mark.start() for mark in REVISION.finditer(text)]
    if not marks or not found:
        return None
    for mark in reversed(marks):
        later = [signal for signal in found if signal.at >= mark]
        if later and len(later) < len(found):
            return later
    return None


def _declared(declared: list[Signal], found: list[Signal]) -> str | None:
    major = [n for n, signal in enumerate(declared) if not signal.minor and signal.rank >= Rank.CUE]
    if major:
        declared = [s for n, s in enumerate(declared) if not s.minor or n > major[-1]]
    final = [n for n, signal in enumerate(declared) if signal.rank is Rank.FINAL]
    if final:
        labels = {declared[n].label for n in final} | {s.label for s in declared[final[-1] :]}
        plain = labels
    else:
        plain = {signal.label for signal in declared}
    if len(plain) != 1:
        return None
    label = plain.pop()
    last = declared[-1]
    for later in found:
        differs = later.at > last.at and later.rank is Rank.PROSE and later.label != label
        if differs and last.rank is not Rank.LEAD and not declared[0].first:
            return None
    return label


def _from_prose(found: list[Signal]) -> str | None:
    """The label of prose: its labels agree, or its last sentence concludes."""
    if not found:
        return None
    prose = [signal for signal in found if signal.rank is Rank.PROSE]
    if prose:
        labels = {signal.label for signal in prose}
        if len(labels) == 1:
            return labels.pop()
        return prose[-1].label if prose[-1].conclusive and prose[-1] is found[-1] else None
    labels = {signal.label for signal in found}
    if len(labels) == 1 and not any(signal.contrasted for signal in found):
        return labels.pop()
    return found[-1].label if found[-1].conclusive and not found[-1].contrasted else None
