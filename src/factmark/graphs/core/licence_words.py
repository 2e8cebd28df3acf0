"""Patterns of words by which English asserts a sentence, or does not; `licence.toml` lists them.

Where what raises a doubt is an open class (labels, words before `that`) the words that clear are
listed; elsewhere the words of doubt are.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

from factmark.text.patterns import late_pattern

TABLES: dict[str, str] = tomllib.loads(
    files("factmark.graphs.core").joinpath("licence.toml").read_text("utf-8")
)
"""Phrases between bars, by the name of their table."""


def pattern_of(*tables: str) -> str:
    """Returns the pattern of any phrase of tables, as whole words.

    >>> re.findall(pattern_of("suggests"), "they suggested, implying it; it implies")
    ['suggested', 'implies']
    """
    listed = " | ".join(TABLES[table] for table in tables)
    by_letter: dict[str, list[str]] = {}
    for phrase in {" ".join(phrase.split()) for phrase in listed.split("|")}:
        rest = re.escape(phrase[1:]).replace(r"\*", r"[\w'’-]*").replace(r"\ ", r"\s+")
        by_letter.setdefault(phrase[0], []).append(rest)
    groups = [
        f"{letter}(?:{'|'.join(sorted(rests))})" for letter, rests in sorted(by_letter.items())
    ]
    return rf"(?<![\w-])(?:{'|'.join(groups)})(?!\w)"


def compiled(*patterns: str) -> re.Pattern[str]:
    """Returns any of the patterns as one that minds neither capitals nor line breaks."""
    return late_pattern("|".join(patterns), re.IGNORECASE | re.DOTALL)


NOT = (
    r"(?:\b(?:not|no|none|never|neither|nor|cannot|nobody|without|unable|fail(?:s|ed)?)\b"
    r"|n['’]t\b)"
)
CERTAIN = compiled(
    r"\b(?:there\s+(?:is|can\s+be)\s+)?no\s+(?:\w+\s+)?(?:doubt|question)\b",
    r"\bbeyond\s+(?:\w+\s+)?(?:doubt|dispute)\b|\bnot\s+in\s+(?:doubt|dispute)\b|\bdoubtless\b",
    r"\bwithout\s+(?:an?y?\s+)?(?:\w+\s+)?(?:doubt|question|exception)\b",
    r"\bcannot\s+be\s+(?:denied|doubted|disputed)\b",
    r"\b(?:right|fair|correct|safe|true)\s+to\s+say\b",
    r"\bfalse\s+(?:positive|negative|discovery|alarm)s?\b",
)
"""Says in words of doubt that something is certain, or nothing of it."""


@lru_cache(maxsize=4_096)
def without_certain(sentence: str) -> str:
    """Returns a sentence without what says in words of doubt that something is certain; kept,
    since each sentence is looked at for itself and beside its neighbours."""
    return CERTAIN.sub(" ", sentence)
