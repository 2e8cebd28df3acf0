"""Units that one person rates more than once: a column is overlooked, or somebody thought anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from factmark.intake.columns import TableColumn
from factmark.intake.mapping import TableMapping
from factmark.people.imports.rating_rows import RatingRow
from factmark.people.imports.rating_tables import RatingTable
from factmark.people.imports.table_ratings import LeftOut, ratings_of, unit_of

_MOST_TEXT = 12  # words of a name
_UNITS = 5  # at least, to say that several people rated each
_EVENLY = 0.9  # of the units have as many ratings
_VALUES = 60  # people, or dimensions, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Ratings of a unit that its rater has rated already.

    Attributes:
        times: how many.
        first: where the first one stands.
        have_times: whether of all of them it is known when they were given.
    """

    times: int
    first: str
    have_times: bool


def repeats_in(table: RatingTable, mapping: TableMapping) -> Repeats:
    """Returns the ratings of a unit by a person who has rated it already."""
    seen: dict[tuple[str, ...], set[str]] = {}
    places = []
    have_times = True
    for rating in _ratings(table, mapping):
        moments = seen.setdefault(_key(rating), set())
        if moments:
            places.append(rating.where)
            have_times = have_times and bool(rating.at) and rating.at not in moments
        moments.add(rating.at)
    return Repeats(times=len(places), first=places[0] if places else "", have_times=have_times)


def _key(rating: RatingRow) -> tuple[str, ...]:
    """Returns what was rated by whom; another text is another thing, which is refused later."""
    return (*unit_of(rating), rating.summary, rating.annotator)


def _ratings(table: RatingTable, mapping: TableMapping) -> list[RatingRow]:
    """Returns the ratings of a trial read."""
    return ratings_of(table.placed, mapping, table.places, LeftOut(reasons=Counter()))


def overlooked_columns(
    table: RatingTable, mapping: TableMapping, free: Sequence[TableColumn]
) -> list[TableColumn]:
    """Returns the columns that would tell apart the ratings of one unit by one person, where there
    are several: those of few values, each for many units. Of columns that say the same the first.
    """
    if not _is_readable(mapping):
        return []
    keys = [(rating.where, _key(rating)) for rating in _ratings(table, mapping)]
    if len({key for _, key in keys}) == len(keys):
        return []
    rows = dict(table.placed)
    telling: dict[tuple[int, ...], TableColumn] = {}
    for column in free:
        if not _has_few_values(column):
            continue
        values = [str(rows[where].get(column.path)) for where, _ in keys]
        pairs = {(key, value) for (_, key), value in zip(keys, values, strict=True)}
        if len(pairs) == len(keys) and len(set(values)) > 1:
            telling.setdefault(tuple(_numbered(values)), column)
    return list(telling.values())


def is_rated_by_several(
    table: RatingTable, mapping: TableMapping, free: Sequence[TableColumn]
) -> bool:
    """Whether each unit has as many ratings, two or more, and no column differs between those of
    one unit as what was rated would: with few values, or with a text that stands in other rows."""
    if not _is_readable(mapping):
        return False
    rows: dict[tuple[str, ...], set[str]] = {}
    for rating in _ratings(table, replace(mapping, settings=_without_siblings(mapping))):
        rows.setdefault((*unit_of(rating)[:-1], rating.summary), set()).add(rating.where)
    times = Counter(map(len, rows.values()))
    ((most, number),) = times.most_common(1) or ((0, 0),)
    if most < 2 or len(rows) < _UNITS or number < _EVENLY * len(rows):
        return False
    of = dict(table.placed)
    for column in free:
        is_input = _has_few_values(column) or column.kind == "text"
        if not is_input or column.n_distinct > len(column.filled) / 2:
            continue
        differ = 0
        for places in rows.values():
            differ += len({str(of[place].get(column.path)) for place in places}) > 1
        if 2 * differ > len(rows):
            return False
    return True


def _without_siblings(mapping: TableMapping) -> dict[str, str]:
    """Returns the settings of a mapping without what the names of its ratings tell."""
    return {name: value for name, value in mapping.settings.items() if name != "siblings"}


def _is_readable(mapping: TableMapping) -> bool:
    """Whether a trial read is possible."""
    texts = mapping.columns.get("source") or mapping.columns.get("summary")
    return bool(mapping.columns.get("label") and (mapping.columns.get("document") or texts))


def _has_few_values(column: TableColumn) -> bool:
    """Whether a column could tell who rated, or by what: few names or numbers, again and again."""
    if column.kind not in ("name", "number", "flag") or column.words > _MOST_TEXT:
        return False
    return 1 < column.n_distinct <= min(_VALUES, len(column.filled) // 2)


def _numbered(values: Sequence[str]) -> Iterator[int]:
    """Yields values as numbers by their first appearance, which are equal where columns say the
    same."""
    numbers: dict[str, int] = {}
    for value in values:
        yield numbers.setdefault(value, len(numbers))
