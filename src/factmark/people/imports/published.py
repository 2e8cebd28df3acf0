"""Ratings in the layouts that benchmarks and tools publish them in, which are no flat tables.

SummEval's (a list of sheets beside each summary), FRANK's and QAGS's by sentence, SQuALITY's,
LongEval's FINE from Mechanical Turk, and Label Studio's JSON, which LongEval's COARSE is too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from factmark.errors import InputError
from factmark.files.rows import Row
from factmark.model import content_hash
from factmark.people.imports.columns import Columns, columns_in_words, find_columns
from factmark.people.imports.flat import rating_in_row
from factmark.people.imports.rating_rows import (
    Note,
    RatingRow,
    label_text,
    moment,
    name_text,
    plain_text,
    seconds_of,
)

Rows = Sequence[tuple[str, Row]]
Reader = Callable[[str, Rows, Columns, Note], Iterator[RatingRow]]

_MARKED = re.compile(r"<span[^>]*id=['\"]claim-sent['\"][^>]*>(.*?)</span>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_FINE_LABEL = "Answer.semantic-similarity.label"
_ABOUT = ("document", "topic", "system", "summary", "source")  # roles of what is rated


def reader_of(rows: Rows, given: Columns) -> Reader | None:
    """The reader of a published layout; None for a flat table."""
    first = rows[0][1]
    if isinstance(first.get("annotations"), list) and isinstance(first.get("data"), Mapping):
        return label_studio_ratings
    if "summary_sentences_annotations" in first:
        return frank_ratings
    if "article" in first and isinstance(first.get("summary_sentences"), list):
        return qags_ratings
    if isinstance(first.get("questions"), Mapping) and "passage-id" in first:
        return squality_ratings
    if _FINE_LABEL in first and "Input.annotated_summary" in first:
        return fine_ratings
    if _sheets(rows, given):
        return sheet_ratings
    return None


def sheet_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """SummEval's layout: beside each summary a list with what each annotator gave it, by dimension.

    Annotators are known by their place in the list alone. Of several lists the experts' is taken,
    else the first; `--column ratings=NAME` takes another.
    """
    lists = _sheets(rows, given)
    experts: list[str] = []
    for some in lists:
        if "expert" in some and "ratings" not in given:
            experts.append(some)
    name = (experts or lists)[0]
    others = [other for other in lists if other != name]
    if others:
        note(
            f"{path}: the ratings in {name!r} are taken; {', '.join(map(repr, others))} by "
            f"--column ratings={others[0]}"
        )
    about = [{key: row[key] for key in row if key not in lists} for _, row in rows]
    labels = {f"\0{name}": "0"}
    wanted = {role: some for role, some in given.items() if role not in ("ratings", "label")}
    columns = find_columns(path, [row | labels for row in about], wanted | {"label": tuple(labels)})
    columns = {role: columns[role] for role in _ABOUT if role in columns}
    note(f"{path}: {columns_in_words(columns)}; annotators by their place in {name!r}")
    person = re.sub(r"[\W_]*(annotations?|scores|ratings)$", "", name) or "annotator"
    for where, row in rows:
        sheets = row.get(name)
        for place, sheet in enumerate(sheets if isinstance(sheets, list) else [sheets], 1):
            if isinstance(sheet, Mapping):
                given_labels = sheet
            else:
                given_labels = {"": sheet}
            for dimension, value in given_labels.items():
                if label := label_text(value):
                    who = f"{person} {place}"
                    yield rating_in_row(where, row, columns, label, dimension, who)


def _sheets(rows: Rows, given: Columns) -> list[str]:
    """The columns with lists or objects of ratings; the one that was named, first."""

    def is_sheet(value: Any) -> bool:
        if isinstance(value, list):
            sheets = value
        else:
            sheets = [value]
        return bool(sheets) and all(
            (isinstance(sheet, int | float) and isinstance(value, list))
            or (
                isinstance(sheet, Mapping)
                and any(isinstance(label, int | float) for label in sheet.values())
            )
            for sheet in sheets
        )

    names = list(dict.fromkeys(name for _, row in rows[:50] for name in row))
    lists = []
    for name in names:
        if all(is_sheet(row.get(name)) for _, row in rows[:50]):
            lists.append(name)
    wanted = given.get("ratings", ())
    return [name for name in wanted if name in lists] + [n for n in lists if n not in wanted]


def frank_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """FRANK's annotations of sentences: yes where an annotator saw no error (`NoE`), else no.

    The kinds of error that were seen are its comment.
    """
    note(f"{path}: FRANK's sentences; a sentence without an error is rated yes")
    for where, row in rows:
        several = "summary_sentence"
        if row.get("summary_sentences"):
            several = "summary_sentences"
        sentences = _parts(where, row, several, object)
        summary = plain_text(row.get("summary")) or " ".join(map(str, sentences))
        end = 0
        marked = _parts(where, row, "summary_sentences_annotations", object)
        for place, people in enumerate(marked):
            sentence = ""
            if place < len(sentences):
                sentence = str(sentences[place])
            start = -1
            if sentence:
                start = summary.find(sentence, end)
            if start >= 0:
                end = start + len(sentence)
            for annotator, errors in _of_people(where, people):
                if not isinstance(errors, list):
                    errors = [errors]
                yield RatingRow(
                    where=where,
                    document=name_text(where, row.get("hash"), "hash"),
                    system=name_text(where, row.get("model_name"), "model_name"),
                    annotator=name_text(where, annotator, "annotator"),
                    label="yes" if errors == ["NoE"] else "no",
                    dimension="factuality",
                    summary=summary,
                    source=plain_text(row.get("article")),
                    part=sentence,
                    place=str(place + 1),
                    start=start if start >= 0 else None,
                    comment="" if errors == ["NoE"] else ", ".join(map(str, errors)),
                )


def _parts(where: str, row: Row, name: str, kind: type = Mapping) -> list[Any]:
    """Returns the list in a field, nothing where there is none. InputError: it is no list, or of
    other parts."""
    parts = row.get(name) or []
    if isinstance(parts, list) and all(isinstance(part, kind) for part in parts):
        return parts
    raise InputError(f"{where}: {name!r} is no list{' of objects' * (kind is Mapping)}.")


def _object(where: str, row: Row, name: str) -> Row:
    """Returns the object in a field. InputError: it is none."""
    part = row.get(name)
    if isinstance(part, Mapping):
        return part
    raise InputError(f"{where}: {name!r} is no object.")


def _of_people(where: str, people: object) -> list[tuple[str, Any]]:
    """Returns who said what of a sentence, from an object by annotator or a list."""
    if isinstance(people, Mapping):
        return [*people.items()]
    if isinstance(people, list):
        return [
            pair
            for place, sheet in enumerate(people, 1)
            for pair in (
                sheet.items() if isinstance(sheet, Mapping) else [(f"annotator_{place}", sheet)]
            )
        ]
    raise InputError(f"{where}: the annotations of a sentence are neither an object nor a list.")


def qags_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """QAGS's responses: whether a sentence of a summary is supported by its article, yes or no."""
    note(f"{path}: QAGS's sentences; a document is an article, all summaries are of one system")
    for where, row in rows:
        sentences = _parts(where, row, "summary_sentences")
        texts = [plain_text(sentence.get("sentence")) for sentence in sentences]
        source = plain_text(row.get("article"))
        start = 0
        for place, (sentence, text) in enumerate(zip(sentences, texts, strict=True)):
            for response in _parts(where, sentence, "responses"):
                label = label_text(response.get("response"))
                if label:
                    yield RatingRow(
                        where=where,
                        document=f"document-{content_hash(source)[:12]}",
                        system="",
                        annotator=name_text(where, response.get("worker_id"), "worker_id"),
                        label=label,
                        summary=" ".join(texts),
                        source=source,
                        part=text,
                        place=str(place + 1),
                        start=start,
                    )
            start += len(text) + 1


