"""The lexical-evidence judge: does a passage state a triple, by its words alone? Pure.

It looks for head and tail (`mentions.py`), for the words that state the relation between or around
them (`cues.py`), for their order, and for a negation whose scope reaches them. It knows no grammar
and no medicine: it is a baseline that runs without a model, and it is labelled as one. With hand
labels it agrees on 74.8% of the bundled graph (which it was tuned on) and on 77.6% of a separate
set; measured by `benchmarks/rule_judges.py`, discussed in docs/graphs.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.graphs.claims import Triple, relation_key
from factmark.graphs.cues import CUES, TURNED, Cues
from factmark.graphs.mentions import Mention, Passage, find_mentions, keys, read_passage, variants
from factmark.graphs.ontology import Ontology
from factmark.graphs.validity import judge_types
from factmark.labels import CONTRADICTED, NO, NOT_SUPPORTED, SUPPORTED

_NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b)|no(?!\s+longer\b)|never|neither|nor|cannot|without(?!\s+treatment\b)"
    r"|fail(?:s|ed)?\s+to|unable\s+to|lack(?:s|ed)?\s+(?:of\s+)?|absence\s+of|rarely|seldom"
    r"|unlikely|rather\s+than|contrary\s+to|ruled\s+out)\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r";|,?\s\b(?:whereas|while|although|though|but|however|because|which)\b|,\s+(?:and|yet)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"^\W*(?:it|they|this|these|both|such|the\s+(?:disease|disorder|condition|drugs?|agents?|test"
    r"|finding|treatment|effect|organism|syndrome|lesions?|palsy|technique|enzyme|hormone|latter))\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:whether|unclear|uncertain|not\s+established|under\s+study|debated|proposed\s+as"
    r"|not\s+confirmed|is\s+unknown)\b",
    re.IGNORECASE,
)
_DENIED_ALONE = frozenset({"cause_of", "treats", "prevents", "has_symptom", "causative_agent_of"})
_REACH = 45  # characters that a negation before the later mention may stand off
_CLOSE = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of the passage, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the passage says of a triple: label, reason, and what to mark.

    Attributes:
        head, tail, cue, negation: where they stand; None where there is none.
    """

    label: str
    reason: str
    head: Span | None = None
    tail: Span | None = None
    cue: Span | None = None
    negation: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """One triple asked of one passage, with turned relations turned back."""

    passage: Passage
    heads: Sequence[Mention]
    tails: Sequence[Mention]
    cues: Cues
    relation: str
    turned: bool

    def evidence(
        self,
        label: str,
        reason: str,
        head: Mention | None = None,
        tail: Mention | None = None,
        cue: Span | None = None,
        negation: Span | None = None,
    ) -> Evidence:
        """Evidence in terms of the triple as it was given."""
        if self.turned:
            head, tail = tail, head
        return Evidence(
            label=label,
            reason=reason,
            head=_span(head),
            tail=_span(tail),
            cue=cue,
            negation=negation,
        )


def _span(mention: Mention | None) -> Span | None:
    return None if mention is None else Span(start=mention.start, end=mention.end)


def judge_support(triple: Triple, text: str, ontology: Ontology | None = None) -> Evidence:
    """SUPPORTED, CONTRADICTED or NOT_SUPPORTED by the passage `text`, with reason and spans.

    Args:
        ontology: for synonyms of head and tail, and for their types: what the relation cannot join
            no passage supports. Without one only their own words are looked for.
    """
    question = _ask(triple, text, ontology)
    if not question.heads or not question.tails:
        missing = [] if question.heads else [triple.tail if question.turned else triple.head]
        missing += [] if question.tails else [triple.head if question.turned else triple.tail]
        return question.evidence(
            NOT_SUPPORTED,
            f"the passage does not name {' or '.join(map(repr, missing))}",
            question.heads[0] if question.heads else None,
            question.tails[0] if question.tails else None,
        )
    if ontology is not None and (types := judge_types(triple, ontology)).label == NO:
        return question.evidence(NOT_SUPPORTED, types.reason, question.heads[0], question.tails[0])
    return _by_name(question, triple, ontology) or _best(question)


def _ask(triple: Triple, text: str, ontology: Ontology | None) -> _Question:
    relation = relation_key(triple.relation)
    canonical = TURNED.get(relation, relation)
    turned = relation in TURNED
    head, tail = (triple.tail, triple.head) if turned else (triple.head, triple.tail)
    passage = read_passage(text)
    return _Question(
        passage=passage,
        heads=find_mentions(passage, variants(head, passage, ontology)),
        tails=find_mentions(passage, variants(tail, passage, ontology)),
        cues=CUES.get(canonical) or _own_words(canonical),
        relation=canonical,
        turned=turned,
    )


def _own_words(relation: str) -> Cues:
    """For an unknown relation: its own words, inflected or not, in their order."""
    stems = [re.escape(key) + r"\w*" for key in keys(relation.replace("_", " "))]
    pattern = re.compile(r"\b" + r"\W+(?:\w+\W+)?".join(stems), re.IGNORECASE)
    return Cues(forward=pattern)


