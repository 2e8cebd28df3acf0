"""What a reply declares to be its verdict, wherever it stands and whatever introduces it.

A verdict is declared by a field of JSON, a line that is a label, a label that leads its line or
follows a word for one ("Answer: X", a box, a tag), or one that ends its sentence as a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from factmark.replies.cues import (
    AFTER,
    BUT,
    CLAUSE,
    COLON,
    CONDITION,
    CONFIDENCE,
    DENIED_AFTER,
    FIGURE,
    FINAL,
    GRADED,
    GRADED_AFTER,
    INTRODUCED,
    JOIN,
    KEY,
    LEADS,
    LIST_MARK,
    NAMED,
    NOT_A_KEY,
    OWN_VERDICT,
    REPORTED,
    REVISION,
    SENTENCE,
    TURN,
    UNMEANT,
)
from factmark.replies.labels import TOKEN, Finder, Mention
from factmark.replies.loose_json import Pairs, json_verdict, read
from factmark.replies.markup import (
    QUOTED,
    is_given,
    without_blocks,
    without_given,
    without_markup,
    without_quotations,
)

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_JSON = re.compile(r"(?<![\w\\$])(?:\{(?!\s{0,9}[\[{])|\[(?=\s{0,20}[\[{\"']))")
_JSON_LABEL = "\ue003"
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
        revisions: how often the reply had corrected itself before it.
    """

    label: str | None
    line: int
    rank: int
    alone: bool = False
    aside: bool = False
    given: bool = False
    phrase: str = ""
    item: bool = False
    revisions: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a reply, without markup and what it quotes; `verdict` is that of a JSON value, and
    `given` says whether it stands in a text that the judge was given."""

    text: str
    aside: bool
    verdict: tuple[str | None, bool] | None = None
    given: bool = False


def lines_of(text: str, finder: Finder, given: Sequence[str] = ()) -> list[Line]:
    """The lines of a plain reply that have words or a verdict, JSON read and quotations blanked."""
    out: list[Line] = []
    for zone, aside in _zones(without_given(without_blocks(text), given)):
        verdicts: list[Line] = []
        zone = _json_as_marks(zone, finder, given, aside, verdicts)
        for line in without_markup(without_quotations(zone, finder), finder).split("\n"):
            if _JSON_LABEL in line:
                out.append(verdicts[int(line.strip(f" {_JSON_LABEL}"))])
            elif TOKEN.search(line):
                out.append(Line(line, aside, given=is_given(line, given)))
    return out


def declarations(
    lines: Sequence[Line], finder: Finder, given: Sequence[str] = ()
) -> list[Declaration]:
    """All that the lines declare, in order; of a list of criteria nothing."""
    out: list[Declaration] = []
    revisions = 0
    before = ""
    for number, line in enumerate(lines):
        if number and lines[number - 1].aside and not line.aside:
            before = ""
        sentences = _sentences(line, finder)
        leads, asked = True, False
        header = before if len(before) < 80 else ""
        for sentence in sentences:
            repeats = line.given or bool(INTRODUCED.search(before[-200:]))
            revisions += bool(REVISION.match(sentence)) and not (line.aside or repeats)
            declared = _declared(sentence, leads, finder)
            before = before if line.aside else f"{before}\n{sentence}"
            if declared is not None:
                rank = 0 if line.aside else declared.rank
                if declared.alone and NAMED.search(header):
                    rank = 3 if FINAL.search(header) else 2
                out.append(
                    replace(
                        declared,
                        line=number,
                        rank=rank,
                        alone=declared.alone and len(sentences) == 1,
                        item=rank < 2 and (declared.item or asked),
                        aside=line.aside,
                        given=repeats or declared.given or is_given(declared.phrase, given),
                        revisions=revisions,
                    )
                )
            asked = sentence.rstrip().endswith("?")
            leads = asked or bool(REVISION.match(sentence))
        is_quoted = line.given and before.rstrip().endswith(QUOTED)  # within an open quotation
        if line.verdict is not None and not is_quoted:
            label, final = line.verdict
            repeats = line.given or bool(INTRODUCED.search(before[-200:]))
            declared = Declaration(label=label, line=number, rank=3 if final else 2, alone=True)
            out.append(replace(declared, aside=line.aside, given=repeats, revisions=revisions))
        before = before if line.aside else line.text  # a fence is announced before it
    items = sum(declared.item for declared in out)
    return [declared for declared in out if not declared.item] if items > 1 else out


def _sentences(line: Line, finder: Finder) -> list[str]:
    """The sentences of a line, cut before each correction of oneself as well."""
    out: list[str] = []
    for sentence in SENTENCE.split(line.text):
        cuts = [0, *(found.start() for found in REVISION.finditer(sentence)), len(sentence)]
        parts = (sentence[start:end] for start, end in pairwise(cuts))
        out += [part for part in parts if TOKEN.search(part)]
    numbered = finder.common and len(out) > 1 and LIST_MARK.fullmatch(out[0].strip())
    return out[1:] if numbered else out


def _zones(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text outside and inside of code fences (CommonMark, 4.5), in order."""
    zone: list[str] = []
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if fence is None or (opened and not fence[1].startswith(opened)):
            zone.append(line)
            continue
        yield "\n".join(zone), bool(opened)
        zone, opened = [], "" if opened else fence[1]
    yield "\n".join(zone), bool(opened)


