"""Which column of a table of ratings holds what: found by its name, or as the owner says. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from factmark.errors import InputError
from factmark.people.core.scales import plain_labels
from factmark.people.imports.rating_rows import label_text
from factmark.text.shown_text import some

Cells = Mapping[str, Any]
Columns = Mapping[str, tuple[str, ...]]
"""Role -> the columns that have it: one, of `label` several where each is a dimension."""

_NAMES = {  # role -> names of columns without capitals and signs, the likeliest first
    "document": "document docid documentid doc articleid article sourceid passageid dialogueid "
    "storyid meetingid bbcid hash itemid item questionid queryid cnndmid id",
    "topic": "topic question aspectquery",
    "system": "system systemid systemname model modelname modelid modeltype llm method writer",
    "annotator": "annotator annotatorid annotatorname rater raterid workerid worker completedby "
    "coder expertid expert userid user judge",
    "label": "label rating score value judgement judgment verdict sentlabel choice answer",
    "dimension": "dimension criterion criteria aspect metric quality category",
    "summary": "summary summarytext modelsummary decoded generated systemoutput output response "
    "originalsummary prediction candidate text",
    "source": "source sourcedoc originalsourcedoc sourcetext sourcedocument article document "
    "dialogue transcript context",
    "sentence": "sentence summsent summarysentence clause unit claim span",
    "place": "sentidx sentenceindex sentenceid clauseid position",
    "comment": "comment comments exp explanation reason rationale note notes remark feedback type",
    "seconds": "leadtime worktimeinseconds seconds duration time",
    "time": "updatedat createdat submittime timestamp date at",
}
ROLES = tuple(_NAMES)
_NO_RATINGS = re.compile(
    r"^flip|split|id$|^id|index|idx|^hash|url|date$|time|seconds|rank$|^age$|^n_|count$|length"
    r"|reward|approv|reject|lifetime|maxassign|expiration",
    re.IGNORECASE,
)
_LONG = 120  # characters: a name of a document is shorter, a text longer
_FEW = 30  # systems, or labels in words, at most


def columns_named(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The columns as `--column ROLE=NAME` says, again for each; an empty name says there is none.

    InputError: no such role, or one that has a column already.
    """
    columns: dict[str, tuple[str, ...]] = {}
    for text in given:
        role, sign, name = (part.strip() for part in text.partition("="))
        if not sign or role not in (*ROLES, "ratings"):
            raise InputError(
                f"--column {text}: say ROLE=NAME; roles are {', '.join((*ROLES, 'ratings'))}."
            )
        if role in columns and role != "label":
            raise InputError(
                f"--column {text}: {role} has the column {columns[role][0]!r} already."
            )
        columns[role] = (*columns.get(role, ()), *([name] if name else []))
    return columns


