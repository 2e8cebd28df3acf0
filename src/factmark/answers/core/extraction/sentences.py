"""Reads an answer once: markdown -> segments -> sentences -> tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from factmark.answers.core.extraction.tokens import Kind, Token, tokenise
from factmark.text.lexicon import ENGLISH, word_set
from factmark.text.markdown import EDGE, NOTE, Segment, segments
from factmark.text.sentences import sentences
from factmark.text.word_classes import CLOSED, word_class
from factmark.text.words import normalise

_NUMBERING = word_set("# rank no no. nr nr. position pos n° № idx")  # heads of a table's columns
_ASKING = word_set(
    "who whom whose what which when where why how is are was were am do does did can could would"
    " will shall should may might must has have had any anything need want ready curious interested"
)  # how a question begins
_OFFERS = word_set("you your yours me us else")
_LONGEST = 4_000  # characters of a sentence; a longer one is cut at a pause
_LINE = re.compile(r"[^\n]+")
_DIVIDES = re.compile(r"[()]|;\s+")
_COMMA = re.compile(r"[,;]\s")
_SPACE = re.compile(r"\s")
_SPEAKER = f"(?:{ENGLISH['phrases']['speaker']})"
_INTERJECTION = rf"\x1f*(?:{ENGLISH['phrases']['interjections']})\x1f*"
_BRACKET = re.compile(r"[^\W\d_]+(?:['’]\w+)?|\S")
_SELF = word_set("i we my our me us i've i’ve we've we’ve i'm i’m")
_SOURCE = re.compile(
    r"catalog|database|endpoint|quer|search|source|context|passage|result|document"
)


def _is_of_the_speaker(bracket: str) -> bool:
    """Whether a remark in brackets is of the speaker or the source, and of nothing else (E4)."""
    words = _BRACKET.findall(bracket)
    about = any(word.casefold() in _SELF or _SOURCE.match(word.casefold()) for word in words)
    return about and all(
        word[0].isalpha()
        and (word.islower() or word[0] == "I" or place == 0)
        and (word_class(word.casefold()) != "content" or _SOURCE.match(word.casefold()) is not None)
        for place, word in enumerate(words)
    )


_SOMETHING = re.compile(r"\w|\[\s*\]|\{\s*\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, a clause up to a semicolon, a list item, a cell or a heading of an answer.

    Attributes:
        tokens: words, numbers and punctuation, without edges of markup.
        words: the tokens in lower case; `flags`, what they speak of (`flags_of`).
        plain: its text with markup as spaces.
        segment: where it stands; `kind`, the kind of that, with what a label is a label of.
        under: the normalised words of the column's head, the key or the heading that it stands
            under.
    """

    tokens: list[Token]
    words: list[str]
    flags: str
    plain: str
    segment: Segment
    kind: str
    under: tuple[str, ...]


_FLAGS = {name: re.compile(words, re.VERBOSE) for name, words in ENGLISH["flags"].items()}


def flags_of(words: Iterable[str]) -> str:
    """Which of speaker, denial, reader and sources are among lower-case words: some of `SNYR`."""
    raised = set[str]().union(*map(_flags_of_word, words))
    return "".join(flag for flag in _FLAGS if flag in raised)


@lru_cache(maxsize=65_536)
def _flags_of_word(word: str) -> frozenset[str]:
    """The flags that a word raises."""
    return frozenset(flag for flag, form in _FLAGS.items() if form.fullmatch(word))


def asks_the_reader(sentence: Sentence) -> bool:
    """Whether a sentence is a question (E4): one that begins as questions do, or speaks of the
    reader or the speaker. A title, a name or a year may end in a question mark too."""
    if not sentence.plain.endswith("?") or sentence.segment.kind == "cell":
        return False
    words = []
    for token in sentence.tokens:
        if token.kind == Kind.WORD:
            words.append(token)
    if is_title(words):
        return False
    first = ""
    if words:
        first = words[0].lower
    about_talk = not {"Y", "S"}.isdisjoint(sentence.flags) or not _OFFERS.isdisjoint(sentence.words)
    return first in _ASKING or about_talk


def is_title(words: Sequence[Token]) -> bool:
    """Whether words are written as a title is: all that are of open classes with capitals."""
    open_words = []
    for word in words[1:]:
        if word_class(word.text) not in CLOSED:
            open_words.append(word.text)
    return bool(open_words) and all(not text[0].islower() for text in open_words)


def read(answer: str) -> list[Sentence]:
    """The sentences of an answer in order; linear in its length.

    Queries, code and the numbering of tables are left out. A sentence that stands in such a place
    again is read once.
    """
    out: list[Sentence] = []
    known: set[tuple[str, ...]] = set()
    heading: tuple[str, ...] = ()
    for segment in segments(answer):
        if segment.kind == "unread" or (segment.kind == "cell" and segment.column in _NUMBERING):
            continue
        if segment.column:
            under = normalise(segment.column)
        else:
            under = heading
        labelled = segment.group.partition(" ")[0]
        if segment.kind == "label" and labelled not in _OF_DATA and says_only_answer(segment.text):
            heading = ()
            continue
        if labelled:
            kind = f"{segment.kind} {labelled}"
        else:
            kind = segment.kind
        if segment.kind == "item" and _is_whole_sentence(segment.text):
            kind = "text"
        view = Unmarked.of(segment.text)
        for start, end in _pieces_of(view.text):
            text = view.text[start:end]
            place = (text, segment.kind, segment.group, segment.column)
            if place in known:
                continue
            known.add(place)
            tokens = tokenise(text, 0 if view.cuts else start + segment.start)
            if view.cuts:
                view.place(tokens, start, segment.start)
            if tokens:
                words = [token.lower for token in tokens]
                plain = text.replace(EDGE, " ").strip()
                form = plain, segment, kind, under
                out.append(Sentence(tokens, words, flags_of(words), *form))
        if segment.kind == "label" and labelled not in _OF_DATA:
            heading = normalise(segment.text)
    return out


