"""Facts of an answer by a model: exact quotes; what the answer does not hold is dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from factmark.model import content_hash
from factmark.replies.loose_json import Pairs, read
from factmark.replies.plain import without_thought
from factmark.replies.rubric import RULE, PromptMessage, fenced

NAME = "answer-facts"
VERSION = 1
_TASK = (
    "List the facts that the answer states about what was asked: each name, code, identifier, "
    "number, date and yes or no that could be checked by itself. For each fact copy the shortest "
    "exact piece of the answer that states it, character by character. Leave out greetings, "
    "advice, repetitions of the question and whatever the answer itself says it does not know.\n\n"
    'Reply with JSON only: {"facts": ["first quote", "second quote"]}. With no fact, {"facts": []}.'
)
_START = re.compile(r"[\[{]")
_QUOTE_KEYS = ("quote", "text", "fact", "span", "exact", "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A piece of an answer; `answer[start:end]` is its text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    """What a reply quotes.

    Attributes:
        found: the quotes that the answer holds, by where they stand.
        dropped: quotes that the answer does not hold, as given.
        repeated: quotes given more often than the answer holds them.
    """

    found: tuple[Quote, ...]
    dropped: tuple[str, ...]
    repeated: int = 0


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


def facts_schema() -> dict[str, object]:
    """The JSON schema of a structured reply."""
    quotes = {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": {"facts": quotes},
        "required": ["facts"],
        "additionalProperties": False,
    }


def parse_quotes(reply: str, answer: str) -> Quotes | None:
    """The quotes of a reply with their places in the answer; None for a reply without a list.

    A quote matches character by character, except that a run of white space matches any other.
    """
    value = _value(without_thought(reply))
    if value is None:
        return None
    found: list[Quote] = []
    dropped: list[str] = []
    repeated = 0
    last: dict[str, int] = {}
    for quote in _strings(value):
        words = quote.split()
        if not words:
            continue
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        key = " ".join(words)
        hit = pattern.search(answer, last.get(key, 0))
        if hit is not None:
            last[key] = hit.end()
            found.append(Quote(start=hit.start(), end=hit.end(), text=hit[0]))
        elif key in last:
            repeated += 1
        else:
            dropped.append(quote)
    found.sort(key=lambda quote: (quote.start, quote.end))
    return Quotes(found=tuple(found), dropped=tuple(dropped), repeated=repeated)


def _value(text: str) -> object:
    """The last JSON value of a reply that holds a list, as strict JSON or as models write it."""
    try:
        return _listed(json.loads(text, object_pairs_hook=lambda items: Pairs(items=items)))
    except (ValueError, RecursionError):
        pass
    best: object = None
    done = 0
    for found in _START.finditer(text):
        if found.start() < done:
            continue
        value, done, _ = read(text, found.start())
        best = _listed(value) if _listed(value) is not None else best
    return best


def _listed(value: object) -> list[object] | None:
    """The list of quotes in a value."""
    if isinstance(value, list):
        return value
    if isinstance(value, Pairs):
        lists = [inner for _, inner in value.items if isinstance(inner, list)]
        return lists[0] if len(lists) == 1 else None
    return None


def _strings(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else []:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Pairs):
            given = {key.casefold(): inner for key, inner in item.items}
            quote = next((given[key] for key in _QUOTE_KEYS if key in given), None)
            if isinstance(quote, str):
                yield quote
