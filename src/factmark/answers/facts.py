"""From an answer to its facts F(r): rules E1 to E7.

Clauses that state something (`reading`, E4) are cut into phrases (`chunks`, E1, E2); what the
question said already (E3), what is too general (E7) and what was said before (E6) drops out. The
ground truth takes part twice, as the rules ask: a phrase that echoes the question stays when it
matches G, and an element that is spelled out is one fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmark.answers.chunks import phrases
from factmark.answers.labels import counts
from factmark.answers.matching import Targets
from factmark.answers.phrases import content_words
from factmark.answers.reading import Clause, read
from factmark.answers.records import Fact
from factmark.answers.words import normalise

# A question about what may be done with data: there, actions are facts.
_POLICY = re.compile(
    r"\b(?:permi\w+|prohibit\w*|allow\w*|oblig\w+|dut(?:y|ies)|require\w*|policy|policies"
    r"|licen[cs]e\w*|use[ds]?|uses|using|consent\w*|redistribut\w*|distribut\w*|share[ds]?"
    r"|sharing|approval|destruction|restrict\w*|terms|forbid\w*|rights?|deriv\w+)\b",
    re.IGNORECASE,
)


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
    echo = frozenset(normalise(question))
    policy = _POLICY.search(question) is not None
    facts: dict[tuple[str, ...], Fact] = {}
    found = [list(_found(clause, answer, policy, echo, targets)) for clause in clauses]
    matched = {
        clause.segment.group
        for clause, spans in zip(clauses, found, strict=True)
        if any(targets.matches(words) for words, _, _ in spans)
    }
    for clause, spans in zip(clauses, found, strict=True):
        named = counts(clause, matched)
        for words, start, end in spans:
            if words not in facts and (named or targets.matches(words)):
                facts[words] = Fact(text=answer[start:end], start=start, end=end)
    return sorted(facts.values(), key=lambda fact: fact.start)


_Span = tuple[tuple[str, ...], int, int]


def _found(
    clause: Clause, answer: str, policy: bool, echo: frozenset[str], targets: Targets
) -> Iterator[_Span]:
    for start, end in _spans(clause, policy):
        text = answer[start:end]
        words = normalise(text)
        if words and _is_fact(words, text, echo, targets):
            yield words, start, end


def _is_fact(words: tuple[str, ...], text: str, echo: frozenset[str], targets: Targets) -> bool:
    """E3: not what the question said already, unless it matches G."""
    content = content_words(text)
    return bool(content and not echo.issuperset(content)) or bool(targets.matches(words))


def _spans(clause: Clause, policy: bool) -> Iterator[tuple[int, int]]:
    for phrase in phrases(clause.tokens, policy=policy):
        if phrase.kind == "skip":
            continue
        first = clause.tokens[phrase.first]
        start = first.start
        if phrase.kind == "curie":  # the name without its prefix
            start += first.text.index(":") + 1
        yield start, clause.tokens[phrase.last].end
