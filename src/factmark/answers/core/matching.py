"""Matching facts with the ground truth: rules M2, M3 and M4."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache

from factmark.answers.core.elements.nomenclature import is_symbol, person_parts, says_person
from factmark.answers.core.elements.things import property_words, things_of, whole_writings
from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.records import Fact, Thing
from factmark.answers.core.writings import quantity_of
from factmark.text.lexicon import UNITS_AFTER_NUMBER
from factmark.text.word_classes import word_class
from factmark.text.words import SCALES, normalise

Words = tuple[str, ...]


_NUMBER = re.compile(r"(0|[1-9]\d*)(\.\d+)?")
_WITH_UNIT = re.compile(rf"(?P<number>{_NUMBER.pattern})[^\d.]*")
_LONGEST = 60  # characters of a number
_UNITS = frozenset(word for unit in UNITS_AFTER_NUMBER for word in normalise(unit)) | {"c", "f"}


@lru_cache(maxsize=65_536)
def value_of(words: Words) -> str | None:
    """The value in digits of a number with or without a unit (M5); None for anything else.

    >>> value_of(("12.50",)), value_of(("97.3mg", "dl")), value_of(("2.5", "million"))
    ('12.5', '97.3', '2500000')
    >>> value_of(("2percent", "to", "5percent")), value_of(("lisinopril", "10mg"))
    (None, None)
    """
    short = (word for word in words if len(word) < _LONGEST)
    numbers = [match for word in short if (match := _WITH_UNIT.fullmatch(word))]
    if len(numbers) != 1 or any(word.isalpha() and word not in _UNITS for word in words):
        return None
    value = Decimal(numbers[0]["number"])
    for word in words:
        value *= SCALES.get(word, 1)
    digits = f"{value:f}"
    if "." in digits:
        return digits.rstrip("0").rstrip(".")
    return digits


def contains(longer: Words, shorter: Words) -> bool:
    """Whether the one word sequence is a contiguous part of the other (M2); empty ones never."""
    size = len(shorter)
    if not size or size > len(longer):
        return False
    return any(longer[at : at + size] == shorter for at in range(len(longer) - size + 1))


_FEW = 6  # words; what has no more is a name, not a sentence


def _is_sentence(element: str) -> bool:
    """Whether an element is a sentence by its length and a verb in it."""
    words = element.split()
    verbs = ("verb", "auxiliary")
    return len(words) > _FEW and any(
        word.islower() and word_class(word.strip(".,;")) in verbs for word in words
    )


@lru_cache(maxsize=65_536)
def spellings(element: str) -> tuple[Words, ...]:
    """The words of an element; for one in camelCase also as it reads in another case (M1)."""
    together: tuple[str, ...] = ()
    if element.isalnum():
        together = normalise(element.casefold())
    return tuple(words for words in dict.fromkeys((normalise(element), together)) if words)


_DATE = (re.compile(r"\d{4}"), re.compile(r"\d\d"), re.compile(r"\d\d"))


def _part_of(fact: Words, element: Words) -> bool:
    """Whether a fact is part of an element; for a date only its year or its month are (`2025`)."""
    date = len(element) == len(_DATE) and all(
        pattern.fullmatch(word) for pattern, word in zip(_DATE, element, strict=True)
    )
    if date:
        return element[: len(fact)] == fact
    return contains(element, fact)


def common_words(elements: Sequence[Words]) -> frozenset[str]:
    """The words that cannot carry a match alone: in more than half of |G| >= 3 elements (M3)."""
    if len(elements) < 3:
        return frozenset()
    counts: dict[str, int] = {}
    for element in elements:
        for word in set(element):
            counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if 2 * count > len(elements))


@dataclass(frozen=True, slots=True)
class Targets:
    """The ground truth, ready for matching.

    Attributes:
        elements: G without duplicates, then the aliases of its elements.
        means: for each of these the index of the element of G that it is, or is an alias of.
        words: the normalised words of each element.
        common: the words of G that cannot carry a match alone (M3).
        by_word: word -> indexes of the elements that hold it.
        by_words: an element's words -> indexes of the elements that have just these.
        lengths: word -> how many words the elements have that begin with it, longest first.
        values: number -> indexes of the elements that are just this number (M5).
        quantities: number with its unit -> indexes of the elements that are just this.
        content: index of an element that is a whole sentence -> the content words that it
            alone has (M4b).
        persons: last word of a person's name -> the words of the name, and its index (M6).
        properties: words that state a property of an element -> the indexes of such elements.
        known: the words of facts that were matched before -> what `matches` gave.
    """

    elements: tuple[str, ...]
    means: tuple[int, ...]
    words: tuple[Words, ...]
    common: frozenset[str]
    by_word: dict[str, list[int]]
    by_words: dict[Words, list[int]]
    lengths: dict[str, list[int]]
    values: dict[str, list[int]]
    quantities: dict[tuple[Decimal, str], list[int]]
    content: dict[int, frozenset[str]]
    persons: dict[str, list[tuple[Words, int]]]
    properties: dict[Words, set[int]]
    known: dict[Words, list[int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ground_truth: Iterable[str],
        aliases: Mapping[str, Iterable[str]] | None = None,
        given: Mapping[str, Thing] | None = None,
    ) -> Targets:
        """Targets from the elements of G and their other writings; duplicates drop.

        Args:
            aliases: element -> other names of it.
            given: element -> what it is, where that is recorded; else as its text says (M6).
        """
        own = tuple(dict.fromkeys(ground_truth))
        things = things_of(own, given)
        means, whole = _meanings(own, aliases or {}, things)
        elements = tuple(means)
        meaning = tuple(means.values())
        words = tuple(normalise(element) for element in elements)
        by_word: dict[str, list[int]] = {}
        by_words: dict[Words, list[int]] = {}
        lengths: dict[str, set[int]] = {}
        values: dict[str, list[int]] = {}
        quantities: dict[tuple[Decimal, str], list[int]] = {}
        for index, sequence in enumerate(words):
            if len(sequence) == 1 and _NUMBER.fullmatch(sequence[0]):
                values.setdefault(value_of(sequence) or "", []).append(index)
            quantity = quantity_of(sequence)
            if quantity is not None:
                quantities.setdefault(quantity, []).append(index)
            if elements[index] not in whole:
                for word in set(sequence):
                    by_word.setdefault(word, []).append(index)
            for spelling in spellings(elements[index]):
                by_words.setdefault(spelling, []).append(index)
                lengths.setdefault(spelling[0], set()).add(len(spelling))
        sentences = {
            index: element
            for index, element in enumerate(elements)
            if _is_sentence(element) and element not in whole
        }
        return cls(
            elements=elements,
            means=meaning,
            words=words,
            common=common_words(_own_words(things)),
            by_word=by_word,
            by_words=by_words,
            lengths={word: sorted(sizes, reverse=True) for word, sizes in lengths.items()},
            values=values,
            quantities=quantities,
            content=_content_of(sentences, meaning, by_word),
            persons=_persons(means),
            properties=_properties(things),
        )

    @property
    def own(self) -> tuple[str, ...]:
        """G itself, without aliases."""
        return self.elements[: len(set(self.means))]

    def matches(self, fact: Words) -> list[int]:
        """The indexes of the elements that a fact with these words could cover (M2, M3)."""
        if fact not in self.known:
            self.known[fact] = self._covered_by(fact)
        return self.known[fact]

    def _covered_by(self, fact: Words) -> list[int]:
        """`matches`, worked out."""
        covered: set[int] = set()
        if not self.lengths.keys().isdisjoint(fact):
            covered.update(*(self.by_words[sequence] for sequence in self._inside(fact)))
        # Then the fact may also be the part.
        if self._carries(fact) and all(map(self.by_word.__contains__, fact)):
            rarest = min((self.by_word[word] for word in fact), key=len)
            covered.update(
                index
                for index in rarest
                if _part_of(fact, self.words[index])
                and self.covers_half(index, fact)
                and not self._is_whole(index)
            )
        if self.values:
            covered.update(self.values.get(value_of(fact) or "", ()))
        if self.quantities and (quantity := quantity_of(fact)) is not None:
            covered.update(self.quantities.get(quantity, ()))
        if not self.persons.keys().isdisjoint(fact):
            covered.update(self._persons_in(fact))
        return sorted({self.means[index] for index in covered})

    def _persons_in(self, fact: Words) -> Iterator[int]:
        """The indexes of the persons whose name a fact says by its parts (M6)."""
        for end, last in enumerate(fact, start=1):
            for name, index in self.persons.get(last, ()):
                starts = range(max(0, end - len(name) - 1), end - 1)
                if any(says_person(fact[start:end], name) for start in starts):
                    yield index

    def covers_half(self, index: int, words: Iterable[str]) -> bool:
        """Whether words hold half of an element's content, where it is a whole sentence (M4b)."""
        content = self.content.get(index)
        return content is None or 2 * len(content.intersection(words)) >= len(content)

    def _is_whole(self, index: int) -> bool:
        """Whether it stands for a number: *4 min* is a part of *4 min 18 s*, and another value."""
        meant = self.words[self.means[index]]
        return index != self.means[index] and len(meant) == 1 and meant[0][:1].isdigit()

    def _inside(self, fact: Words) -> Iterator[Words]:
        """The elements' word sequences that are part of a fact and can carry a match."""
        for at, word in enumerate(fact):
            for size in self.lengths.get(word, ()):
                sequence = fact[at : at + size]
                if sequence in self.by_words and self._carries(sequence):
                    yield sequence

    def _carries(self, words: Words) -> bool:
        """Whether some of the words are not common, so that they can carry a match (M3)."""
        return not self.common.issuperset(words)


