"""Which of the candidates in a question an answer commits itself to: a mention is no choice.

Each sentence affirms a candidate, rejects it or only compares with it; the answer is what the most
committed sentence affirms: one that concludes, or is nothing but the name, before one that speaks
of what was asked, before any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.sentences import Sentence, asks_the_reader
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.text.lexicon import word_set
from factmark.text.words import normalise

_CONCLUDES = re.compile(
    r"\b(?:(?:correct|right|final|best|my|short)\s+(?:answer|option|choice)|the\s+answer|answer\s*(?:is|:)"
    r"|therefore|thus|hence|in\s+conclusion|in\s+summary|overall|to\s+sum\s+up|i\s+(?:choose|pick|would\s+say))\b",
    re.IGNORECASE,
)
_ANSWER_KEYS = word_set("answer choice option result selection")
_COMPARED = word_set(  # what stands before a candidate that is only compared with
    "than unlike versus vs vs. over behind beyond besides except excluding compared to with exceeds"
    " exceeding exceed leads tops trumps outnumbers outnumber beats beat surpasses surpass"
    " surpassing outsold trails"
)
_LISTED = word_set("among between of from out")
_DENIED = word_set("not nor neither never no isn't wasn't aren't weren't isn’t wasn’t")
_DENIES_AFTER = re.compile(
    r"\b(?:not|never|no|neither|cannot|lacks?|fails?|incorrect|wrong|false)\b|n['’]t\b",
    re.IGNORECASE,
)
_BREAKS = word_set(", ; : . — – ( ) but while whereas although though however")
_CLAUSES = _BREAKS | word_set("so and")
_JOINS = word_set(", and or & / the a an both either")
_MORE = word_set(
    "more most greater greatest larger largest bigger biggest higher highest longer longest deeper"
    " deepest taller tallest heavier heaviest wider older oldest faster further farther"
)
_LESS = word_set(
    "fewer fewest less least smaller smallest lower lowest shorter shortest shallower lighter"
    " narrower younger youngest slower nearer cheaper cheapest"
)
_EARLY = word_set("first earlier earliest sooner before")
_LATE = word_set("second later latest last after")
_DIRECTIONS = (_MORE, _LESS, _EARLY, _LATE)
_OPPOSITE = {0: 1, 1: 0, 2: 3, 3: 2}
_ABOUT = 1 / 3  # of the question's other content words that a sentence on it has


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Tokens of a sentence that name a candidate, and whether it affirms it."""

    candidate: int
    start: int
    end: int
    affirmed: bool = True


def chosen(
    question: str, candidates: Sequence[str], sentences: Sequence[Sentence]
) -> tuple[str, ...]:
    """Returns the candidates that an answer gives as its answer, in the question's order; none
    where it commits itself to none of them.

    Args:
        candidates: as the question names them (`candidates_of`).
        sentences: of the answer, as they are read.
    """
    best: tuple[int, int] = (0, 0)
    answer: set[int] = set()
    several: set[int] = set()
    about = _asked_about(question, candidates)
    for sentence in sentences:
        affirmed = []
        for n in _namings(sentence, candidates, question):
            if n.affirmed:
                affirmed.append(n)
        names = {naming.candidate for naming in affirmed}
        if not affirmed or asks_the_reader(sentence):
            continue
        weight = _commitment(sentence, about, names, candidates)
        in_list = sentence.segment.kind in ("item", "cell")
        if in_list and weight[0] < _CONCLUDING:
            several |= names
        if weight > best or (weight[0] == best[0] == _CONCLUDING):
            best = weight
            answer = _of_best_clause(sentence, affirmed, about)
    if best[0] < _CONCLUDING and len(several) < len(candidates):
        answer = answer | several
    return tuple(name for place, name in enumerate(candidates) if place in answer)


_CONCLUDING = 3
_ON_THE_QUESTION = 2
_ANYHOW = 1


