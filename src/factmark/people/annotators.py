"""The people of a campaign: from a file with name and email, or from names between commas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from factmark.campaign_model import Annotator
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import TABLES, Row, is_broken, read_rows

MOST_NAME = 200  # characters
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_EMAIL = re.compile(r"[^\s@,;<>\"]+@[^\s@,;<>\"]+")


def read_people(given: str, encoding: str = "utf-8") -> tuple[Annotator, ...]:
    """The annotators in the order given, with the codes A1, A2, ...

    Args:
        given: a file with the column `name` and if wanted `email`, or names between commas.

    Raises:
        InputError: nobody, an empty name, one that stands twice or cannot be written; with the
            line.
    """
    path = Path(given)
    if path.suffix.casefold() in TABLES or _is_file(path):
        rows = list(_file(path, encoding))
    else:
        rows = [("--annotators", name, "") for name in given.split(",")]
    people: list[Annotator] = []
    seen: dict[str, str] = {}
    for where, name, email in rows:
        tidy = " ".join(_checked(where, name).split())
        keys = [f"the name {tidy!r}"] + [f"the address {email!r}"] * bool(email)
        for key in keys:
            folded = key.casefold()
            if folded in seen:
                raise InputError(f"{where}: {key} stands twice (first: {seen[folded]}).")
            seen[folded] = where
        if email and not _EMAIL.fullmatch(email):
            raise InputError(f"{where}: {email!r} is no e-mail address; leave it empty if unknown.")
        people.append(Annotator(code=f"A{len(people) + 1}", name=tidy, email=email))
    if not people:
        raise InputError(f"{given}: names nobody.")
    return tuple(people)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # names can be longer than those of files
        return False


def _checked(where: str, name: str) -> str:
    if is_broken(name):
        raise InputError(f"{where}: a name is not UTF-8. Save the file so.")
    if not name.strip():
        raise InputError(f"{where}: an annotator without a name.")
    if _CONTROL.search(name.strip()):
        raise InputError(f"{where}: the name {name.strip()!r} holds control characters.")
    if len(name) > MOST_NAME:
        raise InputError(f"{where}: a name of {len(name)} characters; {MOST_NAME} at most.")
    return name


def _file(path: Path, encoding: str) -> Iterator[tuple[str, str, str]]:
    problems = Problems()
    for where, given in read_rows(path, problems, encoding):
        row = {str(column).strip().casefold(): cell for column, cell in given.items()}
        if "name" not in row:
            found = ", ".join(str(name) for name in given) or "nothing"
            raise InputError(
                f"{path}: no column 'name', as its first row should tell. Found: {found}."
            )
        name, email = (_text(f"{path}, {where}", row, column) for column in ("name", "email"))
        if is_broken(email):
            raise InputError(f"{path}, {where}: an e-mail address is not UTF-8.")
        yield f"{path}, {where}", name, email.strip()
    if told := problems.sentences():
        raise InputError(f"{path}: {told[0]}")


def _text(where: str, row: Row, column: str) -> str:
    value = row.get(column)
    if value is None or isinstance(value, str):
        return value or ""
    raise InputError(f"{where}: {column!r} is a {type(value).__name__}, not a text.")


def too_long(people: Iterable[Annotator], title: str, most: int = 50) -> tuple[str, ...]:
    """The names that do not fit into a title in full; Label Studio allows 50 characters."""
    return tuple(one.name for one in people if len(f"{one.name} — {title}") > most)
