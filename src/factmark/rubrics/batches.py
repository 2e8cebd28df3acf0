"""One reply for several numbered claims: each claim's own label, or None.

A claim's part of the reply begins at its number and ends at the next one. Two different labels for a
number cancel out unless the later one is set off as final. Labels without numbers count only when
there are as many as claims.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from itertools import pairwise

from factmark.rubrics.batch_json import Votes, from_one, votes_in
from factmark.rubrics.decision import LIMIT, decide, decide_value, ends_of
from factmark.rubrics.lexicon import TOKEN, Finder
from factmark.rubrics.markup import without_markup
from factmark.rubrics.quoting import json_values, without_citations

_WORD = r"claims?|statements?|facts?|items?|triples?|sentences?|assertions?|nos?\.|nr\.?|c|q|№"
_NUMBERS = r"\d{1,3}(?:\s{0,2}(?:,\s?and|,|and|&|-|to|through|\.\.)\s{0,2}#?\d{1,3}(?![\w.]))*"
_AT_LINE = re.compile(
    rf"(?mi)^[ \t>#*\-•+(\[|]{{0,12}}(?:for |as for |regarding |and |the |verdict |answer |label )?(?P<word>(?:{_WORD})[ \t]{{0,2}}[#:(\[_]?[ \t]{{0,2}})?#?(?P<numbers>{_NUMBERS})(?P<end>[ \t]{{0,3}}[\])}}]{{0,2}}[ \t]{{0,3}}(?:[:.)=|,]|-+>?|->|=>|→|(?:is|are)\b|$)|[ \t]?[\])}}]{{1,2}}|(?=[ \t]))"
)
_JUST_BEFORE = re.compile(
    rf"(?i)(?:^|(?<=[\s,;(|.]))(?:and\s+|while\s+|but\s+)?(?P<mark>(?:(?:{_WORD})\s{{0,2}})?[(\[#]{{0,2}}(?P<numbers>{_NUMBERS})[ \t]{{0,2}}(?:[.):=\]|]+|-+>?|=>|→|(?:is|are|was|were)\b)?[ \t]{{0,2}}[\[(\"\ue000:]{{0,2}})$"
)
_SENTENCE = re.compile(
    r"(?i)(?<=[.;!?])\s+(?=(?:for |as for |regarding |and )?(?:the )?(?:claim|statement|fact)\s?#?\d)"
)
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_ORDINAL = re.compile(
    rf"(?i)\b(?:the\s+)?(?P<ordinal>{'|'.join(_ORDINALS)})(?:\s+(?:claim|statement|fact|one|item|triple))?(?=\s+(?:is|are)\b|\s*[:=]|\s+-)"
)
_OVERRIDES = re.compile(
    r"(?mi)^(?:[^\w\n]|_)*(?:(?:my |the )?(?:final|revised|corrected|updated|correction)\b[^\n]{0,60}|(?:verdicts?|answers?|labels?|results?|output|summary|conclusions?|so|therefore)[^\w\n]*)$"
    r"|^(?:[^\w\n]|_)*(?:wait|correction|actually|on reflection|scratch that|revised|edit)\b"
)
_ALL = re.compile(
    r"(?i)(?<!not )\b(?:all|every|each|both)\b(?:\s+(?:of|the|these|those|claims?|statements?|facts?|triples?|are|is|(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)|one)\b)*\W*"
)
_COUNTS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_BUT = re.compile(r"(?i)\b(?:except|but|apart from|other than|besides|excluding|save for|not)\b")
_MOST = 10_000


def read_batch(text: str, words: Finder, n: int) -> list[str | None]:
    """The labels of the claims 1 to n; `text` is plain and without its reasoning."""
    if n <= 0:
        return []
    text = ends_of(text, min(LIMIT + 2_000 * n, 200_000))
    votes = _from_json(text, words, n) or _from_text(text, words, n)
    out = [_one(votes.get(number, [])) for number in range(1, n + 1)]
    if n == 1 and not votes:
        return [decide(text, words)]
    return out


def _one(labels: list[str | None]) -> str | None:
    return labels[0] if labels and len(set(labels)) == 1 else None


def _from_json(text: str, words: Finder, n: int) -> Votes:
    votes: Votes = {}
    for value in json_values(text):
        for number, labels in votes_in(value, words, lambda t: decide_value(t, words), n).items():
            votes.setdefault(number, []).extend(labels)
    return votes


def _from_text(text: str, words: Finder, n: int) -> Votes:
    text = without_citations(text, words, lambda t: decide_value(t, words))
    text = _SENTENCE.sub("\n", without_markup(_rows(text, words), words))
    text = _ORDINAL.sub(lambda m: f"claim {_ORDINALS.index(m['ordinal'].casefold()) + 1}", text)
    text = "\n".join(_one_per_line(line, words, n) for line in text.split("\n"))
    votes = _for_all(text, words, n)
    cuts = [0, *(found.start() for found in _OVERRIDES.finditer(text)), len(text)]
    for start, stop in pairwise(cuts):
        votes |= _in_part(text[start:stop], words, n)
    return votes or _by_position(text, words, n)


def _in_part(part: str, words: Finder, n: int) -> Votes:
    """The votes in one part, by the kind of number mark that gives the most of them."""
    marks = [found for found in _AT_LINE.finditer(part) if _is_mark(part, found, words)]
    named = _blocks(part, [found for found in marks if found["word"]], words, n)
    bare = _blocks(part, [found for found in marks if not found["word"]], words, n)
    both = _blocks(part, marks, words, n) if named and bare else {}
    best = max((named, bare, both), key=_settled)
    return best or _grouped(part, words, n)


def _settled(votes: Votes) -> int:
    return sum(_one(labels) is not None for labels in votes.values())


def _is_mark(text: str, found: re.Match[str], words: Finder) -> bool:
    """Whether a number at a line's start is a claim's: punctuation or its label follows."""
    if found["end"].strip() or found["word"]:
        return True
    rest = text[found.end() : found.end() + 60]
    mentions = words.mentions(rest)
    return bool(mentions) and not TOKEN.search(rest[: mentions[0].start])


def _blocks(text: str, marks: list[re.Match[str]], words: Finder, n: int) -> Votes:
    """The label of each mark's block, for all its numbers. A block without a label has no vote."""
    votes: Votes = {}
    ends = [found.start() for found in marks[1:]] + [len(text)]
    for found, end in zip(marks, ends, strict=False):
        numbers = [number for number in _numbers(found["numbers"]) if number <= n]
        block = text[found.end() : end]
        if not numbers or not (label := _block_label(block, words)):
            continue
        for number in numbers:
            votes.setdefault(number, []).append(None if label == "?" else label)
    return from_one(votes, n)


