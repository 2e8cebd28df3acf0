"""Which column of a table of ratings holds what: proposed by names and cells, tested on the rows.

What the rows cannot tell is refused with the option for each reading: columns side by side that
may be people or dimensions, a unit that one person rates twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from factmark.intake.columns import TableSample, folded
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Check, Named, Reading, settled_mapping, why_refuted
from factmark.intake.tools import role_names
from factmark.people.imports.rating_advice import (
    is_rateable,
    odd_labels,
    pair_column,
    ways_to_say,
)
from factmark.people.imports.rating_tables import RatingTable
from factmark.people.imports.repeats import (
    is_rated_by_several,
    overlooked_columns,
    repeats_in,
)
from factmark.people.imports.roles.copies import FILE, ROWS
from factmark.people.imports.roles.rating_columns import RatingColumns
from factmark.people.imports.roles.siblings import (
    are_dimensions,
    are_people,
    do_agree,
    is_one_scale,
    parts_of_names,
)
from factmark.people.imports.roles.structure import why_not_one_thing
from factmark.text.shell import quote
from factmark.text.shown_text import first_names, some

_CODE = re.compile(r"[Qq]?[\d._]+")  # of a question: Q2.3_1
_PERSON = "annotator"
_DIMENSION = "dimension"
_MOST_SYSTEMS = 30


def rating_mapping(table: RatingTable, named: Named) -> TableMapping:
    """Returns which column of a table holds what.

    Raises:
        InputError: the ratings, what they are of, or who gave them cannot be told; it says what the
            table holds and which option would read it.
    """
    checks: tuple[Check, ...] = (
        partial(_check_roles, table, named),
        partial(_check_repeats, table, named),
        partial(_check_documents, table, named),
    )
    propose = partial(_readings, table, checks)
    return settled_mapping(table, "ratings", named, propose, checks, must_be_sure=True)


def _readings(
    table: RatingTable, checks: Sequence[Check], sample: TableSample, base: TableMapping
) -> Sequence[Reading]:
    """Returns the ways to read a table with the likeliest documents that the rows do not refute;
    where they refute all, those with the likeliest."""
    base = base.with_columns({**table.known, **base.columns})
    columns = RatingColumns(sample, base)
    first: list[Reading] = []
    for mapping in columns.mappings():
        readings = list(_of_mapping(table, columns, mapping))
        left = [reading for reading in readings if not why_refuted(reading.mapping, sample, checks)]
        if left:
            return left
        first = first or readings
    return first


def _of_mapping(
    table: RatingTable, columns: RatingColumns, mapping: TableMapping
) -> Iterator[Reading]:
    """Yields the ways to read a table whose documents are known."""
    odd = odd_labels(columns, mapping)
    labels = mapping.columns.get("label", ())
    if odd:
        yield from _of_odd(table, columns, mapping, odd)
    elif len(labels) < 2:
        yield from _of_long(table, columns, mapping)
    elif "siblings" in mapping.settings:
        siblings = _with_siblings(mapping, mapping.settings["siblings"])
        yield from _of_anybody(table, columns, _reading(siblings, is_sure=True))
    else:
        for reading in _of_wide(columns, mapping):
            yield from _of_anybody(table, columns, reading)


def _of_anybody(table: RatingTable, columns: RatingColumns, reading: Reading) -> Iterator[Reading]:
    """Yields a reading; where it takes several rows of a unit for one person's and no column tells
    who rated, that of several people without names.

    It is sure where all units have as many rows as people would give, and nothing else differs
    between them.
    """
    yield reading
    mapping = reading.mapping
    siblings = mapping.settings.get("siblings", "")
    if _PERSON in mapping.columns or _PERSON in siblings:
        return
    if is_rated_by_several(table, mapping, columns.free(mapping)):
        yield replace(
            reading,
            mapping=mapping.with_columns({_PERSON: ()}),
            says=f"{reading.says}, nobody is named".strip(", "),
            options=f"--column annotator=none {reading.options}".strip(),
            is_sure=reading.is_sure or siblings == _DIMENSION,
        )


def _of_odd(
    table: RatingTable, columns: RatingColumns, mapping: TableMapping, odd: Sequence[str]
) -> Iterator[Reading]:
    """Yields the ways to read a table with columns among its ratings that may be none: with them,
    and without."""
    labels = mapping.columns["label"]
    for chosen in (labels, tuple(path for path in labels if path not in odd)):
        options = " ".join(f"--column label={quote(path)}" for path in chosen)
        says = f"{some(list(map(repr, chosen)), 4)} are ratings"
        base = mapping.with_columns({"label": chosen})
        for reading in _of_mapping(table, RatingColumns(columns.sample, base), base):
            advice = f"{options} {reading.options}".strip()
            yield replace(reading, says=says, options=advice, is_sure=False)
            break


def _reading(mapping: TableMapping, says: str = "", options: str = "", **more: bool) -> Reading:
    """Returns a reading of a mapping."""
    return Reading(mapping=mapping, says=says, options=options, **more)


def _with_siblings(mapping: TableMapping, roles: str) -> TableMapping:
    """Returns a mapping whose ratings stand side by side, by what their names tell."""
    settings = {**mapping.settings, "siblings": roles}
    held = {role: cols for role, cols in mapping.columns.items() if role not in roles.split("/")}
    return TableMapping(task=mapping.task, tool=mapping.tool, columns=held, settings=settings)


def _of_long(
    table: RatingTable, columns: RatingColumns, mapping: TableMapping
) -> Iterator[Reading]:
    """Yields the ways to read a table with a rating in a row; a column that is overlooked may tell
    who rated, or by which dimension."""
    overlooked = []
    is_open = _PERSON not in mapping.columns or not columns.is_given(_PERSON)
    if mapping.column("label") and is_open:
        overlooked = overlooked_columns(table, mapping, columns.free(mapping))
    if not overlooked:
        yield from _of_anybody(table, columns, _reading(mapping, is_sure=True))
        return
    for column in overlooked:
        values = list(dict.fromkeys(column.texts))
        person = mapping.with_columns({_PERSON: (column.path,)})
        if _PERSON not in mapping.columns and column.path != FILE and not are_dimensions(values):
            is_sure = columns.could_be(_PERSON, column) or are_people(values)
            yield _choice(person, _PERSON, column.path, is_sure=is_sure)
        elif _PERSON not in mapping.columns and column.path == FILE:
            is_sure = not columns.lacks_system and not are_dimensions(values)
            yield _choice(person, _PERSON, column.path, is_sure=is_sure)
        if _DIMENSION not in mapping.columns:
            dimension = mapping.with_columns({_DIMENSION: (column.path,)})
            if columns.lacks_system:
                dimension = dimension.with_columns({"system": ()})
            yield _choice(dimension, _DIMENSION, column.path, is_sure=are_dimensions(values))
        if columns.lacks_system and column.kind == "name" and len(values) <= _MOST_SYSTEMS:
            yield _choice(mapping.with_columns({"system": (column.path,)}), "system", column.path)


def _choice(mapping: TableMapping, role: str, path: str, *, is_sure: bool = False) -> Reading:
    """Returns the reading that a column holds a role."""
    return _reading(
        mapping,
        f"{path!r} is the {role}",
        f"--column {role}={quote(path)}",
        is_sure=is_sure,
    )


def _of_wide(columns: RatingColumns, mapping: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read columns with ratings side by side."""
    labels = mapping.columns["label"]
    parts = parts_of_names(labels)
    if columns.is_form(mapping):
        yield from _of_form(columns, mapping, parts)
        return
    if len(parts[0]) == 2:
        yield from _of_pairs(columns, mapping, parts)
        return
    names = [part[0] for part in parts]
    cells = [columns.sample.columns[name] for name in labels]
    if are_dimensions(names):
        yield _side_by_side(mapping, _DIMENSION, is_sure=True)
        return
    is_rater_known = bool(mapping.columns.get(_PERSON))
    if not is_rater_known and is_one_scale(cells):
        is_sure = are_people(names) or do_agree(cells)
        yield _side_by_side(mapping, _PERSON, is_sure=is_sure)
    # where who, whose and what stand in columns, their own names can tell a dimension only
    is_all_known = is_rater_known and bool(mapping.column("system"))
    yield _side_by_side(mapping, _DIMENSION, is_sure=is_all_known)
    if mapping.columns.get("system") == () and columns.lacks_system and is_one_scale(cells):
        yield _side_by_side(mapping, "system", is_sure=False)