def find_columns(where: str, rows: Sequence[Cells], given: Columns) -> dict[str, tuple[str, ...]]:
    """Role -> columns of a table, those `given` first, the others by their names and cells.

    Without a column of labels every column with yes and no or with few numbers is a dimension.

    InputError: a column that was named is not there, or the labels, the system or the document are
    in none; it says what the table holds and which `--column` would read it.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    for role, wanted in given.items():
        for name in wanted:
            if name not in names:
                raise InputError(
                    f"{where}: no column {name!r} for {role}. {_sentence_on_columns(names)}"
                )
    columns = dict(given)
    taken = {name for wanted in given.values() for name in wanted}
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(_folded(name), []).append(name)
    for role, known in _NAMES.items():
        if role in columns:
            continue
        for name in (name for key in known.split() for name in folded.get(key, ())):
            if name not in taken and _fits(role, rows, name):
                columns[role] = (name,)
                taken.add(name)
                break
    if "label" not in columns:
        answers = [name for name in names if name.startswith("Answer.")]
        free = [name for name in answers or names if name not in taken]
        rated = tuple(name for name in free if _is_rated(rows, name))
        # A lone `n` throughout among answers `p` and `n` is one that could be read by chance.
        chance = len(rated) < len(answers) and all(len(set(_texts(rows, r))) == 1 for r in rated)
        if chance:
            columns["label"] = ()
        else:
            columns["label"] = rated
    _check(where, rows, names, columns)
    return columns


def row_id(row: Cells) -> str:
    """The id that a row of a file has in a column of that name; empty where it has none."""
    ids = (str(row[name]) for name in row if _folded(str(name)) in ("id", "ratingid", "rowid"))
    return next((" ".join(text.split()) for text in ids if text not in ("", "None")), "")


def columns_in_words(columns: Columns) -> str:
    """What was taken for what, for the owner to check."""
    return "; ".join(
        f"{role} {', '.join(map(repr, names))}" for role, names in columns.items() if names
    )


def _check(where: str, rows: Sequence[Cells], names: Sequence[str], columns: Columns) -> None:
    """Raises InputError where no column tells the label, the document or the system; it says which
    could."""
    taken = {name for some in columns.values() for name in some}
    free = []
    for name in names:
        if name not in taken:
            free.append(name)
    lacks = {
        "label": not columns["label"],
        "document": "document" not in columns and not columns.get("source"),
        "system": "system" not in columns,
    }
    missing = [role for role, is_missing in lacks.items() if is_missing]
    if not missing:
        return
    likely: dict[str, str] = {}
    for role in missing:
        likely[role] = _likely(role, rows, [name for name in free if name not in likely.values()])
    advice = " ".join(f"--column {role}={name or 'NAME'}" for role, name in likely.items())
    none = " (--column system= where all are of one system)" * (missing == ["system"])
    raise InputError(
        f"{where}: no column tells the {' or the '.join(missing)}. {_sentence_on_columns(names)} "
        f"Say which: {advice}{none}."
    )


def _sentence_on_columns(names: Sequence[str]) -> str:
    """Returns a sentence on which columns a table holds."""
    return f"It holds the columns {some(list(map(repr, names)), 15)}."


def _folded(name: str) -> str:
    """A column's name as it is compared; Mechanical Turk's `Input.` and `Answer.` are left out."""
    return re.sub(r"[\W_]", "", re.sub(r"^(Input|Answer)\.", "", name).casefold())


def _texts(rows: Sequence[Cells], name: str) -> list[str]:
    """Returns the filled cells of a column, of the first 2,000 rows."""
    texts = []
    for row in rows[:2_000]:
        if row.get(name) not in (None, ""):
            texts.append(str(row[name]))
    return texts


def _fits(role: str, rows: Sequence[Cells], name: str) -> bool:
    """Whether the cells of a column can be what its name says."""
    texts = _texts(rows, name)
    if not texts or any(isinstance(row.get(name), dict) for row in rows[:20]):
        return False
    length = median(map(len, texts))
    if role in ("document", "system", "annotator", "dimension", "place", "topic"):
        return length <= _LONG
    if role in ("summary", "source"):
        return length > _FEW
    return role != "label" or _is_label(texts)


def _is_label(texts: Sequence[str]) -> bool:
    """Whether the cells of a column could be labels: few different ones, and short."""
    return len({label_text(text) for text in texts}) <= 101 and max(map(len, texts)) <= _LONG


def _is_rated(rows: Sequence[Cells], name: str) -> bool:
    """Whether a column's cells look like ratings, and its name not like anything else's."""
    cells = [row.get(name) for row in rows[:2_000]]
    labels = set(plain_labels({label_text(cell) for cell in cells} - {""}).values()) - {""}
    if not labels or _NO_RATINGS.search(_folded(name)) or _NO_RATINGS.search(name):
        return False
    words = {label.casefold() for label in labels}
    if words <= {"yes", "no", "true", "false"}:
        return True
    return len(labels) <= 101 and all(re.fullmatch(r"\d+(\.\d+)?", label) for label in labels)


def _likely(role: str, rows: Sequence[Cells], free: Sequence[str]) -> str:
    """The column that could have a role by its cells; empty where none could."""
    best = ""
    most = -1.0
    for name in free:
        texts = _texts(rows, name)
        if not texts or max(map(len, texts)) > _LONG:
            continue
        distinct = len(set(texts))
        if role == "document":
            rank = float(distinct)
        elif 1 < distinct <= _FEW:
            are_numbers = all(re.fullmatch(r"\d+(\.\d+)?", text) for text in texts)
            answered = role == "label" and name.startswith("Answer.")
            rank = 2.0 * answered + float(are_numbers == (role == "label")) + 1 / distinct
        else:
            continue
        if rank > most:
            best = name
            most = rank
    return best
