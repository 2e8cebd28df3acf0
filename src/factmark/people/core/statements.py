"""The sentences of a summary as they are judged: each with the heading before it and the scraps
after it. Pure."""

from __future__ import annotations

import re

from factmark.text import lexicon
from factmark.text.lexicon import AUXILIARIES, VERBS, word_set
from factmark.text.sentences import ANY_PART, Span, sentences

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
LEAST_WORDS = 4  # words of a clause
FEW_WORDS = 6  # words that are no statement without a verb
# Past forms that no rule of the lexicon gives, or that are mostly verbs after `and`.
PAST = word_set(
    "showed had was were did died became began led rose fell went came gave took made found saw "
    "underwent remained decreased increased received improved developed revealed demonstrated "
    "presented reported reduced resulted caused required confirmed suggested indicated declined "
    "occurred ranged differed correlated survived responded inhibited induced enhanced prevented "
    "promoted abolished attenuated blocked impaired worsened resolved recovered relapsed progressed"
)
# Past forms that are no participles of what stands before them, as `the drugs prescribed` is one.
NO_PARTICIPLES = word_set(
    "showed had was were did died became began rose fell went came gave took saw underwent "
    "remained resulted declined occurred ranged differed correlated survived responded recovered "
    "relapsed progressed failed improved"
)
FINITE_AUXILIARIES = AUXILIARIES - word_set("be been being having doing")
FINITE = FINITE_AUXILIARIES | PAST | NO_PARTICIPLES
_PART = re.compile(rf"\W*{ANY_PART}(?:(?:,| and| &| /)\s*{ANY_PART})?\W*", re.IGNORECASE)
_LONGEST_NAME = 80  # characters
_BE = word_set("is are was were")
# Written as a sentence, not as a heading: `Results of the Trial.` is none.
_SENTENCE = re.compile(r"[A-Z][^\W\d_]* [^A-Z]*[.!?]")
_TITLE = re.compile(r"\b(?:Lt|Capt|Sgt|Cpl|Col|Maj|Gen|Rev|Gov|Sen)\.\Z")  # ends no sentence
_INITIALS = re.compile(r"\b[A-Za-z](?:\.[A-Za-z])+\.\Z")  # `15 microm per S.D. of use`


def statements(text: str) -> tuple[Span, ...]:
    """Returns the sentences, each with the heading before it and the scraps after it."""
    joined: list[Span] = []
    heads = False  # whether the last one belongs to what follows
    for sentence in sentences(text):
        piece = sentence.of(text)
        titled = joined and (
            _TITLE.search(text, joined[-1].start, joined[-1].end)
            or (_INITIALS.search(text, joined[-1].start, joined[-1].end) and not _starts(piece))
        )
        alone = _TITLE.search(piece) or not (is_part_name(piece) or is_scrap(piece))
        if joined and (titled or heads or not (alone or is_part_name(piece))):
            joined[-1] = Span(joined[-1].start, sentence.end)
            heads = heads and not alone
        else:
            joined.append(sentence)
            heads = not alone
    if heads and len(joined) > 1:  # the text was cut off after a heading
        joined[-2:] = [Span(joined[-2].start, joined[-1].end)]
    return tuple(joined)


def is_part_name(text: str) -> bool:
    """Returns whether a text is only the name of a part of an abstract.

    >>> is_part_name("Methods."), is_part_name("results, conclusion"), is_part_name("results vary")
    (True, True, False)
    """
    return len(text) < _LONGEST_NAME and _PART.fullmatch(text) is not None


def _starts(piece: str) -> bool:
    """Returns whether a piece begins as sentences do."""
    first = WORD.match(piece)
    word = ""
    if first:
        word = first[0].lower()
    starts = word in lexicon.SENTENCE_STARTERS or is_part_name(word)
    return starts and (piece[0].isupper() or word not in lexicon.PREPOSITIONS)


def is_scrap(piece: str) -> bool:
    """Returns whether a piece is no statement: it says nothing, has no subject, or no verb and few
    words."""
    words = [word.lower() for word in WORD.findall(piece)]
    if not any(
        (len(word) > 1 or word.isdigit()) and word not in lexicon.FUNCTION_WORDS for word in words
    ):
        return True
    if words[0] in _BE and not piece.endswith("?"):  # `was the patients.`
        return True
    if len(words) >= LEAST_WORDS and _SENTENCE.fullmatch(
        piece
    ):  # `Their material existence vanishes.`
        return False
    return (
        len(words) < FEW_WORDS
        and words[0] != "no"
        and ":" not in piece
        and not any(map(is_verb, words))
    )


def is_verb(word: str) -> bool:
    """Whether a word in lower case is in the lists of verbs."""
    return word in FINITE or word in VERBS