def _side_by_side(mapping: TableMapping, roles: str, *, is_sure: bool) -> Reading:
    """Returns the reading that the names of columns side by side tell some roles."""
    labels = mapping.columns["label"]
    says = {
        _PERSON: "each is a person",
        _DIMENSION: "each is a dimension",
        "system": "each is a system",
    }
    return _reading(
        _with_siblings(mapping, roles),
        f"{some(list(map(repr, labels)), 3)}: {says.get(roles, roles)}",
        f"--siblings {roles}",
        is_sure=is_sure,
    )


def _of_pairs(
    columns: RatingColumns, mapping: TableMapping, parts: Sequence[tuple[str, ...]]
) -> Iterator[Reading]:
    """Yields the ways to read names of two parts, of which a dimension may be one and who rated, or
    the system, the other."""
    for at, other in ((0, 1), (1, 0)):
        names = list(dict.fromkeys(part[at] for part in parts))
        others = list(dict.fromkeys(part[other] for part in parts))
        if are_dimensions(others) and not are_dimensions(names):
            continue
        is_person = all(name.isdecimal() for name in others) or are_people(others)
        cells = [columns.sample.columns[path] for path in mapping.columns["label"]]
        if mapping.column("system") and all(map(str.istitle, others)):
            is_person = is_person or is_one_scale(cells)  # whose it is stands in a column
        seconds = [] if mapping.columns.get(_PERSON) else [_PERSON]
        if not seconds or (columns.lacks_system and not is_person):
            seconds.append("system")
        for second in seconds:
            roles = [_DIMENSION, second] if at == 0 else [second, _DIMENSION]
            is_sure = are_dimensions(names) and is_person
            yield _side_by_side(mapping, "/".join(roles), is_sure=is_sure)


