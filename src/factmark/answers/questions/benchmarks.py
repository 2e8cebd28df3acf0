"""Benchmarks: the bundled one, the published CSV file, a user's own JSON Lines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from factmark.answers.core.records import Question
from factmark.answers.core.writings import ALL
from factmark.answers.questions.own_files import IDS, QUERIES, QUESTIONS, question_records
from factmark.answers.questions.thing_records import FIELD, read_things, things_record
from factmark.ehds.replica.facts import COHORTS, STROKE_OBSERVATIONS
from factmark.errors import InputError
from factmark.files.flat_files import json_text
from factmark.files.rows import TABLES, YAML, unknown_ending
from factmark.files.text_files import too_long_reason, without_surrogates
from factmark.model import content_hash
from factmark.stores.guard import is_ask
from factmark.text.shown_text import count

BUNDLED = "ehds"

_TOOLS = ("expected_tools", "tools")
_LONGEST_UNIT = 20  # characters
_NO_CATEGORY = "other"
_AS_NAMED: Mapping[str, str] = MappingProxyType({})
_TEXTS = {
    "stroke-observations": tuple(kind.code.display for kind in STROKE_OBSERVATIONS),
    "metabolic-syndrome-description": tuple(
        cohort.description for cohort in COHORTS if cohort.id == "metabolic-syndrome"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Questions with their queries, their ground truths, or both.

    Attributes:
        name: the bundled name, or the file's without its suffix.
        questions: in the order of the file; ids are unique.
        warnings: what was read in spite of a flaw, with the line; one sentence each.
    """

    name: str
    questions: tuple[Question, ...]
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash of what is asked and what answers it, whatever the format; without tools."""
        return content_hash(
            [
                [q.query_id, q.category, q.text, q.sparql, q.ground_truth]
                + ([q.aliases, q.units] if q.aliases or q.units else [])
                + ([things_record(q)] if q.things else [])
                for q in self.questions
            ]
        )


def load(name_or_path: str, columns: Mapping[str, str] = _AS_NAMED) -> Benchmark:
    """A benchmark by name or file; published questions get the bundled queries that they lack."""
    return with_bundled_queries(load_benchmark(name_or_path, columns))


def load_benchmark(name_or_path: str, columns: Mapping[str, str] = _AS_NAMED) -> Benchmark:
    """The bundled benchmark by its name `ehds`, or one from a file.

    Files: `.csv` in the form of the published benchmark, `.jsonl` or `.ndjson` with one question
    per line. Fields: `id` or `query_id`; `question`, `query` or `text`; `category`;
    `ground_truth` (a list, or text with `|` between its elements); `sparql` or
    `ground_truth_sparql`; `expected_tools` or `tools` (a list, or text with `;` between the names);
    `empty`; `things`; `aliases` and `unit`, of the question or in an element's own object
    (docs/answers.md; in a CSV cell as JSON). Any other table of questions with answers or queries
    is read as others publish them (`published`).

    Args:
        columns: field -> column of such a table, where the user names it.

    Raises:
        InputError: no such benchmark, or the file is broken; names the file and the line.
    """
    if name_or_path == BUNDLED:
        return _bundled()
    path = Path(name_or_path)
    if path.suffix.casefold() not in (*TABLES, *YAML):
        why = unknown_ending(path, TABLES, f"; or name the bundled one, `{BUNDLED}`")
        raise InputError(f"{name_or_path} is no benchmark. {why}")
    warnings: list[str] = []
    places: dict[str, str] = {}
    questions = []
    for where, record in question_records(path, columns, warnings):
        question = _question(record, f"{path}, {where}")
        if question.query_id in places:
            raise InputError(
                f"{path}, {where}: the id {question.query_id} stands in "
                f"{places[question.query_id]} already. Give each question its own id."
            )
        places[question.query_id] = where
        questions.append(question)
    if not questions:
        raise InputError(f"{path} holds no questions.")
    return Benchmark(name=path.stem, questions=tuple(questions), warnings=tuple(warnings))


def with_bundled_queries(benchmark: Benchmark) -> Benchmark:
    """The same benchmark, where questions borrow query and expected tools of the bundled ones.

    Only if all its ids and categories are the bundled ones: then it is the published benchmark.
    A warning says how many borrowed a query. Otherwise it comes back as it is.
    """
    bundled = {question.query_id: question for question in _bundled().questions}
    questions = benchmark.questions
    if not all(
        q.query_id in bundled and q.category == bundled[q.query_id].category for q in questions
    ):
        return benchmark
    completed = []
    for question in questions:
        known = bundled[question.query_id]
        sparql = question.sparql
        if sparql is None:
            sparql = known.sparql
        tools = question.expected_tools or known.expected_tools
        empty = question.empty or known.empty
        completed.append(replace(question, sparql=sparql, expected_tools=tools, empty=empty))
    warnings = benchmark.warnings
    borrowing = sum(question.sparql is None for question in questions)
    if borrowing:
        had = count(borrowing, "question", "questions")
        note = f"{had} without a SPARQL query: the bundled one of the same id is used."
        warnings = (*warnings, note)
    return replace(benchmark, questions=tuple(completed), warnings=warnings)


def is_published(benchmark: Benchmark) -> bool:
    """Whether a benchmark asks the published 50 questions about the EHDS data space."""
    bundled = {question.query_id: question.category for question in _bundled().questions}
    return bundled == {question.query_id: question.category for question in benchmark.questions}


@cache
def published_values() -> Mapping[str, tuple[str, ...]]:
    """The published ground truth of each bundled question, by id; to be compared as sets."""
    values = {}
    for query_id, facts in _bundled_table("published.toml").items():
        values[query_id] = _listed_values(facts)
    return values


def _listed_values(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The values that an entry of `published.toml` stands for, without duplicates."""
    policies = facts.get("policies", ())
    cohorts = facts.get("cohorts", ())
    titles = []
    for cohort in COHORTS:
        if facts.get("all") or cohort.policy in policies or cohort.id in cohorts:
            titles.append(cohort.title)
    texts: tuple[str, ...] = ()
    if "texts" in facts:
        texts = _TEXTS[facts["texts"]]
    return tuple(dict.fromkeys((*titles, *facts.get("values", ()), *texts)))


