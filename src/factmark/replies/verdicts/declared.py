"""What the lines of a reply declare: verdicts, each with how plainly it is one. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from factmark.replies import cues
from factmark.replies.labels import TOKEN, Finder, Mention
from factmark.replies.markup import MARKED, ReplyLine, without_markup
from factmark.replies.repeated import QUOTED, is_in_given

_MOST_MENTIONS = 30  # of a sentence; more are a list, or an attack
_ITEM_WORDS = 5  # of a key that may be a criterion
_QUALITIES = frozenset("correct incorrect right wrong true false valid invalid accurate".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One declared verdict.

    Attributes:
        label: None for what is none of the labels, or several at once.
        line: the number of its line, counted over what remains of the reply.
        rank: how plainly: 0 as a label at the end of a sentence or in a fence, 1 by itself or
            ahead, 2 after a word for a verdict or in JSON, 3 where that is called final.
        alone: whether nothing else stands on its line.
        aside: whether it stands in a fence.
        given: whether it stands in the texts that the judge was given, or right after a line that
            announces one.
        phrase: the label with the word before it; empty where it stands by itself.
        item: whether it is one of a list of criteria ("Head: YES") or answers a question.
        marked: whether it stands in double brackets or after a tag for a verdict (`[RESULT]`).
        revisions: how often the reply had corrected itself before it.
    """

    label: str | None
    rank: int
    line: int = 0
    alone: bool = False
    aside: bool = False
    given: bool = False
    phrase: str = ""
    item: bool = False
    marked: bool = False
    revisions: int = 0


def declarations(
    lines: Sequence[ReplyLine], finder: Finder, given: Sequence[str] = ()
) -> list[Declaration]:
    """Returns all verdicts that the lines declare, in order. A list of criteria declares none, and
    a single criterion only where no verdict is named.
    """
    out: list[Declaration] = []
    revisions = 0
    before = ""
    for number, line in enumerate(lines):
        if number and lines[number - 1].aside and not line.aside:
            before = ""
        sentences = sentences_of(line.text, finder)
        header = ""
        if len(before) < 80:
            header = before
        leads = True
        asked = False
        announced = False
        for sentence in sentences:
            repeats = line.given or _introduces_given_text(before)
            revises = bool(cues.REVISION.match(sentence))
            revisions += revises and not (line.aside or repeats or announced)
            announced = announced or _introduces_given_text(sentence.rstrip(" ."))
            verdict = declaration_of_sentence(sentence, leads, finder)
            if verdict is not None:
                rank = 0
                if not line.aside:
                    rank = verdict.rank
                if verdict.alone and not verdict.item and cues.NAMED.search(header):
                    rank = 2
                    if cues.FINAL.search(header):
                        rank = 3
                out.append(
                    replace(
                        verdict,
                        line=number,
                        rank=rank,
                        alone=verdict.alone and len(sentences) == 1,
                        item=rank < 2 and (verdict.item or asked),
                        aside=line.aside,
                        given=repeats or verdict.given or is_in_given(verdict.phrase, given),
                        revisions=revisions,
                    )
                )
            if not line.aside:
                before = f"{before}\n{sentence}"[-400:]
            asked = sentence.rstrip().endswith("?")
            leads = asked or revises
        is_quoted = line.given and before.rstrip().endswith(QUOTED)  # within an open quotation
        if line.verdict is not None and not is_quoted:
            label, final = line.verdict
            verdict = Declaration(label=label, rank=3 if final else 2, line=number, alone=True)
            repeats = line.given or _introduces_given_text(before)
            out.append(replace(verdict, aside=line.aside, given=repeats, revisions=revisions))
        # a fence is announced before it
        if not line.aside:
            before = line.text
    others = [verdict for verdict in out if not verdict.item]
    one_of = len(out) - len(others) > 1 or any(verdict.rank > 1 for verdict in others)
    if one_of:
        return others
    return out


def _introduces_given_text(before: str) -> bool:
    """Whether the words right before a text announce one that the judge was given."""
    return bool(cues.INTRODUCED.search(before[-200:]))


