"""Benchmarks: the bundled one, the published CSV and Python files, a user's own JSON Lines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from factmark.answers.benchmark_files import Entry, csv_entries, jsonl_entries
from factmark.answers.benchmark_python import python_entries
from factmark.answers.core.records import Question
from factmark.ehds.replica.facts import COHORTS, STROKE_OBSERVATIONS
from factmark.errors import InputError
from factmark.files.text_files import read_text
from factmark.model import content_hash

BUNDLED = "ehds"

_READERS = {
    ".csv": csv_entries,
    ".py": python_entries,
    ".jsonl": jsonl_entries,
    ".ndjson": jsonl_entries,
}
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
        digest: a hash of what is asked and of what answers it, the same in whichever format it
            came; the expected tools are not in it.
    """

    name: str
    questions: tuple[Question, ...]
    warnings: tuple[str, ...]
    digest: str


def load_benchmark(name_or_path: str) -> Benchmark:
    """The bundled benchmark by its name `ehds`, or one from a file.

    Files: `.csv` and `.py` in the form of the published benchmark (the Python file is parsed,
    never run), `.jsonl` or `.ndjson` with one question per line. Fields: `id` or `query_id`;
    `question`, `query` or `text`; `category`; `ground_truth` (a list, or text with `|` between its
    elements); `sparql` or `ground_truth_sparql`; `expected_tools` or `tools` (a list, or text with
    `;` between the names).

    Raises:
        InputError: no such benchmark, or the file is broken; names the file and the line.
    """
    if name_or_path == BUNDLED:
        return _bundled()
    path = Path(name_or_path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{name_or_path} is no benchmark: give `{BUNDLED}` or a file that ends in"
            f" {', '.join(_READERS)}."
        )
    entries, warnings = reader(read_text(path), str(path))
    if not entries:
        raise InputError(f"{path} holds no questions.")
    _reject_duplicates(entries, str(path))
    return _benchmark(path.stem, (entry.question for entry in entries), warnings)


def with_bundled_queries(benchmark: Benchmark) -> Benchmark:
    """The same benchmark, where questions without a query borrow the bundled one of their id.

    Only if all its ids and categories are the bundled ones: then it is the published benchmark.
    A warning says how many borrowed. Expected tools are borrowed in the same way, without one: they
    matter only where tools were called. Otherwise the benchmark comes back as it is.
    """
    own = {question.query_id: question for question in _bundled().questions}
    questions = benchmark.questions
    if not all(q.query_id in own and q.category == own[q.query_id].category for q in questions):
        return benchmark
    questions = tuple(
        q if q.expected_tools else replace(q, expected_tools=own[q.query_id].expected_tools)
        for q in questions
    )
    borrowing = sum(question.sparql is None for question in questions)
    if not borrowing:
        return replace(benchmark, questions=questions)
    warning = f"{borrowing} questions had no SPARQL query and use the bundled one of the same id."
    filled = (
        question
        if question.sparql is not None
        else replace(question, sparql=own[question.query_id].sparql)
        for question in questions
    )
    return _benchmark(benchmark.name, filled, (*benchmark.warnings, warning))


def is_published(benchmark: Benchmark) -> bool:
    """Whether a benchmark asks the published 50 questions about the EHDS data space."""
    own = {question.query_id: question.category for question in _bundled().questions}
    return own == {question.query_id: question.category for question in benchmark.questions}


@cache
def published_values() -> Mapping[str, tuple[str, ...]]:
    """The published ground truth of each bundled question, by id; to be compared as sets."""
    return {query_id: _expand(facts) for query_id, facts in _data("published.toml").items()}


def _expand(facts: Mapping[str, object]) -> tuple[str, ...]:
    """The values that an entry of `published.toml` stands for, without duplicates."""
    policies, cohorts = facts.get("policies", ()), facts.get("cohorts", ())
    titles = [
        cohort.title
        for cohort in COHORTS
        if facts.get("all") or cohort.policy in policies or cohort.id in cohorts  # type: ignore[operator]  # lists by the file's form, which a test checks
    ]
    values: Iterable[str] = facts.get("values", ())  # type: ignore[assignment]  # as above
    texts = _TEXTS[str(facts["texts"])] if "texts" in facts else ()
    return tuple(dict.fromkeys((*titles, *values, *texts)))


@cache
def _bundled() -> Benchmark:
    data = _data("benchmark.toml")
    questions = (
        Question(
            query_id=entry["id"],
            category=entry["category"],
            text=entry["question"],
            sparql=f"{data['prefixes'].strip()}\n\n{entry['sparql'].strip()}\n",
            expected_tools=tuple(entry["expected_tools"]),
        )
        for entry in data["questions"]
    )
    return _benchmark(data["name"], questions, ())


def _data(name: str) -> dict[str, Any]:
    text = (files("factmark.data") / "ehds" / name).read_text("utf-8")
    return tomllib.loads(text)


def _reject_duplicates(entries: Iterable[Entry], path: str) -> None:
    lines: dict[str, int] = {}
    for entry in entries:
        query_id = entry.question.query_id
        if query_id in lines:
            raise InputError(
                f"{path}, line {entry.line}: the id {query_id} stands in line {lines[query_id]}"
                " already. Give each question its own id."
            )
        lines[query_id] = entry.line


def _benchmark(name: str, questions: Iterable[Question], warnings: Iterable[str]) -> Benchmark:
    kept = tuple(questions)
    digest = content_hash(
        [[q.query_id, q.category, q.text, q.sparql, q.ground_truth] for q in kept]
    )
    return Benchmark(name=name, questions=kept, warnings=tuple(warnings), digest=digest)