@cache
def _bundled() -> Benchmark:
    """The benchmark that comes with the package."""
    data = _bundled_table("benchmark.toml")
    questions = (
        Question(
            query_id=entry["id"],
            category=entry["category"],
            text=entry["question"],
            sparql=f"{data['prefixes'].strip()}\n\n{entry['sparql'].strip()}\n",
            expected_tools=tuple(entry["expected_tools"]),
            empty=entry.get("empty", False),
        )
        for entry in data["questions"]
    )
    return Benchmark(name=data["name"], questions=tuple(questions))


def _bundled_table(name: str) -> dict[str, Any]:
    """A TOML file of the bundled data space."""
    text = (files("factmark.data") / "ehds" / name).read_text("utf-8")
    return tomllib.loads(text)


def benchmark_lines(questions: Sequence[Question]) -> str:
    """Questions as JSON Lines that `load_benchmark` reads again."""
    return "".join(json_text(_record_of(question)) + "\n" for question in questions)


def _record_of(question: Question) -> dict[str, Any]:
    """Returns a question as a line of a benchmark; what it does not say is left out."""
    truth = question.rows or question.ground_truth
    record = {
        "query_id": question.query_id,
        "category": question.category,
        "question": question.text,
        "ground_truth": None if truth is None else list(truth),
        "sparql": question.sparql,
    }
    beside = {
        "expected_tools": question.expected_tools,
        "empty": question.empty,
        "aliases": question.aliases,
        "unit": question.units,
        FIELD: things_record(question),
    }
    return record | {name: value for name, value in beside.items() if value}


_TRUTHS = {
    "true": "true",
    "1": "true",
    "yes": "true",
    "false": "false",
    "0": "false",
    "no": "false",
}


