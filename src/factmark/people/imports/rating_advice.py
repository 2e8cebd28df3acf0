"""What is in doubt in a table of ratings, and the options that a trial read of it accepts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from factmark.intake.columns import TableColumn, TableSample, folded, words_of
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import NONE
from factmark.intake.tools import role_names
from factmark.people.imports.rating_tables import RatingTable
from factmark.people.imports.roles.label_columns import FEW_WORDS, is_beside
from factmark.people.imports.roles.rating_cells import LONGEST, MOST_WORDS, holds_ratings, is_label
from factmark.people.imports.roles.rating_columns import (
    MOST_SYSTEMS,
    OF_ID,
    RatingColumns,
)
from factmark.people.imports.roles.siblings import are_dimensions, is_one_scale
from factmark.people.imports.roles.structure import has_two_parts
from factmark.text.shell import quote

_TRIED = 4  # columns for a role
_MOST_WAYS = 2
_MOST_TEXTS = 10_000.0  # more than there are rows to rank by
_IDS = frozenset(("id", "ids"))

Complete = Callable[[TableMapping], Sequence[str]]
"""Returns the options that a mapping needs still, one text for each way to read it: an empty text
where it needs none."""


def odd_labels(columns: RatingColumns, mapping: TableMapping) -> tuple[str, ...]:
    """Returns the columns among the ratings whose names do not say what is rated, and whose numbers
    are on the scale of none of those whose names do."""
    labels = [columns.sample.columns[path] for path in mapping.columns.get("label", ())]
    known = [column for column in labels if are_dimensions([column.path])]
    if not known or columns.is_given("label"):
        return ()
    odd = []
    for column in labels:
        is_alike = any(is_one_scale([column, other]) for other in known)
        if column not in known and not is_alike:
            odd.append(column.path)
    return tuple(odd)


def pair_column(columns: RatingColumns, mapping_labels: Sequence[str]) -> str:
    """Returns the column that says which of two texts is better: by its name, by labels such as
    `A`, `B` and `tie`, or as the only ratings, two numbers or some below 0, of what stands in pairs
    of columns; an empty text where none does."""
    labels = [columns.sample.columns[p] for p in mapping_labels if p in columns.sample.columns]
    if len(labels) == 1 and _is_of_two_sides(labels[0]) and _has_two_sides(columns):
        return labels[0].path
    words = role_names("ratings", "words")
    for column in columns.sample.columns.values():
        if column.kind != "name" or column.n_distinct > MOST_WORDS:
            continue
        name = [word.rstrip("0123456789") for word in words_of(column.path)]
        sides = {folded(text).rpartition("_")[2] for text in set(column.texts)}
        is_named = len(name) <= FEW_WORDS and bool(set(name) & set(words["pair"]))
        are_sides = len(sides) > 1 and sides <= set(words["sides"])
        if is_named or (are_sides and columns.could_be("label", column)):
            return column.path
    return ""


def _has_two_sides(columns: RatingColumns) -> bool:
    """Whether what is shown stands in pairs of columns, such as `story_a` and `story_b`."""
    shown = {c.path for c in columns.sample.columns.values() if c.kind in ("text", "name")}
    names = {folded(path) for path in shown}
    for name in names:
        words = name.split("_")
        if "a" in words:
            other = "_".join("b" if word == "a" else word for word in words)
            if other in names:
                return True
    return False


def _is_of_two_sides(column: TableColumn) -> bool:
    """Whether numbers say which of two: there are two of them, or some are below 0."""
    if column.kind != "number" or are_dimensions([column.path]):
        return False
    return column.n_distinct <= 2 or any(text.startswith("-") for text in column.texts)


def ways_to_say(
    table: RatingTable, mapping: TableMapping, missing: Sequence[str], complete: Complete
) -> list[str]:
    """Returns the options that name what is missing, by the cells of the columns, with all that the
    rows ask then: each reads the table as it is written.

    Args:
        complete: see `Complete`.
    """
    columns = RatingColumns(table.sample, mapping)
    likely = {role: _likely(columns, role) for role in missing}
    if "system" in likely:
        likely["system"].append(NONE)
    ways: dict[str, None] = {}
    for names in product(*likely.values()):
        named = dict(zip(missing, names, strict=True))
        columns_of = {role: () if name == NONE else (name,) for role, name in named.items()}
        trial = mapping.with_columns(columns_of)
        if len(set(names)) == len(names) and is_rateable(table, trial):
            words = " ".join(f"--column {role}={quote(name)}" for role, name in named.items())
            ways |= dict.fromkeys(f"{words} {more}".strip() for more in complete(trial))
        if len(ways) >= _MOST_WAYS:
            break
    return list(ways)


def is_rateable(table: RatingTable, mapping: TableMapping) -> bool:
    """Whether a mapping says where labels stand that could be ones, and what they are of."""
    columns = mapping.columns
    is_told = any(columns.get(role) for role in ("document", "source", "summary", "sentence"))
    siblings = mapping.settings.get("siblings", "")
    is_told = is_told or "document" in siblings
    is_system = "system" in columns or "system" in siblings
    if not columns.get("label") or not is_told or not is_system:
        return False
    label = table.sample.columns.get(mapping.column("label"))
    return label is not None and is_label(label)


def _likely(columns: RatingColumns, role: str) -> list[str]:
    """Returns the columns that could have a role by their cells, the likeliest first."""
    ranked = [(_rank(columns, role, column), column) for column in columns.free(columns.base)]
    likely = [(rank, column) for rank, column in ranked if rank >= 0]
    likely.sort(key=lambda pair: -pair[0])
    most = _TRIED
    if role == "label":
        most = 1
    return [column.path for _, column in likely[:most]]


def _rank(columns: RatingColumns, role: str, column: TableColumn) -> float:
    """Returns how likely a column has a role by its cells; -1 where it cannot."""
    if column.kind not in ("name", "number", "flag") or max(map(len, column.texts)) > LONGEST:
        return -1.0
    if not columns.is_filled(column):
        return -1.0
    has_fractions = column.kind == "number" and any("." in text for text in column.texts)
    is_id = role == "document" and folded(column.path).endswith("_id")
    is_other = is_beside(column, OF_ID) and not is_id
    if is_other or (has_fractions and role != "label"):
        return -1.0
    if role == "document":
        is_named = _MOST_TEXTS if set(column.name.split("_")) & _IDS else 0.0
        return is_named + float(column.n_distinct) if not column.is_unique else 0.5
    is_rating = role == "system" and holds_ratings(column)
    if not 1 < column.n_distinct <= MOST_SYSTEMS or is_rating:
        return -1.0
    is_number = column.kind == "number"
    answered = role == "label" and column.path.startswith("Answer.")
    return 2.0 * answered + float(is_number == (role == "label")) + 1 / column.n_distinct


def may_be_systems(sample: TableSample, mapping: TableMapping) -> list[str]:
    """Returns the columns of few names that may be systems where a mapping says that there is none,
    which agreement and means do not depend on: they are the same for all that is rated of a
    document."""
    if mapping.columns.get("system") != ():
        return []
    columns = RatingColumns(sample, mapping)
    names = [column.path for column in columns.few_names(mapping)]
    if has_two_parts(sample, mapping):
        names.append(f"a part of {mapping.column('document')}")
    return names
