"""How the agent decides which tools to call and what to answer: pure, and the same each time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    "Metformin is the most frequent one.",
)
_SEARCHED = ("query", "question", "text", "search", "keywords", "keyword", "term", "terms", "q")
_TITLES = ("title", "name", "display", "label")
_NAMING = ("id", "identifier", "key", "name", "title", "label")
_MOST_ROUNDS = 3
_SPARQL = "SELECT ?s ?p ?o WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 20"
_POLICY = ("may i", "permit", "allow", "approval", "oblig", "prohib", "insurance", "commercial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as the request offers it."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result in the conversation, with the call that it answers."""

    name: str
    arguments: Mapping[str, Any]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A call that the agent wants."""

    name: str
    arguments: Mapping[str, Any]


def stems(text: str) -> Counter[str]:
    """The content words of a text, cut to their beginnings."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    found = re.findall(r"[^\W_]+", parted.casefold())
    return Counter(word.rstrip("s")[:6] or word for word in found if word not in _STOP)


def wishes(talk: Talk) -> tuple[Wish, ...]:
    """The calls to make next; none when it is time to answer."""
    if not talk.free or not talk.tools or talk.rounds >= _MOST_ROUNDS + _stuck(talk):
        return ()
    random = Random(f"call:{talk.seed}")
    ranked = [wish for _, wish in _ranked(talk) if not _done(talk, wish)]
    if talk.rounds and not _stuck(talk):
        ranked = ranked[:1] if random.random() < 0.6 or talk.rounds == 1 else []
    both = len(ranked) > 1 and random.random() < 0.4
    return tuple(ranked[: 2 if both else 1])


def any_call(talk: Talk) -> Wish:
    """A call, needed or not, and whether it was made before or not."""
    ranked = _ranked(talk)
    return ranked[0][1] if ranked else Wish(name=talk.tools[0].name, arguments={})


def _stuck(talk: Talk) -> bool:
    """Whether a tool failed: then it tries once more."""
    return any(result.failed for result in talk.results)


def _done(talk: Talk, wish: Wish) -> bool:
    return any(
        one.name == wish.name and dict(one.arguments) == dict(wish.arguments)
        for one in talk.results
    )


def _ranked(talk: Talk) -> list[tuple[float, Wish]]:
    """What could be called, best first, with how well it fits the question."""
    plain = talk.question.casefold()
    asked = stems(talk.question + " policy" * any(sign in plain for sign in _POLICY))
    texts = [_about(tool) for tool in talk.tools]
    spread = Counter(word for text in texts for word in text)
    ranked = []
    for tool, about in zip(talk.tools, texts, strict=True):
        filled = fill(tool, talk)
        if filled is None:
            continue
        fit = sum(min(about[word], 3) / spread[word] for word in asked if word in about)
        named = [name for name in filled if not _searching(name)]
        bonus = 1.0 * bool(named) - 0.8 * (len(named) < len(filled))
        ranked.append((fit + bonus, Wish(name=tool.name, arguments=filled)))
    return sorted(ranked, key=lambda one: (-one[0], one[1].name))


def _about(tool: Tool) -> Counter[str]:
    """The words of a tool; those of its name count twice."""
    return stems(f"{tool.name} {tool.name} {tool.description}")


def fill(tool: Tool, talk: Talk) -> dict[str, Any] | None:
    """Arguments for a tool, or None where a required one cannot be known."""
    properties = tool.schema.get("properties") or {}
    required = tool.schema.get("required") or []
    filled = {}
    for name in required:
        told = properties.get(name) or {}
        free = _searching(name) and "sparql" in f"{told} {tool.description}".casefold()
        value = _SPARQL if free else _value(name, told, talk)
        if value is None:
            return None
        filled[name] = value
    for name in _entities(talk) & properties.keys() - set(required):
        value = _text(name, talk)
        if value is not None:
            filled[name] = value
    return filled


def _entities(talk: Talk) -> set[str]:
    """Parameters that name a thing: some tool cannot do without them."""
    needed = {name for tool in talk.tools for name in tool.schema.get("required") or ()}
    return {name for name in needed if not _searching(name)}


def _value(name: str, schema: Mapping[str, Any], talk: Talk) -> Any:
    kind = _kind(schema)
    if schema.get("enum"):
        asked = stems(talk.question)
        return max(schema["enum"], key=lambda one: len(asked.keys() & stems(str(one)).keys()))
    if "default" in schema:
        return schema["default"]
    if kind in ("integer", "number"):
        found = re.search(r"\d+", talk.question)
        return int(found[0]) if found else schema.get("minimum", 10)
    if kind == "boolean":
        return True
    if kind == "object":
        return {}
    text = _text(name, talk)
    return [text] if kind == "array" and text is not None else text


def _kind(schema: Mapping[str, Any]) -> str:
    options = [schema, *(schema.get("anyOf") or ())]
    kinds = [kind for one in options for kind in _listed(one.get("type"))]
    return next((kind for kind in kinds if kind != "null"), "string")


def _listed(kind: Any) -> list[str]:
    return kind if isinstance(kind, list) else [kind] if kind else []


