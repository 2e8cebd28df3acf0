"""A model that answers questions from what it is given, and judges answers by their reference.

    python tests/servers/graph_agent.py '{"latency": 0.01}'

It knows by itself only that insulin is a hormone. Given triples or passages, it answers a question
with the first line that shares its last word, and a choice with the first option that stands in
them. As a judge it looks for a reference in the answer, letter by letter. Faults, keys and counts
are those of `model_server`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from servers.model_server import ModelServer, Running, Settings, in_process, serve

_FENCE = re.compile(
    r"<<<(?P<name>[A-Z]+)(?: (?P<number>\d+))? (?P<mark>[0-9a-f]{16})\n(?P<text>.*?)\n"
    r"(?P=name)(?: \d+)? (?P=mark)>>>",
    re.DOTALL,
)
_OFFERED = re.compile(r"only one label (?:and nothing else|out of): ([A-Z_, ]+)\.")
_REFERENCE = re.compile(r"^(?:Reference answer: |- )(.+)$", re.MULTILINE)
_ASKED = re.compile(r"^Question: (.+)$", re.MULTILINE)
_OPTION = re.compile(r"^([A-J])\. (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings(Settings):
    """How the agent behaves.

    Attributes:
        says: question -> the answer, whatever is given.
        again: question -> the answer when it is asked again.
        quotes: whether the judge quotes the answer before its verdict.
    """

    says: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, str] = field(default_factory=dict)
    quotes: bool = False


class GraphAgent(ModelServer):
    """The server's state and handlers."""

    def _text(self, asked: Mapping[str, Any]) -> tuple[str, bool]:
        settings = self.settings
        assert isinstance(settings, AgentSettings)
        prompt = asked["messages"][-1]["content"]
        offered = _OFFERED.search(prompt)
        text = judged(prompt, offered[1], settings) if offered else answered(prompt, settings)
        return text, text == "(refused)"


def judged(prompt: str, labels: str, settings: AgentSettings) -> str:
    """A label for each answer or context: the first where a reference stands in it."""
    good, bad = labels.split(", ")
    fences = list(_FENCE.finditer(prompt))
    (reference,) = (one["text"] for one in fences if one["name"] == "REFERENCE")
    wanted = [text.casefold() for text in _REFERENCE.findall(reference)]
    lines = []
    for one in fences:
        if one["name"] == "REFERENCE":
            continue
        found = any(text in one["text"].casefold() for text in wanted)
        label = good if found else bad
        if settings.quotes:
            label = f'The answer reads "{one["text"]}".\nVerdict: {label}'
        lines.append(f"{one['number']}. {label}" if one["number"] else label)
    return "\n".join(lines)


def answered(prompt: str, settings: AgentSettings) -> str:
    """The answer to a question."""
    outside = _FENCE.sub("", prompt)
    found = _ASKED.search(outside)
    assert found, prompt
    question = found[1]
    if "Your last reply" in prompt and question in settings.again:
        return settings.again[question]
    if question in settings.says:
        return settings.says[question]
    given = "\n".join(one["text"] for one in _FENCE.finditer(prompt))
    if options := _OPTION.findall(outside):
        inside = [letter for letter, text in options if text in given.casefold()]
        return f"\\boxed{{{inside[0]}}}" if inside else "I don't know"
    word = question.rstrip("?").split()[-1]
    if not given:
        alone = word == "insulin" and not question.startswith("Is ")
        return "It is a hormone." if alone else "I don't know"
    lines = [line for line in given.splitlines() if word in line.casefold()]
    if question.startswith("Is "):
        return "yes" if lines else "I don't know"
    return lines[0] if lines else "I don't know"


@contextmanager
def graph_agent(**settings: object) -> Iterator[Running]:
    """Runs the agent in a process of its own."""
    with in_process(str(Path(__file__)), json.dumps(settings)) as running:
        yield running


if __name__ == "__main__":
    asyncio.run(serve(GraphAgent(AgentSettings(**json.loads(sys.argv[1]))).app()))
