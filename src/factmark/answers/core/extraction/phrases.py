"""From the tokens of a clause to the phrases that could be facts (E1, E2).

A phrase is a run of content words. Words of the closed classes, verbs, adverbs and punctuation
end it; an `of` between two content words, a range, an alternative of two short phrases and the
connectives inside a proper name do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.text import lexicon, verbs
from factmark.text.lexicon import word_set

STOP, ADVERB, VERB, GENERIC_ADJECTIVE, GENERIC_NOUN, CONTENT, AMBIGUOUS, ACTION, PARTICIPLE = range(
    9
)


_CLOSED = (
    lexicon.DETERMINERS
    | lexicon.PRONOUNS
    | lexicon.PREPOSITIONS
    | lexicon.CONJUNCTIONS
    | lexicon.AUXILIARIES
)


@lru_cache(maxsize=65_536)
def word_class(lower: str) -> int:
    """What a lower-case word usually is."""
    word = lower.replace("’", "'").rstrip(".")
    if len(word) == 1 and word.isalpha():
        return STOP
    if word in _CLOSED:
        return STOP
    if word in lexicon.GENERIC_ADJECTIVES:
        return GENERIC_ADJECTIVE
    if word in lexicon.ADVERBS or (
        word.endswith("ly") and len(word) > 4 and "-" not in word and word not in lexicon.LY_NOUNS
    ):
        return ADVERB
    if word in verbs.ACTION_FORMS and verbs.ACTION_FORMS[word] not in verbs.WEAK_ACTIONS:
        return ACTION
    if word in verbs.VERB_OR_NOUN or (word.endswith("s") and word[:-1] in verbs.VERB_OR_NOUN):
        return AMBIGUOUS
    if is_generic_noun(word):
        return GENERIC_NOUN
    if word in verbs.VERBS:
        return VERB
    if word.endswith("ed") and not word.endswith("eed"):
        return PARTICIPLE
    return CONTENT


def is_generic_noun(word: str) -> bool:
    """Whether a word is too general to be a fact (E7), in singular or plural."""
    nouns = lexicon.GENERIC_NOUNS
    word = word.removesuffix("'s")
    return (
        word in nouns
        or (word.endswith("s") and word[:-1] in nouns)
        or (word.endswith("es") and word[:-2] in nouns)
        or (word.endswith("ies") and word[:-3] + "y" in nouns)
    )


@dataclass(slots=True)
class Phrase:
    """A run of tokens, `first` to `last` of a clause, both included."""

    first: int
    last: int
    kind: str  # number, name, phrase, action, address


def classify(tokens: Sequence[Token]) -> list[int]:
    """The class of each token in its context; numbers and addresses count as content."""
    classes: list[int] = []
    first_word = next((i for i, token in enumerate(tokens) if token.kind < Kind.MARK), 0)
    for index, token in enumerate(tokens):
        if token.kind is not Kind.WORD:
            classes.append(STOP if token.kind >= Kind.MARK else CONTENT)
            continue
        usual = word_class(token.lower)
        if usual != CONTENT and _is_name_word(tokens, index, sure=index > first_word):
            usual = CONTENT
        elif usual in (ADVERB, VERB, PARTICIPLE) and token.glued and not token.anchored:
            usual = CONTENT  # personally identifiable information (PII)
        elif usual == AMBIGUOUS:
            usual = _resolve(tokens, index, classes)
        elif usual == VERB and _is_attribute(tokens, index):
            usual = CONTENT
        elif usual == PARTICIPLE:
            usual = VERB if _is_passive(tokens, index, classes) else CONTENT
        elif usual == ACTION and verbs.ACTION_FORMS[token.lower] in verbs.PROPERTY_ACTIONS:
            usual = CONTENT if token.lower.endswith("ed") else ACTION
        classes.append(usual)
    return classes


def _is_name_word(tokens: Sequence[Token], index: int, *, sure: bool) -> bool:
    """Whether the form of a word says that it belongs to a name.

    Args:
        sure: whether no rule of spelling asks for a capital here.
    """
    token = tokens[index]
    if token.text == token.lower or token.lower == "i":
        return False
    before = tokens[index - 1].text if index else ""
    capitals = token.text.isupper() and len(token.text) > 1
    if token.text in ("US", "WHO") or (capitals and len(before) > 1 and before.isupper()):
        return True  # CC BY
    if not token.text[0].isupper() or any(letter.isupper() for letter in token.text[1:]):
        return word_class(token.lower) not in (STOP, ADVERB)
    if word_class(token.lower) in (STOP, ADVERB):
        return False
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    return sure or (
        after is not None
        and after.kind is Kind.WORD
        and after.start == token.end + 1
        and after.text[0].isupper()
        and word_class(after.lower) not in (STOP, ADVERB)
    )


def _is_attribute(tokens: Sequence[Token], index: int) -> bool:
    """Whether an -ed form belongs to the noun after it (`a signed agreement`)."""
    if not tokens[index].lower.endswith("ed") or not 0 < index < len(tokens) - 1:
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    return word_class(after.lower) in (CONTENT, GENERIC_NOUN, AMBIGUOUS) and (
        before.kind is not Kind.WORD
        or before.lower.endswith("ed")
        or before.lower in lexicon.DETERMINERS
        or before.lower in lexicon.PREPOSITIONS
    )


def _is_passive(tokens: Sequence[Token], index: int, classes: list[int]) -> bool:
    """Whether an -ed form is what is done (`is renewed`), not a property (`a coated tablet`)."""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    noun = (CONTENT, GENERIC_NOUN, AMBIGUOUS)
    attributive = after and after.kind is Kind.WORD and word_class(after.lower) in noun
    return not attributive and index > 0 and tokens[index - 1].kind is Kind.WORD


_SUBJECTS = word_set("i you we they who that which it he she to")


def _resolve(tokens: Sequence[Token], index: int, classes: list[int]) -> int:
    """A word that is as often noun as verb: which one it is here."""
    lower = tokens[index].lower
    noun = GENERIC_NOUN if is_generic_noun(lower) else CONTENT
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if before is None or before.kind is not Kind.WORD:
        closing = before is not None and (before.text in ")\x1f" or before.kind is Kind.NUMBER)
        return VERB if _opens_object(after) or (closing and _leans_verb(lower)) else noun
    if before.lower in _SUBJECTS or before.lower in lexicon.AUXILIARIES:
        return VERB
    if before.lower in ("and", "also") and _leans_verb(lower):
        return VERB if after is not None and after.kind is Kind.WORD else noun
    if classes[-1] == ADVERB:
        return VERB
    if classes[-1] in (CONTENT, GENERIC_NOUN):
        plural = before.lower.endswith("s") and not before.lower.endswith(("ss", "us", "is"))
        agrees = plural != lower.endswith("s")
        goes_on = after is not None and after.kind < Kind.MARK
        if _opens_object(after) or (agrees and goes_on and _leans_verb(lower)):
            return VERB
    return noun


def _leans_verb(word: str) -> bool:
    often = verbs.MORE_OFTEN_VERBS
    return word in often or (word.endswith("s") and word[:-1] in often)


def _opens_object(token: Token | None) -> bool:
    """Whether a word begins what a verb would act on."""
    return token is not None and (
        (token.lower in lexicon.DETERMINERS and token.lower != "such")
        or token.lower in ("that", "to", "from", "between", "by", "as")
        or token.lower in lexicon.PRONOUNS
        or token.kind in (Kind.NUMBER, Kind.DATE)
    )


def is_capital(token: Token) -> bool:
    """Whether a word begins with a capital letter or holds one (`ePrescription`, `HL7`)."""
    return token.kind is Kind.WORD and token.text != token.lower
