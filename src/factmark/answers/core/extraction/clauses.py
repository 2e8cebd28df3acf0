"""Reads an answer once: markdown -> segments -> sentences -> tokens -> clauses.

Facts, verdict and absence are all found in the clauses that this leaves. What spells an element of
G, and what is one name by its form, is glued before: it can hold what would end a phrase elsewhere
(`Research and development`, `Calcium [Mass/volume] in Blood`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from factmark.answers.core.extraction.about_itself import asides, opening, states_nothing
from factmark.answers.core.extraction.tokens import Kind, Token, tokenise
from factmark.answers.core.matching import Targets, value_of
from factmark.text import lexicon
from factmark.text.lexicon import word_set
from factmark.text.markdown import EDGE, Segment, segments
from factmark.text.sentences import sentences

_WINDOW = 600  # characters of a clause that are read for E4; longer ones are no sentences
_LONGEST_KEY = 6  # tokens
_NUMBERING = word_set("# rank no no. nr nr. position pos n° № idx")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that states something about the data.

    Attributes:
        tokens: without those that only lead up to the statement (E4).
        text: the begin of the clause with its markup masked as spaces.
        segment: where it stands.
        states: whether it says something of the data; else it has no tokens.
        key: whether it stands before a colon at the begin of a line (`Architect: J. Weir`).
    """

    tokens: list[Token]
    text: str
    segment: Segment
    states: bool = True
    key: bool = False


def read(answer: str, targets: Targets) -> list[Clause]:
    """The clauses of an answer that can hold facts, in order; linear in its length.

    Queries and code, the numbering of tables, questions to the reader, and clauses about the search
    or the assistant (E4) are left out. A sentence that stands in such a place again is read once.
    """
    out: list[Clause] = []
    known: set[tuple[str, ...]] = set()
    for segment in segments(answer):
        if segment.kind == "unread" or segment.column in _NUMBERING:
            continue
        for start, end in _sentences(segment.text):
            text = segment.text[start:end]
            place = (text, segment.kind, segment.group, segment.column)
            if place not in known:
                known.add(place)
                if segment.kind == "cell" or not text.rstrip().endswith("?"):
                    out.extend(_statements(text, start, segment, targets))
    return out


def _statements(text: str, at: int, segment: Segment, targets: Targets) -> Iterator[Clause]:
    begin = segment.start + at
    tokens = tokenise(text, begin)
    anchor(tokens, targets)
    _join_names(tokens)
    hidden = bytearray(len(text))  # 1 where a source is named
    for a, b in asides(text):
        hidden[a:b] = b"\1" * (b - a)
    skip = begin + opening(text)
    parts = [clause for clause in clauses(tokens) if clause]
    before = segment.text[max(0, at - 8) : at].rstrip(" " + EDGE)
    opens = segment.kind in ("text", "item") and before[-1:] in ("", "\n") and len(parts) > 1
    for index, clause in enumerate(parts):
        low = clause[0].start if clause[-1].end <= skip else max(clause[0].start, skip)
        high = min(clause[-1].end, low + _WINDOW)
        words = text[low - begin : high - begin].replace(EDGE, " ")
        if states_nothing(words):
            yield Clause([], words, segment, states=False)
            continue
        kept = [
            token
            for token in clause
            if token.anchored or (token.start >= skip and not hidden[token.start - begin])
        ]
        key = opens and not index and parts[1][0].text == ":" and _is_key(clause)
        yield Clause(kept, words, segment, key=key)


def _is_key(clause: list[Token]) -> bool:
    """Whether a clause is a few common words, by their form."""
    words = [token for token in clause if token.kind != Kind.EDGE]
    return 0 < len(words) < _LONGEST_KEY and all(
        token.kind is Kind.WORD and token.text[1:].islower() for token in words
    )


def _join_names(tokens: list[Token]) -> None:
    """Glues what is one name: `(disorder)`, `(EU) 2025/327`, `mg/dL`, a name and its letters."""
    for index in range(1, len(tokens) - 1):
        before, token, after = tokens[index - 1 : index + 2]
        closed = index + 2 < len(tokens) and tokens[index + 2].text == ")"
        if _is_ratio(before, token, after):
            _glue(tokens[index - 1 : index + 1])
        elif token.text != "(" or not closed:
            continue
        elif after.lower in lexicon.SEMANTIC_TAGS:
            _glue(tokens[index - 1 : index + 2])
        elif after.lower in ("eu", "ec", "eec"):
            if index + 3 < len(tokens) and tokens[index + 3].kind is Kind.NUMBER:
                _glue(tokens[index - 1 : index + 3])
        elif length := _abbreviated(tokens[max(0, index - 8) : index], after):
            _glue(tokens[index - length : index + 2])


