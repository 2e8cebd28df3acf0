"""Which stretches of a sentence state a fact (E1, E2), by a tagger learnt from marked answers.

A conditional random field (Lafferty, McCallum and Pereira 2001) with the labels O (outside), B
(begins a fact) and I (goes on). Weights are whole numbers, so that sums are exact and every machine
says the same. `benchmarks/tagger.py` trains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, TypeVar

from factmark.answers.core.extraction.columns import (
    ATTRIBUTES,
    FORM,
    Attributes,
    attributes,
    columns_of,
)
from factmark.answers.core.extraction.question_words import QuestionWords
from factmark.answers.core.extraction.sentences import Sentence
from factmark.answers.core.extraction.weights import learnt

Template = tuple[tuple[str, int], ...]
"""Columns with the places beside a token at which they are looked at."""
Key = TypeVar("Key")
Value = TypeVar("Value")

REACH = 3  # tokens on either side that a feature may look at
SEPARATOR = "\t"  # of a template's values; in no token
_REMEMBERED = 100_000  # sums that are kept
_PLACE = 1 << 32  # of the weight of I, above that of B
_EAGER = 1_000  # what a beginning gets besides: as learnt, it finds fewer facts than people mark


def template_of(line: str) -> Template:
    """The template of a line such as `class@-1 class`: columns, with places beside the token."""
    parts = (part.partition("@") for part in line.split())
    return tuple((name, int(place or 0)) for name, _, place in parts)


_GROUPS = (
    "policy kind flags class shape",
    "under class shape",
    "echo clause colon bracket quoted emphasis begin class shape",
    "class@-2 class@-1 class class@1 class@2",
    "gap gap@1 emphasis class@-1 class",
    "shape@-1 gap shape shape@1",
    "echo@-1 echo echo@1 emphasis@-1 emphasis emphasis@1",
)
"""Columns whose values come again and again together: the weights of all templates over them are
added once and kept. Any grouping gives the same sums."""

_END: Attributes = ("",) * len(ATTRIBUTES)  # beside a sentence


class View:
    """The columns of an answer's sentences one after the other, with room between them.

    Attributes:
        places: where each sentence begins and ends.
        length: of all columns, without the room at both ends.
        own: the attributes of each token.
        forms: the values of the columns `FORM` of each sentence, and the tokens with room after.
    """

    def __init__(self, sentences: Sequence[Sentence], asked: QuestionWords) -> None:
        room = ("",) * REACH
        self.places: list[tuple[int, int]] = []
        self.own: list[Attributes] = [_END] * REACH
        self.forms: list[tuple[tuple[str, ...], int]] = []
        parts: list[Mapping[str, Sequence[str]]] = []
        for sentence in sentences:
            start = len(self.own) - REACH
            self.own += [attributes(token.kind, token.text) for token in sentence.tokens]
            self.places.append((start, len(self.own) - REACH))
            self.own += [_END] * REACH
            form, part = columns_of(sentence, asked)
            self.forms.append((form, len(sentence.tokens) + REACH))
            parts.append(part)
        self.length = max(0, len(self.own) - 2 * REACH)
        self._columns: dict[str, Sequence[str]] = dict(
            zip(ATTRIBUTES, zip(*self.own, strict=True), strict=True)
        )
        if parts:
            for name in parts[0]:
                column = list(room)
                for part in parts:
                    column += part[name]
                    column += room
                self._columns[name] = column
        for place, name in enumerate(FORM):
            column = list(room)
            for form, size in self.forms:
                column += (form[place],) * size
            self._columns[name] = column

    def values(self, template: Template) -> Iterable[str | tuple[str, ...]]:
        """The values of a template at each place; a text, or a tuple of several columns' texts."""
        columns = []
        for name, place in template:
            columns.append(self._columns[name][REACH + place : REACH + place + self.length])
        if len(columns) == 1:
            return columns[0]
        return zip(*columns, strict=True)


