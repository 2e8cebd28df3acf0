"""From an answer to its facts F(r): rules E1 to E7.

Clauses that state something (`reading`, E4) are cut into phrases (`chunks`, E1, E2); what the
question said already (E3), what is too general (E7) and what was said before (E6) drops out. The
ground truth takes part twice, as the rules ask: a phrase that echoes the question stays when it
matches G, and an element that is spelled out is one fact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.chunks import phrases
from factmark.answers.core.extraction.clauses import Clause, read
from factmark.answers.core.extraction.phrases import (
    STOP,
    is_capital,
    is_generic_noun,
    word_class,
)
from factmark.answers.core.extraction.question_words import QuestionWords, what_is_asked
from factmark.answers.core.extraction.tokens import Kind
from factmark.answers.core.matching import Targets, Words
from factmark.answers.core.records import Fact
from factmark.text import lexicon
from factmark.text.lexicon import word_set
from factmark.text.words import normalise


def extract_facts(question: str, ground_truth: Sequence[str], answer: str) -> list[Fact]:
    """F(r) before matching: facts in the order of the text, no two of the same words.

    Args:
        question: the question as it was asked (E3).
        ground_truth: the elements of G.
        answer: plain text or markdown.
    """
    targets = Targets.of(ground_truth)
    return find_facts(question, targets, answer, read(answer, targets))


def find_facts(
    question: str, targets: Targets, answer: str, clauses: Sequence[Clause]
) -> list[Fact]:
    """`extract_facts` on an answer that was read already."""
    asked = what_is_asked(question)
    spans = [list(_spans(clause, answer, asked, targets)) for clause in clauses]
    matched = {
        clause.segment.group
        for clause, inside in zip(clauses, spans, strict=True)
        if clause.segment.group and (heads_name(clause) or any(span.matches for span in inside))
    }
    facts: dict[Words, Fact] = {}
    properties = _keys_are_properties(clauses, spans)
    for clause, inside in zip(clauses, spans, strict=True):
        stated = counts(clause, matched) and not (clause.key and properties)
        for span in inside:
            if span.words not in facts and (stated or span.matches):
                text = answer[span.start : span.end]
                facts[span.words] = Fact(text=text, start=span.start, end=span.end)
    return sorted(facts.values(), key=lambda fact: fact.start)


def _keys_are_properties(clauses: Sequence[Clause], spans: Sequence[Sequence[_Span]]) -> bool:
    """Whether of the lines `key: value` the values match G and no key does."""
    matches = [any(span.matches for span in inside) for inside in spans]
    keys = [index for index, clause in enumerate(clauses) if clause.key]
    values = {index + 1 for index in keys if index + 1 < len(matches)}
    return any(matches[index] for index in values) and not any(matches[index] for index in keys)


@dataclass(slots=True)
class _Span:
    """A phrase of the answer that could be a fact; `matches` an element of G or none."""

    words: Words
    start: int
    end: int
    matches: bool


def _spans(clause: Clause, answer: str, asked: QuestionWords, targets: Targets) -> Iterator[_Span]:
    """The phrases of a clause that the question did not say already (E3), or that match G."""
    for start, end in _places(clause, asked):
        text = answer[start:end]
        words = normalise(text)
        if not words:
            continue
        matches = bool(targets.matches(words))
        if matches or not asked.echoed(text):
            yield _Span(words, start, end, matches)


def _places(clause: Clause, asked: QuestionWords) -> Iterator[tuple[int, int]]:
    for phrase in phrases(clause.tokens, policy=asked.policy):
        if phrase.kind == "skip":
            continue
        first, last = clause.tokens[phrase.first], phrase.last
        while phrase.kind == "number" and asked.words.issuperset(clause.tokens[last].words):
            if last == phrase.first or clause.tokens[last].kind is not Kind.WORD:
                break
            last -= 1  # what is counted stands in the question
        start = first.start
        if phrase.kind == "curie":  # the name without its prefix
            start += first.text.index(":") + 1
        yield start, clause.tokens[last].end


# Heads of the first column of a table whose columns are things and whose rows are properties.
_PROPERTIES = word_set(
    "property attribute aspect feature field metric measure criterion characteristic parameter"
)


def counts(clause: Clause, stating: Collection[str]) -> bool:
    """Whether what a clause holds is stated, and does not only head what is.

    Args:
        stating: the groups of which something matches G, or whose heads are names.
    """
    segment = clause.segment
    if segment.group.startswith("rows of"):  # names, unless the heads are
        heads = segment.group.replace("rows of", "heads of", 1)
        return segment.group in stating or heads not in stating
    if segment.kind != "label" or segment.group in stating:
        return True
    if segment.group in ("", "keys") or segment.group.startswith("heads of"):
        return False
    return _is_name(clause)


def heads_name(clause: Clause) -> bool:
    """Whether a clause is a head of a table whose columns are things, named by it."""
    segment = clause.segment
    if segment.kind != "label" or not segment.group.startswith("heads of"):
        return False
    return (not segment.column or segment.column in _PROPERTIES) and _is_name(clause)


def _is_name(clause: Clause) -> bool:
    """Whether all words of a label are written as those of a name (`Silent Ferry`)."""
    words = [token for token in clause.tokens if token.kind < Kind.MARK]
    words = [token for token in words if word_class(token.lower) != STOP]
    if len(words) < 2 or not all(is_capital(token) or token.kind is Kind.NUMBER for token in words):
        return False
    last = words[-1].lower
    return last in lexicon.HEADS or not is_generic_noun(last)
