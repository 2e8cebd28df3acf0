"""A reply without what it repeats of the texts that its writer was given: that decides nothing.

A judge repeats its task, with all the labels and what they mean, and the passage and claims that it
judges, with whatever they tell it to say. Texts are compared word by word, without case and marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from factmark.replies.labels import TOKEN, words_of
from factmark.replies.plain import plain_spelling

QUOTED = "\ue002"
"""Stands where a quotation was."""
_LONG = 8  # words in a row that only one who repeats a text has
_START = 4  # words from which on a meaning of a label may be repeated
_LEAST_WORDS = 3
_MOST_WORDS = 60
_BEGINS = re.compile(r"(?:\A|[.!?;:\"\n])[^\w.!?;:\"]*\Z")
_ENDS = re.compile(r"[*_)\]']*(?:[.!?;](?=\W|\Z)|\"|[ \t]*(?:\n|\Z))")
_TASK_WORD = re.compile(r"\w+")  # NOT_SUPPORTED is one


def is_in_given(text: str, given: Sequence[str]) -> bool:
    """Whether all words of a text stand in a given one, in a row."""
    words = _words(text)
    return bool(words) and any(f" {words} " in _padded_words(source) for source in given)


def without_given(text: str, given: Sequence[str]) -> str:
    """Returns the text without the long stretches that stand word by word in a given text, each
    removed up to the end of a sentence or quotation, lest a "not" goes and its verdict stays. A
    short text, such as a claim, goes wherever it stands.

    A verdict that stands in a given text by itself may be the judge's own; see `is_in_given`.
    """
    if next(islice(TOKEN.finditer(text), _LEAST_WORDS - 1, None), None) is None:
        return text  # too short to repeat anything, as most replies are
    for source in given:
        text = without_words(text, source)
    sources = [_padded_words(source) for source in given if source]
    tokens = []
    if sources:
        tokens = list(TOKEN.finditer(text))
    words = [token[0].casefold() for token in tokens]
    parts = []
    done = 0
    at = 0
    while at < len(words):
        start = tokens[at].start()
        end = at + 1
        if _BEGINS.search(text, max(0, start - 9), start):
            end = _stretch_end(words, at, sources, _LONG)
            places = range(end, at + _LONG - 1, -1)
            last = next((n for n in places if _ENDS.match(text, tokens[n - 1].end())), 0)
            if last:
                parts.append(f"{text[done:start]} {QUOTED} ")
                done = tokens[last - 1].end()
            end = last or end - _LONG
        at = max(end, at + 1)
    return "".join([*parts, text[done:]])


def without_words(text: str, quoted: str, mark: str = QUOTED) -> str:
    """Returns the text with `mark` in place of the words of a quoted text (of 3 to 60 words), where
    they stand in a row.
    """
    words = []
    for token in TOKEN.finditer(quoted[:2_000]):
        words.append(token[0])
    if not _LEAST_WORDS <= len(words) <= _MOST_WORDS or len(quoted) > 2_000:
        return text
    folded = text.casefold()
    if not all(word.casefold() in folded for word in words):  # to compile a pattern is dear
        return text
    pattern = r"\b" + r"[\W_]{1,6}".join(map(re.escape, words)) + r"\b"
    return re.sub(pattern, mark, text, flags=re.IGNORECASE)


def without_task(reply: str, task: str, labels: Sequence[str], *, cut: bool = False) -> str:
    """Returns the reply without the stretches of the task that stand in it.

    What a label means, said once, may be the judge's reason; said of two labels it is the task.
    A label after a stretch that ends the reply is the judge's own, unless the reply was cut off.

    Args:
        task: what the judge decides, what each label means, one a line, and the form of the reply.
    """
    tokens = list(_TASK_WORD.finditer(reply))
    words = [token[0].casefold() for token in tokens]
    own = frozenset(label.casefold() for label in labels)
    stretches = list(_stretches_of_task(words, task, own, cut))
    meanings = {line for *_, lines in stretches for line in lines if line >= 0}
    parts = []
    done = 0
    for start, end, lines in stretches:
        if len(meanings) < 2 and (end - start < _LONG or -1 not in lines):
            continue
        if not cut and end == len(words) and words[-1] in own and words[-2] not in own:
            end -= 1
        parts.append(reply[done : tokens[start].start()])
        if end > start:
            done = tokens[end - 1].end()
        else:
            done = tokens[start].start()
    return " ".join([*parts, reply[done:]])


def _stretches_of_task(
    words: Sequence[str], task: str, labels: frozenset[str], cut: bool
) -> Iterator[tuple[int, int, set[int]]]:
    """Yields where the reply repeats the task: the first word, the word after the last, and the
    lines of the task, -1 for one that tells no label's meaning.
    """
    of_task, lines = _words_of_task(task, labels)
    source = f" {' '.join(of_task)} "
    at = 0
    while at < len(words):
        end = _stretch_end(words, at, [source], _START)
        if end == at:
            at += 1
            continue
        place = source.count(" ", 0, source.index(f" {' '.join(words[at:end])} "))
        last = place + end - at
        if (
            cut
            and end == len(words) - 1
            and "".join(of_task[last : last + 1]).startswith(words[-1])
        ):
            end += 1
        if end - at >= _LONG or (lines[place] >= 0 and of_task[place] in labels):
            yield at, end, set(lines[place : place + end - at])
        at = end


@lru_cache(maxsize=64)
def _words_of_task(task: str, labels: frozenset[str]) -> tuple[list[str], list[int]]:
    """The words of a task, and for each the line if that tells a label's meaning, else -1."""
    words: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(task.split("\n")):
        of_line = []
        for word in _TASK_WORD.finditer(line):
            of_line.append(word[0].casefold())
        words += of_line
        lines += [number if labels.intersection(of_line[:1]) else -1] * len(of_line)
    return words, lines


def _stretch_end(words: Sequence[str], at: int, sources: Sequence[str], least: int) -> int:
    """Returns where the longest stretch ends that begins at a word and stands in a source; `at` if
    it has fewer than `least` words.

    What begins a stretch that stands there stands there too, so steps may double.
    """

    def stands(end: int) -> bool:
        stretch = f" {' '.join(words[at:end])} "
        return end <= len(words) and any(stretch in source for source in sources)

    end = at + least
    if not stands(end):
        return at
    step = 1
    grows = True
    while step:
        goes_on = stands(end + step)
        if goes_on:
            end += step
        else:
            end += 0
        grows = grows and goes_on
        if grows:
            step = step * 2
        else:
            step = step // 2
    return end


@lru_cache(maxsize=64)
def _padded_words(source: str) -> str:
    """The words of the beginning of a given text; cached, since many replies are about one text."""
    return f" {_words(plain_spelling(source[:200_000]))} "


@lru_cache(maxsize=64)  # the claims of a batch, against each part of it
def _words(text: str) -> str:
    """Returns the words of a text in lower case, with one space between."""
    return " ".join(words_of(text))
