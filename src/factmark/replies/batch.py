"""One reply for several numbered claims: each claim's own label, or None.

A verdict is bound to its claim by number: in JSON by a key or an id, in text by the mark that its part
of the reply begins with. A part that repeats the words of another claim, or that names ahead of its label
what only another claim has, is none of its claim's. Labels without numbers count only where there is
nothing else and as many as claims.
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from factmark.replies import cues
from factmark.replies.label_of_reply import LIMIT, beginning_and_end, settle_label
from factmark.replies.labels import NO_SPELLINGS, TOKEN, Finder, Mention, lexicon, words_of
from factmark.replies.loose_json import Pairs, json_verdict
from factmark.replies.markup import ReplyLine, json_values, lines_of
from factmark.replies.plain import plain_spelling, plain_text
from factmark.replies.repeated import is_in_given, without_words
from factmark.replies.verdicts.declared import declarations, leading_label
from factmark.replies.verdicts.origin import own_labels

_WORD = r"summar(?:y|ies)|clauses?|claims?|statements?|facts?|items?|triples?|sentences?|assertions?|nos?\.|nr\.?|c|q|№"
_NUMBERS = r"\d{1,3}(?:\s{0,2}(?:,\s?and|,|and|&|-|to|through|\.\.)\s{0,2}#?\d{1,3}(?![\w.]))*"
_AT_LINE = rf"(?i)^[ \t>#*\-•+(\[|]{{{{0,12}}}}(?:for |as for |regarding |and |the |verdict |answer |label )?(?:(?:{_WORD})[ \t]{{{{0,2}}}}[#:(\[_]?[ \t]{{{{0,2}}}})?#?(?P<numbers>{{numbers}})(?P<end>[ \t]{{{{0,3}}}}[\])}}}}]{{{{0,2}}}}[ \t]{{{{0,3}}}}(?:[:.)=|,]|-+>?|=>|→|(?:is|are)\b|$)|[ \t]?[\])}}}}]{{{{1,2}}}}|(?=[ \t]))"
_MARK = re.compile(_AT_LINE.format(numbers=_NUMBERS))
_PLAIN_MARK = re.compile(_AT_LINE.format(numbers=r"\d{1,3}"))
_DASH = re.compile(r"\s-+\s")
_NEXT = re.compile(r"[,;]\s+(?=\d{1,3}\s?[.:)=-])")
_INLINE = re.compile(
    rf"(?i)(?:^|(?<=[\s,;(|.]))(?:and\s+|while\s+|but\s+)?(?P<mark>(?:(?:{_WORD})\s{{0,2}})?[(\[#]{{0,2}}(?P<numbers>{_NUMBERS})[ \t]{{0,2}}(?:[.):=\]|]+|-+>?|=>|→|(?:is|are|was|were)\b)?[ \t]{{0,2}}[\[(:]{{0,2}})$"
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINAL = re.compile(
    rf"(?i)\b(?:the\s+)?(?P<ordinal>{'|'.join(_ORDINALS)})(?:\s+(?:one|{_WORD}))?(?=\s+(?:is|are|should|must)\b|\s*[:=]|\s+-)"
)
_ANEW = re.compile(
    r"(?i)^\W*(?:(?:my |the )?(?:final|revised|corrected|updated|correction)\b[^\n]{0,60}|(?:verdicts?|answers?|labels?|results?|output|summary|conclusions?|so|therefore|edit)\W*)$"
)
_CORRECTS = re.compile(
    rf"(?i)(?:^|[.!?;]\s)\W{{0,9}}(?:(?:but|and|so|my|the)\s)*(?:{cues.REVISION.pattern}|(?:final|revised|corrected|updated|edit|i (?:correct|change|revise))\b)"
    rf"|\b(?:{_WORD})\s#?\d[^.;\n]{{0,40}}?\b(?:should|must)\s(?:have\sbeen|be)\b"
)
_CORRECTED = re.compile(
    rf"(?i)(?:\b(?!sentence)(?:{_WORD})\s{{0,2}}[#(\[]?\s?|^\W*[a-z ]{{3,24}}\W+(?!.*\d[.:)=].*\d[.:)=]))({_NUMBERS})"
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

Vote = tuple[int, str | None]
"""Number of a claim, and a label that the reply gives it."""


def parse_batch(
    reply: str,
    labels: Sequence[str],
    n: int,
    *,
    cut: bool = False,
    given: Sequence[str] = (),
    claims: Sequence[str] = (),
    spellings: Mapping[str, str] = NO_SPELLINGS,
) -> list[str | None]:
    """The label of each of `n` numbered claims; None for each that the reply does not settle.

    Args:
        cut: whether the reply was cut off at its limit: only what is declared counts then.
        given: the texts that the judge was given beside the claims.
        claims: the claims in the order of their numbers.
        spellings: other words for a label, such as `{"weak": "MAYBE"}`.
    """
    finder = lexicon(tuple(labels), tuple(spellings.items()))
    return Batch(finder, n, cut, given, claims).labels_in(plain_text(reply, (*given, *claims)))


def ends_for_claims(text: str, n: int) -> str:
    """Returns a very long reply's beginning and end, longer for more claims."""
    return beginning_and_end(text, min(LIMIT + 1_000 * n, 100_000))