def _json_as_marks(
    text: str, finder: Finder, given: Sequence[str], aside: bool, verdicts: list[Line]
) -> str:
    """The text with each JSON object on a line of its own, as the number of its verdict."""

    def read_label(value: str) -> str | None:
        return leading_label(value, finder)

    out: list[str] = []
    done = 0
    for start, end, value in _json_in(text):
        try:
            verdict = json_verdict(value, finder, read_label)
        except LookupError:
            if isinstance(value, Pairs) and value.items:
                out += [text[done:start], f" {QUOTED} "]
                done = end
            continue
        out.append(text[done:start])
        if _is_mentioned(text, start, end):
            out.append(f" {QUOTED} ")
        else:
            out.append(f"\n{_JSON_LABEL}{len(verdicts)}{_JSON_LABEL}\n")
            verdicts.append(Line("", aside, verdict, is_given(text[start:end], given)))
        done = end
    out.append(text[done:])
    return "".join(out)


def _json_in(text: str) -> Iterator[tuple[int, int, object]]:
    """Where each JSON value of a text begins and ends, and the value."""
    done = 0
    for found in _JSON.finditer(text):
        if found.start() >= done:
            value, done, _ = read(text, found.start())
            yield found.start(), done, value


def json_values(text: str, given: Sequence[str] = ()) -> list[object]:
    """The JSON values of a plain reply that it does not merely mention; those that stand in a
    given text only where there are no others."""
    values = [
        (is_given(text[start:end], given), value)
        for start, end, value in _json_in(text)
        if not _is_mentioned(text, start, end)
    ]
    own = [value for repeated, value in values if not repeated]
    return own or [value for _, value in values]


def _is_mentioned(text: str, start: int, end: int) -> bool:
    """Whether a JSON value stands in quotation marks, after a report, or amid a sentence."""
    before = text[max(0, start - 200) : start].rpartition("\n")[2]
    if (before[:-1].strip() and before[-1] in "'\"") or REPORTED.search(before):
        return True
    if NOT_A_KEY.search(before):
        return True
    return bool(re.match(r"[ \t]+(?!because\b|since\b|as\b)[a-z]", text[end : end + 20]))


def leading_label(text: str, finder: Finder) -> str | None:
    """The label that a value is: by itself, or ahead of its explanation."""
    if label := finder.exact(text):
        return label
    verdict = _declared(f"verdict: {without_markup(text[:4000], finder).strip()}", True, finder)
    return verdict.label if verdict and verdict.rank else None


def _declared(sentence: str, leads: bool, finder: Finder) -> Declaration | None:
    """What a sentence declares; `leads` says whether it begins its line or follows a question."""
    if re.search(r"\?\W*$", sentence):
        return None
    sentence = CONFIDENCE.sub(lambda found: " " * len(found[0]), sentence)
    mentions = finder.mentions(sentence)
    if not mentions:
        return _slip(sentence, finder)
    named = {mention.label for mention in mentions}
    if _is_all(sentence, mentions, finder):
        several = len(named) > 1
        if several and len(named) == len(finder.labels):
            return None
        return Declaration(label=None if several else named.pop(), line=0, rank=1, alone=True)
    if run := _run(sentence, mentions):
        return _of_run(sentence, run, finder)
    meant = [
        verdict
        for mention in _apart(sentence, mentions)
        if (verdict := _meant(sentence, mention, leads, finder)) is not None
    ]
    if not meant:
        return None
    turns = len(named) > 1 and not mentions[0].strong and BUT.search(sentence)
    if len({verdict.label for verdict in meant}) > 2:
        return None
    denied = any(v.rank > 1 and v.label != meant[0].label for v in meant)
    if meant[0].rank == 1 and not turns and not denied:
        return meant[0]
    if len({verdict.label for verdict in meant}) > 1 or (meant[0].rank == 1 and turns):
        return replace(meant[0], label=None, alone=False)
    return max(meant, key=lambda verdict: verdict.rank)


def _is_all(sentence: str, mentions: Sequence[Mention], finder: Finder) -> bool:
    """Whether a sentence has no words beside its labels, a figure and a list's number."""
    rest, done = [], 0
    for mention in mentions:
        rest.append(sentence[done : mention.start])
        done = mention.end
    rest[0] = LIST_MARK.sub("", rest[0])
    others = " ".join([*rest, sentence[done:]])
    others = others if finder.common else FIGURE.sub(" ", others)
    return not TOKEN.search(others) and not re.search(f"[=→{QUOTED}]|->|-\\w", others)


