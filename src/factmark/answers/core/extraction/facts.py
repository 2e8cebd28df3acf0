"""From an answer to its facts F(r): rules E1 to E7, and what of G is said (M1, M4b).

The tagger finds the stretches that state something, without the ground truth. Then the text is
asked for each element of G: what is spelled out is a fact too, wherever it stands. What only echoes
the question (E3) and what was said before (E6) drops out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.elements.nomenclature import abbreviates
from factmark.answers.core.extraction.absence import denies
from factmark.answers.core.extraction.mentions import Names
from factmark.answers.core.extraction.question_words import QuestionWords, what_is_asked
from factmark.answers.core.extraction.said_elements import Span, SpelledElement, overlaps_any
from factmark.answers.core.extraction.sentences import Sentence, asks_the_reader, read, text_of
from factmark.answers.core.extraction.statements import of_the_matter
from factmark.answers.core.extraction.tagger import trained
from factmark.answers.core.extraction.tokens import FIGURES, Kind, Token
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Fact
from factmark.text.lexicon import HEADS, SOURCES, UNITS_AFTER_NUMBER, word_set
from factmark.text.word_classes import CLOSED, is_general_noun, is_head, word_class
from factmark.text.words import normalise

_LAST_WORD = re.compile(r"\s+([\w-]+)$")

_RULES = {
    "sentence": "M4b",
    "misspelled": "spelling",
    "part": "M2",
    "value": "M5",
    "spelled": "M1",
} | {"person": "M6"}
_NONE = (("0",), ("none",), ("nothing",))
_NOBODY = word_set("none neither")
_RANGE = word_set("to – — - − and until through till or")


def extract_facts(question: str, ground_truth: Sequence[str], answer: str) -> list[Fact]:
    """The facts of an answer before matching, in the order of the text, each wording once.

    Args:
        question: the question as it was asked (E3).
        ground_truth: the elements of G.
        answer: plain text or markdown.
    """
    asked = what_is_asked(question)
    return find_facts(answer, tagged(answer, asked), asked, Targets.of(ground_truth))


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence with the stretches that state a fact, as places of its tokens."""

    sentence: Sentence
    spans: list[Span]

    def stated(self, answer: str, asked: QuestionWords) -> int:
        """How many of them say more than the question did; `none of the 30` says nothing more."""
        tokens = self.sentence.tokens
        texts = (
            _text(answer, self.sentence, span)
            for span in self.spans
            if not _NOBODY.intersection(
                token.lower for token in tokens[max(0, span[0] - 3) : span[0]]
            )
        )
        return sum(not asked.echoed(text) and normalise(text) not in _NONE for text in texts)


def tagged(answer: str, asked: QuestionWords) -> list[Tagged]:
    """The sentences of an answer, read and tagged without a look at the ground truth.

    A sentence that is of the answer itself, of its sources, reasons or advice (E4) states no fact.
    """
    sentences = read(answer)
    spans = []
    for sentence, inside in zip(sentences, trained().spans(sentences, asked), strict=True):
        spans.append(minimal(sentence, inside, asked))
    matter = of_the_matter(sentences, asked, {at for at, inside in enumerate(spans) if inside})
    out = []
    for sentence, inside, is_of_it in zip(sentences, spans, matter, strict=True):
        out.append(Tagged(sentence, inside if is_of_it else []))
    named = set()
    for statement in out:
        if statement.spans:
            named.add(statement.sentence.segment.group)
    return [
        Tagged(statement.sentence, []) if _heads_a_row(statement.sentence, named) else statement
        for statement in out
    ]


def _heads_a_row(sentence: Sentence, named: Collection[str]) -> bool:
    """Whether a cell begins a row of a table whose heads are names: it says what of them follows.

    Args:
        named: the groups in which something is a fact.
    """
    group = sentence.segment.group
    return group.startswith("rows of") and group.replace("rows of", "heads of", 1) in named


def find_facts(
    answer: str, statements: Sequence[Tagged], asked: QuestionWords, targets: Targets
) -> list[Fact]:
    """`extract_facts` on an answer that was read already."""
    names = Names.of(targets)
    facts: dict[tuple[str, ...], Fact] = {}
    for statement in statements:
        mentions = names.find(statement.sentence, answer, statement.spans, asked)
        for span in _spans_with_elements(statement.sentence, statement.spans, mentions):
            text = _text(answer, statement.sentence, span)
            words = normalise(text)
            if not words or words in facts:
                continue
            start, stop = _place(statement.sentence, span)
            fact = Fact(text=text, start=start, end=stop)
            spelled = next((m for m in mentions if m.span == span), None)
            matches = targets.matches(words)
            if spelled and (spelled.way == "sentence" or not matches):
                facts[words] = replace(
                    fact, match=targets.elements[spelled.element], rule=_RULES[spelled.way]
                )
            elif matches:
                facts[words] = fact
            elif not asked.echoed(text):
                facts[words] = _without_general_nouns(fact, targets)
    return sorted(facts.values(), key=lambda fact: fact.start)


