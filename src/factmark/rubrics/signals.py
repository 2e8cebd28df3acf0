"""What each sentence of a reply says about the verdict, and how plainly.

From plain to plainest: prose that uses the label's word, prose that uses the label, a sentence that
leads with the label, a label by itself, a sentence that declares it ("the verdict is ..."), one
that declares it as final.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum

from factmark.rubrics.cues import (
    AMPLE,
    BUT,
    COLON,
    CONCLUSIVE,
    CONFIDENCE,
    CUE,
    FINAL_CUE,
    JOINED,
    LEAD_AFTER,
    NOT_A_KEY,
    NOUN_RE,
    OR_ELSE,
    PUNCTUATED,
    QUERY,
    SPLIT,
    TURNS,
)
from factmark.rubrics.lexicon import TOKEN, Finder, Mention
from factmark.rubrics.polarity import TURN, is_subject, polarity
from factmark.rubrics.qualities import is_own, is_quality, of_the_whole, turns
from factmark.rubrics.quoting import CITED, QUOTE_OPEN
from factmark.rubrics.verdict_json import UNDECIDED


class Rank(IntEnum):
    """How plainly a sentence gives a verdict."""

    WORD = 0
    PROSE = 1
    LEAD = 2
    BARE = 3
    CUE = 4
    FINAL = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One sentence's say.

    Attributes:
        at: where in the text.
        rank: how plainly.
        label: the label; None for something between the labels, or for several at once.
        listing: whether it names all labels, as instructions do.
        conclusive: whether it draws a conclusion ("so", "therefore").
        minor: whether a plainer sentence after it goes before it: a lead amid a reply, a
            key that is no word for a verdict.
        first: whether nothing but white space is before it.
        contrasted: whether the sentence goes on with "but".
    """

    at: int
    rank: Rank
    label: str | None
    listing: bool = False
    conclusive: bool = False
    first: bool = False
    minor: bool = False
    contrasted: bool = False


def signals(text: str, words: Finder) -> list[Signal]:
    """The say of each sentence that has one, in order."""
    out: list[Signal] = []
    header = ""
    after_question = True
    start = 0
    cuts = {(m.start(), m.end()) for pattern in (SPLIT, TURNS) for m in pattern.finditer(text)}
    bounds = [*sorted(cuts), (len(text), len(text))]
    for stop, following in bounds:
        sentence = text[start:stop]
        if sentence.strip():
            if out and out[-1].rank is Rank.WORD and is_quality(out[-1].label) and turns(sentence):
                out[-1] = replace(out[-1], contrasted=True)
            line_start = start == 0 or text[start - 1] == "\n"
            begins = line_start or after_question
            found = _signal(sentence, start, header, begins, words)
            if found is not None:
                goes_on = line_start and stop < len(text) and "\n" not in text[stop:following]
                out.append(_placed(found, not TOKEN.search(text, 0, start), goes_on))
            header = sentence if line_start else header
            if not _is_header(sentence):
                header = ""
            after_question = sentence.rstrip().endswith("?")
        start = following
    return out


def _placed(signal: Signal, first: bool, goes_on: bool) -> Signal:
    """The signal with its place; a label by itself leads where its line goes on after it."""
    leads = goes_on and signal.rank is Rank.BARE
    rank = Rank.LEAD if leads else signal.rank
    return replace(
        signal, first=first, rank=rank, minor=signal.minor or (rank is Rank.LEAD and not first)
    )


def _is_header(sentence: str) -> bool:
    return (
        len(sentence) < 80 and len(TOKEN.findall(sentence)) <= 6 and bool(NOUN_RE.search(sentence))
    )