def _text(name: str, talk: Talk) -> str | None:
    """A text for a parameter: words to search, a query, or the name of something known."""
    if "sparql" in name.casefold():
        return _SPARQL
    if _searching(name):
        return " ".join(w for w in re.findall(r"\w+", talk.question) if w.casefold() not in _STOP)
    return _known(name, talk) or (None if _stuck(talk) else _named(name, talk.question))


def _searching(name: str) -> bool:
    return "sparql" in name.casefold() or name.casefold() in _SEARCHED


def _known(name: str, talk: Talk) -> str | None:
    """The thing in earlier results that the question speaks of."""
    asked = stems(talk.question).keys() - stems(f"{name} patients cohort").keys()
    best, found = 0.0, None
    for result in talk.results:
        for record in records(parsed(result.text)):
            keys = [key for key in (name, f"{name}_id", *_NAMING) if _worded(record.get(key))]
            if not keys or result.failed:
                continue
            words = stems(" ".join(record[key] for key in keys)).keys()
            fit = len(asked & words) - len(words) / 100
            if fit > best:
                best, found = fit, record[keys[0]]
    return found


def _worded(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _named(name: str, question: str) -> str | None:
    """The thing that the question names, such as `breast cancer` in "the breast cancer dataset"."""
    quoted = re.search(r"[\"'`]([^\"'`]+)[\"'`]", question)
    if quoted:
        return quoted[1]
    nouns = f"{re.escape(name)}|cohort|dataset"
    before = re.search(rf"\bthe ((?:[\w-]+ ){{1,3}}?)(?:{nouns})\b", question, re.IGNORECASE)
    if before:
        return before[1].strip()
    capital = re.findall(r"(?<=[a-z] )[A-Z][\w-]+(?: [A-Z][\w-]+)*", question)
    capital = [name for name in capital if not name.isupper()]
    return capital[-1] if capital else None


def parsed(text: str) -> Any:
    """The value of a JSON text; else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def records(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The objects in a JSON value, those within others too."""
    if depth > 8:
        return
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from records(one, depth + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a result or passage states.

    Attributes:
        whole: all of it, by which it is chosen.
        short: what of it is quoted.
        bonus: for where it stands.
    """

    whole: str
    short: str
    bonus: float = 0.0


def answer(talk: Talk) -> str:
    """The answer: quoted from the results, else from the passages, else guessed."""
    random = Random(f"answer:{talk.seed}")
    about = {tool.name: _about(tool) for tool in talk.tools}
    asked = stems(talk.question)
    told = [
        replace(one, bonus=sum(0.3 for word in asked if word in about.get(result.name, ())))
        for result in talk.results
        if not result.failed
        for one in statements(result.text, talk.question)
    ]
    if not told:
        told = [one for text in talk.passages for one in statements(text, talk.question)]
    chosen = _fitting(talk.question, told)
    if len(chosen) > 2 and random.random() < 0.3:
        chosen.pop(random.randrange(len(chosen)))
    if chosen:
        return "\n".join(f"- {line}" for line in chosen)
    if talk.results or talk.passages:
        return "I could not find this in what I was given."
    return random.choice(_GUESSES)


def statements(text: str, question: str) -> list[Statement]:
    """The statements of a text: each object of a JSON value, or each sentence or line."""
    value = parsed(text)
    if isinstance(value, dict | list):
        said = [_record(record, question) for record in records(value)]
        listed = value if isinstance(value, list) else []
        plain = [str(one) for one in listed if not isinstance(one, dict)]
        return [one for one in said if one.whole] + [Statement(whole=x, short=x) for x in plain]
    lines = re.split(r"\n+|(?<=[.!?])\s+(?=[A-Z])", str(value))
    bare = [line.strip(" -*\t") for line in lines if line.strip(" -*\t")]
    return [Statement(whole=line, short=line) for line in bare]


def _record(record: Mapping[str, Any], question: str) -> Statement:
    """What an object says of itself; quoted are its name and the fields that the question is on."""
    asked = stems(question).keys()
    counted = question.casefold().startswith(("how many", "what is the number"))
    fields, short = [], []
    for key, value in record.items():
        if isinstance(value, list):
            value = ", ".join(str(one) for one in value if not isinstance(one, dict | list))
        if value in ("", None) or isinstance(value, dict):
            continue
        fields.append(f"{key}: {value}")
        sought = asked & (stems(key) + stems(str(value))).keys()
        number = counted and isinstance(value, int) and key.casefold() in ("total", "count")
        if key in _TITLES:
            short.insert(0, str(value))
        elif (sought or number) and "://" not in str(value):
            short.append(f"{key}: {value}")
    return Statement(whole=", ".join(fields), short=", ".join(short or fields))


def _fitting(question: str, told: Sequence[Statement]) -> list[str]:
    """The statements that share most with the question, in their order."""
    asked = stems(question)
    words = [stems(one.whole[:2_000]) for one in told]
    spread = Counter(word for one in words for word in one)
    fits = [
        one.bonus + sum(1 / spread[word] ** 0.5 for word in asked if word in held)
        for held, one in zip(words, told, strict=True)
    ]
    limit = 8 if question.casefold().startswith(("which", "do ")) else 2
    best = sorted(range(len(told)), key=lambda at: (-fits[at], at))[:limit]
    floor = max(fits, default=0) / 3
    return list(dict.fromkeys(told[at].short[:300] for at in sorted(best) if fits[at] > floor))
