"""A piece of a text, by character offsets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """The characters from `start` up to `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece itself.

        >>> Span(start=2, end=5).of("a few words")
        'few'
        """
        return text[self.start : self.end]