def _is_ratio(left: Token, slash: Token, right: Token) -> bool:
    """`2025/327`."""
    return slash.text == "/" and left.kind == right.kind == Kind.NUMBER


def _abbreviated(name: Sequence[Token], short: Token) -> int:
    """How many of the words before a bracket its abbreviation stands for; 0 where it is none.

    All whose first letters spell it; else the last one, where one of them begins with its letter.
    """
    letters = short.text.rstrip("s").casefold()
    if not letters.isalnum() or (short.anchored and name[-1].anchored):
        return 0
    words = list(takewhile(lambda token: token.kind is Kind.WORD, reversed(name)))
    initials = "".join(token.lower[0] for token in reversed(words))
    return len(letters) if initials.endswith(letters) else int(letters[0] in initials)


def _glue(tokens: Sequence[Token]) -> None:
    for token in tokens:
        token.glued = True


_BREAKERS = word_set(
    "but so although though whereas while because however therefore thus nevertheless still "
    "yet since unless hence if when where"
)
_NEW_SUBJECTS = word_set("i we it the this that these they there no none its so you")
_LONGEST = 4_000  # characters of a sentence; a longer one is cut at a pause
_LINE = re.compile(r"[^\n]+")
_COMMA, _SPACE = re.compile(r"[,;]\s"), re.compile(r"\s")
_SOMETHING = re.compile(r"[\w\[]")


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of each line of a segment begin and end, with their final marks."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            yield from _pieces(text, line.start() + start, line.start() + end)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST:
        span = start + _LONGEST - 400, start + _LONGEST
        pause = _COMMA.search(text, *span) or _SPACE.search(text, *span)
        cut = pause.end() if pause else span[1]
        yield start, cut
        start = cut
    if _SOMETHING.search(text, start, end):
        yield start, end


def clauses(sentence: list[Token]) -> Iterator[list[Token]]:
    """The clauses of a sentence: parts that are kept or left out each by itself.

    What stands in brackets is a clause of its own, so that its words do not join with those
    around it; the words before and after the brackets stay in one clause.
    """
    depth = 0
    outer: list[Token] = []
    inner: list[Token] = []
    for index, token in enumerate(sentence):
        if token.text == "(" and not (index and sentence[index - 1].glued and not depth):
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
            if not depth:
                yield inner
                inner = []
                outer.append(token)
                continue
        if depth:
            inner.append(token)
        elif _breaks(sentence, index):
            yield outer
            outer = [token]
        else:
            outer.append(token)
    if inner:
        yield inner
    yield outer


def _breaks(sentence: list[Token], index: int) -> bool:
    token = sentence[index]
    after = sentence[index + 1].lower if index + 1 < len(sentence) else ""
    if token.text in ";:":
        return True
    if token.text == ",":
        if after == "and" and index + 2 < len(sentence):
            return sentence[index + 2].lower in _NEW_SUBJECTS
        return after in ("i", "we", "which") or after.startswith(("i'", "i’", "we'", "we’"))
    if token.lower == "and":
        return after in ("i", "we", "it", "they", "there", "you")
    return token.lower in _BREAKERS and index > 0


def anchor(tokens: Sequence[Token], targets: Targets) -> None:
    """Marks and glues, in place, the tokens that spell elements of G."""
    words: list[str] = []
    owners: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind is Kind.NUMBER and token.words:
            token.anchored = value_of(token.words) in targets.values
        words.extend(token.words)
        owners.extend([index] * len(token.words))
    if targets.by_word.keys().isdisjoint(words):
        return
    position = 0
    while position < len(words):
        length = _whole(words, position, targets)
        if length and _glue_between(tokens, owners[position], owners[position + length - 1]):
            position += length
        else:
            position += 1


def _whole(words: list[str], position: int, targets: Targets) -> int:
    """The length of the longest element that stands at a position, or 0."""
    for size in targets.lengths.get(words[position], ()):
        spelled = tuple(words[position : position + size])
        if spelled in targets.by_words:
            return len(spelled)
    return 0


def _glue_between(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Glues the tokens from first to last, unless a sentence ends or a line breaks between."""
    between = tokens[first : last + 1]
    if any(token.kind is Kind.BREAK or token.text in ".;!?|" for token in between[:-1]):
        return False
    for token in between:
        token.anchored = True
    _glue(between[:-1])
    return True
