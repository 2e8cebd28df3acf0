"""One reply for several numbered claims: each claim's own label, or None.

A verdict is bound to its claim by number: in JSON by a key or an id, in text by the mark that its part
of the reply begins with. A part that repeats the words of another claim is none of its claim's. Labels
without numbers count only where there is nothing else and as many as claims.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from factmark.replies.declarations import Line, declarations, json_values, leading_label, lines_of
from factmark.replies.labels import TOKEN, Finder, lexicon
from factmark.replies.loose_json import Pairs, ReadLabel, json_verdict
from factmark.replies.markup import is_given, without_words
from factmark.replies.plain import plain
from factmark.replies.reading import LIMIT, decide_lines, ends_of

_WORD = r"summar(?:y|ies)|clauses?|claims?|statements?|facts?|items?|triples?|sentences?|assertions?|nos?\.|nr\.?|c|q|№"
_NUMBERS = r"\d{1,3}(?:\s{0,2}(?:,\s?and|,|and|&|-|to|through|\.\.)\s{0,2}#?\d{1,3}(?![\w.]))*"
_AT_LINE = rf"(?i)^[ \t>#*\-•+(\[|]{{{{0,12}}}}(?:for |as for |regarding |and |the |verdict |answer |label )?(?:(?:{_WORD})[ \t]{{{{0,2}}}}[#:(\[_]?[ \t]{{{{0,2}}}})?#?(?P<numbers>{{numbers}})(?P<end>[ \t]{{{{0,3}}}}[\])}}}}]{{{{0,2}}}}[ \t]{{{{0,3}}}}(?:[:.)=|,]|-+>?|=>|→|(?:is|are)\b|$)|[ \t]?[\])}}}}]{{{{1,2}}}}|(?=[ \t]))"
_MARK = re.compile(_AT_LINE.format(numbers=_NUMBERS))
_PLAIN_MARK = re.compile(_AT_LINE.format(numbers=r"\d{1,3}"))
_NEXT = re.compile(r"[,;]\s+(?=\d{1,3}\s?[.:)=-])")
_INLINE = re.compile(
    rf"(?i)(?:^|(?<=[\s,;(|.]))(?:and\s+|while\s+|but\s+)?(?P<mark>(?:(?:{_WORD})\s{{0,2}})?[(\[#]{{0,2}}(?P<numbers>{_NUMBERS})[ \t]{{0,2}}(?:[.):=\]|]+|-+>?|=>|→|(?:is|are|was|were)\b)?[ \t]{{0,2}}[\[(:]{{0,2}})$"
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINAL = re.compile(
    rf"(?i)\b(?:the\s+)?(?P<ordinal>{'|'.join(_ORDINALS)})(?:\s+(?:claim|statement|fact|one|item|triple))?(?=\s+(?:is|are)\b|\s*[:=]|\s+-)"
)
_ANEW = re.compile(
    r"(?i)^\W*(?:(?:my |the )?(?:final|revised|corrected|updated|correction)\b[^\n]{0,60}|(?:verdicts?|answers?|labels?|results?|output|summary|conclusions?|so|therefore)\W*)$"
    r"|^\W*(?:wait|correction|actually|on reflection|scratch that|revised|edit)\b"
)
_COUNTS = dict(
    zip("two three four five six seven eight nine ten".split(), range(2, 11), strict=True)
)
_ALL = re.compile(
    rf"(?i)^\W*(?:all|every|each|both)\b(?:\s+(?:of|the|these|those|claims?|statements?|facts?|triples?|are|is|(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})|one)\b)*(?P<rest>[^.;,]*)\W*$"
)
_MOST = 10_000
_NUMBERED_KEY = re.compile(r"^\D{0,16}?(\d{1,4})[\W_]{0,3}$")
_ID_NAMES = frozenset(
    "id claim number index no n num i item fact nr statement triple idx key summary #".split()
)
_ID_VALUE = re.compile(
    r"^\W*(?:claim|fact|item|statement|triple|c|no|nr)?[\W_]*(\d{1,4})(?:\W*$|[.):])", re.IGNORECASE
)
_NUMBERED_TEXT = re.compile(r"^\W*(?:claim\W*)?(\d{1,4})\W+(.+)", re.IGNORECASE | re.DOTALL)
_ASIDE = re.compile(
    r"reason|expla|evidence|quote|passage|source|note|comment|input|labels|options", re.IGNORECASE
)

Votes = dict[int, list[str | None]]
"""Number of a claim -> the labels that the reply gives it."""


def parse_batch(
    reply: str,
    labels: Sequence[str],
    n: int,
    *,
    cut: bool = False,
    given: Sequence[str] = (),
    claims: Sequence[str] = (),
) -> list[str | None]:
    """The label of each of `n` numbered claims, None for each that the reply does not settle.

    Args:
        cut: whether the reply was cut off at its limit: only what is declared counts then.
        given: the texts that the judge was given beside the claims.
        claims: the claims in the order of their numbers.
    """
    text = plain(reply, (*given, *claims))
    return read_batch(text, lexicon(tuple(labels)), n, cut=cut, given=given, claims=claims)


def read_batch(
    text: str,
    finder: Finder,
    n: int,
    *,
    cut: bool = False,
    given: Sequence[str] = (),
    claims: Sequence[str] = (),
) -> list[str | None]:
    """The labels of the claims 1 to n in a plain reply."""
    if n <= 0:
        return []
    text = ends_of(text, min(LIMIT + 2_000 * n, 200_000))
    votes: Votes = {}
    ballot = _JsonBatch(finder, lambda label: leading_label(label, finder), n, claims)
    for value in json_values(text, given):
        for number, labels in ballot.votes(value).items():
            votes.setdefault(number, []).extend(labels)
    if not votes:
        lines = lines_of(text, finder, given)
        if n == 1 and (label := decide_lines(lines, finder, declared_only=cut)):
            return [label]
        lines = _cut_at_marks(lines, finder, n)
        own = [line for line in lines if not line.aside]
        votes = _by_mark(own, finder, n, cut, claims)
        if not votes and len(own) < len(lines):
            votes = _by_mark(lines, finder, n, cut, claims)
        votes = votes or _by_words(lines, finder, cut, claims)
        votes = votes or (_without_marks(lines, finder, n) if n > 1 else {})
    return [_agreed(votes.get(number, [])) for number in range(1, n + 1)]


def _agreed(labels: list[str | None]) -> str | None:
    return labels[0] if labels and len(set(labels)) == 1 else None


def _cut_at_marks(lines: Sequence[Line], finder: Finder, n: int) -> list[Line]:
    """The lines with a break before each number that directly precedes a label."""
    out: list[Line] = []
    for line in lines:
        if line.verdict is not None:
            out.append(line)
            continue
        if finder.common:
            out += [Line(part, line.aside) for part in _NEXT.split(line.text)]
            continue
        text = _ORDINAL.sub(
            lambda m: f"claim {_ORDINALS.index(m['ordinal'].casefold()) + 1}", line.text
        )
        cuts, done, named = [0], 0, False
        for mention in finder.mentions(text):
            before = text[max(done, mention.start - 40) : mention.start]
            found = _INLINE.search(before)
            done = mention.end
            if found and 0 < max(_numbers(found["numbers"]), default=0) <= n:
                cuts.append(mention.start - len(before) + found.start("mark"))
                named = named or not found["mark"].lstrip("([#")[:1].isdigit()
        if len(cuts) < 3 and not named:
            cuts = [0]
        out += [
            Line(part, line.aside)
            for a, b in pairwise([*cuts, len(text)])
            if (part := text[a:b].strip(" ,;"))
        ]
    return out


def _by_mark(
    lines: Sequence[Line], finder: Finder, n: int, cut: bool, claims: Sequence[str]
) -> Votes:
    """The label of each part that a mark begins; one that starts anew goes before the earlier ones.

    None where a label stands before the first mark: labels may then stand above their claims.
    """
    marks = _marks(lines, finder, n)
    if not marks or declarations(lines[: min(marks)], finder):
        return {}
    anew = {at for at, line in enumerate(lines) if _ANEW.search(line.text)}
    rounds: list[Votes] = [{}]
    for at, end in pairwise(sorted({*marks, *anew, len(lines)})):
        if at in anew:
            rounds.append({})
        if at not in marks:
            continue
        head = Line(lines[at].text[marks[at].end() :], lines[at].aside)
        for number in _numbers(marks[at]["numbers"]):
            if number > n:
                continue
            part = _without_claim([head, *lines[at + 1 : end]], number, claims)
            label = decide_lines(part, finder, declared_only=cut)
            if label or any(line.verdict or finder.mentions(line.text) for line in part):
                rounds[-1].setdefault(number, []).append(label)
    votes: Votes = {}
    for told in rounds:
        votes |= _from_one(
            {number: labels for number, labels in told.items() if any(labels)} or told, n
        )
    return votes


def _by_words(lines: Sequence[Line], finder: Finder, cut: bool, claims: Sequence[str]) -> Votes:
    """The label of each line that repeats one claim's words."""
    votes: Votes = {}
    for line in lines:
        named = [at for at, claim in enumerate(claims, 1) if is_given(claim, [line.text])]
        if len(named) == 1:
            part = _without_claim([line], named[0], claims)
            votes.setdefault(named[0], []).append(decide_lines(part, finder, declared_only=cut))
    return votes


