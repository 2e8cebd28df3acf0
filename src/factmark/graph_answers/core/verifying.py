"""The rule judge of answers: does an answer say what its reference says?

It compares words, so it knows no synonyms and no directions; an LLM or people judge better.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, NamedTuple

from factmark.graph_answers.core.names import (
    NAMED_APART,
    ContentWord,
    akin,
    content,
    covered,
    is_among,
    is_number,
    spelt_by,
    words,
)
from factmark.graph_answers.core.records import GraphQuestion
from factmark.replies import parse_reply
from factmark.text.names import american, name_words

AnswerLabel = Literal["CORRECT", "INCORRECT"]

THRESHOLD = 0.5
"""Share of a reference's main words that a right answer has at least."""

SHORT = 2
"""A reference of so many main words is a name: all of them are needed."""

NAME_WORDS = 4
"""A reference of at most so many words that say something is a name, or a list of names."""

_TELLING = 10  # letters of a word that tells by itself which disease it is: `nephropathy`

_BRACKETS = re.compile(r"\s*\(([^()]{2,60})\)")
_LEAD = re.compile(
    r"\W*(yes|no)\s*(?:$|[,.;:!?–—]|(?=\b(?:it|its|they|this|that|these|there|he|she|not)\b))",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[,;](?!\d)|\band\b|&)\s*(?:and\s+)?", re.IGNORECASE)
_WHO = re.compile(r"\bwho(?:m|se)?\b|\b(?:scientist|physician|doctor|person)s?\b", re.IGNORECASE)
_OPPOSITES = (
    "increase decrease",
    "raise lower",
    "high low",
    "higher lower",
    "more less",
    "gain loss",
    "gain lose",
    "acute chronic",
    "before after",
    "above below",
    "upper lower",
    "left right",
    "prevent cause",
    "improve worsen",
    "stimulate inhibit",
    "activate inhibit",
    "activate block",
    "start stop",
    "positive negative",
    "benign malignant",
    "systolic diastolic",
    "rise fall",
    "proximal distal",
    "inherited acquired",
    "excess deficiency",
    "strengthen weaken",
    "common rare",
    "alpha beta",
    "dilate constrict",
    "large small",
    "fast slow",
    "early late",
)
_OPPOSITE: dict[str, set[str]] = {}
for _pair in _OPPOSITES:
    _left, _right = (american(name_words(word)[0]) for word in _pair.split())
    _OPPOSITE.setdefault(_left, set()).add(_right)
    _OPPOSITE.setdefault(_right, set()).add(_left)


class _Match(NamedTuple):
    """How an answer compares with one reference: the share of main words, what speaks against."""

    share: float
    right: bool
    reason: str
    against: str = ""


def verify(question: GraphQuestion, text: str) -> tuple[AnswerLabel, str]:
    """Returns CORRECT or INCORRECT and why, by the best of the references of a free-text question.

    Right is what has at least half of a reference's main words (those that the question does not
    have already), of a name of one or two words all. The last word alone does for a person, and for
    a disease that it tells by itself. Of a list at least half of the items are needed, of two both;
    of a reference that begins with yes or no, that decides. Nothing is right whose numbers differ
    in the same unit, that denies what the reference asserts, or puts its opposite. Agreement with
    labels: `tests/graphrag/test_verifying.py`; on answers that chose no rule it was 23 of 30.

    Args:
        text: as `read_answer` read it.
    """
    matches = []
    for reference in question.references:
        for form in forms(reference):
            matches.append(_compare(question.text, form, text))
    _, right, reason, _ = max(matches, key=lambda match: (match.right, match.share))
    return ("CORRECT" if right else "INCORRECT"), reason


def forms(reference: str) -> tuple[str, ...]:
    """Returns the ways to read a reference: as it stands and, if it has an abbreviation in
    brackets, each of the two alone.

    >>> forms("glucagon-like peptide-1 (GLP-1)")
    ('glucagon-like peptide-1', 'GLP-1')
    >>> forms("glucagon-like peptide-1 (GLP-1) agonists")
    ('glucagon-like peptide-1 agonists', 'GLP-1 agonists')
    """
    brackets = list(_BRACKETS.finditer(reference))
    if len(brackets) != 1 or " " in brackets[0][1].strip():
        return (reference,)
    bracket = brackets[0]
    short = brackets[0][1].strip()
    before = reference[: bracket.start()]
    after = reference[bracket.end() :]
    if not before.strip():
        return (reference,)
    full = (before + after).strip()
    if not after.strip(" ."):
        return full, short
    meant = spelt_by(short, before)
    if not meant or not before.endswith(meant):
        return (full,)
    return full, before.removesuffix(meant) + short + after


def listed(reference: str) -> tuple[str, ...]:
    """Returns the items of a reference that lists names of at most three words; empty if it is no
    list.

    >>> listed("thirst, weight loss and fatigue"), listed("loss of weight")
    (('thirst', 'weight loss', 'fatigue'), ())
    """
    parts = tuple(part for part in _LISTED.split(reference) if part.strip())
    if len(parts) < 2 or not all(0 < len(content(part)) < NAME_WORDS for part in parts):
        return ()
    return parts


def main_words(question: str, reference: str) -> tuple[ContentWord, ...]:
    """Returns the words of a reference that the question does not have already; all if it has
    all."""
    asked = set(content(question))
    every = tuple(dict.fromkeys(words(reference)))
    return tuple(word for word in every if word.key not in asked) or every


