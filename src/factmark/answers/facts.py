"""From an answer to its facts F(r): rules E1 to E7.

Clauses that state something (`reading`, E4) are cut into phrases (`chunks`, E1, E2); what the
question said already (E3), what is too general (E7) and what was said before (E6) drops out. The
ground truth takes part twice, as the rules ask: a phrase that echoes the question stays when it
matches G, and an element that is spelled out is one fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from factmark.answers.chunks import phrases
from factmark.answers.labels import counts
from factmark.answers.lexicon import word_set
from factmark.answers.matching import Targets
from factmark.answers.phrases import (
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    content_words,
    word_class,
)
from factmark.answers.reading import Clause, read
from factmark.answers.records import Fact
from factmark.answers.tokens import Kind
from factmark.answers.words import normalise

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
_TITLE = re.compile(rf"(?:[A-Z0-9][\w'’-]*\s+){{1,8}}{_THING}$", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:which|what|how\s+many)\s+((?:[\w'’-]+\s+){1,5})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question says already, which an answer then does not state (E3).

    Attributes:
        words: its normalised words.
        noun: of what it asks for (`which museums`): too general to be a fact of its answer (E7).
        names: the words that it names something by (`the obesity dataset`).
        policy: whether it asks what may be done with data, so that actions count.
    """

    words: frozenset[str]
    noun: tuple[str, ...]
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
def what_is_asked(question: str) -> Asked:
    """What an answer to a question only repeats."""
    names = (content_words(match[1]) for match in _NAMED.finditer(question))
    noun: list[str] = []
    for word in (match[1].split() for match in _ASKED.finditer(question[:400])):
        for part in word:
            if word_class(part.casefold()) not in (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE):
                break
            noun = [part]
        break
    return Asked(
        frozenset(normalise(question)),
        normalise(noun[0]) if noun else (),
        tuple(name for name in names if name),
        _POLICY.search(question) is not None,
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
    asked = what_is_asked(question)
    facts: dict[tuple[str, ...], Fact] = {}
    found = [list(_found(clause, answer, asked, targets)) for clause in clauses]
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
    return _without_abbreviations(
        answer, sorted(facts.values(), key=lambda fact: fact.start), targets
    )


def _without_abbreviations(answer: str, facts: list[Fact], targets: Targets) -> list[Fact]:
    """A name and its abbreviation, `Health Data Agency (HDA)`, are one fact (E6)."""
    out: list[Fact] = []
    for fact in facts:
        name = out[-1] if out else None
        if name is not None and _abbreviates(answer, name, fact):
            matches = [bool(targets.matches(normalise(one.text))) for one in (name, fact)]
            if not any(matches):
                end = fact.end + 1
                out[-1] = replace(name, text=answer[name.start : end], end=end)
            elif matches[1] and not matches[0]:
                out[-1] = fact
            elif matches[1]:
                out.append(fact)
        else:
            out.append(fact)
    return out


def _abbreviates(answer: str, name: Fact, fact: Fact) -> bool:
    return (
        answer[name.end : fact.start] in (" (", "(")
        and answer[fact.end : fact.end + 1] == ")"
        and fact.text.isupper()
        and fact.text.isalnum()
        and fact.text[0].casefold() in {word[0].casefold() for word in name.text.split()}
    )


_Span = tuple[tuple[str, ...], int, int]


def _found(clause: Clause, answer: str, asked: Asked, targets: Targets) -> Iterator[_Span]:
    for start, end in _spans(clause, asked):
        text = answer[start:end]
        words = normalise(text)
        if not words or (words == asked.noun and words not in targets.by_words):
            continue
        if _is_key(answer, start, end) and not targets.matches(words):
            continue
        if not asked.echoed(text) or targets.matches(words):
            yield words, start, end


_PROPERTIES = word_set(
    "category code count date format name number period rate size standard status title type "
    "value version year"
)
_COLON = re.compile(r"[*_`\s]{0,4}:")


def _is_key(answer: str, start: int, end: int) -> bool:
    """Whether a phrase only names the value after it: `Decision date: 3 May`."""
    last = answer[start:end].rpartition(" ")[2].casefold()
    return last in _PROPERTIES and _COLON.match(answer, end) is not None


def _spans(clause: Clause, asked: Asked) -> Iterator[tuple[int, int]]:
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
