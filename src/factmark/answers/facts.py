"""From an answer to its facts F(r): rules E1 to E7.

The steps, each in its own module: markdown -> segments -> tokens -> sentences -> clauses (E4) ->
phrases (E1, E2) -> what the question said already (E3), what is too general (E7), what was said
before (E6). The ground truth takes part twice, as the rules ask: a phrase that echoes the question
stays when it matches G, and an element that is spelled out is one fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.answers import lexicon
from factmark.answers.anchors import anchor
from factmark.answers.chunks import phrases
from factmark.answers.clauses import asides, clauses, opening, sentences, states_nothing
from factmark.answers.markdown import EDGE, Segment, segments
from factmark.answers.matching import Targets
from factmark.answers.phrases import base_form, content_words, word_class
from factmark.answers.records import Fact
from factmark.answers.tokens import Kind, Token, tokenise
from factmark.answers.words import normalise

_WINDOW = 600  # characters of a clause that are read for E4; longer ones are no sentences
_POLICY = re.compile(
    r"\b(?:permi\w+|prohibit\w*|allow\w*|oblig\w+|dut(?:y|ies)|require\w*|policy|policies|licen[cs]e\w*"
    r"|use[ds]?|uses|using|consent\w*|redistribut\w*|distribut\w*|share[ds]?|sharing|approval|destruction"
    r"|restrict\w*|terms|forbid\w*|rights?|deriv\w+)\b",
    re.IGNORECASE,
)
_NUMBER_COLUMNS = frozenset(
    ("#", "rank", "no", "no.", "nr", "nr.", "position", "pos", "n°", "№", "idx")
)


@dataclass(frozen=True, slots=True)
class _Context:
    """What the extraction of one answer knows of its question."""

    echo: frozenset[str]
    targets: Targets
    policy: bool


def extract_facts(question: str, ground_truth: Sequence[str] | Targets, answer: str) -> list[Fact]:
    """F(r) before matching: facts in the order of the text, no two of the same words.

    Args:
        question: the question as it was asked (E3).
        ground_truth: the elements of G.
        answer: plain text or markdown.
    """
    targets = ground_truth if isinstance(ground_truth, Targets) else Targets.of(ground_truth)
    context = _Context(
        echo=frozenset(normalise(question)),
        targets=targets,
        policy=bool(_POLICY.search(question)),
    )
    facts: dict[tuple[str, ...], Fact] = {}
    for segment in segments(answer):
        for start, end in _spans(segment, context):
            words = normalise(answer[start:end])
            if words and words not in facts and _is_fact(words, answer[start:end], context):
                facts[words] = Fact(text=answer[start:end], start=start, end=end)
    return sorted(facts.values(), key=lambda fact: fact.start)


def _is_fact(words: tuple[str, ...], text: str, context: _Context) -> bool:
    """E3: not what the question said already, unless it matches G."""
    content = content_words(text)
    if content and not all(word in context.echo for word in content):
        return True
    return bool(context.targets.matches(words))


def _spans(segment: Segment, context: _Context) -> Iterator[tuple[int, int]]:
    tokens = tokenise(segment.text, segment.start)
    anchor(tokens, context.targets)
    if segment.kind in ("heading", "head"):
        return
    if segment.kind == "cell" and segment.column in _NUMBER_COLUMNS:
        return
    hidden = [(segment.start + begin, segment.start + end) for begin, end in asides(segment.text)]
    _join_brackets(tokens)
    for sentence in sentences(tokens):
        yield from _sentence_spans(sentence, segment, hidden, context)


def _sentence_spans(
    sentence: list[Token], segment: Segment, hidden: list[tuple[int, int]], context: _Context
) -> Iterator[tuple[int, int]]:
    if not sentence or (sentence[-1].text == "?" and segment.kind in ("text", "item")):
        return
    begin = sentence[0].start
    end = sentence[-1].end
    text = segment.text[begin - segment.start : end - segment.start]
    skip = begin + opening(text)
    for clause in clauses(sentence):
        if not clause:
            continue
        low, high = clause[0].start, clause[-1].end
        window = segment.text[low - segment.start : min(high, low + _WINDOW) - segment.start]
        if states_nothing(window.replace(EDGE, " ").casefold()):
            continue
        kept = [
            token
            for token in clause
            if token.start >= skip and not any(a <= token.start < b for a, b in hidden)
        ]
        for phrase in phrases(kept, clause[0].start == begin, context.policy):
            if phrase.kind != "skip":
                yield _span(kept, phrase.first, phrase.last, phrase.kind)


def _span(tokens: list[Token], first: int, last: int, kind: str) -> tuple[int, int]:
    start = tokens[first].start
    if kind == "curie":
        start += tokens[first].text.index(":") + 1
    return start, tokens[last].end


def _join_brackets(tokens: list[Token]) -> None:
    """Glues brackets that are part of a name: `(disorder)`, `(EU) 2025/327`, `[Mass/volume]`."""
    for index in range(1, len(tokens) - 2):
        token = tokens[index]
        if token.text == "(" and tokens[index + 2].text == ")":
            inner = tokens[index + 1].lower
            number = index + 3 < len(tokens) and tokens[index + 3].kind is Kind.NUMBER
            if inner in lexicon.SEMANTIC_TAGS or (inner in ("eu", "ec", "eec") and number):
                for part in tokens[
                    index - 1 : index + 2 + (number and inner not in lexicon.SEMANTIC_TAGS)
                ]:
                    part.glued = True
        elif (
            token.text == "/"
            and tokens[index - 1].end == token.start == tokens[index + 1].start - 1
        ):
            sides = tokens[index - 1], tokens[index + 1]
            if all(side.kind is Kind.NUMBER for side in sides) or all(
                side.lower in lexicon.UNITS_AFTER_NUMBER for side in sides
            ):
                sides[0].glued = token.glued = True