def _without_claim(part: Sequence[Line], number: int, claims: Sequence[str]) -> list[Line]:
    """The part without its claim's words; nothing where it has the words of another claim only."""
    text = " ".join(line.text for line in part)
    named = [at for at, claim in enumerate(claims, 1) if is_given(claim, [text])]
    if named and number not in named:
        return []
    if named:
        claim = claims[number - 1]
        part = [replace(line, text=without_words(line.text, claim, "")) for line in part]
    return [line for line in part if line.verdict or TOKEN.search(line.text)]


def _marks(lines: Sequence[Line], finder: Finder, n: int) -> dict[int, re.Match[str]]:
    """The marks of claims by their line; where labels are numbers, those that count up from 1."""
    marks = {at: mark for at, line in enumerate(lines) if (mark := _mark(line.text, finder))}
    if not finder.common:
        return marks
    counted: dict[int, re.Match[str]] = {}
    last, style = 0, ""
    for at, mark in marks.items():
        number, own = int(mark["numbers"]), re.sub(r"\d+", "", mark[0].strip())
        goes_on = number > last and own == (style or own) and TOKEN.search(mark.string, mark.end())
        if number == last % n + 1 or (goes_on and number <= n):
            counted[at] = mark
            last, style = number, style or own
    return counted


def _mark(text: str, finder: Finder) -> re.Match[str] | None:
    """The mark of a claim at the head of a line: a number, and punctuation or its label after it."""
    found = (_PLAIN_MARK if finder.common else _MARK).match(text)
    if found is None or found["end"].strip() or re.match(r"(?i)\W*[a-z]", found[0]):
        return found
    rest = text[found.end() : found.end() + 60]
    mentions = finder.mentions(rest)
    alone = not TOKEN.search(rest)
    return found if alone or (mentions and not TOKEN.search(rest[: mentions[0].start])) else None