def squality_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """SQuALITY's reviews, 0 to 100: correctness, selection (coverage) and overall."""
    note(f"{path}: SQuALITY's reviews; a document is a passage, and its questions are shown apart")
    for where, row in rows:
        questions = _object(where, row, "questions")
        for question in questions:
            for system, answer in _object(where, questions, question).items():
                reviews = isinstance(answer, Mapping) and _parts(where, answer, "reviews")
                for review in reviews or ():
                    for name, value in review.items():
                        label = label_text(value)
                        if name.endswith("-rating") and label:
                            yield RatingRow(
                                where=where,
                                document=name_text(where, row.get("passage-id"), "passage-id"),
                                item=f"question {question}",
                                system=system,
                                annotator=name_text(where, review.get("worker_id"), "worker_id"),
                                label=label,
                                dimension=name.removesuffix("-rating"),
                                summary=plain_text(answer.get("response")),
                            )


def fine_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """LongEval's FINE as Mechanical Turk exports it: a clause marked in its summary, yes or no."""
    note(f"{path}: LongEval's FINE from Mechanical Turk")
    for where, row in rows:
        annotated = str(row.get("Input.annotated_summary"))
        match = _MARKED.search(annotated)
        if match is None:
            raise InputError(
                f"{where}: no clause is marked in 'Input.annotated_summary'; it should hold "
                "<span id='claim-sent'>…</span>."
            )
        before = _without_tags(annotated[: match.start()])
        clause = _without_tags(match[1])
        label = label_text(row.get(_FINE_LABEL))
        if label:
            yield RatingRow(
                where=where,
                document=name_text(where, row.get("Input.doc_id"), "Input.doc_id"),
                system=name_text(where, row.get("Input.model"), "Input.model"),
                annotator=name_text(where, row.get("WorkerId"), "WorkerId"),
                label=label.upper(),
                summary=before + clause + _without_tags(annotated[match.end() :]),
                source=_without_tags(plain_text(row.get("Input.source_doc"))),
                part=clause,
                place=str(len(before)),
                start=len(before),
                seconds=seconds_of(row.get("WorkTimeInSeconds")),
                at=moment(row.get("SubmitTime")),
                form="fine",
            )


