"""Elements of G as things in a benchmark's file: `things`, from an element to what it is (M6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from factmark.answers.core.asserted import candidates_in_truth
from factmark.answers.core.elements.things import thing_of, things_of, things_to_show
from factmark.answers.core.records import Question, Thing
from factmark.answers.core.writings import writings
from factmark.errors import InputError
from factmark.stores.terms import local_name

FIELD = "things"
_PARTS = ("names", "ids", "properties")
# characters of a text, texts of a part
_LONGEST = 500
_MOST = 200
_IRI = re.compile(r"https?://\S+[/#]\S+")


def read_things(given: object, where: str) -> dict[str, Thing]:
    """Returns element -> what a file says that it is; only where its text says something else.

    Raises:
        InputError: for anything but objects of lists of texts, which names the line.
    """
    if given in (None, ""):
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: {FIELD} must be an object, from an element to what it is.")
    things = {}
    for name, parts in given.items():
        things[str(name).strip()] = _thing(name, parts, where)
    return {name: thing for name, thing in things.items() if thing != thing_of(name)}


def _thing(element: object, given: object, where: str) -> Thing:
    """Returns the thing that an object describes; where it gives no names, the text has them."""
    if not isinstance(given, Mapping) or not set(given).issubset(_PARTS):
        raise InputError(
            f"{where}: {FIELD} of {element!s:.60}: give an object with {', '.join(_PARTS)}."
        )
    names, ids, properties = (_texts(given.get(part), element, where) for part in _PARTS)
    return Thing(
        names=names or thing_of(str(element)).names[:1],
        ids=ids,
        properties=properties,
    )


def _texts(given: object, element: object, where: str) -> tuple[str, ...]:
    """Returns a list of texts, or a single one, without white space around them, each once."""
    texts: Sequence[object] = [given] if isinstance(given, str) else given or ()  # type: ignore[assignment]  # checked below
    are_texts = isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)
    if not are_texts or len(texts) > _MOST or any(len(str(text)) > _LONGEST for text in texts):
        raise InputError(
            f"{where}: {FIELD} of {element!s:.60}: each of {', '.join(_PARTS)} must be a list of "
            f"at most {_MOST} short texts."
        )
    return tuple(dict.fromkeys(text for text in (str(item).strip() for item in texts) if text))


def things_record(question: Question) -> dict[str, dict[str, list[str]]]:
    """Returns what `read_things` reads: the elements of a question that are more than one name."""
    shown = things_to_show(question.ground_truth or (), question.things)
    return {element: parts_of(thing) for element, thing in shown.items()}


def truth_rows(questions: Iterable[Question]) -> list[dict[str, object]]:
    """Returns a record for each question: its elements as things, and the candidates it names."""
    rows: list[dict[str, object]] = []
    for question in questions:
        things = things_of(question.ground_truth or (), question.things)
        aliases = writings(question)
        elements = []
        for element, thing in things.items():
            elements.append(
                {"element": element, **parts_of(thing), "also": list(aliases.get(element, ()))}
            )
        known = question.ground_truth is not None
        rows.append(
            {
                "query_id": question.query_id,
                "question": question.text,
                "elements": elements if known else None,
                "candidates": list(candidates_in_truth(question)),
            }
        )
    return rows


def truth_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the rows of `truth_rows` as people read them."""
    for row in rows:
        yield f"{row['query_id']}  {' '.join(row['question'].split())}"
        if row["candidates"]:
            yield f"    candidates: {', '.join(row['candidates'])}"
        if row["elements"] is None:
            yield "    no ground truth"
        elif not row["elements"]:
            yield "    empty: nothing is the right answer"
        for element in row["elements"] or ():
            yield f"    {element['element']}"
            shown = {part: element[part] for part in _PARTS if part in element}
            if shown.get("names") == [element["element"]]:
                del shown["names"]
            others = []
            for text in element["also"]:
                if text not in _texts_in(shown):
                    others.append(text)
            if others:
                shown["also"] = others
            for part, texts in shown.items():
                yield f"        {part}: {'; '.join(texts)}"


def _texts_in(parts: Mapping[str, Sequence[str]]) -> set[str]:
    """Returns all texts of an element's parts."""
    return {text for texts in parts.values() for text in texts}


def parts_of(thing: Thing) -> dict[str, list[str]]:
    """Returns the parts of a thing that hold something, by their names."""
    return {part: list(getattr(thing, part)) for part in _PARTS if getattr(thing, part)}


def things_of_iris(
    iris: Iterable[str], labels: Mapping[str, str], others: Mapping[str, Sequence[str]]
) -> dict[str, Thing]:
    """Returns label -> the thing that an IRI with this label is: its other labels are names too,
    the IRI and its local name identify it.

    Args:
        others: IRI -> its other labels.
    """
    things: dict[str, Thing] = {}
    for iri in iris:
        label = labels.get(iri)
        if label is None:
            continue
        known = things.get(label, thing_of(label))
        names = dict.fromkeys((*known.names, *others.get(iri, ())))
        ids = dict.fromkeys((*known.ids, iri, *_short_ids(iri)))
        things[label] = Thing(names=tuple(names), ids=tuple(ids), properties=known.properties)
    return things


def thing_of_iri(text: str) -> tuple[str, Thing | None]:
    """Returns what an element is called by its IRI, and as a thing that the IRI identifies; another
    text as it is, and None.

    >>> thing_of_iri("http://dbpedia.org/resource/Barack_Obama")[0], thing_of_iri("1988")
    ('Barack Obama', ('1988', None))
    """
    if not _IRI.fullmatch(text):
        return text, None
    name = unquote(local_name(text)).replace("_", " ").strip() or text
    return name, Thing(names=(name,), ids=(text, *_short_ids(text)))


def _short_ids(iri: str) -> list[str]:
    """Returns what an IRI ends in, as OBO's `HP_0001250` also with a colon; none without digits,
    since it is a word then."""
    local = local_name(iri)
    if not any(letter.isdigit() for letter in local):
        return []
    prefix, mark, number = local.partition("_")
    if mark and prefix.isalpha() and number.isdigit():
        return [f"{prefix}:{number}"]
    return []
