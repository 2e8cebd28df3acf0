"""From an answer to its facts F(r): rules E1 to E7, and what of G is said (M1, M4b).

The tagger finds the stretches that state something, without the ground truth. Then the text is
asked for each element of G: what is spelled out is a fact too, wherever it stands. What only echoes
the question (E3) and what was said before (E6) drops out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.answers.core.extraction.mentions import Mention, Names
from factmark.answers.core.extraction.question_words import what_is_asked
from factmark.answers.core.extraction.sentences import Sentence, read
from factmark.answers.core.extraction.tagger import trained
from factmark.answers.core.extraction.tokens import Kind
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Fact
from factmark.text.lexicon import word_set
from factmark.text.words import normalise

Span = tuple[int, int]

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
    for sentence in sentences:
        spans = tagger.spans(sentence, asked)
        mentions = names.find(sentence, answer, spans)
        for first, end in _combined(sentence, spans, mentions, targets):
            start, stop = sentence.tokens[first].start, sentence.tokens[end - 1].end
            text = answer[start:stop]
            words = normalise(text)
            spelled = any(m.first == first and m.end == end for m in mentions)
            if words and words not in facts and (
                spelled or targets.matches(words) or not asked.echoed(text)
            ):
                facts[words] = Fact(text=text, start=start, end=stop)
    return sorted(facts.values(), key=lambda fact: fact.start)


def _combined(
    sentence: Sentence, spans: Sequence[Span], mentions: Sequence[Mention], targets: Targets
) -> Iterator[Span]:
    """The tagger's spans and the elements that are spelled out, each token in one of them.

    A span with one element in it stays whole (M2); of one with several, each is a fact, and so is
    the other end of a range.
    """
    free = list(mentions)
    for span in spans:
        inside = [m for m in mentions if m.first < span[1] and span[0] < m.end]
        free = [m for m in free if m not in inside]
        ends = _range_ends(sentence, span)
        if not inside or (len(inside) == 1 and not ends):
            within = not inside or (span[0] <= inside[0].first and inside[0].end <= span[1])
            yield span if within else (inside[0].first, inside[0].end)
            continue
        whole = [m for m in inside if m.end - m.first == span[1] - span[0]]
        if whole:
            yield span
            continue
        places = [(m.first, m.end) for m in inside]
        yield from places
        for end in ends:
            if not any(end[0] < b and a < end[1] for a, b in places):
                yield end
    yield from ((m.first, m.end) for m in free)


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
