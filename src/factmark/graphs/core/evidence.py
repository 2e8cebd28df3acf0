"""Does a passage state a triple? The rule judge of support, by words alone. Pure.

A passage states a triple where one sentence names head and tail and little but words of the
relation (`cues.py`) stands between them; with a negation between them too it denies it. Whatever
else a passage says is left undecided: that these words are missing does not say that the statement
is. Of pairs that people labelled such sentences were right in nine of ten, while pairs that merely
stand in one sentence, or that a later one takes up, were right as often as not (docs/graphs.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from factmark.graphs.core.claims import WORDINGS, Triple
from factmark.graphs.core.cues import Cues, content_words, cues_of, words_of
from factmark.graphs.core.mentions import (
    NameMention,
    SplitPassage,
    find_mentions,
    read_passage,
    variants,
)
from factmark.graphs.core.ontology import Ontology
from factmark.replies.rubric import CONTRADICTED, SUPPORTED

_NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b)|no|never|neither|nor|cannot|without|fail(?:s|ed)?\s+to|unable\s+to"
    r"|lack(?:s|ed)?|absence|rarely|seldom|unlikely|rather\s+than|contrary\s+to|ruled\s+out)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:whether|unclear|uncertain|unknown|debated|under\s+study|proposed)\b", re.IGNORECASE
)
_CLAUSE = re.compile(
    r";|\b(?:whereas|while|although|though|but|however|because|which)\b|,\s+(?:and|yet)\b",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(r"[^\s]-$")  # `X on isoproterenol-induced Y`: not X induced it
_PASSIVE = re.compile(r"\s+by\b", re.IGNORECASE)
_FURTHER = 8  # content words besides those of a relation that holds either way round
_CLOSE = 160  # characters


Role = Literal["head", "tail", "cue", "negation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMark:
    """A stretch of the passage to mark: `passage[start:end]`."""

    role: Role
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the passage says of a triple.

    Attributes:
        label: None where the rule cannot tell; `reason` says why, what it is about after a colon.
        marks: where head, tail, the words of the relation and a negation stand.
    """

    label: str | None
    reason: str
    marks: tuple[EvidenceMark, ...] = ()


def judge_support(
    triple: Triple,
    text: str,
    ontology: Ontology | None = None,
    wordings: Mapping[str, str] = WORDINGS,
) -> Evidence:
    """SUPPORTED, CONTRADICTED, or no label, by the passage `text`.

    Args:
        ontology: for synonyms of head and tail; without one only their own words are looked for.
        wordings: relation -> wording; one that is not built in gives the words to look for.
    """
    passage = read_passage(text)
    heads = find_mentions(passage, variants(triple.head, passage, ontology))
    tails = find_mentions(passage, variants(triple.tail, passage, ontology))
    named = Evidence(label=None, reason="", marks=_named(heads[:1], tails[:1]))
    cues = cues_of(triple.relation, wordings)
    if not text.strip():
        return replace(named, reason="no passage")
    if cues is None:
        return replace(named, reason=f"no words known for the relation: {triple.relation}")
    if not heads or not tails:
        names = [n for n, m in ((triple.head, heads), (triple.tail, tails)) if not m]
        return replace(named, reason=f"not named in the passage: {' and '.join(names)}")
    return _stated(passage, cues, heads, tails) or replace(
        named, reason="no sentence says it in the words that the rules know"
    )


def _named(heads: list[NameMention], tails: list[NameMention]) -> tuple[EvidenceMark, ...]:
    return (
        *(EvidenceMark(role="head", start=head.start, end=head.end) for head in heads),
        *(EvidenceMark(role="tail", start=tail.start, end=tail.end) for tail in tails),
    )


def _stated(
    passage: SplitPassage, cues: Cues, heads: list[NameMention], tails: list[NameMention]
) -> Evidence | None:
    """What the first sentence says that states it, else what the first says that denies it."""
    denial = None
    for head, tail in _neighbours(heads, tails):
        evidence = _between(passage, cues, head, tail)
        if evidence is not None and evidence.label == SUPPORTED:
            return evidence
        denial = denial or evidence
    return denial


def _neighbours(
    heads: list[NameMention], tails: list[NameMention]
) -> Iterator[tuple[NameMention, NameMention]]:
    """Each head and tail of one sentence that stand next to each other, none other between."""
    mentions = [(m.start, m.end, 0, m) for m in heads] + [(m.start, m.end, 1, m) for m in tails]
    mentions.sort(key=lambda entry: entry[:3])
    for (_, end, side, first), (start, _, other, second) in pairwise(mentions):
        if side != other and end <= start and first.sentence == second.sentence:
            yield (first, second) if side == 0 else (second, first)


def _between(
    passage: SplitPassage, cues: Cues, head: NameMention, tail: NameMention
) -> Evidence | None:
    """What stands between the two names, where it has words of the relation and little else."""
    first, second = (head, tail) if head.start < tail.start else (tail, head)
    words = passage.text[first.end : second.start]
    if len(words) > _CLOSE or _CLAUSE.search(words):
        return None
    cue = _cue(words, cues, forward=first is head)
    if cue is None:
        return None
    start = first.end
    marks = (
        *_named([head], [tail]),
        EvidenceMark(role="cue", start=start + cue.start(), end=start + cue.end()),
    )
    if (denial := _NEGATION.search(words)) and not cues.symmetric:
        negation = EvidenceMark(
            role="negation", start=start + denial.start(), end=start + denial.end()
        )
        return Evidence(
            label=CONTRADICTED,
            reason=f"one sentence denies it: {denial[0]!r}",
            marks=(*marks, negation),
        )
    if _is_open(passage.text[slice(*passage.sentences[first.sentence])]):
        return None
    return Evidence(
        label=SUPPORTED, reason=f"one sentence states it: {cue[0].strip()!r}", marks=marks
    )


def _cue(words: str, cues: Cues, *, forward: bool) -> re.Match[str] | None:
    """The words of the relation, where no other content word stands beside them; where it does not
    matter which way round, few. Function words alone (`of`, `in`) have to stand alone."""
    pattern = cues.pattern(forward=forward)
    most = _FURTHER if cues.symmetric else 0
    for match in pattern.finditer(words) if pattern else ():
        if _OF_ANOTHER.search(words[: match.start()]) and match.start() > 1:
            continue
        if forward and not cues.symmetric and _PASSIVE.match(words, match.end()):
            continue
        own = content_words(match[0])
        if (
            len(content_words(words)) - len(own) <= most
            if own
            else words_of(words) == words_of(match[0])
        ):
            return match
    return None


@lru_cache(maxsize=64)
def _is_open(sentence: str) -> bool:
    """Whether a sentence negates or doubts something, whatever it is."""
    return bool(_NEGATION.search(sentence) or _DOUBT.search(sentence))