def _without_tags(html: str) -> str:
    """Returns the text of HTML."""
    return unescape(_TAG.sub("", _BREAK.sub("\n", html)))


def label_studio_ratings(path: str, rows: Rows, given: Columns, note: Note) -> Iterator[RatingRow]:
    """Label Studio's JSON: each choice, rating or number of an annotation; texts are comments.

    Cancelled annotations and predictions are none. Of several controls each is a dimension.
    """
    tasks = [(f"{where}, task {row.get('id')}", row) for where, row in rows]
    controls = {
        str(part["from_name"])
        for where, row in tasks
        for annotation in _parts(where, row, "annotations")
        for part in _parts(where, annotation, "result")
        if _label_of(part)
    }
    if not controls:
        raise InputError(
            f"{path}: Label Studio's tasks hold no choice, rating or number that anybody gave."
        )
    data = [dict(_object(where, row, "data")) | {"\0": "0"} for where, row in tasks]
    wanted = {}
    for role, names in given.items():
        if role in ("document", "system"):
            wanted[role] = names
    wanted |= {role: given[role] for role in ("source", "summary", "topic") if role in given}
    is_coarse = "model_article_code" in data[0]
    if is_coarse:  # LongEval's: a hash stands for document and system
        wanted = {"system": ("model_article_code",)} | wanted
    columns = find_columns(path, data, wanted | {"label": ("\0",)})
    columns = {role: columns[role] for role in _ABOUT if role in columns}
    controls_in_words = ", ".join(sorted(controls))
    note(f"{path}: Label Studio's; {columns_in_words(columns)}; rated by {controls_in_words}")
    cancelled = 0
    for (where, row), about in zip(tasks, data, strict=True):
        for annotation in _parts(where, row, "annotations"):
            if annotation.get("was_cancelled"):
                cancelled += 1
                continue
            parts = _parts(where, annotation, "result")
            texts = [text for part in parts if (text := _comment_of(part))]
            for part in parts:
                label = _label_of(part)
                if label:
                    who = name_text(where, annotation.get("completed_by"), "completed_by") or "1"
                    control = ""
                    if len(controls) > 1:
                        control = str(part["from_name"])
                    rating = rating_in_row(where, about, columns, label, control, who)
                    yield _with_time(rating, annotation, " ".join(texts), is_coarse)
    if cancelled:
        note(f"{path}: {cancelled} cancelled annotations, left out")


def _with_time(
    rating: RatingRow, annotation: Mapping[str, Any], comment: str, is_coarse: bool
) -> RatingRow:
    """Returns a rating with the comment, the seconds and the time of its annotation."""
    return replace(
        rating,
        comment=comment,
        seconds=seconds_of(annotation.get("lead_time")),
        at=moment(annotation.get("updated_at") or annotation.get("created_at")),
        form="coarse" if is_coarse else "",
    )


def _label_of(part: Mapping[str, Any]) -> str:
    """The label of a part of a result; empty for a text, which is a comment."""
    value = part.get("value")
    if not isinstance(value, Mapping) or "from_name" not in part:
        return ""
    return label_text({key: value[key] for key in ("choices", "rating", "number") if key in value})


def _comment_of(part: Mapping[str, Any]) -> str:
    """Returns the text in a part of a result; empty without one."""
    value = part.get("value")
    texts = None
    if isinstance(value, Mapping):
        texts = value.get("text")
    if isinstance(texts, list):
        return " ".join(map(str, texts))
    return plain_text(texts)