def _block_label(block: str, words: Finder) -> str | None:
    """The label of a block's first paragraph that has one; "?" where it has several."""
    tried = ""
    for paragraph in re.split(r"\n[ \t]*\n", block[:20_000]):
        tried = f"{tried}\n\n{paragraph}" if tried else paragraph
        if label := decide(tried, words, with_json=False):
            return label
        if len({mention.label for mention in words.mentions(paragraph) if mention.strong}) > 1:
            return "?"
    return None


def _numbers(text: str) -> list[int]:
    """The numbers of "2", "1-3", "1, 2 and 4"; none of a range that is too long to be meant."""
    out: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*(?:-|to|through|\.\.)\s*#?(\d+))?", text):
        low, high = int(first), int(last or first)
        if high - low > _MOST:
            return []
        out.extend(range(low, high + 1))
    return out


def _one_per_line(line: str, words: Finder, n: int) -> str:
    """A line break before each number that directly precedes a label, where a line has several.

    One such number counts only when it is called a claim's: "not 20. SUPPORTED" ends a sentence.
    """
    cuts: list[int] = []
    done = 0
    named = False
    for mention in words.mentions(line):
        before = line[max(done, mention.start - 40) : mention.start]
        found = _JUST_BEFORE.search(before)
        done = mention.end
        if found is None or not 0 < max(_numbers(found["numbers"]), default=0) <= n:
            continue
        cuts.append(mention.start - len(before) + found.start("mark"))
        named = named or not found["mark"].lstrip("([#")[:1].isdigit()
    if len(cuts) < 2 and not named:
        return line
    edges = [0, *cuts, len(line)]
    return "\n".join(line[a:b].strip(" ,;") for a, b in pairwise(edges))


