"""What every reader of triples checks: its texts, its confidence, and the passages it names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from factmark.files.problems import Problems
from factmark.files.rows import is_broken
from factmark.files.text_files import why_too_long
from factmark.passages.passage_file import Passages

SEPARATOR = "<SEP>"
"""What LightRAG joins several texts with."""
_NO_TEXT = (dict, list, tuple, bool)
_IDS = re.compile(r"[^\s,'\"\[\]]+")


def checked_texts(
    fields: Mapping[str, object], where: str, problems: Problems, needed: Sequence[str] = ()
) -> dict[str, str] | None:
    """The fields as texts without blanks around them, empty for none.

    None, and told, where one is no text, broken or too long, or a needed one is empty.
    """
    texts = {}
    for field, value in fields.items():
        text = value.strip() if isinstance(value, str) else "" if value is None else str(value)
        if isinstance(value, _NO_TEXT):
            problems.drop(f"{field} is no text", where, f"{field} is a {type(value).__name__}")
        elif is_broken(text):
            problems.drop("broken characters", where, f"in {field}: NUL or undecodable bytes")
        elif why := why_too_long(text):
            problems.drop("text too long", where, f"in {field}: {why}")
        else:
            texts[field] = text
            continue
        return None
    for field in needed:
        if not texts.get(field):
            problems.drop(f"no {field}", where)
            return None
    return texts


def checked_number(value: object, where: str, problems: Problems) -> float | None:
    """A confidence; None, and told, where it is no number."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever it is, the error is told
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number):
        return number
    problems.note("confidence is no number", where, f"confidence {str(value)[:40]!r} is not read")
    return None


def passage_named(
    name: str, stores: Sequence[Passages], where: str, problems: Problems
) -> str | None:
    """The text of a passage in the first store that has it; told where none of them has."""
    texts = (store.get(name) for store in stores)
    text = next((text for text in texts if text is not None), None)
    if text is None and stores:
        problems.note("unknown passage", where, f"no passage {name!r}")
    return text


def passages_named(
    names: Sequence[str], stores: Sequence[Passages], where: str, problems: Problems
) -> Iterator[tuple[str, str | None]]:
    """Id and text of each source of an edge; one without either where it names none."""
    for name in names or [""]:
        yield name, passage_named(name, stores, where, problems) if name else None


def ids_of(value: object) -> tuple[str, ...]:
    """The ids in a list, in a text with `<SEP>` or commas, or in a list as a text; none twice."""
    ids: Sequence[str] = ()
    if isinstance(value, list | tuple):
        ids = [str(name) for name in value if name is not None]
    elif isinstance(value, str) and value.lstrip().startswith("["):
        ids = _IDS.findall(value)
    elif isinstance(value, str):
        ids = value.split(SEPARATOR if SEPARATOR in value else ",")
    return tuple(dict.fromkeys(name for given in ids if (name := given.strip())))


def unquoted(name: str) -> str:
    """A name without the quotes that older versions of GraphRAG and LightRAG left around it."""
    inner = name[1:-1].strip() if len(name) > 1 and name[0] == name[-1] == '"' else name
    return name if '"' in inner else inner
