"""Ratings: which number of a scale a reply settles on, or none. Never rounded, never a default.

Numbers are everywhere in a reply: counts, doses, list marks, the scale itself. One counts as a
rating only where it stands alone, is named as one ("Rating: 4", "4/5", "I would give it a 4"), leads
("4 - mostly right") or concludes ("so 2"). The last of these is the judge's word; where it is off
the scale, a fraction or a range, there is none. What the judge cites, does not.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from factmark.rubrics.batch_json import votes_in
from factmark.rubrics.decision import LIMIT, ends_of
from factmark.rubrics.lexicon import Mention, lexicon
from factmark.rubrics.loose_json import Pairs
from factmark.rubrics.markup import without_markup
from factmark.rubrics.plain import plain
from factmark.rubrics.quoting import json_values, without_citations
from factmark.rubrics.verdict_json import UNDECIDED, key_kind

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(?:\d+(?:[.,\u2044]\d+)*|{'|'.join(_WORDS)})"
_VALUE = (
    r"(?P<sign>[<>\u2264\u2265]\s?|(?<![\w)\]])-(?=\d))?(?<![\w#$€£.,/\u2044])"
    rf"(?P<n>{_N})(?:[\])]?\s?/\s?(?P<of>\d+(?:\.\d+)?)|[\])]?\s+(?:out\s+of|of)\s+(?P<out>{_N}))?"
    r"(?P<percent>\s?(?:%|percent\b))?(?![\w%/\u2044+])(?![-'.,:]\w)"
)
_FIND = re.compile(_VALUE, re.I)
_NEXT = re.compile(
    rf"^\W{{0,3}}?(?:(?:\s|,|-|/)+(?:(?:or|to|and|through|possibly|perhaps|maybe|even|at most|a|an|leaning|towards)\b\W{{0,2}})*)(?P<n>{_N})(?![\w.]\w)(?!\s+(?!out of|of 5|is\b|stars?|points?)[a-z])",
    re.I,
)
_OF_TWO = re.compile(
    rf"(?:\bbetween\b|\b{_N}(?:\s?/\s?\d+)?\s*(?:-|,?\s*\b(?:or|to|and|through)\b|,?\s*\b(?:possibly|perhaps|maybe)\b)(?:\s+(?:even|maybe|perhaps|possibly|a|an))*)\s*(?:an?\s+)?$",
    re.I,
)
_NOUN = r"(?:ratings?|scores?|grades?|verdicts?|labels?|answers?|judge?ments?|assessments?|evaluations?|decisions?|conclusions?|results?|correctness|accuracy|output|value|mark)"
_OWN = r"(?:(?:my|the|this|its|your|a|an|so|therefore|thus|hence|and|final|overall|revised|new|corrected|updated|factual|correctness|accuracy|summary|summary's|clause|numeric|numerical|single|total|appropriate|right|fitting|as)\W+)"
_LINK = r"(?:is|was|of|would be|should be|must be|will be|to be|remains|stays|becomes|at|as|be|therefore|thus|hence|a|an|only|just|for this|for the|summary|clause|number|is therefore|clearly)"
_NAMED = re.compile(
    rf"(?:^|[^\w\s]\s*|\b(?:so|is|makes|gives?|giving|deserves?|earns?|merits?|warrants?|gets|receives|justif\w+|to|in|assign\w*|award|and|therefore|thus|hence|conclude|with|at|choose|leaves?)\s+){_OWN}*{_NOUN}\b(?:\W+{_LINK}\b)*\W*$",
    re.I,
)
_GIVEN = re.compile(
    r"\b(?:I|we|one)(?:'d|'ll|'m|\b)[^.!?\n]{0,60}?\b(?:rate|give|score|assign|choose|pick|select|award|go|going|settle|say|grade|judge|put|rating|giving|vote|chose|rated|gave|conclude|stick|land|call)\b[^.!?\n]{0,90}$"
    r"|\b(?:rated|graded|scored)\s+(?:as\s+|at\s+|with\s+)?(?:an?\s+)?\W*$|^\W*(?:rate|rating|score)(?:d|s)?\W+(?:it|this|the summary)?\W*(?:as|at|with|a|an)?\W*$",
    re.I,
)
_SO = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|overall|final(?:ly)?|consequently|conclusion|ultimately|then|makes?|leaves?|leaving|deserves?|earns?|merits?|warrants?|gets|scores|rates|receives|call it|stick(?:ing)? with|go(?:ing)? with|settle on|lands? on|meaning|round(?:ed|ing)?(?: it)?(?: up| down)? to|(?:summary|it|this|that|clause) (?:is|would be)|(?:it|this|that)'s|actually|wait|no)\b|\ue005|->|=>|\u2192)"
    r"\W*(?:(?:I|it|this|that|is|a|an|the|my|one|summary|solid|firm|clear|strong|weak|low|high|gets|would|be|at|only|just|here|say|with|for|answer|deserves|make|makes|give|rate|clearly|definitely)\b\W*)*$",
    re.I,
)
_FAIR = re.compile(
    r"^\W*\s(?:is|seems|looks|would be|feels)\s+(?:the\s+|a\s+)?(?:most\s+)?(?:appropriate|warranted|justified|fair|fitting|deserved|reasonable|my|best|rating)\b",
    re.I,
)
_AFTER = re.compile(
    r"^(?:\s*(?:points?|stars?)\b)?(?:[^\w\s'%+]|\s*$|\s+(?:because|since|as|due|given|for|on|overall|with|but|based|here|rather|in (?:total|all|my|this|the end|light)|by|instead|and|not|though|although|this|is my|is the)\b|\s+[^\w\s])",
    re.I,
)
_LEAD_AFTER = re.compile(
    r"^(?:\s*(?:points?|stars?)\b)?[\])\"\ue001]*(?:\s*(?:$|[.:;,(|]|-)|\s+(?:because|since|as|due|given|for|on|overall|based|but)\b)",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:not|never|cannot|nor|neither|instead of|rather than|unless|if|had|hesitat\w*|would have|could have|might have|tempt\w*|less than|more than|below|above|under|over|at least|at most|almost|nearly|beyond|short of|deny|initial(?:ly)?|instead|without|lower than|higher than|no more than)\b[^,;]*$",
    re.I,
)
_TOLD = re.compile(
    r"\b(?:source|passage|text|article|document|abstract|author|instruction|prompt|injection|sentence|line|note|paper|study|trial|summary|someone|user|it)\b[^,;]{0,60}?\b(?:says?|said|states?|reads?|asks?|asked|tells?|told|instructs?|instructed|instruction|claims?|demands?|orders?|wants?|contains?|writes?|requests?|attempts?|tries|reports?|reported|insists?)\b|\b(?:instruction|instructions|request|order|demand|command|told|asked)\b[^,;]{0,30}\bto\b|\b(?:example|e\.g|ignore|disregard|please|you (?:must|should|are|will)|graders?|system|assistant)\b",
    re.I,
)
_SCALE = re.compile(
    rf"\b(?:scale|range)\W+(?:(?:of|from|is|goes|runs|going|between)\W+)*(?P<low>{_N})\s*(?:\([^()]{{0,60}}\))?\s*(?:to|-|through|and|\.\.+)\s*(?P<high>{_N})(?:\s*\([^()]{{0,60}}\))?",
    re.I,
)
_SCALE_TOLD = "\ue005"
_OTHER = re.compile(r"\w[\])]?\s*[:=|]\W*$")  # "Fluency: 5/5" is another rating
_POINTS = re.compile(
    rf"\b{_N}[- ]point\b|\b(?:0|1|zero|one)\s?-\s?(?:5|five)\s+(?:point\s+)?scale\b", re.I
)
_ITEM = re.compile(r"^[ \t>*\-\u2022(]*(\d{1,2})[ \t]{0,2}(?:[.):=]|-(?=\s))+(?=[ \t]+\S)")
_FIRST = re.compile(
    rf"(?mi)^[ \t>*#(\[]*(?:(?:summary|clause|claim|item)[ \t]*#?1[ \t]*[\])]?[.:)=-]+(?=[ \t*])|1[ \t]?[:=](?=[ \t*]*{_N}(?![.,]?\d)))"
)
_PAIR = re.compile(rf"^\W{{1,4}}{_N}\W*$", re.I)
_ROW = re.compile(r"^\s*\|([^|\n]+)\|([^|\n]+)\|\s*$", re.M)
_KEY = re.compile(
    r"(?P<key>(?P<mark>[\"'])(?P<name>[A-Za-z][\w -]{0,40})(?P=mark)|(?<=[{,\s])(?P<bare>[A-Za-z]\w{0,40}))(?P<colon>\s{0,3}:\s{0,3})(?P<n>-?\d{1,9}(?:\.\d{1,9})?(?![\w./]))?"
)
_SENTENCE = re.compile(r"(?<=[.!?;])[)\]\"\ue001]*\s+|\n+")


@dataclass(frozen=True, slots=True)
class _Ratings:
    """Finds the labels of a scale where a text is nothing but one; as `lexicon.Finder`."""

    labels: tuple[str, ...]

    @property
    def negation(self) -> dict[str, str]:
        """No rating is the negation of another."""
        return {}

    def mentions(self, text: str) -> list[Mention]:
        """One mention where the text is a rating, else every number."""
        label = self.exact(text) if len(text) <= 120 else None
        if label is not None:
            return [Mention(start=0, end=len(text), label=label, strong=True)]
        return lexicon(self.labels).mentions(text)

    def exact(self, text: str) -> str | None:
        """The rating that a text is: `4`, `4/5`, `four`."""
        found = _FIND.search(text[:200])
        if found is None or re.search(r"\w", text[: found.start()] + text[found.end() :]):
            return None
        return self.value(found)

    def guess(self, text: str) -> str | None:
        """No number is a slip of the pen for another."""
        return None

    def value(self, found: re.Match[str]) -> str | None:
        """The label that a number stands for; None where it is off the scale, or no whole one."""
        number, top = _number(found["n"]), _number(found["of"] or found["out"] or self.labels[-1])
        if found["sign"] or found["percent"] or number is None or top != float(self.labels[-1]):
            return None
        label = f"{number:g}"
        return label if label in self.labels else None


def parse_rating(reply: str, labels: Sequence[str]) -> str | None:
    """The rating that a reply settles on, or None.

    Args:
        labels: whole numbers as text, the lowest first.
    """
    return _read(plain(reply), _Ratings(tuple(labels)))


def parse_ratings(reply: str, labels: Sequence[str], n: int) -> list[str | None]:
    """The rating of each of `n` numbered units, None for each that the reply does not settle."""
    scale = _Ratings(tuple(labels))
    text = ends_of(plain(reply), min(LIMIT + 2_000 * max(n, 0), 200_000))
    votes = _from_json(text, scale, n) or _by_number(text, scale, n) or _by_place(text, scale, n)
    return [votes.get(number) for number in range(1, n + 1)]


def _read(text: str, scale: _Ratings) -> str | None:
    said = _candidates(_prepared(text, scale), scale)
    return said[-1] if said else None


def _prepared(text: str, scale: _Ratings) -> str:
    """The text without what it cites, its scale and its list marks; JSON as lines."""
    text = _ROW.sub(r"\1: \2", ends_of(text, LIMIT))
    text = _FIRST.sub("", _KEY.sub(_as_text, text))
    text = without_citations(text, scale, lambda value: _json_value(value, scale))
    return _without_lists(without_markup(text, scale))


def _as_text(found: re.Match[str]) -> str:
    """A JSON pair whose key names a rating, with its number as text and no other name for it."""
    name = re.sub(r"(?i)score$", "rating", found["name"] or found["bare"])
    if key_kind(name) is None:
        return found[0]
    mark = found["mark"] or ""
    key = f"{mark}{name}{mark}{found['colon']}"
    inside = bool(mark) or found.string[: found.start()].rstrip()[-1:] in ("{", ",")
    number = found["n"]
    return f'{key}"{number}"' if number and inside else f"{key}{number or ''}"


def _json_value(value: str, scale: _Ratings) -> str | None:
    """The rating of a JSON value: by itself, named, or ahead of its explanation."""
    text = re.sub(rf"(?i)^\W*{_OWN}*{_NOUN}\W+", "", value[:400])
    found = _FIND.search(text)
    if found is None or re.search(r"\w", text[: found.start()]):
        return None
    rest = text[found.end() :]
    return scale.value(found) if _LEAD_AFTER.match(rest) and not _NEXT.match(rest) else None


def _without_lists(text: str) -> str:
    """Without the numbers of a list's lines, and of the scale's where it is told again.

    Lines that count up or down by one are a list, and so is a lone first one.
    """
    lines = text.split("\n")
    marks = [(at, int(found[1])) for at, line in enumerate(lines) if (found := _ITEM.match(line))]
    drop = {at for at, number in marks if number == 1 and re.match(r"\W*1[ \t]*[.)]", lines[at])}
    for (at, number), (later, following) in pairwise(marks):
        if abs(following - number) == 1:
            drop |= {at, later}
    return "\n".join(_ITEM.sub("", line) if at in drop else line for at, line in enumerate(lines))


def _candidates(text: str, scale: _Ratings) -> list[str | None]:
    """What is said to be the rating, in order; None for what is said and is none of the scale."""
    out: list[str | None] = []
    low, high = float(scale.labels[0]), float(scale.labels[-1])
    for told in _SCALE.finditer(text):
        if (_number(told["low"]), _number(told["high"])) != (low, high):
            return []
    text = _POINTS.sub(" ", _SCALE.sub(f" {_SCALE_TOLD} ", text))
    text = re.sub(
        rf"(?i)(?:\(|\bfrom\s+)?(?<![\w.]){scale.labels[0]}\s?(?:-|to)\s?{scale.labels[-1]}(?![\w.])\)?",
        " ",
        text,
    )
    for part in _SENTENCE.split(text):
        if UNDECIDED in part:
            out.append(None)
        for found in _FIND.finditer(part[:2_000]):
            before, rest = part[: found.start()][-200:], part[found.end() :][:200]
            if _is_said(before, rest, found):
                out.append(None if _joins(before, rest) else scale.value(found))
    return out


def _is_said(before: str, rest: str, found: re.Match[str]) -> bool:
    """Whether a number in its sentence is said to be the rating."""
    if re.match(r"\W*\?", rest):
        return False
    alone = not re.search(r"\w", before) or bool(
        re.fullmatch(
            r"(?i)\W*(?:(?:either|between|an?|about|around|approximately|roughly)\b\W*)+", before
        )
    )
    joined = _joins(before, rest)
    if joined and alone:
        return True
    clause = re.split(r"[,;]|\b(?:but|so|therefore|hence|thus)\b", before)[-1]
    if _DENIED.search(clause) or (_TOLD.search(clause) and not re.search(r"\b(?:I|my)\b", clause)):
        return False
    if alone:
        return bool(_LEAD_AFTER.match(rest)) or bool(_FAIR.match(rest))
    if not _AFTER.match(rest) and not joined:
        return bool(_FAIR.match(rest))
    over = found["of"] or found["out"]
    named = (
        _NAMED.search(before)
        or _GIVEN.search(before)
        or _SO.search(before)
        or _OF_TWO.search(before)
    )
    ends = not re.search(r"\w", rest)
    return bool(named or (over and ends and not _OTHER.search(before)) or _FAIR.match(rest))


def _joins(before: str, rest: str) -> bool:
    """Whether a number is one of two: "3 or 4", "between 3 and 4", "2: 4"."""
    pair = not re.search(r"\w", before) and _PAIR.match(rest)
    return bool(pair or _NEXT.match(rest) or _OF_TWO.search(before))


def _number(text: str) -> float | None:
    word = text.casefold()
    if word in _WORDS:
        return float(_WORDS.index(word))
    try:
        return float(word)
    except ValueError:
        return None


def _from_json(text: str, scale: _Ratings, n: int) -> dict[int, str | None]:
    """The ratings of a JSON reply, by number or by place."""
    votes: dict[int, list[str | None]] = {}
    for value in json_values(_KEY.sub(_as_text, text)):
        told = votes_in(_texts(value), scale, lambda one: _json_value(one, scale), n)
        for number, labels in told.items():
            votes.setdefault(number, []).extend(labels)
    return {
        number: labels[-1] if len(set(labels)) == 1 else None for number, labels in votes.items()
    }


def _texts(value: object, *, key: str = "") -> object:
    """A JSON value with its numbers as text, but for those that say which unit is meant."""
    if isinstance(value, Pairs):
        return Pairs(items=[(name, _texts(inner, key=name)) for name, inner in value.items])
    if isinstance(value, list):
        pairs = all(isinstance(one, list) and len(one) == 2 for one in value)
        if pairs and value:
            return [[one[0], _texts(one[1])] for one in value if isinstance(one, list)]
        return [_texts(one) for one in value]
    if isinstance(value, float) and (not key or key.strip().isdigit() or re.search(r"\d$", key)):
        return f"{value:g}"
    return value


_MARK = re.compile(
    r"(?mi)^[ \t>*\-\u2022(\[|#_]*(?:(?:summary|clause|claim|item|statement|rating|text|no\.?|nr\.?)[ \t]*#?[ \t]*)?(?P<number>\d{1,3})(?:[ \t]*[\])*_|]*[ \t]*(?:[.):=|]|-+>?|=>|\u2192)(?!\d)|[ \t]*\])[ \t*_]*"
)
_INLINE = re.compile(
    r"(?<=[\s;,])(?=(?:summary\s+|clause\s+|#)?\d{1,3}[ \t]?[.:)=][ \t]+\d(?![\w.]\w))", re.I
)


def _by_number(text: str, scale: _Ratings, n: int) -> dict[int, str | None]:
    """The rating of each numbered block; the last block of a number counts."""
    text = _KEY.sub(_as_text, text)
    text = without_citations(text, scale, lambda value: _json_value(value, scale))
    text = _INLINE.sub("\n", re.sub(r"[ \t]*\|[ \t]*$", "", text, flags=re.M))
    marks = [found for found in _MARK.finditer(text) if 1 <= int(found["number"]) <= n]
    marks = _expected(marks, n)
    ends = [*(found.start() for found in marks[1:]), len(text)]
    votes: dict[int, str | None] = {}
    for found, end in zip(marks, ends, strict=False):
        block = text[found.end() : end].strip()
        if block:
            votes[int(found["number"])] = _read(block, scale)
    return votes


def _expected(marks: list[re.Match[str]], n: int) -> list[re.Match[str]]:
    """Those marks that count up from 1, once more after the last; others are ratings.

    A number may be left out where the mark looks like the first one and more stands on its line.
    """
    out: list[re.Match[str]] = []
    turn = 1
    for found in marks:
        number = int(found["number"])
        again = number == 1 and turn > n
        alike = not out or _style(found) == _style(out[0])
        more = found.string[found.end() :].split("\n", 1)[0].strip()
        if number == turn or again or (number > turn and alike and more):
            out.append(found)
            turn = number + 1
    return out


def _style(mark: re.Match[str]) -> str:
    return re.sub(r"\d+", "#", mark[0].strip())


def _by_place(text: str, scale: _Ratings, n: int) -> dict[int, str | None]:
    """Ratings without numbers, when they are all there is and as many as units."""
    parts = [
        part for part in re.split(r"[\n,;]+", without_markup(text, scale)) if re.search(r"\w", part)
    ]
    if len(parts) == 1 and len(parts[0].split()) == n:
        parts = parts[0].split()
    if len(parts) != n:
        return {n: _read(text, scale)} if n == 1 else {}
    said = [scale.exact(part) for part in parts]
    return dict(enumerate(said, 1)) if all(said) else {}