def _signal(sentence: str, at: int, header: str, begins: bool, words: Finder) -> Signal | None:
    """The say of one sentence. `header` is the line before when that names a verdict."""
    if UNDECIDED in sentence:
        return Signal(at=at, rank=Rank.CUE, label=None)
    mentions = words.mentions(sentence)
    if not mentions:
        return _slip(sentence, at, header, words)
    if re.search(r"\?\W*$", sentence):
        return None
    if (cut := _listed_before(sentence, mentions, words)) is not None:
        return Signal(at=at + mentions[-1].start, rank=Rank.CUE, label=cut)
    if (bare := _bare(sentence, mentions, at, header, begins, words)) is not None:
        return bare
    if (keyed := _keyed(sentence, mentions, at, words)) is not None:
        return keyed
    return _prose(sentence, mentions, at, begins, header, words)


def _listed_before(sentence: str, mentions: list[Mention], words: Finder) -> str | None:
    """The label after the colon of a sentence that lists all labels before it."""
    *listed, last = mentions
    run = _joined_run(sentence, listed) if len(listed) > 1 else []
    if len(run) != len(listed) or len({mention.label for mention in run}) < 2:
        return None
    gap = sentence[listed[-1].end : last.start]
    if ":" not in gap:
        return None
    ends = not TOKEN.search(sentence, last.end)
    return last.label if ends and re.match(r"^\W*:\W*$", gap) else None


def _slip(sentence: str, at: int, header: str, words: Finder) -> Signal | None:
    """A label with a slip of the pen, by itself or after a key."""
    value = COLON.split(sentence[-200:])[-1]
    label = words.guess(value)
    if label is None:
        lead = re.split(r"[.:,(]|\s-+\s", sentence[:60], maxsplit=1)[0]
        label = words.guess(lead)
        return Signal(at=at, rank=Rank.LEAD, label=label) if label else None
    if NOT_A_KEY.search(sentence[: -len(value)] if value else ""):
        return None
    return Signal(at=at, rank=_header_rank(header) or Rank.BARE, label=label)


def _header_rank(header: str) -> Rank | None:
    if not header or NOT_A_KEY.search(header):
        return None
    return Rank.FINAL if FINAL_CUE.search(header) else Rank.CUE


def _only(text: str, mentions: list[Mention]) -> bool:
    """Whether a text has no words beside the mentions and a confidence."""
    rest, done = [], 0
    for mention in mentions:
        rest.append(text[done : mention.start])
        done = mention.end
    rest.append(text[done:])
    return CITED not in text and not TOKEN.search(CONFIDENCE.sub(" ", " ".join(rest)))


def _together(mentions: list[Mention], words: Finder) -> tuple[str | None, bool]:
    """The one label of some mentions, and whether they are a list of all labels."""
    named = {mention.label for mention in mentions}
    listing = len(named) > 1 and len(named) >= max(2, min(len(words.labels), 4))
    return (named.pop() if len(named) == 1 else None), listing


def _bare(
    sentence: str, mentions: list[Mention], at: int, header: str, begins: bool, words: Finder
) -> Signal | None:
    """A label by itself, with an intensifier at most."""
    only = _only(sentence, mentions)
    if not only and not (
        AMPLE.match(sentence[: mentions[0].start])
        and _only(sentence[mentions[0].start :], mentions[:1])
    ):
        return None
    label, listing = _together(mentions, words)
    rank = _header_rank(header) or (Rank.BARE if begins or only else Rank.PROSE)
    return Signal(at=at + mentions[0].start, rank=rank, label=label, listing=listing)


def _keyed(sentence: str, mentions: list[Mention], at: int, words: Finder) -> Signal | None:
    """A label after a colon or an arrow with few words before it."""
    cut = _key_cut(sentence, mentions)
    if cut is None:
        return None
    key, value_at = sentence[: cut[0]], cut[1]
    value = sentence[value_at:]
    shifted = [_shift(mention, value_at) for mention in mentions if mention.start >= value_at]
    lead = shifted[0]
    bare = _only(value, shifted)
    led = not TOKEN.search(value[: lead.start]) and bool(LEAD_AFTER.match(value[lead.end :]))
    noun = bool(NOUN_RE.search(key[-60:]))
    if not (bare or (led and noun)) or QUERY.match(value[lead.end :]):
        return None
    if NOT_A_KEY.search(TURN.split(key[-120:])[-1]) or CITED in key[-40:]:
        return None
    label, listing = _together(shifted if bare else _joined_run(value, shifted), words)
    if polarity(value, lead.start, lead.end, False) == "between":
        label = None
    final = bool(FINAL_CUE.search(key[-60:]))
    rank = Rank.FINAL if final else Rank.CUE
    if len(TOKEN.findall(key[-200:])) > 8 and not noun and not final:
        rank = Rank.FINAL if CONCLUSIVE.search(key) else Rank.BARE
    minor = not (noun or final)
    return Signal(
        at=at + value_at + lead.start, rank=rank, label=label, listing=listing, minor=minor
    )