@dataclass(frozen=True, slots=True)
class Batch:
    """What was asked: the claims 1 to `n`, with their labels. See `parse_batch`."""

    finder: Finder
    n: int
    cut: bool = False
    given: Sequence[str] = ()
    claims: Sequence[str] = ()

    def labels_in(self, text: str) -> list[str | None]:
        """Returns the label of each claim in a plain reply; None where it gives none."""
        if self.n <= 0:
            return []
        text = ends_for_claims(text, self.n)
        values = json_values(text, self.given)
        lines = lines_of(text, self.finder, self._read_label, self.given)
        corrections: list[Vote] = []
        if self.n > 1:
            pairs = pairwise([ReplyLine("", False), *lines])
            lines = [self._without_corrections(line, last, corrections) for last, line in pairs]
        votes: list[tuple[int, str | None]] = []
        for value, repeats in values:
            if not repeats:
                votes.extend(self._votes_of_json(value))
        votes = votes or self._votes_of_lines(lines)
        votes = votes or [
            v for value, repeats in values if repeats for v in self._votes_of_json(value)
        ]
        agreed: dict[int, str | None] = {}
        for number, label in votes:
            if agreed.get(number, label) == label:
                agreed[number] = label
            else:
                agreed[number] = None
        agreed.update(corrections)
        texts = (*self.given, *self.claims)
        own = own_labels(agreed.values(), text, lines, self.finder, texts)
        labels = (agreed.get(number) for number in range(1, self.n + 1))
        return [label if label in own else None for label in labels]

    def _without_corrections(
        self, line: ReplyLine, last: ReplyLine, votes: list[Vote]
    ) -> ReplyLine:
        """Returns the line up to where it corrects a claim's label ("Wait, claim 2 should be X").

        Args:
            last: the line before it, which may announce a text that the judge was given.
            votes: grows by those of the corrections.
        """
        text = _ordinals_as_numbers(line.text)
        if line.aside or line.given:
            cue = None
        else:
            cue = _CORRECTS.search(text)
        if cue is None:
            return line
        before = text[: cue.start()]
        text = text[cue.start() :][:2_000].lstrip(" .!?;")
        context = (before if TOKEN.search(before) else last.text)[-200:]
        if cues.INTRODUCED.search(context) or cues.REPORTED.search(before[-200:]):
            return line
        corrected: list[Vote] = []
        _, *pieces = _CORRECTED.split(text)
        for numbers, part in zip(pieces[::2], pieces[1::2], strict=True):
            mentions = self.finder.mentions(part)
            if mentions and not is_in_given(f"{numbers} {part[: mentions[0].end]}", self.given):
                meant = (mention.label for mention in mentions if _gives_new_label(part, mention))
                label = next(meant, None)
                corrected += [(number, label) for number in _numbers(numbers)]
        votes += corrected
        if corrected:
            return replace(line, text=before)
        return line

    def _votes_of_lines(self, lines: Sequence[ReplyLine]) -> list[Vote]:
        """Returns the votes of a reply that is no JSON."""
        if self.n == 1 and (label := self._settle_label(lines)):
            return [(1, label)]
        lines = self._cut_at_marks(lines)
        own = []
        for line in lines:
            if not line.aside:
                own.append(line)
        return (
            self._votes_by_mark(own)
            or (self._votes_by_mark(lines) if len(own) < len(lines) else [])
            or self._votes_by_words(lines)
            or self._votes_by_fields(own)
            or (self._votes_without_marks(lines) if self.n > 1 else [])
        )

    def _read_label(self, text: str) -> str | None:
        """Returns the label that leads a text, or None."""
        return leading_label(text, self.finder)

    def _settle_label(self, lines: Sequence[ReplyLine]) -> str | None:
        """Returns the label that lines about a single claim agree on, or None."""
        return settle_label(lines, self.finder, cut=self.cut)

    def _cut_at_marks(self, lines: Sequence[ReplyLine]) -> list[ReplyLine]:
        """Returns the lines with a break before each number that directly precedes a label."""
        out: list[ReplyLine] = []
        for line in lines:
            if line.verdict is not None:
                out.append(line)
            elif self.finder.labels_everywhere:
                out += [replace(line, text=part) for part in _NEXT.split(line.text)]
            else:
                parts = (part.strip(" ,;") for part in self._split_at_inline_marks(line.text))
                out += [replace(line, text=part) for part in parts if part]
        return out

    def _split_at_inline_marks(self, text: str) -> Iterator[str]:
        """Yields the pieces of a line, cut before each claim's number that stands ahead of a label."""
        text = _ordinals_as_numbers(text)
        cuts = [0]
        done = 0
        named = False
        for mention in self.finder.mentions(text):
            before = text[max(done, mention.start - 40) : mention.start]
            mark = _INLINE.search(before)
            done = mention.end
            if mark and 0 < max(_numbers(mark["numbers"]), default=0) <= self.n:
                cuts.append(mention.start - len(before) + mark.start("mark"))
                named = named or not mark["mark"].lstrip("([#")[:1].isdigit()
        if len(cuts) > 2 or named:
            cuts = cuts
        else:
            cuts = [0]
        return (text[start:end] for start, end in pairwise([*cuts, len(text)]))

    def _votes_by_mark(self, lines: Sequence[ReplyLine]) -> list[Vote]:
        """Returns the label of each part that a mark begins; of two parts of one claim the one that
        starts anew counts.

        None where a label stands before the first mark: labels may then stand above their claims.
        """
        marks = self._marks_by_line(lines)
        if not marks or declarations(lines[: min(marks)], self.finder):
            return []
        anew = self._lines_that_start_anew(lines, marks)
        numbers = {number for mark in marks.values() for number in _numbers(mark["numbers"])}
        is_whole = numbers == set(range(1, self.n + 1))
        rounds: list[list[Vote]] = [[]]
        for at, end in pairwise(sorted({*marks, *anew, len(lines)})):
            if at in anew:
                rounds.append([])
            if at not in marks:
                continue
            head = replace(lines[at], text=lines[at].text[marks[at].end() :])
            for number in _numbers(marks[at]["numbers"]):
                if number > self.n:
                    continue
                part = self._without_claim([head, *lines[at + 1 : end]], number, is_whole)
                label = self._settle_label(part)
                if label or any(line.verdict or self.finder.mentions(line.text) for line in part):
                    rounds[-1].append((number, label))
        votes: list[Vote] = []
        for votes_anew in rounds:
            settled = {number for number, label in votes_anew if label}
            votes_anew = [vote for vote in votes_anew if not settled or vote[0] in settled]
            votes_anew = list(self._counted_from_one(votes_anew))
            numbers = {number for number, _ in votes_anew}
            votes = [vote for vote in votes if vote[0] not in numbers] + votes_anew
        return votes

    def _lines_that_start_anew(
        self, lines: Sequence[ReplyLine], marks: Mapping[int, re.Match[str]]
    ) -> set[int]:
        """Returns the numbers of lines that announce further verdicts and hold none themselves; a
        heading in a part without a label yet belongs to that part.
        """
        out = set[int]()
        is_judged = True
        for at, line in enumerate(lines):
            if at in marks:
                text = line.text[marks[at].end() :]
            else:
                text = line.text
            has_label = bool(line.verdict or self.finder.mentions(text))
            is_judged = (is_judged and at not in marks) or (has_label and not line.given)
            revises = cues.REVISION.match(line.text.lstrip(" #>-")) and not has_label
            if revises or ((is_judged or at + 1 in marks) and _ANEW.search(line.text)):
                out.add(at)
        return out

    def _votes_by_words(self, lines: Sequence[ReplyLine]) -> list[Vote]:
        """Returns the label of each line that repeats the words of exactly one claim."""
        votes: list[Vote] = []
        for line in lines:
            named = self._claims_named_in(line.text)
            if len(named) == 1:
                votes.append((named[0], self._settle_label(self._without_claim([line], named[0]))))
        return votes

    def _votes_by_fields(self, lines: Sequence[ReplyLine]) -> list[Vote]:
        """Returns the label of each line `claim - label - reason`, whose claim may be short for the
        one that was asked about; of lines without one, as many as there are claims, in order.
        """
        votes: list[Vote] = []
        unnamed: list[str] = []
        for line in lines:
            ahead, label = self._fields_of(line.text)
            if line.given or label is None or self._claims_that_hold(line.text):
                continue
            if not ahead:
                unnamed.append(label)
            elif len(named := self._claims_that_hold(ahead)) == 1:
                votes.append((named[0], label))
        if votes or len(unnamed) != len(lines):
            return votes
        if len(unnamed) == self.n:
            return list(enumerate(unnamed, 1))
        return []

    def _fields_of(self, text: str) -> tuple[str, str | None]:
        """Returns what stands ahead of the label in a line of fields with dashes between, and the
        label; None where none of its fields is a label, or several are.
        """
        fields = []
        for field in _DASH.split(text[:4_000]):
            fields.append(field.strip())
        labels = [self.finder.exact(field) for field in fields]
        if len(fields) < 2 or len(labels) - labels.count(None) != 1:
            return "", None
        at = next(at for at, label in enumerate(labels) if label)
        return " - ".join(fields[:at]), labels[at]

    def _claims_that_hold(self, text: str) -> list[int]:
        """Returns the numbers of the claims that have a text's words in a row."""
        claims = enumerate(self.claims, 1)
        return [n for n, claim in claims if is_in_given(text, [plain_spelling(claim)])]

    def _claims_named_in(self, *texts: str) -> list[int]:
        """Returns the numbers of the claims whose words stand in one of the texts."""
        return [
            number
            for number, claim in enumerate(self.claims, 1)
            if any(is_in_given(claim, [text]) for text in texts)
        ]

    def _is_of_another(self, text: str, number: int) -> bool:
        """Whether a text is about another claim: it has nothing that only this claim has, and all
        that sets another one apart, or words of another claim alone.
        """
        if self.claims:
            words = _long_words(text)
        else:
            words = set()
        if not words or not 0 < number <= len(self.claims):
            return False
        own = _long_words(self.claims[number - 1])
        return any(
            words.isdisjoint(own - other)
            and not words.isdisjoint(other - own)
            and (words >= other - own or words <= other)
            for other in map(_long_words, self.claims)
        )

    def _without_claim(
        self, part: Sequence[ReplyLine], number: int, is_whole: bool = False
    ) -> list[ReplyLine]:
        """The part without its claim's words; nothing where it has another claim's words only.

        Args:
            is_whole: whether each claim has its part: a reason may then repeat another claim.
        """
        text = " ".join(line.text for line in part)
        mentions = self.finder.mentions(text[:2_000])
        ahead = ""
        if mentions:
            ahead = text[: mentions[0].start]
        named = self._claims_named_in(text)
        if is_whole:
            others = self._claims_named_in(ahead)
        else:
            others = named
        if (others and number not in others) or self._is_of_another(ahead, number):
            return []
        if number in named:
            claim = self.claims[number - 1]
            part = [replace(line, text=without_words(line.text, claim, "")) for line in part]
        return [line for line in part if line.verdict or TOKEN.search(line.text)]

    def _marks_by_line(self, lines: Sequence[ReplyLine]) -> dict[int, re.Match[str]]:
        """The marks of claims by line; where labels are numbers, those that count up from 1."""
        marks = {at: mark for at, line in enumerate(lines) if (mark := self._match_mark(line.text))}
        if not self.finder.labels_everywhere:
            return marks
        counted: dict[int, re.Match[str]] = {}
        last = 0
        style = ""
        for at, mark in marks.items():
            number = int(mark["numbers"])
            own = re.sub(r"\d+", "", mark[0].strip())
            has_more = bool(TOKEN.search(mark.string, mark.end()))
            goes_on = last < number <= self.n and own == (style or own) and has_more
            if number == last % self.n + 1 or goes_on:
                counted[at] = mark
                last = number
                style = style or own
        return counted

    def _match_mark(self, text: str) -> re.Match[str] | None:
        """The mark of a claim at the head of a line: a number, then punctuation or its label."""
        mark = (_PLAIN_MARK if self.finder.labels_everywhere else _MARK).match(text)
        if mark is None or mark["end"].strip() or re.match(r"(?i)\W*[a-z]", mark[0]):
            return mark
        rest = text[mark.end() : mark.end() + 60]
        mentions = self.finder.mentions(rest)
        if mentions:
            before = rest[: mentions[0].start]
        else:
            before = rest
        if TOKEN.search(before):
            return None
        return mark

    def _votes_without_marks(self, lines: Sequence[ReplyLine]) -> list[Vote]:
        """Returns the votes of a reply without numbers: one label said of all claims, or as many
        labels as claims.
        """
        if len(lines) == 1 and (every := _ALL.match(lines[0].text)):
            count = (every["count"] or "").casefold()
            label = self.finder.exact(every["rest"]) or self._read_label(every["rest"])
            n = 2
            if not re.match(r"(?i)\W*both", lines[0].text):
                n = self.n
            if label and n == self.n and (not count or _COUNTS.get(count, count) in (n, str(n))):
                return [(number, label) for number in range(1, n + 1)]
        texts = (part for line in lines for part in re.split(r"[,;]", line.text))
        labels = []
        for part in texts:
            if TOKEN.search(part):
                labels.append(self.finder.exact(part) or self.finder.guess(part))
        if len(lines) == 1 and labels == list(self.finder.labels):  # as the prompt lists them
            return []
        if len(labels) == self.n and all(labels):
            return list(enumerate(labels, 1))
        return []

    def _votes_of_json(self, value: object) -> Iterable[Vote]:
        """Returns the votes of a JSON value: by number, or by place in a list as long as there are
        claims.
        """
        return self._counted_from_one(list(self._json_votes(value)))

    def _json_votes(self, value: object) -> Iterator[Vote]:
        """Yields the votes of a JSON value, with the claims numbered as the value numbers them."""
        if isinstance(value, Pairs):
            yield from self._votes_of_object(value)
        elif isinstance(value, list):
            placed: list[tuple[int, str | None]] = []
            for item in value:
                placed.extend(self._votes_of_item(item))
            if not placed and len(value) == self.n:
                labels = [self._label_of_value(item) for item in value]
                placed = []
                for n, (gives, label) in enumerate(labels, 1):
                    if gives or label:
                        placed.append((n, label))
            yield from placed

    def _votes_of_item(self, item: object) -> Iterator[Vote]:
        """Yields the votes of a list's item that names its claims; none where its place decides."""
        if isinstance(item, Pairs):
            number = self._claim_number(item)
            if number is not None:
                yield number, self._label_of_value(item)[1]
            elif any(_NUMBERED_KEY.match(key) for key, _ in item.items):
                yield from self._votes_of_object(item)
        elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], float):
            yield int(item[0]), self._label_of_value(item[1])[1]
        elif isinstance(item, str) and (numbered := _NUMBERED_TEXT.match(item[:4000])):
            yield int(numbered[1]), self._read_label(numbered[2])

    def _votes_of_object(self, pairs: Pairs) -> Iterator[Vote]:
        """Yields the votes of an object: that of its own claim, or one for each numbered key."""
        own = self._claim_number(pairs)
        if own is not None:
            gives, label = self._label_of_value(pairs)
            if gives:
                yield own, label
                return
        numbered = False
        for name, value in pairs.items:
            key = _NUMBERED_KEY.match(name)
            if key:
                numbered = True
                gives, label = self._label_of_value(value)
                own = None
                if isinstance(value, Pairs):
                    own = self._claim_number(value)
                if gives and own in (None, int(key[1])):
                    yield int(key[1]), label
        if not numbered:
            for name, value in pairs.items:
                label = self.finder.exact(name)
                if label and isinstance(value, list):
                    yield from ((int(item), label) for item in value if isinstance(item, float))
                elif not _ASIDE.search(name):
                    yield from self._json_votes(value)

    def _label_of_value(self, value: object) -> tuple[bool, str | None]:
        """Returns whether a value gives a verdict at all, and its label or None."""
        if value is None or isinstance(value, str):
            return True, None if value is None else self._read_label(value)
        if isinstance(value, float):
            return True, self._read_label(f"{value:g}")
        verdict = json_verdict(value, self.finder, self._read_label)
        if verdict is None:
            return (False, None)
        return (isinstance(value, Pairs), verdict[0])

    def _claim_number(self, pairs: Pairs) -> int | None:
        """Returns the number of the claim that an object is about: by its words, else by its id; -1
        where the two differ.
        """
        texts = []
        for key, text in pairs.items:
            if isinstance(text, str) and not _ASIDE.search(key):
                texts.append(text)
        number = self._claim_id(pairs)
        named = self._claims_named_in(*texts)
        if number is None:
            return max(named, key=lambda n: len(self.claims[n - 1]), default=None)
        is_of_another = any(self._is_of_another(text, number) for text in texts)
        if is_of_another or (named and number not in named):
            return -1
        return number

    def _claim_id(self, pairs: Pairs) -> int | None:
        """Returns the number in an object's id field, or None."""
        for key, value in pairs.items:
            words = words_of(key)
            if key != "#" and not (words and _ID_NAMES.issuperset(words)):
                continue
            if isinstance(value, float) and value == int(value):
                return int(value)
            if isinstance(value, str) and (spelled := _ID_VALUE.match(value[:60])):
                return int(spelled[1])
        return None

    def _counted_from_one(self, votes: list[Vote]) -> list[Vote]:
        """The votes counted from 1: if they count from 0 and are all there, each is moved up."""
        numbers = {number for number, _ in votes}
        if 0 not in numbers:
            return votes
        if numbers == set(range(self.n)):
            return [(number + 1, label) for number, label in votes]
        return []


