"""The label that prose gives: in few closed forms, without doubt or denial. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.replies import cues
from factmark.replies.labels import Finder, Mention
from factmark.replies.markup import ReplyLine


def label_from_prose(lines: Sequence[ReplyLine], finder: Finder) -> str | None:
    """Returns the label of a reply that declares none: all sentences that have one must agree, and
    none after the first may take it back. What a text lacks takes back only what is affirmed.
    """
    affirmed = {*finder.negation, None}
    labels: set[str | None] = set()
    for line in lines:
        for sentence in cues.SENTENCE.split(line.text):
            mentions = finder.mentions(sentence)
            asks = sentence.rstrip().endswith("?")
            denies = len(affirmed) > 1 and labels.isdisjoint(affirmed)
            if denies:
                doubt = cues.HEDGE
            else:
                doubt = cues.DOUBT
            if mentions and not asks:
                labels.add(label_of_main_clause(sentence, mentions[0], finder))
            elif labels and (asks or cues.TAKES_BACK.search(sentence) or doubt.search(sentence)):
                labels.add(None)
    if len(labels) == 1:
        return labels.pop()
    return None


def label_of_main_clause(sentence: str, mention: Mention, finder: Finder) -> str | None:
    """Returns the label of a sentence whose main clause is in one of the closed forms, without
    negation, doubt or condition, and whose reason does not give another one; else None.
    """
    why = cues.WHY.search(sentence, mention.end)
    if why:
        clause, reason = (sentence[: why.start()], sentence[why.end() :])
    else:
        clause, reason = (sentence, "")
    if len(finder.mentions(clause)) != 1:
        return None
    before = clause[: mention.start]
    after = clause[mention.end :]
    form = None
    if cues.OBJECT.match(after):
        form = cues.ACTIVE.search(before)
    if form is None or not mention.inflected:
        form = None
        if cues.BY.match(after):
            form = cues.PASSIVE.search(before)
    if form is None:
        return None
    if form["no"]:
        rest = before[: form.start("no")] + before[form.end("no") :]
    else:
        rest = before
    if (
        cues.GRADED.search(before)
        or cues.GRADED_AFTER.match(sentence[mention.end :])
        or cues.DOUBT.search(rest)
        or cues.DOUBT.search(after)
        or cues.HEDGE.search(reason)
        or cues.HOWEVER.search(sentence)
    ):
        return None
    if form["no"]:
        label = finder.negation.get(mention.label or "")
    else:
        label = mention.label
    others = finder.mentions(reason)
    other = None
    if others:
        other = label_of_main_clause(reason, others[0], finder)
    if other in (None, label):
        return label
    return None
