"""Cuts a summary into clauses, each to be judged yes or no (FINE, protocol 2).

LongEval (Krishna et al. 2023, section 4) has annotators judge the parts of each sentence between
commas, semicolons and conjunctions that are longer than five words. Here a part must also read as
a statement: commas of lists and what stands in brackets never cut, and the name of a part of an
abstract (`methods.`) stays with its sentence.

By rules without a grammar, so they are wrong
- where the verb is in no list: `x binds y and z phosphorylates w` stays one clause;
- where only a comma is between two statements, `the mean was 3, most were men`: they stay whole;
- where the subject after an `and` has no article: `mice died and rats lived` stays whole;
- where a past form may be a participle: `patients treated with a and the b had` may be cut;
- where `where` is a place: rarely, since both sides must hold enough words.
A clause without its subject (`and was discharged`) is left so: it is read within its summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsIndex, overload

from factmark.people.core.statements import (
    FEW_WORDS,
    FINITE,
    FINITE_AUXILIARIES,
    LEAST_WORDS,
    NO_PARTICIPLES,
    PAST,
    WORD,
    is_verb,
    statements,
)
from factmark.text import lexicon
from factmark.text.lexicon import VERBS, word_set
from factmark.text.sentences import Span, trimmed

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[()\[\]{},;:]")
_LEAST_WITH_VERB = 3
_LOOKED_AT = 20  # words after an `and` in which a verb is looked for
_LONGEST_INSERTION = 30  # words
_LONGEST_ADVERBIAL = 9  # words
_EITHER = 8  # words from `either` to its `or`
_BETWEEN = 6  # words from `between` to its `and`

# After a comma these begin a clause of their own.
_AFTER_COMMA = word_set(
    "which who whose whom where wherein whereby while whereas although though but because so yet "
    "thus thereby suggesting indicating"
)
# These do without one.
_ANYWHERE = word_set("whereas although because but while though")
_COORDINATING = word_set("and or nor")
# Before the words that begin a clause.
_LEADING = word_set("and or but even only just simply mainly partly")
_POINTING = word_set("this these that those")
_PERSONS = word_set("we it they he she")
_SUBJECTS = _POINTING | _PERSONS | {"there"}
_ADJECTIVES = word_set(
    "increased decreased reduced improved impaired enhanced attenuated reported required confirmed "
    "inhibited induced blocked developed"
)
_RELATIVE = word_set("that which who whose whom where")
# A verb before one of these is no verb of what follows it.
_SUBORDINATING = _RELATIVE | word_set("whether how why what if when since because until")
_PRESENT = word_set("is are has have do does")
_ELLIPTIC = word_set("of with without")  # after `but`, these begin no statement
_OBJECTS = word_set("him her them me us himself herself itself themselves his their its my our")
_ARTICLES = word_set("a an the")
_CONTRASTING = word_set("while whereas")
_ONE = word_set("he she it")
_SOME = word_set("few many most some several all none")
_CONNECTING = word_set("however therefore moreover furthermore thus otherwise nevertheless")
_THEN = word_set("then also thus therefore hence thereby finally subsequently later")
_OPENING = word_set("although though while whereas as after before once unless")
_OPENS = _OPENING | word_set("when if since because until")
_ADDING = word_set("rather also not only instead even")  # after `but`, mostly before no statement
_QUANTITIES = _SOME | word_set("no both each every one two three another")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_DETERMINERS = lexicon.DETERMINERS - _RELATIVE
# What cannot be the next member of a list.
_NO_MEMBER = _DETERMINERS | _SUBJECTS | _RELATIVE | _AFTER_COMMA | FINITE
_NO_SUBJECT = lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.ADVERBS


def clauses(text: str) -> tuple[Span, ...]:
    """Returns the clauses of a text in order, with their marks, without white space around.

    Everything but white space is in exactly one clause. No clause reaches over the end of a
    sentence, but for the name of a part (`methods.`), which stays with the sentence that it heads,
    and for sentences of less than three words without a verb, which stay with their neighbour.
    """
    return tuple(
        clause for statement in statements(text) for clause in _split_statement(text, statement)
    )


@dataclass(slots=True)
class _Piece:
    """A stretch between two places where a clause may begin."""

    start: int
    end: int
    words: int
    verb: bool

    def stands(self) -> bool:
        """Whether it is long enough, or shorter and with a verb."""
        return self.words >= (_LEAST_WITH_VERB if self.verb else LEAST_WORDS)


def _split_statement(text: str, statement: Span) -> Iterator[Span]:
    """Yields the clauses of a sentence; a piece too short to be one stays with its neighbour."""
    if statement.end - statement.start < 4 * _LEAST_WITH_VERB - 1:  # too short for two
        yield statement
        return
    cuts = [statement.start, *_clause_starts(text, statement), statement.end]
    clause: _Piece | None = None
    for start, end in pairwise(cuts):
        piece = _read_piece(text, start, end)
        if clause is None:
            clause = piece
        elif clause.stands() and piece.stands():
            yield trimmed(text, clause.start, clause.end)
            clause = piece
        else:
            clause.end = piece.end
            clause.words += piece.words
            clause.verb = clause.verb or piece.verb
    if clause is not None:
        yield trimmed(text, clause.start, clause.end)


def _read_piece(text: str, start: int, end: int) -> _Piece:
    """Returns a stretch of the text with its number of words, and whether it has a verb."""
    words = WORD.findall(text, start, end)
    return _Piece(start, end, len(words), any(is_verb(word.lower()) for word in words))


class _Words(list[str]):
    """The words of a sentence, with an empty one at every place before and behind them: a sentence
    may be cut anywhere, as where a model's limit of tokens ends it, and rules look beside words."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: SupportsIndex | slice) -> str | list[str]:
        """Returns the word at a place, or empty where there is none; of a slice those there are."""
        if isinstance(at, slice):
            return super().__getitem__(at)
        place = at.__index__()
        if 0 <= place < len(self):
            return super().__getitem__(place)
        return ""


