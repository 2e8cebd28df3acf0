"""Results of graphs used for answering as files: scores, answers, contexts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from factmark.cli.options import named_columns
from factmark.errors import InputError
from factmark.files.flat_files import csv_text, plain, write_parquet
from factmark.files.problems import Problems
from factmark.files.text_files import sound, write_text
from factmark.graphrag.core.outcomes import Fact, Outcome
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import holds
from factmark.graphrag.options import GraphragOptions
from factmark.graphrag.tables import accuracy_table, answer_tables
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.published import GRAPHRAG
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_table

_COLUMNS = {
    "question": "VARCHAR", "system": "VARCHAR", "sample": "BIGINT", "kind": "VARCHAR",
    "text": "VARCHAR", "options": "VARCHAR", "references": "VARCHAR", "strata": "VARCHAR",
    "status": "VARCHAR", "label": "VARCHAR", "value": "DOUBLE", "reason": "VARCHAR",
    "reply": "VARCHAR", "said": "VARCHAR", "abstained": "BOOLEAN", "held": "BOOLEAN",
    "in_graph": "BOOLEAN", "context": "VARCHAR", "carriers": "VARCHAR", "linked": "VARCHAR",
    "unit": "VARCHAR",
}  # fmt: skip
_TEXTS = ("options", "references", "strata", "context", "carriers", "linked")


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Results as JSON values: scores, comparisons, what was spent, the published figures."""
    board = results.board
    found: dict[str, Any] = sound(
        {
            "measure": "graphrag",
            "model": results.model,
            "judge": results.judge,
            "settings": plain(results.settings),
            "systems": plain(results.systems),
            "scores": plain(results.scores),
            "comparisons": [
                plain(one) | {"told_apart": one.told_apart} for one in results.comparisons
            ],
            "leader_board": None if board is None else plain(board),
            "corrections": plain(results.corrections),
            "annotators": list(results.annotators),
            "spent": {
                "answering": results.answering.as_json(),
                "judging": results.judging.as_json(),
            },
            "published": plain(GRAPHRAG),
            "problems": list(results.problems),
            "signature": plain(results.signature),
        }
    )
    return found


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """An answer as one flat row; lists and mappings are JSON text.

    `context` holds the triples with their scores, or the passages; `carriers` places in it.
    """
    question, given = outcome.question, outcome.given
    facts = () if given.context is None else given.context.facts
    linked = () if given.context is None else given.context.linked
    row: dict[str, Any] = {
        "question": question.id,
        "system": outcome.system,
        "sample": outcome.sample,
        "kind": question.kind,
        "text": question.text,
        "options": question.options,
        "references": question.references,
        "strata": question.strata,
        "status": outcome.status,
        "label": outcome.label,
        "value": outcome.value,
        "reason": outcome.reason,
        "reply": outcome.reply,
        "said": outcome.said,
        "abstained": outcome.abstained,
        "held": holds(outcome),
        "in_graph": given.in_graph,
        "context": [
            *(
                {
                    "head": fact.triple.head,
                    "relation": fact.triple.relation,
                    "tail": fact.triple.tail,
                    "text": fact.text,
                    "score": fact.score if math.isfinite(fact.score) else None,
                    "hops": fact.hops,
                }
                for fact in facts
            ),
            *({"passage": name, "text": text} for name, text in given.passages),
        ],
        "carriers": given.carriers,
        "linked": linked,
        "unit": outcome.unit,
    }
    return row | {name: json.dumps(plain(row[name]), ensure_ascii=False) for name in _TEXTS}