def _key_cut(sentence: str, mentions: list[Mention]) -> tuple[int, int] | None:
    """Where the key ends and its value begins; labels in the key need a turn ("but") after them."""
    first = mentions[0]
    cuts = list(COLON.finditer(sentence, 0, mentions[-1].start))
    early = [cut for cut in cuts if cut.start() < first.start]
    if early:
        return early[-1].span()
    if cuts and any(TURN.search(sentence, m.end, cuts[-1].start()) for m in mentions):
        return cuts[-1].span() if TOKEN.search(sentence[: first.start]) else None
    return None


def _shift(mention: Mention, by: int) -> Mention:
    return Mention(
        start=mention.start - by,
        end=mention.end - by,
        label=mention.label,
        strong=mention.strong,
        form=mention.form,
    )


def _joined_run(sentence: str, mentions: list[Mention]) -> list[Mention]:
    """The first mentions that only "or", "/" and the like keep apart."""
    run = [mentions[0]]
    for mention in mentions[1:]:
        gap = sentence[run[-1].end : mention.start]
        if len(gap) > 20 or not JOINED.match(gap):
            break
        run.append(mention)
    return run


def _prose(
    sentence: str, mentions: list[Mention], at: int, begins: bool, header: str, words: Finder
) -> Signal | None:
    """A sentence with words beside the label."""
    run = _joined_run(sentence, mentions)
    label, listing = _together(run, words)
    meant = _in_company(sentence, [(m, *_meaning(sentence, m, words)) for m in mentions])
    if len({said[2] for said in meant if said[0].strong and said[1] == "meant"}) >= 3:
        return Signal(at=at, rank=Rank.PROSE, label=None, listing=True)
    lead, how, own = meant[0]
    if _leads(sentence, lead, run[-1]):
        if len(run) == 1 and how in ("meant", "final"):
            label = own if PUNCTUATED.match(sentence, lead.end) else _alone(own, meant)
        rank = _header_rank(header) or (Rank.LEAD if begins else Rank.PROSE)
        if not (
            how == "dropped" and re.match(r"^[\])\"\ue001]*\s*(?:\?|if\b)", sentence[lead.end :])
        ):
            said = None if how == "between" else label
            return Signal(at=at + lead.start, rank=rank, label=said, listing=listing)
    return _weighed(sentence, meant, at, words)


def _alone(own: str | None, meant: list[tuple[Mention, str, str | None]]) -> str | None:
    """The label of a leading mention, unless another one is meant in the same breath."""
    others = {
        label
        for m, how, label in meant[1:]
        if how == "meant" and (m.strong or not meant[0][0].strong)
    }
    return own if others <= {own} else None


def _in_company(
    sentence: str, meant: list[tuple[Mention, str, str | None]]
) -> list[tuple[Mention, str, str | None]]:
    """What is said of the last of "C and D are wrong", the first of "not A or B", goes for all."""
    out = list(meant)
    for n in range(len(out) - 1, 0, -1):
        gap = sentence[out[n - 1][0].end : out[n][0].start]
        if (
            out[n][1] == "dropped"
            and len(gap) < 12
            and JOINED.match(gap)
            and is_subject(sentence[out[n][0].end :][:80])
        ):
            out[n - 1] = (out[n - 1][0], "dropped", None)
    for n in range(1, len(out)):
        if out[n][0].label != out[n - 1][0].label and OR_ELSE.match(
            sentence[out[n - 1][0].end :][:60]
        ):
            out[n - 1] = (out[n - 1][0], "between", None)
        gap = sentence[out[n - 1][0].end : out[n][0].start]
        if out[n - 1][1] == "dropped" and re.match(r"^\W*(?:or|nor)\W*$", gap, re.I):
            out[n] = (out[n][0], "dropped", None)
    return out


