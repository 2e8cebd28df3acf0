"""What a word usually is: a closed class, a verb, a general noun, or content."""

from __future__ import annotations

from functools import lru_cache

from factmark.text import lexicon

_CLOSED = (
    ("auxiliary", lexicon.AUXILIARIES),
    ("determiner", lexicon.DETERMINERS),
    ("pronoun", lexicon.PRONOUNS),
    ("preposition", lexicon.PREPOSITIONS),
    ("conjunction", lexicon.CONJUNCTIONS),
)
CLOSED = frozenset(name for name, _ in _CLOSED) | {"adverb"}
"""The classes of words that name nothing."""


@lru_cache(maxsize=65_536)
def word_class(text: str) -> str:
    """The class of a word outside its context; `content` where no list has it.

    >>> word_class("the"), word_class("analysed"), word_class("dataset"), word_class("lantern")
    ('determiner', 'participle', 'general noun', 'content')
    """
    word = text.casefold().replace("’", "'").rstrip(".")
    for name, words in _CLOSED:
        if word in words:
            return name
    if len(word) == 1 and word.isalpha():
        return "letter"
    if word in lexicon.GENERIC_ADJECTIVES:
        return "general adjective"
    if word in lexicon.ADVERBS or _is_adverb(word):
        return "adverb"
    if word in lexicon.ACTION_FORMS:
        return "action"
    if word in lexicon.VERB_OR_NOUN or (word.endswith("s") and word[:-1] in lexicon.VERB_OR_NOUN):
        return "verb or noun"
    if is_general_noun(word):
        return "general noun"
    if word in lexicon.VERBS:
        return "verb"
    if word.endswith("ed") and not word.endswith("eed"):
        return "participle"
    return "content"


def _is_adverb(word: str) -> bool:
    """Whether a word is an adverb by its ending."""
    return (
        word.endswith("ly") and len(word) > 4 and "-" not in word and word not in lexicon.LY_NOUNS
    )


def is_general_noun(word: str) -> bool:
    """Whether a lower-case word is too general to be a fact (E7), in singular or plural."""
    nouns = lexicon.GENERIC_NOUNS
    word = word.removesuffix("'s")
    return (
        word in nouns
        or (word.endswith("s") and word[:-1] in nouns)
        or (word.endswith("es") and word[:-2] in nouns)
        or (word.endswith("ies") and word[:-3] + "y" in nouns)
    )


@lru_cache(maxsize=65_536)
def is_head(text: str) -> bool:
    """Whether a word only says what kind of thing a name is of (*datasets*, also *datset*)."""
    word = text.casefold()
    if not text[:1].islower():
        return False
    if is_general_noun(word):
        return True
    return len(word) > _LONG and not _HEADS_LESS_ONE.isdisjoint(with_a_letter_less(word))


@lru_cache(maxsize=16_384)
def with_a_letter_less(word: str) -> list[str]:
    """The word, and all words that it is with one letter left out."""
    return [word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]


_LONG = 5  # letters of a word that may be misspelled
_HEADS_LESS_ONE = frozenset(
    less
    for noun in lexicon.HEADS
    for form in (noun, noun + "s")
    for less in with_a_letter_less(form)
)
