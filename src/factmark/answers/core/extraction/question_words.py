"""What a question says already: an answer that only repeats it states no fact (E3, E7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from factmark.answers.core.elements.candidates import candidates_of
from factmark.text import lexicon
from factmark.text.lexicon import phrases
from factmark.text.words import normalise

_POLICY = phrases("policies")  # of a question about what may be done: there, actions are facts
_ASKING = re.compile(r"\b(?:how(?: \w+)?|who(?:m|se)?|when|where|which|what|why)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What a question says already, which an answer then does not state (E3).

    Attributes:
        words: its normalised words.
        policy: whether it asks what may be done with data, so that actions count.
        kind: its first asking word (`who`, `how many`), lower-case; empty where it has none.
        candidates: the texts that it offers to choose from; naming one may be the answer.
        telling: the words by which one candidate is told from the others.
    """

    words: frozenset[str]
    policy: bool
    kind: str
    candidates: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()

    def echoed(self, text: str) -> bool:
        """Whether the content words of a phrase all stand in the question."""
        return self.words.issuperset(content_words(text))


@lru_cache(maxsize=4096)
def what_is_asked(question: str) -> QuestionWords:
    """The words of a question, which an answer to it may repeat without stating anything."""
    asking = _ASKING.search(question)
    candidates = candidates_of(question)
    counts = Counter(word for name in candidates for word in set(normalise(name)))
    kind = ""
    if asking:
        kind = asking[0].casefold()
    return QuestionWords(
        words=frozenset(normalise(question)),
        policy=_POLICY.search(question) is not None,
        kind=kind,
        candidates=frozenset(candidates),
        telling=frozenset(word for word, times in counts.items() if times == 1),
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
    """The normalised words without numbers."""
    return frozenset(part for word in words for part in normalise(word) if not part.isdigit())


_FUNCTION_STEMS = _stems(lexicon.FUNCTION_WORDS) - {"us"}
_GENERIC_STEMS = _stems(noun for noun in lexicon.GENERIC_NOUNS if "-" not in noun)
