"""The rule answerer for passages: the sentence that fits the question best, or what it names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from factmark.graph_answers.core.names import ContentWord, akin, lettered, runs, words
from factmark.graph_answers.core.records import LETTERS, GraphQuestion
from factmark.graphs.core.mentions import read_passage
from factmark.replies.plain import DONT_KNOW
from factmark.stats.rounding import CLOSE
from factmark.text.names import name_words

LEAST = 0.5
"""Share of a question's words, by their weight, that a sentence has at least."""

SURE = 0.75
"""The same for a sentence that is to say yes or no."""

_ASKING = re.compile(
    r"\b(?:wh(?:at|ich|o|om|ere|en|y)|how|name|kinds?|true|correct|following|please|list)\b", re.I
)


class _Sentence(NamedTuple):
    """A sentence, the share of the question's words that it has, and whether it denies one."""

    text: str
    share: float
    denied: bool


def extract_from_text(question: GraphQuestion, passages: Sequence[str]) -> str:
    """Returns the answer that passages (best first) give to a question, or "I don't know".

    Free text: the sentence that has most of the question's words, rare ones counting more, where it
    has at least half. Choice: the letter of the option that the best sentence with an option names;
    none where two stand alike. Yes-no: yes, or no where the sentence denies one of the words and
    the question does not, or the other way round.
    """
    asked = words(_ASKING.sub(" ", question.text))
    sentences = _scored_sentences(asked, passages)
    if question.kind == "choice":
        return _option_named_best(question, sentences)
    most = max((sentence.share for sentence in sentences), default=0.0)
    best = next((each for each in sentences if each.share >= most - CLOSE), None)
    if question.kind == "yes-no":
        least = SURE
    else:
        least = LEAST
    if best is None or best.share < least - CLOSE:
        return DONT_KNOW
    if question.kind == "text":
        return best.text
    if best.denied != any(word.negated for word in asked):
        return "no"
    return "yes"


def _scored_sentences(asked: tuple[ContentWord, ...], passages: Sequence[str]) -> list[_Sentence]:
    """Returns the sentences of the passages, each with the share of the question's words that it
    has."""
    texts = []
    for passage in passages:
        for start, end in read_passage(passage).sentences:
            texts.append(" ".join(passage[start:end].split()))
    keys = tuple(dict.fromkeys(word.key for word in asked))
    hits = []
    for text in texts:
        hits.append(
            {
                key: word
                for word in dict.fromkeys(words(text))
                for key in keys
                if akin(key, word.key)
            }
        )
    seen = Counter(key for hit in hits for key in hit)
    weights = {}
    for key in keys:
        weights[key] = log(1 + len(texts) / (1 + seen[key]))
    total = sum(weights.values())
    return [
        _Sentence(
            text,
            sum(weights[key] for key in hit) / total if total else 0.0,
            any(word.negated for word in hit.values()),
        )
        for text, hit in zip(texts, hits, strict=True)
    ]


def _option_named_best(question: GraphQuestion, sentences: Sequence[_Sentence]) -> str:
    """Returns the letter of the option that the best sentence names; "I don't know" if two are
    named as well."""
    names = {
        letter: name_words(lettered(option))
        for letter, option in zip(LETTERS, question.options, strict=False)
    }
    scores: dict[str, float] = {}
    for sentence in dict.fromkeys(sentences):
        here = name_words(lettered(sentence.text))
        there = {letter: name for letter, name in names.items() if runs(name, here)}
        for letter, name in there.items():
            inside = any(len(other) > len(name) and runs(name, other) for other in there.values())
            if not inside and not sentence.denied:
                scores[letter] = max(scores.get(letter, 0.0), sentence.share)
    best = max(scores.values(), default=0.0)
    wanted = [letter for letter, score in scores.items() if score >= best - CLOSE]
    if best >= LEAST - CLOSE and len(wanted) == 1:
        return wanted[0]
    return DONT_KNOW