def _by_name(question: _Question, triple: Triple, ontology: Ontology | None) -> Evidence | None:
    """What names alone say: two names of one thing, or a name that has the other inside it."""
    head, tail = (triple.head, triple.tail)
    if question.turned:
        head, tail = tail, head
    passage = question.passage
    first, second = question.heads[0], question.tails[0]
    if question.relation == "same_as":
        introduced = {frozenset(pair) for pair in passage.abbreviations}
        ours = variants(head, passage, ontology), variants(tail, passage, ontology)
        if frozenset((keys(head), keys(tail))) in introduced or set(ours[0]) & set(ours[1]):
            return question.evidence(
                SUPPORTED, "two names of one thing, by the passage or the ontology", first, second
            )
    if question.relation == "associated_finding_of":
        outer = [t for t in question.tails if any(_inside(h, t) for h in question.heads)]
        about = keys(tail)[-len(keys(head)) :] == keys(head)
        if outer or about:
            return question.evidence(
                SUPPORTED, "the situation is named after the finding", first, second
            )
    if question.cues.by_name and keys(head) != keys(tail):
        inner = set(variants(tail, passage, ontology))
        words = keys(head)
        for form in inner:
            if form and any(words[i : i + len(form)] == form for i in range(len(words))):
                return question.evidence(SUPPORTED, "the name itself says it", first, first)
    return None


def _inside(inner: Mention, outer: Mention) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _best(question: _Question) -> Evidence:
    """The best that any pair of mentions gives: support, else contradiction, else why not."""
    contradiction: Evidence | None = None
    otherwise: Evidence | None = None
    for head, tail in _pairs(question):
        evidence = _together(question, head, tail)
        if evidence.label == SUPPORTED:
            return evidence
        if evidence.label == CONTRADICTED:
            contradiction = contradiction or evidence
        elif otherwise is None or evidence.cue is not None:
            otherwise = evidence
    if contradiction is not None:
        return contradiction
    for head, tail in _neighbours(question):
        evidence = _across(question, head, tail)
        if evidence.label == SUPPORTED:
            return evidence
        if evidence.label == CONTRADICTED:
            contradiction = contradiction or evidence
    if contradiction is not None:
        return contradiction
    if otherwise is not None:
        return otherwise
    return question.evidence(
        NOT_SUPPORTED,
        "head and tail are named apart, and nothing joins them",
        question.heads[0],
        question.tails[0],
    )


def _pairs(question: _Question) -> Iterator[tuple[Mention, Mention]]:
    """Mentions in one sentence that do not overlap, the closest first."""
    both = [
        (abs(head.start - tail.start), head, tail)
        for head in question.heads
        for tail in question.tails
        if head.sentence == tail.sentence and (head.end <= tail.start or tail.end <= head.start)
    ]
    for _, head, tail in sorted(both, key=lambda entry: entry[0]):
        yield head, tail


def _neighbours(question: _Question) -> Iterator[tuple[Mention, Mention]]:
    """One in a sentence, the other in the sentence before, or in the first one, which mostly says
    what the passage is about. The nearest first."""
    both = [
        (abs(head.sentence - tail.sentence), head, tail)
        for head in question.heads
        for tail in question.tails
        if abs(head.sentence - tail.sentence) == 1
        or (head.sentence != tail.sentence and 0 in (head.sentence, tail.sentence))
    ]
    for _, head, tail in sorted(both, key=lambda entry: entry[0]):
        yield head, tail


def _together(question: _Question, head: Mention, tail: Mention) -> Evidence:
    """Head and tail in one sentence."""
    text = question.passage.text
    first, second = (head, tail) if head.start < tail.start else (tail, head)
    between = Span(start=first.end, end=second.start)
    sentence = Span(
        start=question.passage.sentences[head.sentence][0],
        end=question.passage.sentences[head.sentence][1],
    )
    cue = _cue(question, head, tail, between) or _framed(question, sentence, first, second)
    denial = _negation(text, sentence, first, second, cue)
    clause = _clause_of(text, sentence, second)
    opposite = _search(
        question.cues.opposite, text, Span(start=max(first.end, clause.start), end=clause.end)
    )
    if denial is not None or opposite is not None:
        said = denial or opposite
        assert said is not None  # noqa: S101  # one of the two
        if _DOUBT.search(text[sentence.start : sentence.end]) is None:
            words = text[said.start : said.end].strip()
            reason = f"the sentence denies it: {words!r}"
            return question.evidence(CONTRADICTED, reason, head, tail, cue, said)
    if cue is None:
        if _cue(question, tail, head, between) is not None:
            return question.evidence(
                NOT_SUPPORTED, "the sentence states it the other way round", head, tail
            )
        return question.evidence(
            NOT_SUPPORTED, "named in one sentence, the relation is not stated", head, tail
        )
    if _DOUBT.search(text[sentence.start : sentence.end]):
        return question.evidence(NOT_SUPPORTED, "stated as open or doubtful", head, tail, cue)
    words = text[cue.start : cue.end].strip()
    return question.evidence(SUPPORTED, f"one sentence states it: {words!r}", head, tail, cue)


