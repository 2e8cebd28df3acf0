"""Which columns of a table hold ratings, by their names and cells. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from factmark.intake.columns import TableColumn, TableSample, words_of
from factmark.intake.tools import role_names
from factmark.people.imports.roles.copies import FILE
from factmark.people.imports.roles.rating_cells import (
    MOST_LABELS,
    MOST_WORDS,
    holds_ratings,
    stem_of,
)
from factmark.people.imports.roles.siblings import are_dimensions, is_one_scale, is_person

FEW_WORDS = 4  # of a column's name; a question has more


@cache
def _listed_words(table: str) -> frozenset[str]:
    """Returns words of columns' names, as `tasks/ratings.toml` has them."""
    return frozenset(role_names("ratings", "words")[table])


def columns_of_people(sample: TableSample) -> tuple[str, ...]:
    """Returns the columns of ratings that are named as people are, where there are several; none
    where others are named alike but for that word, as `fluency_human` and `fluency_model`."""
    rated = [column for column in sample.columns.values() if is_rated(column)]
    is_rater = role_names("ratings")["annotator"]
    names = [c.path for c in rated if is_person(c.path) and c.name not in is_rater]
    others = [column.path for column in rated if column.path not in names]
    alike = [other for other in others if any(_differ_by_a_word(other, name) for name in names)]
    return tuple(names) if len(names) > 1 and not alike else ()


def _differ_by_a_word(name: str, other: str) -> bool:
    """Whether two names have the same words but for one in the same place, which is no number."""
    pairs = list(zip(words_of(name), words_of(other), strict=False))
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    is_long = len(words_of(name)) == len(words_of(other)) == len(pairs) > 1
    return is_long and len(differing) == 1 and not any(w.isdecimal() for w in differing[0])


def family_of(chosen: TableColumn, rated: Sequence[TableColumn]) -> tuple[str, ...]:
    """Returns the columns of ratings that differ from a chosen one only by a part of the name,
    such as `score_1`; none where it has a name of its own."""
    names = role_names("ratings")["label"]
    if chosen.name in names:
        return ()
    alike = [column for column in rated if stem_of(column.path) == stem_of(chosen.path)]
    return tuple(column.path for column in (alike if len(alike) > 1 else rated))


def rated_columns(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns the columns whose cells are ratings: yes and no, numbers, or words that several
    of them share."""
    rated = [column for column in columns if is_rated(column)]
    fine = [column for column in rated if column.n_distinct > MOST_LABELS]
    for column in columns:
        is_number = column.kind == "number" and not is_beside(column)
        if is_number and column not in rated and any(is_one_scale([column, f]) for f in fine):
            rated.append(column)
    if rated:
        return rated
    words: dict[str, set[str]] = {}
    named = []
    for column in columns:
        if column.kind == "name" and column.n_distinct <= MOST_WORDS and not is_beside(column):
            named.append(column)
            for text in set(column.texts):
                words.setdefault(text.casefold(), set()).add(column.path)
    shared = {word for word, paths in words.items() if len(paths) > 1}
    if not 1 < len(shared) <= MOST_WORDS:
        return []
    return [c for c in named if {text.casefold() for text in c.texts} <= shared]


def is_rated(column: TableColumn) -> bool:
    """Whether a column's cells look like ratings, and its name not like anything else's."""
    if is_beside(column) or column.path == FILE:
        return False
    return holds_ratings(column)


def is_beside(column: TableColumn, but: frozenset[str] = frozenset()) -> bool:
    """Whether a column's name says that it holds no ratings."""
    words = [re.sub(r"\d+$", "", word) or word for word in words_of(column.path)]
    if are_dimensions([column.path]) and "flip" not in words:
        return bool(_listed_words("never") & set(words))
    return len(words) <= FEW_WORDS and bool((_listed_words("beside") - but) & set(words))


def has_word_for_rating(column: TableColumn) -> bool:
    """Whether a word of a column's name is one for a rating."""
    words = {word.rstrip("0123456789") for word in words_of(column.path)}
    return bool(words & set(role_names("ratings")["label"]))


def lengths_of(column: TableColumn) -> list[int]:
    """Returns how many people's ratings each cell has; nothing where cells are no lists."""
    return [len(cell) for cell in column.filled] if column.kind == "list" else []