def result_paths(folder: Path) -> dict[str, Path]:
    """The files that `write_graphrag_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"graphrag.{end}" for end in ends}


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json (scores), .csv and .parquet (a row per answer), .html, .md and .tex.

    Returns:
        The files.
    """
    from factmark.graphrag.page import render_graphrag_html

    rows = [outcome_row(one) for one in results.outcomes]
    tables = (*answer_tables(results), accuracy_table())
    paths = result_paths(folder)
    value = json.dumps(graphrag_json(results), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(paths["json"], value + "\n")
    write_text(paths["csv"], csv_text(rows, list(_COLUMNS)))
    write_parquet(paths["parquet"], rows, _COLUMNS)
    write_text(paths["html"], render_graphrag_html(results))
    write_text(paths["md"], "\n".join(markdown_table(table) for table in tables))
    write_text(paths["tex"], "\n".join(latex_table(table) for table in tables))
    return list(paths.values())


CONTEXT_COLUMNS = {
    "question_id": "VARCHAR", "question": "VARCHAR", "kind": "VARCHAR", "system": "VARCHAR",
    "rank": "BIGINT", "head": "VARCHAR", "relation": "VARCHAR", "tail": "VARCHAR",
    "claim": "VARCHAR", "score": "DOUBLE", "hops": "BIGINT", "carries": "BOOLEAN",
    "passage_id": "VARCHAR", "passage": "VARCHAR", "triple_id": "VARCHAR", "held": "BOOLEAN",
    "in_graph": "BOOLEAN",
}  # fmt: skip
"""Column -> type, of `.csv` and `.parquet`."""

_OF_FACT = tuple(CONTEXT_COLUMNS)[4:15]
CONTEXT_ENDS = (".csv", ".jsonl", ".ndjson", ".parquet")


def write_contexts(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Writes the contexts of outcomes; further samples of the same answer have the same context.

    `.csv` and `.parquet` have a row for each question, system and rank, from 1; a question for
    which nothing was found has one row without a rank. `.jsonl` has an object for each question and
    system, with `references`, `options`, `linked` (the entities that it names) and `facts`. Of the
    control `text` the facts are passages, with neither head nor score; the control `none` has
    none. What is unknown is null.

    Raises:
        InputError: the path ends in none of these.
        FactmarkError: it cannot be written; what stood there stays.
    """
    suffix = path.suffix.casefold()
    if suffix not in CONTEXT_ENDS:
        raise InputError(f"{path}: contexts are written to {', '.join(CONTEXT_ENDS)}.")
    once = _once(outcomes)
    if suffix in (".jsonl", ".ndjson"):
        told = (
            json.dumps(sound(_nested(one)), ensure_ascii=False, allow_nan=False) for one in once
        )
        write_text(path, "".join(f"{line}\n" for line in told))
        return
    rows = [row for one in once for row in context_rows(one)]
    if suffix == ".csv":
        write_text(path, csv_text(rows, list(CONTEXT_COLUMNS)))
    else:
        write_parquet(path, rows, CONTEXT_COLUMNS)


def _once(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The first sample of each question and system."""
    seen: set[tuple[str, str]] = set()
    for outcome in outcomes:
        key = (outcome.question.id, outcome.system)
        if key not in seen:
            seen.add(key)
            yield outcome


def context_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """One flat row for each fact, best first; one without a rank where there is none."""
    question, given = outcome.question, outcome.given
    shared = {
        "question_id": question.id,
        "question": question.text,
        "kind": question.kind,
        "system": outcome.system,
        "held": holds(outcome),
        "in_graph": given.in_graph,
    }
    facts = _facts(outcome) or [dict.fromkeys(_OF_FACT)]
    return [{name: (shared | fact)[name] for name in CONTEXT_COLUMNS} for fact in facts]


def _facts(outcome: Outcome) -> list[dict[str, Any]]:
    given = outcome.given
    carriers = frozenset(given.carriers)
    if given.context is not None:
        return [
            _fact(place, fact, place in carriers) for place, fact in enumerate(given.context.facts)
        ]
    empty: dict[str, Any] = dict.fromkeys(_OF_FACT)
    return [
        empty
        | {"rank": place + 1, "carries": place in carriers, "passage_id": name, "passage": text}
        for place, (name, text) in enumerate(given.passages)
    ]


def _fact(place: int, fact: Fact, carries: bool) -> dict[str, Any]:
    triple = fact.triple
    return {
        "rank": place + 1,
        "head": triple.head,
        "relation": triple.relation,
        "tail": triple.tail,
        "claim": fact.text,
        "score": fact.score if math.isfinite(fact.score) else None,
        "hops": fact.hops,
        "carries": carries,
        "passage_id": triple.passage_id or None,
        "passage": triple.passage,
        "triple_id": triple.id or None,
    }


def _nested(outcome: Outcome) -> dict[str, Any]:
    question, given = outcome.question, outcome.given
    linked = () if given.context is None else given.context.linked
    return {
        "question_id": question.id,
        "question": question.text,
        "kind": question.kind,
        "options": list(question.options),
        "references": list(question.references),
        "system": outcome.system,
        "held": holds(outcome),
        "in_graph": given.in_graph,
        "reached": None if given.context is None else given.context.reached,
        "linked": [
            {"start": one.start, "end": one.end, "name": one.name, "how": one.how} for one in linked
        ],
        "facts": _facts(outcome),
    }


_Row = tuple[str, str, str, str, str]


def with_passages(outcomes: Iterable[Outcome], options: GraphragOptions) -> Iterator[Outcome]:
    """Outcomes whose triples have the texts that they were extracted from, which an index does not
    keep, where the files have them.

    The files are read again, each once; what is odd in them was told when they were indexed. The
    texts of triples that were retrieved are held in memory.

    Raises:
        InputError: a file cannot be read any more.
    """
    known = list(outcomes)
    texts: dict[tuple[str, _Row], str] = {}
    wanted: dict[str, set[_Row]] = {}
    for one in known:
        for fact in one.given.context.facts if one.given.context else ():
            if fact.triple.passage is None:
                wanted.setdefault(one.system, set()).add(_row(fact.triple))
    with ExitStack() as stack:
        store = None
        if (path := options.passages_file) is not None and wanted:
            store = stack.enter_context(read_passages(path, Problems(), encoding=options.encoding))
        for name, path in options.graph_files.items():
            if name not in wanted:
                continue
            triples = read_triples(
                path,
                Problems(),
                passages=store,
                columns=named_columns(options.column or ()),
                encoding=options.encoding,
            )
            for triple in triples:
                row = _row(triple)
                if triple.passage and row in wanted[name]:
                    texts.setdefault((name, row), triple.passage)
    for one in known:
        yield _with_texts(one, texts)


def _with_texts(outcome: Outcome, texts: Mapping[tuple[str, _Row], str]) -> Outcome:
    given, context = outcome.given, outcome.given.context
    if context is None:
        return outcome

    def told(fact: Fact) -> Fact:
        text = texts.get((outcome.system, _row(fact.triple)))
        return fact if text is None else replace(fact, triple=replace(fact.triple, passage=text))

    facts = tuple(map(told, context.facts))
    return replace(outcome, given=replace(given, context=replace(context, facts=facts)))


def _row(triple: Triple) -> _Row:
    return triple.where, triple.passage_id, triple.head, triple.relation, triple.tail
