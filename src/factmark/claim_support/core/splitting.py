"""A response cut into claims, sentence by sentence, as FActScore does (Min et al., EMNLP 2023).

A model is shown the whole response and one of its sentences, and lists the facts that the sentence
states. Each fact can be understood by itself. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmark.model import content_hash
from factmark.replies.abstaining import abstains, is_courtesy, refuses
from factmark.replies.loose_json import each_json, only_list
from factmark.replies.plain import without_thought
from factmark.replies.rubric import RULE, fence
from factmark.text.sentences import sentences

NAME = "claims-of-sentence"
_TASK = (
    "Break the sentence down into independent facts. Each fact is a short sentence of its own that "
    "states one thing and can be understood without the others: name what pronouns stand for, "
    "taking the names from the response. Add nothing that the sentence does not state. Leave out "
    "greetings, questions, opinions and remarks about the response itself.\n\n"
    'Reply with JSON only: an object with the one key "claims", whose value is the list of the '
    "facts, each a string. Where the sentence states no fact the list is empty."
)
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
    "required": ["claims"],
    "additionalProperties": False,
}
"""The JSON schema of a structured reply."""
_START = re.compile(r"""\{(?=\s*["'])|\[(?=\s*["'\]])""")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+(?P<fact>\S.*)$", re.MULTILINE)
_WORD = re.compile(r"\w")


def splitting_id() -> str:
    """Returns the hash of all that the model is told; it changes with the wording."""
    return content_hash(NAME, _TASK, RULE)


@lru_cache(maxsize=1024)
def answers(response: str) -> bool:
    """Returns whether a response says anything but that it cannot, and courtesies.

    >>> answers("I'm sorry, I don't know. Is there anything else I can help you with?")
    False
    >>> answers("I'm not sure. The mill opened in 1904.")
    True
    """
    stated = (s for s in sentences_of(response) if not (abstains(s) or refuses(s)))
    return any(stated) and not abstains(response)


def sentences_of(response: str) -> list[str]:
    """Returns the sentences of a response that hold a word, without marks of a list, and without
    questions and courtesies to the reader, which state nothing."""
    lines = (span.of(response) for span in sentences(response))
    pieces = (
        re.sub(r"^[\s>#*•-]+", "", piece).strip() for line in lines for piece in line.split("\n")
    )
    return [piece for piece in pieces if _WORD.search(piece) and not is_courtesy(piece)]


def splitting_prompt(sentence: str, response: str) -> tuple[str, str]:
    """Returns the system prompt and the question that ask for the facts of one sentence."""
    whole = []
    if response.strip() != sentence:
        whole = [fence("RESPONSE", response, sentence)]
    parts = [*whole, fence("SENTENCE", sentence, response), _TASK]
    return f"You find the facts that a text states. {RULE}", "\n\n".join(parts)


def parse_claims(reply: str) -> list[str] | None:
    """Returns the claims that a reply lists, each once; None for a reply without a list.

    >>> parse_claims('{"claims": ["A is B.", "C is D.", "A is B."]}')
    ['A is B.', 'C is D.']
    >>> parse_claims("- A is B.\\n- C is D.")
    ['A is B.', 'C is D.']
    >>> parse_claims("I cannot do that.") is None
    True
    """
    text = without_thought(reply)
    listed = [match["fact"] for match in _BULLET.finditer(text)] or None
    for _, _, value, is_whole in each_json(text, _START):
        parts = None
        if is_whole:
            parts = only_list(value)
        if parts is not None and all(isinstance(part, str) for part in parts):
            listed = [str(part) for part in parts]
    if listed is None:
        return None
    claims = (re.sub(r"\s+", " ", claim).strip() for claim in listed)
    return list(dict.fromkeys(claim for claim in claims if _WORD.search(claim)))