_OF_DATA = ("", "heads", "keys")  # labels within tables and JSON
_ONLY_ANSWER = word_set(
    "the my your a an short final direct brief full detailed quick answer answers response reply"
    " result results summary conclusion overview details explanation and to in of question tl dr"
)
_FEWEST = 5  # words of an item that is a sentence


def says_only_answer(heading: str) -> bool:
    """Whether a heading says no more than that an answer follows: it heads nothing (E11)."""
    words = re.findall(r"\w+", heading.casefold())
    return bool(words) and _ONLY_ANSWER.issuperset(words)


def _is_whole_sentence(item: str) -> bool:
    """Whether an item of a list is a sentence, which says the same in a paragraph (E11)."""
    return item.rstrip(f" \n{EDGE}").endswith((".", "!", "?")) and len(item.split()) >= _FEWEST


_ASIDE = re.compile(
    rf"""
    (?=[ {NOTE}(,])(?:
      (?<![ ])[ ]*+{NOTE}++(?:[ ]{NOTE}++)*+(?=[\s.,;:!?)\x1f]|\Z) | {NOTE}++[ ]?
    | [ ]?\((?P<remark>[^()\d\n]{{4,80}})\)
    | ,[ ]{_SPEAKER}(?=[,.]))
  | (?:^|(?<=[ ])(?:(?<=[.!?\n][ ])|(?<=\x1f{{4}}[ ])))
      (?P<hedge>(?:{_INTERJECTION}(?:,|[ ]?:|\.\.\.|…)\x1f*[ ]){{0,2}}
      (?:{_SPEAKER}(?:,|[ ]that|(?=[ ](?:the|an?|it|there|they|this|these|in|on|at)\b))[ ])?)(?=\w)
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""What is said of the saying, not of the matter (E4, E10): the sentence is read without it. A hedge
begins a sentence, or follows a masked `Final answer:`."""


@dataclass(frozen=True, slots=True)
class Unmarked:
    """A segment as its facts are looked for: without marks of sources, remarks and hedges.

    Attributes:
        text: what is left.
        cuts: where something is left out of it, and how much up to there.
    """

    text: str
    cuts: list[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> Unmarked:
        """Returns a text without the speaker's asides, and where something was left out."""
        parts: list[str] = []
        cuts: list[tuple[int, int]] = []
        last = left_out = 0
        capital = False
        for match in _ASIDE.finditer(text):
            if not match[0] or (match["remark"] and not _is_of_the_speaker(match["remark"])):
                continue
            parts.append(_capital(text[last : match.start()], capital))
            last = match.end()
            capital = match["hedge"] is not None
            left_out += last - match.start()
            cuts.append((last - left_out, left_out))
        return cls("".join((*parts, _capital(text[last:], capital))) if cuts else text, cuts)

    def place(self, tokens: Sequence[Token], start: int, before: int) -> None:
        """Moves tokens of a piece that begins at `start` to their places in the answer."""
        cuts = bisect_right(self.cuts, start, key=itemgetter(0))
        for token in tokens:
            ends = []
            for at in (token.start + start, token.end + start - 1):
                while cuts < len(self.cuts) and self.cuts[cuts][0] <= at:
                    cuts += 1
                ends.append(at + before + (self.cuts[cuts - 1][1] if cuts else 0))
            token.start = ends[0]
            token.end = ends[1] + 1


def _capital(text: str, first: bool) -> str:
    """The text, with a capital where it now begins its sentence."""
    if first and len(text[:1].upper()) == 1:
        return text[:1].upper() + text[1:]
    return text


def text_of(answer: str, tokens: Sequence[Token]) -> str:
    """The text of a run of tokens, without the marks between them (`COPD[^1] registries`)."""
    whole = answer[tokens[0].start : tokens[-1].end]
    length = len(tokens[0].text) + sum([token.gap + len(token.text) for token in tokens[1:]])
    if length >= len(whole):
        return whole
    return tokens[0].text + "".join(" " * min(t.gap, 1) + t.text for t in tokens[1:])


def _pieces_of(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a segment, its final marks included."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            for begin, stop in _clauses(text, line.start() + start, line.start() + end):
                yield from _cut_at_pauses(text, begin, stop)


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in the parts that semicolons outside brackets divide: each says something by
    itself."""
    depth = 0
    for mark in _DIVIDES.finditer(text, start, end):
        if mark[0] in "()":
            depth = max(0, depth + (1 if mark[0] == "(" else -1))
        elif not depth:
            yield start, mark.start() + 1
            start = mark.end()
    yield start, end


def _cut_at_pauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A stretch in pieces of bounded length, cut at commas or spaces; none without content."""
    while end - start > _LONGEST:
        span = start + _LONGEST - 400, start + _LONGEST
        pause = _COMMA.search(text, *span) or _SPACE.search(text, *span)
        if pause:
            cut = pause.end()
        else:
            cut = span[1]
        yield start, cut
        start = cut
    if _SOMETHING.search(text, start, end):
        yield start, end