def _ordinals_as_numbers(text: str) -> str:
    """Returns the text with "claim 2" for "the second claim"."""
    return _ORDINAL.sub(lambda m: f"claim {_ORDINALS.index(m['ordinal'].casefold()) + 1}", text)


def _gives_new_label(text: str, mention: Mention) -> bool:
    """Whether a correction gives the claim this label, rather than names its old or a conditional
    one.
    """
    before = text[: mention.start]
    after = text[mention.end :][:100]
    return not (
        re.search(r"(?i)\b(?:from|was)\W*$", before)
        or cues.UNMEANT.search(cues.CLAUSE.split(before)[-1])
        or cues.CONDITION.search(before[-200:])
        or re.match(r"(?i)[^.;]*\b(?:if|unless)\b", after)
    )


def _long_words(text: str) -> set[str]:
    """Returns the words of a text, without short ones such as articles; figures stay."""
    words = set()
    for word in words_of(text):
        if len(word) > 3 or word.isdigit():
            words.add(word)
    return words


def _numbers(text: str) -> list[int]:
    """Returns the numbers in "2", "1-3" or "1, 2 and 4"; none of a range too long to be meant."""
    out: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*(?:-|to|through|\.\.)\s*#?(\d+))?", text):
        low = int(first)
        high = int(last or first)
        if high - low > _MOST:
            return []
        out.extend(range(low, high + 1))
    return out