@dataclass(slots=True)
class _Read:
    """What was read of a clause up to a word.

    Attributes:
        word: it has a word that may be a verb.
        verb: it has a verb of its own.
        finite: one that is surely no participle.
        present: one in the third person of the present.
        words: how many, without those that lead to its first.
        opened: it began with a clause under the next, as with `when`, which is not over yet.
        relative: a relative clause is open in it, to which the next verb may belong.
        of_subject: it stands at the subject, whose own verb is still to come.
        commas: how many there were; since the last `and` after a comma.
        verb_since: whether it has a verb since the last of them.
        listed: between the last two is no verb, so that they seem to be those of a list.
    """

    word: bool = False
    verb: bool = False
    finite: bool = False
    present: bool = False
    relative: bool = False
    of_subject: bool = False
    words: int = 0
    opened: bool = False
    commas: int = 0
    verb_since: bool = False
    listed: bool = False


def _clause_starts(text: str, statement: Span) -> Iterator[int]:
    """Yields the places in a sentence where a clause may begin, outside of brackets."""
    tokens = list(_TOKEN.finditer(text, statement.start, statement.end))
    inside = _inside_brackets([token[0] for token in tokens])
    tokens = [token for token, within in zip(tokens, inside, strict=True) if not within]
    words = _Words(token[0].lower() for token in tokens)
    read = _Read()
    for index, word in enumerate(words):
        if word == ";" and _verb_until(words, index + 1, ";"):  # no `; with mean ages of 43`
            yield tokens[index].end()
            read = _Read()
        elif _clause_begins(words, index, read):
            led = index and word not in _COORDINATING and words[index - 1] in _LEADING
            yield tokens[index - 1 if led else index].start()
            read = _Read()
        _read_word(words, index, read)


def _read_word(words: list[str], index: int, read: _Read) -> None:
    """Adds what a word tells of its clause."""
    word = words[index]
    before = ""
    if index:
        before = words[index - 1]
    read.word = read.word or is_verb(word)
    read.opened = (read.opened or (not read.words and word in _OPENS)) and word != ","
    read.words += word not in _LEADING
    if word == ",":
        read.listed = read.commas > 0 and not read.verb_since
        read.commas += 1
        read.relative = read.verb_since = False
    elif word in _SUBORDINATING and before != ",":
        read.relative = word in _RELATIVE and not (word == "that" and is_verb(before))
        read.of_subject = read.relative and not read.word
        read.verb = read.finite = False
    elif word in _COORDINATING and before == ",":
        read.commas = 0
    elif _is_finite(words, index):
        read.verb = read.verb_since = True
        read.finite = read.finite or word in FINITE
        read.present = read.present or word.endswith("s")


