"""Cuts a clause into phrases: numbers with their units, ranges, names, actions (E1, E2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factmark.answers import lexicon
from factmark.answers.lexicon import word_set
from factmark.answers.phrases import (
    ACTION,
    ADVERB,
    AMBIGUOUS,
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    STOP,
    VERB,
    Phrase,
    classify,
    is_capital,
    is_generic_noun,
    word_class,
)
from factmark.answers.tokens import Kind, Token

_LONGEST = 40  # tokens of a phrase; a longer run is no name, and the time stays linear
_IDLE = (STOP, ADVERB, VERB)  # begin no phrase unless they spell an element of G
_RUN = (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE)
_IDENTIFIER = re.compile(r"^[a-z]+(?:_[a-z0-9]+)+$")  # a tool or a field
_ORDINAL = re.compile(r"^\d+(?:st|nd|rd|th)$", re.IGNORECASE)
_LABEL = re.compile(
    r"^(?:[A-Za-z]{1,4}-?|[A-Za-z]+-[A-Za-z]{1,3})\d+$"
)  # P1, R4, ICD10: may begin or end a range
_VOCABULARIES = word_set("odrl dpv ehds sct snomed loinc rxnorm icd mesh umls cc schema")
_STRUCTURE = re.compile(
    r"^(?:has[A-Z]\w*|permission|prohibition|obligation|duty|constraint|action|\w+Operand|operator"
    r"|purpose|target|assigner|assignee|Policy|Set|Offer|Agreement)$"
)
_NOT_COUNTING = word_set(
    "top limit first last next page step rank version no nr # column row chunk chunks "
    "document passage excerpt snippet table figure line"
)
_DECADE = re.compile(r"^\d{4}s$")
_SPAN_OF_TIME = re.compile(r"^[\w]+-(?:years?|months?|weeks?|days?|hours?|decades?)$")
_NAME_LINKS = word_set("for on de del la des du della di da van von der für et y e al")
_RANGE_WORDS = word_set("to – - — − through until till or and up")
_BETWEEN = word_set("over about around more than nearly almost roughly approximately some")


def phrases(tokens: Sequence[Token], *, policy: bool) -> Iterator[Phrase]:
    """The phrases of a clause in order.

    Args:
        tokens: of one clause.
        policy: whether the question is about what may be done with data, so that actions count.
    """
    classes = classify(tokens)
    position = 0
    while position < len(tokens):
        if classes[position] in _IDLE and not tokens[position].anchored:
            position += 1
            continue
        phrase = (
            _glued(tokens, classes, position)
            or _number(tokens, classes, position)
            or _address(tokens, position)
            or (_action(tokens, classes, position) if policy else None)
            or _run(tokens, classes, position)
        )
        if phrase is None:
            position += 1
        else:
            yield phrase
            position = phrase.last + 1


def _glued(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """An action or a longer stretch that spells an element of G, as it stands there."""
    token = tokens[position]
    if not token.anchored or token.kind is not Kind.WORD:
        return None
    last = position
    while tokens[last].glued and last + 1 < len(tokens):
        last += 1
    if last == position and classes[position] == CONTENT:
        return None  # may be part of a longer name
    if last == position and word_class(token.lower) == AMBIGUOUS and classes[position] != VERB:
        return None  # `commercial use`
    if last > position and last + 1 < len(tokens) and classes[last + 1] == CONTENT:
        return None
    return Phrase(position, last, "phrase")


def _number(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A number or date with its unit, and a range of them."""
    if not _is_number(tokens, position):
        return None
    last = _with_unit(tokens, position)
    following = _range_end(tokens, last)
    if following is not None and not _splits(tokens, position, following):
        last = _with_unit(tokens, following)
    elif not _counts(tokens, position, last):
        return Phrase(position, last, "skip")
    elif last == position and (counted := _counted(tokens, classes, position)):
        return Phrase(position, counted, "number")
    return Phrase(position, last, "number")


