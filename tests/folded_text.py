"""What the search of the annotators' page folds a text to, in Python."""

from __future__ import annotations

from factmark.text.alike import write_alike


def fold_text(text: str) -> str:
    """Returns a text as `write_alike`, without case: letter by letter, as the page does."""
    return "".join(letter.upper().lower() for letter in write_alike(text))