def _commitment(
    sentence: Sentence, about: frozenset[str], affirmed: set[int], candidates: Sequence[str]
) -> tuple[int, int]:
    """How far a sentence commits the answer to what it affirms, and how much of the question it
    says again."""
    names: set[str] = set()
    for place in affirmed:
        names.update(normalise(candidates[place]))
    is_bare = names.issuperset(content_words(sentence.plain))
    is_value = not _ANSWER_KEYS.isdisjoint(sentence.under)
    shared = len(about & _words_and_directions(sentence.words))
    in_list = sentence.segment.kind in ("item", "cell")
    if (is_bare and not in_list) or is_value or _CONCLUDES.search(sentence.plain):
        return _CONCLUDING, shared
    is_on_it = shared > _ABOUT * len(about) or not about.isdisjoint(_directions(sentence.words))
    return (_ON_THE_QUESTION if is_on_it else _ANYHOW), shared


def _of_best_clause(
    sentence: Sentence, affirmed: Sequence[Naming], about: frozenset[str]
) -> set[int]:
    """The candidates of the clause that says most of what is asked; all where none says more."""
    clauses: dict[tuple[int, int], set[int]] = {}
    for naming in affirmed:
        clauses.setdefault(_clause_around(sentence, naming), set()).add(naming.candidate)
    shares = {}
    for clause in clauses:
        shares[clause] = len(about & _words_and_directions(sentence.words[slice(*clause)]))
    most = max(shares.values())
    return set[int]().union(*(clauses[clause] for clause in clauses if shares[clause] == most))


def _clause_around(sentence: Sentence, naming: Naming) -> tuple[int, int]:
    """The first word of the clause that a name stands in, and the one after its last."""
    words = sentence.words
    starts = []
    for at in range(naming.start):
        if words[at] in _CLAUSES:
            starts.append(at + 1)
    ends = []
    for at in range(naming.end, len(words)):
        if words[at] in _CLAUSES:
            ends.append(at)
    return max(starts, default=0), min(ends, default=len(words))


def _asked_about(question: str, candidates: Sequence[str]) -> frozenset[str]:
    """The words of a question that say what is asked of its candidates, and which way."""
    named: set[str] = set()
    for name in candidates:
        named.update(normalise(name))
    plain = re.sub(r"\([^()]*\)", "", question)
    return frozenset({*content_words(plain), *_directions(_plain_words(question))} - named)


