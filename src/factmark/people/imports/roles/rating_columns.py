"""The columns of a table of ratings by role, by their names and by what is in them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from factmark.intake.columns import TableColumn, TableSample, is_empty, singular, words_of
from factmark.intake.mapping import TableMapping
from factmark.intake.tools import role_names
from factmark.people.imports.roles.copies import (
    FILE,
    ROWS,
    are_copies,
    are_of_people,
    shared_by_files,
)
from factmark.people.imports.roles.dimension_columns import without_chance, without_role
from factmark.people.imports.roles.label_columns import (
    FEW_WORDS,
    columns_of_people,
    family_of,
    has_word_for_rating,
    is_beside,
    is_rated,
    lengths_of,
    rated_columns,
)
from factmark.people.imports.roles.rating_cells import (
    LONGEST,
    holds_ratings,
    is_label,
    is_on_scale,
    is_row_id,
)
from factmark.people.imports.roles.siblings import (
    are_dimensions,
    are_names_of_people,
    is_one_scale,
    is_person,
    parts_of_names,
)
from factmark.people.imports.roles.structure import (
    do_differ,
    do_vary,
    documents_by_structure,
    documents_otherwise,
    is_fact,
    is_mean,
    systems_by_structure,
    texts_apart,
    with_pair,
    without_copies,
    without_row_id,
)

_NAMES = ("document", "system", "annotator", "dimension", "place", "topic")
_TEXTS = ("summary", "source")
_BY_WORD = ("document", "system", "annotator", "label", "dimension")
_FILLED = 0.95  # of the rows with a rating, in which who and what was rated stands
_HALF = 0.5  # of them at least, for a column of such a name: an empty cell is an error then
_SHORT = 30  # characters: a text is longer
_TOO_FEW = 5  # rows to say that a column is unique
MOST_SYSTEMS = 30
_MOST_TRIED = 4  # other documents
_PAIR = 2  # values: 0 and 1, yes and no
OF_ID = frozenset(("id", "number", "no", "nr"))  # words of a name's id
_STRUCTURES = {"document": documents_by_structure, "system": systems_by_structure}


class RatingColumns:
    """The columns of a sample, by what they may hold."""

    def __init__(self, sample: TableSample, base: TableMapping) -> None:
        """Takes what the user and the form of a tool say as given."""
        self.sample = sample
        self.base = base
        self.lacks_system = False
        self._paths_named: dict[str, frozenset[str]] = {}
        self._people = self._exactly_named("annotator")
        self.beside = frozenset(role_names("ratings", "words")["beside"])

    def is_given(self, role: str) -> bool:
        """Whether the user or a form names the column of a role."""
        return role in self.base.columns

    def mappings(self) -> Iterator[TableMapping]:
        """Yields the mappings with the columns of each role that have a name for it and cells that
        can be what the name says; then those with other documents, as the rows could have them."""
        mapping = self._named_mapping()
        yield self._settled(mapping)
        is_enough = len(self.sample.rows) > _TOO_FEW
        if self.is_given("document") or not mapping.columns["label"] or not is_enough:
            return
        for columns in texts_apart(self.sample, mapping):
            yield self._settled(mapping.with_columns(columns))
        held = without_role(mapping, "document")
        likely = self._likely_names(held)
        for columns in islice(documents_otherwise(self.sample, held, likely), _MOST_TRIED):
            yield self._settled(held.with_columns(columns))

    def _settled(self, mapping: TableMapping) -> TableMapping:
        """Returns a mapping with what follows of the rows once its documents are known."""
        mapping = self._by_structure(without_chance(self.sample, mapping, self.base.columns))
        return self._with_system(self._without_guess(mapping))

    def _named_mapping(self) -> TableMapping:
        """Returns the mapping by the names of the columns."""
        mapping = self.base
        if are_copies(self.sample) and "annotator" not in mapping.columns:
            mapping = mapping.with_columns({"annotator": (FILE,)})
        if "label" not in mapping.columns:
            people = columns_of_people(self.sample)
            if people:
                mapping = mapping.with_columns({"label": people})
        for role in role_names("ratings"):
            if role not in mapping.columns and role != "label":
                mapping = self._with_role(mapping, role)
            if role == "annotator" and "label" not in mapping.columns:
                mapping = self._with_labels(mapping)
        return mapping

    def _by_structure(self, mapping: TableMapping) -> TableMapping:
        """Returns a mapping with the only columns that can be documents or systems by the rows,
        where no name tells; and without facts among the ratings."""
        is_enough = len(self.sample.rows) > _TOO_FEW
        if is_enough and not mapping.columns.keys() & {"document", "system"}:
            mapping = with_pair(self.sample, mapping, self._likely_names(mapping))
        if not self.is_given("document"):
            mapping = without_row_id(self.sample, mapping, self._likely_names(mapping))
        for role, by_structure in _STRUCTURES.items():
            if is_enough and role not in mapping.columns:
                likely = list(by_structure(self.sample, mapping, self._likely_names(mapping)))
                if len(likely) == 1:
                    mapping = mapping.with_columns({role: (likely[0].path,)})
        labels = mapping.columns["label"]
        if "label" in self.base.columns or len(labels) < 2:
            return mapping
        columns = [self.sample.columns[path] for path in labels]
        sure = [column for column in columns if not is_fact(column, self.sample, mapping)]
        ratings = []
        for column in without_copies(columns):
            if column in sure or not is_fact(column, self.sample, mapping, sure):
                ratings.append(column.path)
        return mapping.with_columns({"label": tuple(ratings) or labels})

    def _likely_names(self, mapping: TableMapping) -> list[TableColumn]:
        """Returns the columns without a role whose name does not say that they hold something
        else."""
        free = [column for column in self.free(mapping) if not is_beside(column, OF_ID)]
        return [column for column in free if self.is_filled(column)]

    def _with_system(self, mapping: TableMapping) -> TableMapping:
        """Returns a mapping that says that there is no system, where no column could name one."""
        siblings = mapping.settings.get("siblings", "").split("/")
        self.lacks_system = "system" not in mapping.columns and "system" not in siblings
        is_lost = any(column.kind == "empty" for column in self._exactly_named("system"))
        if self.lacks_system and not (is_lost or self._could_be_systems(mapping)):
            mapping = mapping.with_columns({"system": ()})
        return mapping

    def _with_role(self, mapping: TableMapping, role: str) -> TableMapping:
        """Returns a mapping with the likeliest column for a role, if there is one."""
        for column in self._candidates(mapping, role):
            return mapping.with_columns({role: (column.path,)})
        return mapping

    def _candidates(self, mapping: TableMapping, role: str) -> Iterator[TableColumn]:
        """Yields the columns for a role, the likeliest first."""
        taken = {path for paths in mapping.columns.values() for path in paths}
        within = mapping.settings.get("within", "")
        last = []
        for column in self._named(role):
            if column.path in taken or not self._fits(role, column):
                continue
            if within and not column.path.startswith(f"{within}."):
                continue
            if role == "document" and column.is_unique and len(column.filled) > 1:
                last.append(column)  # a row's own id
                continue
            yield column
        yield from last

    def _named(self, role: str) -> Iterator[TableColumn]:
        """Yields the columns with a name that a role's column has in many tools, then those with
        such a name as a word of theirs."""
        names = role_names("ratings")[role]
        known = [column for column in self._exactly_named(role) if column.kind != "empty"]
        yield from known
        by_word = []
        for column in self.sample.columns.values():
            words = set(words_of(column.path))
            is_other = len(words) > FEW_WORDS or bool(words & self.beside - OF_ID)
            if role in ("annotator", "system"):
                is_rating = holds_ratings(column) and column.n_distinct <= _PAIR
                is_label = words_of(column.path)[-1] in role_names("ratings")["label"]
                is_other = is_other or is_rating or is_label
            if column not in known and words & set(names) - OF_ID and not is_other:
                by_word.append(column)
        if role in _BY_WORD and len(by_word) == 1:
            yield by_word[0]
        if role == "annotator":
            yield from (c for c in self.sample.columns.values() if are_names_of_people(c))

    def _exactly_named(self, role: str) -> list[TableColumn]:
        """Returns the columns with a name that a role's column has in many tools; where there is
        none, those with its plural."""
        names = role_names("ratings")[role]
        known = self.sample.named(names)
        if known or not names:
            return known
        return [column for column in self.sample.columns.values() if singular(column.name) in names]

    def could_be(self, role: str, column: TableColumn) -> bool:
        """Whether a column's name says that it holds a role."""
        if role not in self._paths_named:
            self._paths_named[role] = frozenset(other.path for other in self._named(role))
        return column.path in self._paths_named[role]

    def _fits(self, role: str, column: TableColumn) -> bool:
        """Whether the cells of a column can be what its name says."""
        if column.kind in ("empty", "list", "object"):
            return role == "comment"
        if role in ("document", "system", "annotator") and not self.is_filled(column, _HALF):
            return False
        if role != "annotator" and are_of_people(column, self._people):
            return False
        longest = max(map(len, column.texts))
        if role == "annotator":
            is_row = is_row_id(column) and not self._is_form_like()
            return longest <= LONGEST and not is_row
        if role in ("dimension", "topic"):
            return longest <= LONGEST and not is_row_id(column)
        if role in _NAMES:
            return longest <= LONGEST and column.kind != "text"
        if role in _TEXTS:
            return sorted(map(len, column.texts))[len(column.texts) // 2] > _SHORT
        return True

    def is_filled(self, column: TableColumn, least: float = _FILLED) -> bool:
        """Whether a column says something in most rows that hold a rating, of each file."""
        files = self.sample.columns.get(FILE)
        rows: dict[str, list[bool]] = {}
        for place in self._rated_rows:
            name = files.cells[place] if files is not None else ""
            rows.setdefault(name, []).append(not is_empty(column.cells[place]))
        return all(sum(filled) >= least * len(filled) for filled in rows.values())

    @cached_property
    def _rated_rows(self) -> Sequence[int]:
        """The places of the rows that hold a rating; of all rows where no column holds any."""
        places: set[int] = set()
        for column in self.sample.columns.values():
            is_named = column.name in role_names("ratings")["label"] and is_label(column)
            if is_named or is_rated(column):
                cells = enumerate(column.cells)
                places.update(place for place, cell in cells if not is_empty(cell))
        return sorted(places) or range(len(self.sample.rows))

    def _is_form_like(self) -> bool:
        """Whether a table has more columns than rows, as a form's answers have."""
        return len(self.sample.columns) > len(self.sample.rows)

    def _with_labels(self, mapping: TableMapping) -> TableMapping:
        """Returns a mapping with the columns of ratings: the one with a name for it, else all whose
        cells are ratings."""
        taken = {path for paths in mapping.columns.values() for path in paths}
        shared = shared_by_files(self.sample)
        free = [c for c in self.sample.columns.values() if c.path not in taken | shared]
        prefix = mapping.settings.get("labels", "")
        if prefix:
            free = [column for column in free if column.path.startswith(prefix)]
        rated = rated_columns(free)
        lists = [column for column in rated if column.kind == "list"]
        rated = lists if 2 * len(lists) >= len(rated) else [c for c in rated if c not in lists]
        means = [column for column in rated if is_mean(column, rated)]
        rated = [column for column in rated if column not in means]
        named = [column for column in self._named("label") if column in free]
        named = [column for column in named if is_label(column) and column not in means]
        varying = [column for column in named if column.n_distinct > 1]
        if varying or (named and not rated):
            chosen = (varying or named)[0]
            family = family_of(chosen, rated)
            return mapping.with_columns({"label": family or (chosen.path,)})
        return mapping.with_columns({"label": tuple(column.path for column in rated)})

    def _without_guess(self, mapping: TableMapping) -> TableMapping:
        """Returns a mapping without its columns of ratings where neither a name nor the rows say
        that they hold any: a word for a rating or what is rated, people who differ by one, several
        on one usual scale, or a lone one where it is known who rated, or what."""
        labels = mapping.columns["label"]
        if not labels or self.is_given("label"):
            return mapping
        columns = [self.sample.columns[path] for path in labels]
        sure = [column for column in columns if self._is_told(column, mapping)]
        on_scale = [column for column in columns if is_on_scale(column)]
        is_alike = is_one_scale(columns) or len(columns) > _PAIR
        if not sure and len(on_scale) == len(columns) and is_alike:
            is_known = bool(mapping.column("annotator") or mapping.column("system"))
            sure = columns if len(columns) > 1 or is_known else []
        if not sure:
            return mapping.with_columns({"label": ()})
        kept = [column.path for column in columns if lengths_of(column) == lengths_of(sure[0])]
        return mapping.with_columns({"label": tuple(kept)})

    def _is_told(self, column: TableColumn, mapping: TableMapping) -> bool:
        """Whether a name or the rows say that a column holds ratings."""
        is_called = column in self._exactly_named("label")
        if is_called or are_dimensions([column.path]) or is_person(column.path):
            return True
        is_question = len(column.path.split()) > FEW_WORDS
        prefix = mapping.settings.get("labels", "")
        if is_question or (prefix and column.path.startswith(prefix)):
            return True
        if column.kind == "list" and len(mapping.columns["label"]) == 1:
            several = [length > 1 for length in lengths_of(column)]
            return 2 * sum(several) > len(self.sample.rows)
        is_named = self.could_be("label", column) or has_word_for_rating(column)
        return is_named or do_differ(column, self.sample, mapping)

    def _could_be_systems(self, mapping: TableMapping) -> list[TableColumn]:
        """Returns the columns that may name systems: few names, of which most documents have
        several."""
        document = self.sample.columns.get(mapping.column("document"))
        if mapping.column("document") == ROWS:
            return []
        few = self.few_names(mapping)
        return [column for column in few if document is None or do_vary(column, document)]

    def few_names(self, mapping: TableMapping) -> list[TableColumn]:
        """Returns the columns without a role that hold few names, again and again."""
        likely = []
        for column in self.free(mapping):
            if column.kind != "name" or not 1 < column.n_distinct <= MOST_SYSTEMS:
                continue
            if not (is_row_id(column) or is_beside(column) or are_of_people(column, self._people)):
                likely.append(column)
        return likely

    def free(self, mapping: TableMapping) -> list[TableColumn]:
        """Returns the columns that hold no role."""
        taken = {path for paths in mapping.columns.values() for path in paths}
        return [c for c in self.sample.columns.values() if c.path not in taken and c.filled]

    def is_form(self, mapping: TableMapping) -> bool:
        """Whether a row is a person, who rated what the names of the columns say."""
        person = self.sample.columns.get(mapping.column("annotator"))
        if mapping.column("system") or mapping.column("document"):
            return False
        is_each = person is not None and person.is_unique
        named = [c for c in self.free(mapping) if c.kind in ("name", "number")]
        is_grid = len(parts_of_names(mapping.columns["label"])[0]) > 1 and not named
        return is_each or self._is_form_like() or is_grid
