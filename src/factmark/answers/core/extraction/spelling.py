"""Where the tokens of a sentence spell the words of an element, whatever the length of both. Pure.

A name has a few words, and each end that it may have is tried. A long element would be read once
for each of its words at each place where it may begin; of it only ends are tried where enough words
are read, and nothing more once a beginning of it differs for certain. Words that repeat (`a b a b
...`) differ late: so there is a bound on what is read of a sentence for long elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.sentences import text_of
from factmark.answers.core.extraction.tokens import Token
from factmark.answers.core.matching import Words
from factmark.text.words import normalise

_MORE_TOKENS = 6  # that a name may have beside its words: full stops, brackets, commas
_LONG = 12  # words of an element from which on not each end is tried
_UNSETTLED = 24  # last words of a text that further ones may change: a number in words, a date
_MORE_WORDS = 2  # that a token may make beside its own: `20` `–` `30` is *20 to 30*
_READ = 64  # tokens read for long elements, for each token of the sentence
_READ_AT_LEAST = 10_000


@dataclass(slots=True)
class Speller:
    """Finds what the tokens of one sentence spell.

    Attributes:
        answer: the text that the sentence stands in.
        left: how many tokens may still be read for long elements.
    """

    tokens: Sequence[Token]
    answer: str
    left: int = -1

    def __post_init__(self) -> None:
        self.left = _READ_AT_LEAST + _READ * len(self.tokens)

    def end_of(self, words: Words, position: int, meant: Mapping[str, str] | None = None) -> int:
        """Returns the end of the tokens from a position on whose words are these; 0 where they are
        not.

        Args:
            meant: a word with a wrong letter -> the word of G that it is read as.
        """
        last = min(position + len(words) + _MORE_TOKENS, len(self.tokens))
        end = position + 1
        is_long = len(words) > _LONG
        while end <= last and not (is_long and self.left < 0):
            if self.tokens[end - 1].words:
                there = self._words(position, end, meant)
                if there == words:
                    return end
                settled = max(0, len(there) - _UNSETTLED)
                if len(there) > len(words) + 1 or there[:settled] != words[:settled]:
                    return 0
                if is_long:
                    self.left -= end - position
                    end = self._enough(end, len(words) - len(there))
            end += 1
        return 0

    def _words(self, position: int, end: int, meant: Mapping[str, str] | None) -> Words:
        """Returns the words of a run of tokens."""
        if end == position + 1:
            there = self.tokens[position].words
        else:
            there = normalise(text_of(self.answer, self.tokens[position:end]))
        if meant:
            return tuple(meant.get(word, word) for word in there)
        return there

    def _enough(self, end: int, lacking: int) -> int:
        """Returns a later end up to which the tokens cannot make so many more words."""
        while end < len(self.tokens):
            lacking -= len(self.tokens[end].words) + _MORE_WORDS
            if lacking <= 0:
                break
            end += 1
        return end
