"""A reply without the task that it repeats: a prompt's own labels are no verdict. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_WORD = re.compile(r"\w+")
_START = 4  # words by which a place of the task is found
_STRETCH = 8  # words in a row that only one who repeats the task has


def without_task(reply: str, task: str, labels: Sequence[str], *, cut: bool = False) -> str:
    """The reply without the stretches of the task that stand in it.

    What a label means, said once, may be the judge's reason; said of two labels it is the task.
    A label after a stretch that ends the reply is the judge's own, unless the reply was cut off.

    Args:
        task: what the judge decides, what each label means, one a line, and the form of the reply.
    """
    words = list(_WORD.finditer(reply))
    spoken = [word[0].casefold() for word in words]
    own = frozenset(label.casefold() for label in labels)
    stretches = list(_stretches(spoken, task, own, cut))
    meanings = {line for *_, lines, _ in stretches for line in lines if line >= 0}
    parts, done = [], 0
    for start, end, lines, is_long in stretches:
        if not (len(meanings) > 1 or (is_long and -1 in lines)):
            continue
        if not cut and end == len(spoken) and spoken[-1] in own and spoken[-2] not in own:
            end -= 1
        parts.append(reply[done : words[start].start()])
        done = words[end - 1].end() if end > start else words[start].start()
    return " ".join([*parts, reply[done:]])


def _stretches(
    spoken: Sequence[str], task: str, labels: frozenset[str], cut: bool
) -> Iterator[tuple[int, int, set[int], bool]]:
    """Where the reply follows the task: from and to which word, through which lines (-1 for one
    that tells no label's meaning), and whether for long."""
    words, lines, places = _places(task, labels)
    at = 0
    while at < len(spoken):
        longest, where = 0, 0
        for place in places.get(tuple(spoken[at : at + _START]), ()):
            size = _START
            while (
                at + size < len(spoken)
                and place + size < len(words)
                and words[place + size] == spoken[at + size]
            ):
                size += 1
            last = at + size == len(spoken) - 1 and cut and place + size < len(words)
            size += bool(last and words[place + size].startswith(spoken[-1]))
            if size > longest:
                longest, where = size, place
        through = set(lines[where : where + longest])
        if longest >= _STRETCH or (longest and lines[where] >= 0 and words[where] in labels):
            yield at, at + longest, through, longest >= _STRETCH
        at += longest or 1


@lru_cache(maxsize=64)
def _places(
    task: str, labels: frozenset[str]
) -> tuple[list[str], list[int], dict[tuple[str, ...], list[int]]]:
    """The words of a task, the line of each, and where each few words stand."""
    words: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(task.split("\n")):
        of_line = [word[0].casefold() for word in _WORD.finditer(line)]
        is_meaning = bool(of_line) and of_line[0] in labels
        words += of_line
        lines += [number if is_meaning else -1] * len(of_line)
    places: dict[tuple[str, ...], list[int]] = {}
    for at in range(len(words) - _START + 1):
        places.setdefault(tuple(words[at : at + _START]), []).append(at)
    return words, lines, places
