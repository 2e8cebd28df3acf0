"""Facts of an answer by a model, by the rubric that rules follow: quotes of the answer, found in it
whatever their typography."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from factmark.answers.core.records import Fact
from factmark.model import content_hash
from factmark.replies.loose_json import Pairs, each_json, only_list
from factmark.replies.plain import without_thought
from factmark.replies.rubric import RULE, fence
from factmark.text.words import normalise

NAME = "answer-facts"
VERSION = 3
_TASK = (
    "List the facts that the answer states about what was asked. A fact is a piece that could be "
    "checked by itself: a name, a count or another number with the unit that it needs, a date, a "
    "code, an identifier, a drug, a disease, a place, a standard, an asserted property; where the "
    "question asks what may be done, also each action, purpose and duty. A thing that the answer "
    "says is not so is a fact all the same.\n\n"
    "Copy each piece from the answer, character by character, as short as it can be: without "
    "articles, verbs and hedges around it, and a number without the noun that the question asks to "
    "count. A range, an alternative and a full name are one piece each. List a thing once, however "
    "often it is named. Read headings, lists, tables and data, too.\n\n"
    "Leave out: pieces that only repeat the question, unless naming them is the answer; yes, no "
    "and not; general nouns by themselves; marks of sources; queries and code; and what the "
    "answer says of itself, of how it was found, of its sources or its limits, or as advice or "
    "an offer.\n\n"
    'Reply with JSON only: an object with the one key "facts", whose value is the list of the '
    "copied pieces, each a string. Where the answer states no fact the list is empty."
)  # E1 to E10; no example: a small model would give it back
_START = re.compile(r"""\[|\{(?=\s*["'}\w/-])""")  # a list, or an object with a key
_WORD = re.compile(  # 12.5 and E11.9 are one; scripts from Thai on put no space between words
    r"(?![\W_])[\u0e00-\U0010ffff]"
    r"|[^\W_\u0e00-\U0010ffff]+(?:[.,](?=\d)[^\W_\u0e00-\U0010ffff]+)*"
)
_SIGNS = tuple("%‰°$€£¥<>≤≥±+-−")
_QUOTE_KEYS = ("quote", "text", "fact", "span", "exact", "value")
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
"""The JSON schema of a structured reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedFacts:
    """The facts of one answer, as a model quotes them.

    Attributes:
        facts: no two of the same words (E6), in the order of the text.
        quotes: how many the model gave.
        dropped: those of them that the answer does not hold, or that hold no word.
    """

    facts: tuple[Fact, ...] = ()
    quotes: int = 0
    dropped: int = 0

    @property
    def usable(self) -> bool:
        """Whether at least half of the quotes are the answer's: else they tell of another text."""
        return 2 * self.dropped <= self.quotes


def facts_id() -> str:
    """The hash of all that the model is told; it changes with the wording."""
    return content_hash(NAME, VERSION, _TASK, RULE)


def facts_prompt(question: str, answer: str) -> tuple[str, str]:
    """The system prompt and the question that ask for the facts of an answer."""
    data = []
    if question:
        data = [fence("QUESTION", question, answer)]
    data.append(fence("ANSWER", answer, question))
    return f"You find the facts that a text states. {RULE}", "\n\n".join([*data, _TASK])


def parse_quotes(reply: str, answer: str) -> QuotedFacts | None:
    """The facts that a reply quotes from an answer; None for a reply without a list of texts.

    A quote stands where its words do, whole and in order: case, white space, typographic quotes and
    Markdown make no difference. One that is given again stands where the answer says it again, if
    it does.
    """
    value = _last_list(without_thought(reply))
    strings = None
    if value is not None:
        strings = list(_quote_texts(value))
    if strings is None or (value and not strings):
        return None
    places = _Places.of(answer)
    facts: list[Fact] = []
    quotes = dropped = 0
    ends: dict[tuple[str, ...], int] = {}
    for quote in strings:
        if not quote.strip():
            continue
        quotes += 1
        words = tuple(match[0] for match in _WORD.finditer(quote))
        place = places.find(words, ends.get(words, 0))
        if place is not None:
            ends[words] = place + len(words)
            facts.append(places.fact(place, quote, len(words)))
        dropped += place is None and words not in ends
    facts.sort(key=lambda fact: (fact.start, fact.end))
    once = {normalise(fact.text): fact for fact in reversed(facts)}
    dropped += sum(not normalise(fact.text) for fact in facts)
    kept = tuple(fact for fact in facts if (w := normalise(fact.text)) and once[w] is fact)
    return QuotedFacts(facts=kept, quotes=quotes, dropped=dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where the words of an answer stand.

    Attributes:
        words: all of them between spaces, as they are and without case.
        offsets: where each begins in either.
    """

    answer: str
    words: tuple[str, str]
    offsets: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, answer: str) -> _Places:
        """Returns the words of an answer, ready to be searched for quotes."""
        matches = list(_WORD.finditer(answer))
        words = [match[0] for match in matches]
        offsets = tuple(accumulate((len(word) + 1 for word in words), initial=1))
        spans = tuple(match.span() for match in matches)
        both = _padded(words), _padded(map(_without_case, words))
        return cls(answer=answer, words=both, offsets=offsets, spans=spans)

    def find(self, words: tuple[str, ...], after: int) -> int | None:
        """The place of the first word of the first such run from a place on; of the same case,
        where there is one."""
        for text, run in zip(self.words, (words, map(_without_case, words)), strict=True):
            offset = -1
            if words:
                offset = text.find(_padded(run), self.offsets[after] - 1)
            if offset >= 0:
                return bisect_left(self.offsets, offset + 1)
        return None

    def fact(self, place: int, quote: str, n_words: int) -> Fact:
        """What stands there, with the signs of a number that the quote has too."""
        start = self.spans[place][0]
        end = self.spans[place + n_words - 1][1]
        first, *_, last = (*_WORD.finditer(quote), *_WORD.finditer(quote))
        if first.start() > 0 and quote[first.start() - 1] in _SIGNS:
            start -= self.answer[start - 1 : start] == quote[first.start() - 1]
        if quote[last.end() : last.end() + 1] in _SIGNS:
            end += self.answer[end : end + 1] == quote[last.end()]
        return Fact(text=self.answer[start:end], start=start, end=end)


def _padded(words: Iterable[str]) -> str:
    """Returns the words with a space between them, before the first and after the last."""
    return f" {' '.join(words)} "


def _without_case(word: str) -> str:
    """The word in lower case, unless that changes its length."""
    folded = word.casefold()
    if len(folded) == len(word):
        return folded
    return word


def _last_list(text: str) -> list[object] | None:
    """The last list in a reply, in strict JSON or as models write it; None where there is none."""
    try:
        return only_list(json.loads(text, object_pairs_hook=lambda items: Pairs(items=items)))
    except (ValueError, RecursionError):
        lists = []
        for _, _, value, _ in each_json(text, _START):
            lists.append(only_list(value))
        return next((held for held in reversed(lists) if held is not None), None)


def _quote_texts(values: list[object]) -> Iterator[str]:
    """The quotes in a list: its texts, and of an object the first field that may hold one."""
    for value in values:
        quote = value
        if isinstance(value, Pairs):
            given = {key.casefold(): inner for key, inner in value.items}
            quote = next((given[key] for key in _QUOTE_KEYS if key in given), None)
        if isinstance(quote, str):
            yield quote
