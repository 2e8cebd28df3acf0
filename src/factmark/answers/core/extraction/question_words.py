"""What a question says already: an answer that only repeats it states no fact (E3, E7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from factmark.text import lexicon
from factmark.text.words import normalise

# A question about what may be done with data: there, actions are facts.
_POLICY = re.compile(
    r"\b(?:permi\w+|prohibit\w*|allow\w*|oblig\w+|dut(?:y|ies)|require\w*|policy|policies"
    r"|licen[cs]e\w*|use[ds]?|uses|using|consent\w*|redistribut\w*|distribut\w*|share[ds]?"
    r"|sharing|approval|destruction|restrict\w*|terms|forbid\w*|rights?|deriv\w+)\b",
    re.IGNORECASE,
)

# What is named by a word of its title: `the obesity dataset`.
_THING = r"(?:data\s?sets?|cohorts?|collections?|registry|register|archive|database|corpus)"
_NAMED = re.compile(rf"\b(?:the|this)\s+((?:[\w'’-]+\s+){{1,4}}?){_THING}\b", re.IGNORECASE)
_TITLE = re.compile(rf"(?:[A-Z0-9][\w'’-]*\s+){{1,8}}(?i:{_THING})$")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What a question says already, which an answer then does not state (E3).

    Attributes:
        words: its normalised words.
        names: the words that it names something by (`the obesity dataset`).
        policy: whether it asks what may be done with data, so that actions count.
    """

    words: frozenset[str]
    names: tuple[tuple[str, ...], ...]
    policy: bool

    def echoed(self, text: str) -> bool:
        """Whether a phrase only says what the question said, or the full title of it."""
        content = content_words(text)
        if not content or self.words.issuperset(content):
            return True
        return bool(
            any(content[-len(name) :] == name for name in self.names) and _TITLE.match(text)
        )


@lru_cache(maxsize=4096)
def what_is_asked(question: str) -> QuestionWords:
    """What an answer to a question only repeats."""
    names = (content_words(match[1]) for match in _NAMED.finditer(question))
    return QuestionWords(
        frozenset(normalise(question)),
        tuple(name for name in names if name),
        _POLICY.search(question) is not None,
    )


@lru_cache(maxsize=65_536)
def content_words(text: str) -> tuple[str, ...]:
    """The normalised words of a phrase without function words and general ones (for E3)."""
    return tuple(
        word
        for word in normalise(text)
        if word not in _FUNCTION_STEMS and word not in _GENERIC_STEMS
    )


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(part for word in words for part in normalise(word) if not part.isdigit())


_FUNCTION_STEMS = _stems(lexicon.FUNCTION_WORDS) - {"us"}
_GENERIC_STEMS = _stems(noun for noun in lexicon.GENERIC_NOUNS if "-" not in noun)