def _is_finite(words: list[str], index: int) -> bool:
    """Returns whether a word is a verb of its clause, and probably neither noun nor participle."""
    word = words[index]
    before = ""
    if index:
        before = words[index - 1]
    if word in FINITE_AUXILIARIES or (
        before in _ONE and len(word) >= LEAST_WORDS and word.endswith("s")
    ):
        return True
    if not before or before in _DETERMINERS or before in lexicon.PREPOSITIONS:
        return False
    if word.endswith("ed") and before.endswith("ly") and word not in PAST:
        return False  # `freshly extracted premolars`
    if _is_often_noun(word):
        return before in lexicon.PRONOUNS
    return (is_verb(word) and not word.endswith("ing")) or word.endswith("ed")


def _clause_begins(words: list[str], index: int, read: _Read) -> bool:
    """Returns whether a clause surely begins at a word: what is before it has its verb, and what
    follows has one of its own. Where that is not sure the sentence stays whole."""
    word = words[index]
    comma = index > 0 and words[index - 1] == ","
    if read.opened or not (read.verb or (read.word and comma and word in _ANYWHERE)):
        return False
    if word in _COORDINATING:
        return _coordinate_begins(words, index, read, comma=comma)
    if comma and word in _RELATIVE:
        return word in _AFTER_COMMA and not (_goes_on(words, index) or _is_listed(words, index))
    if word not in _ANYWHERE and not (comma and word in _AFTER_COMMA):
        return False
    after = "".join(words[index + 1 : index + 2])
    if after in _ELLIPTIC or "".join(words[_after_adverbs(words, index + 1)][-3:]) == "ing":
        return False
    if words[index - 1] in FINITE_AUXILIARIES:  # `the reasons were because it was`
        return False
    if comma and words[index - 2] in _COORDINATING | {"that"}:  # `we saw that, although it was`
        return False
    if word == "but":
        return _contrast_follows(words, index + 1, comma=comma)
    if comma and word in _CONTRASTING and after not in lexicon.PREPOSITIONS:
        # Whatever its verb is.
        return len(words) - index > FEW_WORDS and not _goes_on(words, index)
    return _verb_follows(words, index + 1)


def _coordinate_begins(words: list[str], index: int, read: _Read, *, comma: bool) -> bool:
    """Returns whether a clause begins at an `and`, `or` or `nor`."""
    word = words[index]
    before = words[index - 1]
    following = "".join(words[index + 1 : index + 2])
    index += following in _THEN or following in lexicon.ADVERBS
    if comma:
        begin = _after_adverbial(words, index + 1)
        if begin > index + 1:
            return not read.listed
        return (
            not read.listed
            and following not in lexicon.PREPOSITIONS
            and (
                _verb_recurs(words, index)
                or _statement_follows(words, begin)
                or _verb_ends(words[begin : begin + 3])
            )
        )
    if (
        before in FINITE_AUXILIARIES | lexicon.PREPOSITIONS
        or "between" in words[max(0, index - _BETWEEN) : index]
    ):
        return False
    if before.endswith("s") and _is_finite(words, index - 1):
        return False  # `it finds and keeps the ends`
    if before.endswith("ed") and following.endswith("ed"):
        return False  # `age and sex are associated or correlated with it`
    if read.of_subject or (word == "or" and "either" in words[max(0, index - _EITHER) : index]):
        return False  # `patients who had a scan and were followed died`
    if read.relative:  # `children who have asthma and are well`
        return _predicate_follows(words, index + 1) and words[index + 1] not in _PRESENT
    return (
        _predicate_follows(words, index + 1)
        or (
            word == "and"
            and read.verb_since  # `the level, the rate and the sum were`
            and (read.finite or (read.present and "".join(words[index + 1 : index + 2]) in _SOME))
            and _subject_follows(words, index + 1)
        )
    )


def _after_adverbs(words: list[str], index: int) -> int:
    """Returns the place of the first word from a place on that is no adverb."""
    while index < len(words) - 1 and (
        words[index] in lexicon.ADVERBS | _ADDING | _THEN or words[index].endswith("ly")
    ):
        index += 1
    return min(index, len(words) - 1)


