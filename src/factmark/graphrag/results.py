"""Results of graphs used for answering as files: scores, answers, contexts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from factmark.ask.budget import Spend
from factmark.errors import InputError
from factmark.files.flat_files import csv_text, plain, write_parquet
from factmark.files.problems import Problems
from factmark.files.text_files import sound, write_text
from factmark.graphrag.core.records import GraphAnswer, RetrievedTriple
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.options import GraphragOptions
from factmark.graphrag.tables import accuracy_table, answer_tables
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.published import GRAPHRAG
from factmark.graphs.triples.triples import read_triples
from factmark.passages.passage_file import read_passages
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_table


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Results as JSON values: scores, comparisons, what was spent, the published figures."""
    run, board = results.run, results.board
    values: dict[str, Any] = sound(
        {
            "measure": "graphrag",
            "model": run.model,
            "judge": run.judge,
            "settings": plain(run.settings),
            "systems": [{"name": name, "kind": kind} for name, kind in results.kinds.items()],
            "scores": plain(results.scores),
            "comparisons": [
                plain(pair) | {"told_apart": pair.told_apart} for pair in results.comparisons
            ],
            "leader_board": None if board is None else plain(board),
            "corrections": plain(results.corrections),
            "annotators": list(results.annotators),
            "spent": {
                "answering": (run.answering or Spend()).as_json(),
                "judging": (run.judged or Spend()).as_json(),
            },
            "published": plain(GRAPHRAG),
            "problems": list(results.problems),
            "signature": plain(results.signature),
        }
    )
    return values


def _ends(triple: Triple) -> dict[str, str]:
    return {"head": triple.head, "relation": triple.relation, "tail": triple.tail}


def _score(fact: RetrievedTriple) -> float | None:
    return fact.score if math.isfinite(fact.score) else None


def _context(answer: GraphAnswer) -> list[dict[str, Any]]:
    """The triples with their scores, or the passages."""
    given = answer.given
    facts = given.context.facts if given.context else ()
    return [
        *(
            {
                **_ends(fact.triple),
                "text": fact.text,
                "score": _score(fact),
                "hops": fact.hops,
            }
            for fact in facts
        ),
        *({"passage": name, "text": text} for name, text in given.passages),
    ]


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


_ANSWERS: Mapping[str, tuple[str, Callable[[GraphAnswer], Any]]] = {
    "question": ("VARCHAR", lambda answer: answer.question.id),
    "system": ("VARCHAR", lambda answer: answer.system),
    "sample": ("BIGINT", lambda answer: answer.sample),
    "kind": ("VARCHAR", lambda answer: answer.question.kind),
    "text": ("VARCHAR", lambda answer: answer.question.text),
    "options": ("VARCHAR", lambda answer: _json(answer.question.options)),
    "references": ("VARCHAR", lambda answer: _json(answer.question.references)),
    "strata": ("VARCHAR", lambda answer: _json(answer.question.strata)),
    "status": ("VARCHAR", lambda answer: answer.status),
    "label": ("VARCHAR", lambda answer: answer.label),
    "value": ("DOUBLE", lambda answer: answer.value),
    "reason": ("VARCHAR", lambda answer: answer.reason),
    "reply": ("VARCHAR", lambda answer: answer.reply),
    "said": ("VARCHAR", lambda answer: answer.said),
    "abstained": ("BOOLEAN", lambda answer: answer.abstained),
    "held": ("BOOLEAN", lambda answer: answer.held),
    "in_graph": ("BOOLEAN", lambda answer: answer.given.in_graph),
    "context": ("VARCHAR", lambda answer: _json(_context(answer))),
    "carriers": ("VARCHAR", lambda answer: _json(answer.given.carriers)),
    "linked": ("VARCHAR", lambda answer: _json(answer.given.linked)),
    "unit": ("VARCHAR", lambda answer: answer.unit),
}
"""Column -> type, value; what is several is JSON text, `carriers` are places in `context`."""


def answer_row(answer: GraphAnswer) -> dict[str, Any]:
    """An answer as one flat row."""
    return {name: value(answer) for name, (_, value) in _ANSWERS.items()}


