"""From an answer to its facts F(r): rules E1 to E7, and what of G is said (M1, M4b).

The tagger finds the stretches that state something, without the ground truth. Then the text is
asked for each element of G: what is spelled out is a fact too, wherever it stands. What only echoes
the question (E3) and what was said before (E6) drops out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from factmark.answers.core.extraction.mentions import Mention, Names
from factmark.answers.core.extraction.question_words import what_is_asked
from factmark.answers.core.extraction.sentences import Sentence, read
from factmark.answers.core.extraction.tagger import trained
from factmark.answers.core.extraction.tokens import Kind
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Fact
from factmark.text.lexicon import word_set
from factmark.text.word_classes import is_head
from factmark.text.words import normalise

Span = tuple[int, int]
_LAST_WORD = re.compile(r"\s+([\w-]+)$")

_RANGE = word_set("to – — - − and until through till or")


def extract_facts(question: str, ground_truth: Sequence[str], answer: str) -> list[Fact]:
    """F(r) before matching: facts in the order of the text, no two of the same words.

    Args:
        question: the question as it was asked (E3).
        ground_truth: the elements of G.
        answer: plain text or markdown.
    """
    return find_facts(question, Targets.of(ground_truth), answer, read(answer))


def find_facts(
    question: str, targets: Targets, answer: str, sentences: Sequence[Sentence]
) -> list[Fact]:
    """`extract_facts` on an answer that was read already."""
    asked, tagger, names = what_is_asked(question), trained(), Names.of(targets)
    facts: dict[tuple[str, ...], Fact] = {}
    for sentence, spans in zip(sentences, tagger.spans(sentences, asked), strict=True):
        mentions = names.find(sentence, answer, spans, asked)
        for first, end in _combined(sentence, spans, mentions):
            start, stop = sentence.tokens[first].start, sentence.tokens[end - 1].end
            fact = Fact(text=answer[start:stop], start=start, end=stop)
            words = normalise(fact.text)
            said = [m.element for m in mentions if (m.first, m.end) == (first, end)]
            if not words or words in facts:
                continue
            if said and not targets.matches(words):
                facts[words] = replace(fact, match=targets.elements[said[0]], rule="spelling")
            elif said or not asked.echoed(fact.text) or targets.matches(words):
                facts[words] = _without_head(fact, targets)
    return sorted(facts.values(), key=lambda fact: fact.start)


def _without_head(fact: Fact, targets: Targets) -> Fact:
    """A name without the general nouns after it, where they keep it from matching (E2, E7)."""
    text = fact.text
    if targets.matches(normalise(text)):
        return fact
    while (head := _LAST_WORD.search(text)) and is_head(head[1]):
        text = text[: head.start()]
        if targets.matches(normalise(text)):
            return replace(fact, text=text, end=fact.start + len(text))
    return fact


def _combined(
    sentence: Sentence, spans: Sequence[Span], mentions: Sequence[Mention]
) -> Iterator[Span]:
    """The tagger's spans and the elements that are said, each token in one of them.

    A span with one element in it stays whole (M2); of one with several, each is a fact, and so is
    the other end of a range (M4b).
    """
    free = list(mentions)
    for span in spans:
        ends = _range_ends(sentence, span)
        inside = [m for m in mentions if m.first < span[1] and span[0] < m.end]
        free = [m for m in free if m not in inside]
        if ends:  # 2% to 5% is no 2
            inside = [m for m in inside if m.way != "value"]
        places = [(m.first, m.end) for m in inside]
        if not places or span in places:
            yield span
        elif len(places) == 1 and not ends:
            first, end = places[0]
            yield span if span[0] <= first and end <= span[1] else places[0]
        else:
            yield from places
            yield from (one for one in ends if not any(_overlap(one, other) for other in places))
    yield from ((m.first, m.end) for m in free)


def _overlap(left: Span, right: Span) -> bool:
    return left[0] < right[1] and right[0] < left[1]


def _range_ends(sentence: Sentence, span: Span) -> list[Span]:
    """The two ends of a range of numbers or dates; empty for anything else."""
    tokens = sentence.tokens
    figures = [
        index for index in range(*span) if tokens[index].kind in (Kind.NUMBER, Kind.DATE)
    ]
    if len(figures) != 2:
        return []
    between = [tokens[index].lower for index in range(figures[0] + 1, figures[1])]
    if not _RANGE.intersection(between):
        return []
    return [(figure, figure + 1) for figure in figures]