def _rows(text: str, words: Finder) -> str:
    """Each row of a table that begins with a number, as that number and the row's one label."""
    out: list[str] = []
    for line in text.split("\n"):
        cells = [cell.strip(" *`_") for cell in line.strip().strip("|").split("|")]
        number = re.fullmatch(rf"(?i)(?:(?:{_WORD})\s*)?#?(\d{{1,3}})\.?", cells[0])
        if len(cells) < 2 or number is None or not line.strip().startswith("|"):
            out.append(line)
            continue
        labels = {label for cell in cells[1:] if (label := words.exact(cell) or words.guess(cell))}
        out.append(f"{number[1]}: {labels.pop()}" if len(labels) == 1 else "")
    return "\n".join(out)


def _grouped(text: str, words: Finder, n: int) -> Votes:
    """Lines that name a label and then its claims: "SUPPORTED: 1, 3"."""
    votes: Votes = {}
    for line in text.split("\n"):
        mentions = words.mentions(line[:400])
        if len({m.label for m in mentions}) != 1 or TOKEN.search(line[: mentions[0].start]):
            continue
        rest = re.match(
            rf"(?i)[\W_]*(?:(?:{_WORD})\s*)?[#(\[]*(?P<numbers>{_NUMBERS})[\W_]*$",
            line[mentions[-1].end :],
        )
        for number in _numbers(rest["numbers"]) if rest else []:
            if 1 <= number <= n:
                votes.setdefault(number, []).append(mentions[0].label)
    return votes


def _for_all(text: str, words: Finder, n: int) -> Votes:
    """One verdict that is said to be that of all claims; those that are excepted have none."""
    for sentence in re.split(r"(?<=[.!?])\s|\n", text):
        found = _ALL.search(sentence[:300])
        if found is None or (
            TOKEN.search(sentence[: found.start()]) and ":" not in sentence[: found.start()]
        ):
            continue
        count = (found["count"] or "").casefold()
        both = found[0].casefold().startswith("both")
        if (count and _COUNTS.get(count, int(count) if count.isdigit() else 0) != n) or (
            both and n != 2
        ):
            continue
        main, *rest = _BUT.split(sentence[found.start() :], maxsplit=1)
        if re.match(r"(?i)\W*not\b", main[len(found[0]) :]):
            continue
        label = decide_value(main[len(found[0]) :], words)
        if label is None:
            continue
        spared = _numbers(rest[0]) if rest else []
        if rest and not spared:
            continue
        other = decide(rest[0], words, with_json=False) if rest else None
        return {m: [other if m in spared else label] for m in range(1, n + 1)}
    return {}


def _by_position(text: str, words: Finder, n: int) -> Votes:
    """Labels without numbers, when each stands by itself and there are as many as claims."""
    lines = [line for line in text.split("\n") if TOKEN.search(line)]
    if len(lines) == n + 1 and lines[0].rstrip().endswith(":") and not words.mentions(lines[0]):
        lines = lines[1:]
    if len(lines) == n and n > 1:
        found = [decide_value(line, words) for line in lines]
        return {number: [label] for number, label in enumerate(found, 1)} if all(found) else {}
    if len(lines) != 1:
        return {}
    mentions = words.mentions(lines[0])
    rest = lines[0]
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    if "respectively" in rest.casefold():
        rest = re.sub(
            r"(?i)\b(?:the|claims?|are|statements?|facts?|respectively|verdicts?|labels?|\d+)\b",
            "",
            rest,
        )
    if len(mentions) != n or re.sub(r"(?i)\band\b", "", rest).strip(" ,;[]().\"\ue000\ue001'-"):
        return {}
    return {number: [mention.label] for number, mention in enumerate(mentions, 1)}