def _cue(question: _Question, head: Mention, tail: Mention, between: Span) -> Span | None:
    """The cue between the two mentions in the direction in which they stand."""
    cues, text = question.cues, question.passage.text
    if between.end - between.start > _CLOSE or text.find(";", between.start, between.end) >= 0:
        return None
    if cues.symmetric:
        return _search(cues.forward, text, between)
    return _search(cues.forward if head.start < tail.start else cues.backward, text, between)


def _framed(question: _Question, sentence: Span, first: Mention, second: Mention) -> Span | None:
    """A cue outside the stretch between the mentions: `the main symptoms of H are T`."""
    text = question.passage.text
    for part in (
        Span(start=sentence.start, end=first.start),
        Span(start=second.end, end=sentence.end),
    ):
        if (cue := _search(question.cues.frame, text, part)) is not None:
            clause = _CLAUSE.search(text, min(cue.end, first.start), max(cue.start, second.end))
            if clause is None or question.cues.symmetric:
                return cue
    return None


def _search(pattern: re.Pattern[str] | None, text: str, span: Span) -> Span | None:
    if pattern is None or span.end <= span.start:
        return None
    # On a slice, so that ^ and $ mean its ends.
    match = pattern.search(text[span.start : span.end])
    if match is None:
        return None
    return Span(start=span.start + match.start(), end=span.start + match.end())


def _negation(
    text: str, sentence: Span, first: Mention, second: Mention, cue: Span | None
) -> Span | None:
    """A negation whose scope reaches the statement: in the clause of the cue or, without a cue
    between, close before the later mention; or one that opens the clause of both."""
    start = max(sentence.start, first.start - _REACH)
    for match in _NEGATION.finditer(text, start, sentence.end):
        span = Span(start=match.start(), end=match.end())
        if match.start() >= second.end:
            continue
        governs = cue if cue is not None and cue.start > match.start() else None
        target = min(governs.start, second.start) if governs else second.start
        if _CLAUSE.search(text, match.end(), target) is not None:
            continue
        if match.end() <= first.start and _CLAUSE.search(text, match.end(), first.end):
            continue
        if target - match.end() <= _REACH:
            return span
    return None


def _clause_of(text: str, sentence: Span, mention: Mention) -> Span:
    """The clause of the sentence that a mention stands in."""
    start, end = sentence.start, sentence.end
    for match in _CLAUSE.finditer(text, sentence.start, sentence.end):
        if match.end() <= mention.start:
            start = match.end()
        elif match.start() >= mention.end:
            end = match.start()
            break
    return Span(start=start, end=end)


def _across(question: _Question, head: Mention, tail: Mention) -> Evidence:
    """One of the two is what an earlier sentence speaks of; the other's sentence takes it up."""
    text = question.passage.text
    later = tail if tail.sentence > head.sentence else head
    others = question.heads if later is tail else question.tails
    begin, end = question.passage.sentences[later.sentence]
    if any(m.sentence == later.sentence and m.how != "short" for m in others):
        return question.evidence(NOT_SUPPORTED, "the relation is not stated", head, tail)
    sentence = Span(start=begin, end=end)
    cue = _taken_up(question, sentence, later, later is tail)
    topic = Mention(start=begin, end=begin, sentence=later.sentence, how="anaphor")
    denial = _negation(text, sentence, topic, later, cue)
    if cue is None and question.relation not in _DENIED_ALONE:
        denial = None
    opposite = _search(question.cues.opposite, text, _clause_of(text, sentence, later))
    if cue is None and denial is None and opposite is None:
        return question.evidence(
            NOT_SUPPORTED, "named in different sentences, the relation is not stated", head, tail
        )
    if denial is not None or opposite is not None:
        return question.evidence(
            CONTRADICTED, "a later sentence denies it", head, tail, cue, denial or opposite
        )
    if _DOUBT.search(text[begin:end]):
        return question.evidence(NOT_SUPPORTED, "stated as open or doubtful", head, tail, cue)
    assert cue is not None  # noqa: S101  # nothing denies it, so it is what brought us here
    words = text[cue.start : cue.end].strip()
    return question.evidence(SUPPORTED, f"a later sentence states it: {words!r}", head, tail, cue)


def _taken_up(question: _Question, sentence: Span, later: Mention, is_tail: bool) -> Span | None:
    """The cue by which a sentence says something of what an earlier one named."""
    cues, text = question.cues, question.passage.text
    before, after = (
        Span(start=sentence.start, end=later.start),
        Span(start=later.end, end=sentence.end),
    )
    anaphor = _ANAPHOR.match(text[sentence.start : sentence.end])
    if anaphor is not None and sentence.start + anaphor.end() <= later.start:
        said = Span(start=sentence.start + anaphor.end(), end=later.start)
        pattern = cues.forward if is_tail else cues.backward
        if (cue := _search(pattern, text, said)) is not None:
            return cue
    frame = cues.frame
    return _search(frame, text, after) or _search(frame, text, before)