def sentences_of(text: str, finder: Finder) -> list[str]:
    """Returns the sentences of a line, also cut where the writer corrects herself; not where
    somebody else is reported to.
    """
    out: list[str] = []
    for sentence in cues.SENTENCE.split(text):
        starts = (match.start() for match in cues.REVISION.finditer(sentence))
        own = (at for at in starts if not cues.REPORTED.search(sentence[max(0, at - 200) : at]))
        parts = (sentence[start:end] for start, end in pairwise([0, *own, len(sentence)]))
        out += [part for part in parts if TOKEN.search(part)]
    numbered = (
        finder.labels_everywhere and len(out) > 1 and cues.LIST_MARK.fullmatch(out[0].strip())
    )
    if numbered:
        return out[1:]
    return out


def leading_label(text: str, finder: Finder) -> str | None:
    """The label that a value gives: by itself, or ahead of its explanation; None without one."""
    label = finder.exact(text)
    if label:
        return label
    verdict = declaration_of_sentence(
        f"verdict: {without_markup(text[:4000], finder).strip()}", True, finder
    )
    if verdict and verdict.rank:
        return verdict.label
    return None


def declaration_of_sentence(sentence: str, leads: bool, finder: Finder) -> Declaration | None:
    """What a sentence declares; `leads` says whether it begins its line or follows a question."""
    if re.search(r"\?\W*$", sentence):
        return None
    for figures in (cues.CONFIDENCE, *(() if finder.labels_everywhere else (cues.FIGURE,))):
        sentence = figures.sub(lambda match: " " * len(match[0]), sentence)
    mentions = finder.mentions(sentence)
    if not mentions:
        return _declaration_of_misspelling(sentence, finder)
    labels = {mention.label for mention in mentions}
    if _has_only_labels(sentence, mentions, finder):
        if 1 < len(labels) == len(finder.labels):
            return None
        if len(labels) > 1:
            label = None
        else:
            label = labels.pop()
        marked = "[[" in sentence
        return Declaration(label=label, rank=1 + marked, alone=True, marked=marked)
    if len(mentions) > _MOST_MENTIONS:
        return None
    joins = []
    for left, right in pairwise(mentions):
        joins.append(
            left.label != right.label and bool(cues.JOIN.match(sentence[left.end : right.start]))
        )
    run = mentions[: [*joins, False].index(False) + 1]  # such as "A or B"
    if len({mention.label for mention in run}) > 1:
        return _declaration_of_run(sentence, run, finder)
    torn = {at + side for at, is_joined in enumerate(joins) if is_joined for side in (0, 1)}
    meant: list[Declaration] = []
    reason = None  # of the first
    for at, mention in enumerate(mentions):
        if at in torn or (reason and mention.start > reason.start()):
            continue
        verdict = _declaration_of_mention(sentence, mention, leads, finder)
        if verdict:
            meant.append(verdict)
            reason = reason or cues.REASON.search(sentence, mention.end)
    meanings = {verdict.label for verdict in meant}
    if not meant or len(meanings) > 2:
        return None
    first = meant[0]
    turns = len(labels) > 1 and not mentions[0].strong and cues.BUT.search(sentence)
    denied = any(verdict.rank > 1 and verdict.label != first.label for verdict in meant)
    if first.rank == 1 and not turns and not denied:
        return first
    if len(meanings) > 1 or (first.rank == 1 and turns):
        return replace(first, label=None, alone=False)
    return max(meant, key=lambda verdict: verdict.rank)


def _has_only_labels(sentence: str, mentions: Sequence[Mention], finder: Finder) -> bool:
    """Whether a sentence has no words beside its labels and a list's number."""
    edges = [0, *(edge for mention in mentions for edge in (mention.start, mention.end)), None]
    rest = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        rest.append(sentence[start:end])
    others = " ".join([cues.LIST_MARK.sub("", rest[0]), *rest[1:]])
    return not TOKEN.search(others) and QUOTED not in others