def _text(answer: str, sentence: Sentence, span: Span) -> str:
    """The text of a span as the fact quotes it."""
    if sentence.tokens[span[0]].kind == Kind.CURIE:
        start, stop = _place(sentence, span)
        return answer[start:stop]
    return text_of(answer, sentence.tokens[slice(*span)])


def _place(sentence: Sentence, span: Span) -> Span:
    """The start and end of a span in the answer; a prefixed name begins after its prefix."""
    token = sentence.tokens[span[0]]
    prefix = 0
    if token.kind == Kind.CURIE:
        prefix = token.text.index(":") + 1
    return token.start + prefix, sentence.tokens[span[1] - 1].end


_PAUSES = word_set("; : — – . but although though while however yet")


def after_denial(statement: Tagged) -> Tagged:
    """A sentence that reports absence, with the facts that stand after the clause that does."""
    tokens = statement.sentence.tokens
    pauses = []
    for place, token in enumerate(tokens):
        if token.lower in _PAUSES:
            pauses.append(place)
    pause = next((place for place in pauses if denies(tokens[:place])), len(tokens))
    return Tagged(statement.sentence, [span for span in statement.spans if span[0] > pause])


def minimal(sentence: Sentence, spans: Sequence[Span], asked: QuestionWords) -> list[Span]:
    """The spans as facts are written (E2): names whole, ranges one, general heads off.

    Args:
        spans: as the tagger finds them.
    """
    tokens = sentence.tokens
    if asks_the_reader(sentence):
        return []
    if not spans and len(alone := [t.kind for t in tokens if t.kind != Kind.MARK]) == 1:
        # `3.`
        if alone[0] in FIGURES:
            return [(0, 1)]
        return []
    lead = _end_of_lead(tokens)
    out: list[Span] = []
    spelled_out = 0  # up to there a bracket spells out the short name before it
    for first, end in spans:
        while end < len(tokens) and _joins(tokens[end - 1], tokens[end]):
            end += 1
        if end < len(tokens) and _is_unit_of(tokens[end - 1], tokens[end], asked):
            end += 1
        while first and _joins(tokens[first - 1], tokens[first]) and first > 1:
            first -= 1
        while end - first > 1 and _only_leads_up(tokens[first], tokens[first + 1]):
            first += 1
        if out and first <= out[-1][1]:
            first = out[-1][1]
        while end - first > 1 and _is_general(tokens, first, end - 1, asked):
            end -= 1
        if first < spelled_out:
            continue
        if end <= lead and not any(t.kind in FIGURES for t in tokens[first:end]):
            continue
        if end < len(tokens) and tokens[end].lower in SOURCES:
            continue  # where it was looked up (`the HealthDCAT-AP catalogue`)
        short = out and _abbreviates(tokens, (first, end), out[-1])
        single = end == first + 1
        if first < end and not short and not (single and _is_property(tokens[first], asked)):
            out.append((first, end))
            spelled_out = _end_of_full_name(tokens, end, asked)
    return _with_whole_ranges(tokens, out)


def _joins(left: Token, right: Token) -> bool:
    """Whether two words are of one name by their capitals (`Synthetic Asthma` `Cohort`)."""
    return (
        left.kind == right.kind == Kind.WORD
        and left.text[0].isupper()
        and right.text[0].isupper()
        and right.start == left.end + 1
        and not right.edge
        and word_class(left.text) not in CLOSED
        and word_class(right.text) not in CLOSED
    )


def _is_unit_of(number: Token, word: Token, asked: QuestionWords) -> bool:
    """Whether a word is the unit of the number before it and the question has not asked for it."""
    return (
        number.kind == Kind.NUMBER
        and word.lower in UNITS_AFTER_NUMBER
        and word.gap <= 1
        and not asked.words.issuperset(word.words)
    )


def _is_general(tokens: Sequence[Token], first: int, last: int, asked: QuestionWords) -> bool:
    """Whether the last word only says what kind of thing a name is of, or what a number counts."""
    word = tokens[last]
    if word.kind != Kind.WORD or not word.text.islower():
        return False
    if tokens[last - 1].kind == Kind.NUMBER and last - 1 == first:
        counted = is_general_noun(word.lower) and word.lower not in UNITS_AFTER_NUMBER
        return counted or asked.words.issuperset(word.words)
    return word.lower in HEADS or word.lower.removesuffix("s") in HEADS


def _abbreviates(tokens: Sequence[Token], short: Span, name: Span) -> bool:
    """Whether a span is the abbreviation in brackets after a name (`... bullosa (EB)`)."""
    if not (short[1] == short[0] + 1 == name[1] + 2 and tokens[name[1]].text == "("):
        return False
    letters = tokens[short[0]].text.rstrip("s").casefold()
    words = []
    for token in tokens[name[0] : name[1]]:
        if token.kind == Kind.WORD:
            words.append(token.lower)
    initials = "".join(part[0] for word in words for part in word.split("-") if part)
    return (
        len(letters) > 1
        and tokens[short[0]].text[0].isupper()
        and (
            initials.endswith(letters)
            or (letters[0] in initials and letters.isalpha() and tokens[short[0]].text.isupper())
        )
    )


