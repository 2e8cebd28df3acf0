"""Does a passage state a triple? The rule judge of support, by words alone. Pure.

A passage states a triple where one sentence names head and tail and little but words of the
relation (`cues.py`) stands between them; with a negation between them too it denies it. Whatever
else it says is left undecided: of pairs that people labelled such sentences were right in nine of
ten, those that merely stand in one sentence as often as not (docs/graphs.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from factmark.graphs.core.claims import WORDINGS, EvidenceMark, Role, RuleVerdict, Triple
from factmark.graphs.core.cues import Cues, content_words, cues_of, words_of
from factmark.graphs.core.licence import has_licence
from factmark.graphs.core.licence_words import without_certain
from factmark.graphs.core.mentions import (
    NameMention,
    SplitPassage,
    find_mentions,
    keys,
    name_forms,
    read_passage,
)
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.statements import find_statement, names_stand_alone
from factmark.label_values import CONTRADICTED, SUPPORTED
from factmark.text.lexicon import ADVERBS, AUXILIARIES, DETERMINERS, PREPOSITIONS

_NEGATION = re.compile(
    r"\b(?:not(?!\s+(?:the\s+)?only\b)|no|none|never|neither|nor|cannot|without|fail(?:s|ed)?\s+to|unable\s+to"
    r"|lack(?:s|ed)?|absence|rarely|seldom|unlikely|rather\s+than|contrary\s+to|ruled\s+out)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not\s+the\s+only|whether|unclear|uncertain|unknown|debated|under\s+study|proposed|might|possibly|perhaps)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r";|\b(?:whereas|while|although|though|but|however|because|which)\b|,\s+(?:and|yet)\b",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(r"[^\s]-$")  # `X on isoproterenol-induced Y`: not X induced it
_BESIDE = {  # may stand beside words of the relation; `known for one part of it` states no part
    part for word in AUXILIARIES | ADVERBS | DETERMINERS for part in words_of(word)
} - PREPOSITIONS - {"may", "might", "could", "should", "ought", "must", "either"} | {"to", "used"}
_CLOSE = 160  # characters


def judge_support(
    triple: Triple,
    text: str,
    ontology: Ontology | None = None,
    wordings: Mapping[str, str] = WORDINGS,
) -> RuleVerdict:
    """Returns SUPPORTED or CONTRADICTED where a sentence of the passage `text` states or denies the
    triple; no label, and why, where none does.

    Args:
        ontology: for synonyms of head and tail; without one only their own words are looked for.
        wordings: relation -> wording; one that is not built in gives the words to look for.
    """
    passage, heads, tails = _find_names(triple, text, ontology)
    cues = cues_of(triple.relation, wordings)
    if not text.strip():
        reason = "no passage"
    elif cues is None:
        reason = f"no words known for the relation: {triple.relation}"
    elif not heads or not tails:
        names = []
        for n, m in ((triple.head, heads), (triple.tail, tails)):
            if not m:
                names.append(n)
        reason = f"not named in the passage: {' and '.join(names)}"
    elif evidence := _find_evidence(passage, cues, heads, tails):
        return RuleVerdict(label=evidence.label, reason=evidence.reason)
    else:
        reason = "no sentence says it in the words that the rules know"
    return RuleVerdict(label=None, reason=reason)


def evidence_marks(
    triple: Triple,
    text: str,
    ontology: Ontology | None = None,
    wordings: Mapping[str, str] = WORDINGS,
) -> tuple[EvidenceMark, ...]:
    """Returns where the passage `text` names head and tail, for people to look at, whoever judges.

    Those of the sentence that states or denies the triple, with the words of the relation and of
    the negation; where none does, the first ones. Arguments as of `judge_support`.
    """
    passage, heads, tails = _find_names(triple, text, ontology)
    cues = cues_of(triple.relation, wordings)
    evidence = None
    if cues:
        evidence = _find_evidence(passage, cues, heads, tails)
    if evidence:
        return evidence.marks()
    return _name_marks(heads[:1], tails[:1])


class _Evidence(NamedTuple):
    """What a sentence says of a triple, by which names and words; where nothing is denied there is
    no `denial`."""

    label: str
    reason: str
    head: NameMention
    tail: NameMention
    cue: re.Match[str]
    denial: re.Match[str] | None

    def marks(self) -> tuple[EvidenceMark, ...]:
        """Returns where the names and words stand."""
        offset = min(self.head.end, self.tail.end)
        marks = [*_name_marks([self.head], [self.tail]), _mark_of_match("cue", self.cue, offset)]
        if self.denial is not None:
            marks.append(_mark_of_match("negation", self.denial, offset))
        return tuple(marks)


def _find_names(
    triple: Triple, text: str, ontology: Ontology | None
) -> tuple[SplitPassage, list[NameMention], list[NameMention]]:
    """Returns the passage in sentences and words, where it names the head, and where the tail."""
    passage = read_passage(text)
    heads = find_mentions(passage, name_forms(triple.head, passage, ontology))
    tails = find_mentions(passage, name_forms(triple.tail, passage, ontology))
    return passage, heads, tails


def _name_marks(heads: list[NameMention], tails: list[NameMention]) -> tuple[EvidenceMark, ...]:
    """Returns a mark for each place where head or tail is named."""
    sides: tuple[tuple[Role, list[NameMention]], ...] = (("head", heads), ("tail", tails))
    return tuple(
        EvidenceMark(role=role, start=mention.start, end=mention.end)
        for role, mentions in sides
        for mention in mentions
    )


def _find_evidence(
    passage: SplitPassage, cues: Cues, heads: list[NameMention], tails: list[NameMention]
) -> _Evidence | None:
    """Returns the first sentence that states the triple, else the first that denies it, else
    None."""
    denial = None
    for head, tail in _adjacent_names(heads, tails):
        evidence = _evidence_between(passage, cues, head, tail)
        if evidence is not None and evidence.label == SUPPORTED:
            return evidence
        denial = denial or evidence
    return denial


def _adjacent_names(
    heads: list[NameMention], tails: list[NameMention]
) -> Iterator[tuple[NameMention, NameMention]]:
    """Yields each pair of head and tail that one sentence names with no other mention of either
    between."""
    mentions = [(m.start, m.end, 0, m) for m in heads] + [(m.start, m.end, 1, m) for m in tails]
    mentions.sort(key=lambda entry: entry[:3])
    for (_, end, side, first), (start, _, other, second) in pairwise(mentions):
        if side != other and end <= start and first.sentence == second.sentence:
            if side == 0:
                yield (first, second)
            else:
                yield (second, first)


def _evidence_between(
    passage: SplitPassage, cues: Cues, head: NameMention, tail: NameMention
) -> _Evidence | None:
    """Returns what the words between two names say of the triple; None unless they are words of the
    relation and little else."""
    if head.start < tail.start:
        first, second = (head, tail)
    else:
        first, second = (tail, head)
    words = passage.text[first.end : second.start]
    if len(words) > _CLOSE or _CLAUSE.search(words):
        return None
    cue = _find_cue(words, cues, forward=first is head)
    if cue and cue[0] == "(":
        if _is_abbreviated(passage, first, second):
            cue = cue
        else:
            cue = None
    elif cue and not cues.further:
        if names_stand_alone(passage, first, second):
            cue = cue
        else:
            cue = None
    if cue is None and (plain := cues.plain if first is head else cues.plain_backward):
        cue = find_statement(passage, first, second, plain)
    if cue is None:
        return None
    beside = f"{words[: cue.start()]} {words[cue.end() :]}"
    if not has_licence(passage, first, second, beside):
        return None
    if (denial := _NEGATION.search(words)) and not cues.symmetric:
        reason = f"one sentence denies it: {denial[0]!r}"
        return _Evidence(CONTRADICTED, reason, head, tail, cue, denial)
    if _is_negated_or_doubted(passage.text[slice(*passage.sentences[first.sentence])]):
        return None
    reason = f"one sentence states it: {cue[0].strip()!r}"
    return _Evidence(SUPPORTED, reason, head, tail, cue, None)


def _mark_of_match(role: Role, match: re.Match[str], offset: int) -> EvidenceMark:
    """Returns the mark of what a pattern matched in a text that begins at `offset`."""
    return EvidenceMark(role=role, start=offset + match.start(), end=offset + match.end())


def _find_cue(words: str, cues: Cues, *, forward: bool) -> re.Match[str] | None:
    """Returns the words of the relation, if nothing but auxiliaries, articles and adverbs stand
    beside them, or as many content words as the relation allows; else None."""
    pattern = cues.pattern(forward=forward)
    if pattern:
        for match in pattern.finditer(words):
            before = words[: match.start()]
            after = words[match.end() :]
            if _OF_ANOTHER.search(before) and match.start() > 1:
                continue
            beside = f"{before} {after}"
            if cues.further and len(content_words(beside)) <= cues.further:
                return match
            if all(word in _BESIDE or word in cues.beside for word in words_of(beside)):
                return match
    return None


def _is_abbreviated(passage: SplitPassage, first: NameMention, second: NameMention) -> bool:
    """Whether the passage shortens the first of two names to the second: `long form (LF)`."""
    names = (keys(passage.text[name.start : name.end]) for name in (first, second))
    return tuple(names) in passage.abbreviations


@lru_cache(maxsize=64)
def _is_negated_or_doubted(sentence: str) -> bool:
    """Whether a sentence holds any word of negation or doubt."""
    plain = without_certain(sentence)
    return bool(_NEGATION.search(plain) or _DOUBT.search(plain))