def _declaration_of_run(
    sentence: str, run: Sequence[Mention], finder: Finder
) -> Declaration | None:
    """Returns what a sentence declares that begins with several labels: the one after them, or no
    single one.
    """
    before = sentence[: run[0].start][-200:]
    after = sentence[run[-1].end :]
    chosen = re.match(r"[\s\])}]*:", after)
    if chosen:
        return declaration_of_sentence(after[chosen.end() :], True, finder)
    says = cues.AFTER.match(after) and not cues.DENIED_AFTER.match(after)
    unmeant = cues.CONDITION.search(before) or cues.UNMEANT.search(cues.CLAUSE.split(before)[-1])
    if not says or unmeant:
        clause = cues.CLAUSE.search(after)
        if clause:
            return declaration_of_sentence(after[clause.end() :], False, finder)
        return None
    every = len({mention.label for mention in run}) == len(finder.labels)
    if every:
        return None
    return Declaration(label=None, rank=0)


def _declaration_of_mention(
    sentence: str, mention: Mention, leads: bool, finder: Finder
) -> Declaration | None:
    """Returns what the mention of a label declares in its sentence, or None."""
    before = sentence[: mention.start][-200:]
    rest = sentence[mention.end :]
    after = rest[:100]
    marked = sentence.startswith(MARKED) or (before.endswith("[[") and after.startswith("]]"))
    if not (marked or cues.AFTER.match(after)) or cues.DENIED_AFTER.match(after):
        return None
    if cues.NOT_A_KEY.search(before):
        return None
    ends = QUOTED not in after and not TOKEN.search(rest)
    leading = QUOTED not in before and (leads or ends or marked) and bool(cues.LEADS.match(before))
    colon = cues.COLON.search(before)
    keyed = colon or (not _describes_something_else(before, mention) and cues.KEY.search(before))
    named = keyed and cues.NAMED.search(before[-60:])
    marked = marked and bool(leading or keyed or ends)
    is_quality = leads and cues.QUALITY.match(before)
    final = leads and (keyed or leading) and cues.FINAL.search(before[-100:])
    if final:
        rank = 3
    elif named or marked:
        rank = 2
    else:
        rank = int(leading)
    if cues.GRADED.search(before) or cues.GRADED_AFTER.match(after):
        if rank:
            return Declaration(label=None, rank=rank)
        return None
    if not leading:
        view = cues.TURN.split(before)[-1]
        clause = cues.CLAUSE.split(before)[-1]
        if (
            not (mention.strong or marked or keyed)
            or (colon and finder.labels_everywhere and not (named or marked or is_quality))
            or (not colon and cues.BUT.search(rest))
            or cues.REPORTED.search(view)
            or cues.CONDITION.search(view)
            or cues.UNMEANT.search(clause)
            or (not keyed and re.search(r"\bwould\b", clause))
        ):
            return None
    word = re.search(r"\w+\W*$", before)
    return Declaration(
        label=mention.label,
        rank=rank,
        alone=ends and (bool(keyed) or not TOKEN.search(before)),
        given=bool(cues.INTRODUCED.search(before)),
        phrase=f"{word[0]}{sentence[mention.start : mention.end]}" if word else "",
        item=bool(colon) and not named and len(TOKEN.findall(before)) <= _ITEM_WORDS,
        marked=marked,
    )


def _describes_something_else(before: str, mention: Mention) -> bool:
    """Whether a word such as "correct" describes something else than the verdict."""
    quality = (mention.label or "").casefold() in _QUALITIES
    return quality and not cues.OWN_VERDICT.search(before)


def _declaration_of_misspelling(sentence: str, finder: Finder) -> Declaration | None:
    """Returns what a misspelt label declares that stands by itself, after a key or at the head."""
    key, _, value = sentence[-200:].rpartition(":")
    label = finder.guess(value)
    if label is not None and not cues.NOT_A_KEY.search(key):
        return Declaration(label=label, rank=3 if cues.FINAL.search(key) else 1, alone=True)
    label = finder.guess(re.split(r"[.:,(]|\s-+\s", sentence[:60], maxsplit=1)[0])
    if label is not None:
        return Declaration(label=label, rank=1)
    return None