def _leads(sentence: str, lead: Mention, last: Mention) -> bool:
    """Whether a sentence begins with its label, or with the labels from `lead` to `last`."""
    head = sentence[: lead.start]
    if CITED in head or TOKEN.search(AMPLE.sub("", head) if lead.strong else head):
        return False
    if is_subject(sentence[last.end :][:80].lstrip(").]")):
        return False
    return bool(LEAD_AFTER.match(sentence[last.end :]))


def _meaning(sentence: str, mention: Mention, words: Finder) -> tuple[str, str | None]:
    """How a mention is meant, and the label that this makes."""
    said = polarity(sentence, mention.start, mention.end, mention.form == "inflected")
    if said == "negated":
        negation = words.negation.get(mention.label or "")
        return ("meant", negation) if negation else ("dropped", None)
    if said in ("meant", "final") and not mention.strong and _is_attribute(sentence, mention):
        return "dropped", None
    if said == "meant" and is_quality(mention.label) and not of_the_whole(sentence, mention):
        return "dropped", None
    if sentence[max(0, mention.start - 1) : mention.start] == QUOTE_OPEN and said == "meant":
        return "quoted", mention.label
    return said, mention.label


def _is_attribute(sentence: str, mention: Mention) -> bool:
    """Whether a word in lower case belongs to a noun ("the correct dose"), or is one."""
    before, after = (
        sentence[max(0, mention.start - 40) : mention.start],
        sentence[mention.end : mention.end + 20],
    )
    if mention.end - mention.start <= 5 and re.match(r"\W*$", after):
        return False
    return bool(
        re.search(
            r"\b(?:the|a|an|its|his|her|their|your|any|no|each|which|of|as the)\s+(?:\w+ly )?$",
            before,
            re.I,
        )
    ) and bool(re.match(r"\s*[\w'.,;!?)]|$", after))


def _weighed(
    sentence: str, meant: list[tuple[Mention, str, str | None]], at: int, words: Finder
) -> Signal | None:
    """The signal of prose: what its meant mentions agree on."""
    live = [(m, how, label) for m, how, label in meant if how in ("meant", "final", "between")]
    quoted = [(m, how, label) for m, how, label in meant if how == "quoted"]
    live += [entry for entry in quoted if CUE.search(sentence[: entry[0].start - 1][-160:])]
    if not live:
        return None
    final = [entry for entry in live if entry[1] == "final"]
    strong = [entry for entry in live if entry[0].strong]
    strong = strong or [entry for entry in live if entry[1] == "between"]
    chosen = final or strong or live
    labels = {None if how == "between" else label for _, how, label in chosen}
    label = next(iter(labels)) if len(labels) == 1 else None
    last = chosen[-1][0]
    before = sentence[max(0, last.start - 200) : last.start]
    own = is_own(before) if is_quality(label) else bool(CUE.search(before[-160:]))
    cue = bool(final) or own
    conclusive = bool(CONCLUSIVE.search(before))
    rank = Rank.CUE if cue else Rank.PROSE if strong else Rank.WORD
    if cue and (conclusive or FINAL_CUE.search(before)):
        rank = Rank.FINAL
    elif rank is Rank.PROSE and conclusive and label is not None:
        rank = Rank.CUE
    _, listing = _together([m for m, _, _ in chosen], words)
    return Signal(
        at=at + last.start,
        rank=rank,
        label=label,
        listing=listing,
        conclusive=conclusive,
        contrasted=bool(BUT.search(sentence, last.end)),
    )
