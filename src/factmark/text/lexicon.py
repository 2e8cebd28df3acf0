"""Words by what they usually are, as sets of lower-case words; the lists are `english.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files


def word_set(text: str) -> frozenset[str]:
    """The words of a text, between white space, as a set."""
    return frozenset(text.split())


def _forms(verb: str) -> set[str]:
    """The regular forms of a verb, with and without doubling; wrong ones harm nothing."""
    forms = {verb, verb + "s"}
    if verb.endswith("e"):
        return forms | {verb + "d", verb[:-1] + "ing"}
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return forms | {verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"}
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        forms.add(verb + "es")
    forms |= {verb + "ed", verb + "ing"}
    if verb[-1] not in "aeiouwxy":
        forms |= {verb + verb[-1] + "ed", verb + verb[-1] + "ing"}
    return forms


def _all_forms(verbs: Iterable[str]) -> frozenset[str]:
    """Returns the regular forms of verbs."""
    return frozenset(form for verb in verbs for form in _forms(verb))


ENGLISH = tomllib.loads(files("factmark.text").joinpath("english.toml").read_text("utf-8"))
"""The lists and tables by name, as they stand in the file."""
_LISTS = {name: word_set(words) for name, words in ENGLISH.items() if isinstance(words, str)}
DETERMINERS = _LISTS["determiners"]
PRONOUNS = _LISTS["pronouns"]
PREPOSITIONS = _LISTS["prepositions"]
CONJUNCTIONS = _LISTS["conjunctions"]
AUXILIARIES = _LISTS["auxiliaries"]
FUNCTION_WORDS = DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES
ADVERBS = _LISTS["adverbs"]
LY_NOUNS = _LISTS["ly_nouns"]
GENERIC_NOUNS = _LISTS["generic_nouns"]
GENERIC_ADJECTIVES = _LISTS["generic_adjectives"]
UNITS_AFTER_NUMBER = _LISTS["units"]
SHELLS = _LISTS["shells"]
SEMANTIC_TAGS = _LISTS["semantic_tags"]
SOURCES = _LISTS["sources"]
HEADS = _LISTS["heads"]
ABBREVIATIONS = _LISTS["abbreviations"]
SENTENCE_STARTERS = _LISTS["sentence_starters"]
VERB_OR_NOUN = _LISTS["verbs_or_nouns"] | _LISTS["nouns_like_verbs"]
VERBS = _all_forms(_LISTS["verbs"] | _LISTS["verbs_or_nouns"]) | _LISTS["irregular_forms"]
ACTION_FORMS = _all_forms(_LISTS["actions"]) | {"sold"}


def phrases(name: str, before: str = r"\b") -> re.Pattern[str]:
    """A pattern of whole words or phrases that `english.toml` lists, in any case.

    Args:
        before: the pattern of what stands before them.
    """
    return re.compile(rf"{before}(?:{ENGLISH['phrases'][name]})\b", re.IGNORECASE | re.VERBOSE)
