"""What is in doubt in a table of ratings, and the options that a trial read of it accepts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from factmark.intake.columns import TableColumn, folded
from factmark.intake.mapping import TableMapping
from factmark.intake.tools import role_names
from factmark.people.imports.rating_cells import LONGEST, MOST_WORDS, holds_ratings, is_label
from factmark.people.imports.rating_columns import (
    FEW_WORDS,
    MOST_SYSTEMS,
    OF_ID,
    RatingColumns,
)
from factmark.people.imports.rating_tables import RatingTable
from factmark.people.imports.repeats import overlooked_columns, repeats_in
from factmark.people.imports.siblings import are_dimensions, is_one_scale


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


def pair_column(columns: RatingColumns) -> str:
    """Returns the column that says which of two texts is better: by its name, or by labels such as
    `A`, `B` and `tie`; an empty text where none does."""
    words = role_names("ratings", "words")
    for column in columns.sample.columns.values():
        if column.kind != "name" or column.n_distinct > MOST_WORDS:
            continue
        name = [word.rstrip("0123456789") for word in folded(column.path).split("_")]
        sides = {folded(text).rpartition("_")[2] for text in set(column.texts)}
        is_named = len(name) <= FEW_WORDS and bool(set(name) & set(words["pair"]))
        are_sides = len(sides) > 1 and sides <= set(words["sides"])
        if is_named or (are_sides and columns.could_be("label", column)):
            return column.path
    return ""


def ways_to_say(table: RatingTable, mapping: TableMapping, missing: Sequence[str]) -> list[str]:
    """Returns the options that name what is missing, by the cells of the columns; where the rows
    then ask who rated as well, with that."""
    likely = _likely(RatingColumns(table.sample, mapping), missing)
    named = {role: (name,) for role, name in likely.items() if name}
    options = " ".join(f"--column {role}={quote(name)}" for role, name in likely.items() if name)
    completed = mapping.with_columns(named)
    tried = [(options, completed)]
    overlooked = overlooked_columns(
        table, completed, RatingColumns(table.sample, completed).free(completed)
    )
    for column in overlooked:
        for role in ("annotator", "dimension"):
            if role not in mapping.columns:
                more = completed.with_columns({role: (column.path,)})
                tried.append((f"{options} --column {role}={quote(column.path)}", more))
    if "system" in missing:
        rest = [f"--column {role}={quote(likely[role])}" for role in missing if role != "system"]
        words = " ".join([*rest, "--column system=none where all are of one system"])
        tried.append((words, completed.with_columns({"system": ()})))
    return [words for words, trial in tried if words and _is_readable(table, trial)]


def _is_readable(table: RatingTable, mapping: TableMapping) -> bool:
    """Whether a trial read finds ratings, knows what they are of, and none of a unit by a person
    who has rated it before."""
    columns = mapping.columns
    is_told = any(columns.get(role) for role in ("document", "source", "summary", "sentence"))
    if not columns.get("label") or not is_told or "system" not in columns:
        return False
    if not is_label(table.sample.columns[mapping.column("label")]):
        return False
    repeats = repeats_in(table, mapping)
    return not repeats.times or (bool(columns.get("annotator")) and repeats.have_times)


def _likely(columns: RatingColumns, roles: Sequence[str]) -> dict[str, str]:
    """Returns role -> the column that could have it by its cells; empty where none could."""
    chosen: dict[str, str] = {}
    for role in roles:
        chosen[role] = ""
        best = -1.0
        for column in columns.free(columns.base):
            rank = _rank(columns, role, column)
            if column.path not in chosen.values() and rank > best:
                chosen[role] = column.path
                best = rank
    return chosen


def _rank(columns: RatingColumns, role: str, column: TableColumn) -> float:
    """Returns how likely a column has a role by its cells; -1 where it cannot."""
    if column.kind not in ("name", "number", "flag") or max(map(len, column.texts)) > LONGEST:
        return -1.0
    has_fractions = column.kind == "number" and any("." in text for text in column.texts)
    is_id = role == "document" and folded(column.path).endswith("_id")
    is_beside = columns.is_beside(column, OF_ID) and not is_id
    if is_beside or (has_fractions and role != "label"):
        return -1.0
    if role == "document":
        return float(column.n_distinct) if not column.is_unique else 0.5
    is_rating = role == "system" and holds_ratings(column)
    if not 1 < column.n_distinct <= MOST_SYSTEMS or is_rating:
        return -1.0
    is_number = column.kind == "number"
    answered = role == "label" and column.path.startswith("Answer.")
    return 2.0 * answered + float(is_number == (role == "label")) + 1 / column.n_distinct
