"""Which sentences are of the matter, and which only of the answer, its sources or advice (E4).

A linear model over a sentence's words, what stands in it and beside it, learnt from the sentences
of marked answers: does a marked fact stand in it? Weights are whole numbers, as the tagger's.
`benchmarks/tagger.py` trains it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from factmark.answers.core.extraction.absence import wording
from factmark.answers.core.extraction.columns import flags_of
from factmark.answers.core.extraction.question_words import QuestionWords
from factmark.answers.core.extraction.sentences import Sentence
from factmark.answers.core.extraction.tokens import Kind
from factmark.answers.core.extraction.weights import learnt
from factmark.text.word_classes import CLOSED, word_class
from factmark.text.words import normalise

_OF_THE_ANSWER = re.compile(  # `Source: ...`, `[^1]: References: ...`, `Confidence: 90`
    r"\W*(?:[\d¹²³⁰⁴-⁹]{1,2}\W+)?(?:sources?|references?|citations?|confidence(?:\s+(?:score|level))?|certainty)"
    r"\s*(?:\([^()]*\)\s*)?[:=]",
    re.IGNORECASE,
)
_KEYS_OF_THE_ANSWER = frozenset(normalise("source reference citation confidence certainty"))
_CLEARLY = 1_500  # of a sum of weights: 82 to 18


def of_the_matter(
    sentences: Sequence[Sentence], asked: QuestionWords, places: Collection[int]
) -> list[bool]:
    """Whether each sentence of an answer may state a fact; no where it clearly is of something
    else.

    Args:
        places: the sentences that are looked at; of the others it is no.
    """
    table = weights()
    matter = {at for at in places if not _is_of_the_answer(sentences[at], asked)}
    return [
        bool(names) and at in matter and sum(map(table.get, names, repeat(0))) > -_CLEARLY
        for at, names in enumerate(features(sentences, asked, places))
    ]


def _is_of_the_answer(sentence: Sentence, asked: QuestionWords) -> bool:
    """Whether a label or key says that what follows is a source, or how sure the answer is (E4);
    not where that is what the question asks for."""
    label = _OF_THE_ANSWER.match(sentence.plain)
    names = {*sentence.under[:1], *(normalise(label[0]) if label else ())}
    return not _KEYS_OF_THE_ANSWER.intersection(names) <= asked.words


def features(
    sentences: Sequence[Sentence], asked: QuestionWords, places: Collection[int]
) -> Iterator[set[str]]:
    """The features of each sentence of an answer; none of those that are not in `places`.

    What is asked at the end (`Shall I go on?`) is no part of what stands beside them.
    """
    end = len(sentences)
    while end and asks_the_reader(sentences[end - 1]):
        end -= 1
    stated = sentences[:end]
    flags = ["", *(flags_of([t.lower for t in sentence.tokens]) for sentence in stated), ""]
    kinds = ["", *(sentence.kind for sentence in stated), ""]
    of_all = _of_all(flags[1:-1])
    answered = False
    for at, sentence in enumerate(stated, 1):
        if answered and at - 1 not in places:
            yield set()
            continue
        contents = _Contents.of(sentence, asked)
        if at - 1 not in places:
            yield set()
        else:
            kind, own = kinds[at], flags[at]
            names = wording(sentence, asked)
            names.update(of_all, contents.features(asked, own), _of_form(sentence, kind, own))
            for name, beside in (("before", at - 1), ("after", at + 1)):
                names |= {f"{name} {flags[beside]} {own}", f"{name} {kinds[beside]}"}
            names |= {f"under {word}" for word in sentence.under}
            figures = f"{contents.numbers > 0} {contents.capitals > 0}"
            names |= {f"answered {answered} {own}", f"answered {answered} {figures}"}
            yield names
        answered = answered or contents.shows_something
    yield from (set() for _ in sentences[end:])


def asks_the_reader(sentence: Sentence) -> bool:
    """Whether a sentence is a question (E4); a title in a cell may end as one does."""
    return sentence.plain.endswith("?") and sentence.segment.kind != "cell"


def _of_all(flags: Sequence[str]) -> set[str]:
    """The features of a whole answer: who and what it speaks of, and how often it declines."""
    declines = sum("N" in some and ("S" in some or "R" in some) for some in flags)
    return {
        f"all {''.join(sorted(set(''.join(flags))))}",
        f"declines {min(declines, 2)} {len(flags) > 2}",
    }


def _of_form(sentence: Sentence, kind: str, flags: str) -> set[str]:
    """The features of where a sentence stands and how it begins and ends."""
    words = [token.lower for token in sentence.tokens[:2]]
    return {
        f"kind {kind} {_step(len(sentence.tokens), 2, 4, 8)}",
        f"kind {kind} {flags}",
        f"begin {words[0]}",
        f"begin {' '.join(words)}",
        f"end {sentence.plain[-1:]}",
    }


@dataclass(frozen=True, slots=True)
class _Contents:
    """How much stands in a sentence that could be a fact, and how long it is.

    Attributes:
        new: its content words that the question has not; `asked`, those that it has.
    """

    tokens: int
    numbers: int
    dates: int
    codes: int
    capitals: int
    emphasised: int
    new: int
    asked: int

    @classmethod
    def of(cls, sentence: Sentence, asked: QuestionWords) -> _Contents:
        """Counts what stands in a sentence."""
        count = dict.fromkeys((Kind.NUMBER, Kind.DATE, Kind.CURIE, Kind.URL), 0)
        capitals = emphasised = new = old = 0
        in_question = asked.words.issuperset
        for place, token in enumerate(sentence.tokens):
            emphasised += token.emphasised
            if token.kind == Kind.WORD:
                known = bool(token.words) and in_question(token.words)
                if place and not known and token.text[0].isupper() and token.lower != "i":
                    capitals += 1
                if word_class(token.text) not in CLOSED:
                    old += known
                    new += not known
            elif token.kind in count:
                count[token.kind] += 1
        return cls(
            tokens=len(sentence.tokens),
            numbers=count[Kind.NUMBER],
            dates=count[Kind.DATE],
            codes=count[Kind.CURIE] + count[Kind.URL],
            capitals=capitals,
            emphasised=emphasised,
            new=new,
            asked=old,
        )

    @property
    def shows_something(self) -> bool:
        """Whether a number, a date, a code, a name or a stressed word stands in it."""
        return any((self.numbers, self.dates, self.codes, self.capitals, self.emphasised))

    def features(self, asked: QuestionWords, flags: str) -> set[str]:
        """The counts, in steps."""
        some = f"{self.numbers > 0} {self.dates > 0} {self.capitals > 0}"
        return {
            f"numbers {min(self.numbers, 3)}",
            f"dates {min(self.dates, 2)}",
            f"capitals {_step(self.capitals, 1, 2, 4)}",
            f"codes {min(self.codes, 2)}",
            f"emphasised {_step(self.emphasised, 1, 3)}",
            f"new {_step(self.new, 1, 2, 3, 5, 8)}",
            f"asked {_step(self.asked, 1, 2, 4)}",
            f"length {_step(self.tokens, 4, 8, 16, 30)} {_step(self.new, 1, 3, 6)}",
            f"{asked.kind}: {some}",
            f"{some} {self.emphasised > 0} {flags}",
        }


def _step(number: int, *steps: int) -> int:
    """How many of the steps a number reaches."""
    return bisect_right(steps, number)


def weights() -> Mapping[str, int]:
    """How much each feature speaks for a statement, as learnt."""
    table: Mapping[str, int] = learnt("statements")
    return table