def _of_form(
    columns: RatingColumns, mapping: TableMapping, parts: Sequence[tuple[str, ...]]
) -> Iterator[Reading]:
    """Yields the ways to read a form: a row a person, with what was rated in the questions. Where
    neither names nor times say that rows are people, they may be documents."""
    if _PERSON not in mapping.columns and not mapping.column("time"):
        for role in (_PERSON, "document"):
            for reading in _of_wide(columns, mapping.with_columns({role: (ROWS,)})):
                says = f"each row is of one {role}, {reading.says}"
                options = f"--column {role}={ROWS} {reading.options}".strip()
                yield replace(reading, says=says, options=options, is_sure=False)
        return
    if _PERSON not in mapping.columns:
        mapping = mapping.with_columns({_PERSON: (ROWS,)})
    sizes = [len({part[place] for part in parts}) for place in range(len(parts[0]))]
    values = [list(dict.fromkeys(part[place] for part in parts)) for place in range(len(sizes))]
    roles = [""] * len(sizes)
    for place, names in enumerate(values):
        if len(sizes) > 1 and are_dimensions(names):
            roles[place] = _DIMENSION
    open_places = [place for place, role in enumerate(roles) if not role]
    if not 1 <= len(open_places) <= 2:
        return
    coded = [place for place in open_places if all(map(_CODE.fullmatch, values[place]))]
    for of_place in _roles_in_forms(open_places, sizes, coded):
        filled = [of_place.get(place, role) for place, role in enumerate(roles)]
        is_sure = not coded and sizes[open_places[0]] != sizes[open_places[-1]]
        is_sure = is_sure or (not coded and len(open_places) == 1)
        yield _side_by_side(mapping, "/".join(filled), is_sure=is_sure)


def _roles_in_forms(
    places: Sequence[int], sizes: Sequence[int], coded: Sequence[int]
) -> Iterator[dict[int, str]]:
    """Yields what the open places of a form's questions may hold, the likeliest first: documents,
    of which there are more, and systems. A code such as `Q2.1` may stand for a dimension, too."""
    larger = sorted(places, key=lambda place: -sizes[place])
    if len(places) == 1:
        yield {larger[0]: "document"}
        if coded:
            yield {larger[0]: _DIMENSION}
        return
    yield {larger[0]: "document", larger[1]: "system"}
    yield {larger[1]: "document", larger[0]: "system"}
    for place in coded:
        other = next(open_place for open_place in places if open_place != place)
        yield {place: _DIMENSION, other: "document"}