def _counted(tokens: Sequence[Token], classes: list[int], position: int) -> int:
    """Where the noun ends that a number counts and belongs with (`20 countries`), or 0.

    A number stands alone when it matches G, or when the noun is general (E2).
    """
    if tokens[position].anchored or tokens[position].kind is not Kind.NUMBER:
        return 0
    if tokens[position].text[-1] == "%" or position + 1 >= len(tokens):
        return 0
    run = _run(tokens, classes, position + 1)
    if run is None or run.kind == "skip" or run.first != position + 1:
        return 0
    head = tokens[run.last]
    trimmed = run.last + 1 < len(tokens) and _in_run(tokens, classes, run.last + 1)
    counts = head.lower.endswith("s") or head.lower in ("women", "men", "children", "people")
    plain = classes[run.last] == CONTENT and head.kind is Kind.WORD and not head.anchored
    return run.last if plain and not trimmed and (counts or is_capital(head)) else 0


def _is_number(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    if token.kind is Kind.DATE:
        return True
    if token.kind is Kind.NUMBER:
        return token.lower != "one" or _one_counts(tokens, position)
    return (
        token.kind is Kind.WORD
        and token.text[-1].isdigit()
        and bool(_LABEL.match(token.text))
        and (_range_end(tokens, position) is not None)
    )


def _one_counts(tokens: Sequence[Token], position: int) -> bool:
    """Whether `one` is a number here and not a pronoun."""
    before = tokens[position - 1].lower if position else ""
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if before in lexicon.DETERMINERS and before not in ("the", "these"):
        return False
    if after is None or after.kind is not Kind.WORD:
        return tokens[position].anchored
    if after.lower in ("or", "to") and position + 2 < len(tokens):
        return tokens[position + 2].kind is Kind.NUMBER
    return word_class(after.lower) in (CONTENT, GENERIC_NOUN, AMBIGUOUS, GENERIC_ADJECTIVE)


def _with_unit(tokens: Sequence[Token], position: int) -> int:
    last = position
    while last + 1 < len(tokens):
        unit = tokens[last + 1]
        adjacent = unit.start - tokens[last].end <= 1
        if not adjacent or unit.lower not in lexicon.UNITS_AFTER_NUMBER:
            break
        if tokens[last].kind is Kind.DATE:
            break
        last += 1
    return last


def _range_end(tokens: Sequence[Token], last: int) -> int | None:
    """Where the second number of a range stands, if one follows."""
    at = last + 1
    while at < len(tokens) and tokens[at].kind is Kind.EDGE:
        at += 1
    if at >= len(tokens) or tokens[at].lower not in _RANGE_WORDS:
        return None
    word = tokens[at].lower
    if word == "and" and not any(
        token.lower == "between" for token in tokens[max(0, last - 3) : last]
    ):
        return None
    if word == "up" and not (at + 1 < len(tokens) and tokens[at + 1].lower == "to"):
        return None
    at += 1
    while at < len(tokens) and (
        tokens[at].lower in _BETWEEN or tokens[at].lower == "to" or tokens[at].kind is Kind.EDGE
    ):
        at += 1
    if at >= len(tokens):
        return None
    same = (Kind.NUMBER, Kind.DATE)
    if tokens[last].kind in same or tokens[last].lower in lexicon.UNITS_AFTER_NUMBER:
        return at if tokens[at].kind in same and tokens[at].lower != "one" else None
    labels = _LABEL.match(tokens[last].text) and _LABEL.match(tokens[at].text)
    return at if labels and word != "and" else None


def _splits(tokens: Sequence[Token], first: int, second: int) -> bool:
    """Whether the ends of a range are facts of their own: full dates, or a year that G holds."""
    ends = tokens[first], tokens[second]
    if all(len(end.words) == 3 for end in ends):
        return True
    years = all(end.words and len(end.words[0]) == 4 and end.words[0].isdigit() for end in ends)
    return years and any(end.anchored for end in ends)


def _counts(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a number tells something: not in `top 5`, `all three`, or a list's own numbering."""
    before = tokens[first - 1].lower if first else ""
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if tokens[first].anchored:
        return True
    if tokens[first].lower == "zero" or before in _NOT_COUNTING:
        return False
    if before in ("all", "those", "both") and tokens[first].kind is Kind.NUMBER:
        return (
            after is not None
            and after.kind is Kind.WORD
            and (
                word_class(after.lower) in (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE)
                and not _looks_verb(after.lower)
            )
        )
    return True


def _looks_verb(word: str) -> bool:
    return word_class(word) in (VERB, ACTION)


def _address(tokens: Sequence[Token], position: int) -> Phrase | None:
    token = tokens[position]
    if token.kind is Kind.URL:
        return Phrase(position, position, "address")
    if token.kind is not Kind.CURIE:
        return None
    prefix, _, local = token.text.partition(":")
    known = prefix.casefold() in _VOCABULARIES and not _STRUCTURE.match(local)
    return Phrase(position, position, "curie" if known or token.anchored else "skip")


def _action(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A verb that a policy can permit or oblige, with its object where that says more."""
    if classes[position] != ACTION:
        return None
    last = position + 1
    while last < len(tokens) and tokens[last].lower in lexicon.DETERMINERS:
        last += 1
    head = None
    while (
        last < len(tokens)
        and tokens[last].kind is Kind.WORD
        and classes[last]
        in (
            CONTENT,
            GENERIC_NOUN,
            GENERIC_ADJECTIVE,
        )
    ):
        head, last = last, last + 1
    passive = tokens[position].lower.endswith("ed")
    if head is None or passive or _is_plain_object(tokens[head]):
        return Phrase(position, position, "action")
    return Phrase(position, head, "action")


def _is_plain_object(token: Token) -> bool:
    """`data`, `dataset`: as the object of an action it adds nothing."""
    return token.lower == "data" or token.lower.removesuffix("s") in lexicon.HEADS


def _run(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A run of nouns and adjectives, trimmed of what is general."""
    if not _in_run(tokens, classes, position):
        return None
    last = position
    while last + 1 < len(tokens) and (last - position < _LONGEST or tokens[last].glued):
        step = _continues(tokens, classes, position, last)
        if not step:
            break
        last += step
    return _trim(tokens, classes, position, last)


def _in_run(tokens: Sequence[Token], classes: list[int], index: int) -> bool:
    token = tokens[index]
    if token.anchored and token.kind in (Kind.WORD, Kind.CURIE):
        return True
    return (
        token.kind is Kind.WORD
        and classes[index] in _RUN
        and not ("_" in token.text and _IDENTIFIER.match(token.text))
    )


def _continues(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> int:
    """How many tokens the run goes on for: 0 when it ends at `last`."""
    here, after = tokens[last], tokens[last + 1]
    if here.glued:
        return 1
    if after.anchored and after.lower.endswith("ed") and not after.glued:
        return 0  # a participle that is an element of G by itself
    if after.start - here.end > 1:
        return 0
    if _in_run(tokens, classes, last + 1):
        return 1
    if after.kind is Kind.NUMBER:
        return _name_number(tokens, classes, last)
    if last + 2 >= len(tokens):
        return 0
    beyond = tokens[last + 2]
    if after.lower == "of" and _in_run(tokens, classes, last + 2):
        return 2 if _of_joins(tokens, classes, first, last) else 0
    if after.lower == "of" and beyond.lower == "the" and last + 3 < len(tokens):
        reference = here.kind is Kind.NUMBER or (
            is_capital(here) and here.lower in lexicon.NAME_HEADS
        )
        if reference and is_capital(tokens[last + 3]) and classes[last + 3] == CONTENT:
            return 3
    if after.lower in ("or", "and") and _joins(tokens, classes, first, last):
        return 2
    names = is_capital(here) and classes[last] == CONTENT
    if after.lower in _NAME_LINKS and names and is_capital(beyond):
        return 2 if classes[last + 2] == CONTENT else 0
    return 0


def _name_number(tokens: Sequence[Token], classes: list[int], last: int) -> int:
    """`Type 2`, `NHIS 2019`, `Article 35`: a number that belongs to the name before it."""
    here = tokens[last]
    if here.lower == "type":
        return 1
    dose = tokens[last + 1].text[-1].isalpha() and tokens[last + 1].text[0].isdigit()
    if dose:
        return 1 if classes[last] == CONTENT else 0
    if not tokens[last + 1].text[0].isdigit():
        return 0
    if not is_capital(here) or word_class(here.lower) in (GENERIC_NOUN, VERB, ACTION):
        return (
            1
            if here.lower
            in (
                "release",
                "phase",
                "article",
                "version",
                "annex",
                "stage",
                "recital",
                "section",
                "chapter",
                "part",
                "art",
                "regulation",
                "directive",
            )
            else 0
        )
    return 1


def _of_joins(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> bool:
    left = tokens[last]
    if left.anchored or any(token.anchored for token in tokens[first : last + 1]):
        return False
    if classes[last + 2] != CONTENT and not (
        last + 3 < len(tokens) and classes[last + 3] == CONTENT
    ):
        return False
    return classes[last] == CONTENT and tokens[last + 2].kind is Kind.WORD


def _joins(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> bool:
    """Whether an `or` joins two short names to an alternative, or an `and` is part of a name."""
    joiner = tokens[last + 1].lower
    if not _in_run(tokens, classes, last + 2) or tokens[last + 2].anchored or tokens[last].anchored:
        return False
    if joiner == "or":
        single = last == first and classes[last] == CONTENT and classes[last + 2] == CONTENT
        previous = tokens[first - 1].text if first else ""
        return single and previous != ","
    return (
        is_capital(tokens[first])
        and is_capital(tokens[last])
        and is_capital(tokens[last + 2])
        and _ends_in_name_head(tokens, last + 2)
    )


def _ends_in_name_head(tokens: Sequence[Token], index: int) -> bool:
    """Whether capitals go on from `index` to a word such as Agency, Act or Administration."""
    for token in tokens[index : index + _LONGEST]:
        if not is_capital(token):
            return False
        if token.lower in lexicon.NAME_HEADS:
            return True
    return False


def _trim(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> Phrase:
    """Takes general adjectives off the begin and general heads off the end."""
    end = last
    while first <= last and _is_idle_lead(tokens, classes, first, last):
        first += 1
    if first <= last and _SPAN_OF_TIME.match(tokens[first].text):
        last = first
    while last > first and (
        _is_head(tokens[last]) or (classes[last] == GENERIC_ADJECTIVE and not tokens[last].anchored)
    ):
        last -= 1
    if last == first + 1 and _LABEL.match(tokens[last].text) and _is_policy_or_so(tokens[first]):
        first = last  # policy P1
    general = all(
        classes[index] != CONTENT and not tokens[index].anchored for index in range(first, last + 1)
    )
    alone = first == last and (_ORDINAL.match(tokens[first].text) or is_generic(tokens[first]))
    empty = first < last and tokens[first].lower == "empty" and is_generic(tokens[last])
    if first > last or general or alone or empty:
        return Phrase(min(first, end), end, "skip")
    return Phrase(first, last, "phrase")


def _is_idle_lead(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> bool:
    token = tokens[first]
    return (
        classes[first] == GENERIC_ADJECTIVE
        and not token.anchored
        and not (token.text.isupper() and len(token.text) > 1)
        and not (first < last and _DECADE.match(tokens[first + 1].text))  # late 1990s
    )


def _is_policy_or_so(token: Token) -> bool:
    singular = "policy" if token.lower == "policies" else token.lower.removesuffix("s")
    return not token.anchored and singular in lexicon.HEADS


def is_generic(token: Token) -> bool:
    """Whether a word alone is too general to be a fact (E7), however it is written."""
    return not token.anchored and is_generic_noun(token.lower)


def _is_head(token: Token) -> bool:
    """A general word at the end of a phrase that is not part of a capitalised name."""
    word = token.lower
    return not token.text[:1].isupper() and (
        word in lexicon.HEADS
        or word.removesuffix("s") in lexicon.HEADS
        or (word.endswith("ies") and word[:-3] + "y" in lexicon.HEADS)
    )