def result_paths(folder: Path) -> dict[str, Path]:
    """The files that `write_graphrag_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"graphrag.{end}" for end in ends}


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json (scores), .csv and .parquet (a row per answer), .html, .md and .tex;
    gives the files."""
    from factmark.graphrag.page import render_graphrag_html

    rows = list(map(answer_row, results.run.answers))
    tables = (*answer_tables(results), accuracy_table())
    paths = result_paths(folder)
    value = json.dumps(graphrag_json(results), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(paths["json"], value + "\n")
    write_text(paths["csv"], csv_text(rows, list(_ANSWERS)))
    write_parquet(paths["parquet"], rows, {name: kind for name, (kind, _) in _ANSWERS.items()})
    write_text(paths["html"], render_graphrag_html(results))
    write_text(paths["md"], "\n".join(map(markdown_table, tables)))
    write_text(paths["tex"], "\n".join(map(latex_table, tables)))
    return list(paths.values())


CONTEXT_COLUMNS = {
    "question_id": "VARCHAR", "question": "VARCHAR", "kind": "VARCHAR", "system": "VARCHAR",
    "rank": "BIGINT", "head": "VARCHAR", "relation": "VARCHAR", "tail": "VARCHAR",
    "claim": "VARCHAR", "score": "DOUBLE", "hops": "BIGINT", "carries": "BOOLEAN",
    "passage_id": "VARCHAR", "passage": "VARCHAR", "triple_id": "VARCHAR", "held": "BOOLEAN",
    "in_graph": "BOOLEAN",
}  # fmt: skip
"""Column -> type, of `.csv` and `.parquet`."""

_NO_FACT = dict.fromkeys(tuple(CONTEXT_COLUMNS)[4:15])
CONTEXT_ENDS = (".csv", ".jsonl", ".ndjson", ".parquet")


def write_contexts(path: Path, answers: Iterable[GraphAnswer]) -> None:
    """Writes the contexts of answers; further samples of the same answer have the same context.

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
    once: dict[tuple[str, str], GraphAnswer] = {}
    for answer in answers:
        once.setdefault((answer.question.id, answer.system), answer)
    if suffix in (".jsonl", ".ndjson"):
        objects = (sound(_nested(answer)) for answer in once.values())
        lines = (json.dumps(value, ensure_ascii=False, allow_nan=False) for value in objects)
        write_text(path, "".join(f"{line}\n" for line in lines))
        return
    rows = [
        {name: (_asked(answer) | fact)[name] for name in CONTEXT_COLUMNS}
        for answer in once.values()
        for fact in _facts(answer) or [_NO_FACT]
    ]
    if suffix == ".csv":
        write_text(path, csv_text(rows, list(CONTEXT_COLUMNS)))
    else:
        write_parquet(path, rows, CONTEXT_COLUMNS)


def _asked(answer: GraphAnswer) -> dict[str, Any]:
    return {
        "question_id": answer.question.id,
        "question": answer.question.text,
        "kind": answer.question.kind,
        "system": answer.system,
        "held": answer.held,
        "in_graph": answer.given.in_graph,
    }


def _facts(answer: GraphAnswer) -> list[dict[str, Any]]:
    given = answer.given
    facts: list[dict[str, Any]]
    if given.context is None:
        facts = [{"passage_id": name, "passage": text} for name, text in given.passages]
    else:
        facts = [
            {
                **_ends(fact.triple),
                "claim": fact.text,
                "score": _score(fact),
                "hops": fact.hops,
                "passage_id": fact.triple.passage_id or None,
                "passage": fact.triple.passage,
                "triple_id": fact.triple.id or None,
            }
            for fact in given.context.facts
        ]
    carriers = frozenset(given.carriers)
    return [
        _NO_FACT | fact | {"rank": place + 1, "carries": place in carriers}
        for place, fact in enumerate(facts)
    ]


def _nested(answer: GraphAnswer) -> dict[str, Any]:
    context = answer.given.context
    return _asked(answer) | {
        "options": list(answer.question.options),
        "references": list(answer.question.references),
        "reached": None if context is None else context.reached,
        "linked": [asdict(entity) for entity in answer.given.linked],
        "facts": _facts(answer),
    }


_Row = tuple[str, str, str, str, str]


def with_passages(answers: Iterable[GraphAnswer], given: GraphragOptions) -> Iterator[GraphAnswer]:
    """Answers whose triples have the texts that they were extracted from, which an index does not
    keep, where the files have them.

    The files are read again, each once; what is odd in them was told when they were indexed.

    Raises:
        InputError: a file cannot be read any more.
    """
    known = list(answers)
    wanted = {
        (answer.system, _row(fact.triple))
        for answer in known
        for fact in (answer.given.context.facts if answer.given.context else ())
        if fact.triple.passage is None
    }
    systems, encoding = {system for system, _ in wanted}, given.lookup.encoding
    texts: dict[tuple[str, _Row], str] = {}
    with ExitStack() as stack:
        store = None
        if (path := given.passages_file) is not None and wanted:
            store = stack.enter_context(read_passages(path, Problems(), encoding=encoding))
        for name, path in given.graph_files.items():
            if name not in systems:
                continue
            for triple in read_triples(
                path, Problems(), passages=store, columns=given.lookup.columns, encoding=encoding
            ):
                if triple.passage and (name, _row(triple)) in wanted:
                    texts.setdefault((name, _row(triple)), triple.passage)
    for answer in known:
        if (context := answer.given.context) is not None:
            triples = [fact.triple for fact in context.facts]
            passages = [texts.get((answer.system, _row(each)), each.passage) for each in triples]
            facts = tuple(
                replace(fact, triple=replace(fact.triple, passage=passage))
                for fact, passage in zip(context.facts, passages, strict=True)
            )
            context = replace(context, facts=facts)
        yield replace(answer, given=replace(answer.given, context=context))


def _row(triple: Triple) -> _Row:
    return triple.where, triple.passage_id, triple.head, triple.relation, triple.tail