def _run(sentence: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions of a run such as "A or B" that begins with the first; empty for one label."""
    run = [mentions[0]]
    for following in mentions[1:]:
        if not JOIN.match(sentence[run[-1].end : following.start]):
            break
        run.append(following)
    return run if len({mention.label for mention in run}) > 1 else []


def _apart(sentence: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that are not joined with one of another label."""
    joined = {
        mention.start
        for pair in pairwise(mentions)
        if pair[0].label != pair[1].label and JOIN.match(sentence[pair[0].end : pair[1].start])
        for mention in pair
    }
    return [mention for mention in mentions if mention.start not in joined]


def _of_run(sentence: str, run: Sequence[Mention], finder: Finder) -> Declaration | None:
    """What a sentence declares that begins with a run: the label after it, or no single one."""
    before, after = sentence[: run[0].start][-200:], sentence[run[-1].end :]
    if chosen := re.match(r"[\s\])}]*:", after):
        return _declared(after[chosen.end() :], True, finder)
    says = AFTER.match(after) and not DENIED_AFTER.match(after)
    if not says or CONDITION.search(before) or UNMEANT.search(CLAUSE.split(before)[-1]):
        clause = CLAUSE.search(after)
        return _declared(after[clause.end() :], False, finder) if clause else None
    if len({mention.label for mention in run}) == len(finder.labels):
        return None
    return Declaration(label=None, line=0, rank=0)


def _meant(sentence: str, mention: Mention, leads: bool, finder: Finder) -> Declaration | None:
    """What a mention declares in its sentence."""
    before, after = sentence[: mention.start][-200:], sentence[mention.end :][:100]
    said = TURN.split(before)[-1]
    if not AFTER.match(after) or DENIED_AFTER.match(after) or NOT_A_KEY.search(before):
        return None
    last_word, last_but = _lasts(sentence)
    ends = last_word < mention.end and QUOTED not in after
    leading = bool(LEADS.match(before)) and QUOTED not in before and (leads or ends)
    colon = COLON.search(before)
    keyed = colon or KEY.search(before)
    if keyed and not colon and _is_said_of_others(before, mention):
        keyed = None
    named = keyed and NAMED.search(before[-60:])
    final = FINAL.search(before[-100:])
    rank = 3 if final and leads and (keyed or leading) else 2 if named else int(leading)
    if GRADED.search(before) or GRADED_AFTER.match(after):
        return Declaration(label=None, line=0, rank=rank) if rank else None
    if not leading:
        if REPORTED.search(said) or CONDITION.search(said):
            return None
        clause = CLAUSE.split(before)[-1]
        if UNMEANT.search(clause):
            return None
        if not keyed and re.search(r"\bwould\b", clause):
            return None
        if not colon and last_but >= mention.end:
            return None
        if not (mention.strong or keyed) or (colon and finder.common and not named):
            return None
    alone = ends and (not TOKEN.search(before) or bool(keyed))
    item = bool(colon) and not named and len(TOKEN.findall(before)) <= _ITEM_WORDS
    word = re.search(r"\w+\W*$", before)
    return Declaration(
        label=mention.label,
        line=0,
        rank=rank,
        alone=alone,
        given=bool(INTRODUCED.search(before)),
        phrase=f"{word[0]}{sentence[mention.start : mention.end]}" if word else "",
        item=item,
    )


@lru_cache(maxsize=1)  # once for all mentions of a sentence
def _lasts(sentence: str) -> tuple[int, int]:
    """Where the last word that is no figure begins, and the last "but"; -1 for none."""
    words = FIGURE.sub(lambda found: " " * len(found[0]), sentence)
    last_word = max((found.start() for found in TOKEN.finditer(words)), default=-1)
    return last_word, max((found.start() for found in BUT.finditer(sentence)), default=-1)


def _is_said_of_others(before: str, mention: Mention) -> bool:
    """Whether a word such as "correct" is said of something else than the verdict."""
    quality = (mention.label or "").casefold() in _QUALITIES
    return quality and not OWN_VERDICT.search(before)


def _slip(sentence: str, finder: Finder) -> Declaration | None:
    """A label with a slip of the pen, by itself, after a key or at the head."""
    key, _, value = sentence[-200:].rpartition(":")
    label = finder.guess(value)
    if label is not None and not NOT_A_KEY.search(key):
        return Declaration(label=label, line=0, rank=3 if FINAL.search(key) else 1, alone=True)
    label = finder.guess(re.split(r"[.:,(]|\s-+\s", sentence[:60], maxsplit=1)[0])
    return Declaration(label=label, line=0, rank=1) if label is not None else None