def _meanings(
    own: Sequence[str], aliases: Mapping[str, Iterable[str]], things: Mapping[str, Thing]
) -> tuple[dict[str, int], set[str]]:
    """Each writing of an element with the element's index, the elements themselves first; and the
    writings of which no part says it."""
    means = {element: index for index, element in enumerate(own)}
    whole = set()
    for name in own:
        if is_symbol(name) or name not in things[name].names:
            whole.add(name)
    for element in own:
        names = things[element].names
        for writing in (*names, *whole_writings(things[element])):
            if writing not in means and writing not in names:
                whole.add(writing)
            means.setdefault(writing, means[element])
        for alias in aliases.get(element, ()):
            means.setdefault(alias, means[element])
    return means, whole


def _content_of(
    sentences: Mapping[int, str], meaning: Sequence[int], by_word: Mapping[str, Sequence[int]]
) -> dict[int, frozenset[str]]:
    """Of each element that is a sentence the content words that it alone has."""
    return {
        index: frozenset(
            word
            for word in content_words(element)
            if {meaning[i] for i in by_word.get(word, ())} == {meaning[index]}
        )
        for index, element in sentences.items()
    }


def _own_words(things: Mapping[str, Thing]) -> list[Words]:
    """The words of the first name of each element."""
    words = []
    for thing in things.values():
        words.append(normalise(next(iter(thing.names), "")))
    return words


