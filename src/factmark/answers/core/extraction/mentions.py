"""What of the ground truth an answer says in its own words, wherever that stands (M1, M4b).

C asks the text: an element that is spelled out is said, whether or not its sentence states a fact.
Only its own words count here; a part of its name counts where the tagger finds it (M2).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from factmark.answers.core.elements.nomenclature import is_particle, says_person
from factmark.answers.core.extraction.chosen import is_article
from factmark.answers.core.extraction.question_words import QuestionWords, content_words
from factmark.answers.core.extraction.said_elements import (
    Span,
    SpelledElement,
    lies_in_any,
    overlaps_any,
    sentences_said,
)
from factmark.answers.core.extraction.sentences import Sentence, flags_of
from factmark.answers.core.extraction.spelling import Speller
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.answers.core.matching import Targets, Words, contains, spellings, value_of
from factmark.text.lexicon import word_set
from factmark.text.word_classes import CLOSED, is_head, with_a_letter_less, word_class
from factmark.text.words import SCALES

_LEADING_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LONGEST_NAME = 10  # tokens of a person's name, with full stops
_FEW = 5  # tokens of an answer that is a name and nothing else
_LONG_WORD = 6  # letters from which on one wrong letter leaves a word what it is
_EXACTLY = word_set("only just exactly precisely")
_NO_NAME = CLOSED | {"letter"}  # classes of words that are a title only by their form


@dataclass(frozen=True, slots=True)
class Names:
    """The elements of G by how they begin.

    Attributes:
        by_first: first word, or its number -> elements as they are spelled, and their indexes,
            those of most words first.
        near: a long word with one letter less -> the long words of G that it could be.
        sizes: first letters and lengths of words that are one of these but for a letter.
        meant: words of the answer -> the words of G that they are, but for one letter.
        persons: the first word of a person's name, and its initial -> all its words, its index.
    """

    targets: Targets
    by_first: dict[str, list[tuple[Words, int]]] = field(default_factory=dict)
    near: dict[str, set[str]] = field(default_factory=dict)
    sizes: set[tuple[str, int]] = field(default_factory=set)
    meant: dict[str, list[str]] = field(default_factory=dict)
    persons: dict[str, list[tuple[Words, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, targets: Targets) -> Names:
        """Returns the elements of G, ready to be found by their first word or with one wrong
        letter."""
        names = cls(targets)
        for index, words in enumerate(targets.words):
            for spelling in spellings(targets.elements[index]):
                names.by_first.setdefault(_first_word(spelling), []).append((spelling, index))
            for word in words:
                if len(word) >= _LONG_WORD and word.isalpha():
                    names.sizes.update((word[0], len(word) + more) for more in (-1, 0, 1))
                    for shorter in with_a_letter_less(word):
                        names.near.setdefault(shorter, set()).add(word)
        for parts, index in chain.from_iterable(targets.persons.values()):
            for first in {parts[0], parts[0][0]}:
                names.persons.setdefault(first, []).append((parts, index))
        for spelled in names.by_first.values():
            spelled.sort(key=lambda pair: -len(pair[0]))
        return names

    def find(
        self,
        sentence: Sentence,
        answer: str,
        spans: Sequence[Span],
        asked: QuestionWords,
    ) -> list[SpelledElement]:
        """The elements that a sentence spells, longer ones first, none over another.

        Args:
            spans: the facts that the tagger found, as places of tokens.
        """
        tokens = sentence.tokens
        speller = Speller(tokens, answer)
        out: list[SpelledElement] = []
        if self.sizes:
            slips = self._slips(tokens)
        else:
            slips = frozenset[str]()
        end = 0
        for position, token in enumerate(tokens):
            if position < end or not token.words:
                continue
            first = _first_word(token.words)
            known = slips or token.kind == Kind.NUMBER or first in self.by_first
            known = known or first in self.persons
            mention = None
            if known:
                mention = self._element_at(speller, position, slips)
            if mention is not None and (
                lies_in_any(mention.span, spans)
                or _counts_one(tokens, position, asked)
                or _is_candidate(tokens, mention.span, asked)
                or _stands_alone(sentence, mention, self.targets)
            ):
                out.append(mention)
                end = mention.span[1]
        taken = [*spans, *(mention.span for mention in out)]
        out += self._elements_named_in_part(tokens, taken, asked)
        out += sentences_said(tokens, out, spans, self.targets)
        return sorted(out, key=lambda mention: mention.span)

    def _elements_named_in_part(
        self, tokens: Sequence[Token], taken: Sequence[Span], asked: QuestionWords
    ) -> Iterator[SpelledElement]:
        """Yields the elements that a sentence names in part: by runs of words of names that touch
        none of the stretches `taken`."""
        foreign = self.targets.by_word.keys().isdisjoint
        named = [not foreign(token.words) for token in tokens]
        position = 0
        if not any(named):
            position = len(tokens)
        while position < len(tokens):
            end = position
            while end < len(tokens) and named[end] and not overlaps_any((end, end + 1), taken):
                end += 1
            if end > position:
                touched = overlaps_any((position - 1, end + 1), taken)
                mention = None
                if not touched:
                    mention = self._element_named_in_part(tokens, position, end, asked)
                if mention is not None:
                    yield mention
            position = max(end, position + 1)

    def _element_named_in_part(
        self, tokens: Sequence[Token], first: int, end: int, asked: QuestionWords
    ) -> SpelledElement | None:
        """Returns the element of which a run of tokens has at least half of the words that only it
        has; None where there is none."""
        before = None
        if first:
            before = tokens[first - 1]
        after = None
        if end < len(tokens):
            after = tokens[end]
        taken_up = before is not None and word_class(before.text) == "determiner"
        if _is_named(before) or _is_named(after):
            return None
        if end == first + 1 and taken_up and not (after is not None and is_head(after.text)):
            return None  # `the hospital`: of what was named before
        run = tuple(word for token in tokens[first:end] for word in token.words)
        short = len(tokens) <= _FEW and not flags_of(token.lower for token in tokens)
        # E3: `The dementia cohort.` names it, and so does a word that only one candidate has.
        if short:
            echoed = frozenset[str]()
        else:
            echoed = asked.words - asked.telling
        own = set()
        for word in content_words(" ".join(run)):
            if word.isalpha() and word not in self.targets.common and word not in echoed:
                own.add(word)
        for index in self.targets.by_word.get(min(own, default=""), ()):
            element = self.targets.words[index]
            needed = set(content_words(self.targets.elements[index])) - self.targets.common
            if index in self.targets.content:
                continue
            if contains(element, run) and 2 * len(own) >= len(needed):
                return SpelledElement(index, (first, end), "part")
        return None

    def _element_at(
        self, speller: Speller, position: int, slips: Collection[str]
    ) -> SpelledElement | None:
        """Returns the element that the tokens from a position on spell; None where they
        spell none.

        Args:
            slips: the words with a wrong letter.
        """
        tokens = speller.tokens
        mention = self._element_spelled(speller, position)
        if mention is None:
            mention = self._person_at(tokens, position)
        if mention is None and tokens[position].kind == Kind.NUMBER:
            return self._element_of_value(tokens, position)
        if mention is not None or not slips:
            return mention
        readings = (
            self._element_spelled(speller, position, {word: meant})
            for token in tokens[position : position + 3]
            for word in (token.words if token.kind == Kind.WORD else ())
            for meant in (self.meant[word] if word in slips else ())
        )
        return next((mention for mention in readings if mention is not None), None)

    def _element_spelled(
        self, speller: Speller, position: int, meant: Mapping[str, str] | None = None
    ) -> SpelledElement | None:
        """Returns the element that the tokens from a position on spell; None where they spell none.

        Args:
            meant: a word with a wrong letter -> the word of G that it is read as.
        """
        first = _first_word(speller.tokens[position].words)
        for words, index in self.by_first.get(meant.get(first, first) if meant else first, ()):
            end = speller.end_of(words, position, meant)
            if end:
                way = "spelled"
                if meant:
                    way = "misspelled"
                return SpelledElement(index, (position, end), way)
        return None

    def _person_at(self, tokens: Sequence[Token], position: int) -> SpelledElement | None:
        """Returns the person whose name the tokens from a position on say by its parts (M6)."""
        candidates = self.persons.get(_first_word(tokens[position].words), ())
        if not candidates or not tokens[position].text[0].isupper():
            return None
        words: Words = ()
        for end, token in enumerate(tokens[position : position + _LONGEST_NAME], position + 1):
            if token.kind == Kind.MARK and token.text == "." and len(words[-1]) == 1:
                continue  # N. A. Armstrong
            if token.kind != Kind.WORD or not (token.text[0].isupper() or is_particle(token.text)):
                return None
            words += token.words
            for name, index in candidates:
                if says_person(words, name):
                    return SpelledElement(index, (position, end), "person")
        return None

    def _element_of_value(self, tokens: Sequence[Token], position: int) -> SpelledElement | None:
        """A number of the same value as an element (M5)."""
        words = tokens[position].words
        end = position + 1
        while end < len(tokens) and tokens[end].lower in SCALES:
            words = words + tokens[end].words
            end = end + 1
        for index in self.targets.values.get(value_of(words) or "", ()):
            return SpelledElement(index, (position, end), "value")
        return None

    def _slips(self, tokens: Sequence[Token]) -> Collection[str]:
        """The words that are a long word of G but for a letter less, more, another or elsewhere;
        `meant` then holds which."""
        words = {
            word
            for token in tokens
            if token.kind == Kind.WORD
            for word in token.words
            if (word[0], len(word)) in self.sizes and word not in self.targets.by_word
        }
        for word in words - self.meant.keys():
            self.meant[word] = sorted(
                {
                    other
                    for less in (with_a_letter_less(word) if word.isalpha() else ())
                    for other in self.near.get(less, ())
                    if other[0] == word[0]
                }
            )
        return {word for word in words if self.meant[word]}


def _is_named(token: Token | None) -> bool:
    """Whether a token beside a run makes another name of it."""
    if token is None or token.kind == Kind.MARK:
        return token is not None and token.text in "-/&"
    return token.kind != Kind.WORD or word_class(token.text) == "content"


@lru_cache(maxsize=65_536)
def _first_word(words: Words) -> str:
    """The first word; for one that begins with a number, that number."""
    number = _LEADING_NUMBER.match(words[0])
    if number:
        return number[0]
    return words[0]


def _stands_alone(sentence: Sentence, mention: SpelledElement, targets: Targets) -> bool:
    """Whether words that the tagger takes for no fact are the element all the same.

    A name always is. A number is, unless it is the pronoun `one`. Words of the closed classes are
    where they are written as a title is (*Up*), a participle is where something may or must be
    done (`may be used`, not `is used`).
    """
    first, end = mention.span
    inside = sentence.tokens[first:end]
    if len(inside) == 1 and inside[0].kind == Kind.NUMBER:
        return inside[0].lower != "one"
    if all(word_class(token.text) in _NO_NAME for token in inside if token.words):
        return _is_title(sentence, mention, targets.elements[mention.element])
    lower = inside[0].lower
    element = targets.elements[mention.element].casefold()
    if len(inside) == 1 and lower.endswith("ed") and lower != element:
        return "be" in sentence.words[max(0, first - 3) : first]
    return True


def _counts_one(tokens: Sequence[Token], at: int, asked: QuestionWords) -> bool:
    """Whether `one` says how many there are (`One woman has it.`) and is no pronoun."""
    if tokens[at].lower != "one" or asked.kind != "how many":
        return False
    before = ""
    if at:
        before = tokens[at - 1].lower
    after = tokens[at + 1 : at + 3]
    if not after or after[0].kind == Kind.MARK:
        return not at or before in _EXACTLY
    named = any(token.words and asked.words.issuperset(token.words) for token in after)
    return named and word_class(after[0].text) not in CLOSED and word_class(before) != "determiner"


def _is_candidate(tokens: Sequence[Token], span: Span, asked: QuestionWords) -> bool:
    """Whether tokens are a candidate of the question, written as there: that may be the answer."""
    first, end = span
    written = " ".join(token.text for token in tokens[first:end])
    return written in asked.candidates and not is_article(tokens, first, end)


def _is_title(sentence: Sentence, mention: SpelledElement, element: str) -> bool:
    """Whether common words are shown as a title: alone, quoted, emphasised or with its capitals."""
    tokens, (first, end) = sentence.tokens, mention.span
    inside = tokens[first:end]
    whole = sum(bool(token.words) for token in tokens) == sum(bool(token.words) for token in inside)
    written = " ".join(token.text for token in inside)
    quoted = first > 0 and tokens[first - 1].text in "\"'“‘"
    shown = whole or quoted or inside[0].emphasised
    capitals = written == element and not element.islower()
    return shown or (capitals and (first > 0 or len(inside) > 1))
