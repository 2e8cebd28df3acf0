"""From a judge's reply to its one label, or none; never a default. Pure.

A verdict is declared by a field of JSON, a line that is a label, a label that leads its line or
follows a word for one ("Answer: X", a box, a tag), or one that ends its sentence as a label. Where
several differ, the one that is named as final or stands alone on the last line decides, outside of
fences. Prose is read in few closed forms only. What stands in the texts that the judge was given is
a quotation and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from factmark.replies import cues
from factmark.replies.labels import NO_SPELLINGS, TOKEN, Finder, Mention, lexicon
from factmark.replies.markup import MARKED, ReplyLine, lines_of, without_markup
from factmark.replies.plain import plain_text
from factmark.replies.repeated import QUOTED, is_in_given

LIMIT = 16_000
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
    lines = lines_of(
        beginning_and_end(text, LIMIT), finder, lambda t: leading_label(t, finder), given
    )
    return settle_label(lines, finder, cut=cut, given=given)


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
        return None if cut else _label_from_prose(lines, finder)
    own = [verdict for verdict in declared if not verdict.given]
    declared = own if any(verdict.rank for verdict in own) else declared
    own = [verdict for verdict in declared if not verdict.aside]
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
        and (spoken := _label_from_prose([v for v in lines if not v.aside], finder))
    ):
        denies = spoken not in finder.negation
        if spoken not in labels and (not denies or not labels.isdisjoint(finder.negation)):
            return spoken if denies else None  # the fence quotes, or its judge contradicts itself
    if len(labels) == 1:
        return labels.pop()
    deciding = {verdict.label for verdict in own if verdict.rank == 3}
    last = own[-1] if own else None
    if last and last.marked:
        first = {
            v.label
            for v in own
            if v.rank and not v.line and (v.alone or not finder.labels_everywhere)
        }
        deciding = first | {v.label for v in own if v.marked}
    elif last and last.alone and last.line == len(lines) - 1:
        rivals = {v.label for v in declared if v.rank} - {None, last.label}
        if deciding or not rivals:
            deciding.add(last.label)
    return deciding.pop() if len(deciding) == 1 else None


def declarations(
    lines: Sequence[ReplyLine], finder: Finder, given: Sequence[str] = ()
) -> list[Declaration]:
    """Returns all verdicts that the lines declare, in order. A list of criteria declares none, and
    a single criterion only where no verdict is named.
    """
    out: list[Declaration] = []
    revisions, before = 0, ""
    for number, line in enumerate(lines):
        if number and lines[number - 1].aside and not line.aside:
            before = ""
        sentences = _sentences(line.text, finder)
        header = before if len(before) < 80 else ""
        leads, asked, announced = True, False, False
        for sentence in sentences:
            repeats = line.given or _introduces_given_text(before)
            revises = bool(cues.REVISION.match(sentence))
            revisions += revises and not (line.aside or repeats or announced)
            announced = announced or _introduces_given_text(sentence.rstrip(" ."))
            if (verdict := _declaration_of_sentence(sentence, leads, finder)) is not None:
                rank = 0 if line.aside else verdict.rank
                if verdict.alone and not verdict.item and cues.NAMED.search(header):
                    rank = 3 if cues.FINAL.search(header) else 2
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
            before = before if line.aside else f"{before}\n{sentence}"[-400:]
            asked = sentence.rstrip().endswith("?")
            leads = asked or revises
        is_quoted = line.given and before.rstrip().endswith(QUOTED)  # within an open quotation
        if line.verdict is not None and not is_quoted:
            label, final = line.verdict
            verdict = Declaration(label=label, rank=3 if final else 2, line=number, alone=True)
            repeats = line.given or _introduces_given_text(before)
            out.append(replace(verdict, aside=line.aside, given=repeats, revisions=revisions))
        before = before if line.aside else line.text  # a fence is announced before it
    others = [verdict for verdict in out if not verdict.item]
    one_of = len(out) - len(others) > 1 or any(verdict.rank > 1 for verdict in others)
    return others if one_of else out


def _introduces_given_text(before: str) -> bool:
    """Whether the words right before a text announce one that the judge was given."""
    return bool(cues.INTRODUCED.search(before[-200:]))


def _sentences(text: str, finder: Finder) -> list[str]:
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
    return out[1:] if numbered else out


def leading_label(text: str, finder: Finder) -> str | None:
    """The label that a value gives: by itself, or ahead of its explanation; None without one."""
    if label := finder.exact(text):
        return label
    verdict = _declaration_of_sentence(
        f"verdict: {without_markup(text[:4000], finder).strip()}", True, finder
    )
    return verdict.label if verdict and verdict.rank else None


def _declaration_of_sentence(sentence: str, leads: bool, finder: Finder) -> Declaration | None:
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
        label, marked = None if len(labels) > 1 else labels.pop(), "[[" in sentence
        return Declaration(label=label, rank=1 + marked, alone=True, marked=marked)
    if len(mentions) > _MOST_MENTIONS:
        return None
    joins = [
        left.label != right.label and bool(cues.JOIN.match(sentence[left.end : right.start]))
        for left, right in pairwise(mentions)
    ]
    run = mentions[: [*joins, False].index(False) + 1]  # such as "A or B"
    if len({mention.label for mention in run}) > 1:
        return _declaration_of_run(sentence, run, finder)
    torn = {at + side for at, is_joined in enumerate(joins) if is_joined for side in (0, 1)}
    meant: list[Declaration] = []
    reason = None  # of the first
    for at, mention in enumerate(mentions):
        if at in torn or (reason and mention.start > reason.start()):
            continue
        if verdict := _declaration_of_mention(sentence, mention, leads, finder):
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
    rest = [sentence[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    others = " ".join([cues.LIST_MARK.sub("", rest[0]), *rest[1:]])
    return not TOKEN.search(others) and QUOTED not in others


def _declaration_of_run(
    sentence: str, run: Sequence[Mention], finder: Finder
) -> Declaration | None:
    """Returns what a sentence declares that begins with several labels: the one after them, or no
    single one.
    """
    before, after = sentence[: run[0].start][-200:], sentence[run[-1].end :]
    if chosen := re.match(r"[\s\])}]*:", after):
        return _declaration_of_sentence(after[chosen.end() :], True, finder)
    says = cues.AFTER.match(after) and not cues.DENIED_AFTER.match(after)
    unmeant = cues.CONDITION.search(before) or cues.UNMEANT.search(cues.CLAUSE.split(before)[-1])
    if not says or unmeant:
        clause = cues.CLAUSE.search(after)
        return _declaration_of_sentence(after[clause.end() :], False, finder) if clause else None
    every = len({mention.label for mention in run}) == len(finder.labels)
    return None if every else Declaration(label=None, rank=0)


def _declaration_of_mention(
    sentence: str, mention: Mention, leads: bool, finder: Finder
) -> Declaration | None:
    """Returns what the mention of a label declares in its sentence, or None."""
    before, rest = sentence[: mention.start][-200:], sentence[mention.end :]
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
    rank = 3 if final else 2 if named or marked else int(leading)
    if cues.GRADED.search(before) or cues.GRADED_AFTER.match(after):
        return Declaration(label=None, rank=rank) if rank else None
    if not leading:
        view, clause = cues.TURN.split(before)[-1], cues.CLAUSE.split(before)[-1]
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
    return Declaration(label=label, rank=1) if label is not None else None


def _label_from_prose(lines: Sequence[ReplyLine], finder: Finder) -> str | None:
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
            doubt = cues.HEDGE if denies else cues.DOUBT
            if mentions and not asks:
                labels.add(_label_of_main_clause(sentence, mentions[0], finder))
            elif labels and (asks or cues.TAKES_BACK.search(sentence) or doubt.search(sentence)):
                labels.add(None)
    return labels.pop() if len(labels) == 1 else None


def _label_of_main_clause(sentence: str, mention: Mention, finder: Finder) -> str | None:
    """Returns the label of a sentence whose main clause is in one of the closed forms, without
    negation, doubt or condition, and whose reason does not give another one; else None.
    """
    why = cues.WHY.search(sentence, mention.end)
    clause, reason = (sentence[: why.start()], sentence[why.end() :]) if why else (sentence, "")
    if len(finder.mentions(clause)) != 1:
        return None
    before, after = clause[: mention.start], clause[mention.end :]
    form = cues.ACTIVE.search(before) if cues.OBJECT.match(after) else None
    if form is None or not mention.inflected:
        form = cues.PASSIVE.search(before) if cues.BY.match(after) else None
    if form is None:
        return None
    rest = before[: form.start("no")] + before[form.end("no") :] if form["no"] else before
    if (
        cues.GRADED.search(before)
        or cues.GRADED_AFTER.match(sentence[mention.end :])
        or cues.DOUBT.search(rest)
        or cues.DOUBT.search(after)
        or cues.HEDGE.search(reason)
        or cues.HOWEVER.search(sentence)
    ):
        return None
    label = finder.negation.get(mention.label or "") if form["no"] else mention.label
    others = finder.mentions(reason)
    other = _label_of_main_clause(reason, others[0], finder) if others else None
    return label if other in (None, label) else None