def _persons(means: Mapping[str, int]) -> dict[str, list[tuple[Words, int]]]:
    """The persons among the names, by their last word."""
    persons: dict[str, list[tuple[Words, int]]] = {}
    for place, name in enumerate(means):
        parts = person_parts(name)
        if parts:
            persons.setdefault(parts[-1], []).append((parts, place))
    return persons


def _properties(things: Mapping[str, Thing]) -> dict[Words, set[int]]:
    """The words that state a property, with the elements that have it."""
    properties: dict[Words, set[int]] = {}
    for index, thing in enumerate(things.values()):
        for words in property_words(thing):
            properties.setdefault(words, set()).add(index)
    return properties


def match_facts(facts: Sequence[Fact], ground_truth: Iterable[str] | Targets) -> tuple[Fact, ...]:
    """The facts with the elements that they cover; facts that say a covered element again drop.

    The assignment is a maximum one-to-one matching (M4). Among the maximum ones, facts equal to
    an element take it first, and earlier facts go before later ones.

    >>> [f.match for f in match_facts([Fact(text="lisinopril", start=0, end=10)],
    ...                               ["lisinopril 10 MG Oral Tablet"])]
    ['lisinopril 10 MG Oral Tablet']
    """
    if isinstance(ground_truth, Targets):
        targets = ground_truth
    else:
        targets = Targets.of(ground_truth)
    words = [normalise(fact.text) for fact in facts]
    options = [
        _decided_before(fact, targets) or targets.matches(sequence)
        for fact, sequence in zip(facts, words, strict=True)
    ]
    taken = _assign(words, options, targets)
    covered = set(taken.values())
    out = []
    for index, fact in enumerate(facts):
        if not options[index] and not covered.isdisjoint(targets.properties.get(words[index], ())):
            continue  # of a thing that is said: the same fact
        if index in taken:
            element = taken[index]
            same = words[index] == targets.words[element]
            rule = fact.rule or ("M1" if same else "M2")
            out.append(replace(fact, match=targets.elements[element], rule=rule))
        elif not options[index]:
            as_it_is = fact.match is None and not fact.rule
            out.append(fact if as_it_is else replace(fact, match=None, rule=""))
    return tuple(out)


def _decided_before(fact: Fact, targets: Targets) -> list[int]:
    """The element that a verdict (E5) or a misspelled name has decided on before."""
    if fact.match not in targets.elements:
        return []
    return [targets.means[targets.elements.index(fact.match)]]


def _assign(words: list[Words], options: list[list[int]], targets: Targets) -> dict[int, int]:
    """Fact index -> element index, of maximum size: augmenting paths, equal pairs first."""
    owner: dict[int, int] = {}  # element -> fact
    for index, candidates in enumerate(options):
        for element in candidates:
            if words[index] == targets.words[element] and element not in owner:
                owner[element] = index
                break
    placed = set(owner.values())
    for index in range(len(words)):
        if index not in placed and options[index]:
            _augment(index, options, owner)
    return {fact: element for element, fact in owner.items()}


def _augment(start: int, options: list[list[int]], owner: dict[int, int]) -> bool:
    """Finds an element for one more fact, moving others along a path; breadth first."""
    came_from: dict[int, tuple[int, int | None]] = {}  # element -> (fact, element before)
    queue: list[tuple[int, int | None]] = [(start, None)]
    for fact, before in queue:
        for element in options[fact]:
            if element in came_from:
                continue
            came_from[element] = (fact, before)
            if element not in owner:
                _move_along_path(element, came_from, owner)
                return True
            queue.append((owner[element], element))
    return False


def _move_along_path(
    element: int, came_from: dict[int, tuple[int, int | None]], owner: dict[int, int]
) -> None:
    """Gives each element on an augmenting path to the fact that reached it."""
    at: int | None = element
    while at is not None:
        fact, before = came_from[at]
        owner[at] = fact
        at = before