def _compare(question: str, reference: str, text: str) -> _Match:
    """Returns how an answer compares with a reference; if that is a list, by how many of its items
    the answer has."""
    lead = _LEAD.match(reference)
    if lead is not None:
        answer = parse_reply(text, ("YES", "NO"))
        if answer is not None:
            match = _compare_words(question, reference[lead.end() :], text)
            same = answer == lead[1].upper()
            finding = f"says {answer.lower()}, {'as the' if same else 'the'} reference"
            if not same:
                return _Match(0.0, False, f"{finding} {lead[1].lower()}")
            if match.against:
                return _Match(0.0, False, f"{finding}, but {match.against}", match.against)
            return _Match(1.0, True, finding)
    items = listed(reference)
    if not items:
        return _compare_words(question, reference, text)
    matches = [_compare_words(question, item, text, reference) for item in items]
    right = sum(match.right for match in matches)
    finding = f"{right} of {len(items)} items of {reference!r}"
    share = right / len(items)
    against = next((match.against for match in matches if match.against), "")
    if against:
        return _Match(share, False, f"{finding}, but {against}", against)
    return _Match(share, share >= THRESHOLD and (share == 1 or len(items) > SHORT), finding)


def _compare_words(question: str, reference: str, text: str, whole: str = "") -> _Match:
    """Returns how an answer compares with a reference that is no list, or with one item of a list.

    Args:
        whole: the list.
    """
    main = main_words(question, reference)
    if not main:
        same = name_words(reference) == name_words(text)
        return _Match(float(same), same, "the same words" if same else "other words")
    every = words(text)
    stated = tuple(dict.fromkeys(every))
    joined = tuple(dict.fromkeys(_join_neighbours(every)))
    denied = {word.key for word in stated if word.negated}
    denied -= {word.key for word in stated if not word.negated}
    short = covered(reference, text, frozenset(denied))
    hits = []
    for n, word in enumerate(main):
        if (
            word.key in short
            or is_among(word, stated + joined)
            or any(
                is_among(other, stated) for other in _join_neighbours(main[max(0, n - 1) : n + 2])
            )
        ):
            hits.append(word)
    share = len(hits) / len(main)
    finding = f"{len(hits)} of {len(main)} main words of {reference!r}"
    against = _contradiction(main, hits, stated, question)
    if against is not None:
        return _Match(share, False, f"{finding}, but {against}", against)
    right = share >= (1 if len(main) <= SHORT else THRESHOLD)
    head = _is_head_word_alone(main, hits, stated, f"{question} {whole}", reference)
    return _Match(share, right or head, finding)


def _join_neighbours(words: tuple[ContentWord, ...]) -> tuple[ContentWord, ...]:
    """Returns each two neighbours as one word, so that "pre diabetes" is found as "prediabetes"."""
    return tuple(ContentWord(a.key + b.key, b.negated) for a, b in dict.fromkeys(pairwise(words)))


def _is_head_word_alone(
    main: tuple[ContentWord, ...],
    hits: list[ContentWord],
    stated: tuple[ContentWord, ...],
    question: str,
    reference: str,
) -> bool:
    """Whether an answer names the reference by its chief word and adds nothing else.

    The chief word is the last of a person's name ("Banting") or of a disease if it is distinctive
    ("nephropathy", not "acidosis"), or the figure or year that the reference begins with.
    Arguments as of `_contradiction`.
    """
    asked = set(content(question))
    rest = []
    for word in stated:
        if word.key not in asked:
            rest.append(word)
    figure = is_number(main[0].key) and (len(main[0].key) > 3 or not main[0].key.isdigit())
    if figure:
        chief = main[0]
    else:
        chief = main[-1]
    person = _WHO.search(question) and all(part[0].isupper() for part in reference.split())
    disease = len(chief.key) >= _TELLING and chief.key.endswith(NAMED_APART)
    return (
        chief in hits
        and bool(figure or person or disease)
        and all(any(akin(other.key, word.key) for word in hits) for other in rest)
    )


def _contradiction(
    main: tuple[ContentWord, ...],
    hits: list[ContentWord],
    stated: tuple[ContentWord, ...],
    question: str,
) -> str | None:
    """Returns why an answer goes against the reference (another number, the opposite, a denial);
    None if it does not.

    Args:
        main: the main words of the reference.
        hits: those of them that the answer has.
        stated: the words of the answer.
    """
    asked = set(content(question))
    if any(is_number(word.key) and word.key in asked for word in main):
        echoed = set()
    else:
        echoed = asked
    ours = _asserted_numbers(main, set())
    theirs = _asserted_numbers(stated, echoed)
    for unit in ours.keys() & theirs.keys():
        if not ours[unit] & theirs[unit]:
            return f"the number is {min(theirs[unit])}, not {min(ours[unit])}"
    for word in main:
        if word in hits:
            continue
        others = _OPPOSITE.get(word.key, ())
        opposite = next((w for w in stated if w.key in others and w.negated == word.negated), None)
        if opposite:
            return f"{opposite.key!r} for {word.key!r}"
        if any(akin(word.key, other.key) for other in stated) and not is_number(word.key):
            return f"{word.key!r} is {'asserted' if word.negated else 'denied'}"
    return None


def _asserted_numbers(stated: tuple[ContentWord, ...], without: set[str]) -> dict[str, set[str]]:
    """Returns unit -> the numbers in it that are not denied, except those of `without`."""
    out: dict[str, set[str]] = {}
    for word in stated:
        if is_number(word.key) and not word.negated and word.key not in without:
            figure = re.match(r"[\d.]+", word.key)
            unit = ""
            if figure:
                unit = word.key[figure.end() :]
            out.setdefault(unit, set()).add(word.key)
    return out
