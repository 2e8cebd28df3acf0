"""Facts of an answer by a model: exact quotes; what the answer does not hold is dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from factmark.answers.core.records import Fact
from factmark.model import content_hash
from factmark.replies.loose_json import Pairs, read
from factmark.replies.plain import without_thought
from factmark.replies.rubric import RULE, PromptMessage, fenced
from factmark.text.words import normalise

NAME = "answer-facts"
VERSION = 1
_TASK = (
    "List the facts that the answer states about what was asked: each name, code, identifier, "
    "number, date and yes or no that could be checked by itself. For each fact copy the shortest "
    "exact piece of the answer that states it, character by character. Leave out greetings, "
    "advice, repetitions of the question and whatever the answer itself says it does not know.\n\n"
    'Reply with JSON only: {"facts": ["first quote", "second quote"]}. With no fact, {"facts": []}.'
)
_START = re.compile(r"""\[|\{(?=\s*["'}\w/-])""")  # a list, or an object with a key
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


def facts_id() -> str:
    """The hash of all that the model is told; it changes with the wording."""
    return content_hash(NAME, VERSION, _TASK, RULE)


def facts_messages(question: str, answer: str) -> list[PromptMessage]:
    """The prompt that asks for the facts of an answer."""
    data = [fenced("QUESTION", question, answer)] if question else []
    data.append(fenced("ANSWER", answer, question))
    return [
        PromptMessage(role="system", content=f"You find the facts that a text states. {RULE}"),
        PromptMessage(role="user", content="\n\n".join([*data, _TASK])),
    ]


def parse_quotes(reply: str, answer: str) -> QuotedFacts | None:
    """The facts that a reply quotes from an answer; None for a reply without a list.

    A quote matches character by character, except that a run of white space matches any other. One
    that is given again stands where the answer says it again, if it does.
    """
    value = _value(without_thought(reply))
    if value is None:
        return None
    facts: list[Fact] = []
    quotes = dropped = 0
    last: dict[tuple[str, ...], int] = {}
    for quote in _strings(value):
        words = tuple(quote.split())
        if not words:
            continue
        quotes += 1
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        match = pattern.search(answer, last.get(words, 0))
        if match is not None:
            last[words] = match.end()
            facts.append(Fact(text=match[0], start=match.start(), end=match.end()))
        dropped += match is None and words not in last
    facts.sort(key=lambda fact: (fact.start, fact.end))
    once = {normalise(fact.text): fact for fact in reversed(facts)}
    dropped += sum(not normalise(fact.text) for fact in facts)
    kept = tuple(fact for fact in facts if (w := normalise(fact.text)) and once[w] is fact)
    return QuotedFacts(facts=kept, quotes=quotes, dropped=dropped)


def _value(text: str) -> list[object] | None:
    """The last list of a reply, in strict JSON or as models write it."""
    try:
        return _listed(json.loads(text, object_pairs_hook=lambda items: Pairs(items=items)))
    except (ValueError, RecursionError):
        pass
    best: list[object] | None = None
    done = 0
    for found in _START.finditer(text):
        if found.start() >= done:
            value, done, _ = read(text, found.start())
            quotes = _listed(value)
            best = best if quotes is None else quotes
    return best


def _listed(value: object) -> list[object] | None:
    """The list of quotes in a value."""
    if isinstance(value, list):
        return value
    if isinstance(value, Pairs):
        lists = [inner for _, inner in value.items if isinstance(inner, list)]
        return lists[0] if len(lists) == 1 else None
    return None


def _strings(values: list[object]) -> Iterator[str]:
    for value in values:
        quote = value
        if isinstance(value, Pairs):
            given = {key.casefold(): inner for key, inner in value.items}
            quote = next((given[key] for key in _QUOTE_KEYS if key in given), None)
        if isinstance(quote, str):
            yield quote