def _end_of_full_name(tokens: Sequence[Token], end: int, asked: QuestionWords) -> int:
    """The end of the bracket after a short name that spells it out (`CEP290 (centrosomal protein
    290)`): one thing (E6); 0 where there is none, or the short name is the question's."""
    if end >= len(tokens) or tokens[end].text != "(" or asked.echoed(tokens[end - 1].text):
        return 0
    inside = [token.text for token in tokens[end + 1 : end + _LONGEST_LEAD]]
    if ")" not in inside:
        return 0
    inside = inside[: inside.index(")")]
    is_full = abbreviates(tokens[end - 1].text, " ".join(inside))
    if is_full:
        return end + 1 + len(inside)
    return 0


_LEADING = ("based on", "judging by", "judging from", "going by", "given the")
_LONGEST_LEAD = 20  # tokens


def _end_of_lead(tokens: Sequence[Token]) -> int:
    """The token at which an introduction (`Based on typical rates, ...`; E4) ends; else 0."""
    if " ".join(token.lower for token in tokens[:2]) not in _LEADING:
        return 0
    places = []
    for at, token in enumerate(tokens[:_LONGEST_LEAD]):
        if token.text == ",":
            places.append(at)
    if places:
        return places[0]
    return 0


def _only_leads_up(word: Token, after: Token) -> bool:
    """Whether a span's first word only leads up to it (`within` 3 months, `the` lake)."""
    return (
        word.kind == Kind.WORD
        and word_class(word.text) in ("preposition", "determiner")
        and (after.kind in FIGURES or after.text.islower())
    )


def _is_property(token: Token, asked: QuestionWords) -> bool:
    """Whether a token is the name of a property (`fhir:gender`), unless the question is what may be
    done, so that `odrl:use` is an action."""
    local = token.text.partition(":")[2]
    return token.kind == Kind.CURIE and local[:1].islower() and not asked.policy


def _with_whole_ranges(tokens: Sequence[Token], spans: Sequence[Span]) -> list[Span]:
    """The spans with the two ends of a range as one (`5 to 10`, `between 5 and 10`)."""
    out: list[Span] = []
    for span in spans:
        if out:
            last = out[-1]
        else:
            last = (0, 0)
        if span[0] == last[1] + 1 and out and _is_range(tokens, last, span):
            out[-1] = (last[0], span[1])
        else:
            out.append(span)
    return out


def _is_range(tokens: Sequence[Token], left: Span, right: Span) -> bool:
    """Whether two numbers or dates are the ends of one range by the word between them."""
    word = tokens[left[1]].lower
    between = word == "and" and left[0] > 0 and tokens[left[0] - 1].lower == "between"
    return (word in ("to", "–", "—", "-", "until", "through") or between) and (
        tokens[left[0]].kind in FIGURES and tokens[right[0]].kind in FIGURES
    )


def _without_general_nouns(fact: Fact, targets: Targets) -> Fact:
    """A name that matches nothing, without the general nouns after it where that does (E2, E7)."""
    text = fact.text
    while (head := _LAST_WORD.search(text)) and is_head(head[1]):
        text = text[: head.start()]
        if targets.matches(normalise(text)):
            return replace(fact, text=text, end=fact.start + len(text))
    return fact


def _spans_with_elements(
    sentence: Sentence, spans: Sequence[Span], mentions: Sequence[SpelledElement]
) -> Iterator[Span]:
    """The tagger's spans and the elements that are said, each token in one of them.

    A span with one element in it stays whole (M2); for one with several, each is a fact, and so is
    the other end of a range (M4b).
    """
    free = list(mentions)
    taken_up = {span for m in mentions for span in m.takes_up}
    for span in spans:
        named = any(_abbreviates(sentence.tokens, m.span, span) for m in mentions)
        if named or span in taken_up:
            continue
        inside = []
        for m in mentions:
            if overlaps_any(m.span, [span]):
                inside.append(m)
        if not inside:
            yield span
            continue
        ends = _range_ends(sentence, span)
        free = [m for m in free if m not in inside]
        if ends:  # 2% to 5% is no 2
            inside = [m for m in inside if m.way != "value"]
        places = [m.span for m in inside]
        if not places or span in places:
            yield span
        elif len(places) == 1 and not ends:
            first, end = places[0]
            if span[0] <= first and end <= span[1]:
                yield span
            else:
                yield places[0]
        else:
            yield from places
            yield from (end for end in ends if not overlaps_any(end, places))
    yield from (m.span for m in free)


def _range_ends(sentence: Sentence, span: Span) -> list[Span]:
    """The two ends of a range of numbers or dates; empty for anything else."""
    tokens = sentence.tokens
    figures = []
    for index in range(*span):
        if tokens[index].kind in FIGURES:
            figures.append(index)
    if len(figures) != 2:
        return []
    between = []
    for index in range(figures[0] + 1, figures[1]):
        between.append(tokens[index].lower)
    if not _RANGE.intersection(between):
        return []
    return [(figure, figure + 1) for figure in figures]