def _numbers(text: str) -> list[int]:
    """The numbers of "2", "1-3", "1, 2 and 4"; none of a range that is too long to be meant."""
    out: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*(?:-|to|through|\.\.)\s*#?(\d+))?", text):
        low, high = int(first), int(last or first)
        if high - low > _MOST:
            return []
        out.extend(range(low, high + 1))
    return out


def _without_marks(lines: Sequence[Line], finder: Finder, n: int) -> Votes:
    """One label that is said to be that of all claims, or as many labels as claims."""
    if len(lines) == 1 and (every := _ALL.match(lines[0].text)):
        count = (every["count"] or "").casefold()
        label = finder.exact(every["rest"]) or leading_label(every["rest"], finder)
        wanted = 2 if re.match(r"(?i)\W*both", lines[0].text) else n
        if label and wanted == n and (not count or _COUNTS.get(count, count) in (n, str(n))):
            return {number: [label] for number in range(1, n + 1)}
    parts = [part for line in lines for part in re.split(r"[,;]", line.text) if TOKEN.search(part)]
    labels = [finder.exact(part) or finder.guess(part) for part in parts]
    if len(labels) == n and all(labels):
        return {number: [label] for number, label in enumerate(labels, 1)}
    return {}


@dataclass(frozen=True, slots=True)
class _JsonBatch:
    """Reads the labels that JSON values give to the claims 1 to n.

    Attributes:
        claims: in the order of their numbers, where they are known: an item that repeats one is
            its verdict, whatever its place.
    """

    finder: Finder
    read_label: ReadLabel
    n: int
    claims: Sequence[str] = ()

    def votes(self, value: object) -> Votes:
        """The labels by number, or by position in a list as long as there are claims."""
        votes: Votes = {}
        for number, label in self._votes(value):
            votes.setdefault(number, []).append(label)
        return _from_one(votes, self.n)

    def _votes(self, value: object) -> Iterator[tuple[int, str | None]]:
        if isinstance(value, list):
            yield from self._of_list(value)
        elif isinstance(value, Pairs):
            yield from self._of_pairs(value)

    def _of_list(self, items: Sequence[object]) -> Iterator[tuple[int, str | None]]:
        placed = [vote for item in items for vote in self._of_item(item)]
        if placed or len(items) != self.n:
            yield from placed
            return
        for number, item in enumerate(items, 1):
            yield number, self._label(item)[1]

    def _of_item(self, item: object) -> Iterator[tuple[int, str | None]]:
        """The votes of an item that names its claims; none where its place decides."""
        if isinstance(item, Pairs):
            if (number := self._number(item)) is not None:
                yield number, self._label(item)[1]
            elif any(_NUMBERED_KEY.match(key) for key, _ in item.items):
                yield from self._of_pairs(item)
        elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], float):
            yield int(item[0]), self._label(item[1])[1]
        elif isinstance(item, str) and (numbered := _NUMBERED_TEXT.match(item[:4000])):
            yield int(numbered[1]), self.read_label(numbered[2])

    def _of_pairs(self, pairs: Pairs) -> Iterator[tuple[int, str | None]]:
        if (number := self._number(pairs)) is not None:
            given, label = self._label(pairs)
            if given:
                yield number, label
                return
        numbered = [
            (int(key[1]), value)
            for name, value in pairs.items
            if (key := _NUMBERED_KEY.match(name))
        ]
        for number, value in numbered:
            given, label = self._label(value)
            if given:
                yield number, label
        if numbered:
            return
        for name, value in pairs.items:
            if (label := self.finder.exact(name)) and isinstance(value, list):
                yield from ((int(number), label) for number in value if isinstance(number, float))
            elif not _ASIDE.search(name):
                yield from self._votes(value)

    def _label(self, value: object) -> tuple[bool, str | None]:
        """Whether a value gives a verdict at all, and the label."""
        if value is None or isinstance(value, str):
            return True, None if value is None else self.read_label(value)
        if isinstance(value, float):
            return True, self.read_label(f"{value:g}")
        try:
            verdict = json_verdict(value, self.finder, self.read_label)
        except LookupError:
            return False, None
        return isinstance(value, Pairs), verdict[0]

    def _number(self, pairs: Pairs) -> int | None:
        """The number of the claim that an object is about: by its words, else by its id."""
        texts = [value for _, value in pairs.items if isinstance(value, str)]
        for number, claim in enumerate(self.claims, 1):
            if any(is_given(claim, [text]) for text in texts):
                return number
        for key, value in pairs.items:
            parts = [token[0].casefold() for token in TOKEN.finditer(key)]
            if key != "#" and not (parts and _ID_NAMES.issuperset(parts)):
                continue
            if isinstance(value, float) and value == int(value):
                return int(value)
            if isinstance(value, str) and (found := _ID_VALUE.match(value[:60])):
                return int(found[1])
        return None


def _from_one(votes: Votes, n: int) -> Votes:
    """Votes counted from 1: those that count from 0 moved up, when they are all there."""
    if 0 not in votes:
        return votes
    if set(votes) == set(range(n)):
        return {number + 1: labels for number, labels in votes.items()}
    return {}