def _plain_words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[\w'’-]+", text.casefold())


def _words_and_directions(words: Sequence[str]) -> set[str]:
    """The content words of a stretch, and which way it compares."""
    return {*content_words(" ".join(words)), *_directions(words)}


def _directions(words: Sequence[str]) -> set[str]:
    """Which ways words compare, by a name that no text has."""
    directions = set()
    for at, way in enumerate(_DIRECTIONS):
        if not way.isdisjoint(words):
            directions.add(f"<{at}>")
    return directions


def _namings(sentence: Sentence, candidates: Sequence[str], question: str) -> Iterator[Naming]:
    """Yields where a sentence names candidates, and whether it affirms them there."""
    places = list(_places(sentence.tokens, candidates))
    turned = _turns_round(sentence, question)
    for group in _groups(sentence.tokens, places):
        names = {candidate for candidate, _, _ in group}
        start = group[0][1]
        end = group[-1][2]
        before = []
        for token in sentence.tokens[max(0, start - 3) : start]:
            before.append(token.lower)
        compared = _is_compared(before)
        after = _rest_of_clause(sentence, end)
        denied = _is_denied(after, before) or _is_least(after, question)
        listed = len(names) == len(candidates) and "both" not in before
        listed = listed or (len(names) > 1 and not _LISTED.isdisjoint(before))
        affirmed = not (denied or listed or compared)
        if turned and not listed and not denied:
            affirmed = compared
        for candidate, first, last in group:
            yield Naming(candidate=candidate, start=first, end=last, affirmed=affirmed)


def _is_compared(before: Sequence[str]) -> bool:
    """Whether what stands before a name says that it is only compared with."""
    return not _COMPARED.isdisjoint(before[-2:])


def _rest_of_clause(sentence: Sentence, start: int) -> list[str]:
    """The words from a place up to the end of the clause."""
    rest = sentence.words[start:]
    end = next((at for at, word in enumerate(rest) if word in _BREAKS), len(rest))
    return rest[:end]


def _is_denied(after: Sequence[str], before: Sequence[str]) -> bool:
    """Whether the words around a name say that it is not the one."""
    if not _DENIED.isdisjoint(before[-2:]) and "," not in before[-1:]:
        return True
    return _DENIES_AFTER.search(" ".join(after)) is not None


def _is_least(after: Sequence[str], question: str) -> bool:
    """Whether the words after a name say the opposite of what is asked: *AGC the fewest*."""
    return "than" not in after and _is_opposite(set(after), question)


def _is_opposite(words: set[str], question: str) -> bool:
    """Whether words point the other way than the question does, and not its way."""
    asked = _plain_words(question)
    directions = []
    for at, way in enumerate(_DIRECTIONS):
        if not way.isdisjoint(asked):
            directions.append(at)
    return any(
        not _DIRECTIONS[_OPPOSITE[at]].isdisjoint(words) and _DIRECTIONS[at].isdisjoint(words)
        for at in directions
    )


def _turns_round(sentence: Sentence, question: str) -> bool:
    """Whether a sentence compares the other way than the question does: *B has fewer than A*."""
    words = set(sentence.words)
    return "than" in words and _is_opposite(words, question)


def _groups(
    tokens: Sequence[Token], places: Sequence[tuple[int, int, int]]
) -> list[list[tuple[int, int, int]]]:
    """The names of a sentence, those together that are listed (`A, B and C`)."""
    groups: list[list[tuple[int, int, int]]] = []
    for place in places:
        between: Sequence[Token] = ()
        if groups:
            between = tokens[groups[-1][-1][2] : place[1]]
        named: set[int]
        if groups:
            named = {candidate for candidate, _, _ in groups[-1]}
        else:
            named = {place[0]}
        if place[0] not in named and _JOINS.issuperset(token.lower for token in between):
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _places(tokens: Sequence[Token], candidates: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yields each candidate that tokens name, with its first token and the one after the last: by
    its words, or a run of them that holds one which no other candidate has."""
    names = [normalise(name) for name in candidates]
    own = []
    for name in names:
        own.append({w for w in name if not any(w in other for other in names if other is not name)})
    at = 0
    while at < len(tokens):
        lengths = [
            (_run(tokens, at, name, own[place], candidates[place]), place)
            for place, name in enumerate(names)
        ]
        length, place = max(lengths, key=lambda pair: (pair[0], -pair[1]))
        if length:
            yield place, at, at + length
        at += max(1, length)


def _run(
    tokens: Sequence[Token], at: int, name: tuple[str, ...], own: set[str], written: str
) -> int:
    """How many tokens from a place on are a run of a name's words; 0 where that names it not."""
    words: tuple[str, ...] = ()
    end = at
    while end < len(tokens) and tokens[end].words and tokens[end].kind != Kind.MARK:
        longer = words + tokens[end].words
        if not any(longer == name[i : i + len(longer)] for i in range(len(name))):
            break
        words = longer
        end = end + 1
    if not words or own.isdisjoint(words):
        return 0
    is_short = len(written) < _SHORTEST
    if is_short and (words != name or tokens[at].text != written):
        return 0
    if is_short and is_article(tokens, at, end):
        return 0
    return end - at


_SHORTEST = 3  # letters of a name that is known by its words, in any case


def is_article(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether a name of one letter is the article or the pronoun: a small word follows."""
    following = ""
    if end < len(tokens):
        following = tokens[end].text
    return tokens[at].text in ("A", "I") and following[:1].islower() and following not in _VERBS


_VERBS = word_set("is was has had does did and or would can are were because")