def _check_roles(
    table: RatingTable, named: Named, mapping: TableMapping, sample: TableSample
) -> str:
    """A check: there are ratings, and it is known what they are of."""
    columns = mapping.columns
    siblings = mapping.settings.get("siblings", "").split("/")
    texts = columns.get("source") or columns.get("summary") or columns.get("sentence")
    missing = []
    if not columns.get("label"):
        missing.append("label")
    if not (columns.get("document") or texts or "document" in siblings):
        missing.append("document")
    if "system" not in columns and "system" not in siblings:
        missing.append("system")
    pair = pair_column(RatingColumns(sample, mapping), columns.get("label", ()))
    if pair and "label" not in named.columns and not _is_named_rating(mapping, pair):
        return (
            f"{pair!r} says which of two texts is better, and factmark reads ratings of one text "
            "each. Name the ratings where there are any: --column label=NAME."
        )
    if not missing:
        return ""
    held = first_names(sample.columns)
    lacks = f"no column tells the {' or the '.join(missing)}. It holds: {held}."
    ways = ways_to_say(table, mapping, missing, partial(_still_asked, table))
    if not ways:
        return f"{lacks} None of them could be it."
    return f"{lacks} Say which: {' or '.join(ways)}."


def _still_asked(table: RatingTable, mapping: TableMapping) -> list[str]:
    """Returns what a mapping needs still, see `Complete`."""
    settings = {name: value for name, value in mapping.settings.items() if name != "siblings"}
    base = replace(mapping, settings=settings)
    options = []
    for reading in _of_mapping(table, RatingColumns(table.sample, base), base):
        trial = reading.mapping
        if not is_rateable(table, trial) or why_not_one_thing(table.sample, trial):
            continue
        repeats = repeats_in(table, trial)
        is_later = bool(trial.columns.get(_PERSON)) and repeats.have_times
        if repeats.times and not is_later and trial.columns.get(_PERSON) != ():
            continue
        if reading.is_sure:
            return [""]
        options.append(reading.options)
    return options[:3] if len(options) > 1 else [""] * len(options)


def _is_named_rating(mapping: TableMapping, pair: str) -> bool:
    """Whether other columns than one that compares say by their names that they hold ratings."""
    labels = [path for path in mapping.columns.get("label", ()) if path != pair]
    return bool(labels) and (
        are_dimensions(labels) or folded(labels[0]) in role_names("ratings")["label"]
    )


def _check_documents(
    table: RatingTable, named: Named, mapping: TableMapping, sample: TableSample
) -> str:
    """A check: what several people rated is one thing for them, by the texts beside it."""
    if "document" in named.columns or named.mapping is not None:
        return ""
    return why_not_one_thing(sample, mapping)


def _check_repeats(
    table: RatingTable, named: Named, mapping: TableMapping, sample: TableSample
) -> str:
    """A check: nobody rates a unit twice, unless times say which came later, or the user named who
    rated."""
    is_named = _PERSON in named.columns or (named.mapping is not None and mapping.column(_PERSON))
    if is_named or mapping.columns.get(_PERSON) == ():
        return ""
    repeats = repeats_in(table, mapping)
    if not repeats.times or (mapping.columns.get(_PERSON) and repeats.have_times):
        return ""
    nobody = _still_asked(table, mapping.with_columns({_PERSON: ()}))
    if not nobody:
        return f"{repeats.times} ratings are of a unit that was rated before."
    option = " or ".join(f"--column annotator=none {more}".strip() for more in nobody)
    several = f"{option} takes the ratings of a unit for those of several people without names."
    who = mapping.column(_PERSON)
    if not who:
        return (
            f"no column tells who rated, and {repeats.times} ratings are of a unit that was rated "
            f"before, first in {repeats.first}. {several}"
        )
    return (
        f"{repeats.times} ratings are of a unit that the same person has rated before, first in "
        f"{repeats.first}, and no time says which came later. --column annotator={quote(who)} "
        f"takes each person's last; {several}"
    )