def _contrast_follows(words: list[str], index: int, *, comma: bool) -> bool:
    """Returns whether a statement follows a `but`, and no other end of the same one, as in `not in
    mice but also in men`."""
    begin = _after_adverbs(words, index)
    first, second = (*words[begin : begin + 2], "")[:2]
    if first in _OPENS:
        return comma
    if first in lexicon.PREPOSITIONS:
        begin = _after_adverbial(words, begin)
        return first != words[begin] and _statement_follows(words, begin)
    if words[index] == "not" and not _tells(first, second):
        return False  # `age, but not sex was a factor`
    if first.endswith("ed"):
        return _tells(first, second) or second == "to" or second in _DETERMINERS | _OBJECTS
    if comma and _ADDING.isdisjoint(words[index:begin]):
        return _verb_follows(words, begin) or _statement_follows(words, begin, surely=True)
    if second in _OBJECTS | {"that", "to"} and is_verb(first):
        return True
    return _statement_follows(words, begin, surely=True)


def _verb_until(words: list[str], index: int, mark: str) -> bool:
    """Returns whether a verb follows before a mark, none of a relative clause's, or a word that
    begins a statement."""
    if mark in words[index:]:
        end = words.index(mark, index)
    else:
        end = len(words)
    relative = False
    for at in range(index, end):
        if words[at] in _RELATIVE:
            relative = True
        elif _is_finite(words, at):
            if not relative:
                return True
            relative = False
    return "".join(words[index : index + 1]) in _CONNECTING


def _verb_follows(words: list[str], index: int, verbs: frozenset[str] | None = None) -> bool:
    """Returns whether a verb (one of `verbs`) follows before the next comma."""
    for word in words[index : index + _LONGEST_INSERTION]:
        if word in ",;":
            return False
        if word in verbs if verbs else is_verb(word) or word.endswith("ed"):
            return True
    return False


def _verb_recurs(words: list[str], index: int) -> bool:
    """Returns whether a verb stands before an `and` and again after it, as in `74% of men agreed,
    and 85% of women agreed`."""
    following = words[index + 2 : index + _LOOKED_AT]
    upto = next((at for at, word in enumerate(following) if word in ",;"), len(following))
    again = {word for word in following[:upto] if word.endswith("ed")} - _ADJECTIVES
    return not again.isdisjoint(words[:index])


def _verb_ends(words: list[str]) -> bool:
    """Returns whether these are a subject and its verb before a mark, as `Harvey agrees,`."""
    if len(words) < 3 or words[2] not in ",;":
        return False
    return words[1].endswith("s") and words[1] in VERBS and not _is_often_noun(words[1])


def _after_adverbial(words: list[str], index: int) -> int:
    """Returns where a statement may begin whose place or time stands first, between commas: at
    `his` in `and after a few moments, his car left`; else `index`."""
    following = words[index : index + _LONGEST_ADVERBIAL]
    if following and following[0] == "so" and (following[1:2] or [""])[0] in _DETERMINERS:
        return index + 1
    if not following or following[0] not in lexicon.PREPOSITIONS:
        return index
    for at, (word, after) in enumerate(pairwise(following)):
        if word in _SUBORDINATING:
            return index
        if word == "," and after in _DETERMINERS | _SUBJECTS | lexicon.PRONOUNS:
            return index + at + 1
        if word in lexicon.PRONOUNS and (
            after in FINITE or after.endswith("ed")
        ):  # `and in two cases we saw none`
            return index + at
    return index


def _is_listed(words: list[str], index: int) -> bool:
    """Returns whether a relative clause is of the last noun of a list, as in `a, which is old, and
    b, which is new`."""
    commas = []
    for at in range(index - 1):
        if words[at] == ",":
            commas.append(at)
    between = []
    if commas:
        between = words[commas[-1] + 1 : index - 1]
    return bool(between) and between[0] in _COORDINATING and not any(map(is_verb, between))


def _goes_on(words: list[str], index: int) -> bool:
    """Returns whether the sentence's own verb follows a relative clause, as in `apg13, which binds
    apg1, is needed`."""
    following = words[index : index + _LONGEST_INSERTION]
    if "," not in following:
        return False
    after = following[following.index(",") + 1 :]
    if not after:
        return False
    first, second = (*after[:2], "")[:2]
    if first in _COORDINATING and "," in after:  # `a, which is old, and b, which is new`
        upto = after.index(",")
        return "".join(after[upto + 1 : upto + 2]) in _RELATIVE and not _verb_follows(after, 1)
    return (
        first in FINITE
        or (first.endswith("ly") and second in FINITE)
        or (first in _PERSONS and is_verb(second))  # `at its end, which was 3, he had`
    )


