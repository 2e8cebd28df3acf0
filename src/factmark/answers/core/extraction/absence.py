"""Absence, decided once: there is nothing, it cannot be said, I refuse, or an answer.

Asked where G is empty, or where an answer states no fact. Each sentence gets one of four labels by
a linear model over its words, with nouns as what they are (of the question, a name, common), so
that it holds in any domain. `commitment` decides for the answer, by how clearly its sentences say
so among other things. `benchmarks/tagger.py` trains both on `absence.jsonl` and the marked answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Literal, get_args

from factmark.answers.core.extraction.question_words import QuestionWords
from factmark.answers.core.extraction.sentences import Sentence
from factmark.answers.core.extraction.tokens import FIGURES, Kind, Token
from factmark.answers.core.extraction.weights import SCALE, learnt
from factmark.text.lexicon import ENGLISH, word_set
from factmark.text.word_classes import word_class
from factmark.text.words import stem

Absence = Literal["nothing", "undetermined", "refusal", "answer"]
LABELS: tuple[Absence, ...] = get_args(Absence)
ABSENT = ("nothing", "undetermined")
"""What counts as a report of absence: C is 1 where G is empty."""

_OPEN = ("content", "general adjective", "general noun", "verb or noun", "letter")
_NEGATORS = word_set("no none nothing nobody not never neither cannot without unable")
_DENIES = re.compile(
    r"\b(?:no|none|nothing|nobody|nil|zero|0|not|cannot|never|neither|without|unable|failed|empty|n/a"
    r"|nope)\b|n['’]t\b|\[\s*\]|\{\s*\}",
    re.IGNORECASE,
)
_BARE = re.compile(r"\W*(?:none|nothing|nil|no|zero|0|n/a)\W*", re.IGNORECASE)
NO_LIST = re.compile(r"\[\s*\]|\{\s*\}")
_CONTRAST = word_set(ENGLISH["contrast"])
_REST = word_set("other others further else besides rest remaining additional")
_OF_SOME = word_set("no none")
_OF_THEM = word_set("of the these those our its their")
_TELLING = ("content", "Name", "general adjective")
_AHEAD = 6  # tokens after a negator that say what is denied
_LIST = 3  # rows with facts that make a list
_ROWS = ("item", "cell")
_CLEAR = 6 * SCALE  # a lead that is as good as any greater one


@dataclass(frozen=True, slots=True)
class Report:
    """What a sentence reports.

    Attributes:
        facts: how many it states.
        leads: for each of `LABELS` by how much it is ahead of the next one, from 0 (far behind) to
            twice `_CLEAR`; `alone`, were there no facts.
        narrow: whether what it denies is told apart by a word that the question has not (`none of
            the coastal ones`), so that others may be.
    """

    sentence: Sentence
    facts: int
    label: Absence
    leads: Sequence[int]
    alone: Sequence[int]
    narrow: bool


def reports_of(
    sentences: Sequence[Sentence], asked: QuestionWords, facts: Sequence[int]
) -> list[Report]:
    """What each sentence reports.

    Args:
        facts: how many facts each sentence states.
    """
    return [
        _report(sentence, asked, count) for sentence, count in zip(sentences, facts, strict=True)
    ]


def _report(sentence: Sentence, asked: QuestionWords, facts: int) -> Report:
    """What a sentence reports by its weights; `nothing` needs a word that denies."""
    if sentence.segment.kind != "cell" and _BARE.fullmatch(sentence.plain):
        bare = [2 * _CLEAR, *[0] * (len(LABELS) - 1)]  # in a cell it is of one row
        return Report(sentence, facts, "nothing", bare, bare, narrow=False)
    denies_some = _DENIES.search(sentence.plain) is not None
    sums = _sums(sentence, asked, facts)
    label = LABELS[sums.index(max(sums))]
    leads = _leads(sums, denies_some)
    return Report(
        sentence=sentence,
        facts=facts,
        label="answer" if label == "nothing" and not denies_some else label,
        leads=leads,
        alone=_leads(_sums(sentence, asked, 0), denies_some) if facts else leads,
        narrow=_denies_some_of(sentence.tokens, asked),
    )


def _denies_some_of(tokens: Sequence[Token], asked: QuestionWords) -> bool:
    """Whether after `no` or `none of` a word stands that the question has not."""
    return any(
        _tells_apart(tokens[at + 1 : at + _AHEAD], asked)
        for at, token in enumerate(tokens)
        if token.lower in _OF_SOME
    )


def _tells_apart(tokens: Sequence[Token], asked: QuestionWords) -> bool:
    """Whether among the nouns and adjectives that tokens begin with is one that tells something and
    that the question has not."""
    for token in tokens:
        sign, is_open = _sign(token.text)
        if token.kind != Kind.WORD or not is_open:
            if sign not in _OF_THEM:
                return False
        elif sign in _TELLING and not asked.words.issuperset(token.words):
            return True
    return False


def _leads(sums: Sequence[int], denies_some: bool) -> list[int]:
    """The leads of `LABELS` by their sums of weights."""
    leads = []
    for at, own in enumerate(sums):
        leads.append(own - max(*sums[:at], *sums[at + 1 :]))
    if not denies_some:
        leads[0] = -_CLEAR
    return [max(0, min(2 * _CLEAR, lead + _CLEAR)) for lead in leads]


def denials(reports: Sequence[Report]) -> list[int]:
    """The places of the sentences that report that there is nothing."""
    return [place for place, report in enumerate(reports) if report.label == "nothing"]


def after_others(reports: Sequence[Report]) -> bool:
    """Whether a denial of the rest follows what is named (`Asthma. No other dataset does`)."""
    for at in denials(reports):
        words = (token.lower for token in reports[at].sentence.tokens)
        if any(report.facts for report in reports[:at]) and not _REST.isdisjoint(words):
            return True
    return False


def values_of(reports: Sequence[Report]) -> dict[str, int]:
    """What is known of an answer: how clearly its sentences report absence, and where.

    Returns:
        Whole numbers of 1/`SCALE`; one that is 0 may be left out.
    """
    at = max(range(len(reports)), key=lambda place: max(reports[place].alone[:-1]))
    facts = [report.facts for report in reports]
    labels = {report.label for report in reports}
    items = sum(report.facts > 0 and report.sentence.segment.kind in _ROWS for report in reports)
    around = {
        "facts before": SCALE * any(facts[:at]),
        "facts there": SCALE * (facts[at] > 0),
        "facts after": SCALE * any(facts[at + 1 :]),
    }
    values = {f"has {label}": SCALE for label in labels if label in ABSENT}
    for place, label in enumerate(LABELS):
        if label != "answer":
            values[label] = max(report.leads[place] for report in reports)
            values[f"{label} alone"] = max(report.alone[place] for report in reports)
    values |= {
        "facts": SCALE * min(sum(facts), 5),
        **around,
        "a list": SCALE * (items >= _LIST),
        "narrow": SCALE * reports[at].narrow,
        **{f"narrow, {name}": n * reports[at].narrow for name, n in around.items()},
        "always": SCALE,
    }
    return values


def _sums(sentence: Sentence, asked: QuestionWords, facts: int) -> list[int]:
    """What the weights say for each of `LABELS`."""
    sums = [0] * len(LABELS)
    table = weights()["sentences"]
    for name in features(sentence, asked, facts):
        for place, weight in enumerate(table.get(name, ())):
            sums[place] += weight
    return sums


def features(sentence: Sentence, asked: QuestionWords, facts: int) -> set[str]:
    """The features of a sentence: its wording, and how many facts it states."""
    flags = sentence.flags
    count = min(facts, 3)
    contrast = not _CONTRAST.isdisjoint(sentence.words)
    names = wording(sentence, asked)
    names |= {f"facts {count}", f"facts {count} {flags}"}
    names.add(f"contrast {contrast} {count > 0} {'N' in flags}")
    return names


def wording(sentence: Sentence, asked: QuestionWords) -> set[str]:
    """The words of a sentence and runs of them, what is denied, who speaks, how long it is."""
    symbols = ["^", *_symbols(sentence, asked), "$"]
    words = []
    for token in sentence.tokens:
        if token.kind == Kind.WORD:
            words.append(token.lower)
    names = {*map(_stem_name, words), *symbols}
    names.update(
        map(" ".join, pairwise(symbols)),
        map(" ".join, zip(symbols, symbols[1:], symbols[2:], strict=False)),
        _denial_features(symbols),
        (f"flags {sentence.flags}", f"size {min(len(words) // 4, 5)}"),
    )
    return names


def _symbols(sentence: Sentence, asked: QuestionWords) -> Iterator[str]:
    """Yields the sign that stands for each token: a function word or a verb itself; for a noun or
    adjective its class, or `Q` where the question has it."""
    in_question = asked.words.issuperset
    for token in sentence.tokens:
        if token.kind == Kind.WORD:
            sign, is_open = _sign(token.text)
            if is_open and token.words and in_question(token.words):
                yield "Q"
            else:
                yield sign
        else:
            if token.kind in FIGURES:
                yield "#"
            else:
                yield token.text[:1]


@lru_cache(maxsize=65_536)
def _sign(text: str) -> tuple[str, bool]:
    """Returns the sign of a word that is not in the question, and whether it could be another."""
    name = word_class(text)
    if name not in _OPEN:
        return text.casefold().replace("’", "'"), False
    return "Name" if name == "content" and text[0].isupper() else name, True


@lru_cache(maxsize=65_536)
def _stem_name(word: str) -> str:
    """The feature of a word."""
    return f"stem {stem(word)}"


def _denial_features(symbols: Sequence[str]) -> Iterator[str]:
    """A feature for each word that denies, and one for each of the words after it."""
    for at, symbol in enumerate(symbols):
        if symbol in _NEGATORS or symbol.endswith("n't"):
            yield f"denies {at > 1}"
            for after in symbols[at + 1 : at + _AHEAD]:
                yield f"{symbol} > {after}"


def denies(tokens: Sequence[Token]) -> bool:
    """Whether a stretch holds a word that denies."""
    return _DENIES.search(" ".join(token.text for token in tokens)) is not None


weights: Callable[[], Mapping[str, Mapping[str, Any]]] = partial(learnt, "absence")
"""As learnt: for `sentences`, of each feature a weight for each of `LABELS`; for `answers`, of each
value what it says for absence; for `verdicts`, what it says for each of `commitment.VERDICTS`."""
