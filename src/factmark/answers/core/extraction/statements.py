"""Which sentences are of the matter, and which only of the answer, its sources or advice (E4).

A linear model over a sentence's words, what stands in it and beside it, learnt from the sentences
of marked answers: does a marked fact stand in it? Weights are whole numbers, as the tagger's.
`benchmarks/tagger.py` trains it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat

from factmark.answers.core.extraction.absence import wording
from factmark.answers.core.extraction.question_words import QuestionWords
from factmark.answers.core.extraction.sentences import Sentence, asks_the_reader
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
    matter = set()
    for at in places:
        if not _is_of_the_answer(sentences[at], asked):
            matter.add(at)
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
    flags = ["", *(sentence.flags for sentence in stated), ""]
    kinds = ["", *(sentence.kind for sentence in stated), ""]
    of_all = _of_all(flags[1:-1])
    answered = False
    for at, sentence in enumerate(stated, 1):
        wanted = at - 1 in places
        names = set[str]()
        counts = {}
        if wanted or not answered:
            counts = _contents(sentence, asked)
        if wanted:
            own = flags[at]
            names = wording(sentence, asked)
            names.update(of_all, _of_contents(counts, asked, own), _of_form(sentence))
            for name, beside in (("before", at - 1), ("after", at + 1)):
                names |= {f"{name} {flags[beside]} {own}", f"{name} {kinds[beside]}"}
            names |= {f"under {word}" for word in sentence.under}
            figures = f"{counts['numbers'] > 0} {counts['capitals'] > 0}"
            names |= {f"answered {answered} {own}", f"answered {answered} {figures}"}
        yield names
        answered = answered or any(map(counts.get, _SHOWN))
    yield from (set() for _ in sentences[end:])


def _of_all(flags: Sequence[str]) -> set[str]:
    """The features of a whole answer: who and what it speaks of, and how often it declines."""
    declines = sum("N" in flag and ("S" in flag or "R" in flag) for flag in flags)
    return {
        f"all {''.join(sorted(set(''.join(flags))))}",
        f"declines {min(declines, 2)} {len(flags) > 2}",
    }


def _of_form(sentence: Sentence) -> set[str]:
    """The features of where a sentence stands and how it begins and ends."""
    words = sentence.words[:2]
    return {
        f"kind {sentence.kind} {bisect_right((2, 4, 8), len(sentence.words))}",
        f"kind {sentence.kind} {sentence.flags}",
        f"begin {words[0]}",
        f"begin {' '.join(words)}",
        f"end {sentence.plain[-1:]}",
    }


_STEPS = {
    "numbers": (1, 2, 3),
    "dates": (1, 2),
    "capitals": (1, 2, 4),
    "codes": (1, 2),
    "emphasised": (1, 3),
    "new": (1, 2, 3, 5, 8),
    "asked": (1, 2, 4),
}
"""What is counted in a sentence, in which steps: `new` are the content words that the question has
not, `asked` those that it has."""
_STEP_NAMES = [
    (name, steps, [f"{name} {step}" for step in range(len(steps) + 1)])
    for name, steps in _STEPS.items()
]
_SHOWN = ("numbers", "dates", "codes", "capitals", "emphasised")  # one of them, and it is answered


def _contents(sentence: Sentence, asked: QuestionWords) -> dict[str, int]:
    """How much stands in a sentence that could be a fact, by the names of `_STEPS`."""
    tokens = sentence.tokens
    kinds = [token.kind for token in tokens]
    capitals = new = old = 0
    in_question = asked.words.issuperset
    for place, token in enumerate(tokens):
        if token.kind == Kind.WORD:
            known = bool(token.words) and in_question(token.words)
            if place and not known and token.text[0].isupper() and token.lower != "i":
                capitals += 1
            if word_class(token.text) not in CLOSED:
                old += known
                new += not known
    return {
        "numbers": kinds.count(Kind.NUMBER),
        "dates": kinds.count(Kind.DATE),
        "capitals": capitals,
        "codes": kinds.count(Kind.CURIE) + kinds.count(Kind.URL),
        "emphasised": sum([token.emphasised for token in tokens]),
        "new": new,
        "asked": old,
        "tokens": len(tokens),
    }


def _of_contents(counts: Mapping[str, int], asked: QuestionWords, flags: str) -> set[str]:
    """The features of what stands in a sentence: the counts, in steps."""
    held = " ".join(str(counts[name] > 0) for name in ("numbers", "dates", "capitals"))
    length = bisect_right((4, 8, 16, 30), counts["tokens"])
    return {
        *[names[bisect_right(steps, counts[name])] for name, steps, names in _STEP_NAMES],
        f"length {length} {bisect_right((1, 3, 6), counts['new'])}",
        f"{asked.kind}: {held}",
        f"{held} {counts['emphasised'] > 0} {flags}",
    }


weights: Callable[[], Mapping[str, int]] = partial(learnt, "statements")
"""How much each feature speaks for a statement, as learnt."""