def _predicate_follows(words: list[str], index: int) -> bool:
    """Returns whether a verb, or a pronoun as the subject of one, follows an `and` at once."""
    first, second, third = (*words[index : index + 3], "", "", "")[:3]
    if first.endswith("ly") and second in FINITE and _tells(second, third):
        return True
    if first in _POINTING:  # `those on iron, and those on saline`
        return _verb_follows(words, index + 1, FINITE)
    return first in _SUBJECTS or _tells(first, second) or _takes_object(first, second)


def _tells(word: str, after: str) -> bool:
    """Returns whether a word is a verb and, by the word after it, no adjective, as in `lower age
    and increased weight`."""
    if word in _ADJECTIVES:
        return after in _DETERMINERS or after in lexicon.PREPOSITIONS or after.endswith("ly")
    if word in FINITE:
        return True
    known = word in VERBS and not _is_often_noun(word) and after.isalnum()
    return known and word.endswith("s") and not word.endswith("ss")  # `assess and discuss`


def _takes_object(word: str, after: str) -> bool:
    """Returns whether a word after an `and` is a verb by the object that stands after it, as `uses
    his knowledge`, `boards the ship`."""
    if len(word) < LEAST_WORDS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return False
    return after in _OBJECTS or (after in _ARTICLES and not _is_often_noun(word))


def _is_often_noun(word: str) -> bool:
    """Returns whether a form of a verb is as often a noun, as `results`."""
    nouns = lexicon.VERB_OR_NOUN
    return word in nouns or word[:-1] in nouns or (word.endswith("es") and word[:-2] in nouns)


def _subject_follows(words: list[str], index: int) -> bool:
    """Returns whether a subject with its verb follows an `and` without a comma."""
    following = words[index : index + _BETWEEN]
    if following and following[0] in _NO_SUBJECT:  # `and by week 4 there was`
        return any(
            word in lexicon.PRONOUNS and after in FINITE for word, after in pairwise(following)
        )
    first = "".join(following[:1])
    if first not in _DETERMINERS | _QUANTITIES | _OBJECTS and not first.isdigit():
        return False  # `the taste and texture were`, `and validated in patients`
    return _statement_follows(words, index, surely=True)


def _statement_follows(words: list[str], index: int, *, surely: bool = False) -> bool:
    """Returns whether a statement (a verb, or a subject with its verb) follows, and not one more
    noun.

    Args:
        surely: only verbs that can be no participle count.
    """
    if _predicate_follows(words, index):
        return True
    for at, (word, after) in enumerate(pairwise([*words[index : index + _LOOKED_AT], ""])):
        if word in _SUBORDINATING or word in _ANYWHERE or word in ";:([":
            return False
        if at and word in _PERSONS and words[index] in _DETERMINERS:
            return False  # `and the values it holds`
        if word == "," and not (surely and at and after not in _NO_MEMBER | _COORDINATING):
            return False
        if word in _POINTING and (at and words[index + at - 1] == "of" and after.endswith("ed")):
            return True  # `683 of these reported`
        if word in _COORDINATING and (
            after in _NO_MEMBER
            or _surely_tells(after, "".join(words[index + at + 2 : index + at + 3]))
        ):
            return False  # it is that `and` which a statement follows
        if _surely_tells(word, after) or (not surely and _tells(word, after)):
            return True
        if at and after in _OBJECTS and _takes_object(word, after):
            return True
    return False


def _surely_tells(word: str, after: str) -> bool:
    """Returns whether a word is a verb that can be no participle."""
    if word in FINITE_AUXILIARIES or word in NO_PARTICIPLES:
        return True
    if word.endswith("ed"):
        known = word in PAST and word not in _ADJECTIVES
        return (known and after.isalpha() and after not in lexicon.PREPOSITIONS) or (
            word in VERBS and (after in _DETERMINERS or after.isdigit())
        )
    return word.endswith("s") and _tells(word, after)


def _inside_brackets(words: list[str]) -> list[bool]:
    """Returns for each token whether it stands in brackets that are closed again."""
    inside = [False] * len(words)
    open_at: list[int] = []
    end = 0
    closed: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        if word in "([{":
            open_at.append(index)
        elif word in _CLOSING and open_at and words[open_at[-1]] == _CLOSING[word]:
            closed.append((open_at.pop(), index))
    for first, last in sorted(closed):
        for index in range(max(first, end), last + 1):
            inside[index] = True
        end = max(end, last + 1)
    return inside