class Tagger:
    """The learnt weights.

    A weight is two in one number: what a feature adds to B, and `_PLACE` times what it adds to I,
    both relative to O, so that one addition does for all labels.
    """

    def __init__(self, model: Mapping[str, Mapping[str, Sequence[int]]]) -> None:
        steps = model["transitions"]
        self._steps = {name: steps[name][0] for name in steps}
        tables: dict[Template, Mapping[Any, int]] = {}
        for name in model:
            if name != "transitions":
                tables[template_of(name)] = _weights(model[name])
        alone = []
        for t in tables:
            if len(t) == 1 and t[0][0] in ATTRIBUTES:
                alone.append(t)
        self._own = _OwnWeights({t: tables.pop(t) for t in alone})
        self._groups: list[tuple[Template, Mapping[Any, int]]] = []
        for group in (tuple((name, 0) for name in FORM), *map(template_of, _GROUPS)):
            inside = {}
            for t in list(tables):
                if set(t) <= set(group):
                    inside[t] = tables.pop(t)
            self._groups.append((group, _Sums(inside, group)))
        self._form = self._groups.pop(0)[1]
        self._alone = list(tables.items())

    def spans(
        self, sentences: Sequence[Sentence], asked: QuestionWords
    ) -> list[list[tuple[int, int]]]:
        """The facts that each sentence states, as (first token, the one after the last)."""
        view = View(sentences, asked)
        if not view.length:
            return []
        beside = zip(*map(self._own.__getitem__, view.own), strict=True)
        columns: list[Sequence[int]] = [
            sums[place : place + view.length] for place, sums in enumerate(beside)
        ]
        for group, sums in self._groups:
            columns.append(list(map(sums.__getitem__, view.values(group))))
        for template, weights in self._alone:
            columns.append(list(map(weights.get, view.values(template), repeat(0))))
        starts = chain.from_iterable([(self._form[form],) * size for form, size in view.forms])
        scores = list(map(sum, zip(*columns, strict=True), starts))
        return [_best_spans(scores[start:end], self._steps) for start, end in view.places]


class _OwnWeights(dict[Attributes, tuple[int, ...]]):
    """What a token's attributes add to the tokens beside it: a sum for each place in reach."""

    def __init__(self, tables: Mapping[Template, Mapping[Any, int]]) -> None:
        super().__init__()
        self._tables = [
            (REACH + place, ATTRIBUTES.index(name), weights.get)
            for ((name, place),), weights in tables.items()
        ]

    def __missing__(self, values: Attributes) -> tuple[int, ...]:
        sums = [0] * (2 * REACH + 1)
        for place, column, weight_of in self._tables:
            sums[place] += weight_of(values[column], 0)
        return _remember(self, values, tuple(sums))


class _Sums(dict[tuple[str, ...], int]):
    """The weights of all templates over a group of columns, added when its values are first met."""

    def __init__(self, tables: Mapping[Template, Mapping[Any, int]], group: Template) -> None:
        super().__init__()
        self._tables = [
            (itemgetter(*map(group.index, template)), weights.get)
            for template, weights in tables.items()
        ]

    def __missing__(self, values: tuple[str, ...]) -> int:
        total = 0
        for of, weight_of in self._tables:
            total += weight_of(of(values), 0)
        return _remember(self, values, total)


def _remember(memory: dict[Key, Value], key: Key, value: Value) -> Value:
    """The value, kept for the next time where there is room."""
    if len(memory) < _REMEMBERED:
        memory[key] = value
    return value


def _weights(table: Mapping[str, Sequence[int]]) -> dict[str | tuple[str, ...], int]:
    """The weights of a table by key (of several columns a tuple); a pair is one number."""
    weights = {}
    for key, (begin, into) in table.items():
        weights[tuple(key.split(SEPARATOR)) if SEPARATOR in key else key] = begin + _PLACE * into
    return weights


def _best_spans(scores: Sequence[int], steps: Mapping[str, int]) -> list[tuple[int, int]]:
    """The spans of the labels of highest sum (Viterbi); on a tie the earlier of O, B, I."""
    oo = steps["OO"]
    ob = steps["OB"]
    bo = steps["BO"]
    bb = steps["BB"]
    bi = steps["BI"]
    io = steps["IO"]
    ib = steps["IB"]
    ii = steps["II"]
    gains = [divmod(score + _PLACE // 2, _PLACE) for score in scores]  # of I, and of B with half
    more = _EAGER - _PLACE // 2
    # none begins with I
    out = 0
    begin = gains[0][1] + more
    into = -(_PLACE**2)
    back = [("", "", "")]  # for each label of a token, the best label of the token before it
    for of_into, of_begin in gains[1:]:
        to_out = out + oo
        from_out = "O"
        if begin + bo > to_out:
            to_out = begin + bo
            from_out = "B"
        if into + io > to_out:
            to_out = into + io
            from_out = "I"
        to_begin = out + ob
        from_begin = "O"
        if begin + bb > to_begin:
            to_begin = begin + bb
            from_begin = "B"
        if into + ib > to_begin:
            to_begin = into + ib
            from_begin = "I"
        to_into = begin + bi
        from_into = "B"
        if into + ii > to_into:
            to_into = into + ii
            from_into = "I"
        out = to_out
        begin = to_begin + of_begin + more
        into = to_into + of_into
        back.append((from_out, from_begin, from_into))
    if into > max(out, begin):
        label = "I"
    elif begin > out:
        label = "B"
    else:
        label = "O"
    spans: list[tuple[int, int]] = []
    end = len(scores)
    for position in range(len(scores) - 1, -1, -1):
        if label == "B":
            spans.append((position, end))
        if label != "I":
            end = position
        label = back[position]["OBI".index(label)]
    return spans[::-1]


@lru_cache(maxsize=1)
def trained() -> Tagger:
    """The tagger with the weights that the package brings."""
    return Tagger(learnt("tagger"))