def _ask_record(elements: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The recorded answer of an ASK query as `true` or `false`, however it was written."""
    if elements is None or len(elements) != 1:
        return elements
    return (_TRUTHS.get(elements[0].lower(), elements[0]),)


def _question(record: Mapping[str, object], where: str) -> Question:
    """The question that a record describes; `where` is file and line."""
    try:
        sparql = _text(record, QUERIES, where) or None
        ground_truth = _ground_truth(record.get("ground_truth"), where)
        question = Question(
            query_id=_text(record, IDS, where),
            category=_text(record, ("category",), where) or _NO_CATEGORY,
            text=_text(record, QUESTIONS, where),
            sparql=sparql,
            ground_truth=_ask_record(ground_truth) if sparql and is_ask(sparql) else ground_truth,
            expected_tools=_expected_tools(record, where),
            empty=_flag(record, "empty", where),
            aliases=_aliases(record, where),
            units=_units(record, where),
            rows=_rows(record.get("ground_truth"), where),
            things=read_things(record.get(FIELD), where),
        )
    except ValueError as error:
        raise InputError(f"{where}: a number is too long.") from error
    if not question.query_id or not question.text:
        wanted: tuple[str, str, str] | tuple[str, str]
        if question.query_id:
            wanted = QUESTIONS
        else:
            wanted = IDS
        raise InputError(f"{where}: the question has no {' or '.join(wanted)}. Add it.")
    if question.sparql is None and question.ground_truth is None:
        raise InputError(
            f"{where}: question {question.query_id} has neither a ground_truth nor a sparql query. "
            "Add one."
        )
    texts = (question.query_id, question.category, question.text, question.sparql or "")
    others = (*question.units.values(), *(a for names in question.aliases.values() for a in names))
    for thing in question.things.values():
        others += (*thing.names, *thing.ids, *thing.properties)
    names = (*(question.ground_truth or ()), *(question.expected_tools or ()), *question.aliases)
    for text in (*texts, *names, *others, *question.things):
        if without_surrogates(text) != text:
            raise InputError(
                f"{where}: {text!a:.60} holds half of a surrogate pair, which is no character. "
                "Write the character itself."
            )
    return question


def _text(record: Mapping[str, object], names: Sequence[str], where: str) -> str:
    """The first of the fields that is there, stripped; empty if none is."""
    for name in names:
        value = record.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(f"{where}: {name} must be text, not {type(value).__name__}.")
        why = too_long_reason(str(value))
        if why:
            raise InputError(f"{where}: {name} has {why}.")
        return str(value).strip()
    return ""


def _by_element(record: Mapping[str, object], name: str, where: str) -> dict[str, object]:
    """Element -> its aliases or unit (`name`), from its own object or the question's."""
    given = record.get(name)
    named = {}
    if isinstance(given, Mapping):
        named = dict(given)
    if given not in (None, "") and not isinstance(given, Mapping) and name == "aliases":
        raise InputError(
            f"{where}: aliases must be an object, from an element to its other names; in a CSV "
            "cell as JSON."
        )
    truth = record.get("ground_truth")
    if isinstance(truth, list):
        for entry in truth:
            if isinstance(entry, Mapping) and entry.get(name) is not None:
                named |= dict.fromkeys(_elements(entry.get("value"), where), entry[name])
    return {str(element).strip(): value for element, value in named.items()}


def _aliases(record: Mapping[str, object], where: str) -> dict[str, tuple[str, ...]]:
    """Element -> its other names, for those that have any."""
    aliases = _by_element(record, "aliases", where)
    return {
        element: names
        for element, value in aliases.items()
        if (names := _without_duplicates(_elements([value], f"{where}: an alias of {element}")))
    }


def _units(record: Mapping[str, object], where: str) -> dict[str, str]:
    """Element -> its unit; `*` for a unit of all numbers. Raises InputError for a long text."""
    units = _by_element(record, "unit", where)
    unit = record.get("unit")
    if unit not in (None, "") and not isinstance(unit, Mapping):
        units = {ALL: unit, **units}
    for element, value in units.items():
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_UNIT:
            raise InputError(f"{where}: the unit of {element} must be a short text, as `s` or `%`.")
    return {element: str(value).strip() for element, value in units.items()}


def _flag(record: Mapping[str, object], name: str, where: str) -> bool:
    """Whether a field says true; for a CSV file its text counts."""
    value = record.get(name)
    if isinstance(value, str):
        value = {"true": True, "false": False, "": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool | None):
        raise InputError(f"{where}: {name} must be true or false, not {value!r:.60}.")
    return bool(value)


def _expected_tools(record: Mapping[str, object], where: str) -> tuple[str, ...] | None:
    """The names of the tools of which an answer should call one; None where there are none."""
    name, value = next(((n, record[n]) for n in _TOOLS if record.get(n) is not None), ("", ()))
    names: object
    if isinstance(value, str):
        names = value.split(";")
    else:
        names = value
    if not isinstance(names, list | tuple) or not all(isinstance(tool, str) for tool in names):
        raise InputError(
            f"{where}: {name} must be a list of names, or a text with ; between them, not"
            f" {value!r:.60}."
        )
    return _without_duplicates(names) or None


def _ground_truth(value: object, where: str) -> tuple[str, ...] | None:
    """The elements of G without duplicates; None where the record has no ground truth."""
    if value is None:
        return None
    elements: object
    if isinstance(value, str):
        elements = value.split("|")
    else:
        elements = value
    if not isinstance(elements, list | tuple):
        raise InputError(f"{where}: ground_truth must be a list or a text, not {value!r}.")
    return _without_duplicates(text for element in elements for text in _elements(element, where))


def _elements(value: object, where: str) -> Iterator[str]:
    """An element, or those of a row of several."""
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _elements(inner, where)
    elif isinstance(value, Mapping) and "value" in value:
        yield from _elements(value["value"], where)
    elif isinstance(value, bool):
        if value:
            yield "true"
        else:
            yield "false"
    elif isinstance(value, str | int | float):
        yield str(value)
    else:
        raise InputError(
            f"{where}: a ground_truth element must be text, or an object with value, aliases and"
            f" unit, not {value!r:.60}."
        )


def _rows(value: object, where: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a list of lists that are equally long; none for any other ground truth."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return ()
    rows = []
    for row in value:
        rows.append(tuple(text.strip() for text in _elements(row, where)))
    wide = {len(row) for row in rows if all(row)}
    if len(wide) == 1 and min(wide) > 1 and all(map(all, rows)):
        return tuple(dict.fromkeys(rows))
    return ()


def _without_duplicates(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts without white space around them, each once, none empty."""
    stripped = (text.strip() for text in texts)
    return tuple(dict.fromkeys(text for text in stripped if text))
