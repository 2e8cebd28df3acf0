"""How the agent decides which tools to call and what to answer: pure, and the same each time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

_STOP = frozenset(
    "a all an and any are as at be before best by can do does each for from get given has have "
    "how i in into is it its many may me most much of on or should some that the their them there "
    "these they this to together total under used was what when which who will with you".split()
)
_GUESSES = (
    "I don't know.",
    "There are 42 of them.",
    "About 300 to 500 patients over 65.",
    "The heart failure and oncology datasets.",
    "Yes, with IRB approval and within two years.",
)
_SEARCHED = ("query", "question", "text", "search", "keywords", "keyword", "term", "terms", "q")
_ROUNDS = 3
_SPARQL = "SELECT ?s ?p ?o WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 20"
_USES = ("may i", "permit", "allow", "approval", "oblig", "prohib", "insurance", "commercial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as the request offers it."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @property
    def words(self) -> Counter[str]:
        """Its words; those of its name count twice."""
        return stems(f"{self.name} {self.name} {self.description}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A call that the agent wants, or made."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result in the conversation, with the call that it answers."""

    call: Wish
    text: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation, whatever the protocol.

    Attributes:
        rounds: assistant turns with tool calls so far.
        free: whether it may call tools; else it must answer.
        seed: all that its decisions depend on.
    """

    question: str
    passages: tuple[str, ...]
    tools: tuple[Tool, ...]
    results: tuple[Result, ...]
    rounds: int
    free: bool
    seed: str


def stems(text: str) -> Counter[str]:
    """The content words of a text, cut to their beginnings."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    words = re.findall(r"[^\W_]+", parted.casefold())
    return Counter(word.rstrip("s")[:6] or word for word in words if word not in _STOP)


def next_call(talk: Talk) -> Wish | None:
    """The call that fits best and was not made yet; None when it is time to answer."""
    failed = any(result.failed for result in talk.results)
    if talk.rounds >= _ROUNDS + failed:
        return None
    made = [result.call for result in talk.results]
    return next((wish for wish in ranked(talk) if wish not in made), None)


def ranked(talk: Talk) -> list[Wish]:
    """What can be called, best first: tools whose words, rare ones above all, the question has."""
    plain = talk.question.casefold()
    asked = stems(talk.question + " policy" * any(sign in plain for sign in _USES))
    spread = Counter(word for tool in talk.tools for word in tool.words)
    fits = []
    for tool in talk.tools if talk.free else ():
        arguments = fill(tool, talk)
        if arguments is not None:
            fit = sum(min(tool.words[word], 3) / spread[word] for word in asked & tool.words)
            fit += any(name not in _SEARCHED for name in arguments)
            fits.append((-fit, tool.name, Wish(name=tool.name, arguments=arguments)))
    return [wish for _, _, wish in sorted(fits, key=lambda row: row[:2])]


def fill(tool: Tool, talk: Talk) -> dict[str, Any] | None:
    """Arguments for a tool, or None where a required one cannot be known."""
    arguments = {}
    for name in tool.schema.get("required") or ():
        schema = (tool.schema.get("properties") or {}).get(name) or {}
        value = _value(name, schema, tool, talk)
        if value is None:
            return None
        arguments[name] = value
    return arguments


def _value(name: str, schema: Mapping[str, Any], tool: Tool, talk: Talk) -> Any:
    number = re.search(r"\d+", talk.question)
    if "default" in schema or schema.get("enum"):
        return schema.get("default") or schema["enum"][0]
    if schema.get("type") in ("integer", "number"):
        return int(number[0]) if number else 10
    if "sparql" in f"{name} {schema} {tool.description if name in _SEARCHED else ''}".casefold():
        return _SPARQL
    if name in _SEARCHED:
        return talk.question
    return _thing(name, talk)


def _thing(name: str, talk: Talk) -> str | None:
    """What the question speaks of: the id that a result gives it, else its name there."""
    asked = stems(talk.question) - stems(f"{name} patients cohort")
    keys = (name, f"{name}_id", "id", "name", "title", "label")
    known = [
        (len(asked & stems(json.dumps(record))), record)
        for result in talk.results
        if not result.failed
        for record in records(parsed(result.text))
        if isinstance(record.get("id"), str)
    ]
    shared, best = max(known, key=lambda row: row[0], default=(0, {}))
    if shared:
        return next(str(best[key]) for key in keys if key in best)
    phrase = rf"\bthe ((?:[\w-]+ ){{1,3}}?)(?:{re.escape(name)}|cohort|dataset)\b"
    named = re.search(phrase, talk.question, re.IGNORECASE)
    return named[1].strip() if named else None


def parsed(text: str) -> Any:
    """The value of a JSON text; else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def records(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a JSON value, those within others too."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from records(part)


def answer(talk: Talk) -> str:
    """The answer: quoted from the results, else from the passages, else guessed."""
    given = [result.text for result in talk.results if not result.failed] or talk.passages
    quotes = _fitting(talk.question, [line for text in given for line in statements(text)])
    if quotes:
        return "\n".join(f"- {line}" for line in quotes)
    if talk.results or talk.passages:
        return "I could not find this in what I was given."
    return Random(f"answer:{talk.seed}").choice(_GUESSES)


def statements(text: str) -> list[str]:
    """The statements of a text: each object of a JSON value, or each sentence or line."""
    value = parsed(text)
    if isinstance(value, dict | list):
        return [_shown(record) for record in records(value)]
    lines = re.split(r"\n+|(?<=[.!?])\s+(?=[A-Z])", str(value))
    return [line.strip(" -*\t") for line in lines if line.strip(" -*\t")]


def _shown(record: Mapping[str, Any]) -> str:
    """The fields of an object that are no objects themselves."""
    fields = []
    for key, value in record.items():
        parts = value if isinstance(value, list) else [value]
        plain = [str(part) for part in parts if part and not isinstance(part, dict | list)]
        fields += [f"{key}: {', '.join(plain)}"] * bool(plain)
    return "; ".join(fields)


def _fitting(question: str, lines: Sequence[str]) -> list[str]:
    """The lines that share most with the question, in their order."""
    asked = stems(question)
    words = [stems(line[:2_000]) for line in lines]
    spread = Counter(word for line in words for word in line)
    fits = [sum(1 / spread[word] ** 0.5 for word in asked & line) for line in words]
    limit = 8 if question.casefold().startswith(("which", "do ")) else 2
    best = sorted(range(len(lines)), key=lambda at: (-fits[at], at))[:limit]
    floor = max(fits, default=0) / 3
    return list(dict.fromkeys(lines[at][:300] for at in sorted(best) if fits[at] >= floor))
